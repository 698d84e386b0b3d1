//! The schedule of a qualification, and of marks: probes and fixed levels, then ramps level by level until the gain ends,
//! repeats of what decides, the best level held, and sweeps of other block sizes.

mod levels;
mod rules;

use super::errors::{describe_errors, device_gone};
use super::wave::{Pause, Scheduler, Stop, Wave, WaveEnd, WaveJob, WaveRules};
use crate::plans::qualify::IN_FLIGHT;
use crate::sampling::RefreshTimer;
use crate::sink::Progress;
use crate::workers::LoadEnd;
use analysis::MeasuredLevel;
use levels::{Level, Split};
use model::{Bytes, Caveat, Job, Nanos, Op, Phase, Plan, RampRule, Stage, StageRole, StepStop, Workload};
use rules::RampRules;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};

/// Something that is to be done with a stage: it asks for waves, one after the other, until it is done.
#[derive(Debug)]
enum Task {
    /// Runs a stage once, as its job says.
    Once,
    /// Raises concurrency from where the ramp is, until the gain ends.
    Raise,
    /// Runs the levels that are left of a later pass over the ramp's levels.
    Repeat { pass: u32, left: Option<VecDeque<Level>> },
    /// Goes beyond the levels that were planned while the rate still grows and the run is within its time.
    Further,
    /// Repeats the two levels that decide where the gain ends, in turns (A B B A), until they do, their rounds are used up,
    /// or the run would take longer than was said. `next` is the first stage whose time is to come.
    Decide { next: usize, round: u32, then: Deciding },
    /// Holds the best level of a ramp.
    Hold,
    /// Runs a stage that follows a ramp, at twice the concurrency that saturated it: enough in flight whatever its block size.
    Sweep { ramp: usize },
    /// Runs a sweep again at twice its concurrency if another size had the same rate, in operations or in bytes. A rate that stays
    /// the same at both is a cap; at one concurrency, equal latencies may explain it.
    SweepDeeper { ramp: usize, ran: bool },
}

/// Rates of two sizes within this share may be those of one cap (`analysis/src/limits/blocks.rs` decides).
const MAY_BE_EQUAL: f64 = 0.05;

/// Where the turns of a round are.
#[derive(Debug)]
enum Deciding {
    /// A level deeper may decide it, for a quarter of what turns cost: noise that hides a tenth does not hide a fifth.
    Deeper,
    /// The pair is to be chosen.
    Pair,
    /// Levels with their passes.
    Turns(VecDeque<(Level, u32)>),
    /// What ended the ramp may have been a moment's weakness.
    Raise,
}

/// A task of a stage.
#[derive(Debug)]
struct StageTask {
    stage: usize,
    task: Task,
    /// When it came up.
    began: Option<Nanos>,
}

/// What a task asks for.
#[derive(Debug, Clone, Copy)]
struct Asked {
    level: Level,
    pass: u32,
    hold: bool,
    /// How busy its threads are tells how many those after it need.
    learns: bool,
    /// It is beyond what was planned.
    extra: bool,
}

impl Asked {
    fn level(level: Level, pass: u32) -> Self {
        Asked { level, pass, hold: false, learns: false, extra: false }
    }
}

/// Schedules the stages of a qualification or a mark.
pub(super) struct RampScheduler<'p> {
    plan: &'p Plan,
    /// What all its loads run on.
    engine: String,
    /// What is still to be done; the first is at work.
    tasks: VecDeque<StageTask>,
    /// What runs now, and the stage it is of.
    running: Option<(usize, Asked)>,
    /// Ramps that were begun, by stage.
    ramps: HashMap<usize, Ramp>,
    /// Levels run so far, all passes, by stage.
    levels_run: HashMap<usize, usize>,
    /// Stages of one step that were begun.
    begun: HashSet<usize>,
    /// Level and rate, in operations per second, of the sweeps that were run, by stage.
    swept: HashMap<usize, (Level, f64)>,
    /// Ramps of which a sweep was run again at twice its concurrency.
    doubled: HashSet<usize>,
    /// Ramps whose best level was held.
    held: HashSet<usize>,
    /// Steps so far, those of several targets side by side counted once.
    levels_done: usize,
    /// Levels beyond those planned: repeated because they decide, or deeper because the rate still grew.
    repeated: usize,
    /// Expected and real seconds of ramps that are over, for the estimate of the rest.
    spent: (f64, f64),
    /// Time before the first wave: the fill and the choice of an engine.
    before: Nanos,
    /// Bytes written so far: the fill, and what the workers wrote.
    written: u64,
    /// Parts of the bound on writes that were given to stages, by stage.
    quotas: HashMap<usize, Quota>,
    /// Ramps whose next level would be cut short by that bound.
    bounded: Vec<usize>,
    /// When progress is due.
    timer: RefreshTimer,
}

/// Part of the bound on writes that one stage may use.
#[derive(Debug, Clone, Copy)]
struct Quota {
    /// Bytes left.
    left: u64,
    /// Bytes of them that only the held level may use.
    for_hold: u64,
    /// Bytes that the last level wrote: the next one writes as many or more.
    last_level: u64,
}

/// A ramp that was begun.
struct Ramp {
    /// How concurrency is divided.
    split: Split,
    /// Its levels in rising concurrency.
    levels: Vec<Level>,
    /// What each came to.
    measured: Vec<MeasuredLevel>,
}

impl Ramp {
    fn new(engine: &str, stage: &Stage) -> Self {
        Ramp { split: Split::new(engine, stage), levels: Vec::new(), measured: Vec::new() }
    }

    /// Concurrency and rate of its levels.
    fn rates(&self) -> Vec<(u32, f64)> {
        self.measured.iter().map(|l| (l.concurrency, l.rate())).collect()
    }

    /// The first of these depths, which rise, that is beyond its levels.
    fn next<'d>(&self, depths: impl IntoIterator<Item = &'d u32>) -> Option<Level> {
        let from = self.levels.last().map_or(0, Level::concurrency);
        depths.into_iter().filter_map(|depth| self.split.level(*depth)).find(|level| level.concurrency() > from)
    }

    /// The number of a pass that no level has had.
    fn next_pass(&self) -> u32 {
        self.measured.iter().flat_map(|l| &l.passes).map(|(pass, _)| pass + 1).max().unwrap_or(0)
    }

    fn level(&self, concurrency: u32) -> Option<Level> {
        self.levels.iter().find(|l| l.concurrency() == concurrency).copied()
    }

    fn best(&self) -> Option<Level> {
        analysis::level_to_hold(&self.rates()).map(|i| self.levels[i])
    }

    /// Notes what a pass of a level came to; its first makes the level one of the ramp's.
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
    /// For the stages of `plan`, on `engine`, once `written` bytes were filled and `before` of the run's time is over.
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

    /// What a task asks for next; `None` when it is done.
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

    /// The level of a sweep at twice its concurrency, if another sweep of the same ramp had about the same rate and the plan allows
    /// it. The first of a ramp is worth a few seconds more than planned; the others need spare time.
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

    /// The next level of a ramp whose gain has not ended.
    fn raise(&mut self, index: usize) -> Option<Asked> {
        let stage = self.stage(index);
        let rule = rule_of(stage);
        let ramp = self.ramp_of(index);
        if !ramp.levels.is_empty() && !analysis::ramp_continues(&ramp.rates(), rule) {
            return None;
        }
        let level = ramp.next(&rule.depths)?;
        if !self.may_begin(index, false) {
            // A level that was cut short says so itself.
            if self.may_write(index, false).is_some_and(|left| left > 0) && !self.bounded.contains(&index) {
                self.bounded.push(index);
            }
            return None;
        }
        Some(Asked { learns: true, ..Asked::level(level, 0) })
    }

    /// The next level of a ramp, one beyond its plan if need be, if there is one and time for it.
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

    /// Whether something may be done beyond what is planned of stage `index` and those after it: there is time, and the ramps
    /// that are to come may want some of it, though not all of them will.
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

    /// Whether the bound on writes leaves a wave of stage `index` at least one operation, and a level as many bytes as the one
    /// before it wrote: what would be cut short is better left to the held level.
    fn may_begin(&self, index: usize, hold: bool) -> bool {
        let workload = &self.stage(index).job.workload;
        let needed = self.quotas.get(&index).filter(|_| !hold).map_or(0, |quota| quota.last_level);
        let enough = |bytes| bytes >= needed && ops_that_write(workload, bytes / self.sides()) > 0;
        self.may_write(index, hold).is_none_or(enough)
    }

    /// Targets that a wave writes to at the same time.
    fn sides(&self) -> u64 {
        self.plan.each_target().count().max(1) as u64
    }

    /// Bytes that the load may still write. Some are kept for the journal of the run and the metadata of the file system.
    /// `None` without a bound.
    fn left_to_write(&self) -> Option<u64> {
        let Bytes(most) = self.plan.max_written?;
        Some(most.saturating_sub(self.written).saturating_sub((most / 64).min(8 << 20)))
    }

    /// Bytes that the next wave of stage `index` may write; `None` if the stage does not write or there is no bound.
    fn may_write(&self, index: usize, hold: bool) -> Option<u64> {
        let left = self.left_to_write().filter(|_| self.stage(index).job.workload.mix.writes())?;
        let quota = self.quota(index, left);
        let kept = if hold || self.held.contains(&index) { 0 } else { quota.for_hold };
        Some(left.min(quota.left.saturating_sub(kept)))
    }

    /// The quota of a stage: the one it has, or an equal part of what no other stage holds. A ramp keeps half of it for its
    /// held level, which carries the figures.
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

    /// Books what a wave of stage `index` wrote. A wave that the bound ended leaves nothing to others like it.
    fn book_written(&mut self, index: usize, hold: bool, written: u64, bound_reached: bool) {
        self.written += written;
        let Some(quota) = self.quotas.get_mut(&index) else { return };
        quota.left = quota.left.saturating_sub(written);
        quota.last_level = written;
        if bound_reached {
            quota.left = if hold { 0 } else { quota.left.min(quota.for_hold) };
        }
    }

    /// The wave of a stage at a level: on every target side by side.
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

    /// The pause before a stage.
    fn pause(&self, stage: &Stage) -> Option<Pause> {
        let time = stage.place.delay;
        let progress = || Progress {
            label: format!("pause before {}", stage.job.workload.label()),
            concurrency: stage.job.concurrency(),
            phase: Phase::Ramp,
            step: self.levels_done + 1,
            steps: self.levels_expected(),
            ..Progress::default()
        };
        let left_after = self.left(usize::MAX, false).since(time);
        (!time.is_zero()).then(|| Pause { time, progress: progress(), left_after })
    }

    /// The job of a stage at a level; if that is held, for how long at most. All jobs of its wave together write no more than
    /// `may_write` bytes.
    fn job(&self, stage: &Stage, time_to_hold: Option<Nanos>, level: Level, may_write: Option<u64>) -> Job {
        let mut job = stage.job.clone();
        job.engine.clone_from(&self.engine);
        job.queue_depth = level.queue_depth;
        job.threads = level.threads;
        // Repeats and levels must not ask for the very same places again: a cache would know them.
        job.seed ^= (self.levels_done as u64 + 1).wrapping_mul(0xD134_2543_DE82_EF95);
        if let (Some(time), Some(rule)) = (time_to_hold, &stage.ramp) {
            job.stop.time = time;
            job.stop.steady_after = Some(rule.hold);
        }
        if let Some(bytes) = may_write {
            // The rules of the wave end it a little before; this count holds when they are late.
            let bound = ops_that_write(&job.workload, bytes / self.sides());
            job.stop.max_ops = Some(job.stop.max_ops.map_or(bound, |own| own.min(bound)));
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

    /// Expected time of everything after this step: planned times, ramps scaled by how short ramps came out so far.
    fn left(&self, index: usize, hold: bool) -> Nanos {
        let shorter = if self.spent.0 > 0.0 { (self.spent.1 / self.spent.0).min(1.0) } else { 1.0 };
        let seconds = |(i, stage): (usize, &Stage)| match &stage.ramp {
            None if self.begun.contains(&i) => 0.0,
            None => stage.expected_time().secs() + stage.place.delay.secs(),
            // Held last: nothing of it is left then. The level being run is counted by whoever follows it.
            Some(_) if self.held.contains(&i) || (i == index && hold) => 0.0,
            Some(rule) => {
                let level = (stage.job.stop.ramp + stage.job.stop.time).secs();
                let done = self.levels_run.get(&i).copied().unwrap_or(0);
                let all = (rule.depths.len() * rule.passes as usize) as f64 * shorter;
                (all - done as f64).max(0.0) * level + rule.hold.secs()
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
        // Threads that never came back are in no sum; what they told on the way is.
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

/// What is to be done with the stages of a plan, in order.
fn tasks(plan: &Plan) -> VecDeque<StageTask> {
    let new = |(stage, task)| StageTask { stage, task, began: None };
    let of = |role: StageRole| {
        let first = plan.stages.iter().enumerate().filter(move |(_, s)| s.role == role && s.place.side == 0);
        first.map(|(i, _)| i)
    };
    let mut tasks: VecDeque<StageTask> =
        of(StageRole::Probe).chain(of(StageRole::Fixed)).map(|i| new((i, Task::Once))).collect();
    let decide = |next| Task::Decide { next, round: 0, then: Deciding::Deeper };
    let passes = plan.stages.iter().filter_map(|s| s.ramp.as_ref()).map(|r| r.passes).max().unwrap_or(1);
    for pass in 0..passes {
        for i in of(StageRole::Ramp) {
            let stage = &plan.stages[i];
            let all = rule_of(stage).passes;
            if pass >= all {
                continue;
            }
            tasks.push_back(new((i, if pass == 0 { Task::Raise } else { Task::Repeat { pass, left: None } })));
            if pass + 1 == all {
                tasks.extend([Task::Further, decide(i), Task::Hold].map(|task| new((i, task))));
                let follows = |s: &Stage| s.follows.as_deref() == Some(stage.name.as_str());
                let sweeps = || plan.stages.iter().enumerate().filter(|(_, s)| follows(s)).map(|(sweep, _)| sweep);
                tasks.extend(sweeps().map(|sweep| new((sweep, Task::Sweep { ramp: i }))));
                tasks.extend(sweeps().map(|sweep| new((sweep, Task::SweepDeeper { ramp: i, ran: false }))));
            }
        }
    }
    // What time is left is for the ramps that are undecided still: what decided soon has left it to them.
    tasks.extend(of(StageRole::Ramp).map(|i| new((i, decide(plan.stages.len())))));
    tasks
}

fn rule_of(stage: &Stage) -> &RampRule {
    stage.ramp.as_ref().expect("a ramp has its rule")
}

/// Time of one level of a ramp.
fn level_time(stage: &Stage) -> Nanos {
    stage.job.stop.ramp + stage.job.stop.time
}

/// Operations of a workload that write no more than `bytes`: with a mix that is drawn, for all but one in a million draws.
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

/// What a level came to, over all targets.
struct Done {
    iops: f64,
    busiest: f64,
    latency: Option<Nanos>,
    /// Rates of its windows.
    windows: Vec<f64>,
    /// Share of their time that its threads waited for a CPU, 0..=1.
    waited: f64,
}

/// Share of their time that the threads of a load waited for a CPU, 0..=1; zero where the kernel does not count it.
fn waited(job: &Job, end: &LoadEnd) -> f64 {
    let time = end.end.since(end.start).secs() * f64::from(job.threads.max(1));
    end.workers.cpu_wait.map_or(0.0, |wait| (wait.time.secs() / time.max(1e-9)).min(1.0))
}
