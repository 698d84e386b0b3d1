//! Synthetic database runs for tests of this crate and of the screen: seconds of workers with a spread of latencies,
//! and the engine's figures for them. Depends only on the types of `model`.

use model::measured::*;
use model::plan::*;
use model::record::*;
use model::*;

const SECOND: u64 = Nanos::from_secs(1).as_nanos();
const MILLI: u64 = Nanos::from_millis(1).as_nanos();

/// Work of one worker per second.
#[derive(Clone, Copy)]
pub struct Worker {
    /// Number of reads.
    pub reads: u64,
    /// Mean latency of a read, in nanoseconds.
    pub read_ns: u64,
    /// Number of transactions of [`BATCH`] updates.
    pub transactions: u64,
    /// Mean latency of an update, in nanoseconds.
    pub update_ns: u64,
    /// Mean latency of a commit, in nanoseconds.
    pub commit_ns: u64,
}

/// Updates per transaction.
pub const BATCH: u32 = 50;

/// Returns a worker that only reads.
#[must_use]
pub fn reader(reads: u64, read_ns: u64) -> Worker {
    Worker { reads, read_ns, transactions: 0, update_ns: 0, commit_ns: 0 }
}

/// Returns a worker that only updates.
#[must_use]
pub fn writer(transactions: u64, update_ns: u64, commit_ns: u64) -> Worker {
    Worker { reads: 0, read_ns: 0, transactions, update_ns, commit_ns }
}

/// Returns the latency of request `i`, with the given mean: one in fifty takes four times as long.
fn spread(mean: u64, i: u64) -> Nanos {
    Nanos(if i % 50 == 49 { mean * 4 } else { mean * 46 / 49 })
}

/// Returns the work of a worker in the second with this number.
#[must_use]
pub fn second(worker: &Worker, number: u64, start: u64) -> Interval {
    let mut interval = Interval { start: Nanos(start), length: Nanos(SECOND), ..Interval::default() };
    let updates = worker.transactions * u64::from(BATCH);
    let kinds = [
        (Op::Read, worker.reads, worker.read_ns, 8192),
        (Op::Write, updates, worker.update_ns, 45),
        (Op::Flush, worker.transactions, worker.commit_ns, 0),
    ];
    for (op, n, mean, bytes) in kinds {
        let stats = &mut interval.per_op[op.index()];
        stats.tally = Tally { ops: n, bytes: n * bytes, ..Tally::default() };
        for i in 0..n {
            stats.latency.record(spread(mean, i + number));
        }
        interval.in_flight_ns += stats.latency.summary().sum;
    }
    if worker.transactions > 0 {
        let mut transacted = Transacted::default();
        let whole = worker.update_ns * u64::from(BATCH) + worker.commit_ns;
        for i in 0..worker.transactions {
            // In a quarter of the time the engine writes back, and transactions take twice as long.
            if (number + i) % 4 == 3 {
                transacted.inside.record(spread(whole * 2, i));
            } else {
                transacted.outside.record(spread(whole, i));
            }
        }
        interval.transacted = Some(Box::new(transacted));
    }
    interval.windows = (0..10)
        .map(|w| Window {
            start: Nanos(start + w * SECOND / 10),
            length: Nanos(SECOND / 10),
            ops: [worker.reads / 10 + (w + number) % 3, updates / 10, 0, 0],
            ..Window::default()
        })
        .collect();
    interval
}

fn job(name: &str, worker: &Worker) -> Job {
    let mix = if worker.transactions == 0 { Mix::READ } else { Mix::WRITE };
    let rule = (worker.transactions > 0).then(|| {
        Box::new(SessionRule {
            blocks: false,
            batch: BATCH,
            transaction: true,
            hang: Nanos::from_millis(2),
            hang_variation: 0,
            read_percent: if worker.reads > 0 { 70 } else { 0 },
            own: GlobalSize::new(1, 1_000_000),
            read: vec![GlobalSize::new(1, 1_000_000)],
            order: KeyOrder::Random,
            value: ValueRule::Text,
            names: None,
            extra: Default::default(),
        })
    });
    Job {
        name: name.to_owned(),
        workload: Workload::new(mix, Bytes(8192), Access::RANDOM),
        target: target(),
        more: Vec::new(),
        engine: if rule.is_some() { "session" } else { "psync" }.to_owned(),
        queue_depth: 1,
        threads: 1,
        stop: StopRule { ramp: Nanos(0), time: Nanos::from_secs(10), steady_after: None, max_ops: None },
        on_error: ErrorPolicy::Stop,
        seed: 1,
        faults: None,
        tuning: JobTuning {
            work: rule.map_or(model::plan::Work::Requests, model::plan::Work::Session),
            ..JobTuning::default()
        },
    }
}

fn target() -> Target {
    Target {
        kind: TargetKind::File,
        path: "/data/ran/data/global1.db".into(),
        size: Bytes::from_gib(48),
        offset: Bytes(0),
        direct: true,
        align: Bytes(512),
        uuid: None,
    }
}

/// Returns a run of waves, each with its number of processes and its workers, each `seconds` long.
#[must_use]
pub fn run(verb: &str, waves: &[(u32, Worker)], seconds: u64) -> RunRecord {
    let mut record = RunRecord {
        state: RunState::Complete,
        results: Some(model::record::Results::Database(Box::new(used(verb)))),
        ..RunRecord::new(
            "0.1.0",
            "5c7f3f2a-77d1-4d21-9e01-8844aa109c1b",
            "2026-11-21T14:01:27+00:00",
            Plan {
                args: ["db", verb, "/data/ran"].map(String::from).to_vec(),
                keep: true,
                ..Plan::new(model::RunKind::Database, target(), Vec::new(), Nanos::from_secs(60))
            },
            Preflight::default(),
        )
    };
    record.preflight.host =
        HostFacts { hostname: "db1".into(), cpus: 4, memory: Bytes::from_gib(16), ..HostFacts::default() };
    let mut clock = SECOND;
    for (processes, worker) in waves {
        let name = |i: u32| format!("{verb}.p{processes}.w{i}");
        let from = record.steps.len();
        for i in 0..*processes {
            let job = job(&name(i), worker);
            record.plan.stages.push(Stage {
                place: StagePlacement { with_previous: i > 0, clone: i, ..StagePlacement::default() },
                ..Stage::fixed(name(i), job.clone())
            });
            // Workers differ slightly.
            let varied = Worker { reads: worker.reads + if worker.reads > 0 { u64::from(i) } else { 0 }, ..*worker };
            let intervals: Vec<Interval> =
                (0..seconds).map(|s| second(&varied, s + u64::from(i), clock + s * SECOND)).collect();
            let done = intervals.iter().map(Interval::ops).sum();
            record.steps.push(Step {
                stage: record.plan.stages.len() - 1,
                pass: 0,
                hold: false,
                job,
                start: Nanos(clock),
                sampled: None,
                intervals,
                end: Some(StepEnd {
                    at: Nanos(clock + seconds * SECOND),
                    submitted: done,
                    completed: done,
                    host_idle: Some(0.8),
                    ..StepEnd::default()
                }),
                accounting: None,
            });
        }
        let steps: Vec<usize> = (from..record.steps.len()).collect();
        let reads: u64 = steps.iter().map(|i| record.steps[*i].total().op(Op::Read).tally.ops).sum();
        if worker.transactions == 0 {
            let counts = Accounting {
                asked_read: reads * 8192,
                asked_read_ops: reads,
                process_read: Some(reads * 8192),
                ..Accounting::default()
            };
            record.together.push((steps, counts));
        }
        clock += seconds * SECOND + SECOND / 2;
    }
    record.ended = Nanos(clock);
    record
}

fn used(verb: &str) -> DatabaseUse {
    DatabaseUse {
        engine: "sqlite".into(),
        version: "3.50.2".into(),
        directory: "/data/ran".into(),
        name: "RAN".into(),
        uuid: "11111111-77d1-4d21-9e01-8844aa109c1b".into(),
        page: Bytes(8192),
        cache: Bytes::from_mib(32),
        data: Bytes::from_gib(48),
        journal: true,
        commit: "journal_mode=WAL, synchronous=FULL".into(),
        direct: false,
        verb: verb.into(),
        ..DatabaseUse::default()
    }
}

/// Returns a run in which four workers read blocks.
#[must_use]
pub fn reads() -> RunRecord {
    let mut record = run("ranread", &[(4, reader(1502, 665_000))], 10);
    let reads: u64 = record.steps.iter().map(|s| s.total().op(Op::Read).tally.ops).sum();
    record.disks = vec![disk("vda", [reads + 3, 40], [reads * 16, 320])];
    record
}

fn disk(name: &str, ops: [u64; 2], sectors: [u64; 2]) -> DiskUse {
    DiskUse {
        name: name.into(),
        ops,
        sectors,
        length: Nanos::from_secs(10),
        busy: Nanos::from_secs(9),
        ..DiskUse::default()
    }
}

/// Returns a run in which four workers update in transactions, with separate devices for data and journal, while the
/// engine writes checkpoints.
#[must_use]
pub fn updates() -> RunRecord {
    let mut record = run("ranwrite", &[(4, writer(60, 120_000, 1_300_000))], 12);
    let used = record.database_mut().expect("it is a database run");
    let role = |role, device: &str, reads, writes: u64, size: u64, flushes| RoleUse {
        role,
        source: RoleSource::Devices { by: CountedBy::Device, devices: device.to_owned() },
        reads: Some(reads),
        read_bytes: Some(reads * 8192),
        writes: Some(writes),
        write_bytes: Some(writes * size),
        flushes: Some(flushes),
    };
    used.roles = vec![
        role(FileRole::Data, "vdb", 90_211, 31_420, 8192, 96),
        role(FileRole::Journal, "vdc", 0, 6_004, 102_400, 2_902),
    ];
    used.counters = vec![("wal_frames".into(), 141_200.0), ("checkpoints".into(), 6.0)];
    used.phases = (1..=6)
        .map(|i| EnginePhase {
            name: "WAL checkpoint".into(),
            start: Nanos(i * 2 * SECOND),
            end: Nanos(i * 2 * SECOND + 480 * MILLI),
            pages: Some(5_236),
        })
        .collect();
    used.backlog = (0..24).map(|i| (Nanos(SECOND + i * SECOND / 2), (i % 4) as f64 * 2_600.0)).collect();
    used.checks = vec!["integrity_check: ok".into()];
    let series = |name: &str, unit: &str, values: [f64; 4]| Series {
        name: format!("db.{name}"),
        unit: unit.into(),
        layer: Layer::Application,
        points: (1..).zip(values.iter().cycle().take(12)).map(|(s, v)| (Nanos(SECOND + s * SECOND), *v)).collect(),
    };
    record.series = vec![
        series("Glorefs", "ops/s", [11_950.0, 12_010.0, 12_000.0, 12_040.0]),
        series("Gloupds", "ops/s", [11_950.0, 12_010.0, 12_000.0, 12_040.0]),
        series("PhyRds", "ops/s", [7_450.0, 7_600.0, 7_490.0, 7_530.0]),
        series("PhyWrs", "ops/s", [0.0, 5_236.0, 0.0, 5_236.0]),
        series("Jrnwrts", "ops/s", [240.0, 241.0, 239.0, 240.0]),
        series("WDQsz", "pages", [0.0, 2_600.0, 5_200.0, 7_800.0]),
    ];
    record
}

/// Returns the figures of a document on PerfTools: a volume of 6,000 IOPS read by 1, 4, 8 and 16 processes.
#[must_use]
pub fn ramp() -> RunRecord {
    let waves = [
        (1, reader(1_597, 626_000)),
        (4, reader(1_502, 665_000)),
        (8, reader(767, 1_303_000)),
        (16, reader(384, 2_604_000)),
    ];
    let mut record = run("ranread", &waves, 6);
    record.plan.args = ["db", "ramp", "/data/ran", "--accept", "avg<=2ms, max<=20ms"].map(String::from).to_vec();
    record
}

/// Returns a run with reads and updates together.
#[must_use]
pub fn mixed() -> RunRecord {
    let worker = Worker { reads: 1_890, ..writer(16, 160_000, 900_000) };
    run("ranio", &[(2, Worker { read_ns: 210_000, ..worker })], 8)
}
