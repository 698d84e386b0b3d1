//! One wave: a row for each kind of operation, the pauses of the wave, and the confidence interval of its rate.

use super::kind;
use crate::widgets::figures::{count, half_width, latency, percent};
use crate::widgets::ink::{Ink, clauses};
use crate::widgets::page::Page;
use crate::widgets::table::{Column, Table};
use crate::widgets::text::{Line, Paint};
use messages::{Sentence, sentence};
use model::{DatabaseUse, DbOperation, OpFigures, Percentile, WaveFigures, thousands};
use std::io;

/// Class (kind of run) whose updates create new nodes.
const INSERT: &str = "Insert";

pub(super) fn write(page: &mut Page, used: &DatabaseUse, wave: &WaveFigures) -> io::Result<()> {
    page.blank()?;
    let ink = page.ink;
    let workers = sentence!("dbview-workers", n = wave.processes);
    page.heading(&wave.class, &ink.list([workers, crate::duration(wave.time).into()]))?;
    let laid = table(ink, wave).lay(page.ink);
    page.lines(laid.lines)?;
    remarks(page, used, wave, &laid.dropped)
}

/// Returns a table with a row for each kind of operation.
pub(super) fn table(ink: Ink, wave: &WaveFigures) -> Table {
    let mut table = Table::new(columns(ink), 1);
    let raw = wave.hang.is_none() && wave.batch.is_none() && wave.updates.is_none();
    let word = |operation: DbOperation| match operation {
        DbOperation::Reads if raw || wave.engine_blocks => "dbview-blocks",
        DbOperation::Updates if wave.class == INSERT => "dbview-inserts",
        _ => kind(operation),
    };
    wave.kinds().for_each(|(operation, f)| table.row(row(ink.word(word(operation)), f)));
    table
}

/// Returns the columns for the figures of one kind of operation.
pub(super) fn columns(ink: Ink) -> Vec<Column> {
    vec![
        Column::left(""),
        Column::right(ink.word("head-count")).droppable(3),
        Column::right(ink.word("page-rate")),
        Column::right(ink.word("page-mean")),
        Column::right("p50").droppable(2),
        Column::right("p99"),
        Column::right("p99.9").droppable(1),
        Column::right(ink.word("page-maximum")),
    ]
}

/// Returns a row for [`columns`].
pub(super) fn row(name: &str, f: &OpFigures) -> Vec<Line> {
    let time = |n: Option<model::Nanos>| n.map_or_else(none, |n| latency(n, Paint::PLAIN));
    let at = |p: Percentile| time(p.value());
    vec![
        Line::new().with(name, Paint::BOLD),
        Line::plain(count(f.count)),
        f.rate.map_or_else(none, |rate| Line::new().with(thousands(rate.per_second()), Paint::BOLD)),
        time(f.mean),
        at(f.p50),
        at(f.p99),
        at(f.p999),
        time(f.max),
    ]
}

fn none() -> Line {
    Line::new().with("-  ", Paint::DIM)
}

fn remarks(page: &mut Page, used: &DatabaseUse, wave: &WaveFigures, dropped: &[&str]) -> io::Result<()> {
    let ink = page.ink;
    let mut write_remark = |text: Sentence| page.hanging(Line::plain(" "), 1, &ink.translate(text), Paint::DIM);
    if wave.reads.is_some() && wave.hang.is_none() {
        // Block size as given (`--block`), or a page.
        let block = wave.block.unwrap_or(used.page);
        write_remark(sentence!("dbview-blocks-read", block))?;
    }
    if wave.engine_blocks {
        let page = used.page;
        write_remark(match used.direct {
            true => sentence!("dbview-engine-blocks", page),
            false => sentence!("dbview-engine-blocks-cached", page),
        })?;
    }
    if let Some(batch) = wave.batch {
        let percent = wave.read_percent;
        let reads = (percent > 0).then(|| sentence!("dbview-batch-reads", percent));
        write_remark(clauses([sentence!("dbview-batch", batch)].into_iter().chain(reads)))?;
    }
    if let Some(arrivals) = &wave.arrivals {
        let rate = |rate: Option<model::Iops>| thousands(rate.map_or(0.0, model::Iops::per_second));
        let (asked, begun) = (rate(arrivals.asked.rate()), rate(arrivals.begun.rate));
        let law = match arrivals.asked {
            model::Pacing::Poisson(_) => sentence!("dbview-law-poisson"),
            _ => sentence!("dbview-law-fixed"),
        };
        let at = |p: Percentile| p.value().map_or_else(|| "-".to_owned(), |n| n.to_string());
        let (p50, p99) = (at(arrivals.begun.p50), at(arrivals.begun.p99));
        let longest = arrivals.begun.max.unwrap_or_default();
        write_remark(sentence!("dbview-arrivals", asked, law, begun, p50, p99, longest))?;
    }
    if let Some((asked, made)) = wave.hang.filter(|(asked, _)| !asked.is_zero()) {
        let share = percent(wave.idle);
        write_remark(sentence!("dbview-pause", asked, made, share))?;
    }
    if let Some(moved) = &wave.moved {
        write_remark(match wave.kinds().any(|(_, f)| f.rate.is_some()) {
            true => sentence!("dbview-moved", moved),
            false => sentence!("dbview-moved-no-rate", moved),
        })?;
    }
    match half_width(&wave.rate, ink) {
        Some(half) => {
            let rate = sentence!("dbview-rate", rate = thousands(wave.rate.value));
            write_remark(sentence!("sustained-interval", rate, half, n = wave.rate.n))?;
        }
        None if !wave.rate.ci_missing.is_empty() => {
            write_remark(sentence!("level-no-interval", why = &wave.rate.ci_missing))?;
        }
        None => {}
    }
    let figures = [&wave.reads, &wave.updates, &wave.commits, &wave.transactions];
    let few = figures.iter().filter_map(|f| f.as_ref()).any(|f| f.p999 == Percentile::TooFew);
    if few {
        write_remark(sentence!("dbview-few"))?;
    }
    if !dropped.is_empty() {
        write_remark(sentence!("no-room", heads = dropped.join(", ")))?;
    }
    Ok(())
}
