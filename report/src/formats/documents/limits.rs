//! Documents of `secchi limits`.

use model::judged::MonthlyPrice;
use model::{Bytes, BytesPerSecond, Iops, Limit, Nanos, Sentence};
use serde::Serialize;

/// The catalogue.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LimitsList<'a> {
    /// Kinds of volumes.
    pub volumes: Vec<ListedVolume<'a>>,
    /// Types of instances.
    pub instances: Vec<ListedInstance<'a>>,
}

/// A kind of volume in the list.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ListedVolume<'a> {
    /// Name: `aws/gp3`.
    pub name: String,
    /// Short description.
    pub title: &'a str,
    /// Unit of the sizes, and of sizes in rules: `GiB`.
    pub size_unit: &'a str,
    /// Minimum and maximum size in `size_unit`; equal if it is fixed.
    pub size: (Option<f64>, Option<f64>),
    /// Rule for operations per second: `clamp(3*size, 100, 16000)`.
    pub iops_rule: Option<Sentence>,
    /// Rule for the bandwidth, with its unit.
    pub bandwidth_rule: Option<Sentence>,
    /// Date of the source, `YYYY-MM-DD`; empty if it has none.
    pub date: &'a str,
    /// Certainty of the figures: `C` (confirmed), `S` (secondary source) or `own` (row of the user).
    pub mark: &'a str,
}

/// A type of instance in the list.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ListedInstance<'a> {
    /// Name: `aws/m5.large`.
    pub name: String,
    /// Short description.
    pub title: &'a str,
    /// Sustained operations per second; `None` if they are not limited together.
    pub iops: Option<f64>,
    /// Maximum operations per second, in bursts.
    pub iops_max: Option<f64>,
    /// Sustained bytes per second; `None` if they are not limited together.
    pub bandwidth: Option<f64>,
    /// Maximum bytes per second, in bursts.
    pub bandwidth_max: Option<f64>,
    /// Reads per second; `None` if they are not limited separately. The same applies to the other figures of one
    /// direction.
    pub read_iops: Option<f64>,
    /// Writes per second.
    pub write_iops: Option<f64>,
    /// Bytes read per second.
    pub read_bandwidth: Option<f64>,
    /// Bytes written per second.
    pub write_bandwidth: Option<f64>,
    /// Date of the source, `YYYY-MM-DD`; empty if it has none.
    pub date: &'a str,
    /// Certainty of the figures: `C` (confirmed), `S` (secondary source) or `own` (row of the user).
    pub mark: &'a str,
}

/// Source of the figures of a row.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LimitsOrigin<'a> {
    /// Source document.
    pub source: &'a str,
    /// Date of the document, `YYYY-MM-DD`; empty if it has none.
    pub date: &'a str,
    /// Certainty of the figures: `C` (confirmed), `S` (secondary source) or `own` (row of the user).
    pub mark: &'a str,
    /// Catalogue file.
    pub file: &'a str,
    /// Line of the row in the file.
    pub line: usize,
    /// Remark on the age of the figures; `None` if they are recent.
    pub remark: Option<Sentence>,
}

/// A row of the catalogue with all its settings.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LimitsRow<'a> {
    /// Row with all settings: `aws/gp3:size=2000GiB,iops=6000,mbps=125`.
    pub row: &'a str,
    /// Limits on all operations, on reads, and on writes.
    pub limits: &'a [Limit],
    /// Further notes.
    pub notes: &'a [String],
    /// Doubts about given values above the maximum of an old row.
    pub doubts: &'a [Sentence],
    /// Monthly price; `None` if it is unknown.
    pub price: Option<&'a MonthlyPrice>,
    /// Source of the figures.
    pub origin: LimitsOrigin<'a>,
}

/// A kind of volume whose settings are not chosen yet.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LimitsVolume<'a> {
    /// Name: `aws/gp3`.
    pub name: String,
    /// Short description.
    pub title: &'a str,
    /// Rule for operations per second: `clamp(3*size, 100, 16000)`.
    pub iops_rule: Option<Sentence>,
    /// Rule for the bandwidth, with its unit.
    pub bandwidth_rule: Option<Sentence>,
    /// Unit of the sizes, and of sizes in rules: `GiB`.
    pub size_unit: &'a str,
    /// Minimum and maximum size in `size_unit`.
    pub size: (Option<f64>, Option<f64>),
    /// Further choices.
    pub parameters: Vec<LimitsParameter<'a>>,
    /// Further notes.
    pub notes: &'a [String],
    /// Source of the figures.
    pub origin: LimitsOrigin<'a>,
}

/// A further choice of the customer, such as a tier.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LimitsParameter<'a> {
    /// Name of the setting.
    pub name: &'a str,
    /// Values on offer.
    pub values: &'a [f64],
    /// Unit of the values.
    pub unit: &'a str,
}

/// Performance that limits allow for a workload.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LimitsExplain<'a> {
    /// Rows of the catalogue: the volume, then the instance.
    pub rows: Vec<LimitsRow<'a>>,
    /// Limits given with `--limit`.
    pub declared: &'a [Limit],
    /// Pattern of the workload: `randread`.
    pub pattern: &'a str,
    /// Block size at which the limits on operations and bandwidth meet; `None` if they do not.
    pub crossover: Option<Bytes>,
    /// Expected performance for each block size and queue depth.
    pub points: Vec<ExplainedPoint<'a>>,
}

/// Expected performance at a block size and a queue depth.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainedPoint<'a> {
    /// Block size.
    pub bs: Bytes,
    /// Operations in flight.
    pub depth: u32,
    /// Latency of a single operation, as given with `--latency`; `None` if it is unknown.
    pub latency_alone: Option<Nanos>,
    /// Sustained operations per second.
    pub iops: Iops,
    /// Sustained bytes per second.
    pub bandwidth: BytesPerSecond,
    /// Mean latency.
    pub latency: Nanos,
    /// Binding limits.
    pub binds: &'a [String],
    /// True if several limits bind, so that a measurement cannot distinguish them.
    pub undecidable: bool,
    /// The tightest of the other limits; `None` if there is no other.
    pub next: Option<NextLimit<'a>>,
    /// All limits considered, the tightest first.
    pub allowed: Vec<AllowedRate<'a>>,
    /// Number of operations in flight that just reaches the tightest cap; `None` if the latency is unknown.
    pub depth_to_cap: Option<f64>,
    /// Rate of a sequential workload if every limit merges neighbouring requests as far as it can; `None` if none
    /// merges them.
    pub merged_iops: Option<Iops>,
    /// Phases from full buckets to the sustained rate; empty if there is no burst.
    pub burst: Vec<BurstStretch<'a>>,
    /// Idle time that refills the buckets; `None` if it is unknown.
    pub recovers: Option<Nanos>,
}

/// The tightest limit among those that do not bind.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NextLimit<'a> {
    /// Name of the limit.
    pub name: &'a str,
    /// Operations per second that it allows.
    pub iops: Iops,
    /// Ratio of that rate to the expected rate.
    pub headroom: f64,
}

/// Rate that one limit allows.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AllowedRate<'a> {
    /// Name, such as `gp3 volume IOPS` or `queue (Little)`.
    pub name: &'a str,
    /// Operations per second of the whole workload.
    pub iops: Iops,
}

/// A phase of a load at the maximum rate.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BurstStretch<'a> {
    /// Operations per second.
    pub iops: Iops,
    /// Bytes per second.
    pub bandwidth: BytesPerSecond,
    /// Binding limits.
    pub binds: &'a [String],
    /// Duration; `None` if it has no end.
    pub lasts: Option<Nanos>,
}

/// The volumes or instances of an account.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LimitsAccount<'a> {
    /// The volumes; `None` for a list of instances.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volumes: Option<Vec<AccountItem<'a>>>,
    /// The instances; `None` for a list of volumes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instances: Option<Vec<AccountItem<'a>>>,
}

/// A volume or an instance of an account.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AccountItem<'a> {
    /// Name or identifier in the account.
    pub name: &'a str,
    /// The volume as a value of `--volume`; `None` for an instance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume: Option<&'a str>,
    /// The instance as a value of `--instance`; `None` for a volume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance: Option<&'a str>,
    /// Instance that a volume is attached to; `None` if it is attached to none.
    pub attached: Option<&'a str>,
    /// Limits; `None` if the catalogue cannot resolve the item, for the reason in `error`.
    pub limits: Option<&'a [Limit]>,
    /// Monthly price; `None` if it is unknown.
    pub price: Option<f64>,
    /// Reason why there are no limits; `None` if there are some.
    pub error: Option<String>,
}

/// The contracts that come with secchi.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LimitsContracts<'a> {
    /// The contracts.
    pub contracts: Vec<LimitsContract<'a>>,
}

/// A contract.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LimitsContract<'a> {
    /// Name, with an example of a rate if the contract requires one.
    pub name: &'a str,
    /// Purpose of the contract.
    pub title: &'a str,
    /// Needs, as lines for `--need`.
    pub needs: Vec<&'a str>,
    /// Source of the figures; may be empty.
    pub source: &'a str,
    /// Date on which the source was consulted; may be empty.
    pub date: &'a str,
}
