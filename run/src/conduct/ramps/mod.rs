//! Schedule of qualifications and marks: probes and fixed levels; then ramps, level by level until more concurrency
//! gains too little; repeats of the levels that decide where the gain ends; the *held level*, which is the best level
//! measured again for longer; and sweeps of other block sizes.

mod levels;
mod rules;

use super::errors::{describe_errors, device_gone};
use crate::plans::qualify::IN_FLIGHT;
use crate::sampling::RefreshTimer;
use crate::sink::Progress;
use crate::wave::{Pause, Scheduler, Stop, Wave, WaveEnd, WaveJob, WaveRules};
use crate::workers::LoadEnd;
use analysis::MeasuredLevel;
use levels::{Level, Split};
use model::plan::{RampRule, StageRole, Workload};
use model::{Bytes, Caveat, Job, Nanos, Op, Plan, Stage, measured::Phase, record::StepStop};
use rules::RampRules;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};

/// Task for a stage; it requests waves one after the other until it is done.
#[derive(Debug)]
enum Task {
    /// Runs a stage once, as its job specifies.
    Once,
    /// Raises the concurrency of a ramp until it gains too little.
    Raise,
    /// Runs the remaining levels of a later pass over the ramp's levels.
    Repeat { pass: u32, left: Option<VecDeque<Level>> },
    /// Adds levels beyond the planned ones while the rate still grows and the run has time.
    Further,
    /// Repeats the two levels that decide where the gain ends, alternately (A B B A), until the decision is clear, all
    /// rounds are done, or the run would exceed its expected time. Time is reserved for the stages from `next` on.
    Decide { next: usize, round: u32, then: Deciding },
    /// Runs the best level of a ramp again, for longer (the held level).
    Hold,
    /// Runs a stage that follows a ramp, at twice the concurrency that saturated it, which is enough for every block
    /// size.
    Sweep { ramp: usize },
    /// Runs a sweep again at twice its concurrency if another block size had the same rate, in operations or in bytes.
    /// If the rates are equal at both concurrencies, they are limited by a cap. If they are equal at one concurrency
    /// only, equal latencies may be the reason.
    SweepDeeper { ramp: usize, ran: bool },
}

/// Maximum relative difference between the rates of two block sizes that may be limited by the same cap
/// (`analysis/src/limits/blocks.rs` decides).
const MAY_BE_EQUAL: f64 = 0.05;

/// State of a round of [`Task::Decide`].
#[derive(Debug)]
enum Deciding {
    /// Tries a level at greater depth, which may decide for a quarter of the cost of a round: noise that hides a gain
    /// of a tenth does not hide a gain of a fifth.
    Deeper,
    /// Chooses the pair of levels.
    Pair,
    /// Runs the remaining levels of the round, each with the number of its pass.
    Turns(VecDeque<(Level, u32)>),
    /// Continues the ramp if possible, because the level that ended it may have been slow only for a moment.
    Raise,
}

/// Task together with its stage.
#[derive(Debug)]
struct StageTask {
    stage: usize,
    task: Task,
    /// Time when the task started.
    began: Option<Nanos>,
}

/// Wave requested by a task.
#[derive(Debug, Clone, Copy)]
struct Asked {
    level: Level,
    pass: u32,
    hold: bool,
    /// True if the CPU share of the wave's threads determines the number of threads of later levels.
    learns: bool,
    /// True if the wave is not part of the plan.
    extra: bool,
}

impl Asked {
    fn level(level: Level, pass: u32) -> Self {
        Asked { level, pass, hold: false, learns: false, extra: false }
    }
}

/// Scheduler of the stages of a qualification or a mark.
pub(super) struct RampScheduler<'p> {
    plan: &'p Plan,
    /// Engine of all loads.
    engine: String,
    /// Remaining tasks; the first one is active.
    tasks: VecDeque<StageTask>,
    /// Running wave with its stage.
    running: Option<(usize, Asked)>,
    /// Ramps that have begun, by stage.
    ramps: HashMap<usize, Ramp>,
    /// Number of levels run so far in all passes, by stage.
    levels_run: HashMap<usize, usize>,
    /// Stages without ramp that have begun.
    begun: HashSet<usize>,
    /// Level and rate (operations per second) of the finished sweeps, by stage.
    swept: HashMap<usize, (Level, f64)>,
    /// Ramps that had a sweep repeated at twice its concurrency.
    doubled: HashSet<usize>,
    /// Ramps whose best level was held.
    held: HashSet<usize>,
    /// Number of steps so far; concurrent steps on several targets count once.
    levels_done: usize,
    /// Number of levels beyond the plan: repeated ones that decide where the gain ends, and those at greater depth
    /// because the rate still grew.
    repeated: usize,
    /// Expected and actual seconds of finished ramps, for the estimate of the remaining time.
    spent: (f64, f64),
    /// Time before the first wave: the fill and the choice of an engine.
    before: Nanos,
    /// Bytes written so far by the fill and by the workers.
    written: u64,
    /// Parts of the write bound assigned to stages, by stage.
    quotas: HashMap<usize, Quota>,
    /// Ramps that ended because the write bound would have cut short their next level.
    bounded: Vec<usize>,
    /// Timer of the progress display.
    timer: RefreshTimer,
}

/// Part of the write bound that one stage may use.
#[derive(Debug, Clone, Copy)]
struct Quota {
    /// Remaining bytes.
    left: u64,
    /// Part of the remaining bytes that is reserved for the held level.
    for_hold: u64,
    /// Bytes written by the last level; the next level is expected to write at least as many.
    last_level: u64,
}

/// Ramp that has begun.
struct Ramp {
    /// Division of concurrency into queue depth and threads.
    split: Split,
    /// Levels in order of concurrency.
    levels: Vec<Level>,
    /// Results of each level.
    measured: Vec<MeasuredLevel>,
}

impl Ramp {
    fn new(engine: &str, stage: &Stage) -> Self {
        Ramp { split: Split::new(engine, stage), levels: Vec::new(), measured: Vec::new() }
    }

    /// Returns concurrency and rate of each level.
    fn rates(&self) -> Vec<(u32, f64)> {
        self.measured.iter().map(|l| (l.concurrency, l.rate())).collect()
    }

    /// Returns the level of the first of the ascending `depths` that exceeds all levels so far.
    fn next<'d>(&self, depths: impl IntoIterator<Item = &'d u32>) -> Option<Level> {
        let from = self.levels.last().map_or(0, Level::concurrency);
        depths.into_iter().filter_map(|depth| self.split.level(*depth)).find(|level| level.concurrency() > from)
    }

    /// Returns the lowest pass number that no level has used.
    fn next_pass(&self) -> u32 {
        self.measured.iter().flat_map(|l| &l.passes).map(|(pass, _)| pass + 1).max().unwrap_or(0)
    }

    fn level(&self, concurrency: u32) -> Option<Level> {
        self.levels.iter().find(|l| l.concurrency() == concurrency).copied()
    }

    fn best(&self) -> Option<Level> {
        analysis::level_to_hold(&self.rates()).map(|i| self.levels[i])
    }

    /// Records the result of a pass; the first pass of a level adds it to the ramp.
    fn note_pass(&mut self, level: Level, pass: u32, done: Done) {
        let at = self.levels.iter().position(|l| *l == level).unwrap_or_else(|| {
            self.levels.push(level);
            self.measured.push(MeasuredLevel {
                concurrency: level.concurrency(),
                passes: Vec::new(),
                windows: Vec::new(),
                waited: Vec::new(),
                latency: None,
            });
            self.levels.len() - 1
        });
        self.measured[at].passes.push((pass, done.iops));
        self.measured[at].windows.extend(done.windows);
        self.measured[at].waited.push(done.waited);
        self.measured[at].latency = done.latency;
    }
}

impl<'p> RampScheduler<'p> {
    /// Creates a scheduler for the stages of `plan` on `engine`, after a fill of `written` bytes and a time of
    /// `before`.
    pub fn new(plan: &'p Plan, engine: String, written: u64, before: Nanos) -> Self {
        RampScheduler {
            plan,
            engine,
            tasks: tasks(plan),
            running: None,
            ramps: HashMap::new(),
            levels_run: HashMap::new(),
            begun: HashSet::new(),
            swept: HashMap::new(),
            doubled: HashSet::new(),
            held: HashSet::new(),
            levels_done: 0,
            repeated: 0,
            spent: (0.0, 0.0),
            before,
            written,
            quotas: HashMap::new(),
            bounded: Vec::new(),
            timer: RefreshTimer::default(),
        }
    }

    fn stage(&self, index: usize) -> &'p Stage {
        &self.plan.stages[index]
    }

    fn ramp_of(&mut self, index: usize) -> &mut Ramp {
        let stage = &self.plan.stages[index];
        self.ramps.entry(index).or_insert_with(|| Ramp::new(&self.engine, stage))
    }

    /// Returns the next wave of a task; `None` if it is done.
    fn next_level(&mut self, index: usize, task: &mut Task, elapsed: Nanos) -> Option<Asked> {
        let stage = self.stage(index);
        match task {
            Task::Once => {
                let fresh = !self.begun.contains(&index) && self.may_begin(index, false);
                fresh.then(|| Asked::level(Level::alone(&stage.job), 0))
            }
            Task::Raise => self.raise(index),
            Task::Repeat { pass, left } => {
                let levels = || self.ramps.get(&index).map(|ramp| ramp.levels.clone()).unwrap_or_default();
                let left = left.get_or_insert_with(|| levels().into());
                let level = left.pop_front().filter(|_| self.may_begin(index, false))?;
                Some(Asked::level(level, *pass))
            }
            Task::Further => {
                let deepest = rule_of(stage).depths.last().copied().unwrap_or(0);
                let ramp = self.ramp_of(index);
                let at_the_end = ramp.levels.last().is_some_and(|l| l.concurrency() >= deepest);
                if !at_the_end || !analysis::still_rises(&ramp.measured) {
                    return None;
                }
                self.deeper(index, index, elapsed)
            }
            Task::Decide { next, round, then } => self.decide(index, *next, round, then, elapsed),
            Task::Hold => {
                let fresh = !self.held.contains(&index) && self.may_begin(index, true);
                let level = self.best(index).filter(|_| fresh)?;
                Some(Asked { hold: true, ..Asked::level(level, 0) })
            }
            Task::Sweep { ramp } => {
                let fresh = !self.begun.contains(&index) && self.may_begin(index, false);
                let base = self.best(*ramp).filter(|_| fresh)?;
                let deepest = rule_of(self.stage(*ramp)).depths.last().copied().unwrap_or(1);
                let level = base.deeper(2, deepest.max(base.concurrency()), &self.engine);
                Some(Asked::level(level, 0))
            }
            Task::SweepDeeper { ramp, ran } => {
                let asked = self.sweep_deeper(index, *ramp, elapsed).filter(|_| !*ran);
                *ran = true;
                self.doubled.extend(asked.map(|_| *ramp));
                asked
            }
        }
    }

    /// Returns a sweep's level at twice its concurrency if another sweep of the same ramp had about the same rate and
    /// the plan allows it. The first repeated sweep of a ramp may exceed the run's expected time by a few seconds; the
    /// others run only if there is time left.
    fn sweep_deeper(&self, index: usize, ramp: usize, elapsed: Nanos) -> Option<Asked> {
        let (stage, rule) = (self.stage(index), rule_of(self.stage(ramp)));
        let size = |stage: usize| self.stage(stage).job.workload.block.mean();
        let (level, rate) = *self.swept.get(&index)?;
        let close = |a: f64, b: f64| a > 0.0 && (b / a - 1.0).abs() <= MAY_BE_EQUAL;
        let shared = self.swept.iter().any(|(other, (_, other_rate))| {
            let follows = *other != index && self.stage(*other).follows == stage.follows;
            follows && (close(rate, *other_rate) || close(rate * size(index), other_rate * size(*other)))
        });
        let deepest = rule.depths.iter().chain(&rule.further).max().copied()?;
        let fits = u64::from(deepest).min(IN_FLIGHT / stage.job.workload.block.max().as_u64().max(1)) as u32;
        let deeper = level.deeper(2, fits, &self.engine);
        let doubled = deeper.concurrency() >= 2 * level.concurrency();
        let has_time = !self.doubled.contains(&ramp) || self.has_time(index, stage.expected_time(), elapsed);
        let may = shared && doubled && self.may_begin(index, false) && has_time;
        may.then(|| Asked { extra: true, ..Asked::level(deeper, 0) })
    }

    /// Returns the next level of a ramp whose gain has not ended.
    fn raise(&mut self, index: usize) -> Option<Asked> {
        let stage = self.stage(index);
        let rule = rule_of(stage);
        let ramp = self.ramp_of(index);
        if !ramp.levels.is_empty() && !analysis::ramp_continues(&ramp.rates(), rule) {
            return None;
        }
        let level = ramp.next(&rule.depths)?;
        if !self.may_begin(index, false) {
            // If no bytes are left, the bound cut short the previous level, which has its own caveat.
            if self.may_write(index, false).is_some_and(|left| left > 0) && !self.bounded.contains(&index) {
                self.bounded.push(index);
            }
            return None;
        }
        Some(Asked { learns: true, ..Asked::level(level, 0) })
    }

    /// Returns the next level of a ramp, which may exceed the planned levels, if there is one and enough time for it.
    fn deeper(&mut self, index: usize, next: usize, elapsed: Nanos) -> Option<Asked> {
        let stage = self.stage(index);
        let rule = rule_of(stage);
        let level = self.ramp_of(index).next(rule.depths.iter().chain(&rule.further))?;
        let may = self.may_begin(index, false) && self.has_time(next, level_time(stage), elapsed);
        may.then(|| Asked { learns: true, extra: true, ..Asked::level(level, 0) })
    }

    fn decide(
        &mut self,
        index: usize,
        next: usize,
        round: &mut u32,
        then: &mut Deciding,
        elapsed: Nanos,
    ) -> Option<Asked> {
        let stage = self.stage(index);
        loop {
            match then {
                Deciding::Deeper => {
                    if *round >= rule_of(stage).repeats {
                        return None;
                    }
                    *then = Deciding::Pair;
                    let undecided = analysis::undecided(&self.ramp_of(index).measured).is_some();
                    if let Some(asked) = undecided.then(|| self.deeper(index, next, elapsed)).flatten() {
                        return Some(asked);
                    }
                }
                Deciding::Pair => {
                    let ramp = self.ramp_of(index);
                    let (a, b) = analysis::undecided(&ramp.measured)?;
                    let (a, b) = (ramp.level(a)?, ramp.level(b)?);
                    let first = ramp.next_pass();
                    if !self.has_time(next, Nanos(4 * level_time(stage).as_nanos()), elapsed) {
                        return None;
                    }
                    *then = Deciding::Turns([(a, first), (b, first), (b, first + 1), (a, first + 1)].into());
                }
                Deciding::Turns(turns) => match turns.pop_front() {
                    Some((level, pass)) => {
                        let asked = Asked { extra: true, ..Asked::level(level, pass) };
                        return self.may_begin(index, false).then_some(asked);
                    }
                    None => *then = Deciding::Raise,
                },
                Deciding::Raise => {
                    if let Some(asked) = self.raise(index) {
                        return Some(asked);
                    }
                    *round += 1;
                    *then = Deciding::Deeper;
                }
            }
        }
    }

    /// Returns `true` if there is time for `more` in addition to the plan. Some time is reserved for the ramps from
    /// stage `index` on, because some of them, but not all, may also need more.
    fn has_time(&self, index: usize, more: Nanos, elapsed: Nanos) -> bool {
        let spent = self
            .before
            .as_nanos()
            .saturating_add(elapsed.as_nanos())
            .saturating_add(self.left(index, false).as_nanos());
        let spare = self.plan.expected_time().since(Nanos(spent));
        let ramps = self.plan.stages[index..].iter().filter(|s| s.ramp.is_some() && s.place.side == 0).count() as u64;
        more <= spare && more.as_nanos() * ramps <= 2 * spare.as_nanos()
    }

    fn best(&self, index: usize) -> Option<Level> {
        self.ramps.get(&index)?.best()
    }

    /// Returns `true` if the write bound leaves enough bytes for a wave of stage `index`: one operation, and for a
    /// level of a ramp at least as many bytes as the previous level wrote. A level that the bound would cut short does
    /// not run, and its bytes remain for the held level.
    fn may_begin(&self, index: usize, hold: bool) -> bool {
        let workload = &self.stage(index).job.workload;
        let needed = self.quotas.get(&index).filter(|_| !hold).map_or(0, |quota| quota.last_level);
        let enough = |bytes| bytes >= needed && ops_that_write(workload, bytes / self.sides()) > 0;
        self.may_write(index, hold).is_none_or(enough)
    }

    /// Returns the number of targets that a wave writes to concurrently.
    fn sides(&self) -> u64 {
        self.plan.each_target().count().max(1) as u64
    }

    /// Returns the number of bytes that the load may still write; `None` without a bound. Some bytes of the bound are
    /// reserved for the journal of the run and the metadata of the file system.
    fn left_to_write(&self) -> Option<u64> {
        let Bytes(most) = self.plan.max_written?;
        Some(most.saturating_sub(self.written).saturating_sub((most / 64).min(8 << 20)))
    }

    /// Returns the bytes that the next wave of stage `index` may write; `None` if the stage does not write or there is
    /// no bound.
    fn may_write(&self, index: usize, hold: bool) -> Option<u64> {
        let left = self.left_to_write().filter(|_| self.stage(index).job.workload.mix.writes())?;
        let quota = self.quota(index, left);
        let kept = if hold || self.held.contains(&index) { 0 } else { quota.for_hold };
        Some(left.min(quota.left.saturating_sub(kept)))
    }

    /// Returns the quota of a stage: the one it already has, or an equal part of the bytes that are not assigned to
    /// other stages. A ramp reserves half of it for its held level, which provides the figures.
    fn quota(&self, index: usize, left: u64) -> Quota {
        if let Some(quota) = self.quotas.get(&index) {
            return *quota;
        }
        let waiting: HashSet<usize> = self
            .tasks
            .iter()
            .filter(|t| !matches!(t.task, Task::Decide { .. }) && self.stage(t.stage).job.workload.mix.writes())
            .map(|t| t.stage)
            .chain([index])
            .collect();
        let held = waiting.iter().filter_map(|stage| self.quotas.get(stage)).map(|q| q.left).sum::<u64>();
        let sharing = waiting.iter().filter(|stage| !self.quotas.contains_key(stage)).count().max(1) as u64;
        let part = left.saturating_sub(held) / sharing;
        Quota { left: part, for_hold: if self.stage(index).ramp.is_some() { part / 2 } else { 0 }, last_level: 0 }
    }

    /// Records the bytes written by a wave of stage `index`. If the bound ended the wave, later waves of the same kind
    /// may write nothing.
    fn book_written(&mut self, index: usize, hold: bool, written: u64, bound_reached: bool) {
        self.written += written;
        let Some(quota) = self.quotas.get_mut(&index) else { return };
        quota.left = quota.left.saturating_sub(written);
        quota.last_level = written;
        if bound_reached {
            quota.left = if hold { 0 } else { quota.left.min(quota.for_hold) };
        }
    }

    /// Returns the wave of a stage at a level, with one job per target.
    fn wave(&mut self, index: usize, asked: Asked, elapsed: Nanos) -> Wave<'p, RampRules> {
        let Asked { level, pass, hold, .. } = asked;
        let stage = self.stage(index);
        if let Some(left) = self.left_to_write().filter(|_| stage.job.workload.mix.writes()) {
            let quota = self.quota(index, left);
            self.quotas.insert(index, quota);
        }
        let may_write = self.may_write(index, hold);
        let pause = self.pause(stage);
        let time_to_hold = stage.ramp.as_ref().filter(|_| hold).map(|rule| {
            let longer = rule.longest_hold();
            if self.has_time(index, longer.since(rule.hold), elapsed) { longer } else { rule.hold }
        });
        let together = self.plan.stages[index..].iter().enumerate().take_while(|(i, s)| *i == 0 || s.place.side > 0);
        let jobs: Vec<Job> = together.map(|(_, s)| self.job(s, time_to_hold, level, may_write)).collect();
        match (&stage.ramp, hold) {
            (None, _) => _ = self.begun.insert(index),
            (Some(_), true) => _ = self.held.insert(index),
            (Some(rule), false) if pass < rule.passes => *self.levels_run.entry(index).or_default() += 1,
            (Some(_), false) => {}
        }
        let rules = RampRules::new(&jobs, hold)
            .with_progress(
                std::mem::take(&mut self.timer),
                (self.levels_done + 1, self.levels_expected()),
                self.left(index, hold),
            )
            .may_write(may_write, self.plan.max_written.is_some());
        let wave_job = |(i, job): (usize, Job)| WaveJob {
            stage: index + i,
            pass,
            hold,
            job: Cow::Owned(job),
            delay: Nanos(0),
            after: Vec::new(),
        };
        Wave { jobs: jobs.into_iter().enumerate().map(wave_job).collect(), pause, rules }
    }

    /// Returns the pause before a stage, if it has one.
    fn pause(&self, stage: &Stage) -> Option<Pause> {
        let time = stage.place.delay;
        let progress = || Progress {
            label: format!("pause before {}", stage.job.workload.label()),
            pausing: true,
            concurrency: stage.job.concurrency(),
            phase: Phase::Ramp,
            step: self.levels_done + 1,
            steps: self.levels_expected(),
            ..Progress::default()
        };
        let left_after = self.left(usize::MAX, false).since(time);
        (!time.is_zero()).then(|| Pause { time, progress: progress(), left_after })
    }

    /// Returns the job of a stage at a level; `time_to_hold` is the maximum time of a held level. All jobs of its wave
    /// together write at most `may_write` bytes.
    fn job(&self, stage: &Stage, time_to_hold: Option<Nanos>, level: Level, may_write: Option<u64>) -> Job {
        let mut job = stage.job.clone();
        job.engine.clone_from(&self.engine);
        job.queue_depth = level.queue_depth;
        job.threads = level.threads;
        // Every level and every repeat must use different offsets, because a cache may contain the data at the earlier
        // ones.
        if !self.plan.kind.repeats_offsets() {
            job.seed ^= (self.levels_done as u64 + 1).wrapping_mul(0xD134_2543_DE82_EF95);
        }
        if let (Some(time), Some(rule)) = (time_to_hold, &stage.ramp) {
            job.stop.time = time;
            job.stop.steady_after = Some(rule.hold);
        }
        if let Some(bytes) = may_write {
            // The rules of the wave normally end it slightly earlier; this count makes sure that it ends.
            let bound = ops_that_write(&job.workload, bytes / self.sides());
            job.stop.max_ops = Some(job.stop.max_ops.map_or(bound, |ops| ops.min(bound)));
        }
        job
    }

    fn levels_expected(&self) -> usize {
        let planned: usize = self
            .plan
            .stages
            .iter()
            .enumerate()
            .filter(|(_, s)| s.place.side == 0)
            .map(|(i, s)| match &s.ramp {
                None => 1,
                Some(rule) => {
                    let levels = self.ramps.get(&i).map_or(rule.depths.len(), |ramp| ramp.levels.len());
                    levels * rule.passes as usize + 1
                }
            })
            .sum();
        (planned + self.repeated).max(self.levels_done + 1)
    }

    /// Returns the expected time of everything after this step: the planned times, where those of ramps are scaled by
    /// how long finished ramps took.
    fn left(&self, index: usize, hold: bool) -> Nanos {
        let shorter = if self.spent.0 > 0.0 { (self.spent.1 / self.spent.0).min(1.0) } else { 1.0 };
        let seconds = |(i, stage): (usize, &Stage)| match &stage.ramp {
            None if self.begun.contains(&i) => 0.0,
            None => stage.expected_time().secs() + stage.place.delay.secs(),
            // The held level comes last, so no time of the ramp is left after it. The progress adds the remaining time
            // of the running level.
            Some(_) if self.held.contains(&i) || (i == index && hold) => 0.0,
            Some(rule) => {
                let level = (stage.job.stop.ramp + stage.job.stop.time).secs();
                let done = self.levels_run.get(&i).copied().unwrap_or(0);
                let planned = (rule.depths.len() * rule.passes as usize) as f64 * shorter;
                (planned - done as f64).max(0.0) * level + rule.hold.secs()
            }
        };
        let first = self.plan.stages.iter().enumerate().filter(|(_, s)| s.place.side == 0);
        Nanos::from_secs_f64(first.map(seconds).sum())
    }
}

impl<'p> Scheduler<'p> for RampScheduler<'p> {
    type Rules = RampRules;

    fn next(&mut self, elapsed: Nanos) -> Option<Wave<'p, RampRules>> {
        while let Some(StageTask { stage, mut task, began }) = self.tasks.pop_front() {
            let since = began.unwrap_or(elapsed);
            if let Some(asked) = self.next_level(stage, &mut task, elapsed) {
                self.tasks.push_front(StageTask { stage, task, began: Some(since) });
                self.running = Some((stage, asked));
                return Some(self.wave(stage, asked, elapsed));
            }
            if matches!(task, Task::Raise | Task::Repeat { .. }) {
                let stage = self.stage(stage);
                self.spent.0 += level_time(stage).secs() * rule_of(stage).depths.len() as f64;
                self.spent.1 += elapsed.since(since).secs();
            }
        }
        None
    }

    fn doubts(&mut self) -> Vec<Caveat> {
        let bounded = std::mem::take(&mut self.bounded);
        let deepest = |index: &usize| {
            let level = self.ramps.get(index)?.levels.last()?;
            Some(analysis::ramp_bounded(&self.stage(*index).job.workload.label(), level.concurrency()))
        };
        bounded.iter().filter_map(deepest).collect()
    }

    fn wave_ended(&mut self, wave: Wave<'p, RampRules>, WaveEnd { ends, .. }: WaveEnd) -> Result<(), Stop> {
        let Wave { jobs, rules, .. } = wave;
        // The closing counts lack threads that never returned, but the intervals include what these threads reported.
        let written = ends.iter().map(|e| e.workers.write_bytes).sum::<u64>().max(rules.written());
        let bound_reached = (0..ends.len()).any(|which| rules.why_ended(which, &ends[which]) == StepStop::Written);
        if let Some((stage, asked)) = &self.running {
            self.book_written(*stage, asked.hold, written, bound_reached);
        }
        self.levels_done += 1;
        let done = Done {
            iops: ends.iter().map(|e| e.total.iops().per_second()).sum(),
            busiest: ends.iter().map(|e| e.busiest).fold(0.0, f64::max),
            latency: ends.iter().filter_map(|e| e.total.latency().mean()).max(),
            windows: rules.rates(),
            waited: jobs.iter().zip(&ends).map(|(j, end)| waited(&j.job, end)).fold(0.0, f64::max),
        };
        self.timer = rules.into_timer();
        if let Some(what) = ends.iter().find_map(device_gone) {
            return Err(Stop::Hung(what));
        }
        if let Some((j, end)) = jobs.iter().zip(&ends).find(|(_, end)| end.stop == StepStop::Errors) {
            return Err(Stop::Failed(describe_errors(&j.job, end)));
        }
        let running = self.running.take().filter(|(_, asked)| !asked.hold);
        if let Some((stage, asked)) = running
            && self.stage(stage).role == StageRole::Sweep
        {
            self.swept.entry(stage).or_insert((asked.level, done.iops));
            self.repeated += usize::from(asked.extra);
        }
        if let Some((stage, asked)) = running
            && self.stage(stage).ramp.is_some()
        {
            let busiest = done.busiest;
            let ramp = self.ramp_of(stage);
            ramp.note_pass(asked.level, asked.pass, done);
            if asked.learns {
                ramp.split.learn(busiest);
            }
            self.repeated += usize::from(asked.extra);
        }
        Ok(())
    }
}

/// Returns the tasks for the stages of a plan, in order.
fn tasks(plan: &Plan) -> VecDeque<StageTask> {
    let new = |(stage, task)| StageTask { stage, task, began: None };
    let stages_of = |role: StageRole| {
        let first = plan.stages.iter().enumerate().filter(move |(_, s)| s.role == role && s.place.side == 0);
        first.map(|(i, _)| i)
    };
    let mut tasks: VecDeque<StageTask> =
        stages_of(StageRole::Probe).chain(stages_of(StageRole::Fixed)).map(|i| new((i, Task::Once))).collect();
    let decide = |next| Task::Decide { next, round: 0, then: Deciding::Deeper };
    let passes = plan.stages.iter().filter_map(|s| s.ramp.as_ref()).map(|r| r.passes).max().unwrap_or(1);
    for pass in 0..passes {
        for i in stages_of(StageRole::Ramp) {
            let stage = &plan.stages[i];
            let stage_passes = rule_of(stage).passes;
            if pass >= stage_passes {
                continue;
            }
            tasks.push_back(new((i, if pass == 0 { Task::Raise } else { Task::Repeat { pass, left: None } })));
            if pass + 1 == stage_passes {
                tasks.extend([Task::Further, decide(i), Task::Hold].map(|task| new((i, task))));
                let follows = |s: &Stage| s.follows.as_deref() == Some(stage.name.as_str());
                let sweeps = || plan.stages.iter().enumerate().filter(|(_, s)| follows(s)).map(|(sweep, _)| sweep);
                tasks.extend(sweeps().map(|sweep| new((sweep, Task::Sweep { ramp: i }))));
                tasks.extend(sweeps().map(|sweep| new((sweep, Task::SweepDeeper { ramp: i, ran: false }))));
            }
        }
    }
    // The time that quickly decided ramps saved is used for ramps that are still undecided.
    tasks.extend(stages_of(StageRole::Ramp).map(|i| new((i, decide(plan.stages.len())))));
    tasks
}

fn rule_of(stage: &Stage) -> &RampRule {
    stage.ramp.as_ref().expect("a ramp has a rule")
}

/// Returns the time of one level of a ramp.
fn level_time(stage: &Stage) -> Nanos {
    stage.job.stop.ramp + stage.job.stop.time
}

/// Returns the number of operations of a workload that write at most `bytes`. For a random mix, the probability of
/// writing more is below one in a million.
fn ops_that_write(workload: &Workload, bytes: u64) -> u64 {
    let writes = (bytes / workload.max_block().as_u64().max(1)) as f64;
    let share = workload.mix.share(Op::Write);
    if share >= 1.0 {
        return writes as u64;
    }
    // The largest n with n p + 5 sqrt(n p (1 - p)) <= writes: five standard deviations of a binomial draw.
    let spread = 5.0 * (1.0 - share).sqrt();
    let root = ((spread * spread + 4.0 * writes).sqrt() - spread) / 2.0;
    (root * root / share.max(f64::MIN_POSITIVE)) as u64
}

/// Results of a level over all targets.
struct Done {
    iops: f64,
    busiest: f64,
    latency: Option<Nanos>,
    /// Rates of the level's windows.
    windows: Vec<f64>,
    /// Share of time that the level's threads waited for a CPU, 0..=1.
    waited: f64,
}

/// Returns the share of time that the threads of a load waited for a CPU, 0..=1; zero if the kernel does not count it.
fn waited(job: &Job, end: &LoadEnd) -> f64 {
    let time = end.end.since(end.start).secs() * f64::from(job.threads.max(1));
    end.workers.cpu_wait.map_or(0.0, |wait| (wait.time.secs() / time.max(1e-9)).min(1.0))
}
