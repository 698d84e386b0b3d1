//! Two made-up but consistent records with their judgements: a cloud volume that reaches its caps, and a run with every
//! problem that the screen can show. The tests use them.
//!
//! The figures follow a queue: rate = min(N / L0, cap), mean latency = N / rate (Little), percentiles as multiples of
//! the mean.

use model::bounds::*;
use model::judged::*;
use model::measured::*;
use model::plan::*;
use model::record::*;
use model::units::*;
use model::*;

const GIB: u64 = 1 << 30;
const SECOND: u64 = Nanos::from_secs(1).as_nanos();
const ENGINE: &str = "io_uring";

/// m4.xlarge with a gp3 volume: 6,000 IOPS and 125 MiB/s for the volume, 93.75 MB/s for the instance.
pub(crate) fn capped() -> (RunRecord, Judgement) {
    let target = Target {
        offset: Bytes(0),
        kind: TargetKind::File,
        path: "/data/secchi/test.dat".into(),
        size: Bytes(8 * GIB),
        direct: true,
        align: Bytes(512),
        uuid: Some(0x3f2a_9c1b_77d1_4d21_9e01_8844_aa10_5c7f),
    };
    let stages = stages(&target);
    let steps = steps(&stages);
    let patterns = patterns();
    let plan = Plan {
        args: [
            "/data/secchi",
            "--limit",
            "volume iops=6000 mbps=125MiB",
            "--limit",
            "instance mbps=93.75MB",
            "--need",
            "8k randread: iops>=6000, avg<=2ms, p99<=5ms",
        ]
        .map(String::from)
        .to_vec(),
        time: Thoroughness::Standard,
        fill: Bytes(8 * GIB),
        limits: vec![
            "volume iops=6000 mbps=125MiB".parse().expect("a limit as in the issue"),
            "instance mbps=93.75MB".parse().expect("a limit as in the issue"),
        ],
        needs: vec!["8k randread: iops>=6000, avg<=2ms, p99<=5ms".parse().expect("a need as in the issue")],
        keep: true,
        ..Plan::new(RunKind::Blocks, target, stages, Nanos::from_secs(30))
    };
    let record = RunRecord {
        state: RunState::Complete,
        ended: Nanos::from_secs(291),
        fill: Some(Fill { bytes: Bytes(8 * GIB), time: Nanos::from_millis(91_700) }),
        steps,
        series: vec![Series {
            name: "device.nvme1n1.read_ops".into(),
            unit: "ops/s".into(),
            layer: Layer::Device,
            points: vec![(Nanos(SECOND), 5_998.0), (Nanos::from_secs(2), 6_001.0)],
        }],
        notes: vec![(Nanos(0), "test file made".into())],
        ..RunRecord::new(
            "0.1.0",
            "3f2a9c1b-77d1-4d21-9e01-8844aa105c7f",
            "2026-11-21T09:41:07+00:00",
            plan,
            preflight(),
        )
    };
    let judgement = Judgement {
        answer: answer(),
        layers: Vec::new(),
        verdict:
            "8k randread gives 5,998 IOPS (49.1 MB/s), limited by the volume's IOPS: 100 % of the 6,000 it was sold \
                  with; latency there is 2.66 ms, above the 2 ms needed. From 16 KiB on the instance's bandwidth binds."
                .into(),
        outcome: Outcome::Fail,
        needs: vec![NeedResult {
            text: "8k randread: iops>=6000, avg<=2ms, p99<=5ms".into(),
            outcome: Outcome::Fail,
            depth: Some(16),
            clauses: vec![
                clause("iops", Bound::Iops(Iops(6000.0)), Outcome::Undecided, "5,998, interval 5,992 to 6,004"),
                clause("mean", Bound::Latency(Nanos::from_millis(2)), Outcome::Fail, "2.66 ms"),
                clause("p99", Bound::Latency(Nanos::from_millis(5)), Outcome::Pass, "4.79 ms"),
            ],
            why: "at 8 in flight the mean is 1.33 ms and p99 2.40 ms, with 5,994 IOPS".into(),
        }],
        patterns,
        findings: vec![Finding {
            id: "crossover".into(),
            severity: Severity::Note,
            statement: "The caps cross at 15.3 KiB: smaller blocks are limited by IOPS, larger ones by bandwidth."
                .into(),
            evidence: vec!["4k and 8k: 5,999 and 5,998 IOPS; 16k to 64k: 93.7 MB/s each".into()],
            remedy: String::new().into(),
        }],
        caveats: vec![
            Caveat::new(
                "working-set-small",
                Severity::Doubt,
                "The test file is half of what the device may cache.",
                "8 GiB under test, 16 GiB of memory; mean latency of the first second 2.61 ms, of the last 2.66 ms",
            )
            .remedy("--size 32g"),
            Caveat::new(
                "page-cache-bypassed",
                Severity::Note,
                "Direct I/O was honoured.",
                "asked 5.7 GiB, the block layer carried 5.7 GiB (ratio 1.0002)",
            ),
        ],
        figures: None,
        exit_code: 1,
        sampling: None,
    };
    (record, judgement)
}

/// Returns the answer that `analysis` would give for the capped run, in the same wording.
fn answer() -> RunAnswer {
    use AnswerSubject::{Binds, Bought, Do, Needs};
    RunAnswer::from_lines([
        AnswerLine::new(
            Bought,
            "delivered",
            AnswerStanding::Met,
            "delivered: 5,998 of 6,000 (100 %), volume IOPS; 93.7 MB/s of 93.75 MB/s (100 %), instance bandwidth",
        ),
        AnswerLine::new(
            Needs,
            "not-met",
            AnswerStanding::NotMet,
            "not met: `8k randread: iops>=6000, avg<=2ms, p99<=5ms`: mean is 2.66 ms",
        ),
        AnswerLine::new(
            Binds,
            "limit_iops",
            AnswerStanding::NotAsked,
            "volume IOPS, for 4k, 8k randread: 5,998 of 6,000 (100 %); 3 others differ",
        ),
        AnswerLine::new(
            Do,
            "fewer",
            AnswerStanding::NotAsked,
            "keep fewer in flight: one operation alone takes 400 us",
        ),
    ])
}

/// A run with every problem that can occur and still be shown.
pub(crate) fn troubled() -> (RunRecord, Judgement) {
    let (mut record, mut judgement) = capped();
    record.state = RunState::Stopped;
    record.reason = "SIGINT".into();
    record.ended = Nanos::from_secs(72);
    record.fill = None;
    record.preflight.host.virtualization = None;
    record.preflight.host.cpu_quota = Some(0.2);
    record.preflight.host.memory_limit = Some(Bytes(2 * GIB));
    judgement.verdict =
        "No verdict: the load generator ran out of CPU, so the rates below are what it could send and not \
                         what the device could take."
            .into();
    judgement.answer = RunAnswer::from_lines([
        AnswerLine::new(
            AnswerSubject::Needs,
            "undecided",
            AnswerStanding::Undecided,
            "undecided: `8k randread: iops>=6000, avg<=2ms, p99<=5ms`: the levels it could be judged at are struck",
        ),
        AnswerLine::new(
            AnswerSubject::Do,
            "generator-bound",
            AnswerStanding::NotAsked,
            "allow the control group more CPU, or use fewer threads",
        ),
    ]);
    judgement.outcome = Outcome::Undecided;
    judgement.exit_code = 2;
    judgement.needs[0].outcome = Outcome::Undecided;
    judgement.needs[0].depth = None;
    judgement.needs[0].why = "the levels it could be judged at are struck".into();
    for c in &mut judgement.needs[0].clauses {
        c.outcome = Outcome::Undecided;
        c.measured = "no sound figure".into();
    }
    let generator = |step: usize, busy: f64| {
        Caveat::new(
            "generator-bound",
            Severity::Invalid,
            "The load generator, not the storage, set the rate.",
            format!(
                "busiest submitting thread {busy:.0} % of its time on a CPU, throttled 61 times by the control group"
            ),
        )
        .at_step(step)
        .remedy("allow the control group more CPU, or use fewer threads")
    };
    judgement.caveats.splice(0..0, (3..9).map(|i| generator(i, 92.0 + i as f64 / 2.0)));
    let steady = [
        Steadiness::Settled { after: Nanos::from_secs(8) },
        Steadiness::TwoRegimes { at: Nanos::from_secs(34), before: Iops(6010.0), after: Iops(3004.0) },
        Steadiness::NotSettled { why: "falls by 3.1 % a minute (Theil-Sen)".into() },
        Steadiness::TooShort,
    ];
    for pattern in judgement.patterns.iter_mut().filter(|p| p.role == StageRole::Ramp) {
        pattern.knee = Knee::NotResolved;
        for (i, level) in pattern.levels.iter_mut().enumerate() {
            level.steadiness = steady.get(i).cloned().unwrap_or(Steadiness::Steady);
            if let Steadiness::TwoRegimes { before, after, .. } = &mut level.steadiness {
                *after = Iops(level.iops.value);
                level.course = course(*before, *after);
            }
            if i >= 3 {
                level.struck = Some("generator-bound: a lower bound of the device".into());
                level.caveats = vec!["generator-bound".into()];
                level.busiest_thread = 0.96;
            }
            if i == 2 {
                level.p999 = Percentile::TooFew;
                level.iops.ci = None;
                level.iops.ci_missing = "7 effective windows, 8 needed".into();
                level.errors = 3;
                level.little = 0.83;
            }
        }
        pattern.binding = Binding {
            kind: BindingKind::Generator,
            names: vec!["generator".into()],
            statement: "the load generator's CPU: a lower bound of the device".into(),
            evidence: vec!["busiest thread 96 % of its time on a CPU; quota 0.20 CPUs".into()],
            constraints: vec![
                Constraint {
                    name: "generator".into(),
                    source: ConstraintSource::Generator,
                    allows: Iops(6100.0),
                    used: 0.98,
                },
                Constraint {
                    name: "volume iops".into(),
                    source: ConstraintSource::Limit,
                    allows: Iops(f64::NAN),
                    used: f64::INFINITY,
                },
            ],
        };
        // JSON has no NaN and the analysis never produces one, so the round trip leaves it out.
        pattern.binding.constraints.truncate(1);
    }
    for pattern in judgement.patterns.iter_mut().filter(|p| p.role == StageRole::Sweep) {
        pattern.binding.kind = BindingKind::Undecidable;
        pattern.binding.names = vec!["volume IOPS".into(), "instance bandwidth".into()];
        pattern.binding.statement = "volume IOPS and instance bandwidth allow the same here: undecidable".into();
        pattern.levels[0].struck = Some("generator-bound: a lower bound of the device".into());
    }
    (record, judgement)
}

/// Returns a rate that changes once: `before` for the first eight seconds, then `after`.
pub(crate) fn course(before: Iops, after: Iops) -> Vec<Stretch> {
    let change = Nanos::from_secs(8);
    vec![
        Stretch { from: Nanos(0), until: change, iops: before },
        Stretch { from: change, until: Nanos::from_secs(28), iops: after },
    ]
}

/// Returns the written bytes as text.
#[cfg(test)]
pub(crate) fn text(write: impl Fn(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).expect("memory takes it");
    String::from_utf8(out).expect("UTF-8")
}

/// Returns the facts that preflight found for [`capped`].
pub(crate) fn preflight() -> Preflight {
    let disk = DeviceFacts {
        name: "nvme1n1".into(),
        dev: (259, 1),
        kind: "nvme".into(),
        depth: 1,
        size: Bytes(100 * GIB),
        model: Some("Amazon Elastic Block Store".into()),
        serial: Some("vol0f3c55aa17be0d1c2".into()),
        logical_block: Bytes(512),
        physical_block: Bytes(512),
        rotational: false,
        scheduler: "none".into(),
        nr_requests: 1023,
        max_request: Bytes::from_kib(256),
        write_cache: "write through".into(),
        backing: None,
        discard: false,
        health: None,
    };
    let volume = DeviceFacts {
        name: "dm-0".into(),
        dev: (253, 0),
        kind: "dm".into(),
        depth: 0,
        size: Bytes(80 * GIB),
        model: Some("vgdata-iris".into()),
        serial: None,
        nr_requests: 128,
        ..disk.clone()
    };
    let engine = |name: &str, unavailable: Option<&str>| EngineFacts {
        name: name.into(),
        unavailable: unavailable.map(String::from),
    };
    Preflight {
        host: HostFacts {
            hostname: "iris-db-01".into(),
            kernel: "Linux 6.18.44".into(),
            cpu_model: "Intel(R) Xeon(R) CPU E5-2686 v4 @ 2.30GHz".into(),
            cpus: 4,
            processors: 0,
            cpu_quota: None,
            memory: Bytes(16 * GIB),
            memory_limit: None,
            memory_available: Bytes(14 * GIB + (GIB >> 1)),
            virtualization: Some("Xen".into()),
            clocksource: "tsc".into(),
        },
        ranks: Vec::new(),
        part: None,
        under_each: Vec::new(),
        storage: StorageFacts {
            filesystem: "xfs".into(),
            mount_point: "/data".into(),
            mount_options: "rw,noatime".into(),
            fs_size: Bytes(80 * GIB),
            fs_free: Bytes(63 * GIB),
            devices: vec![volume, disk],
            direct_align: Some((Bytes(512), "statx".into())),
            direct_refused: None,
            memory: None,
        },
        limits: vec![Limit {
            op: Some(Op::Read),
            iops: Some(Iops(20_000.0)),
            ..Limit::new(
                "cgroup",
                LimitSource::Cgroup { file: "/sys/fs/cgroup/blkio/db/blkio.throttle.read_iops_device".into() },
            )
        }],
        engines: vec![
            engine("io_uring", None),
            engine("libaio", None),
            engine("psync", None),
            engine("mmap", Some("cannot bypass the page cache; choose it with --engine mmap to measure through it")),
        ],
        timer: TimerFacts {
            clock: "tsc".into(),
            cost: Nanos(21),
            spin: Nanos::from_millis(200),
            gap_max: Nanos::from_micros(1_340),
            gaps_over_1ms: 1,
            gap_p999: Nanos::from_micros(42),
        },
        ceiling: Some((Iops(3_120_000.0), Iops(9_870_000.0))),
        standing_engine: None,
        engine_choice: "io_uring, chosen by probe: 19 % less CPU for each operation than libaio".into(),
        engine_requested: false,
    }
}

fn clause(metric: &str, bound: Bound, outcome: Outcome, measured: &str) -> ClauseResult {
    let metric = match metric {
        "iops" => Metric::Iops,
        "mean" => Metric::Mean,
        _ => Metric::Percentile(99.0),
    };
    ClauseResult { clause: Clause { metric, bound }, outcome, measured: measured.into() }
}

fn job(target: &Target, name: &str, mix: Mix, block: u64, access: Access, flush_every: u32) -> Job {
    let mut workload = Workload::new(mix, Bytes(block), access);
    workload.flush_every = model::plan::none_if_zero(flush_every);
    Job {
        tuning: model::plan::JobTuning::default(),
        more: Vec::new(),
        name: name.into(),
        workload,
        target: target.clone(),
        engine: ENGINE.into(),
        queue_depth: 1,
        threads: 1,
        stop: StopRule {
            ramp: Nanos(SECOND),
            time: Nanos::from_secs(5),
            steady_after: Some(Nanos::from_secs(2)),
            max_ops: None,
        },
        on_error: ErrorPolicy::Stop,
        seed: 7,
        faults: None,
    }
}

fn stages(target: &Target) -> Vec<Stage> {
    let stage = |role: StageRole, job: Job, follows: Option<&str>| Stage {
        place: model::plan::StagePlacement::default(),
        name: job.name.clone(),
        role,
        ramp: (role == StageRole::Ramp).then(|| RampRule {
            depths: vec![1, 2, 4, 8, 16, 32, 64],
            gain: 0.05,
            patience: 2,
            hold: Nanos::from_secs(20),
            passes: 1,
            repeats: 0,
            further: Vec::new(),
        }),
        job,
        follows: follows.map(String::from),
        max_threads: 4,
    };
    let half = Mix { write_percent: 50, trim_percent: 0 };
    let random = Access::RANDOM;
    let mut stages = vec![
        stage(StageRole::Probe, job(target, "probe-read", Mix::READ, 8192, random, 0), None),
        stage(StageRole::Probe, job(target, "probe-write", Mix::WRITE, 8192, random, 0), None),
        stage(StageRole::Probe, job(target, "probe-sync", Mix::WRITE, 8192, Access::Sequential, 1), None),
        stage(StageRole::Ramp, job(target, "randread-8k", Mix::READ, 8192, random, 0), None),
        stage(StageRole::Ramp, job(target, "randrw-16k", half, 16384, random, 0), None),
    ];
    for block in [4u64, 16, 32, 64] {
        let name = format!("randread-{block}k");
        stages.push(stage(
            StageRole::Sweep,
            job(target, &name, Mix::READ, block << 10, random, 0),
            Some("randread-8k"),
        ));
    }
    stages
}

/// One short step for each stage, so that every kind of field in the record is filled.
fn steps(stages: &[Stage]) -> Vec<Step> {
    stages
        .iter()
        .enumerate()
        .map(|(i, stage)| {
            let at = Nanos(i as u64 * 30 * SECOND);
            let mut job = stage.job.clone();
            job.queue_depth = 1 << i.min(6);
            let mut interval = Interval { start: at, length: Nanos(SECOND), ..Default::default() };
            let read = &mut interval.per_op[Op::Read.index()];
            for n in 0..20 {
                read.latency.record(Nanos(441_000 + n * 1000));
            }
            read.response = read.latency.clone();
            read.failed.record(Nanos::from_millis(5));
            read.tally = Tally { ops: 20, bytes: 20 * 8192, errors: [(5, 1)].into(), short: 1 };
            interval.windows = vec![Window {
                start: at,
                length: Nanos::from_micros(100_300),
                ops: [20, 0, 0, 0],
                bytes: [20 * 8192, 0, 0, 0],
                errors: 1,
                latency_sum: 9_010_000,
            }];
            let end = StepEnd {
                at: Nanos(at.as_nanos() + SECOND),
                stop: StepStop::Time,
                submitted: 22,
                completed: 20,
                failed: 1,
                pending: 1,
                bytes: 20 * 8192,
                pending_ages: vec![Nanos::from_millis(2)],
                busiest_thread: 0.21,
                host_idle: Some(0.7),
                host_steal: Some(0.01),
                ..Default::default()
            };
            let accounting = Accounting {
                asked_read: 20 * 8192,
                asked_read_ops: 20,
                process_read: Some(20 * 8192),
                ..Default::default()
            };
            Step {
                stage: i,
                pass: 0,
                hold: false,
                job,
                start: at,
                sampled: None,
                intervals: vec![interval],
                end: Some(end),
                accounting: Some(accounting),
            }
        })
        .collect()
}

/// A queue with a rate cap.
struct Queue {
    block: u64,
    l0_us: f64,
    cap: f64,
}

impl Queue {
    fn level(&self, n: u32, hold: bool) -> LevelFigures {
        let rate = (f64::from(n) / self.l0_us * 1e6 * 0.995).min(self.cap);
        // Adds slight irregularity, so that the figures look measured.
        let rate = rate * (1.0 - 0.0004 * f64::from(n % 7));
        let mean = f64::from(n) / rate * 1e9;
        let time = if hold { 20 } else { 5 };
        let ns = |f: f64| Nanos((mean * f) as u64);
        let (queue_depth, threads) = if n >= 32 { (n / 2, 2) } else { (n, 1) };
        LevelFigures {
            step: 3,
            engine: ENGINE.into(),
            queue_depth,
            threads,
            hold,
            ops: (rate * f64::from(time)) as u64,
            time: Nanos(u64::from(time as u32) * SECOND),
            iops: Estimate {
                value: rate,
                ci: Some((rate * 0.999, rate * 1.001)),
                ci_missing: String::new().into(),
                n: time as u64 * 10,
            },
            bandwidth: BytesPerSecond(rate * self.block as f64),
            mean: Some(ns(1.0)),
            p50: Percentile::Value(ns(0.97)),
            p99: Percentile::Value(ns(1.8)),
            p99_ci: None,
            p999: if rate * f64::from(time) < 10_000.0 { Percentile::TooFew } else { Percentile::Value(ns(3.4)) },
            max: Some(ns(9.7)),
            apart: Vec::new(),
            flush: None,
            cpu_user: Some(Nanos(1_900)),
            cpu_system: Some(Nanos(6_200)),
            busiest_thread: 0.05,
            in_flight: f64::from(n),
            little: 1.0,
            errors: 0,
            steadiness: Steadiness::Steady,
            course: Vec::new(),
            caveats: Vec::new(),
            kept: vec![(3, Nanos(0))],
            struck: None,
        }
    }

    fn pattern(&self, stage: &str, label: &str, role: StageRole, depths: &[u32]) -> PatternJudgement {
        let mut levels: Vec<LevelFigures> = depths.iter().map(|n| self.level(*n, false)).collect();
        let best = (0..levels.len()).max_by(|a, b| levels[*a].iops.value.total_cmp(&levels[*b].iops.value));
        let ramp = role == StageRole::Ramp;
        if ramp {
            levels.push(self.level(16, true));
        }
        let top = best.map_or(0.0, |i| levels[i].iops.value);
        let caps = |bytes: f64| bytes / self.block as f64;
        let little = depths.last().map_or(0.0, |n| f64::from(*n)) / self.l0_us * 1e6;
        let mut constraints: Vec<Constraint> = [
            ("volume IOPS", ConstraintSource::Limit, 6000.0),
            ("volume bandwidth", ConstraintSource::Limit, caps(131_072_000.0)),
            ("instance bandwidth", ConstraintSource::Limit, caps(93_750_000.0)),
            ("cgroup read IOPS", ConstraintSource::Cgroup, 20_000.0),
            ("queue (Little)", ConstraintSource::Queue, little),
        ]
        .map(|(name, source, allows)| Constraint {
            name: name.into(),
            source,
            allows: Iops(allows),
            used: top / allows,
        })
        .to_vec();
        constraints.compact_sort_by(|a, b| a.allows.per_second().total_cmp(&b.allows.per_second()));
        let first = constraints[0].name.clone();
        let kind = match first.as_str() {
            "volume IOPS" => BindingKind::LimitIops,
            "queue (Little)" => BindingKind::Latency,
            _ => BindingKind::LimitBandwidth,
        };
        PatternJudgement {
            label: label.into(),
            stage: stage.into(),
            role,
            mean_size: Bytes(self.block),
            best,
            sustained: ramp.then(|| levels[levels.len() - 1].iops.clone()),
            sustained_seconds: ramp.then_some((Iops(top * 0.991), Iops(top * 1.004))),
            shares: Vec::new(),
            l0: ramp.then_some(Nanos((self.l0_us * 1e3) as u64)),
            l0_doubted: None,
            n_star: ramp.then(|| top * self.l0_us / 1e6),
            at_n_star: ramp.then(|| (4, levels[2].mean.expect("every level here has a mean"))),
            knee: if ramp { Knee::Between { below: 2, at: 4, latency: levels[2].mean } } else { Knee::NotAsked },
            binding: Binding {
                kind,
                statement: format!("{first}: {} of {} IOPS (100 %)", thousands(top), constraints[0].allows).into(),
                evidence: vec![
                    format!(
                        "twice the operations in flight changed the rate by less than 0.3 %, latency by {}",
                        "100 %"
                    )
                    .into(),
                    "busiest submitting thread 5 % of its time on a CPU".into(),
                ],
                names: vec![first],
                constraints,
            },
            levels,
        }
    }
}

fn patterns() -> Vec<PatternJudgement> {
    let cap = |block: u64| 5_999.0f64.min(93_742_000.0 / block as f64);
    let queue = |block: u64, l0_us: f64| Queue { block, l0_us, cap: cap(block) };
    let mut patterns = vec![
        queue(8192, 630.0).pattern("probe-read", "8k randread", StageRole::Probe, &[1]),
        queue(8192, 812.0).pattern("probe-write", "8k randwrite", StageRole::Probe, &[1]),
        queue(8192, 1_540.0).pattern("probe-sync", "8k write + fdatasync", StageRole::Probe, &[1]),
        queue(8192, 630.0).pattern("randread-8k", "8k randread", StageRole::Ramp, &[1, 2, 4, 8, 16, 32, 64]),
        queue(16384, 735.0).pattern("randrw-16k", "16k randrw 50/50", StageRole::Ramp, &[1, 2, 4, 8, 16, 32, 64]),
    ];
    // Writes in the mix take three times as long as reads.
    for level in &mut patterns[4].levels {
        let mean = level.mean.expect("every level here has a mean").as_nanos();
        let one = |op, mean: u64| OpLatency {
            op,
            ops: level.ops / 2,
            mean: Nanos(mean),
            p99: Percentile::Value(Nanos(mean * 2)),
        };
        level.apart = vec![one(Op::Read, mean / 2), one(Op::Write, mean * 3 / 2)];
    }
    patterns[2].levels[0].flush =
        Some(FlushLatency { mean: Nanos::from_micros(791), p99: Percentile::Value(Nanos::from_micros(2_310)) });
    for block in [4u64, 16, 32, 64] {
        patterns.push(queue(block << 10, 600.0 + block as f64 * 4.0).pattern(
            &format!("randread-{block}k"),
            &format!("{block}k randread"),
            StageRole::Sweep,
            &[16],
        ));
    }
    patterns
}
