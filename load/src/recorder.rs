//! A worker's private counters for one window. Recording is plain addition: no locks, no atomics, no allocation.
//!
//! Full recorders are sent to the collector through a wait-free ring and returned empty through another. Recording and
//! reporting use separate types: a [`Recorder`] cannot be printed, and an [`Interval`] cannot be recorded into.

use crate::engine::Request;
use model::measured::{
    BUCKETS, LATENCY_MAX, OpStats, Phase, PriorityLatency, QueueStats, Summary, Transacted, Window, bucket_of,
};
use model::{Interval, LatencyHistogram, Nanos, Op, plan::FlushKind};
use serde::{Deserialize, Serialize};
use std::io;

/// Number of latency histograms per operation kind, indexed by the constants below.
const KINDS: usize = 5;
const LATENCY: usize = 0;
const RESPONSE: usize = 1;
const FAILED: usize = 2;
const SUBMISSION: usize = 3;
const COMPLETION: usize = 4;
/// Index of the first transaction histogram, which comes after the operation histograms.
const TRANSACTIONS: usize = Op::ALL.len() * KINDS;
/// Index of the first per-priority histogram (reads, then writes), which comes after the transaction histograms.
const PRIORITIES: usize = TRANSACTIONS + OF_SESSIONS;
/// Number of histograms for database sessions: transactions outside and inside a write-back, batch delays, and commits
/// outside and inside a write-back.
const OF_SESSIONS: usize = 5;
const LAG: usize = 2;
const COMMITS: usize = 3;
/// Capacity of the operation log, in entries. A recorder with a full log is sent to the collector, so the capacity does
/// not limit the rate. It only limits the time within which the collector must return an empty recorder.
const LOG: usize = 8192;
/// Maximum number of distinct errno values per operation and window. Further values are counted under the last one.
const ERRNOS: usize = 8;

/// Exact moments of the latencies in one window. The sum of latencies fits into 64 bits: an overflow would take more
/// than 10^9 operations of ten seconds each.
#[derive(Debug, Clone, Copy)]
struct Moments {
    count: u64,
    sum: u64,
    sum_sq: u128,
    min: u64,
    max: u64,
    saturated: u64,
}

const NO_MOMENTS: Moments = Moments { count: 0, sum: 0, sum_sq: 0, min: u64::MAX, max: 0, saturated: 0 };

impl Moments {
    #[inline(always)]
    fn record(&mut self, ns: u64) {
        self.count += 1;
        self.sum += ns;
        self.sum_sq += u128::from(ns) * u128::from(ns);
        self.min = self.min.min(ns);
        self.max = self.max.max(ns);
    }

    #[inline]
    fn record_many(&mut self, ns: u64, n: u64) {
        self.count += n;
        self.sum += ns * n;
        self.sum_sq += u128::from(ns) * u128::from(ns) * u128::from(n);
        self.min = self.min.min(ns);
        self.max = self.max.max(ns);
    }

    fn summary(&self) -> Summary {
        let min = if self.count == 0 { 0 } else { self.min };
        Summary { count: self.count, sum: u128::from(self.sum), sum_sq: self.sum_sq, min, max: self.max }
    }
}

#[derive(Debug, Clone, Copy)]
struct OpCounters {
    moments: [Moments; KINDS],
    bytes: u64,
    short: u64,
    errors: [(i32, u64); ERRNOS],
}

const NO_OP: OpCounters = OpCounters { moments: [NO_MOMENTS; KINDS], bytes: 0, short: 0, errors: [(0, 0); ERRNOS] };

/// Entry in the operation log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Completion time, in nanoseconds on the run's clock.
    pub time: u64,
    /// Due time, in nanoseconds on the run's clock; 0 in loops without due times.
    pub due: u64,
    /// Time until the engine accepted the operation (fio's slat), in nanoseconds; 0 if submission and completion are
    /// not timed separately. In paced loops, the delay between due time and submission.
    pub submission: u64,
    /// Time from submission to completion, in nanoseconds: fio's lat, or fio's clat if `submission` is not timed.
    pub latency: u64,
    /// Byte offset.
    pub at: u64,
    /// Length in bytes.
    pub len: u32,
    /// Index of the file among the job's files.
    pub file: u16,
    /// Kind of operation.
    pub op: Op,
    /// Durability of a flush; ignored for other operations.
    pub flush: FlushKind,
    /// Errno of a failed operation; 0 = success. Only paced loops log failed operations; other loops only count them.
    pub errno: u16,
    /// I/O priority, encoded as for `ioprio_set(2)`; 0 = the priority of the thread.
    pub priority: u16,
}

impl Entry {
    /// Creates an entry for a request whose original length was `len`. Its times are zero.
    #[must_use]
    pub fn new(request: &Request, len: u32) -> Self {
        let at = request.at - u64::from(request.skip);
        let Request { file, op, flush, .. } = *request;
        Entry { time: 0, due: 0, submission: 0, latency: 0, at, len, file, op, flush, errno: 0, priority: 0 }
    }
}

/// Counters of a worker for one window.
pub struct Recorder {
    /// Number of the window since the start of the load; `u64::MAX` = after the end (drain).
    pub window: u64,
    /// Start of the window on the run's clock, in nanoseconds.
    pub start: u64,
    /// End of the window on the run's clock, in nanoseconds.
    pub end: u64,
    /// Integral over time of the number of operations in flight, in operation-nanoseconds.
    pub in_flight_ns: u128,
    /// CPU time of the worker in user mode, in nanoseconds.
    pub cpu_user: u64,
    /// CPU time of the worker in the kernel, in nanoseconds.
    pub cpu_system: u64,
    /// Maximum delay of a submission after its due time, in nanoseconds; open loop only.
    pub late_max: u64,
    ops: [OpCounters; 4],
    /// Durations of transactions and commits, inside and outside a write-back, and batch delays. Only used by database
    /// sessions.
    transactions: [Moments; OF_SESSIONS],
    /// Priorities of reads and of writes that are counted separately; empty in most recorders.
    priorities: [Vec<u16>; 2],
    /// Moments for each priority, in the same order as `priorities`.
    by_priority: Box<[Moments]>,
    queue: QueueStats,
    /// Log of every operation in the window; it has no capacity unless the job requests a log.
    log: Vec<Entry>,
    /// Number of operations that were not logged because no empty recorder was available.
    dropped: u64,
    /// One memory region for all histograms. It is mapped zeroed, and pages become resident only when latencies fall
    /// into them, so unused operations and kinds cost no memory.
    buckets: sys::queues::Counters,
}

impl Recorder {
    /// Creates an empty recorder.
    ///
    /// # Errors
    /// Returns an error if the address space is too small for its histograms.
    pub fn new() -> io::Result<Self> {
        Ok(Recorder {
            window: 0,
            start: 0,
            end: 0,
            in_flight_ns: 0,
            cpu_user: 0,
            cpu_system: 0,
            late_max: 0,
            ops: [NO_OP; 4],
            transactions: [NO_MOMENTS; OF_SESSIONS],
            priorities: [const { Vec::new() }; 2],
            by_priority: Box::default(),
            queue: QueueStats::default(),
            log: Vec::new(),
            dropped: 0,
            buckets: sys::queues::Counters::new(PRIORITIES * BUCKETS)?,
        })
    }

    /// Creates a recorder that also logs every operation.
    ///
    /// # Errors
    /// Same as [`Recorder::new`].
    pub fn with_log() -> io::Result<Self> {
        Ok(Recorder { log: Vec::with_capacity(LOG), ..Recorder::new()? })
    }

    /// Adds separate latency statistics for each of these read and write priorities. In each list, the thread's own
    /// priority comes first.
    ///
    /// # Errors
    /// Same as [`Recorder::new`].
    pub fn with_priorities(self, values: &[Vec<u16>; 2]) -> io::Result<Self> {
        let count: usize = values.iter().map(Vec::len).sum();
        Ok(Recorder {
            priorities: values.clone(),
            by_priority: vec![NO_MOMENTS; count].into(),
            buckets: sys::queues::Counters::new((PRIORITIES + count) * BUCKETS)?,
            ..self
        })
    }

    /// Returns the log of the window, in order of completion.
    #[must_use]
    pub fn log(&self) -> &[Entry] {
        &self.log
    }

    /// Returns the number of operations for which the log had no room.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Returns `true` if the log is full.
    #[inline(always)]
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.log.len() == self.log.capacity()
    }

    /// Logs an operation, or counts it as dropped.
    #[inline(always)]
    pub fn keep(&mut self, entry: Entry) {
        if self.is_full() {
            self.dropped += 1;
        } else {
            self.log.push(entry);
        }
    }

    /// Records that `n` operations, submitted together, were accepted after `ns` nanoseconds.
    #[inline]
    pub fn submitted(&mut self, op: Op, n: u64, ns: u64) {
        let base = (op.index() * KINDS + SUBMISSION) * BUCKETS;
        self.buckets[base + bucket_of(ns)] += n as u32;
        let moments = &mut self.ops[op.index()].moments[SUBMISSION];
        moments.record_many(ns, n);
        if ns > LATENCY_MAX.as_nanos() {
            moments.saturated += n;
        }
    }

    /// Records that an operation completed `ns` nanoseconds after it was accepted.
    #[inline(always)]
    pub fn completed(&mut self, op: Op, ns: u64) {
        self.count(op, COMPLETION, ns);
        if ns > LATENCY_MAX.as_nanos() {
            self.ops[op.index()].moments[COMPLETION].saturated += 1;
        }
    }

    /// Records the latency of an operation with this priority (0 = the thread's), if the job distinguishes priorities.
    #[inline]
    pub fn ranked(&mut self, op: Op, priority: u16, ns: u64) {
        let (before, values) = match op {
            Op::Read => (0, &self.priorities[0]),
            Op::Write => (self.priorities[0].len(), &self.priorities[1]),
            Op::Trim | Op::Flush => return,
        };
        if values.is_empty() {
            return;
        }
        // The lists are short. An operation with a priority outside the job's list counts under the thread's own.
        let place = before + values.iter().position(|v| *v == priority).unwrap_or(0);
        self.buckets[(PRIORITIES + place) * BUCKETS + bucket_of(ns)] += 1;
        let moments = &mut self.by_priority[place];
        moments.record(ns);
        moments.saturated += u64::from(ns > LATENCY_MAX.as_nanos());
    }

    /// Records that `n` operations were submitted together, and how many were in flight afterwards. Uses the size
    /// classes of [`QueueStats`].
    #[inline]
    pub fn handed_over(&mut self, n: u64, in_flight: u64) {
        let class = (63 - in_flight.max(1).leading_zeros() as usize).min(6);
        self.queue.depth[class] += n;
        self.queue.submit[batch_class(n)] += 1;
    }

    /// Records that `n` operations were reaped together.
    #[inline]
    pub fn fetched(&mut self, n: u64) {
        self.queue.complete[batch_class(n)] += 1;
    }

    /// Returns the exact maximum latency of operations of this kind, in nanoseconds.
    #[must_use]
    pub fn longest(&self, op: Op) -> u64 {
        self.ops[op.index()].moments[LATENCY].max
    }

    /// Returns the number of operations of this kind that took longer than `ns`, within the resolution of the
    /// histogram.
    #[must_use]
    pub fn beyond(&self, op: Op, ns: u64) -> u64 {
        let moments = &self.ops[op.index()].moments[LATENCY];
        let Some((_, to)) = span(moments) else { return 0 };
        if moments.max <= ns {
            return 0;
        }
        let base = op.index() * KINDS * BUCKETS + LATENCY * BUCKETS;
        let from = (bucket_of(ns) + 1).min(to);
        self.buckets[base + from..base + to].iter().map(|n| u64::from(*n)).sum()
    }

    /// Returns the bytes of completed operations of all kinds.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.ops.iter().map(|o| o.bytes).sum()
    }

    #[inline(always)]
    fn count(&mut self, op: Op, kind: usize, ns: u64) {
        let base = (op.index() * KINDS + kind) * BUCKETS;
        self.buckets[base + bucket_of(ns)] += 1;
        self.ops[op.index()].moments[kind].record(ns);
    }

    /// Records that an operation completed in full.
    #[inline(always)]
    pub fn done(&mut self, op: Op, bytes: u32, latency_ns: u64) {
        self.count(op, LATENCY, latency_ns);
        self.ops[op.index()].bytes += u64::from(bytes);
        // More than an hour: extremely rare, and the only branch here.
        if latency_ns > LATENCY_MAX.as_nanos() {
            self.ops[op.index()].moments[LATENCY].saturated += 1;
        }
    }

    /// Records the time from an operation's due time to its completion (open loop only).
    #[inline(always)]
    pub fn responded(&mut self, op: Op, response_ns: u64) {
        self.count(op, RESPONSE, response_ns);
        if response_ns > LATENCY_MAX.as_nanos() {
            self.ops[op.index()].moments[RESPONSE].saturated += 1;
        }
    }

    /// Records that an operation failed.
    #[cold]
    pub fn failed(&mut self, op: Op, errno: i32, after_ns: u64) {
        self.count(op, FAILED, after_ns);
        let errors = &mut self.ops[op.index()].errors;
        let place = errors.iter().position(|(e, n)| *e == errno || *n == 0).unwrap_or(ERRNOS - 1);
        if errors[place].1 == 0 {
            errors[place].0 = errno;
        }
        errors[place].1 += 1;
    }

    /// Records that an operation transferred less than requested and is continued.
    #[cold]
    pub fn short(&mut self, op: Op) {
        self.ops[op.index()].short += 1;
    }

    /// Records the duration of a transaction. `inside` is true if the engine was writing back when the transaction
    /// ended.
    #[inline]
    pub fn transacted(&mut self, inside: bool, ns: u64) {
        self.of_session(usize::from(inside), ns);
    }

    /// Records the duration of a commit without the rest of its transaction.
    #[inline]
    pub fn committed(&mut self, inside: bool, ns: u64) {
        self.of_session(COMMITS + usize::from(inside), ns);
    }

    /// Records the delay between the due time of a batch and its start.
    #[inline]
    pub fn lagged(&mut self, ns: u64) {
        self.of_session(LAG, ns);
    }

    #[inline]
    fn of_session(&mut self, which: usize, ns: u64) {
        self.buckets[(TRANSACTIONS + which) * BUCKETS + bucket_of(ns)] += 1;
        let moments = &mut self.transactions[which];
        moments.record(ns);
        moments.saturated += u64::from(ns > LATENCY_MAX.as_nanos());
    }

    /// Returns the number of completed operations in this window, including flushes.
    #[must_use]
    pub fn ops(&self) -> u64 {
        self.ops.iter().map(|o| o.moments[LATENCY].count).sum()
    }

    /// Returns the number of completed operations of one kind and their bytes.
    #[must_use]
    pub fn tally(&self, op: Op) -> (u64, u64) {
        let counters = &self.ops[op.index()];
        (counters.moments[LATENCY].count, counters.bytes)
    }

    /// Returns the number of failed operations in this window.
    #[must_use]
    pub fn errors(&self) -> u64 {
        self.ops.iter().map(|o| o.moments[FAILED].count).sum()
    }

    /// Clears the recorder for reuse. Only used buckets are overwritten.
    pub fn clear(&mut self) {
        let buckets = &mut self.buckets;
        let mut erase = |region: usize, moments: &mut Moments| {
            if let Some((from, to)) = span(moments) {
                buckets[region * BUCKETS..][from..to].fill(0);
            }
            *moments = NO_MOMENTS;
        };
        for (i, op) in self.ops.iter_mut().enumerate() {
            op.moments.iter_mut().enumerate().for_each(|(kind, moments)| erase(i * KINDS + kind, moments));
            *op = NO_OP;
        }
        let transactions = self.transactions.iter_mut().enumerate();
        transactions.for_each(|(which, moments)| erase(TRANSACTIONS + which, moments));
        let priorities = self.by_priority.iter_mut().enumerate();
        priorities.for_each(|(place, moments)| erase(PRIORITIES + place, moments));
        self.in_flight_ns = 0;
        self.cpu_user = 0;
        self.cpu_system = 0;
        self.late_max = 0;
        self.queue = QueueStats::default();
        self.log.clear();
        self.dropped = 0;
    }

    fn histogram(&self, op: usize, kind: usize) -> LatencyHistogram {
        self.of_region(op * KINDS + kind, &self.ops[op].moments[kind])
    }

    fn of_region(&self, region: usize, moments: &Moments) -> LatencyHistogram {
        let Some((from, to)) = span(moments) else { return LatencyHistogram::default() };
        let base = region * BUCKETS;
        let counts = self.buckets[base + from..base + to].iter().map(|n| u64::from(*n)).collect();
        LatencyHistogram::from_parts(from, counts, moments.summary(), moments.saturated)
    }

    /// Returns the latencies of an operation kind by priority, without unused priorities.
    fn by_priority_of(&self, op: Op) -> Vec<PriorityLatency> {
        let (before, values) = match op {
            Op::Read => (0, self.priorities[0].as_slice()),
            Op::Write => (self.priorities[0].len(), self.priorities[1].as_slice()),
            Op::Trim | Op::Flush => return Vec::new(),
        };
        let places = values.iter().zip(before..).filter(|(_, place)| self.by_priority[*place].count > 0);
        let latency = |(priority, place): (&u16, usize)| PriorityLatency {
            priority: *priority,
            latency: self.of_region(PRIORITIES + place, &self.by_priority[place]),
        };
        places.map(latency).collect()
    }

    /// Converts the window to a type that can be merged, stored and printed. Allocates memory; called by the collector.
    #[must_use]
    pub fn to_interval(&self, phase: Phase) -> Interval {
        let length = Nanos(self.end - self.start);
        let mut interval = Interval {
            phase,
            start: Nanos(self.start),
            length,
            in_flight_ns: self.in_flight_ns,
            cpu_user: Nanos(self.cpu_user),
            cpu_system: Nanos(self.cpu_system),
            queue: (self.queue != QueueStats::default()).then(|| Box::new(self.queue.clone())),
            ..Interval::default()
        };
        if self.transactions.iter().any(|m| m.count > 0) {
            let histogram = |which: usize| self.of_region(TRANSACTIONS + which, &self.transactions[which]);
            interval.transacted = Some(Box::new(Transacted {
                outside: histogram(0),
                inside: histogram(1),
                lag: histogram(LAG),
                commits_outside: histogram(COMMITS),
                commits_inside: histogram(COMMITS + 1),
            }));
        }
        let mut window = Window { start: Nanos(self.start), length, errors: self.errors(), ..Window::default() };
        for ((i, op), kind) in self.ops.iter().enumerate().zip(Op::ALL) {
            let stats = &mut interval.per_op[i];
            *stats = OpStats {
                latency: self.histogram(i, LATENCY),
                response: self.histogram(i, RESPONSE),
                failed: self.histogram(i, FAILED),
                submission: self.histogram(i, SUBMISSION),
                completion: self.histogram(i, COMPLETION),
                by_priority: self.by_priority_of(kind),
                ..OpStats::default()
            };
            stats.tally.ops = op.moments[LATENCY].count;
            stats.tally.bytes = op.bytes;
            stats.tally.short = op.short;
            for (errno, n) in op.errors.iter().filter(|(_, n)| *n > 0) {
                *stats.tally.errors.entry(*errno).or_default() += n;
            }
            window.ops[i] = stats.tally.ops;
            window.bytes[i] = op.bytes;
            window.latency_sum += op.moments[LATENCY].sum;
        }
        interval.windows.push(window);
        interval
    }
}

/// Returns the size class of a batch: 0, 1-4, 5-8, 9-16, 17-32, 33-64, or more (fio's io_u_mark_submit).
#[inline]
fn batch_class(n: u64) -> usize {
    match n {
        0 => 0,
        1..=4 => 1,
        5..=8 => 2,
        9..=16 => 3,
        17..=32 => 4,
        33..=64 => 5,
        _ => 6,
    }
}

/// Returns the half-open range of buckets that can be non-zero.
fn span(moments: &Moments) -> Option<(usize, usize)> {
    (moments.count > 0).then(|| (bucket_of(moments.min), bucket_of(moments.max) + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_recorder_says_what_a_histogram_would_and_is_empty_after_clearing(
            values in prop::collection::vec(0u64..5_000_000_000_000, 1..200),
        ) {
            let mut recorder = Recorder { end: 100, ..Recorder::new().unwrap() };
            let mut truth = LatencyHistogram::default();
            for v in &values {
                recorder.done(Op::Write, 4096, *v);
                truth.record(Nanos(*v));
            }
            let interval = recorder.to_interval(Phase::Measure);
            prop_assert_eq!(&interval.op(Op::Write).latency, &truth);
            prop_assert_eq!(interval.bytes().as_u64(), 4096 * values.len() as u64);
            prop_assert_eq!(interval.windows[0].ops[Op::Write.index()], values.len() as u64);
            recorder.clear();
            prop_assert!(recorder.buckets.iter().all(|n| *n == 0));
            prop_assert_eq!(recorder.ops(), 0);
        }
    }

    #[test]
    fn latencies_by_priority_add_up_to_those_of_all() {
        let values = [vec![0, 8193, 24578], vec![16387, 8193]];
        let mut recorder = Recorder { end: 100, ..Recorder::new().unwrap() }.with_priorities(&values).unwrap();
        let samples = [
            (Op::Read, 0, 700),
            (Op::Read, 8193, 90),
            (Op::Read, 8193, 110_000),
            (Op::Write, 0, 20_000),
            (Op::Write, 8193, 31),
            // This priority is not in the list for writes, so it counts under the thread's own.
            (Op::Write, 24578, 5),
            (Op::Trim, 0, 5),
        ];
        for (op, priority, ns) in samples {
            recorder.completed(op, ns);
            recorder.ranked(op, priority, ns);
        }
        let interval = recorder.to_interval(Phase::Measure);
        let counts = |op: Op| -> Vec<(u16, u64)> {
            interval.op(op).by_priority.iter().map(|p| (p.priority, p.latency.count())).collect()
        };
        assert_eq!(counts(Op::Read), [(0, 1), (8193, 2)]);
        assert_eq!(counts(Op::Write), [(16387, 2), (8193, 1)]);
        assert_eq!(counts(Op::Trim), []);
        for op in [Op::Read, Op::Write] {
            let mut sum = LatencyHistogram::default();
            interval.op(op).by_priority.iter().for_each(|p| sum.merge(&p.latency));
            assert_eq!(sum, interval.op(op).completion);
        }
        recorder.clear();
        assert!(recorder.buckets.iter().all(|n| *n == 0));
        assert!(recorder.to_interval(Phase::Measure).op(Op::Read).by_priority.is_empty());
    }

    #[test]
    fn a_failure_is_counted_by_errno_and_is_no_operation() {
        let mut recorder = Recorder::new().unwrap();
        recorder.failed(Op::Read, 5, 1000);
        recorder.failed(Op::Read, 5, 1000);
        recorder.failed(Op::Read, 28, 1000);
        let interval = recorder.to_interval(Phase::Measure);
        let read = interval.op(Op::Read);
        assert_eq!((read.tally.ops, read.latency.count()), (0, 0));
        assert_eq!(read.tally.errors.iter().map(|(e, n)| (*e, *n)).collect::<Vec<_>>(), [(5, 2), (28, 1)]);
        assert_eq!(read.failed.count(), 3);
    }
}
