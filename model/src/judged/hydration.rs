//! Judgement of whether a volume is still being loaded from its snapshot (`secchi hydration`).

use crate::plan::HydrationReads;
use crate::{
    Bytes, BytesPerSecond, Nanos,
    measured::{Percentile, percentiles},
};
use serde::{Deserialize, Serialize};

/// Judgement of a run of `secchi hydration`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HydrationFigures {
    /// Size of the volume.
    pub size: Bytes,
    /// Estimated share of the volume that is not loaded; `None` if no blocks were sampled.
    pub not_loaded: Option<ShareNotLoaded>,
    /// Rate of large reads; `None` if they were not measured.
    pub rate: Option<BytesPerSecond>,
    /// Time to read the whole volume at this rate.
    pub full_read: Option<Nanos>,
    /// Part of the volume that was read in order; `None` if the run only sampled blocks.
    pub warmed: Option<Warmed>,
    /// Figures of each stage.
    pub stages: Vec<HydrationStage>,
}

/// Share of a volume that is not loaded, from a sample of blocks (docs/design/hydration.md, "How much is not loaded").
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShareNotLoaded {
    /// Estimate, 0..=1.
    pub value: f64,
    /// Lower end of the 95 % interval, 0..=1.
    pub low: f64,
    /// Upper end of the 95 % interval, 0..=1.
    pub high: f64,
    /// Number of blocks in the sample.
    pub blocks: u64,
    /// Latency above which a first read counts as slow: twice the 99th percentile of the second reads, at least 3 ms.
    pub slow_over: Nanos,
}

/// Part of a volume that was read in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Warmed {
    /// Position at which the run began; earlier runs read the part before it.
    pub from: Bytes,
    /// Position up to which everything has been read.
    pub until: Bytes,
}

/// Figures of the reads of a stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HydrationStage {
    /// Purpose of the reads.
    pub reads: HydrationReads,
    /// Size of a read.
    pub block: Bytes,
    /// Reads in flight.
    pub in_flight: u32,
    /// Number of completed reads.
    pub ops: u64,
    /// Number of reads that took longer than [`ShareNotLoaded::slow_over`]; `None` if that is not known.
    pub slow: Option<u64>,
    /// Bytes per second.
    pub bandwidth: BytesPerSecond,
    /// Mean latency.
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
    /// Number of failed reads.
    pub errors: u64,
}
