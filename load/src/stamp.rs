//! Preparation of buffers before writes: the interface to generators of contents.

use crate::contents::Filler;
use crate::pattern::NextIo;
use crate::verify::Checker;

/// Preparation of buffers before they are written.
pub trait Stamp: Send {
    /// True if buffers are modified at all.
    const WRITES: bool;
    /// True if data that was read may have to be verified.
    const CHECKS: bool = false;
    /// Fills the buffer once, before the load begins.
    fn fill(&mut self, buffer: &mut [u8]);
    /// Stamps the buffer for this operation.
    fn stamp(&mut self, buffer: &mut [u8], place: &NextIo);
    /// Returns the checker, for stamps with `CHECKS`.
    fn checker(&mut self) -> Option<&mut Checker> {
        None
    }
}

/// Stamp for loads that never write.
pub struct ReadOnly;

impl Stamp for ReadOnly {
    const WRITES: bool = false;
    fn fill(&mut self, _buffer: &mut [u8]) {}
    fn stamp(&mut self, _buffer: &mut [u8], _place: &NextIo) {}
}

/// Adapter from a [`Filler`] to a [`Stamp`].
pub struct Filled(pub Box<dyn Filler>);

impl Stamp for Filled {
    const WRITES: bool = true;

    fn fill(&mut self, buffer: &mut [u8]) {
        self.0.fill(buffer);
    }

    #[inline]
    fn stamp(&mut self, buffer: &mut [u8], place: &NextIo) {
        self.0.stamp(buffer, place.at, place.file);
    }
}

/// Stamp for blocks that can be verified.
pub struct Stamped(pub Checker);

impl Stamp for Stamped {
    const WRITES: bool = true;
    const CHECKS: bool = true;

    fn fill(&mut self, buffer: &mut [u8]) {
        // Touch the pages, so that they are resident when the load begins. Every write generates its own contents.
        buffer.fill(0);
    }

    fn stamp(&mut self, buffer: &mut [u8], place: &NextIo) {
        self.0.make(buffer, place);
    }

    fn checker(&mut self) -> Option<&mut Checker> {
        Some(&mut self.0)
    }
}
