//! Closed loop with one operation in flight and no buffers to prepare. One timestamp marks both the end of an operation
//! and the start of the next. The work in between (recording one operation and choosing the next) takes 5 to 10 ns and
//! counts as latency; a second timestamp would take longer than that.

use crate::recorder::Entry;
use crate::stamp::Stamp;
use crate::worker::Worker;
use std::io;
use std::sync::atomic::Ordering::Relaxed;
use sys::clock::Clock;

impl<K: Clock, S: Stamp, const PARTS: bool, const EVERY: bool, const RANKED: bool> Worker<K, S, PARTS, EVERY, RANKED> {
    pub(in crate::worker) fn single_loop(&mut self) -> io::Result<()> {
        let mut issued = self.clock.now();
        self.account(issued);
        while !self.stopped {
            if self.left == 0 && !self.replenish() {
                break;
            }
            self.left -= 1;
            let place = self.pattern.next_io();
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
                    // Changing windows takes microseconds, which must not count as latency of the next operation.
                    issued_next = self.clock.now();
                }
                self.account(now);
                if result == rest.len as i32 {
                    self.recorder.done(place.op, place.len, now.saturating_sub(issued));
                    if EVERY {
                        let latency = now.saturating_sub(issued);
                        self.keep(Entry { time: now, submission: 0, latency, ..Entry::new(&request, place.len) });
                    }
                    break;
                }
                if result <= 0 || result as u32 > rest.len {
                    self.fail(&request, place.len, result, now, now.saturating_sub(issued));
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
}
