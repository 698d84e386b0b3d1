//! Final counts of a worker, and their combination for several workers.

use model::record::{OtherWorkEnd, ThreadUsage, Verified};
use model::{Nanos, Sentence, measured::CpuWait};
use serde::{Deserialize, Serialize};

/// Maximum number of stored ages of pending operations.
const MOST_AGES: usize = 64;

/// Final counts of a worker, including ramp and drain.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkerEnd {
    /// Number of operations submitted to the engine.
    pub submitted: u64,
    /// Number of operations completed in full.
    pub completed: u64,
    /// CPU time of the thread since the start, user and kernel.
    pub cpu: Nanos,
    /// Number of failed operations, including failures that the job tolerates.
    pub failed: u64,
    /// Number of failed operations that the job does not count as errors (`JobTuning::ignore_errors`). They do not end
    /// the load.
    pub ignored: u64,
    /// Number of operations that never completed.
    pub pending: u64,
    /// Bytes of completed reads.
    pub read_bytes: u64,
    /// Bytes of completed writes.
    pub write_bytes: u64,
    /// Number of completed reads.
    pub read_ops: u64,
    /// Number of completed writes.
    pub write_ops: u64,
    /// Ages of pending operations, oldest first, at most 64.
    pub pending_ages: Vec<Nanos>,
    /// Maximum delay of a submission (paced loops).
    pub late_max: Nanos,
    /// Reason why the load is invalid: the engine failed, a flush failed, or an operation exceeded the maximum latency.
    pub broken: Option<String>,
    /// True if an error ended the load: an error that the job does not tolerate, or more errors than it tolerates.
    pub ended_by_error: bool,
    /// Errno of the first error that was not tolerated; 0 = none.
    pub first_error: i32,
    /// Resources used by the thread since the start.
    pub usage: ThreadUsage,
    /// Time during which the thread was ready to run but had no CPU, measured from before the thread's start until
    /// after its end. Set by the caller.
    pub cpu_wait: Option<CpuWait>,
    /// Result of verification.
    pub verified: Verified,
    /// Depth at which the search for a latency target settled.
    pub settled_depth: Option<u32>,
    /// Time at which the worker settled at that depth, on the run's clock. Earlier figures belong to the search.
    pub settled_at: Option<Nanos>,
    /// Number of zones reset.
    pub zone_resets: u64,
    /// Number of reads of missing objects, which returned zeros.
    pub absent_reads: u64,
    /// True if the load filled the target, as the job requested (`Ends::until_full`).
    pub full: bool,
    /// Number of operations that did not fit into the log.
    pub unlogged: u64,
    /// Result of work other than I/O; set by the caller.
    pub other_work: Option<Box<OtherWorkEnd>>,
    /// Failure of something other than I/O; set by the caller.
    pub trouble: Option<Sentence>,
}

impl WorkerEnd {
    /// Records the resources that the calling thread has used since `before`.
    pub fn book_usage(&mut self, before: sys::process::CpuTime) {
        let after = sys::threads::thread_cpu_time();
        self.usage = ThreadUsage {
            user: Nanos(after.user_ns - before.user_ns),
            system: Nanos(after.system_ns - before.system_ns),
            switches: (after.voluntary_switches + after.involuntary_switches)
                - (before.voluntary_switches + before.involuntary_switches),
            major_faults: after.major_faults - before.major_faults,
            minor_faults: after.minor_faults - before.minor_faults,
        };
        self.cpu = self.usage.user + self.usage.system;
    }

    /// Adds ages of pending operations. Keeps only the oldest, in descending order.
    pub(super) fn add_ages(&mut self, ages: &[Nanos]) {
        self.pending_ages.extend(ages);
        self.pending_ages.sort_unstable_by_key(|age| std::cmp::Reverse(*age));
        self.pending_ages.truncate(MOST_AGES);
    }

    /// Adds the counts of another worker. Counts, times and bytes are summed, and the oldest ages are kept. Of the
    /// reasons for failure, only the first one merged is kept.
    pub fn merge(&mut self, other: WorkerEnd) {
        // Every field is named, so that the compiler reports a new field that is not handled here.
        let WorkerEnd {
            submitted,
            completed,
            cpu,
            failed,
            ignored,
            pending,
            read_bytes,
            write_bytes,
            read_ops,
            write_ops,
            pending_ages,
            late_max,
            broken,
            ended_by_error,
            first_error,
            usage,
            cpu_wait,
            verified,
            settled_depth,
            settled_at,
            zone_resets,
            absent_reads,
            full,
            unlogged,
            other_work,
            trouble,
        } = other;
        self.submitted += submitted;
        self.completed += completed;
        self.cpu += cpu;
        self.failed += failed;
        self.ignored += ignored;
        self.pending += pending;
        self.read_bytes += read_bytes;
        self.write_bytes += write_bytes;
        self.read_ops += read_ops;
        self.write_ops += write_ops;
        self.add_ages(&pending_ages);
        self.late_max = self.late_max.max(late_max);
        self.broken = self.broken.take().or(broken);
        self.ended_by_error |= ended_by_error;
        if self.first_error == 0 {
            self.first_error = first_error;
        }
        self.usage.merge(&usage);
        self.cpu_wait = match (self.cpu_wait, cpu_wait) {
            (Some(mut ours), Some(other)) => {
                ours.merge(other);
                Some(ours)
            }
            (known, None) | (None, known) => known,
        };
        self.verified.merge(verified);
        self.settled_depth = self.settled_depth.or(settled_depth);
        self.settled_at = self.settled_at.or(settled_at);
        self.zone_resets += zone_resets;
        self.absent_reads += absent_reads;
        self.full |= full;
        self.unlogged += unlogged;
        self.other_work = self.other_work.take().or(other_work);
        self.trouble = self.trouble.take().or(trouble);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Generates a worker with random counts and no reasons for failure, because only the first merged reason is kept.
    fn any() -> impl Strategy<Value = WorkerEnd> {
        (prop::collection::vec(0u64..1 << 40, 18), prop::collection::vec(0u64..1000, 0..80), any_flags()).prop_map(
            |(n, ages, (ended_by_error, full, waited))| WorkerEnd {
                submitted: n[0],
                completed: n[1],
                cpu: Nanos(n[2]),
                failed: n[3],
                ignored: n[4],
                pending: n[5],
                read_bytes: n[6],
                write_bytes: n[7],
                read_ops: n[8],
                write_ops: n[9],
                pending_ages: ages.into_iter().map(Nanos).collect(),
                late_max: Nanos(n[10]),
                ended_by_error,
                usage: ThreadUsage { switches: n[11], ..ThreadUsage::default() },
                cpu_wait: waited.then_some(CpuWait { time: Nanos(n[12]), times: n[13] }),
                verified: Verified { blocks: n[14], wrong: n[15], findings: Vec::new() },
                zone_resets: n[16],
                absent_reads: n[17],
                full,
                unlogged: n[0] ^ n[1],
                ..WorkerEnd::default()
            },
        )
    }

    fn any_flags() -> impl Strategy<Value = (bool, bool, bool)> {
        (prop::bool::ANY, prop::bool::ANY, prop::bool::ANY)
    }

    fn merged(ends: &[&WorkerEnd]) -> WorkerEnd {
        ends.iter().fold(WorkerEnd::default(), |mut sum, end| {
            sum.merge((*end).clone());
            sum
        })
    }

    proptest! {
        #[test]
        fn the_order_of_workers_does_not_matter(a in any(), b in any(), c in any()) {
            let sum = merged(&[&a, &b, &c]);
            prop_assert_eq!(&sum, &merged(&[&c, &a, &b]));
            prop_assert_eq!(&sum, &merged(&[&merged(&[&b, &a]), &c]));
            prop_assert_eq!(sum.completed, a.completed + b.completed + c.completed);
        }
    }

    #[test]
    fn of_reasons_the_first_stays() {
        let end = |error, broken: &str| WorkerEnd {
            first_error: error,
            broken: Some(broken.to_owned()),
            settled_depth: Some(error as u32),
            ..WorkerEnd::default()
        };
        let sum = merged(&[&WorkerEnd::default(), &end(5, "a"), &end(28, "b")]);
        assert_eq!((sum.first_error, sum.broken.as_deref(), sum.settled_depth), (5, Some("a"), Some(5)));
    }
}
