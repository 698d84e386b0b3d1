//! Stubs of queues: secchi does not measure on macOS, and creating any of them returns an error.

use super::unmeasured;
use crate::common::{Advice, Call, Reaped, Submission};
use std::convert::Infallible;
use std::fs::File;
use std::io;

/// Queue for many writes in flight: cannot be created on macOS.
pub use crate::absent::queues::AioQueue as DeepQueue;
pub use crate::absent::queues::{
    AioQueue, ForcedUnitAccess, GatheringQueue, NfsOpen, NfsQueue, NvmeQueue, RbdImage, RbdQueue, ScsiQueue,
    UringOptions, UringQueue, nfs_library, nfs_size, rbd_library, rbd_size, scsi_disk,
};

/// Returns an error: secchi does not measure on macOS.
///
/// # Errors
/// Always; [`crate::instead_of`] returns the alternative.
pub fn can_measure() -> io::Result<()> {
    Err(unmeasured())
}

/// Open files that a queue works on: cannot be created on macOS.
#[derive(Debug, Clone)]
pub struct FileSet {
    none: Infallible,
}

impl FileSet {
    /// Returns an error: secchi does not measure on macOS.
    ///
    /// # Errors
    /// Always.
    pub fn new(_files: Vec<File>) -> io::Result<Self> {
        Err(unmeasured())
    }

    /// See [`FileSet`].
    ///
    /// # Errors
    /// None: there is no such set.
    pub fn for_another_thread(&self) -> io::Result<Self> {
        match self.none {}
    }

    /// See [`FileSet`].
    #[must_use]
    pub fn files(&self) -> &[File] {
        match self.none {}
    }

    /// See [`FileSet`].
    pub fn reserve(&self, _file: u16, _at: u64, _len: u32, _keep_size: bool) -> i32 {
        match self.none {}
    }

    /// See [`FileSet`].
    pub fn discard(&self, _file: u16, _at: u64, _len: u32) -> i32 {
        match self.none {}
    }
}

/// Zeroed counters: cannot be created on macOS.
#[derive(Debug)]
pub struct Counters {
    none: Infallible,
}

impl Counters {
    /// Returns an error: secchi does not measure on macOS.
    ///
    /// # Errors
    /// Always.
    pub fn new(_len: usize) -> io::Result<Self> {
        Err(unmeasured())
    }
}

impl std::ops::Deref for Counters {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        match self.none {}
    }
}

impl std::ops::DerefMut for Counters {
    fn deref_mut(&mut self) -> &mut [u32] {
        match self.none {}
    }
}

/// Blocking reads and writes: cannot be created on macOS.
#[derive(Debug)]
pub struct BlockingQueue {
    none: Infallible,
}

impl BlockingQueue {
    /// Returns an error: secchi does not measure on macOS.
    ///
    /// # Errors
    /// Always.
    pub fn new(_files: FileSet, _call: Call, _buffer_size: usize) -> io::Result<Self> {
        Err(unmeasured())
    }

    /// See [`BlockingQueue`].
    pub fn buffer(&mut self) -> &mut [u8] {
        match self.none {}
    }

    /// See [`BlockingQueue`].
    pub fn perform(&mut self, _submission: &Submission) -> Reaped {
        match self.none {}
    }
}

/// Mapped files: cannot be created on macOS.
#[derive(Debug)]
pub struct MappedQueue {
    none: Infallible,
}

impl MappedQueue {
    /// Returns an error: secchi does not measure on macOS.
    ///
    /// # Errors
    /// Always.
    pub fn new(
        _files: FileSet,
        _lens: &[u64],
        _writable: bool,
        _advice: Advice,
        _buffer_size: usize,
    ) -> io::Result<Self> {
        Err(unmeasured())
    }

    /// See [`MappedQueue`].
    #[must_use]
    pub fn notes(&self) -> &[String] {
        match self.none {}
    }

    /// See [`MappedQueue`].
    pub fn buffer(&mut self) -> &mut [u8] {
        match self.none {}
    }

    /// See [`MappedQueue`].
    pub fn perform(&mut self, _submission: &Submission) -> Reaped {
        match self.none {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_measured_and_what_to_do_is_told() {
        let error = can_measure().unwrap_err();
        assert_eq!(error.to_string(), "secchi does not measure on macOS");
        assert_eq!(crate::instead_of(&error), Some("measure on Linux or Windows"));
        assert!(FileSet::new(Vec::new()).is_err() && Counters::new(1).is_err());
    }
}
