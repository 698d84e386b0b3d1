//! Kinds of operations.

use serde::{Deserialize, Serialize};
use strum::{Display, IntoStaticStr};

/// A kind of operation (fio's data direction, plus flush).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Display, IntoStaticStr)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Op {
    /// Reads data.
    Read,
    /// Writes data.
    Write,
    /// Discards a range.
    Trim,
    /// Makes earlier writes durable: fdatasync, or a cache flush.
    Flush,
}

impl Op {
    /// All operations, in the order of [`Op::index`].
    pub const ALL: [Op; 4] = [Op::Read, Op::Write, Op::Trim, Op::Flush];

    /// Returns a dense index for arrays of counters.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the lower-case name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}
