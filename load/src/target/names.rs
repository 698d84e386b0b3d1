//! Names that jobs make, look at or remove (fio's engines of files and directories), and the guard in front of them.
//!
//! Made is only what is not there. Removed is only what this run made, or what fio and we make under a job's default name:
//! whatever else stands at such a name is somebody's, and refused before anything is done.

use crate::target::error::{TargetError, failed, printable, refused};
use crate::target::jobs::{is_ours, stands};
use model::NameWork;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use sys::{Guards, OpenGuarded};

/// A name a job works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameRequest {
    /// The name.
    pub path: PathBuf,
    /// What is done with it.
    pub work: NameWork,
    /// Made of the job's name by the rule all fio programs have, so that what stands there was made by one.
    pub default_name: bool,
    /// What was made is removed after the run.
    pub unlink: bool,
}

/// The names of a run.
#[derive(Debug, Default)]
pub struct Names {
    all: Vec<Name>,
}

#[derive(Debug)]
struct Name {
    request: NameRequest,
    /// Nothing stood there when the run began.
    missing: bool,
}

impl Names {
    /// Looks at all of them and changes nothing.
    ///
    /// # Errors
    /// [`TargetError`]: a name leads through a link, or what stands there may not be removed.
    pub fn inspect(requests: Vec<NameRequest>) -> Result<Names, TargetError> {
        let look = |request: NameRequest| {
            let there = stands(&request.path)?;
            // The system itself removes no directory that holds something.
            let may_go = request.default_name || !request.work.is_of_directories() && is_ours(&request.path);
            if there.is_some() && request.work.removes() && !may_go {
                return Err(refused(
                    format!("removing {}", printable(&request.path)),
                    "what stands there is not secchi's",
                    "give a name that does not exist: it is made first",
                ));
            }
            Ok(Name { missing: there.is_none(), request })
        };
        Ok(Names { all: requests.into_iter().map(look).collect::<Result<_, _>>()? })
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Makes what has to be there before the load: empty files, and directories.
    ///
    /// # Errors
    /// [`TargetError`] when one cannot be made.
    pub fn make(&self) -> Result<(), TargetError> {
        for name in self.all.iter().filter(|n| n.missing && !n.request.work.makes()) {
            let path = &name.request.path;
            let made = if name.request.work.is_of_directories() {
                sys::create_private_directory(path, false)
            } else {
                new_file(path).map(drop)
            };
            match made {
                // Another job of this run has made it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => made.map_err(|e| failed(format!("make {}", printable(path)), &e))?,
            }
        }
        Ok(())
    }

    /// Removes what this run made of the names that are not to stay; directories only if they are empty.
    ///
    /// # Errors
    /// The first that could not be removed.
    pub fn remove(&self) -> io::Result<()> {
        let mut outcome = Ok(());
        for name in self.all.iter().filter(|n| n.missing && n.request.unlink) {
            let path = &name.request.path;
            let removed = if name.request.work.is_of_directories() {
                std::fs::remove_dir(path)
            } else {
                std::fs::remove_file(path)
            };
            match removed {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) if outcome.is_ok() => outcome = Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        outcome
    }
}

fn new_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open_guarded(path, Guards::default().private())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(path: &Path, work: NameWork) -> NameRequest {
        NameRequest { path: path.to_owned(), work, default_name: false, unlink: false }
    }

    #[test]
    fn what_is_somebodys_is_never_removed() {
        let dir = tempfile::tempdir().unwrap();
        let (file, folder) = (dir.path().join("file"), dir.path().join("folder"));
        std::fs::write(&file, "precious").unwrap();
        std::fs::create_dir(&folder).unwrap();
        for (path, work) in [(&file, NameWork::RemoveFiles), (&folder, NameWork::RemoveDirectories)] {
            let error = Names::inspect(vec![ask(path, work)]).unwrap_err().to_string();
            assert!(error.contains("not secchi's"), "{error}");
            let by_default_name = NameRequest { default_name: true, ..ask(path, work) };
            assert!(Names::inspect(vec![by_default_name]).is_ok(), "fio's own name, and fio would");
        }
        for work in [NameWork::MakeFiles, NameWork::LookAtFiles] {
            let names = Names::inspect(vec![NameRequest { unlink: true, ..ask(&file, work) }]).unwrap();
            names.make().unwrap();
            names.remove().unwrap();
            assert_eq!(std::fs::read_to_string(&file).unwrap(), "precious");
        }
    }

    #[test]
    fn what_is_looked_at_is_made_before_and_goes_if_it_is_to_go() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new");
        for work in [NameWork::LookAtFiles, NameWork::RemoveDirectories, NameWork::LookAtDirectories] {
            let names = Names::inspect(vec![NameRequest { unlink: true, ..ask(&path, work) }; 2]).unwrap();
            assert!(!path.exists());
            names.make().unwrap();
            assert!(path.exists());
            names.remove().unwrap();
            assert!(!path.exists());
        }
    }
}
