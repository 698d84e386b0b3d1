//! Tests of the loops with simulated clocks and devices, and with the fault-injecting engine.

use super::*;
use crate::engine::{Blocking, Inline, Opening, Wait};
use crate::engines;
use crate::pattern::Part;
use crate::stamp::ReadOnly;
use model::plan::{Access, Mix, Pacing, Workload};
use model::{Bytes, Interval, Iops, Nanos, Op, measured::Phase};
use std::io;

/// Simulated clock that does not advance by itself.
#[derive(Clone, Copy)]
pub(super) struct SimClock(&'static AtomicU64, u64);

impl SimClock {
    pub(super) fn new() -> Self {
        SimClock(Box::leak(Box::default()), 1)
    }
    /// Returns a clock that advances in large steps while a caller spins.
    pub(super) fn coarse() -> Self {
        SimClock(Box::leak(Box::default()), 500)
    }
    pub(super) fn advance(&self, ns: u64) {
        self.0.fetch_add(ns, Relaxed);
    }
}

impl Clock for SimClock {
    fn now(&self) -> u64 {
        self.0.load(Relaxed)
    }
    fn sleep(&self, ns: u64) {
        self.advance(ns);
    }
    fn pause(&self) {
        self.advance(self.1);
    }
}

/// Simulated device that serves one operation at a time. The service time is a function of the start time.
struct Server<F> {
    clock: SimClock,
    service: F,
    buffer: Vec<u8>,
}

impl<F: FnMut(u64) -> u64> Blocking for Server<F> {
    fn perform(&mut self, request: &Request) -> i32 {
        let time = (self.service)(self.clock.now());
        self.clock.advance(time);
        request.len as i32
    }
    fn buffer(&mut self) -> &mut [u8] {
        &mut self.buffer
    }
}

struct Run {
    total: Interval,
    drain: Interval,
    windows: Vec<(u64, u64, u64, u64)>,
    end: WorkerEnd,
    stop_at: u64,
}

fn run<K: Clock>(
    clock: K,
    engine: Box<dyn Engine>,
    depth: u32,
    pacing: Pacing,
    time: u64,
    policy: ErrorPolicy,
    max_ops: u64,
) -> Run {
    let workload = Workload { pacing, ..Workload::new(Mix::READ, Bytes(4096), Access::RANDOM) };
    run_workload(&workload, clock, engine, depth, time, policy, max_ops)
}

fn run_workload<K: Clock>(
    workload: &Workload,
    clock: K,
    engine: Box<dyn Engine>,
    depth: u32,
    time: u64,
    policy: ErrorPolicy,
    max_ops: u64,
) -> Run {
    let pacing = workload.pacing;
    let pattern = Pattern::new(workload, Bytes::from_mib(64), Part { worker: 0, workers: 1 }, 1).unwrap();
    // The rings are large enough that no recorder has to be collected during the run.
    let (full, mut filled) = rtrb::RingBuffer::new(4096);
    let (mut give, empty) = rtrb::RingBuffer::new(4096);
    for _ in 0..(time / 100_000_000 + 64).min(4096) {
        give.push(Box::new(Recorder::new().unwrap())).ok();
    }
    let start = clock.now();
    let shared = Arc::new(Shared { stop_at: AtomicU64::new(start + time), ..Shared::default() });
    let worker: Worker<_, _, false, false, false> = Worker::new(
        clock,
        ReadOnly,
        Parts {
            engine,
            pattern,
            exchange: Exchange { full, empty },
            shared: shared.clone(),
            pulse: Arc::default(),
            timeline: Timeline::new(100_000_000, max_ops),
            policy,
            whole: false,
            log_waits: false,
            depth,
            max_block: 4096,
            rules: EndRules::default(),
            files: Vec::new(),
            fresh: false,
        },
    );
    let mode = Arrivals::new(pacing, 0, 1, 5).map_or(IssueMode::Closed, IssueMode::Open);
    let end = worker.run(start, mode);
    let (mut total, mut drain, mut windows) = (Interval::default(), Interval::default(), Vec::new());
    while let Ok(recorder) = filled.pop() {
        let interval = recorder.to_interval(Phase::Measure);
        if recorder.window == u64::MAX {
            drain.merge(&interval);
        } else {
            windows.push((recorder.window, recorder.start, recorder.end, recorder.ops()));
            total.merge(&interval);
        }
    }
    Run { total, drain, windows, end, stop_at: shared.stop_at.load(Relaxed) }
}

pub(super) fn server(clock: SimClock, service: impl FnMut(u64) -> u64 + 'static) -> Box<dyn Engine> {
    Box::new(Inline::new(Server { clock, service, buffer: vec![0; 4096] }))
}

#[test]
fn a_closed_loop_measures_the_service_time_and_keeps_littles_law() {
    let clock = SimClock::new();
    let r = run(clock, server(clock, |_| 250_000), 1, Pacing::Closed, 2_000_000_000, ErrorPolicy::Stop, u64::MAX);
    // Completions in [t0, t1) count: one at exactly t1 belongs to the drain.
    assert_eq!(r.total.iops(), Iops(3999.5));
    assert_eq!(r.total.latency().mean(), Some(Nanos::from_micros(250)));
    assert!((r.total.mean_in_flight() - 1.0).abs() < 1e-9);
    assert_eq!(r.windows.len(), 20);
    assert!(r.windows.iter().all(|(number, from, to, ops)| *from == number * 100_000_000
        && to - from == 100_000_000
        && ops.abs_diff(400) <= 1));
    assert_eq!(r.end.submitted, r.end.completed + r.end.failed + r.end.pending);
    assert_eq!(r.end.read_bytes, r.end.completed * 4096);
}

#[test]
fn what_completes_after_the_end_is_drained_and_is_no_rate() {
    let clock = SimClock::new();
    // Each operation takes 0.3 s, so the fourth ends at 1.2 s, after the end of the load.
    let r = run(clock, server(clock, |_| 300_000_000), 1, Pacing::Closed, 1_000_000_000, ErrorPolicy::Stop, u64::MAX);
    assert_eq!((r.total.ops(), r.drain.ops()), (3, 1));
    assert_eq!(r.total.length, Nanos::from_secs(1));
    assert!((r.total.mean_in_flight() - 1.0).abs() < 1e-9);
    assert_eq!(r.end.completed, 4);
}

#[test]
fn a_stall_is_windows_without_completions_not_a_gap_in_time() {
    let clock = SimClock::new();
    let stall = |now: u64| if (500_000_000..501_000_000).contains(&now) { 730_000_000 } else { 1_000_000 };
    let r = run(clock, server(clock, stall), 1, Pacing::Closed, 2_000_000_000, ErrorPolicy::Stop, u64::MAX);
    let covered: u64 = r.windows.iter().map(|(_, from, to, _)| to - from).sum();
    assert_eq!(covered, 2_000_000_000);
    assert!(r.windows.windows(2).all(|w| w[0].2 == w[1].1), "{:?}", r.windows);
    assert!(r.windows.iter().any(|(_, from, to, ops)| *from == 600_000_000 && *to == 1_200_000_000 && *ops == 0));
    assert_eq!(r.total.latency().max(), Some(Nanos::from_millis(730)));
}

#[test]
fn response_counts_from_the_due_time_exactly_as_lindley_says() {
    let clock = SimClock::new();
    let mut random = crate::random::Random::new(11);
    let mut times = Vec::new();
    let service: Vec<u64> = (0..4000).map(|_| 200_000 + random.below(1_600_000)).collect();
    let mut next = service.clone().into_iter();
    let r = run(
        clock,
        server(clock, move |_| next.next().unwrap()),
        1,
        Pacing::Poisson(Iops(800.0)),
        4_000_000_000,
        ErrorPolicy::Stop,
        u64::MAX,
    );
    // Lindley's recursion: an operation waits for the previous one; response = wait + service.
    let mut arrivals = Arrivals::new(Pacing::Poisson(Iops(800.0)), 0, 1, 5).unwrap();
    let (mut free_at, mut expected) = (0u64, model::measured::Summary::default());
    for s in service {
        let due = arrivals.due();
        arrivals.advance();
        let done = free_at.max(due) + s;
        if done >= 4_000_000_000 {
            break;
        }
        expected.record(done - due);
        times.push(done);
        free_at = done;
    }
    let response = r.total.response();
    assert_eq!(response.count(), expected.count);
    // The simulated sleep is exact, so every single response is exact.
    assert_eq!(response.summary().sum, expected.sum);
    assert_eq!(response.max(), Some(Nanos(expected.max)));
}

#[test]
fn a_stall_of_a_second_shows_in_every_request_it_delayed() {
    // The example in docs/design/statistics.md, "Open and closed loops": 1000 operations per second for 8 s, with one
    // stall of 1 s. Expected: p99 934 ms, mean 71.9 ms, and a small p99 of the service time.
    let clock = SimClock::new();
    let stall = |now: u64| if (3_000_000_000..3_001_000_000).contains(&now) { 1_000_000_000 } else { 60_000 };
    let r =
        run(clock, server(clock, stall), 1, Pacing::Fixed(Iops(1000.0)), 8_000_000_000, ErrorPolicy::Stop, u64::MAX);
    let response = r.total.response();
    let p99 = response.quantile(0.99).unwrap().millis();
    assert!((p99 / 934.0 - 1.0).abs() < 0.06, "{p99}");
    let mean = response.mean().unwrap().millis();
    assert!((mean / 71.9 - 1.0).abs() < 0.08, "{mean}");
    assert!(r.total.latency().quantile(0.99).unwrap() < Nanos::from_millis(2));
    assert!((r.end.late_max.millis() - 999.0).abs() < 2.0, "{}", r.end.late_max);
}

#[test]
fn what_is_in_flight_when_a_load_at_a_rate_ends_keeps_its_due_time() {
    // At 100 operations per second and 300 ms each, 30 are in flight at the end, and no submission was late.
    let clock = SimClock::new();
    let pool = Box::new(super::jobs_tests::pool(clock, |_| 300_000_000));
    let r = run(clock, pool, 64, Pacing::Fixed(Iops(100.0)), 2_000_000_000, ErrorPolicy::Stop, u64::MAX);
    assert!((29..=31).contains(&r.drain.ops()), "{}", r.drain.ops());
    assert_eq!(r.drain.response().count(), r.drain.ops(), "as many response times as operations");
    assert!(r.drain.response().max() >= r.drain.latency().max());
}

fn null(depth: u32) -> Box<dyn Engine> {
    let opening = Opening { size: 64 << 20, depth, buffer_size: 4096, ..Opening::default() };
    (engines::find("null").unwrap().open)(&opening).unwrap().engine
}

fn faults(plan: model::plan::FaultPlan, depth: u32) -> Box<dyn Engine> {
    Box::new(engines::Faulty::new(null(depth), depth, plan, 3, sys::clock::monotonic_ns))
}

const NO_FAULT: model::plan::FaultPlan = model::plan::FaultPlan {
    error_rate: 0.0,
    errno: 5,
    short_rate: 0.0,
    delay_rate: 0.0,
    delay: Nanos(0),
    hang_after: None,
};

#[test]
fn a_count_of_operations_is_exact_at_any_depth() {
    for depth in [1, 7, 32] {
        let clock = sys::clock::MonotonicClock::start();
        let r = run(clock, null(depth), depth, Pacing::Closed, 60_000_000_000, ErrorPolicy::Stop, 10_001);
        assert_eq!((r.end.submitted, r.end.completed, r.end.pending), (10_001, 10_001, 0));
        assert_eq!(r.total.ops() + r.drain.ops(), 10_001);
    }
}

#[test]
fn the_first_error_stops_and_is_no_operation() {
    let clock = sys::clock::MonotonicClock::start();
    let engine = faults(model::plan::FaultPlan { error_rate: 0.01, ..NO_FAULT }, 8);
    let r = run(clock, engine, 8, Pacing::Closed, 60_000_000_000, ErrorPolicy::Stop, u64::MAX);
    assert!(r.end.failed >= 1 && r.end.failed <= 8, "{}", r.end.failed);
    assert_eq!(r.end.submitted, r.end.completed + r.end.failed);
    assert_eq!(r.total.ops() + r.drain.ops(), r.end.completed);
    assert_eq!(r.total.failed() + r.drain.failed(), r.end.failed);
}

#[test]
fn errors_that_are_let_pass_are_in_no_rate() {
    let clock = sys::clock::MonotonicClock::start();
    let engine = faults(model::plan::FaultPlan { error_rate: 0.5, ..NO_FAULT }, 4);
    let r = run(clock, engine, 4, Pacing::Closed, 60_000_000_000, ErrorPolicy::Continue, 20_000);
    assert_eq!(r.end.completed + r.end.failed, 20_000);
    assert!((r.end.failed as f64 / 20_000.0 - 0.5).abs() < 0.03);
    assert_eq!(r.total.latency().count() + r.drain.latency().count(), r.end.completed);
}

/// Queue whose results come from a closure. Submission fails if the closure returns an error.
struct Rule<F>(F, Vec<Completion>);

impl<F: FnMut(&Request) -> io::Result<i32>> Engine for Rule<F> {
    fn submit(&mut self, requests: &[Request]) -> io::Result<usize> {
        for request in requests {
            let result = (self.0)(request)?;
            self.1.push(Completion { slot: request.slot, result });
        }
        Ok(requests.len())
    }
    fn reap(&mut self, _at_least: usize, _wait: Wait, done: &mut Vec<Completion>) -> io::Result<()> {
        done.append(&mut self.1);
        Ok(())
    }
    fn buffer(&mut self, _slot: u32) -> &mut [u8] {
        &mut []
    }
}

#[test]
fn a_failed_flush_ends_the_load_whatever_the_policy() {
    let workload = Workload { flush_every: Some(3), ..Workload::new(Mix::WRITE, Bytes(4096), Access::Sequential) };
    for depth in [1, 4] {
        let mut flushes = 0;
        let engine = Rule(
            move |request: &Request| {
                flushes += u32::from(request.op == Op::Flush);
                Ok(if request.op == Op::Flush && flushes == 5 { -5 } else { request.len as i32 })
            },
            Vec::new(),
        );
        let clock = sys::clock::MonotonicClock::start();
        let time = 60_000_000_000;
        let r = run_workload(&workload, clock, Box::new(engine), depth, time, ErrorPolicy::Continue, 1000);
        assert!(r.end.broken.as_ref().is_some_and(|b| b.contains("flush")), "{:?}", r.end);
        assert_eq!(r.end.failed, 1);
        assert!(r.end.submitted < 30, "{:?}", r.end);
    }
}

#[test]
fn a_broken_queue_ends_the_load_of_all_workers() {
    let mut left = 100;
    let engine = Rule(
        move |request: &Request| {
            left -= 1;
            if left == 0 { Err(io::Error::other("broken")) } else { Ok(request.len as i32) }
        },
        Vec::new(),
    );
    let clock = sys::clock::MonotonicClock::start();
    let time = 60_000_000_000;
    let r = run(clock, Box::new(engine), 2, Pacing::Closed, time, ErrorPolicy::Continue, u64::MAX);
    assert_eq!(r.end.broken.as_deref(), Some("broken"));
    assert!(r.stop_at < 60_000_000_000, "the others go on until {}", r.stop_at);
}

#[test]
fn a_rate_next_to_nothing_sends_nothing() {
    let clock = SimClock::new();
    clock.advance(1_000);
    let engine = server(clock, |_| 1_000);
    let pacing = Pacing::Poisson(Iops(1e-300));
    let r = run(clock, engine, 1, pacing, 300_000_000, ErrorPolicy::Stop, u64::MAX);
    assert_eq!(r.end.submitted, 0);
}

#[test]
fn a_short_operation_is_continued_and_counted_once() {
    let clock = sys::clock::MonotonicClock::start();
    let engine = faults(model::plan::FaultPlan { short_rate: 0.3, ..NO_FAULT }, 4);
    let r = run(clock, engine, 4, Pacing::Closed, 60_000_000_000, ErrorPolicy::Stop, 5_000);
    assert_eq!((r.end.completed, r.end.failed), (5_000, 0));
    assert_eq!(r.end.read_bytes, 5_000 * 4096);
    let short: u64 = [&r.total, &r.drain].iter().map(|i| i.op(Op::Read).tally.short).sum();
    assert!(short > 1_000, "{short}");
}
