//! What doubts look like wherever they are told: their sign and colour, those that are one, and what to do.

use crate::widgets::page::Page;
use crate::widgets::text::{Hue, Line, Paint};
use messages::Sentence;
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

/// The same doubt about several steps is one doubt with several figures; the gravest first, else in their order.
pub(crate) fn grouped(caveats: &[Caveat]) -> Vec<Vec<&Caveat>> {
    let mut groups: Vec<Vec<&Caveat>> = Vec::new();
    for caveat in caveats {
        let key = |c: &Caveat| (c.severity, c.id.clone(), c.statement.clone());
        match groups.iter_mut().find(|g| key(g[0]) == key(caveat)) {
            Some(group) => group.push(caveat),
            None => groups.push(vec![caveat]),
        }
    }
    groups.sort_by_key(|g| std::cmp::Reverse(g[0].severity));
    groups
}

/// What to do, behind its word.
pub(super) fn remedy(page: &mut Page, indent: usize, remedy: &Sentence) -> io::Result<()> {
    let ink = page.ink;
    let lead = Line::plain(" ".repeat(indent)).with(format!("{} ", ink.word("label-try")), Paint::BOLD);
    let hang = lead.width();
    page.hanging(lead, hang, &ink.translate(remedy), Paint::PLAIN)
}
