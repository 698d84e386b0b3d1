//! The history as SQL tables: PerfTools' classes with a row for each worker, and `run` with a row for each batch.

use super::{Batch, CLASSES, csv::state};
use model::{Nanos, OpFigures};

/// A value in a table.
#[derive(Debug, Clone, PartialEq)]
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

fn whole(n: impl Into<u64>) -> Cell {
    i64::try_from(n.into()).map_or(Cell::Null, Cell::Integer)
}

fn text(t: &str) -> Cell {
    Cell::Text(t.to_owned())
}

fn millis(n: Option<Nanos>) -> Cell {
    n.map_or(Cell::Null, |n| Cell::Real(n.millis()))
}

/// Returns the tables of a history. The three classes of PerfTools are always included; additional classes only if
/// there are runs of them.
#[must_use]
pub fn tables(batches: &[Batch]) -> Vec<Table> {
    let mut names: Vec<&str> = CLASSES.to_vec();
    for batch in batches {
        if !names.contains(&batch.class.as_str()) && batch.class.chars().all(|c| c.is_ascii_alphanumeric()) {
            names.push(&batch.class);
        }
    }
    let mut tables: Vec<Table> = names.into_iter().map(|name| class(name, batches)).collect();
    tables.push(run(batches));
    tables
}

fn class(name: &str, batches: &[Batch]) -> Table {
    let columns = vec![
        ("RunDate", "TEXT"),
        ("RunTime", "TEXT"),
        ("Batch", "INTEGER"),
        ("Database", "TEXT"),
        ("Namespace", "TEXT"),
        ("Processes", "INTEGER"),
        ("Job", "INTEGER"),
        ("Reads", "INTEGER"),
        ("Writes", "INTEGER"),
        ("ReadsPerSec", "REAL"),
        ("WritesPerSec", "REAL"),
        ("ProcTime", "REAL"),
        ("ReadPct", "INTEGER"),
        // Columns of older versions.
        ("Iterations", "INTEGER"),
        ("ResponseTime", "REAL"),
        ("IOPS", "REAL"),
    ];
    let rows_of = |b: &Batch| -> Vec<Vec<Cell>> {
        let row = |w: &super::Worker| {
            let done = w.reads + w.writes;
            let response = if done == 0 { Cell::Null } else { Cell::Real(w.proc_time.millis() / done as f64) };
            vec![
                text(&b.date),
                text(&b.time),
                whole(b.number),
                text(if w.database.is_empty() { &b.database } else { &w.database }),
                text(&b.namespace),
                whole(b.processes),
                whole(w.job),
                whole(w.reads),
                whole(w.writes),
                Cell::Real(w.reads_per_sec()),
                Cell::Real(w.writes_per_sec()),
                Cell::Real(w.proc_time.secs()),
                whole(u64::from(b.read_percent)),
                whole(done),
                response,
                Cell::Real(w.reads_per_sec() + w.writes_per_sec()),
            ]
        };
        b.workers.iter().map(row).collect()
    };
    Table {
        name: name.to_owned(),
        columns,
        rows: batches.iter().filter(|b| b.class == name).flat_map(rows_of).collect(),
    }
}

fn run(batches: &[Batch]) -> Table {
    let mut columns = vec![
        ("Batch", "INTEGER"),
        ("Run", "TEXT"),
        ("State", "TEXT"),
        ("Test", "TEXT"),
        ("RunDate", "TEXT"),
        ("RunTime", "TEXT"),
        ("Database", "TEXT"),
        ("Namespace", "TEXT"),
        ("Processes", "INTEGER"),
        ("ReadPct", "INTEGER"),
        ("ReadsPerSec", "REAL"),
        ("WritesPerSec", "REAL"),
        ("Engine", "TEXT"),
        ("JournalMode", "TEXT"),
        ("CommitMode", "TEXT"),
        ("DirectIO", "INTEGER"),
        ("DataBytes", "INTEGER"),
        ("CacheBytes", "INTEGER"),
    ];
    columns.extend([
        ("ReadMeanMs", "REAL"),
        ("ReadP50Ms", "REAL"),
        ("ReadP99Ms", "REAL"),
        ("ReadMaxMs", "REAL"),
        ("UpdateMeanMs", "REAL"),
        ("UpdateP50Ms", "REAL"),
        ("UpdateP99Ms", "REAL"),
        ("UpdateMaxMs", "REAL"),
        ("TxMeanMs", "REAL"),
        ("TxP50Ms", "REAL"),
        ("TxP99Ms", "REAL"),
        ("TxMaxMs", "REAL"),
        ("CommitMeanMs", "REAL"),
        ("CommitP50Ms", "REAL"),
        ("CommitP99Ms", "REAL"),
        ("CommitMaxMs", "REAL"),
        ("EngReads", "INTEGER"),
        ("EngWrites", "INTEGER"),
        ("DevReads", "INTEGER"),
        ("DevWrites", "INTEGER"),
        ("DevFlush", "INTEGER"),
    ]);
    Table { name: "run".into(), columns, rows: batches.iter().map(run_row).collect() }
}

fn run_row(b: &Batch) -> Vec<Cell> {
    let mut row = vec![
        whole(b.number),
        text(&b.run),
        text(state(b)),
        text(&b.class),
        text(&b.date),
        text(&b.time),
        text(&b.database),
        text(&b.namespace),
        whole(b.processes),
        whole(u64::from(b.read_percent)),
        Cell::Real(b.reads_per_sec()),
        Cell::Real(b.writes_per_sec()),
        text(&b.engine),
        text(if b.journal { "on" } else { "off" }),
        text(&b.commit),
        whole(u64::from(b.direct)),
        whole(b.data.as_u64()),
        whole(b.cache.as_u64()),
    ];
    let four = |f: &Option<OpFigures>| {
        let f = f.as_ref();
        [f.and_then(|f| f.mean), f.and_then(|f| f.p50.value()), f.and_then(|f| f.p99.value()), f.and_then(|f| f.max)]
            .map(millis)
    };
    row.extend([&b.reads, &b.updates, &b.transactions, &b.commits].into_iter().flat_map(four));
    let p = &b.physical;
    let counts = [p.engine_reads, p.engine_writes, p.device_reads, p.device_writes, p.device_flushes];
    row.extend(counts.map(|c| c.map_or(Cell::Null, whole)));
    row
}
