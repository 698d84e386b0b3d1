//! One JSON document: `{"record": ..., "judgement": ...}`, documented in `book/src/reference/record.md`; the document
//! of a stored run also contains its `labels`. Other documents are listed in the table of `document_kind.rs`.
//!
//! On one line, terminated by a newline. Field names and units are those of the model. Characters that could control a
//! terminal are written as `\uXXXX`: parsers read the same document, and it is safe to print to a terminal.

use super::DocumentKind;
use super::document::write_document;
use super::run::Subject;
use crate::ReportedRun;
use crate::Style;
use model::judged::{Comparison, LayoutComparison, Purchases, Trend};
use model::{Judgement, RunRecord, record::Labels};
use serde::Serialize;
use std::io::{self, Write};

pub(super) fn write(subject: Subject<'_>, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    match subject {
        Subject::Runs([run]) => write_json(run.record, run.judgement, Some(run.labels), out),
        Subject::Runs(runs) => {
            write_document(DocumentKind::Runs, Runs { runs: runs.iter().map(Document::new).collect() }, out)
        }
        Subject::Comparison(comparison, _) => {
            write_document(DocumentKind::Comparison, ComparisonDocument { comparison }, out)
        }
        Subject::Layouts(layouts, _) => write_document(DocumentKind::Layouts, LayoutsDocument { layouts }, out),
        Subject::Demand(name, demand) => {
            write_document(DocumentKind::Demand, super::demand::Document::new(name, demand), out)
        }
        Subject::Foreign(foreign) => write_document(DocumentKind::Foreign, Foreign { foreign }, out),
        Subject::Trend(trend) => write_document(DocumentKind::Trend, TrendDocument { trend }, out),
        Subject::Sheet { kind, document, .. } => write_document(kind, document, out),
        Subject::Purchases { name, purchases, .. } => {
            write_document(DocumentKind::Purchases, PurchasesDocument { name, purchases }, out)
        }
    }
}

/// Several runs.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Runs<'a> {
    /// The documents of the runs, in the requested order.
    #[cfg_attr(feature = "schema", schemars(schema_with = "super::schema::runs"))]
    runs: Vec<Document<'a>>,
}

/// Comparison of two sides.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ComparisonDocument<'a> {
    comparison: &'a Comparison,
}

/// Comparison of two layouts of a database.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct LayoutsDocument<'a> {
    layouts: &'a LayoutComparison,
}

/// Results of one plan over time.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct TrendDocument<'a> {
    trend: &'a Trend,
}

/// Possible purchases for a demand.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct PurchasesDocument<'a> {
    /// Name of the demand: the needs, or the files.
    name: &'a str,
    #[serde(flatten)]
    purchases: &'a Purchases,
}

/// Judgement of other tools' files (`book/src/reference/rules.md`).
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Foreign<'a> {
    /// The judgement.
    foreign: &'a model::judged::ForeignJudgement,
}

/// A run and its judgement.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Document<'a> {
    /// Plan, facts and measurements.
    record: &'a RunRecord,
    /// Conclusions drawn from the record; never stored.
    judgement: &'a Judgement,
    /// Tags and note of a stored run.
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<&'a Labels>,
}

impl<'a> Document<'a> {
    fn new(run: &'a ReportedRun<'_>) -> Self {
        Document { record: run.record, judgement: run.judgement, labels: Some(run.labels) }
    }
}

/// Writes the document of a run; a stored run includes its tags and its note.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_json(
    record: &RunRecord,
    judgement: &Judgement,
    labels: Option<&Labels>,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_document(DocumentKind::Run, Document { record, judgement, labels }, out)
}

/// Document of a command that has no result.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ErrorDocument<'a> {
    error: Reason<'a>,
}

/// Reason why there is no result.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Reason<'a> {
    /// Exit code of the program.
    exit_code: i32,
    /// Reason, in English or the user's language.
    message: &'a str,
}

/// Writes the document that replaces a result after a failure: `{"error": {"exit_code": 3, "message": "..."}}`. JSON
/// output is always exactly one complete document (docs/design/results.md, "One document").
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_error(exit_code: i32, message: &str, out: &mut dyn Write) -> io::Result<()> {
    write_document(DocumentKind::Error, ErrorDocument { error: Reason { exit_code, message } }, out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::formats::mark::testkit as mark;
    use crate::widgets::sanitise::is_harmful;
    use testkit::schema_violations;

    fn written(record: &RunRecord, judgement: &Judgement) -> String {
        let mut out = Vec::new();
        write_json(record, judgement, None, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[derive(serde::Deserialize)]
    struct Back {
        record: RunRecord,
        judgement: Judgement,
    }

    #[test]
    fn a_failure_is_a_document_too() {
        let mut out = Vec::new();
        write_error(3, "refused: /tmp/\u{1b}[2J\u{202e}", &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(!text.trim_end().contains(is_harmful) && text.ends_with('\n'), "{text:?}");
        let back: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(back["error"]["exit_code"], 3);
        assert_eq!(back["error"]["message"], "refused: /tmp/\u{1b}[2J\u{202e}");
    }

    #[test]
    fn what_is_written_reads_back_as_it_was() {
        for (record, judgement) in [fixture::capped(), fixture::troubled()] {
            let back: Back = serde_json::from_str(&written(&record, &judgement)).unwrap();
            assert_eq!(back.record, record);
            assert_eq!(back.judgement, judgement);
        }
    }

    #[test]
    fn a_kept_run_has_its_labels_beside_it() {
        let (record, judgement) = fixture::capped();
        let labels = Labels { tags: ["gp3".to_owned()].into(), note: "before \u{1b}".into() };
        let mut out = Vec::new();
        write_json(&record, &judgement, Some(&labels), &mut out).unwrap();
        let document: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(document["labels"], serde_json::json!({ "tags": ["gp3"], "note": "before \u{1b}" }));
        assert!(!written(&record, &judgement).contains("\"labels\""), "not of a run that nobody labelled");
    }

    #[test]
    fn it_is_one_document_on_one_line() {
        let (record, judgement) = fixture::capped();
        let text = written(&record, &judgement);
        assert_eq!(text.matches('\n').count(), 1);
        assert!(text.ends_with('\n'));
    }

    #[test]
    fn hostile_names_survive_unchanged_but_cannot_steer_a_terminal() {
        let (mut record, judgement) = fixture::capped();
        let name = "a\x1b[2J\u{9b}31m\u{202e}b\u{e0041}\"\\é";
        record.preflight.host.hostname = name.to_owned();
        let text = written(&record, &judgement);
        assert!(!text.trim_end().contains(is_harmful));
        let back: Back = serde_json::from_str(&text).unwrap();
        assert_eq!(back.record.preflight.host.hostname, name);
    }

    #[test]
    fn the_documents_of_fixtures_are_valid_and_unknown_or_missing_fields_are_not() {
        let runs = [fixture::capped(), fixture::troubled()].map(|(record, judgement)| written(&record, &judgement));
        let Some(violations) = schema_violations("run", &runs.concat()) else { return };
        assert_eq!(violations, "");
        let mark = mark::written("json", &mark::marked()) + &mark::written("json", &mark::doubted());
        assert_eq!(schema_violations("mark", &mark).as_deref(), Some(""));
        let mut error = Vec::new();
        write_error(3, "refused", &mut error).unwrap();
        assert_eq!(schema_violations("error", std::str::from_utf8(&error).unwrap()).as_deref(), Some(""));
        for (from, to) in [("\"block\":", "\"blokc\":"), ("\"stage\":0", "\"stage\":\"0\""), ("\"iops\"", "\"ipos\"")] {
            let wrong = runs[0].replacen(from, to, 1);
            assert!(wrong != runs[0], "{from}");
            assert_ne!(schema_violations("run", &wrong).as_deref(), Some(""), "{from}");
        }
    }
}
