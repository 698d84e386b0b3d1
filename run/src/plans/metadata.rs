//! Plan of `qualify --metadata`, from the user's request. Opens nothing.
//!
//! Each phase is a wave with one stage per thread, in the order of IO500. A failed thread ends the run, because later
//! phases would look for files that do not exist.
//!
//! A thread corresponds to a task of mdtest. If several ranks work in one directory, their tasks are numbered
//! round-robin, as with `mpirun --map-by node`: the neighbour of a task belongs to the next rank, so the files it
//! accesses were created on another host.

use super::after;
use model::metadata::{METADATA_PHASES, MetadataRule, MetadataShape};
use model::plan::{Access, Ends, ErrorPolicy, ExitWhat, JobTuning, Mix, StagePlacement, Work, Workload};
use model::{Bytes, Job, Nanos, Plan, RunKind, Stage, Target, bounds::Need};
use std::path::Path;

/// Default number of files of one shape (an mdtest variant) for all threads of a rank: seconds of work for the file
/// system of a disk.
const USUAL_FILES: u64 = 100_000;
/// Maximum number of files of one shape for all threads of a rank.
const MOST_FILES: u64 = 10_000_000;
/// Maximum number of threads.
const MOST_THREADS: u32 = 64;
/// Maximum number of threads that is chosen by default.
const USUAL_THREADS: u32 = 16;

/// Request of the user.
#[derive(Debug, Clone)]
pub struct Request {
    /// Arguments as typed.
    pub args: Vec<String>,
    /// Files per thread in each shape; `None` divides 100,000 among the threads.
    pub files: Option<u64>,
    /// Number of threads; `None` for one per CPU in `cpus`, up to 16.
    pub threads: Option<u32>,
    /// Number of logical CPUs that this process may use.
    pub cpus: u32,
    /// Time in flight after which an operation counts as hung and the run is abandoned.
    pub hang: Nanos,
    /// Needs that the run checks.
    pub needs: Vec<Need>,
}

/// Reason why no plan is possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MetadataError {
    /// The number of threads is out of range.
    #[error("--metadata-threads {0}: must be 1 to {MOST_THREADS}")]
    Threads(u32),
    /// The number of files is out of range.
    #[error("--metadata-files {files}: must be 1 to {most} for each of {threads} threads, 10 million in total")]
    Files {
        /// Requested files per thread.
        files: u64,
        /// Maximum number of files per thread.
        most: u64,
        /// Number of threads.
        threads: u32,
    },
}

/// Returns the number of threads, and the number of files per thread in each shape.
///
/// # Errors
/// Returns [`MetadataError`] if one is out of range.
pub fn counts(request: &Request) -> Result<(u32, u64), MetadataError> {
    let threads = request.threads.unwrap_or(request.cpus.clamp(1, USUAL_THREADS));
    if !(1..=MOST_THREADS).contains(&threads) {
        return Err(MetadataError::Threads(threads));
    }
    let files = request.files.unwrap_or(USUAL_FILES / u64::from(threads));
    let most = MOST_FILES / u64::from(threads);
    if !(1..=most).contains(&files) {
        return Err(MetadataError::Files { files, most, threads });
    }
    Ok((threads, files))
}

/// Position of a rank among the ranks that work in one directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sharing {
    /// This rank, from 0.
    pub rank: u32,
    /// Number of ranks.
    pub ranks: u32,
}

impl Sharing {
    /// Position for a directory that is not shared.
    pub const NONE: Sharing = Sharing { rank: 0, ranks: 1 };
}

/// Returns the plan for files in a directory in `place`, shared with other ranks according to `sharing`.
///
/// # Errors
/// Returns [`MetadataError`] if a count is out of range.
pub fn plan(request: &Request, place: &Path, sharing: Sharing) -> Result<Plan, MetadataError> {
    let (threads, files) = counts(request)?;
    let tasks = threads.saturating_mul(sharing.ranks);
    let mut stages = Vec::with_capacity(METADATA_PHASES.len() * threads as usize);
    for (shape, phase) in METADATA_PHASES {
        stages.extend((0..threads).map(|thread| {
            let task = thread * sharing.ranks + sharing.rank;
            let rule = MetadataRule { shape, phase, owner: (task + phase.stride()) % tasks, files };
            stage(rule, thread, place)
        }));
    }
    let size = MetadataShape::Hard.file_size().as_u64() * files * u64::from(threads);
    let target = Target::null(place, Bytes(size));
    let (args, needs) = (request.args.clone(), request.needs.clone());
    Ok(Plan { args, needs, ..Plan::new(RunKind::Metadata, target, stages, request.hang) })
}

fn stage(rule: MetadataRule, thread: u32, place: &Path) -> Stage {
    let name = format!("{}.{}.w{thread}", rule.shape.name(), rule.phase.name());
    // An empty file is planned as one byte, because a worker rejects operations without bytes.
    let block = rule.shape.file_size().max(Bytes(1));
    let option = |name: &str, value: String| (name.to_owned(), value);
    let tuning = JobTuning {
        ends: Ends { exit_all: Some(ExitWhat::All), exit_all_on_error: true, ..Ends::default() },
        engine_options: vec![
            option("phase", rule.phase.name().to_owned()),
            option("owner", rule.owner.to_string()),
            option("file_size", rule.shape.file_size().as_u64().to_string()),
        ],
        work: Work::Metadata(rule),
        ..JobTuning::default()
    };
    let mix = if rule.phase.changes() { Mix::WRITE } else { Mix::READ };
    let job = Job {
        name: name.clone(),
        workload: Workload::new(mix, block, Access::Sequential),
        target: Target::null(place, Bytes(block.as_u64() * rule.files)),
        more: Vec::new(),
        engine: "metadata".to_owned(),
        queue_depth: 1,
        threads: 1,
        stop: after(rule.files),
        on_error: ErrorPolicy::Stop,
        seed: 1,
        faults: None,
        tuning,
    };
    let place = StagePlacement { with_previous: thread > 0, clone: thread, ..StagePlacement::default() };
    Stage { place, ..Stage::fixed(name, job) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{metadata::MetadataPhase, record::wave_of};
    use std::collections::BTreeSet;

    fn request() -> Request {
        Request {
            args: Vec::new(),
            files: Some(10),
            threads: Some(4),
            cpus: 2,
            hang: Nanos::from_secs(60),
            needs: Vec::new(),
        }
    }

    #[test]
    fn each_phase_is_a_wave_of_all_threads_and_each_file_is_somebodys() {
        let plan = plan(&request(), Path::new("/data"), Sharing::NONE).expect("a plan");
        let waves: Vec<_> = plan.waves().collect();
        assert_eq!(waves.len(), METADATA_PHASES.len());
        for (wave, (shape, phase)) in waves.iter().zip(METADATA_PHASES) {
            let rules: Vec<_> = wave.iter().filter_map(|s| s.job.tuning.work.metadata()).collect();
            assert!(rules.len() == 4 && rules.iter().all(|r| (r.shape, r.phase) == (shape, phase)));
            assert_eq!(rules.iter().map(|r| r.owner).collect::<BTreeSet<_>>(), (0..4).collect());
            let names: BTreeSet<_> = wave.iter().map(|s| wave_of(&s.name)).collect();
            assert_eq!(names.len(), 1, "{names:?}");
        }
        let owner = |wave: usize| waves[wave][0].job.tuning.work.metadata().map(|r| r.owner);
        assert_eq!([owner(0), owner(2), owner(5), owner(6)], [Some(0), Some(1), Some(2), Some(3)], "as mdtest -N 1");
        assert_eq!(
            waves[5][0].job.tuning.work.metadata().map(|r| (r.shape, r.phase)),
            Some((MetadataShape::Hard, MetadataPhase::Read))
        );
    }

    #[test]
    fn ranks_in_one_directory_look_at_what_the_next_one_made_and_miss_no_file() {
        let plan_of = |rank| plan(&request(), Path::new("/data"), Sharing { rank, ranks: 3 }).expect("a plan");
        let plans: Vec<Plan> = (0..3).map(plan_of).collect();
        for (wave, phase) in METADATA_PHASES.iter().enumerate() {
            let owners = |plan: &Plan| -> Vec<u32> {
                let stages = plan.waves().nth(wave).expect("a wave for each phase");
                stages.iter().filter_map(|s| s.job.tuning.work.metadata()).map(|rule| rule.owner).collect()
            };
            let all_owners: BTreeSet<u32> = plans.iter().flat_map(owners).collect();
            assert_eq!(all_owners, (0..12).collect(), "each task's files are somebody's");
            let stride = phase.1.stride();
            for (rank, plan) in (0..).zip(&plans) {
                assert!(owners(plan).iter().all(|owner| owner % 3 == (rank + stride) % 3), "made by the rank behind");
            }
        }
    }

    #[test]
    fn there_are_not_too_many_of_them() {
        let with = |files, threads| counts(&Request { files, threads, ..request() });
        assert_eq!(with(None, None), Ok((2, 50_000)));
        assert_eq!(with(Some(10_000_000), Some(1)), Ok((1, 10_000_000)));
        assert_eq!(with(None, Some(65)), Err(MetadataError::Threads(65)));
        assert_eq!(with(None, Some(0)), Err(MetadataError::Threads(0)));
        for files in [0, 5_000_001] {
            let error = with(Some(files), Some(2)).expect_err("refused").to_string();
            assert!(error.contains("must be 1 to 5000000 for each of 2 threads"), "{error}");
        }
        assert_eq!(counts(&Request { threads: None, cpus: 200, ..request() }).map(|c| c.0), Ok(16));
    }
}
