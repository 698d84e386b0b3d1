//! Judgement of a database run: figures of each wave (a group of workers that run together), I/O that reached the
//! devices, and whether the load is sustainable.

use crate::bounds::{Clause, DbOperation};
use crate::judged::{Estimate, Outcome};
use crate::measured::{CountedBy, FileRole, Percentile, Series, percentiles};
use crate::{Bytes, Iops, LatencyHistogram, Nanos, Sentence, plan::Pacing};
use serde::{Deserialize, Serialize};

/// Figures of one kind of operation in a wave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OpFigures {
    /// Number of operations.
    pub count: u64,
    /// Operations per second, over all workers; `None` if there was no single rate.
    pub rate: Option<Iops>,
    /// Mean latency.
    pub mean: Option<Nanos>,
    /// 50th percentile.
    #[serde(flatten, with = "percentiles::p50")]
    #[cfg_attr(feature = "schema", schemars(with = "percentiles::p50::P50"))]
    pub p50: Percentile,
    /// 99th percentile.
    #[serde(flatten, with = "percentiles::p99")]
    #[cfg_attr(feature = "schema", schemars(with = "percentiles::p99::P99"))]
    pub p99: Percentile,
    /// 99.9th percentile.
    #[serde(flatten, with = "percentiles::p999")]
    #[cfg_attr(feature = "schema", schemars(with = "percentiles::p999::P999"))]
    pub p999: Percentile,
    /// Maximum latency.
    pub max: Option<Nanos>,
}

impl WaveFigures {
    /// Iterates over the kinds of operations that the wave has, in the order of tables.
    pub fn kinds(&self) -> impl Iterator<Item = (DbOperation, &OpFigures)> {
        named([&self.reads, &self.updates, &self.commits, &self.transactions])
    }
}

impl OpFigures {
    /// Returns the figures of these latencies at this rate, or `None` if there are no latencies.
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

/// Figures of batches that came due at a rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArrivalFigures {
    /// Requested pacing of all workers of a host.
    pub asked: Pacing,
    /// Mean number of batches that came due in the measured time.
    pub due: f64,
    /// Batches that began: their number, their rate, and how late they began.
    pub begun: OpFigures,
}

/// One worker: a row of PerfTools' tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobFigures {
    /// Number of the worker, from 1.
    pub job: u32,
    /// Host of the worker, in a run on several hosts.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub host: String,
    /// Records or blocks read.
    pub reads: u64,
    /// Records written.
    pub writes: u64,
    /// Reads per second of the worker's `proc_time`.
    pub reads_per_sec: f64,
    /// Updates per second of the worker's `proc_time`.
    pub writes_per_sec: f64,
    /// Time that the worker ran.
    pub proc_time: Nanos,
}

/// Figures of one of several hosts in a wave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WaveOfHost {
    /// Name of the host, as used in the names of its targets.
    pub host: String,
    /// Records or blocks read.
    pub reads: Option<OpFigures>,
    /// Single updates.
    pub updates: Option<OpFigures>,
    /// Commits alone, without the rest of the transaction.
    pub commits: Option<OpFigures>,
    /// Whole transactions.
    pub transactions: Option<OpFigures>,
}

impl WaveOfHost {
    /// Iterates over the kinds of operations that the host has, in the order of tables.
    pub fn kinds(&self) -> impl Iterator<Item = (DbOperation, &OpFigures)> {
        named([&self.reads, &self.updates, &self.commits, &self.transactions])
    }
}

/// Pairs the kinds of operations in the order of tables.
fn named(kinds: [&Option<OpFigures>; 4]) -> impl Iterator<Item = (DbOperation, &OpFigures)> {
    DbOperation::ALL.into_iter().zip(kinds).filter_map(|(operation, figures)| Some((operation, figures.as_ref()?)))
}

/// Figures of a wave: workers that ran together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WaveFigures {
    /// Name of the wave, as in its stages.
    pub name: String,
    /// PerfTools' class: `RanRead`.
    pub class: String,
    /// Number of requested workers.
    pub processes: u32,
    /// Percentage of batches that read.
    pub read_percent: u8,
    /// Measured time.
    pub time: Nanos,
    /// Records or blocks read.
    pub reads: Option<OpFigures>,
    /// Single updates.
    pub updates: Option<OpFigures>,
    /// Commits alone, without the rest of the transaction.
    pub commits: Option<OpFigures>,
    /// Whole transactions, from before their start to after the commit.
    pub transactions: Option<OpFigures>,
    /// Transactions that ended while the engine was not writing back.
    pub outside: Option<OpFigures>,
    /// Transactions that ended while the engine was writing back.
    pub inside: Option<OpFigures>,
    /// Commits alone, of the transactions in `outside`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commits_outside: Option<OpFigures>,
    /// Commits alone, of the transactions in `inside`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commits_inside: Option<OpFigures>,
    /// Operations that failed.
    pub errors: u64,
    /// Requested number of updates per transaction; `None` if updates are single, or there are none.
    pub batch: Option<u32>,
    /// Size of the blocks read from the files; `None` if the workload reads records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<Bytes>,
    /// True if whole blocks were read with the engine's block read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub engine_blocks: bool,
    /// Requested and actual pause after each batch; `None` without batches.
    pub hang: Option<(Nanos, Nanos)>,
    /// Batches that come due at a rate: the pacing, the batches that began, and how late they began. Latencies of
    /// reads, single updates and transactions are then measured from the due time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<ArrivalFigures>,
    /// Share of the workers' time spent outside calls, 0..=1.
    pub idle: f64,
    /// Rate of reads and updates together, with its confidence interval.
    pub rate: Estimate,
    /// Levels of the rate with their times, if the rate was not constant. Rates and latencies by kind then describe the
    /// last level, or there is no rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<Sentence>,
    /// Gain in rate over the previous wave, as a share; `None` for the first wave.
    pub gain: Option<f64>,
    /// Outcome of the acceptance criteria of the ramp, if it has any.
    pub accepted: Option<Outcome>,
    /// Figures of each worker.
    pub jobs: Vec<JobFigures>,
    /// Figures of each host; empty in a run on one host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<WaveOfHost>,
}

impl WaveFigures {
    /// Returns the kind of operation that sessions wait for: reads if there are any, else transactions, else updates.
    #[must_use]
    pub fn waited(&self) -> Option<&OpFigures> {
        self.waited_kind().map(|(_, figures)| figures)
    }

    /// Returns the same as [`Self::waited`], with the operation.
    #[must_use]
    pub fn waited_kind(&self) -> Option<(DbOperation, &OpFigures)> {
        let by_name = |name| self.kinds().find(|(kind, _)| *kind == name);
        [DbOperation::Reads, DbOperation::Transactions, DbOperation::Updates].into_iter().find_map(by_name)
    }
}

/// Time that sessions waited for the files of one role.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoleWait {
    /// Role of the files.
    pub role: FileRole,
    /// Time that sessions waited for these files, as a share of the time that all sessions spent in calls, 0..=1.
    pub sessions: f64,
    /// Time that background writers waited, summed over all writers, as a share of the measured time. Can exceed 1.
    pub writers: f64,
}

/// Maximum load at which needs are met, from waves with rising numbers of workers or rising rates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NeedLimit {
    /// The needs, as entered.
    pub needs: Vec<String>,
    /// True if the rate of transactions was raised, false if the number of workers was.
    pub by_rate: bool,
    /// For each wave, whether all needs were met.
    pub outcomes: Vec<Outcome>,
    /// Index of the last wave up to which every wave met the needs; `None` if there is none.
    pub met: Option<usize>,
}

/// Maximum load of a database, from waves with rising numbers of workers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RampFigures {
    /// Criteria for accepting a wave; empty if none were given.
    pub accept: Vec<Clause>,
    /// Largest number of workers up to which every wave was accepted.
    pub accepted: Option<u32>,
    /// Largest number of workers up to which each wave raised the rate by at least 10 %.
    pub gain_until: u32,
    /// Number of workers with the highest rate.
    pub best: u32,
}

/// I/O that reached the devices in the measured time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceFigures {
    /// Source of the counts, in words: `control group, vda`.
    pub source: Sentence,
    /// Source of the counts.
    pub by: CountedBy,
    /// Time over which the I/O was counted; 0 means the whole run.
    pub length: Nanos,
    /// Upper bound of the share of the devices' bytes that the engine did not cause, 0..=1; `None` if unknown. These
    /// figures leave such bytes out or, if whole devices were counted, include them.
    pub others: Option<f64>,
    /// Lower bound of that share: the accounts of the processes may hold more than was charged to their control group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others_least: Option<f64>,
    /// Read operations; `None` if not counted.
    pub reads: Option<u64>,
    /// Bytes read.
    pub read_bytes: Option<u64>,
    /// Writes that carried data, without flushes.
    pub writes: Option<u64>,
    /// Bytes written.
    pub write_bytes: Option<u64>,
    /// Upper bound of the bytes written, as the processes sent them; `None` if it does not exceed `write_bytes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_bytes_most: Option<u64>,
    /// Cache flushes of the whole devices; the kernel does not count them by process.
    pub flushes: Option<u64>,
}

/// I/O that reached the devices of one of several hosts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceOfHost {
    /// Name of the host, as used in the names of its targets.
    pub host: String,
    /// Combined figures of all devices of the host.
    pub device: DeviceFigures,
}

/// Ratio of two figures, with its name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ratio {
    /// Name of the ratio: `device writes per update`.
    pub name: Sentence,
    /// Value of the ratio.
    pub value: f64,
    /// Unit; empty for a plain number.
    pub unit: String,
    /// Interpretation; may be empty.
    pub remark: Sentence,
    /// True if the ratio casts doubt on figures.
    pub doubtful: bool,
}

/// Counter of an engine, under mgstat's name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EngineFigures {
    /// mgstat's name: `Glorefs`.
    pub name: String,
    /// Mean value; per second if the counter is a rate.
    pub mean: f64,
    /// Largest sample.
    pub max: f64,
    /// Total over the run; `None` if the counter is not a rate, such as a queue length.
    pub total: Option<f64>,
}

impl EngineFigures {
    /// Returns the figures of a series named `db.Glorefs`, or `None` for other series.
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
            total: series.unit.ends_with("/s").then(|| crate::record::integral(&series.points)),
        })
    }
}

/// Trend of the updates that are not yet in the data files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BacklogTrend {
    /// Rises and falls: writing back keeps up.
    Level,
    /// Grows from each third of the run to the next, and so does its minimum: this load is not sustainable.
    Grows,
    /// Only accumulates: nothing was written back during the run.
    Gathers,
    /// Too few samples.
    TooShort,
}

/// Backlog of updates of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Backlog {
    /// Trend of the backlog.
    pub trend: BacklogTrend,
    /// Growth in pages per second, by least squares.
    pub slope: f64,
    /// Maximum, in pages.
    pub most: f64,
    /// Value at the end, in pages.
    pub last: f64,
}

/// Judgement of a database run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DbJudgement {
    /// PerfTools' class, or a name in the same style.
    pub title: String,
    /// Waves in the order in which they ran.
    pub waves: Vec<WaveFigures>,
    /// Figures of a ramp, if there were several waves with rising numbers of workers.
    pub ramp: Option<RampFigures>,
    /// Maximum load that meets the needs, if waves rose step by step and there are needs on the database's operations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub need_limit: Option<NeedLimit>,
    /// I/O of all devices together.
    pub device: DeviceFigures,
    /// I/O that reached the devices of each host; empty in a run on one host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<DeviceOfHost>,
    /// Time that sessions waited, by role; empty if the engine does not report it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<RoleWait>,
    /// Ratios of the requested operations to those of the engine and the devices.
    pub ratios: Vec<Ratio>,
    /// Counters of the engine, under mgstat's names.
    pub engine: Vec<EngineFigures>,
    /// Updates not yet in the data files; `None` if not sampled.
    pub backlog: Option<Backlog>,
    /// Growth of the database in a run of inserts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub growth: Option<GrowthFigures>,
}

/// Growth of a database from inserts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GrowthFigures {
    /// New nodes found in the database afterwards, including those of the warm-up and of transactions in progress at
    /// the end.
    pub nodes: u64,
    /// Inserts that were acknowledged in the measured time.
    pub told: u64,
    /// Bytes of the inserted values.
    pub bytes: Bytes,
    /// Growth in length of the data files; `None` if the files are not on this host.
    pub data: Option<Bytes>,
    /// Growth of the space allocated to all files of the database.
    pub allocated: Bytes,
    /// Bytes written to the devices from the start of the measured time until everything was written back; `None` if
    /// they cannot be attributed, or if the warm-up left data to write back.
    pub written: Option<Bytes>,
    /// Source of the count in `written`.
    pub by: Option<CountedBy>,
    /// Bytes written per byte of a value (write amplification).
    pub factor: Option<f64>,
}
