//! Measurements of a period of time: counters and histograms per operation, split into windows of actual length.

use crate::{Bytes, BytesPerSecond, Iops, LatencyHistogram, Nanos, Op, measured::Transacted};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Error number for a block with wrong contents, as in fio (EILSEQ).
pub const WRONG_DATA: i32 = 84;

/// Exact counts of one kind of operation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tally {
    /// Operations that completed in full.
    pub ops: u64,
    /// Bytes moved by these operations.
    pub bytes: u64,
    /// Failed operations by the system's error numbers ([`crate::measured::ErrorNumbers`]). Rates and latency histograms exclude
    /// failed operations.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<i32, u64>,
    /// Number of times an operation transferred less than requested and was continued from where it stopped.
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

    /// Returns the number of failed operations.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.errors.values().sum()
    }
}

/// Counts and latencies of one kind of operation over an interval.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OpStats {
    /// Exact counts.
    pub tally: Tally,
    /// Time from submission to completion (fio's `lat`): the service time.
    pub latency: LatencyHistogram,
    /// Time from the due time to completion; only for paced (open-loop) jobs. A stall shows in every request it
    /// delayed.
    #[serde(default, skip_serializing_if = "LatencyHistogram::is_empty")]
    pub response: LatencyHistogram,
    /// Time to failure of failed operations.
    #[serde(default, skip_serializing_if = "LatencyHistogram::is_empty")]
    pub failed: LatencyHistogram,
    /// Time the engine took to accept an operation (fio's `slat`); only if latencies are measured in parts
    /// (`JobTuning::split_latency`).
    #[serde(default, skip_serializing_if = "LatencyHistogram::is_empty")]
    pub submission: LatencyHistogram,
    /// Time from acceptance to completion (fio's `clat`); only if latencies are measured in parts.
    #[serde(default, skip_serializing_if = "LatencyHistogram::is_empty")]
    pub completion: LatencyHistogram,
    /// `completion` or `latency`, split by I/O priority; only for jobs whose operations have different priorities
    /// ([`crate::plan::ByPriority`]). The counts add up to the count of that histogram.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_priority: Vec<PriorityLatency>,
}

/// Latencies of the operations of one I/O priority.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PriorityLatency {
    /// The priority in the format of `ioprio_set(2)`: hint, class and level; 0 means unset.
    pub priority: u16,
    /// Latencies of the operations of this priority.
    pub latency: LatencyHistogram,
}

impl PriorityLatency {
    /// Adds the latencies of a priority to a list with one entry per priority.
    pub fn merge_into(priorities: &mut Vec<PriorityLatency>, priority: u16, latency: &LatencyHistogram) {
        match priorities.iter_mut().find(|p| p.priority == priority) {
            Some(known) => known.latency.merge(latency),
            None => priorities.push(PriorityLatency { priority, latency: latency.clone() }),
        }
    }
}

impl OpStats {
    /// Returns the latencies from the due time if operations came due at a rate, otherwise the latencies from
    /// submission.
    #[must_use]
    pub fn from_due(&self) -> &LatencyHistogram {
        if self.response.is_empty() { &self.latency } else { &self.response }
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

/// Phase to which a period of time belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Before the measurement: the load runs, but its figures do not count.
    Ramp,
    /// Part of the measurement.
    #[default]
    Measure,
    /// After the end: operations in flight complete; no rate includes these completions.
    Drain,
}

/// A narrow window (nominally 100 ms) of all workers of a step: the input of steady-state and change detection.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Window {
    /// Start on the run's clock.
    pub start: Nanos,
    /// Actual length; rates divide by this, never by the nominal length.
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
    /// Appends the next period of time; a gap between the two counts as time that passed. For workers in the same
    /// period use [`Window::merge_parallel`].
    pub fn merge(&mut self, later: &Window) {
        let end = (self.start + self.length).max(later.start + later.length);
        self.length = end - self.start;
        self.merge_parallel(later);
    }

    /// Adds the same period of another worker: counts add up, time does not.
    pub fn merge_parallel(&mut self, other: &Window) {
        self.ops.iter_mut().zip(other.ops).for_each(|(a, b)| *a += b);
        self.bytes.iter_mut().zip(other.bytes).for_each(|(a, b)| *a += b);
        self.errors += other.errors;
        self.latency_sum = self.latency_sum.saturating_add(other.latency_sum);
    }

    /// Returns the number of completed operations of every kind.
    #[must_use]
    pub fn total_ops(&self) -> u64 {
        self.ops.iter().sum()
    }

    /// Returns the number of bytes of every kind.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.bytes.iter().sum()
    }

    /// Returns the completions per second over the actual length.
    #[must_use]
    pub fn iops(&self) -> Iops {
        Iops(self.total_ops() as f64 / self.length.secs().max(1e-9))
    }
}

/// Queue depths, and batch sizes of submissions and completions: counts by class.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QueueStats {
    /// Operations by queue depth at issue, including the operation itself: 1, 2-3, 4-7, 8-15, 16-31, 32-63, 64 and
    /// more.
    pub depth: [u64; 7],
    /// Calls by number of submitted operations: 0, 1-4, 5-8, 9-16, 17-32, 33-64, more.
    pub submit: [u64; 7],
    /// Calls by number of reaped operations, in the same classes.
    pub complete: [u64; 7],
}

impl QueueStats {
    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &QueueStats) {
        let counts = self.depth.iter_mut().chain(&mut self.submit).chain(&mut self.complete);
        let added = other.depth.iter().chain(&other.submit).chain(&other.complete);
        counts.zip(added).for_each(|(a, b)| *a += b);
    }
}

/// Time that runnable threads waited for a CPU: the kernel's run-queue wait (`/proc/PID/task/TID/schedstat`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CpuWait {
    /// Waiting time, summed over threads.
    pub time: Nanos,
    /// Number of times that a thread was given a CPU, which equals the number of waits; most are very short.
    pub times: u64,
}

impl CpuWait {
    /// Adds the wait of another thread, or of another period of time.
    pub fn merge(&mut self, other: CpuWait) {
        self.time += other.time;
        self.times += other.times;
    }

    /// Returns the wait that was added since `earlier`.
    #[must_use]
    pub fn since(self, earlier: CpuWait) -> CpuWait {
        CpuWait { time: self.time.since(earlier.time), times: self.times.saturating_sub(earlier.times) }
    }
}

/// A period of a step (nominally 1 s), merged over workers; the journal stores one per second.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Interval {
    /// Phase to which the interval belongs.
    pub phase: Phase,
    /// Start on the run's clock.
    pub start: Nanos,
    /// Actual length.
    pub length: Nanos,
    /// Counters of each operation, by [`Op::index`].
    pub per_op: [OpStats; 4],
    /// Integral of operations in flight over time, in operation-nanoseconds, accumulated by the workers independently
    /// of the latencies: the other side of Little's law.
    pub in_flight_ns: u128,
    /// CPU time of the submitting threads in this interval, user mode.
    pub cpu_user: Nanos,
    /// CPU time of the submitting threads in this interval, kernel mode.
    pub cpu_system: Nanos,
    /// Time that the submitting threads were runnable without a CPU; `None` if the kernel does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_wait: Option<CpuWait>,
    /// Queue depths, and batch sizes of submissions and completions; only if latencies are measured in parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<Box<QueueStats>>,
    /// Whole transactions, of database sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transacted: Option<Box<Transacted>>,
    /// The narrow windows of this period, in order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<Window>,
}

impl Interval {
    /// Returns the counters of one operation.
    #[must_use]
    pub fn op(&self, op: Op) -> &OpStats {
        &self.per_op[op.index()]
    }

    /// Appends the next period of time. For workers in the same period use [`Interval::merge_parallel`].
    pub fn merge(&mut self, later: &Interval) {
        if self.length.is_zero() {
            self.start = later.start;
            self.phase = later.phase;
        }
        let end = (self.start + self.length).max(later.start + later.length);
        self.start = self.start.min(later.start);
        self.length = end - self.start;
        self.merge_parallel(later);
        self.windows.extend_from_slice(&later.windows);
    }

    /// Adds the same period of another worker: counters add up, time does not.
    pub fn merge_parallel(&mut self, other: &Interval) {
        for (op, added) in self.per_op.iter_mut().zip(&other.per_op) {
            op.merge(added);
        }
        self.in_flight_ns += other.in_flight_ns;
        self.cpu_user += other.cpu_user;
        self.cpu_system += other.cpu_system;
        if let Some(added) = other.cpu_wait {
            self.cpu_wait.get_or_insert_default().merge(added);
        }
        if let Some(added) = &other.queue {
            self.queue.get_or_insert_default().merge(added);
        }
        if let Some(added) = &other.transacted {
            self.transacted.get_or_insert_default().merge(added);
        }
    }

    /// Returns the number of completed operations, including flushes.
    #[must_use]
    pub fn ops(&self) -> u64 {
        self.per_op.iter().map(|o| o.tally.ops).sum()
    }

    /// Returns the counters of reads, writes and trims.
    fn data(&self) -> impl Iterator<Item = &OpStats> {
        [Op::Read, Op::Write, Op::Trim].into_iter().map(|op| self.op(op))
    }

    /// Returns the number of completed reads, writes and trims, on which IOPS is based.
    #[must_use]
    pub fn data_ops(&self) -> u64 {
        self.data().map(|stats| stats.tally.ops).sum()
    }

    /// Returns the number of bytes moved.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        Bytes(self.per_op.iter().map(|o| o.tally.bytes).sum())
    }

    /// Returns the number of failed operations.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.per_op.iter().map(|o| o.tally.failed()).sum()
    }

    /// Returns the reads, writes and trims per second of actual length.
    #[must_use]
    pub fn iops(&self) -> Iops {
        Iops(self.data_ops() as f64 / self.length.secs().max(1e-9))
    }

    /// Returns the bytes per second of actual length.
    #[must_use]
    pub fn bandwidth(&self) -> BytesPerSecond {
        BytesPerSecond(self.bytes().as_u64() as f64 / self.length.secs().max(1e-9))
    }

    /// Returns the latencies of reads, writes and trims together.
    #[must_use]
    pub fn latency(&self) -> LatencyHistogram {
        self.data().map(|stats| &stats.latency).sum()
    }

    /// Returns the response times (from the due time) of reads, writes and trims together; empty for a closed loop.
    #[must_use]
    pub fn response(&self) -> LatencyHistogram {
        self.data().map(|stats| &stats.response).sum()
    }

    /// Returns the time-averaged number of operations in flight, from the workers' integral.
    #[must_use]
    pub fn mean_in_flight(&self) -> f64 {
        self.in_flight_ns as f64 / (self.length.as_nanos() as f64).max(1.0)
    }

    /// Returns the CPU time per completed operation (user, system), or `None` without operations.
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
        let with_priorities = |priorities: &[(u16, u64)]| {
            let mut stats = OpStats::default();
            for (priority, ns) in priorities {
                let mut latency = LatencyHistogram::default();
                latency.record(Nanos(*ns));
                stats.latency.merge(&latency);
                PriorityLatency::merge_into(&mut stats.by_priority, *priority, &latency);
            }
            stats
        };
        let mut total = with_priorities(&[(0, 5_000), (8192, 1_000)]);
        total.merge(&with_priorities(&[(16388, 9_000), (0, 7_000)]));
        let counts: Vec<(u16, u64)> = total.by_priority.iter().map(|p| (p.priority, p.latency.count())).collect();
        assert_eq!(counts, [(0, 2), (8192, 1), (16388, 1)]);
        assert_eq!(counts.iter().map(|c| c.1).sum::<u64>(), total.latency.count());
        assert_eq!(total.by_priority[0].latency.max(), Some(Nanos::from_micros(7)));
    }
}
