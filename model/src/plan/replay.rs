//! Operations of a recording, prepared for replay.

use crate::plan::{Access, BlockSizes, FlushKind, Mix, Workload};
use crate::{Bytes, Nanos, Op};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Pace at which the operations of a recording are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ReplayPace {
    /// At their due times.
    #[default]
    Recorded,
    /// In order, as soon as the queue has room.
    Unpaced,
}

/// One operation to be replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayRequest {
    /// Due time, relative to the start of the load. If the operation follows another operation, the time is relative to
    /// the end of that operation; if it follows all writes, it is relative to the end of the last write.
    pub due: Nanos,
    /// Byte offset in the file.
    pub at: u64,
    /// Length in bytes; 0 for a flush.
    pub len: u32,
    /// Index of the file in [`crate::Job::targets`].
    pub file: u16,
    /// The kind of operation.
    pub op: Op,
    /// Kind of the flush; ignored for other operations.
    pub flush: FlushKind,
    /// Index in the list of the operation for whose end this operation waits. [`ReplayRequest::FREE`] means none,
    /// [`ReplayRequest::ALL_WRITES`] all earlier writes to the same file, and [`ReplayRequest::ELSEWHERE`] an operation
    /// of another load ([`ReplayLinks::awaits`]).
    pub follows: u32,
}

impl ReplayRequest {
    /// Value of `follows` if the operation waits for no other operation.
    pub const FREE: u32 = u32::MAX;

    /// Value of `follows` if the operation waits for all earlier writes to its file in the list; there is at least one
    /// such write.
    pub const ALL_WRITES: u32 = u32::MAX - 1;

    /// Value of `follows` if the operation waits for an operation of another load.
    pub const ELSEWHERE: u32 = u32::MAX - 2;

    /// Maximum size of a single operation, in bytes: the kernel returns a signed 32-bit number.
    pub const LARGEST: u64 = 1 << 30;

    /// Splits an operation of `bytes` bytes into pieces of at most [`ReplayRequest::LARGEST`]; usually there is only
    /// one piece.
    pub fn in_pieces(self, bytes: u64) -> impl Iterator<Item = ReplayRequest> {
        (0..bytes.div_ceil(Self::LARGEST).max(1)).map(move |piece| {
            let before = piece * Self::LARGEST;
            ReplayRequest { at: self.at + before, len: (bytes - before).min(Self::LARGEST) as u32, ..self }
        })
    }

    /// Returns `true` if the operation waits for the end of another operation.
    #[must_use]
    pub const fn is_following(&self) -> bool {
        self.follows != Self::FREE
    }
}

/// Operations of a replay in the order in which they were issued. An operation comes after the operation that it
/// follows.
#[derive(Clone, PartialEq, Default)]
pub struct ReplayList(pub Arc<[ReplayRequest]>);

impl fmt::Debug for ReplayList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReplayList of {}", self.0.len())
    }
}

/// Signals between concurrent loads, by number. Each reports that an operation has ended for which another load waits.
#[derive(Clone, Default)]
pub struct ReplaySignals(Arc<[AtomicU64]>);

impl ReplaySignals {
    /// Creates this many signals, none of them set.
    #[must_use]
    pub fn new(count: u32) -> Self {
        ReplaySignals((0..count).map(|_| AtomicU64::new(0)).collect())
    }

    /// Records that an operation ended at this time, in nanoseconds of the clock shared by all workers. Only the first
    /// call has an effect.
    #[inline]
    pub fn set(&self, signal: u32, ended: u64) {
        // 0 means that the signal is not set.
        let _ = self.0[signal as usize].compare_exchange(0, ended.max(1), Ordering::Release, Ordering::Relaxed);
    }

    /// Returns the time at which the operation ended, or `None` if it has not ended.
    #[inline]
    #[must_use]
    pub fn ended(&self, signal: u32) -> Option<u64> {
        Some(self.0[signal as usize].load(Ordering::Acquire)).filter(|ended| *ended > 0)
    }
}

impl PartialEq for ReplaySignals {
    /// Returns `true` if both are the signals of the same loads.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.is_empty() && other.0.is_empty()
    }
}

impl fmt::Debug for ReplaySignals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReplaySignals of {}", self.0.len())
    }
}

/// Dependencies between a load's operations and those of concurrent loads.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReplayLinks {
    /// Operations of this load that wait for an operation of another load: index in the list and number of the signal,
    /// in the order of the list.
    pub awaits: Vec<(u32, u32)>,
    /// Operations of this load that another load waits for: index in the list and number of the signal, in the order of
    /// the list.
    pub tells: Vec<(u32, u32)>,
    /// Signals shared by all loads.
    pub signals: ReplaySignals,
}

/// Operations that a job replays instead of generating them from its workload. The workload then only describes their
/// mix and sizes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Replay {
    /// Recording, as the user named it.
    pub source: String,
    /// Pace at which operations are sent.
    pub pace: ReplayPace,
    /// Number of operations.
    pub operations: u64,
    /// Number of operations that wait for the end of another operation.
    pub following: u64,
    /// Number of flushes.
    pub flushes: u64,
    /// Maximum number of operations in flight per file, so that one file does not fill the whole queue; empty means no
    /// limit per file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub in_flight: Vec<u32>,
    /// The operations. They are not stored in records, which name the recording instead.
    #[serde(skip)]
    pub list: ReplayList,
    /// Dependencies between this load and other loads. They are not stored in records.
    #[serde(skip)]
    pub links: ReplayLinks,
}

impl Replay {
    /// Creates a replay of these operations, given in the order in which they were issued.
    #[must_use]
    pub fn new(source: impl Into<String>, pace: ReplayPace, list: Vec<ReplayRequest>) -> Self {
        let count = |of: fn(&ReplayRequest) -> bool| list.iter().filter(|r| of(r)).count() as u64;
        Replay {
            source: source.into(),
            pace,
            operations: list.len() as u64,
            following: count(ReplayRequest::is_following),
            flushes: count(|r| r.op == Op::Flush),
            in_flight: Vec::new(),
            list: ReplayList(list.into()),
            links: ReplayLinks::default(),
        }
    }

    /// Returns the mix of the replayed operations; a kind that occurs at all has a share of at least one percent.
    #[must_use]
    pub fn mix(&self) -> Mix {
        let count = |op: Op| self.list.0.iter().filter(|r| r.op == op).count() as u64;
        let [reads, writes, trims] = [Op::Read, Op::Write, Op::Trim].map(count);
        let total = reads + writes + trims;
        let percent =
            |n: u64| if n == 0 { 0 } else { ((n * 100 + total / 2) / total).clamp(1, 100 - u64::from(total > n)) };
        let write_percent = percent(writes);
        let trim_percent = percent(trims).min(100 - write_percent - u64::from(reads > 0));
        Mix { write_percent: write_percent as u8, trim_percent: trim_percent as u8 }
    }

    /// Returns the smallest and the largest size of a kind of operation, in bytes, or `None` if there are none.
    #[must_use]
    pub fn sizes(&self, op: Op) -> Option<(Bytes, Bytes)> {
        let lengths = || self.list.0.iter().filter(|r| r.op == op).map(|r| Bytes(u64::from(r.len)));
        lengths().min().zip(lengths().max())
    }

    /// Returns a workload that summarizes the operations: their mix and sizes, at random offsets.
    #[must_use]
    pub fn workload(&self) -> Workload {
        let block = |op| match self.sizes(op) {
            Some((low, high)) if low < high => BlockSizes::Range(low, high),
            Some((low, _)) => BlockSizes::Fixed(low),
            None => BlockSizes::Fixed(Bytes(4096)),
        };
        let mut workload = Workload::new(self.mix(), Bytes(4096), Access::RANDOM);
        workload.block = block(Op::Read);
        workload.detail.write_block = Some(block(Op::Write));
        workload.detail.trim_block = Some(block(Op::Trim));
        workload
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replay(counts: [usize; 3]) -> Replay {
        let each = [Op::Read, Op::Write, Op::Trim].into_iter().zip(counts);
        let request = |op| ReplayRequest {
            due: Nanos(0),
            at: 0,
            len: 512,
            file: 0,
            op,
            flush: FlushKind::Data,
            follows: ReplayRequest::FREE,
        };
        Replay::new(
            "a test",
            ReplayPace::Recorded,
            each.flat_map(|(op, n)| std::iter::repeat_n(request(op), n)).collect(),
        )
    }

    #[test]
    fn what_there_is_a_little_of_is_in_the_mix() {
        let cases = [
            ([10, 0, 0], (0, 0)),
            ([0, 3, 0], (100, 0)),
            ([1000, 1, 0], (1, 0)),
            ([1, 1000, 0], (99, 0)),
            ([0, 1, 1], (50, 50)),
            ([0, 0, 7], (0, 100)),
        ];
        for (counts, expected) in cases {
            let mix = replay(counts).mix();
            assert_eq!(mix.read_percent() > 0, counts[0] > 0, "{counts:?}: {mix:?}");
            assert_eq!((mix.write_percent, mix.trim_percent), expected, "{counts:?}");
        }
    }

    #[test]
    fn a_record_keeps_what_was_replayed_but_not_every_operation() {
        let replay = replay([2, 1, 0]);
        let kept: Replay =
            serde_json::from_str(&serde_json::to_string(&replay).expect("it has a form")).expect("it reads back");
        assert_eq!((kept.operations, kept.list.0.len()), (3, 0));
    }
}
