//! Presentation of doubts that all formats share: sign and colour, grouping, and recommended action.

use crate::widgets::page::{LABEL, Page};
use crate::widgets::text::{Hue, Line, Paint};
use messages::{Sentence, message};
use model::CompactSort;
use model::{Caveat, Severity};
use std::io;

pub(crate) fn severity_paint(severity: Severity) -> Paint {
    match severity {
        Severity::Invalid => Paint::new(Hue::Fail),
        Severity::Doubt => Paint::new(Hue::Doubt),
        Severity::Note => Paint::PLAIN,
    }
}

pub(crate) fn severity_sign(page: &Page, severity: Severity) -> &'static str {
    match severity {
        Severity::Invalid => page.ink.glyphs().no,
        Severity::Doubt => "!",
        Severity::Note => page.ink.glyphs().dot,
    }
}

/// Groups doubts with the same statement about several steps, the most severe first; those of equal severity keep their
/// order.
pub(crate) fn grouped(caveats: &[Caveat]) -> Vec<Vec<&Caveat>> {
    let mut groups: Vec<Vec<&Caveat>> = Vec::new();
    for caveat in caveats {
        let key = |c: &Caveat| (c.severity, c.id.clone(), c.statement.clone());
        match groups.iter_mut().find(|g| key(g[0]) == key(caveat)) {
            Some(group) => group.push(caveat),
            None => groups.push(vec![caveat]),
        }
    }
    groups.compact_sort_by_key(|g| std::cmp::Reverse(g[0].severity));
    groups
}

/// Writes the number of doubts by severity.
pub(crate) fn write_counts(page: &mut Page, groups: &[Vec<&Caveat>]) -> io::Result<()> {
    let mut line = Line::new();
    for severity in [Severity::Invalid, Severity::Doubt, Severity::Note] {
        let n = groups.iter().filter(|g| g[0].severity == severity).count();
        if n > 0 {
            let heading = match severity {
                Severity::Invalid => message!("trust-invalid", n),
                Severity::Doubt => message!("trust-doubts", n),
                Severity::Note => message!("trust-notes", n),
            };
            line.push(if line.spans.is_empty() { "" } else { ", " }, Paint::PLAIN);
            line.push(page.ink.format(&heading), severity_paint(severity));
        }
    }
    page.labelled_line(page.ink.word("label-trust"), Paint::BOLD, line)
}

/// Writes a doubt: its statement, the given evidence, and the recommended action.
pub(crate) fn write_doubt(page: &mut Page, doubt: &Caveat, evidence: &str) -> io::Result<()> {
    let mut lead = Line::plain(" ".repeat(LABEL));
    lead.push(severity_sign(page, doubt.severity), severity_paint(doubt.severity).bold());
    let hang = LABEL + 2;
    page.hanging(lead, hang, &page.ink.translate(&doubt.statement), severity_paint(doubt.severity))?;
    if !evidence.is_empty() {
        page.hanging(Line::new(), hang, evidence, Paint::DIM)?;
    }
    if !doubt.remedy.is_empty() {
        remedy(page, hang, &doubt.remedy)?;
    }
    Ok(())
}

/// Writes the recommended action after its label.
pub(crate) fn remedy(page: &mut Page, indent: usize, remedy: &Sentence) -> io::Result<()> {
    let ink = page.ink;
    let lead = Line::plain(" ".repeat(indent)).with(format!("{} ", ink.word("label-try")), Paint::BOLD);
    let hang = lead.width();
    page.hanging(lead, hang, &ink.translate(remedy), Paint::PLAIN)
}
