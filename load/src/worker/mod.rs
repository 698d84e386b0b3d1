//! The worker: one thread, one engine, one pattern.
//!
//! After measuring begins it allocates nothing, locks nothing, formats nothing and asks no option whether it is on: the
//! worker is generic over the clock, over what is done to a buffer before a write and over what is booked of each
//! operation, and each way of sending is a loop of its own. Time is cut into windows on a common grid; the recorder of a
//! window goes to the collector when its edge has passed.
//!
//! Here: what a worker is made of and how it runs from beginning to end. Steps that all loops share are in
//! `steps.rs`, ends of windows in `windows.rs`; the loops are `closed.rs`, `single.rs`, `open.rs`, `paced.rs`, `replay.rs`,
//! `session_loop.rs` and `shaped.rs`; reading back and checking is `check.rs`; which of all that a job needs is decided in `spec.rs`.

mod any_stamp;
mod budget;
mod check;
mod end;
#[cfg(test)]
mod jobs_tests;
mod loops;
mod refused;
mod rules;
mod spec;
mod stamp;
mod steps;
#[cfg(test)]
mod tests;
mod windows;

use crate::engine::{Completion, Engine, Request};
use crate::pacer::Arrivals;
use crate::pattern::Pattern;
use crate::recorder::Recorder;
use budget::Budget;
pub use end::WorkerEnd;
pub use loops::flow::Flow;
use loops::paced::PacedLoop;
use loops::replay::ReplayLoop;
use loops::session_loop::SessionLoop;
use loops::shaped::ShapedLoop;
use model::ErrorPolicy;
pub use refused::Refused;
pub use rules::EndRules;
use rules::Watch;
pub use spec::{Runner, WorkerSpec, build_worker, recorder_for, refusal, workloads};
pub use stamp::{Filled, ReadOnly, Stamp, Stamped};
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use sys::Clock;

/// What a worker shares with the conductor. Relaxed stores once per batch at most; nobody waits for anybody.
#[derive(Debug, Default)]
pub struct Shared {
    /// When to stop sending, in nanoseconds on the run's clock. Looked at when a window ends. What was written is still
    /// read back and checked after that, if the job asks for it.
    pub stop_at: AtomicU64,
    /// End the checking too (a signal, or the end of the run).
    pub quit: AtomicBool,
    /// Give up waiting for what is in flight.
    pub abandon: AtomicBool,
    /// Failed operations of all workers; for [`ErrorPolicy::Count`].
    pub errors: AtomicU64,
}

/// What one worker tells the watchdog.
#[derive(Debug, Default)]
pub struct Pulse {
    /// Operations handed to the engine so far.
    pub submitted: AtomicU64,
    /// Operations seen again so far, well or ill.
    pub returned: AtomicU64,
    /// When the worker last went into the engine, in nanoseconds on the run's clock.
    pub entered: AtomicU64,
    /// When the oldest operation in flight was issued, as of the last look; 0 = none.
    pub oldest: AtomicU64,
    /// The kernel's number of the thread; 0 = not known yet. Its waits for a CPU are read from outside by it.
    pub thread: AtomicU32,
}

/// Where full recorders go and empty ones come from.
pub struct Exchange {
    /// To the collector.
    pub full: rtrb::Producer<Box<Recorder>>,
    /// From the collector.
    pub empty: rtrb::Consumer<Box<Recorder>>,
}

/// How a worker's time is cut, and how much it does at most.
#[derive(Debug, Clone, Copy)]
pub struct Timeline {
    /// Start of the load on the run's clock, in nanoseconds: the same for all workers. Set by [`Worker::run`].
    start: u64,
    /// Length of a window.
    pub window: u64,
    /// Operations this worker sends at most.
    pub max_ops: u64,
    /// Bytes after which it sends no more: the operation that reaches them is the last (fio's size and io_size).
    pub max_bytes: u64,
    /// Bytes of a pass. Only what is checked ends with it: after each pass its writes are.
    pub pass_bytes: u64,
}

impl Timeline {
    /// Windows of `window` nanoseconds, at most `max_ops` operations.
    #[must_use]
    pub const fn new(window: u64, max_ops: u64) -> Self {
        Timeline { start: 0, window, max_ops, max_bytes: u64::MAX, pass_bytes: u64::MAX }
    }
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    issued: u64,
    due: u64,
    request: Request,
    /// Whole length; `request` shrinks when a short operation is continued.
    len: u32,
    busy: bool,
}

/// One thread of load. `PARTS`: the time to hand over is told from the rest, and depths are counted. `EVERY`: every
/// operation is kept for a log. `RANKED`: latencies are told by I/O priority, too.
pub struct Worker<K: Clock, S: Stamp, const PARTS: bool, const EVERY: bool, const RANKED: bool> {
    clock: K,
    engine: Box<dyn Engine>,
    pattern: Pattern,
    stamp: S,
    recorder: Box<Recorder>,
    exchange: Exchange,
    shared: Arc<Shared>,
    pulse: Arc<Pulse>,
    timeline: Timeline,
    policy: ErrorPolicy,
    /// Latencies by priority are whole ones (`ByPriority::whole`).
    whole: bool,
    /// The load waits for its log of every operation, rather than lose what does not fit.
    log_waits: bool,
    watch: Watch,
    budget: Budget,
    slots: Box<[Slot]>,
    /// When each slot was accepted by the engine; empty unless the parts are told apart.
    handed: Box<[u64]>,
    free: Vec<u32>,
    batch: Vec<Request>,
    done: Vec<Completion>,
    in_flight: u64,
    left: u64,
    edge: u64,
    last: u64,
    /// Nothing more is sent by the loop that runs.
    stopped: bool,
    /// Measuring is over.
    draining: bool,
    /// Whether what was written is read back.
    checks: bool,
    /// Reading back has begun, and `stop_at` no longer ends anything.
    checking: bool,
    /// Whose cached pages are dropped before they are read back.
    files: Vec<Arc<File>>,
    /// Every pass begins with nothing of the files cached.
    fresh: bool,
    cpu: sys::CpuTime,
    cpu_at_start: sys::CpuTime,
    end: WorkerEnd,
}

/// What a worker of any kind is made of.
pub struct Parts {
    /// Engine, opened on this thread.
    pub engine: Box<dyn Engine>,
    /// What yields the operations.
    pub pattern: Pattern,
    /// Where full recorders go and empty ones come from.
    pub exchange: Exchange,
    /// Stop time and errors.
    pub shared: Arc<Shared>,
    /// For the watchdog.
    pub pulse: Arc<Pulse>,
    /// Start and windows.
    pub timeline: Timeline,
    /// What an error does.
    pub policy: ErrorPolicy,
    /// Whether latencies by priority are whole ones; without meaning where they are not told.
    pub whole: bool,
    /// Whether the load waits for its log of every operation, rather than lose what does not fit.
    pub log_waits: bool,
    /// Operations in flight at most.
    pub depth: u32,
    /// The largest operation, in bytes.
    pub max_block: u64,
    /// Ends other than time and count, and errors that are none.
    pub rules: EndRules,
    /// Files whose cached pages are dropped before they are read back.
    pub files: Vec<Arc<File>>,
    /// Every pass begins with nothing of the files cached.
    pub fresh: bool,
}

/// How operations are sent.
pub enum IssueMode {
    /// Whatever completed is replaced at once.
    Closed,
    /// When they are due, whether earlier ones completed or not.
    Open(Arrivals),
    /// One at a time, at a beat.
    Paced(PacedLoop),
    /// As a recording has them.
    Replayed(Box<ReplayLoop>),
    /// Batches of a database session, with pauses.
    Session(Box<SessionLoop>),
    /// By rates, with pauses, in batches, at a depth that is looked for, without overlap.
    Shaped(Box<ShapedLoop>),
}

impl<K: Clock, S: Stamp, const PARTS: bool, const EVERY: bool, const RANKED: bool> Worker<K, S, PARTS, EVERY, RANKED> {
    /// Makes everything the loop needs, timed by the `clock` of the run, with buffers filled by `stamp`; the last place where memory
    /// is allocated.
    pub fn new(clock: K, mut stamp: S, parts: Parts) -> Self {
        let depth = parts.depth.max(1) as usize;
        let mut engine = parts.engine;
        if S::WRITES {
            for slot in 0..depth as u32 {
                stamp.fill(engine.buffer(slot));
            }
        }
        let mut exchange = parts.exchange;
        let recorder = exchange.empty.pop().expect("recorders were put into the ring before the thread was started");
        let checks = stamp.checker().is_some_and(|c| c.reads_back());
        Worker {
            clock,
            engine,
            pattern: parts.pattern,
            stamp,
            recorder,
            exchange,
            shared: parts.shared,
            pulse: parts.pulse,
            timeline: parts.timeline,
            policy: parts.policy,
            whole: parts.whole,
            log_waits: parts.log_waits,
            watch: Watch::new(parts.rules),
            budget: Budget::new(&parts.timeline, parts.max_block),
            slots: vec![Slot { issued: 0, due: 0, request: Request::default(), len: 0, busy: false }; depth].into(),
            handed: if PARTS { vec![0; depth].into() } else { Box::default() },
            free: (0..depth as u32).rev().collect(),
            batch: Vec::with_capacity(depth),
            done: Vec::with_capacity(depth),
            in_flight: 0,
            left: 0,
            edge: 0,
            last: 0,
            stopped: false,
            draining: false,
            checks,
            checking: false,
            files: parts.files,
            fresh: parts.fresh,
            cpu: sys::CpuTime::default(),
            cpu_at_start: sys::CpuTime::default(),
            end: WorkerEnd::default(),
        }
    }

    /// Begins at `start` on the run's clock, runs until told to stop, then waits for what is in flight.
    pub fn run(mut self, start: u64, mut mode: IssueMode) -> WorkerEnd {
        self.timeline.start = start;
        self.begin();
        let outcome = match (self.checks, self.fresh) {
            (true, _) if S::CHECKS => self.load_and_check(&mut mode),
            (_, true) => self.load_in_passes(&mut mode),
            (_, false) => self.load(&mut mode),
        };
        let now = self.clock.now();
        self.stop(now);
        // Those of a paced loop keep their due time to their end.
        let paced = match &mode {
            IssueMode::Open(_) | IssueMode::Replayed(_) => true,
            IssueMode::Shaped(fine) => fine.is_rated(),
            IssueMode::Closed | IssueMode::Paced(_) | IssueMode::Session(_) => false,
        };
        let outcome = outcome.and_then(|()| self.drain(paced));
        if let Err(error) = outcome {
            self.end.broken = Some(error.to_string());
            // The others' figures would be those of another load.
            self.shared.stop_at.fetch_min(self.clock.now(), Relaxed);
        }
        if let IssueMode::Shaped(fine) = &mode {
            (self.end.settled_depth, self.end.settled_at) = fine.settled();
            self.end.zone_resets = fine.resets();
        }
        self.finish()
    }

    /// Sends until stopped, or until what it may send for now is used up and came back.
    fn load(&mut self, mode: &mut IssueMode) -> std::io::Result<()> {
        self.replenish();
        match mode {
            // Telling the parts apart needs operations that are handed over and come back.
            IssueMode::Closed if !PARTS && self.slots.len() == 1 && !S::WRITES => self.single_loop(),
            IssueMode::Closed => self.closed_loop(),
            IssueMode::Open(arrivals) => self.open_loop(arrivals),
            IssueMode::Paced(beating) => self.paced_loop(beating),
            // Every operation of a replay is kept: the loop is made only for workers that do.
            IssueMode::Replayed(replay) if EVERY => self.replay_loop(replay),
            IssueMode::Replayed(_) => unreachable!("a replay keeps every operation"),
            // A database makes its own blocks and has no part before its answer: `build_worker` knows.
            IssueMode::Session(sitting) if !S::WRITES && !PARTS => self.session_loop(sitting),
            IssueMode::Session(_) => unreachable!("a session writes no buffer of ours, and its parts are not told"),
            IssueMode::Shaped(fine) if fine.serializes() => self.shaped_loop::<true>(fine),
            IssueMode::Shaped(fine) => self.shaped_loop::<false>(fine),
        }
    }
}

pub use model::END_OF_FILE;

/// Sleeps nearly until a time is over and spins the rest: a sleep alone would be late by the kernel's wake-up.
fn sleep_or_spin<K: Clock>(clock: &K, ns: u64) {
    const SPIN: u64 = 60_000;
    let until = clock.now() + ns;
    if ns > 2 * SPIN {
        clock.sleep(ns - SPIN);
    }
    while clock.now() < until {
        clock.pause();
    }
}
