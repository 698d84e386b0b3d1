//! Names that jobs create, inspect or remove (fio's engines for files and directories), and the guard that protects
//! them.
//!
//! Only missing names are created. Only names that this run created, or that fio and secchi create under a job's
//! default name, are removed. Any other existing name belongs to a user: if it would have to be removed, the run is
//! rejected before anything is done.

use crate::target::error::{TargetError, failed, printable, refused};
use crate::target::jobs::{is_ours, stands};
use model::plan::NameWork;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use sys::files::{Guards, OpenGuarded};

/// Name that a job creates, inspects or removes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameRequest {
    /// Path of the file or directory.
    pub path: PathBuf,
    /// Operation on the name.
    pub work: NameWork,
    /// True for fio's default name, which is derived from the job's name. An existing file of that name was created by
    /// fio or secchi.
    pub default_name: bool,
    /// True if a created name is removed after the run.
    pub unlink: bool,
}

/// Names of a run.
#[derive(Debug, Default)]
pub struct Names {
    all: Vec<Name>,
}

#[derive(Debug)]
struct Name {
    request: NameRequest,
    /// True if the name did not exist when the run began.
    missing: bool,
}

impl Names {
    /// Inspects all names and changes nothing.
    ///
    /// # Errors
    /// Returns a [`TargetError`] if a path contains a link, or if an existing object must not be removed.
    pub fn inspect(requests: Vec<NameRequest>) -> Result<Names, TargetError> {
        let inspect = |request: NameRequest| {
            let existing = stands(&request.path)?;
            // The operating system itself refuses to remove directories that are not empty.
            let may_go = request.default_name || !request.work.is_of_directories() && is_ours(&request.path);
            if existing.is_some() && request.work.removes() && !may_go {
                return Err(refused(
                    format!("removing {}", printable(&request.path)),
                    "the existing file was not created by secchi",
                    "use a name that does not exist: secchi creates it first",
                ));
            }
            Ok(Name { missing: existing.is_none(), request })
        };
        Ok(Names { all: requests.into_iter().map(inspect).collect::<Result<_, _>>()? })
    }

    /// Creates the (empty) files and the directories that must exist before the load.
    ///
    /// # Errors
    /// Returns a [`TargetError`] if a file or directory cannot be created.
    pub fn make(&self) -> Result<(), TargetError> {
        for name in self.all.iter().filter(|n| n.missing && !n.request.work.makes()) {
            let path = &name.request.path;
            let made = if name.request.work.is_of_directories() {
                sys::files::create_private_directory(path, false)
            } else {
                new_file(path).map(drop)
            };
            match made {
                // Another job of this run has already created it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => made.map_err(|e| failed(format!("make {}", printable(path)), &e))?,
            }
        }
        Ok(())
    }

    /// Removes the names that this run created and that should not be kept. Directories are removed only if they are
    /// empty.
    ///
    /// # Errors
    /// Returns the first error; the remaining names are still processed.
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
            assert!(error.contains("was not created by secchi"), "{error}");
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
