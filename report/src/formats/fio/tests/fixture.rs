//! A made-up run of a job file: three clones of a mixed job with flushes, reported as a group; after a stonewall, a job
//! that writes, verifies and has errors; on a device composed of two others.

use model::measured::*;
use model::plan::*;
use model::record::*;
use model::*;

const SECOND: u64 = Nanos::from_secs(1).as_nanos();
const WINDOW: u64 = Nanos::from_millis(100).as_nanos();

pub(super) fn target() -> Target {
    Target {
        kind: TargetKind::File,
        path: "/data/t".into(),
        size: Bytes::from_gib(1),
        offset: Bytes(0),
        direct: true,
        align: Bytes(512),
        uuid: None,
    }
}

pub(super) fn job(name: &str, workload: Workload, engine: &str, depth: u32) -> Job {
    Job {
        name: name.into(),
        workload,
        target: target(),
        more: Vec::new(),
        engine: engine.into(),
        queue_depth: depth,
        threads: 1,
        stop: StopRule { ramp: Nanos(0), time: Nanos::from_secs(2), steady_after: None, max_ops: None },
        on_error: ErrorPolicy::Stop,
        seed: 1,
        faults: None,
        tuning: JobTuning::default(),
    }
}

pub(super) fn stage(job: Job, section: usize, clone: u32, with_previous: bool) -> Stage {
    Stage {
        place: StagePlacement { with_previous, section: Some(section), clone, ..StagePlacement::default() },
        ..Stage::fixed(job.name.clone(), job)
    }
}

/// Returns latencies from 80 us up with a tail, identical for the same seed.
fn latencies(n: u64, seed: u64) -> impl Iterator<Item = u64> {
    (0..n).map(move |i| {
        let x = (i * 2_654_435_761 + seed * 977) % 1000;
        80_000 + x * 150 + if x > 990 { (x - 990) * 2_000_000 } else { 0 }
    })
}

fn stats(n: u64, size: u64, seed: u64, parts: bool) -> OpStats {
    let mut stats = OpStats { tally: Tally { ops: n, bytes: n * size, ..Tally::default() }, ..OpStats::default() };
    for ns in latencies(n, seed) {
        stats.latency.record(Nanos(ns));
        if parts {
            stats.submission.record(Nanos(2_000 + ns % 700));
            stats.completion.record(Nanos(ns - 2_000 - ns % 700));
        }
    }
    stats
}

/// Counts of an interval by kind of operation.
type Counts = [u64; 4];

fn interval(start: u64, counts: Counts, seed: u64, parts: bool) -> Interval {
    let mut interval = Interval { start: Nanos(start), length: Nanos(SECOND), ..Interval::default() };
    for (i, n) in counts.into_iter().enumerate().filter(|(_, n)| *n > 0) {
        interval.per_op[i] = stats(n, if i == 3 { 0 } else { 8192 }, seed + i as u64, parts && i != 3);
    }
    if parts {
        let n = interval.data_ops();
        let queue = QueueStats {
            depth: [n / 10, n / 5, n - n / 10 - n / 5, 0, 0, 0, 0],
            submit: [0, n, 0, 0, 0, 0, 0],
            complete: [3, n, 0, 0, 0, 0, 0],
        };
        interval.queue = Some(Box::new(queue));
    }
    let latency = interval.latency().summary().sum as u64 + interval.op(Op::Flush).latency.summary().sum as u64;
    interval.windows = (0..10u64)
        .map(|w| {
            // An uneven share for each window, adding up to the total.
            let part = |n: u64| {
                n * (w + 1) * (w + 2) / 132 - n * w * (w + 1) / 132 + if w == 9 { n - n * 110 / 132 } else { 0 }
            };
            let ops = counts.map(part);
            Window {
                start: Nanos(start + w * WINDOW),
                length: Nanos(WINDOW),
                ops,
                bytes: [ops[0] * 8192, ops[1] * 8192, ops[2] * 8192, 0],
                errors: 0,
                latency_sum: latency / 10,
            }
        })
        .collect();
    interval
}

fn step(stage: usize, job: &Job, start: u64, seconds: &[Counts], parts: bool) -> Step {
    let intervals: Vec<Interval> = seconds
        .iter()
        .enumerate()
        .map(|(i, counts)| interval(start + i as u64 * SECOND, *counts, stage as u64 * 31 + i as u64, parts))
        .collect();
    let end = StepEnd {
        at: Nanos(start + seconds.len() as u64 * SECOND + 2_000_000),
        usage: ThreadUsage {
            user: Nanos::from_millis(40),
            system: Nanos::from_millis(330),
            switches: 16_000,
            major_faults: 0,
            minor_faults: 3,
        },
        ..StepEnd::default()
    };
    Step {
        stage,
        pass: 0,
        hold: false,
        job: job.clone(),
        start: Nanos(start),
        sampled: None,
        intervals,
        end: Some(end),
        accounting: None,
    }
}

fn options(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// Returns the sections of a run of fio, to be changed.
pub(super) fn sections_mut(record: &mut RunRecord) -> &mut Vec<Section> {
    match &mut record.plan.kind {
        model::RunKind::JobFile { sections } => sections,
        other => panic!("a run of fio, not {other:?}"),
    }
}

pub(super) fn empty(stages: Vec<Stage>, sections: Vec<Section>) -> RunRecord {
    RunRecord {
        state: RunState::Complete,
        ..RunRecord::new(
            "0.1.0",
            "3f2a9c1b-77d1-4d21-9e01-8844aa105c7f",
            "2026-11-21T12:48:11.25+00:00",
            Plan {
                args: vec!["job.fio".into()],
                time: Thoroughness::Standard,
                keep: true,
                ..Plan::new(model::RunKind::JobFile { sections }, target(), stages, Nanos::from_secs(30))
            },
            Preflight::default(),
        )
    }
}

fn sections() -> Vec<Section> {
    let globals = options(&[("ioengine", "libaio"), ("direct", "1")]);
    vec![
        Section {
            name: "mixed".into(),
            options: options(&[("rw", "randrw"), ("bs", "8k"), ("fdatasync", "16")]),
            globals: globals.clone(),
            one_report: true,
            ..Section::default()
        },
        Section {
            name: "checked".into(),
            options: options(&[("readwrite", "write"), ("verify", "crc32c"), ("ioengine", "psync")]),
            globals,
            group: 1,
            description: "writes, then reads back".into(),
            ..Section::default()
        },
    ]
}

fn disk(name: &str, ops: [u64; 2]) -> DiskUse {
    DiskUse {
        name: name.into(),
        ops,
        merges: [3, 4],
        sectors: ops.map(|n| n * 16),
        ticks: ops.map(|n| Nanos(n * 100_000)),
        in_queue: Nanos((ops[0] + ops[1]) * 100_000),
        busy: Nanos::from_secs(3),
        length: Nanos::from_secs(5),
        flushes: None,
        slaves: Vec::new(),
    }
}

/// Returns the record of the run.
pub(super) fn record() -> RunRecord {
    let mut workload = Workload::new(Mix { write_percent: 50, trim_percent: 0 }, Bytes(8192), Access::RANDOM);
    workload.flush_every = Some(16);
    let mut mixed = job("mixed", workload, "libaio", 4);
    mixed.tuning.split_latency = true;
    let mut checking = Workload::new(Mix::WRITE, Bytes(8192), Access::Sequential);
    checking.detail.verify = Some(Verify::new(Checksum::Crc32c));
    let mut checked = job("checked", checking, "psync", 1);
    checked.on_error = ErrorPolicy::Continue;
    let mut stages: Vec<Stage> = (0..3).map(|clone| stage(mixed.clone(), 0, clone, clone > 0)).collect();
    stages.push(stage(checked.clone(), 1, 0, false));
    let mut record = empty(stages, sections());
    for clone in 0..3u64 {
        let counts = [400 + clone * 50, 390 + clone * 50, 0, 25];
        record.steps.push(step(clone as usize, &mixed, 0, &[counts, counts], true));
    }
    record.steps.push(step(3, &checked, 3 * SECOND, &[[0, 900, 0, 0], [0, 900, 0, 0], [1800, 0, 0, 0]], false));
    let last = &mut record.steps[3];
    last.intervals[1].per_op[Op::Write.index()].tally.errors.insert(5, 7);
    last.intervals[1].per_op[Op::Write.index()].tally.short = 2;
    last.end.as_mut().expect("every step has one").first_error = 5;
    record.ended = last.end.as_ref().expect("every step has one").at;
    record.disks = vec![DiskUse {
        slaves: vec![disk("sda", [2000, 1500]), disk("sdb", [1000, 900])],
        ..disk("dm-0", [3000, 2400])
    }];
    record.notes = vec![(Nanos(0), "1 thread for each clone".into())];
    record.plan.layout = vec![Layout {
        path: "/data/t".into(),
        size: Bytes::from_gib(1),
        reserve: Reserve::Allocate,
        write: true,
        unwritten: Vec::new(),
        durable: true,
        exists: false,
        stages: vec![0, 1, 2, 3],
    }];
    record
}
