//! Job settings beyond the workload: queueing, threads, durability, end conditions other than time. The fio language
//! can set all of them; the native commands use the defaults.

use super::zero_for_none;
use crate::plan::{Burn, OtherWork, Rate, ShellCommands, Work};
use crate::{Bytes, Nanos};
use serde::{Deserialize, Serialize};

/// Detailed settings of a [`crate::Job`]. By default, all of them are off.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct JobTuning {
    /// Rules for submitting operations and fetching completions.
    pub queueing: Queueing,
    /// Durability of each write.
    pub sync: SyncMode,
    /// True if submission time (fio's slat) and completion time (fio's clat) are recorded separately, together with the
    /// queue depths that occurred.
    pub split_latency: bool,
    /// Length of a window if it differs from the default ([`WINDOW`]).
    #[serde(with = "zero_for_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Nanos"))]
    pub window: Option<Nanos>,
    /// Length of an interval, which is reported with whole histograms, if it differs from the default ([`INTERVAL`]).
    #[serde(with = "zero_for_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Nanos"))]
    pub interval: Option<Nanos>,
    /// CPU placement and priority of threads.
    pub thread: ThreadRule,
    /// Operations on the files when the job ends.
    pub closing: Closing,
    /// End conditions other than time and count.
    pub ends: Ends,
    /// True if every operation is kept individually for a log (fio's write_lat_log without log_avg_msec).
    pub every_op: bool,
    /// Latencies by I/O priority, for operations with individual priorities (fio's `cmdprio_*`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_priority: Option<ByPriority>,
    /// Rule by which jobs lock a file that they share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock: Option<FileLock>,
    /// Advice given to the kernel, and use of the page cache, when files are opened.
    pub opening: OpeningRule,
    /// Options of the engine, by name. Secrets ([`crate::plan::SECRETS`]) are never written to records.
    #[serde(serialize_with = "crate::plan::secrets::serialize")]
    pub engine_options: Vec<(String, String)>,
    /// errno values that do not count as errors: for reads, for writes, and for verification.
    pub ignore_errors: [Vec<i32>; 3],
    /// Errors that do not end the job under [`crate::plan::ErrorPolicy::Continue`]: those of reads, and those of writes and
    /// trims (fio's continue_on_error=read and =write); `None` means all errors.
    pub tolerate: Option<[bool; 2]>,
    /// Flow that keeps the operation counts of several jobs in a fixed proportion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow: Option<FlowRule>,
    /// Work of the job.
    #[serde(flatten)]
    pub work: Work,
    /// Commands before and after the load.
    #[serde(skip_serializing_if = "ShellCommands::is_empty")]
    pub commands: ShellCommands,
}

impl JobTuning {
    /// Returns `true` if every operation is kept individually, as logs and replays require.
    #[must_use]
    pub fn keeps_every_op(&self) -> bool {
        self.every_op || self.work.replay().is_some()
    }

    /// Returns `true` if programs that the job names run alongside it.
    #[must_use]
    pub fn runs_programs(&self) -> bool {
        !self.commands.is_empty() || matches!(self.work.other(), Some(OtherWork::Program(_)))
    }

    /// Returns the CPU burning that replaces I/O, if any.
    #[must_use]
    pub fn burn(&self) -> Option<&Burn> {
        if let Some(OtherWork::Burn(burn)) = self.work.other() { Some(burn) } else { None }
    }

    /// Returns the length of a window.
    #[must_use]
    pub fn window_length(&self) -> Nanos {
        self.window.unwrap_or(WINDOW)
    }

    /// Returns the length of an interval.
    #[must_use]
    pub fn interval_length(&self) -> Nanos {
        self.interval.unwrap_or(INTERVAL)
    }
}

/// A job's part in a flow: the operation counts of the flow's jobs keep the proportion of their weights (fio's `flow`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FlowRule {
    /// Number of the flow.
    pub id: u32,
    /// Weight of each worker of the job, at least 1.
    pub weight: u32,
    /// Minimum time that a job that is ahead waits before it checks again.
    pub pause: Nanos,
}

/// Operations that exclude each other while they are submitted, if jobs share a file (fio's `lockfile`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FileLock {
    /// All operations.
    Exclusive,
    /// All operations except reads, which may run at the same time as other reads.
    ReadWrite,
}

/// Rules for submitting operations to the engine and fetching completions. By default, the engine decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Queueing {
    /// Number of operations submitted at once (fio's iodepth_batch); `None` = the engine decides.
    #[serde(with = "zero_for_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u32"))]
    pub submit: Option<u32>,
    /// Minimum number of operations to wait for (fio's iodepth_batch_complete_min); `None` = 1, 0 = no waiting.
    pub complete_min: Option<u32>,
    /// Maximum number of operations fetched at once (fio's iodepth_batch_complete_max); `None` = all available.
    #[serde(with = "zero_for_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u32"))]
    pub complete_max: Option<u32>,
    /// Depth to which a full queue is drained before it is filled again (fio's iodepth_low); `None` means that it is
    /// filled as soon as it has room.
    #[serde(with = "zero_for_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u32"))]
    pub low: Option<u32>,
    /// True if writes and reads of the same range never overlap in flight (fio's serialize_overlap).
    pub serialize: bool,
}

/// Durability of each write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SyncMode {
    /// No flag: the page cache or the device decides.
    #[default]
    None,
    /// Data is durable (O_DSYNC).
    Data,
    /// Data and metadata are durable (O_SYNC).
    Full,
}

/// CPU placement and priority of threads.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ThreadRule {
    /// CPUs that the thread may use; empty means any.
    pub cpus: Vec<u32>,
    /// Increment of the nice value.
    pub nice: i32,
    /// I/O priority class (1 real time, 2 best effort, 3 idle) and level 0..=7.
    pub io_priority: Option<(u8, u8)>,
    /// Memory pinned while the thread runs, to simulate a machine with less memory (fio's `lockmem`).
    #[serde(skip_serializing_if = "crate::units::is_default")]
    pub pinned: Bytes,
    /// Source of the thread's memory; `None` means the policy of the process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryPolicy>,
}

/// Default length of a window, the unit of steady-state detection.
pub const WINDOW: Nanos = Nanos::from_millis(100);
/// Default length of an interval.
pub const INTERVAL: Nanos = Nanos::from_secs(1);

impl ThreadRule {
    /// Returns the I/O priority in the format of `ioprio_set(2)`. If none is set, it is the kernel's class "none".
    #[must_use]
    pub fn priority(&self) -> u16 {
        self.io_priority.map_or(0, |(class, level)| u16::from(class) << 13 | u16::from(level))
    }
}

/// Priorities whose latencies are reported separately, and the kind of latency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ByPriority {
    /// Priorities of reads and of writes in the format of `ioprio_set(2)`, starting with the thread's priority; empty
    /// if that direction has no priorities.
    pub values: [Vec<u16>; 2],
    /// True for total latencies (fio's lat), false for completion latencies (fio's clat).
    pub whole: bool,
}

/// Nodes of a machine from which the memory of a thread is allocated (`set_mempolicy(2)`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MemoryPolicy {
    /// This node, if it has memory left.
    Prefer(u32),
    /// Only these nodes.
    Bind(Vec<u32>),
    /// These nodes in turn.
    Interleave(Vec<u32>),
    /// The node the thread runs on.
    Local,
}

/// Operations on the files when the job ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Closing {
    /// True if everything is synced when the load ends; the time counts as part of the job (fio's end_fsync).
    pub flush: bool,
    /// True if the whole file system is synced in one call when the load ends (fio's end_syncfs).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub flush_file_system: bool,
    /// True if everything is synced when the file is closed (fio's fsync_on_close).
    pub flush_on_close: bool,
    /// True if the file is removed.
    pub unlink: bool,
}

/// End conditions other than time and count.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Ends {
    /// Number of bytes, over all workers, after which the job ends (fio's size or io_size, times loops).
    pub max_bytes: Option<Bytes>,
    /// Number of bytes of one pass, after which offsets start over (fio's size under time_based and loops).
    pub pass_bytes: Option<Bytes>,
    /// Maximum latency; a slower operation makes the job fail (fio's max_latency).
    pub max_latency: Option<[Nanos; 3]>,
    /// Minimum rate over `floor_cycle` for read, write and trim; a lower rate makes the job fail (fio's rate_min,
    /// rate_iops_min).
    pub floor: [Option<Rate>; 3],
    /// Period over which a rate is compared with its minimum.
    pub floor_cycle: Nanos,
    /// Rule by which the job ends when the series is steady, as in fio.
    pub steady: Option<SteadyRule>,
    /// Search for the maximum depth at which a latency is kept.
    pub latency_target: Option<LatencyTarget>,
    /// True if the job writes until the device or file system is full (fio's fill_device).
    pub until_full: bool,
    /// Other jobs that end when this job ends (fio's exitall); `None` = none.
    pub exit_all: Option<ExitWhat>,
    /// True if the other jobs end only if this job ends with an error (fio's exitall_on_error).
    pub exit_all_on_error: bool,
}

/// Jobs that end when one job ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ExitWhat {
    /// Jobs of the same reporting group.
    Group,
    /// Jobs that run at the same time, up to the next stonewall.
    Stonewall,
    /// All jobs, including those that have not started.
    All,
}

/// Rule of fio's steadystate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SteadyRule {
    /// Series that is checked.
    pub of: SteadyOf,
    /// True if the limit bounds the slope, false if it bounds the maximum deviation from the mean.
    pub slope: bool,
    /// The limit.
    pub limit: f64,
    /// True if the limit is in percent of the mean.
    pub percent: bool,
    /// Length of the window over which the limit must hold.
    pub duration: Nanos,
    /// Time before the first window begins.
    pub ramp: Nanos,
    /// Interval between checks.
    pub check: Nanos,
}

/// Series that fio's steadystate checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SteadyOf {
    /// Operations per second.
    Iops,
    /// Bytes per second.
    Bandwidth,
    /// Mean completion latency.
    Latency,
}

/// fio's latency_target options: search for the maximum queue depth at which a latency is kept.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LatencyTarget {
    /// The latency to keep.
    pub target: Nanos,
    /// Time for which each depth is tried.
    pub window: Nanos,
    /// Percentage of operations that must not exceed the latency.
    pub percentile: f64,
    /// True if the job continues at the depth that was found and reduces it when the latency is exceeded (fio's
    /// latency_run).
    pub run: bool,
}

/// Advice when files are opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct OpeningRule {
    /// True if the file is first dropped from the page cache.
    pub invalidate: bool,
    /// True if the kernel is advised of the access order (fio's fadvise_hint).
    pub advise: bool,
    /// True if the file is first read into the page cache.
    pub pre_read: bool,
    /// True if access times are not updated.
    pub no_atime: bool,
    /// Expected lifetime of written data (fio's write_hint).
    pub life: Option<WriteLife>,
    /// True if the node for device commands (`/dev/ng0n1` or `/dev/sg0`) is opened instead of the block device.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub commands: bool,
}

/// Expected lifetime of written data, in the kernel's terms (`RWH_WRITE_LIFE_*`, `fcntl(2)`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum WriteLife {
    /// Unknown.
    None,
    /// Short (RWH_WRITE_LIFE_SHORT).
    Short,
    /// Medium (RWH_WRITE_LIFE_MEDIUM).
    Medium,
    /// Long (RWH_WRITE_LIFE_LONG).
    Long,
    /// Extremely long (RWH_WRITE_LIFE_EXTREME).
    Extreme,
}
