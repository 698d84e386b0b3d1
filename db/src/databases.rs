//! Opening and removing databases: what of it needs to know the files of their engines.

use crate::engines::find_engine;
use crate::marker::OwnsEntry;
use crate::{DbError, Marker};
use std::path::Path;

fn find_owns(engine: &str) -> Result<OwnsEntry, DbError> {
    find_engine(engine).map(|entry| entry.owns)
}

impl Marker {
    /// The marker of a directory with every directory of the database proven, and nothing in them that leads elsewhere: files in
    /// them may be opened.
    ///
    /// # Errors
    /// As [`Marker::read_proven`], naming the directory or file that is not what was made, and where there is no such engine.
    pub fn open(directory: &Path) -> Result<Marker, DbError> {
        Marker::open_with(directory, find_owns)
    }

    /// A copy as a database of its own, with a new identity; nothing is written yet ([`Marker::adopt`] does).
    ///
    /// # Errors
    /// When it is no copy, or parts of it are the original's.
    pub fn from_copy(directory: &Path) -> Result<Marker, DbError> {
        Marker::from_copy_with(directory, find_owns)
    }

    /// Removes what is ours from every directory of the database, then these, the marker, and the directory it lies in, as far as
    /// nothing else is in them. Returns what was left, one sentence each; then the marker stays, and it can be repeated. The
    /// directories must be proven ([`Marker::open_to_purge`]).
    ///
    /// # Errors
    /// When something cannot be removed.
    pub fn purge(&mut self, directory: &Path) -> Result<Vec<String>, DbError> {
        self.purge_with(directory, find_owns)
    }
}
