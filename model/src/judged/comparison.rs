//! Comparing runs: what a run is reduced to, and what is said of two sides of runs.
//!
//! The unit is the **run**: operations of one run share its weather, so that pooling them finds differences where there
//! are none (51-60 % false alarms at a run-to-run scatter of 1 %, docs/design/statistics.md, "Comparing runs").

use crate::{BytesPerSecond, Iops, Metric, Nanos, Sentence};
use serde::{Deserialize, Serialize};

/// One run, reduced to the figures that are compared. Whatever tool made it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RunFigures {
    /// Where it came from: the first digits of its id, or a path.
    pub source: String,
    /// The tool that measured: `secchi 0.1.0`, `fio-3.33`.
    pub tool: String,
    /// When it began, RFC 3339; empty where nobody wrote it down.
    pub started: String,
    /// What it measured, in order.
    pub subjects: Vec<SubjectFigures>,
    /// What is doubtful about it: one sentence each.
    pub remarks: Vec<Sentence>,
}

/// One workload of a run at one level of concurrency.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SubjectFigures {
    /// The same in all runs that ran the same: `8k randread`, or the name of a job.
    pub name: String,
    /// Whether it is one of several levels that a ramp went through: then the level is chosen when runs are compared.
    pub level: bool,
    /// Whether that level was held afterwards: the sustained figure.
    pub held: bool,
    /// What was asked, as (name, value). Runs that differ here did not do the same.
    pub parameters: Vec<(String, String)>,
    /// A value for each figure asked for, or why there is none.
    pub values: Vec<Result<f64, Sentence>>,
    /// The figures of `values` where they are not those asked for: what a commit has is not what an update has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own: Vec<Metric>,
}

/// Name of the parameter that tells the operations in flight.
pub const DEPTH: &str = "depth";

/// Name of the parameter with the number of jobs that run at the same time.
pub const JOBS: &str = "numjobs";

impl SubjectFigures {
    /// A parameter.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }
}

/// Did it change? There are three answers, never two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// It did, by more than chance explains, and not provably by less than the margin.
    Changed,
    /// If it changed, then by less than the margin.
    Same,
    /// The runs do not tell.
    CannotTell,
}

/// One figure of one workload, on both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// Name of the workload.
    pub subject: String,
    /// Which figure.
    pub metric: Metric,
    /// Value of each run of A: operations or bytes per second, or nanoseconds.
    pub a: Vec<f64>,
    /// Of B.
    pub b: Vec<f64>,
    /// Median of all ratios of a run of B to a run of A (Hodges and Lehmann).
    pub ratio: Option<f64>,
    /// Its 95 % interval; none where the runs are too few for one.
    pub ci: Option<(f64, f64)>,
    /// Coefficient of variation of the runs of A and of B.
    pub scatter: [Option<f64>; 2],
    /// Probability of ranks at least as uneven if both sides were one (Mann and Whitney, two-sided, exact).
    pub p: Option<f64>,
    /// The same, made good for all figures compared (Holm).
    pub p_adjusted: Option<f64>,
    /// By Welch's test of means, for those who know it: one run gone wrong spoils it.
    pub p_welch: Option<f64>,
    /// What is said.
    pub answer: Answer,
    /// Whether B is better, where it changed.
    pub better: Option<bool>,
    /// Runs more on each side that would probably tell, where it cannot be told.
    pub more_runs: Option<u32>,
    /// Why it cannot be told, or a remark; may be empty.
    pub why: Sentence,
}

impl Compared {
    /// A value of this figure, with its unit.
    #[must_use]
    pub fn format(&self, value: f64) -> String {
        self.metric.format(value)
    }
}

impl Metric {
    /// A value with its unit: operations or bytes per second, else nanoseconds.
    #[must_use]
    pub fn format(&self, value: f64) -> String {
        match self {
            Metric::Iops => Iops(value).to_string(),
            Metric::Bandwidth => BytesPerSecond(value).to_string(),
            Metric::DeviceWrites => crate::thousands(value),
            Metric::Mean | Metric::Max | Metric::Percentile(_) => Nanos(value.max(0.0).round() as u64).to_string(),
        }
    }

    /// Whether more of it is better.
    #[must_use]
    pub fn more_is_better(&self) -> bool {
        matches!(self, Metric::Iops | Metric::Bandwidth)
    }
}

/// One side.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RunSet {
    /// Its runs.
    pub runs: Vec<String>,
    /// Tools that made them, each once.
    pub tools: Vec<String>,
}

/// A parameter in which the sides differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Differing {
    /// Its name.
    pub name: String,
    /// Value on side A; several values with ` | ` between.
    pub a: String,
    /// On side B.
    pub b: String,
}

/// Two sides compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The side that stands for "before".
    pub a: RunSet,
    /// The other.
    pub b: RunSet,
    /// Share below which a change is none: 0.03.
    pub within: f64,
    /// A figure each.
    pub figures: Vec<Compared>,
    /// What was allowed to differ and does.
    pub differing: Vec<Differing>,
    /// What to know when reading it: one sentence each.
    pub remarks: Vec<Sentence>,
    /// 0 nothing is worse, 1 a figure is worse, 2 it cannot be told.
    pub exit_code: u8,
}
