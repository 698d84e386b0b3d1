//! Types of a recording: the requests issued to storage, with their offsets, sizes and times but without contents.

use crate::{Bytes, Nanos, Op, measured::RequestKind, plan::FlushKind};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Layer between a program and a device at which requests were recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RecordedLayer {
    /// Requests to devices, below the page cache and the I/O scheduler.
    #[default]
    Block,
    /// System calls of processes, including those served by the page cache.
    Syscalls,
    /// Operations of a load generator on its files (fio's iolog).
    Operations,
}

/// Target of requests in a recording: the files of one role on one device, or a single file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RecordedTarget {
    /// Role of the target, as named by the user; [`crate::plan::UNMAPPED`] for requests to no known file.
    pub role: String,
    /// Kernel name of the device, or path of the file; empty if names were left out.
    pub name: String,
    /// Size in bytes; 0 = unknown.
    pub size: Bytes,
    /// Logical block size of the device, in bytes; 0 = unknown.
    pub sector: u32,
}

/// Properties of a recording that are known before its first request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RecordingHeader {
    /// Layer at which requests were recorded.
    pub layer: RecordedLayer,
    /// Tool that created the recording: `secchi 0.2.0`, `blktrace`, `fio iolog version 3`.
    pub source: String,
    /// Wall-clock time at which the recording started, in nanoseconds since 1970; 0 if unknown.
    pub begun: u64,
    /// Start time on the clock of another tool's trace; 0 if unknown. The clock is the same for traces that were
    /// recorded together.
    pub trace_start: Nanos,
    /// Name of the machine; empty if names were left out.
    pub host: String,
    /// Requested roles and their paths; empty if names were left out.
    pub roles: Vec<(String, String)>,
    /// Command during which the requests were recorded; empty if there was none, or if it was left out.
    pub command: Vec<String>,
    /// True if the requests have latencies.
    pub has_latency: bool,
}

/// Properties of a request in addition to its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct RequestFlags(u8);

impl RequestFlags {
    /// A caller waits for the request (`S`), or it was a call that returns only once the data is durable.
    pub const SYNC: RequestFlags = RequestFlags(1);
    /// The data is on the medium at completion (`F` after the letter of the kind).
    pub const FUA: RequestFlags = RequestFlags(2);
    /// The device's cache is flushed first (`F` before the letter of the kind).
    pub const PREFLUSH: RequestFlags = RequestFlags(4);
    /// The request concerns metadata of the file system (`M`).
    pub const METADATA: RequestFlags = RequestFlags(8);
    /// The request is a read-ahead (`A`).
    pub const READAHEAD: RequestFlags = RequestFlags(16);
    /// The request failed with an error.
    pub const FAILED: RequestFlags = RequestFlags(32);
    /// The flush covers only data (`fdatasync`); used for system calls.
    pub const DATA_ONLY: RequestFlags = RequestFlags(64);

    /// All flags with their names.
    pub const ALL: [(RequestFlags, &'static str); 7] = [
        (Self::SYNC, "sync"),
        (Self::FUA, "fua"),
        (Self::PREFLUSH, "preflush"),
        (Self::METADATA, "metadata"),
        (Self::READAHEAD, "readahead"),
        (Self::FAILED, "failed"),
        (Self::DATA_ONLY, "data-only"),
    ];

    /// Returns the flags as stored in a recording. Unknown bits from newer versions are kept.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Returns the flags for [`RequestFlags::bits`].
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        RequestFlags(bits)
    }

    /// Returns the union of both.
    #[must_use]
    pub const fn with(self, other: RequestFlags) -> Self {
        RequestFlags(self.0 | other.0)
    }

    /// Returns `true` if all flags of `other` are set.
    #[must_use]
    pub const fn has(self, other: RequestFlags) -> bool {
        self.0 & other.0 == other.0
    }
}

/// One request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordedRequest {
    /// Time of issue, from the start of the recording.
    pub at: Nanos,
    /// Time from issue to completion; `None` if no completion was seen, or if the recording has no latencies.
    pub latency: Option<Nanos>,
    /// Index of the request's target in the recording.
    pub target: u16,
    /// Kind: read, write, discard, flush, other.
    pub kind: RequestKind,
    /// Further properties.
    pub flags: RequestFlags,
    /// Offset of the first byte, from the start of the target's device or file.
    pub offset: u64,
    /// Length in bytes; 0 for a flush.
    pub bytes: u64,
}

/// Maximum length of a read or write: the kernel does not accept more in one request.
const LARGEST_REQUEST: Bytes = Bytes::from_gib(4);
/// Maximum latency of a request.
const LONGEST_LATENCY: Nanos = Nanos::from_days(1);
/// Maximum time of a request: ten years after the start of the recording.
const LATEST: Nanos = Nanos::from_days(3652);

/// Error for a property of a request that is outside the range of real recordings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RequestOutOfRange {
    /// Length of a read or write, in bytes.
    #[error("a request of {0} bytes exceeds the maximum of {LARGEST_REQUEST}")]
    Length(u64),
    /// Latency of the request.
    #[error("a latency of {0} exceeds the maximum of {LONGEST_LATENCY}")]
    Latency(Nanos),
    /// Time of issue.
    #[error("{0} after the start of the recording exceeds the maximum of {LATEST}")]
    Time(Nanos),
}

impl RecordedRequest {
    /// Checks that length, latency and time are plausible, so that memory and time for derived data stay proportional
    /// to the requests.
    ///
    /// # Errors
    /// Returns an error for the first value that is out of range, with its limit.
    pub fn check(&self) -> Result<(), RequestOutOfRange> {
        if self.moves_data() && self.bytes > LARGEST_REQUEST.as_u64() {
            return Err(RequestOutOfRange::Length(self.bytes));
        }
        if let Some(latency) = self.latency.filter(|latency| *latency > LONGEST_LATENCY) {
            return Err(RequestOutOfRange::Latency(latency));
        }
        if self.at > LATEST { Err(RequestOutOfRange::Time(self.at)) } else { Ok(()) }
    }

    /// Returns the time at which the request completed, if known.
    #[must_use]
    pub fn end(&self) -> Option<Nanos> {
        self.latency.map(|latency| self.at + latency)
    }

    /// Returns the operation that replays the request, and the kind of flush; `None` if no job can perform it. Devices
    /// have only one kind of flush, which counts as a flush of data.
    #[must_use]
    pub fn operation(&self, layer: RecordedLayer) -> Option<(Op, FlushKind)> {
        let op = match self.kind {
            RequestKind::Read => Op::Read,
            RequestKind::Write => Op::Write,
            RequestKind::Discard => Op::Trim,
            RequestKind::Flush => Op::Flush,
            RequestKind::Other => return None,
        };
        let data = layer == RecordedLayer::Block || self.flags.has(RequestFlags::DATA_ONLY);
        Some((op, if data { FlushKind::Data } else { FlushKind::Full }))
    }

    /// Returns `true` if the request reads or writes bytes.
    #[must_use]
    pub const fn moves_data(&self) -> bool {
        matches!(self.kind, RequestKind::Read | RequestKind::Write) && self.bytes > 0
    }
}

/// Returns the maximum number of requests in flight at once; 1 if no completions are known. Requests must be in order
/// of issue.
#[must_use]
pub fn most_in_flight<'a>(requests: impl IntoIterator<Item = &'a RecordedRequest>) -> u32 {
    let mut ends = BinaryHeap::new();
    let mut most = 1;
    for request in requests {
        while ends.peek().is_some_and(|Reverse(end)| *end <= request.at) {
            ends.pop();
        }
        ends.extend(request.end().map(Reverse));
        most = most.max(ends.len());
    }
    u32::try_from(most).unwrap_or(u32::MAX)
}

/// A period in which events were lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostRequests {
    /// Start of the period.
    pub from: Nanos,
    /// End of the period.
    pub until: Nanos,
    /// Number of events that were lost because the kernel's buffer was full; each request has two or more events.
    pub events: u64,
}

/// Properties of a recording that are known after its last request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RecordingEnd {
    /// Length of the recording; the last request ended before this time.
    pub length: Nanos,
    /// Number of requests.
    pub requests: u64,
    /// Number of completions whose start was not seen, because it was before the recording or because the event was
    /// lost.
    pub unmatched: u64,
    /// CPU time used by recording, on one core.
    pub cpu: Nanos,
    /// For system calls: number of calls on descriptors that were closed before they could be resolved. The requests
    /// include these calls as unmapped.
    #[serde(default, skip_serializing_if = "crate::units::is_default")]
    pub unresolved: u64,
    /// For system calls: calls whose I/O could not be observed completely.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<UnseenCalls>,
}

/// Calls that request I/O without revealing its details, such as `io_uring_enter`; they are only counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnseenCalls {
    /// Kernel name of the call.
    pub call: String,
    /// Number of calls.
    pub calls: u64,
}

/// A complete recording, with its requests in order of issue.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recording {
    /// Properties known before the first request.
    pub header: RecordingHeader,
    /// Targets of the requests, which refer to them by index.
    pub targets: Vec<RecordedTarget>,
    /// The requests.
    pub requests: Vec<RecordedRequest>,
    /// Periods in which events were lost.
    pub lost: Vec<LostRequests>,
    /// Properties known after the last request.
    pub end: RecordingEnd,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_told_apart_and_together() {
        let flags = RequestFlags::SYNC.with(RequestFlags::FUA);
        assert!(flags.has(RequestFlags::FUA) && flags.has(RequestFlags::SYNC) && !flags.has(RequestFlags::METADATA));
        assert_eq!(RequestFlags::from_bits(flags.bits()), flags);
        let flags = RequestFlags::ALL.iter().fold(RequestFlags::default(), |all, (flag, _)| all.with(*flag));
        assert_eq!(flags.bits(), 0x7f, "a bit each");
    }
}
