//! Limits of this process's control group during a run; they may change at any time.

use model::record::{CapsSeen, Preflight};
use model::{Limit, Nanos};
use monitor::{Roots, cgroup_limits};

/// Watch for changes of the limits. They are read every second, and when a step begins or ends. Reading them takes tens
/// of microseconds on the conductor's thread.
#[derive(Debug, Default)]
pub(crate) struct CapWatch {
    roots: Option<Roots>,
    devices: Vec<(u32, u32)>,
    /// Limits, each with the time from which it applies; the first entry is from the preflight.
    seen: Vec<CapsSeen>,
}

impl CapWatch {
    /// Begins with the limits of the preflight. Changes are ignored if limits apply to single targets, which happens if
    /// targets have different devices.
    pub fn begin(roots: &Roots, preflight: &Preflight, now: Nanos) -> CapWatch {
        let by_target = preflight.limits.iter().any(|l| !l.on.is_empty());
        if by_target {
            return CapWatch::default();
        }
        let devices = preflight.storage.devices.iter().map(|d| d.dev).collect();
        let first = CapsSeen { from: now, limits: preflight.limits.clone() };
        CapWatch { roots: Some(roots.clone()), devices, seen: vec![first] }
    }

    /// Reads the limits once.
    pub fn sample(&mut self, now: Nanos) {
        let Some(roots) = &self.roots else { return };
        let limits = cgroup_limits(roots, &self.devices);
        self.saw(limits, now);
    }

    fn saw(&mut self, limits: Vec<Limit>, now: Nanos) {
        if self.seen.last().is_some_and(|last| last.limits != limits) {
            self.seen.push(CapsSeen { from: now, limits });
        }
    }

    /// Returns the limits that applied from `start` to `end`; empty if they were the same as in the preflight all the
    /// time.
    pub fn during(&self, start: Nanos, end: Nanos) -> Vec<CapsSeen> {
        let Some((first, changes)) = self.seen.split_first() else { return Vec::new() };
        let before = changes.iter().rfind(|s| s.from <= start);
        let within = changes.iter().filter(|s| s.from > start && s.from <= end);
        let at_start =
            before.filter(|s| s.limits != first.limits || changes.iter().any(|c| c.from > start && c.from <= end));
        at_start.map(|s| CapsSeen { from: Nanos(0), ..s.clone() }).into_iter().chain(within.cloned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Iops, bounds::LimitSource};

    fn limits(iops: f64) -> Vec<Limit> {
        let source = LimitSource::Cgroup { file: "io.max".into() };
        vec![Limit { iops: Some(Iops(iops)), ..Limit::new("cgroup", source) }]
    }

    #[test]
    fn a_step_has_the_limits_it_ran_under_and_none_if_they_are_the_first() {
        let first = CapsSeen { from: Nanos(0), limits: limits(6000.0) };
        let mut watch = CapWatch { seen: vec![first], ..CapWatch::default() };
        let seen = |watch: &CapWatch, start, end| -> Vec<(u64, f64)> {
            let iops = |s: &CapsSeen| s.limits.first().and_then(|l| l.iops).map_or(0.0, |i| i.per_second());
            watch.during(Nanos(start), Nanos(end)).iter().map(|s| (s.from.as_nanos(), iops(s))).collect()
        };
        watch.saw(limits(6000.0), Nanos(5));
        assert!(seen(&watch, 0, 10).is_empty());
        watch.saw(limits(300.0), Nanos(20));
        assert!(seen(&watch, 0, 10).is_empty());
        assert_eq!(seen(&watch, 15, 30), [(20, 300.0)], "during the step");
        assert_eq!(seen(&watch, 40, 50), [(0, 300.0)], "before it");
        watch.saw(Vec::new(), Nanos(60));
        assert_eq!(seen(&watch, 55, 70), [(0, 300.0), (60, 0.0)]);
        watch.saw(limits(6000.0), Nanos(80));
        assert!(seen(&watch, 90, 100).is_empty(), "as at first");
        assert_eq!(seen(&watch, 75, 85), [(0, 0.0), (80, 6000.0)]);
    }
}
