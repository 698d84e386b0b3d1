//! What the conductor needs of a target: a seam, so that a run can be tested without a disk.

use load::target::{TargetError, TestTarget};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// A target that was inspected, opened and locked.
pub trait OpenTarget {
    /// The file for a load, opened around the page cache or through it, for reading or also for writing.
    ///
    /// # Errors
    /// When it cannot be opened, or is no longer what was inspected.
    fn file(&self, direct: bool, write: bool) -> io::Result<Arc<File>>;

    /// Byte ranges of the test area that hold nothing of ours yet.
    fn unfilled(&self) -> Vec<Range<u64>>;

    /// Takes note that a range was filled and made durable.
    ///
    /// # Errors
    /// When the note cannot be kept; a later run will fill again.
    fn filled(&mut self, range: Range<u64>) -> io::Result<()>;

    /// Whether enough space stays free for others.
    ///
    /// # Errors
    /// [`TargetError`] with the figures, when not.
    fn room(&self) -> Result<(), TargetError>;

    /// Whether the target is there, and as large as it was.
    ///
    /// # Errors
    /// [`TargetError`] saying what happened to it.
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

/// No target at all: for loads on the null engine.
#[derive(Debug, Default)]
pub struct NullTarget;

impl OpenTarget for NullTarget {
    fn file(&self, _direct: bool, _write: bool) -> io::Result<Arc<File>> {
        File::open("/dev/null").map(Arc::new)
    }

    fn unfilled(&self) -> Vec<Range<u64>> {
        Vec::new()
    }

    fn filled(&mut self, _range: Range<u64>) -> io::Result<()> {
        Ok(())
    }

    fn room(&self) -> Result<(), TargetError> {
        Ok(())
    }

    fn present(&self) -> Result<(), TargetError> {
        Ok(())
    }
}
