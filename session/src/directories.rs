//! Directories that secchi creates for the files of a run.

use std::io;
use std::path::{Path, PathBuf};

/// Directories created for a run. They are removed again when they are empty, unless the run
/// [keeps](MadeDirectories::keep) them.
#[derive(Debug, Default)]
pub struct MadeDirectories {
    made: Vec<PathBuf>,
}

impl MadeDirectories {
    /// Creates a directory and its missing parents.
    ///
    /// # Errors
    /// If a directory cannot be created.
    pub fn make(&mut self, directory: Option<&Path>) -> io::Result<()> {
        let Some(directory) = directory.filter(|d| !d.as_os_str().is_empty() && !d.exists()) else { return Ok(()) };
        self.make(directory.parent())?;
        std::fs::create_dir(directory).map_err(|e| {
            io::Error::new(e.kind(), format!("cannot create the directory {}: {e}", directory.display()))
        })?;
        self.made.push(directory.to_owned());
        Ok(())
    }

    /// Keeps the directories and returns those that this run created.
    pub fn keep(mut self) -> Vec<PathBuf> {
        std::mem::take(&mut self.made)
    }
}

impl Drop for MadeDirectories {
    fn drop(&mut self) {
        for directory in self.made.iter().rev() {
            // This removes only empty directories.
            let _ = std::fs::remove_dir(directory);
        }
    }
}
