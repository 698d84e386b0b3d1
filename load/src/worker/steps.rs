//! Steps common to all loops: preparing, submitting and recording operations, handling failures, and ending the load.

use super::rules::Verdict;
use super::{END_OF_FILE, Slot, Worker, sleep_or_spin};
use crate::engine::{Completion, Request, Wait};
use crate::pattern::NextIo;
use crate::recorder::{Entry, Recorder};
use crate::stamp::Stamp;
use model::{Nanos, Op, measured::WRONG_DATA};
use std::io;
use std::sync::atomic::Ordering::Relaxed;
use sys::clock::Clock;

impl<K: Clock, S: Stamp, const PARTS: bool, const EVERY: bool, const RANKED: bool> Worker<K, S, PARTS, EVERY, RANKED> {
    pub(super) fn begin(&mut self) {
        sys::clock::wake_on_time();
        let mut now = self.clock.now();
        while now < self.timeline.start {
            sleep_or_spin(&self.clock, self.timeline.start - now);
            now = self.clock.now();
        }
        self.cpu = sys::threads::thread_cpu_time();
        self.cpu_at_start = self.cpu;
        self.last = self.timeline.start;
        self.recorder.window = 0;
        self.recorder.start = self.timeline.start;
        self.edge = self.next_edge(self.timeline.start + self.timeline.window);
    }

    /// Adds the next operation of the pattern to the batch and returns its slot.
    #[inline(always)]
    pub(super) fn prepare(&mut self) -> u32 {
        let place = self.pattern.next_io();
        self.take(place)
    }

    /// Adds an operation to the batch and returns its slot.
    #[inline(always)]
    pub(super) fn take(&mut self, place: NextIo) -> u32 {
        let slot = self.free.pop().expect("the caller counted free slots");
        let request = place.request(slot);
        if S::WRITES && place.op == Op::Write {
            let buffer = self.engine.buffer(slot);
            self.stamp.stamp(&mut buffer[..place.len as usize], &place);
        }
        if S::CHECKS && place.op == Op::Trim {
            self.forget(&request, place.len);
        }
        let state = &mut self.slots[slot as usize];
        state.request = request;
        state.len = place.len;
        state.busy = true;
        self.batch.push(request);
        slot
    }

    /// Submits a batch whose operations have different due times.
    #[inline(always)]
    pub(super) fn issue(&mut self, now: u64) -> io::Result<()> {
        for request in &self.batch {
            let slot = &mut self.slots[request.slot as usize];
            slot.issued = now;
            self.recorder.late_max = self.recorder.late_max.max(now.saturating_sub(slot.due));
        }
        self.hand_over(now)
    }

    /// Submits the batch to the engine. Operations for which the engine has no room stay in the batch.
    #[inline(always)]
    pub(super) fn hand_over(&mut self, now: u64) -> io::Result<()> {
        self.account(now);
        self.pulse.entered.store(now, Relaxed);
        self.pulse.returned.store(self.end.submitted - self.in_flight, Relaxed);
        // Stored before the call: an engine may block during submission (pwrite, or io_submit on a frozen file system).
        self.pulse.submitted.store(self.end.submitted + self.batch.len() as u64, Relaxed);
        let taken = self.engine.submit(&self.batch)?;
        self.in_flight += taken as u64;
        self.end.submitted += taken as u64;
        self.pulse.submitted.store(self.end.submitted, Relaxed);
        if PARTS && taken > 0 {
            self.engine.flush()?;
            self.book_submission(now, taken);
        }
        if taken == self.batch.len() {
            self.batch.clear();
        } else {
            self.batch.drain(..taken);
        }
        Ok(())
    }

    /// Records how long the engine took to accept a batch. This takes one more timestamp, and all operations of the
    /// batch get the same time.
    fn book_submission(&mut self, before: u64, taken: usize) {
        let accepted = self.clock.now();
        let mut by_op = [0u64; 4];
        for request in &self.batch[..taken] {
            self.handed[request.slot as usize] = accepted;
            by_op[request.op.index()] += 1;
        }
        for (op, n) in Op::ALL.into_iter().zip(by_op).filter(|(_, n)| *n > 0) {
            self.recorder.submitted(op, n, accepted.saturating_sub(before));
        }
        self.recorder.handed_over(taken as u64, self.in_flight);
    }

    /// Adds the time since the last call to the integral of operations in flight.
    #[inline(always)]
    pub(super) fn account(&mut self, now: u64) {
        self.recorder.in_flight_ns += u128::from(self.in_flight) * u128::from(now.saturating_sub(self.last));
        self.last = self.last.max(now);
    }

    /// Adds the time of a single operation in flight, from `issued` to `now`, to the integral of operations in flight.
    /// Windows that have ended in the meantime are sent to the collector.
    #[inline]
    pub(super) fn account_alone(&mut self, issued: u64, now: u64) {
        self.account(issued);
        self.in_flight = 1;
        if now >= self.edge {
            self.roll(now);
        }
        self.account(now);
        self.in_flight = 0;
    }

    /// Fetches completions. If there are no completions, waits until one arrives, until the due time `next` (`u64::MAX`
    /// = none), or until the end of the window.
    #[inline(always)]
    pub(super) fn fetch_until(&mut self, next: u64, now: u64) -> io::Result<()> {
        if self.in_flight == 0 {
            // There is nothing to wait for but the next due time or the end of the window.
            let until = next.min(self.edge);
            if until > now {
                sleep_or_spin(&self.clock, until - now);
            }
            return Ok(());
        }
        if self.free.is_empty() || next == u64::MAX {
            self.engine.reap(1, Wait::Forever, &mut self.done)
        } else if next > now {
            self.engine.reap(1, Wait::AtMost(next - now), &mut self.done)
        } else {
            self.engine.reap(0, Wait::AtMost(0), &mut self.done)
        }
    }

    /// Records the completed operations.
    #[inline(always)]
    pub(super) fn settle(&mut self, now: u64, respond: impl FnMut(&mut Recorder, &Slot, u64)) -> io::Result<()> {
        let n = self.done.len();
        self.settle_first(n, now, respond)?;
        self.done.clear();
        Ok(())
    }

    /// Records the first `n` completions; the caller removes them from the list.
    #[inline(always)]
    pub(super) fn settle_first(
        &mut self,
        n: usize,
        now: u64,
        mut respond: impl FnMut(&mut Recorder, &Slot, u64),
    ) -> io::Result<()> {
        self.account(now);
        if PARTS {
            self.recorder.fetched(n as u64);
        }
        for i in 0..n {
            let Completion { slot, result } = self.done[i];
            let state = &mut self.slots[slot as usize];
            if result != state.request.len as i32 {
                self.uneven(slot, result, now)?;
                continue;
            }
            if S::CHECKS && state.request.op == Op::Read && !self.is_right(slot) {
                self.uneven(slot, -WRONG_DATA, now)?;
                continue;
            }
            let state = &mut self.slots[slot as usize];
            state.busy = false;
            self.in_flight -= 1;
            let latency = now.saturating_sub(state.issued);
            self.recorder.done(state.request.op, state.len, latency);
            if PARTS {
                self.recorder.completed(state.request.op, now.saturating_sub(self.handed[slot as usize]));
            }
            let priority = if RANKED { self.engine.priority(slot) } else { 0 };
            if RANKED {
                let from = if self.whole { state.issued } else { self.handed[slot as usize] };
                self.recorder.ranked(state.request.op, priority, now.saturating_sub(from));
            }
            respond(&mut self.recorder, state, now);
            if EVERY {
                let submission = if PARTS { self.handed[slot as usize].saturating_sub(state.issued) } else { 0 };
                let (due, logged) = (state.due, Entry::new(&state.request, state.len));
                let entry = Entry { time: now, due, submission, latency, priority, ..logged };
                self.keep(entry);
            }
            self.free.push(slot);
        }
        Ok(())
    }

    /// Logs one operation. If the log is full, the recorder is sent to the collector before its window ends.
    #[inline]
    pub(super) fn keep(&mut self, entry: Entry) {
        if self.recorder.is_full() {
            self.spill(entry.time);
        }
        self.recorder.keep(entry);
    }

    /// Handles an operation that failed, reached the end of the file, was short, or read wrong data.
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
            // The submission cannot fail, since the operation's place in the queue was just freed. If it fails
            // nevertheless, the operation counts as failed.
        }
        let state = &mut self.slots[slot as usize];
        state.busy = false;
        let after = now.saturating_sub(state.issued);
        let (request, len) = (state.request, state.len);
        if S::WRITES && op == Op::Read {
            // After the failed read, the buffer contains neither the previous contents nor a complete block.
            self.stamp.fill(&mut self.engine.buffer(slot)[..len as usize]);
        }
        self.in_flight -= 1;
        self.free.push(slot);
        self.fail(&request, len, result, now, after);
        Ok(())
    }

    /// Records a failure, and stops the load if the rules require it.
    #[cold]
    pub(super) fn fail(&mut self, request: &Request, len: u32, result: i32, now: u64, after: u64) {
        let (op, errno) = (request.op, if result < 0 { -result } else { END_OF_FILE });
        if S::CHECKS && op == Op::Write {
            // The contents of the range are now unknown.
            self.forget(request, len);
        }
        let wrong = S::CHECKS && op == Op::Read && errno == WRONG_DATA;
        let errors = self.shared.errors.load(Relaxed) + 1;
        let verdict = self.watch.judge(self.policy, op, errno, wrong, errors);
        self.budget.failed += u64::from(len);
        if verdict == Verdict::Full {
            // Operations that failed because the target was full do not count as submitted.
            self.end.submitted -= 1;
            self.end.full = true;
            self.shared.stop_at.fetch_min(now, Relaxed);
            self.halt(now);
            return;
        }
        self.recorder.failed(op, errno, after);
        self.end.failed += 1;
        if verdict == Verdict::Ignore {
            self.end.ignored += 1;
            return;
        }
        if self.end.first_error == 0 {
            self.end.first_error = errno;
        }
        let errors = self.shared.errors.fetch_add(1, Relaxed) + 1;
        let mut enough =
            verdict == Verdict::End || self.watch.judge(self.policy, op, errno, wrong, errors) == Verdict::End;
        if op == Op::Flush && !enough {
            // The data that the flush should have made durable is lost, and yet the next flush would succeed. Therefore
            // the load ends under every policy (docs/design/safety.md, "Failed flushes").
            self.end.broken = Some(format!("a flush failed: {}", io::Error::from_raw_os_error(errno)));
            enough = true;
        }
        self.end.ended_by_error |= enough;
        if enough && !self.draining {
            self.shared.stop_at.fetch_min(now, Relaxed);
            self.stop(now);
        }
    }

    /// Waits until nothing is in flight, or until the conductor gives up. Compiled once for all callers, because no
    /// operations are sent while it runs.
    #[inline(never)]
    pub(super) fn quiesce(&mut self, respond: &mut dyn FnMut(&mut Recorder, &Slot, u64)) -> io::Result<()> {
        while self.in_flight > 0 && !self.shared.abandon.load(Relaxed) {
            if self.done.is_empty() {
                self.engine.reap(1, Wait::AtMost(20_000_000), &mut self.done)?;
            }
            let now = self.clock.now();
            if now >= self.edge {
                self.roll(now);
            }
            self.settle(now, &mut *respond)?;
            self.pulse.returned.store(self.end.submitted - self.in_flight, Relaxed);
            self.look_at_oldest();
        }
        Ok(())
    }

    /// Waits for the operations in flight at the end. `paced` is true if they have due times.
    pub(super) fn drain(&mut self, paced: bool) -> io::Result<()> {
        // These operations were prepared but never submitted.
        for request in std::mem::take(&mut self.batch) {
            self.slots[request.slot as usize].busy = false;
            if S::CHECKS && request.op == Op::Write {
                self.forget(&request, request.len);
            }
        }
        self.quiesce(&mut |recorder, slot, now| {
            if paced {
                recorder.responded(slot.request.op, now.saturating_sub(slot.due));
            }
        })
    }

    pub(super) fn finish(mut self) -> super::WorkerEnd {
        let now = self.clock.now();
        self.close(now.max(self.recorder.start));
        self.end.book_usage(self.cpu_at_start);
        self.end.absent_reads = self.engine.absent_reads();
        let spare = self.exchange.empty.pop().ok().or_else(|| Recorder::new().ok().map(Box::new));
        if let Some(spare) = spare {
            let last = std::mem::replace(&mut self.recorder, spare);
            self.count_off(&last);
            let _ = self.exchange.full.push(last);
        } else if self.end.first_error == 0 {
            // The last window is lost. The loss is reported as an error, so that it does not go unnoticed.
            self.end.first_error = sys::errno::ENOMEM;
        }
        let busy = self.slots.iter().filter(|s| s.busy);
        let ages: Vec<Nanos> = busy.map(|s| Nanos(now.saturating_sub(s.issued))).collect();
        self.end.pending = self.in_flight;
        self.end.add_ages(&ages);
        if let Some(checker) = self.stamp.checker() {
            self.end.verified = checker.take_verified();
        }
        self.pulse.returned.store(self.end.submitted - self.in_flight, Relaxed);
        if self.in_flight > 0 {
            // The kernel may still write to the engine's buffers, and closing the engine would wait for the device.
            std::mem::forget(self.engine);
        }
        self.end
    }
}
