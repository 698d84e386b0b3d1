//! Contents of other tools' files, as reported there: the input for judging foreign results.
//!
//! A value is stored with its line, its original text, and the interval that rounding leaves: `IOPS=20.5k` may be any
//! value from 20,450 to 20,550. Figures missing from a file are absent here; no defaults are filled in. All figures are
//! in base units: operations, bytes, seconds, and these per second; shares are from 0 to 1.

use crate::bounds::{LimitAxis, LimitScope};
use crate::{Bytes, LatencyHistogram, Sentence};
use serde::{Deserialize, Serialize};

/// One file, or one of several documents in it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ForeignFile {
    /// Path of the file as the user gave it.
    pub source: String,
    /// Importer that read it: `fio-text`, `mgstat`.
    pub format: String,
    /// Tool and version as given in the file: `fio-3.30`; empty if not given.
    pub tool: String,
    /// Time of creation as written in the file; empty if not given.
    pub when: String,
    /// Time of creation in seconds since 1970, in the local time of the machine (most tools write no time zone).
    pub began: Option<i64>,
    /// Offset of that local time from UTC in seconds, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<i32>,
    /// Tests that were run.
    pub tests: Vec<ForeignTest>,
    /// Figures that the tool reports for several tests together: fio's `Run status group`.
    pub groups: Vec<ForeignTest>,
    /// Kernel counters of devices during the run, named after the devices: fio's `Disk stats`.
    pub disks: Vec<ForeignTest>,
    /// Figures sampled over time.
    pub series: Vec<ForeignSeries>,
    /// Remarks of the reader: messages of the tool, skipped lines, guesses.
    pub remarks: Vec<ForeignRemark>,
    /// Reasons not to use the figures, as found in the file itself: errors reported by the tool, a missing end. A fault
    /// on the first line of a test applies to that test; any other fault applies to the whole document.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<ForeignRemark>,
}

/// One job, group or row of results.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ForeignTest {
    /// Name of the test: for fio the name of the job, for databases a name and a number of processes.
    pub name: String,
    /// First line of the test, counted from 1.
    pub line: u32,
    /// Parameters of the test.
    pub asked: ForeignAsked,
    /// Results.
    pub values: Vec<ForeignValue>,
    /// Latency histograms in the file (`json+`, `_clat_hist` logs), by direction and kind of latency.
    pub histograms: Vec<(Way, ForeignLatency, LatencyHistogram)>,
    /// Clones that this test combines, as reported in the file; empty in the output of readers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clones: Vec<ForeignTest>,
}

/// Parameters, as far as the file itself states them. The name of the file is not a parameter; words in it are
/// interpreted by the rules.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ForeignAsked {
    /// Mode under fio's name: `randrw`. For other tools, the closest mode.
    pub rw: Option<String>,
    /// Smallest and largest block of reads and of writes.
    pub block: [Option<(Bytes, Bytes)>; 2],
    /// Maximum operations in flight per job.
    pub depth: Option<u32>,
    /// Number of jobs, threads or processes.
    pub jobs: Option<u32>,
    /// I/O engine.
    pub engine: Option<String>,
    /// True if the page cache was bypassed.
    pub direct: Option<bool>,
    /// Requested run time in seconds.
    pub seconds: Option<f64>,
    /// Size of one job's files or of the database, in bytes.
    pub size: Option<Bytes>,
    /// Requested number of operations per job.
    pub count: Option<u64>,
    /// All other parameters, as written: (name, value).
    pub others: Vec<(String, String)>,
}

/// Direction of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// Read operations.
    Read,
    /// Write operations.
    Write,
    /// Trim (discard) operations.
    Trim,
    /// Flushes of written data.
    Sync,
    /// All directions together, or not distinguished.
    All,
}

/// Part of an operation that a latency covers, in fio's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForeignLatency {
    /// From issue until the kernel has accepted the operation.
    Submission,
    /// From acceptance to completion.
    Completion,
    /// Submission and completion together; some tools call it response time.
    Total,
    /// Latency of a device as counted by the kernel or Windows (await).
    Device,
}

/// Statistic of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Statistic {
    /// Total divided by time, which is the tool's main figure.
    Overall,
    /// Mean of samples (for latencies: of operations).
    Mean,
    /// Minimum of the samples.
    Min,
    /// Maximum of the samples.
    Max,
    /// Standard deviation.
    Deviation,
    /// Percentile, 0 to 100.
    Percentile(f64),
    /// Number of samples.
    Samples,
}

/// Units of work that are not single device operations. They are not compared with limits or needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForeignWork {
    /// Files, directories or objects that are created, looked up or removed (mdtest, elbencho).
    Entries,
    /// Transactions of a database (pgbench).
    Transactions,
    /// New orders of TPC-C (HammerDB's NOPM, here per second).
    NewOrders,
    /// Groups of system calls: several writes and their sync, or writes that only reached the page cache
    /// (`pg_test_fsync`).
    Calls,
    /// Bytes from memory (hdparm's cached reads).
    CachedBytes,
    /// Points of a score (IO500).
    Points,
}

impl ForeignWork {
    /// Returns the unit of the rate of this work.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            ForeignWork::Entries => "entries/s",
            ForeignWork::Transactions => "transactions/s",
            ForeignWork::NewOrders => "new orders/s",
            ForeignWork::Calls => "calls/s",
            ForeignWork::CachedBytes => "B/s of memory",
            ForeignWork::Points => "points",
        }
    }
}

/// Quantity of a figure, which determines the unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Number of operations.
    Operations,
    /// Bytes moved.
    Moved,
    /// Run time in seconds; for several jobs, the longest.
    Runtime,
    /// Run time of the job that ended first, in seconds, if it differs.
    ShortestRuntime,
    /// Operations per second.
    Iops(Statistic),
    /// Bytes per second.
    Bandwidth(Statistic),
    /// A latency in seconds.
    Latency(ForeignLatency, Statistic),
    /// Share of operations whose latency is above the first value and at most the second, in seconds (fio's `lat (usec)
    /// : 250=4.47%`).
    LatencyShare(f64, f64),
    /// Share of the time with this many operations in flight (fio's `IO depths`).
    DepthShare(u32),
    /// User CPU time divided by wall time, of one processor.
    CpuUser,
    /// System CPU time divided by wall time, of one processor.
    CpuSystem,
    /// Number of context switches.
    ContextSwitches,
    /// Number of failed operations, or an error number.
    Errors,
    /// Share of the time in which a device was not idle.
    Utilisation,
    /// Share of the time (0..=1) during which the demand exceeded this limit, as counted by the vendor.
    Exceeded(LimitScope, LimitAxis),
    /// Number of operations merged into others by a device.
    Merges,
    /// Total time that operations spent in a device, in seconds.
    DeviceTime,
    /// Mean number of operations in flight.
    InFlight,
    /// Number of operations that transferred this many blocks, or at least this many if `true` (irisstat's `#blk/wrt=4`
    /// and `#blk/wrt>=16`).
    OfBlocks(u32, bool),
    /// Rate of work other than device operations, per second (for points, their number).
    Work(ForeignWork, Statistic),
}

/// A figure as reported in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForeignValue {
    /// Direction of the figure.
    pub way: Way,
    /// Quantity of the figure.
    pub of: Quantity,
    /// Value in base units; `None` if the file states that it was not measured.
    pub value: Option<f64>,
    /// Smallest and largest value that would be written this way.
    pub between: (f64, f64),
    /// Line of the figure, counted from 1.
    pub line: u32,
    /// Original text: `IOPS=20.5k`.
    pub words: String,
    /// Reason why the value may not be what it seems: `unit guessed`, `a mean of two jobs' means`.
    pub doubt: Option<String>,
}

/// Figures sampled at intervals: a column of mgstat, a perfmon counter, a fio log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForeignSeries {
    /// Name in the file: `PhyWrs`, `\\MYPC\PhysicalDisk(4 H:)\Disk Write Bytes/sec`.
    pub name: String,
    /// Device, volume or process, if the name contains one: `4 H:`, `sda`.
    pub instance: Option<String>,
    /// Direction and quantity, if known.
    pub of: Option<(Way, Quantity)>,
    /// Unit, as far as the file states it: `blocks/s`, `B/s`.
    pub unit: String,
    /// Sampling period in seconds, as requested or reported. The times of the samples take precedence.
    pub period: Option<f64>,
    /// Samples in order of time.
    pub points: Vec<ForeignPoint>,
}

/// One sample.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ForeignPoint {
    /// End of the sampling period, in seconds after [`ForeignFile::began`], or after the file's first sample if that
    /// start is unknown. Times continue past midnight; a clock that was set back causes a remark..
    pub at: f64,
    /// Value in the unit of the series.
    pub value: f64,
    /// Line of the sample, counted from 1.
    pub line: u32,
}

/// Remark about a file, intended for the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignRemark {
    /// Line, counted from 1; 0 = the whole file.
    pub line: u32,
    /// One sentence; messages of the tool are quoted literally.
    pub text: Sentence,
    /// True if the line was not understood. Only readers that handle several formats use it; the text states it as
    /// well.
    #[serde(skip)]
    pub not_understood: bool,
}

impl ForeignTest {
    /// Returns a figure if it was measured.
    #[must_use]
    pub fn get(&self, way: Way, of: Quantity) -> Option<&ForeignValue> {
        self.values.iter().find(|v| v.way == way && v.of == of && v.value.is_some())
    }

    /// Returns the value of a figure if it was measured.
    #[must_use]
    pub fn value(&self, way: Way, of: Quantity) -> Option<f64> {
        self.get(way, of).and_then(|v| v.value)
    }

    /// Returns fio's count of failed operations in a job that continued after errors (`total_err` in JSON, `total=12`
    /// in text). fio's other error figure is the number of the error that ended a job.
    #[must_use]
    pub fn failed_operations(&self) -> Option<&ForeignValue> {
        let is_count = |v: &&ForeignValue| v.of == Quantity::Errors && v.words.starts_with("total");
        self.values.iter().filter(is_count).find(|v| v.value.is_some_and(|n| n > 0.0))
    }
}

impl ForeignFile {
    /// Returns the start in seconds since 1970 in UTC; in local time if the time zone is unknown.
    #[must_use]
    pub fn began_utc(&self) -> Option<i64> {
        Some(self.began? - i64::from(self.zone.unwrap_or(0)))
    }

    /// Returns when another file began, in this file's local time. If one of the two has no time zone, both are assumed
    /// to be in the same zone.
    #[must_use]
    pub fn began_of(&self, other: &ForeignFile) -> Option<i64> {
        let ahead = self.zone.zip(other.zone).map_or(0, |(own, other)| i64::from(own) - i64::from(other));
        Some(other.began? + ahead)
    }

    /// Returns the series of this name in the file.
    #[must_use]
    pub fn series(&self, name: &str) -> Option<&ForeignSeries> {
        self.series.iter().find(|s| s.name == name)
    }
}
