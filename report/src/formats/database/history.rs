//! The history of a database as a table, and the results of queries on it.

use crate::Style;
use crate::formats::perftools::{Batch, Cell};
use crate::formats::write_document;
use crate::widgets::figures::latency;
use crate::widgets::ink::clauses;
use crate::widgets::page::Page;
use crate::widgets::table::{Align, Column, Table};
use crate::widgets::text::{Hue, Line, Paint};
use messages::{message, sentence};
use model::{RunState, thousands};
use std::io::{self, Write};

/// Number of characters shown of a run's ID; enough to identify it.
const ID_SHOWN: usize = 8;

/// Number of batches that fit on a screen together with the table's header and legend.
const SHOWN: usize = 18;

/// Writes the batches of a database, oldest first, or a line saying that there are none. Without `full`, writes only
/// the newest batches.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_history(batches: &[Batch], full: bool, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(style, out);
    if batches.is_empty() {
        return page.line(Line::plain(page.ink.word("dbview-no-history")));
    }
    let ink = page.ink;
    let earlier = if full { 0 } else { batches.len().saturating_sub(SHOWN) };
    let mut table = Table::new(
        vec![
            Column::right(ink.word("dbview-head-batch")),
            Column::left(ink.word("label-run")).droppable(4),
            Column::left(ink.word("dbview-head-date")),
            Column::left(ink.word("dbview-head-clock")).droppable(6),
            Column::left(ink.word("page-test")),
            Column::right(ink.word("dbview-head-processes")),
            Column::right(ink.word("dbview-head-reads")),
            Column::right(ink.word("dbview-head-writes")),
            Column::right(ink.word("page-mean")),
            Column::right("p99"),
            Column::left(ink.word("dbview-head-journal")).droppable(5),
            Column::left(ink.word("dbview-head-commit")).droppable(7),
            Column::left(""),
        ],
        0,
    );
    for b in &batches[earlier..] {
        let rate = |has: bool, rate: f64| if has { Line::plain(thousands(rate)) } else { Line::new() };
        let time = |n: Option<model::Nanos>| {
            n.map_or_else(|| Line::new().with("-  ", Paint::DIM), |n| latency(n, Paint::PLAIN))
        };
        let writes = b.updates.is_some();
        let state = if b.state == RunState::Complete { "" } else { ink.word("dbview-partial") };
        table.row(vec![
            Line::new().with(b.number.to_string(), Paint::BOLD),
            Line::new().with(b.run.chars().take(ID_SHOWN).collect::<String>(), Paint::DIM),
            Line::plain(ink.clipped(&b.date, 12)),
            Line::plain(ink.clipped(&b.time, 8)),
            Line::plain(ink.clipped(&b.class, 12)),
            Line::plain(b.processes.to_string()),
            rate(b.reads.is_some(), b.reads_per_sec()),
            rate(writes, b.writes_per_sec()),
            time(b.waited().and_then(|f| f.mean)),
            time(b.waited().and_then(|f| f.p99.value())),
            Line::plain(if !writes {
                ""
            } else if b.journal {
                ink.word("dbview-on")
            } else {
                ink.word("dbview-off")
            }),
            Line::plain(if writes { ink.clipped(&b.commit, 36) } else { String::new() }),
            Line::new().with(state, Paint::new(Hue::Doubt)),
        ]);
    }
    let laid = table.lay(ink);
    page.lines(laid.lines)?;
    let mut legend = vec![sentence!("dbview-history-legend")];
    legend.extend((earlier > 0).then(|| sentence!("dbview-history-earlier", n = earlier)));
    legend.extend((!laid.dropped.is_empty()).then(|| sentence!("no-room", heads = laid.dropped.join(", "))));
    page.hanging(Line::new(), 0, &ink.translate(clauses(legend)), Paint::DIM)
}

/// Result of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows, with one cell for each column.
    pub rows: Vec<Vec<Cell>>,
}

/// Writes the result of a query as a table (`table`), as comma-separated values (`csv`) or as a JSON array of objects
/// (`json`).
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_answer(answer: &Answer, format: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    match format {
        "csv" => comma(answer, out),
        "json" => objects(answer, out),
        _ => lines(answer, style, out),
    }
}

fn text(cell: &Cell) -> String {
    match cell {
        Cell::Null => String::new(),
        Cell::Integer(i) => i.to_string(),
        Cell::Real(r) => r.to_string(),
        Cell::Text(t) => t.clone(),
    }
}

fn lines(answer: &Answer, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(style, out);
    let ink = page.ink;
    let figures = |i: usize| answer.rows.iter().all(|r| !matches!(r.get(i), Some(Cell::Text(_))));
    let align = |i: usize| if figures(i) { Align::Right } else { Align::Left };
    // The headers are cells of the first row, because their names are known only at run time.
    let column = |i: usize| Column { head: "", align: align(i), drop: 0, is_reported: true };
    let mut table = Table::new((0..answer.columns.len()).map(column).collect(), 0);
    table.row(answer.columns.iter().map(|c| Line::new().with(ink.text(c), Paint::DIM)).collect());
    for row in &answer.rows {
        table.row(row.iter().map(|c| Line::plain(ink.text(&format_cell(c)))).collect());
    }
    let laid = table.lay(ink);
    page.lines(laid.lines)?;
    let rows = ink.format(&message!("dbview-rows", n = answer.rows.len()));
    page.line(Line::new().with(rows, Paint::DIM))
}

/// Formats a cell for the screen with at most three decimals; the other formats keep all decimals.
fn format_cell(cell: &Cell) -> String {
    match cell {
        Cell::Real(r) if r.is_finite() => {
            let text = format!("{r:.3}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        other => text(other),
    }
}

fn comma(answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    use crate::widgets::escape::quote_csv;
    let line = |fields: Vec<String>| fields.iter().map(|f| quote_csv(f)).collect::<Vec<_>>().join(",");
    writeln!(out, "{}", line(answer.columns.clone()))?;
    answer.rows.iter().try_for_each(|r| writeln!(out, "{}", line(r.iter().map(text).collect())))
}

fn objects(answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    let value = |c: &Cell| match c {
        Cell::Null => serde_json::Value::Null,
        Cell::Integer(i) => (*i).into(),
        Cell::Real(r) => (*r).into(),
        Cell::Text(t) => t.clone().into(),
    };
    let object = |row: &Vec<Cell>| -> serde_json::Map<String, serde_json::Value> {
        answer.columns.iter().cloned().zip(row.iter().map(value)).collect()
    };
    write_document(&answer.rows.iter().map(object).collect::<Vec<_>>(), out)
}
