//! Search for the maximum depth that meets a latency target (fio's latency_target). The search doubles the depth,
//! starting from one, until a cycle fails. Then it bisects between the highest depth that met the target and the lowest
//! one that failed. When the same depth has been found three times, the next higher depth is tried.

use model::plan::LatencyTarget;

/// Outcome of a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::worker) enum Step {
    /// Continue at the current depth.
    GoOn,
    /// Continue at a lower depth, after the operations in flight have completed.
    Down,
    /// The depth has been found. One more cycle follows, whose figures are the result.
    Found,
    /// The last cycle has ended.
    Done,
    /// Even a depth of one exceeds the latency target.
    Hopeless,
}

/// State of the depth search.
pub(in crate::worker) struct DepthSearch {
    rule: LatencyTarget,
    deepest: u64,
    depth: u64,
    high: u64,
    low: u64,
    stable: u32,
    /// True if a depth has failed; the search then continues below that depth instead of doubling. (fio instead checks
    /// whether the upper depth is the maximum, and oscillates forever if the maximum itself fails.)
    bounded: bool,
    last_run: bool,
    /// Start of the cycle, on the run's clock.
    since: u64,
    settled_at: Option<u64>,
}

impl DepthSearch {
    pub(in crate::worker) fn new(rule: LatencyTarget, depth: u64) -> Self {
        DepthSearch {
            rule,
            deepest: depth,
            depth: 1,
            high: depth,
            low: 1,
            stable: 0,
            bounded: false,
            last_run: false,
            since: 0,
            settled_at: None,
        }
    }

    pub(in crate::worker) fn begin(&mut self, now: u64) {
        self.since = now;
    }

    pub(in crate::worker) fn depth(&self) -> u64 {
        self.depth
    }

    pub(in crate::worker) fn settled_at(&self) -> Option<u64> {
        self.settled_at
    }

    pub(in crate::worker) fn is_over(&self, now: u64) -> bool {
        now.saturating_sub(self.since) >= self.rule.window.as_nanos()
    }

    /// Ends a cycle of `ops` operations, of which `late` exceeded the target.
    pub(in crate::worker) fn cycle(&mut self, now: u64, ops: u64, late: u64) -> Step {
        if ops == 0 {
            // Nothing completed, so the result is unknown. The cycle continues.
            return Step::GoOn;
        }
        self.since = now;
        let kept = (ops - late.min(ops)) as f64 * 100.0 / ops as f64;
        if kept >= self.rule.percentile { self.kept(now) } else { self.failed() }
    }

    fn kept(&mut self, now: u64) -> Step {
        let before = self.depth;
        self.low = self.depth;
        if self.depth + 1 == self.high {
            self.stable += 1;
            if self.stable >= 3 {
                self.high += 1;
                self.stable = 0;
            }
        }
        self.depth = if self.bounded { (self.depth + self.high) / 2 } else { self.depth * 2 };
        self.depth = self.depth.min(self.deepest);
        if self.rule.run || self.depth != before {
            return Step::GoOn;
        }
        if self.last_run {
            return Step::Done;
        }
        self.last_run = true;
        self.settled_at = Some(now);
        Step::Found
    }

    fn failed(&mut self) -> Step {
        if self.depth == 1 {
            // At depth one, fio continues if some of the operations may exceed the target, and gives up otherwise.
            return if self.rule.percentile >= 100.0 { Step::Hopeless } else { Step::GoOn };
        }
        self.high = self.depth;
        self.bounded = true;
        if self.depth == self.low {
            self.low -= 1;
        }
        self.depth = ((self.depth + self.low) / 2).max(1);
        self.stable = 0;
        Step::Down
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Nanos;

    /// Simulates a device whose latency in microseconds equals its depth.
    fn search(target: u64, deepest: u64) -> Option<u64> {
        let rule = LatencyTarget { target: Nanos(target), window: Nanos(1000), percentile: 100.0, run: false };
        let mut probe = DepthSearch::new(rule, deepest);
        for cycle in 1..200 {
            let late = if probe.depth() > target { 100 } else { 0 };
            match probe.cycle(cycle * 1000, 100, late) {
                Step::Done => return Some(probe.depth()),
                Step::Hopeless => return None,
                Step::GoOn | Step::Down | Step::Found => {}
            }
        }
        panic!("does not settle at {target} of {deepest}")
    }

    #[test]
    fn the_deepest_queue_that_keeps_the_latency_is_found() {
        for deepest in [1u64, 2, 7, 32, 64, 100] {
            for target in 1..deepest + 2 {
                let depth = search(target, deepest).unwrap();
                assert!(depth <= target.min(deepest), "{depth} of {target}, {deepest}");
                assert!(depth + 1 >= target.min(deepest), "{depth} of {target}, {deepest}");
            }
        }
    }

    #[test]
    fn a_latency_that_one_operation_breaks_is_hopeless() {
        assert_eq!(search(0, 32), None);
    }

    #[test]
    fn a_depth_that_is_run_on_goes_down_again_when_the_latency_is_not_kept() {
        let rule = LatencyTarget { target: Nanos(10), window: Nanos(1), percentile: 90.0, run: true };
        let mut probe = DepthSearch::new(rule, 64);
        for now in 0..20 {
            probe.cycle(now, 100, 0);
        }
        assert_eq!(probe.depth(), 64);
        assert_eq!(probe.cycle(21, 100, 11), Step::Down);
        assert!(probe.depth() < 64);
    }
}
