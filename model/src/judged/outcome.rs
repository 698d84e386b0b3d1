//! Outcomes of needs and their clauses.

use crate::{Sentence, bounds::Clause};
use serde::{Deserialize, Serialize};

/// Pass, fail, or undecided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The requirement is met.
    Pass,
    /// The requirement is not met.
    Fail,
    /// The data does not allow a decision.
    #[default]
    Undecided,
}

/// Result of one clause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClauseResult {
    /// The clause.
    pub clause: Clause,
    /// Outcome of the clause.
    pub outcome: Outcome,
    /// Measured figure, formatted.
    pub measured: Sentence,
}

/// Result of one need: every clause at the same level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NeedResult {
    /// The need, as entered.
    pub text: String,
    /// Outcome of the need.
    pub outcome: Outcome,
    /// Concurrency of that level.
    pub depth: Option<u32>,
    /// Result of each clause.
    pub clauses: Vec<ClauseResult>,
    /// Reason why the need is undecided, or a remark; may be empty.
    pub why: Sentence,
}
