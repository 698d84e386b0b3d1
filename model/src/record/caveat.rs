//! Doubts about a measurement, as data: shown next to the affected figure and stored with it.

use crate::{Sentence, text::Said};
use serde::{Deserialize, Serialize};

/// Severity of a doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Severity {
    /// Worth knowing; the figure is valid.
    Note,
    /// The figure may be off; a judgement based on it is weaker.
    Doubt,
    /// The figure does not measure what its name promises; no judgement may be based on it.
    Invalid,
}

impl Severity {
    /// Returns the word used in output: `invalid`, `doubt`, `note`.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// A doubt about a measurement: the observation, what it affects, and the remedy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "CaveatDocument", into = "CaveatDocument")]
pub struct Caveat {
    /// Stable identifier, kebab-case: `direct-not-honoured`, `generator-bound`.
    pub id: String,
    /// Severity of the doubt.
    pub severity: Severity,
    /// Affected step (index into the record's steps); `None` means the whole run.
    pub step: Option<usize>,
    /// One sentence that states the doubt.
    pub statement: Sentence,
    /// Supporting observation, with figures.
    pub evidence: Sentence,
    /// Suggested action; may be empty.
    pub remedy: Sentence,
    /// Weight among caveats of the same kind, in any unit that they share; the heaviest is shown first. Not serialised:
    /// the analysis sets the weight and has already sorted the caveats by it.
    pub weight: u64,
}

impl Caveat {
    /// Returns a caveat about the whole run.
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

    /// Restricts the caveat to one step.
    #[must_use]
    pub fn at_step(mut self, step: usize) -> Self {
        self.step = Some(step);
        self
    }

    /// Sets the weight among caveats of the same kind, from a figure that grows with the effect. Resolution: a
    /// millionth.
    #[must_use]
    pub fn weighing(mut self, how_bad: f64) -> Self {
        self.weight = (how_bad.max(0.0) * 1e6) as u64;
        self
    }

    /// Sets the suggested action.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<Sentence>) -> Self {
        self.remedy = remedy.into();
        self
    }

    /// Returns the statement with its evidence, if there is any.
    #[must_use]
    pub fn line(&self) -> Sentence {
        let said = [&self.statement, &self.evidence].into_iter().filter(|text| !text.is_empty());
        Sentence::join(said.cloned(), ": ")
    }
}

/// A [`Caveat`] as serialised: the English texts, and their translatable values if there are any.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Caveat"))]
struct CaveatDocument {
    /// Stable identifier, kebab-case.
    id: String,
    /// Severity of the doubt.
    severity: Severity,
    /// Affected step (index into the record's steps); `None` means the whole run.
    step: Option<usize>,
    /// One sentence that states the doubt.
    statement: String,
    /// Supporting observation, with figures.
    evidence: String,
    /// Suggested action; may be empty.
    remedy: String,
    /// Translatable values of the sentences; `None` for sentences in no catalogue.
    #[serde(default, skip_serializing_if = "CaveatMessages::is_empty")]
    messages: CaveatMessages,
}

/// Translatable values of the sentences of a caveat.
#[derive(Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct CaveatMessages {
    /// Value of the statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    statement: Option<Said>,
    /// Value of the evidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    evidence: Option<Said>,
    /// Value of the remedy.
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
        let CaveatDocument { id, severity, step, statement, evidence, remedy, messages } = kept;
        Caveat {
            id,
            severity,
            step,
            statement: Sentence::from_parts(statement, messages.statement),
            evidence: Sentence::from_parts(evidence, messages.evidence),
            remedy: Sentence::from_parts(remedy, messages.remedy),
            weight: 0,
        }
    }
}
