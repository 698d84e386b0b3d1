//! Doubts about a measurement, as data: shown next to the figure they touch, stored with it.

use crate::{Said, Sentence};
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
#[serde(from = "CaveatDocument", into = "CaveatDocument")]
pub struct Caveat {
    /// Stable identifier, kebab-case: `direct-not-honoured`, `generator-bound`.
    pub id: String,
    /// How much it spoils.
    pub severity: Severity,
    /// The step it touches (index into the record's steps); `None` = the whole run.
    pub step: Option<usize>,
    /// One sentence: what is doubtful.
    pub statement: Sentence,
    /// The observation it rests on, with figures.
    pub evidence: Sentence,
    /// What to do about it; may be empty.
    pub remedy: Sentence,
    /// How bad it is beside others of its kind, in any unit that they share: the worst is shown first. Not kept: whoever
    /// judges knows it, and has the caveats in that order.
    pub weight: u64,
}

impl Caveat {
    /// A caveat about the whole run.
    pub fn new(id: &str, severity: Severity, statement: impl Into<Sentence>, evidence: impl Into<Sentence>) -> Self {
        Caveat {
            id: id.to_owned(),
            severity,
            step: None,
            statement: statement.into(),
            evidence: evidence.into(),
            remedy: Sentence::default(),
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
    pub fn remedy(mut self, remedy: impl Into<Sentence>) -> Self {
        self.remedy = remedy.into();
        self
    }
}

/// A caveat as it is kept: English for everybody, and beside it what says it in other languages.
#[derive(Serialize, Deserialize)]
struct CaveatDocument {
    id: String,
    severity: Severity,
    step: Option<usize>,
    statement: String,
    evidence: String,
    remedy: String,
    #[serde(default, skip_serializing_if = "CaveatMessages::is_empty")]
    messages: CaveatMessages,
}

#[derive(Default, Serialize, Deserialize)]
struct CaveatMessages {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    statement: Option<Said>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    evidence: Option<Said>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    remedy: Option<Said>,
}

impl CaveatMessages {
    const fn is_empty(&self) -> bool {
        self.statement.is_none() && self.evidence.is_none() && self.remedy.is_none()
    }
}

impl From<Caveat> for CaveatDocument {
    fn from(caveat: Caveat) -> Self {
        let Caveat { id, severity, step, statement, evidence, remedy, weight: _ } = caveat;
        let said = |sentence: &Sentence| sentence.message().cloned();
        let messages = CaveatMessages { statement: said(&statement), evidence: said(&evidence), remedy: said(&remedy) };
        let (statement, evidence, remedy) = (statement.into(), evidence.into(), remedy.into());
        CaveatDocument { id, severity, step, statement, evidence, remedy, messages }
    }
}

impl From<CaveatDocument> for Caveat {
    fn from(kept: CaveatDocument) -> Self {
        let sentence = |english: String, said: Option<Said>| match said {
            Some(said) => Sentence::new(english, said),
            None => english.into(),
        };
        let CaveatDocument { id, severity, step, statement, evidence, remedy, messages } = kept;
        Caveat {
            id,
            severity,
            step,
            statement: sentence(statement, messages.statement),
            evidence: sentence(evidence, messages.evidence),
            remedy: sentence(remedy, messages.remedy),
            weight: 0,
        }
    }
}
