//! Needs and durability promises as JUnit test cases, which every CI system can display.
//!
//! A need that is not met is a failure. An undecided need is an error: if it were a skipped case, a CI system would
//! pass it silently. The XML is written by hand: five elements do not justify an XML crate.

use super::run::{Format, ReportedRun, WriteComparison};
use crate::Style;
use model::{Judgement, NeedResult, Outcome, PromiseFinding, PromiseStanding, RunRecord, Sentence};
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    name: "junit",
    aliases: &[],
    help: "JUnit, with the needs as test cases",
    endings: &["xml"],
    several: false,
    is_screen: false,
    write,
    write_comparison: WriteComparison::No,
};

fn write(runs: &[ReportedRun<'_>], _: &Style, out: &mut dyn Write) -> io::Result<()> {
    runs.iter().try_for_each(|r| write_junit(r.record, r.judgement, out))
}

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

/// Writes the needs of a judgement as one test suite.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_junit(record: &RunRecord, judgement: &Judgement, out: &mut dyn Write) -> io::Result<()> {
    let promises = judgement.durability().into_iter().flat_map(|d| &d.promises).map(promise);
    let cases: Vec<NeedResult> = judgement.needs.iter().cloned().chain(promises).collect();
    let mut contracts: Vec<&str> = record.plan.needs.iter().map(|n| n.contract.as_str()).collect();
    if judgement.durability().is_some() {
        contracts.resize(cases.len(), "promise");
    }
    let lines = judgement.answer.lines.iter().map(|l| format!("{}: {}\n", l.subject.label(), l.text));
    let said: String = lines.chain([judgement.verdict.to_string()]).collect();
    let suite = Suite {
        name: &record.plan.target.path.display().to_string(),
        seconds: record.ended.secs(),
        attributes: format!(
            r#" timestamp="{}" hostname="{}""#,
            escaped(record.started.get(..19).unwrap_or(&record.started)),
            escaped(&record.preflight.host.hostname)
        ),
        contracts: &contracts,
        verdict: &said,
    };
    write_suite(&suite, &cases, out)
}

/// Converts the promise of a commit method: broken means not met; doubtful or not observed means undecided.
fn promise(of: &PromiseFinding) -> NeedResult {
    let outcome = match of.standing {
        PromiseStanding::Kept { .. } => Outcome::Pass,
        PromiseStanding::Broken { .. } => Outcome::Fail,
        PromiseStanding::Doubtful { .. } | PromiseStanding::Unseen | PromiseStanding::Refused => Outcome::Undecided,
    };
    NeedResult {
        text: of.method.to_string(),
        outcome,
        depth: None,
        clauses: Vec::new(),
        why: Sentence::join(of.evidence.iter().cloned(), "; "),
    }
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

    fn written(record: &RunRecord, judgement: &Judgement) -> String {
        let mut out = Vec::new();
        write_junit(record, judgement, &mut out).unwrap();
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
