//! Scheduling of tests: decides which tests may run at the same time. Each test waits for a turn, and holds the turn
//! while it runs.
//!
//! If `SECCHI_TURNS` names a file, each turn appends a line to that file: the turn's duration in seconds, its kind, and
//! its test. If `SECCHI_BESIDE_TESTS` names a process group, such as a build, that group is stopped while a test runs
//! alone.

use super::machine::note;
use super::system::hold_group;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Kind of test, according to its use of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// Test that runs as fast as it can, and whose figures do not matter.
    Beside,
    /// Test that mostly waits for a limit, a pace or a clock, and whose figures matter.
    Paced,
    /// Test that runs as fast as it can, and whose figures matter.
    Alone,
}

/// Numbers of running and of waiting tests, by kind.
#[derive(Debug, Default)]
struct Turns {
    running: [usize; 3],
    waiting: [usize; 3],
    /// True while the machine is reserved for tests whose figures matter. It stays reserved until no such test is
    /// waiting.
    measuring: bool,
}

static TURNS: Mutex<Turns> = Mutex::new(Turns { running: [0; 3], waiting: [0; 3], measuring: false });
static CHANGED: Condvar = Condvar::new();

/// Maximum number of paced tests that run at the same time. Each of them uses only part of a processor.
const PACED: usize = 2;

impl Turns {
    /// Returns `true` if a test of this kind may start now, in a test program with this many threads.
    ///
    /// Tests whose figures matter are held back until they occupy nearly all threads. Then they run one at a time, or
    /// in pairs if they are paced. Processors are then idle for less time than if all other tests had to end before
    /// each test whose figures matter.
    fn admits(&mut self, kind: Use, threads: usize, processors: usize) -> bool {
        let [beside, paced, alone] = self.running;
        let held = self.waiting[Use::Paced as usize] + self.waiting[Use::Alone as usize];
        // The limit exceeds the number of processors because tests mostly wait for a disk, a pause or a process.
        let at_once = 3 * processors;
        if held == 0 && paced + alone == 0 {
            self.measuring = false;
        } else if held > threads.saturating_sub(at_once) || beside + self.waiting[Use::Beside as usize] == 0 {
            self.measuring = true;
        }
        match kind {
            Use::Beside => !self.measuring && paced + alone == 0 && beside < at_once,
            Use::Paced => self.measuring && beside + alone == 0 && paced < PACED,
            Use::Alone => self.measuring && beside + paced + alone == 0 && self.waiting[Use::Paced as usize] == 0,
        }
    }
}

/// Stops the process group that runs alongside the tests, or resumes it.
fn hold_others(held: bool) {
    let named = std::env::var("SECCHI_BESIDE_TESTS").ok().and_then(|group| group.parse().ok());
    if let Some(group) = named {
        hold_group(group, held);
    }
}

fn turns() -> MutexGuard<'static, Turns> {
    TURNS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Permission to use the machine. The permission ends when this value is dropped.
#[derive(Debug)]
pub struct Turn {
    kind: Use,
    since: Instant,
}

impl Turn {
    fn wait(kind: Use) -> Turn {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let asked = std::env::var("RUST_TEST_THREADS").ok().and_then(|n| n.parse().ok());
        let threads = asked.unwrap_or(processors);
        let mut turns = turns();
        turns.waiting[kind as usize] += 1;
        // Other tests may be able to start now that one more test is waiting.
        CHANGED.notify_all();
        while !turns.admits(kind, threads, processors) {
            turns = CHANGED.wait(turns).unwrap_or_else(PoisonError::into_inner);
        }
        turns.waiting[kind as usize] -= 1;
        turns.running[kind as usize] += 1;
        if kind == Use::Alone {
            hold_others(true);
        }
        CHANGED.notify_all();
        Turn { kind, since: Instant::now() }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut turns = turns();
        turns.running[self.kind as usize] -= 1;
        if self.kind == Use::Alone {
            hold_others(false);
        }
        drop(turns);
        CHANGED.notify_all();
        let test = std::thread::current().name().unwrap_or("a test").to_owned();
        note(
            "SECCHI_TURNS",
            &format!("{:6.1} {:<6} {test}", self.since.elapsed().as_secs_f64(), format!("{:?}", self.kind)),
        );
    }
}

/// Waits for a turn during which other tests may run.
pub fn beside() -> Turn {
    Turn::wait(Use::Beside)
}

/// Waits for a turn during which only other paced tests may run. Use it if the figures matter and are determined by a
/// limit or a pace.
pub fn paced() -> Turn {
    Turn::wait(Use::Paced)
}

/// Waits for a turn during which no other test runs. Use it if the figures matter.
pub fn alone() -> Turn {
    Turn::wait(Use::Alone)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns `true` if a test of this kind may start, in a program with twelve threads on two processors.
    fn admits(kind: Use, running: [usize; 3], waiting: [usize; 3], measuring: bool) -> bool {
        Turns { running, waiting, measuring }.admits(kind, 12, 2)
    }

    #[test]
    fn nobody_runs_beside_one_that_is_alone_and_only_paced_ones_beside_paced_ones() {
        for measuring in [false, true] {
            for kind in [Use::Beside, Use::Paced, Use::Alone] {
                assert!(!admits(kind, [0, 0, 1], [1, 1, 1], measuring));
                assert!(!admits(kind, [0, PACED, 0], [1, 1, 1], measuring));
                assert_eq!(admits(kind, [0, 1, 0], [1, 1, 1], true), kind == Use::Paced);
                assert_eq!(admits(kind, [1, 0, 0], [1, 1, 1], measuring), kind == Use::Beside && !measuring);
            }
        }
    }

    #[test]
    fn figures_wait_until_they_hold_the_threads_or_nobody_else_is_left() {
        assert!(admits(Use::Beside, [3, 0, 0], [1, 2, 2], false), "eight threads are left");
        assert!(!admits(Use::Beside, [6, 0, 0], [1, 2, 2], false), "six run at a time");
        assert!(!admits(Use::Beside, [1, 0, 0], [1, 4, 3], false), "five are left: their turn");
        assert!(admits(Use::Paced, [0, 0, 0], [1, 4, 3], false) && !admits(Use::Alone, [0, 0, 0], [1, 4, 3], false));
        assert!(admits(Use::Alone, [0, 0, 0], [1, 0, 2], true) && !admits(Use::Beside, [0, 0, 0], [1, 0, 2], true));
        assert!(admits(Use::Beside, [0, 0, 0], [1, 0, 0], true), "none waits any more");
        assert!(admits(Use::Alone, [0, 0, 0], [0, 0, 1], false), "nobody else is left");
    }
}
