//! One JSON document: `{"record": ..., "judgement": ...}`, documented in `book/src/reference/record.md`; the document
//! of a stored run also contains its `labels`.
//!
//! On one line, terminated by a newline. Field names and units are those of the model. Characters that could control a
//! terminal are written as `\uXXXX`: parsers read the same document, and it is safe to print to a terminal.

use super::document::write_document;
use super::run::{Format, ReportedRun, WriteComparison};
use crate::Style;
use crate::screens::comparison::write_comparison_json;
use model::{Judgement, Labels, RunRecord};
use serde::Serialize;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    name: "json",
    aliases: &[],
    help: "Complete record and its judgement",
    endings: &["json"],
    several: false,
    is_screen: false,
    write,
    write_comparison: WriteComparison::Figures(|comparison, _, out| write_comparison_json(comparison, out)),
};

fn write(runs: &[ReportedRun<'_>], _: &Style, out: &mut dyn Write) -> io::Result<()> {
    runs.iter().try_for_each(|r| write_json(r.record, r.judgement, Some(r.labels), out))
}

#[derive(Serialize)]
struct Document<'a> {
    record: &'a RunRecord,
    judgement: &'a Judgement,
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<&'a Labels>,
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
    write_document(&Document { record, judgement, labels }, out)
}

#[derive(Serialize)]
struct Failure<'a> {
    error: Reason<'a>,
}

#[derive(Serialize)]
struct Reason<'a> {
    exit_code: i32,
    message: &'a str,
}

/// Writes the document that replaces a run after a failure: `{"error": {"exit_code": 3, "message": "..."}}`. JSON
/// output is always exactly one complete document (docs/design/results.md, "One document").
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_error(exit_code: i32, message: &str, out: &mut dyn Write) -> io::Result<()> {
    write_document(&Failure { error: Reason { exit_code, message } }, out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::widgets::sanitise::is_harmful;

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

    /// Collects every object key below `value`; keys of errno maps are numbers, not fields.
    fn keys(value: &serde_json::Value, into: &mut std::collections::BTreeSet<String>) {
        match value {
            serde_json::Value::Object(map) => {
                for (key, value) in map {
                    if key.parse::<i32>().is_err() {
                        into.insert(key.clone());
                    }
                    keys(value, into);
                }
            }
            serde_json::Value::Array(list) => list.iter().for_each(|v| keys(v, into)),
            _ => {}
        }
    }

    #[test]
    fn every_field_is_documented() {
        let guide = include_str!("../../../book/src/reference/record.md");
        let mut names = std::collections::BTreeSet::new();
        for (record, judgement) in [fixture::capped(), fixture::troubled()] {
            keys(&serde_json::from_str(&written(&record, &judgement)).unwrap(), &mut names);
        }
        let missing: Vec<_> = names.iter().filter(|k| !guide.contains(&format!("`{k}`"))).collect();
        assert!(missing.is_empty(), "book/src/reference/record.md does not explain {missing:?}");
    }
}
