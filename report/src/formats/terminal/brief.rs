//! The answer on one screen of 80 x 24: the answer, a row for each workload, the most serious doubts, and how to see
//! the rest.

use super::closing::again;
use super::levels::overview;
use crate::overview::{Entry, entries};
use crate::widgets::doubts::{grouped, severity_paint, severity_sign};
use crate::widgets::figures::duration;
use crate::widgets::ink::Ink;
use crate::widgets::page::{LABEL, Page};
use crate::widgets::text::{Hue, Line, Paint};
use messages::message;
use model::{AnswerLine, AnswerStanding, AnswerSubject, Caveat, Judgement, RunAnswer, RunRecord, Severity};
use std::io;

/// Number of lines on a screen, without the line of the prompt that follows.
pub(crate) const SCREEN: usize = 23;
/// Minimum number of table rows, regardless of the remaining room.
const LEAST_ROWS: usize = 4;
/// Maximum number of doubts listed; the others are only counted.
const MOST_DOUBTS: usize = 3;

/// Writes the lines of an answer, each with its label; nothing for an empty answer.
pub(crate) fn answer(page: &mut Page, answer: &RunAnswer) -> io::Result<()> {
    for line in &answer.lines {
        let text = if line.subject == AnswerSubject::Do { Paint::PLAIN } else { Paint::BOLD };
        page.labelled(label(line.subject, page.ink), paint(line).bold(), &page.ink.translate(&line.text), text)?;
    }
    Ok(())
}

/// Returns the label of a line.
pub(crate) fn label(subject: AnswerSubject, ink: Ink) -> &'static str {
    ink.word(subject.label_message())
}

fn paint(line: &AnswerLine) -> Paint {
    match line.standing {
        AnswerStanding::NotAsked => Paint::PLAIN,
        AnswerStanding::Met => Paint::new(Hue::Pass),
        AnswerStanding::Undecided => Paint::new(Hue::Doubt),
        AnswerStanding::NotMet => Paint::new(Hue::Fail),
    }
}

pub(super) fn write(page: &mut Page, record: &RunRecord, judgement: &Judgement) -> io::Result<()> {
    answer(page, &judgement.answer)?;
    let entries_here = entries(judgement);
    let doubts = doubts(&judgement.caveats, page.ink);
    let room = page.ink.width.saturating_sub(LABEL).max(1);
    let answer_lines: usize =
        judgement.answer.lines.iter().map(|l| page.ink.wrap(&page.ink.translate(&l.text), room).len()).sum();
    // Lines other than the table's rows: answer, doubts, the table's header, two closing lines, and blank lines.
    let beside = answer_lines + doubts.len() + 3 + 2 + usize::from(!doubts.is_empty());
    let shown = take_fitting(&entries_here, SCREEN.saturating_sub(beside).max(LEAST_ROWS));
    if !shown.is_empty() {
        page.blank()?;
        overview(page, shown, &judgement.caveats)?;
    }
    if !doubts.is_empty() {
        page.blank()?;
    }
    write_doubts(page, &doubts)?;
    page.blank()?;
    closing(page, record, entries_here.len() - shown.len())
}

/// Writes the most serious doubts, one line each, after a blank line; nothing without doubts.
pub(crate) fn gravest_doubts(page: &mut Page, caveats: &[Caveat]) -> io::Result<()> {
    let doubts = doubts(caveats, page.ink);
    if !doubts.is_empty() {
        page.blank()?;
    }
    write_doubts(page, &doubts)
}

fn write_doubts(page: &mut Page, doubts: &[(Option<Severity>, String)]) -> io::Result<()> {
    for (severity, text) in doubts {
        let (sign, paint) = severity.map_or(("", Paint::DIM), |s| (severity_sign(page, s), severity_paint(s)));
        let text = page.ink.clipped_at_word(text, page.ink.width.saturating_sub(3));
        page.line(Line::plain(" ").with(sign, paint.bold()).with(" ", Paint::PLAIN).with(text, Paint::PLAIN))?;
    }
    Ok(())
}

/// Returns as many entries as fit in `room` rows, including the rows of flushes.
fn take_fitting<'a, 'b>(all: &'b [Entry<'a>], room: usize) -> &'b [Entry<'a>] {
    let mut rows = 0;
    let fit = all.iter().take_while(|(_, level)| {
        rows += 1 + usize::from(level.flush.is_some());
        rows <= room
    });
    &all[..fit.count()]
}

/// Returns the most serious doubts, one sentence each, and the number of the others.
fn doubts(caveats: &[Caveat], ink: Ink) -> Vec<(Option<Severity>, String)> {
    let groups = grouped(caveats);
    let shown = if groups.len() > MOST_DOUBTS { MOST_DOUBTS - 1 } else { groups.len() };
    let mut lines: Vec<(Option<Severity>, String)> =
        groups.iter().take(shown).map(|g| (Some(g[0].severity), ink.translate(&g[0].statement))).collect();
    if groups.len() > shown {
        lines.push((None, ink.format(&message!("show-more-doubts", n = groups.len() - shown))));
    }
    lines
}

/// Writes the amount written, the elapsed time, and the command that shows the rest.
pub(crate) fn closing(page: &mut Page, record: &RunRecord, left: usize) -> io::Result<()> {
    let written = record.written();
    let of_disk = record.preflight.storage.share_of_disk(written);
    let (ink, time) = (page.ink, duration(record.ended));
    let took = match of_disk {
        _ if written.is_zero() => message!("show-took", time),
        None => message!("show-took-written", time, written),
        Some(share) => message!("show-took-of-disk", time, written, share),
    };
    page.labelled(ink.word("label-run"), Paint::DIM, &ink.format(&took), Paint::PLAIN)?;
    let command = format!("{} --full", again(record));
    let text = if left == 0 { command } else { ink.format(&message!("show-more-workloads", command, n = left)) };
    page.labelled(ink.word("label-all"), Paint::DIM, &text, Paint::PLAIN)
}
