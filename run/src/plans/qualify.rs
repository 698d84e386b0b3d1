//! Plan of `qualify`, from the user's request. Opens nothing.

use super::write_bound::FillTooLarge;
use model::bounds::{BlockNeed, Need, NeedMode, NeedPhase};
use model::plan::{
    Access, BlockSizes, ErrorPolicy, Mix, NamedTarget, RampRule, StageRole, StopRule, Thoroughness, Workload,
};
use model::{Bytes, Job, Limit, Nanos, Plan, RunKind, Stage, Target, units::nearest};

/// Request of the user.
#[derive(Debug, Clone)]
pub struct Request {
    /// Arguments as typed.
    pub args: Vec<String>,
    /// Duration of the run (quick, standard or thorough), which determines the times of its stages.
    pub time: Thoroughness,
    /// Patterns by fio's names; empty for all.
    pub patterns: Vec<String>,
    /// Block sizes for every pattern; empty for the default sizes.
    pub block_sizes: Vec<Bytes>,
    /// Maximum concurrency; `None` for the default of the requested duration.
    pub max_depth: Option<u32>,
    /// Engine by name, or `auto`.
    pub engine: String,
    /// Declared limits.
    pub limits: Vec<Limit>,
    /// Needs that the run checks.
    pub needs: Vec<Need>,
    /// Time in flight after which an operation counts as hung and the run is abandoned.
    pub hang: Nanos,
    /// True to keep the test file.
    pub keep: bool,
    /// Maximum number of bytes to write, including the fill.
    pub max_written: Option<Bytes>,
    /// True if the target may be written.
    pub may_write: bool,
    /// Number of CPUs that load threads may use.
    pub cpus: u32,
    /// Random seed.
    pub seed: u64,
    /// True if the run has several ranks: limits may then name targets of other ranks, so they are checked when all
    /// plans are combined.
    pub of_ranks: bool,
}

/// Reason why no plan is possible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The pattern is unknown.
    #[error("unknown pattern `{name}`: {} {hint}", PATTERNS.join(" "))]
    UnknownPattern {
        /// Name as typed.
        name: String,
        /// Suggestion `(did you mean ...?)`, or empty.
        hint: String,
    },
    /// A pattern writes, but only reading is allowed.
    #[error("pattern `{0}` writes, but this target may only be read")]
    ReadOnly(String),
    /// The target does not support a block size.
    #[error("block size {block} {why}")]
    BlockSize {
        /// Requested block size.
        block: Bytes,
        /// Reason, as a clause that follows the size.
        why: String,
    },
    /// The depth is out of range.
    #[error("--max-depth {0}: must be 1..=4096")]
    Depth(u32),
    /// A limit names an unknown target.
    #[error("limit `{limit}` is for target `{on}`, but the targets are {names}")]
    NoTarget {
        /// Limit as printed.
        limit: String,
        /// Target that it names.
        on: String,
        /// Names of all targets.
        names: String,
    },
    /// The plan has no targets.
    #[error("there is no target")]
    Nothing,
    /// The fill alone exceeds the write bound.
    #[error(transparent)]
    FillTooLarge(#[from] FillTooLarge),
}

/// Patterns that can be requested.
pub const PATTERNS: [&str; 5] = ["randread", "randwrite", "randrw", "read", "write"];

/// Times of a quick, standard or thorough run. A held level that is not steady runs up to half as long again. Ramps end
/// two levels after their knee, which saves an eighth of the total time on real disks.
struct Times {
    ramp: Nanos,
    level: Nanos,
    steady_after: Nanos,
    hold: Nanos,
    probe: Nanos,
    sweep: Nanos,
    passes: u32,
    repeats: u32,
    depth: u32,
}

fn times(time: Thoroughness) -> Times {
    let ms = |n: u64| Nanos::from_millis(n);
    match time {
        Thoroughness::Quick => Times {
            ramp: ms(200),
            // Short levels are enough to find the best level. The figures come from the held level (the best level,
            // measured again for longer), the probes and the sweeps.
            level: ms(500),
            steady_after: ms(500),
            hold: ms(3_200),
            probe: ms(1_200),
            sweep: ms(3_000),
            passes: 1,
            repeats: 2,
            depth: 64,
        },
        Thoroughness::Standard => Times {
            // With levels of 3.5 s, at least 30 effective windows remain even if windows are slightly correlated. With
            // fewer, there is no confidence interval.
            ramp: ms(400),
            level: ms(3_500),
            steady_after: ms(3_000),
            hold: ms(6_500),
            probe: ms(4_000),
            sweep: ms(4_000),
            passes: 1,
            repeats: 2,
            depth: 128,
        },
        Thoroughness::Thorough => Times {
            ramp: ms(500),
            level: ms(5_000),
            steady_after: ms(4_000),
            hold: ms(40_000),
            probe: ms(10_000),
            sweep: ms(20_000),
            passes: 5,
            repeats: 0,
            depth: 256,
        },
    }
}

/// Maximum number of bytes in flight, so that a ramp with large blocks does not measure memory at great depths.
pub(crate) const IN_FLIGHT: u64 = 64 << 20;
/// Factor by which a ramp may exceed its planned maximum depth if its rate still grows.
const FURTHER: u64 = 4;
const LARGEST_BLOCK: u64 = 64 << 20;
/// Warm-up of a sweep. It uses up the burst credits that a throttle accumulated while another block size was measured.
const SWEEP_RAMP: Nanos = Nanos::from_secs(1);

/// Returns the workload for the name of a pattern.
fn workload(pattern: &str, block: Bytes, read_percent: Option<u8>) -> Option<Workload> {
    let half = Mix { write_percent: 100 - read_percent.unwrap_or(50), trim_percent: 0 };
    let (mix, access) = match pattern {
        "randread" => (Mix::READ, Access::RANDOM),
        "randwrite" => (Mix::WRITE, Access::RANDOM),
        "randrw" => (half, Access::RANDOM),
        "read" => (Mix::READ, Access::Sequential),
        "write" => (Mix::WRITE, Access::Sequential),
        "rw" => (half, Access::Sequential),
        _ => return None,
    };
    Some(Workload::new(mix, block, access))
}

/// Returns the block sizes of a pattern: those that get a ramp, and those that get a sweep at the concurrency that
/// saturated the first ramp. Sweeps start with the largest block size: a throttle accumulates bandwidth credits while
/// small blocks leave them unused. Large blocks use up these credits in a tenth of a second, but medium blocks, which
/// are limited by operations, take seconds. (With a cap of 93.75 MB/s, a sweep of 16 KiB after 4 KiB measured 2.9 %
/// above the cap over three seconds; after 32 KiB it measures the cap.)
fn sizes_of(pattern: &str, asked: &[Bytes]) -> (Vec<Bytes>, Vec<Bytes>) {
    let k = |n: u64| Bytes::from_kib(n);
    if asked.is_empty() {
        return match pattern {
            "randread" => (vec![k(8)], vec![k(64), k(32), k(16), k(4)]),
            "randrw" => (vec![k(16)], vec![]),
            "read" | "write" => (vec![k(128), k(1024)], vec![]),
            _ => (vec![k(8)], vec![]),
        };
    }
    let base = if asked.contains(&k(8)) { k(8) } else { asked[0] };
    let mut others: Vec<Bytes> = asked.iter().copied().filter(|b| *b != base).collect();
    others.sort_unstable();
    others.dedup();
    others.reverse();
    (vec![base], others)
}

/// Returns the plan of a qualification on an inspected target. `fill` is the number of bytes to be written beforehand.
///
/// # Errors
/// Returns an error if a pattern, size or depth is impossible on this target; nothing was opened.
pub fn plan(request: &Request, target: &Target, fill: Bytes) -> Result<Plan, PlanError> {
    FillTooLarge::check(fill, request.max_written)?;
    Ok(Plan {
        args: request.args.clone(),
        time: request.time,
        fill,
        limits: request.limits.clone(),
        needs: request.needs.clone(),
        keep: request.keep,
        max_written: request.max_written,
        ..Plan::new(RunKind::Blocks, target.clone(), stages(request, target)?, request.hang)
    })
}

/// Returns the plan of a qualification of several targets, which runs every stage on all of them concurrently. The
/// stages of the first target have the same names as in a plan for one target.
///
/// # Errors
/// See [`plan`]; also returns an error if a limit names an unknown target.
pub fn plan_side_by_side(request: &Request, targets: Vec<NamedTarget>) -> Result<Plan, PlanError> {
    let names: Vec<&str> = targets.iter().map(|t| t.name.as_str()).collect();
    for limit in request.limits.iter().filter(|_| !request.of_ranks) {
        if let Some(on) = limit.on.iter().find(|on| !names.contains(&on.as_str())) {
            return Err(PlanError::NoTarget { limit: limit.to_string(), on: on.clone(), names: names.join(", ") });
        }
    }
    // Each target has separate threads, and all share the CPUs.
    let each = Request { cpus: (request.cpus / targets.len().max(1) as u32).max(1), ..request.clone() };
    let mut sides = Vec::with_capacity(targets.len());
    for (side, named) in targets.iter().enumerate() {
        let mut stages = stages(&each, &named.target)?;
        for stage in stages.iter_mut().filter(|_| side > 0) {
            stage.place.with_previous = true;
            stage.place.side = side;
            stage.set_beside(side, &named.name);
        }
        sides.push(stages.into_iter());
    }
    let first = targets.first().ok_or(PlanError::Nothing)?.target.clone();
    let mut stages = Vec::new();
    while let Some(together) = sides.iter_mut().map(Iterator::next).collect::<Option<Vec<Stage>>>() {
        stages.extend(together);
    }
    let fill = targets.iter().map(|t| t.fill).sum::<Bytes>();
    Ok(Plan { stages, targets, ..plan(request, &first, fill)? })
}

/// Checks the parts of a request that do not depend on the target.
///
/// # Errors
/// Returns an error if a pattern is unknown or the depth is out of range.
pub fn check(patterns: &[String], max_depth: Option<u32>) -> Result<(), PlanError> {
    if let Some(depth) = max_depth.filter(|depth| !(1..=4096).contains(depth)) {
        return Err(PlanError::Depth(depth));
    }
    match patterns.iter().find(|pattern| !PATTERNS.contains(&pattern.as_str())) {
        None => Ok(()),
        Some(pattern) => {
            let hint = nearest(pattern, PATTERNS).map(|n| format!("(did you mean `{n}`?)")).unwrap_or_default();
            Err(PlanError::UnknownPattern { name: model::clip(pattern), hint })
        }
    }
}

/// Returns the stages of one target, in order.
fn stages(request: &Request, target: &Target) -> Result<Vec<Stage>, PlanError> {
    check(&request.patterns, request.max_depth)?;
    let depth = request.max_depth.unwrap_or_else(|| times(request.time).depth);
    let mut builder = Builder { request, target, times: times(request.time), depth, stages: Vec::new() };
    builder.probes()?;
    builder.patterns()?;
    builder.needs()?;
    Ok(builder.stages)
}

struct Builder<'a> {
    request: &'a Request,
    target: &'a Target,
    times: Times,
    depth: u32,
    stages: Vec<Stage>,
}

impl Builder<'_> {
    fn wanted(&self, pattern: &str) -> bool {
        self.request.patterns.is_empty() || self.request.patterns.iter().any(|p| p == pattern)
    }

    fn probes(&mut self) -> Result<(), PlanError> {
        let block = Bytes(8192).max(self.target.align);
        if self.wanted("randread") {
            self.probe("probe-read", Workload::new(Mix::READ, block, Access::RANDOM))?;
        }
        if !self.request.may_write {
            return Ok(());
        }
        if self.wanted("randwrite") {
            self.probe("probe-write", Workload::new(Mix::WRITE, block, Access::RANDOM))?;
        }
        if self.wanted("randwrite") || self.wanted("write") {
            self.probe("probe-fdatasync", durable(block))?;
        }
        Ok(())
    }

    fn probe(&mut self, name: &str, workload: Workload) -> Result<(), PlanError> {
        let stop = self.stop(self.times.probe, None);
        self.push(name, StageRole::Probe, workload, stop, None, None)
    }

    fn patterns(&mut self) -> Result<(), PlanError> {
        for pattern in PATTERNS {
            if !self.wanted(pattern) {
                continue;
            }
            let template = workload(pattern, Bytes(4096), None).expect("PATTERNS are all known");
            if template.mix.writes() && !self.request.may_write {
                if self.request.patterns.is_empty() {
                    continue;
                }
                return Err(PlanError::ReadOnly(pattern.to_owned()));
            }
            let (ramps, sweeps) = sizes_of(pattern, &self.request.block_sizes);
            for block in &ramps {
                self.ramp(Workload { block: BlockSizes::Fixed(*block), ..template.clone() })?;
            }
            let follows = ramps.first().map(|b| stage_name("ramp", pattern, *b));
            for block in sweeps {
                let workload = Workload { block: BlockSizes::Fixed(block), ..template.clone() };
                let name = stage_name("sweep", pattern, block);
                let stop = StopRule { ramp: SWEEP_RAMP, ..self.stop(self.times.sweep, None) };
                self.push(&name, StageRole::Sweep, workload, stop, None, follows.clone())?;
            }
        }
        Ok(())
    }

    /// Adds a ramp for each need whose workload would not be measured otherwise.
    fn needs(&mut self) -> Result<(), PlanError> {
        for need in &self.request.needs {
            // Needs on files and databases are checked by other commands.
            let Some(BlockNeed { block, mode, phase, .. }) = need.blocks() else { continue };
            let probe = mode == NeedMode::Fdatasync;
            let workload = workload(mode.name(), block, mode.read_percent()).unwrap_or_else(|| durable(block));
            if workload.mix.writes() && !self.request.may_write {
                return Err(PlanError::ReadOnly(format!("{} {}", block.short(), mode.name())));
            }
            let known = |s: &Stage| s.job.workload == workload && (probe == (s.role == StageRole::Probe));
            let swept = self.stages.iter().position(|s| s.role == StageRole::Sweep && s.job.workload == workload);
            if phase == NeedPhase::Alone && !probe {
                // The first level of a ramp is short, so a separate step measures one operation in flight.
                let alone = |s: &Stage| s.role == StageRole::Probe && s.job.workload == workload;
                if !self.stages.iter().any(alone) {
                    self.probe(&format!("probe-{}-{}", mode.name(), block.short()), workload.clone())?;
                }
                self.lasting(need, &workload);
                continue;
            }
            if let Some(swept) = swept {
                // A need is about the latency at a rate, which a single level cannot show.
                self.stages.remove(swept);
            } else if self.stages.iter().any(known) {
                self.lasting(need, &workload);
                continue;
            }
            let asked = workload.clone();
            if probe {
                self.probe(&format!("probe-fdatasync-{}", block.short()), workload)?;
            } else {
                self.ramp(workload)?;
            }
            self.lasting(need, &asked);
        }
        Ok(())
    }

    /// Extends the held level, or the only level, to the time that a need requires. Some time is added because an
    /// unsteady start may be excluded.
    fn lasting(&mut self, need: &Need, workload: &Workload) {
        let Some(time) = need.lasting else { return };
        let time = Nanos(time.as_nanos() + time.as_nanos() / 10 + 1_000_000_000);
        for stage in self.stages.iter_mut().filter(|s| s.job.workload == *workload) {
            match &mut stage.ramp {
                Some(ramp) => ramp.hold = ramp.hold.max(time),
                None => stage.job.stop.time = stage.job.stop.time.max(time),
            }
        }
    }

    fn ramp(&mut self, workload: Workload) -> Result<(), PlanError> {
        let block = workload.block.max();
        let deepest = u64::from(self.depth).min((IN_FLIGHT / block.as_u64().max(1)).max(1)) as u32;
        let mut depths: Vec<u32> =
            std::iter::successors(Some(1u32), |d| d.checked_mul(2)).take_while(|d| *d <= deepest).collect();
        if depths.last() != Some(&deepest) {
            depths.push(deepest);
        }
        let most = u64::from(deepest) * FURTHER;
        let most = most.min(IN_FLIGHT / block.as_u64().max(1)) as u32;
        let deeper = std::iter::successors(deepest.checked_mul(2), |d| d.checked_mul(2)).take_while(|d| *d <= most);
        // A maximum depth that the user requested is never exceeded.
        let further = if self.request.max_depth.is_none() { deeper.collect() } else { Vec::new() };
        let rule = RampRule {
            depths,
            gain: 0.05,
            patience: 2,
            hold: self.times.hold,
            passes: self.times.passes,
            repeats: self.times.repeats,
            further,
        };
        let name = match workload.mix.write_percent {
            0 | 50 | 100 => stage_name("ramp", workload.rw(), block),
            writes => format!("{}-{}-{writes}", stage_name("ramp", workload.rw(), block), 100 - writes),
        };
        let stop = self.stop(self.times.level, Some(self.times.steady_after));
        self.push(&name, StageRole::Ramp, workload, stop, Some(rule), None)
    }

    fn stop(&self, time: Nanos, steady_after: Option<Nanos>) -> StopRule {
        StopRule { ramp: self.times.ramp, time, steady_after, max_ops: None }
    }

    fn push(
        &mut self,
        name: &str,
        role: StageRole,
        workload: Workload,
        stop: StopRule,
        ramp: Option<RampRule>,
        follows: Option<String>,
    ) -> Result<(), PlanError> {
        self.check(workload.block.min(), workload.block.max())?;
        // Several threads of a sequential load would be separate streams, which would be another workload.
        let max_threads = if workload.access.is_random() { self.request.cpus.max(1) } else { 1 };
        let job = Job {
            tuning: model::plan::JobTuning::default(),
            more: Vec::new(),
            name: name.to_owned(),
            workload,
            target: self.target.clone(),
            engine: self.request.engine.clone(),
            queue_depth: 1,
            threads: 1,
            stop,
            on_error: ErrorPolicy::Stop,
            seed: self.request.seed ^ (self.stages.len() as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15),
            faults: None,
        };
        self.stages.push(Stage {
            place: model::plan::StagePlacement::default(),
            name: name.to_owned(),
            role,
            job,
            ramp,
            follows,
            max_threads,
        });
        Ok(())
    }

    fn check(&self, min: Bytes, max: Bytes) -> Result<(), PlanError> {
        let wrong = |block: Bytes, why: String| Err(PlanError::BlockSize { block, why });
        if min.is_zero() {
            return wrong(min, "must be above 0".into());
        }
        if max.as_u64() > LARGEST_BLOCK {
            return wrong(max, format!("is too large: at most {}", Bytes(LARGEST_BLOCK)));
        }
        if !min.as_u64().is_multiple_of(512) {
            return wrong(min, "is not a multiple of 512 B, the smallest sector size".into());
        }
        if !min.as_u64().is_multiple_of(self.target.align.as_u64().max(1)) {
            return wrong(
                min,
                format!("is not a multiple of {}, as direct I/O requires on this target", self.target.align),
            );
        }
        if max > self.target.size {
            return wrong(max, format!("is larger than the test file of {}", self.target.size));
        }
        Ok(())
    }
}

/// Returns a workload of one write followed by fdatasync, as in a commit.
fn durable(block: Bytes) -> Workload {
    Workload { flush_every: Some(1), ..Workload::new(Mix::WRITE, block, Access::Sequential) }
}

fn stage_name(kind: &str, pattern: &str, block: Bytes) -> String {
    format!("{kind}-{pattern}-{}", block.short())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::plan::TargetKind;

    fn request() -> Request {
        Request {
            args: Vec::new(),
            time: Thoroughness::Quick,
            patterns: Vec::new(),
            block_sizes: Vec::new(),
            max_depth: None,
            engine: "auto".into(),
            limits: Vec::new(),
            needs: Vec::new(),
            hang: Nanos::from_secs(60),
            keep: false,
            max_written: None,
            may_write: true,
            cpus: 2,
            seed: 1,
            of_ranks: false,
        }
    }

    fn target() -> Target {
        Target {
            offset: Bytes(0),
            kind: TargetKind::File,
            path: "/t".into(),
            size: Bytes::from_gib(2),
            direct: true,
            align: Bytes(512),
            uuid: Some(7),
        }
    }

    fn names(plan: &Plan) -> Vec<&str> {
        plan.stages.iter().map(|s| s.name.as_str()).collect()
    }

    #[test]
    fn the_default_plan_is_that_of_the_issue_and_lasts_about_ninety_seconds() {
        let plan = plan(&request(), &target(), Bytes(0)).unwrap();
        assert_eq!(
            names(&plan),
            [
                "probe-read",
                "probe-write",
                "probe-fdatasync",
                "ramp-randread-8k",
                "sweep-randread-64k",
                "sweep-randread-32k",
                "sweep-randread-16k",
                "sweep-randread-4k",
                "ramp-randwrite-8k",
                "ramp-randrw-16k",
                "ramp-read-128k",
                "ramp-read-1m",
                "ramp-write-128k",
                "ramp-write-1m",
            ]
        );
        let seconds = plan.expected_time().secs();
        assert!((60.0..110.0).contains(&seconds), "{seconds}");
        let further = |name: &str| {
            let stage = plan.stages.iter().find(|s| s.name == name).unwrap();
            stage.ramp.as_ref().unwrap().further.clone()
        };
        assert_eq!((further("ramp-randread-8k"), further("ramp-read-1m")), (vec![128, 256], vec![]));
        let large = plan.stages.iter().find(|s| s.name == "ramp-read-1m").unwrap();
        assert_eq!(large.ramp.as_ref().unwrap().depths.last(), Some(&64));
    }

    #[test]
    fn standard_keeps_its_five_minutes() {
        let plan = plan(&Request { time: Thoroughness::Standard, ..request() }, &target(), Bytes(0)).unwrap();
        let seconds = plan.expected_time().secs();
        assert!((280.0..=315.0).contains(&seconds), "{seconds} s if every ramp goes to its end");
    }

    #[test]
    fn thorough_repeats_its_ramps_in_about_half_an_hour() {
        let plan = plan(&Request { time: Thoroughness::Thorough, ..request() }, &target(), Bytes(0)).unwrap();
        let minutes = plan.expected_time().secs() / 60.0;
        assert!((20.0..45.0).contains(&minutes), "{minutes}");
        assert!(plan.stages.iter().filter_map(|s| s.ramp.as_ref()).all(|r| r.passes >= 5));
    }

    #[test]
    fn a_read_only_target_is_only_read() {
        let reading = Request { may_write: false, ..request() };
        let plan_ = plan(&reading, &target(), Bytes(0)).unwrap();
        assert!(plan_.stages.iter().all(|s| !s.job.workload.mix.writes()));
        let asked = Request { patterns: vec!["randwrite".into()], ..reading };
        assert_eq!(plan(&asked, &target(), Bytes(0)), Err(PlanError::ReadOnly("randwrite".into())));
    }

    #[test]
    fn given_sizes_are_ramped_once_and_swept_for_the_rest() {
        let sizes = [4u64, 8, 16, 128].map(Bytes::from_kib).to_vec();
        let asked = Request { patterns: vec!["randread".into()], block_sizes: sizes, ..request() };
        let plan = plan(&asked, &target(), Bytes(0)).unwrap();
        assert_eq!(
            names(&plan),
            ["probe-read", "ramp-randread-8k", "sweep-randread-128k", "sweep-randread-16k", "sweep-randread-4k"]
        );
        assert!(plan.stages[2..].iter().all(|s| s.follows.as_deref() == Some("ramp-randread-8k")));
    }

    #[test]
    fn a_need_gets_a_ramp_where_there_is_none() {
        let needs = vec![
            "8k randread: iops>=1".parse().unwrap(),
            "32k randwrite: p99<=5ms".parse().unwrap(),
            "64k randread: iops>=1".parse().unwrap(),
            "4k fdatasync: p99<=10ms".parse().unwrap(),
            "8k randrw 70/30: iops>=1".parse().unwrap(),
        ];
        let plan = plan(&Request { needs, ..request() }, &target(), Bytes(0)).unwrap();
        let names = names(&plan);
        assert_eq!(names.iter().filter(|n| **n == "ramp-randread-8k").count(), 1);
        assert!(names.contains(&"ramp-randwrite-32k") && names.contains(&"probe-fdatasync-4k"));
        assert!(names.contains(&"ramp-randread-64k") && !names.contains(&"sweep-randread-64k"));
        assert!(names.contains(&"ramp-randrw-8k-70-30"));
    }

    #[test]
    fn bad_input_is_named() {
        let message = |r: Request| plan(&r, &target(), Bytes(0)).unwrap_err().to_string();
        assert!(
            message(Request { patterns: vec!["randraed".into()], ..request() }).contains("did you mean `randread`?")
        );
        assert!(message(Request { block_sizes: vec![Bytes(1000)], ..request() }).contains("512"));
        assert!(message(Request { block_sizes: vec![Bytes(0)], ..request() }).contains("must be above 0"));
        assert!(message(Request { block_sizes: vec![Bytes(1 << 40)], ..request() }).contains("at most 64 MiB"));
        assert!(message(Request { max_depth: Some(0), ..request() }).contains("1..=4096"));
    }

    #[test]
    fn targets_side_by_side_do_the_same_at_the_same_time() {
        let named = |name: &str| NamedTarget {
            name: name.into(),
            target: Target { path: format!("/{name}").into(), ..target() },
            fill: Bytes(5),
        };
        let alone = plan(&request(), &target(), Bytes(0)).unwrap();
        let both = plan_side_by_side(&request(), vec![named("a"), named("b")]).unwrap();
        assert_eq!((both.stages.len(), both.fill), (2 * alone.stages.len(), Bytes(10)));
        for (wave, one) in both.waves().zip(&alone.stages) {
            let names: Vec<String> = wave.iter().map(|s| s.name.clone()).collect();
            assert_eq!(names, [one.name.clone(), format!("{}@b", one.name)]);
            assert_eq!(wave[1].follows, one.follows.as_ref().map(|f| format!("{f}@b")));
            assert_eq!((wave[0].place.side, wave[1].place.side), (0, 1));
            assert_eq!(wave[1].job.target.path, std::path::Path::new("/b"));
        }
        assert_eq!(both.expected_time(), alone.expected_time());
        let strange = Request { limits: vec!["volume on=c iops=5".parse().unwrap()], ..request() };
        let error = plan_side_by_side(&strange, vec![named("a"), named("b")]).unwrap_err().to_string();
        assert!(error.contains("target `c`") && error.contains("a, b"), "{error}");
    }

    #[test]
    fn stage_names_and_seeds_are_unique() {
        let plan = plan(&request(), &target(), Bytes(0)).unwrap();
        let mut seeds: Vec<u64> = plan.stages.iter().map(|s| s.job.seed).collect();
        let mut names = names(&plan);
        names.sort_unstable();
        names.dedup();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!((names.len(), seeds.len()), (plan.stages.len(), plan.stages.len()));
    }
}
