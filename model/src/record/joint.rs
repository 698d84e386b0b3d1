//! Loads: several targets loaded at the same time, or simultaneous clones of a job file section, combined into one. The
//! combination is an ordinary record, so the rules for one target and one job also judge the sum under a shared cap.

use crate::bounds::{Burst, BurstLasts, LimitSource};
use crate::measured::{Phase, Window};
use crate::plan::named_place;
use crate::record::{Results, Step, StepEnd, StepStop};
use crate::{Bytes, BytesPerSecond, Interval, Iops, Limit, Nanos, Plan, RunRecord, Stage, Target, plan::NamedTarget};
use std::borrow::Cow;
use std::ops::Range;

impl Plan {
    /// Returns `true` if several targets are loaded at the same time.
    #[must_use]
    pub fn side_by_side(&self) -> bool {
        self.stages.iter().any(|s| s.place.side > 0)
    }

    /// Returns the target, or all targets if several are loaded in parallel.
    pub fn each_target(&self) -> impl Iterator<Item = &Target> {
        let alone = self.targets.is_empty().then_some(&self.target);
        alone.into_iter().chain(self.targets.iter().map(|t| &t.target))
    }

    /// Returns a description of the target for lists: the path, or all paths by name, without the names of test files
    /// of secchi.
    #[must_use]
    pub fn shown_target(&self) -> String {
        if let Some(watch) = self.watch() {
            return watch.summary();
        }
        if self.targets.is_empty() {
            return self.target.path.to_string_lossy().into_owned();
        }
        let named =
            self.targets.iter().map(|t| format!("{}={}", t.name, named_place(&t.target.path).to_string_lossy()));
        named.collect::<Vec<_>>().join(" + ")
    }

    /// Returns the indices of the stages that belong to one of the targets.
    #[must_use]
    pub fn stages_of(&self, side: usize) -> Vec<usize> {
        (0..self.stages.len()).filter(|i| self.stages[*i].place.side == side).collect()
    }
}

/// Maximum difference between the starts of steps that count as simultaneous. It is far below one second, the interval
/// in which figures are reported.
const TOGETHER: Nanos = Nanos::from_millis(100);

impl RunRecord {
    /// Returns the record with one step per load: parallel targets and simultaneous clones of a section (fio's numjobs)
    /// are summed second by second. Limits are those that apply to all targets, and the sum of the caps of the targets
    /// if every target has such a cap. Steps and stages are renumbered; only the stages of the first target and first
    /// clone remain. Returns the record itself if every step already is a separate load.
    #[must_use]
    pub fn joint(&self) -> Cow<'_, RunRecord> {
        let loads = self.stage_loads();
        if loads.iter().enumerate().all(|(stage, load)| stage == *load) {
            return Cow::Borrowed(self);
        }
        let mut kept: Vec<usize> = loads.clone();
        kept.dedup();
        kept.sort_unstable();
        kept.dedup();
        let groups = self.load_groups(&loads);
        let mut joint = self.without_steps();
        joint.plan.stages = kept.iter().map(|first| self.load_stage(*first, &loads)).collect();
        joint.steps = groups.iter().filter_map(|group| self.sum_of_load(group, &loads, &kept)).collect();
        if self.plan.side_by_side() {
            joint.plan.target.size = self.plan.each_target().map(|t| t.size).sum::<Bytes>();
            joint.plan.limits = shared(&self.plan.limits, self);
            joint.preflight.limits = shared(&self.preflight.limits, self);
        }
        joint.results = match &self.results {
            // The request times of a ping already cover all targets.
            results @ Some(Results::Ping(_)) => results.clone(),
            results @ Some(Results::Replay(_)) if !self.plan.side_by_side() => results.clone(),
            _ => None,
        };
        let renumbered = |step: &usize| groups.iter().position(|g| g.contains(step));
        for (steps, counts) in &self.together {
            let mut steps: Vec<usize> = steps.iter().filter_map(renumbered).collect();
            steps.dedup();
            if steps.len() > 1 {
                joint.together.push((steps, counts.clone()));
            }
        }
        for caveat in &mut joint.caveats {
            caveat.step = caveat.step.as_ref().and_then(renumbered);
        }
        Cow::Owned(joint)
    }

    /// Returns the indices of the steps of each load, in the order of the steps of [`RunRecord::joint`].
    #[must_use]
    pub fn load_steps(&self) -> Vec<Vec<usize>> {
        self.load_groups(&self.stage_loads())
    }

    /// Returns, for each stage, the first stage of its load: the same stage of the first target and of the section's
    /// first clone.
    fn stage_loads(&self) -> Vec<usize> {
        let stages = &self.plan.stages;
        let mut loads: Vec<usize> = (0..stages.len()).collect();
        let sides = stages.iter().map(|s| s.place.side).max().unwrap_or(0);
        let first = self.plan.stages_of(0);
        for side in 0..=sides {
            // All targets have the same stages in the same order.
            for (stage, like) in self.plan.stages_of(side).into_iter().zip(&first) {
                loads[stage] = *like;
            }
        }
        for pair in first.windows(2) {
            let [place, next] = [stages[pair[0]].place, stages[pair[1]].place];
            if next.clone > 0 && next.with_previous && next.section.is_some() && next.section == place.section {
                let load = loads[pair[0]];
                loads.iter_mut().filter(|l| **l == pair[1]).for_each(|l| *l = load);
            }
        }
        loads
    }

    /// Returns the indices of the steps of each load. The steps of a load belong to its different stages; clones ran at
    /// the same time.
    fn load_groups(&self, loads: &[usize]) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (index, step) in self.steps.iter().enumerate() {
            let of_load = |group: &&mut Vec<usize>| loads.get(self.steps[group[0]].stage) == loads.get(step.stage);
            let joins = |group: &&mut Vec<usize>| {
                let first = &self.steps[group[0]];
                let is_other_target = self.stage_of(first).place.side != self.stage_of(step).place.side;
                group.iter().all(|i| self.steps[*i].stage != step.stage)
                    && (is_other_target || first.overlaps(step))
                    && (first.pass, first.hold) == (step.pass, step.hold)
            };
            match groups.iter_mut().rfind(of_load).filter(joins) {
                Some(group) => group.push(index),
                None => groups.push(vec![index]),
            }
        }
        groups
    }

    /// Returns the stage of a load, with the files and threads of all clones and the name of their section.
    fn load_stage(&self, first: usize, loads: &[usize]) -> Stage {
        let mut stage = self.plan.stages[first].clone();
        let side = stage.place.side;
        let clones = self.plan.stages.iter().enumerate().skip(first + 1);
        let clones = clones.filter(|(i, s)| loads[*i] == first && s.place.side == side).map(|(_, s)| s);
        for clone in clones {
            if let Some(section) = self.plan.section_of(&stage) {
                stage.name.clone_from(&section.name);
                stage.job.name.clone_from(&section.name);
            }
            stage.job.add_clone(&clone.job);
        }
        stage
    }

    /// Returns the record of some of the targets alone, selected by index in ascending order, with the limits that
    /// apply to exactly these targets. The steps have no kernel counts, because the kernel counts all targets together.
    /// Stages have the same names as in [`RunRecord::joint`].
    #[must_use]
    pub fn only(&self, sides: &[usize]) -> RunRecord {
        let first = self.plan.stages_of(0);
        let kept: Vec<usize> =
            (0..self.plan.stages.len()).filter(|i| sides.contains(&self.plan.stages[*i].place.side)).collect();
        let mut alone = self.without_steps();
        let named: Vec<&NamedTarget> = sides.iter().filter_map(|side| self.plan.targets.get(*side)).collect();
        if let Some(named) = named.first() {
            alone.plan.target = named.target.clone();
        }
        alone.plan.fill = named.iter().map(|t| t.fill).sum::<Bytes>();
        alone.plan.targets = if named.len() > 1 { named.iter().copied().cloned().collect() } else { Vec::new() };
        alone.preflight.under_each =
            sides.iter().filter_map(|side| self.preflight.under_each.get(*side).cloned()).collect();
        if let [storage] = alone.preflight.under_each.as_slice() {
            alone.preflight.storage = storage.clone();
        }
        for (i, index) in kept.iter().enumerate() {
            let mut stage = self.plan.stages[*index].clone();
            stage.place.side = sides.iter().position(|side| *side == stage.place.side).unwrap_or(0);
            // All targets have the same stages in the same order.
            let like = first.get(i / sides.len().max(1)).and_then(|i| self.plan.stages.get(*i));
            stage.place.with_previous = stage.place.side > 0 || like.is_some_and(|like| like.place.with_previous);
            if let Some(like) = like.filter(|_| stage.place.side == 0) {
                stage.name.clone_from(&like.name);
                stage.follows.clone_from(&like.follows);
            }
            alone.plan.stages.push(stage);
        }
        for (index, step) in self.steps.iter().enumerate() {
            let Some(stage) = kept.iter().position(|s| *s == step.stage) else { continue };
            for caveat in alone.caveats.iter_mut().filter(|c| c.step == Some(index)) {
                caveat.step = Some(alone.steps.len());
            }
            alone.steps.push(Step { stage, accounting: None, ..step.clone() });
        }
        let is_shared =
            |limit: &&Limit| limit.on.len() == named.len() && named.iter().all(|n| limit.on.contains(&n.name));
        let of_these = |limits: &[Limit]| -> Vec<Limit> {
            limits.iter().filter(is_shared).map(|l| Limit { on: Vec::new(), ..l.clone() }).collect()
        };
        alone.plan.limits = of_these(&self.plan.limits);
        alone.preflight.limits = of_these(&self.preflight.limits);
        alone.plan.needs.clear();
        alone
    }

    /// Returns a copy without stages, steps and the counts of simultaneous steps. Steps make up most of a record, so
    /// copying them only to drop them would be wasteful. A block trace keeps the old step numbers.
    fn without_steps(&self) -> RunRecord {
        let plan = Plan { stages: Vec::new(), ..self.plan.clone() };
        RunRecord {
            version: self.version,
            state: self.state,
            reason: self.reason.clone(),
            signal: self.signal,
            ended: self.ended,
            fill: self.fill,
            series: self.series.clone(),
            caveats: self.caveats.clone(),
            notes: self.notes.clone(),
            disks: self.disks.clone(),
            blocks: self.blocks.clone(),
            ..RunRecord::new(&self.tool, &self.id, &self.started, plan, self.preflight.clone())
        }
    }

    /// Returns the indices of steps that ran simultaneously from the first second: clones of a job, workers of a
    /// database. Steps of several targets do not form such a group ([`RunRecord::joint`]).
    #[must_use]
    pub fn simultaneous(&self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (index, step) in self.steps.iter().enumerate() {
            let place = &self.stage_of(step).place;
            let begun = |group: &Vec<usize>| {
                let first = &self.steps[group[0]];
                place.with_previous
                    && first.pass == step.pass
                    && first.start.as_nanos().abs_diff(step.start.as_nanos()) < TOGETHER.as_nanos()
            };
            match groups.last_mut().filter(|group| begun(group)) {
                Some(group) => group.push(index),
                None => groups.push(vec![index]),
            }
        }
        groups
    }

    /// Returns the sum of a group of [`RunRecord::simultaneous`] for each second. Work done by some steps after others
    /// had ended counts as drain.
    #[must_use]
    pub fn seconds_of(&self, group: &[usize]) -> Vec<Interval> {
        match group {
            [one] => self.steps[*one].intervals.clone(),
            several => same_seconds(&several.iter().map(|i| &self.steps[*i]).collect::<Vec<_>>()),
        }
    }

    /// Returns the indices of steps of several targets that ran at the same time. Within a group, the order is that of
    /// the targets.
    #[must_use]
    pub fn step_groups(&self) -> Vec<Vec<usize>> {
        let indices: Vec<usize> = (0..self.steps.len()).collect();
        let groups = indices.chunk_by(|_, next| self.stage_of(&self.steps[*next]).place.side > 0);
        groups.map(<[usize]>::to_vec).collect()
    }

    /// Returns the groups of [`RunRecord::step_groups`] as steps.
    #[must_use]
    pub fn steps_together(&self) -> Vec<Vec<&Step>> {
        let steps = |group: &Vec<usize>| group.iter().map(|i| &self.steps[*i]).collect();
        self.step_groups().iter().map(steps).collect()
    }

    /// Returns the sum of the steps of a load as one step.
    fn sum_of_load(&self, group: &[usize], loads: &[usize], kept: &[usize]) -> Option<Step> {
        let steps: Vec<&Step> = group.iter().map(|i| &self.steps[*i]).collect();
        let first = *steps.first()?;
        let stage = kept.iter().position(|s| loads.get(first.stage) == Some(s))?;
        if steps.len() == 1 {
            return Some(Step { stage, ..first.clone() });
        }
        let mut job = first.job.clone();
        let side = |step: &Step| self.stage_of(step).place.side;
        for other in &steps[1..] {
            match side(other) == side(first) {
                true => job.add_clone(&other.job),
                false => job.threads = job.threads.saturating_add(other.job.threads),
            }
        }
        let mut end = first.end.clone();
        for other in &steps[1..] {
            match (&mut end, &other.end) {
                (Some(end), Some(other)) => end.merge_parallel(other),
                // If one step has not ended, the group has not ended.
                _ => end = None,
            }
        }
        // A clone that ended before it was measured does not affect the seconds of the others.
        let is_idle = |step: &Step| side(step) == side(first) && step.measured_from().is_none() && step.end.is_some();
        let measured: Vec<&Step> = steps.iter().copied().filter(|step| !is_idle(step)).collect();
        let same = |steps: &Vec<usize>| steps.len() == group.len() && steps.iter().all(|i| group.contains(i));
        let accounting = self.together.iter().find(|(steps, _)| same(steps)).map(|(_, counts)| counts.clone());
        Some(Step {
            stage,
            pass: first.pass,
            hold: first.hold,
            job,
            start: first.start,
            intervals: same_seconds(&measured),
            sampled: None,
            end,
            accounting,
        })
    }
}

impl Step {
    /// Returns the start of the step's first interval of a phase, or `None` if there is none.
    fn phase_start(&self, phase: Phase) -> Option<Nanos> {
        self.intervals.iter().find(|i| i.phase == phase).map(|i| i.start)
    }

    /// Returns the time at which measuring began.
    #[must_use]
    pub fn measured_from(&self) -> Option<Nanos> {
        self.phase_start(Phase::Measure)
    }

    /// Returns `true` if both steps were measured at the same time, or if one of them was not measured at all.
    fn overlaps(&self, other: &Step) -> bool {
        let span = |step: &Step| Some((step.measured_from()?, step.measured_until()?));
        span(self).zip(span(other)).is_none_or(|((from, until), (begin, end))| from < end && begin < until)
    }

    /// Returns the end of the last measured interval.
    #[must_use]
    pub fn measured_until(&self) -> Option<Nanos> {
        let last = self.intervals.iter().rfind(|i| i.phase == Phase::Measure)?;
        Some(last.start.saturating_add(last.length))
    }
}

/// Intervals of one phase of a step, aligned with the intervals of other steps.
struct Beside<'s> {
    /// All intervals of the phase.
    all: Vec<&'s Interval>,
    /// Intervals during which all steps ran. Each step has the same number of them, and intervals at the same position
    /// cover the same second.
    shared: Range<usize>,
}

impl<'s> Beside<'s> {
    fn together(&self) -> &[&'s Interval] {
        &self.all[self.shared.clone()]
    }

    /// Returns the intervals before or after those of the other steps.
    fn alone(&self) -> impl Iterator<Item = &'s Interval> {
        self.all[..self.shared.start].iter().chain(&self.all[self.shared.end..]).copied()
    }
}

/// Aligns the intervals of one phase. The first seconds of a step that began late are aligned with the seconds of the
/// other steps at that time, to within half a second.
fn side_by_side<'s>(steps: &[&'s Step], phase: Phase) -> Vec<Beside<'s>> {
    let latest = steps.iter().filter_map(|s| s.phase_start(phase)).max().unwrap_or_default();
    let shared_by = |step: &&'s Step| -> Beside<'s> {
        let intervals: Vec<&Interval> = step.intervals.iter().filter(|i| i.phase == phase).collect();
        // Steps that began together have the same interval boundaries.
        let apart = step.phase_start(phase).is_some_and(|start| latest.since(start) >= TOGETHER);
        let before = |i: &&&Interval| apart && i.start.as_nanos() + i.length.as_nanos() / 2 < latest.as_nanos();
        let from = intervals.iter().take_while(before).count();
        Beside { shared: from..intervals.len(), all: intervals }
    };
    let mut beside: Vec<Beside<'_>> = steps.iter().map(shared_by).collect();
    let common = beside.iter().map(|b| b.shared.len()).min().unwrap_or(0);
    beside.iter_mut().for_each(|b| b.shared.end = b.shared.start + common);
    beside
}

/// Returns the work of each step, in the order of the steps, during the seconds in which all of them were measured (the
/// seconds before a "stonewall" of IOR and IO500). The intervals are empty if there are no such seconds.
#[must_use]
pub fn measured_together(steps: &[&Step]) -> Vec<Interval> {
    let sum = |beside: &Beside<'_>| {
        let mut sum = Interval::default();
        beside.together().iter().for_each(|interval| sum.merge(interval));
        sum
    };
    side_by_side(steps, Phase::Measure).iter().map(sum).collect()
}

/// Sums the intervals of several steps second by second. Work done by one step before or after the others counts as
/// drain, because it is not part of their common rate.
fn same_seconds(steps: &[&Step]) -> Vec<Interval> {
    let mut intervals = Vec::new();
    let mut drain = Interval { phase: Phase::Drain, ..Interval::default() };
    for phase in [Phase::Ramp, Phase::Measure] {
        let steps_beside = side_by_side(steps, phase);
        for second in 0..steps_beside.first().map_or(0, |b| b.shared.len()) {
            let same: Vec<&Interval> = steps_beside.iter().map(|b| b.together()[second]).collect();
            intervals.push(add_up(&same));
        }
        steps_beside.iter().flat_map(Beside::alone).for_each(|interval| drain.merge_parallel(interval));
    }
    let drained = steps.iter().flat_map(|s| &s.intervals).filter(|i| i.phase == Phase::Drain);
    for interval in drained {
        if drain.length.is_zero() {
            (drain.start, drain.length) = (interval.start, interval.length);
        }
        drain.merge_parallel(interval);
    }
    if drain.ops() > 0 || drain.failed() > 0 {
        intervals.push(drain);
    }
    intervals
}

/// Sums the same second of several targets. The ends of the intervals differ by the time it takes to stop all targets,
/// so the mean length is used.
fn add_up(same: &[&Interval]) -> Interval {
    let mean = |of: &dyn Fn(&Interval) -> u64| same.iter().map(|i| of(i)).sum::<u64>() / same.len().max(1) as u64;
    let mut sum = Interval { length: Nanos(mean(&|i| i.length.as_nanos())), ..Interval::default() };
    if let Some(first) = same.first() {
        (sum.phase, sum.start) = (first.phase, first.start);
    }
    for interval in same {
        sum.merge_parallel(interval);
    }
    let windows = same.iter().map(|i| i.windows.len()).min().unwrap_or(0);
    sum.windows = (0..windows).map(|w| window(&same.iter().map(|i| i.windows[w]).collect::<Vec<_>>())).collect();
    sum
}

fn window(same: &[Window]) -> Window {
    let mut sum = Window::default();
    for window in same {
        sum.start = if sum.length.is_zero() { window.start } else { sum.start.min(window.start) };
        sum.length = sum.length.max(window.length);
        sum.merge_parallel(window);
    }
    sum
}

impl StepEnd {
    /// Adds the final counts of a step that ran at the same time.
    pub fn merge_parallel(&mut self, other: &StepEnd) {
        use StepStop::{Count, Errors, Hung, Signal, Steady, Time, Written};
        // The most severe reason is kept.
        let by_severity = [Steady, Time, Count, Written, Signal, Errors, Hung];
        let stop = by_severity.into_iter().rfind(|reason| [self.stop, other.stop].contains(reason));
        self.stop = stop.unwrap_or(self.stop);
        self.at = self.at.max(other.at);
        self.submitted += other.submitted;
        self.completed += other.completed;
        self.failed += other.failed;
        self.zone_resets += other.zone_resets;
        self.absent_reads += other.absent_reads;
        self.pending += other.pending;
        self.bytes += other.bytes;
        self.pending_ages.extend_from_slice(&other.pending_ages);
        self.busiest_thread = self.busiest_thread.max(other.busiest_thread);
        self.late_max = self.late_max.max(other.late_max);
        // These counts are for the whole machine, so they are the same for both.
        self.cpu_throttled = self.cpu_throttled.max(other.cpu_throttled);
        if let Some(other_wait) = other.cpu_wait {
            self.cpu_wait.get_or_insert_default().merge(other_wait);
        }
        self.usage.merge(&other.usage);
        if self.first_error == 0 {
            self.first_error = other.first_error;
        }
    }
}

/// Returns the limits for all targets together: limits that name no target or all targets, and the sum of the caps of
/// the targets if each target has a cap on the same axis and operation (docs/design/limits.md, "What limits allow": the
/// total rate cannot exceed the sum of the caps).
fn shared(limits: &[Limit], record: &RunRecord) -> Vec<Limit> {
    let names: Vec<&str> = record.plan.targets.iter().map(|t| t.name.as_str()).collect();
    let of_all = |l: &&Limit| l.on.is_empty() || names.iter().all(|name| l.on.iter().any(|on| on == name));
    let mut shared: Vec<Limit> = limits.iter().filter(of_all).cloned().collect();
    let mut done: Vec<(&str, Option<crate::Op>)> = Vec::new();
    for limit in limits.iter().filter(|l| l.on.len() == 1) {
        let kind = (limit.name.as_str(), limit.op);
        if done.contains(&kind) {
            continue;
        }
        done.push(kind);
        let row_of = |name: &&str| limits.iter().find(|l| l.on.iter().eq([*name]) && (l.name.as_str(), l.op) == kind);
        let Some(rows) = names.iter().map(row_of).collect::<Option<Vec<&Limit>>>() else { continue };
        let iops: Option<f64> = rows.iter().map(|l| l.iops.map(|i| i.per_second())).sum();
        let bandwidth: Option<f64> = rows.iter().map(|l| l.bandwidth.map(|b| b.per_second())).sum();
        if iops.is_none() && bandwidth.is_none() {
            continue;
        }
        shared.push(Limit {
            op: limit.op,
            iops: iops.map(Iops),
            bandwidth: bandwidth.map(BytesPerSecond),
            scope: limit.scope,
            charging: limit.charging,
            burst_iops: rows.iter().map(|l| l.burst_iops).reduce(sum_burst).flatten(),
            burst_bandwidth: rows.iter().map(|l| l.burst_bandwidth).reduce(sum_burst).flatten(),
            promised: limit.promised,
            ..Limit::new(format!("{} of {}", limit.name, names.join(" + ")), sum_source(&rows))
        });
    }
    shared
}

/// Combines two bursts: rates and bucket capacities are added, and the shorter time is used. Returns `None` if one of
/// them is `None`.
fn sum_burst(a: Option<Burst>, b: Option<Burst>) -> Option<Burst> {
    let (a, b) = (a?, b?);
    let lasts = match (a.lasts, b.lasts) {
        (BurstLasts::Bucket { capacity: x }, BurstLasts::Bucket { capacity: y }) => {
            BurstLasts::Bucket { capacity: x + y }
        }
        (BurstLasts::Time { time: x, every }, BurstLasts::Time { time: y, .. }) => {
            BurstLasts::Time { time: x.min(y), every }
        }
        _ => return None,
    };
    Some(Burst { rate: a.rate + b.rate, lasts })
}

/// Returns the source of a sum of rows: their common kind, or a declared limit if the kinds differ.
fn sum_source(rows: &[&Limit]) -> LimitSource {
    let kind = std::mem::discriminant(&rows[0].source);
    match &rows[0].source {
        source @ (LimitSource::Cgroup { .. } | LimitSource::Catalog { .. })
            if rows.iter().all(|l| std::mem::discriminant(&l.source) == kind) =>
        {
            source.clone()
        }
        _ => LimitSource::Declared(rows.iter().map(ToString::to_string).collect::<Vec<_>>().join(" + ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{job, second};

    #[test]
    fn the_same_second_of_two_targets_adds_counts_and_not_time() {
        let sum = add_up(&[&second(5, 1000, 3), &second(5, 1000, 4)]);
        assert_eq!((sum.data_ops(), sum.length, sum.start), (7, Nanos::from_secs(1), Nanos(5)));
        assert_eq!(sum.latency().count(), 7);
        assert_eq!(sum.windows.len(), 1);
        assert_eq!((sum.windows[0].total_ops(), sum.windows[0].length), (7, Nanos::from_secs(1)));
    }

    #[test]
    fn what_one_target_did_after_the_others_had_ended_is_no_rate_of_all() {
        let alone = |seconds: &[u64]| Step {
            stage: 0,
            pass: 0,
            hold: false,
            job: job(),
            start: Nanos(0),
            intervals: seconds.iter().enumerate().map(|(i, n)| second(i as u64, 1000, *n)).collect(),
            sampled: None,
            end: None,
            accounting: None,
        };
        let (a, b) = (alone(&[1, 2, 3]), alone(&[10, 20]));
        let intervals = same_seconds(&[&a, &b]);
        let counts: Vec<(Phase, u64)> = intervals.iter().map(|i| (i.phase, i.data_ops())).collect();
        assert_eq!(counts, [(Phase::Measure, 11), (Phase::Measure, 22), (Phase::Drain, 3)]);
    }

    /// Creates a run whose steps have these sides, clone numbers of one section, and measured seconds.
    fn run(steps: &[(usize, u32, &[u64])]) -> RunRecord {
        let mut stages = Vec::new();
        for (i, (side, clone, _)) in steps.iter().enumerate() {
            let mut stage = Stage::fixed(format!("r.{clone}@{side}"), job());
            let (with_previous, section) = (i > 0, Some(0));
            stage.place =
                crate::plan::StagePlacement { with_previous, section, clone: *clone, side: *side, ..stage.place };
            stage.job.target.path = format!("/t.{clone}").into();
            stages.push(stage);
        }
        let sections = vec![crate::plan::Section { name: "r".into(), ..crate::plan::Section::default() }];
        let plan = Plan::new(crate::RunKind::JobFile { sections }, Target::null("nothing", Bytes(0)), stages, Nanos(0));
        let mut record = RunRecord::new("t", "r", "", plan, crate::record::Preflight::default());
        for (stage, (_, _, seconds)) in steps.iter().enumerate() {
            let at = |(i, n): (usize, &u64)| second(i as u64 * 1_000_000_000, 1000, *n);
            record.steps.push(Step {
                stage,
                pass: 0,
                hold: false,
                job: record.plan.stages[stage].job.clone(),
                start: Nanos(0),
                intervals: seconds.iter().enumerate().map(at).collect(),
                sampled: None,
                end: Some(StepEnd::default()),
                accounting: None,
            });
        }
        record
    }

    #[test]
    fn clones_on_several_targets_are_one_load() {
        let record = run(&[(0, 0, &[1, 2]), (1, 0, &[3, 4]), (0, 1, &[10, 20]), (1, 1, &[30, 40])]);
        assert_eq!(record.load_steps(), [[0, 1, 2, 3]]);
        let joint = record.joint();
        assert_eq!((joint.plan.stages.len(), joint.steps.len()), (1, 1));
        assert_eq!((joint.plan.stages[0].name.as_str(), joint.steps[0].job.threads), ("r", 4));
        assert_eq!(joint.plan.stages[0].job.targets().count(), 2, "a file of each clone");
        assert_eq!(joint.steps[0].intervals.iter().map(Interval::data_ops).collect::<Vec<_>>(), [44, 66]);
        let alone = record.only(&[1]);
        assert_eq!(alone.joint().steps[0].total().data_ops(), 77, "of one target, both clones");
    }

    #[test]
    fn a_clone_that_measured_nothing_takes_nothing_from_the_others() {
        let record = run(&[(0, 0, &[1, 2]), (0, 1, &[]), (0, 2, &[10, 20])]);
        assert_eq!(record.joint().steps[0].total().data_ops(), 33);
    }

    #[test]
    fn stages_that_are_loads_are_left_as_they_are() {
        let record = run(&[(0, 0, &[1])]);
        assert!(matches!(record.joint(), Cow::Borrowed(_)));
    }
}
