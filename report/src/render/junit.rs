//! Needs and durability promises as JUnit test cases, which every CI system can display.
//!
//! A need that is not met is a failure. An undecided need is an error: if it were a skipped case, a CI system would
//! pass it silently. The XML is written by hand: five elements do not justify an XML crate.

use crate::document::Document;
use crate::widgets::escape::escape_xml;
use model::judged::{NeedResult, Outcome};
use std::io::{self, Write};

/// Writes the cases of a document as one test suite. Text for machines is in English.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub(crate) fn write(d: &Document, out: &mut dyn Write) -> io::Result<()> {
    let head = &d.head;
    let attributes = match head.started.as_str() {
        "" => String::new(),
        started => {
            let (started, host) = (started.get(..19).unwrap_or(started), escape_xml(&head.host));
            format!(r#" timestamp="{}" hostname="{host}""#, escape_xml(started))
        }
    };
    let count = |o: Outcome| d.cases.iter().filter(|case| case.result.outcome == o).count();
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    let counts = format!(
        r#"tests="{}" failures="{}" errors="{}" skipped="0" time="{:.3}""#,
        d.cases.len(),
        count(Outcome::Fail),
        count(Outcome::Undecided),
        head.seconds
    );
    writeln!(out, r#"<testsuites name="secchi" {counts}>"#)?;
    writeln!(out, r#"  <testsuite name="{}" {counts}{attributes}>"#, escape_xml(&head.path))?;
    d.cases.iter().try_for_each(|c| case(&c.result, if c.class.is_empty() { "need" } else { &c.class }, out))?;
    let lines = head.answer.lines.iter().map(|l| format!("{}: {}\n", l.subject.label(), l.text));
    let verdict: String = lines.chain(head.verdict.iter().map(|(verdict, _)| verdict.to_string())).collect();
    writeln!(out, "    <system-out>{}</system-out>", escape_xml(&verdict))?;
    writeln!(out, "  </testsuite>\n</testsuites>")
}

fn case(need: &NeedResult, class: &str, out: &mut dyn Write) -> io::Result<()> {
    write!(out, r#"    <testcase classname="{}" name="{}" time="0""#, escape_xml(class), escape_xml(&need.text))?;
    let (element, kind) = match need.outcome {
        Outcome::Pass => return writeln!(out, "/>"),
        Outcome::Fail => ("failure", "not-met"),
        Outcome::Undecided => ("error", "undecided"),
    };
    let depth = need.depth.map_or_else(String::new, |d| format!(" (at {d} in flight)"));
    let word = |outcome: Outcome| match outcome {
        Outcome::Pass => "met",
        Outcome::Fail => "NOT MET",
        Outcome::Undecided => "undecided",
    };
    let lines = need.clauses.iter().map(|c| format!("{}: {} {}", c.clause, c.measured, word(c.outcome)));
    writeln!(
        out,
        "><{element} type=\"{kind}\" message=\"{}\">{}</{element}></testcase>",
        escape_xml(&format!("{}{depth}", need.why)),
        escape_xml(&lines.collect::<Vec<_>>().join("\n"))
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use model::{Judgement, RunRecord};

    fn written(record: &RunRecord, judgement: &Judgement) -> String {
        let mut out = Vec::new();
        crate::write_junit(record, judgement, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_need_is_a_case_with_its_contract_as_class() {
        let (mut record, mut judgement) = fixture::capped();
        record.plan.needs[0].contract = "ours.toml".into();
        judgement.needs[0].outcome = Outcome::Fail;
        insta::assert_snapshot!(written(&record, &judgement));
    }

    #[test]
    fn an_undecided_need_is_an_error_and_a_met_one_is_silent() {
        let (record, mut judgement) = fixture::capped();
        judgement.needs[0].outcome = Outcome::Undecided;
        assert!(written(&record, &judgement).contains(r#"<error type="undecided""#));
        judgement.needs[0].outcome = Outcome::Pass;
        let text = written(&record, &judgement);
        assert!(text.contains(r#"failures="0" errors="0""#) && !text.contains("<error"), "{text}");
    }

    #[test]
    fn hostile_names_stay_text() {
        let (mut record, mut judgement) = fixture::capped();
        record.preflight.host.hostname = "a\"><script>\u{1b}[2J\u{0}&".into();
        judgement.needs[0].text = "]]></testcase>".into();
        let text = written(&record, &judgement);
        assert!(!text.contains("<script") && !text.contains('\u{1b}') && text.contains("]]&gt;&lt;/testcase&gt;"));
    }
}
