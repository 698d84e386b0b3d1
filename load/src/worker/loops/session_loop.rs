//! The loop of a database session: a batch, a pause, a batch. Subscripts and values are made before the time is taken;
//! operations are booked when their batch has ended, with the latencies the session took.

use crate::session::{BatchKind, BatchResult, KeyGenerator, Session};
use crate::worker::{Stamp, Worker, sleep_or_spin};
use model::{Nanos, Op};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use sys::Clock;

/// A sleeping thread looks so often whether it is to stop, in nanoseconds.
const NAP: u64 = Nanos::from_millis(50).as_nanos();

/// A session and what it is given.
pub struct SessionLoop {
    /// The session.
    pub session: Box<dyn Session>,
    /// Its batches.
    pub drawer: KeyGenerator,
    /// What it tells.
    pub result: BatchResult,
    /// Set while the engine writes back behind it.
    pub writing_back: Arc<AtomicBool>,
}

impl<K: Clock, S: Stamp, const PARTS: bool, const EVERY: bool, const RANKED: bool> Worker<K, S, PARTS, EVERY, RANKED> {
    pub(in crate::worker) fn session_loop(&mut self, sitting: &mut SessionLoop) -> io::Result<()> {
        while !self.stopped {
            let now = self.clock.now();
            if now >= self.edge {
                self.roll(now);
            }
            // Also one whose time came while it slept: a batch begun now would end after it.
            if self.stopped || now >= self.shared.stop_at.load(Relaxed) || (self.left == 0 && !self.replenish()) {
                break;
            }
            self.batch_of(sitting)?;
            let pause = sitting.drawer.pause();
            if pause > 0 {
                self.hang(pause);
            }
        }
        Ok(())
    }

    fn batch_of(&mut self, sitting: &mut SessionLoop) -> io::Result<()> {
        let batch = sitting.drawer.draw(self.left);
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
        self.book_batch(kind, sitting, now - issued);
        self.pulse.returned.store(self.end.submitted, Relaxed);
        Ok(())
    }

    fn book_batch(&mut self, kind: BatchKind, sitting: &SessionLoop, took: u64) {
        let result = &sitting.result;
        let op = if kind == BatchKind::Update { Op::Write } else { Op::Read };
        let n = (result.each.len() as u64).max(1);
        let mut bytes = result.bytes;
        for (i, latency) in result.each.iter().enumerate() {
            // Bytes are known of the batch; the parts add up to it.
            let part = bytes / (n - i as u64);
            bytes -= part;
            self.recorder.done(op, part as u32, *latency);
        }
        for latency in &result.commits {
            self.recorder.done(Op::Flush, 0, *latency);
        }
        self.end.submitted += result.commits.len() as u64;
        if result.missing > 0 {
            self.missed(op, result.missing);
        }
        if kind == BatchKind::Update {
            let whole = if result.whole == 0 { took } else { result.whole };
            self.recorder.transacted(sitting.writing_back.load(Relaxed), whole);
        }
    }

    /// Records that were not there: an error of each, never an operation (ENOENT).
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

    /// Pauses, handing over windows that end meanwhile.
    fn hang(&mut self, ns: u64) {
        let until = self.clock.now().saturating_add(ns);
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

/// Errno of a record that was not there.
const NO_RECORD: i32 = 2;
