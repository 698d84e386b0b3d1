//! Compresses the files of the catalogue: as text they are a tenth of a megabyte of the program.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=catalog");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    for provider in fs::read_dir("catalog")?.collect::<io::Result<Vec<_>>>()? {
        if !provider.file_type()?.is_dir() {
            continue;
        }
        let folder = out.join(provider.file_name());
        fs::create_dir_all(&folder)?;
        for file in fs::read_dir(provider.path())?.collect::<io::Result<Vec<_>>>()? {
            compress(&file.path(), &folder.join(file.file_name()))?;
        }
    }
    Ok(())
}

fn compress(from: &Path, to: &Path) -> io::Result<()> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&fs::read(from)?)?;
    fs::write(to, encoder.finish()?)
}
