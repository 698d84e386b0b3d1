//! Fixture directories whose files are compressed individually.

use flate2::read::GzDecoder;
use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Copies the files below `from` to `into`, which is created if missing. Files named `*.gz` are decompressed and lose
/// that extension.
///
/// # Panics
/// If a file is missing, incomplete, or cannot be written.
pub fn unpack(from: &Path, into: &Path) {
    let failed = |what: &Path, e: io::Error| -> ! { panic!("{}: {e}", what.display()) };
    fs::create_dir_all(into).unwrap_or_else(|e| failed(into, e));
    for entry in fs::read_dir(from).unwrap_or_else(|e| failed(from, e)) {
        let path = entry.unwrap_or_else(|e| failed(from, e)).path();
        let to = |name: Option<&std::ffi::OsStr>| into.join(name.expect("an entry has a name"));
        if path.is_dir() {
            unpack(&path, &to(path.file_name()));
        } else if path.extension().is_some_and(|e| e == "gz") {
            let copied = File::open(&path)
                .and_then(|file| io::copy(&mut GzDecoder::new(file), &mut File::create(to(path.file_stem()))?));
            copied.unwrap_or_else(|e| failed(&path, e));
        } else {
            fs::copy(&path, to(path.file_name())).unwrap_or_else(|e| failed(&path, e));
        }
    }
}
