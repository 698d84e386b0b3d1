//! One load: worker threads started at one moment, their windows collected and put together on a common grid, and
//! watched until they end, are stopped, or hang.
//!
//! The collecting thread never touches the target and takes no lock a worker could hold.

use load::engine::{OpenError, Opened, Opening};
use load::engines::{self, Faulty};
use load::pacer::Arrivals;
use load::pattern::{Part, Pattern, PatternError};
use load::recorder::Recorder;
use load::worker::{Exchange, Parts, Pulse, ReadOnly, Shared, Stamp, Timeline, Worker, WorkerEnd};
use model::{Bytes, ErrorPolicy, Interval, Job, Nanos, Phase, StepStop, Window};
use std::collections::BTreeMap;
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;
use sys::Clock;

/// Length of a window: what steadiness is judged by.
pub const WINDOW: Nanos = Nanos(100_000_000);
/// Windows of an interval: what the journal keeps about each second.
const PER_INTERVAL: u64 = 10;
/// Recorders per worker: one in use, the others slack for the collector, a window each. Many workers have less: each
/// recorder keeps about 12 KiB resident, and they hand over one after the other anyway.
const fn recorders(workers: u32) -> usize {
    if workers > 16 { 3 } else { 6 }
}
/// How long workers that do not hand over their windows are waited for before an interval is given out without them.
const LATE: u64 = 2_000_000_000;
/// An operation in flight for so long is worth a warning.
const WORRY: u64 = 10_000_000_000;
/// Windows shown as the last ones.
const RECENT: usize = 5;
/// How often the collector looks.
const TICK: Duration = Duration::from_millis(10);

/// What a load needs.
#[derive(Debug, Clone)]
pub struct Load<'a> {
    /// What is asked; engine, queue depth and threads are final.
    pub job: &'a Job,
    /// The target's file; `None` for the null target.
    pub file: Option<Arc<File>>,
    /// First byte of the part of the target that is used, and its length.
    pub part: (Bytes, Bytes),
    /// What writes hold; `None` = whatever the buffers hold (the null engine).
    pub content: Option<Arc<load::content::Content>>,
    /// Age of an operation in flight at which the load is given up.
    pub hang: Nanos,
    /// How long to wait for operations in flight after a signal.
    pub patience: Nanos,
}

/// What to do after a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Go on.
    GoOn,
    /// Stop sending; wait for what is in flight.
    Stop(StepStop),
}

/// What a load shows while it runs.
#[derive(Debug)]
pub struct Live<'a> {
    /// On the run's clock.
    pub now: Nanos,
    /// Measured windows complete so far.
    pub windows: &'a [Window],
    /// The last complete windows, those before measuring began included: for the eye.
    pub recent: &'a [Window],
    /// Age of the oldest operation in flight, if worrying.
    pub stuck: Option<Nanos>,
}

/// Follows a load.
pub trait Watch {
    /// An interval is complete.
    fn interval(&mut self, interval: Interval);
    /// Called every few milliseconds.
    fn look(&mut self, live: &Live<'_>) -> Decision;
}

/// How a load ended.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadEnd {
    /// Why.
    pub stop: StepStop,
    /// Start on the run's clock.
    pub start: Nanos,
    /// End on the run's clock, drain included.
    pub end: Nanos,
    /// Closing counts, merged over workers.
    pub workers: WorkerEnd,
    /// Share of wall time the busiest worker was on a CPU, 0..=1.
    pub busiest: f64,
    /// What engines had to do without.
    pub notes: Vec<String>,
    /// Measured intervals put together.
    pub total: Interval,
}

/// Why a load could not run.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The engine could not be opened.
    #[error(transparent)]
    Engine(#[from] OpenError),
    /// The workload does not fit the target.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// A thread could not be started.
    #[error("cannot start {threads} threads: {source}; lower the concurrency or raise the limit on processes")]
    Thread {
        /// Wanted.
        threads: u32,
        /// What the system said.
        source: std::io::Error,
    },
}

struct Side {
    full: rtrb::Consumer<Box<Recorder>>,
    empty: rtrb::Producer<Box<Recorder>>,
    pulse: Arc<Pulse>,
    /// Windows handed over reach up to here, on the run's clock.
    covered: u64,
    thread: Option<JoinHandle<WorkerEnd>>,
    end: Option<WorkerEnd>,
}

/// Runs one load to its end.
///
/// # Errors
/// When the engine or the pattern cannot be made; nothing was sent then.
pub fn run_load<K: Clock>(clock: K, load: &Load<'_>, watch: &mut dyn Watch) -> Result<LoadEnd, LoadError> {
    let shared = Arc::new(Shared::default());
    let mut notes = Vec::new();
    let (mut sides, starters) = open_workers(clock, load, &shared, &mut notes)?;
    let job = load.job;
    let start = clock.now() + 2_000_000;
    let stop_at = start.saturating_add(job.stop.ramp.0).saturating_add(job.stop.time.0);
    shared.stop_at.store(stop_at, Relaxed);
    for starter in &starters {
        // A worker that is gone already is seen when its thread is looked at.
        let _ = starter.send(start);
    }
    let mut grid = Grid::new(start, job.stop.ramp.0 / WINDOW.0);
    let mut ending: Option<(StepStop, u64)> = None;
    loop {
        std::thread::sleep(TICK);
        let finished = collect(&mut sides, &mut grid);
        let now = clock.now();
        grid.give_out(covered(&sides), now, watch);
        if finished {
            break;
        }
        let stuck = oldest_age(&sides, now);
        if stuck.is_some_and(|age| age > load.hang.0) {
            shared.abandon.store(true, Relaxed);
            ending = Some((StepStop::Hung, now));
            // One look more, so that workers not stuck in the kernel can end themselves.
            std::thread::sleep(Duration::from_millis(200));
            collect(&mut sides, &mut grid);
            break;
        }
        let stuck = stuck.filter(|age| *age > WORRY).map(Nanos);
        let live = Live { now: Nanos(now), windows: grid.measured(), recent: grid.recent(), stuck };
        match (watch.look(&live), ending) {
            (Decision::Stop(why), None) => {
                shared.stop_at.fetch_min(now, Relaxed);
                ending = Some((why, now));
            }
            // A load that was ended for another reason and does not drain must still obey.
            (Decision::Stop(StepStop::Signal), Some((why, _))) if why != StepStop::Signal => {
                ending = Some((StepStop::Signal, now));
            }
            (_, Some((StepStop::Signal, since))) if now - since > load.patience.0 => {
                shared.abandon.store(true, Relaxed);
                if now - since > load.patience.0 + 1_000_000_000 {
                    break;
                }
            }
            _ => {}
        }
    }
    let (rest, measured_end) = grid.finish();
    for interval in rest {
        watch.interval(interval);
    }
    Ok(close(clock, load, sides, &grid, ending.map(|(why, _)| why), (start, measured_end), notes))
}

type Started = (Vec<Side>, Vec<mpsc::Sender<u64>>);

/// Starts the threads; each opens its engine and waits for the starting time.
fn open_workers<K: Clock>(
    clock: K,
    load: &Load<'_>,
    shared: &Arc<Shared>,
    notes: &mut Vec<String>,
) -> Result<Started, LoadError> {
    let threads = load.job.threads.max(1);
    let spares = recorders(threads);
    let mut sides = Vec::with_capacity(threads as usize);
    let mut starters = Vec::with_capacity(threads as usize);
    let (ready, readiness) = mpsc::channel();
    for worker in 0..threads {
        let (full, filled) = rtrb::RingBuffer::new(spares + 2);
        let (mut give, empty) = rtrb::RingBuffer::new(spares + 2);
        for _ in 0..spares {
            // The ring was made large enough.
            let _ = give.push(Box::default());
        }
        let pulse = Arc::new(Pulse::default());
        let (starter, start) = mpsc::channel();
        let seat = Seat {
            clock,
            load: load.clone().into_owned(),
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
            .spawn(move || seat.work())
            .map_err(|source| LoadError::Thread { threads, source })?;
        sides.push(Side { full: filled, empty: give, pulse, covered: 0, thread: Some(thread), end: None });
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

/// Everything a thread takes with it.
struct OwnedLoad {
    job: Job,
    file: Option<Arc<File>>,
    part: (Bytes, Bytes),
    content: Option<Arc<load::content::Content>>,
}

impl Load<'_> {
    fn into_owned(self) -> OwnedLoad {
        OwnedLoad { job: self.job.clone(), file: self.file, part: self.part, content: self.content }
    }
}

struct Seat<K> {
    clock: K,
    load: OwnedLoad,
    part: Part,
    exchange: Exchange,
    shared: Arc<Shared>,
    pulse: Arc<Pulse>,
    ready: mpsc::Sender<Result<Vec<String>, LoadError>>,
    start: mpsc::Receiver<u64>,
}

impl<K: Clock> Seat<K> {
    fn work(self) -> WorkerEnd {
        match self.load.content.clone().filter(|_| self.load.job.workload.mix.writes()) {
            None => self.work_with(ReadOnly),
            Some(content) => {
                let stamp = load::content::Stamper::new(content, self.part.worker as u16);
                self.work_with(stamp)
            }
        }
    }

    fn work_with<S: Stamp>(self, stamp: S) -> WorkerEnd {
        let Seat { clock, load, part, exchange, shared, pulse, ready, start } = self;
        let opened = open_engine(clock, &load, part);
        let (engine, pattern) = match opened {
            Ok((opened, pattern)) => {
                let _ = ready.send(Ok(opened.notes));
                (opened.engine, pattern)
            }
            Err(error) => {
                let _ = ready.send(Err(error));
                return WorkerEnd::default();
            }
        };
        let job = &load.job;
        let worker = Worker::new(Parts {
            clock,
            engine,
            pattern,
            stamp,
            exchange,
            shared,
            pulse,
            timeline: Timeline::new(WINDOW.0, share_of(job.stop.max_ops, part)),
            policy: job.on_error,
            depth: job.queue_depth,
        });
        drop(ready);
        // No starting time: another worker could not be opened.
        let Ok(at) = start.recv() else { return WorkerEnd::default() };
        worker.run(at, Arrivals::new(job.workload.pacing, part.worker, part.workers, job.seed))
    }
}

fn open_engine<K: Clock>(clock: K, load: &OwnedLoad, part: Part) -> Result<(Opened, Pattern), LoadError> {
    let job = &load.job;
    let workload = &job.workload;
    let pattern = Pattern::new(workload, load.part.1, part, job.seed)?.starting_at(load.part.0);
    let entry = engines::find(&job.engine)?;
    let mut opened = (entry.open)(&Opening {
        files: load.file.iter().cloned().collect(),
        size: job.target.offset.0 + job.target.size.0,
        writes: workload.mix.writes() || workload.flush_every > 0,
        trims: workload.mix.trim_percent > 0,
        depth: job.queue_depth,
        buffer_size: workload.max_block().0 as usize,
        options: job.manner.engine_options.clone(),
        submit: job.manner.queueing.submit,
    })?;
    if let Some(plan) = job.faults {
        let seed = job.seed ^ u64::from(part.worker);
        opened.engine = Box::new(Faulty::new(opened.engine, job.queue_depth, plan, seed, move || clock.now()));
    }
    Ok((opened, pattern))
}

/// Operations of one worker when all together send `max`.
fn share_of(max: Option<u64>, part: Part) -> u64 {
    let Some(max) = max else { return u64::MAX };
    let (n, i) = (u64::from(part.workers), u64::from(part.worker));
    max / n + u64::from(i < max % n)
}

/// Takes what workers have handed over. True when all have ended.
fn collect(sides: &mut [Side], grid: &mut Grid) -> bool {
    let mut all_ended = true;
    for side in sides {
        // Looked at before the ring is emptied, so that nothing handed over at the end is missed.
        let ended = side.thread.as_ref().is_none_or(JoinHandle::is_finished);
        while let Ok(mut recorder) = side.full.pop() {
            grid.add(&recorder);
            if recorder.window != u64::MAX {
                side.covered = side.covered.max(recorder.end);
            }
            recorder.clear();
            // The worker may be gone; then nobody needs it.
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

fn covered(sides: &[Side]) -> u64 {
    sides.iter().map(|s| s.covered).min().unwrap_or(u64::MAX)
}

/// Age of the oldest operation known to be in flight.
fn oldest_age(sides: &[Side], now: u64) -> Option<u64> {
    sides
        .iter()
        .filter(|s| s.thread.is_some())
        .filter_map(|s| {
            let (submitted, returned) = (s.pulse.submitted.load(Relaxed), s.pulse.returned.load(Relaxed));
            let (entered, oldest) = (s.pulse.entered.load(Relaxed), s.pulse.oldest.load(Relaxed));
            if submitted == returned || entered == 0 {
                return None;
            }
            // A worker that has not come back from the engine knows nothing newer than when it went in; one that comes
            // back each window has looked at its slots.
            let stale = now.saturating_sub(entered) > 2 * WINDOW.0;
            let since = if stale || oldest == 0 { entered } else { oldest };
            Some(now.saturating_sub(since))
        })
        .max()
}

/// Puts closing counts together; for threads that never came back, what they last told.
fn close<K: Clock>(
    clock: K,
    load: &Load<'_>,
    sides: Vec<Side>,
    grid: &Grid,
    why: Option<StepStop>,
    (start, measured_end): (u64, u64),
    mut notes: Vec<String>,
) -> LoadEnd {
    let mut all = WorkerEnd::default();
    let mut busiest: f64 = 0.0;
    let wall = (measured_end.saturating_sub(start) as f64).max(1.0);
    let now = clock.now();
    for side in sides {
        let end = side.end.unwrap_or_else(|| {
            let submitted = side.pulse.submitted.load(Relaxed);
            // The worker may be at work again between the two readings.
            let pending = submitted.saturating_sub(side.pulse.returned.load(Relaxed));
            let age = now.saturating_sub(side.pulse.entered.load(Relaxed));
            // What it booked since its last window is lost with it; only the count is known.
            let completed = submitted - pending;
            WorkerEnd { submitted, completed, pending, pending_ages: vec![Nanos(age)], ..WorkerEnd::default() }
        });
        busiest = busiest.max(end.cpu.0 as f64 / wall);
        if let Some(broken) = end.broken {
            notes.push(format!("a worker ended early: {broken}"));
            all.broken = Some(broken);
        }
        all.submitted += end.submitted;
        all.completed += end.completed;
        all.failed += end.failed;
        all.pending += end.pending;
        all.read_bytes += end.read_bytes;
        all.write_bytes += end.write_bytes;
        all.read_ops += end.read_ops;
        all.write_ops += end.write_ops;
        all.cpu.0 += end.cpu.0;
        all.late_max = all.late_max.max(end.late_max);
        all.pending_ages.extend(end.pending_ages);
    }
    all.pending_ages.sort_unstable_by_key(|a| std::cmp::Reverse(*a));
    all.pending_ages.truncate(64);
    let reached = load.job.stop.max_ops.is_some_and(|max| all.submitted >= max);
    let enough = match load.job.on_error {
        ErrorPolicy::Stop => all.failed > 0,
        ErrorPolicy::Count(n) => all.failed >= n.max(1),
        ErrorPolicy::Continue => false,
    };
    let spoilt = enough || all.broken.is_some();
    let stop = why.unwrap_or(match (spoilt, reached) {
        (true, _) => StepStop::Errors,
        (false, true) => StepStop::Count,
        (false, false) => StepStop::Time,
    });
    LoadEnd {
        stop,
        start: Nanos(start),
        end: Nanos(now),
        workers: all,
        busiest: busiest.min(1.0),
        notes,
        total: grid.total.clone(),
    }
}

/// Windows of all workers on the common grid, given out as intervals in order of time.
struct Grid {
    start: u64,
    ramp: u64,
    groups: BTreeMap<u64, Group>,
    /// Groups below this number were given out.
    given: u64,
    drain: Interval,
    /// Windows that are complete, those before measuring began included.
    windows: Vec<Window>,
    total: Interval,
    last_end: u64,
}

#[derive(Default)]
struct Group {
    interval: Interval,
    windows: BTreeMap<u64, Window>,
}

impl Grid {
    fn new(start: u64, ramp: u64) -> Self {
        Grid {
            start,
            ramp,
            groups: BTreeMap::new(),
            given: 0,
            drain: Interval { phase: Phase::Drain, ..Interval::default() },
            windows: Vec::new(),
            total: Interval::default(),
            last_end: start,
        }
    }

    /// Ramp windows and measured windows never share a group.
    fn group_of(&self, window: u64) -> u64 {
        if window < self.ramp {
            window / PER_INTERVAL
        } else {
            self.ramp.div_ceil(PER_INTERVAL) + (window - self.ramp) / PER_INTERVAL
        }
    }

    /// Windows of a group, half open.
    fn range_of(&self, group: u64) -> (u64, u64) {
        let ramp_groups = self.ramp.div_ceil(PER_INTERVAL);
        if group < ramp_groups {
            (group * PER_INTERVAL, ((group + 1) * PER_INTERVAL).min(self.ramp))
        } else {
            let first = self.ramp + (group - ramp_groups) * PER_INTERVAL;
            (first, first + PER_INTERVAL)
        }
    }

    fn add(&mut self, recorder: &Recorder) {
        if recorder.window == u64::MAX {
            let drained = recorder.to_interval(Phase::Drain);
            if self.drain.length.0 == 0 {
                self.drain.start = drained.start;
                self.drain.length = drained.length;
            }
            self.drain.merge_parallel(&drained);
            return;
        }
        self.last_end = self.last_end.max(recorder.end);
        // Handed over too late for its own interval: counted in the next, so that no operation is lost.
        let number = recorder.window.max(self.range_of(self.given).0);
        let group = self.groups.entry(self.group_of(number)).or_default();
        let interval = recorder.to_interval(Phase::Measure);
        group.interval.merge_parallel(&interval);
        let window = group.windows.entry(number).or_default();
        for (mine, theirs) in window.ops.iter_mut().zip(interval.windows[0].ops) {
            *mine += theirs;
        }
        for (mine, theirs) in window.bytes.iter_mut().zip(interval.windows[0].bytes) {
            *mine += theirs;
        }
        window.errors += interval.windows[0].errors;
        window.latency_sum += interval.windows[0].latency_sum;
    }

    /// Gives out the groups that every worker has passed, and those nobody will wait for any longer.
    fn give_out(&mut self, covered: u64, now: u64, watch: &mut dyn Watch) {
        if covered == u64::MAX {
            // All ended: `finish` knows where the last one is cut.
            return;
        }
        loop {
            let (_, to) = self.range_of(self.given);
            let edge = self.start + to * WINDOW.0;
            if covered < edge && now < edge + LATE {
                break;
            }
            let interval = self.take_group(u64::MAX);
            watch.interval(interval);
        }
        self.extend_windows(covered);
    }

    /// Completes the list of windows as far as every worker has come, without waiting for whole seconds.
    fn extend_windows(&mut self, covered: u64) {
        let done = covered.saturating_sub(self.start) / WINDOW.0;
        let mut next = self.windows.len() as u64;
        while next < done {
            let window = self.groups.get(&self.group_of(next)).and_then(|g| g.windows.get(&next)).copied();
            let mut window = window.unwrap_or_default();
            window.start = Nanos(self.start + next * WINDOW.0);
            window.length = WINDOW;
            self.windows.push(window);
            next += 1;
        }
    }

    fn measured(&self) -> &[Window] {
        self.windows.get(self.ramp as usize..).unwrap_or_default()
    }

    fn recent(&self) -> &[Window] {
        &self.windows[self.windows.len().saturating_sub(RECENT)..]
    }

    /// Takes the next group, cut at `end`. Windows without any completion are filled in.
    fn take_group(&mut self, end: u64) -> Interval {
        let number = self.given;
        self.given += 1;
        let (from, to) = self.range_of(number);
        let Group { mut interval, windows } = self.groups.remove(&number).unwrap_or_default();
        let measured = from >= self.ramp;
        interval.phase = if measured { Phase::Measure } else { Phase::Ramp };
        // A group made up of what was handed over too late begins where sending ended: it has no length of its own.
        interval.start = Nanos((self.start + from * WINDOW.0).min(end));
        interval.windows.clear();
        for n in from..to {
            let start = self.start + n * WINDOW.0;
            if start >= end {
                break;
            }
            let mut window = windows.get(&n).copied().unwrap_or_default();
            window.start = Nanos(start);
            window.length = Nanos(WINDOW.0.min(end - start));
            interval.windows.push(window);
            if self.windows.len() as u64 == n {
                self.windows.push(window);
            }
        }
        interval.length = Nanos(interval.windows.iter().map(|w| w.length.0).sum());
        if measured {
            self.total.merge(&interval);
        }
        interval
    }

    /// What is left when the load has ended: the last intervals, cut where sending ended, and the drain. Also where
    /// measuring ended.
    fn finish(&mut self) -> (Vec<Interval>, u64) {
        // Workers end at a grid edge or at the stop, whichever they noticed; their windows say so.
        let end = self.last_end;
        let mut rest = Vec::new();
        while self.start + self.range_of(self.given).0 * WINDOW.0 < end || !self.groups.is_empty() {
            rest.push(self.take_group(end));
        }
        if self.drain.ops() > 0 || self.drain.failed() > 0 {
            rest.push(std::mem::take(&mut self.drain));
        }
        (rest, end)
    }
}
