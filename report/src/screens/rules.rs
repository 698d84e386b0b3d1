//! The rules for other tools' files and for plans, and the findings about a plan.

use crate::Style;
use crate::document::{Block, Field, Margin, Sign, Tone};
use crate::kinds::foreign::{Names, explained, finding};
use crate::render;
use crate::widgets::page::Page;
use crate::widgets::text::{Line, Paint};
use model::judged::{ForeignFinding, RuleText};
use model::{Sentence, Severity};
use std::io::{self, Write};

/// Writes a verdict and findings without a table, for plans.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_findings(
    verdict: &Sentence,
    is_bad: bool,
    findings: &[ForeignFinding],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let tone = if is_bad { Tone::Doubt } else { Tone::Pass };
    let verdict = Field::new("judged-lint", verdict.clone()).tone(tone).strong();
    let mut blocks = vec![Block::Fields(Margin::Page, vec![verdict])];
    if !findings.is_empty() {
        // Names are shown as typed, because that is the text to correct.
        let findings = findings.iter().map(|f| finding(f, &Names::new())).collect();
        blocks.extend([Block::Blank, Block::Findings(findings), Block::Blank, explained("secchi lint --explain ID")]);
    }
    render::terminal::blocks(&blocks, style, out)
}

/// Writes all rules, one per line.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_rules<'a>(
    rules: impl Iterator<Item = &'a RuleText>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = &mut Page::new(style, out);
    for rule in rules {
        let sign = Sign::from(rule.severity).glyph(page.ink);
        let lead = Line::plain(" ").with(sign, Tone::from(rule.severity).paint().bold());
        let lead = lead.with(format!(" {}", rule.id), Paint::BOLD);
        page.hanging(lead, 27, &page.ink.format(&rule.title()), Paint::PLAIN)?;
    }
    Ok(())
}

/// Writes one rule in full.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_rule(rule: &RuleText, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let [title, explanation, remedy] = [rule.title(), rule.explanation(), rule.remedy()].map(messages::sentence);
    let severity = match rule.severity {
        Severity::Invalid => "judged-invalid",
        Severity::Doubt => "judged-doubt",
        Severity::Note => "judged-note",
    };
    let title = Sentence::concat([format!("{}: ", rule.id).into(), title]);
    let head = Field::new(severity, title).tone(rule.severity.into()).strong();
    let rest = vec![Field::new("judged-why", explanation), Field::new("judged-try", remedy)];
    let blocks = [Block::Fields(Margin::Page, vec![head]), Block::Blank, Block::Fields(Margin::Page, rest)];
    render::terminal::blocks(&blocks, style, out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_told_in_full_or_in_a_line() {
        let rule: &RuleText = analysis::foreign_rules().find(|rule| rule.id == "B01-first-touch").unwrap();
        let mut out = Vec::new();
        write_rule(rule, &Style::default(), &mut out).unwrap();
        write_rules([rule].into_iter(), &Style::default(), &mut out).unwrap();
        insta::assert_snapshot!(String::from_utf8(out).unwrap());
    }
}
