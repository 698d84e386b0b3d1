//! What is said of ways to make writes durable (`secchi durable`).

use crate::{Bytes, BytesPerSecond, CommitMethod, CommitRule, Iops, Nanos, Percentile, Sentence};
use serde::{Deserialize, Serialize};

/// What is said of a run of `secchi durable`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DurabilityFigures {
    /// What POSIX and the manual pages promise, and whether it was seen to be kept.
    pub promises: Vec<PromiseFinding>,
    /// What the layers below the file system say of themselves, the topmost first.
    pub layers: Vec<DurabilityLayer>,
    /// The ways that were tried, in the order of the run.
    pub commits: Vec<CommitFigures>,
}

/// A promise, and what was seen of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromiseFinding {
    /// The call or flag that promises.
    pub method: CommitMethod,
    /// Whether it was seen to be kept.
    #[serde(flatten)]
    pub standing: PromiseStanding,
    /// What that rests on.
    pub evidence: Vec<Sentence>,
}

/// Whether a promise was seen to be kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "standing")]
pub enum PromiseStanding {
    /// Down to the lowest layer that can be seen.
    Kept {
        /// That layer.
        down_to: String,
    },
    /// Every layer passed it on, and the lowest one answered sooner than a medium can.
    Doubtful {
        /// That layer.
        layer: String,
    },
    /// It ended at a layer that keeps nothing, or did not pass it on.
    Broken {
        /// That layer.
        layer: String,
    },
    /// It cannot be seen here.
    Unseen,
    /// The call itself failed here.
    Refused,
}

impl PromiseStanding {
    /// The identifier of the message that says it in a word or two.
    #[must_use]
    pub const fn message(&self) -> &'static str {
        match self {
            PromiseStanding::Kept { .. } => "durable-standing-kept",
            PromiseStanding::Doubtful { .. } => "durable-standing-doubtful",
            PromiseStanding::Broken { .. } => "durable-standing-broken",
            PromiseStanding::Unseen => "durable-standing-unseen",
            PromiseStanding::Refused => "durable-standing-refused",
        }
    }
}

/// A layer of the stack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DurabilityLayer {
    /// Kernel name of a device, or the type of a file system.
    pub name: String,
    /// What it is: `ext4`, `dm`, `loop`, `virtio`.
    pub kind: String,
    /// What it says of a cache of its own: `write back`, `write through`; empty where it says nothing.
    pub write_cache: String,
    /// What is to be known of it.
    pub note: Sentence,
}

/// One way to commit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommitFigures {
    /// What was done.
    pub rule: CommitRule,
    /// Commits, or syncs where they are timed apart.
    pub commits: u64,
    /// Of them per second.
    pub rate: Iops,
    /// Arithmetic mean of the latencies.
    pub mean: Option<Nanos>,
    /// The median latency.
    pub p50: Percentile,
    /// 99th percentile.
    pub p99: Percentile,
    /// 99.9th percentile.
    pub p999: Percentile,
    /// Largest latency.
    pub max: Option<Nanos>,
    /// Operations that failed.
    pub errors: u64,
    /// What of it reached the devices, the topmost first; empty without a trace.
    pub devices: Vec<CommitAtDevice>,
    /// Its step in the record.
    pub step: usize,
}

/// What of the commits of a step reached a device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommitAtDevice {
    /// Kernel name.
    pub name: String,
    /// Writes, of whomever.
    pub writes: u64,
    /// Bytes of them.
    pub bytes: Bytes,
    /// Writes forced to the medium (`FUA`).
    pub forced: u64,
    /// Flushes of its cache, of whomever: nobody counts them by process.
    pub flushes: u64,
    /// Median of the device's own time for a flush.
    pub flush_p50: Option<Nanos>,
    /// The device's own time for all of them together.
    pub busy: Nanos,
    /// Whether the trace saw them; otherwise the kernel's counters of the device did, which know neither forced writes nor times.
    pub traced: bool,
}

impl CommitAtDevice {
    /// Flushes and forced writes for each of so many commits.
    #[must_use]
    pub fn syncs_each(&self, commits: u64) -> f64 {
        (self.flushes + self.forced) as f64 / commits.max(1) as f64
    }
}

impl CommitFigures {
    /// Bytes made durable per second of the syncs' own time, where they are timed apart.
    #[must_use]
    pub fn sync_bandwidth(&self) -> Option<BytesPerSecond> {
        let mean = self.mean.filter(|mean| self.rule.apart && !mean.is_zero())?;
        Some(BytesPerSecond(self.rule.bytes().as_u64() as f64 / mean.secs()))
    }
}
