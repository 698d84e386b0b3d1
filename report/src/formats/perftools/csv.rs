//! secchi's own table: PerfTools' columns in their order, followed by further columns. Columns have the same meaning
//! for every class, standard deviations are sample standard deviations, and no comma follows the last field (RFC 4180).

use super::number::{canonical, sample_deviation};
use super::{Batch, Worker};
use crate::kinds::words::state_name;
use crate::widgets::escape::quote_csv;
use model::{Bytes, judged::OpFigures, measured::Percentile};
use std::io::{self, Write};

/// Name of a column, and its value in a row.
type Column = (&'static str, fn(&Batch) -> String);

/// Columns, PerfTools' own first.
const COLUMNS: [Column; 33] = [
    ("RunDate", |b| b.date.clone()),
    ("RunTime", |b| b.time.clone()),
    ("Database", |b| b.database.clone()),
    ("Namespace", |b| b.namespace.clone()),
    ("Reads", |b| b.workers.iter().map(|w| w.reads).sum::<u64>().to_string()),
    ("Writes", |b| b.workers.iter().map(|w| w.writes).sum::<u64>().to_string()),
    ("ReadsPS", |b| number(b.reads_per_sec(), 1)),
    ("WritesPS", |b| number(b.writes_per_sec(), 1)),
    ("StdDevR", |b| spread(b, |w| w.reads)),
    ("StdDevW", |b| spread(b, |w| w.writes)),
    ("Processes", |b| b.processes.to_string()),
    ("ReadPct", |b| b.read_percent.to_string()),
    ("Engine", |b| b.engine.clone()),
    ("JournalMode", |b| if b.journal { "on" } else { "off" }.to_owned()),
    ("CommitMode", |b| b.commit.clone()),
    ("DirectIO", |b| if b.direct { "yes" } else { "no" }.to_owned()),
    ("DataMB", |b| megabytes(b.data)),
    ("CacheMB", |b| megabytes(b.cache)),
    ("TxP50us", |b| micros(b.transactions.as_ref(), |f| f.p50)),
    ("TxP99us", |b| micros(b.transactions.as_ref(), |f| f.p99)),
    ("CommitP50us", |b| micros(b.commits.as_ref(), |f| f.p50)),
    ("CommitP99us", |b| micros(b.commits.as_ref(), |f| f.p99)),
    ("OpP50us", |b| micros(b.reads.as_ref().or(b.updates.as_ref()), |f| f.p50)),
    ("OpP99us", |b| micros(b.reads.as_ref().or(b.updates.as_ref()), |f| f.p99)),
    ("EngReads", |b| count(b.physical.engine_reads)),
    ("EngWrites", |b| count(b.physical.engine_writes)),
    ("DevReads", |b| count(b.physical.device_reads)),
    ("DevWrites", |b| count(b.physical.device_writes)),
    ("DevFlush", |b| count(b.physical.device_flushes)),
    ("Test", |b| b.class.clone()),
    ("Batch", |b| b.number.to_string()),
    ("Run", |b| b.run.clone()),
    ("State", |b| state_name(b.state).to_owned()),
];

pub(super) fn write(batches: &[&Batch], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", COLUMNS.map(|(name, _)| name).join(","))?;
    batches
        .iter()
        .try_for_each(|batch| writeln!(out, "{}", COLUMNS.map(|(_, value)| quote_csv(&value(batch))).join(",")))
}

/// Formats a number with a zero before the point, which programs other than ObjectScript expect.
fn number(value: f64, decimals: usize) -> String {
    let text = canonical(value, decimals);
    match text.as_bytes() {
        [b'.', ..] => format!("0{text}"),
        [b'-', b'.', ..] => format!("-0{}", &text[1..]),
        _ => text,
    }
}

fn spread(batch: &Batch, operations: fn(&Worker) -> u64) -> String {
    let values: Vec<f64> = batch.workers.iter().map(|w| operations(w) as f64).collect();
    sample_deviation(&values).map_or_else(String::new, |v| number(v, 3))
}

fn micros(figures: Option<&OpFigures>, percentile: fn(&OpFigures) -> Percentile) -> String {
    figures.and_then(|f| percentile(f).value()).map_or_else(String::new, |n| number(n.micros(), 1))
}

fn megabytes(size: Bytes) -> String {
    number(size.as_u64() as f64 / 1e6, 1)
}

fn count(n: Option<u64>) -> String {
    n.map_or_else(String::new, |n| n.to_string())
}
