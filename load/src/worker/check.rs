//! Reading back and checking written data. First, the load writes the data of the whole job, of a pass or of one
//! backlog. Then it reads each written range once, at the same queue depth. A block with wrong data is an error and
//! does not count as an operation.

use super::{IssueMode, Worker};
use crate::engine::{Request, Wait};
use crate::pattern::NextIo;
use crate::stamp::Stamp;
use model::{Op, plan::FlushKind};
use std::io;
use std::sync::atomic::Ordering::Relaxed;
use sys::clock::Clock;

impl<K: Clock, S: Stamp, const PARTS: bool, const EVERY: bool, const RANKED: bool> Worker<K, S, PARTS, EVERY, RANKED> {
    pub(super) fn load_and_check(&mut self, mode: &mut IssueMode) -> io::Result<()> {
        if self.stamp.checker().is_some_and(|c| c.writes_nothing()) {
            self.recall()?;
            return self.check(true);
        }
        loop {
            self.load(mode)?;
            self.quiesce(&mut |_, _, _| ())?;
            if self.draining || self.shared.abandon.load(Relaxed) {
                return Ok(());
            }
            let last = self.stopped || self.is_all_sent();
            let pass = self.is_pass_over();
            self.check(last || pass)?;
            if last || self.draining {
                return Ok(());
            }
            if pass {
                self.next_pass();
            }
        }
    }

    /// Runs passes, and drops cached data between them. In fio, reopening the files for each pass has the same effect.
    pub(super) fn load_in_passes(&mut self, mode: &mut IssueMode) -> io::Result<()> {
        loop {
            self.load(mode)?;
            self.quiesce(&mut |_, _, _| ())?;
            let over = self.stopped || self.draining || self.is_all_sent();
            if over || self.shared.abandon.load(Relaxed) {
                return Ok(());
            }
            self.drop_cached();
            self.next_pass();
        }
    }

    /// Drops cached pages of the files from the page cache; dirty pages stay.
    fn drop_cached(&self) {
        for file in &self.files {
            // This is only advice: the kernel may keep pages.
            let _ = sys::storage::drop_cache(file, 0..i64::MAX as u64);
        }
    }

    /// Logs the operations that an earlier run of the same job made, without writing.
    fn recall(&mut self) -> io::Result<()> {
        if !self.budget_is_bounded() {
            return Err(io::Error::other("data of an earlier run can be verified only if the job has a size"));
        }
        let mut bytes = 0;
        let mut ops = 0;
        while ops < self.timeline.max_ops && bytes < self.timeline.max_bytes {
            let place = self.pattern.next_io();
            ops += 1;
            bytes += u64::from(place.len);
            let checker = self.stamp.checker().expect("as above");
            match place.op {
                Op::Write => checker.recall(&place),
                Op::Trim => checker.unknown(place.at, place.len, place.file),
                Op::Read | Op::Flush => {}
            }
        }
        Ok(())
    }

    fn budget_is_bounded(&self) -> bool {
        self.timeline.max_ops != u64::MAX || self.timeline.max_bytes != u64::MAX
    }

    /// Reads back all written data, or a batch of the backlog.
    fn check(&mut self, everything: bool) -> io::Result<()> {
        self.make_durable()?;
        self.drop_cached();
        self.stamp.checker().expect("only called for jobs that verify").begin_check(everything);
        let (was_stopped, was_checking) = (self.stopped, self.checking);
        self.stopped = false;
        self.checking = true;
        let outcome = self.check_loop();
        self.stamp.checker().expect("as above").end_check();
        // Between two checks the stop time applies again; it is evaluated at the end of the next window.
        self.checking = was_checking || self.draining;
        self.stopped = was_stopped || self.draining;
        outcome
    }

    fn check_loop(&mut self) -> io::Result<()> {
        while !self.stopped {
            while let Some(slot) = self.free.last().copied() {
                let Some(place) = self.stamp.checker().and_then(|c| c.next_io(slot)) else { break };
                self.budget.checked += u64::from(place.len);
                self.take(place);
            }
            if self.batch.is_empty() && self.in_flight == 0 {
                break;
            }
            let issued = self.clock.now();
            for request in &self.batch {
                self.slots[request.slot as usize].issued = issued;
            }
            self.hand_over(issued)?;
            self.engine.reap(1, Wait::AtMost(20_000_000), &mut self.done)?;
            let now = self.clock.now();
            if now >= self.edge {
                self.roll(now);
            }
            self.settle(now, |_, _, _| ())?;
            if self.shared.abandon.load(Relaxed) {
                break;
            }
        }
        Ok(())
    }

    /// Flushes the files without counting the flush as part of the load, so that the data read back comes from the
    /// device.
    fn make_durable(&mut self) -> io::Result<()> {
        for file in 0..self.files.len().max(1) as u16 {
            let place = NextIo { at: 0, len: 0, op: Op::Flush, flush: FlushKind::Full, file };
            let slot = *self.free.last().expect("nothing is in flight");
            if self.engine.submit(&[place.request(slot)])? != 1 {
                return Err(io::Error::other("the engine has no free slot for a flush"));
            }
            while self.done.is_empty() {
                self.engine.reap(1, Wait::Forever, &mut self.done)?;
            }
            let result = self.done.pop().expect("just looked").result;
            if result < 0 {
                let error = io::Error::from_raw_os_error(-result);
                return Err(io::Error::other(format!("the flush before verification failed: {error}")));
            }
        }
        Ok(())
    }

    /// Returns `true` if the data read is correct, or if no particular data is expected.
    #[cold]
    pub(super) fn is_right(&mut self, slot: u32) -> bool {
        let state = &self.slots[slot as usize];
        let at = state.request.at - u64::from(state.request.skip);
        let (file, len) = (state.request.file, state.len as usize);
        let Some(checker) = self.stamp.checker() else { return true };
        checker.judge(slot, &mut self.engine.buffer(slot)[..len], at, file)
    }

    /// Marks the contents of this request's range as unknown.
    #[cold]
    pub(super) fn forget(&mut self, request: &Request, len: u32) {
        let at = request.at - u64::from(request.skip);
        if let Some(checker) = self.stamp.checker() {
            checker.unknown(at, len, request.file);
        }
    }
}
