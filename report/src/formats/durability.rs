//! Ways to make writes durable on a screen: promises first, then the layers below, then a row for each way that was tried.

use super::{head, measured_on};
use crate::Style;
use crate::widgets::figures::{count, latency};
use crate::widgets::ink::Ink;
use crate::widgets::page::Page;
use crate::widgets::table::{Column, Table};
use crate::widgets::text::{Hue, Line, Paint, width};
use model::{
    CommitAtDevice, CommitFigures, DurabilityFigures, Judgement, Nanos, PromiseFinding, PromiseStanding, RunRecord,
    Sentence, thousands,
};
use std::io::{self, Write};

/// Writes the screen of such a run.
///
/// # Errors
/// Those of `out`.
pub(super) fn write(
    record: &RunRecord,
    judgement: &Judgement,
    figures: &DurabilityFigures,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = &mut Page::new(style, out);
    head(page, record, judgement)?;
    page.blank()?;
    page.heading(page.ink.word("durable-title"), "")?;
    promises(page, figures)?;
    page.blank()?;
    page.heading(page.ink.word("durable-title-layers"), "")?;
    layers(page, figures)?;
    page.blank()?;
    page.heading(page.ink.word("durable-title-commits"), &at_device(figures))?;
    commits(page, figures)?;
    if figures.commits.iter().any(|of| of.rule.apart) {
        page.blank()?;
        page.heading(page.ink.word("durable-title-sync"), "")?;
        syncs(page, figures)?;
    }
    measured_on(page, record, judgement)
}

/// The device whose flushes stand in the tables: the lowest that was counted.
fn at_device(figures: &DurabilityFigures) -> String {
    lowest(figures).map_or_else(String::new, |name| name.to_owned())
}

fn lowest(figures: &DurabilityFigures) -> Option<&str> {
    let counted = |name: &str| figures.commits.iter().any(|of| of.devices.iter().any(|at| at.name == name));
    figures.layers.iter().rev().map(|layer| layer.name.as_str()).find(|name| counted(name))
}

/// What of a way reached the lowest device.
pub(super) fn at_lowest<'f>(figures: &'f DurabilityFigures, of: &'f CommitFigures) -> Option<&'f CommitAtDevice> {
    let name = lowest(figures)?;
    of.devices.iter().find(|at| at.name == name)
}

/// So many for each commit; two decimals.
pub(super) fn each(n: u64, of: &CommitFigures) -> String {
    format!("{:.2}", n as f64 / of.commits.max(1) as f64)
}

/// All that a standing rests on, as one text.
pub(super) fn evidence(of: &PromiseFinding) -> Sentence {
    Sentence::join(of.evidence.iter().cloned(), "; ")
}

fn paint(standing: &PromiseStanding) -> Paint {
    match standing {
        PromiseStanding::Kept { .. } => Paint::new(Hue::Pass),
        PromiseStanding::Broken { .. } => Paint::new(Hue::Fail).bold(),
        PromiseStanding::Doubtful { .. } | PromiseStanding::Unseen | PromiseStanding::Refused => Paint::new(Hue::Doubt),
    }
}

fn promises(page: &mut Page, figures: &DurabilityFigures) -> io::Result<()> {
    let ink = page.ink;
    let names = figures.promises.iter().map(|of| width(of.method.name())).max().unwrap_or(0);
    let words = figures.promises.iter().map(|of| width(ink.word(of.standing.message()))).max().unwrap_or(0);
    for of in &figures.promises {
        let mut lead = Line::plain(format!("  {}", of.method.name()));
        lead.pad_to(2 + names + 2);
        lead.push(ink.word(of.standing.message()), paint(&of.standing));
        lead.pad_to(2 + names + 2 + words + 2);
        page.hanging(lead, 2 + names + 2 + words + 2, &ink.translate(&evidence(of)), Paint::PLAIN)?;
    }
    Ok(())
}

fn layers(page: &mut Page, figures: &DurabilityFigures) -> io::Result<()> {
    let ink = page.ink;
    let columns = ["durable-head-layer", "durable-head-kind", "durable-head-cache", "durable-head-note"];
    let mut table = Table::new(columns.map(|id| Column::left(ink.word(id))).into(), 1);
    for layer in &figures.layers {
        let note = ink.translate(&layer.note);
        table.row([layer.name.clone(), layer.kind.clone(), layer.write_cache.clone(), note].map(Line::plain).into());
    }
    table.write(page)
}

/// The heads of the ways that were tried.
pub(super) const HEADS: [&str; 7] = [
    "durable-head-method",
    "durable-head-rate",
    "page-mean",
    "page-maximum",
    "durable-head-flushes",
    "durable-head-forced",
    "durable-head-flush",
];

fn commits(page: &mut Page, figures: &DurabilityFigures) -> io::Result<()> {
    let ink = page.ink;
    let [method, rate, mean, max, flushes, forced, flush] = HEADS.map(|id| ink.word(id));
    let columns = vec![
        Column::left(method),
        Column::right(rate),
        Column::right(mean),
        Column::right("p50").droppable(3),
        Column::right("p99"),
        Column::right("p99.9").droppable(2),
        Column::right(max).droppable(4),
        Column::right(flushes),
        Column::right(forced).droppable(1),
        Column::right(flush).droppable(1),
    ];
    let mut table = Table::new(columns, 1);
    for of in figures.commits.iter().filter(|of| !of.rule.apart) {
        let at = at_lowest(figures, of);
        let mut cells = vec![Line::plain(of.rule.to_string()), Line::plain(thousands(of.rate.per_second()))];
        cells.extend(times(of));
        cells.push(Line::plain(at.map_or_else(|| "-".to_owned(), |at| each(at.flushes, of))));
        let forced = at.filter(|at| at.traced).map_or_else(|| "-".to_owned(), |at| each(at.forced, of));
        cells.push(Line::plain(forced));
        cells.push(time(at.and_then(|at| at.flush_p50)));
        table.row(cells);
    }
    table.write(page)
}

fn time(of: Option<Nanos>) -> Line {
    of.map_or_else(|| Line::plain("-"), |t| latency(t, Paint::PLAIN))
}

fn times(of: &CommitFigures) -> [Line; 5] {
    [of.mean, of.p50.value(), of.p99.value(), of.p999.value(), of.max].map(time)
}

fn syncs(page: &mut Page, figures: &DurabilityFigures) -> io::Result<()> {
    let ink: Ink = page.ink;
    let columns = vec![
        Column::right(ink.word("durable-head-dirty")),
        Column::right(ink.word("durable-head-syncs")),
        Column::right(ink.word("page-mean")),
        Column::right("p50"),
        Column::right("p99"),
        Column::right("p99.9"),
        Column::right(ink.word("page-maximum")),
    ];
    let mut table = Table::new(columns, 1);
    for of in figures.commits.iter().filter(|of| of.rule.apart) {
        let mut cells = vec![Line::plain(of.rule.bytes().to_string()), Line::plain(count(of.commits))];
        cells.extend(times(of));
        table.row(cells);
    }
    table.write(page)
}
