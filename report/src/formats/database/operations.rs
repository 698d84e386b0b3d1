//! One wave: a row for each kind of operation, its pause, and how well its rate is known.

use crate::figures::{count, half_width, latency, percent};
use crate::page::Page;
use crate::table::{Column, Table};
use crate::text::{Line, Paint};
use model::{DatabaseUse, OpFigures, Percentile, WaveFigures, thousands};
use std::io;

pub(super) fn write(page: &mut Page, used: &DatabaseUse, wave: &WaveFigures) -> io::Result<()> {
    page.blank()?;
    let workers = if wave.processes == 1 { "1 worker".to_owned() } else { format!("{} workers", wave.processes) };
    page.heading(&wave.class, &format!("{workers}, {}", crate::duration(wave.time)))?;
    let mut table = Table::new(columns(), 1);
    let raw = wave.hang.is_none() && wave.batch.is_none() && wave.updates.is_none();
    let reads = if raw || wave.engine_blocks { "blocks" } else { "reads" };
    wave.kinds().for_each(|(name, f)| table.row(row(if name == "reads" { reads } else { name }, f)));
    let laid = table.lay(page.ink);
    page.lines(laid.lines)?;
    remarks(page, used, wave, &laid.dropped)
}

/// Columns of figures of one kind of operation.
pub(super) fn columns() -> Vec<Column> {
    vec![
        Column::left(""),
        Column::right("count").droppable(3),
        Column::right("a second"),
        Column::right("mean"),
        Column::right("p50").droppable(2),
        Column::right("p99"),
        Column::right("p99.9").droppable(1),
        Column::right("max"),
    ]
}

/// A row of them.
pub(super) fn row(name: &str, f: &OpFigures) -> Vec<Line> {
    let time = |n: Option<model::Nanos>| n.map_or_else(none, |n| latency(n, Paint::PLAIN));
    let at = |p: Percentile| time(p.value());
    vec![
        Line::new().with(name, Paint::BOLD),
        Line::plain(count(f.count)),
        f.rate.map_or_else(none, |rate| Line::new().with(thousands(rate.0), Paint::BOLD)),
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
    let mut say = |text: &str| page.hanging(Line::plain(" "), 1, text, Paint::DIM);
    if wave.reads.is_some() && wave.hang.is_none() {
        // Asked for by itself (--block), or a page; runs of older versions do not tell.
        let block = wave.block.unwrap_or(used.page);
        say(&format!("blocks of {block} read from the database's own files, past every cache"))?;
    }
    if wave.engine_blocks {
        let past = if used.direct { "past the page cache and its own" } else { "through the page cache" };
        say(&format!(
            "blocks of {} read by the engine's own block read, {past}; its counters may leave them out",
            used.page
        ))?;
    }
    if let Some(batch) = wave.batch {
        let reads = match wave.read_percent {
            0 => String::new(),
            p => format!("; {p} % of the batches read"),
        };
        say(&format!("transactions of {batch} updates, each from before it begins to after its commit{reads}"))?;
    }
    if let Some((asked, made)) = wave.hang.filter(|(asked, _)| asked.0 > 0) {
        let share = percent(wave.idle);
        say(&format!("pause of {asked} asked after each batch, {made} made: {share} of the time, in no latency"))?;
    }
    if let Some(moved) = &wave.moved {
        let settled = wave.kinds().any(|(_, f)| f.rate.is_some());
        let which = if settled { "figures are those of the last level" } else { "there is no one rate" };
        page.hanging(Line::plain(" "), 1, &format!("changed level: {moved}; {which}"), Paint::DIM)?;
    }
    match half_width(&wave.rate, page.ink) {
        Some(half) => {
            let text = format!(
                "{} operations/s {half} (95 % CI within this run, {} windows)",
                thousands(wave.rate.value),
                wave.rate.n
            );
            page.hanging(Line::plain(" "), 1, &text, Paint::DIM)?;
        }
        None if !wave.rate.ci_missing.is_empty() => {
            page.hanging(Line::plain(" "), 1, &format!("no interval: {}", wave.rate.ci_missing), Paint::DIM)?;
        }
        None => {}
    }
    let figures = [&wave.reads, &wave.updates, &wave.commits, &wave.transactions];
    let few = figures.iter().filter_map(|f| f.as_ref()).any(|f| f.p999 == Percentile::TooFew);
    if few {
        page.hanging(Line::plain(" "), 1, "-: fewer than 10 operations beyond it", Paint::DIM)?;
    }
    if !dropped.is_empty() {
        page.hanging(Line::plain(" "), 1, &format!("no room for: {}", dropped.join(", ")), Paint::DIM)?;
    }
    Ok(())
}
