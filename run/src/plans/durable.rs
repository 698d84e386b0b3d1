//! Plan of `durable`, from the user's request. Opens nothing.
//!
//! Each commit method is a separate stage, with one thread and one commit at a time; stages run one after the other.
//! Methods without a durability guarantee come first, so that their data does not fill the caches while the others are
//! measured.

use model::plan::{
    Access, CommitMethod, CommitRule, Ends, ErrorPolicy, ExitWhat, JobTuning, Mix, RolePath, StopRule, TraceRule, Work,
    Workload,
};
use model::{Bytes, Job, Nanos, Plan, RunKind, Stage, Target};
use std::path::Path;

/// Size of the file that is overwritten: four segments of PostgreSQL's journal. It also limits how much dirty data can
/// exist before a sync.
pub const FILE_SIZE: Bytes = Bytes::from_mib(64);
/// Total space that a run needs for this file and for a file that grows.
pub const ROOM: Bytes = Bytes::from_mib(64 + 256);
/// Role of the run's files in its trace.
pub const ROLE: &str = "commits";
const SHORTEST: Nanos = Nanos::from_millis(200);
const LONGEST: Nanos = Nanos::from_secs(3600);

/// Request of the user.
#[derive(Debug, Clone)]
pub struct Request {
    /// Arguments as typed.
    pub args: Vec<String>,
    /// Time for each method.
    pub time: Nanos,
    /// Time in flight after which an operation counts as hung and the run is abandoned.
    pub hang: Nanos,
}

/// Error for an invalid time per method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("--time {0}: must be {SHORTEST} to {LONGEST} for each method")]
pub struct TimeError(pub Nanos);

/// Returns the plan for files in the directory `name`, to be created in `place`. `direct` is true if files there can be
/// opened with direct I/O.
///
/// # Errors
/// Returns [`TimeError`] if the time is out of range.
pub fn plan(request: &Request, place: &Path, name: &str, direct: bool) -> Result<Plan, TimeError> {
    if !(SHORTEST..=LONGEST).contains(&request.time) {
        return Err(TimeError(request.time));
    }
    let rules = commit_rules().into_iter().filter(|rule| direct || !rule.method.is_direct());
    let stages = rules.map(|rule| stage(rule, request.time, place)).collect();
    let role = RolePath { role: ROLE.to_owned(), path: place.join(name) };
    let target = Target::null(place, FILE_SIZE);
    Ok(Plan {
        args: request.args.clone(),
        trace: Some(TraceRule { roles: vec![role] }),
        ..Plan::new(RunKind::Durability, target, stages, request.hang)
    })
}

/// Returns the rules that a run of `secchi durable` compares, in order.
fn commit_rules() -> Vec<CommitRule> {
    use CommitMethod as M;
    let one = |method| CommitRule { method, block: Bytes::from_kib(8), writes: 1, apart: false };
    let pieces = |method, kib, writes| CommitRule { block: Bytes::from_kib(kib), writes, ..one(method) };
    // As in pg_test_fsync: one write, two writes, 16 KiB in pieces, another descriptor.
    let mut rules: Vec<CommitRule> = M::ALL.iter().copied().map(one).collect();
    rules.extend([M::Fdatasync, M::Fsync, M::OpenDatasync, M::OpenSync].map(|method| pieces(method, 8, 2)));
    rules.extend([(16, 1), (4, 4), (2, 8), (1, 16)].map(|(kib, writes)| pieces(M::OpenSync, kib, writes)));
    let dirty =
        |mib: u32| CommitRule { block: Bytes::from_kib(64), writes: mib * 16, apart: true, ..one(M::Fdatasync) };
    rules.extend([1, 8, 64].map(dirty));
    rules
}

fn stage(rule: CommitRule, time: Nanos, place: &Path) -> Stage {
    let name = rule.to_string();
    // If writes and syncs are timed separately, the engine only writes.
    let (block, method) = if rule.apart { (rule.block, CommitMethod::None) } else { (rule.bytes(), rule.method) };
    let option = |name: &str, value: String| (name.to_owned(), value);
    let mut workload = Workload::new(Mix::WRITE, block, Access::Sequential);
    workload.flush_every = rule.apart.then_some(rule.writes);
    let tuning = JobTuning {
        ends: Ends { exit_all: Some(ExitWhat::All), exit_all_on_error: true, ..Ends::default() },
        engine_options: vec![
            option("method", method.name().to_owned()),
            option("block", rule.block.as_u64().to_string()),
            option("data_size", FILE_SIZE.as_u64().to_string()),
        ],
        work: Work::Commit(rule),
        ..JobTuning::default()
    };
    let job = Job {
        name: name.clone(),
        workload,
        target: Target::null(place, FILE_SIZE),
        more: Vec::new(),
        engine: "commit".to_owned(),
        queue_depth: 1,
        threads: 1,
        stop: StopRule { ramp: Nanos(0), time, steady_after: None, max_ops: None },
        on_error: ErrorPolicy::Stop,
        seed: 1,
        faults: None,
        tuning,
    };
    Stage::fixed(name, job)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Request {
        Request { args: Vec::new(), time: Nanos::from_secs(2), hang: Nanos::from_secs(60) }
    }

    #[test]
    fn no_two_stages_have_one_name_and_no_method_is_left_out() {
        let rules = commit_rules();
        let names: std::collections::BTreeSet<String> = rules.iter().map(ToString::to_string).collect();
        assert_eq!(names.len(), rules.len(), "{names:?}");
        assert!(CommitMethod::ALL.iter().all(|method| rules.iter().any(|rule| rule.method == *method)));
        assert!(names.contains("fdatasync behind 64m") && names.contains("open_sync 16 x 1k"), "{names:?}");
    }

    #[test]
    fn each_way_is_a_wave_and_what_is_timed_apart_syncs_by_itself() {
        let plan = plan(&request(), Path::new("/data"), "own", true).expect("a plan");
        assert_eq!(plan.waves().count(), plan.stages.len());
        assert_eq!(plan.kind, RunKind::Durability);
        for stage in &plan.stages {
            let rule = stage.job.tuning.work.commit().expect("it has one");
            let every = stage.job.workload.flush_every;
            assert_eq!(every, rule.apart.then_some(rule.writes), "{}", stage.name);
            assert!(rule.bytes() <= FILE_SIZE, "{}", stage.name);
        }
        assert_eq!(plan.trace.map(|t| t.roles[0].path.clone()), Some("/data/own".into()));
        let minute = plan.stages.iter().map(|s| s.job.stop.time.secs()).sum::<f64>();
        assert!(minute <= 60.0, "{minute} s");
    }

    #[test]
    fn what_cannot_go_past_the_page_cache_is_left_out_and_odd_times_are_refused() {
        let plan = super::plan(&request(), Path::new("/data"), "own", false).expect("a plan");
        assert!(plan.stages.iter().all(|s| s.job.tuning.work.commit().is_some_and(|rule| !rule.method.is_direct())));
        for time in [Nanos(0), Nanos::from_secs(7200)] {
            assert!(super::plan(&Request { time, ..request() }, Path::new("/"), "own", true).is_err());
        }
    }
}
