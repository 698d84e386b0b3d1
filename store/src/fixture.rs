//! Test fixtures: whole runs, deterministic in a seed, and as proptest strategies. Only for tests of this crate
//! (feature `test-support`).

use model::{
    Access, Accounting, Bytes, Caveat, Interval, Job, Layer, Mix, NamedSeries, Nanos, Op, Phase, Plan, RECORD_VERSION,
    RunEvent, RunState, Sample, SeriesSample, Severity, Stage, StepEnd, StopRule, Target, TargetKind, Window, Workload,
};
use proptest::prelude::*;

/// Mixes a seed with SplitMix64, which is random enough for fixtures.
pub fn scramble(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Returns the id of the run generated from `seed`.
pub fn id(seed: u64) -> String {
    let bits = (u128::from(scramble(seed)) << 64) | u128::from(scramble(!seed));
    let hex = format!("{bits:032x}");
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

fn job() -> Job {
    let target = Target {
        offset: Bytes(0),
        kind: TargetKind::File,
        path: "/mnt/volume/secchi.data".into(),
        size: Bytes::from_gib(4),
        direct: true,
        align: Bytes(512),
        uuid: Some(u128::MAX - 7),
    };
    Job {
        tuning: model::JobTuning::default(),
        more: Vec::new(),
        name: "randread-8k".to_owned(),
        workload: Workload::new(Mix::READ, Bytes(8192), Access::RANDOM),
        target,
        engine: "io_uring".to_owned(),
        queue_depth: 32,
        threads: 1,
        stop: StopRule { ramp: Nanos(1), time: Nanos::from_secs(5), steady_after: None, max_ops: None },
        on_error: model::ErrorPolicy::Stop,
        seed: 42,
        faults: None,
    }
}

/// Returns the first event of the run generated from `seed`.
pub fn begin(seed: u64) -> RunEvent {
    let job = job();
    let stage = Stage { max_threads: 4, ..Stage::fixed("randread-8k", job.clone()) };
    RunEvent::Begin {
        version: RECORD_VERSION,
        tool: "0.1.0".to_owned(),
        id: id(seed),
        started: format!("2026-11-21T10:{:02}:{:02}+01:00", seed / 60 % 60, seed % 60),
        plan: Plan {
            args: vec!["--time".to_owned(), "quick".to_owned()],
            ..Plan::new("qualify", job.target, vec![stage], Nanos::from_secs(60))
        },
        preflight: Box::default(),
    }
}

/// Returns second `n` of a step: `ops` reads with latencies spread over two decades, in ten windows.
pub fn second(seed: u64, n: u64, ops: u64) -> Interval {
    let start = n * 1_000_000_000;
    let mut interval = Interval { start: Nanos(start), length: Nanos::from_secs(1), ..Interval::default() };
    let read = &mut interval.per_op[Op::Read.index()];
    for i in 0..ops {
        let draw = scramble(seed ^ (n << 32) ^ i);
        read.latency.record(Nanos(100_000 + draw % 1000 * (draw >> 40) % 10_000_000));
    }
    read.tally.ops = ops;
    read.tally.bytes = ops * 8192;
    interval.in_flight_ns = read.latency.summary().sum;
    interval.cpu_user = Nanos(ops * 700);
    interval.windows = (0..10)
        .map(|w| Window {
            start: Nanos(start + w * 100_000_000),
            length: Nanos::from_millis(100),
            ops: [ops / 10, 0, 0, 0],
            bytes: [ops / 10 * 8192, 0, 0, 0],
            errors: 0,
            latency_sum: ops * 12_345,
        })
        .collect();
    interval
}

/// Returns a whole run of one step with `seconds` intervals and the events around them.
pub fn run(seed: u64, seconds: u64) -> Vec<RunEvent> {
    let mut events = open_run(seed, seconds);
    events.extend(looks());
    let at = Nanos(seconds * 1_000_000_000 + 5);
    events.push(RunEvent::StepEnd { step: 0, end: StepEnd { at, busiest_thread: 0.1 + 0.2, ..StepEnd::default() } });
    events.push(RunEvent::Accounting {
        steps: vec![0],
        counts: Accounting { asked_read: 8192 * 30 * seconds, ..Accounting::default() },
    });
    events.push(RunEvent::Caveat(Caveat::new("clock-coarse", Severity::Note, "the clock is coarse", "45 ns")));
    events.push(RunEvent::End { state: RunState::Complete, at, reason: "".into(), signal: None });
    events
}

/// Returns the same run without its end, as a killed process leaves it.
pub fn open_run(seed: u64, seconds: u64) -> Vec<RunEvent> {
    let mut events = vec![begin(seed)];
    events.push(RunEvent::StepBegin { stage: 0, pass: 0, hold: false, job: Box::new(job()), at: Nanos(0), number: 0 });
    events.extend((0..seconds).map(|n| RunEvent::Interval { step: 0, interval: second(seed, n, 30) }));
    events
}

/// Generates an event that may occur in the middle of a step.
fn event() -> impl Strategy<Value = RunEvent> {
    let finite = any::<f64>().prop_filter("JSON has no infinity", |f| f.is_finite());
    let at = (0..u64::MAX / 4).prop_map(Nanos);
    let interval = (any::<u64>(), 0..2000u64, 0..60u64, any::<u128>(), 0..3).prop_map(|(seed, n, ops, area, phase)| {
        let mut interval = second(seed, n, ops);
        interval.in_flight_ns = area;
        interval.phase = [Phase::Ramp, Phase::Measure, Phase::Drain][phase as usize];
        interval.per_op[1].tally.errors.insert(5, ops);
        interval.per_op[1].failed.record(Nanos(seed >> 1));
        RunEvent::Interval { step: 0, interval }
    });
    let samples = prop::collection::vec(("[a-c]", finite.clone()), 0..5).prop_map(|list| {
        list.into_iter()
            .map(|(name, value)| Sample { name, unit: "ops/s".to_owned(), layer: Layer::Device, value })
            .collect()
    });
    let begin = (at.clone(), any::<bool>(), any::<u32>()).prop_map(|(at, hold, pass)| RunEvent::StepBegin {
        stage: 0,
        pass,
        hold,
        job: Box::new(job()),
        at,
        number: 0,
    });
    prop_oneof![
        4 => interval,
        1 => begin,
        2 => (at.clone(), any::<u32>(), finite.clone()).prop_map(|(at, count, value)| RunEvent::Look {
            at,
            look: SeriesSample { over: 0.1, counts: vec![(0, vec![count.into()])], same: vec![(1, 1)], values: vec![(2, vec![value])] },
        }),
        2 => (at.clone(), samples).prop_map(|(at, samples)| RunEvent::Samples { at, samples }),
        1 => (at.clone(), any::<String>()).prop_map(|(at, text)| RunEvent::Note { at, text: text.into() }),
        1 => any::<String>().prop_map(|s| RunEvent::Caveat(Caveat::new("x", Severity::Doubt, s.clone(), s))),
        1 => (at.clone(), finite).prop_map(|(at, busiest_thread)| {
            RunEvent::StepEnd { step: 0, end: StepEnd { at, busiest_thread, ..StepEnd::default() } }
        }),
        1 => (any::<u64>(), at.clone()).prop_map(|(bytes, time)| RunEvent::Filled { bytes, time }),
        1 => (at, any::<String>()).prop_map(|(at, reason)| {
            RunEvent::End { state: RunState::Stopped, at, reason: reason.into(), signal: Some(2) }
        }),
    ]
}

/// Returns the event that names three series, and one sample of them.
fn looks() -> [RunEvent; 2] {
    let named = |name: &str| NamedSeries { name: name.to_owned(), unit: "ops/s".to_owned(), layer: Layer::Device };
    let look = SeriesSample {
        over: 1.000_018_451,
        counts: vec![(0, vec![52, 6000])],
        values: vec![(2, vec![0.1 + 0.2])],
        same: Vec::new(),
    };
    [
        RunEvent::Series { first: 0, series: ["read_ops", "write_ops", "queue"].map(named).to_vec() },
        RunEvent::Look { at: Nanos::from_secs(1), look },
    ]
}

/// Generates a run: a `Begin`, a step, then any events in any order, each for any step begun so far.
pub fn runs() -> impl Strategy<Value = Vec<RunEvent>> {
    (any::<u64>(), prop::collection::vec(event(), 0..25)).prop_map(|(seed, events)| {
        let mut run = open_run(seed, 0);
        run.extend(looks());
        run.extend(events);
        let mut begun = 0;
        for (n, event) in (0..).zip(&mut run) {
            match event {
                RunEvent::StepBegin { number, .. } => {
                    *number = begun as usize;
                    begun += 1;
                }
                RunEvent::Interval { step, .. } | RunEvent::StepEnd { step, .. } => {
                    *step = (scramble(seed ^ n) % begun) as usize;
                }
                _ => {}
            }
        }
        run
    })
}
