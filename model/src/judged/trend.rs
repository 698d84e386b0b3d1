//! Trend of one plan: its runs, their key figures, and the changes between them.

use crate::{Sentence, bounds::Metric};
use serde::{Deserialize, Serialize};

/// A run of a trend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrendRun {
    /// Identity of the run (a UUID).
    pub id: String,
    /// Wall-clock start, RFC 3339.
    pub started: String,
    /// Host name.
    pub host: String,
    /// Version of secchi.
    pub tool: String,
    /// End state: `complete`, ...
    pub state: String,
    /// Exit code of the judgement.
    pub exit: Option<u8>,
    /// Sentence of the verdict.
    pub verdict: String,
    /// Tags of the run.
    pub tags: Vec<String>,
}

/// Consecutive runs between which a figure did not change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrendLevel {
    /// Index of the first run in [`Trend::runs`].
    pub from: usize,
    /// Index of the last run.
    pub to: usize,
    /// Number of runs with the figure.
    pub count: usize,
    /// Mean of these runs; `None` if there are too few runs to detect a change among them.
    pub mean: Option<f64>,
    /// The smallest value of the level.
    pub low: f64,
    /// The largest value of the level.
    pub high: f64,
}

/// One figure of one workload over the runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrendLine {
    /// The workload: `8k randread`.
    pub subject: String,
    /// The figure.
    pub metric: Metric,
    /// One value per run: operations or bytes per second, or nanoseconds.
    pub values: Vec<Option<f64>>,
    /// Levels, in order; there is a change between two levels.
    pub levels: Vec<TrendLevel>,
    /// Reason why changes cannot be detected; empty if they can.
    pub why: Sentence,
}

/// Trend of one plan.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Trend {
    /// Identity of the plan: what was requested, on which target, within which limits; not when, nor for how long.
    pub plan: String,
    /// Command that created the plan.
    pub command: String,
    /// Target of the plan's I/O.
    pub target: String,
    /// Runs, the oldest first.
    pub runs: Vec<TrendRun>,
    /// One line per figure.
    pub lines: Vec<TrendLine>,
    /// Doubts about the trend as a whole.
    pub remarks: Vec<String>,
}
