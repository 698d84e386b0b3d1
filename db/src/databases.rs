//! Opening and removal of databases: the functions of [`Marker`] that need the table of engines.

use crate::engines::find_engine;
use crate::marker::OwnsEntry;
use crate::{DbError, Marker};
use std::path::Path;

fn find_owns(engine: &str) -> Result<OwnsEntry, DbError> {
    find_engine(engine).map(|entry| entry.owns)
}

impl Marker {
    /// Returns the marker of a directory. Before that, verifies every directory of the database and checks that no
    /// entry leads elsewhere. Afterwards, files in these directories may be opened.
    ///
    /// # Errors
    /// Returns the errors of [`Marker::read_proven`], an error that names a directory or file that was not created for
    /// this database, and an error if the engine is unknown.
    pub fn open(directory: &Path) -> Result<Marker, DbError> {
        Marker::open_with(directory, find_owns)
    }

    /// Turns a copy into a separate database with a new identity. Nothing is written until [`Marker::adopt`].
    ///
    /// # Errors
    /// Returns an error if the directory is not a copy, or if parts of it belong to the original.
    pub fn from_copy(directory: &Path) -> Result<Marker, DbError> {
        Marker::from_copy_with(directory, find_owns)
    }

    /// Removes everything that secchi created: the contents of every directory of the database, these directories, the
    /// marker, and the directory of the marker. A directory that holds anything else is kept. Returns one sentence for
    /// each entry that was left. If any were left, the marker stays, and the purge can be repeated. The directories
    /// must have been verified by [`Marker::open_to_purge`].
    ///
    /// # Errors
    /// Returns an error if something cannot be removed.
    pub fn purge(&mut self, directory: &Path) -> Result<Vec<String>, DbError> {
        self.purge_with(directory, find_owns)
    }
}
