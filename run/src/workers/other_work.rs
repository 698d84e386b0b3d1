//! Jobs of a job file that do no I/O. Each runs in a thread that burns CPU time or runs a program. It does not affect
//! the workers and uses no engine, pattern or recorder.

use super::load::LoadError;
use super::programs;
use super::thread::{pin_memory, place_thread};
use load::worker::{Pulse, Shared, WorkerEnd};
use messages::sentence;
use model::plan::{Burn, OtherWork, Program};
use model::record::{OtherWorkEnd, ProgramEnd};
use model::{Job, Nanos, clip};
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc;
use sys::clock::{Clock, RunClock};
use sys::process::ProgramGroup;

/// Maximum duration of one sleep, in nanoseconds, and so the maximum delay of a stop.
const NAP: u64 = Nanos::from_millis(20).as_nanos();
/// Duration of a check of a program, and of the pause after it, in nanoseconds; the same as in fio.
const LOOK: u64 = Nanos::from_millis(50).as_nanos();

/// Thread of a job without I/O.
pub(crate) struct OtherWorkThread {
    pub clock: RunClock,
    pub job: Job,
    pub shared: Arc<Shared>,
    pub pulse: Arc<Pulse>,
    pub ready: mpsc::Sender<Result<Vec<String>, LoadError>>,
    pub start: mpsc::Receiver<u64>,
}

impl OtherWorkThread {
    pub fn work(self) -> WorkerEnd {
        self.pulse.thread.store(sys::threads::thread_number(), Relaxed);
        let pinned = place_thread(&self.job).and_then(|()| pin_memory(&self.job));
        let placed = pinned.is_ok();
        // Keep the memory pinned while the job runs.
        let (_pinned, outcome) = match pinned {
            Ok(pinned) => (pinned, Ok(Vec::new())),
            Err(error) => (None, Err(error)),
        };
        let _ = self.ready.send(outcome);
        let OtherWorkThread { clock, job, shared, ready, start, .. } = self;
        drop(ready);
        let Some(work) = job.tuning.work.other().filter(|_| placed) else { return WorkerEnd::default() };
        // If no start time arrives, another job could not be opened, or this one was stopped before it began.
        let Ok(at) = start.recv() else { return WorkerEnd::default() };
        let turn = Turn { clock, shared: &shared, most: job.stop.max_ops.unwrap_or(u64::MAX) };
        turn.rest(at);
        let before = sys::threads::thread_cpu_time();
        let mut end = WorkerEnd::default();
        let mut did = OtherWorkEnd::default();
        match work {
            OtherWork::Burn(burn) => turn.burn(burn, &mut did),
            OtherWork::Program(program) => turn.tend(&job.name, program, &mut did, &mut end),
        }
        end.book_usage(before);
        end.other_work = Some(Box::new(did));
        end
    }
}

/// Limits of the turns, each of which is a period of work and one of rest.
struct Turn<'a> {
    clock: RunClock,
    shared: &'a Shared,
    /// Maximum number of turns.
    most: u64,
}

impl Turn<'_> {
    fn is_over(&self, now: u64) -> bool {
        now >= self.shared.stop_at.load(Relaxed) || self.shared.abandon.load(Relaxed)
    }

    /// Sleeps until the given time. Returns `false` if the job ends before that.
    fn rest(&self, until: u64) -> bool {
        loop {
            let now = self.clock.now();
            if self.is_over(now) {
                return false;
            }
            if now >= until {
                return true;
            }
            self.clock.sleep((until - now).min(NAP));
        }
    }

    /// Alternates between work and rest.
    fn burn(&self, burn: &Burn, did: &mut OtherWorkEnd) {
        let mut numbers = Numbers::new(if burn.sorts { NUMBERS } else { 0 });
        while did.turns.count() < self.most {
            let began = self.clock.now();
            if self.is_over(began) {
                return;
            }
            let mut now = began;
            if burn.sorts {
                numbers.sort();
                now = self.clock.now();
            }
            while !burn.sorts && now < began.saturating_add(burn.chunk.as_nanos()) {
                self.clock.pause();
                now = self.clock.now();
                if self.is_over(now) {
                    // An interrupted turn does not count.
                    return;
                }
            }
            did.turns.record(Nanos(now - began));
            let work = if burn.sorts { Nanos(now - began) } else { burn.chunk };
            if !self.rest(now.saturating_add(burn.rest(work).as_nanos())) {
                return;
            }
        }
    }

    /// Runs a program as long as the job lasts.
    fn tend(&self, job: &str, program: &Program, did: &mut OtherWorkEnd, end: &mut WorkerEnd) {
        let began = self.clock.now();
        if self.most == 0 || self.is_over(began) {
            return;
        }
        let mut running = match programs::start(program) {
            Ok(running) => running,
            Err(e) => {
                let (job, what) = (clip(job), clip(&program.program));
                end.trouble = Some(sentence!("program-cannot-run", job, program = what, why = e.to_string()));
                // The name of a missing program may be rejected without a system call, so there is no errno.
                let unasked = if e.kind() == std::io::ErrorKind::NotFound { sys::errno::ENOENT } else { 0 };
                end.first_error = e.raw_os_error().unwrap_or(unasked);
                return;
            }
        };
        did.turns.record(Nanos(self.clock.now() - began));
        let mut ended = None;
        while did.turns.count() < self.most && self.rest(self.clock.now() + LOOK) {
            let began = self.clock.now();
            ended = ended.or_else(|| running.ended());
            if program.ends_job && ended.is_some() || !self.rest(began + LOOK) {
                break;
            }
            did.turns.record(Nanos(self.clock.now() - began));
        }
        ended = ended.or_else(|| running.ended());
        if ended.is_none() {
            self.stop(&mut running, program, did);
        }
        did.program = Some(ended.map_or(ProgramEnd::Stopped, how));
    }

    /// Lets the program end by itself within its grace period. Dropping `running` afterwards kills it and all its
    /// children.
    fn stop(&self, running: &mut ProgramGroup, program: &Program, did: &mut OtherWorkEnd) {
        let began = self.clock.now();
        running.ask_to_end();
        let until = began.saturating_add(program.grace.as_nanos());
        while running.ended().is_none() && self.clock.now() < until && !self.shared.abandon.load(Relaxed) {
            self.clock.sleep(NAP.min(until - began).min(5_000_000));
        }
        did.turns.record(Nanos(self.clock.now() - began));
    }
}

fn how(status: ExitStatus) -> ProgramEnd {
    match (status.code(), sys::process::exit_signal(&status)) {
        (Some(code), _) => ProgramEnd::Code(code),
        (None, signal) => ProgramEnd::Signal(signal.unwrap_or(0)),
    }
}

/// Number of values that fio sorts: 1 MiB in total.
const NUMBERS: usize = 256 << 10;

/// Numbers that are sorted to burn CPU time.
struct Numbers {
    numbers: Vec<u32>,
    bytes: Vec<u8>,
    z: u32,
    w: u32,
}

impl Numbers {
    fn new(count: usize) -> Numbers {
        // Marsaglia's multiply-with-carry, with fio's initial state.
        Numbers { numbers: vec![0; count], bytes: Vec::with_capacity(count * 4), z: 362_436_069, w: 521_288_629 }
    }

    fn next(&mut self) -> u32 {
        self.z = 36_969_u32.wrapping_mul(self.z & 0xFFFF).wrapping_add(self.z >> 16);
        self.w = 18_000_u32.wrapping_mul(self.w & 0xFFFF).wrapping_add(self.w >> 16);
        (self.z << 16).wrapping_add(self.w)
    }

    /// Sorts as fio does: ascending, descending and byte by byte. Generates new numbers each time, because sorting
    /// sorted numbers would take less time.
    fn sort(&mut self) {
        for i in 0..self.numbers.len() {
            self.numbers[i] = self.next();
        }
        self.bytes.clear();
        self.bytes.extend(self.numbers.iter().flat_map(|n| n.to_le_bytes()));
        self.numbers.sort_unstable();
        self.numbers.sort_unstable_by(|a, b| b.cmp(a));
        self.bytes.sort_unstable_by_key(|byte| byte.cast_signed());
        std::hint::black_box((&self.numbers, &self.bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(clock: RunClock, shared: &Shared, most: u64) -> Turn<'_> {
        shared.stop_at.store(u64::MAX, Relaxed);
        Turn { clock, shared, most }
    }

    #[test]
    fn work_and_rest_make_the_load() {
        let (clock, shared) = (RunClock::start(), Shared::default());
        let burn = Burn { load: 20, chunk: Nanos::from_millis(2), sorts: false, until_io_ends: false };
        let mut did = OtherWorkEnd::default();
        let began = clock.now();
        turn(clock, &shared, 10).burn(&burn, &mut did);
        // The machine may be slow, but never too fast.
        assert!(clock.now() - began >= 10 * 10_000_000);
        assert_eq!(did.turns.count(), 10);
        assert!(did.turns.min().unwrap() >= Nanos::from_millis(2));
    }

    #[test]
    fn a_stop_ends_work_and_rest() {
        let (clock, shared) = (RunClock::start(), Shared::default());
        let burn = Burn { load: 1, chunk: Nanos::from_secs(1_000), sorts: false, until_io_ends: false };
        let turn = turn(clock, &shared, u64::MAX);
        shared.stop_at.store(clock.now() + 5_000_000, Relaxed);
        let mut did = OtherWorkEnd::default();
        turn.burn(&burn, &mut did);
        assert_eq!(did.turns.count(), 0, "cut short it is no turn");
        assert!(!turn.rest(u64::MAX));
    }

    #[test]
    fn numbers_are_sorted() {
        let mut numbers = Numbers::new(1000);
        numbers.sort();
        assert!(numbers.numbers.is_sorted_by(|a, b| a >= b) && numbers.bytes.len() == 4000);
        assert!(numbers.bytes.windows(2).all(|w| w[0].cast_signed() <= w[1].cast_signed()));
    }

    #[test]
    fn a_program_without_a_time_of_its_job_ends_it() {
        let (clock, shared) = (RunClock::start(), Shared::default());
        let shell = if sys::process::shell("").get_program() == "cmd" { "cmd /d /c" } else { "/bin/sh -c" };
        let program = Program {
            program: shell.to_owned(),
            arguments: None,
            expanded: Some("exit".to_owned()),
            output: None,
            grace: Nanos::from_secs(1),
            ends_job: true,
        };
        let (mut did, mut end) = (OtherWorkEnd::default(), WorkerEnd::default());
        turn(clock, &shared, u64::MAX).tend("e", &program, &mut did, &mut end);
        assert_eq!(did.program, Some(ProgramEnd::Code(0)));
        assert!(end.trouble.is_none() && did.turns.count() > 0);
        let missing = Program { program: "/nonexistent/x".to_owned(), ..program };
        turn(clock, &shared, u64::MAX).tend("e", &missing, &mut did, &mut end);
        let kind = std::io::Error::from_raw_os_error(end.first_error).kind();
        assert_eq!(kind, std::io::ErrorKind::NotFound);
        assert!(end.trouble.unwrap().to_string().contains("/nonexistent/x"));
    }
}
