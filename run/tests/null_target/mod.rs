//! Target for tests with the null engine.

use load::target::TargetError;
use run::OpenTarget;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// Placeholder target for loads on the null engine, which have no real target.
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
