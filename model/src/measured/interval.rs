//! What happened in a stretch of time: counters and histograms per operation, cut into windows of real length.

use crate::{Bytes, BytesPerSecond, Iops, LatencyHistogram, Nanos, Op, Transacted};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Block that was read back wrong: booked as this error, as fio does (EILSEQ).
pub const WRONG_DATA: i32 = 84;

/// Exact counts of one kind of operation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Operations that completed in full.
    pub ops: u64,
    /// Bytes they moved.
    pub bytes: u64,
    /// Failed operations by the [numbers](crate::ErrorNumbers) of the system. A failed operation is in no rate and no latency histogram.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<i32, u64>,
    /// Times an operation came back short and was continued from where it stopped.
    #[serde(default)]
    pub short: u64,
}

impl Tally {
    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Tally) {
        self.ops += other.ops;
        self.bytes += other.bytes;
        self.short += other.short;
        for (errno, n) in &other.errors {
            *self.errors.entry(*errno).or_default() += n;
        }
    }

    /// Failed operations of every kind.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.errors.values().sum()
    }
}

/// One kind of operation over an interval: counts and latencies.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OpStats {
    /// Exact counts.
    pub tally: Tally,
    /// From submission to completion (fio's `lat`): service time.
    pub latency: LatencyHistogram,
    /// From the due time to completion; only of paced (open-loop) jobs. A stall shows in every request it delayed.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub response: LatencyHistogram,
    /// Time to failure of failed operations, kept apart.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub failed: LatencyHistogram,
    /// Time the engine took to accept it (fio's `slat`); only where the parts are told apart (`JobTuning::parts`).
    #[serde(default, skip_serializing_if = "is_empty")]
    pub submission: LatencyHistogram,
    /// From there to completion (fio's `clat`); only where the parts are told apart.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub completion: LatencyHistogram,
    /// `completion` or `latency` once more, by I/O priority; only of jobs whose operations have priorities of their own
    /// ([`crate::ByPriority`]). Their counts add up to that of the whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_priority: Vec<PriorityLatency>,
}

/// Latencies of the operations of one I/O priority.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PriorityLatency {
    /// The priority as `ioprio_set(2)` has it: hint, class and level; 0 = none is set.
    pub priority: u16,
    /// Their latencies.
    pub latency: LatencyHistogram,
}

impl PriorityLatency {
    /// Adds latencies of a priority to those of all.
    pub fn merge_into(all: &mut Vec<PriorityLatency>, priority: u16, latency: &LatencyHistogram) {
        match all.iter_mut().find(|p| p.priority == priority) {
            Some(known) => known.latency.merge(latency),
            None => all.push(PriorityLatency { priority, latency: latency.clone() }),
        }
    }
}

fn is_empty(h: &LatencyHistogram) -> bool {
    h.count() == 0
}

impl OpStats {
    /// Latencies from when operations were due, where they came due at a rate; else those of the calls.
    #[must_use]
    pub fn from_due(&self) -> &LatencyHistogram {
        if is_empty(&self.response) { &self.latency } else { &self.response }
    }

    /// Adds the counts and latencies of `other`.
    pub fn merge(&mut self, other: &OpStats) {
        self.tally.merge(&other.tally);
        self.latency.merge(&other.latency);
        self.response.merge(&other.response);
        self.failed.merge(&other.failed);
        self.submission.merge(&other.submission);
        self.completion.merge(&other.completion);
        for PriorityLatency { priority, latency } in &other.by_priority {
            PriorityLatency::merge_into(&mut self.by_priority, *priority, latency);
        }
    }
}

/// What a stretch of time belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Before measuring: load runs, figures do not count.
    Ramp,
    /// Part of the measurement.
    #[default]
    Measure,
    /// After the end: waiting for what is in flight; its completions are no rate.
    Drain,
}

/// One narrow window (nominally 100 ms) of all workers of a step: the material of steady-state and change detection.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Window {
    /// Start on the run's clock.
    pub start: Nanos,
    /// Real length; rates divide by this, never by the nominal length.
    pub length: Nanos,
    /// Completed operations by [`Op::index`].
    pub ops: [u64; 4],
    /// Bytes of completed operations by [`Op::index`].
    pub bytes: [u64; 4],
    /// Failed operations.
    pub errors: u64,
    /// Sum of latencies of completed operations, in nanoseconds.
    pub latency_sum: u64,
}

impl Window {
    /// Puts the next stretch of time behind this one; a gap between them is time that passed, too. For workers of the same stretch
    /// use [`Window::merge_parallel`].
    pub fn merge(&mut self, later: &Window) {
        let end =
            (self.start.as_nanos() + self.length.as_nanos()).max(later.start.as_nanos() + later.length.as_nanos());
        self.length = Nanos(end - self.start.as_nanos());
        self.merge_parallel(later);
    }

    /// Adds the same stretch of another worker: counts add, time does not.
    pub fn merge_parallel(&mut self, other: &Window) {
        self.ops.iter_mut().zip(other.ops).for_each(|(a, b)| *a += b);
        self.bytes.iter_mut().zip(other.bytes).for_each(|(a, b)| *a += b);
        self.errors += other.errors;
        self.latency_sum = self.latency_sum.saturating_add(other.latency_sum);
    }

    /// Completed operations of every kind.
    #[must_use]
    pub fn total_ops(&self) -> u64 {
        self.ops.iter().sum()
    }

    /// Bytes of every kind.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.bytes.iter().sum()
    }

    /// Completions per second over the real length.
    #[must_use]
    pub fn iops(&self) -> Iops {
        Iops(self.total_ops() as f64 / self.length.secs().max(1e-9))
    }

    /// Bytes per second over the real length.
    #[must_use]
    pub fn bandwidth(&self) -> BytesPerSecond {
        BytesPerSecond(self.total_bytes() as f64 / self.length.secs().max(1e-9))
    }

    /// Mean latency of the operations completed in this window.
    #[must_use]
    pub fn mean_latency(&self) -> Option<Nanos> {
        let n = self.total_ops();
        (n > 0).then(|| Nanos(self.latency_sum / n))
    }
}

/// How deep the queue was, and in what batches operations were handed over and fetched: counts by class.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct QueueStats {
    /// Operations by the depth they were issued at, themselves included: 1, 2-3, 4-7, 8-15, 16-31, 32-63, 64 and more.
    pub depth: [u64; 7],
    /// Calls by operations handed over: 0, 1-4, 5-8, 9-16, 17-32, 33-64, more.
    pub submit: [u64; 7],
    /// Calls by operations fetched, same classes.
    pub complete: [u64; 7],
}

impl QueueStats {
    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &QueueStats) {
        let mine = self.depth.iter_mut().chain(&mut self.submit).chain(&mut self.complete);
        let theirs = other.depth.iter().chain(&other.submit).chain(&other.complete);
        mine.zip(theirs).for_each(|(a, b)| *a += b);
    }
}

/// How long threads that could have run waited for a CPU: the kernel's run-queue wait (`/proc/PID/task/TID/schedstat`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CpuWait {
    /// Time, summed over threads.
    pub time: Nanos,
    /// Times a thread was given a CPU: so many waits there were, most of them next to nothing.
    pub times: u64,
}

impl CpuWait {
    /// Adds that of another thread, or of another stretch of time.
    pub fn merge(&mut self, other: CpuWait) {
        self.time.0 += other.time.as_nanos();
        self.times += other.times;
    }

    /// What was added since `earlier`.
    #[must_use]
    pub fn since(self, earlier: CpuWait) -> CpuWait {
        CpuWait { time: self.time.since(earlier.time), times: self.times.saturating_sub(earlier.times) }
    }
}

/// A stretch of a step (nominally 1 s), merged over workers: what the journal keeps each second.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Interval {
    /// What it belongs to.
    pub phase: Phase,
    /// Start on the run's clock.
    pub start: Nanos,
    /// Real length.
    pub length: Nanos,
    /// Per operation, by [`Op::index`].
    pub per_op: [OpStats; 4],
    /// Integral of operations in flight over time, in operation-nanoseconds, accumulated by the workers
    /// independently of the latencies: the other side of Little's law.
    pub in_flight_ns: u128,
    /// CPU time of the submitting threads in this interval, user mode.
    pub cpu_user: Nanos,
    /// CPU time of the submitting threads in this interval, kernel mode.
    pub cpu_system: Nanos,
    /// Time the submitting threads were ready to run and had no CPU; `None` where the kernel does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_wait: Option<CpuWait>,
    /// Depths reached and batches handed over and fetched; only where the parts are told apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<Box<QueueStats>>,
    /// Whole transactions, of database sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transacted: Option<Box<Transacted>>,
    /// The narrow windows inside, in order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<Window>,
}

impl Interval {
    /// The counters of one operation.
    #[must_use]
    pub fn op(&self, op: Op) -> &OpStats {
        &self.per_op[op.index()]
    }

    /// Puts the next stretch of time behind this one. For workers of the same stretch use [`Interval::merge_parallel`].
    pub fn merge(&mut self, later: &Interval) {
        if self.length.is_zero() {
            self.start = later.start;
            self.phase = later.phase;
        }
        let start = self.start.as_nanos().min(later.start.as_nanos());
        let end =
            (self.start.as_nanos() + self.length.as_nanos()).max(later.start.as_nanos() + later.length.as_nanos());
        self.start = Nanos(start);
        self.length = Nanos(end - start);
        self.add(later);
        self.windows.extend_from_slice(&later.windows);
    }

    /// Adds the same stretch of another worker: counters add, time does not.
    pub fn merge_parallel(&mut self, other: &Interval) {
        self.add(other);
    }

    fn add(&mut self, other: &Interval) {
        for (mine, theirs) in self.per_op.iter_mut().zip(&other.per_op) {
            mine.merge(theirs);
        }
        self.in_flight_ns += other.in_flight_ns;
        self.cpu_user.0 += other.cpu_user.as_nanos();
        self.cpu_system.0 += other.cpu_system.as_nanos();
        if let Some(theirs) = other.cpu_wait {
            self.cpu_wait.get_or_insert_default().merge(theirs);
        }
        if let Some(theirs) = &other.queue {
            self.queue.get_or_insert_default().merge(theirs);
        }
        if let Some(theirs) = &other.transacted {
            self.transacted.get_or_insert_default().merge(theirs);
        }
    }

    /// Completed operations, flushes included.
    #[must_use]
    pub fn ops(&self) -> u64 {
        self.per_op.iter().map(|o| o.tally.ops).sum()
    }

    /// Completed reads, writes and trims: what IOPS counts.
    #[must_use]
    pub fn data_ops(&self) -> u64 {
        [Op::Read, Op::Write, Op::Trim].iter().map(|op| self.op(*op).tally.ops).sum()
    }

    /// Bytes moved.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        Bytes(self.per_op.iter().map(|o| o.tally.bytes).sum())
    }

    /// Failed operations.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.per_op.iter().map(|o| o.tally.failed()).sum()
    }

    /// Reads, writes and trims per second of real length.
    #[must_use]
    pub fn iops(&self) -> Iops {
        Iops(self.data_ops() as f64 / self.length.secs().max(1e-9))
    }

    /// Bytes per second of real length.
    #[must_use]
    pub fn bandwidth(&self) -> BytesPerSecond {
        BytesPerSecond(self.bytes().as_u64() as f64 / self.length.secs().max(1e-9))
    }

    /// Latency of reads, writes and trims together.
    #[must_use]
    pub fn latency(&self) -> LatencyHistogram {
        let mut all = self.op(Op::Read).latency.clone();
        all.merge(&self.op(Op::Write).latency);
        all.merge(&self.op(Op::Trim).latency);
        all
    }

    /// Response time (from the due time) of reads, writes and trims together; empty for a closed loop.
    #[must_use]
    pub fn response(&self) -> LatencyHistogram {
        let mut all = self.op(Op::Read).response.clone();
        all.merge(&self.op(Op::Write).response);
        all.merge(&self.op(Op::Trim).response);
        all
    }

    /// Time average of operations in flight, from the workers' own integral.
    #[must_use]
    pub fn mean_in_flight(&self) -> f64 {
        self.in_flight_ns as f64 / (self.length.as_nanos() as f64).max(1.0)
    }

    /// CPU time per completed operation (user, system).
    #[must_use]
    pub fn cpu_per_op(&self) -> Option<(Nanos, Nanos)> {
        let n = self.ops();
        (n > 0).then(|| ((self.cpu_user / n), (self.cpu_system / n)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(start: u64, ops: u64) -> Interval {
        let mut i = Interval { start: Nanos(start), length: Nanos::from_secs(1), ..Default::default() };
        let read = &mut i.per_op[Op::Read.index()];
        for _ in 0..ops {
            read.latency.record(Nanos::from_millis(1));
        }
        read.tally.ops = ops;
        read.tally.bytes = ops * 8192;
        i.in_flight_ns = u128::from(ops) * 1_000_000;
        i
    }

    #[test]
    fn seconds_put_together_have_the_rate_of_both() {
        let mut total = Interval::default();
        total.merge(&second(5_000_000_000, 100));
        total.merge(&second(6_000_000_000, 300));
        assert_eq!(total.start, Nanos::from_secs(5));
        assert_eq!(total.iops(), Iops(200.0));
        assert!((total.mean_in_flight() - 0.2).abs() < 1e-9);
    }

    #[test]
    fn workers_put_together_add_rates_not_time() {
        let mut total = second(0, 100);
        total.merge_parallel(&second(0, 100));
        assert_eq!(total.iops(), Iops(200.0));
    }

    #[test]
    fn latencies_of_one_priority_are_put_together_and_others_stay_apart() {
        let of = |priorities: &[(u16, u64)]| {
            let mut stats = OpStats::default();
            for (priority, ns) in priorities {
                let mut latency = LatencyHistogram::default();
                latency.record(Nanos(*ns));
                stats.latency.merge(&latency);
                PriorityLatency::merge_into(&mut stats.by_priority, *priority, &latency);
            }
            stats
        };
        let mut total = of(&[(0, 5_000), (8192, 1_000)]);
        total.merge(&of(&[(16388, 9_000), (0, 7_000)]));
        let counts: Vec<(u16, u64)> = total.by_priority.iter().map(|p| (p.priority, p.latency.count())).collect();
        assert_eq!(counts, [(0, 2), (8192, 1), (16388, 1)]);
        assert_eq!(counts.iter().map(|c| c.1).sum::<u64>(), total.latency.count());
        assert_eq!(total.by_priority[0].latency.max(), Some(Nanos::from_micros(7)));
    }
}
