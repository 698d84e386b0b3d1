//! Levels of concurrency: operations in flight, divided into queue depth and threads.

use model::{Job, Stage};

/// Level of concurrency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level {
    /// Queue depth of each thread.
    pub queue_depth: u32,
    /// Number of threads.
    pub threads: u32,
}

impl Level {
    /// Returns the level with the job's own queue depth and threads.
    #[must_use]
    pub fn alone(job: &Job) -> Self {
        Level { queue_depth: job.queue_depth, threads: job.threads }
    }

    /// Returns the number of operations in flight over all threads.
    #[must_use]
    pub fn concurrency(&self) -> u32 {
        self.queue_depth * self.threads
    }

    /// Returns a level whose concurrency is `times` as high, but at most `deepest`.
    #[must_use]
    pub fn deeper(&self, times: u32, deepest: u32, engine: &str) -> Self {
        let wanted = (self.concurrency() * times).min(deepest.max(1));
        if blocking(engine) {
            return Level { queue_depth: 1, threads: wanted };
        }
        Level { queue_depth: (wanted / self.threads).max(1), threads: self.threads }
    }
}

fn blocking(engine: &str) -> bool {
    load::engines::find(engine).is_ok_and(|e| e.spec.is_blocking())
}

/// CPU share of a thread above which the next level uses twice as many threads.
const BUSY: f64 = 0.7;

/// Division of concurrency into queue depth and threads. One thread can keep a queue full as long as it has CPU time to
/// spare. When it has none left, the number of threads is doubled, up to the limit of the stage.
#[derive(Debug, Clone)]
pub struct Split {
    blocking: bool,
    threads: u32,
    max_threads: u32,
}

impl Split {
    /// Creates the division for the levels of one ramp.
    #[must_use]
    pub fn new(engine: &str, stage: &Stage) -> Self {
        Split { blocking: blocking(engine), threads: 1, max_threads: stage.max_threads.max(1) }
    }

    /// Returns the level with this concurrency; `None` for zero. A concurrency that is not divisible by the threads is
    /// rounded up, never down.
    #[must_use]
    pub fn level(&self, concurrency: u32) -> Option<Level> {
        if concurrency == 0 {
            return None;
        }
        if self.blocking {
            return Some(Level { queue_depth: 1, threads: concurrency });
        }
        let threads = self.threads.min(concurrency);
        Some(Level { queue_depth: concurrency.div_ceil(threads), threads })
    }

    /// Updates the number of threads from the CPU share of the busiest thread of a level.
    pub fn learn(&mut self, busiest: f64) {
        if !self.blocking && busiest > BUSY && self.threads < self.max_threads {
            self.threads = (self.threads * 2).min(self.max_threads);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(engine: &str, max_threads: u32) -> Split {
        Split { blocking: blocking(engine), threads: 1, max_threads }
    }

    #[test]
    fn a_busy_thread_gets_company_up_to_the_limit() {
        let mut s = split("io_uring", 2);
        assert_eq!(s.level(8).map(|l| (l.queue_depth, l.threads)), Some((8, 1)));
        s.learn(0.3);
        assert_eq!(s.level(16).map(|l| (l.queue_depth, l.threads)), Some((16, 1)));
        s.learn(0.9);
        assert_eq!(s.level(32).map(|l| (l.queue_depth, l.threads)), Some((16, 2)));
        s.learn(0.95);
        assert_eq!(s.level(64).map(|l| (l.queue_depth, l.threads)), Some((32, 2)));
    }

    #[test]
    fn a_blocking_engine_has_threads_only() {
        let s = split("psync", 2);
        assert_eq!(s.level(16).map(|l| (l.queue_depth, l.threads)), Some((1, 16)));
        assert_eq!(s.level(0), None);
    }

    #[test]
    fn deeper_is_bounded() {
        let l = Level { queue_depth: 8, threads: 2 };
        assert_eq!(l.deeper(2, 64, "io_uring").concurrency(), 32);
        assert_eq!(l.deeper(2, 20, "io_uring").concurrency(), 20);
        assert_eq!(l.deeper(2, 64, "psync").threads, 32);
    }
}
