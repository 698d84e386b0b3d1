//! How a job is run, beyond what it asks: queueing, threads, durability, ends other than time. The fio language can set
//! all of it; the native commands leave the defaults.

use super::zero_for_none;
use crate::{
    Burn, Bytes, BytesPerSecond, CommitRule, Iops, MetadataRule, Nanos, OtherWork, Replay, RequestInterval,
    SessionRule, ShellCommands,
};
use serde::{Deserialize, Serialize};

/// Finer points of a [`crate::Job`]. The default is none of them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct JobTuning {
    /// How operations are handed over and fetched.
    pub queueing: Queueing,
    /// Durability of each write.
    pub sync: SyncMode,
    /// Tell the time of submission (fio's slat) from the rest (fio's clat), and keep the depths reached.
    pub parts: bool,
    /// Length of a window, where it is not the usual one ([`WINDOW`]).
    #[serde(with = "zero_for_none")]
    pub window: Option<Nanos>,
    /// Length of an interval, which is told with whole histograms, where it is not the usual one ([`INTERVAL`]).
    #[serde(with = "zero_for_none")]
    pub interval: Option<Nanos>,
    /// Where and how urgently threads run.
    pub thread: ThreadRule,
    /// What is done to the files when the job ends.
    pub closing: Closing,
    /// Other ends than time and count.
    pub ends: Ends,
    /// Keep every single operation for a log (fio's write_lat_log without log_avg_msec).
    pub every_op: bool,
    /// Latencies are told by I/O priority, too: of operations that have priorities of their own (fio's `cmdprio_*`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_priority: Option<ByPriority>,
    /// Jobs take turns at a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock: Option<FileLock>,
    /// Advice to the kernel and page cache when files are opened.
    pub opening: OpeningRule,
    /// Options of the engine, by name. Secrets among them ([`crate::SECRETS`]) are never written.
    #[serde(serialize_with = "crate::plan::secrets::serialize")]
    pub engine_options: Vec<(String, String)>,
    /// Errors that are no errors: by [`crate::Op::index`] of read, write, and of verification, errno values.
    pub ignore_errors: [Vec<i32>; 3],
    /// Under [`crate::ErrorPolicy::Continue`], whose errors are let pass: of reads, and of writes and trims (fio's
    /// continue_on_error=read and =write); `None` = all.
    pub tolerate: Option<[bool; 2]>,
    /// The operations of several jobs in a proportion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow: Option<FlowRule>,
    /// One operation at a time, each so long after the last.
    #[serde(rename = "beat", skip_serializing_if = "Option::is_none")]
    pub request_interval: Option<RequestInterval>,
    /// Drives a database session instead of a block engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<Box<SessionRule>>,
    /// It does no I/O, but this: there are no workers then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_work: Option<Box<OtherWork>>,
    /// Operations of a recording are made instead of those the workload describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<Box<Replay>>,
    /// Makes, looks at, reads or removes files of its own instead of moving contents of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<MetadataRule>,
    /// Commits by a method, in a directory of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitRule>,
    /// Commands before and after the load.
    #[serde(skip_serializing_if = "ShellCommands::is_empty")]
    pub commands: ShellCommands,
}

impl JobTuning {
    /// Whether every point is at its default.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == JobTuning::default()
    }

    /// Whether every single operation is kept: for a log, and of replays.
    #[must_use]
    pub fn keeps_every_op(&self) -> bool {
        self.every_op || self.replay.is_some()
    }

    /// Whether programs that the job names are run beside it.
    #[must_use]
    pub fn runs_programs(&self) -> bool {
        !self.commands.is_empty() || matches!(self.other_work.as_deref(), Some(OtherWork::Program(_)))
    }

    /// The burning of CPU time that it is instead of I/O, if it is that.
    #[must_use]
    pub fn burn(&self) -> Option<&Burn> {
        match self.other_work.as_deref() {
            Some(OtherWork::Burn(burn)) => Some(burn),
            _ => None,
        }
    }
}

/// A job's part in a flow: the numbers of operations of its jobs keep the proportion of their weights (fio's `flow`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowRule {
    /// Which flow.
    pub id: u32,
    /// Weight of each worker of the job, at least 1.
    pub weight: u32,
    /// How long a job that is ahead waits at least before it looks again.
    pub pause: Nanos,
}

/// Which operations of jobs on one file exclude each other while they are handed over (fio's `lockfile`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileLock {
    /// All operations.
    Exclusive,
    /// All but reads, which go together.
    ReadWrite,
}

/// How operations are handed to the engine and fetched from it. `None` everywhere = as the engine does best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Queueing {
    /// Operations handed over at once (fio's iodepth_batch); `None` = as the engine does best.
    #[serde(with = "zero_for_none")]
    pub submit: Option<u32>,
    /// Fewest operations waited for (fio's iodepth_batch_complete_min); `None` = 1, 0 = none are waited for.
    pub complete_min: Option<u32>,
    /// Most operations fetched at once (fio's iodepth_batch_complete_max); `None` = all that are there.
    #[serde(with = "zero_for_none")]
    pub complete_max: Option<u32>,
    /// Once the queue is full, drain it to this depth before filling it again (fio's iodepth_low); `None` = it
    /// is filled as soon as there is room.
    #[serde(with = "zero_for_none")]
    pub low: Option<u32>,
    /// Writes and reads of the same range never overlap in flight (fio's serialize_overlap).
    pub serialize: bool,
}

/// Durability of each write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SyncMode {
    /// As the page cache or the device likes.
    #[default]
    None,
    /// Data durable (O_DSYNC).
    Data,
    /// Data and metadata durable (O_SYNC).
    Full,
}

/// Where and how urgently threads run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ThreadRule {
    /// CPUs the thread may use; empty = any.
    pub cpus: Vec<u32>,
    /// Added to the niceness.
    pub nice: i32,
    /// I/O priority class (1 real time, 2 best effort, 3 idle) and level 0..=7.
    pub io_priority: Option<(u8, u8)>,
    /// Memory pinned while the thread runs, so that the machine looks smaller (fio's `lockmem`).
    #[serde(skip_serializing_if = "none_pinned")]
    pub pinned: Bytes,
    /// Where its memory comes from; `None` = as the process has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryPolicy>,
}

/// Usual length of a window: what steadiness is judged by.
pub const WINDOW: Nanos = Nanos::from_millis(100);
/// Usual length of an interval.
pub const INTERVAL: Nanos = Nanos::from_secs(1);

impl JobTuning {
    /// Length of a window.
    #[must_use]
    pub fn window_length(&self) -> Nanos {
        self.window.unwrap_or(WINDOW)
    }

    /// Length of an interval.
    #[must_use]
    pub fn interval_length(&self) -> Nanos {
        self.interval.unwrap_or(INTERVAL)
    }
}

impl ThreadRule {
    /// The I/O priority as `ioprio_set(2)` has it. Where none is set this is the kernel's class "none".
    #[must_use]
    pub fn priority(&self) -> u16 {
        self.io_priority.map_or(0, |(class, level)| u16::from(class) << 13 | u16::from(level))
    }
}

/// Priorities whose latencies are told apart, and which latencies these are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByPriority {
    /// Of reads and of writes, as `ioprio_set(2)` has them, the thread's own first; none = that way has no priorities.
    pub values: [Vec<u16>; 2],
    /// Whole latencies (fio's lat) rather than those from acceptance to completion (fio's clat).
    pub whole: bool,
}

/// Which nodes of a machine the memory of a thread comes from (`set_mempolicy(2)`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryPolicy {
    /// From this node, if it has any left.
    Prefer(u32),
    /// From these nodes only.
    Bind(Vec<u32>),
    /// From these nodes in turn.
    Interleave(Vec<u32>),
    /// From the node the thread runs on.
    Local,
}

fn none_pinned(bytes: &Bytes) -> bool {
    bytes.is_zero()
}

/// What is done to the files when the job ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Closing {
    /// Make everything durable when the load ends, counted as time of the job (fio's end_fsync).
    pub flush: bool,
    /// The same for the whole file system, by one call (fio's end_syncfs).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub flush_file_system: bool,
    /// Make everything durable when the file is closed (fio's fsync_on_close).
    pub flush_on_close: bool,
    /// Remove the file.
    pub unlink: bool,
}

/// Ends other than time and count.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Ends {
    /// End after this many bytes of all workers (fio's size or io_size, times loops).
    pub max_bytes: Option<Bytes>,
    /// Bytes of one pass: when they are done, places begin anew (fio's size under time_based and loops).
    pub pass_bytes: Option<Bytes>,
    /// An operation that takes longer ends the job as failed (fio's max_latency).
    pub max_latency: Option<[Nanos; 3]>,
    /// A rate below this over `floor_cycle` ends the job as failed (fio's rate_min, rate_iops_min): read, write, trim.
    pub floor: [Option<Rate>; 3],
    /// Over how long a rate below the floor is judged.
    pub floor_cycle: Nanos,
    /// End when the series is steady, by fio's rule.
    pub steady: Option<SteadyRule>,
    /// Find the depth that just keeps a latency.
    pub latency_target: Option<LatencyTarget>,
    /// Write until the device or file system is full (fio's fill_device).
    pub until_full: bool,
    /// When this job ends, all others of the run do (fio's exitall), with how far it reaches.
    pub exit_all: Option<ExitWhat>,
    /// Only an end by an error takes the others along (fio's exitall_on_error).
    pub exit_all_on_error: bool,
}

/// How far the end of one job reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitWhat {
    /// Jobs of its reporting group.
    Group,
    /// Jobs that run with it, up to the next stonewall.
    Stonewall,
    /// All jobs, those that wait included.
    All,
}

/// A rate of operations or of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rate {
    /// Operations per second.
    Iops(Iops),
    /// Bytes per second.
    Bytes(BytesPerSecond),
}

/// fio's steadystate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SteadyRule {
    /// What is looked at.
    pub of: SteadyOf,
    /// Whether the limit bounds the slope, rather than the largest deviation from the mean.
    pub slope: bool,
    /// The limit.
    pub limit: f64,
    /// Whether the limit is in percent of the mean.
    pub percent: bool,
    /// Length of the window it must hold over.
    pub duration: Nanos,
    /// Time before the first window begins.
    pub ramp: Nanos,
    /// How often it is looked at.
    pub check: Nanos,
}

/// Series that fio's steadystate looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SteadyOf {
    /// Operations per second.
    Iops,
    /// Bytes per second.
    Bandwidth,
    /// Mean completion latency.
    Latency,
}

/// fio's latency_target family: the deepest queue that keeps a latency.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LatencyTarget {
    /// The latency to keep.
    pub target: Nanos,
    /// How long a depth is tried.
    pub window: Nanos,
    /// Percent of operations that must keep it.
    pub percentile: f64,
    /// Go on at the depth found, and down again when it is not kept (fio's latency_run).
    pub run: bool,
}

/// Advice when files are opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct OpeningRule {
    /// Drop what the page cache holds of the file first.
    pub invalidate: bool,
    /// Tell the kernel in what order places come (fio's fadvise_hint).
    pub advise: bool,
    /// Read the file into the page cache first.
    pub pre_read: bool,
    /// Do not update access times.
    pub no_atime: bool,
    /// How long written data is expected to live (fio's write_hint).
    pub life: Option<WriteLife>,
    /// The node that takes the device's own commands, `/dev/ng0n1` or `/dev/sg0`, not the block device behind it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub commands: bool,
}

/// How long written data is expected to live, in the kernel's words (`RWH_WRITE_LIFE_*`, `fcntl(2)`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteLife {
    /// Nothing is known of it.
    None,
    /// A short life (RWH_WRITE_LIFE_SHORT).
    Short,
    /// A medium life (RWH_WRITE_LIFE_MEDIUM).
    Medium,
    /// A long life (RWH_WRITE_LIFE_LONG).
    Long,
    /// Extremely long.
    Extreme,
}
