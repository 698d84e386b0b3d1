//! The history of a database in PerfTools' form: a batch for each run, a row for each worker; and the formats in which
//! it is written.
//!
//! The formats `perftools-v0` to `-v3` reproduce the output of four versions of PerfTools' `Export`, formula by
//! formula, from the work of secchi's workers: first the rows per worker as in its tables (truncated to integers, as
//! `%Integer` does), then its query over each batch. They do *not* reproduce how PerfTools measured those rows: our
//! rows never include time before the start. The formats are described in docs/design/foreign-results.md, "PerfTools";
//! the source code of PerfTools' classes is authoritative.

mod csv;
pub(crate) mod moment;
mod number;
mod tables;
mod versions;

pub use tables::{Cell, Table, tables};

use crate::formats::{DocumentKind, write_document};
use model::record::{DbJob, MAKING};
use model::{
    Bytes, CompactSort, Iops, Judgement, LatencyHistogram, Nanos, Op, RunRecord, RunState, judged::OpFigures,
    measured::DatabaseUse,
};
use serde::Serialize;
use std::io::{self, Write};

/// Classes of PerfTools; our additional classes have no table in PerfTools.
pub const CLASSES: [&str; 3] = ["RanRead", "RanWrite", "RanIO"];

/// Work of one worker: a row of a class's table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Worker {
    /// Number of the worker, from 1.
    pub job: u32,
    /// Host and directory of the worker's database, if the run used several hosts.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub database: String,
    /// Number of records or blocks read.
    pub reads: u64,
    /// Number of records written.
    pub writes: u64,
    /// The worker's own elapsed time.
    pub proc_time: Nanos,
}

impl Worker {
    fn from_job(job: &DbJob, used: &DatabaseUse) -> Worker {
        let directory = used.hosts.get(job.side).map(|d| format!("{}:{}", d.host, with_slash(&d.directory)));
        Worker {
            job: job.number,
            database: directory.unwrap_or_default(),
            reads: job.reads(),
            writes: job.writes(),
            proc_time: job.total.length,
        }
    }

    fn seconds(&self) -> f64 {
        self.proc_time.secs().max(1e-9)
    }

    /// Returns the number of operations.
    fn done(&self) -> u64 {
        self.reads + self.writes
    }

    /// Returns reads per second of the worker's own time.
    #[must_use]
    pub fn reads_per_sec(&self) -> f64 {
        self.reads as f64 / self.seconds()
    }

    /// Returns updates per second of the worker's own time.
    #[must_use]
    pub fn writes_per_sec(&self) -> f64 {
        self.writes as f64 / self.seconds()
    }
}

/// Operations and syncs of the engine or its devices; `None` if they were not counted, or if they cover several batches
/// together.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Physical {
    /// Reads of the engine.
    pub engine_reads: Option<u64>,
    /// Writes of the engine.
    pub engine_writes: Option<u64>,
    /// Reads of the devices.
    pub device_reads: Option<u64>,
    /// Writes of the devices.
    pub device_writes: Option<u64>,
    /// Cache flushes of the devices.
    pub device_flushes: Option<u64>,
}

/// Workers that ran together. PerfTools gives each such batch a number.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Batch {
    /// Sequence number in the history of the database, from 1.
    pub number: u32,
    /// ID of the run.
    pub run: String,
    /// Final state of the run.
    pub state: RunState,
    /// Class of PerfTools, or an additional one in its style.
    pub class: String,
    /// Date of the start, `2026-11-21`.
    pub date: String,
    /// Time of the start, `14:01:27`.
    pub time: String,
    /// Directory of the database, with a trailing slash as in PerfTools.
    pub database: String,
    /// Name of the database, converted to a namespace as in PerfTools.
    pub namespace: String,
    /// Number of workers requested.
    pub processes: u32,
    /// Percentage of batches that read.
    pub read_percent: u8,
    /// Figures of each worker.
    pub workers: Vec<Worker>,
    /// Figures of reads, if any.
    pub reads: Option<OpFigures>,
    /// Figures of updates, with latencies.
    pub updates: Option<OpFigures>,
    /// Figures of whole transactions.
    pub transactions: Option<OpFigures>,
    /// Figures of commits, with latencies.
    pub commits: Option<OpFigures>,
    /// Name of the engine.
    pub engine: String,
    /// True if updates were journaled.
    pub journal: bool,
    /// Setting for the durability of commits, with the engine's name for it.
    pub commit: String,
    /// True if the engine opened its files with direct I/O; block reads always do.
    pub direct: bool,
    /// Size of the data files, in bytes.
    pub data: Bytes,
    /// Size of the engine's cache, in bytes.
    pub cache: Bytes,
    /// I/O of the engine and the devices.
    pub physical: Physical,
}

impl Batch {
    /// Returns the operations for which sessions waited: reads if there are any, otherwise transactions, otherwise
    /// updates.
    #[must_use]
    pub fn waited(&self) -> Option<&OpFigures> {
        self.reads.as_ref().or(self.transactions.as_ref()).or(self.updates.as_ref())
    }

    /// Returns reads per second: the sum over the workers.
    #[must_use]
    pub fn reads_per_sec(&self) -> f64 {
        self.workers.iter().map(Worker::reads_per_sec).sum()
    }

    /// Returns updates per second: the sum over the workers.
    #[must_use]
    pub fn writes_per_sec(&self) -> f64 {
        self.workers.iter().map(Worker::writes_per_sec).sum()
    }
}

/// Returns the batches of a database's runs, numbered in the order of their start. Waves that only created globals, and
/// runs of other commands, are skipped.
#[must_use]
pub fn history(runs: &[(RunRecord, Judgement)]) -> Vec<Batch> {
    let mut sorted: Vec<&(RunRecord, Judgement)> = runs.iter().collect();
    sorted.compact_sort_by_key(|(record, _)| moment::instant(&record.started));
    let mut batches: Vec<Batch> = sorted.iter().flat_map(|(record, judgement)| batches(record, judgement)).collect();
    (1..).zip(&mut batches).for_each(|(number, batch)| batch.number = number);
    batches
}

fn batches(record: &RunRecord, judgement: &Judgement) -> Vec<Batch> {
    let (Some(used), Some(judged)) = (record.database(), judgement.database()) else {
        return Vec::new();
    };
    let waves = record.db_waves();
    // Counters that cover a whole ramp belong to no single batch.
    let physical = if waves.len() == 1 { physical(record, judged) } else { Physical::default() };
    let begun = waves.first().and_then(|w| w.jobs.iter().map(|j| j.total.start).min()).unwrap_or_default();
    let batch = |wave: &model::record::DbWave| {
        let total = wave.total();
        let (date, time) = moment::local(&record.started, total.start.since(begun));
        let rate = |n: u64| Iops(n as f64 / total.length.secs().max(1e-9));
        let figures = |h: &LatencyHistogram| OpFigures::new(h, Some(rate(h.count())));
        Batch {
            number: 0,
            run: record.id.clone(),
            state: record.state,
            class: wave.class(),
            date,
            time,
            database: with_slash(&used.directory),
            namespace: namespace(&used.name),
            processes: wave.processes,
            read_percent: wave.read_percent(),
            workers: wave.jobs.iter().map(|job| Worker::from_job(job, used)).collect(),
            reads: figures(&total.op(Op::Read).latency),
            updates: figures(&total.op(Op::Write).latency),
            transactions: figures(&wave.transacted().all()),
            commits: figures(&total.op(Op::Flush).latency),
            engine: used.engine.clone(),
            journal: used.journal,
            commit: used.commit.clone(),
            direct: used.direct || wave.rule.is_none(),
            data: used.data,
            cache: used.cache,
            physical,
        }
    };
    waves.iter().filter(|w| w.class() != MAKING).map(batch).collect()
}

fn physical(record: &RunRecord, judged: &model::judged::DbJudgement) -> Physical {
    let hosts = record.database().into_iter().filter(|d| !d.hosts.is_empty());
    let counters = record.database().into_iter().flat_map(|d| &d.counters).chain(hosts.flat_map(|d| &d.mgstat));
    let engine = |name: &str| {
        let count = counters.clone().find(|(n, _)| n == name).map(|(_, v)| *v);
        let rates = || judged.engine.iter().find(|e| e.name == name).and_then(|e| e.total);
        count.or_else(rates).map(|v| v.round().max(0.0) as u64)
    };
    Physical {
        engine_reads: engine("PhyRds"),
        engine_writes: engine("PhyWrs"),
        device_reads: judged.device.reads,
        device_writes: judged.device.writes,
        device_flushes: judged.device.flushes,
    }
}

fn with_slash(directory: &str) -> String {
    if directory.ends_with('/') { directory.to_owned() } else { format!("{directory}/") }
}

/// Converts like `$zconvert(name,"U")`, without blanks, punctuation and control characters.
fn namespace(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase).collect()
}

/// A format for a history.
#[derive(Debug)]
pub struct Export {
    /// Word that selects the format.
    pub name: &'static str,
    /// Classes for which the format has a table; empty if one table contains all classes.
    pub classes: &'static [&'static str],
    /// Writes the batches; they must be of one class if the format has a table for each. Returns an error if writing
    /// fails.
    pub write: fn(&[&Batch], &mut dyn Write) -> io::Result<()>,
}

/// All exports, the default first.
pub const EXPORTS: &[Export] = &[
    Export { name: "csv", classes: &[], write: csv::write },
    Export { name: "json", classes: &[], write: write_json },
    versions::V0,
    versions::V1,
    versions::V2,
    versions::V3,
];

/// Returns the export with this name.
#[must_use]
pub fn export(name: &str) -> Option<&'static Export> {
    EXPORTS.iter().find(|e| e.name == name)
}

/// Returns the name of the file that PerfTools creates for a class at the time `now` (RFC 3339, local time), such as
/// `PerfToolsRanRead_20221023-1408.txt`.
#[must_use]
pub fn file_name(class: &str, now: &str) -> String {
    let digits = |from: usize, to: usize| now.get(from..to).unwrap_or("").replace(['-', ':'], "");
    let extension = if class == "RanIO" { "csv" } else { "txt" };
    format!("PerfTools{class}_{}-{}.{extension}", digits(0, 10), digits(11, 16))
}

/// Writes the history as one JSON document: `{"history": [...]}`, one element per batch, in the units of
/// `book/src/reference/record.md`.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_json(batches: &[&Batch], out: &mut dyn Write) -> io::Result<()> {
    write_document(DocumentKind::History, History { history: batches }, out)
}

/// Past runs on a database.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct History<'a> {
    /// The batches, the oldest first.
    history: &'a [&'a Batch],
}

#[cfg(test)]
mod tests;
