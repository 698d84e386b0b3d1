//! Fault injection around any engine, controlled by a seed: errors, short operations, delayed completions and hangs.
//!
//! The fault of an operation is drawn when the inner engine completes the operation. The data has been transferred by
//! then, as on a device that reports a false result.

use super::delegate;
use crate::engine::{Completion, Engine, Request, Wait};
use crate::random::Random;
use model::plan::FaultPlan;
use std::io;

/// Engine wrapper that injects faults. The clock is a parameter, so that tests can use a simulated one.
pub struct Faulty<F> {
    inner: Box<dyn Engine>,
    plan: FaultPlan,
    random: Random,
    now: F,
    scratch: Vec<Completion>,
    held: Vec<(u64, Completion)>,
    completed: u64,
    silent: usize,
    in_flight: usize,
}

impl<F: Fn() -> u64> Faulty<F> {
    /// Wraps `inner`, whose queue depth is `depth`. `now` returns nanoseconds.
    pub fn new(inner: Box<dyn Engine>, depth: u32, plan: FaultPlan, seed: u64, now: F) -> Self {
        let depth = depth.max(1) as usize;
        Faulty {
            inner,
            plan,
            random: Random::new(seed ^ 0xFA17),
            now,
            scratch: Vec::with_capacity(depth),
            held: Vec::with_capacity(depth),
            completed: 0,
            silent: 0,
            in_flight: 0,
        }
    }

    fn chance(&mut self, rate: f64) -> bool {
        rate > 0.0 && self.random.unit() < rate
    }

    /// Passes a completion on, changes it, delays it or drops it.
    fn spoil(&mut self, mut completion: Completion, done: &mut Vec<Completion>) {
        self.completed += 1;
        if self.plan.hang_after.is_some_and(|n| self.completed > n) {
            self.silent += 1;
            return;
        }
        if completion.result >= 0 {
            if self.chance(self.plan.error_rate) {
                completion.result = -self.plan.errno;
            } else if completion.result > 512 && self.chance(self.plan.short_rate) {
                // Round down to whole sectors, so that direct I/O can request the rest.
                let sectors = completion.result as u64 / 512;
                completion.result = (512 * (1 + self.random.below(sectors - 1))) as i32;
            }
        }
        if self.chance(self.plan.delay_rate) {
            self.held.push(((self.now)() + self.plan.delay.as_nanos(), completion));
        } else {
            self.in_flight -= 1;
            done.push(completion);
        }
    }

    fn release(&mut self, done: &mut Vec<Completion>) {
        let now = (self.now)();
        let before = done.len();
        self.held.retain(|(due, completion)| {
            if *due <= now {
                done.push(*completion);
            }
            *due > now
        });
        self.in_flight -= done.len() - before;
    }
}

impl<F: Fn() -> u64> Engine for Faulty<F> {
    fn submit(&mut self, requests: &[Request]) -> io::Result<usize> {
        let n = self.inner.submit(requests)?;
        self.in_flight += n;
        Ok(n)
    }

    fn reap(&mut self, at_least: usize, wait: Wait, done: &mut Vec<Completion>) -> io::Result<()> {
        let start = (self.now)();
        let before = done.len();
        loop {
            self.release(done);
            let below = self.in_flight - self.held.len() - self.silent;
            let missing = at_least.saturating_sub(done.len() - before);
            let left = match wait {
                Wait::Forever => u64::MAX,
                Wait::AtMost(ns) => ns.saturating_sub((self.now)() - start),
            };
            if below > 0 {
                // While a completion is delayed here, the inner engine must not sleep past that completion's due time.
                let sleep = if self.held.is_empty() && missing > 0 { left } else { left.min(100_000) };
                let wait = if sleep == u64::MAX { Wait::Forever } else { Wait::AtMost(sleep) };
                let mut scratch = std::mem::take(&mut self.scratch);
                self.inner.reap(missing.min(1), wait, &mut scratch)?;
                for completion in scratch.drain(..) {
                    self.spoil(completion, done);
                }
                self.scratch = scratch;
            }
            let nothing_left = self.in_flight == 0;
            if done.len() - before >= at_least || nothing_left || left == 0 {
                return Ok(());
            }
            if below == 0 {
                // Only delayed or dropped operations remain: sleep, as if waiting for a device.
                std::thread::sleep(std::time::Duration::from_micros(200));
            }
        }
    }

    delegate! { flush buffer priority absent_reads }
}
