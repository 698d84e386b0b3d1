//! Loop with open pacing: operations arrive at their due times. Operations that exceed the queue depth wait here and
//! keep their due times.

use crate::pacer::Arrivals;
use crate::stamp::Stamp;
use crate::worker::Worker;
use std::io;
use sys::clock::Clock;

impl<K: Clock, S: Stamp, const PARTS: bool, const EVERY: bool, const RANKED: bool> Worker<K, S, PARTS, EVERY, RANKED> {
    pub(in crate::worker) fn open_loop(&mut self, arrivals: &mut Arrivals) -> io::Result<()> {
        let start = self.timeline.start;
        // With an extremely low rate the due time saturates at the maximum instead of overflowing.
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
                self.issue(now)?;
            }
            if self.left == 0 && !self.replenish() && self.in_flight == 0 {
                break;
            }
            let next = if self.left > 0 { due } else { u64::MAX };
            self.fetch_until(next, now)?;
            let now = self.clock.now();
            if now >= self.edge {
                self.roll(now);
            }
            self.settle(now, |recorder, slot, now| recorder.responded(slot.request.op, now.saturating_sub(slot.due)))?;
        }
        Ok(())
    }
}
