//! Directories that a run makes for its files.

use std::io;
use std::path::{Path, PathBuf};

/// Directories made for a run. They are taken away again, where they are empty, unless the run [keeps](MadeDirectories::keep) them.
#[derive(Debug, Default)]
pub struct MadeDirectories {
    made: Vec<PathBuf>,
}

impl MadeDirectories {
    /// Makes a directory, and those it is in, where they are missing.
    ///
    /// # Errors
    /// When one cannot be made.
    pub fn make(&mut self, directory: Option<&Path>) -> io::Result<()> {
        let Some(directory) = directory.filter(|d| !d.as_os_str().is_empty() && !d.exists()) else { return Ok(()) };
        self.make(directory.parent())?;
        std::fs::create_dir(directory)
            .map_err(|e| io::Error::new(e.kind(), format!("cannot make the directory {}: {e}", directory.display())))?;
        self.made.push(directory.to_owned());
        Ok(())
    }

    /// The run goes on with them; what was made.
    pub fn keep(mut self) -> Vec<PathBuf> {
        std::mem::take(&mut self.made)
    }
}

impl Drop for MadeDirectories {
    fn drop(&mut self) {
        for directory in self.made.iter().rev() {
            // Only an empty one goes.
            let _ = std::fs::remove_dir(directory);
        }
    }
}
