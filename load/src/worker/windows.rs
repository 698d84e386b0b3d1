//! Work at the end of each window: recorders are exchanged, and conditions are checked that are too costly to check for
//! each operation.

use super::Worker;
use super::rules::TOO_LATE;
use crate::recorder::Recorder;
use crate::stamp::Stamp;
use model::{Nanos, Op};
use std::sync::atomic::Ordering::Relaxed;
use sys::clock::Clock;

/// Duration of one wait for room in the log, in nanoseconds. There are at most `MOST_WAITS` waits for each full log,
/// and only in loads that are served from memory.
const WAIT_FOR_LOG: u64 = 100_000;
const MOST_WAITS: u32 = 20_000;

impl<K: Clock, S: Stamp, const PARTS: bool, const EVERY: bool, const RANKED: bool> Worker<K, S, PARTS, EVERY, RANKED> {
    /// Returns the time at which the worker stops. During verification, only the end of the run stops the worker.
    fn stop_at(&self) -> u64 {
        match (self.checking, self.shared.quit.load(Relaxed)) {
            (false, _) => self.shared.stop_at.load(Relaxed),
            (true, true) => 0,
            (true, false) => u64::MAX,
        }
    }

    /// Returns the end of the current window: its grid edge, or the stop time if that is earlier.
    pub(super) fn next_edge(&self, grid: u64) -> u64 {
        // If the stop time is in the past, the window that has just begun ends immediately.
        grid.min(self.stop_at()).max(self.recorder.start)
    }

    /// Ends the window whose edge has passed, and starts the one that contains `now`. Everything recorded so far
    /// completed before the edge, so a stall that lasts beyond the next edge results in a separate window without
    /// completions.
    #[cold]
    pub(super) fn roll(&mut self, now: u64) {
        let (start, window, edge) = (self.timeline.start, self.timeline.window, self.edge);
        let number = |at: u64| (at - start) / window;
        self.close(edge);
        let stop_at = self.stop_at();
        let mut over = now >= stop_at;
        if over && self.checks && !self.checking && !self.shared.quit.load(Relaxed) {
            // Nothing more is written. Written data is read back, in windows as before.
            self.stopped = true;
            self.checking = true;
            over = false;
        }
        let next = if over { stop_at.max(edge) } else { (start + number(now) * window).max(edge) };
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

    /// Completes the counts of the current window, which ends at `end`.
    pub(super) fn close(&mut self, end: u64) {
        self.account(end);
        let cpu = sys::threads::thread_cpu_time();
        self.recorder.cpu_user += cpu.user_ns - self.cpu.user_ns;
        self.recorder.cpu_system += cpu.system_ns - self.cpu.system_ns;
        self.cpu = cpu;
        self.recorder.end = end;
        self.end.late_max = self.end.late_max.max(Nanos(self.recorder.late_max));
    }

    /// Sends the current recorder to the collector and takes an empty one. Returns `false` if there is no empty one
    /// because the collector is late. The worker then continues with the current recorder, whose longer window is
    /// visible in its times.
    fn swap(&mut self, number: u64, start: u64) -> bool {
        let Ok(mut empty) = self.exchange.empty.pop() else { return false };
        std::mem::swap(&mut self.recorder, &mut empty);
        self.count_off(&empty);
        // The ring has room for all recorders, so this does not fail.
        let _ = self.exchange.full.push(empty);
        self.recorder.window = number;
        self.recorder.start = start;
        self.recorder.end = start;
        true
    }

    /// Sends a recorder with a full log to the collector. The window continues in another recorder.
    #[cold]
    pub(super) fn spill(&mut self, now: u64) {
        if self.log_waits {
            // Waiting for the log slows the load down, as in fio.
            for _ in 0..MOST_WAITS {
                if !self.exchange.empty.is_empty() {
                    break;
                }
                self.clock.sleep(WAIT_FOR_LOG);
            }
        }
        if self.exchange.empty.is_empty() {
            return;
        }
        let number = self.recorder.window;
        let now = now.max(self.recorder.start);
        self.close(now);
        self.swap(number, now);
    }

    pub(super) fn count_off(&mut self, recorder: &Recorder) {
        let (read, write) = (recorder.tally(Op::Read), recorder.tally(Op::Write));
        self.end.completed += recorder.ops();
        self.end.read_ops += read.0;
        self.end.read_bytes += read.1;
        self.end.write_ops += write.0;
        self.end.write_bytes += write.1;
        self.end.unlogged += recorder.dropped();
        self.budget.booked += recorder.bytes();
        if let Some(reason) = self.watch.observe(recorder)
            && self.end.broken.is_none()
        {
            self.end.broken = Some(reason);
            self.end.first_error = TOO_LATE;
            self.shared.stop_at.store(0, Relaxed);
            self.shared.quit.store(true, Relaxed);
        }
    }

    /// Publishes the age of the oldest operation in flight.
    pub(super) fn look_at_oldest(&mut self) {
        let oldest = self.slots.iter().filter(|s| s.busy).map(|s| s.issued).min().unwrap_or(0);
        self.pulse.oldest.store(oldest, Relaxed);
    }

    /// Stops sending at `at`. Operations that complete later belong to the drain.
    pub(super) fn stop(&mut self, at: u64) {
        if self.draining {
            return;
        }
        let at = at.max(self.recorder.start);
        self.close(at);
        self.enter_drain(at);
    }

    /// Stops sending at `at`, but does not stop the verification of written data.
    pub(super) fn halt(&mut self, at: u64) {
        if self.checks && !self.draining {
            self.stopped = true;
            self.checking = true;
        } else {
            self.stop(at);
        }
    }

    fn enter_drain(&mut self, at: u64) {
        self.stopped = true;
        self.draining = true;
        self.edge = u64::MAX;
        // The last window must reach the collector. Waiting for an empty recorder is harmless, because the measurement
        // is over.
        while self.exchange.empty.is_empty() && !self.exchange.empty.is_abandoned() {
            std::thread::yield_now();
        }
        self.swap(u64::MAX, at);
    }
}
