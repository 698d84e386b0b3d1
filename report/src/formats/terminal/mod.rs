//! The result screen: findings first, then their reliability, then the figures on which they are based.
//!
//! Order: `VERDICT`, `NEED`, `TRUST`; probes; ramps, each with charts and its binding limit; sweeps over block sizes;
//! single levels; findings; the environment; the command that shows the run again.

mod brief;
mod closing;
mod head;
mod levels;
mod pattern;
mod sweep;

pub(crate) use brief::label as answer_label;
pub(crate) use brief::{SCREEN, answer as answer_lines, closing as brief_closing, gravest_doubts};
#[cfg(feature = "html")]
pub(crate) use closing::state;
#[cfg(feature = "html")]
pub(crate) use closing::{again, tool};
pub(crate) use closing::{cache, findings, host as host_line, measured_on, typed};
pub(crate) use head::{needs, outcome_paint, partial, write as head};
pub(crate) use levels::op_name;
pub(crate) use pattern::{latency_tick, latency_title, pair, rate_tick};

use super::run::{Format, ReportedRun, WriteComparison};
use crate::Style;
use crate::screens::{comparison, runs};
use crate::widgets::page::Page;
use model::{Judgement, KindFigures, RunRecord, StageRole};
use std::borrow::Cow;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    name: "terminal",
    aliases: &[],
    help: "Text, as on the screen",
    endings: &["txt"],
    several: false,
    is_screen: true,
    write,
    write_comparison: WriteComparison::Figures(comparison::write_comparison),
};

fn write(all: &[ReportedRun<'_>], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    all.iter().try_for_each(|r| runs::write_labels(r.labels, style, out))?;
    all.iter().try_for_each(|r| write_terminal(r.record, r.judgement, style, out))
}

/// Writes the answer of a run on one screen; for metadata, durability and watch runs, the whole report.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_answer(record: &RunRecord, judgement: &Judgement, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    match judgement.figures {
        Some(KindFigures::Database(_)) => super::database::write_brief(record, judgement, style, out),
        Some(KindFigures::Metadata(_) | KindFigures::Durability(_) | KindFigures::Watch(_)) => {
            write_terminal(record, judgement, style, out)
        }
        None => brief::write(&mut Page::new(style, out), &record.joint(), judgement),
    }
}

/// Writes every figure of a run.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_terminal(record: &RunRecord, judgement: &Judgement, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    match &judgement.figures {
        Some(KindFigures::Database(_)) => return super::database::write(record, judgement, false, style, out),
        Some(KindFigures::Metadata(figures)) => {
            return super::metadata::write(record, judgement, figures, style, out);
        }
        Some(KindFigures::Durability(figures)) => {
            return super::durability::write(record, judgement, figures, style, out);
        }
        Some(KindFigures::Watch(_)) => return super::watch::write(record, judgement, style, out),
        None => {}
    }
    // The judgement refers to the steps of all targets combined.
    let traced = record;
    let joint = record.joint();
    let record: &RunRecord = &joint;
    let mut page = Page::new(style, out);
    if !judgement.answer.lines.is_empty() {
        brief::answer(&mut page, &judgement.answer)?;
        page.blank()?;
    }
    head::write(&mut page, record, judgement)?;
    let having_role = |role: StageRole| judgement.patterns.iter().filter(move |p| p.role == role).collect::<Vec<_>>();
    pattern::singles(&mut page, "show-probes", &having_role(StageRole::Probe), &judgement.caveats)?;
    for ramp in having_role(StageRole::Ramp) {
        pattern::ramp(&mut page, ramp, &judgement.caveats)?;
    }
    sweep::write(&mut page, record, judgement)?;
    pattern::singles(&mut page, "show-as-given", &having_role(StageRole::Fixed), &judgement.caveats)?;
    super::traced::write(&mut page, traced, &judgement.layers)?;
    closing::write(&mut page, record, judgement)?;
    // A long screen repeats the answer at the end.
    if judgement.answer.lines.is_empty() {
        return Ok(());
    }
    page.blank()?;
    page.heading(page.ink.word("show-answer"), "")?;
    brief::answer(&mut page, &judgement.answer)
}

/// Writes needs and doubts of a run, without its figures.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_judged(record: &RunRecord, judgement: &Judgement, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    // The judgement of a database refers to steps of its processes.
    let loads = if judgement.database().is_some() { Cow::Borrowed(record) } else { record.joint() };
    head::judged(&mut Page::new(style, out), &loads, judgement)
}

#[cfg(test)]
pub(crate) mod tests;
