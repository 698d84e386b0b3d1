//! The conductor: takes a plan through its stages, tells the sink what happens, and stops for signals, errors and hangs.

use crate::calibrate::{ChoiceError, choose_engine};
use crate::context::{self, Ending, Identity, Interrupt, RunContext};
use crate::fill::{self, FillError};
use crate::follow::{Follow, TargetProgress};
use crate::levels::{Level, Split};
use crate::open_target::OpenTarget;
use crate::pause::pause;
use crate::sink::Sink;
use crate::workers::{Load, LoadEnd, LoadError, run_together};
use analysis::MeasuredLevel;
use load::content::Content;
use messages::sentence;
use model::{
    Bytes, Job, Nanos, Op, Plan, Preflight, RunEvent, Sentence, Stage, StageRole, StandingEngine, StepEnd, StepStop,
    Target, Workload,
};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use sys::Clock;

/// Why a run ended before its plan.
enum Break {
    /// Operations that did not come back may hold threads in the kernel.
    Signal {
        stuck: bool,
    },
    Hung(Sentence),
    Errors(Sentence),
    Cannot(Sentence),
    /// The machine lacks what the load needs.
    Lacking(Sentence),
}

impl From<LoadError> for Break {
    fn from(error: LoadError) -> Self {
        let what = error.to_string().into();
        if error.lacks() { Break::Lacking(what) } else { Break::Cannot(what) }
    }
}

impl From<ChoiceError> for Break {
    fn from(error: ChoiceError) -> Self {
        match error {
            ChoiceError::Signal { stuck } => Break::Signal { stuck },
            ChoiceError::Hung { pending, engine, oldest } => {
                Break::Hung(sentence!("end-hung-choice", pending, engine, oldest))
            }
            ChoiceError::Load(error) => error.into(),
        }
    }
}

impl From<FillError> for Break {
    fn from(error: FillError) -> Self {
        match error {
            FillError::Signal { stuck } => Break::Signal { stuck },
            FillError::Hung(what) => Break::Hung(what),
            FillError::Errors(what) => Break::Errors(what),
            FillError::Cannot(what) => Break::Cannot(what),
        }
    }
}

/// Runs a plan to its end, whatever that is. `sites` are its targets in the order of [`Plan::targets`], or the only one:
/// open and locked; they are not removed here.
pub fn conduct<K: Clock>(
    clock: K,
    plan: &Plan,
    preflight: &Preflight,
    identity: &Identity,
    sites: &mut [&mut dyn OpenTarget],
    sink: &mut dyn Sink,
    interrupt: &Interrupt,
) -> Ending {
    let frame = RunContext::begin(&clock, plan, preflight, identity, &[], sink);
    let mut run = Run {
        clock,
        plan,
        sites,
        sink,
        interrupt,
        frame,
        standing: preflight.standing_engine.as_ref(),
        engine: String::new(),
        ramps: HashMap::new(),
        levels_run: HashMap::new(),
        begun: HashSet::new(),
        held: HashSet::new(),
        steps_done: 0,
        levels_done: 0,
        repeated: 0,
        began: clock.now(),
        spent: (0.0, 0.0),
        written: 0,
        no_more_writes: false,
    };
    let ending = match run.stages() {
        Ok(()) => Ending::complete(),
        Err(Break::Signal { stuck }) => Ending::signal(interrupt, stuck),
        Err(Break::Hung(what)) => Ending::hung(what),
        Err(Break::Errors(what) | Break::Cannot(what)) => Ending::failed(what),
        Err(Break::Lacking(what)) => Ending::lacking(what),
    };
    run.frame.end(&clock, &ending, run.sink);
    ending
}

struct Run<'a, 's, K> {
    clock: K,
    plan: &'a Plan,
    sites: &'a mut [&'s mut dyn OpenTarget],
    sink: &'a mut dyn Sink,
    interrupt: &'a Interrupt,
    frame: RunContext,
    /// Chosen for this target before.
    standing: Option<&'a StandingEngine>,
    /// Chosen once the target is filled.
    engine: String,
    /// Ramps that were begun, by stage.
    ramps: HashMap<usize, Ramp>,
    /// Levels run so far, all passes, by stage.
    levels_run: HashMap<usize, usize>,
    /// Stages of one step that were begun.
    begun: HashSet<usize>,
    /// Ramps whose best level was held.
    held: HashSet<usize>,
    /// Steps of the record so far.
    steps_done: usize,
    /// The same, those of several targets side by side counted once.
    levels_done: usize,
    /// Levels beyond those planned: repeated because they decide, or deeper because the rate still grew.
    repeated: usize,
    /// When the run began, on the clock.
    began: u64,
    /// Expected and real seconds of stages that are over, for the estimate of the rest.
    spent: (f64, f64),
    /// Bytes written so far: the fill, and what the workers wrote.
    written: u64,
    /// What may be written was written.
    no_more_writes: bool,
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

impl<K: Clock> Run<'_, '_, K> {
    fn stages(&mut self) -> Result<(), Break> {
        self.fill()?;
        self.take_engine()?;
        let plan = self.plan;
        let of =
            |role: StageRole| plan.stages.iter().enumerate().filter(move |(_, s)| s.role == role && s.place.side == 0);
        for (i, stage) in of(StageRole::Probe).chain(of(StageRole::Fixed)) {
            if self.may_begin(stage) {
                self.step(i, stage, 0, false, Level::alone(&stage.job))?;
            }
        }
        let passes = plan.stages.iter().filter_map(|s| s.ramp.as_ref()).map(|r| r.passes).max().unwrap_or(1);
        for pass in 0..passes {
            for (i, stage) in of(StageRole::Ramp) {
                let rule = stage.ramp.as_ref().expect("a ramp has its rule");
                if pass >= rule.passes {
                    continue;
                }
                self.ramp(i, stage, pass)?;
                if pass + 1 == rule.passes {
                    self.raise_further(i, stage)?;
                    self.repeat_deciding(i, stage, i)?;
                    self.hold(i, stage)?;
                    self.sweeps(stage)?;
                }
            }
        }
        // What time is left is for the ramps that are undecided still: what decided soon has left it to them.
        for (i, stage) in of(StageRole::Ramp) {
            self.repeat_deciding(i, stage, plan.stages.len())?;
        }
        Ok(())
    }

    fn fill(&mut self) -> Result<(), Break> {
        if !self.plan.target.kind.is_local() || self.plan.fill.0 == 0 {
            return Ok(());
        }
        let (began, mut bytes) = (self.clock.now(), 0);
        for (target, site) in self.plan.each_target().zip(self.sites.iter_mut()) {
            bytes += fill::fill(self.clock, self.plan, target, *site, self.sink, self.interrupt)?.0;
        }
        self.written = bytes;
        self.sink.event(RunEvent::Filled { bytes, time: Nanos(self.clock.now() - began) });
        Ok(())
    }

    fn take_engine(&mut self) -> Result<(), Break> {
        let asked = self.plan.stages.first().map_or("auto", |s| s.job.engine.as_str());
        if asked != "auto" {
            self.engine = asked.to_owned();
            let why = format!("{asked}, as asked");
            self.sink.event(RunEvent::EngineChosen { why });
            return Ok(());
        }
        let file = self.file(0, &self.plan.target, false)?;
        let block = Bytes(8192).max(self.plan.target.align).min(self.plan.target.size);
        let times = (Nanos(100_000_000), self.plan.hang);
        // Levels of a ramp can be threads; a queue that was asked for cannot.
        let queues = self.plan.stages.iter().any(|s| s.role == StageRole::Fixed && s.job.queue_depth > 1);
        let tried = (queues, self.standing);
        let (engine, why) = choose_engine(self.clock, &self.plan.target, &file, block, times, tried, self.interrupt)?;
        self.engine = engine;
        self.sink.event(RunEvent::EngineChosen { why });
        Ok(())
    }

    fn file(&self, side: usize, target: &Target, write: bool) -> Result<Arc<std::fs::File>, Break> {
        let path = target.path.display();
        let site = self.sites.get(side).ok_or_else(|| Break::Cannot(format!("{path} is not open").into()))?;
        site.file(target.direct, write)
            .map_err(|e| Break::Cannot(format!("cannot open {path} for the load: {e}").into()))
    }

    /// Raises concurrency level by level until the gain ends. Later passes repeat the levels of the first.
    fn ramp(&mut self, index: usize, stage: &Stage, pass: u32) -> Result<(), Break> {
        let rule = stage.ramp.as_ref().expect("a ramp has its rule");
        let before = self.clock.now();
        if pass == 0 {
            self.raise_concurrency(index, stage)?;
        } else {
            for level in self.ramps.get(&index).map(|ramp| ramp.levels.clone()).unwrap_or_default() {
                if self.may_begin(stage) {
                    self.run_level(index, stage, pass, level)?;
                }
            }
        }
        let level = (stage.job.stop.ramp.0 + stage.job.stop.time.0) * rule.depths.len() as u64;
        self.spent.0 += Nanos(level).secs();
        self.spent.1 += Nanos(self.clock.now() - before).secs();
        Ok(())
    }

    /// Raises concurrency from where the ramp is, until the gain ends.
    fn raise_concurrency(&mut self, index: usize, stage: &Stage) -> Result<(), Break> {
        let rule = stage.ramp.as_ref().expect("a ramp has its rule");
        loop {
            let ramp = self.ramp_of(index, stage);
            if !ramp.levels.is_empty() && !analysis::ramp_continues(&ramp.rates(), rule) {
                return Ok(());
            }
            let Some(level) = ramp.next(&rule.depths).filter(|_| self.may_begin(stage)) else { return Ok(()) };
            self.run_next(index, stage, level)?;
        }
    }

    /// Goes beyond the levels that were planned while the rate still grows and the run is within its time.
    fn raise_further(&mut self, index: usize, stage: &Stage) -> Result<(), Break> {
        let rule = stage.ramp.as_ref().expect("a ramp has its rule");
        let time = Nanos(stage.job.stop.ramp.0 + stage.job.stop.time.0);
        let deepest = rule.depths.last().copied().unwrap_or(0);
        loop {
            let ramp = self.ramp_of(index, stage);
            let at_the_end = ramp.levels.last().is_some_and(|l| l.concurrency() >= deepest);
            if !at_the_end || !analysis::still_rises(&ramp.measured) || !self.go_deeper(index, stage, time, index)? {
                return Ok(());
            }
        }
    }

    /// Runs the next level of a ramp, one beyond its plan if need be; whether there was one, and time for it.
    fn go_deeper(&mut self, index: usize, stage: &Stage, time: Nanos, next: usize) -> Result<bool, Break> {
        let rule = stage.ramp.as_ref().expect("a ramp has its rule");
        let deeper = self.ramp_of(index, stage).next(rule.depths.iter().chain(&rule.further));
        let Some(level) = deeper.filter(|_| self.may_begin(stage) && self.has_time(next, time)) else {
            return Ok(false);
        };
        self.run_next(index, stage, level)?;
        self.repeated += 1;
        Ok(true)
    }

    /// Runs the first pass of the next level, which tells how many threads those after it need.
    fn run_next(&mut self, index: usize, stage: &Stage, level: Level) -> Result<(), Break> {
        let busiest = self.run_level(index, stage, 0, level)?;
        self.ramp_of(index, stage).split.learn(busiest);
        Ok(())
    }

    fn ramp_of(&mut self, index: usize, stage: &Stage) -> &mut Ramp {
        self.ramps.entry(index).or_insert_with(|| Ramp::new(&self.engine, stage))
    }

    /// Runs a pass of a level of a ramp and notes it; how busy the busiest thread was, of a CPU.
    fn run_level(&mut self, index: usize, stage: &Stage, pass: u32, level: Level) -> Result<f64, Break> {
        let done = self.step(index, stage, pass, false, level)?;
        let busiest = done.busiest;
        self.ramp_of(index, stage).note_pass(level, pass, done);
        Ok(busiest)
    }

    /// Repeats the two levels that decide where the gain ends, in turns (A B B A), until they do, their rounds are used up, or
    /// the run would take longer than was said. `next` is the first stage whose time is to come.
    fn repeat_deciding(&mut self, index: usize, stage: &Stage, next: usize) -> Result<(), Break> {
        let rule = stage.ramp.as_ref().expect("a ramp has its rule");
        let level = Nanos(stage.job.stop.ramp.0 + stage.job.stop.time.0);
        for _ in 0..rule.repeats {
            // A level deeper may decide it, for a quarter of what turns cost: noise that hides a tenth does not hide a fifth.
            if analysis::undecided(&self.ramp_of(index, stage).measured).is_some() {
                self.go_deeper(index, stage, level, next)?;
            }
            let ramp = self.ramp_of(index, stage);
            let Some((a, b)) = analysis::undecided(&ramp.measured) else { break };
            let (Some(a), Some(b)) = (ramp.level(a), ramp.level(b)) else { break };
            let first = ramp.next_pass();
            if !self.has_time(next, Nanos(4 * level.0)) {
                break;
            }
            for (level, pass) in [(a, first), (b, first), (b, first + 1), (a, first + 1)] {
                if !self.may_begin(stage) {
                    return Ok(());
                }
                self.run_level(index, stage, pass, level)?;
                self.repeated += 1;
            }
            // What ended the ramp may have been a moment's weakness.
            self.raise_concurrency(index, stage)?;
        }
        Ok(())
    }

    /// Whether something may be done beyond what is planned of stage `index` and those after it: there is time, and the ramps
    /// that are to come may want some of it, though not all of them will.
    fn has_time(&self, index: usize, more: Nanos) -> bool {
        let spent = Nanos(self.clock.now() - self.began);
        let spare = self.plan.expected_time().since(Nanos(spent.0.saturating_add(self.left(index, false).0)));
        let ramps = self.plan.stages[index..].iter().filter(|s| s.ramp.is_some() && s.place.side == 0).count() as u64;
        more <= spare && more.0 * ramps <= 2 * spare.0
    }

    fn best(&self, index: usize) -> Option<Level> {
        self.ramps.get(&index)?.best()
    }

    fn hold(&mut self, index: usize, stage: &Stage) -> Result<(), Break> {
        let Some(best) = self.best(index).filter(|_| self.may_begin(stage)) else { return Ok(()) };
        self.step(index, stage, 0, true, best).map(drop)
    }

    /// Other block sizes at twice the concurrency that saturated the ramp: enough in flight whatever the size.
    fn sweeps(&mut self, ramp: &Stage) -> Result<(), Break> {
        let plan = self.plan;
        let Some(base) = plan.stages.iter().position(|s| s.name == ramp.name).and_then(|i| self.best(i)) else {
            return Ok(());
        };
        for (i, stage) in plan.stages.iter().enumerate() {
            if stage.follows.as_deref() == Some(ramp.name.as_str()) && self.may_begin(stage) {
                let deepest = ramp.ramp.as_ref().and_then(|r| r.depths.last().copied()).unwrap_or(1);
                let level = base.deeper(2, deepest.max(base.concurrency()), &self.engine);
                self.step(i, stage, 0, false, level)?;
            }
        }
        Ok(())
    }

    /// Whether a stage may be run, as far as what it writes goes.
    fn may_begin(&self, stage: &Stage) -> bool {
        let spent = self.may_write() == Some(0);
        !((self.no_more_writes || spent) && stage.job.workload.mix.writes())
    }

    /// Bytes the load may still write, if that is bounded. A little is kept for what the run writes besides: its journal and
    /// what the file system notes of it.
    fn may_write(&self) -> Option<u64> {
        let Bytes(most) = self.plan.max_written?;
        Some(most.saturating_sub(self.written).saturating_sub((most / 64).min(8 << 20)))
    }

    /// Runs one stage at one level, on every target side by side, and books everything about it.
    fn step(&mut self, index: usize, stage: &Stage, pass: u32, hold: bool, level: Level) -> Result<Done, Break> {
        self.wait(stage);
        if self.interrupt.asked() {
            return Err(Break::Signal { stuck: false });
        }
        let base = self.steps_done;
        let together = self.plan.stages[index..].iter().enumerate().take_while(|(i, s)| *i == 0 || s.place.side > 0);
        let time_to_hold = stage.ramp.as_ref().filter(|_| hold).map(|rule| {
            let longer = rule.longest_hold();
            if self.has_time(index, longer.since(rule.hold)) { longer } else { rule.hold }
        });
        let jobs: Vec<Job> = together.map(|(_, s)| self.job(s, time_to_hold, level)).collect();
        let loads = self.loads(&jobs)?;
        for (i, job) in jobs.iter().enumerate() {
            let at = Nanos(self.clock.now());
            self.sink.event(RunEvent::StepBegin {
                stage: index + i,
                pass,
                hold,
                job: Box::new(job.clone()),
                at,
                number: Some(base + i),
            });
        }
        self.trace_steps((base..base + jobs.len()).collect());
        let before = self.frame.counters.snapshot();
        let may_write = self.may_write().filter(|_| stage.job.workload.mix.writes());
        match (&stage.ramp, hold) {
            (None, _) => _ = self.begun.insert(index),
            (Some(_), true) => _ = self.held.insert(index),
            (Some(rule), false) if pass < rule.passes => *self.levels_run.entry(index).or_default() += 1,
            (Some(_), false) => {}
        }
        let mut follow = Follow {
            left_after: self.left(index, hold),
            steps: (self.levels_done + 1, self.levels_expected()),
            sink: self.sink,
            interrupt: self.interrupt,
            upkeep: &mut self.frame.upkeep,
            sites: self.sites,
            jobs: &jobs,
            base,
            hold,
            began: None,
            sides: vec![TargetProgress::default(); jobs.len()],
            stop: None,
            judged: 0,
            may_write,
        };
        let mut ends = run_together(self.clock, &loads, &mut follow)?;
        let windows = follow.rates();
        let told = follow.sides.iter().map(TargetProgress::written).sum::<u64>();
        // Threads that never came back are in no sum; what they told on the way is.
        self.written += ends.iter().map(|e| e.workers.write_bytes).sum::<u64>().max(told);
        for (job, end) in jobs.iter().zip(&mut ends) {
            // Nothing but the bound gives a job of a stage a count.
            if end.stop == StepStop::Count && job.stop.max_ops.is_some() && self.plan.max_written.is_some() {
                end.stop = StepStop::Written;
            }
            self.no_more_writes |= end.stop == StepStop::Written;
        }
        drop(loads);
        self.trace_steps(Vec::new());
        self.steps_done += jobs.len();
        self.levels_done += 1;
        self.book(base, &jobs, &ends, &before);
        self.outcome(&jobs, &ends)?;
        Ok(Done {
            iops: ends.iter().map(|e| e.total.iops().0).sum(),
            busiest: ends.iter().map(|e| e.busiest).fold(0.0, f64::max),
            latency: ends.iter().filter_map(|e| e.total.latency().mean()).max(),
            windows,
            waited: jobs.iter().zip(&ends).map(|(job, end)| waited(job, end)).fold(0.0, f64::max),
        })
    }

    fn trace_steps(&mut self, steps: Vec<usize>) {
        self.frame.upkeep.trace.turn_to(steps, Nanos(self.clock.now()), self.sink);
    }

    /// The job of a stage at a level; if that is held, for how long at most.
    fn job(&self, stage: &Stage, time_to_hold: Option<Nanos>, level: Level) -> Job {
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
        if let Some(left) = self.may_write().filter(|_| job.workload.mix.writes()) {
            // Whoever follows the load ends it before that; where the looks come late the workers end by themselves.
            let sides = self.sites.len().max(1) as u64;
            let bound = ops_that_write(&job.workload, left / sides);
            job.stop.max_ops = Some(job.stop.max_ops.map_or(bound, |own| own.min(bound)));
        }
        job
    }

    fn loads<'j>(&self, jobs: &'j [Job]) -> Result<Vec<Load<'j>>, Break> {
        let load = |(side, job): (usize, &'j Job)| {
            let writes = job.workload.mix.writes() || job.workload.flush_every > 0;
            let local = job.target.kind.is_local();
            let file = if local { Some(self.file(side, &job.target, writes)?) } else { None };
            Ok(Load {
                files: file.into_iter().collect(),
                content: (writes && job.target.uuid != 0).then(|| content_for(job)),
                ..Load::new(job, self.plan.hang)
            })
        };
        jobs.iter().enumerate().map(load).collect()
    }

    /// The pause before a stage, which nothing is measured in.
    fn wait(&mut self, stage: &Stage) {
        if stage.place.delay.0 > 0 {
            let steps = (self.levels_done + 1, self.levels_expected());
            let after = self.left(usize::MAX, false).since(stage.place.delay);
            pause(&self.clock, stage, steps, after, self.sink, self.interrupt, &mut self.frame.upkeep);
        }
    }

    fn book(&mut self, base: usize, jobs: &[Job], ends: &[LoadEnd], before: &monitor::CounterSnapshot) {
        let after = self.frame.counters.snapshot();
        self.frame.upkeep.caps.look(Nanos(self.clock.now()));
        let cpu = after.cpu_since(before);
        for (i, (job, end)) in jobs.iter().zip(ends).enumerate() {
            for note in &end.notes {
                self.sink.event(RunEvent::Note { at: end.end, text: format!("{}: {note}", job.name).into() });
            }
            let caps = self.frame.upkeep.caps.during(end.start, Nanos(self.clock.now()));
            self.sink.event(RunEvent::StepEnd { step: base + i, end: StepEnd { caps, ..end.step_end(cpu) } });
        }
        let steps = (base..base + ends.len()).collect();
        self.sink.event(RunEvent::Accounting { steps, counts: after.since(before, context::asked(ends)) });
    }

    /// What the ends mean for the run: the gravest counts.
    fn outcome(&self, jobs: &[Job], ends: &[LoadEnd]) -> Result<(), Break> {
        let each = || jobs.iter().zip(ends).zip(self.sites.iter());
        if let Some(((job, end), _)) = each().find(|((_, end), _)| end.stop == StepStop::Hung) {
            return Err(Break::Hung(end.hung(&job.workload.label())));
        }
        if ends.iter().any(|e| e.stop == StepStop::Signal) {
            return Err(Break::Signal { stuck: ends.iter().any(|e| e.workers.pending > 0) });
        }
        for ((_, end), site) in each() {
            if let Some(what) = lost(&**site, end) {
                return Err(Break::Hung(what));
            }
        }
        match each().find(|((_, end), _)| end.stop == StepStop::Errors) {
            Some(((job, end), _)) => Err(Break::Errors(describe_errors(job, end))),
            None => Ok(()),
        }
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
                let level = Nanos(stage.job.stop.ramp.0 + stage.job.stop.time.0).secs();
                let done = self.levels_run.get(&i).copied().unwrap_or(0);
                let all = (rule.depths.len() * rule.passes as usize) as f64 * shorter;
                (all - done as f64).max(0.0) * level + rule.hold.secs()
            }
        };
        let first = self.plan.stages.iter().enumerate().filter(|(_, s)| s.place.side == 0);
        Nanos::from_secs_f64(first.map(seconds).sum())
    }
}

/// Operations of a workload that write no more than `bytes`: with a mix that is drawn, for all but one in a million draws.
fn ops_that_write(workload: &Workload, bytes: u64) -> u64 {
    let writes = (bytes / workload.max_block().0.max(1)) as f64;
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

/// What happened to the target, if it is not what it was: it was cut, or its device was taken away.
pub fn lost(target: &dyn OpenTarget, end: &LoadEnd) -> Option<Sentence> {
    /// ENXIO, ENODEV, EREMOTEIO: there is no device any more.
    const GONE: [i32; 3] = [6, 19, 121];
    if let Err(error) = target.present() {
        return Some(error.into());
    }
    let errors = |op: Op| end.total.op(op).tally.errors.keys();
    let errno = Op::ALL.into_iter().flat_map(errors).find(|e| GONE.contains(*e))?;
    Some(sentence!("end-lost", error = std::io::Error::from_raw_os_error(*errno).to_string()))
}

/// Contents in granules that suit the sizes the job writes.
fn content_for(job: &Job) -> Arc<Content> {
    let block = &job.workload.block;
    let grain = if block.max().0.is_multiple_of(4096) { block.min().0 } else { 512 };
    Arc::new(Content::new(job.target.uuid, job.seed).for_grain(grain))
}

pub(crate) fn describe_errors(job: &Job, end: &LoadEnd) -> Sentence {
    if let Some(trouble) = &end.workers.trouble {
        return trouble.clone();
    }
    if let Some(broken) = &end.workers.broken {
        return format!("{}: {broken}", job.workload.label()).into();
    }
    let mut kinds: Vec<Sentence> = Vec::new();
    for op in Op::ALL {
        for (errno, n) in &end.total.op(op).tally.errors {
            let why = match *errno {
                load::worker::END_OF_FILE => sentence!("end-error-end-of-file"),
                model::WRONG_DATA => sentence!("end-error-wrong-data"),
                errno => std::io::Error::from_raw_os_error(errno).to_string().into(),
            };
            kinds.push(sentence!("end-error-kind", n = *n, op, why));
        }
    }
    if kinds.is_empty() {
        // Failed while draining.
        kinds.push(sentence!("end-errors-draining", n = end.workers.failed));
    }
    sentence!("end-errors", workload = job.workload.label(), errors = Sentence::join(kinds, ", "))
}
