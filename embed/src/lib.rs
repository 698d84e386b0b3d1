//! Texts and fonts that the program carries: build scripts pack them ([`pack_files`]), [`packed!`] puts them into the program, and [`text`] or [`bytes`] makes them
//! again what they were. As they stand they would be two of the program's megabytes.

use flate2::Compression;
use flate2::bufread::ZlibDecoder;
use flate2::write::ZlibEncoder;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// What [`pack_file`] made of the file of this name, as `&[u8]`.
#[macro_export]
macro_rules! packed {
    ($name:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".z")).as_slice()
    };
}

/// Compressed as well as can be: it is done once.
fn pack(file: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(file)?;
    encoder.finish()
}

/// For build scripts: what [`pack_file`] does with the files of some folders, and has cargo look at each of them.
///
/// # Errors
/// As [`pack_file`].
#[expect(clippy::print_stdout, reason = "it is what cargo reads of a build script")]
pub fn pack_files(files: &[(&str, &[&str])]) -> io::Result<()> {
    for (folder, names) in files {
        for name in *names {
            println!("cargo::rerun-if-changed={folder}/{name}");
            pack_file(folder, name)?;
        }
    }
    Ok(())
}

/// For build scripts: makes `NAME.z` where [`packed!`] finds it of the file `NAME` below `folder`.
///
/// # Errors
/// The file cannot be read, or the packed one not be written.
pub fn pack_file(folder: impl AsRef<Path>, name: &str) -> io::Result<()> {
    write_packed(name, &fs::read(folder.as_ref().join(name))?)
}

/// For build scripts: makes `NAME.z` where [`packed!`] finds it of a text that is no file.
///
/// # Errors
/// The packed one cannot be written.
pub fn write_packed(name: &str, text: &[u8]) -> io::Result<()> {
    let to = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it for build scripts")).join(format!("{name}.z"));
    fs::create_dir_all(to.parent().expect("a file lies in a folder"))?;
    fs::write(to, pack(text)?)
}

/// The bytes again.
///
/// # Panics
/// For what no build script packed.
#[must_use]
pub fn bytes(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    ZlibDecoder::new(packed).read_to_end(&mut bytes).expect("the build packed it");
    bytes
}

/// The text again.
///
/// # Panics
/// For what no build script packed of a text.
#[must_use]
pub fn text(packed: &[u8]) -> String {
    String::from_utf8(bytes(packed)).expect("the build packed a text")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_back_as_it_was_and_takes_less() {
        for given in ["", "x", "глубина 水深 depth\n", &"a line that repeats\n".repeat(1000)] {
            let packed = pack(given.as_bytes()).expect("memory");
            assert_eq!(text(&packed), given);
            assert!(packed.len() < given.len() + 16, "{} of {}", packed.len(), given.len());
        }
    }
}
