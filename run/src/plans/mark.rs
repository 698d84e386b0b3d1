//! Plan of `mark`, from the user's request. Opens nothing.
//!
//! The order is that of CrystalDiskMark: all tests with reads, then all tests with writes, then all tests with a mix.
//! The loops of a test follow each other directly, and a pause precedes each test but the first.

use super::write_bound::FillTooLarge;
use model::plan::{
    Contents, Detail, ErrorPolicy, Filling, MarkDirection, MarkTest, StagePlacement, StopRule, Workload,
};
use model::{Bytes, Job, Nanos, Plan, RunKind, Stage, Target};

/// Request of the user.
#[derive(Debug, Clone)]
pub struct Request {
    /// Arguments as typed.
    pub args: Vec<String>,
    /// Name of the profile that the tests belong to; `None` if they were requested individually.
    pub profile: Option<String>,
    /// Tests, in order.
    pub tests: Vec<MarkTest>,
    /// Directions, in order.
    pub directions: Vec<MarkDirection>,
    /// Number of loops of each test in each direction.
    pub loops: u32,
    /// Measured time of a loop.
    pub time: Nanos,
    /// Pause before each test but the first.
    pub interval: Nanos,
    /// True to write zeros instead of data that can be neither compressed nor deduplicated.
    pub zero: bool,
    /// Engine by name, or `auto`.
    pub engine: String,
    /// Time in flight after which an operation counts as hung and the run is abandoned.
    pub hang: Nanos,
    /// True to keep the test file.
    pub keep: bool,
    /// Maximum number of bytes to write, including the fill.
    pub max_written: Option<Bytes>,
    /// True if the target may be written.
    pub may_write: bool,
    /// Random seed.
    pub seed: u64,
}

/// Reason why no plan is possible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MarkError {
    /// A test was requested twice, so its loops could not be distinguished.
    #[error("test {0} is given twice")]
    Twice(MarkTest),
    /// A test writes, but only reading is allowed.
    #[error("{0} tests write, but this target may only be read")]
    ReadOnly(&'static str),
    /// Direct I/O does not support the block size on this target.
    #[error("test {test}: its block size is not a multiple of {align}, as direct I/O requires on this target")]
    Align {
        /// Test in question.
        test: MarkTest,
        /// Required alignment.
        align: Bytes,
    },
    /// The file has less than one block per thread.
    #[error("test {test}: {threads} threads need at least {least}, but the test file has {size}")]
    Small {
        /// Test in question.
        test: MarkTest,
        /// Number of threads.
        threads: u32,
        /// Size of one block per thread.
        least: Bytes,
        /// Size of the file.
        size: Bytes,
    },
    /// The engine allows only one operation in flight per thread, but a test needs more.
    #[error("test {test}: engine {engine} has one operation in flight per thread, not {}", test.queues)]
    Queue {
        /// Test in question.
        test: MarkTest,
        /// Requested engine.
        engine: String,
    },
    /// The fill alone exceeds the write bound.
    #[error(transparent)]
    FillTooLarge(#[from] FillTooLarge),
    /// Loops or times are out of range.
    #[error("{0}")]
    Range(String),
}

const LOOPS: u32 = 100;
const LONGEST: Nanos = Nanos::from_days(1);

/// Returns the plan of a mark on an inspected target. `fill` is the number of bytes to be written beforehand.
///
/// # Errors
/// Returns an error if a test is impossible on this target; nothing was opened.
pub fn plan(request: &Request, target: &Target, fill: Bytes) -> Result<Plan, MarkError> {
    check(request, target)?;
    FillTooLarge::check(fill, request.max_written)?;
    let mut stages: Vec<Stage> = Vec::new();
    for direction in &request.directions {
        for test in &request.tests {
            for turn in 1..=request.loops {
                let pause = if turn == 1 && !stages.is_empty() { request.interval } else { Nanos(0) };
                stages.push(stage(request, target, *test, *direction, turn, pause, stages.len()));
            }
        }
    }
    Ok(Plan {
        args: request.args.clone(),
        fill,
        keep: request.keep,
        max_written: request.max_written,
        ..Plan::new(RunKind::Mark { profile: request.profile.clone() }, target.clone(), stages, request.hang)
    })
}

fn check(request: &Request, target: &Target) -> Result<(), MarkError> {
    let range = |text: String| Err(MarkError::Range(text));
    if !(1..=LOOPS).contains(&request.loops) {
        return range(format!("{} loops: the number must be from 1 to {LOOPS}", request.loops));
    }
    if request.time < Nanos::from_millis(100) || request.time > LONGEST {
        return range(format!("{} per loop: the time must be from 100 ms to a day", request.time));
    }
    if request.interval > LONGEST {
        return range(format!("{} between tests: the maximum is a day", request.interval));
    }
    let writes = request.directions.iter().find(|d| d.mix().writes());
    if let Some(direction) = writes.filter(|_| !request.may_write) {
        return Err(MarkError::ReadOnly(direction.name()));
    }
    let blocking = load::engines::find(&request.engine).is_ok_and(|e| e.spec.is_blocking());
    for (i, test) in request.tests.iter().enumerate() {
        if request.tests[..i].contains(test) {
            return Err(MarkError::Twice(*test));
        }
        if !test.block.as_u64().is_multiple_of(target.align.as_u64().max(1)) {
            return Err(MarkError::Align { test: *test, align: target.align });
        }
        let least = Bytes(test.block.as_u64() * u64::from(test.threads));
        if least > target.size {
            return Err(MarkError::Small { test: *test, threads: test.threads, least, size: target.size });
        }
        if blocking && test.queues > 1 {
            return Err(MarkError::Queue { test: *test, engine: request.engine.clone() });
        }
    }
    Ok(())
}

fn stage(
    request: &Request,
    target: &Target,
    test: MarkTest,
    direction: MarkDirection,
    turn: u32,
    pause: Nanos,
    number: usize,
) -> Stage {
    let name = format!("{}-Q{}T{}-{}-{turn}", test.pattern(), test.queues, test.threads, direction.name());
    let kind = if request.zero { Filling::Zero } else { Filling::default() };
    let detail = Detail { contents: Contents { kind, ..Contents::default() }, ..Detail::default() };
    let job = Job {
        name: name.clone(),
        workload: Workload { detail, ..Workload::new(direction.mix(), test.block, test.access()) },
        target: target.clone(),
        more: Vec::new(),
        engine: request.engine.clone(),
        queue_depth: test.queues,
        threads: test.threads,
        stop: StopRule { ramp: Nanos(0), time: request.time, steady_after: None, max_ops: None },
        on_error: ErrorPolicy::Stop,
        seed: request.seed ^ (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15),
        faults: None,
        tuning: model::plan::JobTuning::default(),
    };
    Stage {
        max_threads: test.threads,
        place: StagePlacement { delay: pause, ..StagePlacement::default() },
        ..Stage::fixed(name, job)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::plan::{MARK_PROFILES, TargetKind};

    fn request() -> Request {
        Request {
            args: Vec::new(),
            profile: None,
            tests: MARK_PROFILES[0].tests.to_vec(),
            directions: vec![MarkDirection::Read, MarkDirection::Write],
            loops: 5,
            time: Nanos::from_secs(5),
            interval: Nanos::from_secs(5),
            zero: false,
            engine: "auto".into(),
            hang: Nanos::from_secs(60),
            keep: false,
            max_written: None,
            may_write: true,
            seed: 1,
        }
    }

    fn target() -> Target {
        Target {
            offset: Bytes(0),
            kind: TargetKind::File,
            path: "/t".into(),
            size: Bytes::from_gib(1),
            direct: true,
            align: Bytes(512),
            uuid: Some(7),
        }
    }

    #[test]
    fn every_test_reads_before_any_writes_and_pauses_stand_between_tests() {
        let plan = plan(&request(), &target(), Bytes::from_gib(1)).unwrap();
        assert_eq!(plan.stages.len(), 40);
        let names: Vec<&str> = plan.stages.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names[0], "SEQ1M-Q8T1-read-1");
        assert_eq!(names[5], "SEQ1M-Q1T1-read-1");
        assert_eq!(names[39], "RND4K-Q1T1-write-5");
        assert!(plan.stages[..20].iter().all(|s| !s.job.workload.mix.writes()));
        let pauses: Vec<usize> = (0..40).filter(|i| plan.stages[*i].place.delay > Nanos::from_secs(0)).collect();
        assert_eq!(pauses, [5, 10, 15, 20, 25, 30, 35]);
        assert!((plan.expected_time().secs() - (200.0 + 35.0)).abs() < 1e-9);
        let mut seeds: Vec<u64> = plan.stages.iter().map(|s| s.job.seed).collect();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 40, "no loop asks for the places of another");
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        let error = |r: Request| plan(&r, &target(), Bytes(0)).unwrap_err().to_string();
        let tests = |list: &[&str]| list.iter().map(|t| t.parse().unwrap()).collect::<Vec<MarkTest>>();
        assert!(error(Request { tests: tests(&["RND4K", "RND4K-Q1T1"]), ..request() }).contains("RND4K Q1T1 is given"));
        assert!(error(Request { may_write: false, ..request() }).contains("write tests write"));
        assert!(error(Request { loops: 0, ..request() }).contains("from 1 to 100"));
        assert!(error(Request { time: Nanos(1), ..request() }).contains("100 ms"));
        assert!(error(Request { engine: "psync".into(), ..request() }).contains("SEQ1M Q8T1: engine psync"));
        let few = Request { tests: tests(&["SEQ64M-Q1T64"]), ..request() };
        assert!(error(few).contains("64 threads need at least 4 GiB"), "one block for each thread");
        let coarse = Target { align: Bytes(8192), ..target() };
        assert!(plan(&request(), &coarse, Bytes(0)).unwrap_err().to_string().contains("RND4K Q32T1"));
    }

    #[test]
    fn reading_alone_needs_no_consent() {
        let reading = Request { may_write: false, directions: vec![MarkDirection::Read], ..request() };
        assert_eq!(plan(&reading, &target(), Bytes(0)).unwrap().stages.len(), 20);
    }
}
