//! Comparison of runs: the figures that a run is reduced to, and the result for two sides of runs.
//!
//! The unit is the **run**: operations of one run share its conditions, so pooling them finds differences that do not
//! exist (51-60 % false alarms at a run-to-run scatter of 1 %, docs/design/statistics.md, "Comparing runs").

use crate::{BytesPerSecond, Iops, Nanos, Sentence, bounds::Metric};
use serde::{Deserialize, Serialize};

/// One run of any tool, reduced to the figures that are compared.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RunFigures {
    /// Origin of the run: the first digits of its id, or a path.
    pub source: String,
    /// Tool that measured: `secchi 0.1.0`, `fio-3.33`.
    pub tool: String,
    /// Start of the run, RFC 3339; empty if unknown.
    pub started: String,
    /// Measured workloads, in order.
    pub subjects: Vec<SubjectFigures>,
    /// Doubts about the run, one sentence each.
    pub remarks: Vec<Sentence>,
}

/// One workload of a run at one level of concurrency.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SubjectFigures {
    /// Name, the same in all runs of the same workload: `8k randread`, or the name of a job.
    pub name: String,
    /// True if this is one of several levels of a ramp; the level is then chosen when runs are compared.
    pub level: bool,
    /// True if this is the sustained level, which is held after the ramp.
    pub held: bool,
    /// Requested parameters, as (name, value). Runs that differ here did not run the same workload.
    pub parameters: Vec<(String, String)>,
    /// A value for each requested figure, or the reason why there is none.
    pub values: Vec<Result<f64, Sentence>>,
    /// Metrics of `values` if they are not the requested ones; a commit, for example, has other metrics than an update.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own: Vec<Metric>,
}

/// Name of the parameter with the queue depth.
pub const DEPTH: &str = "depth";

/// Name of the parameter with the number of jobs that run at the same time.
pub const JOBS: &str = "numjobs";

impl SubjectFigures {
    /// Returns the value of a parameter.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// Returns the metrics of `values`, if `requested` are the requested ones.
    #[must_use]
    pub fn metrics<'a>(&'a self, requested: &'a [Metric]) -> &'a [Metric] {
        if self.own.is_empty() { requested } else { &self.own }
    }
}

/// Result of a comparison. There are three results, never two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Changed by more than chance explains, and the change is not provably smaller than the margin.
    Changed,
    /// Unchanged, or changed by less than the margin.
    Same,
    /// The runs do not allow a decision.
    CannotTell,
}

/// One figure of one workload, on both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Compared {
    /// Name of the workload.
    pub subject: String,
    /// The compared figure.
    pub metric: Metric,
    /// Value of each run of A: operations or bytes per second, or nanoseconds.
    pub a: Vec<f64>,
    /// Value of each run of B.
    pub b: Vec<f64>,
    /// Median of all ratios of a run of B to a run of A (Hodges and Lehmann).
    pub ratio: Option<f64>,
    /// 95 % confidence interval of the ratio; `None` if there are too few runs for one.
    pub ci: Option<(f64, f64)>,
    /// Coefficient of variation of the runs of A and of B.
    pub scatter: [Option<f64>; 2],
    /// p-value of the Mann-Whitney test (two-sided, exact).
    pub p: Option<f64>,
    /// The same p-value, corrected for the number of compared figures (Holm).
    pub p_adjusted: Option<f64>,
    /// p-value of Welch's test of means, which many readers know; a single failed run distorts it.
    pub p_welch: Option<f64>,
    /// Result for this figure.
    pub answer: Answer,
    /// True if B is better; `None` if the figure did not change.
    pub better: Option<bool>,
    /// Number of further runs on each side that would probably decide; `None` if decided.
    pub more_runs: Option<u32>,
    /// Reason why the comparison is undecided, or a remark; may be empty.
    pub why: Sentence,
}

impl Metric {
    /// Formats a value with its unit: operations or bytes per second, else nanoseconds.
    #[must_use]
    pub fn format(&self, value: f64) -> String {
        match self {
            Metric::Iops => Iops(value).to_string(),
            Metric::Bandwidth => BytesPerSecond(value).to_string(),
            Metric::DeviceWrites => crate::units::thousands(value),
            Metric::Mean | Metric::Max | Metric::Percentile(_) => Nanos(value.max(0.0).round() as u64).to_string(),
        }
    }
}

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunSet {
    /// Runs of the side.
    pub runs: Vec<String>,
    /// Tools that measured these runs, each listed once.
    pub tools: Vec<String>,
}

/// A parameter in which the sides differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Differing {
    /// Name of the parameter.
    pub name: String,
    /// Value on side A; several values are separated by ` | `.
    pub a: String,
    /// Value on side B.
    pub b: String,
}

/// Two sides compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// The side that represents "before".
    pub a: RunSet,
    /// The other side.
    pub b: RunSet,
    /// Margin, as a share, below which a change counts as none: 0.03.
    pub within: f64,
    /// Comparison of each figure.
    pub figures: Vec<Compared>,
    /// Parameters that were allowed to differ and do.
    pub differing: Vec<Differing>,
    /// Remarks for the reader, one sentence each.
    pub remarks: Vec<Sentence>,
    /// Exit code: 0 if nothing is worse, 1 if a figure is worse, 2 if undecided.
    pub exit_code: u8,
}
