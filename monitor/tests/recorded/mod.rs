//! Machines recorded as text, unpacked into a directory.
//!
//! Each machine is one file, with one line for each file of its `/proc` and `/sys`: `path = line`, `path := hex bytes`,
//! `path -> link`, `path/` for an empty directory, and `path:` followed by indented lines.

use monitor::Roots;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use testkit::symlink;

/// Unpacked machine; its directory is removed on drop.
pub struct Machine {
    _dir: TempDir,
    /// Root directories of its trees.
    pub roots: Roots,
}

impl Machine {
    /// Unpacks `tests/fixtures/NAME.txt`.
    pub fn unpack(name: &str) -> Machine {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(format!("{name}.txt"));
        let text = fs::read_to_string(&file).expect("the fixture is there");
        let dir = tempfile::tempdir().expect("a temporary directory");
        let mut lines = text.lines().filter(|l| !l.starts_with('#')).peekable();
        while let Some(line) = lines.next() {
            let at = |path: &str| made(dir.path(), path);
            if let Some((path, target)) = line.split_once(" -> ") {
                symlink(target, at(path)).expect("a link once");
            } else if let Some((path, hex)) = line.split_once(" := ") {
                let bytes = hex.split(' ').map(|h| u8::from_str_radix(h, 16).expect("hex")).collect::<Vec<u8>>();
                fs::write(at(path), bytes).expect("writable");
            } else if let Some((path, value)) = line.split_once(" = ") {
                fs::write(at(path), format!("{value}\n")).expect("writable");
            } else if let Some(path) = line.strip_suffix('/') {
                fs::create_dir_all(at(path)).expect("writable");
            } else if let Some(path) = line.strip_suffix(':') {
                let mut value = String::new();
                while let Some(more) = lines.next_if(|l| l.starts_with('\t')) {
                    value.push_str(&more[1..]);
                    value.push('\n');
                }
                fs::write(at(path), value).expect("writable");
            } else {
                panic!("{}: cannot read `{line}`", file.display());
            }
        }
        Machine { roots: Roots::under(dir.path()), _dir: dir }
    }
}

/// Returns the location of a path in the directory and creates its parent directory.
fn made(dir: &Path, path: &str) -> PathBuf {
    let place = dir.join(path);
    fs::create_dir_all(place.parent().expect("it has a parent")).expect("writable");
    place
}
