//! What a recording asks of storage: rates with their bursts, sizes, order, working set, concurrency, flushes, latencies it had. Of
//! samples (iostat, mgstat, CloudWatch) it is the same as far as they tell it: what they do not tell is absent, never zero.

use crate::CompactSort;
use crate::{Bytes, Caveat, LatencyHistogram, Nanos, RecordedLayer, RequestKind, RequestSizes};
use std::collections::BTreeMap;

/// Lengths of time over which the busiest stretch is told.
pub const SUSTAINED: [Nanos; 4] =
    [Nanos::from_secs(1), Nanos::from_secs(10), Nanos::from_secs(60), Nanos::from_secs(600)];

/// Points of a course at the most: as many as a wide screen has columns.
pub const COURSE_POINTS: usize = 1000;

/// A stretch of the course of a rate, in units a second.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RatePoint {
    /// When it began.
    pub at: Nanos,
    /// How long it was: one or more seconds, or samples.
    pub length: Nanos,
    /// Over all of it.
    pub mean: f64,
    /// In the busiest second, or sample, of it.
    pub most: f64,
}

/// A rate over a recording, in units a second.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RateDemand {
    /// Over all of it.
    pub mean: f64,
    /// Percentiles of its seconds, or samples: 50, 95, 99; `None` where it is shorter than one.
    pub percentiles: Option<[f64; 3]>,
    /// The busiest second, or sample: how long it was, its rate, and when it began.
    pub busiest_sample: Option<(Nanos, f64, Nanos)>,
    /// The busiest stretch of each length of [`SUSTAINED`]: its rate, and when it began; `None` where the recording is shorter, or
    /// samples are longer.
    pub sustained: [Option<(f64, Nanos)>; 4],
    /// How it went, in order of time and of at most [`COURSE_POINTS`]; between two that do not touch nothing is known.
    pub course: Vec<RatePoint>,
}

impl RateDemand {
    /// The rate of the busiest second, or sample.
    #[must_use]
    pub fn most(&self) -> f64 {
        self.busiest_sample.map_or(0.0, |(_, rate, _)| rate)
    }

    /// The busiest stretch that is at least so long, or the longest that is told: its length, its rate and when it began.
    #[must_use]
    pub fn busiest(&self, length: Nanos) -> Option<(Nanos, f64, Nanos)> {
        let told = SUSTAINED.into_iter().zip(self.sustained).filter_map(|(l, s)| s.map(|(rate, at)| (l, rate, at)));
        let mut told: Vec<_> = self.busiest_sample.into_iter().chain(told).collect();
        told.compact_sort_by_key(|(length, ..)| *length);
        told.iter().find(|(l, ..)| *l >= length).or(told.last()).copied()
    }
}

/// What requests of one kind ask.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KindDemand {
    /// Requests.
    pub requests: u64,
    /// Those that ended with an error; they are in no other figure.
    pub failed: u64,
    /// Sizes of those that have one; none of samples.
    pub sizes: RequestSizes,
    /// Bytes that they moved; `None` = not known.
    pub moved: Option<Bytes>,
    /// Of them, those that went on where one of the last sixteen of the same target ended, or within it and beyond; `None` = not
    /// known.
    pub sequential: Option<u64>,
    /// Of them, those somebody waited for: synchronous, forced to the medium, or behind a flush; `None` = not known.
    pub waited_for: Option<u64>,
    /// Latencies they had; none of samples.
    pub latency: LatencyHistogram,
    /// Their mean, where samples tell it alone.
    pub latency_mean: Option<Nanos>,
    /// Requests a second.
    pub iops: RateDemand,
    /// Bytes a second; `None` = not known.
    pub bandwidth: Option<RateDemand>,
}

impl KindDemand {
    /// Share of requests that went on where another ended, 0..=1; `None` = not known.
    #[must_use]
    pub fn sequential_share(&self) -> Option<f64> {
        self.sequential.map(|n| if self.requests == 0 { 0.0 } else { n as f64 / self.requests as f64 })
    }

    /// Bytes of one in the mean, where that is known.
    #[must_use]
    pub fn mean_size(&self) -> Option<Bytes> {
        let of_all = || self.moved?.as_u64().checked_div(self.requests).map(Bytes);
        self.sizes.mean().or_else(of_all).filter(|mean| mean.as_u64() > 0)
    }

    /// Their mean latency, where that is known.
    #[must_use]
    pub fn mean_latency(&self) -> Option<Nanos> {
        self.latency.mean().or(self.latency_mean)
    }
}

/// Which bytes were touched, and how soon again.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WorkingSet {
    /// Different bytes read or written, in blocks of 4 KiB.
    pub touched: Bytes,
    /// Of them read.
    pub read: Bytes,
    /// Of them written.
    pub written: Bytes,
    /// Share of blocks that were looked at: 1 = all, less where there were too many and a sample stands for them (SHARDS).
    pub sampled: f64,
    /// For a cache of so many bytes that evicts what was used longest ago: the share of blocks read that it would have held,
    /// 0..=1. Rising; what is read for the first time no cache holds.
    pub cached: Vec<(Bytes, f64)>,
}

/// How often the device's cache is flushed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FlushDemand {
    /// Flushes, and writes that flush before they write.
    pub flushes: u64,
    /// Time from one to the next.
    pub apart: LatencyHistogram,
    /// Bytes written from one to the next: the mean.
    pub written_between: Bytes,
}

/// What the files of one role ask.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RoleDemand {
    /// The role, or [`crate::UNMAPPED`].
    pub role: String,
    /// By kind.
    pub kinds: BTreeMap<RequestKind, KindDemand>,
    /// Reads and writes a second.
    pub iops: RateDemand,
    /// Bytes read and written a second, as far as they are known; `None` = not at all.
    pub bandwidth: Option<RateDemand>,
    /// Mean requests in flight: the sum of their latencies over the time (Little's law), or as sampled; and of the second, or sample,
    /// with the most. `None` where it is not known.
    pub in_flight: Option<(f64, f64)>,
    /// Which bytes; `None` = not known.
    pub working_set: Option<WorkingSet>,
    /// Flushes; `None` where there were none.
    pub flushes: Option<FlushDemand>,
}

impl RoleDemand {
    /// Reads and writes.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.kinds
            .iter()
            .filter(|(kind, _)| matches!(kind, RequestKind::Read | RequestKind::Write))
            .map(|(_, k)| k.requests)
            .sum()
    }

    /// Share of reads among reads and writes, 0..=1; `None` without either.
    #[must_use]
    pub fn read_share(&self) -> Option<f64> {
        let reads = self.kinds.get(&RequestKind::Read).map_or(0, |k| k.requests);
        (self.requests() > 0).then(|| reads as f64 / self.requests() as f64)
    }
}

/// What a recording asks of storage.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Demand {
    /// Where requests were seen.
    pub layer: RecordedLayer,
    /// How long it is.
    pub length: Nanos,
    /// How far samples are apart; `None` where each request was seen.
    pub resolution: Option<Nanos>,
    /// All roles together; its role is empty.
    pub all: RoleDemand,
    /// Each role, the busiest first.
    pub roles: Vec<RoleDemand>,
    /// What is to be doubted.
    pub doubts: Vec<Caveat>,
}
