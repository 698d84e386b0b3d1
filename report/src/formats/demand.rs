//! Demand of a recording or of samples as JSON: rates per second, times in nanoseconds, sizes in bytes, shares from 0
//! to 1; unknown values are null.

use model::judged::{Demand, FlushDemand, KindDemand, RateDemand, RoleDemand, SUSTAINED, WorkingSet};
use model::measured::{Percentile, percentiles, percentiles::NoFigure};
use model::{Bytes, Caveat, LatencyHistogram, Nanos, recording::RecordedLayer};
use serde::Serialize;
use std::collections::BTreeMap;

/// Demand that a recording or samples place on storage.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Document<'a> {
    /// Name of the file.
    recording: &'a str,
    /// Layer at which requests were recorded.
    layer: RecordedLayer,
    /// Length of the recording.
    length: Nanos,
    /// Interval between samples; `None` if each request was recorded.
    resolution: Option<Nanos>,
    /// Demand of all roles together; the role is empty.
    all: RoleFigures<'a>,
    /// Demand of each role, the busiest first.
    roles: Vec<RoleFigures<'a>>,
    /// Doubts about the figures.
    doubts: &'a [Caveat],
}

/// Demand of the files of one role.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct RoleFigures<'a> {
    /// The role.
    role: &'a str,
    /// Demand by kind of request: `read`, `write`, `discard`, `flush`, `other`.
    kinds: BTreeMap<&'static str, KindFigures>,
    /// Reads and writes per second.
    iops: RateFigures,
    /// Bytes read and written per second; `None` if they are unknown.
    bandwidth: Option<RateFigures>,
    /// Requests in flight; `None` if they are unknown.
    in_flight: Option<InFlightFigures>,
    /// Working set; `None` if it is unknown.
    working_set: Option<WorkingSetFigures>,
    /// Flushes; `None` if there were none.
    flushes: Option<FlushFigures>,
}

/// Demand of requests of one kind.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct KindFigures {
    /// Number of successful requests.
    requests: u64,
    /// Number of requests that ended with an error; the other figures exclude them.
    failed: u64,
    /// Bytes moved; `None` if they are unknown.
    bytes: Option<Bytes>,
    /// Sizes of the requests, the commonest first; empty for samples.
    sizes: Vec<SizeCount>,
    /// Share of sequential requests; `None` if it is unknown.
    sequential: Option<f64>,
    /// Number of requests that an application waited for; `None` if it is unknown.
    waited_for: Option<u64>,
    /// Recorded latencies; without any for samples.
    latency: TimeFigures,
    /// Mean latency, which samples may contain alone; `None` if it is unknown.
    mean_latency: Option<Nanos>,
    /// Requests per second.
    iops: RateFigures,
    /// Bytes per second; `None` if they are unknown.
    bandwidth: Option<RateFigures>,
}

/// Number of requests of one size.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SizeCount {
    /// Size of a request.
    bytes: Bytes,
    /// Number of requests.
    requests: u64,
}

/// Distribution of times.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct TimeFigures {
    /// Number of times.
    count: u64,
    /// Arithmetic mean; `None` without times. The same applies to the minimum and the maximum.
    mean: Option<Nanos>,
    /// Minimum.
    min: Option<Nanos>,
    /// Maximum.
    max: Option<Nanos>,
    #[serde(flatten, serialize_with = "percentiles::p50::serialize")]
    #[cfg_attr(feature = "schema", schemars(with = "percentiles::p50::P50"))]
    p50: Percentile,
    #[serde(flatten, serialize_with = "percentiles::p95::serialize")]
    #[cfg_attr(feature = "schema", schemars(with = "percentiles::p95::P95"))]
    p95: Percentile,
    #[serde(flatten, serialize_with = "percentiles::p99::serialize")]
    #[cfg_attr(feature = "schema", schemars(with = "percentiles::p99::P99"))]
    p99: Percentile,
    #[serde(flatten, serialize_with = "percentiles::p999::serialize")]
    #[cfg_attr(feature = "schema", schemars(with = "percentiles::p999::P999"))]
    p999: Percentile,
}

/// A rate over a recording, in units per second.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct RateFigures {
    /// Mean over the recording.
    mean: f64,
    /// Median of the rates per second or per sample.
    p50: Option<f64>,
    /// 95th percentile of these rates.
    p95: Option<f64>,
    /// 99th percentile of these rates.
    p99: Option<f64>,
    /// Reason why the three percentiles are `null`.
    #[serde(skip_serializing_if = "Option::is_none")]
    percentiles_reason: Option<NoFigure>,
    /// The busiest second or sample; `None` if the recording has none.
    busiest_sample: Option<BusiestStretch>,
    /// The busiest stretch of each of several lengths that the recording reaches.
    sustained: Vec<BusiestStretch>,
}

/// The busiest stretch of a length.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct BusiestStretch {
    /// Length of the stretch.
    length: Nanos,
    /// Mean rate of the stretch.
    rate: f64,
    /// Start of the stretch.
    at: Nanos,
}

/// Requests in flight.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct InFlightFigures {
    /// Mean over the recording.
    mean: f64,
    /// Mean of the second or sample with the most.
    busiest_second: f64,
}

/// Bytes that were accessed, and how soon they were accessed again.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct WorkingSetFigures {
    /// Distinct bytes read or written, in blocks of 4 KiB.
    touched: Bytes,
    /// Distinct bytes read.
    read: Bytes,
    /// Distinct bytes written.
    written: Bytes,
    /// Share of blocks that were examined; 1 for all.
    sampled: f64,
    /// Share of block reads that LRU caches would hit.
    caches: Vec<CacheShare>,
}

/// Share of block reads that an LRU cache would hit.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct CacheShare {
    /// Size of the cache.
    bytes: Bytes,
    /// Share of block reads that hit.
    held: f64,
}

/// Flushes of the device's cache.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct FlushFigures {
    /// Number of flushes, including those that precede a write.
    flushes: u64,
    /// Time between consecutive flushes.
    apart: TimeFigures,
    /// Mean number of bytes written between consecutive flushes.
    written_between: Bytes,
}

impl<'a> Document<'a> {
    pub(super) fn new(name: &'a str, demand: &'a Demand) -> Self {
        Document {
            recording: name,
            layer: demand.layer,
            length: demand.length,
            resolution: demand.resolution,
            all: RoleFigures::from(&demand.all),
            roles: demand.roles.iter().map(RoleFigures::from).collect(),
            doubts: &demand.doubts,
        }
    }
}

impl<'a> From<&'a RoleDemand> for RoleFigures<'a> {
    fn from(role: &'a RoleDemand) -> Self {
        RoleFigures {
            role: &role.role,
            kinds: role.kinds.iter().map(|(kind, demand)| (kind.name(), KindFigures::from(demand))).collect(),
            iops: RateFigures::from(&role.iops),
            bandwidth: role.bandwidth.as_ref().map(RateFigures::from),
            in_flight: role.in_flight.map(|(mean, busiest_second)| InFlightFigures { mean, busiest_second }),
            working_set: role.working_set.as_ref().map(WorkingSetFigures::from),
            flushes: role.flushes.as_ref().map(FlushFigures::from),
        }
    }
}

impl From<&KindDemand> for KindFigures {
    fn from(demand: &KindDemand) -> Self {
        let sizes = demand.sizes.commonest().into_iter();
        KindFigures {
            requests: demand.requests,
            failed: demand.failed,
            bytes: demand.moved,
            sizes: sizes.map(|(bytes, requests)| SizeCount { bytes, requests }).collect(),
            sequential: demand.sequential_share(),
            waited_for: demand.waited_for,
            latency: TimeFigures::from(&demand.latency),
            mean_latency: demand.mean_latency(),
            iops: RateFigures::from(&demand.iops),
            bandwidth: demand.bandwidth.as_ref().map(RateFigures::from),
        }
    }
}

impl From<&LatencyHistogram> for TimeFigures {
    fn from(times: &LatencyHistogram) -> Self {
        TimeFigures {
            count: times.count(),
            mean: times.mean(),
            min: times.min(),
            max: times.max(),
            p50: times.percentile(50.0),
            p95: times.percentile(95.0),
            p99: times.percentile(99.0),
            p999: times.percentile(99.9),
        }
    }
}

impl From<&RateDemand> for RateFigures {
    fn from(rate: &RateDemand) -> Self {
        let [p50, p95, p99] = rate.percentiles.map_or([None; 3], |values| values.map(Some));
        let sustained = SUSTAINED.into_iter().zip(rate.sustained);
        let stretch = |(length, rate, at)| BusiestStretch { length, rate, at };
        RateFigures {
            mean: rate.mean,
            p50,
            p95,
            p99,
            percentiles_reason: rate.percentiles.is_none().then_some(NoFigure::TooShort),
            busiest_sample: rate.busiest_sample.map(stretch),
            sustained: sustained
                .filter_map(|(length, busiest)| busiest.map(|(r, at)| stretch((length, r, at))))
                .collect(),
        }
    }
}

impl From<&WorkingSet> for WorkingSetFigures {
    fn from(set: &WorkingSet) -> Self {
        WorkingSetFigures {
            touched: set.touched,
            read: set.read,
            written: set.written,
            sampled: set.sampled,
            caches: set.cached.iter().map(|&(bytes, held)| CacheShare { bytes, held }).collect(),
        }
    }
}

impl From<&FlushDemand> for FlushFigures {
    fn from(demand: &FlushDemand) -> Self {
        FlushFigures {
            flushes: demand.flushes,
            apart: TimeFigures::from(&demand.apart),
            written_between: demand.written_between,
        }
    }
}
