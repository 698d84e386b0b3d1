//! Execution of waves: opens files, starts the workers, reports events to the sink, and records the result of each job.
//!
//! The executor is the same for every kind of run. The scheduler decides what runs next; the rules of a wave decide
//! what ends a job early.

mod elsewhere;

use super::files::Files;
use crate::context::{self, Interrupt, RunContext};
use crate::peers::Peers;
use crate::sink::{Progress, Sink};
use crate::wave::{PAUSE_TICK, Pause, Scheduler, Stop, Wave, WaveEnd, WaveJob, WaveRules, note};
use crate::workers::{Decision, LeftRunning, Live, Load, LoadEnd, LoadError, WatchAll, run_together};
use load::content::Content;
use load::engines::SharedLock;
use load::recorder::Entry;
use load::worker::Flow;
use load::zoned::Zones;
use messages::sentence;
use model::record::{DeviceFacts, ProgramEnd, StepEnd, StepStop};
use model::{Bytes, Interval, Job, Nanos, Plan, RunEvent, Sentence, Target};
use monitor::{CounterSnapshot, DiskCounters, Placed, Roots};
use std::collections::HashMap;
use std::fs::File;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use sys::clock::{Clock, RunClock};

/// State shared by all waves of a run.
pub(crate) struct Executor<'a> {
    clock: RunClock,
    plan: &'a Plan,
    files: &'a mut dyn Files,
    sink: &'a mut dyn Sink,
    interrupt: &'a Interrupt,
    context: &'a mut RunContext,
    /// Other processes of the run.
    peers: &'a mut dyn Peers,
    /// Kernel counters of the devices to report, since the first wave began.
    disks: DiskCounters,
    /// State shared by the jobs of a flow, by number of the flow.
    flows: HashMap<u32, Arc<Flow>>,
    /// Zones of devices by path, with the rule used to open them.
    zones: HashMap<PathBuf, (model::plan::ZonedRule, Arc<Zones>)>,
    /// Locks of files that serialize jobs, by path.
    locks: HashMap<PathBuf, SharedLock>,
    /// Number of steps begun so far.
    steps: usize,
    /// Processes that commands of the jobs left running.
    left_running: LeftRunning,
}

impl<'a> Executor<'a> {
    pub fn new(
        clock: RunClock,
        plan: &'a Plan,
        files: &'a mut dyn Files,
        sink: &'a mut dyn Sink,
        interrupt: &'a Interrupt,
        context: &'a mut RunContext,
        peers: &'a mut dyn Peers,
    ) -> Self {
        Executor {
            clock,
            plan,
            files,
            sink,
            interrupt,
            context,
            peers,
            disks: DiskCounters::begin(&Roots::host(), &[]),
            flows: flows(plan),
            zones: HashMap::new(),
            locks: HashMap::new(),
            steps: 0,
            left_running: LeftRunning::default(),
        }
    }

    /// Makes the executor report the kernel counters of these devices with each sample and after each wave.
    pub fn count_disks(&mut self, devices: &[DeviceFacts]) {
        self.disks = DiskCounters::begin(&Roots::host(), devices);
    }

    /// Runs waves until the scheduler has no more. Returns failures that did not end the run.
    ///
    /// # Errors
    /// Returns the reason if the run ended early.
    pub fn run<'p, S: Scheduler<'p>>(&mut self, scheduler: &mut S) -> Result<Vec<Sentence>, Stop> {
        let outcome = self.waves(scheduler);
        self.left_running.end();
        outcome?;
        self.peers.finish();
        for event in self.files.ended() {
            self.peers.emit(event, self.sink);
        }
        self.wait_for_last_reports()?;
        for doubt in scheduler.doubts() {
            self.sink.event(RunEvent::Caveat(doubt));
        }
        Ok(scheduler.failures())
    }

    fn waves<'p, S: Scheduler<'p>>(&mut self, scheduler: &mut S) -> Result<(), Stop> {
        let began = self.clock.now();
        loop {
            while !scheduler.is_ready() {
                // Send reports even during long pauses, so that a watchdog can see that this process is alive.
                let now = self.clock.now();
                if self.context.background.due(Nanos(now)) {
                    self.context.background.sample(now, self.sink);
                }
                self.sink.progress(&Progress { elapsed: Nanos(now), ..Progress::default() });
            }
            let Some(mut wave) = scheduler.next(Nanos(self.clock.now() - began)) else { break };
            if let Some(job) = wave.jobs.first()
                && let ControlFlow::Break(why) = self.files.goes_on(job.stage)
            {
                self.sink.event(note(Nanos(self.clock.now()), why));
                break;
            }
            let end = self.wave(&mut wave)?;
            scheduler.wave_ended(wave, end)?;
        }
        Ok(())
    }

    fn wave<R: WaveRules>(&mut self, wave: &mut Wave<'_, R>) -> Result<WaveEnd, Stop> {
        if let Some(pause) = &wave.pause {
            self.pause(pause);
        }
        if self.interrupt.asked() {
            return Err(Stop::Signal { stuck: false });
        }
        let base = self.steps;
        let here = self.peers.order(&wave.jobs, base);
        let prepared = self.open(&wave.jobs, &here).and_then(|o| Ok((self.loads(&wave.jobs, &here, &o)?, o)));
        let (loads, opened) = match prepared {
            Ok(prepared) => prepared,
            Err(stop) => {
                self.peers.cancel();
                return Err(stop);
            }
        };
        self.tell_begin(base, &wave.jobs);
        self.steps += wave.jobs.len();
        self.trace_steps(here.iter().map(|i| base + i).collect());
        let before = self.context.counters.snapshot();
        let clock = self.clock;
        let mut watch = WaveWatch {
            measured: vec![None; wave.jobs.len()],
            run: self,
            jobs: &wave.jobs,
            here: &here,
            ends: wave.jobs.iter().map(|_| None).collect(),
            rules: &mut wave.rules,
            base,
            before: before.clone(),
            failed: Vec::new(),
        };
        let ends = run_together(clock, &loads, &mut watch);
        if ends.is_ok() {
            watch.wait_for_others();
        }
        let (failed, others) = (watch.failed, watch.ends);
        drop(loads);
        let ends = match ends {
            Ok(ends) => ends,
            Err(error) => {
                self.peers.cancel();
                return Err(self.peers.failure().unwrap_or_else(|| error.into()));
            }
        };
        let mut end = WaveEnd { ends: in_order(ends, others), failed };
        self.close((base, &here), &wave.jobs, &opened, &before, &mut end);
        end.failed.extend(self.wait_for_end_of_wave());
        self.check_stop(wave, &end)?;
        Ok(end)
    }

    /// Waits for the duration of a pause, while sampling and checking for interrupts.
    fn pause(&mut self, pause: &Pause) {
        let until = self.clock.now().saturating_add(pause.time.as_nanos());
        loop {
            let now = self.clock.now();
            if now >= until || self.interrupt.asked() {
                return;
            }
            if self.context.background.due(Nanos(now)) {
                self.context.background.sample(now, self.sink);
            }
            self.sink.progress(&Progress {
                elapsed: Nanos(now),
                left: Nanos(pause.left_after.as_nanos().saturating_add(until - now)),
                ..pause.progress.clone()
            });
            std::thread::sleep(Duration::from_nanos(until - now).min(PAUSE_TICK));
        }
    }

    fn open(&self, jobs: &[WaveJob<'_>], here: &[usize]) -> Result<Vec<Vec<Arc<File>>>, Stop> {
        here.iter().map(|i| self.files.open(&jobs[*i].job).map_err(Stop::Failed)).collect()
    }

    /// Returns the loads of the jobs that run here; dependencies are converted to indices among them.
    fn loads(&mut self, jobs: &[WaveJob<'_>], here: &[usize], opened: &[Vec<Arc<File>>]) -> Result<Vec<Load>, Stop> {
        let mut loads = Vec::with_capacity(here.len());
        for (WaveJob { job, delay, after, .. }, files) in here.iter().map(|i| &jobs[*i]).zip(opened) {
            let zones = zones_of(&mut self.zones, job, files)
                .map_err(|why| Stop::Failed(format!("{}: {why}", job.name).into()))?;
            let writes = job.workload.mix.writes() || job.workload.flush_every.is_some();
            loads.push(Load {
                zones,
                locks: locks_of(&mut self.locks, job),
                files: files.clone(),
                content: job.target.uuid.filter(|_| writes).map(|uuid| content_for(job, uuid)),
                sessions: self.files.sessions(),
                delay: *delay,
                after: after.iter().filter_map(|a| here.iter().position(|h| h == a)).collect(),
                flow: job.tuning.flow.and_then(|rule| self.flows.get(&rule.id).cloned()),
                left_running: self.left_running.clone(),
                ..Load::new(job.as_ref().clone(), self.plan.hang)
            });
        }
        Ok(loads)
    }

    fn tell_begin(&mut self, base: usize, jobs: &[WaveJob<'_>]) {
        for (i, WaveJob { stage, pass, hold, job, delay, .. }) in jobs.iter().enumerate() {
            self.sink.event(RunEvent::StepBegin {
                stage: *stage,
                pass: *pass,
                hold: *hold,
                job: Box::new(job.as_ref().clone()),
                at: Nanos(self.clock.now() + delay.as_nanos()),
                number: base + i,
            });
        }
    }

    /// Records the accounting of a finished wave and closes its files.
    fn close(
        &mut self,
        (base, here): (usize, &[usize]),
        jobs: &[WaveJob<'_>],
        opened: &[Vec<Arc<File>>],
        before: &CounterSnapshot,
        end: &mut WaveEnd,
    ) {
        let stuck = here.iter().any(|i| end.ends[*i].is_stuck());
        if !stuck {
            self.files.wave_ended(Nanos(self.clock.now()));
        }
        self.account((base, here), jobs, &end.ends, before);
        self.tell_disks();
        if !stuck {
            self.tell_more(Nanos(self.clock.now()));
            for (WaveJob { job, .. }, files) in here.iter().map(|i| &jobs[*i]).zip(opened) {
                if let Err(error) = self.files.close(job, files) {
                    end.failed.push(format!("{}: {error}", job.name).into());
                }
            }
        }
        // This comes last, so that the final flush is attributed to the steps that wrote the data.
        self.trace_steps(Vec::new());
    }

    fn account(
        &mut self,
        (base, here): (usize, &[usize]),
        jobs: &[WaveJob<'_>],
        ends: &[LoadEnd],
        before: &CounterSnapshot,
    ) {
        let after = self.context.counters.snapshot();
        let mut counts = after.since(before, context::asked(here.iter().map(|i| &ends[*i])));
        if here.iter().any(|i| jobs[*i].job.tuning.runs_programs()) {
            // The counters of this process include programs that have ended, and those of its control group include all
            // programs. They cannot be separated.
            (counts.process_read, counts.process_write) = (None, None);
            (counts.cgroup_read, counts.cgroup_write) = (None, None);
            (counts.cgroup_read_ops, counts.cgroup_write_ops) = (None, None);
        }
        self.sink.event(RunEvent::Accounting { steps: here.iter().map(|i| base + i).collect(), counts });
    }

    /// Returns an error if the run must end now, regardless of the schedule. A hang takes precedence over missing
    /// files, and missing files over a signal.
    fn check_stop<R: WaveRules>(&mut self, wave: &Wave<'_, R>, WaveEnd { ends, .. }: &WaveEnd) -> Result<(), Stop> {
        match self.peers.failure() {
            Some(Stop::Lost(what)) if ends.iter().any(|e| e.workers.pending > 0) => return Err(Stop::Hung(what)),
            Some(stop) => return Err(stop),
            None => {}
        }
        if let Some((j, end)) = wave.jobs.iter().zip(ends).find(|(_, end)| end.stop == StepStop::Hung) {
            return Err(Stop::Hung(end.hung(&wave.rules.label(&j.job))));
        }
        if let Err(what) = self.files.present() {
            return Err(Stop::Hung(what.to_string().into()));
        }
        if ends.iter().any(|e| e.stop == StepStop::Signal) || self.interrupt.asked() {
            return Err(Stop::Signal { stuck: ends.iter().any(|e| e.workers.pending > 0) });
        }
        Ok(())
    }

    fn trace_steps(&mut self, steps: Vec<usize>) {
        self.context.background.trace.turn_to(steps, Nanos(self.clock.now()), self.sink);
    }

    fn tell_disks(&mut self) {
        let counts = self.disks.so_far();
        if !counts.is_empty() {
            self.sink.event(RunEvent::Disks(counts));
        }
    }

    fn tell_more(&mut self, now: Nanos) {
        for event in self.files.events(now) {
            self.peers.emit(event, self.sink);
        }
    }
}

/// Watch for the jobs of a wave: passes events to the sink, consults the rules, checks the targets.
struct WaveWatch<'w, 'a, 'p, R> {
    run: &'w mut Executor<'a>,
    jobs: &'w [WaveJob<'p>],
    /// Indices of the jobs that run here, in the order of the loads.
    here: &'w [usize],
    /// Results of the jobs on other processes.
    ends: Vec<Option<LoadEnd>>,
    rules: &'w mut R,
    /// Number of the wave's first step.
    base: usize,
    /// Counters of the kernel at the beginning of the wave.
    before: CounterSnapshot,
    /// Measured time of each job, once it is known.
    measured: Vec<Option<(Nanos, Nanos)>>,
    /// Failures other than I/O errors, one sentence each.
    failed: Vec<Sentence>,
}

impl<R: WaveRules> WaveWatch<'_, '_, '_, R> {
    /// Returns the period in which the jobs here are measured: from the latest beginning to the latest end. Other
    /// processes have separate counters.
    fn common_time(&self) -> Option<(Nanos, Nanos)> {
        let times: Option<Vec<(Nanos, Nanos)>> = self.here.iter().map(|which| self.measured[*which]).collect();
        times.and_then(|t| Some((t.iter().map(|t| t.0).max()?, t.iter().map(|t| t.1).max()?)))
    }

    fn fail(&mut self, why: String) -> Decision {
        self.failed.push(why.into());
        Decision::Stop(StepStop::Errors)
    }

    /// Performs the checks that do not depend on a single job.
    fn check(&mut self, now: Nanos) -> Decision {
        if let Some(progress) = self.rules.progress(now) {
            self.run.sink.progress(&progress);
        }
        if let Some((from, until)) = self.common_time() {
            self.run.files.tick(now, from, until);
        }
        if self.run.interrupt.asked() {
            return Decision::Stop(StepStop::Signal);
        }
        if self.run.context.background.due(now) {
            self.run.context.background.sample(now.as_nanos(), self.run.sink);
            self.run.tell_disks();
            self.run.tell_more(now);
            if let Err(why) = self.run.files.present() {
                return self.fail(why.to_string());
            }
            if let Err(why) = self.run.files.room()
                && let Some(why) = self.rules.no_room(why.to_string(), now, self.run.sink)
            {
                return self.fail(why);
            }
        }
        Decision::GoOn
    }
}

impl<R: WaveRules> WatchAll for WaveWatch<'_, '_, '_, R> {
    fn begin(&mut self, now: Nanos) -> Result<Nanos, LoadError> {
        let mut now = now;
        let at_once = |job: &WaveJob<'_>| job.job.stop.ramp.is_zero() && job.delay.is_zero() && job.after.is_empty();
        if self.jobs.iter().all(at_once) {
            self.run.files.wave_begins();
            now = Nanos(self.run.clock.now());
        }
        let soon = Nanos(now.as_nanos() + 2_000_000);
        Ok(self.run.peers.begin(self.run.clock, self.run.interrupt)?.unwrap_or(soon))
    }

    fn interval(&mut self, which: usize, interval: Interval) {
        let which = self.here[which];
        self.rules.interval(which, &interval);
        self.run.sink.event(RunEvent::Interval { step: self.base + which, interval });
    }

    fn operations(&mut self, which: usize, entries: &[Entry]) {
        let which = self.here[which];
        self.run.sink.operations(self.base + which, entries);
    }

    fn decide(&mut self, which: usize, live: &Live<'_>) -> Decision {
        let which = self.here[which];
        let (decision, failure) = self.rules.decide(which, live);
        self.failed.extend(failure);
        decision
    }

    fn scheduled(&mut self, which: usize, from: Nanos, until: Nanos) {
        let which = self.here[which];
        self.rules.scheduled(which, from, until);
        self.measured[which] = Some((from, until));
    }

    fn tick(&mut self, now: Nanos) -> Decision {
        let decision = self.check(now);
        self.apply_elsewhere(now, decision)
    }

    fn ended(&mut self, which: usize, end: &LoadEnd) {
        let which = self.here[which];
        let name = &self.jobs[which].job.name;
        for text in &end.notes {
            self.run.sink.event(note(end.end, format!("{name}: {text}")));
        }
        for text in particulars(name, end) {
            self.run.sink.event(note(end.end, text));
        }
        let used = end.workers.cpu.as_nanos();
        let cpu = self.run.context.counters.snapshot().cpu_since(&self.before, Placed { seen: &end.cpus, used });
        let now = Nanos(self.run.clock.now());
        let caps = &mut self.run.context.background.caps;
        caps.sample(now);
        let caps = caps.during(end.start, now);
        self.run.sink.event(RunEvent::StepEnd {
            step: self.base + which,
            end: StepEnd {
                stop: self.rules.why_ended(which, end),
                steady: self.rules.steadiness(which),
                caps,
                ..end.step_end(cpu)
            },
        });
        self.rules.ended(which, end);
    }
}

/// Merges the results of a wave's jobs in their order; `others` has an entry for each job, `None` for those that ran
/// here.
fn in_order(here: Vec<LoadEnd>, others: Vec<Option<LoadEnd>>) -> Vec<LoadEnd> {
    let mut here = here.into_iter();
    others.into_iter().filter_map(|other| other.or_else(|| here.next())).collect()
}

/// Returns the remarks that a reader needs to interpret the figures of a job.
fn particulars(name: &str, end: &LoadEnd) -> Vec<Sentence> {
    let w = &end.workers;
    let mut known = Vec::new();
    if w.full {
        known.push(sentence!("note-device-full", job = name));
    }
    if let (Some(depth), Some(at)) = (w.settled_depth, w.settled_at) {
        let search = at.since(end.start);
        known.push(sentence!("note-depth-found", job = name, depth, search));
    }
    known.extend(match w.other_work.as_ref().and_then(|did| did.program) {
        Some(ProgramEnd::Code(code)) if code != 0 => Some(sentence!("program-ended", job = name, code)),
        Some(ProgramEnd::Signal(signal)) => Some(sentence!("program-ended-by-signal", job = name, signal)),
        _ => None,
    });
    known.extend(end.remarks.iter().cloned());
    known
}

/// Returns the contents to write, with a granule size that fits the sizes of the job's writes.
fn content_for(job: &Job, uuid: u128) -> Arc<Content> {
    let block = &job.workload.block;
    let grain = if block.max().as_u64().is_multiple_of(4096) { block.min().as_u64() } else { 512 };
    Arc::new(Content::new(uuid, job.seed).for_grain(grain))
}

/// Returns the zones of a job's files, if it works in zones. All jobs on a device share the same zones, including jobs
/// of later waves: for a device without real zones, this is the only record of what was written.
fn zones_of(
    known: &mut HashMap<PathBuf, (model::plan::ZonedRule, Arc<Zones>)>,
    job: &Job,
    files: &[Arc<File>],
) -> Result<Vec<Arc<Zones>>, String> {
    let Some(rule) = job.workload.detail.zoned.as_deref().copied() else { return Ok(Vec::new()) };
    let mut opened = Vec::new();
    for (target, file) in job.targets().zip(files) {
        let asked = |r: &model::plan::ZonedRule| (r.size, r.capacity, r.max_open, r.ignore_limits);
        if let Some((before, zones)) = known.get(&target.path) {
            if asked(before) != asked(&rule) {
                return Err(format!("{}: its jobs request different zones", target.path.display()));
            }
            opened.push(Arc::clone(zones));
            continue;
        }
        let end = target.offset.saturating_add(target.size);
        let size = sys::devices::block_size(file).map_or(end, |size| end.max(Bytes(size)));
        let zones = Zones::open(file, size, &rule).map_err(|why| format!("{}: {why}", target.path.display()))?;
        known.insert(target.path.clone(), (rule, Arc::clone(&zones)));
        opened.push(zones);
    }
    Ok(opened)
}

/// Returns the locks of a job's files, if it uses them.
fn locks_of(known: &mut HashMap<PathBuf, SharedLock>, job: &Job) -> Vec<SharedLock> {
    let lock = |target: &Target| Arc::clone(known.entry(target.path.clone()).or_default());
    if job.tuning.lock.is_some() { job.targets().map(lock).collect() } else { Vec::new() }
}

/// Returns the flows of a plan, with the total weights of their workers.
fn flows(plan: &Plan) -> HashMap<u32, Arc<Flow>> {
    let mut flows: HashMap<u32, Arc<Flow>> = HashMap::new();
    for job in plan.stages.iter().map(|s| &s.job) {
        if let Some(rule) = job.tuning.flow {
            let flow = flows.entry(rule.id).or_default();
            flow.expect(rule.weight * job.threads.max(1));
        }
    }
    flows
}
