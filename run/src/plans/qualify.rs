//! From what the user asked of `qualify` to a complete plan. Pure: nothing is opened here.

use model::{
    Access, BlockSizes, Bytes, ErrorPolicy, Job, Limit, Mix, NEED_MODES, NamedTarget, Nanos, Need, NeedPhase, Plan,
    RampRule, Stage, StageRole, StopRule, Target, Thoroughness, Workload, nearest,
};

/// What the user asked.
#[derive(Debug, Clone)]
pub struct Request {
    /// Arguments as typed.
    pub args: Vec<String>,
    /// How thorough.
    pub time: Thoroughness,
    /// Patterns by fio's names; empty = all.
    pub patterns: Vec<String>,
    /// Block sizes for every pattern; empty = those of the qualification.
    pub block_sizes: Vec<Bytes>,
    /// Deepest concurrency; `None` = by thoroughness.
    pub max_depth: Option<u32>,
    /// Engine by name, or `auto`.
    pub engine: String,
    /// Declared limits.
    pub limits: Vec<Limit>,
    /// Demands that the run is to decide.
    pub needs: Vec<Need>,
    /// Age of an operation in flight at which the run is given up.
    pub hang: Nanos,
    /// Keep the test file.
    pub keep: bool,
    /// Most bytes that may be written, the fill among them.
    pub max_written: Option<Bytes>,
    /// Whether the target may be written.
    pub may_write: bool,
    /// CPUs load threads may use.
    pub cpus: u32,
    /// Seed of everything random.
    pub seed: u64,
    /// The run is on several ranks: limits may be of others' targets, and are looked at when all plans are put together.
    pub of_ranks: bool,
}

/// Why there is no such plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Not a pattern.
    #[error("unknown pattern `{name}`: {} {hint}", PATTERNS.join(" "))]
    UnknownPattern {
        /// As typed.
        name: String,
        /// `(did you mean ...?)`, or nothing.
        hint: String,
    },
    /// Writing was asked where only reading is allowed.
    #[error("pattern `{0}` writes, and this target may only be read")]
    ReadOnly(String),
    /// A size the target cannot take.
    #[error("block size {block} {why}")]
    BlockSize {
        /// As asked.
        block: Bytes,
        /// What is wrong with it.
        why: String,
    },
    /// Not a depth.
    #[error("--max-depth {0}: must be 1..=4096")]
    Depth(u32),
    /// A limit for a target that is not there.
    #[error("limit `{limit}` is for target `{on}`, and the targets are {names}")]
    NoTarget {
        /// As printed.
        limit: String,
        /// The target it names.
        on: String,
        /// Those there are.
        names: String,
    },
    /// No target at all.
    #[error("there is no target")]
    Nothing,
    /// The fill alone writes more than may be written.
    #[error("--max-written {most}: filling the target writes {fill} by itself; choose a smaller --size")]
    FillTooLarge {
        /// What may be written.
        most: Bytes,
        /// What the fill writes.
        fill: Bytes,
    },
}

/// Patterns that may be asked for.
pub const PATTERNS: [&str; 5] = ["randread", "randwrite", "randrw", "read", "write"];

/// Times of a thoroughness. A held level is run for half as long again where it wavers; ramps end two levels behind
/// their knee, which on real disks gives an eighth of the whole back.
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
            // Short levels find the level to hold; the held one, the probes and the sweeps carry the figures.
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
            // Levels of 3.5 s leave 30 windows even where they are a little correlated: fewer give no interval.
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

/// Bytes in flight at most, so that a deep ramp of large blocks does not measure memory.
pub(crate) const IN_FLIGHT: u64 = 64 << 20;
/// How many times as deep as planned a ramp may go whose rate still grows there.
const FURTHER: u64 = 4;
const LARGEST_BLOCK: u64 = 64 << 20;
/// A sweep runs this long before it counts: what a throttle saved up during another block size is spent by then.
const SWEEP_RAMP: Nanos = Nanos::from_secs(1);

/// The workload of a pattern's name.
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

/// Block sizes of a pattern: the first is ramped, the others are swept at the concurrency that saturated it, the
/// largest first: a throttle saves up bandwidth while small blocks leave it unused, which a large block spends in a
/// tenth of a second and a middling one, held back by operations, in seconds (16 KiB after 4 KiB measured 2.9 % above a
/// cap of 93.75 MB/s over three seconds; after 32 KiB it measures the cap).
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

/// The plan of a qualification on a target already inspected. `fill` is what will be written beforehand.
///
/// # Errors
/// When a pattern, size or depth makes no sense here; nothing was opened.
pub fn plan(request: &Request, target: &Target, fill: Bytes) -> Result<Plan, PlanError> {
    if let Some(most) = request.max_written.filter(|most| fill > *most) {
        return Err(PlanError::FillTooLarge { most, fill });
    }
    Ok(Plan {
        args: request.args.clone(),
        time: request.time,
        fill,
        limits: request.limits.clone(),
        needs: request.needs.clone(),
        keep: request.keep,
        max_written: request.max_written,
        ..Plan::new("qualify", target.clone(), stages(request, target)?, request.hang)
    })
}

/// The plan of a qualification of several targets at once: every stage is run on all of them side by side. The stages of
/// the first bear the names they would bear alone.
///
/// # Errors
/// As of [`plan`], and where a limit names no target.
pub fn plan_side_by_side(request: &Request, targets: Vec<NamedTarget>) -> Result<Plan, PlanError> {
    let names: Vec<&str> = targets.iter().map(|t| t.name.as_str()).collect();
    for limit in request.limits.iter().filter(|_| !request.of_ranks) {
        if let Some(on) = limit.on.iter().find(|on| !names.contains(&on.as_str())) {
            return Err(PlanError::NoTarget { limit: limit.to_string(), on: on.clone(), names: names.join(", ") });
        }
    }
    // Each has threads of its own, and all share the CPUs.
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

/// What can be wrong with what was asked wherever it is to run.
///
/// # Errors
/// A pattern that does not exist, or a depth that none has.
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

/// What is done on one target, in order.
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

    /// A need about a workload that is not measured anyway gets a ramp of its own.
    fn needs(&mut self) -> Result<(), PlanError> {
        for need in &self.request.needs {
            debug_assert!(NEED_MODES.contains(&need.rw.as_str()), "needs are checked when parsed");
            let (workload, probe) = match need.rw.as_str() {
                "fdatasync" => (durable(need.block), true),
                rw => match workload(rw, need.block, need.read_percent) {
                    Some(w) => (w, false),
                    None => continue,
                },
            };
            if workload.mix.writes() && !self.request.may_write {
                return Err(PlanError::ReadOnly(format!("{} {}", need.block.short(), need.rw)));
            }
            let known = |s: &Stage| s.job.workload == workload && (probe == (s.role == StageRole::Probe));
            let swept = self.stages.iter().position(|s| s.role == StageRole::Sweep && s.job.workload == workload);
            if need.phase == NeedPhase::Alone && !probe {
                // The ramp's first level is short: one in flight gets a step of its own.
                let alone = |s: &Stage| s.role == StageRole::Probe && s.job.workload == workload;
                if !self.stages.iter().any(alone) {
                    self.probe(&format!("probe-{}-{}", need.rw, need.block.short()), workload.clone())?;
                }
                self.lasting(need, &workload);
                continue;
            }
            if let Some(swept) = swept {
                // A need asks for latency at a rate: one level would not do.
                self.stages.remove(swept);
            } else if self.stages.iter().any(known) {
                self.lasting(need, &workload);
                continue;
            }
            let asked = workload.clone();
            if probe {
                self.probe(&format!("probe-fdatasync-{}", need.block.short()), workload)?;
            } else {
                self.ramp(workload)?;
            }
            self.lasting(need, &asked);
        }
        Ok(())
    }

    /// Gives the held level, or the only one, the time a need demands, and some for a start that is cut off.
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
        // Whoever says how deep means it.
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
        // Threads of a sequential load would be streams of their own: another workload.
        let max_threads = if workload.access.is_random() { self.request.cpus.max(1) } else { 1 };
        let job = Job {
            tuning: model::JobTuning::default(),
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
            place: model::StagePlacement::default(),
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
            return wrong(min, "is nothing".into());
        }
        if max.as_u64() > LARGEST_BLOCK {
            return wrong(max, format!("is too large: at most {}", Bytes(LARGEST_BLOCK)));
        }
        if !min.as_u64().is_multiple_of(512) {
            return wrong(min, "is not a multiple of 512 B, the smallest sector there is".into());
        }
        if !min.as_u64().is_multiple_of(self.target.align.as_u64().max(1)) {
            return wrong(min, format!("is not a multiple of {}, which direct I/O needs here", self.target.align));
        }
        if max > self.target.size {
            return wrong(max, format!("is larger than the test file of {}", self.target.size));
        }
        Ok(())
    }
}

/// One write, then fdatasync: what a commit costs.
fn durable(block: Bytes) -> Workload {
    Workload { flush_every: Some(1), ..Workload::new(Mix::WRITE, block, Access::Sequential) }
}

fn stage_name(kind: &str, pattern: &str, block: Bytes) -> String {
    format!("{kind}-{pattern}-{}", block.short())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::TargetKind;

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
        let all = plan.expected_time().secs();
        assert!((280.0..=315.0).contains(&all), "{all} s if every ramp goes to its end");
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
        assert!(message(Request { block_sizes: vec![Bytes(0)], ..request() }).contains("is nothing"));
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
