//! Doubts about a measurement, as data: shown next to the figure they touch, stored with it.

use serde::{Deserialize, Serialize};

/// How much a doubt spoils.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing; the figure stands.
    Note,
    /// The figure may be off; a judgement that leans on it is weaker.
    Doubt,
    /// The figure is not what its name says; a judgement must not lean on it.
    Invalid,
}

/// A doubt about a measurement: what was seen, what it spoils, what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caveat {
    /// Stable identifier, kebab-case: `direct-not-honoured`, `generator-bound`.
    pub id: String,
    /// How much it spoils.
    pub severity: Severity,
    /// The step it touches (index into the record's steps); `None` = the whole run.
    pub step: Option<usize>,
    /// One sentence: what is doubtful.
    pub statement: String,
    /// The observation it rests on, with figures.
    pub evidence: String,
    /// What to do about it; may be empty.
    pub remedy: String,
}

impl Caveat {
    /// A caveat about the whole run.
    pub fn new(id: &str, severity: Severity, statement: impl Into<String>, evidence: impl Into<String>) -> Self {
        Caveat {
            id: id.to_owned(),
            severity,
            step: None,
            statement: statement.into(),
            evidence: evidence.into(),
            remedy: String::new(),
        }
    }

    /// Restricts it to one step.
    #[must_use]
    pub fn at_step(mut self, step: usize) -> Self {
        self.step = Some(step);
        self
    }

    /// Says what to do about it.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = remedy.into();
        self
    }
}
