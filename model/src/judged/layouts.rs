//! Comparison of two layouts of one database: the current one, and one with some roles moved to other volumes.

use crate::judged::{Comparison, RoleWait};
use crate::{bounds::Metric, measured::FileRole};
use serde::{Deserialize, Serialize};

/// Result of comparing two layouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LayoutAnswer {
    /// Layout B is better in some figures and worse in none.
    Worth,
    /// Layout B is worse in some figures and better in none.
    Worse,
    /// The possible gain or loss is less than the margin.
    NoDifference,
    /// Some figures are better, and some are worse.
    Mixed,
    /// The runs do not allow a decision.
    CannotTell,
}

/// Location of the files of a role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RolePlace {
    /// The role.
    pub role: FileRole,
    /// Directories of the files.
    pub directories: Vec<String>,
    /// Devices of these directories.
    pub devices: Vec<String>,
    /// True if the location differs between the two layouts.
    pub moved: bool,
}

/// One of the two layouts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LayoutSide {
    /// Location of each role.
    pub roles: Vec<RolePlace>,
    /// Time that sessions waited, as means over the runs; empty if the engine does not report it.
    pub waits: Vec<RoleWait>,
    /// Role whose volume is the bottleneck: sessions wait for it at least half of their time.
    pub binds: Option<FileRole>,
    /// Number of runs whose backlog grew because more was updated than written back.
    pub grows: u32,
}

/// A figure that is reported for both sides but not tested.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UntestedFigure {
    /// True if the figure describes commits that ended while the engine was writing back.
    pub inside: bool,
    /// The figure.
    pub metric: Metric,
    /// Values of the runs of A with enough such commits, in nanoseconds.
    pub a: Vec<f64>,
    /// Values of the runs of B.
    pub b: Vec<f64>,
}

/// Comparison of two layouts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LayoutComparison {
    /// Overall result: whether layout B is worth the move.
    pub answer: LayoutAnswer,
    /// Requested moves: `journal=/vol2`.
    pub moved: String,
    /// The current layout, and the one with moved roles.
    pub sides: [LayoutSide; 2],
    /// Comparison of the figures declared beforehand.
    pub comparison: Comparison,
    /// Commits during and between write-backs.
    pub commits: Vec<UntestedFigure>,
}
