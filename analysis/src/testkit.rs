//! Test material: synthetic run records with known properties.

use model::measured::{CpuWait, Layer, OpStats, Phase, Series, Summary, Tally, Window, bucket_of};
use model::plan::{Access, ErrorPolicy, Mix, RampRule, StageRole, TargetKind, Thoroughness, Workload};
use model::record::{Accounting, DeviceFacts, HostFacts, Preflight, Step, StepEnd, StorageFacts, TimerFacts};
use model::{
    Bytes, BytesPerSecond, Interval, Iops, Job, LatencyHistogram, Limit, Nanos, Op, Plan, RunKind, RunRecord, RunState,
    Stage, Target, bounds::LimitSource,
};
use testkit::Noise;

/// Properties of one step.
#[derive(Clone)]
pub(crate) struct Run {
    pub concurrency: u32,
    pub rate: f64,
    pub seconds: u64,
    /// Coefficient of variation of the windows.
    pub cv: f64,
    /// Number and rate of the first windows, if they differ.
    pub first: Option<(usize, f64)>,
    /// Factor on the rate as a function of the elapsed share of the time.
    pub bend: fn(f64) -> f64,
    pub hold: bool,
    /// CPU time per operation, in seconds.
    pub cpu_per_op: f64,
    pub idle: f64,
    pub steal: f64,
    /// Share of its threads' time spent waiting for a CPU.
    pub waited: f64,
    /// CPUs used by other processes.
    pub others: f64,
    /// Number of times the control group stopped the process.
    pub throttled: u64,
    /// Share of operations with `tail.1` times the usual latency.
    pub tail: (f64, f64),
    pub errors: u64,
    pub pass: u32,
}

impl Run {
    pub fn at(concurrency: u32, rate: f64) -> Self {
        Run {
            concurrency,
            rate,
            seconds: 4,
            cv: 0.004,
            first: None,
            bend: |_| 1.0,
            hold: false,
            cpu_per_op: 10e-6,
            idle: 0.8,
            steal: 0.0,
            waited: 0.0,
            others: 0.0,
            throttled: 0,
            tail: (0.0, 1.0),
            errors: 0,
            pass: 0,
        }
    }

    pub fn seconds(mut self, seconds: u64) -> Self {
        self.seconds = seconds;
        self
    }

    pub fn first(mut self, windows: usize, rate: f64) -> Self {
        self.first = Some((windows, rate));
        self
    }

    pub fn hold(mut self) -> Self {
        self.hold = true;
        self
    }
}

/// Storage with a base latency, caps, and a CPU cost of the generator, for ramps.
pub(crate) struct Storage {
    /// Latency of a single operation, in seconds.
    pub l0: f64,
    /// Caps as operations per second at a mean size.
    pub cap: Box<dyn Fn(f64) -> f64>,
    pub cpu_per_op: f64,
    /// CPU quota of the generator, in CPUs.
    pub quota: Option<f64>,
}

impl Storage {
    pub fn capped(l0: f64, iops: f64, bytes: f64) -> Self {
        Storage { l0, cap: Box::new(move |size| iops.min(bytes / size)), cpu_per_op: 10e-6, quota: None }
    }

    /// Returns a closed loop on this storage: X = min(Q / L0, cap, CPU).
    pub fn run(&self, concurrency: u32, size: f64) -> Run {
        let storage = (f64::from(concurrency) / self.l0).min((self.cap)(size));
        let cpu = self.quota.unwrap_or(1.0) / self.cpu_per_op;
        let mut run = Run::at(concurrency, storage.min(cpu));
        run.cpu_per_op = self.cpu_per_op;
        if self.quota.is_some() && cpu < storage {
            run.throttled = run.seconds * 10;
        }
        run
    }
}

/// Builder for a record.
pub(crate) struct Rig {
    record: RunRecord,
    noise: Noise,
    clock: u64,
}

impl Rig {
    pub fn new() -> Self {
        let target = Target {
            offset: Bytes(0),
            kind: TargetKind::File,
            path: "/data/secchi.test".into(),
            size: Bytes::from_gib(64),
            direct: true,
            align: Bytes(512),
            uuid: Some(7),
        };
        let plan =
            Plan { time: Thoroughness::Standard, ..Plan::new(RunKind::Blocks, target, vec![], Nanos::from_secs(60)) };
        Rig {
            record: RunRecord {
                state: RunState::Complete,
                ..RunRecord::new("0.1.0", "0", "2026-11-21T09:00:00Z", plan, preflight())
            },
            noise: Noise::new(42),
            clock: 5_000_000_000,
        }
    }

    pub fn stage(&mut self, name: &str, role: StageRole, workload: Workload) -> usize {
        let stop =
            model::plan::StopRule { ramp: Nanos(0), time: Nanos::from_secs(4), steady_after: None, max_ops: None };
        let job = Job {
            tuning: model::plan::JobTuning::default(),
            more: Vec::new(),
            name: name.into(),
            workload,
            target: self.record.plan.target.clone(),
            engine: "io_uring".into(),
            queue_depth: 1,
            threads: 1,
            stop,
            on_error: ErrorPolicy::Stop,
            seed: 1,
            faults: None,
        };
        let ramp = (role == StageRole::Ramp).then(|| RampRule {
            depths: (0..8).map(|i| 1 << i).collect(),
            gain: 0.1,
            patience: 2,
            hold: Nanos::from_secs(8),
            passes: 1,
            repeats: 0,
            further: Vec::new(),
        });
        let stage = Stage {
            place: model::plan::StagePlacement::default(),
            name: name.into(),
            role,
            job,
            ramp,
            follows: None,
            max_threads: 1,
        };
        self.record.plan.stages.push(stage);
        self.record.plan.stages.len() - 1
    }

    /// Adds a ramp over `storage`, with its sustained level.
    pub fn ramp(&mut self, workload: Workload, storage: &Storage) -> usize {
        let size = workload.block.mean();
        let stage = self.stage(&format!("ramp-{}", workload.label().replace(' ', "-")), StageRole::Ramp, workload);
        let rule = self.record.plan.stages[stage].ramp.clone().expect("a ramp");
        let mut levels = Vec::new();
        for depth in rule.depths.clone() {
            let run = storage.run(depth, size);
            levels.push((depth, run.rate));
            self.step(stage, run);
            if !crate::ramp_continues(&levels, &rule) {
                break;
            }
        }
        let best = levels[crate::best_level(&levels).expect("levels")].0;
        self.step(stage, storage.run(best, size).hold().seconds(8));
        stage
    }

    /// Adds a sweep step at `depth` after the ramp `follows`.
    pub fn sweep(&mut self, workload: Workload, follows: usize, depth: u32, storage: &Storage) -> usize {
        let size = workload.block.mean();
        let stage = self.stage(&format!("sweep-{}", workload.label().replace(' ', "-")), StageRole::Sweep, workload);
        self.record.plan.stages[stage].follows = Some(self.record.plan.stages[follows].name.clone());
        self.step(stage, storage.run(depth, size));
        stage
    }

    pub fn declare(&mut self, text: &str) {
        self.record.plan.limits.push(text.parse().expect("a limit"));
    }

    /// Adds limits of any kind.
    pub fn limits(&mut self, limits: Vec<Limit>) {
        self.record.plan.limits.extend(limits);
    }

    pub fn cgroup(&mut self, op: Op, iops: Option<f64>, bandwidth: Option<f64>) {
        let source = LimitSource::Cgroup { file: "/sys/fs/cgroup/blkio/t/blkio.throttle".into() };
        self.record.preflight.limits.push(Limit {
            op: Some(op),
            iops: iops.map(Iops),
            bandwidth: bandwidth.map(BytesPerSecond),
            ..Limit::new("cgroup", source)
        });
    }

    pub fn need(&mut self, text: &str) {
        self.record.plan.needs.push(text.parse().expect("a need"));
    }

    pub fn step(&mut self, stage: usize, run: Run) {
        let mut job = self.record.plan.stages[stage].job.clone();
        job.queue_depth = run.concurrency;
        job.stop.time = Nanos::from_secs(run.seconds);
        let start = Nanos(self.clock);
        let windows = self.windows(&job, &run);
        let intervals: Vec<Interval> = windows.chunks(10).map(|w| interval(w, &run, &job.workload)).collect();
        let completed: u64 = intervals.iter().map(Interval::ops).sum();
        let bytes = intervals.iter().map(|i| i.bytes().as_u64()).sum();
        let sum_of = |op: Op, f: fn(&Tally) -> u64| intervals.iter().map(|i| f(&i.op(op).tally)).sum::<u64>();
        let (reads, writes) = (sum_of(Op::Read, |t| t.ops), sum_of(Op::Write, |t| t.ops));
        let (read, write) = (sum_of(Op::Read, |t| t.bytes), sum_of(Op::Write, |t| t.bytes));
        let end = StepEnd {
            at: Nanos(self.clock),
            submitted: completed + run.errors,
            completed,
            failed: run.errors,
            bytes,
            busiest_thread: (run.rate * run.cpu_per_op).min(1.0),
            cpu_throttled: run.throttled,
            host_idle: Some(run.idle),
            host_steal: Some(run.steal),
            host_others: Some(run.others / 2.0),
            ..StepEnd::default()
        };
        let accounting = Accounting {
            asked_read: read,
            asked_write: write,
            asked_read_ops: reads,
            asked_write_ops: writes,
            process_read: Some(read),
            process_write: Some(write),
            cgroup_read_ops: Some(reads),
            cgroup_write_ops: Some(writes),
            cgroup_read: Some(read),
            cgroup_write: Some(write),
            device_read: Some(read),
            device_write: Some(write),
            device_ops: Some(reads + writes),
        };
        self.record.steps.push(Step {
            stage,
            pass: run.pass,
            hold: run.hold,
            job,
            start,
            sampled: None,
            intervals,
            end: Some(end),
            accounting: Some(accounting),
        });
        self.clock += 100_000_000;
        self.record.ended = Nanos(self.clock);
    }

    fn windows(&mut self, job: &Job, run: &Run) -> Vec<Window> {
        let n = (run.seconds * 10) as usize;
        let noise = self.noise.ar1(n, 0.1, 1.0, run.cv);
        // A fraction of an operation is carried over to the next window, so that low rates are not rounded.
        let mut due = 0.0;
        (0..n)
            .map(|i| {
                let base =
                    run.first.filter(|(k, _)| i < *k).map_or(run.rate, |(_, r)| r) * (run.bend)(i as f64 / n as f64);
                due += (base * noise[i] * 0.1).max(0.0);
                let ops = due as u64;
                due -= ops as f64;
                let writes = (ops as f64 * job.workload.mix.share(Op::Write)).round() as u64;
                let start = Nanos(self.clock);
                self.clock += 100_000_000;
                let size = job.workload.block.mean() as u64;
                let flushes = job.workload.flush_every.map_or(0, |every| writes / u64::from(every));
                Window {
                    start,
                    length: Nanos::from_millis(100),
                    ops: [ops - writes, writes, 0, flushes],
                    bytes: [(ops - writes) * size, writes * size, 0, 0],
                    errors: 0,
                    latency_sum: 0,
                }
            })
            .collect()
    }

    /// Adds clones of a section that begin together.
    pub fn clones(&mut self, workload: &Workload, runs: impl IntoIterator<Item = Run>) {
        let (section, begin) = (self.record.plan.sections().len(), self.clock);
        let mut sections = self.record.plan.sections().to_vec();
        sections.push(model::plan::Section { name: format!("s{section}"), ..model::plan::Section::default() });
        self.record.plan.kind = RunKind::JobFile { sections };
        let mut end = begin;
        for (clone, run) in (0..).zip(runs) {
            self.clock = begin;
            let stage = self.stage(&format!("s{section}.{clone}"), StageRole::Fixed, workload.clone());
            self.record.plan.stages[stage].place = model::plan::StagePlacement {
                with_previous: clone > 0,
                section: Some(section),
                clone,
                ..model::plan::StagePlacement::default()
            };
            self.record.plan.stages[stage].job.queue_depth = run.concurrency;
            self.step(stage, run);
            end = end.max(self.clock);
        }
        self.clock = end;
    }

    pub fn record(self) -> RunRecord {
        self.record
    }

    pub fn preflight(&mut self) -> &mut Preflight {
        &mut self.record.preflight
    }

    /// Sets the effort to `--effort quick`.
    pub fn quick(&mut self) {
        self.record.plan.time = Thoroughness::Quick;
    }

    pub fn target(&mut self) -> &mut Target {
        &mut self.record.plan.target
    }
}

/// Adds the counters of an EBS volume under the target to a record, one sample per second: percentages of the time, in
/// the order of `limits::counted::LIMITS`.
pub(crate) fn with_counts(mut record: RunRecord, percents: [f64; 4]) -> RunRecord {
    for (limit, percent) in crate::limits::counted::LIMITS.iter().zip(percents) {
        record.series.push(Series {
            name: format!("ebs.vda.{}", limit.series),
            unit: "percent".into(),
            layer: Layer::Device,
            points: (1..=record.ended.secs() as u64).map(|s| (Nanos::from_secs(s), percent)).collect(),
        });
    }
    record
}

fn preflight() -> Preflight {
    Preflight {
        host: HostFacts { cpus: 2, memory: Bytes::from_gib(4), ..HostFacts::default() },
        under_each: Vec::new(),
        storage: StorageFacts {
            filesystem: "ext4".into(),
            devices: vec![DeviceFacts {
                name: "vda".into(),
                kind: "virtio".into(),
                logical_block: Bytes(512),
                physical_block: Bytes(4096),
                max_request: Bytes::from_mib(1),
                ..DeviceFacts::default()
            }],
            direct_align: Some((Bytes(512), "statx".into())),
            ..StorageFacts::default()
        },
        timer: TimerFacts { cost: Nanos(15), gap_p999: Nanos::from_micros(1), ..TimerFacts::default() },
        ceiling: Some((Iops(25e6), Iops(40e6))),
        ..Preflight::default()
    }
}

/// Returns a second in which Little's law holds exactly: R = Q / X.
fn interval(windows: &[Window], run: &Run, workload: &Workload) -> Interval {
    let length = windows.iter().map(|w| w.length).sum::<Nanos>();
    let ops: u64 = windows.iter().map(Window::total_ops).sum();
    let latency = f64::from(run.concurrency) * length.as_nanos() as f64 / (ops as f64).max(1.0);
    let mut i = Interval { phase: Phase::Measure, start: windows[0].start, length, ..Interval::default() };
    for op in [Op::Read, Op::Write, Op::Flush] {
        let ops = windows.iter().map(|w| w.ops[op.index()]).sum();
        let bytes = windows.iter().map(|w| w.bytes[op.index()]).sum();
        let latency = two_points(ops, latency, run.tail);
        i.in_flight_ns += latency.summary().sum;
        i.per_op[op.index()] =
            OpStats { tally: Tally { ops, bytes, ..Tally::default() }, latency, ..OpStats::default() };
    }
    debug_assert!(workload.mix.trim_percent == 0, "trims are not simulated");
    let cpu = ops as f64 * run.cpu_per_op;
    i.cpu_user = Nanos::from_secs_f64(cpu * 0.3);
    i.cpu_system = Nanos::from_secs_f64(cpu * 0.7);
    i.windows = windows.to_vec();
    let time = Nanos::from_secs_f64(length.secs() * run.waited);
    i.cpu_wait = Some(CpuWait { time, times: ops.max(1) });
    i
}

/// Returns `n` latencies with mean `mean`: a share of `tail.0` of them is `tail.1` times as long as the rest.
fn two_points(n: u64, mean: f64, tail: (f64, f64)) -> LatencyHistogram {
    let slow = (n as f64 * tail.0).round() as u64;
    let usual = mean / (1.0 + tail.0 * (tail.1 - 1.0));
    let mut latencies = LatencyHistogram::default();
    for (count, ns) in [(n - slow, usual as u64), (slow, (usual * tail.1) as u64)] {
        if count > 0 {
            let wide = (u128::from(count), u128::from(ns));
            let summary = Summary { count, sum: wide.0 * wide.1, sum_sq: wide.0 * wide.1 * wide.1, min: ns, max: ns };
            latencies.merge(&LatencyHistogram::from_parts(bucket_of(ns), vec![count], summary, 0));
        }
    }
    latencies
}

/// Returns uniform random reads of one size.
pub(crate) fn randread(bytes: u64) -> Workload {
    Workload::new(Mix::READ, Bytes(bytes), Access::RANDOM)
}
