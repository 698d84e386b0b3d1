//! One plan over time: its runs, their key figures, and where those changed.

use crate::{Metric, Sentence};
use serde::{Deserialize, Serialize};

/// A run of a trend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrendRun {
    /// Identity of the run (a UUID).
    pub id: String,
    /// Wall-clock start, RFC 3339.
    pub started: String,
    /// Host name.
    pub host: String,
    /// Version of secchi.
    pub tool: String,
    /// How it ended: `complete`, ...
    pub state: String,
    /// The judge's exit code.
    pub exit: Option<u8>,
    /// The verdict's sentence.
    pub verdict: String,
    /// Its tags.
    pub tags: Vec<String>,
}

/// Runs in a row between which a figure did not change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrendLevel {
    /// Index of the first of [`Trend::runs`].
    pub from: usize,
    /// Index of the last.
    pub to: usize,
    /// Runs with the figure.
    pub count: usize,
    /// Mean of them; `None` where too few runs are there to tell whether it changed among them.
    pub mean: Option<f64>,
    /// The smallest value of the level.
    pub low: f64,
    /// The largest value of the level.
    pub high: f64,
}

/// One figure of one workload over the runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrendLine {
    /// The workload: `8k randread`.
    pub subject: String,
    /// The figure.
    pub metric: Metric,
    /// One for each run: operations or bytes per second, or nanoseconds.
    pub values: Vec<Option<f64>>,
    /// Levels, in order; a change lies between two.
    pub levels: Vec<TrendLevel>,
    /// Why no change can be told; empty where it can.
    pub why: Sentence,
}

/// One plan over time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Trend {
    /// Identity of the plan: what was asked, where, within which limits; not when, nor for how long.
    pub plan: String,
    /// The command that made it.
    pub command: String,
    /// Where its I/O goes.
    pub target: String,
    /// Runs, the oldest first.
    pub runs: Vec<TrendRun>,
    /// A line for each figure.
    pub lines: Vec<TrendLine>,
    /// Doubts about the whole.
    pub remarks: Vec<String>,
}
