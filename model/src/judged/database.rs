//! What the judge says of a database run: figures by wave, what reached the devices, and whether it can go on so.

use crate::{
    Bytes, Clause, CountedBy, Estimate, FileRole, Iops, LatencyHistogram, Nanos, Outcome, Pacing, Percentile, Sentence,
    Series,
};
use serde::{Deserialize, Serialize};

/// A kind of operation in a wave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpFigures {
    /// How many.
    pub count: u64,
    /// How many per second, over all workers; `None` where they came at no one rate.
    pub rate: Option<Iops>,
    /// Mean latency.
    pub mean: Option<Nanos>,
    /// 50th percentile.
    pub p50: Percentile,
    /// 99th percentile.
    pub p99: Percentile,
    /// 99.9th percentile.
    pub p999: Percentile,
    /// The longest latency.
    pub max: Option<Nanos>,
}

impl WaveFigures {
    /// What it has, by the names that its tables use.
    pub fn kinds(&self) -> impl Iterator<Item = (&'static str, &OpFigures)> {
        named([&self.reads, &self.updates, &self.commits, &self.transactions])
    }
}

impl OpFigures {
    /// Of these latencies at this rate; `None` where there are none.
    #[must_use]
    pub fn new(latency: &LatencyHistogram, rate: Option<Iops>) -> Option<OpFigures> {
        (latency.count() > 0).then(|| OpFigures {
            count: latency.count(),
            rate,
            mean: latency.mean(),
            p50: latency.percentile(50.0),
            p99: latency.percentile(99.0),
            p999: latency.percentile(99.9),
            max: latency.max(),
        })
    }
}

/// Batches that came due at a rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArrivalFigures {
    /// What was asked, of all workers of a host.
    pub asked: Pacing,
    /// Batches due in the measured time, on average.
    pub due: f64,
    /// Those that were begun, their rate, and how much later than due.
    pub begun: OpFigures,
}

/// One worker: a row of PerfTools' tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobFigures {
    /// Its number, from 1.
    pub job: u32,
    /// The host it ran on, of several.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub host: String,
    /// Records or blocks read.
    pub reads: u64,
    /// Records that were written.
    pub writes: u64,
    /// Reads per second of its own time.
    pub reads_per_sec: f64,
    /// Updates per second of its own time.
    pub writes_per_sec: f64,
    /// Its own time.
    pub proc_time: Nanos,
}

/// What one of several hosts had of a wave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WaveOfHost {
    /// What its targets are called by.
    pub host: String,
    /// Records or blocks read.
    pub reads: Option<OpFigures>,
    /// Single updates.
    pub updates: Option<OpFigures>,
    /// Commits alone.
    pub commits: Option<OpFigures>,
    /// Whole transactions.
    pub transactions: Option<OpFigures>,
}

impl WaveOfHost {
    /// What it has, by the names that its tables use.
    pub fn kinds(&self) -> impl Iterator<Item = (&'static str, &OpFigures)> {
        named([&self.reads, &self.updates, &self.commits, &self.transactions])
    }
}

/// Kinds of operations by the names that tables use.
fn named(kinds: [&Option<OpFigures>; 4]) -> impl Iterator<Item = (&'static str, &OpFigures)> {
    ["reads", "updates", "commits", "transactions"]
        .into_iter()
        .zip(kinds)
        .filter_map(|(name, figures)| Some((name, figures.as_ref()?)))
}

/// Workers that ran together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WaveFigures {
    /// As its stages are named.
    pub name: String,
    /// PerfTools' class: `RanRead`.
    pub class: String,
    /// Workers that were asked for.
    pub processes: u32,
    /// Percent of batches that read.
    pub read_percent: u8,
    /// Measured time.
    pub time: Nanos,
    /// Records or blocks read.
    pub reads: Option<OpFigures>,
    /// Single updates.
    pub updates: Option<OpFigures>,
    /// Commits alone.
    pub commits: Option<OpFigures>,
    /// Whole transactions, from before they begin to after the commit.
    pub transactions: Option<OpFigures>,
    /// Those that ended while the engine wrote nothing back.
    pub outside: Option<OpFigures>,
    /// Those that ended while it did.
    pub inside: Option<OpFigures>,
    /// Commits alone of transactions outside; runs of older versions do not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commits_outside: Option<OpFigures>,
    /// Commits alone of transactions inside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commits_inside: Option<OpFigures>,
    /// Operations that failed.
    pub errors: u64,
    /// Updates of a transaction as asked; `None` where each stands alone, or nothing is updated.
    pub batch: Option<u32>,
    /// Size of the blocks read from the files; `None` where records are worked on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<Bytes>,
    /// Reads were of whole blocks, by the engine's own block read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub engine_blocks: bool,
    /// The pause asked for after each batch, and the one made; `None` without batches.
    pub hang: Option<(Nanos, Nanos)>,
    /// Of batches that come due at a rate: the rate and its law, batches that were begun, and how late each began. Latencies of
    /// reads, updates by themselves and transactions are from when they were due then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<ArrivalFigures>,
    /// Share of the workers' time spent in no call, 0..=1.
    pub idle: f64,
    /// Rate of reads and updates together, with its interval.
    pub rate: Estimate,
    /// The levels it was at with their times, where it was not at one: rates and latencies by kind are those of the last, or
    /// there is no rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<Sentence>,
    /// By how much the rate exceeds that of the wave before, as a share; `None` for the first.
    pub gain: Option<f64>,
    /// Whether it is accepted, where a ramp says what is.
    pub accepted: Option<Outcome>,
    /// Each worker.
    pub jobs: Vec<JobFigures>,
    /// What each of several hosts had of it; empty in a run of one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<WaveOfHost>,
}

impl WaveFigures {
    /// What sessions wait for: reads where there are any, else transactions, else updates.
    #[must_use]
    pub fn waited(&self) -> Option<&OpFigures> {
        self.waited_kind().map(|(_, figures)| figures)
    }

    /// The same with the name that its tables use.
    #[must_use]
    pub fn waited_kind(&self) -> Option<(&'static str, &OpFigures)> {
        let of = |name| self.kinds().find(|(kind, _)| *kind == name);
        ["reads", "transactions", "updates"].into_iter().find_map(of)
    }
}

/// What sessions waited for in the files of one role.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoleWait {
    /// Of which files.
    pub role: FileRole,
    /// Share of the time that all sessions spent in calls, 0..=1.
    pub sessions: f64,
    /// Share of the measured time in which writers behind the sessions waited for it, 0..; several at once count each.
    pub writers: f64,
}

/// How far a load can be raised so that needs are met, by levels of rising numbers of workers or of rising rates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NeedLimit {
    /// The needs, as they were typed.
    pub needs: Vec<String>,
    /// Whether the rate of transactions was raised, and not the number of workers.
    pub by_rate: bool,
    /// Whether all needs were met, of each wave.
    pub outcomes: Vec<Outcome>,
    /// Place of the last wave that met them, with none before it that did not; `None` = there is none.
    pub met: Option<usize>,
}

/// How far a database may be loaded, by waves of rising numbers of workers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RampFigures {
    /// What a wave must keep to be accepted; empty where nothing was said.
    pub accept: Vec<Clause>,
    /// The largest number of workers that was accepted, as was every smaller one.
    pub accepted: Option<u32>,
    /// The largest number of workers that still brought a tenth more.
    pub gain_until: u32,
    /// Number of workers with the highest rate.
    pub best: u32,
}

/// What reached the devices in the measured time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DeviceFigures {
    /// Who counted, in words: `control group, vda`.
    pub source: Sentence,
    /// Who counted.
    #[serde(default)]
    pub by: CountedBy,
    /// How long it was counted; 0 = the whole run (records of older versions).
    #[serde(default)]
    pub length: Nanos,
    /// Largest share of the devices' bytes that is not in these figures or, if the whole devices were counted, not the engine's in
    /// them, 0..=1; `None` if unknown.
    #[serde(default)]
    pub others: Option<f64>,
    /// Smallest such share: the accounts of the processes may hold more than their control group was charged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others_least: Option<f64>,
    /// Read operations; `None` = not counted.
    pub reads: Option<u64>,
    /// Bytes read.
    pub read_bytes: Option<u64>,
    /// Writes that carried data; flushes are not among them.
    pub writes: Option<u64>,
    /// Bytes written.
    pub write_bytes: Option<u64>,
    /// Bytes written at most, as the processes sent them; `None` if that is no more than `write_bytes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_bytes_most: Option<u64>,
    /// Cache flushes of the whole devices: nobody counts them by process.
    pub flushes: Option<u64>,
}

/// What reached the devices of one of several hosts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeviceOfHost {
    /// What its targets are called by.
    pub host: String,
    /// Its devices together.
    pub device: DeviceFigures,
}

/// One figure over another, in words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// Of what: `device writes per update`.
    pub name: Sentence,
    /// How much.
    pub value: f64,
    /// Its unit; empty for a number.
    pub unit: String,
    /// What it tells; may be empty.
    pub remark: Sentence,
    /// Whether it makes figures doubtful.
    pub doubtful: bool,
}

/// What an engine counted under mgstat's names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EngineFigures {
    /// mgstat's name: `Glorefs`.
    pub name: String,
    /// Mean, per second where it is a rate.
    pub mean: f64,
    /// Highest sample.
    pub max: f64,
    /// Over the run; `None` of what is no rate, such as a queue.
    pub total: Option<f64>,
}

impl EngineFigures {
    /// Of a series named `db.Glorefs`; `None` of others.
    #[must_use]
    pub fn from_series(series: &Series) -> Option<EngineFigures> {
        let name = series.name.strip_prefix("db.")?;
        if series.points.is_empty() {
            return None;
        }
        let n = series.points.len() as f64;
        Some(EngineFigures {
            name: name.to_owned(),
            mean: series.points.iter().map(|p| p.1).sum::<f64>() / n,
            max: series.points.iter().map(|p| p.1).fold(0.0, f64::max),
            total: series.unit.ends_with("/s").then(|| crate::integral(&series.points)),
        })
    }
}

/// What became of updates that are not yet in the data files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BacklogTrend {
    /// It comes and goes: what is written back keeps up.
    Level,
    /// It grows from third to third of the run, at its lowest too: this load cannot be kept up.
    Grows,
    /// Nothing was written back within the run: it only gathered.
    Gathers,
    /// Too few samples.
    TooShort,
}

/// The backlog of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Backlog {
    /// What it does.
    pub trend: BacklogTrend,
    /// Pages per second that it grows by, least squares.
    pub slope: f64,
    /// Pages at the highest.
    pub most: f64,
    /// Pages at the end.
    pub last: f64,
}

/// What the judge says of a database run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DbJudgement {
    /// PerfTools' class, or a name in its manner.
    pub title: String,
    /// In the order they ran.
    pub waves: Vec<WaveFigures>,
    /// Of several waves with rising numbers of workers.
    pub ramp: Option<RampFigures>,
    /// Of several waves that are raised step by step, where there are needs on what the database does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub need_limit: Option<NeedLimit>,
    /// All devices together.
    pub device: DeviceFigures,
    /// What reached the devices of each of several hosts; empty in a run of one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<DeviceOfHost>,
    /// What sessions waited for, by role, where the engine tells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<RoleWait>,
    /// What was asked against what the engine and the devices did.
    pub ratios: Vec<Ratio>,
    /// Under mgstat's names.
    pub engine: Vec<EngineFigures>,
    /// Updates not yet in the data files; `None` where nobody looked.
    pub backlog: Option<Backlog>,
    /// Of a run of inserts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub growth: Option<GrowthFigures>,
}

/// By how much inserts made a database grow.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct GrowthFigures {
    /// New nodes found in the database afterwards: also those of the warm-up, and of transactions that were under way at the end.
    pub nodes: u64,
    /// Inserts that were acknowledged in the measured time.
    pub told: u64,
    /// Bytes of their values.
    pub bytes: Bytes,
    /// By how much its data files became longer; `None` where they are not here.
    pub data: Option<Bytes>,
    /// By how much more is allocated for all its files together.
    pub allocated: Bytes,
    /// Written to the devices from the beginning of the measured time until all was written back; `None` where nobody knows whose
    /// it was, or a warm-up left something behind.
    pub written: Option<Bytes>,
    /// Who counted that.
    pub by: Option<CountedBy>,
    /// Bytes written for each byte of a value (write amplification).
    pub factor: Option<f64>,
}
