//! Plan of `hydration`, from the user's request. Opens nothing.
//!
//! A sample is read in two halves, each twice in the same order, so that a change of the storage during the run is
//! visible as a difference between the halves. One read is in flight at a time: a read that waits for another would
//! look like one that waits for the snapshot. Blocks that were never read are never read by the second pass either,
//! because both passes end after the same number of reads.

use super::after;
use model::plan::{
    Access, Ends, ErrorPolicy, ExitWhat, HydrationReads, JobTuning, Mix, Pacing, Rate, Rates, StopRule, Workload,
};
use model::{Bytes, BytesPerSecond, Job, Nanos, Plan, RunKind, Stage, Target};

/// Blocks of a sample, unless the volume is small: the share is then known to within 5 percentage points.
pub const USUAL_SAMPLE: u64 = 400;
/// Minimum number of blocks of the volume for each block of the sample: the halves then hardly share blocks.
const BLOCKS_EACH: u64 = 20;
/// Smallest sample from which anything follows.
const SMALLEST_SAMPLE: u64 = 20;
/// Size of a sampled block: that of most databases' pages.
const SAMPLED: Bytes = Bytes::from_kib(16);
/// Size of the reads that load the volume.
const LARGE: Bytes = Bytes::from_mib(1);
/// Time for which the rate is measured.
const RATE_TIME: Nanos = Nanos::from_secs(5);

/// Request of the user.
#[derive(Debug, Clone)]
pub struct Request {
    /// Arguments as typed.
    pub args: Vec<String>,
    /// Reads to make.
    pub task: Task,
    /// Large reads in flight.
    pub depth: u32,
    /// Time in flight after which an operation counts as hung and the run is abandoned.
    pub hang: Nanos,
}

/// Reads to make.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Task {
    /// Read a random sample twice, then measure the rate.
    Sample {
        /// Number of blocks; `None` to choose.
        blocks: Option<u64>,
        /// Random seed, which determines the blocks.
        seed: u64,
    },
    /// Read everything in order.
    Warm {
        /// Position at which to begin.
        from: Bytes,
        /// Maximum rate; `None` for as fast as possible.
        rate: Option<BytesPerSecond>,
    },
}

/// Reason why no plan is possible.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum HydrationError {
    /// The sample is too large for the volume or too small for an estimate.
    #[error("--samples {asked}: {SMALLEST_SAMPLE} to {most} for a volume of {size}")]
    Samples {
        /// Requested number of blocks.
        asked: u64,
        /// Maximum number of blocks.
        most: u64,
        /// Size of the volume.
        size: Bytes,
    },
    /// The volume is too small for any sample.
    #[error("{path} has {size}: at least {least} are needed for a sample; --warm reads it all")]
    Small {
        /// Path of the volume.
        path: String,
        /// Its size.
        size: Bytes,
        /// Required size.
        least: Bytes,
    },
    /// The number of reads in flight is out of range.
    #[error("--depth {0}: must be 1 to 1024")]
    Depth(u32),
    /// The rate is less than one read in ten seconds.
    #[error("--rate {0}: must be at least 100 KiB/s")]
    Rate(BytesPerSecond),
}

/// Returns the plan for an inspected volume.
///
/// # Errors
/// Returns an error if a figure of the request is out of range; nothing was opened.
pub fn plan(request: &Request, target: &Target) -> Result<Plan, HydrationError> {
    if !(1..=1024).contains(&request.depth) {
        return Err(HydrationError::Depth(request.depth));
    }
    let stages = match request.task {
        Task::Sample { blocks, seed } => sample(request.depth, target, blocks, seed)?,
        Task::Warm { from, rate } => warm(request.depth, target, from, rate)?,
    };
    let (reads, stages) = stages.into_iter().unzip();
    Ok(Plan {
        args: request.args.clone(),
        ..Plan::new(RunKind::Hydration { reads }, target.clone(), stages, request.hang)
    })
}

type ReadStage = (HydrationReads, Stage);

fn sample(depth: u32, target: &Target, asked: Option<u64>, seed: u64) -> Result<Vec<ReadStage>, HydrationError> {
    let size = target.size;
    let block = SAMPLED.max(target.align);
    let most = size.as_u64() / block.as_u64() / BLOCKS_EACH;
    if most < SMALLEST_SAMPLE {
        let (path, least) = (target.path.display().to_string(), block.times(BLOCKS_EACH * SMALLEST_SAMPLE));
        return Err(HydrationError::Small { path, size, least });
    }
    let blocks = asked.unwrap_or(USUAL_SAMPLE.min(most));
    if !(SMALLEST_SAMPLE..=most).contains(&blocks) {
        return Err(HydrationError::Samples { asked: blocks, most, size });
    }
    let mut stages = Vec::new();
    for half in 0..2 {
        for (reads, name) in [(HydrationReads::First, "first"), (HydrationReads::Second, "second")] {
            let ops = if half == 0 { blocks.div_ceil(2) } else { blocks / 2 };
            let workload = Workload::new(Mix::READ, block, Access::RANDOM);
            let job = job(format!("{name}-{}", half + 1), target, workload, "psync", after(ops));
            stages.push((reads, Stage::fixed(job.name.clone(), Job { seed: seed.wrapping_add(half), ..job })));
        }
    }
    let large = LARGE.max(target.align).min(Bytes(size.as_u64() / block.as_u64() * block.as_u64()));
    let once = size.as_u64() / large.as_u64();
    let stop = StopRule { ramp: Nanos(0), time: RATE_TIME, steady_after: None, max_ops: Some(once) };
    let threads = depth.min(u32::try_from(once).unwrap_or(depth)).max(1);
    let job = job("rate".to_owned(), target, Workload::new(Mix::READ, large, Access::RANDOM), "psync", stop);
    let job = Job { threads, seed: seed.wrapping_add(2), ..job };
    stages.push((HydrationReads::Rate, Stage { max_threads: threads, ..Stage::fixed("rate", job) }));
    Ok(stages)
}

/// Returns the stages that read the volume from a position to its end: whole large blocks, then the rest.
fn warm(
    depth: u32,
    target: &Target,
    from: Bytes,
    rate: Option<BytesPerSecond>,
) -> Result<Vec<ReadStage>, HydrationError> {
    if let Some(rate) = rate.filter(|rate| rate.per_second() < LARGE.as_u64() as f64 / 10.0) {
        return Err(HydrationError::Rate(rate));
    }
    let left = target.size.as_u64().saturating_sub(from.as_u64());
    let (large, rest) = (left / LARGE.as_u64(), left % LARGE.as_u64());
    let part =
        |at: u64, size: u64| Target { offset: Bytes(target.offset.as_u64() + at), size: Bytes(size), ..target.clone() };
    let stage = |name: &str, target: Target, block: u64, ops: u64, depth: u32| {
        let mut workload = Workload::new(Mix::READ, Bytes(block), Access::Sequential);
        if let Some(rate) = rate {
            let rates = Rates { of: [Some(Rate::Bytes(rate)), None, None], poisson: false, forgive_pauses: true };
            workload.pacing = Pacing::Rates(rates);
        }
        let job = Job { queue_depth: depth, ..job(name.to_owned(), &target, workload, "auto", after(ops)) };
        (HydrationReads::Warm, Stage::fixed(name, job))
    };
    let mut stages = Vec::new();
    if large > 0 {
        stages.push(stage("warm", part(from.as_u64(), large * LARGE.as_u64()), LARGE.as_u64(), large, depth));
    }
    if rest > 0 {
        stages.push(stage("warm-end", part(from.as_u64() + left - rest, rest), rest, 1, 1));
    }
    Ok(stages)
}

fn job(name: String, target: &Target, workload: Workload, engine: &str, stop: StopRule) -> Job {
    let ends = Ends { exit_all: Some(ExitWhat::All), exit_all_on_error: true, ..Ends::default() };
    Job {
        name,
        workload,
        target: target.clone(),
        more: Vec::new(),
        engine: engine.to_owned(),
        queue_depth: 1,
        threads: 1,
        stop,
        on_error: ErrorPolicy::Stop,
        seed: 1,
        faults: None,
        tuning: JobTuning { ends, ..JobTuning::default() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(size: Bytes) -> Target {
        Target { align: Bytes(4096), ..Target::null("/dev/sdb", size) }
    }

    fn request(task: Task) -> Request {
        Request { args: Vec::new(), task, depth: 8, hang: Nanos::from_secs(60) }
    }

    #[test]
    fn both_passes_of_a_half_read_the_same_blocks_and_the_halves_others() {
        let plan =
            plan(&request(Task::Sample { blocks: Some(101), seed: 7 }), &volume(Bytes::from_gib(1))).expect("a plan");
        let jobs: Vec<_> = plan.stages.iter().map(|s| (s.job.seed, s.job.stop.max_ops, s.job.concurrency())).collect();
        let large = 1024;
        assert_eq!(jobs, [(7, Some(51), 1), (7, Some(51), 1), (8, Some(50), 1), (8, Some(50), 1), (9, Some(large), 8)]);
        assert!(plan.stages.iter().all(|s| !s.job.workload.mix.writes() && s.job.workload.access == Access::RANDOM));
        use HydrationReads::{First, Rate, Second};
        assert_eq!(plan.kind, RunKind::Hydration { reads: vec![First, Second, First, Second, Rate] });
    }

    #[test]
    fn a_sample_suits_the_volume_or_is_refused() {
        let sampled = |size, blocks| plan(&request(Task::Sample { blocks, seed: 1 }), &volume(size));
        let first = |plan: Plan| plan.stages[0].job.stop.max_ops;
        assert_eq!(sampled(Bytes::from_gib(100), None).map(first), Ok(Some(200)));
        assert_eq!(sampled(Bytes::from_mib(16), None).map(first), Ok(Some(26)), "a twentieth of 1,024 blocks");
        for (size, blocks) in
            [(Bytes::from_mib(4), None), (Bytes::from_gib(1), Some(19)), (Bytes::from_gib(1), Some(9999))]
        {
            let error = sampled(size, blocks).expect_err("refused").to_string();
            assert!(!error.contains('\n'), "{error}");
        }
        assert_eq!(
            plan(&Request { depth: 0, ..request(Task::Sample { blocks: None, seed: 1 }) }, &volume(Bytes::from_gib(1))),
            Err(HydrationError::Depth(0))
        );
    }

    #[test]
    fn warming_reads_every_byte_from_its_position_once() {
        let size = Bytes(Bytes::from_mib(100).as_u64() + 12_288);
        for from in [0, 1 << 20, 100 << 20] {
            let plan = plan(&request(Task::Warm { from: Bytes(from), rate: None }), &volume(size)).expect("a plan");
            let mut at = from;
            for stage in &plan.stages {
                let (job, ops) = (&stage.job, stage.job.stop.max_ops.expect("bounded"));
                assert_eq!(job.target.offset, Bytes(at));
                assert_eq!(job.target.size.as_u64(), ops * job.workload.max_block().as_u64());
                at += job.target.size.as_u64();
            }
            assert_eq!(at, size.as_u64());
        }
        let slow = Task::Warm { from: Bytes(0), rate: Some(BytesPerSecond(1000.0)) };
        assert!(plan(&request(slow), &volume(size)).is_err());
    }
}
