//! The history of a database as PerfTools keeps it: a batch for each run, a row for each worker; and the ways to write it.
//!
//! The formats `perftools-v0` to `-v3` are what four versions of PerfTools' `Export` write, formula by formula, from what the
//! workers did here: rows per worker first, as its tables hold them (whole numbers cut off, as `%Integer` does), then its
//! query over each batch. What is *not* repeated is how those rows were measured: time before the start is in none of ours.
//! What they write: docs/design/foreign-results.md, "PerfTools"; the classes' sources are the authority.

mod csv;
mod json;
mod number;
mod tables;
mod versions;

pub use tables::{Cell, Table, tables};

use crate::formats::database::moment;
use model::CompactSort;
use model::{
    Bytes, DatabaseUse, DbJob, Iops, Judgement, LatencyHistogram, MAKING, Nanos, Op, OpFigures, RunRecord, RunState,
};
use serde::Serialize;
use std::io::{self, Write};

/// Classes of PerfTools; others in its manner have no table there.
pub const CLASSES: [&str; 3] = ["RanRead", "RanWrite", "RanIO"];

/// What one worker did: a row of a class's table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Worker {
    /// Its number, from 1.
    pub job: u32,
    /// Directory of its own database with its host, where a run was on several.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub database: String,
    /// Records or blocks read.
    pub reads: u64,
    /// Records that were written.
    pub writes: u64,
    /// Its own time.
    pub proc_time: Nanos,
}

impl Worker {
    fn from_job(job: &DbJob, used: &DatabaseUse) -> Worker {
        let own = used.hosts.get(job.side).map(|d| format!("{}:{}", d.host, with_slash(&d.directory)));
        Worker {
            job: job.number,
            database: own.unwrap_or_default(),
            reads: job.reads(),
            writes: job.writes(),
            proc_time: job.total.length,
        }
    }

    fn seconds(&self) -> f64 {
        self.proc_time.secs().max(1e-9)
    }

    /// Reads per second of its own time.
    #[must_use]
    pub fn reads_per_sec(&self) -> f64 {
        self.reads as f64 / self.seconds()
    }

    /// Updates per second of its own time.
    #[must_use]
    pub fn writes_per_sec(&self) -> f64 {
        self.writes as f64 / self.seconds()
    }
}

/// Operations and syncs that an engine or its devices did; `None` where nobody counted, or for several batches together.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
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

/// Workers that ran together: what PerfTools numbers as a batch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Batch {
    /// Running number in the history of the database, from 1.
    pub number: u32,
    /// Identity of the run.
    pub run: String,
    /// How the run ended.
    pub state: RunState,
    /// PerfTools' class, or a name in its manner.
    pub class: String,
    /// Day it began, `2026-11-21`.
    pub date: String,
    /// Time of day it began, `14:01:27`.
    pub time: String,
    /// Directory of the database, with the slash PerfTools puts behind it.
    pub database: String,
    /// Name of the database, as PerfTools makes a namespace of it.
    pub namespace: String,
    /// Workers asked for.
    pub processes: u32,
    /// Percent of batches that read.
    pub read_percent: u8,
    /// Each worker.
    pub workers: Vec<Worker>,
    /// Reads, where there are any.
    pub reads: Option<OpFigures>,
    /// Updates with their latencies.
    pub updates: Option<OpFigures>,
    /// Whole transactions.
    pub transactions: Option<OpFigures>,
    /// Commits with their latencies.
    pub commits: Option<OpFigures>,
    /// Engine by name.
    pub engine: String,
    /// Whether updates were journaled.
    pub journal: bool,
    /// When a commit returned, in the engine's own words.
    pub commit: String,
    /// Whether the engine's files were opened past the page cache; block reads always are.
    pub direct: bool,
    /// Bytes of data files.
    pub data: Bytes,
    /// What the engine could keep in memory.
    pub cache: Bytes,
    /// What was done below.
    pub physical: Physical,
}

impl Batch {
    /// What sessions waited for: reads where there are any, else transactions, else updates.
    #[must_use]
    pub fn waited(&self) -> Option<&OpFigures> {
        self.reads.as_ref().or(self.transactions.as_ref()).or(self.updates.as_ref())
    }

    /// Reads per second: the sum of each worker's.
    #[must_use]
    pub fn reads_per_sec(&self) -> f64 {
        self.workers.iter().map(Worker::reads_per_sec).sum()
    }

    /// Updates per second: the sum of each worker's.
    #[must_use]
    pub fn writes_per_sec(&self) -> f64 {
        self.workers.iter().map(Worker::writes_per_sec).sum()
    }
}

/// The batches of runs of one database, numbered in the order they began. What only made globals, and runs of other commands,
/// are passed over.
#[must_use]
pub fn history(runs: &[(RunRecord, Judgement)]) -> Vec<Batch> {
    let mut sorted: Vec<&(RunRecord, Judgement)> = runs.iter().collect();
    sorted.compact_sort_by_key(|(record, _)| moment::instant(&record.started));
    let mut all: Vec<Batch> = sorted.iter().flat_map(|(record, judgement)| batches(record, judgement)).collect();
    (1..).zip(&mut all).for_each(|(number, batch)| batch.number = number);
    all
}

fn batches(record: &RunRecord, judgement: &Judgement) -> Vec<Batch> {
    let (Some(used), Some(judged)) = (record.database.as_deref(), judgement.database.as_deref()) else {
        return Vec::new();
    };
    let waves = record.db_waves();
    // What was counted over a whole ramp is no batch's.
    let physical = if waves.len() == 1 { physical(record, judged) } else { Physical::default() };
    let begun = waves.first().and_then(|w| w.jobs.iter().map(|j| j.total.start).min()).unwrap_or_default();
    let batch = |wave: &model::DbWave| {
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

fn physical(record: &RunRecord, judged: &model::DbJudgement) -> Physical {
    let hosts = record.database.iter().filter(|d| !d.hosts.is_empty());
    let counters = record.database.iter().flat_map(|d| &d.counters).chain(hosts.flat_map(|d| &d.mgstat));
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

/// `$zconvert(name,"U")` without blanks, punctuation and control characters.
fn namespace(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase).collect()
}

/// One way to write a history.
pub trait Export: Sync + Send {
    /// The word that chooses it.
    fn name(&self) -> &'static str;

    /// Classes it has a table for; empty = all of any class in one.
    fn classes(&self) -> &'static [&'static str];

    /// Name of the file that PerfTools makes for a class at this moment (RFC 3339, local time); `None` where any name will do.
    fn file_name(&self, class: &str, now: &str) -> Option<String>;

    /// Writes the batches: of one class where it has a table for each.
    ///
    /// # Errors
    /// Those of `out`.
    fn write(&self, batches: &[&Batch], out: &mut dyn Write) -> io::Result<()>;
}

/// Every export, the default first.
pub const EXPORTS: &[&dyn Export] =
    &[&csv::Csv, &json::Json, &versions::V0, &versions::V1, &versions::V2, &versions::V3];

/// The export called `name`.
#[must_use]
pub fn export(name: &str) -> Option<&'static dyn Export> {
    EXPORTS.iter().copied().find(|e| e.name() == name)
}

#[cfg(test)]
mod tests;
