//! Operations that are made again as a recording has them.

use crate::{Access, BlockSizes, Bytes, FlushKind, Mix, Nanos, Op, Workload};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// When the operations of a recording are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplayPace {
    /// When they are due.
    #[default]
    Recorded,
    /// In their order, as soon as there is room in the queue.
    Unpaced,
}

/// One operation to be made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayRequest {
    /// When it is due, from the start of the load; of one that follows another, from that one's end; of one that follows all writes, from
    /// the last end of those.
    pub due: Nanos,
    /// Byte offset in its file.
    pub at: u64,
    /// Length in bytes; 0 of a flush.
    pub len: u32,
    /// Which of the job's files, in the order of [`crate::Job::targets`].
    pub file: u16,
    /// The kind of operation.
    pub op: Op,
    /// How much a flush makes durable; without meaning for the others.
    pub flush: FlushKind,
    /// The operation whose end it waits for, by its place in the list; [`ReplayRequest::FREE`] = none, [`ReplayRequest::ALL_WRITES`] = all
    /// writes of its file that stand before it, [`ReplayRequest::ELSEWHERE`] = one of another load ([`ReplayLinks::awaits`]).
    pub follows: u32,
}

impl ReplayRequest {
    /// It waits for no other operation.
    pub const FREE: u32 = u32::MAX;

    /// It waits for all writes of its file that stand before it in the list, of which there is one at least.
    pub const ALL_WRITES: u32 = u32::MAX - 1;

    /// It waits for an operation of another load.
    pub const ELSEWHERE: u32 = u32::MAX - 2;

    /// The largest single operation, in bytes: an answer of the kernel is a signed 32-bit number.
    pub const LARGEST: u64 = 1 << 30;

    /// It, of so many bytes, in pieces that are no larger than the largest: one, as a rule.
    pub fn in_pieces(self, bytes: u64) -> impl Iterator<Item = ReplayRequest> {
        (0..bytes.div_ceil(Self::LARGEST).max(1)).map(move |piece| {
            let before = piece * Self::LARGEST;
            ReplayRequest { at: self.at + before, len: (bytes - before).min(Self::LARGEST) as u32, ..self }
        })
    }

    /// Whether it waits for an end.
    #[must_use]
    pub const fn is_following(&self) -> bool {
        self.follows != Self::FREE
    }
}

/// The operations of a replay, in the order in which they were issued; what one follows comes before it.
#[derive(Clone, PartialEq, Default)]
pub struct ReplayList(pub Arc<[ReplayRequest]>);

impl fmt::Debug for ReplayList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReplayList of {}", self.0.len())
    }
}

/// What loads that run side by side tell each other: when operations have ended that another load waits for, each by its number.
#[derive(Clone, Default)]
pub struct ReplaySignals(Arc<[AtomicU64]>);

impl ReplaySignals {
    /// So many, of which none has been told.
    #[must_use]
    pub fn new(count: u32) -> Self {
        ReplaySignals((0..count).map(|_| AtomicU64::new(0)).collect())
    }

    /// Tells that an operation has ended at this time, in nanoseconds of the clock that all workers have; the first to tell counts.
    #[inline]
    pub fn tell(&self, signal: u32, ended: u64) {
        // Nought is what was not told.
        let _ = self.0[signal as usize].compare_exchange(0, ended.max(1), Ordering::Release, Ordering::Relaxed);
    }

    /// When it ended, once it has.
    #[inline]
    #[must_use]
    pub fn ended(&self, signal: u32) -> Option<u64> {
        Some(self.0[signal as usize].load(Ordering::Acquire)).filter(|ended| *ended > 0)
    }
}

impl PartialEq for ReplaySignals {
    /// Whether they are of the same loads.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.is_empty() && other.0.is_empty()
    }
}

impl fmt::Debug for ReplaySignals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReplaySignals of {}", self.0.len())
    }
}

/// How a load's operations hang together with those of the loads beside it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReplayLinks {
    /// Operations of this load that wait for one of another, by their place in the list, and the signal they wait for; in the
    /// order of the list.
    pub awaits: Vec<(u32, u32)>,
    /// Operations of this load that another waits for, by their place in the list, and the signal they give; in the order of the list.
    pub tells: Vec<(u32, u32)>,
    /// The signals of all.
    pub signals: ReplaySignals,
}

/// What a job makes again instead of what its workload says. The workload tells what is in it: its mix and its sizes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Replay {
    /// The recording, as it was named.
    pub source: String,
    /// When operations are sent.
    pub pace: ReplayPace,
    /// How many there are.
    pub operations: u64,
    /// Of them those that wait for another's end.
    pub following: u64,
    /// Flushes among them.
    pub flushes: u64,
    /// Operations of each file that may be in flight, so that none takes the others' room in the queue; empty = as many as have room.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub in_flight: Vec<u32>,
    /// The operations. No record keeps them: it names the recording.
    #[serde(skip)]
    pub list: ReplayList,
    /// What waits for other loads' operations, and what others wait for. No record keeps it.
    #[serde(skip)]
    pub links: ReplayLinks,
}

impl Replay {
    /// These operations, in the order in which they were issued.
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

    /// The mix of its operations: what there is a little of is not nothing.
    #[must_use]
    pub fn mix(&self) -> Mix {
        let count = |op: Op| self.list.0.iter().filter(|r| r.op == op).count() as u64;
        let [reads, writes, trims] = [Op::Read, Op::Write, Op::Trim].map(count);
        let all = reads + writes + trims;
        let percent = |n: u64| if n == 0 { 0 } else { ((n * 100 + all / 2) / all).clamp(1, 100 - u64::from(all > n)) };
        let write_percent = percent(writes);
        let trim_percent = percent(trims).min(100 - write_percent - u64::from(reads > 0));
        Mix { write_percent: write_percent as u8, trim_percent: trim_percent as u8 }
    }

    /// The smallest and the largest operation of a kind, in bytes; `None` where there is none.
    #[must_use]
    pub fn sizes(&self, op: Op) -> Option<(Bytes, Bytes)> {
        let lengths = || self.list.0.iter().filter(|r| r.op == op).map(|r| Bytes(u64::from(r.len)));
        lengths().min().zip(lengths().max())
    }

    /// What its operations come to, as a workload: their mix, at random places, of their sizes.
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
