//! All kinds of stamps as one type.

use crate::content::Stamper;
use crate::pattern::NextIo;
use crate::stamp::{Filled, ReadOnly, Stamp, Stamped};
use crate::verify::Checker;

/// Any kind of stamp, dispatched at run time. Used by workers that do so much work per operation that dynamic dispatch
/// adds little. These workers are compiled only once, not for each kind of stamp.
pub enum AnyStamp {
    /// Stamp for loads that do not write.
    ReadOnly,
    /// Stamp for unique blocks: no contents occur twice.
    Unique(Stamper),
    /// Stamp for contents defined by the job.
    Filled(Filled),
    /// Stamp for blocks with headers that can be verified.
    Checked(Box<Stamped>),
}

impl Stamp for AnyStamp {
    const WRITES: bool = true;
    const CHECKS: bool = true;

    fn fill(&mut self, buffer: &mut [u8]) {
        match self {
            AnyStamp::ReadOnly => {}
            AnyStamp::Unique(stamp) => stamp.fill(buffer),
            AnyStamp::Filled(stamp) => stamp.fill(buffer),
            AnyStamp::Checked(stamp) => stamp.fill(buffer),
        }
    }

    fn stamp(&mut self, buffer: &mut [u8], place: &NextIo) {
        match self {
            AnyStamp::ReadOnly => {}
            AnyStamp::Unique(stamp) => stamp.stamp(buffer, place),
            AnyStamp::Filled(stamp) => stamp.stamp(buffer, place),
            AnyStamp::Checked(stamp) => stamp.stamp(buffer, place),
        }
    }

    fn checker(&mut self) -> Option<&mut Checker> {
        match self {
            AnyStamp::Checked(stamp) => stamp.checker(),
            AnyStamp::ReadOnly | AnyStamp::Unique(_) | AnyStamp::Filled(_) => None,
        }
    }
}

impl From<ReadOnly> for AnyStamp {
    fn from(_: ReadOnly) -> AnyStamp {
        AnyStamp::ReadOnly
    }
}

impl From<Stamper> for AnyStamp {
    fn from(stamp: Stamper) -> AnyStamp {
        AnyStamp::Unique(stamp)
    }
}

impl From<Filled> for AnyStamp {
    fn from(stamp: Filled) -> AnyStamp {
        AnyStamp::Filled(stamp)
    }
}

impl From<Stamped> for AnyStamp {
    fn from(stamp: Stamped) -> AnyStamp {
        AnyStamp::Checked(Box::new(stamp))
    }
}
