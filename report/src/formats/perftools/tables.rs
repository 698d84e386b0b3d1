//! The history as SQL tables: PerfTools' classes with a row for each worker, and `run` with a row for each batch.

use super::{Batch, CLASSES, Worker};
use crate::grouping::distinct;
use crate::kinds::words::state_name;
use model::{Nanos, judged::OpFigures};
use serde::Serialize;

/// A value in a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// An unknown value.
    Null,
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Real(f64),
    /// Text.
    Text(String),
}

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Name of the table.
    pub name: String,
    /// Columns, each with its SQL type.
    pub columns: Vec<(&'static str, &'static str)>,
    /// Rows, with one cell for each column.
    pub rows: Vec<Vec<Cell>>,
}

/// A column: its name, its SQL type and its value in a row.
type Column<T> = (&'static str, &'static str, fn(&T) -> Cell);

const RUN: [Column<Batch>; 39] = [
    ("Batch", "INTEGER", |b| whole(b.number)),
    ("Run", "TEXT", |b| text(&b.run)),
    ("State", "TEXT", |b| text(state_name(b.state))),
    ("Test", "TEXT", |b| text(&b.class)),
    ("RunDate", "TEXT", |b| text(&b.date)),
    ("RunTime", "TEXT", |b| text(&b.time)),
    ("Database", "TEXT", |b| text(&b.database)),
    ("Namespace", "TEXT", |b| text(&b.namespace)),
    ("Processes", "INTEGER", |b| whole(b.processes)),
    ("ReadPct", "INTEGER", |b| whole(b.read_percent)),
    ("ReadsPerSec", "REAL", |b| Cell::Real(b.reads_per_sec())),
    ("WritesPerSec", "REAL", |b| Cell::Real(b.writes_per_sec())),
    ("Engine", "TEXT", |b| text(&b.engine)),
    ("JournalMode", "TEXT", |b| text(if b.journal { "on" } else { "off" })),
    ("CommitMode", "TEXT", |b| text(&b.commit)),
    ("DirectIO", "INTEGER", |b| whole(b.direct)),
    ("DataBytes", "INTEGER", |b| whole(b.data.as_u64())),
    ("CacheBytes", "INTEGER", |b| whole(b.cache.as_u64())),
    ("ReadMeanMs", "REAL", |b| millis(&b.reads, |f| f.mean)),
    ("ReadP50Ms", "REAL", |b| millis(&b.reads, |f| f.p50.value())),
    ("ReadP99Ms", "REAL", |b| millis(&b.reads, |f| f.p99.value())),
    ("ReadMaxMs", "REAL", |b| millis(&b.reads, |f| f.max)),
    ("UpdateMeanMs", "REAL", |b| millis(&b.updates, |f| f.mean)),
    ("UpdateP50Ms", "REAL", |b| millis(&b.updates, |f| f.p50.value())),
    ("UpdateP99Ms", "REAL", |b| millis(&b.updates, |f| f.p99.value())),
    ("UpdateMaxMs", "REAL", |b| millis(&b.updates, |f| f.max)),
    ("TxMeanMs", "REAL", |b| millis(&b.transactions, |f| f.mean)),
    ("TxP50Ms", "REAL", |b| millis(&b.transactions, |f| f.p50.value())),
    ("TxP99Ms", "REAL", |b| millis(&b.transactions, |f| f.p99.value())),
    ("TxMaxMs", "REAL", |b| millis(&b.transactions, |f| f.max)),
    ("CommitMeanMs", "REAL", |b| millis(&b.commits, |f| f.mean)),
    ("CommitP50Ms", "REAL", |b| millis(&b.commits, |f| f.p50.value())),
    ("CommitP99Ms", "REAL", |b| millis(&b.commits, |f| f.p99.value())),
    ("CommitMaxMs", "REAL", |b| millis(&b.commits, |f| f.max)),
    ("EngReads", "INTEGER", |b| count(b.physical.engine_reads)),
    ("EngWrites", "INTEGER", |b| count(b.physical.engine_writes)),
    ("DevReads", "INTEGER", |b| count(b.physical.device_reads)),
    ("DevWrites", "INTEGER", |b| count(b.physical.device_writes)),
    ("DevFlush", "INTEGER", |b| count(b.physical.device_flushes)),
];

fn whole(n: impl Into<u64>) -> Cell {
    i64::try_from(n.into()).map_or(Cell::Null, Cell::Integer)
}

fn count(n: Option<u64>) -> Cell {
    n.map_or(Cell::Null, whole)
}

fn text(t: &str) -> Cell {
    Cell::Text(t.to_owned())
}

fn millis(figures: &Option<OpFigures>, time: fn(&OpFigures) -> Option<Nanos>) -> Cell {
    figures.as_ref().and_then(time).map_or(Cell::Null, |n| Cell::Real(n.millis()))
}

/// Returns the tables of a history. The three classes of PerfTools are always included; additional classes only if
/// there are runs of them.
#[must_use]
pub fn tables(batches: &[Batch]) -> Vec<Table> {
    let used = batches.iter().map(|batch| batch.class.as_str());
    let names = CLASSES.into_iter().chain(used.filter(|class| class.chars().all(|c| c.is_ascii_alphanumeric())));
    let classes = distinct(names).into_iter().map(|name| class(name, batches));
    classes.chain([table("run", &RUN, batches.iter())]).collect()
}

fn table<'a, T: 'a>(name: &str, columns: &[Column<T>], rows: impl Iterator<Item = &'a T>) -> Table {
    Table {
        name: name.to_owned(),
        columns: columns.iter().map(|(name, sql, _)| (*name, *sql)).collect(),
        rows: rows.map(|row| columns.iter().map(|(_, _, value)| value(row)).collect()).collect(),
    }
}

fn class(name: &str, batches: &[Batch]) -> Table {
    let columns: [Column<(&Batch, &Worker)>; 16] = [
        ("RunDate", "TEXT", |(b, _)| text(&b.date)),
        ("RunTime", "TEXT", |(b, _)| text(&b.time)),
        ("Batch", "INTEGER", |(b, _)| whole(b.number)),
        ("Database", "TEXT", |(b, w)| text(if w.database.is_empty() { &b.database } else { &w.database })),
        ("Namespace", "TEXT", |(b, _)| text(&b.namespace)),
        ("Processes", "INTEGER", |(b, _)| whole(b.processes)),
        ("Job", "INTEGER", |(_, w)| whole(w.job)),
        ("Reads", "INTEGER", |(_, w)| whole(w.reads)),
        ("Writes", "INTEGER", |(_, w)| whole(w.writes)),
        ("ReadsPerSec", "REAL", |(_, w)| Cell::Real(w.reads_per_sec())),
        ("WritesPerSec", "REAL", |(_, w)| Cell::Real(w.writes_per_sec())),
        ("ProcTime", "REAL", |(_, w)| Cell::Real(w.proc_time.secs())),
        ("ReadPct", "INTEGER", |(b, _)| whole(b.read_percent)),
        // Columns of older versions.
        ("Iterations", "INTEGER", |(_, w)| whole(w.done())),
        ("ResponseTime", "REAL", |(_, w)| match w.done() {
            0 => Cell::Null,
            done => Cell::Real(w.proc_time.millis() / done as f64),
        }),
        ("IOPS", "REAL", |(_, w)| Cell::Real(w.reads_per_sec() + w.writes_per_sec())),
    ];
    let batches = batches.iter().filter(|b| b.class == name);
    let rows: Vec<(&Batch, &Worker)> = batches.flat_map(|b| b.workers.iter().map(move |w| (b, w))).collect();
    table(name, &columns, rows.iter())
}
