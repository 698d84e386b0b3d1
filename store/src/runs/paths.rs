//! Detection of paths that belong to a store. Callers use this module before they write a file.

use crate::index::index_file;
use crate::journal::head::MAGIC;
use crate::runs::labels_file;
use crate::runs::store::RUNS;
use std::path::{Path, PathBuf};

/// Returns `true` if `head`, the beginning of a file, is the beginning of a journal.
#[must_use]
pub fn is_journal(head: &[u8]) -> bool {
    head.starts_with(&MAGIC)
}

/// Returns the store that a path belongs to. Everything below its `runs` directory, its index and the files next to the
/// index belong to a store. The path need not exist; its directory must not contain links.
#[must_use]
pub fn find_store(path: &Path) -> Option<PathBuf> {
    let holds = |dir: &Path| {
        let runs = dir.join(RUNS);
        let journals = || {
            std::fs::read_dir(&runs).is_ok_and(|entries| entries.flatten().any(|e| has_journal_extension(&e.path())))
        };
        runs.is_dir() && (dir.join(index_file::FILE).exists() || journals())
    };
    let below = path.ancestors().skip(1).find(|a| a.file_name().is_some_and(|n| n == RUNS));
    let below = below.and_then(Path::parent).filter(|dir| holds(dir));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_store_file =
        name == RUNS || name.starts_with(index_file::FILE) || [index_file::LOCK, labels_file::LOCK].contains(&&*name);
    let top = path.parent().filter(|dir| is_store_file && holds(dir));
    below.or(top).map(Path::to_owned)
}

fn has_journal_extension(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "journal")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_store_holds_is_its_own_and_what_lies_beside_is_not() {
        let dir = tempfile::tempdir().expect("a directory");
        let at = |name: &str| find_store(&dir.path().join(name)).is_some();
        std::fs::create_dir(dir.path().join("runs")).expect("made");
        assert!(!at("runs/x.journal"), "any directory may be called runs");
        std::fs::write(dir.path().join("runs/a.journal"), "SECCHIJ1").expect("written");
        for name in ["runs", "runs/x.journal", "runs/deeper/x", "index.sqlite", "index.sqlite-wal", "index.lock"] {
            assert!(at(name), "{name}");
        }
        assert!(!at("page.html") && !at("runs.csv"));
    }
}
