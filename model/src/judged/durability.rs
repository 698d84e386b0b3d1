//! Judgement of commit methods, the ways to make writes durable (`secchi durable`).

use crate::plan::{CommitMethod, CommitRule};
use crate::{
    Bytes, BytesPerSecond, Iops, Nanos, Sentence,
    measured::{Percentile, percentiles},
};
use serde::{Deserialize, Serialize};

/// Judgement of a run of `secchi durable`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DurabilityFigures {
    /// Promises of POSIX and the manual pages, and whether they were observed to be kept.
    pub promises: Vec<PromiseFinding>,
    /// Properties that the layers below the file system report, the topmost first.
    pub layers: Vec<DurabilityLayer>,
    /// Commit methods that were tried, in the order of the run.
    pub commits: Vec<CommitFigures>,
}

/// A promise, and what was observed about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PromiseFinding {
    /// Call or flag that makes the promise.
    pub method: CommitMethod,
    /// Result of the observation.
    #[serde(flatten)]
    pub standing: PromiseStanding,
    /// Evidence for that result.
    pub evidence: Vec<Sentence>,
}

/// Result of observing a promise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", tag = "standing")]
pub enum PromiseStanding {
    /// Kept down to the lowest visible layer.
    Kept {
        /// Lowest visible layer.
        down_to: String,
    },
    /// Every layer passed the request on, but the lowest layer answered faster than a storage medium can.
    Doubtful {
        /// Lowest layer.
        layer: String,
    },
    /// Broken at a layer that stores nothing durably or that did not pass the request on.
    Broken {
        /// Layer at which the promise was broken.
        layer: String,
    },
    /// Not observable on this system.
    Unseen,
    /// The call itself failed on this system.
    Refused,
}

impl PromiseStanding {
    /// Returns the identifier of the message that states the result in a word or two.
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

/// A layer of the storage stack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DurabilityLayer {
    /// Kernel name of a device, or type of a file system.
    pub name: String,
    /// Kind of layer: `ext4`, `dm`, `loop`, `virtio`.
    pub kind: String,
    /// Mode of the layer's write cache: `write back`, `write through`; empty if the layer reports none.
    pub write_cache: String,
    /// Remark about the layer.
    pub note: Sentence,
}

/// Figures of one commit method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommitFigures {
    /// Rule of the commits.
    pub rule: CommitRule,
    /// Number of commits; if syncs are timed separately, number of syncs.
    pub commits: u64,
    /// Commits per second.
    pub rate: Iops,
    /// Arithmetic mean of the latencies.
    pub mean: Option<Nanos>,
    /// The median latency.
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
    /// Largest latency.
    pub max: Option<Nanos>,
    /// Operations that failed.
    pub errors: u64,
    /// I/O of the commits that reached the devices, the topmost first; empty without a trace.
    pub devices: Vec<CommitAtDevice>,
    /// Index of the step in the record.
    pub step: usize,
}

/// I/O of the commits of a step that reached a device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommitAtDevice {
    /// Kernel name.
    pub name: String,
    /// Number of writes, by any process.
    pub writes: u64,
    /// Bytes of those writes.
    pub bytes: Bytes,
    /// Writes forced to the medium (`FUA`).
    pub forced: u64,
    /// Flushes of the device's cache, by any process; the kernel does not count them by process.
    pub flushes: u64,
    /// Median time that the device took for a flush.
    pub flush_p50: Option<Nanos>,
    /// Total time that the device took for all of these requests.
    pub busy: Nanos,
    /// True if the trace counted the requests; otherwise the kernel's device counters did, which have neither forced
    /// writes nor times.
    pub traced: bool,
}

impl CommitAtDevice {
    /// Returns flushes and forced writes per commit, for a number of commits.
    #[must_use]
    pub fn syncs_each(&self, commits: u64) -> f64 {
        (self.flushes + self.forced) as f64 / commits.max(1) as f64
    }
}

impl CommitFigures {
    /// Returns the bytes made durable per second of sync time, if syncs are timed separately.
    #[must_use]
    pub fn sync_bandwidth(&self) -> Option<BytesPerSecond> {
        let mean = self.mean.filter(|mean| self.rule.apart && !mean.is_zero())?;
        Some(BytesPerSecond(self.rule.bytes().as_u64() as f64 / mean.secs()))
    }
}
