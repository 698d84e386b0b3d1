//! Session loop for databases, which alternates between batches and pauses. Subscripts and values are generated before
//! the first timestamp. Operations are recorded when their batch has completed, with the latencies measured by the
//! session.

use crate::pacer::Arrivals;
use crate::session::{BatchKind, BatchResult, KeyGenerator, Session};
use crate::stamp::Stamp;
use crate::worker::{Worker, sleep_or_spin};
use model::{Nanos, Op};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use sys::clock::Clock;

/// Interval at which a sleeping thread checks whether it should stop, in nanoseconds.
const NAP: u64 = Nanos::from_millis(50).as_nanos();

/// State of a session loop.
pub struct SessionLoop {
    /// Session that performs the batches.
    pub session: Box<dyn Session>,
    /// Generator of the session's batches.
    pub drawer: KeyGenerator,
    /// Results of the last batch.
    pub result: BatchResult,
    /// True while the engine writes back concurrently with the session.
    pub writing_back: Arc<AtomicBool>,
    /// Due times of the batches; `None` = each batch begins when the previous one has ended.
    pub arrivals: Option<Arrivals>,
}

impl<K: Clock, S: Stamp, const PARTS: bool, const EVERY: bool, const RANKED: bool> Worker<K, S, PARTS, EVERY, RANKED> {
    pub(in crate::worker) fn session_loop(&mut self, sitting: &mut SessionLoop) -> io::Result<()> {
        while !self.stopped {
            let now = self.clock.now();
            if now >= self.edge {
                self.roll(now);
            }
            // Also checked after a sleep: a batch that starts after the stop time would exceed the limit.
            if self.stopped || now >= self.shared.stop_at.load(Relaxed) || (self.left == 0 && !self.replenish()) {
                break;
            }
            if !self.batch_of(sitting)? {
                break;
            }
            let pause = sitting.drawer.pause();
            if pause > 0 {
                self.hang(pause);
            }
        }
        Ok(())
    }

    /// Performs one batch. Returns `false` if the load ended before the batch was due.
    fn batch_of(&mut self, sitting: &mut SessionLoop) -> io::Result<bool> {
        // The batch is generated before it is due, so that the generation time is not part of any latency.
        let batch = sitting.drawer.draw(self.left);
        let due = sitting.arrivals.as_ref().map(|a| self.timeline.start.saturating_add(a.due()));
        if let Some(due) = due {
            self.rest_until(due);
            if self.stopped || self.clock.now() >= self.shared.stop_at.load(Relaxed) {
                return Ok(false);
            }
        }
        let (kind, n) = (batch.kind, batch.keys.len() as u64);
        self.left -= n;
        sitting.result.clear();
        self.end.submitted += n;
        let issued = self.clock.now();
        self.pulse.entered.store(issued, Relaxed);
        self.pulse.submitted.store(self.end.submitted, Relaxed);
        let outcome = sitting.session.perform(&batch, &mut sitting.result);
        let now = self.clock.now();
        self.account_alone(issued, now);
        outcome?;
        let lag = due.map(|due| issued.saturating_sub(due));
        self.book_batch(kind, sitting, now - issued, lag);
        self.pulse.returned.store(self.end.submitted, Relaxed);
        if let Some(arrivals) = &mut sitting.arrivals {
            arrivals.advance();
        }
        Ok(true)
    }

    fn book_batch(&mut self, kind: BatchKind, sitting: &SessionLoop, took: u64, lag: Option<u64>) {
        let result = &sitting.result;
        let op = if kind == BatchKind::Update { Op::Write } else { Op::Read };
        let n = (result.each.len() as u64).max(1);
        let mut bytes = result.bytes;
        for (i, latency) in result.each.iter().enumerate() {
            // The session reports bytes only per batch; the parts add up to that total.
            let part = bytes / (n - i as u64);
            bytes -= part;
            self.recorder.done(op, part as u32, *latency);
            // A transaction waits as a whole, so the delay is not added to each of its operations.
            if let Some(lag) = lag.filter(|_| result.commits.is_empty()) {
                // Every operation had to wait until its batch began.
                self.recorder.responded(op, lag.saturating_add(*latency));
            }
        }
        if let Some(lag) = lag {
            self.recorder.lagged(lag);
        }
        // Read once, so that a transaction and its commit are in the same class.
        let inside = sitting.writing_back.load(Relaxed);
        for latency in &result.commits {
            self.recorder.done(Op::Flush, 0, *latency);
            self.recorder.committed(inside, *latency);
        }
        self.end.submitted += result.commits.len() as u64;
        if result.missing > 0 {
            self.missed(op, result.missing);
        }
        if kind == BatchKind::Update {
            let whole = if result.whole == 0 { took } else { result.whole };
            let waited = whole.saturating_add(lag.unwrap_or(0));
            self.recorder.transacted(inside, waited);
        }
    }

    /// Counts missing records. Each is an error (ENOENT) and does not count as an operation.
    #[cold]
    fn missed(&mut self, op: Op, n: u64) {
        for _ in 0..n {
            self.recorder.failed(op, NO_RECORD, 0);
        }
        self.end.failed += n;
        if self.end.first_error == 0 {
            self.end.first_error = NO_RECORD;
        }
        self.end.ended_by_error = true;
        self.shared.errors.fetch_add(n, Relaxed);
        self.shared.stop_at.fetch_min(self.clock.now(), Relaxed);
    }

    /// Waits for `ns` nanoseconds. Sends windows that end in the meantime to the collector.
    fn hang(&mut self, ns: u64) {
        self.rest_until(self.clock.now().saturating_add(ns));
    }

    fn rest_until(&mut self, until: u64) {
        loop {
            let now = self.clock.now();
            if now >= self.edge {
                self.roll(now);
            }
            if self.stopped || now >= until || now >= self.shared.stop_at.load(Relaxed) {
                return;
            }
            sleep_or_spin(&self.clock, (until - now).min(NAP));
        }
    }
}

/// Errno of a missing record.
const NO_RECORD: i32 = 2;
