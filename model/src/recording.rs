//! What was asked of storage, request by request: the nouns of a recording. No contents, only where, how much and when.

use crate::{Bytes, FlushKind, Nanos, Op, RequestKind};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// At which of the layers between a program and a device requests were seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordedLayer {
    /// Requests to devices, below the page cache and the I/O scheduler.
    #[default]
    Block,
    /// System calls of processes: what the page cache answers is among them.
    Syscalls,
    /// Operations of a load generator on its files (fio's iolog).
    Operations,
}

/// What requests of a recording went to: the files of one role on one device, or one file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RecordedTarget {
    /// What it is for, as the user named it; [`crate::UNMAPPED`] for requests of no known file.
    pub role: String,
    /// The kernel's name of the device, or the path of the file; empty where names were left out.
    pub name: String,
    /// How large it is; 0 = unknown.
    #[serde(default)]
    pub size: Bytes,
    /// The device's logical block, in bytes; 0 = unknown.
    #[serde(default)]
    pub sector: u32,
}

/// What is known of a recording before its first request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RecordingHeader {
    /// Where requests were seen.
    pub layer: RecordedLayer,
    /// What made it: `secchi 0.2.0`, `blktrace`, `fio iolog version 3`.
    pub source: String,
    /// Wall clock of its beginning, nanoseconds since 1970; 0 = unknown.
    #[serde(default)]
    pub begun: u64,
    /// What the clock of another tool's trace said at its beginning: traces that began together have it in common. 0 = unknown.
    #[serde(default, alias = "clock")]
    pub trace_start: Nanos,
    /// The machine's name; empty where names were left out.
    #[serde(default)]
    pub host: String,
    /// The roles asked for, and where they are; empty where names were left out.
    #[serde(default)]
    pub roles: Vec<(String, String)>,
    /// The command it was made around; empty = none, or left out.
    #[serde(default)]
    pub command: Vec<String>,
    /// Requests say when they ended.
    #[serde(default)]
    pub has_latency: bool,
}

/// What is said of a request beside its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct RequestFlags(u8);

impl RequestFlags {
    /// Somebody waits for it (`S`), or it was a call that does not return before it is durable.
    pub const SYNC: RequestFlags = RequestFlags(1);
    /// It is on the medium when it ends (`F` behind the letter of its kind).
    pub const FUA: RequestFlags = RequestFlags(2);
    /// The device's cache is flushed before it (`F` before the letter of its kind).
    pub const PREFLUSH: RequestFlags = RequestFlags(4);
    /// The file system's own metadata (`M`).
    pub const METADATA: RequestFlags = RequestFlags(8);
    /// Read ahead of need (`A`).
    pub const READAHEAD: RequestFlags = RequestFlags(16);
    /// It ended with an error.
    pub const FAILED: RequestFlags = RequestFlags(32);
    /// A flush of data only (`fdatasync`); of system calls.
    pub const DATA_ONLY: RequestFlags = RequestFlags(64);

    /// Every flag, with the word for it.
    pub const ALL: [(RequestFlags, &'static str); 7] = [
        (Self::SYNC, "sync"),
        (Self::FUA, "fua"),
        (Self::PREFLUSH, "preflush"),
        (Self::METADATA, "metadata"),
        (Self::READAHEAD, "readahead"),
        (Self::FAILED, "failed"),
        (Self::DATA_ONLY, "data-only"),
    ];

    /// As a recording keeps them; unknown bits of a newer one are kept.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// From [`RequestFlags::bits`].
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        RequestFlags(bits)
    }

    /// These and those.
    #[must_use]
    pub const fn with(self, other: RequestFlags) -> Self {
        RequestFlags(self.0 | other.0)
    }

    /// Whether all of those are among these.
    #[must_use]
    pub const fn has(self, other: RequestFlags) -> bool {
        self.0 & other.0 == other.0
    }
}

/// One request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordedRequest {
    /// When it was issued, from the beginning of the recording.
    pub at: Nanos,
    /// From then to its end; `None` = no end was seen, or the recording has none.
    pub latency: Option<Nanos>,
    /// Which of the recording's targets.
    pub target: u16,
    /// Read, write, discard, flush, other.
    pub kind: RequestKind,
    /// What else is known.
    pub flags: RequestFlags,
    /// First byte, from the beginning of the target (of its device, where that is one).
    pub offset: u64,
    /// Length in bytes; 0 of a flush.
    pub bytes: u64,
}

/// Largest length of a read or write: what the kernel takes at once.
const LARGEST_REQUEST: Bytes = Bytes::from_gib(4);
/// Longest latency of a request.
const LONGEST_LATENCY: Nanos = Nanos::from_days(1);
/// Latest time of a request: ten years after the start of the recording.
const LATEST: Nanos = Nanos::from_days(3652);

/// A figure of a request that no real recording contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RequestOutOfRange {
    /// The length of a read or write.
    #[error("a request of {0} bytes: at most {LARGEST_REQUEST} are possible")]
    Length(u64),
    /// The latency.
    #[error("a latency of {0}: at most {LONGEST_LATENCY} is possible")]
    Latency(Nanos),
    /// The time of issue.
    #[error("{0} after the start of the recording: at most {LATEST} is possible")]
    Time(Nanos),
}

impl RecordedRequest {
    /// Checks that length, latency and time are possible, so that what is derived from them needs no more room or time than
    /// the requests themselves.
    ///
    /// # Errors
    /// The first figure that is out of range, with its limit.
    pub fn check(&self) -> Result<(), RequestOutOfRange> {
        if self.moves_data() && self.bytes > LARGEST_REQUEST.as_u64() {
            return Err(RequestOutOfRange::Length(self.bytes));
        }
        if let Some(latency) = self.latency.filter(|latency| *latency > LONGEST_LATENCY) {
            return Err(RequestOutOfRange::Latency(latency));
        }
        if self.at > LATEST { Err(RequestOutOfRange::Time(self.at)) } else { Ok(()) }
    }

    /// When it ended, if that is known.
    #[must_use]
    pub fn end(&self) -> Option<Nanos> {
        self.latency.map(|latency| self.at + latency)
    }

    /// What makes the same again, and how much it makes durable if it is a flush; `None` of what no job does. A device knows one
    /// kind of flush, and data is what it was about.
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

    /// Whether it reads or writes bytes.
    #[must_use]
    pub const fn moves_data(&self) -> bool {
        matches!(self.kind, RequestKind::Read | RequestKind::Write) && self.bytes > 0
    }
}

/// Most requests, in the order of their issue, that were in flight at once; 1 where no ends are known.
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

/// A stretch of which something is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostRequests {
    /// It was lost after this moment...
    pub from: Nanos,
    /// ... and before this one.
    pub until: Nanos,
    /// Events the kernel had no room for: each request has two or more.
    pub events: u64,
}

/// What is said of a recording behind its last request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RecordingEnd {
    /// How long it is; the last request ended before.
    pub length: Nanos,
    /// Requests in it.
    pub requests: u64,
    /// Ends of requests whose beginning was not seen: begun before the recording, or lost.
    #[serde(default)]
    pub unmatched: u64,
    /// CPU time that recording took, of one core.
    #[serde(default)]
    pub cpu: Nanos,
    /// Calls on descriptors that were closed before anybody could look at what they stand for; they are among the requests, as
    /// unmapped. Of system calls.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unresolved: u64,
    /// Calls that ask for more than they tell. Of system calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<UnseenCalls>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Calls that ask for I/O of which they do not tell what is asked, such as `io_uring_enter`: they are counted only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnseenCalls {
    /// The kernel's name of the call.
    pub call: String,
    /// How often it was made.
    pub calls: u64,
}

/// A whole recording, its requests in the order in which they were issued.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recording {
    /// What is known before the first request.
    pub header: RecordingHeader,
    /// What requests went to; they name it by its place here.
    pub targets: Vec<RecordedTarget>,
    /// The requests.
    pub requests: Vec<RecordedRequest>,
    /// Stretches of which something is missing.
    pub lost: Vec<LostRequests>,
    /// What is said behind the last request.
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
        let all = RequestFlags::ALL.iter().fold(RequestFlags::default(), |all, (flag, _)| all.with(*flag));
        assert_eq!(all.bits(), 0x7f, "a bit each");
    }
}
