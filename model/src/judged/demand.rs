//! Demand that a recording places on storage: rates with their bursts, sizes, order, working set, concurrency, flushes
//! and original latencies. Samples (iostat, mgstat, CloudWatch) give the same figures as far as they contain them;
//! missing figures are absent, never zero.

use crate::measured::{RequestKind, RequestSizes};
use crate::{Bytes, Caveat, CompactSort, LatencyHistogram, Nanos, recording::RecordedLayer};
use std::collections::BTreeMap;

/// Durations for which the busiest stretch is reported.
pub const SUSTAINED: [Nanos; 4] =
    [Nanos::from_secs(1), Nanos::from_secs(10), Nanos::from_secs(60), Nanos::from_secs(600)];

/// A stretch in the course of a rate, in units per second.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RatePoint {
    /// Start of the stretch.
    pub at: Nanos,
    /// Length of the stretch: one or more seconds or samples.
    pub length: Nanos,
    /// Mean rate of the stretch.
    pub mean: f64,
    /// Rate of the busiest second or sample in the stretch.
    pub most: f64,
}

/// A rate over a recording, in units per second.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RateDemand {
    /// Mean over the recording.
    pub mean: f64,
    /// 50th, 95th and 99th percentiles of the rates per second or per sample; `None` if the recording is shorter than
    /// one of these.
    pub percentiles: Option<[f64; 3]>,
    /// Length, rate and start of the busiest second or sample.
    pub busiest_sample: Option<(Nanos, f64, Nanos)>,
    /// Rate and start of the busiest stretch of each duration in [`SUSTAINED`]; `None` if the recording is shorter, or
    /// its samples are longer.
    pub sustained: [Option<(f64, Nanos)>; 4],
    /// Course of the rate in order of time, at most 1,000 points; nothing is known about gaps between points.
    pub course: Vec<RatePoint>,
}

impl RateDemand {
    /// Returns the rate of the busiest second or sample.
    #[must_use]
    pub fn most(&self) -> f64 {
        self.busiest_sample.map_or(0.0, |(_, rate, _)| rate)
    }

    /// Returns the length, rate and start of the busiest stretch of at least `length`, or of the longest known
    /// duration.
    #[must_use]
    pub fn busiest(&self, length: Nanos) -> Option<(Nanos, f64, Nanos)> {
        let sustained =
            SUSTAINED.into_iter().zip(self.sustained).filter_map(|(l, s)| s.map(|(rate, at)| (l, rate, at)));
        let mut stretches: Vec<_> = self.busiest_sample.into_iter().chain(sustained).collect();
        stretches.compact_sort_by_key(|(length, ..)| *length);
        stretches.iter().find(|(l, ..)| *l >= length).or(stretches.last()).copied()
    }
}

/// Demand of requests of one kind.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KindDemand {
    /// Number of successful requests.
    pub requests: u64,
    /// Number of requests that ended with an error; the other figures exclude them.
    pub failed: u64,
    /// Sizes of the requests that have one; empty for samples.
    pub sizes: RequestSizes,
    /// Bytes moved; `None` if unknown.
    pub moved: Option<Bytes>,
    /// Number of requests that began at the end of one of the last sixteen requests to the same target, or that began
    /// within one and ended beyond it; `None` if unknown.
    pub sequential: Option<u64>,
    /// Number of requests that an application waited for: synchronous, forced to the medium, or with a preceding flush;
    /// `None` if unknown.
    pub waited_for: Option<u64>,
    /// Recorded latencies; empty for samples.
    pub latency: LatencyHistogram,
    /// Mean latency, if samples contain only the mean.
    pub latency_mean: Option<Nanos>,
    /// Requests per second.
    pub iops: RateDemand,
    /// Bytes per second; `None` if unknown.
    pub bandwidth: Option<RateDemand>,
}

impl KindDemand {
    /// Returns the share of sequential requests, 0..=1; `None` if unknown.
    #[must_use]
    pub fn sequential_share(&self) -> Option<f64> {
        self.sequential.map(|n| if self.requests == 0 { 0.0 } else { n as f64 / self.requests as f64 })
    }

    /// Returns the mean size of a request, if known.
    #[must_use]
    pub fn mean_size(&self) -> Option<Bytes> {
        let of_all = || self.moved?.as_u64().checked_div(self.requests).map(Bytes);
        self.sizes.mean().or_else(of_all).filter(|mean| mean.as_u64() > 0)
    }

    /// Returns the mean latency, if known.
    #[must_use]
    pub fn mean_latency(&self) -> Option<Nanos> {
        self.latency.mean().or(self.latency_mean)
    }
}

/// Bytes that were accessed, and how soon they were accessed again.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WorkingSet {
    /// Distinct bytes read or written, in blocks of 4 KiB.
    pub touched: Bytes,
    /// Distinct bytes read.
    pub read: Bytes,
    /// Distinct bytes written.
    pub written: Bytes,
    /// Share of blocks that were examined: 1 for all, less if there were too many and only a sample was examined
    /// (SHARDS).
    pub sampled: f64,
    /// For LRU caches of these sizes, the share of block reads that would hit, 0..=1. Sizes ascend; the first read of a
    /// block always misses.
    pub cached: Vec<(Bytes, f64)>,
}

/// Frequency of flushes of the device's cache.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FlushDemand {
    /// Number of flushes, including those that precede a write.
    pub flushes: u64,
    /// Time between consecutive flushes.
    pub apart: LatencyHistogram,
    /// Mean number of bytes written between consecutive flushes.
    pub written_between: Bytes,
}

/// Demand of the files of one role.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RoleDemand {
    /// The role, or [`crate::plan::UNMAPPED`].
    pub role: String,
    /// Demand by kind of request.
    pub kinds: BTreeMap<RequestKind, KindDemand>,
    /// Reads and writes per second.
    pub iops: RateDemand,
    /// Bytes read and written per second, as far as they are known; `None` if unknown.
    pub bandwidth: Option<RateDemand>,
    /// Requests in flight: the mean over the recording, and the mean of the second or sample with the most. A mean is
    /// sampled, or the sum of the latencies over the time (Little's law). `None` if unknown.
    pub in_flight: Option<(f64, f64)>,
    /// Working set; `None` if unknown.
    pub working_set: Option<WorkingSet>,
    /// Flushes; `None` if there were none.
    pub flushes: Option<FlushDemand>,
}

impl RoleDemand {
    /// Returns the number of reads and writes.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.kinds
            .iter()
            .filter(|(kind, _)| matches!(kind, RequestKind::Read | RequestKind::Write))
            .map(|(_, k)| k.requests)
            .sum()
    }

    /// Returns the share of reads among reads and writes, 0..=1; `None` without either.
    #[must_use]
    pub fn read_share(&self) -> Option<f64> {
        let reads = self.kinds.get(&RequestKind::Read).map_or(0, |k| k.requests);
        (self.requests() > 0).then(|| reads as f64 / self.requests() as f64)
    }
}

/// Demand that a recording places on storage.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Demand {
    /// Layer at which requests were recorded.
    pub layer: RecordedLayer,
    /// Length of the recording.
    pub length: Nanos,
    /// Interval between samples; `None` if each request was recorded.
    pub resolution: Option<Nanos>,
    /// Demand of all roles together; the role is empty.
    pub all: RoleDemand,
    /// Demand of each role, the busiest first.
    pub roles: Vec<RoleDemand>,
    /// Doubts about the figures.
    pub doubts: Vec<Caveat>,
}
