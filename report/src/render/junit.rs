//! Needs and durability promises as JUnit test cases, which every CI system can display.
//!
//! A need that is not met is a failure. An undecided need is an error: if it were a skipped case, a CI system would
//! pass it silently. The XML is written by hand: five elements do not justify an XML crate.

use crate::document::Document;
use model::{NeedResult, Outcome};
use std::io::{self, Write};

/// A suite without its cases.
pub(crate) struct Suite<'a> {
    pub name: &'a str,
    pub seconds: f64,
    /// Additional attributes, already escaped: ` timestamp="..."`.
    pub attributes: String,
    /// Contract of each need; empty if it has none.
    pub contracts: &'a [&'a str],
    /// Verdict on the whole run.
    pub verdict: &'a str,
}

/// Writes the cases of a document as one test suite. Text for machines is in English.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub(crate) fn write(d: &Document, out: &mut dyn Write) -> io::Result<()> {
    let head = &d.head;
    let lines = head.answer.lines.iter().map(|l| format!("{}: {}\n", l.subject.label(), l.text));
    let verdict = head.verdict.iter().map(|(verdict, _)| verdict.to_string());
    let (classes, cases): (Vec<&str>, Vec<NeedResult>) =
        d.cases.iter().map(|case| (case.class.as_str(), case.result.clone())).unzip();
    let suite = Suite {
        name: &head.path,
        seconds: head.seconds,
        attributes: match head.started.as_str() {
            "" => String::new(),
            started => format!(
                r#" timestamp="{}" hostname="{}""#,
                escaped(started.get(..19).unwrap_or(started)),
                escaped(&head.host)
            ),
        },
        contracts: &classes,
        verdict: &lines.chain(verdict).collect::<String>(),
    };
    write_suite(&suite, &cases, out)
}

/// Writes needs as one test suite.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub(crate) fn write_suite(suite: &Suite, needs: &[NeedResult], out: &mut dyn Write) -> io::Result<()> {
    let count = |o: Outcome| needs.iter().filter(|n| n.outcome == o).count();
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    let counts = format!(
        r#"tests="{}" failures="{}" errors="{}" skipped="0" time="{:.3}""#,
        needs.len(),
        count(Outcome::Fail),
        count(Outcome::Undecided),
        suite.seconds
    );
    writeln!(out, r#"<testsuites name="secchi" {counts}>"#)?;
    writeln!(out, r#"  <testsuite name="{}" {counts}{}>"#, escaped(suite.name), suite.attributes)?;
    for (i, need) in needs.iter().enumerate() {
        let contract = suite.contracts.get(i).copied().unwrap_or("");
        case(need, if contract.is_empty() { "need" } else { contract }, out)?;
    }
    writeln!(out, "    <system-out>{}</system-out>", escaped(suite.verdict))?;
    writeln!(out, "  </testsuite>\n</testsuites>")
}

fn case(need: &NeedResult, class: &str, out: &mut dyn Write) -> io::Result<()> {
    write!(out, r#"    <testcase classname="{}" name="{}" time="0""#, escaped(class), escaped(&need.text))?;
    let (element, kind) = match need.outcome {
        Outcome::Pass => return writeln!(out, "/>"),
        Outcome::Fail => ("failure", "not-met"),
        Outcome::Undecided => ("error", "undecided"),
    };
    let depth = need.depth.map_or_else(String::new, |d| format!(" (at {d} in flight)"));
    let lines: Vec<String> = need
        .clauses
        .iter()
        .map(|c| {
            let word = match c.outcome {
                Outcome::Pass => "met",
                Outcome::Fail => "NOT MET",
                Outcome::Undecided => "undecided",
            };
            format!("{}: {} {word}", c.clause, c.measured)
        })
        .collect();
    writeln!(
        out,
        "><{element} type=\"{kind}\" message=\"{}\">{}</{element}></testcase>",
        escaped(&format!("{}{depth}", need.why)),
        escaped(&lines.join("\n"))
    )
}

/// Escapes text for an element or an attribute. Characters that XML 1.0 cannot represent are dropped.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\n' | '\t' => out.push(c),
            c if c < ' ' || matches!(c, '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
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
