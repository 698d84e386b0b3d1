//! Texts and fonts that are embedded in the program. Build scripts compress them ([`pack_files`]), [`packed!`] embeds
//! them, and [`text`] or [`bytes`] decompresses them. Without compression, they would make the program two megabytes
//! larger.
//!
//! # Example
//!
//! ```
//! use flate2::{Compression, write::ZlibEncoder};
//! use std::io::Write;
//!
//! // A build script stores a file in this form, and `packed!` embeds it.
//! let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
//! encoder.write_all(b"the text of a page\n")?;
//! let packed = encoder.finish()?;
//!
//! assert_eq!(embed::text(&packed), "the text of a page\n");
//! # Ok::<(), std::io::Error>(())
//! ```

use flate2::Compression;
use flate2::bufread::ZlibDecoder;
use flate2::write::ZlibEncoder;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Returns the compressed file that [`pack_file`] wrote under this name, as `&[u8]`.
#[macro_export]
macro_rules! packed {
    ($name:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".z")).as_slice()
    };
}

/// Compresses a file with the best ratio, which is affordable because it is done only once per build.
fn pack(file: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(file)?;
    encoder.finish()
}

/// Compresses files with [`pack_file`], and makes cargo watch each of them. Each entry of `files` is a folder with the
/// names of its files. For build scripts.
///
/// # Errors
/// Returns an error in the cases listed at [`pack_file`].
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

/// Compresses the file `NAME` in `folder` to `NAME.z`, where [`packed!`] finds it. For build scripts.
///
/// # Errors
/// Returns an error if the file cannot be read, or if the compressed file cannot be written.
pub fn pack_file(folder: impl AsRef<Path>, name: &str) -> io::Result<()> {
    write_packed(name, &fs::read(folder.as_ref().join(name))?)
}

/// Compresses a text that is not a file to `NAME.z`, where [`packed!`] finds it. For build scripts.
///
/// # Errors
/// Returns an error if the compressed file cannot be written.
pub fn write_packed(name: &str, text: &[u8]) -> io::Result<()> {
    let to = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it for build scripts")).join(format!("{name}.z"));
    fs::create_dir_all(to.parent().expect("a file lies in a folder"))?;
    fs::write(to, pack(text)?)
}

/// Returns the decompressed bytes.
///
/// # Panics
/// Panics if the data was not compressed by a build script.
#[must_use]
pub fn bytes(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    ZlibDecoder::new(packed).read_to_end(&mut bytes).expect("the build packed it");
    bytes
}

/// Returns the decompressed text.
///
/// # Panics
/// Panics if the data was not compressed by a build script, or is not a text.
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
