//! Loop with closed pacing: each completed operation is replaced immediately.

use crate::engine::Wait;
use crate::stamp::Stamp;
use crate::worker::Worker;
use std::io;
use sys::clock::Clock;

impl<K: Clock, S: Stamp, const PARTS: bool, const EVERY: bool, const RANKED: bool> Worker<K, S, PARTS, EVERY, RANKED> {
    pub(in crate::worker) fn closed_loop(&mut self) -> io::Result<()> {
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
            if self.left == 0 && !self.replenish() && self.in_flight == 0 {
                break;
            }
            if self.in_flight == 0 {
                continue;
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
}
