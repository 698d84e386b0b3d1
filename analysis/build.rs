//! Compresses the catalogue files into the crate.

use std::path::Path;
use std::{fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=catalog");
    for provider in fs::read_dir("catalog")?.collect::<io::Result<Vec<_>>>()? {
        if !provider.file_type()?.is_dir() {
            continue;
        }
        for file in fs::read_dir(provider.path())?.collect::<io::Result<Vec<_>>>()? {
            let name = Path::new(&provider.file_name()).join(file.file_name());
            embed::pack_file("catalog", &name.to_string_lossy())?;
        }
    }
    Ok(())
}
