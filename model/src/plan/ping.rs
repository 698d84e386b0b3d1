//! Schedule of requests that are sent one at a time (`secchi ping`).

use crate::Nanos;
use serde::{Deserialize, Serialize};

/// Schedule of single operations at a fixed interval, as in ioping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RequestInterval {
    /// Time from the start of one operation to the start of the next. Unless `from_due` is set, a late operation starts
    /// immediately, and later operations are scheduled relative to it instead of catching up.
    pub interval: Nanos,
    /// Number of consecutive operations between two intervals, at least one.
    pub burst: u64,
    /// True if operations are due at fixed intervals from the start, regardless of earlier operations (open loop). A
    /// delayed operation starts late and keeps its due time.
    pub from_due: bool,
    /// True if the range is dropped from the page cache before each operation; the time for this is not measured.
    pub uncached: bool,
    /// True if each write is followed by a flush (fdatasync), whose time counts as part of the write.
    pub durable: bool,
    /// True if writes and reads alternate, starting with a write.
    pub by_turns: bool,
}
