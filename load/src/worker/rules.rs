//! End conditions other than time and count, and rules for tolerated errors. Conditions and rules are evaluated when a
//! window ends or an operation fails.

use crate::recorder::Recorder;
pub(super) use model::measured::TOO_LATE;
use model::plan::{ErrorPolicy, JobTuning, Pacing, Workload};
use model::{Nanos, Op, measured::ErrorNumbers};
use sys::errno::{EDQUOT, ENOSPC};

/// Errors that indicate a full device or an exhausted quota.
const FULL: [i32; 2] = [ENOSPC, EDQUOT];

/// End conditions of a load other than time and count.
#[derive(Debug, Clone, Default)]
pub struct EndRules {
    /// Maximum latencies of reads, writes and trims. If an operation takes longer, the load ends as failed.
    pub max_latency: Option<[Nanos; 3]>,
    /// Latency target of the depth search, with which each operation is compared.
    pub target: Option<Nanos>,
    /// True if the load ends successfully when the target is full.
    pub until_full: bool,
    /// True for each group of directions whose errors are tolerated: first reads, then writes and trims. `None` = both
    /// groups.
    pub tolerate: Option<[bool; 2]>,
    /// Errno values that do not end the load, for reads, writes and checks.
    pub ignore: [Vec<i32>; 3],
    /// True if the first wrong block ends the load.
    pub fatal: bool,
}

impl EndRules {
    /// Returns the rules of a job.
    #[must_use]
    pub fn new(tuning: &JobTuning, fatal: bool) -> Self {
        EndRules {
            max_latency: tuning.ends.max_latency,
            target: tuning.ends.latency_target.map(|t| t.target),
            until_full: tuning.ends.until_full,
            tolerate: tuning.tolerate,
            ignore: tuning.ignore_errors.clone(),
            fatal,
        }
    }
}

/// Effect of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The failure is counted, and the load continues.
    Pass,
    /// The failure is counted as ignored, and the load continues.
    Ignore,
    /// The target is full, as requested.
    Full,
    /// The load ends.
    End,
}

/// Rules, and the counts from the windows evaluated so far.
#[derive(Debug)]
pub(super) struct Watch {
    pub(super) rules: EndRules,
    /// Number of operations since the last evaluation by the depth search.
    pub(super) ops: u64,
    /// Number of operations since that evaluation that exceeded the target.
    pub(super) late: u64,
}

impl Watch {
    pub(super) fn new(rules: EndRules) -> Self {
        Watch { rules, ops: 0, late: 0 }
    }

    /// Evaluates a window that has ended. Returns a message if an operation took too long.
    pub(super) fn observe(&mut self, recorder: &Recorder) -> Option<String> {
        if let Some(Nanos(target)) = self.rules.target {
            for op in [Op::Read, Op::Write, Op::Trim] {
                self.ops += recorder.tally(op).0;
                self.late += recorder.beyond(op, target);
            }
        }
        let limits = self.rules.max_latency?;
        [Op::Read, Op::Write, Op::Trim].into_iter().zip(limits).find_map(|(op, limit)| {
            let longest = Nanos(recorder.longest(op));
            (!limit.is_zero() && longest > limit)
                .then(|| format!("a {op} took {longest}, more than the {limit} allowed"))
        })
    }

    /// Returns the effect of a failure. `count` is the number of failures across all workers, including this one.
    pub(super) fn judge(&self, policy: ErrorPolicy, op: Op, errno: i32, wrong: bool, count: u64) -> Verdict {
        let ignored = match (op, wrong) {
            (_, true) => &self.rules.ignore[2],
            (Op::Read, _) => &self.rules.ignore[0],
            (Op::Write, _) => &self.rules.ignore[1],
            (Op::Trim | Op::Flush, _) => &Vec::new(),
        };
        // The values in job files are interpreted as errno values on every system.
        if ignored.contains(&errno) || ignored.contains(&ErrorNumbers::here().errno(errno)) {
            return Verdict::Ignore;
        }
        if wrong {
            // All other blocks are still checked, because one wrong block does not imply that others are wrong.
            return if self.rules.fatal { Verdict::End } else { Verdict::Pass };
        }
        if self.rules.until_full && op == Op::Write && FULL.contains(&errno) {
            return Verdict::Full;
        }
        let tolerated = self.rules.tolerate.is_none_or(|t| t[usize::from(op != Op::Read)]);
        let enough = !tolerated
            || match policy {
                ErrorPolicy::Stop => true,
                ErrorPolicy::Count(n) => count >= n,
                ErrorPolicy::Continue => false,
            };
        if enough { Verdict::End } else { Verdict::Pass }
    }
}

/// Returns the directions with separate patterns, and their shares in percent.
pub(super) fn directions(workload: &Workload) -> Vec<(Op, u64)> {
    let mix = workload.mix;
    let shares = [(Op::Read, mix.read_percent()), (Op::Write, mix.write_percent), (Op::Trim, mix.trim_percent)];
    let used: Vec<(Op, u64)> = shares.into_iter().filter(|(_, p)| *p > 0).map(|(op, p)| (op, u64::from(p))).collect();
    match workload.pacing {
        Pacing::Rates(_) => used,
        // The directions share one pattern: only the first direction is used, and it has no rate.
        _ => used.into_iter().take(1).map(|(op, _)| (op, 100)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::measured::WRONG_DATA;
    use sys::errno::EIO;

    fn watch(rules: EndRules) -> Watch {
        Watch::new(rules)
    }

    #[test]
    fn only_errors_of_the_tolerated_kind_end_nothing() {
        // Values of fio's continue_on_error: read, write, verify, io.
        let cases = [
            (Some([true, false]), Verdict::Pass, Verdict::End),
            (Some([false, true]), Verdict::End, Verdict::Pass),
            (Some([false, false]), Verdict::End, Verdict::End),
            (None, Verdict::Pass, Verdict::Pass),
        ];
        for (tolerate, read, write) in cases {
            let watch = watch(EndRules { tolerate, ..EndRules::default() });
            let judge = |op, wrong| watch.judge(ErrorPolicy::Continue, op, 5, wrong, 1);
            assert_eq!((judge(Op::Read, false), judge(Op::Write, false)), (read, write), "{tolerate:?}");
            assert_eq!((judge(Op::Trim, false), judge(Op::Flush, false)), (write, write), "{tolerate:?}");
            assert_eq!(judge(Op::Read, true), Verdict::Pass, "a wrong block ends only what is to end by it");
        }
        let none = watch(EndRules::default());
        assert_eq!(none.judge(ErrorPolicy::Stop, Op::Read, 5, false, 1), Verdict::End);
        let fatal = watch(EndRules { fatal: true, ..EndRules::default() });
        assert_eq!(fatal.judge(ErrorPolicy::Continue, Op::Read, WRONG_DATA, true, 1), Verdict::End);
    }

    #[test]
    fn ignored_errors_belong_to_reads_writes_and_checks_apart() {
        let watch =
            watch(EndRules { ignore: [vec![5], vec![28], vec![WRONG_DATA]], fatal: true, ..EndRules::default() });
        let judge = |op, errno, wrong| watch.judge(ErrorPolicy::Stop, op, errno, wrong, 1);
        assert_eq!((judge(Op::Read, EIO, false), judge(Op::Read, ENOSPC, false)), (Verdict::Ignore, Verdict::End));
        assert_eq!((judge(Op::Write, ENOSPC, false), judge(Op::Write, EIO, false)), (Verdict::Ignore, Verdict::End));
        assert_eq!(judge(Op::Read, WRONG_DATA, true), Verdict::Ignore);
        assert_eq!(judge(Op::Flush, EIO, false), Verdict::End);
    }

    #[test]
    fn only_a_write_that_finds_no_room_ends_filling_well() {
        let watch = watch(EndRules { until_full: true, ..EndRules::default() });
        let judge = |op, errno| watch.judge(ErrorPolicy::Stop, op, errno, false, 1);
        assert_eq!((judge(Op::Write, ENOSPC), judge(Op::Write, EDQUOT)), (Verdict::Full, Verdict::Full));
        assert_eq!((judge(Op::Write, EIO), judge(Op::Read, ENOSPC)), (Verdict::End, Verdict::End));
    }
}
