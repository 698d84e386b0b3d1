//! The history of a database as a table, and the results of queries on it.

use crate::Style;
use crate::document::{Block, Cell, Column, Table, Tone, Value, Word};
use crate::formats::perftools::{self, Batch};
use crate::formats::write_value;
use crate::kinds::list::ID_SHOWN;
use crate::render::terminal;
use crate::widgets::escape::quote_csv;
use crate::widgets::figures::trimmed;
use crate::widgets::ink::clauses;
use messages::sentence;
use model::RunState;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Number of batches that fit on a screen together with the table's header and legend.
const SHOWN: usize = 18;

/// Writes the batches of a database, oldest first, or a line saying that there are none. Without `full`, writes only
/// the newest batches.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_history(batches: &[Batch], full: bool, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let earlier = if full { 0 } else { batches.len().saturating_sub(SHOWN) };
    let rate = |has: bool, rate: f64| Cell::or_blank(has.then_some(Value::Number(rate)));
    let only = |applies: bool, value: Value| Cell::from(if applies { value } else { Value::Blank });
    let mut table = Table::builder("batches", &batches[earlier..])
        .column(Column::figure("batch", "dbview-head-batch"), |b| Cell::from(Value::Setting(b.number.into())).strong())
        .column(Column::text("run", "label-run").rank(4), |b| {
            Cell::from(Value::Name(b.run.chars().take(ID_SHOWN).collect())).tone(Tone::Dim)
        })
        .column(Column::text("date", "dbview-head-date").most(12), |b| Value::name(&b.date))
        .column(Column::text("time", "dbview-head-clock").most(8).rank(6), |b| Value::name(&b.time))
        .column(Column::text("test", "page-test").most(12), |b| Value::name(&b.class))
        .column(Column::figure("workers", "dbview-head-processes"), |b| Value::Setting(b.processes.into()))
        .column(Column::figure("reads", "dbview-head-reads"), |b| rate(b.reads.is_some(), b.reads_per_sec()))
        .column(Column::figure("writes", "dbview-head-writes"), |b| rate(b.updates.is_some(), b.writes_per_sec()))
        .column(Column::figure("mean_ns", "page-mean"), |b| b.waited().and_then(|f| f.mean))
        .column(Column::term("p99_ns", "p99"), |b| b.waited().and_then(|f| f.p99.value()))
        .column(Column::text("journal", "dbview-head-journal").rank(5), |b| {
            only(b.updates.is_some(), Value::word(if b.journal { "dbview-on" } else { "dbview-off" }))
        })
        .column(Column::text("commit", "dbview-head-commit").most(36).rank(7), |b| {
            only(b.updates.is_some(), Value::name(&b.commit))
        })
        .column(Column::text("state", ""), |b| {
            only(b.state != RunState::Complete, Value::word("dbview-partial")).tone(Tone::Doubt)
        })
        .build();
    table.indent = 0;
    let earlier = (earlier > 0).then(|| sentence!("dbview-history-earlier", n = earlier));
    table.remark(clauses([sentence!("dbview-history-legend")].into_iter().chain(earlier)));
    let block = match batches {
        [] => Block::text(sentence!("dbview-no-history")),
        _ => Block::Table(table),
    };
    terminal::blocks(&[block], style, out)
}

/// Result of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryAnswer {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows, with one cell for each column.
    pub rows: Vec<Vec<perftools::Cell>>,
}

/// Writes the result of a query as a table (`table`), as comma-separated values (`csv`) or as a JSON array of objects
/// (`json`).
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_history_answer(
    answer: &HistoryAnswer,
    format: &str,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        "csv" => comma(answer, out),
        "json" => objects(answer, out),
        _ => terminal::blocks(&[Block::Table(table(answer))], style, out),
    }
}

fn table(answer: &HistoryAnswer) -> Table {
    let is_figure = |i: usize| answer.rows.iter().all(|r| !matches!(r.get(i), Some(perftools::Cell::Text(_))));
    let column = |(i, name): (usize, &String)| {
        let head = Word::from(name.clone());
        if is_figure(i) { Column::figure("", head) } else { Column::text("", head) }
    };
    let mut table = Table::new("answer", answer.columns.iter().enumerate().map(column));
    table.indent = 0;
    for row in &answer.rows {
        table.row(row.iter().map(|cell| Value::Name(rounded(cell)).into()));
    }
    table.remark(sentence!("dbview-rows", n = answer.rows.len()));
    table
}

fn text(cell: &perftools::Cell) -> String {
    match cell {
        perftools::Cell::Null => String::new(),
        perftools::Cell::Integer(i) => i.to_string(),
        perftools::Cell::Real(r) => r.to_string(),
        perftools::Cell::Text(t) => t.clone(),
    }
}

/// Formats a cell for the screen with at most three decimals; the other formats keep all decimals.
fn rounded(cell: &perftools::Cell) -> String {
    match cell {
        perftools::Cell::Real(r) if r.is_finite() => trimmed(*r, 3),
        other => text(other),
    }
}

fn comma(answer: &HistoryAnswer, out: &mut dyn Write) -> io::Result<()> {
    let line = |fields: Vec<String>| fields.iter().map(|f| quote_csv(f)).collect::<Vec<_>>().join(",");
    writeln!(out, "{}", line(answer.columns.clone()))?;
    answer.rows.iter().try_for_each(|r| writeln!(out, "{}", line(r.iter().map(text).collect())))
}

fn objects(answer: &HistoryAnswer, out: &mut dyn Write) -> io::Result<()> {
    let rows = answer.rows.iter().map(|row| answer.columns.iter().zip(row).collect::<BTreeMap<_, _>>());
    write_value(&rows.collect::<Vec<_>>(), out)
}
