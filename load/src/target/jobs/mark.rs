//! Mark on files created by secchi: an extended attribute, which is set before the file gets its name.
//!
//! The mark contains the inode number, so that a copy is not mistaken for the file. It also contains the size and
//! modification time at the end of the last run. If another process has written the file since then (`cp` onto the file
//! keeps its inode and attributes), the file counts as a user's file again. While a run may write the file, the mark
//! records only that the file is in use, because the last writer would be unknown after a crash.

use super::super::sidecar::Provenance;
use std::fs::File;
use std::io;
use sys::files::{Metadata, MetadataExt};
use uuid::Uuid;

/// Name of the attribute.
const NAME: &str = "user.secchi";
const FIRST_LINE: &str = "secchi mark 1";
const IN_USE: &str = "in use";

/// Contents of a file's mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    pub uuid: u128,
    pub ino: u64,
    pub tool: String,
    pub created: String,
    /// Size, and modification time in seconds and nanoseconds, after the last run; `None` while a run may write the
    /// file.
    pub left: Option<(u64, i64, i64)>,
}

/// Owner of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    Ours(Mark),
    /// Another program created the file. Holds the reason, worded as the rest of a sentence about the file.
    Foreign(&'static str),
}

impl Mark {
    pub(super) fn new(uuid: u128, ino: u64, made: &Provenance) -> Mark {
        let clean = |text: &str| text.chars().filter(|c| !c.is_control()).take(200).collect();
        Mark { uuid, ino, tool: clean(&made.tool), created: clean(&made.created), left: None }
    }

    fn encode(&self) -> String {
        let left = match self.left {
            Some((size, secs, nanos)) => format!("{size} {secs} {nanos}"),
            None => IN_USE.to_owned(),
        };
        let uuid = Uuid::from_u128(self.uuid);
        format!("{FIRST_LINE}\n{uuid}\n{}\n{}\n{}\n{left}\n", self.ino, self.tool, self.created)
    }

    fn parse(value: &[u8]) -> Option<Mark> {
        let text = std::str::from_utf8(value).ok()?;
        let mut lines = text.lines();
        (lines.next()? == FIRST_LINE).then_some(())?;
        let uuid = Uuid::try_parse(lines.next()?).ok()?.as_u128();
        let ino = lines.next()?.parse().ok()?;
        let (tool, created) = (lines.next()?.to_owned(), lines.next()?.to_owned());
        let left = match lines.next()? {
            IN_USE => None,
            state => {
                let mut fields = state.split(' ');
                let left = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
                Some(left)
            }
        };
        Some(Mark { uuid, ino, tool, created, left })
    }

    /// Marks the file as writable by a run. Returns `false` if the file system does not support marks.
    pub(super) fn open(&mut self, file: &File) -> io::Result<bool> {
        self.left = None;
        sys::files::write_attribute(file, NAME, self.encode().as_bytes())
    }

    /// Marks the file with its current size and time, because this run no longer writes it.
    pub(super) fn seal(&mut self, file: &File) -> io::Result<bool> {
        let meta = sys::files::file_metadata(file)?;
        self.left = Some((meta.len(), meta.mtime(), meta.mtime_nsec()));
        sys::files::write_attribute(file, NAME, self.encode().as_bytes())
    }
}

/// Returns the owner of an open file.
pub(super) fn origin(file: &File, meta: &Metadata) -> io::Result<Origin> {
    let Some(value) = sys::files::read_attribute(file, NAME)? else {
        return Ok(Origin::Foreign("secchi did not create it"));
    };
    let Some(mark) = Mark::parse(&value) else { return Ok(Origin::Foreign("its mark is not secchi's")) };
    if mark.ino != meta.ino() {
        return Ok(Origin::Foreign("it is a copy of a file that secchi created"));
    }
    match mark.left {
        None => Ok(Origin::Foreign(
            "secchi created it, but the run that wrote it was killed, so it may have been changed since",
        )),
        Some(left) if left != (meta.len(), meta.mtime(), meta.mtime_nsec()) => {
            Ok(Origin::Foreign("secchi created it, but it was changed since"))
        }
        Some(_) if meta.nlink() != 1 => {
            Ok(Origin::Foreign("secchi created it, but it now has a second name (hard link)"))
        }
        Some(_) => Ok(Origin::Ours(mark)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sys::files::FileExt;

    fn made() -> Provenance {
        Provenance { tool: "secchi 0.1".into(), created: "2026-11-21T10:00:00Z".into(), ..Provenance::default() }
    }

    #[test]
    fn a_file_is_ours_only_as_the_last_run_left_it() {
        let dir = tempfile::tempdir_in(".").unwrap();
        let path = dir.path().join("file");
        let file = File::create_new(&path).unwrap();
        let whose = || {
            let file = File::open(&path).unwrap();
            origin(&file, &sys::files::file_metadata(&file).unwrap()).unwrap()
        };
        assert!(matches!(whose(), Origin::Foreign(reason) if reason == "secchi did not create it"));
        let mut mark = Mark::new(7, sys::files::file_metadata(&file).unwrap().ino(), &made());
        if !mark.open(&file).unwrap() {
            testkit::skipped("no extended attributes on this file system");
            return;
        }
        assert!(matches!(whose(), Origin::Foreign(reason) if reason.contains("killed")));
        file.write_all_at(b"load", 0).unwrap();
        mark.seal(&file).unwrap();
        assert_eq!(whose(), Origin::Ours(mark.clone()));
        // Simulates `cp` onto the file: same inode and attributes, other data.
        std::fs::write(&path, b"mine").unwrap();
        assert!(matches!(whose(), Origin::Foreign(reason) if reason.contains("changed")));
        mark.seal(&file).unwrap();
        std::fs::hard_link(&path, dir.path().join("second")).unwrap();
        assert!(matches!(whose(), Origin::Foreign(reason) if reason.contains("second name")));
        std::fs::remove_file(dir.path().join("second")).unwrap();
        assert!(matches!(whose(), Origin::Ours(_)));
        // The file is replaced by another one with a copy of the mark.
        let other = File::create_new(dir.path().join("other")).unwrap();
        sys::files::write_attribute(&other, NAME, mark.encode().as_bytes()).unwrap();
        std::fs::rename(dir.path().join("other"), &path).unwrap();
        assert!(matches!(whose(), Origin::Foreign(reason) if reason.contains("copy")));
    }

    proptest! {
        #[test]
        fn a_mark_reads_back_and_noise_is_no_mark(
            uuid: u128, ino: u64, left: Option<(u64, i64, i64)>, tool in "\\PC{0,40}", noise: Vec<u8>,
        ) {
            let made = Provenance { tool, ..made() };
            let mark = Mark { left, ..Mark::new(uuid, ino, &made) };
            prop_assert_eq!(Mark::parse(mark.encode().as_bytes()), Some(mark));
            prop_assert_eq!(Mark::parse(&noise), None);
        }
    }
}
