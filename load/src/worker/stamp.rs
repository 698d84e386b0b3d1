//! What is done to a buffer before it is written: the seam to the contents.

use crate::contents::Filler;
use crate::pattern::NextIo;
use crate::verify::Checker;

/// What is done to a buffer before it is written.
pub trait Stamp: Send {
    /// Whether buffers are touched at all.
    const WRITES: bool;
    /// Whether what is read may have to be checked.
    const CHECKS: bool = false;
    /// Fills the buffer once, before the load begins.
    fn fill(&mut self, buffer: &mut [u8]);
    /// Makes the block this place's own.
    fn stamp(&mut self, buffer: &mut [u8], place: &NextIo);
    /// The checking side of stamps with `CHECKS`.
    fn checker(&mut self) -> Option<&mut Checker> {
        None
    }
}

/// For loads that never write.
pub struct ReadOnly;

impl Stamp for ReadOnly {
    const WRITES: bool = false;
    fn fill(&mut self, _buffer: &mut [u8]) {}
    fn stamp(&mut self, _buffer: &mut [u8], _place: &NextIo) {}
}

/// Any [`Filler`] as a [`Stamp`].
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

/// Blocks that can be checked, as a [`Stamp`].
pub struct Stamped(pub Checker);

impl Stamp for Stamped {
    const WRITES: bool = true;
    const CHECKS: bool = true;

    fn fill(&mut self, buffer: &mut [u8]) {
        // Touched, so that no page is missing when the load begins; every write makes its own.
        buffer.fill(0);
    }

    fn stamp(&mut self, buffer: &mut [u8], place: &NextIo) {
        self.0.make(buffer, place);
    }

    fn checker(&mut self) -> Option<&mut Checker> {
        Some(&mut self.0)
    }
}
