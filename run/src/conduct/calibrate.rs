//! Calibration of the tool itself: cost of a time stamp, scheduler noise, maximum rate of the tool, and choice of the
//! engine that is fastest on a target.

use crate::context::Interrupt;
use crate::workers::{Decision, Live, Load, LoadError, run_load};
use load::engine::{EngineEntry, Probe};
use load::engines::{CANDIDATES, ENGINES};
use messages::sentence;
use model::plan::{Access, ErrorPolicy, Mix, StopRule, Workload};
use model::record::{EngineFacts, StandingEngine, StepStop, TimerFacts};
use model::{Bytes, Iops, Job, LatencyHistogram, Nanos, Sentence, Target};
use std::fs::File;
use std::sync::Arc;
use sys::clock::{Clock, ClockVisitor, RunClock};

/// Measures the cost of the clock and, by spinning for the time `spin`, the gaps in which the scheduler gave the CPU to
/// other threads.
///
/// A gap is a time between two consecutive time stamps of a spinning thread that exceeds ten times the usual one.
/// Percentiles weight gaps by their length: during 99 % of the time, an event would have waited at most as long as the
/// 99th percentile.
pub fn timer_facts(clock: RunClock, spin: Nanos) -> TimerFacts {
    clock.visit(Spinning { name: clock.name(), spin })
}

/// Measurement that is generic over the clock, so that the measured cost of reading it includes no dynamic dispatch.
struct Spinning {
    name: &'static str,
    spin: Nanos,
}

impl ClockVisitor for Spinning {
    type Output = TimerFacts;

    fn visit<K: Clock>(self, clock: K) -> TimerFacts {
        let Spinning { name, spin } = self;
        const STAMPS: u64 = 20_000;
        let before = clock.now();
        for _ in 0..STAMPS {
            std::hint::black_box(clock.now());
        }
        let cost = (clock.now() - before) / STAMPS;
        let threshold = (cost * 10).max(1_000);
        let start = clock.now();
        let (mut last, mut gaps) = (start, LatencyHistogram::default());
        while last - start < spin.as_nanos() {
            let now = clock.now();
            if now - last > threshold {
                gaps.record(Nanos(now - last));
            }
            last = now;
        }
        TimerFacts {
            clock: name.to_owned(),
            cost: Nanos(cost.max(1)),
            spin,
            gap_max: gaps.max().unwrap_or_default(),
            gaps_over_1ms: gaps
                .buckets()
                .filter(|(b, _)| model::measured::bucket_bounds(*b).0 >= 1_000_000)
                .map(|(_, n)| n)
                .sum(),
            gap_p999: time_weighted(&gaps, spin, 0.999),
        }
    }
}

/// Returns the gap length that was not exceeded during the share `q` of `total`.
fn time_weighted(gaps: &LatencyHistogram, total: Nanos, q: f64) -> Nanos {
    let mut budget = (1.0 - q) * total.as_nanos() as f64;
    let mut longest_first: Vec<(usize, u64)> = gaps.buckets().collect();
    longest_first.reverse();
    for (bucket, count) in longest_first {
        let length = model::measured::bucket_mid(bucket).as_nanos();
        budget -= (length * count) as f64;
        if budget < 0.0 {
            return Nanos(length);
        }
    }
    Nanos(0)
}

fn job(engine: &str, target: Target, queue_depth: u32, threads: u32, block: Bytes, time: Nanos) -> Job {
    Job {
        tuning: model::plan::JobTuning::default(),
        more: Vec::new(),
        name: format!("try-{engine}"),
        workload: Workload::new(Mix::READ, block, Access::RANDOM),
        target,
        engine: engine.to_owned(),
        queue_depth,
        threads,
        stop: StopRule { ramp: Nanos(0), time, steady_after: None, max_ops: None },
        on_error: ErrorPolicy::Stop,
        seed: 0x5ECC41,
        faults: None,
    }
}

fn null_target() -> Target {
    Target::null("null", Bytes::from_gib(1))
}

/// Returns the operations per second of one thread on the null engine at depths 1 and 32: the maximum rates that can be
/// measured on this machine.
pub fn ceiling(clock: RunClock, time: Nanos) -> Option<(Iops, Iops)> {
    let rate = |depth| {
        let job = job("null", null_target(), depth, 1, Bytes(4096), time);
        run_load(clock, &Load::new(job, UNHURRIED), &mut |_| Decision::GoOn).ok().map(|end| end.total.iops())
    };
    Some((rate(1)?, rate(32)?))
}

/// Hang timeout for the null engine, which cannot hang; a thread may have to wait a long time for a CPU.
const UNHURRIED: Nanos = Nanos::from_secs(60);

/// Returns for each engine whether it works on this machine, as far as that can be checked quickly and without a
/// target.
pub fn engine_facts() -> Vec<EngineFacts> {
    let fact = |entry: &EngineEntry| EngineFacts {
        name: entry.spec.name.to_owned(),
        unavailable: entry.probe().err().map(|e| e.to_string()),
    };
    ENGINES.iter().filter(|entry| !matches!(entry.probe, Probe::Library(_))).map(fact).collect()
}

/// Results of all tries of a candidate.
struct Tried {
    name: &'static str,
    /// Rate of each try.
    rates: Vec<f64>,
    /// Minimum CPU time per operation; `None` before anything completed.
    cpu: Option<Nanos>,
    trouble: Option<Sentence>,
}

impl Tried {
    /// Returns the median rate: another process may slow down one try, and burst credits of a throttle may speed up
    /// another.
    fn rate(&self) -> f64 {
        let mut rates = self.rates.clone();
        rates.sort_by(f64::total_cmp);
        rates.get(rates.len() / 2).copied().unwrap_or(0.0)
    }

    fn describe(&self) -> Sentence {
        let engine = self.name;
        match (&self.trouble, self.cpu) {
            (Some(trouble), _) => sentence!("engine-tried-failed", engine, trouble),
            (None, Some(cpu)) => sentence!("engine-tried", engine, rate = Iops(self.rate()), cpu),
            (None, None) => sentence!("engine-tried-nothing", engine, rounds = ROUNDS),
        }
    }
}

/// Factor by which every try of another engine must be faster than every try of the previously chosen engine to replace
/// it.
const BETTER: f64 = 1.10;
/// Factor by which the rate of an engine must exceed that of the engines before it in the list. On a shared disk, short
/// tries differ by a tenth.
const CLEARLY: f64 = 1.15;
const ROUNDS: usize = 3;

/// Reason why no engine was chosen.
#[derive(Debug, thiserror::Error)]
pub enum ChoiceError {
    /// No candidate could be opened.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The run was interrupted by a signal.
    #[error("stopped by a signal")]
    Signal {
        /// True if reads did not return, so that their threads may be blocked in the kernel.
        stuck: bool,
    },
    /// Reads did not return.
    #[error("{pending} reads did not complete while engine {engine} was tried, the oldest in flight for {oldest}")]
    Hung {
        /// Name of the candidate.
        engine: &'static str,
        /// Number of reads in flight.
        pending: u64,
        /// Age of the oldest read in flight.
        oldest: Nanos,
    },
}

/// Tries the candidates on the target in turns, and returns the name of the best one and a sentence with the figures.
/// The preferred engine is chosen unless another is clearly faster, for example on tmpfs and zram, where io_uring
/// passes requests to kernel threads. With `queues`, only engines that keep several operations of a thread in flight
/// are tried. If an earlier run chose an engine for this target, it is used again unless another is faster in every
/// try, so that runs are comparable.
///
/// # Errors
/// Returns an error if no candidate works, if reads do not return within `hang`, or if the run is interrupted.
pub fn choose_engine(
    clock: RunClock,
    target: &Target,
    file: &Arc<File>,
    block: Bytes,
    (time, hang): (Nanos, Nanos),
    (queues, standing): (bool, Option<&StandingEngine>),
    interrupt: &Interrupt,
) -> Result<(String, Sentence), ChoiceError> {
    const CONCURRENCY: u32 = 16;
    let new = |name| Tried { name, rates: Vec::new(), cpu: None, trouble: None };
    let fits = |name: &&str| !queues || load::engines::find(name).is_ok_and(|e| !e.spec.is_blocking());
    let mut tried: Vec<Tried> = CANDIDATES.iter().copied().filter(fits).map(new).collect();
    let mut failure = None;
    for _ in 0..ROUNDS {
        for t in tried.iter_mut().filter(|t| t.trouble.is_none()) {
            let blocking = load::engines::find(t.name).map_err(LoadError::from)?.spec.is_blocking();
            let (depth, threads) = if blocking { (1, CONCURRENCY) } else { (CONCURRENCY, 1) };
            let job = job(t.name, target.clone(), depth, threads, block, time);
            let load = Load { files: vec![Arc::clone(file)], ..Load::new(job, hang) };
            let mut watch = |_: &Live<'_>| match interrupt.asked() {
                true => Decision::Stop(StepStop::Signal),
                false => Decision::GoOn,
            };
            match run_load(clock, &load, &mut watch) {
                Ok(end) if end.stop == StepStop::Signal => {
                    return Err(ChoiceError::Signal { stuck: end.workers.pending > 0 });
                }
                Ok(end) if end.stop == StepStop::Hung || end.workers.pending > 0 => {
                    let oldest = end.workers.pending_ages.first().copied().unwrap_or_default();
                    return Err(ChoiceError::Hung { engine: t.name, pending: end.workers.pending, oldest });
                }
                Ok(end) if end.workers.failed == 0 && end.workers.broken.is_none() => {
                    t.rates.push(end.total.iops().per_second());
                    let cpu = end.total.cpu_per_op().map(|(user, system)| user + system);
                    t.cpu = [t.cpu, cpu].into_iter().flatten().min();
                }
                Ok(_) => t.trouble = Some(sentence!("engine-tried-errors")),
                Err(error) => {
                    t.trouble = Some(error.to_string().into());
                    failure = Some(error);
                }
            }
        }
    }
    tried.iter().for_each(|t| tracing::debug!("tried engine {}", t.describe()));
    let figures = Sentence::join(tried.iter().map(Tried::describe), "; ");
    match (chosen(&tried, standing), failure) {
        (Some((best, stands)), _) => {
            let how = sentence!("engine-by-trying", block = block.short(), depth = CONCURRENCY);
            let reason = match standing {
                Some(before) if stands => sentence!("engine-confirmed", run = short(&before.run), how),
                Some(before) => {
                    sentence!("engine-replaced", before = &before.name, run = short(&before.run), how)
                }
                None => how,
            };
            Ok((best.name.to_owned(), sentence!("engine-chosen", engine = best.name, reason, tried = figures)))
        }
        (None, Some(error)) => Err(error.into()),
        // Every candidate had I/O errors; the first step will report them.
        (None, None) => {
            let first = tried.last().map_or("psync", |t| t.name);
            Ok((first.to_owned(), sentence!("engine-all-failed", engine = first, tried = figures)))
        }
    }
}

fn short(id: &str) -> &str {
    id.get(..8).unwrap_or(id)
}

/// Returns the engine to use, and `true` if an earlier run chose the same one.
fn chosen<'a>(tried: &'a [Tried], standing: Option<&StandingEngine>) -> Option<(&'a Tried, bool)> {
    let working = || tried.iter().filter(|t| t.trouble.is_none());
    let before = standing.and_then(|s| working().find(|t| t.name == s.name && !t.rates.is_empty()));
    if let Some(before) = before {
        let fastest = before.rates.iter().copied().fold(0.0, f64::max);
        let slowest = |t: &Tried| t.rates.iter().copied().fold(f64::INFINITY, f64::min);
        let better = working().filter(|t| !t.rates.is_empty() && slowest(t) > BETTER * fastest);
        let best = better.max_by(|a, b| a.rate().total_cmp(&b.rate()));
        return Some(best.map_or((before, true), |best| (best, false)));
    }
    let best = working().reduce(|best, t| if t.rate() > CLEARLY * best.rate() { t } else { best })?;
    Some((best, false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::plan::TargetKind;

    #[test]
    fn a_standing_choice_stays_unless_another_is_certainly_a_tenth_better() {
        let tried = |name, rates: [f64; 3]| Tried { name, rates: rates.to_vec(), cpu: None, trouble: None };
        let standing = StandingEngine { name: "psync".into(), run: "3f2a9c1b-77d1".into() };
        let choice = |uring: [f64; 3], psync: [f64; 3], standing| {
            let tried = [tried("io_uring", uring), tried("psync", psync)];
            chosen(&tried, standing).map(|(t, stands)| (t.name, stands))
        };
        // Without an earlier choice, the first of the list is chosen.
        assert_eq!(choice([100.0, 101.0, 99.0], [98.0, 110.0, 99.0], None), Some(("io_uring", false)));
        assert_eq!(choice([100.0, 101.0, 99.0], [98.0, 110.0, 99.0], Some(&standing)), Some(("psync", true)));
        // Its median is half as high again, but it is not faster in every try.
        assert_eq!(choice([150.0, 160.0, 105.0], [100.0, 101.0, 99.0], Some(&standing)), Some(("psync", true)));
        assert_eq!(choice([150.0, 160.0, 115.0], [100.0, 101.0, 99.0], Some(&standing)), Some(("io_uring", false)));
        // An engine that no longer works is replaced.
        let broken = [Tried { trouble: Some("gone".into()), ..tried("psync", [0.0; 3]) }, tried("libaio", [9.0; 3])];
        assert_eq!(chosen(&broken, Some(&standing)).map(|(t, stands)| (t.name, stands)), Some(("libaio", false)));
    }

    #[test]
    fn the_timer_costs_something_and_the_ceiling_is_finite() {
        let clock = RunClock::start();
        let facts = timer_facts(clock, Nanos::from_millis(20));
        assert!(facts.cost.as_nanos() >= 1 && facts.gap_max < Nanos::from_secs(20));
        let (one, many) = ceiling(clock, Nanos::from_millis(100)).unwrap();
        assert!(one.per_second() > 10_000.0 && many.per_second() > 10_000.0, "{one} {many}");
    }

    #[test]
    fn gaps_are_weighted_by_their_length() {
        let mut gaps = LatencyHistogram::default();
        gaps.record(Nanos::from_millis(1));
        for _ in 0..100 {
            gaps.record(Nanos::from_micros(10));
        }
        let second = Nanos::from_secs(1);
        // One gap of 1 ms is exactly a thousandth of the second; the other gaps are much shorter.
        assert!(time_weighted(&gaps, second, 0.9995).as_nanos() > 900_000);
        assert!(time_weighted(&gaps, second, 0.99).as_nanos() < 20_000);
    }

    #[test]
    fn an_engine_is_chosen_by_trying() {
        let clock = RunClock::start();
        // Engines reopen the file, which Windows forbids for temporary files of other crates.
        let place = sys::files::canonical(std::env::temp_dir()).unwrap();
        let place =
            sys::files::open_no_links(None, &place, sys::files::OpenHow::plain(sys::files::Access::Directory)).unwrap();
        let file = sys::files::create_nameless(&place).unwrap();
        sys::files::FileExt::write_all_at(&file, &vec![1; 1 << 20], 0).unwrap();
        let target = Target { kind: TargetKind::File, size: Bytes::from_mib(1), ..null_target() };
        let (file, times) = (Arc::new(file), (Nanos::from_millis(100), UNHURRIED));
        let interrupt = Interrupt::default();
        let (name, why) = choose_engine(clock, &target, &file, Bytes(4096), times, (false, None), &interrupt).unwrap();
        assert!(CANDIDATES.contains(&name.as_str()));
        assert!(why.contains("psync") && why.contains("IOPS"), "{why}");
        interrupt.0.store(2, std::sync::atomic::Ordering::Relaxed);
        let stopped = choose_engine(clock, &target, &file, Bytes(4096), times, (true, None), &interrupt);
        assert!(matches!(stopped, Err(ChoiceError::Signal { stuck: false })), "{stopped:?}");
    }

    #[test]
    fn an_engine_that_completed_nothing_has_no_figures() {
        let tried = Tried { name: "psync", rates: vec![0.0; 3], cpu: None, trouble: None };
        assert_eq!(tried.describe(), "psync: nothing completed in 3 tries");
    }

    #[test]
    fn every_engine_that_needs_no_library_is_named() {
        let facts = engine_facts();
        let left_out: Vec<&str> =
            ENGINES.iter().map(|e| e.spec.name).filter(|n| facts.iter().all(|f| f.name != *n)).collect();
        assert_eq!(left_out, ["nfs", "rbd"]);
        assert!(facts.iter().any(|f| f.name == "psync" && f.unavailable.is_none()));
    }
}
