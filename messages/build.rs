//! Makes one compressed text of each language's files.

use std::path::{Path, PathBuf};
use std::{fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=catalogues");
    for language in ["en", "ja", "zh", "ru"] {
        let mut files = fs::read_dir(Path::new("catalogues").join(language))?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<io::Result<Vec<PathBuf>>>()?;
        // Directories have no order of their own, and the same sources are to make the same program.
        files.sort();
        let mut text = Vec::new();
        for file in files {
            text.extend(fs::read(file)?);
            text.push(b'\n');
        }
        embed::write_packed(&format!("{language}.ftl"), &text)?;
    }
    Ok(())
}
