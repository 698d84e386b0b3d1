//! Judgements of other tools' files as a screen, as one JSON document, as a CSV table and, for needs, as JUnit; and
//! descriptions of the rules.

mod csv;
mod terminal;
#[cfg(test)]
mod tests;

use super::write_document;
use crate::formats::junit::{Suite, write_suite};
use messages::sentence;
use model::{ForeignJudgement, Sentence, Severity};
use serde::Serialize;
use std::io::{self, Write};

pub use csv::write as write_csv;
pub use terminal::{write, write_findings, write_rule, write_rules};

/// Version of the JSON document; it increases if a field is removed or changes its meaning.
pub const FOREIGN_VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    foreign_version: u32,
    foreign: &'a ForeignJudgement,
}

/// Writes the whole judgement as one document (`book/src/reference/rules.md`).
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_json(judgement: &ForeignJudgement, out: &mut dyn Write) -> io::Result<()> {
    write_document(&Document { foreign_version: FOREIGN_VERSION, foreign: judgement }, out)
}

/// Writes the needs as one test suite.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_junit(judgement: &ForeignJudgement, out: &mut dyn Write) -> io::Result<()> {
    let sources: Vec<&str> = judgement.files.iter().map(|f| f.0.as_str()).collect();
    let suite = Suite {
        name: &sources.join(" "),
        seconds: judgement.rows.iter().filter_map(|r| r.seconds).sum(),
        attributes: String::new(),
        contracts: &[],
        verdict: &judgement.verdict,
    };
    write_suite(&suite, &judgement.needs, out)
}

/// Returns the number of findings of each severity, such as `1 invalid, 3 doubts`.
fn counted(severities: impl Iterator<Item = Severity> + Clone) -> Sentence {
    let count_of = |wanted| Some(severities.clone().filter(|s| *s == wanted).count()).filter(|n| *n > 0);
    let counts = [
        count_of(Severity::Invalid).map(|n| sentence!("judged-counted-invalid", n)),
        count_of(Severity::Doubt).map(|n| sentence!("judged-counted-doubts", n)),
        count_of(Severity::Note).map(|n| sentence!("judged-counted-notes", n)),
    ];
    counts.into_iter().flatten().reduce(|all, next| sentence!("saw-list", all, next)).unwrap_or_default()
}
