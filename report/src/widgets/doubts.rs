//! Doubts: groups of equal ones, and the recommended action.

use crate::widgets::page::Page;
use crate::widgets::text::{Line, Paint};
use messages::Sentence;
use model::{Caveat, CompactSort};
use std::io;

/// Groups doubts with the same statement about several steps, the most severe first; those of equal severity keep their
/// order.
pub(crate) fn grouped(caveats: &[Caveat]) -> Vec<Vec<&Caveat>> {
    let mut groups: Vec<Vec<&Caveat>> = Vec::new();
    for caveat in caveats {
        let is_same = |g: &&mut Vec<&Caveat>| {
            (g[0].severity, &g[0].id, &g[0].statement) == (caveat.severity, &caveat.id, &caveat.statement)
        };
        match groups.iter_mut().find(is_same) {
            Some(group) => group.push(caveat),
            None => groups.push(vec![caveat]),
        }
    }
    groups.compact_sort_by_key(|g| std::cmp::Reverse(g[0].severity));
    groups
}

/// Writes the recommended action after its label.
pub(crate) fn remedy(page: &mut Page, indent: usize, remedy: &Sentence) -> io::Result<()> {
    let ink = page.ink;
    let lead = Line::plain(" ".repeat(indent)).with(format!("{} ", ink.word("label-try")), Paint::BOLD);
    let hang = lead.width();
    page.hanging(lead, hang, &ink.translate(remedy), Paint::PLAIN)
}
