//! Worker: one thread, one engine, one pattern.
//!
//! After the measurement begins, the worker does not allocate, lock or format anything, and does not check options. It
//! is generic over the clock, the preparation of buffers before writes, and the data recorded per operation. Each kind
//! of pacing has a separate loop. Time is divided into windows on a common grid. The recorder of a window is sent to
//! the collector when the window has ended.
//!
//! This file defines the parts of a worker, and runs it from beginning to end. Steps common to all loops are in
//! `steps.rs`; the ends of windows are in `windows.rs`. The loops are in `closed.rs`, `single.rs`, `open.rs`,
//! `paced.rs`, `replay.rs`, `session_loop.rs` and `shaped.rs`. Written data is read back and checked in `check.rs`.
//! `spec.rs` selects the kind of worker that a job needs.

mod any_stamp;
mod budget;
mod check;
mod end;
#[cfg(test)]
mod jobs_tests;
mod loops;
mod rules;
mod spec;
mod steps;
#[cfg(test)]
mod tests;
mod windows;

use crate::engine::{Completion, Engine, Request};
use crate::pacer::Arrivals;
use crate::pattern::Pattern;
use crate::recorder::Recorder;
use crate::stamp::Stamp;
use budget::Budget;
pub use end::WorkerEnd;
pub use loops::flow::Flow;
use loops::paced::PacedLoop;
use loops::replay::ReplayLoop;
use loops::session_loop::SessionLoop;
use loops::shaped::ShapedLoop;
use model::plan::ErrorPolicy;
pub use rules::EndRules;
use rules::Watch;
pub use spec::{Refused, Runner, WorkerSpec, build_worker, recorder_for, refusal, workloads};
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use sys::clock::Clock;

/// State shared between a worker and the conductor. A worker makes at most one relaxed store per batch, and no thread
/// waits for another.
#[derive(Debug, Default)]
pub struct Shared {
    /// Time to stop sending, in nanoseconds on the run's clock. Checked at the end of each window. Written data is
    /// still read back and verified afterwards, if the job requests it.
    pub stop_at: AtomicU64,
    /// True if verification must also end (after a signal, or at the end of the run).
    pub quit: AtomicBool,
    /// True if the worker must stop waiting for operations in flight.
    pub abandon: AtomicBool,
    /// Number of failed operations across all workers, for [`ErrorPolicy::Count`].
    pub errors: AtomicU64,
}

/// State that one worker reports to the watchdog.
#[derive(Debug, Default)]
pub struct Pulse {
    /// Number of operations submitted to the engine so far.
    pub submitted: AtomicU64,
    /// Number of operations completed so far, successfully or not.
    pub returned: AtomicU64,
    /// Time at which the worker last called the engine, in nanoseconds on the run's clock.
    pub entered: AtomicU64,
    /// Submission time of the oldest operation in flight at the last check; 0 = none.
    pub oldest: AtomicU64,
    /// Thread ID in the kernel; 0 = not known yet. Other threads use it to read how long this thread waited for a CPU.
    pub thread: AtomicU32,
}

/// Rings for full and empty recorders.
pub struct Exchange {
    /// Ring that carries full recorders to the collector.
    pub full: rtrb::Producer<Box<Recorder>>,
    /// Ring that carries empty recorders from the collector.
    pub empty: rtrb::Consumer<Box<Recorder>>,
}

/// Windows into which a worker's time is divided, and the worker's limits.
#[derive(Debug, Clone, Copy)]
pub struct Timeline {
    /// Start of the load on the run's clock, in nanoseconds: the same for all workers. Set by [`Worker::run`].
    start: u64,
    /// Length of a window, in nanoseconds.
    pub window: u64,
    /// Maximum number of operations that this worker sends.
    pub max_ops: u64,
    /// Bytes after which the worker stops sending: the operation that reaches this limit is the last (fio's size and
    /// io_size).
    pub max_bytes: u64,
    /// Bytes per pass. Only loads that verify data stop after each pass, to verify the writes of the pass.
    pub pass_bytes: u64,
}

impl Timeline {
    /// Creates a timeline with windows of `window` nanoseconds and at most `max_ops` operations.
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
    /// Original length; the length in `request` shrinks when a short operation is continued.
    len: u32,
    busy: bool,
}

/// Worker: one thread of a load. If `PARTS` is true, submission and completion are timed separately, and depths are
/// counted. If `EVERY` is true, every operation is logged. If `RANKED` is true, latencies are also recorded by I/O
/// priority.
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
    /// True if latencies by priority are measured from submission to completion (`ByPriority::whole`).
    whole: bool,
    /// True if the load waits for room in the log instead of dropping log entries.
    log_waits: bool,
    watch: Watch,
    budget: Budget,
    slots: Box<[Slot]>,
    /// Time at which the engine accepted the operation in each slot; empty unless submission and completion are timed
    /// separately.
    handed: Box<[u64]>,
    free: Vec<u32>,
    batch: Vec<Request>,
    done: Vec<Completion>,
    in_flight: u64,
    left: u64,
    edge: u64,
    last: u64,
    /// True if the running loop must stop sending.
    stopped: bool,
    /// True if the measurement is over.
    draining: bool,
    /// True if written data is read back.
    checks: bool,
    /// True if reading back has begun; `stop_at` then no longer applies.
    checking: bool,
    /// Files whose cached pages are dropped before written data is read back.
    files: Vec<Arc<File>>,
    /// True if every pass begins without cached pages of the files.
    fresh: bool,
    cpu: sys::process::CpuTime,
    cpu_at_start: sys::process::CpuTime,
    end: WorkerEnd,
}

/// Parts from which a worker is built.
pub struct Parts {
    /// Engine, opened on this thread.
    pub engine: Box<dyn Engine>,
    /// Generator of the operations.
    pub pattern: Pattern,
    /// Rings for full and empty recorders.
    pub exchange: Exchange,
    /// Stop time and error count.
    pub shared: Arc<Shared>,
    /// State for the watchdog.
    pub pulse: Arc<Pulse>,
    /// Start of the load, and length of its windows.
    pub timeline: Timeline,
    /// Policy for errors.
    pub policy: ErrorPolicy,
    /// True if latencies by priority are measured from submission to completion; ignored if they are not recorded.
    pub whole: bool,
    /// True if the load waits for room in the log instead of dropping log entries.
    pub log_waits: bool,
    /// Maximum number of operations in flight.
    pub depth: u32,
    /// Size of the largest operation, in bytes.
    pub max_block: u64,
    /// End conditions other than time and count, and rules for tolerated errors.
    pub rules: EndRules,
    /// Files whose cached pages are dropped before written data is read back.
    pub files: Vec<Arc<File>>,
    /// True if every pass begins without cached pages of the files.
    pub fresh: bool,
}

/// Method of sending operations.
pub enum IssueMode {
    /// Replace each completed operation immediately.
    Closed,
    /// Send operations at their due times, even if earlier operations have not completed.
    Open(Arrivals),
    /// Send one operation at a time, at regular intervals.
    Paced(PacedLoop),
    /// Replay recorded operations.
    Replayed(Box<ReplayLoop>),
    /// Send batches of a database session, with pauses.
    Session(Box<SessionLoop>),
    /// Send operations with rates, pauses, batches, a depth search, or without overlap.
    Shaped(Box<ShapedLoop>),
}

impl<K: Clock, S: Stamp, const PARTS: bool, const EVERY: bool, const RANKED: bool> Worker<K, S, PARTS, EVERY, RANKED> {
    /// Creates everything that the loop needs. `clock` is the clock of the run, and `stamp` fills the buffers. This is
    /// the last place that allocates memory.
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
            cpu: sys::process::CpuTime::default(),
            cpu_at_start: sys::process::CpuTime::default(),
            end: WorkerEnd::default(),
        }
    }

    /// Begins at `start` on the run's clock, sends operations until the worker is stopped, then waits for the
    /// operations in flight.
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
        // Operations of a paced loop keep their due times until they have completed.
        let paced = match &mode {
            IssueMode::Open(_) | IssueMode::Replayed(_) => true,
            IssueMode::Shaped(fine) => fine.is_rated(),
            IssueMode::Closed | IssueMode::Paced(_) | IssueMode::Session(_) => false,
        };
        let outcome = outcome.and_then(|()| self.drain(paced));
        if let Err(error) = outcome {
            self.end.broken = Some(error.to_string());
            // Stop the other workers, because their figures would belong to a different load.
            self.shared.stop_at.fetch_min(self.clock.now(), Relaxed);
        }
        if let IssueMode::Shaped(fine) = &mode {
            (self.end.settled_depth, self.end.settled_at) = fine.settled();
            self.end.zone_resets = fine.resets();
        }
        self.finish()
    }

    /// Sends operations until the worker is stopped, or until the current budget is used up and all operations have
    /// completed.
    fn load(&mut self, mode: &mut IssueMode) -> std::io::Result<()> {
        self.replenish();
        match mode {
            // Timing submission and completion separately requires the queue interface.
            IssueMode::Closed if !PARTS && self.slots.len() == 1 && !S::WRITES => self.single_loop(),
            IssueMode::Closed => self.closed_loop(),
            IssueMode::Open(arrivals) => self.open_loop(arrivals),
            IssueMode::Paced(beating) => self.paced_loop(beating),
            // Every operation of a replay is logged, so the loop is compiled only for workers that log.
            IssueMode::Replayed(replay) if EVERY => self.replay_loop(replay),
            IssueMode::Replayed(_) => unreachable!("a replay executes every operation"),
            // A database generates its own blocks, and its submissions are not timed separately: `build_worker` ensures
            // this.
            IssueMode::Session(sitting) if !S::WRITES && !PARTS => self.session_loop(sitting),
            IssueMode::Session(_) => unreachable!("a session does not use secchi's buffers"),
            IssueMode::Shaped(fine) if fine.serializes() => self.shaped_loop::<true>(fine),
            IssueMode::Shaped(fine) => self.shaped_loop::<false>(fine),
        }
    }
}

pub use model::measured::END_OF_FILE;

/// Sleeps for most of the time and spins for the rest. With a sleep alone, the caller would be late by the kernel's
/// wake-up latency.
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
