//! Running loads: threads that start together. Their windows are collected and merged on a common grid, and they are
//! watched until they end, are stopped, or hang.
//!
//! The collecting thread never touches the target and takes no lock that a worker could hold.

use super::grid::Grid;
use super::load::{Decision, Live, Load, LoadEnd, LoadError, WatchAll};
use super::other_work::OtherWorkThread;
use super::programs::{Before, Commands};
use super::thread::WorkerThread;
use super::waits::{self, Waits};
use load::pattern::Part;
use load::recorder::{Entry, Recorder};
use load::worker::{Exchange, Pulse, Shared, WorkerEnd};
use model::plan::{ErrorPolicy, INTERVAL, WINDOW};
use model::{Interval, Job, Nanos, Sentence, measured::CpuWait, record::StepStop};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;
use sys::clock::{Clock, RunClock};

/// Returns the number of recorders per worker: one in use, and spare ones for the collector, each for one window. If
/// there are many workers, each has fewer, because a recorder uses about 12 KiB of memory, and many workers do not hand
/// over their recorders at the same moment.
const fn recorders(workers: u32) -> usize {
    if workers > 16 { 3 } else { 6 }
}
/// Age at which an operation in flight causes a warning, in nanoseconds.
const WORRY: u64 = Nanos::from_secs(10).as_nanos();
/// Time between the announcement of the start and the start, in nanoseconds.
const AHEAD: u64 = Nanos::from_millis(50).as_nanos();
/// Interval of the collector.
const TICK: Duration = Duration::from_millis(10);
/// Interval at which the collector reads on which CPUs the workers run, in nanoseconds, and the maximum number of
/// workers for which it does.
const PLACES: (u64, usize) = (Nanos::from_millis(100).as_nanos(), 64);

struct WorkerHandle {
    full: rtrb::Consumer<Box<Recorder>>,
    empty: rtrb::Producer<Box<Recorder>>,
    pulse: Arc<Pulse>,
    /// Time that the worker waited for a CPU.
    waits: Waits,
    /// End of the windows handed over so far, on the run's clock.
    covered: u64,
    thread: Option<JoinHandle<WorkerEnd>>,
    end: Option<WorkerEnd>,
}

/// Adapter that watches a single load.
struct Alone<'a>(&'a mut dyn FnMut(&Live<'_>) -> Decision);

impl WatchAll for Alone<'_> {
    fn interval(&mut self, _which: usize, _interval: Interval) {}
    fn operations(&mut self, _which: usize, _entries: &[Entry]) {}
    fn decide(&mut self, _which: usize, live: &Live<'_>) -> Decision {
        self.0(live)
    }
    fn tick(&mut self, _now: Nanos) -> Decision {
        Decision::GoOn
    }
    fn ended(&mut self, _which: usize, _end: &LoadEnd) {}
}

/// Runs one load until it ends. `watch` is called every few milliseconds and decides whether the load continues.
///
/// # Errors
/// Returns an error if the engine or the pattern cannot be created; nothing was submitted then.
pub fn run_load(
    clock: RunClock,
    load: &Load,
    watch: &mut dyn FnMut(&Live<'_>) -> Decision,
) -> Result<LoadEnd, LoadError> {
    let mut ends = run_together(clock, std::slice::from_ref(load), &mut Alone(watch))?;
    Ok(ends.remove(0))
}

/// Runs loads together, each after its own delay, until all have ended. The results are in the order of the loads.
///
/// # Errors
/// Returns an error if an engine or a pattern cannot be created; nothing was submitted then.
pub fn run_together(clock: RunClock, loads: &[Load], watch: &mut dyn WatchAll) -> Result<Vec<LoadEnd>, LoadError> {
    let mut groups = Vec::with_capacity(loads.len());
    for load in loads {
        groups.push(WorkerGroup::open(clock, load)?);
    }
    let base = watch.begin(Nanos(clock.now()))?.as_nanos();
    for (which, crew) in groups.iter_mut().enumerate().filter(|(_, c)| c.load.after.is_empty()) {
        crew.release(base);
        if !crew.commands.precede() {
            crew.schedule(base.saturating_add(crew.load.delay.as_nanos()));
            crew.tell_schedule(which, watch);
        }
    }
    let mut ends: Vec<Option<LoadEnd>> = loads.iter().map(|_| None).collect();
    loop {
        let now = clock.now();
        for (which, crew) in groups.iter_mut().enumerate() {
            let awaited = |which: &usize| ends.get(*which).is_some_and(Option::is_none);
            if crew.start == u64::MAX && !crew.load.after.iter().any(awaited) {
                crew.release(now + 2_000_000);
                if let Some(start) = crew.prepare(now) {
                    crew.schedule(start);
                    crew.tell_schedule(which, watch);
                }
            }
            crew.begin_if_due(now);
        }
        std::thread::sleep(TICK);
        let decision = watch.tick(Nanos(clock.now()));
        for (which, crew) in groups.iter_mut().enumerate() {
            if ends[which].is_some() {
                continue;
            }
            if let Decision::Stop(why) = decision {
                crew.stop(why, clock.now());
            }
            if crew.collect_and_watch(clock, which, watch) {
                let end = crew.close(clock, which, watch);
                watch.ended(which, &end);
                ends[which] = Some(end);
            }
        }
        if ends.iter().all(Option::is_some) {
            return Ok(ends.into_iter().flatten().collect());
        }
    }
}

/// Running load: its threads, and its state.
struct WorkerGroup<'a> {
    load: &'a Load,
    shared: Arc<Shared>,
    workers: Vec<WorkerHandle>,
    starters: Vec<mpsc::Sender<u64>>,
    notes: Vec<String>,
    start: u64,
    grid: Grid,
    /// Part of the waits for a CPU that returned intervals already include.
    waits_told: CpuWait,
    /// For each CPU, number of readings in which a worker ran on it.
    cpus: BTreeMap<u32, u32>,
    /// Time of the next reading of the CPUs, on the run's clock.
    next_place: u64,
    ending: Option<(StepStop, u64)>,
    /// Commands before and after the load.
    commands: Commands<'a>,
    /// Earliest start time, not counting the command before the load.
    due: Option<u64>,
    /// True if the load's threads were started.
    begun: bool,
    /// Reason why the load did not begin.
    trouble: Option<Sentence>,
    /// End of the load; a command may run after it.
    over: Option<u64>,
}

impl<'a> WorkerGroup<'a> {
    fn open(clock: RunClock, load: &'a Load) -> Result<Self, LoadError> {
        let shared = Arc::new(Shared::default());
        let mut notes = Vec::new();
        let (sides, starters) = open_workers(clock, load, &shared, &mut notes)?;
        let grid = Grid::new(0, WINDOW.as_nanos(), INTERVAL.as_nanos(), 0);
        let (waits_told, cpus) = (CpuWait::default(), BTreeMap::new());
        Ok(WorkerGroup {
            load,
            shared,
            workers: sides,
            starters,
            notes,
            start: u64::MAX,
            grid,
            waits_told,
            cpus,
            next_place: 0,
            ending: None,
            commands: Commands::new(&load.job, load.left_running.clone()),
            due: None,
            begun: false,
            trouble: None,
            over: None,
        })
    }

    /// Releases a load that no longer waits for other loads. It may begin at `base` plus its delay.
    fn release(&mut self, base: u64) {
        self.due.get_or_insert(base.saturating_add(self.load.delay.as_nanos()));
    }

    /// Runs the command before the load; returns the start time once it is known. A stopped load does not begin.
    fn prepare(&mut self, now: u64) -> Option<u64> {
        let due = self.due.filter(|_| self.ending.is_none())?;
        if !self.commands.precede() {
            return Some(due);
        }
        if now < due {
            return None;
        }
        match self.commands.before() {
            Before::Waits => None,
            Before::Done => Some(now + 2_000_000),
            Before::Failed(why) => {
                self.trouble = Some(why);
                self.stop(StepStop::Errors, now);
                None
            }
        }
    }

    /// Sets start and end of the load, which never begins without this call.
    fn schedule(&mut self, start: u64) {
        let (job, window) = (&self.load.job, window_of(&self.load.job));
        self.start = start;
        // The measurement begins at the start of a window.
        let ramp = job.stop.ramp.as_nanos().div_ceil(window);
        let time = ramp.saturating_mul(window).saturating_add(job.stop.time.as_nanos());
        self.shared.stop_at.store(self.start.saturating_add(time), Relaxed);
        let interval = job.tuning.interval_length().as_nanos();
        self.grid = Grid::new(self.start, window, interval, ramp);
        self.grid.keep(job.tuning.ends.floor_cycle.as_nanos());
    }

    fn tell_schedule(&self, which: usize, watch: &mut dyn WatchAll) {
        let (job, window) = (&self.load.job, window_of(&self.load.job));
        let ramp = job.stop.ramp.as_nanos().div_ceil(window).saturating_mul(window);
        let from = self.start.saturating_add(ramp);
        watch.scheduled(which, Nanos(from), Nanos(from.saturating_add(job.stop.time.as_nanos())));
    }

    /// Starts the threads shortly before their time; until then they can still be cancelled.
    fn begin_if_due(&mut self, now: u64) {
        if self.start != u64::MAX && now.saturating_add(AHEAD) >= self.start && !self.starters.is_empty() {
            self.begun = true;
            self.workers.iter_mut().for_each(|side| side.waits.begin(&side.pulse));
            for starter in self.starters.drain(..) {
                // If a worker is already gone, this is detected when its thread is checked.
                let _ = starter.send(self.start);
            }
        }
    }

    fn stop(&mut self, why: StepStop, now: u64) {
        match self.ending {
            None => {
                self.shared.stop_at.fetch_min(now, Relaxed);
                self.ending = Some((why, now));
                // After a signal, written data is no longer verified.
                self.shared.quit.store(why == StepStop::Signal, Relaxed);
                // Threads that still wait for the start now end without doing anything.
                self.starters.clear();
            }
            // A load that was stopped for another reason, but whose operations do not return, must still obey a signal.
            Some((before, _)) if why == StepStop::Signal && before != StepStop::Signal => {
                self.shared.quit.store(true, Relaxed);
                self.ending = Some((why, now));
            }
            Some(_) => {}
        }
    }

    /// Collects windows, returns intervals, and consults the watch. Returns `true` if the load has ended or was
    /// abandoned.
    fn collect_and_watch(&mut self, clock: RunClock, which: usize, watch: &mut dyn WatchAll) -> bool {
        let finished = collect(&mut self.workers, &mut self.grid, |entries| watch.operations(which, entries));
        let now = clock.now();
        self.note_cpus(now);
        let mut given = Vec::new();
        // A job without I/O has no windows, and neither has a job that still waits for a command or another job.
        if self.load.job.tuning.work.does_io() && self.start != u64::MAX {
            self.grid.give_out(covered(&self.workers), now, |interval| given.push(interval));
        }
        self.give(given, which, watch);
        if finished {
            return self.is_done(now);
        }
        let stuck = oldest_age(&self.workers, now, window_of(&self.load.job));
        if stuck.is_some_and(|age| age > self.load.hang.as_nanos()) {
            self.shared.abandon.store(true, Relaxed);
            self.ending = Some((StepStop::Hung, now));
            // Collect once more after a moment, so that workers that are not stuck in the kernel can end.
            std::thread::sleep(Duration::from_millis(200));
            collect(&mut self.workers, &mut self.grid, |entries| watch.operations(which, entries));
            return true;
        }
        if !self.starters.is_empty() {
            return false;
        }
        let stuck = stuck.filter(|age| *age > WORRY).map(Nanos);
        let (before, windows) = self.grid.measured();
        let live = Live { now: Nanos(now), windows, before, recent: self.grid.recent(), stuck };
        if let Decision::Stop(why) = watch.decide(which, &live) {
            self.stop(why, now);
        }
        if let Some((StepStop::Signal, since)) = self.ending
            && now.saturating_sub(since) > self.load.patience.as_nanos()
        {
            self.shared.abandon.store(true, Relaxed);
            return now - since > self.load.patience.as_nanos() + 1_000_000_000;
        }
        false
    }

    /// Returns `true` if the command after the load has also ended.
    fn is_done(&mut self, now: u64) -> bool {
        self.over.get_or_insert(now);
        if !self.begun {
            self.commands.give_up();
        }
        let hurry = match self.ending {
            Some((StepStop::Signal, since)) => now.saturating_sub(since) > self.load.patience.as_nanos(),
            _ => false,
        };
        self.commands.after(hurry)
    }

    /// Passes intervals to the watch, with the time that the threads waited for a CPU since the previous intervals.
    fn give(&mut self, mut intervals: Vec<Interval>, which: usize, watch: &mut dyn WatchAll) {
        if !intervals.is_empty()
            && let Some(waited) = self.waited()
        {
            waits::spread(waited.since(self.waits_told), &mut intervals);
            self.waits_told = waited;
        }
        for interval in intervals {
            watch.interval(which, interval);
        }
    }

    /// Counts the CPUs that the workers run on.
    fn note_cpus(&mut self, now: u64) {
        if now < self.start || now < self.next_place {
            return;
        }
        self.next_place = now + PLACES.0;
        let working = self.workers.iter().filter(|w| w.end.is_none()).take(PLACES.1);
        for cpu in working.filter_map(|w| sys::threads::last_cpu(w.pulse.thread.load(Relaxed))) {
            *self.cpus.entry(cpu).or_default() += 1;
        }
    }

    /// Returns the total time that the threads waited for a CPU since the load began; `None` if it is unknown for any
    /// of them.
    fn waited(&mut self) -> Option<CpuWait> {
        let mut sum = CpuWait::default();
        for side in &mut self.workers {
            sum.merge(side.waits.so_far(&side.pulse, side.end.as_ref())?);
        }
        Some(sum)
    }

    fn close(&mut self, clock: RunClock, which: usize, watch: &mut dyn WatchAll) -> LoadEnd {
        let (rest, measured_end) = self.grid.finish();
        self.give(rest, which, watch);
        let waited = self.waited();
        let (sides, notes) = (std::mem::take(&mut self.workers), std::mem::take(&mut self.notes));
        let stop = self.ending.map(|(stop, _)| stop);
        let (stop_at, now) = (self.shared.stop_at.load(Relaxed), clock.now());
        let over = self.over.unwrap_or(now);
        let idle = !self.load.job.tuning.work.does_io();
        let times = (self.start, if idle { over.min(stop_at) } else { measured_end }, stop_at, over);
        let mut end = close(self.load, sides, &self.grid, stop, times, notes, self.trouble.take());
        end.workers.cpu_wait = waited;
        end.cpus = std::mem::take(&mut self.cpus);
        end.remarks = std::mem::take(&mut self.commands.notes);
        let late = self.commands.precede() && self.begun;
        end.began = late.then_some(Nanos(self.start));
        end
    }
}

/// Returns the length of a job's windows, in nanoseconds.
fn window_of(job: &Job) -> u64 {
    job.tuning.window_length().as_nanos()
}

type Started = (Vec<WorkerHandle>, Vec<mpsc::Sender<u64>>);

/// Starts the threads; each opens its engine and waits for the start time.
fn open_workers(
    clock: RunClock,
    load: &Load,
    shared: &Arc<Shared>,
    notes: &mut Vec<String>,
) -> Result<Started, LoadError> {
    if !load.job.tuning.work.does_io() {
        return open_other_work(clock, load, shared, notes);
    }
    let threads = load.job.threads.max(1);
    let spares = recorders(threads);
    let mut sides = Vec::with_capacity(threads as usize);
    let mut starters = Vec::with_capacity(threads as usize);
    let (ready, readiness) = mpsc::channel();
    for worker in 0..threads {
        let (full, filled) = rtrb::RingBuffer::new(spares + 2);
        let (mut give, empty) = rtrb::RingBuffer::new(spares + 2);
        for _ in 0..spares {
            let recorder =
                load::worker::recorder_for(&load.job).map_err(|source| LoadError::Memory { threads, source })?;
            // The ring has enough capacity.
            let _ = give.push(recorder);
        }
        let pulse = Arc::new(Pulse::default());
        let (starter, start) = mpsc::channel();
        let thread = WorkerThread {
            clock,
            load: load.clone(),
            part: Part { worker, workers: threads },
            exchange: Exchange { full, empty },
            shared: Arc::clone(shared),
            pulse: Arc::clone(&pulse),
            ready: ready.clone(),
            start,
        };
        let thread = std::thread::Builder::new()
            .name(format!("load-{worker}"))
            .stack_size(256 << 10)
            .spawn(move || thread.work())
            .map_err(|source| LoadError::Thread { threads, source })?;
        let (waits, thread) = (Waits::default(), Some(thread));
        sides.push(WorkerHandle { full: filled, empty: give, pulse, waits, covered: 0, thread, end: None });
        starters.push(starter);
    }
    drop(ready);
    for opened in readiness {
        for note in opened? {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    Ok((sides, starters))
}

/// Starts the thread of a job without I/O, which records no windows and uses no rings.
fn open_other_work(
    clock: RunClock,
    load: &Load,
    shared: &Arc<Shared>,
    notes: &mut Vec<String>,
) -> Result<Started, LoadError> {
    let (_, full) = rtrb::RingBuffer::new(1);
    let (empty, _) = rtrb::RingBuffer::new(1);
    let pulse = Arc::new(Pulse::default());
    let (ready, readiness) = mpsc::channel();
    let (starter, start) = mpsc::channel();
    let (job, shared) = (load.job.as_ref().clone(), Arc::clone(shared));
    let doer = OtherWorkThread { clock, job, shared, pulse: Arc::clone(&pulse), ready, start };
    let thread = std::thread::Builder::new()
        .name("beside".to_owned())
        .stack_size(256 << 10)
        .spawn(move || doer.work())
        .map_err(|source| LoadError::Thread { threads: 1, source })?;
    for opened in readiness {
        notes.extend(opened?);
    }
    let (waits, thread) = (Waits::default(), Some(thread));
    Ok((vec![WorkerHandle { full, empty, pulse, waits, covered: 0, thread, end: None }], vec![starter]))
}

/// Collects the recorders that workers have handed over. Returns `true` if all workers have ended.
fn collect(sides: &mut [WorkerHandle], grid: &mut Grid, mut log: impl FnMut(&[Entry])) -> bool {
    let mut all_ended = true;
    for side in sides {
        // Check this before emptying the ring, so that nothing handed over at the end is missed.
        let ended = side.thread.as_ref().is_none_or(JoinHandle::is_finished);
        while let Ok(mut recorder) = side.full.pop() {
            grid.add(&recorder);
            if !recorder.log().is_empty() {
                log(recorder.log());
            }
            if recorder.window != u64::MAX {
                side.covered = side.covered.max(recorder.end);
            }
            recorder.clear();
            // If the worker is gone, the recorder is not needed.
            let _ = side.empty.push(recorder);
        }
        if ended {
            side.covered = u64::MAX;
            if let Some(thread) = side.thread.take() {
                side.end = Some(thread.join().unwrap_or_else(|_| WorkerEnd {
                    broken: Some("a worker thread panicked".to_owned()),
                    ..WorkerEnd::default()
                }));
            }
        }
        all_ended &= ended;
    }
    all_ended
}

fn covered(sides: &[WorkerHandle]) -> u64 {
    sides.iter().map(|s| s.covered).min().unwrap_or(u64::MAX)
}

/// Returns the age of the oldest operation known to be in flight.
fn oldest_age(sides: &[WorkerHandle], now: u64, window: u64) -> Option<u64> {
    sides
        .iter()
        .filter(|s| s.thread.is_some())
        .filter_map(|s| {
            let (submitted, returned) = (s.pulse.submitted.load(Relaxed), s.pulse.returned.load(Relaxed));
            let (entered, oldest) = (s.pulse.entered.load(Relaxed), s.pulse.oldest.load(Relaxed));
            if submitted == returned || entered == 0 {
                return None;
            }
            // A worker that has been inside the engine for long last updated its data on entry. A worker that returns
            // once per window has also checked the age of its operations.
            let stale = now.saturating_sub(entered) > 2 * window;
            let since = if stale || oldest == 0 { entered } else { oldest };
            Some(now.saturating_sub(since))
        })
        .max()
}

/// Merges the closing counts of the workers. For threads that never returned, it uses the counters that they last
/// published.
fn close(
    load: &Load,
    sides: Vec<WorkerHandle>,
    grid: &Grid,
    why: Option<StepStop>,
    (start, measured_end, stop_at, now): (u64, u64, u64, u64),
    mut notes: Vec<String>,
    trouble: Option<Sentence>,
) -> LoadEnd {
    let mut merged = WorkerEnd { trouble, ..WorkerEnd::default() };
    let mut busiest: f64 = 0.0;
    let wall = (measured_end.saturating_sub(start) as f64).max(1.0);
    for side in sides {
        let end = side.end.unwrap_or_else(|| {
            let submitted = side.pulse.submitted.load(Relaxed);
            // The worker may change the counters between the two readings.
            let pending = submitted.saturating_sub(side.pulse.returned.load(Relaxed));
            let age = now.saturating_sub(side.pulse.entered.load(Relaxed));
            // The details since its last window are lost; only the count is known.
            let completed = submitted - pending;
            WorkerEnd { submitted, completed, pending, pending_ages: vec![Nanos(age)], ..WorkerEnd::default() }
        });
        busiest = busiest.max(end.cpu.as_nanos() as f64 / wall);
        notes.extend(end.broken.iter().map(|broken| format!("a worker ended early: {broken}")));
        merged.merge(end);
    }
    if merged.unlogged > 0 {
        notes.push(format!("{} operations are missing in the log, because its buffer was full", merged.unlogged));
    }
    // If the load was not stopped and its time was not up, it had reached its operation count.
    let reached = measured_end < stop_at;
    let counted = merged.failed - merged.ignored;
    let enough = match load.job.on_error {
        ErrorPolicy::Stop => counted > 0,
        ErrorPolicy::Count(n) => counted >= n.max(1),
        ErrorPolicy::Continue => false,
    };
    let failed = enough || merged.ended_by_error || merged.broken.is_some() || merged.trouble.is_some();
    let stop = why.unwrap_or(match (failed, reached) {
        (true, _) => StepStop::Errors,
        (false, true) => StepStop::Count,
        (false, false) => StepStop::Time,
    });
    LoadEnd {
        stop,
        start: Nanos(start),
        end: Nanos(now),
        workers: merged,
        cpus: BTreeMap::new(),
        busiest: busiest.min(1.0),
        notes,
        remarks: Vec::new(),
        began: None,
        total: grid.total.clone(),
    }
}
