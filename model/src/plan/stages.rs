//! A plan: everything a run will do, every default filled in. Nothing downstream has a default.

use crate::{Bytes, Job, Layout, Limit, Nanos, Need, Section, Target, TraceRule, WatchPlan};
use serde::{Deserialize, Serialize};

/// What a stage is for; the judge reads figures by role, never by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StageRole {
    /// Latency of one operation at a time: L0.
    Probe,
    /// Concurrency raised level by level until the gain ends, then held at the best level.
    Ramp,
    /// One level, at the concurrency that saturated the ramp it follows: tells an IOPS cap from a bandwidth cap.
    Sweep,
    /// One level, as given.
    Fixed,
}

/// How a ramp raises concurrency and when it ends (docs/design/statistics.md, "Ramps and knees").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RampRule {
    /// Levels of total concurrency, rising.
    pub depths: Vec<u32>,
    /// A level gains if its rate exceeds the best so far by this share.
    pub gain: f64,
    /// The ramp ends after this many levels in a row without gain.
    pub patience: u32,
    /// Measured time at the best level after the ramp: the sustained figure.
    pub hold: Nanos,
    /// Passes over the whole ramp, interleaved with the other ramps.
    pub passes: u32,
    /// Rounds in which the two levels that decide where the gain ends are repeated in turns (A B B A), as long as they do not
    /// decide it and the run is within its time.
    #[serde(default)]
    pub repeats: u32,
    /// Levels beyond `depths` that are run only where the rate still grows at the deepest of those and the run is within its
    /// time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further: Vec<u32>,
}

/// One stage of a run: a job, and for ramps the levels it goes through.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Unique in its plan.
    pub name: String,
    /// What it is for.
    pub role: StageRole,
    /// The job; a ramp overrides its concurrency.
    pub job: Job,
    /// For ramps.
    pub ramp: Option<RampRule>,
    /// For sweeps: the stage whose saturating concurrency is used.
    pub follows: Option<String>,
    /// Engine and concurrency are divided between queue depth and threads by the conductor.
    pub max_threads: u32,
    /// When it begins, and to whom it belongs.
    #[serde(default, skip_serializing_if = "StagePlacement::is_default")]
    pub place: StagePlacement,
}

impl Stage {
    /// A stage of one level, which begins when all before it have ended.
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
}

impl Stage {
    /// Makes it one of the same stages side by side, number `number` of them: it is called after its target, and comes to places in an
    /// order of its own, as a cache behind all of them would know those of another.
    pub fn set_beside(&mut self, number: usize, target: &str) {
        self.job.seed ^= (number as u64).wrapping_mul(0xA076_1D64_78BD_642F);
        // Jobs of a job file are called alike everywhere, as fio's are on its servers.
        let job = self.place.section.is_none().then_some(&mut self.job.name);
        for name in [Some(&mut self.name), job, self.follows.as_mut()].into_iter().flatten() {
            // Called after another before, it is called after this one.
            name.truncate(name.rfind('@').unwrap_or(name.len()));
            name.push('@');
            name.push_str(target);
        }
    }
}

/// When a stage begins, and to whom it belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StagePlacement {
    /// Begins together with the stage before it; otherwise when all before it have ended (fio's stonewall).
    pub with_previous: bool,
    /// Begins so much later (fio's startdelay).
    pub delay: Nanos,
    /// Its section of a job file: index into [`Plan::sections`].
    pub section: Option<usize>,
    /// Which of the section's clones, from 0 (fio's numjobs).
    pub clone: u32,
    /// Begins when every stage of this section has ended (fio's wait_for).
    pub after: Option<usize>,
    /// Which of the targets run side by side it belongs to: index into [`Plan::targets`]; 0 where there is one.
    pub side: usize,
}

impl StagePlacement {
    /// Whether every point is at its default.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == StagePlacement::default()
    }
}

/// How thorough a qualification is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Thoroughness {
    /// About 90 s.
    Quick,
    /// About 5 min.
    Standard,
    /// About 30 min, the ramps repeated and interleaved.
    Thorough,
}

impl Thoroughness {
    /// The option's word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Thoroughness::Quick => "quick",
            Thoroughness::Standard => "standard",
            Thoroughness::Thorough => "thorough",
        }
    }
}

/// One of several targets that are loaded side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NamedTarget {
    /// The user's name for it, unique in its plan.
    pub name: String,
    /// Where its I/O goes.
    pub target: Target,
    /// Bytes the fill will write to it.
    pub fill: Bytes,
}

/// What a run will do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The command that made it: `qualify`, `fio`, `ping`, ...
    pub command: String,
    /// Its arguments as typed, for repeating it.
    pub args: Vec<String>,
    /// The target of all stages, or the first of several.
    pub target: Target,
    /// All targets where several are loaded side by side, the first one too; empty where there is one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<NamedTarget>,
    /// How thorough.
    pub time: Thoroughness,
    /// Bytes the fill will write to all targets; 0 when the files are re-used whole.
    pub fill: Bytes,
    /// Stages in order.
    pub stages: Vec<Stage>,
    /// Declared limits.
    pub limits: Vec<Limit>,
    /// Demands that the run is to decide.
    pub needs: Vec<Need>,
    /// Age of an operation in flight at which the run is given up as hung.
    pub hang: Nanos,
    /// Keep the test file afterwards.
    pub keep: bool,
    /// A mark's profile, by name; none where its tests were named one by one, and in other commands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Sections of a job file, as typed and as reported; empty for native commands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<Section>,
    /// Files made ready before the stages begin.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layout: Vec<Layout>,
    /// Whether the block layer is traced beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceRule>,
    /// Most bytes that the run may write, the fill among them; none where there is no bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_written: Option<Bytes>,
    /// Of a run that only looks: at what. It has no stages, and its target is nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch: Option<Box<WatchPlan>>,
}

impl Plan {
    /// A plan that asks for nothing beyond its stages: no limits, no needs, nothing filled, kept, traced or watched.
    #[must_use]
    pub fn new(command: impl Into<String>, target: Target, stages: Vec<Stage>, hang: Nanos) -> Plan {
        Plan {
            command: command.into(),
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
            profile: None,
            sections: Vec::new(),
            layout: Vec::new(),
            trace: None,
            max_written: None,
            watch: None,
        }
    }

    /// Expected measured and ramp time of all stages, without fill: the base of the ETA.
    #[must_use]
    pub fn expected_time(&self) -> Nanos {
        Nanos(
            self.waves()
                .map(|w| w.iter().map(|s| s.place.delay.as_nanos() + s.expected_time().as_nanos()).max().unwrap_or(0))
                .sum(),
        )
    }

    /// Whether it is about files and their names, and not about blocks.
    #[must_use]
    pub fn is_about_names(&self) -> bool {
        self.stages.first().is_some_and(|stage| stage.job.tuning.metadata.is_some())
    }

    /// Whether it compares ways to make writes durable.
    #[must_use]
    pub fn is_about_commits(&self) -> bool {
        self.stages.first().is_some_and(|stage| stage.job.tuning.commit.is_some())
    }

    /// Stages that run together, wave after wave.
    pub fn waves(&self) -> impl Iterator<Item = &[Stage]> {
        self.stages.chunk_by(|_, next| next.place.with_previous)
    }
}

impl RampRule {
    /// The held level lasts half as long again where its time was too short for an interval, or the level changed in it.
    #[must_use]
    pub const fn longest_hold(&self) -> Nanos {
        Nanos(self.hold.as_nanos() + self.hold.as_nanos() / 2)
    }
}

impl Stage {
    /// Time this stage takes if every level runs its whole time, a ramp goes through all its levels, and the held one does not
    /// settle at once. Repeats are made of what others leave of theirs.
    #[must_use]
    pub fn expected_time(&self) -> Nanos {
        let level = self.job.stop.ramp.as_nanos() + self.job.stop.time.as_nanos();
        Nanos(match &self.ramp {
            None => level,
            Some(r) => {
                level * r.depths.len() as u64 * u64::from(r.passes)
                    + self.job.stop.ramp.as_nanos()
                    + r.longest_hold().as_nanos()
            }
        })
    }
}
