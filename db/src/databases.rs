//! Opening and removal of databases: the functions of [`Marker`] that need the table of engines.

use crate::engines::find_engine;
use crate::marker::OwnsEntry;
use crate::{DbError, Marker};
use std::path::Path;

fn find_owns(engine: &str) -> Result<OwnsEntry, DbError> {
    find_engine(engine).map(|entry| entry.owns)
}

impl Marker {
    /// Verifies every directory of a database, checks that no entry leads outside the database, and returns the marker.
    /// Afterwards, files in these directories may be opened.
    ///
    /// # Errors
    /// Returns an error in the cases listed at [`Marker::read_proven`], and if the engine is unknown. Also returns an
    /// error if a directory or file was not created for this database; the error names it.
    pub fn open(directory: &Path) -> Result<Marker, DbError> {
        Marker::open_with(directory, find_owns)
    }

    /// Turns a copy into a separate database with a new identity. Nothing is written until [`Marker::adopt`] is called.
    ///
    /// # Errors
    /// Returns an error if the directory is not a copy, or if parts of it belong to the original.
    pub fn from_copy(directory: &Path) -> Result<Marker, DbError> {
        Marker::from_copy_with(directory, find_owns)
    }

    /// Removes everything that secchi created: the contents of every directory of the database, these directories, the
    /// marker, and the directory of the marker. A directory that holds anything else is kept. Returns one sentence for
    /// each entry that was not removed. If an entry remains, the marker is kept, too, so that the purge can be
    /// repeated. The directories must have been verified by [`Marker::open_to_purge`].
    ///
    /// # Errors
    /// Returns an error if something cannot be removed.
    pub fn purge(&mut self, directory: &Path) -> Result<Vec<String>, DbError> {
        self.purge_with(directory, find_owns)
    }
}
