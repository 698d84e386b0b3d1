//! Doubts about a mark, each combined over all affected loops: the problem, and the figure that supports it.

use crate::grouping::{distinct, grouped_doubts};
use crate::widgets::ink::listed;
use messages::{Sentence, message, sentence};
use model::plan::{MarkDirection, MarkTest};
use model::{Caveat, RunRecord, Severity};
use serde::Serialize;

/// A doubt about one or several loops.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Doubt {
    /// Stable identifier, the same as that of its caveats.
    pub id: String,
    /// Severity of the doubt.
    pub severity: Severity,
    /// Statement of the doubt.
    pub statement: Sentence,
    /// Figure that supports the doubt, from the first affected loop.
    pub evidence: Sentence,
    /// Affected tests and directions; empty if the whole run is affected.
    pub places: Vec<String>,
    /// Recommended action; may be empty.
    pub remedy: Sentence,
}

impl Doubt {
    /// Returns the doubt on one line, such as
    /// `the rate changed level (RND4K Q1T1 write and 2 more): 6,000 IOPS for 2.10 s, then 3,000`.
    #[must_use]
    pub fn line(&self) -> Sentence {
        let statement = &self.statement;
        let at = |places: Sentence| sentence!("told-with", told = statement, aside = places);
        let what = match self.places.as_slice() {
            [] => statement.clone(),
            [_] | [_, _] => at(listed(&self.places)),
            [first, rest @ ..] => at(sentence!("list-and", first, last = message!("list-more", n = rest.len()))),
        };
        if self.evidence.is_empty() { what } else { sentence!("told-of", what, told = &self.evidence) }
    }
}

/// Combines caveats with the same statement, the most severe first; those of equal severity keep their order.
#[must_use]
pub fn doubts(record: &RunRecord, caveats: &[Caveat]) -> Vec<Doubt> {
    let doubt = |group: Vec<&Caveat>| {
        let places = distinct(group.iter().filter_map(|caveat| place(record, caveat.step?)));
        let Caveat { id, severity, statement, evidence, remedy, .. } = group[0].clone();
        Doubt { id, severity, statement, evidence, places, remedy }
    };
    grouped_doubts(caveats).into_iter().map(doubt).collect()
}

/// Returns the test and direction of a step, such as `RND4K Q1T1 write`.
fn place(record: &RunRecord, step: usize) -> Option<String> {
    let stage = record.stage_of(record.steps.get(step)?);
    let test = MarkTest::from_job(&stage.job)?;
    Some(format!("{test} {}", MarkDirection::from_mix(stage.job.workload.mix).name()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::mark::testkit::record;

    #[test]
    fn the_same_doubt_about_many_loops_is_one_with_its_places() {
        let doubt = |step: usize, evidence: &str| {
            Caveat::new("two-regimes", Severity::Doubt, "the rate changed level", evidence).at_step(step)
        };
        let whole = Caveat::new("partial", Severity::Invalid, "the run was stopped", "");
        let caveats = [doubt(0, "a"), doubt(1, "b"), doubt(9, "c"), doubt(39, "d"), whole];
        let listed = doubts(&record(), &caveats);
        assert_eq!(listed.len(), 2);
        assert_eq!(listed[0].line(), "the run was stopped", "the gravest first");
        assert_eq!(listed[1].places, ["SEQ1M Q8T1 read", "SEQ1M Q1T1 read", "RND4K Q1T1 write"]);
        assert_eq!(listed[1].line(), "the rate changed level (SEQ1M Q8T1 read and 2 more): a");
    }
}
