//! secchi's own table: PerfTools' columns in their order, followed by further columns. Columns have the same meaning
//! for every class, standard deviations are sample standard deviations, and no comma follows the last field (RFC 4180).

use super::number::{canonical, sample_deviation};
use super::{Batch, Export, Worker};
use crate::widgets::escape::quote_csv;
use model::{Bytes, Nanos, OpFigures};
use std::io::{self, Write};

pub struct Csv;

/// Columns, PerfTools' own first.
const COLUMNS: [&str; 33] = [
    "RunDate",
    "RunTime",
    "Database",
    "Namespace",
    "Reads",
    "Writes",
    "ReadsPS",
    "WritesPS",
    "StdDevR",
    "StdDevW",
    "Processes",
    "ReadPct",
    "Engine",
    "JournalMode",
    "CommitMode",
    "DirectIO",
    "DataMB",
    "CacheMB",
    "TxP50us",
    "TxP99us",
    "CommitP50us",
    "CommitP99us",
    "OpP50us",
    "OpP99us",
    "EngReads",
    "EngWrites",
    "DevReads",
    "DevWrites",
    "DevFlush",
    "Test",
    "Batch",
    "Run",
    "State",
];

impl Export for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn classes(&self) -> &'static [&'static str] {
        &[]
    }

    fn file_name(&self, _class: &str, _now: &str) -> Option<String> {
        None
    }

    fn write(&self, batches: &[&Batch], out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", COLUMNS.join(","))?;
        for batch in batches {
            let fields: Vec<String> = row(batch).iter().map(|f| quote_csv(f)).collect();
            debug_assert_eq!(fields.len(), COLUMNS.len());
            writeln!(out, "{}", fields.join(","))?;
        }
        Ok(())
    }
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

fn row(batch: &Batch) -> Vec<String> {
    let sum = |f: fn(&Worker) -> u64| batch.workers.iter().map(f).sum::<u64>().to_string();
    let spread = |f: fn(&Worker) -> f64| {
        let values: Vec<f64> = batch.workers.iter().map(f).collect();
        sample_deviation(&values).map_or_else(String::new, |v| number(v, 3))
    };
    let micros = |n: Option<Nanos>| n.map_or_else(String::new, |n| number(n.micros(), 1));
    let both = |f: Option<&OpFigures>| [micros(f.and_then(|f| f.p50.value())), micros(f.and_then(|f| f.p99.value()))];
    let megabytes = |b: Bytes| number(b.as_u64() as f64 / 1e6, 1);
    let op = batch.reads.as_ref().or(batch.updates.as_ref());
    let below = &batch.physical;
    let counts =
        [below.engine_reads, below.engine_writes, below.device_reads, below.device_writes, below.device_flushes];
    let mut fields = vec![
        batch.date.clone(),
        batch.time.clone(),
        batch.database.clone(),
        batch.namespace.clone(),
        sum(|w| w.reads),
        sum(|w| w.writes),
        number(batch.reads_per_sec(), 1),
        number(batch.writes_per_sec(), 1),
        spread(|w| w.reads as f64),
        spread(|w| w.writes as f64),
        batch.processes.to_string(),
        batch.read_percent.to_string(),
        batch.engine.clone(),
        if batch.journal { "on" } else { "off" }.to_owned(),
        batch.commit.clone(),
        if batch.direct { "yes" } else { "no" }.to_owned(),
        megabytes(batch.data),
        megabytes(batch.cache),
    ];
    fields.extend(both(batch.transactions.as_ref()));
    fields.extend(both(batch.commits.as_ref()));
    fields.extend(both(op));
    fields.extend(counts.map(|c| c.map_or_else(String::new, |c| c.to_string())));
    fields.extend([batch.class.clone(), batch.number.to_string(), batch.run.clone(), state(batch).to_owned()]);
    fields
}

/// Returns the final state of a run as a word.
pub fn state(batch: &Batch) -> &'static str {
    use model::RunState::{Complete, Damaged, Failed, Hung, Interrupted, Running, Stopped};
    match batch.state {
        Complete => "complete",
        Interrupted => "interrupted",
        Running => "running",
        Stopped => "stopped",
        Hung => "hung",
        Failed => "failed",
        Damaged => "damaged",
    }
}
