//! Two layouts of one database: its roles as they lie, and some of them moved to other volumes.

use crate::{Comparison, FileRole, Metric, RoleWait};
use serde::{Deserialize, Serialize};

/// Whether it is worth moving.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LayoutAnswer {
    /// Something is better, and nothing is worse.
    Worth,
    /// Something is worse, and nothing is better.
    Worse,
    /// What there is to gain or lose is less than the margin.
    NoDifference,
    /// Some of it is better, and some worse.
    Mixed,
    /// The runs do not tell.
    CannotTell,
}

/// Where the files of a role lie.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RolePlace {
    /// Which files.
    pub role: FileRole,
    /// Their directories.
    pub directories: Vec<String>,
    /// Devices that these lie on.
    pub devices: Vec<String>,
    /// Whether the two layouts differ in it.
    pub moved: bool,
}

/// One layout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayoutSide {
    /// Where it has its roles.
    pub roles: Vec<RolePlace>,
    /// What its sessions waited for: means of its runs; empty where the engine does not tell.
    pub waits: Vec<RoleWait>,
    /// The role whose volume binds: sessions wait for it at least half of their time.
    pub binds: Option<FileRole>,
    /// Runs in which more was updated than was written back.
    pub grows: u32,
}

/// A figure that is told of both sides and not tested.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UntestedFigure {
    /// Whether it is of commits that ended while the engine wrote back.
    pub inside: bool,
    /// Which figure.
    pub metric: Metric,
    /// Of each run of A that had enough of them: nanoseconds.
    pub a: Vec<f64>,
    /// Of B.
    pub b: Vec<f64>,
}

/// Both, compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayoutComparison {
    /// Whether B is worth it.
    pub answer: LayoutAnswer,
    /// What was moved, as it was asked: `journal=/vol2`.
    pub moved: String,
    /// As it is, and moved.
    pub sides: [LayoutSide; 2],
    /// The figures that were declared beforehand.
    pub comparison: Comparison,
    /// Commits in and between write-backs.
    pub commits: Vec<UntestedFigure>,
}
