//! The plan: everything that a run will do, with all defaults filled in.

use crate::plan::{Layout, Section, TraceRule, WatchPlan};
use crate::{Bytes, Job, Limit, Nanos, RunKind, Target, bounds::Need};
use serde::{Deserialize, Serialize};

/// Purpose of a stage. The analysis selects figures by role, never by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StageRole {
    /// Measures the latency of one operation at a time (L0).
    Probe,
    /// Raises concurrency level by level until the rate stops rising, then holds the best level.
    Ramp,
    /// Runs one level, at the concurrency that saturated the ramp that it follows. This distinguishes a cap on IOPS
    /// from a cap on bandwidth.
    Sweep,
    /// Runs one level, as specified.
    Fixed,
}

/// Rules for raising concurrency and for ending a ramp (docs/design/statistics.md, "Ramps and knees").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RampRule {
    /// Levels of total concurrency, ascending.
    pub depths: Vec<u32>,
    /// Minimum relative gain over the best rate so far for a level to count as a gain.
    pub gain: f64,
    /// Number of consecutive levels without gain after which the ramp ends.
    pub patience: u32,
    /// Measured time at the best level after the ramp, which yields the sustained rate.
    pub hold: Nanos,
    /// Number of passes over the whole ramp, interleaved with other ramps.
    pub passes: u32,
    /// Maximum number of rounds that repeat the two levels that determine where the gain ends, alternately (A B B A).
    /// Rounds run only while the result is undecided and the run has time left.
    pub repeats: u32,
    /// Levels beyond `depths`. They run only if the rate still grows at the last level of `depths` and the run has time
    /// left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further: Vec<u32>,
}

/// One stage of a run: a job and, for ramps, its levels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stage {
    /// Name, unique in its plan.
    pub name: String,
    /// Purpose of the stage.
    pub role: StageRole,
    /// The job; in a ramp, each level overrides its concurrency.
    pub job: Job,
    /// Rules of the ramp; set for ramps only.
    pub ramp: Option<RampRule>,
    /// For sweeps, the ramp stage whose saturating concurrency is used.
    pub follows: Option<String>,
    /// Maximum number of threads. The conductor divides the concurrency between queue depth and threads.
    pub max_threads: u32,
    /// Start condition, section and target of the stage.
    #[serde(default, skip_serializing_if = "crate::units::is_default")]
    pub place: StagePlacement,
}

impl Stage {
    /// Creates a stage with one level that begins when all stages before it have ended.
    #[must_use]
    pub fn fixed(name: impl Into<String>, job: Job) -> Stage {
        Stage {
            name: name.into(),
            role: StageRole::Fixed,
            job,
            ramp: None,
            follows: None,
            max_threads: 1,
            place: StagePlacement::default(),
        }
    }

    /// Makes this stage number `number` of several identical stages that run in parallel on different targets. The
    /// stage is named after its target and gets its own order of offsets; with the same order, a cache shared by all
    /// targets would already contain the data that another stage has read.
    pub fn set_beside(&mut self, number: usize, target: &str) {
        self.job.seed ^= (number as u64).wrapping_mul(0xA076_1D64_78BD_642F);
        // Jobs of a job file keep the same name on every target, as with fio's servers.
        let job = self.place.section.is_none().then_some(&mut self.job.name);
        for name in [Some(&mut self.name), job, self.follows.as_mut()].into_iter().flatten() {
            // If an earlier call has already appended a target name, replace it.
            name.truncate(name.rfind('@').unwrap_or(name.len()));
            name.push('@');
            name.push_str(target);
        }
    }

    /// Returns the time of this stage if every level runs for its full time, a ramp goes through all levels, and the
    /// hold takes its maximum time. Repeats only use time that other stages did not need.
    #[must_use]
    pub fn expected_time(&self) -> Nanos {
        let level = self.job.stop.ramp + self.job.stop.time;
        match &self.ramp {
            None => level,
            Some(r) => level * (r.depths.len() as u64 * u64::from(r.passes)) + self.job.stop.ramp + r.longest_hold(),
        }
    }
}

/// Start condition, section and target of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct StagePlacement {
    /// True if the stage begins together with the stage before it, false if it waits for all stages before it (fio's
    /// stonewall).
    pub with_previous: bool,
    /// Additional delay before the stage starts (fio's startdelay).
    pub delay: Nanos,
    /// Section of a job file that the stage belongs to, as an index into [`crate::Plan::sections`].
    pub section: Option<usize>,
    /// Number of the clone within its section, from 0 (fio's numjobs).
    pub clone: u32,
    /// Section whose stages must all have ended before this stage begins (fio's wait_for).
    pub after: Option<usize>,
    /// Target of the stage if several are loaded in parallel, as an index into [`Plan::targets`]; 0 if there is only
    /// one.
    pub side: usize,
}

/// Length and depth of a qualification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Thoroughness {
    /// About 90 s.
    Quick,
    /// About 5 min.
    Standard,
    /// About 30 min; the ramps are repeated and interleaved.
    Thorough,
}

impl Thoroughness {
    /// Returns the name as a value of the option.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// One of several targets that are loaded in parallel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NamedTarget {
    /// Name given by the user, unique in its plan.
    pub name: String,
    /// Target of the I/O.
    pub target: Target,
    /// Number of bytes that the fill will write to the target.
    pub fill: Bytes,
}

/// Everything that a run will do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Plan {
    /// Kind of the run, with its settings.
    #[serde(flatten)]
    pub kind: RunKind,
    /// Command that created the plan, for people: `qualify`, `fio`, `ping`, ...
    pub command: String,
    /// Arguments as typed, to repeat the run.
    pub args: Vec<String>,
    /// Target of all stages, or the first of several.
    pub target: Target,
    /// All targets if several are loaded in parallel, including the first; empty if there is only one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<NamedTarget>,
    /// Thoroughness of the run, which determines its length.
    pub time: Thoroughness,
    /// Number of bytes that the fill will write to all targets; 0 if all files are reused.
    pub fill: Bytes,
    /// Stages, in order.
    pub stages: Vec<Stage>,
    /// Declared limits.
    pub limits: Vec<Limit>,
    /// Needs that the run must decide.
    pub needs: Vec<Need>,
    /// Age of an operation in flight after which the run is aborted as hung.
    pub hang: Nanos,
    /// True if the test file is kept after the run.
    pub keep: bool,
    /// Files prepared before the stages begin.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layout: Vec<Layout>,
    /// Rules for tracing the block layer during the run; `None` = no trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceRule>,
    /// Maximum number of bytes that the run may write, including the fill; `None` means no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_written: Option<Bytes>,
}

impl Plan {
    /// Creates a plan with nothing but its stages: no limits, needs, fill or trace, and the test file is not kept.
    #[must_use]
    pub fn new(kind: RunKind, target: Target, stages: Vec<Stage>, hang: Nanos) -> Plan {
        Plan {
            command: kind.command().to_owned(),
            kind,
            args: Vec::new(),
            target,
            targets: Vec::new(),
            time: Thoroughness::Quick,
            fill: Bytes(0),
            stages,
            limits: Vec::new(),
            needs: Vec::new(),
            hang,
            keep: false,
            layout: Vec::new(),
            trace: None,
            max_written: None,
        }
    }

    /// Returns the expected time of all stages, including ramp-up but not the fill; the ETA is based on it.
    #[must_use]
    pub fn expected_time(&self) -> Nanos {
        let time = |stage: &Stage| stage.place.delay + stage.expected_time();
        self.waves().map(|wave| wave.iter().map(time).max().unwrap_or_default()).sum()
    }

    /// Returns the stages in groups that run at the same time, in order.
    pub fn waves(&self) -> impl Iterator<Item = &[Stage]> {
        self.stages.chunk_by(|_, next| next.place.with_previous)
    }

    /// Returns the sections of a job file; empty for other kinds.
    #[must_use]
    pub fn sections(&self) -> &[Section] {
        match &self.kind {
            RunKind::JobFile { sections } => sections,
            _ => &[],
        }
    }

    /// Returns the section of a job file that a stage belongs to.
    #[must_use]
    pub fn section_of(&self, stage: &Stage) -> Option<&Section> {
        self.sections().get(stage.place.section?)
    }

    /// Returns the settings of a watch.
    #[must_use]
    pub fn watch(&self) -> Option<&WatchPlan> {
        if let RunKind::Watch { watch } = &self.kind { Some(watch) } else { None }
    }

    /// Returns the settings of a watch, to be changed.
    pub fn watch_mut(&mut self) -> Option<&mut WatchPlan> {
        if let RunKind::Watch { watch } = &mut self.kind { Some(watch) } else { None }
    }
}

impl RampRule {
    /// Returns the maximum hold time, 1.5 times the planned time. It is used if the hold was too short for a confidence
    /// interval, or if the rate changed its level during the hold.
    #[must_use]
    pub const fn longest_hold(&self) -> Nanos {
        Nanos(self.hold.as_nanos() + self.hold.as_nanos() / 2)
    }
}
