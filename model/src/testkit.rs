//! Sample values for the tests of this crate.

use crate::plan::{Access, ErrorPolicy, JobTuning, Mix, StopRule, TargetKind, Workload};
use crate::{
    Bytes, Interval, Job, Nanos, Op, Plan, RunEvent, RunKind, Target, measured::Window, record::RECORD_VERSION,
};

/// Returns the first event of a run that does nothing.
pub(crate) fn begin() -> RunEvent {
    let plan = Plan::new(RunKind::Blocks, Target::null("nothing", Bytes(0)), Vec::new(), Nanos(0));
    let (tool, id, started) = ("test".into(), "r".into(), String::new());
    RunEvent::Begin { version: RECORD_VERSION, tool, id, started, plan, preflight: Box::default() }
}

/// Returns a job of random reads on the null target, with queue depth 4.
pub(crate) fn job() -> Job {
    let target = Target {
        kind: TargetKind::Null,
        path: "/t".into(),
        size: Bytes::from_mib(1),
        offset: Bytes(0),
        direct: true,
        align: Bytes(512),
        uuid: None,
    };
    Job {
        name: "r".into(),
        workload: Workload::new(Mix::READ, Bytes(4096), Access::RANDOM),
        target,
        more: Vec::new(),
        engine: "null".into(),
        queue_depth: 4,
        threads: 1,
        stop: StopRule { ramp: Nanos(0), time: Nanos(1), steady_after: None, max_ops: None },
        on_error: ErrorPolicy::Stop,
        seed: 1,
        faults: None,
        tuning: JobTuning::default(),
    }
}

/// Returns a measured interval of one window with `reads` reads that took a millisecond each.
pub(crate) fn second(start: u64, length_ms: u64, reads: u64) -> Interval {
    let mut interval = Interval { start: Nanos(start), length: Nanos::from_millis(length_ms), ..Interval::default() };
    let read = &mut interval.per_op[Op::Read.index()];
    read.tally.ops = reads;
    for _ in 0..reads {
        read.latency.record(Nanos::from_millis(1));
    }
    interval.windows =
        vec![Window { start: Nanos(start), length: interval.length, ops: [reads, 0, 0, 0], ..Window::default() }];
    interval
}
