//! The answer of a database run on one 80 x 24 screen: needs, the binding limit, a recommendation, the verdict,
//! figures, the most serious doubts, and how to see the rest.

use super::{operations, ramp};
use crate::Style;
use crate::formats::{SCREEN, answer_lines, brief_closing, gravest_doubts, outcome_paint};
use crate::widgets::page::{LABEL, Page};
use crate::widgets::text::Paint;
use model::{DbJudgement, Judgement, RunRecord};
use std::io::{self, Write};

/// Maximum number of lines for answer and verdict together.
const MOST_SAID: usize = 11;
/// Maximum number of lines for the verdict.
const MOST_VERDICT: usize = 4;

/// Writes the answer of a database run on one screen.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_brief(record: &RunRecord, judgement: &Judgement, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let Some(judged) = judgement.database() else { return Ok(()) };
    let mut said = section(style, |page| {
        answer_lines(page, &judgement.answer)?;
        let verdict = page.ink.translate(&judgement.verdict);
        let room = page.ink.width.saturating_sub(LABEL + 1).max(1) * MOST_VERDICT - LABEL;
        let verdict = page.ink.clipped_at_word(&verdict, room);
        let paint = outcome_paint(judgement.outcome).bold();
        page.labelled(page.ink.word("label-verdict"), paint, &verdict, Paint::BOLD)?;
        match record.reason.is_empty() {
            true => Ok(()),
            false => page.labelled("", Paint::PLAIN, &page.ink.translate(&record.reason), Paint::PLAIN),
        }
    })?;
    said.truncate(MOST_SAID);
    let doubts = section(style, |page| gravest_doubts(page, &judgement.caveats))?;
    let closing = section(style, |page| {
        page.blank()?;
        brief_closing(page, record, 0)
    })?;
    let mut figures = section(style, |page| figures(page, judged))?;
    figures.truncate(SCREEN.saturating_sub(said.len() + doubts.len() + closing.len()));
    [said, figures, doubts, closing].iter().flatten().try_for_each(|line| out.write_all(line))
}

/// Returns the lines of one part of the screen, each with its line end.
fn section(style: &Style, write: impl FnOnce(&mut Page) -> io::Result<()>) -> io::Result<Vec<Vec<u8>>> {
    let mut bytes = Vec::new();
    write(&mut Page::new(style, &mut bytes))?;
    Ok(bytes.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect())
}

fn figures(page: &mut Page, judged: &DbJudgement) -> io::Result<()> {
    let table = match judged.waves.as_slice() {
        [] => return Ok(()),
        [wave] => operations::table(page.ink, wave),
        _ => ramp::table(page, judged),
    };
    page.blank()?;
    let laid = table.lay(page.ink);
    page.lines(laid.lines)
}
