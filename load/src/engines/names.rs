//! Creating, inspecting and removing files and directories: fio's `filecreate`, `filestat`, `filedelete`, `dircreate`,
//! `dirstat` and `dirdelete`. Every operation is one system call on the job's next name. Nothing is read or written,
//! and an operation counts as one block, as in fio. The target guard decides which names may be created or removed
//! ([`crate::target::Names`]).
//!
//! `filecreate` closes the new file within its operation; fio closes it afterwards.

use super::errno;
use super::options::Options;
use crate::engine::{Blocking, EngineEntry, Inline, OpenError, Opened, Opening, Probe, Request};
use model::Op;
use model::plan::{EngineOption, EngineQueue, EngineSpec, EngineTarget, NameWork, OptionValue, OptionWord};
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use sys::files::{Guards, OpenGuarded};

const fn entry(
    name: &'static str,
    help: &'static str,
    work: NameWork,
    open: fn(&Opening) -> Result<Opened, OpenError>,
) -> EngineEntry {
    let options: &[EngineOption] = if looks(work) { &[STAT_TYPE] } else { &[] };
    let spec = EngineSpec::new(name, help, EngineQueue::Single, EngineTarget::Names(work)).with_options(options);
    EngineEntry { probe: Probe::Own(|| Ok(())), ..EngineEntry::new(spec, open) }
}

const fn looks(work: NameWork) -> bool {
    matches!(work, NameWork::LookAtFiles | NameWork::LookAtDirectories)
}

const STAT_TYPE: EngineOption = EngineOption::new(
    "stat_type",
    OptionValue::Words(
        &[
            OptionWord { name: "stat", aliases: &["statx"], help: "stat, which follows symbolic links" },
            OptionWord::new(LINK_STAT, "lstat, which does not follow symbolic links"),
        ],
        &[],
    ),
    "stat",
    "System call to measure.",
);

const LINK_STAT: &str = "lstat";

pub(super) const FILE_CREATE: EngineEntry =
    entry("filecreate", "every operation creates a file; no data is transferred", NameWork::MakeFiles, |o| {
        open("filecreate", o, NameWork::MakeFiles)
    });
pub(super) const FILE_STAT: EngineEntry = entry(
    "filestat",
    "every operation calls stat on a file; missing files are created first",
    NameWork::LookAtFiles,
    |o| open("filestat", o, NameWork::LookAtFiles),
);
pub(super) const FILE_DELETE: EngineEntry = entry(
    "filedelete",
    "every operation removes a file that secchi created before the start",
    NameWork::RemoveFiles,
    |o| open("filedelete", o, NameWork::RemoveFiles),
);
pub(super) const DIR_CREATE: EngineEntry =
    entry("dircreate", "every operation creates a directory", NameWork::MakeDirectories, |o| {
        open("dircreate", o, NameWork::MakeDirectories)
    });
pub(super) const DIR_STAT: EngineEntry = entry(
    "dirstat",
    "every operation calls stat on a directory; missing directories are created first",
    NameWork::LookAtDirectories,
    |o| open("dirstat", o, NameWork::LookAtDirectories),
);
pub(super) const DIR_DELETE: EngineEntry = entry(
    "dirdelete",
    "every operation removes a directory that secchi created before the start",
    NameWork::RemoveDirectories,
    |o| open("dirdelete", o, NameWork::RemoveDirectories),
);

fn open(name: &'static str, opening: &Opening, work: NameWork) -> Result<Opened, OpenError> {
    let mut options = Options::new(name, opening);
    let of_links = looks(work) && options.word(&STAT_TYPE)? == LINK_STAT;
    options.finish()?;
    opening.one_at_a_time(name)?;
    if opening.names.is_empty() {
        return Err(OpenError::unsupported(name, "needs names of files or directories"));
    }
    let buffer = vec![0; opening.buffer_size];
    Ok(Opened::new(Inline::new(Names { work, of_links, names: opening.names.clone(), buffer })))
}

struct Names {
    work: NameWork,
    /// True to get the metadata of a link instead of its target.
    of_links: bool,
    names: Vec<PathBuf>,
    /// Buffer that is never used for I/O; every engine must have one.
    buffer: Vec<u8>,
}

impl Names {
    fn call(&self, name: &Path) -> io::Result<()> {
        match self.work {
            NameWork::MakeFiles => {
                let mut how = OpenOptions::new();
                // Only links are rejected; an existing file is opened, as in fio.
                how.read(true).write(true).create(true).truncate(false);
                how.open_guarded(name, Guards::NO_LINK.private()).map(drop)
            }
            NameWork::LookAtFiles | NameWork::LookAtDirectories if self.of_links => {
                fs::symlink_metadata(name).map(drop)
            }
            NameWork::LookAtFiles | NameWork::LookAtDirectories => fs::metadata(name).map(drop),
            NameWork::RemoveFiles => fs::remove_file(name),
            NameWork::MakeDirectories => sys::files::create_private_directory(name, false),
            NameWork::RemoveDirectories => fs::remove_dir(name),
        }
    }
}

impl Blocking for Names {
    fn perform(&mut self, request: &Request) -> i32 {
        if request.op == Op::Flush {
            return 0;
        }
        match self.call(&self.names[usize::from(request.file)]) {
            Ok(()) => request.len as i32,
            // Errors of the standard library itself (a NUL in a name) have no errno.
            Err(error) => errno(error),
        }
    }

    fn buffer(&mut self) -> &mut [u8] {
        &mut self.buffer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;

    fn run(entry: &EngineEntry, names: &[PathBuf]) -> Vec<i32> {
        let opening = Opening { names: names.to_vec(), depth: 1, buffer_size: 4096, ..Opening::default() };
        let mut engine: Box<dyn Engine> = (entry.open)(&opening).unwrap_or_else(|e| panic!("{e}")).engine;
        let ask = |file| Request { file, len: 4096, ..Request::default() };
        (0..names.len() as u16).map(|file| engine.single(&ask(file), &mut Vec::new()).unwrap()).collect()
    }

    /// Translates the results of [`run`] into error kinds, on any system.
    fn failed(entry: &EngineEntry, names: &[PathBuf]) -> Vec<io::ErrorKind> {
        run(entry, names).iter().map(|r| io::Error::from_raw_os_error(-r).kind()).collect()
    }

    #[test]
    fn names_are_made_looked_at_and_removed_and_what_fails_says_why() {
        let dir = tempfile::tempdir().unwrap();
        let names: Vec<PathBuf> = (0..3).map(|i| dir.path().join(format!("n{i}"))).collect();
        assert_eq!(failed(&FILE_STAT, &names), [io::ErrorKind::NotFound; 3]);
        assert_eq!(run(&FILE_CREATE, &names), [4096; 3]);
        assert!(names.iter().all(|n| n.is_file()));
        assert_eq!(run(&FILE_STAT, &names), [4096; 3]);
        assert_eq!(failed(&DIR_CREATE, &names), [io::ErrorKind::AlreadyExists; 3]);
        assert_eq!(run(&FILE_DELETE, &names), [4096; 3]);
        assert_eq!(failed(&FILE_DELETE, &names), [io::ErrorKind::NotFound; 3]);
        assert_eq!(run(&DIR_CREATE, &names), [4096; 3]);
        assert!(names.iter().all(|n| n.is_dir()));
        assert_eq!(run(&DIR_STAT, &names), [4096; 3]);
        assert_eq!(run(&DIR_DELETE, &names), [4096; 3]);
        assert!(names.iter().all(|n| !n.exists()));
    }

    #[test]
    fn a_link_is_never_opened_through() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("link");
        let Ok(()) = testkit::symlink(dir.path().join("elsewhere"), &link) else {
            testkit::skip!("no symbolic link can be made here")
        };
        let made = run(&FILE_CREATE, &[link])[0];
        assert!(sys::files::is_link_error(&io::Error::from_raw_os_error(-made)), "{made}");
        assert!(!dir.path().join("elsewhere").exists());
    }
}
