//! What other tools' files tell, as they tell it: the side that judgement of foreign results sees.
//!
//! A value is kept with the line it stood on, its words, and the interval that rounding leaves: `IOPS=20.5k` is anything from
//! 20,450 to 20,550. What a file does not tell is not there; nothing is put in its place. All figures are in base units: operations,
//! bytes, seconds, and these per second; shares from 0 to 1.

use crate::{Bytes, LatencyHistogram, LimitAxis, LimitScope, Sentence};
use serde::{Deserialize, Serialize};

/// One file, or one document of several in it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ForeignFile {
    /// The file as its user named it.
    pub source: String,
    /// Which importer read it: `fio-text`, `mgstat`.
    pub format: String,
    /// The tool and its version as the file tells them: `fio-3.30`; empty where it does not.
    pub tool: String,
    /// When it was made, as it stands in the file; empty where it does not.
    pub when: String,
    /// The same in seconds since 1970 on the clock on that machine's wall (most tools write no zone).
    pub began: Option<i64>,
    /// Seconds that this clock is ahead of UTC, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<i32>,
    /// What was run.
    pub tests: Vec<ForeignTest>,
    /// What the tool tells of several tests together: fio's `Run status group`.
    pub groups: Vec<ForeignTest>,
    /// What the kernel counted on devices during the run: fio's `Disk stats`; their names are the devices'.
    pub disks: Vec<ForeignTest>,
    /// What was sampled over time.
    pub series: Vec<ForeignSeries>,
    /// What the reader noticed: messages of the tool, lines it passed over, guesses.
    pub remarks: Vec<ForeignRemark>,
    /// Why figures here are not to be used, as the file itself shows: errors that the tool told of, an end that is missing. One
    /// on the line where a test begins is of that test, any other of the whole document.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<ForeignRemark>,
}

/// One job, group or row of results.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ForeignTest {
    /// Its name: of a fio job, of a database and number of processes.
    pub name: String,
    /// Where it begins, counted from 1.
    pub line: u32,
    /// What was asked of it.
    pub asked: ForeignAsked,
    /// What came out.
    pub values: Vec<ForeignValue>,
    /// Latencies as the file has them in bins (`json+`, `_clat_hist` logs), by what they are of and direction.
    pub histograms: Vec<(Way, ForeignLatency, LatencyHistogram)>,
    /// Clones whose sum this is, as the file reports each of them; empty in what readers return.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clones: Vec<ForeignTest>,
}

/// Parameters, as far as the file itself tells them. A file's name is no parameter; its words stand in the rules.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ForeignAsked {
    /// fio's word: `randrw`. Of other tools the nearest of them.
    pub rw: Option<String>,
    /// Smallest and largest block, of reads and of writes.
    pub block: [Option<(Bytes, Bytes)>; 2],
    /// Operations in flight that one job may have.
    pub depth: Option<u32>,
    /// Jobs, threads or processes.
    pub jobs: Option<u32>,
    /// I/O engine.
    pub engine: Option<String>,
    /// Whether the page cache was passed by.
    pub direct: Option<bool>,
    /// Seconds it was to last.
    pub seconds: Option<f64>,
    /// Bytes of one job's files, or of the database.
    pub size: Option<Bytes>,
    /// Operations that were asked of each job.
    pub count: Option<u64>,
    /// Everything else, as it stands: (name, value).
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
    /// Flushes of what was written.
    Sync,
    /// All together, or not told apart.
    All,
}

/// Which stretch of an operation a latency is of, in fio's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForeignLatency {
    /// Until the kernel had it.
    Submission,
    /// From there to its end.
    Completion,
    /// Both; also what tools call response time.
    Total,
    /// A device's, as the kernel or Windows counts it (await).
    Device,
}

/// Which number of many a figure is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Statistic {
    /// Everything divided by the time: the tool's headline.
    Overall,
    /// Mean of samples (latencies: of operations).
    Mean,
    /// The smallest of them.
    Min,
    /// The largest of them.
    Max,
    /// Standard deviation.
    Deviation,
    /// Percentile, 0 to 100.
    Percentile(f64),
    /// How many samples.
    Samples,
}

/// What a tool counts that is no single operation of a device: it is held against no limit and no need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForeignWork {
    /// Files, directories or objects made, looked up or removed (mdtest, elbencho).
    Entries,
    /// Transactions of a database (pgbench).
    Transactions,
    /// New orders of TPC-C (HammerDB's NOPM, here per second).
    NewOrders,
    /// Groups of system calls: several writes and their sync, writes that only the page cache took (`pg_test_fsync`).
    Calls,
    /// Bytes from memory (hdparm's cached reads).
    CachedBytes,
    /// Points of a score (IO500).
    Points,
}

impl ForeignWork {
    /// The unit of its rate.
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

/// What a figure is of; the unit follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// A number of operations.
    Operations,
    /// Bytes moved.
    Moved,
    /// Run time, seconds; of several jobs the longest.
    Runtime,
    /// Run time of the job that ended first, seconds, where it is not the same.
    ShortestRuntime,
    /// Operations per second.
    Iops(Statistic),
    /// Bytes per second.
    Bandwidth(Statistic),
    /// A latency in seconds.
    Latency(ForeignLatency, Statistic),
    /// Share of operations whose latency was above the first and at most the second, seconds (fio's `lat (usec) : 250=4.47%`).
    LatencyShare(f64, f64),
    /// Share of the time with so many operations in flight (fio's `IO depths`).
    DepthShare(u32),
    /// Processor time in user mode over wall time, of one processor.
    CpuUser,
    /// In the kernel.
    CpuSystem,
    /// Switches of context.
    ContextSwitches,
    /// Operations that failed, or an error's number.
    Errors,
    /// Share of the time a device was not idle.
    Utilisation,
    /// Share of the time (0..=1) in which more was asked than this limit gives, as whoever sells it counts.
    Exceeded(LimitScope, LimitAxis),
    /// Operations a device merged into others.
    Merges,
    /// Time that operations spent in a device, summed, seconds.
    DeviceTime,
    /// Mean operations in flight.
    InFlight,
    /// Operations that moved so many blocks, or at least so many (irisstat's `#blk/wrt=4` and `#blk/wrt>=16`).
    OfBlocks(u32, bool),
    /// Per second what is no operation of a device (of points: how many).
    Work(ForeignWork, Statistic),
}

/// A figure as a file tells it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForeignValue {
    /// The direction it is of.
    pub way: Way,
    /// What it is of.
    pub of: Quantity,
    /// The value in base units, `None` where the file says that it was not measured.
    pub value: Option<f64>,
    /// Least and largest value that is written like this.
    pub between: (f64, f64),
    /// Line it stands on, counted from 1.
    pub line: u32,
    /// Its words: `IOPS=20.5k`.
    pub words: String,
    /// Why it may not be what it seems: `unit guessed`, `a mean of two jobs' means`.
    pub doubt: Option<String>,
}

/// What was sampled at intervals: a column of mgstat, a counter of perfmon, a log of fio's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForeignSeries {
    /// As the file names it: `PhyWrs`, `\\MYPC\PhysicalDisk(4 H:)\Disk Write Bytes/sec`.
    pub name: String,
    /// Device, volume or process, if the name tells one: `4 H:`, `sda`.
    pub instance: Option<String>,
    /// What it is of, if it is a quantity known to us.
    pub of: Option<(Way, Quantity)>,
    /// Unit as far as the file tells it: `blocks/s`, `B/s`.
    pub unit: String,
    /// Seconds that a sample stretches over, as asked for or told; samples' own times are the truth.
    pub period: Option<f64>,
    /// Samples in order of time.
    pub points: Vec<ForeignPoint>,
}

/// One sample.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ForeignPoint {
    /// End of the stretch it tells of, in seconds after [`ForeignFile::began`], where there is none after the file's first
    /// sample (days roll over; a clock set back is a remark).
    pub at: f64,
    /// In the series' unit.
    pub value: f64,
    /// Line it stands on, counted from 1.
    pub line: u32,
}

/// Something about a file that a reader should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignRemark {
    /// Line, counted from 1; 0 = the file as a whole.
    pub line: u32,
    /// One sentence; what the tool itself says is there as it stands.
    pub text: Sentence,
    /// Whether the line was not understood. For readers of several formats only: its text says so as well.
    #[serde(skip)]
    pub not_understood: bool,
}

impl ForeignTest {
    /// A figure, if it was measured.
    #[must_use]
    pub fn get(&self, way: Way, of: Quantity) -> Option<&ForeignValue> {
        self.values.iter().find(|v| v.way == way && v.of == of && v.value.is_some())
    }

    /// Its value.
    #[must_use]
    pub fn value(&self, way: Way, of: Quantity) -> Option<f64> {
        self.get(way, of).and_then(|v| v.value)
    }

    /// fio's count of operations that failed in a job that went on (`total_err` in JSON, `total=12` in text); what else it tells of
    /// errors is the number of the one that ended a job.
    #[must_use]
    pub fn failed_operations(&self) -> Option<&ForeignValue> {
        let is_count = |v: &&ForeignValue| v.of == Quantity::Errors && v.words.starts_with("total");
        self.values.iter().filter(is_count).find(|v| v.value.is_some_and(|n| n > 0.0))
    }
}

impl ForeignFile {
    /// Seconds since 1970 in UTC; by the clock on the wall where no zone is known.
    #[must_use]
    pub fn began_utc(&self) -> Option<i64> {
        Some(self.began? - i64::from(self.zone.unwrap_or(0)))
    }

    /// When another file began, by this one's clock. Where one of both names no zone they are taken for the same machine's.
    #[must_use]
    pub fn began_of(&self, other: &ForeignFile) -> Option<i64> {
        let ahead = self.zone.zip(other.zone).map_or(0, |(own, other)| i64::from(own) - i64::from(other));
        Some(other.began? + ahead)
    }

    /// A series by the name it has in the file.
    #[must_use]
    pub fn series(&self, name: &str) -> Option<&ForeignSeries> {
        self.series.iter().find(|s| s.name == name)
    }
}
