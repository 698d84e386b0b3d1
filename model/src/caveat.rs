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
    /// How bad it is beside others of its kind, in any unit that they share: the worst is shown first. Not kept: whoever
    /// judges knows it, and has the caveats in that order.
    #[serde(skip)]
    pub weight: u64,
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
            weight: 0,
        }
    }

    /// Restricts it to one step.
    #[must_use]
    pub fn at_step(mut self, step: usize) -> Self {
        self.step = Some(step);
        self
    }

    /// Ranks it among others of its kind, by a figure that grows with what it spoils; parts of a millionth do not count.
    #[must_use]
    pub fn weighing(mut self, how_bad: f64) -> Self {
        self.weight = (how_bad.max(0.0) * 1e6) as u64;
        self
    }

    /// Says what to do about it.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = remedy.into();
        self
    }
}
