//! A made-up mark for the tests: a SATA disk of 2026, reads, writes and a mix, five loops each.

use super::{Mark, mark_format};
use crate::{Style, fixture};
use model::measured::*;
use model::plan::*;
use model::record::*;
use model::*;
use std::sync::LazyLock;

const SECOND: u64 = Nanos::from_secs(1).as_nanos();

/// Best rate of each test in MB/s, by direction.
const RATES: [[f64; 4]; 3] = [[556.4, 531.2, 312.7, 38.4], [523.9, 508.1, 287.3, 141.6], [498.2, 471.0, 244.9, 52.3]];
/// Rates of the loops relative to the best.
const LOOPS: [f64; 5] = [0.981, 0.994, 1.0, 0.902, 0.9905];

/// Record of a complete mark. It takes long to build: the latency of each operation is recorded.
static RECORD: LazyLock<RunRecord> = LazyLock::new(build_record);

/// Returns the record of a complete mark.
pub fn record() -> RunRecord {
    RECORD.clone()
}

fn build_record() -> RunRecord {
    let (mut record, _) = fixture::capped();
    let target = Target {
        path: "/mnt/data/secchi-3f2a9c1b-77d1-4d21-9e01-8844aa105c7f.dat".into(),
        size: Bytes::from_gib(1),
        ..record.plan.target.clone()
    };
    record.plan = Plan {
        trace: None,
        command: "mark".into(),
        args: vec!["mark".into(), "/mnt/data".into()],
        fill: target.size,
        stages: stages(&target),
        target,
        time: Thoroughness::Quick,
        limits: Vec::new(),
        needs: Vec::new(),
        keep: false,
        kind: model::RunKind::Mark { profile: Some("default".into()) },
        ..record.plan
    };
    record.id = "9c1b3f2a-77d1-4d21-9e01-8844aa105c7f".into();
    record.preflight.storage.filesystem = "ext4".into();
    record.preflight.storage.devices.truncate(1);
    record.preflight.storage.devices[0] = DeviceFacts {
        name: "sda".into(),
        kind: "scsi".into(),
        model: Some("Samsung SSD 870 EVO 1TB".into()),
        size: Bytes::from_gib(931),
        ..record.preflight.storage.devices[0].clone()
    };
    record.steps = record.plan.stages.iter().enumerate().map(|(i, s)| step(i, s)).collect();
    record.fill = Some(Fill { bytes: Bytes::from_gib(1), time: Nanos::from_secs(2) });
    record
}

fn stages(target: &Target) -> Vec<Stage> {
    let mut stages: Vec<Stage> = Vec::new();
    for direction in [MarkDirection::Read, MarkDirection::Write, MarkDirection::Mix(70)] {
        for test in MARK_PROFILES[0].tests {
            for turn in 0..5 {
                let delay = Nanos(if turn == 0 && !stages.is_empty() { 5 * SECOND } else { 0 });
                stages.push(stage(target, *test, direction, turn, delay));
            }
        }
    }
    stages
}

fn stage(target: &Target, test: MarkTest, direction: MarkDirection, turn: u32, delay: Nanos) -> Stage {
    let name = format!("{test}-{}-{turn}", direction.name());
    let job = Job {
        name: name.clone(),
        workload: Workload::new(direction.mix(), test.block, test.access()),
        target: target.clone(),
        more: Vec::new(),
        engine: "io_uring".into(),
        queue_depth: test.queues,
        threads: test.threads,
        stop: StopRule { ramp: Nanos(0), time: Nanos::from_secs(5), steady_after: None, max_ops: None },
        on_error: ErrorPolicy::Stop,
        seed: 1,
        faults: None,
        tuning: JobTuning::default(),
    };
    Stage {
        max_threads: test.threads,
        place: StagePlacement { delay, ..StagePlacement::default() },
        ..Stage::fixed(name, job)
    }
}

fn step(index: usize, stage: &Stage) -> Step {
    let direction = index / 20;
    let rate = RATES[direction][index / 5 % 4] * 1e6 * LOOPS[index % 5];
    let block = stage.job.workload.block.max().as_u64();
    let length = Nanos::from_secs(5);
    let ops = (rate * length.secs() / block as f64).round() as u64;
    let mean = f64::from(stage.job.concurrency()) * length.as_nanos() as f64 / ops as f64;
    let mut interval =
        Interval { phase: Phase::Measure, start: Nanos(index as u64 * 6 * SECOND), length, ..Interval::default() };
    let writes = (ops as f64 * stage.job.workload.mix.share(Op::Write)).round() as u64;
    for (op, n) in [(Op::Read, ops - writes), (Op::Write, writes)] {
        let stats = &mut interval.per_op[op.index()];
        stats.tally = Tally { ops: n, bytes: n * block, ..Tally::default() };
        // One in fifty takes four times as long.
        let usual = mean / 1.06;
        for i in 0..n {
            stats.latency.record(Nanos(if i % 50 == 0 { usual * 4.0 } else { usual } as u64));
        }
    }
    Step {
        stage: index,
        pass: 0,
        hold: false,
        job: stage.job.clone(),
        start: interval.start,
        end: Some(StepEnd { at: (interval.start + length), completed: ops, ..StepEnd::default() }),
        sampled: None,
        intervals: vec![interval],
        accounting: None,
    }
}

/// Returns the same record for several hosts at once, all equally fast.
pub fn record_of_hosts(names: &[&str]) -> RunRecord {
    let one = record();
    let mut merged =
        RunRecord { steps: Vec::new(), plan: Plan { stages: Vec::new(), ..one.plan.clone() }, ..one.clone() };
    for (stage, step) in one.plan.stages.iter().zip(&one.steps) {
        for side in 0..names.len() {
            let place = StagePlacement { side, with_previous: side > 0, ..stage.place };
            merged.steps.push(Step { stage: merged.plan.stages.len(), ..step.clone() });
            merged.plan.stages.push(Stage { place, ..stage.clone() });
        }
    }
    let named = |name: &&str| NamedTarget { name: (*name).into(), target: one.plan.target.clone(), fill: Bytes(0) };
    merged.plan.targets = names.iter().map(named).collect();
    merged
}

/// Returns the mark of this record, without doubts.
pub fn marked() -> Mark {
    Mark::from_record(&record(), &[])
}

/// Returns the same mark with doubts of every severity.
pub fn doubted() -> Mark {
    let burst = Caveat::new(
        "burst",
        Severity::Doubt,
        "the first loops were faster: a burst, or a cache that was used up",
        "523.9 MB/s, then 141.0 to 142.2 in 4 loops",
    );
    let struck = Caveat::new(
        "direct-not-honoured",
        Severity::Invalid,
        "direct I/O was asked for, but not all of it reached the device: a cache answered",
        "12.0 % of the 2.59 GiB read were charged to us as device I/O",
    );
    let small = Caveat::new("small-working-set", Severity::Note, "the working set is small", "1 GiB of 16 GiB");
    let caveats = [
        burst.at_step(20).remedy("look at the median; run longer"),
        struck.clone().at_step(0).remedy("fill the file again"),
        struck.at_step(2).remedy("fill the file again"),
        small,
    ];
    Mark::from_record(&record(), &caveats)
}

/// Returns a mark in a format, as plain text.
pub fn written(format: &str, mark: &Mark) -> String {
    written_in(format, mark, &Style::default())
}

/// Returns a mark in a format and style.
pub fn written_in(format: &str, mark: &Mark, style: &Style) -> String {
    let mut out = Vec::new();
    mark_format(format).expect("it is registered").write(mark, style, &mut out).expect("a vector takes every byte");
    String::from_utf8(out).expect("text")
}
