//! Jobs on simulated devices: exact tests of each option.

use super::spec::build_with;
use super::tests::{SimClock, server};
use super::*;
use crate::pattern::Part;
use crate::recorder::Entry;
use model::plan::{
    Access, BlockSizes, Checksum, LatencyTarget, Mix, Pacing, Queueing, Rate, Rates, Replay, ReplayLinks, ReplayPace,
    ReplayRequest, ReplaySignals, SizeShare, StopRule, TargetKind, Think, Verify, Work, Workload,
};
use model::{Bytes, BytesPerSecond, Interval, Iops, Job, Nanos, Op, Target, measured::Phase};
use std::cell::RefCell;
use std::rc::Rc;

const MS: u64 = Nanos::from_millis(1).as_nanos();
const SECOND: u64 = Nanos::from_secs(1).as_nanos();

fn job(mix: Mix, depth: u32) -> Job {
    Job {
        name: "test".into(),
        workload: Workload::new(mix, Bytes(4096), Access::RANDOM),
        target: Target {
            kind: TargetKind::File,
            path: "/somewhere".into(),
            size: Bytes::from_mib(4),
            offset: Bytes(0),
            direct: true,
            align: Bytes(512),
            uuid: Some(77),
        },
        more: Vec::new(),
        engine: "pool".into(),
        queue_depth: depth,
        threads: 1,
        stop: StopRule { ramp: Nanos(0), time: Nanos(2 * SECOND), steady_after: None, max_ops: None },
        on_error: ErrorPolicy::Stop,
        seed: 5,
        faults: None,
        tuning: model::plan::JobTuning::default(),
    }
}

pub(super) struct Ran {
    pub total: Interval,
    pub end: WorkerEnd,
    pub log: Vec<Entry>,
}

impl Ran {
    fn ops(&self, op: Op) -> u64 {
        self.total.op(op).tally.ops
    }
}

pub(super) fn run<K: Clock + 'static>(job: &Job, clock: K, engine: Box<dyn Engine>) -> Ran {
    run_with(job, clock, engine, None)
}

fn run_with<K: Clock + 'static>(
    job: &Job,
    clock: K,
    engine: Box<dyn Engine>,
    content: Option<Arc<crate::content::Content>>,
) -> Ran {
    let part = Part { worker: 0, workers: 1 };
    let patterns = workloads(job)
        .iter()
        .map(|w| Pattern::new(w, job.target.size, part, job.seed).expect("the test's workload fits"))
        .collect();
    let (full, mut filled) = rtrb::RingBuffer::new(4096);
    let (mut give, empty) = rtrb::RingBuffer::new(4096);
    for _ in 0..400 {
        give.push(recorder_for(job).unwrap()).ok();
    }
    let start = clock.now();
    let shared = Arc::new(Shared { stop_at: AtomicU64::new(start + job.stop.time.as_nanos()), ..Shared::default() });
    let runner = build_with(
        clock,
        clock,
        WorkerSpec {
            job,
            part,
            engine,
            blocking: false,
            session: None,
            patterns,
            content,
            files: Vec::new(),
            exchange: Exchange { full, empty },
            shared,
            pulse: Arc::default(),
            flow: None,
            zones: Vec::new(),
        },
    );
    let end = (runner.expect("the test's job can run"))(start);
    let (mut total, mut log) = (Interval::default(), Vec::new());
    while let Ok(recorder) = filled.pop() {
        total.merge(&recorder.to_interval(Phase::Measure));
        log.extend_from_slice(recorder.log());
    }
    Ran { total, end, log }
}

/// Simulated device that serves all operations in flight concurrently. The latency may depend on the number of
/// operations in flight.
pub(super) struct Pool {
    clock: SimClock,
    accept: u64,
    latency: fn(u64) -> u64,
    /// Additional latency that depends on the request.
    longer: fn(&Request) -> u64,
    pending: Vec<(u64, Completion)>,
    answer: fn(&Request) -> i32,
    buffer: Vec<u8>,
}

pub(super) fn pool(clock: SimClock, latency: fn(u64) -> u64) -> Pool {
    Pool {
        clock,
        accept: 0,
        latency,
        longer: |_| 0,
        pending: Vec::new(),
        answer: |r| r.len as i32,
        buffer: vec![0; 65536],
    }
}

impl Engine for Pool {
    fn submit(&mut self, requests: &[Request]) -> std::io::Result<usize> {
        self.clock.advance(self.accept);
        for request in requests {
            let latency = (self.latency)(self.pending.len() as u64 + 1) + (self.longer)(request);
            let done = self.clock.now() + latency;
            self.pending.push((done, Completion { slot: request.slot, result: (self.answer)(request) }));
        }
        Ok(requests.len())
    }

    fn reap(&mut self, at_least: usize, wait: crate::engine::Wait, done: &mut Vec<Completion>) -> std::io::Result<()> {
        self.pending.sort_unstable_by_key(|(at, _)| *at);
        let (now, at_least) = (self.clock.now(), at_least.min(self.pending.len()));
        let enough = if at_least == 0 { now } else { self.pending[at_least - 1].0 };
        let until = match wait {
            crate::engine::Wait::Forever => enough,
            crate::engine::Wait::AtMost(ns) => enough.min(now + ns),
        };
        self.clock.advance(until.saturating_sub(now));
        let now = self.clock.now();
        let n = self.pending.iter().take_while(|(at, _)| *at <= now).count();
        done.extend(self.pending.drain(..n).map(|(_, c)| c));
        Ok(())
    }

    fn buffer(&mut self, _slot: u32) -> &mut [u8] {
        &mut self.buffer
    }
}

/// Device that assigns each operation a priority that depends on its slot.
struct Ranking(Pool);

impl Engine for Ranking {
    fn submit(&mut self, requests: &[Request]) -> std::io::Result<usize> {
        self.0.submit(requests)
    }

    fn reap(&mut self, at_least: usize, wait: crate::engine::Wait, done: &mut Vec<Completion>) -> std::io::Result<()> {
        self.0.reap(at_least, wait, done)
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.0.buffer(slot)
    }

    fn priority(&self, slot: u32) -> u16 {
        if slot.is_multiple_of(3) { 0 } else { 8193 }
    }
}

#[test]
fn latencies_by_priority_are_those_of_all_in_every_loop() {
    for (whole, every, paced) in [(false, false, false), (true, false, false), (false, true, true), (true, true, true)]
    {
        let clock = SimClock::coarse();
        let mut j = job(HALF, 8);
        (j.tuning.split_latency, j.tuning.every_op) = (true, every);
        j.tuning.by_priority = Some(model::plan::ByPriority { values: [vec![0, 8193], vec![24576, 8193]], whole });
        if paced {
            j.workload.pacing = rates(Some(Rate::Iops(Iops(3000.0))), Some(Rate::Iops(Iops(1000.0))), false);
        }
        let mut device = pool(clock, |depth| 100_000 + depth * 7_000);
        device.accept = 3_000;
        let r = run(&j, clock, Box::new(Ranking(device)));
        for (op, default_priority) in [(Op::Read, 0), (Op::Write, 24576)] {
            let stats = r.total.op(op);
            let total = if whole { &stats.latency } else { &stats.completion };
            assert!(total.count() > 1000 && stats.by_priority.len() == 2, "{op:?}: {}", total.count());
            let mut sum = model::LatencyHistogram::default();
            stats.by_priority.iter().for_each(|p| sum.merge(&p.latency));
            assert_eq!(
                (sum.count(), sum.min(), sum.max()),
                (total.count(), total.min(), total.max()),
                "{op:?} {whole} {paced}"
            );
            assert_eq!(sum.summary(), total.summary());
            let default_count = stats
                .by_priority
                .iter()
                .find(|p| p.priority == default_priority)
                .expect("the thread's own")
                .latency
                .count();
            if every {
                let logged = r.log.iter().filter(|e| e.op == op && e.priority == 0).count();
                assert_eq!(logged as u64, default_count);
            }
        }
    }
}

fn rates(read: Option<Rate>, write: Option<Rate>, poisson: bool) -> Pacing {
    Pacing::Rates(Rates { of: [read, write, None], poisson, forgive_pauses: false })
}

const HALF: Mix = Mix { write_percent: 50, trim_percent: 0 };

#[test]
fn each_direction_keeps_its_own_rate() {
    let clock = SimClock::coarse();
    let mut j = job(HALF, 1);
    j.workload.pacing = rates(Some(Rate::Iops(Iops(1000.0))), Some(Rate::Bytes(BytesPerSecond(409_600.0))), false);
    let r = run(&j, clock, server(clock, |_| 10_000));
    assert!(r.ops(Op::Read).abs_diff(2000) <= 1, "{}", r.ops(Op::Read));
    assert!(r.ops(Op::Write).abs_diff(200) <= 1, "{}", r.ops(Op::Write));
    assert!(r.total.op(Op::Read).response.count() > 0);
}

#[test]
fn a_direction_without_a_rate_goes_as_fast_as_it_can() {
    let clock = SimClock::coarse();
    let mut j = job(HALF, 1);
    j.workload.pacing = rates(None, Some(Rate::Iops(Iops(100.0))), false);
    let r = run(&j, clock, server(clock, |_| 100_000));
    assert!(r.ops(Op::Write).abs_diff(200) <= 1, "{}", r.ops(Op::Write));
    assert!(r.total.data_ops().abs_diff(20_000) <= 2, "{}", r.total.data_ops());
}

#[test]
fn what_a_stall_held_up_is_caught_up_with_and_poisson_keeps_the_mean() {
    for poisson in [false, true] {
        let clock = SimClock::coarse();
        let mut j = job(Mix::READ, 1);
        j.workload.pacing = rates(Some(Rate::Iops(Iops(2000.0))), None, poisson);
        let stall = |now: u64| if (500 * MS..501 * MS).contains(&now) { 600 * MS } else { 20_000 };
        let r = run(&j, clock, server(clock, stall));
        let allowed = if poisson { 260 } else { 1 };
        assert!(r.ops(Op::Read).abs_diff(4000) <= allowed, "{poisson}: {}", r.ops(Op::Read));
    }
}

#[test]
fn pauses_follow_each_so_many_operations() {
    for (blocks, by_issue, expected) in [(1, false, 1000), (4, false, 1600), (4, true, 1600)] {
        let clock = SimClock::coarse();
        let mut j = job(Mix::READ, 1);
        let (time, spin) = (Nanos(MS), Nanos(MS / 4));
        j.workload.detail.think = Some(Think { time, spin, blocks, by_issue, work_time: None });
        let r = run(&j, clock, server(clock, |_| MS));
        assert!(r.total.data_ops().abs_diff(expected) <= 2, "{blocks}: {}", r.total.data_ops());
    }
}

#[test]
fn pauses_by_time_share_the_time_with_work() {
    let clock = SimClock::coarse();
    let mut j = job(Mix::READ, 4);
    j.workload.detail.think = Some(Think {
        time: Nanos(10 * MS),
        spin: Nanos(0),
        blocks: 0,
        by_issue: false,
        work_time: Some(Nanos(30 * MS)),
    });
    let r = run(&j, clock, Box::new(pool(clock, |_| MS)));
    // Four operations at a time, 1 ms each, during three quarters of two seconds, plus the operations in flight at the
    // beginning of each pause.
    assert!((6000..6250).contains(&r.total.data_ops()), "{}", r.total.data_ops());
}

#[test]
fn pauses_need_not_be_caught_up_if_they_are_forgiven() {
    let counted = [false, true].map(|forgive_pauses| {
        let clock = SimClock::coarse();
        let mut j = job(Mix::READ, 1);
        let by_direction = [Some(Rate::Iops(Iops(1000.0))), None, None];
        j.workload.pacing = Pacing::Rates(Rates { of: by_direction, poisson: false, forgive_pauses });
        j.workload.detail.think =
            Some(Think { time: Nanos(50 * MS), spin: Nanos(0), blocks: 50, by_issue: false, work_time: None });
        run(&j, clock, server(clock, |_| 10_000)).total.data_ops()
    });
    assert!(counted[0].abs_diff(2000) <= 60 && counted[1].abs_diff(1000) <= 30, "{counted:?}");
}

#[test]
fn the_parts_of_a_latency_add_up_and_depths_and_batches_are_counted() {
    let clock = SimClock::coarse();
    let mut j = job(Mix::READ, 8);
    j.tuning.split_latency = true;
    j.tuning.queueing.submit = Some(4);
    let r = run(&j, clock, Box::new(Pool { accept: 700, ..pool(clock, |_| 100_000) }));
    let read = r.total.op(Op::Read);
    assert_eq!(read.completion.count(), read.latency.count());
    assert!(read.submission.count() >= read.latency.count());
    assert_eq!(read.submission.mean(), Some(Nanos(700)));
    assert_eq!(read.completion.summary().sum + 700 * u128::from(read.latency.count()), read.latency.summary().sum);
    let queue = r.total.queue.as_deref().expect("depths are counted");
    assert_eq!(queue.depth.iter().sum::<u64>(), r.end.submitted);
    assert_eq!(queue.submit[2..], [0; 5], "batches are of four at most");
    assert_eq!(queue.depth[4..], [0; 3]);
}

#[test]
fn without_parts_none_are_kept() {
    let clock = SimClock::coarse();
    let r = run(&job(Mix::READ, 8), clock, Box::new(pool(clock, |_| 100_000)));
    assert!(r.total.queue.is_none());
    assert_eq!(r.total.op(Op::Read).submission.count() + r.total.op(Op::Read).completion.count(), 0);
}

#[test]
fn a_full_queue_drains_to_its_low_mark_before_it_fills_again() {
    let clock = SimClock::coarse();
    let mut j = job(Mix::READ, 16);
    j.tuning.split_latency = true;
    j.tuning.queueing = Queueing { low: Some(4), ..Queueing::default() };
    // Completions arrive one at a time.
    let r = run(&j, clock, Box::new(pool(clock, |n| n * 10_000)));
    let queue = r.total.queue.as_deref().expect("depths are counted");
    // After the first fill, each submission has twelve operations.
    assert!(queue.submit[3] > 100 && queue.submit[1] + queue.submit[2] <= 1, "{queue:?}");
}

#[test]
fn so_many_completions_are_waited_for_and_so_many_booked_at_once() {
    let clock = SimClock::coarse();
    let mut j = job(Mix::READ, 16);
    j.tuning.split_latency = true;
    j.tuning.queueing = Queueing { complete_min: Some(8), ..Queueing::default() };
    let r = run(&j, clock, Box::new(pool(clock, |n| n * 10_000)));
    let queue = r.total.queue.expect("counted");
    assert!(queue.complete[2] > 100 && queue.complete[1] <= 16, "{queue:?}");
    j.tuning.queueing = Queueing { complete_min: Some(8), complete_max: Some(4), ..Queueing::default() };
    let r = run(&j, clock, Box::new(pool(clock, |n| n * 10_000)));
    let queue = r.total.queue.expect("counted");
    assert!(queue.complete[1] > 100 && queue.complete[2..].iter().sum::<u64>() <= 1, "{queue:?}");
    j.tuning.queueing = Queueing { complete_min: Some(0), ..Queueing::default() };
    let r = run(&j, clock, Box::new(pool(clock, |n| n * 10_000)));
    assert!(r.total.data_ops() > 1000);
}

#[test]
fn an_operation_that_takes_too_long_ends_the_load() {
    let clock = SimClock::coarse();
    let mut j = job(Mix::READ, 1);
    j.tuning.ends.max_latency = Some([Nanos(50 * MS), Nanos(0), Nanos(0)]);
    let slow = |now: u64| if (400 * MS..402 * MS).contains(&now) { 60 * MS } else { MS };
    let r = run(&j, clock, server(clock, slow));
    assert!(r.end.broken.as_deref().is_some_and(|b| b.contains("60")), "{:?}", r.end);
    assert_eq!(r.end.first_error, 110);
    assert!(r.total.data_ops() < 600);
}

#[test]
fn the_depth_that_keeps_a_latency_is_found() {
    let clock = SimClock::coarse();
    let mut j = job(Mix::READ, 64);
    j.stop.time = Nanos(60 * SECOND);
    let (target, window) = (Nanos::from_micros(105), Nanos(200 * MS));
    j.tuning.ends.latency_target = Some(LatencyTarget { target, window, percentile: 99.0, run: false });
    let r = run(&j, clock, Box::new(pool(clock, |n| n * 10_000)));
    assert_eq!(r.end.settled_depth, Some(10));
    assert!(r.end.settled_at.is_some_and(|at| at < Nanos(10 * SECOND)));
    assert!(r.end.broken.is_none());
}

#[test]
fn a_full_target_is_a_good_end_only_if_wanted() {
    for until_full in [true, false] {
        let clock = SimClock::coarse();
        let mut j = job(Mix::WRITE, 4);
        j.workload.access = Access::Sequential;
        j.tuning.ends.until_full = until_full;
        let answer = |r: &Request| if r.at >= 1 << 20 { -sys::errno::ENOSPC } else { r.len as i32 };
        let r = run(&j, clock, Box::new(Pool { answer, ..pool(clock, |_| 1000) }));
        assert_eq!(r.end.write_bytes, 1 << 20);
        assert_eq!((r.end.full, r.end.failed == 0), (until_full, until_full));
        assert_eq!(r.end.submitted, r.end.completed + r.end.failed);
    }
}

#[test]
fn errors_that_are_none_are_counted_and_end_nothing() {
    let clock = SimClock::coarse();
    let mut j = job(Mix::READ, 4);
    j.stop.max_ops = Some(1000);
    j.tuning.ignore_errors[0] = vec![5];
    let answer = |r: &Request| if r.at.is_multiple_of(8192) { -5 } else { r.len as i32 };
    let r = run(&j, clock, Box::new(Pool { answer, ..pool(clock, |_| 1000) }));
    assert_eq!(r.end.completed + r.end.failed, 1000);
    assert!(r.end.failed > 400 && r.end.ignored == r.end.failed && r.end.first_error == 0);
}

#[test]
fn a_load_by_bytes_ends_with_the_operation_that_reaches_them() {
    for depth in [1, 8] {
        let clock = SimClock::coarse();
        let mut j = job(Mix::READ, depth);
        let sizes = [(4096, 3), (16384, 2), (65536, 1)].map(|(s, weight)| SizeShare { size: Bytes(s), weight });
        j.workload.block = BlockSizes::Split(sizes.to_vec());
        j.tuning.ends.max_bytes = Some(Bytes(3_000_000));
        let mut pattern = Pattern::new(&j.workload, j.target.size, Part { worker: 0, workers: 1 }, j.seed).unwrap();
        let (mut bytes, mut ops) = (0, 0);
        while bytes < 3_000_000 {
            bytes += u64::from(pattern.next_io().len);
            ops += 1;
        }
        let r = run(&j, clock, Box::new(pool(clock, |_| 1000)));
        assert_eq!((r.end.read_bytes, r.end.read_ops), (bytes, ops));
    }
}

#[test]
fn every_operation_is_logged_though_they_are_more_than_a_recorder_holds() {
    for depth in [1, 8] {
        let clock = SimClock::coarse();
        let mut j = job(Mix::READ, depth);
        (j.tuning.every_op, j.tuning.split_latency) = (true, depth > 1);
        j.stop.max_ops = Some(50_000);
        let r = run(&j, clock, Box::new(Pool { accept: 100, ..pool(clock, |_| 1000) }));
        assert_eq!((r.log.len(), r.end.unlogged), (50_000, 0));
        assert!(r.log.windows(2).all(|w| w[0].time <= w[1].time));
        let sum: u128 = r.log.iter().map(|e| u128::from(e.latency)).sum();
        assert_eq!(sum, r.total.latency().summary().sum);
        assert!(r.log.iter().all(|e| e.len == 4096 && e.submission == if depth > 1 { 100 } else { 0 }));
    }
}

/// Simulated disk in memory that can lose data.
struct Disk {
    bytes: Rc<RefCell<Vec<u8>>>,
    buffers: Vec<Vec<u8>>,
    done: Vec<Completion>,
    clock: SimClock,
    writes: u64,
    /// Number of the write that is acknowledged but lost.
    loses: u64,
    /// True if reads fail and fill the buffer with garbage, except for the header.
    garbles: bool,
}

impl Engine for Disk {
    fn submit(&mut self, requests: &[Request]) -> std::io::Result<usize> {
        for r in requests {
            self.clock.advance(10_000);
            let range = r.at as usize..r.at as usize + r.len as usize;
            let buffer = &mut self.buffers[r.slot as usize][..r.len as usize];
            match r.op {
                Op::Read if self.garbles => {
                    buffer[2048..].fill(0xA5);
                    self.done.push(Completion { slot: r.slot, result: -5 });
                    continue;
                }
                Op::Read => buffer.copy_from_slice(&self.bytes.borrow()[range]),
                Op::Write => {
                    self.writes += 1;
                    if self.writes != self.loses {
                        self.bytes.borrow_mut()[range].copy_from_slice(buffer);
                    }
                }
                Op::Trim | Op::Flush => {}
            }
            self.done.push(Completion { slot: r.slot, result: r.len as i32 });
        }
        Ok(requests.len())
    }

    fn reap(&mut self, _: usize, _: crate::engine::Wait, done: &mut Vec<Completion>) -> std::io::Result<()> {
        done.append(&mut self.done);
        Ok(())
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        &mut self.buffers[slot as usize]
    }
}

fn disk(clock: SimClock, bytes: &Rc<RefCell<Vec<u8>>>, depth: u32) -> Disk {
    let buffers = vec![vec![0; 65536]; depth as usize];
    Disk { bytes: Rc::clone(bytes), buffers, done: Vec::new(), clock, writes: 0, loses: 0, garbles: false }
}

fn verifying(depth: u32, repeat: bool) -> Job {
    let mut j = job(Mix::WRITE, depth);
    j.workload.access = Access::Random { distribution: model::plan::Distribution::Uniform, repeat };
    j.stop.time = Nanos(600 * SECOND);
    j.tuning.ends.max_bytes = Some(Bytes::from_mib(4));
    j.workload.detail.verify = Some(Verify::new(Checksum::Crc32c));
    j
}

fn verify_of(j: &mut Job) -> &mut Verify {
    j.workload.detail.verify.as_mut().expect("it verifies")
}

fn medium() -> Rc<RefCell<Vec<u8>>> {
    Rc::new(RefCell::new(vec![0; 4 << 20]))
}

#[test]
fn what_was_written_is_read_back_and_right_and_counted_as_reads() {
    for (depth, repeat) in [(1, false), (8, false), (8, true)] {
        let (clock, bytes) = (SimClock::coarse(), medium());
        let r = run(&verifying(depth, repeat), clock, Box::new(disk(clock, &bytes, depth)));
        assert_eq!((r.end.write_ops, r.end.verified.wrong, r.end.failed), (1024, 0, 0), "{:?}", r.end.verified);
        assert_eq!(r.end.verified.blocks, r.end.read_ops);
        assert!(if repeat { r.end.read_ops < 700 } else { r.end.read_ops == 1024 }, "{}", r.end.read_ops);
    }
}

#[test]
fn a_lost_write_is_found_where_something_older_of_ours_stands() {
    let (clock, bytes) = (SimClock::coarse(), medium());
    let mut j = verifying(4, false);
    j.tuning.ends.max_bytes = Some(Bytes::from_mib(8));
    let r = run(&j, clock, Box::new(Disk { loses: 1500, ..disk(clock, &bytes, 4) }));
    assert_eq!((r.end.verified.blocks, r.end.verified.wrong), (1024, 1), "{:?}", r.end.verified);
    let finding = &r.end.verified.findings[0];
    assert!(finding.starts_with("/somewhere at byte ") && finding.contains("expected write 1500"), "{finding}");
    assert_eq!((r.end.failed, r.end.first_error), (1, 84));
    assert_eq!(r.total.op(Op::Read).tally.errors.get(&84), Some(&1));
}

#[test]
fn a_backlog_is_checked_while_writing_goes_on_and_in_the_end_everything_was() {
    for batch in [None, Some(10)] {
        let (clock, bytes) = (SimClock::coarse(), medium());
        let mut j = verifying(4, false);
        (verify_of(&mut j).backlog, verify_of(&mut j).backlog_batch) = (Some(64), batch);
        let r = run(&j, clock, Box::new(disk(clock, &bytes, 4)));
        assert_eq!((r.end.verified.blocks, r.end.verified.wrong), (1024, 0), "{:?}", r.end.verified);
        assert_eq!((r.end.write_ops, r.end.read_ops), (1024, 1024));
    }
}

#[test]
fn an_identical_job_can_check_later_what_an_earlier_one_wrote() {
    let (clock, bytes) = (SimClock::coarse(), medium());
    let mut j = verifying(8, true);
    run(&j, clock, Box::new(disk(clock, &bytes, 8)));
    verify_of(&mut j).only = true;
    let r = run(&j, clock, Box::new(disk(clock, &bytes, 8)));
    assert_eq!((r.end.write_ops, r.end.verified.wrong), (0, 0), "{:?}", r.end.verified);
    assert!(r.end.verified.blocks > 500);
    bytes.borrow_mut().fill(0);
    verify_of(&mut j).fatal = true;
    let r = run(&j, clock, Box::new(disk(clock, &bytes, 8)));
    assert!(r.end.verified.wrong >= 1 && r.end.verified.blocks < 20, "{:?}", r.end.verified);
    assert!(r.end.verified.findings[0].contains("only zeros"), "{:?}", r.end.verified);
}

#[test]
fn a_copy_is_right_and_a_block_of_another_file_in_it_is_wrong() {
    for only in [true, false] {
        let (clock, bytes) = (SimClock::coarse(), medium());
        let mut j = verifying(4, false);
        run(&j, clock, Box::new(disk(clock, &bytes, 4)));
        // The target has another UUID now, because it was copied or another run has written it since.
        j.target.uuid = Some(78);
        if only {
            verify_of(&mut j).only = true;
        } else {
            j.workload.mix = Mix::READ;
        }
        let r = run(&j, clock, Box::new(disk(clock, &bytes, 4)));
        assert_eq!((r.end.verified.blocks, r.end.verified.wrong), (1024, 0), "{:?}", r.end.verified);
        let (clock, others) = (SimClock::coarse(), medium());
        let mut other = verifying(4, false);
        other.target.uuid = Some(79);
        run(&other, clock, Box::new(disk(clock, &others, 4)));
        bytes.borrow_mut()[409_600..413_696].copy_from_slice(&others.borrow()[409_600..413_696]);
        let r = run(&j, clock, Box::new(disk(clock, &bytes, 4)));
        assert_eq!((r.end.verified.blocks, r.end.verified.wrong), (1024, 1), "{:?}", r.end.verified);
        let finding = &r.end.verified.findings[0];
        assert!(finding.contains("at byte 409600") && finding.contains("a block of another file"), "{finding}");
    }
}

#[test]
fn what_a_failed_read_leaves_in_a_buffer_is_never_written() {
    let mut j = job(Mix { write_percent: 50, trim_percent: 0 }, 4);
    j.on_error = ErrorPolicy::Continue;
    j.stop.time = Nanos(600 * SECOND);
    j.tuning.ends.max_bytes = Some(Bytes::from_mib(4));
    let (clock, bytes) = (SimClock::coarse(), medium());
    let content = Arc::new(crate::content::Content::new(77, 1));
    let r = run_with(&j, clock, Box::new(Disk { garbles: true, ..disk(clock, &bytes, 4) }), Some(content));
    assert!(r.end.failed > 400 && r.end.write_ops > 400, "{:?}", r.end);
    let written: Vec<u64> = (0..1024).filter(|n| bytes.borrow()[*n as usize * 4096] != 0).collect();
    assert_eq!(written.len() as u64, r.end.write_ops);
    for n in written {
        let block = &bytes.borrow()[n as usize * 4096..][..4096];
        assert_eq!(crate::granules::verify(block, n * 4096, 77).map(|v| v.granules), Ok(1));
    }
}

#[test]
fn a_load_of_reads_checks_what_it_reads() {
    let (clock, bytes) = (SimClock::coarse(), medium());
    let mut j = verifying(4, false);
    (verify_of(&mut j).interval, verify_of(&mut j).method) = (Some(Bytes(512)), Checksum::Sha256);
    run(&j, clock, Box::new(disk(clock, &bytes, 4)));
    bytes.borrow_mut()[1_000_000] ^= 1;
    j.workload.mix = Mix::READ;
    let r = run(&j, clock, Box::new(disk(clock, &bytes, 4)));
    assert_eq!((r.end.verified.blocks, r.end.verified.wrong, r.end.read_ops), (1024, 1, 1023), "{:?}", r.end.verified);
    assert!(r.end.verified.findings[0].contains("at byte 999936"), "{:?}", r.end.verified);
}

#[test]
fn what_was_written_until_the_time_was_up_is_checked_after_that() {
    let (clock, bytes) = (SimClock::coarse(), medium());
    let mut j = verifying(4, false);
    j.stop.time = Nanos(5 * MS);
    let r = run(&j, clock, Box::new(disk(clock, &bytes, 4)));
    assert!((490..510).contains(&r.end.write_ops), "{}", r.end.write_ops);
    assert_eq!((r.end.verified.blocks, r.end.verified.wrong), (r.end.write_ops, 0));
}

#[test]
fn what_does_not_go_together_is_refused() {
    let mut j = job(Mix::READ, 1);
    j.workload.pacing = Pacing::Fixed(Iops(10.0));
    assert_eq!(refusal(&j), None);
    j.workload.detail.think =
        Some(Think { time: Nanos(1), spin: Nanos(0), blocks: 1, by_issue: false, work_time: None });
    assert!(refusal(&j).is_some_and(|r| r.to_string().contains("open loop")));
    let mut j = verifying(1, false);
    verify_of(&mut j).interval = Some(Bytes(32));
    assert!(refusal(&j).is_some_and(|r| r.to_string().contains("52 bytes")), "{:?}", refusal(&j));
}

#[test]
#[ignore = "measures: run with optimisation, --ignored --nocapture"]
#[expect(clippy::print_stderr, reason = "it is a measurement")]
fn cost_of_an_operation() {
    for depth in [1, 32] {
        for (parts, every, fine) in [
            (false, false, false),
            (true, false, false),
            (true, true, false),
            (false, false, true),
            (true, false, true),
        ] {
            let mut j = job(Mix::READ, depth);
            (j.tuning.split_latency, j.tuning.every_op) = (parts, every);
            if fine {
                j.tuning.queueing.complete_max = Some(64);
            }
            j.stop.max_ops = Some(if every { 3_000_000 } else { 20_000_000 });
            j.stop.time = Nanos(60 * SECOND);
            let opening = crate::engine::Opening { size: 4 << 20, depth, buffer_size: 4096, ..Default::default() };
            let engine = (crate::engines::find("null").unwrap().open)(&opening).unwrap().engine;
            let r = run(&j, sys::clock::MonotonicClock::start(), engine);
            let ns = r.end.cpu.as_nanos() as f64 / r.end.completed as f64;
            eprintln!("depth {depth:2} parts {parts} log {every} fine {fine}: {ns:.1} ns of CPU an operation");
        }
    }
}

/// Returns a job that replays reads with these due times, in milliseconds. Each read may depend on the completion of
/// another.
fn replayed(depth: u32, pace: ReplayPace, list: &[(u64, Option<u32>)]) -> Job {
    let request = |(at, (due, follows)): (usize, &(u64, Option<u32>))| ReplayRequest {
        due: Nanos(due * MS),
        at: at as u64 * 4096,
        len: 4096,
        file: 0,
        op: Op::Read,
        flush: model::plan::FlushKind::Data,
        follows: follows.unwrap_or(ReplayRequest::FREE),
    };
    let list: Vec<ReplayRequest> = list.iter().enumerate().map(request).collect();
    let mut job = job(Mix::READ, depth);
    job.stop.max_ops = Some(list.len() as u64);
    job.tuning.every_op = true;
    job.tuning.work = Work::Replay(Box::new(Replay::new("a test", pace, list)));
    job
}

/// Returns the requests sent, with the time of each in milliseconds.
fn sent(ran: &Ran) -> Vec<(u64, u64)> {
    ran.log.iter().map(|e| (e.at / 4096, (e.time - e.latency) / MS)).collect()
}

#[test]
fn a_replay_sends_what_is_due_and_counts_from_then() {
    let job = replayed(4, ReplayPace::Recorded, &[(0, None), (10, None), (20, None), (21, None)]);
    let clock = SimClock::coarse();
    let quick = run(&job, clock, server(clock, |_| MS / 2));
    assert_eq!(sent(&quick), [(0, 0), (1, 10), (2, 20), (3, 21)]);
    assert_eq!((quick.end.completed, quick.end.failed), (4, 0));
    let clock = SimClock::coarse();
    let slow = run(&job, clock, server(clock, |_| 15 * MS));
    // The latency of a request sent late is counted from its due time.
    let whole = slow.total.response().max().expect("it has latencies");
    assert!(whole.as_nanos().abs_diff(39 * MS) < MS, "the last one was due at 21 ms and ended at 60: {whole}");
}

#[test]
fn what_follows_another_waits_for_its_end_and_holds_up_nothing_else() {
    let list = [(0, None), (5, Some(0)), (1, Some(1)), (12, None)];
    for (service, expected) in [
        (MS, [(0, 0), (1, 6), (2, 8), (3, 12)]),
        // On the slower device, requests that depend on others are sent later; the independent request is sent at the
        // same time as before.
        (10 * MS, [(0, 0), (3, 12), (1, 22), (2, 33)]),
    ] {
        let clock = SimClock::coarse();
        let ran = run(&replayed(4, ReplayPace::Recorded, &list), clock, server(clock, move |_| service));
        assert_eq!(sent(&ran), expected, "{service}");
    }
}

#[test]
fn a_slow_file_takes_no_room_of_another() {
    let mut job = replayed(4, ReplayPace::Recorded, &[(0, None), (1, None), (2, None), (3, None), (4, None)]);
    let Work::Replay(replay) = &mut job.tuning.work else { panic!("it is one") };
    let mut list = replay.list.0.to_vec();
    list[3..].iter_mut().for_each(|request| request.file = 1);
    replay.list = model::plan::ReplayList(list.into());
    replay.in_flight = vec![1, 3];
    let clock = SimClock::coarse();
    let longer = |request: &Request| if request.file == 0 { 9 * MS } else { 0 };
    let ran = run(&job, clock, Box::new(Pool { longer, ..pool(clock, |_| MS) }));
    assert_eq!(sent(&ran), [(3, 3), (4, 4), (0, 0), (1, 10), (2, 20)]);
    let whole = ran.total.response().max().expect("it has latencies");
    assert!(whole.as_nanos().abs_diff(28 * MS) < MS, "the third was due at 2 ms and ended at 30: {whole}");
}

#[test]
fn what_follows_all_writes_waits_for_the_slowest_of_its_file() {
    let all_writes = Some(ReplayRequest::ALL_WRITES);
    let list = [(0, None), (1, None), (1, None), (1, None), (2, all_writes), (3, Some(4)), (0, all_writes)];
    let mut job = replayed(8, ReplayPace::Recorded, &list);
    let Work::Replay(replay) = &mut job.tuning.work else { panic!("it is one") };
    let mut list = replay.list.0.to_vec();
    // The first request is a read, the second is on another file, and the fifth and the last are flushes.
    for place in [1, 2, 3, 5] {
        list[place].op = Op::Write;
    }
    list[1].file = 1;
    for place in [4, 6] {
        (list[place].op, list[place].len) = (Op::Flush, 0);
    }
    replay.list = model::plan::ReplayList(list.into());
    let longer = |request: &Request| MS * [99, 49, 19, 0].get((request.at / 4096) as usize).copied().unwrap_or(0);
    let clock = SimClock::coarse();
    let ran = run(&job, clock, Box::new(Pool { longer, ..pool(clock, |_| MS) }));
    // The third write starts at 1 ms and takes 20 ms. The flush follows 2 ms later, a write 3 ms after the end of the
    // flush, and the other flush immediately after the third write.
    assert_eq!(sent(&ran), [(3, 1), (2, 1), (4, 23), (5, 27), (6, 28), (1, 1), (0, 0)]);
}

#[test]
fn what_follows_another_load_goes_when_that_has_told_its_end_and_tells_its_own() {
    let elsewhere = Some(ReplayRequest::ELSEWHERE);
    let job = |links: ReplayLinks| {
        let mut job = replayed(4, ReplayPace::Recorded, &[(0, None), (2, elsewhere), (1, Some(1)), (3, elsewhere)]);
        let Work::Replay(replay) = &mut job.tuning.work else { panic!("it is one") };
        replay.links = links;
        job
    };
    let clock = SimClock::coarse();
    let signals = ReplaySignals::new(4);
    // The last request waits for an event that ended earlier than the event for which the second request waits.
    let begun = clock.now();
    signals.set(0, begun + 10 * MS);
    signals.set(1, begun + 5 * MS);
    let links = ReplayLinks { awaits: vec![(1, 0), (3, 1)], tells: vec![(0, 2), (2, 3)], signals: signals.clone() };
    let ran = run(&job(links), clock, server(clock, |_| MS));
    assert_eq!(sent(&ran), [(0, 0), (3, 8), (1, 12), (2, 14)]);
    let ended_ms = |signal| signals.ended(signal).map(|ended| (ended - begun) / MS);
    assert_eq!((ended_ms(2), ended_ms(3)), (Some(1), Some(15)));
    // If a load ends before it has sent all requests, other loads do not wait for the rest.
    let signals = ReplaySignals::new(3);
    let links = ReplayLinks { awaits: vec![(1, 0), (3, 0)], tells: vec![(2, 1), (0, 2)], signals: signals.clone() };
    drop(super::loops::replay::ReplayLoop::new(job(links).tuning.work.replay().expect("it is one"), 4));
    assert!(signals.ended(0).is_none() && signals.ended(1).is_some() && signals.ended(2).is_some());
}

#[test]
fn as_fast_as_possible_only_order_is_kept() {
    let list = [(0, None), (5000, Some(0)), (7000, None)];
    let clock = SimClock::coarse();
    let ran = run(&replayed(1, ReplayPace::Unpaced, &list), clock, server(clock, |_| MS));
    assert_eq!(sent(&ran), [(0, 0), (1, 1), (2, 2)]);
    assert!(ran.total.response().max().is_some_and(|l| l < Nanos(2 * MS)), "nothing is late");
}

#[test]
fn what_follows_one_that_failed_is_made_all_the_same() {
    let mut job = replayed(2, ReplayPace::Recorded, &[(0, None), (1, Some(0))]);
    job.on_error = ErrorPolicy::Continue;
    job.faults = None;
    let clock = SimClock::coarse();
    let plan = model::plan::FaultPlan {
        error_rate: 1.0,
        errno: 5,
        short_rate: 0.0,
        delay_rate: 0.0,
        delay: Nanos(0),
        hang_after: None,
    };
    let engine = crate::engines::Faulty::new(server(clock, |_| MS), 2, plan, 1, move || clock.now());
    let ran = run(&job, clock, Box::new(engine));
    assert_eq!((ran.end.submitted, ran.end.failed), (2, 2));
}
