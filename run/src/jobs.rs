//! The conductor of job files: waves of jobs that run together, each with its own files, delay and end.
//!
//! Beside [`crate::conduct`], which raises concurrency and follows limits, this one takes every stage as it is given.
//! Both hand loads to the same workers and tell the same events.

use crate::context::{self, Ending, Identity, Interrupt, RunContext};
use crate::programs::LeftRunning;
use crate::rate_snapshot::RateSnapshot;
use crate::sink::{JobsProgress, Progress, Sink};
use crate::steady::Steady;
use crate::workers::{Decision, Live, Load, LoadEnd, LoadError, WatchAll, run_together};
use load::engines::SharedLock;
use load::recorder::Entry;
use load::session::Sessions;
use load::worker::Flow;
use load::zoned::Zones;
use messages::sentence;
use model::{
    Bytes, BytesPerSecond, ExitWhat, Interval, Iops, Job, Nanos, Op, Phase, Plan, Preflight, ProgramEnd, Rate,
    RunEvent, Sentence, Stage, StepEnd, StepStop, Window,
};
use monitor::{DiskCounters, Roots};
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use sys::Clock;

/// Why files were not made ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LayoutError {
    /// A sentence saying what could not be made.
    Cannot(String),
    /// A sentence: nothing came back for longer than is waited for. A thread may be in the kernel still.
    Hung(String),
}

impl From<String> for LayoutError {
    fn from(why: String) -> LayoutError {
        LayoutError::Cannot(why)
    }
}

/// The files of a job file's jobs: made ready once, opened per job, put away per job.
pub trait Files {
    /// Makes ready what the plan's layout asks. `tell` is told bytes done and bytes in all, and says whether to go on.
    /// Returns the bytes written.
    ///
    /// # Errors
    /// What could not be made, or that it hangs.
    fn lay_out(&mut self, tell: &mut dyn FnMut(u64, u64) -> bool) -> Result<u64, LayoutError>;

    /// Opens the files of a job, in the order of [`Job::targets`].
    ///
    /// # Errors
    /// When one cannot be opened, or is no longer what was inspected.
    fn open(&self, job: &Job) -> io::Result<Vec<Arc<File>>>;

    /// Whether all are there, and as large as they were.
    ///
    /// # Errors
    /// A sentence saying what happened.
    fn present(&self) -> Result<(), String>;

    /// Whether files that grow leave free what is never used of their file systems.
    ///
    /// # Errors
    /// A sentence with the figures.
    fn room(&self) -> Result<(), String> {
        Ok(())
    }

    /// Opens the database sessions of jobs that drive one.
    fn sessions(&self) -> Option<Arc<dyn Sessions>> {
        None
    }

    /// What else is known by now, about each second and once after each wave: counters of a database.
    fn told(&mut self, _now: Nanos) -> Vec<RunEvent> {
        Vec::new()
    }

    /// Called every few milliseconds while a wave runs, with the time in which all of it is measured, ramps left out: `from`
    /// the latest beginning, `until` the latest end.
    fn look(&mut self, _now: Nanos, _from: Nanos, _until: Nanos) {}

    /// A wave has ended; what it did after its measured time is done.
    fn wave_ended(&mut self, _now: Nanos) {}

    /// After the last wave of a run that went to its end, before the end is told: what is still to be counted.
    fn ended(&mut self) -> Vec<RunEvent> {
        Vec::new()
    }

    /// Before each wave, whose first stage is this one: whether it is to run, and why not. What follows it does not
    /// either then.
    fn goes_on(&mut self, _stage: usize) -> Result<(), String> {
        Ok(())
    }

    /// Makes durable and removes what the job asks, after its load.
    ///
    /// # Errors
    /// When that fails.
    fn close(&mut self, job: &Job, files: &[Arc<File>]) -> io::Result<()>;
}

/// Runs the plan of a job file to its end, whatever that is. `doubts` are known before anything runs.
#[expect(clippy::too_many_arguments, reason = "everything a run is made of, from one caller")]
pub fn conduct_jobs<K: Clock>(
    clock: K,
    plan: &Plan,
    preflight: &Preflight,
    identity: &Identity,
    doubts: &[model::Caveat],
    files: &mut dyn Files,
    sink: &mut dyn Sink,
    interrupt: &Interrupt,
) -> Ending {
    let frame = RunContext::begin(&clock, plan, preflight, identity, doubts, sink);
    let mut run = Run {
        clock,
        plan,
        files,
        sink,
        interrupt,
        frame,
        devices: preflight.storage.devices.clone(),
        disks: None,
        flows: flows(plan),
        zones: HashMap::new(),
        locks: HashMap::new(),
        steps: 0,
        filled: false,
        troubles: Vec::new(),
        left_running: LeftRunning::default(),
    };
    let outcome = run.all();
    run.left_running.end();
    if outcome.is_ok() {
        run.files.ended().into_iter().for_each(|event| run.sink.event(event));
    }
    let ending = match outcome {
        Ok(()) if run.troubles.is_empty() => Ending::complete(),
        Ok(()) => {
            // Jobs that work on one thing meet the same error: said once.
            let mut seen = BTreeSet::new();
            run.troubles.retain(|trouble| seen.insert(trouble.clone()));
            Ending::failed(Sentence::join(run.troubles, "; "))
        }
        Err(Stop::Signal { stuck }) => Ending::signal(interrupt, stuck),
        Err(Stop::Hung(what)) => Ending::hung(what),
        Err(Stop::Cannot(what)) => Ending::failed(what),
        Err(Stop::Lacking(what)) => Ending::lacking(what),
    };
    run.frame.end(&clock, &ending, run.sink);
    ending
}

enum Stop {
    Signal { stuck: bool },
    Hung(Sentence),
    Cannot(Sentence),
    Lacking(Sentence),
}

struct Run<'a, K> {
    clock: K,
    plan: &'a Plan,
    files: &'a mut dyn Files,
    sink: &'a mut dyn Sink,
    interrupt: &'a Interrupt,
    frame: RunContext,
    devices: Vec<model::DeviceFacts>,
    /// Since the first wave began.
    disks: Option<DiskCounters>,
    /// By their number.
    flows: HashMap<u32, Arc<Flow>>,
    /// Zones of devices, by path, with the rule they were looked at by.
    zones: HashMap<PathBuf, (model::ZonedRule, Arc<Zones>)>,
    /// Locks of files at which jobs take turns, by path.
    locks: HashMap<PathBuf, SharedLock>,
    /// Steps begun so far.
    steps: usize,
    /// A job has filled its file system, as it was to.
    filled: bool,
    /// Jobs that failed: one sentence each. The others go on, as they would under fio.
    troubles: Vec<Sentence>,
    /// What commands of the jobs left running.
    left_running: LeftRunning,
}

impl<K: Clock> Run<'_, K> {
    fn all(&mut self) -> Result<(), Stop> {
        self.lay_out()?;
        self.disks = Some(DiskCounters::begin(&Roots::host(), &self.devices));
        let plan = self.plan;
        let mut first = 0;
        for wave in plan.waves() {
            if let Err(why) = self.files.goes_on(first) {
                self.sink.event(RunEvent::Note { at: Nanos(self.clock.now()), text: why.into() });
                break;
            }
            let go_on = self.wave(first, wave)?;
            first += wave.len();
            if !go_on {
                break;
            }
        }
        Ok(())
    }

    fn lay_out(&mut self) -> Result<(), Stop> {
        let Run { files, sink, interrupt, clock, plan, .. } = self;
        let began = clock.now();
        let mut last = 0;
        let mut tell = |done: u64, all: u64| {
            let now = clock.now();
            if now >= last + 200_000_000 {
                last = now;
                let seconds = Nanos(now - began).secs().max(1e-9);
                let rate = done as f64 / seconds;
                sink.progress(&Progress {
                    label: format!("laying out files, {} of {}", Bytes(done), Bytes(all)),
                    bandwidth: BytesPerSecond(rate),
                    elapsed: Nanos(now),
                    left: Nanos(plan.expected_time().0 + ((all - done) as f64 / rate.max(1.0) * 1e9) as u64),
                    steps: plan.stages.len(),
                    ..Progress::default()
                });
            }
            !interrupt.asked()
        };
        let written = files.lay_out(&mut tell);
        if self.interrupt.asked() {
            return Err(Stop::Signal { stuck: matches!(written, Err(LayoutError::Hung(_))) });
        }
        let bytes = written.map_err(|e| match e {
            LayoutError::Cannot(what) => Stop::Cannot(what.into()),
            LayoutError::Hung(what) => Stop::Hung(what.into()),
        })?;
        if bytes > 0 {
            self.sink.event(RunEvent::Filled { bytes, time: Nanos(self.clock.now() - began) });
        }
        Ok(())
    }

    /// Runs stages that belong together. Whether the waves after it are to run.
    fn wave(&mut self, first: usize, wave: &[Stage]) -> Result<bool, Stop> {
        let mut opened = Vec::with_capacity(wave.len());
        for stage in wave {
            let files =
                self.files.open(&stage.job).map_err(|e| Stop::Cannot(format!("{}: {e}", stage.job.name).into()))?;
            opened.push(files);
        }
        let mut zones = Vec::with_capacity(wave.len());
        for (stage, files) in wave.iter().zip(&opened) {
            let found = zones_of(&mut self.zones, &stage.job, files);
            zones.push(found.map_err(|why| Stop::Cannot(format!("{}: {why}", stage.job.name).into()))?);
        }
        let locks: Vec<_> = wave.iter().map(|stage| locks_of(&mut self.locks, &stage.job)).collect();
        let base = self.steps;
        let loads: Vec<Load<'_>> = wave
            .iter()
            .zip(&opened)
            .zip(zones)
            .zip(locks)
            .map(|(((stage, files), zones), locks)| Load {
                zones,
                locks,
                files: files.clone(),
                sessions: self.files.sessions(),
                delay: stage.place.delay,
                after: awaited(wave, stage),
                flow: stage.job.manner.flow.and_then(|rule| self.flows.get(&rule.id).cloned()),
                left_running: self.left_running.clone(),
                ..Load::new(&stage.job, self.plan.hang)
            })
            .collect();
        for (i, stage) in wave.iter().enumerate() {
            let at = Nanos(self.clock.now() + stage.place.delay.0);
            let job = Box::new(stage.job.clone());
            self.sink.event(RunEvent::StepBegin {
                stage: first + i,
                pass: 0,
                hold: false,
                job,
                at,
                number: Some(base + i),
            });
        }
        self.steps += wave.len();
        self.trace_steps((base..base + wave.len()).collect());
        let before = self.frame.counters.snapshot();
        let clock = self.clock;
        let mut watch = Watcher::new(self, wave, base, before);
        let ends = run_together(clock, &loads, &mut watch);
        let (ended_all, failed) = (watch.leave, std::mem::take(&mut watch.failed));
        drop(loads);
        let ends = ends.map_err(|e: LoadError| match e.lacks() {
            true => Stop::Lacking(e.to_string().into()),
            false => Stop::Cannot(e.to_string().into()),
        })?;
        // A thread in the kernel holds its file: whoever asks an engine, marks, flushes or removes that would wait with it.
        let stuck = ends.iter().any(|e| e.stop == StepStop::Hung || e.workers.pending > 0);
        if !stuck {
            self.files.wave_ended(Nanos(self.clock.now()));
        }
        self.account(base, wave, &ends, &before);
        self.tell_disks();
        if !stuck {
            self.tell_more(Nanos(self.clock.now()));
        }
        self.troubles.extend(failed);
        for (stage, files) in wave.iter().zip(&opened).filter(|_| !stuck) {
            if let Err(error) = self.files.close(&stage.job, files) {
                self.troubles.push(format!("{}: {error}", stage.job.name).into());
            }
        }
        // What is flushed at the end belongs to who wrote it.
        self.trace_steps(Vec::new());
        self.outcome(wave, &ends)?;
        Ok(!ended_all)
    }

    fn trace_steps(&mut self, steps: Vec<usize>) {
        self.frame.upkeep.trace.turn_to(steps, Nanos(self.clock.now()), self.sink);
    }

    fn tell_disks(&mut self) {
        let told = self.disks.as_ref().map(DiskCounters::so_far).unwrap_or_default();
        if !told.is_empty() {
            self.sink.event(RunEvent::Disks(told));
        }
    }

    fn tell_more(&mut self, now: Nanos) {
        for event in self.files.told(now) {
            self.sink.event(event);
        }
    }

    fn account(&mut self, base: usize, wave: &[Stage], ends: &[LoadEnd], before: &monitor::CounterSnapshot) {
        let after = self.frame.counters.snapshot();
        let asked = context::asked(ends);
        let steps = (base..base + ends.len()).collect();
        let mut counts = after.since(before, asked);
        if wave.iter().any(|s| s.job.manner.runs_programs()) {
            // Programs that ended count with this process, and with its control group all the time: nobody tells them apart.
            (counts.process_read, counts.process_write) = (None, None);
            (counts.cgroup_read, counts.cgroup_write) = (None, None);
            (counts.cgroup_read_ops, counts.cgroup_write_ops) = (None, None);
        }
        self.sink.event(RunEvent::Accounting { steps, counts });
    }

    fn outcome(&mut self, wave: &[Stage], ends: &[LoadEnd]) -> Result<(), Stop> {
        for (stage, end) in wave.iter().zip(ends) {
            match end.stop {
                StepStop::Hung => return Err(Stop::Hung(end.hung(&stage.job.name))),
                StepStop::Errors => self.troubles.push(crate::conduct::describe_errors(&stage.job, end)),
                _ => {}
            }
        }
        if let Err(what) = self.files.present() {
            return Err(Stop::Hung(what.into()));
        }
        let pending = ends.iter().any(|e| e.workers.pending > 0);
        if ends.iter().any(|e| e.stop == StepStop::Signal) || self.interrupt.asked() {
            return Err(Stop::Signal { stuck: pending });
        }
        Ok(())
    }
}

/// The zones of a job's files, if it works in zones. Jobs on one device share them, those that run later as well: what was
/// written to a device that has no zones itself is known to nobody else.
fn zones_of(
    known: &mut HashMap<PathBuf, (model::ZonedRule, Arc<Zones>)>,
    job: &Job,
    files: &[Arc<File>],
) -> Result<Vec<Arc<Zones>>, String> {
    let Some(rule) = job.workload.detail.zoned.as_deref().copied() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for (target, file) in job.targets().zip(files) {
        let asked = |r: &model::ZonedRule| (r.size, r.capacity, r.max_open, r.ignore_limits);
        if let Some((before, zones)) = known.get(&target.path) {
            if asked(before) != asked(&rule) {
                return Err(format!("{}: jobs on it ask for different zones", target.path.display()));
            }
            found.push(Arc::clone(zones));
            continue;
        }
        let end = Bytes(target.offset.0.saturating_add(target.size.0));
        let size = sys::block_size(file).map_or(end, |size| end.max(Bytes(size)));
        let zones = Zones::open(file, size, &rule).map_err(|why| format!("{}: {why}", target.path.display()))?;
        known.insert(target.path.clone(), (rule, Arc::clone(&zones)));
        found.push(zones);
    }
    Ok(found)
}

/// The locks of a job's files, if it takes turns at them.
fn locks_of(known: &mut HashMap<PathBuf, SharedLock>, job: &Job) -> Vec<SharedLock> {
    let lock = |target: &model::Target| Arc::clone(known.entry(target.path.clone()).or_default());
    if job.manner.lock.is_some() { job.targets().map(lock).collect() } else { Vec::new() }
}

/// The flows of a plan, which know the weights of all their workers.
fn flows(plan: &Plan) -> HashMap<u32, Arc<Flow>> {
    let mut flows: HashMap<u32, Arc<Flow>> = HashMap::new();
    for job in plan.stages.iter().map(|s| &s.job) {
        if let Some(rule) = job.manner.flow {
            let flow = flows.entry(rule.id).or_default();
            flow.expect(rule.weight * job.threads.max(1));
        }
    }
    flows
}

/// Which jobs of its wave a job waits for.
fn awaited(wave: &[Stage], stage: &Stage) -> Vec<usize> {
    let Some(section) = stage.place.after else { return Vec::new() };
    wave.iter().enumerate().filter(|(_, s)| s.place.section == Some(section)).map(|(i, _)| i).collect()
}

/// Follows the jobs of a wave.
struct Watcher<'a, 'b, K> {
    run: &'a mut Run<'b, K>,
    wave: &'a [Stage],
    /// Number of the wave's first step.
    base: usize,
    before: monitor::CounterSnapshot,
    jobs: Vec<State>,
    groups: Vec<Group>,
    last_shown: u64,
    /// What comes after the wave is not to run.
    leave: bool,
    /// Why jobs failed beyond I/O errors: one sentence each.
    failed: Vec<Sentence>,
}

/// What is known of one job.
#[derive(Default)]
struct State {
    recent: Vec<Window>,
    phase: Option<Phase>,
    ended: bool,
    /// Why it is to be stopped, because of another one or of its group.
    stop: Option<StepStop>,
    /// Measured windows already judged against the floor.
    judged: usize,
    stuck: Option<Nanos>,
    began: u64,
    /// The group whose steadiness ends it.
    group: Option<usize>,
    /// When it is measured, once that is known.
    measured: Option<(Nanos, Nanos)>,
}

/// A clone's rate is held against its floor from then on, as fio does.
const SETTLE: Nanos = Nanos(2_000_000_000);

/// Jobs judged together by fio's steadystate.
struct Group {
    members: Vec<usize>,
    steady: Steady,
}

impl<'a, 'b, K: Clock> Watcher<'a, 'b, K> {
    fn new(run: &'a mut Run<'b, K>, wave: &'a [Stage], base: usize, before: monitor::CounterSnapshot) -> Self {
        let mut jobs: Vec<State> = wave.iter().map(|_| State::default()).collect();
        let mut groups: Vec<(Option<u32>, Group)> = Vec::new();
        for (which, stage) in wave.iter().enumerate() {
            let Some(rule) = stage.job.manner.ends.steady else { continue };
            let section = stage.place.section.and_then(|s| run.plan.sections.get(s));
            let key = section.filter(|s| s.one_report).map(|s| s.group);
            let place = groups.iter().position(|(k, _)| key.is_some() && *k == key).unwrap_or_else(|| {
                groups.push((key, Group { members: Vec::new(), steady: Steady::new(rule) }));
                groups.len() - 1
            });
            groups[place].1.members.push(which);
            jobs[which].group = Some(place);
        }
        let groups = groups.into_iter().map(|(_, group)| group).collect();
        Watcher { run, wave, base, before, jobs, groups, last_shown: 0, leave: false, failed: Vec::new() }
    }

    /// Ends others as the job's `exitall` says.
    fn exit_all(&mut self, which: usize, end: &LoadEnd) {
        let ends = &self.wave[which].job.manner.ends;
        let failed = end.stop == StepStop::Errors;
        let Some(what) = ends.exit_all.filter(|_| failed || !ends.exit_all_on_error) else { return };
        let section = |stage: &Stage| stage.place.section.and_then(|s| self.run.plan.sections.get(s)).map(|s| s.group);
        let group = section(&self.wave[which]);
        for (other, stage) in self.jobs.iter_mut().zip(self.wave) {
            if what != ExitWhat::Group || section(stage) == group {
                other.stop.get_or_insert(StepStop::Time);
            }
        }
        self.leave |= what == ExitWhat::All;
    }

    /// A rate below what was demanded (fio's rate_min) ends the job as failed.
    fn below_floor(&mut self, which: usize, before: usize, windows: &[Window]) -> Option<Sentence> {
        let ends = &self.wave[which].job.manner.ends;
        if ends.floor.iter().all(Option::is_none) {
            return None;
        }
        let judged = self.jobs[which].judged.max(before);
        let windows = windows.get(judged - before..).unwrap_or_default();
        let settled = self.jobs[which].began.saturating_add(SETTLE.0);
        let (young, windows) = windows.split_at(windows.iter().take_while(|w| w.start.0 < settled).count());
        let before = judged + young.len();
        self.jobs[which].judged = before;
        let (from, length) = (0, windows.iter().map(|w| w.length.0).sum());
        if length < ends.floor_cycle.0.max(1) {
            return None;
        }
        self.jobs[which].judged = before + windows.len();
        let seconds = Nanos(length).secs();
        for (op, floor) in [Op::Read, Op::Write, Op::Trim].into_iter().zip(ends.floor) {
            let sum = |of: fn(&Window, usize) -> u64| -> f64 {
                windows[from..].iter().map(|w| of(w, op.index())).sum::<u64>() as f64 / seconds
            };
            let said = match floor {
                Some(Rate::Iops(least)) => {
                    let rate = Iops(sum(|w, op| w.ops[op]));
                    (rate.0 < least.0).then(|| (format!("{rate} IOPS"), least.to_string()))
                }
                Some(Rate::Bytes(least)) => {
                    let rate = BytesPerSecond(sum(|w, op| w.bytes[op]));
                    (rate.0 < least.0).then(|| (rate.to_string(), least.to_string()))
                }
                None => None,
            };
            let job = &self.wave[which].job.name;
            if let Some((rate, least)) = said {
                return Some(match floor {
                    Some(Rate::Iops(_)) => sentence!("end-below-iops", job, op, rate, least),
                    _ => sentence!("end-below-bandwidth", job, op, rate, least),
                });
            }
        }
        None
    }

    /// A file system is as full as it may get. That is what a job with `fill_device` is for: it ends, and no other is
    /// blamed for it. Otherwise, why the wave fails.
    fn no_room(&mut self, why: String, now: Nanos) -> Option<String> {
        for (job, stage) in self.jobs.iter_mut().zip(self.wave) {
            if !stage.job.manner.ends.until_full {
                continue;
            }
            self.run.filled = true;
            if !job.ended && job.stop.is_none() {
                job.stop = Some(StepStop::Count);
                let text = sentence!("note-file-system-full", job = &stage.job.name);
                self.run.sink.event(RunEvent::Note { at: now, text });
            }
        }
        (!self.run.filled).then_some(why)
    }

    /// Where no job with I/O is left, here or later, those end that go on only so long. Where there is none at all they have
    /// their time, as in fio.
    fn end_idle(&mut self) {
        let does_io = |stage: &Stage| stage.job.manner.other_work.is_none();
        let later = self.run.plan.stages[self.base + self.wave.len()..].iter().any(does_io);
        let here = self.wave.iter().zip(&self.jobs).any(|(stage, job)| does_io(stage) && !job.ended);
        if later || here || !self.run.plan.stages.iter().any(does_io) {
            return;
        }
        for (job, stage) in self.jobs.iter_mut().zip(self.wave) {
            if stage.job.manner.burn().is_some_and(|burn| burn.until_io_ends) {
                job.stop.get_or_insert(StepStop::Count);
            }
        }
    }

    fn show(&mut self, now: Nanos) {
        if now.0 < self.last_shown + 250_000_000 {
            return;
        }
        self.last_shown = now.0;
        let alive = || self.jobs.iter().zip(self.wave).filter(|(j, _)| !j.ended);
        let mut rates = [(Iops(0.0), BytesPerSecond(0.0)); 3];
        let mut total = RateSnapshot::default();
        for (job, _) in alive() {
            let seconds = Nanos(job.recent.iter().map(|w| w.length.0).sum()).secs();
            if seconds <= 0.0 {
                continue;
            }
            for (op, rate) in rates.iter_mut().enumerate() {
                rate.0.0 += job.recent.iter().map(|w| w.ops[op]).sum::<u64>() as f64 / seconds;
                rate.1.0 += job.recent.iter().map(|w| w.bytes[op]).sum::<u64>() as f64 / seconds;
            }
            let glance = RateSnapshot::over(&job.recent);
            total.iops.0 += glance.iops.0;
            total.bandwidth.0 += glance.bandwidth.0;
            total.latency = total.latency.max(glance.latency);
        }
        let states = self.jobs.iter().zip(self.wave).map(|(job, stage)| letter(job, stage)).collect();
        let left_of = |(job, stage): (&State, &Stage)| {
            let planned = stage.expected_time().0.saturating_add(stage.place.delay.0);
            if job.began == 0 { planned } else { planned.saturating_sub(now.0.saturating_sub(job.began)) }
        };
        let left = alive().map(left_of).max().unwrap_or(0);
        let after: u64 = self.run.plan.stages[self.base + self.wave.len()..]
            .chunk_by(|_, next| next.place.with_previous)
            .map(|w| w.iter().map(|s| s.expected_time().0).max().unwrap_or(0))
            .sum();
        let stuck = self.jobs.iter().filter_map(|j| j.stuck).max();
        self.run.sink.progress(&Progress {
            label: self.wave.first().map(|s| s.job.workload.label()).unwrap_or_default(),
            concurrency: alive().map(|(_, s)| s.job.concurrency()).sum(),
            phase: self.jobs.iter().find_map(|j| j.phase.filter(|_| !j.ended)).unwrap_or_default(),
            iops: total.iops,
            bandwidth: total.bandwidth,
            latency: total.latency,
            step: self.base + 1,
            steps: self.run.plan.stages.len(),
            elapsed: now,
            left: Nanos(left.saturating_add(after)),
            warning: stuck.map(|age| format!("an operation has been in flight for {age}")),
            hold: false,
            jobs: Some(JobsProgress {
                running: alive().count() as u32,
                files: alive().map(|(_, s)| s.job.targets().count() as u32).sum(),
                states,
                rates,
            }),
        });
    }
}

/// What must be known to read the figures of a job.
fn particulars(name: &str, end: &LoadEnd) -> Vec<Sentence> {
    let w = &end.workers;
    let mut told = Vec::new();
    if w.full {
        told.push(sentence!("note-device-full", job = name));
    }
    if let (Some(depth), Some(at)) = (w.settled_depth, w.settled_at) {
        let search = at.since(end.start);
        told.push(sentence!("note-depth-found", job = name, depth, search));
    }
    told.extend(match w.other_work.as_ref().and_then(|did| did.program) {
        Some(ProgramEnd::Code(code)) if code != 0 => Some(sentence!("program-ended", job = name, code)),
        Some(ProgramEnd::Signal(signal)) => Some(sentence!("program-ended-by-signal", job = name, signal)),
        _ => None,
    });
    told.extend(end.told.iter().cloned());
    told
}

/// fio's letter for what a job is doing.
fn letter(job: &State, stage: &Stage) -> char {
    let mix = stage.job.workload.mix;
    let random = stage.job.workload.access.is_random();
    match (job.ended, job.began, job.phase) {
        (true, ..) => '_',
        (_, 0, _) => 'P',
        (_, _, Some(Phase::Ramp)) => '/',
        (_, _, Some(Phase::Drain)) => 'f',
        _ => match (mix.read_percent(), mix.write_percent, random) {
            (100, _, false) => 'R',
            (100, _, true) => 'r',
            (_, 100, false) => 'W',
            (_, 100, true) => 'w',
            (_, _, false) if mix.trim_percent > 0 => 'D',
            (_, _, true) if mix.trim_percent > 0 => 'd',
            (_, _, false) => 'M',
            (_, _, true) => 'm',
        },
    }
}

impl<K: Clock> WatchAll for Watcher<'_, '_, K> {
    fn interval(&mut self, which: usize, interval: Interval) {
        if let Some(group) = self.jobs[which].group {
            let group = &mut self.groups[group];
            let member = group.members.iter().position(|m| *m == which).unwrap_or(0);
            group.steady.add(member, group.members.len(), &interval);
        }
        self.run.sink.event(RunEvent::Interval { step: self.base + which, interval });
    }

    fn operations(&mut self, which: usize, entries: &[Entry]) {
        self.run.sink.operations(self.base + which, entries);
    }

    fn look(&mut self, which: usize, live: &Live<'_>) -> Decision {
        let job = &mut self.jobs[which];
        if job.began == 0 {
            job.began = live.now.0;
        }
        job.recent = live.recent.to_vec();
        // What does no I/O has no windows.
        let ramps = live.windows.is_empty() && self.wave[which].job.manner.other_work.is_none();
        job.phase = Some(if ramps { Phase::Ramp } else { Phase::Measure });
        job.stuck = live.stuck;
        if let Some(why) = job.stop {
            return Decision::Stop(why);
        }
        if job.group.is_some_and(|g| self.groups[g].steady.attained()) {
            return Decision::Stop(StepStop::Steady);
        }
        if let Some(why) = self.below_floor(which, live.before, live.windows) {
            self.failed.push(why);
            return Decision::Stop(StepStop::Errors);
        }
        Decision::GoOn
    }

    fn scheduled(&mut self, which: usize, from: Nanos, until: Nanos) {
        self.jobs[which].measured = Some((from, until));
    }

    fn tick(&mut self, now: Nanos) -> Decision {
        self.show(now);
        let times: Option<Vec<(Nanos, Nanos)>> = self.jobs.iter().map(|j| j.measured).collect();
        if let Some((from, until)) =
            times.and_then(|t| Some((t.iter().map(|t| t.0).max()?, t.iter().map(|t| t.1).max()?)))
        {
            self.run.files.look(now, from, until);
        }
        if self.run.interrupt.asked() {
            return Decision::Stop(StepStop::Signal);
        }
        if self.run.frame.upkeep.due(now) {
            self.run.frame.upkeep.sample(now.0, self.run.sink);
            self.run.tell_disks();
            self.run.tell_more(now);
            if let Err(why) = self.run.files.present() {
                self.failed.push(why.into());
                return Decision::Stop(StepStop::Errors);
            }
            if let Err(why) = self.run.files.room()
                && let Some(why) = self.no_room(why, now)
            {
                self.failed.push(why.into());
                return Decision::Stop(StepStop::Errors);
            }
        }
        Decision::GoOn
    }

    fn ended(&mut self, which: usize, end: &LoadEnd) {
        self.jobs[which].ended = true;
        self.jobs[which].recent.clear();
        let name = &self.wave[which].job.name;
        for note in &end.notes {
            self.run.sink.event(RunEvent::Note { at: end.end, text: format!("{name}: {note}").into() });
        }
        let w = &end.workers;
        for text in particulars(name, end) {
            self.run.sink.event(RunEvent::Note { at: end.end, text });
        }
        self.run.filled |= w.full;
        let cpu = self.run.frame.counters.snapshot().cpu_since(&self.before);
        let now = Nanos(self.run.clock.now());
        self.run.frame.upkeep.caps.look(now);
        let caps = self.run.frame.upkeep.caps.during(end.start, now);
        let steady = self.jobs[which].group.map(|g| self.groups[g].steady.result());
        self.run.sink.event(RunEvent::StepEnd {
            step: self.base + which,
            end: StepEnd {
                verified: w.verified.clone(),
                settled_depth: w.settled_depth,
                settled_at: w.settled_at,
                zone_resets: w.zone_resets,
                absent_reads: w.absent_reads,
                steady,
                caps,
                ..end.step_end(cpu)
            },
        });
        self.exit_all(which, end);
        self.end_idle();
    }
}
