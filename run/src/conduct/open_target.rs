//! Interface to a target, so that a run can be tested without a disk.

use load::target::{TargetError, TestTarget};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// Target that was inspected, opened and locked.
pub trait OpenTarget {
    /// Returns the file for a load, opened with or without direct I/O, for reading or also for writing.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened or is not the one that was inspected.
    fn file(&self, direct: bool, write: bool) -> io::Result<Arc<File>>;

    /// Returns the byte ranges of the test area that are not filled yet.
    fn unfilled(&self) -> Vec<Range<u64>>;

    /// Records that a range was filled and made durable.
    ///
    /// # Errors
    /// Returns an error if the record cannot be stored. A later run will then fill the range again.
    fn filled(&mut self, range: Range<u64>) -> io::Result<()>;

    /// Checks that enough space stays free for other users.
    ///
    /// # Errors
    /// Returns a [`TargetError`] with the figures if there is too little space.
    fn room(&self) -> Result<(), TargetError>;

    /// Checks that the target exists and has its original size.
    ///
    /// # Errors
    /// Returns a [`TargetError`] that describes the change.
    fn present(&self) -> Result<(), TargetError>;
}

impl OpenTarget for TestTarget {
    fn file(&self, direct: bool, write: bool) -> io::Result<Arc<File>> {
        TestTarget::file(self, direct, write).map_err(io::Error::other)
    }

    fn unfilled(&self) -> Vec<Range<u64>> {
        TestTarget::unfilled(self)
    }

    fn filled(&mut self, range: Range<u64>) -> io::Result<()> {
        self.mark_filled(range);
        self.save_sidecar().map_err(io::Error::other)
    }

    fn room(&self) -> Result<(), TargetError> {
        self.free_space_ok()
    }

    fn present(&self) -> Result<(), TargetError> {
        self.still_there()
    }
}
