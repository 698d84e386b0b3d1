//! Opening and removal of databases: the functions of [`Marker`] that need the table of engines.

use crate::engines::find_engine;
use crate::marker::{check_entries, read_stamp, remove_owned};
use crate::{DbError, DirectoryIdentity, MARKER, Marker};
use std::fs;
use std::path::Path;

impl Marker {
    /// Verifies every directory of a database, checks that no entry leads outside the database, and returns the marker.
    /// Afterwards, files in these directories may be opened.
    ///
    /// # Errors
    /// Returns an error in the cases listed at [`Marker::read_proven`], and if the engine is unknown. Also returns an
    /// error if a directory or file was not created for this database; the error names it.
    pub fn open(directory: &Path) -> Result<Marker, DbError> {
        let (marker, home) = Marker::read(directory)?;
        marker.prove_home(&home)?;
        if marker.purged {
            return Err(DbError::refused(
                directory.display().to_string(),
                "a purge was started, so it can no longer be used",
                format!("run `secchi db purge {}` to remove the rest", directory.display()),
            ));
        }
        marker.prove_directories(&home, false)?;
        check_entries(&marker, find_engine(&marker.engine)?.owns)?;
        Ok(marker)
    }

    /// Turns a copy into a separate database with a new identity. Nothing is written until [`Marker::adopt`] is called.
    ///
    /// # Errors
    /// Returns an error if the directory is not a copy, or if parts of it belong to the original.
    pub fn from_copy(directory: &Path) -> Result<Marker, DbError> {
        let (mut marker, home) = Marker::read(directory)?;
        let place = || home.display().to_string();
        if marker.prove_home(&home).is_ok() && marker.prove_directories(&home, false).is_ok() {
            return Err(DbError::refused(
                place(),
                "it is the original database, not a copy",
                "there is nothing to adopt",
            ));
        }
        let was = marker.home.as_ref().map_or_else(|| home.clone(), |was| was.path.clone());
        if marker.url.is_some() || !marker.directories.outside(&home).is_empty() {
            return Err(marker.refuse_copy(&home, &was));
        }
        if marker.purged {
            return Err(DbError::refused(place(), "a purge was started", "it can no longer be used"));
        }
        for dir in marker.directories.all() {
            let is_known = |uuid| uuid == marker.uuid || Some(uuid) == marker.copied_from;
            let plain =
                DirectoryIdentity::of_directory(dir)?.is_some() && sys::files::canonical(dir).is_ok_and(|c| c == **dir);
            if !plain || !read_stamp(dir).is_some_and(|stamp| is_known(stamp.uuid)) {
                return Err(DbError::refused(
                    dir.display().to_string(),
                    "it is not a copy of a directory of this database",
                    "nothing in it was opened; copy the complete directory again",
                ));
            }
        }
        check_entries(&marker, find_engine(&marker.engine)?.owns)?;
        marker.copied_from = Some(marker.uuid);
        marker.uuid = uuid::Uuid::new_v4();
        Ok(marker)
    }

    /// Removes everything that secchi created: the contents of every directory of the database, these directories, the
    /// marker, and the directory of the marker. A directory that holds anything else is kept. Returns one sentence for
    /// each entry that was not removed. If an entry remains, the marker is kept, too, so that the purge can be
    /// repeated. The directories must have been verified by [`Marker::open_to_purge`].
    ///
    /// # Errors
    /// Returns an error if something cannot be removed.
    pub fn purge(&mut self, directory: &Path) -> Result<Vec<String>, DbError> {
        let mut left = Vec::new();
        if !self.purged {
            self.purged = true;
            self.save(directory)?;
        }
        for dir in self.directories.all() {
            match DirectoryIdentity::of_directory(dir) {
                Ok(None) => {}
                Ok(Some(_)) if read_stamp(dir).is_some_and(|stamp| stamp.uuid == self.uuid) => {
                    remove_owned(self, find_engine(&self.engine)?.owns, dir, &mut left)?;
                }
                // A directory without a stamp results from an interrupted setup, so it is empty.
                Ok(Some(_)) => {
                    if fs::remove_dir(dir).is_err() {
                        left.push(format!(
                            "{} does not have the stamp of this database and was not removed",
                            dir.display()
                        ));
                    }
                }
                Err(_) => left.push(format!("{} is no longer a directory and was not removed", dir.display())),
            }
        }
        if left.is_empty() {
            let path = directory.join(MARKER);
            fs::remove_file(&path).map_err(DbError::io("remove", path))?;
            if let Err(e) = fs::remove_dir(directory) {
                left.push(format!("cannot remove {}: {e}", directory.display()));
            }
        }
        Ok(left)
    }
}
