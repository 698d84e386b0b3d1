//! The worker loop: one thread, one engine, one pattern.
//!
//! After measuring begins it allocates nothing, locks nothing, formats nothing and asks no option whether it is on:
//! the loop is generic over the clock and over what is done to a buffer before a write, and closed and open loops
//! are two functions. Time is cut into windows on a common grid; the recorder of a window goes to the collector when
//! its edge has passed.

use crate::engine::{Completion, Engine, Request, Wait};
use crate::pacer::Arrivals;
use crate::pattern::Pattern;
use crate::recorder::Recorder;
use model::{ErrorPolicy, Nanos, Op};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use sys::Clock;

/// What is done to a buffer before it is written.
pub trait Stamp: Send {
    /// Whether buffers are touched at all.
    const WRITES: bool;
    /// Fills the buffer once, before the load begins.
    fn fill(&mut self, buffer: &mut [u8]);
    /// Makes the block this place's own.
    fn stamp(&mut self, buffer: &mut [u8], at: u64);
}

/// For loads that never write.
pub struct ReadOnly;

impl Stamp for ReadOnly {
    const WRITES: bool = false;
    fn fill(&mut self, _buffer: &mut [u8]) {}
    fn stamp(&mut self, _buffer: &mut [u8], _at: u64) {}
}

/// What a worker shares with the conductor. Relaxed stores once per batch at most; nobody waits for anybody.
#[derive(Debug, Default)]
pub struct Shared {
    /// When to stop sending, in nanoseconds on the run's clock. Looked at when a window ends.
    pub stop_at: AtomicU64,
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
}

/// Where full recorders go and empty ones come from.
pub struct Exchange {
    /// To the collector.
    pub full: rtrb::Producer<Box<Recorder>>,
    /// From the collector.
    pub empty: rtrb::Consumer<Box<Recorder>>,
}

/// How a worker's time is cut.
#[derive(Debug, Clone, Copy)]
pub struct Timeline {
    /// Start of the load on the run's clock, in nanoseconds: the same for all workers. Set by [`Worker::run`].
    start: u64,
    /// Length of a window.
    pub window: u64,
    /// Operations this worker sends at most.
    pub max_ops: u64,
}

impl Timeline {
    /// Windows of `window` nanoseconds, at most `max_ops` operations.
    #[must_use]
    pub const fn new(window: u64, max_ops: u64) -> Self {
        Timeline { start: 0, window, max_ops }
    }
}

/// Closing counts of a worker, ramp and drain included.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WorkerEnd {
    /// Operations given to the engine.
    pub submitted: u64,
    /// Completed in full.
    pub completed: u64,
    /// CPU time of the thread since the start, user and kernel.
    pub cpu: Nanos,
    /// Failed.
    pub failed: u64,
    /// Never seen again.
    pub pending: u64,
    /// Bytes of completed reads.
    pub read_bytes: u64,
    /// Bytes of completed writes.
    pub write_bytes: u64,
    /// Completed reads.
    pub read_ops: u64,
    /// Completed writes.
    pub write_ops: u64,
    /// Ages of pending operations, oldest first, at most 64.
    pub pending_ages: Vec<Nanos>,
    /// Largest lateness of a submission (open loop).
    pub late_max: Nanos,
    /// Why the engine itself broke, if it did.
    pub broken: Option<String>,
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

/// One thread of load.
pub struct Worker<K: Clock, S: Stamp> {
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
    slots: Box<[Slot]>,
    free: Vec<u32>,
    batch: Vec<Request>,
    done: Vec<Completion>,
    in_flight: u64,
    left: u64,
    edge: u64,
    last: u64,
    stopped: bool,
    cpu: sys::CpuTime,
    cpu_at_start: u64,
    end: WorkerEnd,
}

/// What a worker is made of.
pub struct Parts<K, S> {
    /// Clock.
    pub clock: K,
    /// Engine, opened on this thread.
    pub engine: Box<dyn Engine>,
    /// Places.
    pub pattern: Pattern,
    /// Buffer contents.
    pub stamp: S,
    /// Recorders.
    pub exchange: Exchange,
    /// Stop time and errors.
    pub shared: Arc<Shared>,
    /// For the watchdog.
    pub pulse: Arc<Pulse>,
    /// Start and windows.
    pub timeline: Timeline,
    /// What an error does.
    pub policy: ErrorPolicy,
    /// Operations in flight at most.
    pub depth: u32,
}

impl<K: Clock, S: Stamp> Worker<K, S> {
    /// Makes everything the loop needs; the last place where memory is allocated.
    pub fn new(parts: Parts<K, S>) -> Self {
        let depth = parts.depth.max(1) as usize;
        let request = Request::default();
        let mut engine = parts.engine;
        let mut stamp = parts.stamp;
        if S::WRITES {
            for slot in 0..depth as u32 {
                stamp.fill(engine.buffer(slot));
            }
        }
        let mut exchange = parts.exchange;
        let recorder = exchange.empty.pop().unwrap_or_default();
        Worker {
            clock: parts.clock,
            engine,
            pattern: parts.pattern,
            stamp,
            recorder,
            exchange,
            shared: parts.shared,
            pulse: parts.pulse,
            timeline: parts.timeline,
            policy: parts.policy,
            slots: vec![Slot { issued: 0, due: 0, request, len: 0, busy: false }; depth].into(),
            free: (0..depth as u32).rev().collect(),
            batch: Vec::with_capacity(depth),
            done: Vec::with_capacity(depth),
            in_flight: 0,
            left: parts.timeline.max_ops,
            edge: 0,
            last: 0,
            stopped: false,
            cpu: sys::CpuTime::default(),
            cpu_at_start: 0,
            end: WorkerEnd::default(),
        }
    }

    /// Begins at `start` on the run's clock, runs until told to stop, then waits for what is in flight.
    /// `arrivals` makes it an open loop.
    pub fn run(mut self, start: u64, arrivals: Option<Arrivals>) -> WorkerEnd {
        self.timeline.start = start;
        self.begin();
        let outcome = match arrivals {
            None if self.slots.len() == 1 && !S::WRITES => self.single_loop(),
            None => self.closed_loop(),
            Some(arrivals) => self.open_loop(arrivals),
        };
        let outcome = outcome.and_then(|()| self.drain());
        if let Err(error) = outcome {
            self.end.broken = Some(error.to_string());
            // The others' figures would be those of another load.
            self.shared.stop_at.fetch_min(self.clock.now(), Relaxed);
        }
        self.finish()
    }

    fn begin(&mut self) {
        sys::wake_on_time();
        let mut now = self.clock.now();
        while now < self.timeline.start {
            sleep_or_spin(&self.clock, self.timeline.start - now);
            now = self.clock.now();
        }
        self.cpu = sys::thread_cpu_time();
        self.cpu_at_start = self.cpu.user_ns + self.cpu.system_ns;
        self.last = self.timeline.start;
        self.recorder.window = 0;
        self.recorder.start = self.timeline.start;
        self.edge = self.next_edge(self.timeline.start + self.timeline.window);
    }

    /// The loop of a closed pacing: whatever completed is replaced at once.
    fn closed_loop(&mut self) -> io::Result<()> {
        while !self.stopped {
            let room = (self.free.len() as u64).min(self.left);
            self.left -= room;
            for _ in 0..room {
                self.prepare();
            }
            let issued = self.clock.now();
            for request in &self.batch {
                self.slots[request.slot as usize].issued = issued;
            }
            self.hand_over(issued)?;
            if self.in_flight == 0 && self.left == 0 {
                self.stop(issued);
                break;
            }
            self.engine.reap(1, Wait::Forever, &mut self.done)?;
            let now = self.clock.now();
            if now >= self.edge {
                self.roll(now);
            }
            self.settle(now, |_, _, _| ())?;
        }
        Ok(())
    }

    /// The closed loop with one operation in flight and nothing to prepare: one stamp ends an operation and begins
    /// the next. What lies between (booking one, placing the other) is 5 to 10 ns and counted with the latency; a
    /// second stamp would cost more than that.
    fn single_loop(&mut self) -> io::Result<()> {
        let mut issued = self.clock.now();
        self.account(issued);
        while !self.stopped {
            if self.left == 0 {
                self.stop(issued);
                break;
            }
            self.left -= 1;
            let place = self.pattern.next_place();
            let request = place.request(0);
            let mut rest = request;
            self.end.submitted += 1;
            self.in_flight = 1;
            self.pulse.submitted.store(self.end.submitted, Relaxed);
            self.pulse.entered.store(issued, Relaxed);
            let mut issued_next;
            loop {
                let result = self.engine.single(&rest, &mut self.done)?;
                let now = self.clock.now();
                issued_next = now;
                if now >= self.edge {
                    self.roll(now);
                    // Changing windows takes microseconds, which are not the next operation's.
                    issued_next = self.clock.now();
                }
                self.account(now);
                if result == rest.len as i32 {
                    self.recorder.done(place.op, place.len, now.saturating_sub(issued));
                    break;
                }
                if result <= 0 || result as u32 > rest.len {
                    self.fail(place.op, result, now, now.saturating_sub(issued));
                    break;
                }
                self.recorder.short(place.op);
                rest = rest.after(result as u32);
            }
            self.in_flight = 0;
            issued = issued_next;
            self.pulse.returned.store(self.end.submitted, Relaxed);
        }
        Ok(())
    }

    /// The loop of an open pacing: arrivals come when they are due; those beyond the queue depth wait here and keep
    /// their due time.
    fn open_loop(&mut self, mut arrivals: Arrivals) -> io::Result<()> {
        let start = self.timeline.start;
        // A rate next to nothing is due after the end of time, not before its beginning.
        let mut due = start.saturating_add(arrivals.due());
        while !self.stopped {
            let mut now = self.clock.now();
            while due <= now && self.left > 0 && !self.free.is_empty() {
                self.left -= 1;
                let slot = self.prepare();
                self.slots[slot as usize].due = due;
                arrivals.advance();
                due = start.saturating_add(arrivals.due());
            }
            if !self.batch.is_empty() {
                now = self.clock.now();
                for request in &self.batch {
                    let slot = &mut self.slots[request.slot as usize];
                    slot.issued = now;
                    self.recorder.late_max = self.recorder.late_max.max(now.saturating_sub(slot.due));
                }
                self.hand_over(now)?;
            }
            let next = if self.left > 0 { due } else { u64::MAX };
            if self.in_flight == 0 {
                if self.left == 0 {
                    self.stop(now);
                    break;
                }
                // Nothing to wait for but the next arrival or the end of the window.
                let until = next.min(self.edge);
                if until > now {
                    sleep_or_spin(&self.clock, until - now);
                }
            } else if self.free.is_empty() || next == u64::MAX {
                self.engine.reap(1, Wait::Forever, &mut self.done)?;
            } else if next > now {
                self.engine.reap(1, Wait::AtMost(next - now), &mut self.done)?;
            } else {
                self.engine.reap(0, Wait::AtMost(0), &mut self.done)?;
            }
            let now = self.clock.now();
            if now >= self.edge {
                self.roll(now);
            }
            self.settle(now, |recorder, slot, now| recorder.responded(slot.request.op, now.saturating_sub(slot.due)))?;
        }
        Ok(())
    }

    /// Takes the next place into the batch and returns its slot.
    #[inline(always)]
    fn prepare(&mut self) -> u32 {
        let slot = self.free.pop().expect("the caller counted free slots");
        let place = self.pattern.next_place();
        let request = place.request(slot);
        if S::WRITES && place.op == Op::Write {
            let buffer = self.engine.buffer(slot);
            self.stamp.stamp(&mut buffer[..place.len as usize], place.at);
        }
        let state = &mut self.slots[slot as usize];
        state.request = request;
        state.len = place.len;
        state.busy = true;
        self.batch.push(request);
        slot
    }

    /// Gives the batch to the engine; what it has no room for stays in the batch.
    #[inline(always)]
    fn hand_over(&mut self, now: u64) -> io::Result<()> {
        self.account(now);
        self.pulse.entered.store(now, Relaxed);
        self.pulse.returned.store(self.end.submitted - self.in_flight, Relaxed);
        let taken = self.engine.submit(&self.batch)?;
        self.in_flight += taken as u64;
        self.end.submitted += taken as u64;
        self.pulse.submitted.store(self.end.submitted, Relaxed);
        if taken == self.batch.len() {
            self.batch.clear();
        } else {
            self.batch.drain(..taken);
        }
        Ok(())
    }

    /// Adds the stretch since the last look to the integral of operations in flight.
    #[inline(always)]
    fn account(&mut self, now: u64) {
        self.recorder.in_flight_ns += u128::from(self.in_flight) * u128::from(now.saturating_sub(self.last));
        self.last = self.last.max(now);
    }

    /// Books what completed.
    #[inline(always)]
    fn settle(&mut self, now: u64, mut respond: impl FnMut(&mut Recorder, &Slot, u64)) -> io::Result<()> {
        self.account(now);
        for i in 0..self.done.len() {
            let Completion { slot, result } = self.done[i];
            let state = &mut self.slots[slot as usize];
            if result != state.request.len as i32 {
                self.uneven(slot, result, now)?;
                continue;
            }
            state.busy = false;
            self.in_flight -= 1;
            self.recorder.done(state.request.op, state.len, now.saturating_sub(state.issued));
            respond(&mut self.recorder, state, now);
            self.free.push(slot);
        }
        self.done.clear();
        Ok(())
    }

    /// An operation that failed, hit the end, or came back short.
    #[cold]
    fn uneven(&mut self, slot: u32, result: i32, now: u64) -> io::Result<()> {
        let state = &mut self.slots[slot as usize];
        let op = state.request.op;
        if result > 0 && (result as u32) < state.request.len {
            self.recorder.short(op);
            state.request = state.request.after(result as u32);
            let rest = state.request;
            if self.engine.submit(&[rest])? == 1 {
                return Ok(());
            }
            // No room cannot be, as its own place below was just freed; counted as a failure rather than lost.
        }
        let state = &mut self.slots[slot as usize];
        state.busy = false;
        let after = now.saturating_sub(state.issued);
        self.in_flight -= 1;
        self.free.push(slot);
        self.fail(op, result, now, after);
        Ok(())
    }

    /// Books a failure and stops if the policy says so.
    #[cold]
    fn fail(&mut self, op: Op, result: i32, now: u64, after: u64) {
        let errno = if result < 0 { -result } else { END_OF_FILE };
        self.recorder.failed(op, errno, after);
        self.end.failed += 1;
        let errors = self.shared.errors.fetch_add(1, Relaxed) + 1;
        let mut enough = match self.policy {
            ErrorPolicy::Stop => true,
            ErrorPolicy::Count(n) => errors >= n,
            ErrorPolicy::Continue => false,
        };
        if op == Op::Flush && !enough {
            // What it should have made durable is lost, and the next flush would say "done" all the same: no policy
            // goes on from here (`measurement.md` 1, fsyncgate).
            self.end.broken = Some(format!("a flush failed: {}", io::Error::from_raw_os_error(errno)));
            enough = true;
        }
        if enough && !self.stopped {
            self.shared.stop_at.fetch_min(now, Relaxed);
            self.stop(now);
        }
    }

    /// The end of the current window: its grid edge, or the stop time if that is earlier.
    fn next_edge(&self, grid: u64) -> u64 {
        grid.min(self.shared.stop_at.load(Relaxed))
    }

    /// Ends the window whose edge has passed and starts the one `now` lies in. Everything booked so far completed
    /// before the edge, so a stall that carried us beyond the next edge is a window of its own, without completions.
    #[cold]
    fn roll(&mut self, now: u64) {
        let (start, window, edge) = (self.timeline.start, self.timeline.window, self.edge);
        let number = |at: u64| (at - start) / window;
        self.close(edge);
        let stop_at = self.shared.stop_at.load(Relaxed);
        let over = now >= stop_at;
        let next = if over { stop_at.max(edge) } else { start + number(now) * window };
        if next > edge {
            self.swap(number(edge), edge);
            self.close(next);
        }
        if over {
            self.enter_drain(next);
            return;
        }
        self.swap(number(now), next);
        self.pulse.returned.store(self.end.submitted - self.in_flight, Relaxed);
        self.edge = self.next_edge(start + (number(now) + 1) * window);
        self.look_at_oldest();
    }

    /// Closes the books of the current window at `end`.
    fn close(&mut self, end: u64) {
        self.account(end);
        let cpu = sys::thread_cpu_time();
        self.recorder.cpu_user += cpu.user_ns - self.cpu.user_ns;
        self.recorder.cpu_system += cpu.system_ns - self.cpu.system_ns;
        self.cpu = cpu;
        self.recorder.end = end;
        self.end.late_max = self.end.late_max.max(Nanos(self.recorder.late_max));
    }

    /// Sends the current recorder off and takes an empty one. When the collector is behind, the current one goes on:
    /// its window is then longer, and says so by its times.
    fn swap(&mut self, number: u64, start: u64) {
        let Ok(mut empty) = self.exchange.empty.pop() else { return };
        std::mem::swap(&mut self.recorder, &mut empty);
        self.count_off(&empty);
        // The ring has room for every recorder there is.
        let _ = self.exchange.full.push(empty);
        self.recorder.window = number;
        self.recorder.start = start;
        self.recorder.end = start;
    }

    fn count_off(&mut self, recorder: &Recorder) {
        let (read, write) = (recorder.tally(Op::Read), recorder.tally(Op::Write));
        self.end.completed += recorder.ops();
        self.end.read_ops += read.0;
        self.end.read_bytes += read.1;
        self.end.write_ops += write.0;
        self.end.write_bytes += write.1;
    }

    /// Publishes the age of the oldest operation in flight.
    fn look_at_oldest(&mut self) {
        let oldest = self.slots.iter().filter(|s| s.busy).map(|s| s.issued).min().unwrap_or(0);
        self.pulse.oldest.store(oldest, Relaxed);
    }

    /// Ends sending at `at`; completions from here on belong to the drain.
    fn stop(&mut self, at: u64) {
        if self.stopped {
            return;
        }
        let at = at.max(self.recorder.start);
        self.close(at);
        self.enter_drain(at);
    }

    fn enter_drain(&mut self, at: u64) {
        self.stopped = true;
        self.edge = u64::MAX;
        // The last window must reach the collector: wait for an empty recorder, measuring is over.
        while self.exchange.empty.is_empty() && !self.exchange.empty.is_abandoned() {
            std::thread::yield_now();
        }
        self.swap(u64::MAX, at);
    }

    /// Waits for what is in flight, as long as the conductor has patience.
    fn drain(&mut self) -> io::Result<()> {
        // Prepared, never handed over.
        for request in std::mem::take(&mut self.batch) {
            self.slots[request.slot as usize].busy = false;
        }
        while self.in_flight > 0 && !self.shared.abandon.load(Relaxed) {
            self.engine.reap(1, Wait::AtMost(20_000_000), &mut self.done)?;
            let now = self.clock.now();
            self.settle(now, |_, _, _| ())?;
            self.pulse.returned.store(self.end.submitted - self.in_flight, Relaxed);
            self.look_at_oldest();
        }
        Ok(())
    }

    fn finish(mut self) -> WorkerEnd {
        let now = self.clock.now();
        self.close(now.max(self.recorder.start));
        let total = sys::thread_cpu_time();
        self.end.cpu = Nanos(total.user_ns + total.system_ns - self.cpu_at_start);
        let last = std::mem::take(&mut self.recorder);
        self.count_off(&last);
        let _ = self.exchange.full.push(last);
        let mut ages: Vec<Nanos> =
            self.slots.iter().filter(|s| s.busy).map(|s| Nanos(now.saturating_sub(s.issued))).collect();
        ages.sort_unstable_by_key(|age| std::cmp::Reverse(*age));
        ages.truncate(64);
        self.end.pending = self.in_flight;
        self.end.pending_ages = ages;
        self.pulse.returned.store(self.end.submitted - self.in_flight, Relaxed);
        if self.in_flight > 0 {
            // The kernel may still write to its buffers, and closing would wait for the device.
            std::mem::forget(self.engine);
        }
        self.end
    }
}

/// Reported for a read at or beyond the end of the target: an error, never an operation (ENODATA).
pub const END_OF_FILE: i32 = 61;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Blocking, Inline, Opening};
    use crate::engines;
    use crate::pattern::Part;
    use model::{Access, Bytes, Interval, Iops, Mix, Pacing, Phase, Workload};

    /// A clock that stands still unless something moves it.
    #[derive(Clone, Copy)]
    struct SimClock(&'static AtomicU64);

    impl SimClock {
        fn new() -> Self {
            SimClock(Box::leak(Box::default()))
        }
        fn advance(&self, ns: u64) {
            self.0.fetch_add(ns, Relaxed);
        }
    }

    impl Clock for SimClock {
        fn now(&self) -> u64 {
            self.0.load(Relaxed)
        }
        fn sleep(&self, ns: u64) {
            self.advance(ns);
        }
        fn pause(&self) {
            self.advance(1);
        }
    }

    /// A device that serves one operation at a time, in a time given by a function of the time it begins.
    struct Server<F> {
        clock: SimClock,
        service: F,
        buffer: Vec<u8>,
    }

    impl<F: FnMut(u64) -> u64> Blocking for Server<F> {
        fn perform(&mut self, request: &Request) -> i32 {
            let time = (self.service)(self.clock.now());
            self.clock.advance(time);
            request.len as i32
        }
        fn buffer(&mut self) -> &mut [u8] {
            &mut self.buffer
        }
    }

    struct Run {
        total: Interval,
        drain: Interval,
        windows: Vec<(u64, u64, u64, u64)>,
        end: WorkerEnd,
        stop_at: u64,
    }

    fn run<K: Clock>(
        clock: K,
        engine: Box<dyn Engine>,
        depth: u32,
        pacing: Pacing,
        time: u64,
        policy: ErrorPolicy,
        max_ops: u64,
    ) -> Run {
        let workload = Workload { pacing, ..Workload::new(Mix::READ, Bytes(4096), Access::RANDOM) };
        run_workload(&workload, clock, engine, depth, time, policy, max_ops)
    }

    fn run_workload<K: Clock>(
        workload: &Workload,
        clock: K,
        engine: Box<dyn Engine>,
        depth: u32,
        time: u64,
        policy: ErrorPolicy,
        max_ops: u64,
    ) -> Run {
        let pacing = workload.pacing;
        let pattern = Pattern::new(workload, Bytes(64 << 20), Part { worker: 0, workers: 1 }, 1).unwrap();
        // Rings large enough that nobody has to collect meanwhile.
        let (full, mut filled) = rtrb::RingBuffer::new(4096);
        let (mut give, empty) = rtrb::RingBuffer::new(4096);
        for _ in 0..(time / 100_000_000 + 64).min(4096) {
            give.push(Box::default()).ok();
        }
        let start = clock.now();
        let shared = Arc::new(Shared { stop_at: AtomicU64::new(start + time), ..Shared::default() });
        let worker = Worker::new(Parts {
            clock,
            engine,
            pattern,
            stamp: ReadOnly,
            exchange: Exchange { full, empty },
            shared: shared.clone(),
            pulse: Arc::default(),
            timeline: Timeline::new(100_000_000, max_ops),
            policy,
            depth,
        });
        let end = worker.run(start, Arrivals::new(pacing, 0, 1, 5));
        let (mut total, mut drain, mut windows) = (Interval::default(), Interval::default(), Vec::new());
        while let Ok(recorder) = filled.pop() {
            let interval = recorder.to_interval(Phase::Measure);
            if recorder.window == u64::MAX {
                drain.merge(&interval);
            } else {
                windows.push((recorder.window, recorder.start, recorder.end, recorder.ops()));
                total.merge(&interval);
            }
        }
        Run { total, drain, windows, end, stop_at: shared.stop_at.load(Relaxed) }
    }

    fn server(clock: SimClock, service: impl FnMut(u64) -> u64 + 'static) -> Box<dyn Engine> {
        Box::new(Inline::new(Server { clock, service, buffer: vec![0; 4096] }))
    }

    #[test]
    fn a_closed_loop_measures_the_service_time_and_keeps_littles_law() {
        let clock = SimClock::new();
        let r = run(clock, server(clock, |_| 250_000), 1, Pacing::Closed, 2_000_000_000, ErrorPolicy::Stop, u64::MAX);
        // Completions in [t0, t1): the one at exactly t1 is the drain's.
        assert_eq!(r.total.iops(), Iops(3999.5));
        assert_eq!(r.total.latency().mean(), Some(Nanos(250_000)));
        assert!((r.total.mean_in_flight() - 1.0).abs() < 1e-9);
        assert_eq!(r.windows.len(), 20);
        assert!(r.windows.iter().all(|(number, from, to, ops)| *from == number * 100_000_000
            && to - from == 100_000_000
            && ops.abs_diff(400) <= 1));
        assert_eq!(r.end.submitted, r.end.completed + r.end.failed + r.end.pending);
        assert_eq!(r.end.read_bytes, r.end.completed * 4096);
    }

    #[test]
    fn what_completes_after_the_end_is_drained_and_is_no_rate() {
        let clock = SimClock::new();
        // 0.3 s each: the fourth ends at 1.2 s, after the second.
        let r =
            run(clock, server(clock, |_| 300_000_000), 1, Pacing::Closed, 1_000_000_000, ErrorPolicy::Stop, u64::MAX);
        assert_eq!((r.total.ops(), r.drain.ops()), (3, 1));
        assert_eq!(r.total.length, Nanos(1_000_000_000));
        assert!((r.total.mean_in_flight() - 1.0).abs() < 1e-9);
        assert_eq!(r.end.completed, 4);
    }

    #[test]
    fn a_stall_is_windows_without_completions_not_a_gap_in_time() {
        let clock = SimClock::new();
        let stall = |now: u64| if (500_000_000..501_000_000).contains(&now) { 730_000_000 } else { 1_000_000 };
        let r = run(clock, server(clock, stall), 1, Pacing::Closed, 2_000_000_000, ErrorPolicy::Stop, u64::MAX);
        let covered: u64 = r.windows.iter().map(|(_, from, to, _)| to - from).sum();
        assert_eq!(covered, 2_000_000_000);
        assert!(r.windows.windows(2).all(|w| w[0].2 == w[1].1), "{:?}", r.windows);
        assert!(r.windows.iter().any(|(_, from, to, ops)| *from == 600_000_000 && *to == 1_200_000_000 && *ops == 0));
        assert_eq!(r.total.latency().max(), Some(Nanos(730_000_000)));
    }

    #[test]
    fn response_counts_from_the_due_time_exactly_as_lindley_says() {
        let clock = SimClock::new();
        let mut random = crate::random::Random::new(11);
        let mut times = Vec::new();
        let service: Vec<u64> = (0..4000).map(|_| 200_000 + random.below(1_600_000)).collect();
        let mut next = service.clone().into_iter();
        let r = run(
            clock,
            server(clock, move |_| next.next().unwrap()),
            1,
            Pacing::Poisson(Iops(800.0)),
            4_000_000_000,
            ErrorPolicy::Stop,
            u64::MAX,
        );
        // Lindley: an operation waits for the one before; response = wait + service.
        let mut arrivals = Arrivals::new(Pacing::Poisson(Iops(800.0)), 0, 1, 5).unwrap();
        let (mut free_at, mut expected) = (0u64, model::Summary::default());
        for s in service {
            let due = arrivals.due();
            arrivals.advance();
            let done = free_at.max(due) + s;
            if done >= 4_000_000_000 {
                break;
            }
            expected.record(done - due);
            times.push(done);
            free_at = done;
        }
        let response = r.total.response();
        assert_eq!(response.count(), expected.count);
        // The simulated sleep is exact, so every single response is.
        assert_eq!(response.summary().sum, expected.sum);
        assert_eq!(response.max(), Some(Nanos(expected.max)));
    }

    #[test]
    fn a_stall_of_a_second_shows_in_every_request_it_delayed() {
        // `measurement.md` 2.1: 1000/s for 8 s, one stall of 1 s; truth: p99 934 ms, mean 71.9 ms, service p99 small.
        let clock = SimClock::new();
        let stall = |now: u64| if (3_000_000_000..3_001_000_000).contains(&now) { 1_000_000_000 } else { 60_000 };
        let r = run(
            clock,
            server(clock, stall),
            1,
            Pacing::Fixed(Iops(1000.0)),
            8_000_000_000,
            ErrorPolicy::Stop,
            u64::MAX,
        );
        let response = r.total.response();
        let p99 = response.quantile(0.99).unwrap().millis();
        assert!((p99 / 934.0 - 1.0).abs() < 0.06, "{p99}");
        let mean = response.mean().unwrap().millis();
        assert!((mean / 71.9 - 1.0).abs() < 0.08, "{mean}");
        assert!(r.total.latency().quantile(0.99).unwrap() < Nanos(2_000_000));
        assert!((r.end.late_max.millis() - 999.0).abs() < 2.0, "{}", r.end.late_max);
    }

    fn null(depth: u32) -> Box<dyn Engine> {
        let opening = Opening { size: 64 << 20, depth, buffer_size: 4096, ..Opening::default() };
        (engines::find("null").unwrap().open)(&opening).unwrap().engine
    }

    fn faults(plan: model::FaultPlan, depth: u32) -> Box<dyn Engine> {
        Box::new(engines::Faulty::new(null(depth), depth, plan, 3, sys::monotonic_ns))
    }

    const NO_FAULT: model::FaultPlan = model::FaultPlan {
        error_rate: 0.0,
        errno: 5,
        short_rate: 0.0,
        delay_rate: 0.0,
        delay: Nanos(0),
        hang_after: None,
    };

    #[test]
    fn a_count_of_operations_is_exact_at_any_depth() {
        for depth in [1, 7, 32] {
            let clock = sys::MonotonicClock::start();
            let r = run(clock, null(depth), depth, Pacing::Closed, 60_000_000_000, ErrorPolicy::Stop, 10_001);
            assert_eq!((r.end.submitted, r.end.completed, r.end.pending), (10_001, 10_001, 0));
            assert_eq!(r.total.ops() + r.drain.ops(), 10_001);
        }
    }

    #[test]
    fn the_first_error_stops_and_is_no_operation() {
        let clock = sys::MonotonicClock::start();
        let engine = faults(model::FaultPlan { error_rate: 0.01, ..NO_FAULT }, 8);
        let r = run(clock, engine, 8, Pacing::Closed, 60_000_000_000, ErrorPolicy::Stop, u64::MAX);
        assert!(r.end.failed >= 1 && r.end.failed <= 8, "{}", r.end.failed);
        assert_eq!(r.end.submitted, r.end.completed + r.end.failed);
        assert_eq!(r.total.ops() + r.drain.ops(), r.end.completed);
        assert_eq!(r.total.failed() + r.drain.failed(), r.end.failed);
    }

    #[test]
    fn errors_that_are_let_pass_are_in_no_rate() {
        let clock = sys::MonotonicClock::start();
        let engine = faults(model::FaultPlan { error_rate: 0.5, ..NO_FAULT }, 4);
        let r = run(clock, engine, 4, Pacing::Closed, 60_000_000_000, ErrorPolicy::Continue, 20_000);
        assert_eq!(r.end.completed + r.end.failed, 20_000);
        assert!((r.end.failed as f64 / 20_000.0 - 0.5).abs() < 0.03);
        assert_eq!(r.total.latency().count() + r.drain.latency().count(), r.end.completed);
    }

    /// A queue that answers by a rule, or is broken.
    struct Rule<F>(F, Vec<Completion>);

    impl<F: FnMut(&Request) -> io::Result<i32>> Engine for Rule<F> {
        fn submit(&mut self, requests: &[Request]) -> io::Result<usize> {
            for request in requests {
                let result = (self.0)(request)?;
                self.1.push(Completion { slot: request.slot, result });
            }
            Ok(requests.len())
        }
        fn reap(&mut self, _at_least: usize, _wait: Wait, done: &mut Vec<Completion>) -> io::Result<()> {
            done.append(&mut self.1);
            Ok(())
        }
        fn buffer(&mut self, _slot: u32) -> &mut [u8] {
            &mut []
        }
    }

    #[test]
    fn a_failed_flush_ends_the_load_whatever_the_policy() {
        let workload = Workload { flush_every: 3, ..Workload::new(Mix::WRITE, Bytes(4096), Access::Sequential) };
        for depth in [1, 4] {
            let mut flushes = 0;
            let engine = Rule(
                move |request: &Request| {
                    flushes += u32::from(request.op == Op::Flush);
                    Ok(if request.op == Op::Flush && flushes == 5 { -5 } else { request.len as i32 })
                },
                Vec::new(),
            );
            let clock = sys::MonotonicClock::start();
            let time = 60_000_000_000;
            let r = run_workload(&workload, clock, Box::new(engine), depth, time, ErrorPolicy::Continue, 1000);
            assert!(r.end.broken.as_ref().is_some_and(|b| b.contains("flush")), "{:?}", r.end);
            assert_eq!(r.end.failed, 1);
            assert!(r.end.submitted < 30, "{:?}", r.end);
        }
    }

    #[test]
    fn a_broken_queue_ends_the_load_of_all_workers() {
        let mut left = 100;
        let engine = Rule(
            move |request: &Request| {
                left -= 1;
                if left == 0 { Err(io::Error::other("broken")) } else { Ok(request.len as i32) }
            },
            Vec::new(),
        );
        let clock = sys::MonotonicClock::start();
        let time = 60_000_000_000;
        let r = run(clock, Box::new(engine), 2, Pacing::Closed, time, ErrorPolicy::Continue, u64::MAX);
        assert_eq!(r.end.broken.as_deref(), Some("broken"));
        assert!(r.stop_at < 60_000_000_000, "the others go on until {}", r.stop_at);
    }

    #[test]
    fn a_rate_next_to_nothing_sends_nothing() {
        let clock = SimClock::new();
        clock.advance(1_000);
        let engine = server(clock, |_| 1_000);
        let pacing = Pacing::Poisson(Iops(1e-300));
        let r = run(clock, engine, 1, pacing, 300_000_000, ErrorPolicy::Stop, u64::MAX);
        assert_eq!(r.end.submitted, 0);
    }

    #[test]
    fn a_short_operation_is_continued_and_counted_once() {
        let clock = sys::MonotonicClock::start();
        let engine = faults(model::FaultPlan { short_rate: 0.3, ..NO_FAULT }, 4);
        let r = run(clock, engine, 4, Pacing::Closed, 60_000_000_000, ErrorPolicy::Stop, 5_000);
        assert_eq!((r.end.completed, r.end.failed), (5_000, 0));
        assert_eq!(r.end.read_bytes, 5_000 * 4096);
        let short: u64 = [&r.total, &r.drain].iter().map(|i| i.op(Op::Read).tally.short).sum();
        assert!(short > 1_000, "{short}");
    }
}
