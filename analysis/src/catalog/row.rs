//! Rows of the catalogue: published figures of one kind of volume or one type of instance.

use super::formula::Formula;
use messages::sentence;
use model::bounds::{Charging, LimitAxis};
use model::judged::LatencyClass;
use model::{Bytes, BytesPerSecond, Nanos, Sentence};

/// Certainty of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Taken from the vendor's own document.
    Confirmed,
    /// Taken from a secondary source: a mirror, notes of a talk.
    Secondary,
    /// Supplied by the user.
    Own,
}

impl Mark {
    /// Returns the letter used in the files.
    #[must_use]
    pub fn letter(self) -> &'static str {
        match self {
            Mark::Confirmed => "C",
            Mark::Secondary => "S",
            Mark::Own => "own",
        }
    }
}

/// Location of a row and source of its figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Source document.
    pub source: String,
    /// Date of the document, `YYYY-MM-DD`; empty if it has none.
    pub date: String,
    /// Certainty of the figures.
    pub mark: Mark,
    /// Catalogue file.
    pub file: String,
    /// Line of the row in the file.
    pub line: usize,
}

/// Unit of a row's sizes or bandwidths: vendors use different units, and secchi does not convert them silently.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    /// Name as printed: `GiB`, `MB/s`.
    pub name: &'static str,
    /// Bytes, or bytes per second, per unit.
    pub bytes: f64,
}

impl Unit {
    pub(super) const GIB: Unit = Unit { name: "GiB", bytes: 1_073_741_824.0 };
    pub(super) const GB: Unit = Unit { name: "GB", bytes: 1e9 };
    pub(super) const MIB_S: Unit = Unit { name: "MiB/s", bytes: 1_048_576.0 };
    pub(super) const MB_S: Unit = Unit { name: "MB/s", bytes: 1e6 };

    /// Formats a value in bytes or bytes per second in this unit: `2000 GiB`, `125 MiB/s`.
    #[must_use]
    pub fn print(self, bytes: f64) -> String {
        let value = bytes / self.bytes;
        let text = if value.fract().abs() < 1e-9 { format!("{value:.0}") } else { format!("{value:.2}") };
        format!("{text} {}", self.name)
    }
}

/// A figure of a volume.
#[derive(Debug, Clone, PartialEq)]
pub enum Figure {
    /// The figure follows from the other settings.
    Fixed(Formula),
    /// The customer sets the figure.
    Chosen {
        /// Default value; without one, the figure must be set.
        default: Option<Formula>,
        /// Minimum value for sale.
        min: Formula,
        /// Maximum value for sale.
        max: Formula,
    },
}

/// Duration of a burst, before the size of the volume is known.
#[derive(Debug, Clone, PartialEq)]
pub enum Lasts {
    /// A bucket of operations, or of the row's unit of bandwidth.
    Bucket(Formula),
    /// A time at the full rate.
    Time {
        /// Duration.
        time: Nanos,
        /// Interval after which the burst is available again.
        every: Option<Nanos>,
    },
}

/// A rate above a cap that is available for a limited time.
#[derive(Debug, Clone, PartialEq)]
pub struct BurstRow {
    /// Rate, in operations or the row's unit of bandwidth.
    pub rate: Formula,
    /// Duration.
    pub lasts: Lasts,
}

/// Published limits of only one direction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DirectionLimits {
    /// Operations per second.
    pub iops: Option<Formula>,
    /// Bandwidth in the row's unit.
    pub bandwidth: Option<Formula>,
}

/// Another choice of the customer, such as a tier.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Name, available in formulas.
    pub name: String,
    /// Values on offer.
    pub values: Vec<f64>,
    /// Unit for display.
    pub unit: String,
}

/// Monthly price of a kind of volume in one region.
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    /// Region of the price: `us-east-1`.
    pub region: String,
    /// Currency, such as `USD`.
    pub currency: String,
    /// Price of the volume independent of its size, for kinds that are sold in fixed sizes.
    pub flat: f64,
    /// Price of each unit of the size; it may depend on parameters.
    pub size: Formula,
    /// Price tiers of IOPS, ascending: the price of each operation per second above the first figure, up to the next
    /// tier.
    pub iops: Vec<(f64, f64)>,
    /// Price tiers of the row's unit of bandwidth, in the same form.
    pub bandwidth: Vec<(f64, f64)>,
    /// Source of the price.
    pub origin: Origin,
}

impl Price {
    /// Returns the monthly price of a volume, given the price of a unit of its size, its size, its IOPS and its
    /// bandwidth, in the row's units.
    #[must_use]
    pub fn for_volume(&self, each: f64, size: f64, iops: f64, bandwidth: f64) -> f64 {
        self.flat + each * size + tiers(&self.iops, iops) + tiers(&self.bandwidth, bandwidth)
    }
}

/// Returns the price of the purchased units, each at the price of its tier.
fn tiers(tiers: &[(f64, f64)], bought: f64) -> f64 {
    let ends = tiers.iter().skip(1).map(|(from, _)| *from).chain([f64::INFINITY]);
    tiers.iter().zip(ends).map(|((from, each), end)| (bought.min(end) - from).max(0.0) * each).sum()
}

/// A kind of volume.
#[derive(Debug, Clone, PartialEq)]
pub struct Volume {
    /// Provider, such as `aws`.
    pub provider: String,
    /// Kind, such as `gp3`.
    pub kind: String,
    /// Short description.
    pub title: String,
    /// Source of the row.
    pub origin: Origin,
    /// Unit of sizes.
    pub size_unit: Unit,
    /// Unit of bandwidths.
    pub bandwidth_unit: Unit,
    /// Minimum and maximum size in `size_unit`; equal if it is fixed.
    pub size: (Option<f64>, Option<f64>),
    /// True if any figure depends on the size.
    pub sized: bool,
    /// Further choices.
    pub parameters: Vec<Parameter>,
    /// Operations per second.
    pub iops: Option<Figure>,
    /// Bandwidth in `bandwidth_unit`.
    pub bandwidth: Option<Figure>,
    /// Limits of reads only.
    pub read: DirectionLimits,
    /// Limits of writes only.
    pub write: DirectionLimits,
    /// Burst of operations.
    pub burst_iops: Option<BurstRow>,
    /// Burst of bandwidth.
    pub burst_bandwidth: Option<BurstRow>,
    /// Rule by which operations are counted.
    pub charging: Option<Charging>,
    /// Share of the limit that the vendor promises.
    pub promised: Option<f64>,
    /// True if the device is inside the host, so that the instance's caps do not apply to it.
    pub local: bool,
    /// Number of disks that a local volume consists of; `None` if it is not published.
    pub disks: Option<u32>,
    /// Latency as the vendor describes it.
    pub latency: Option<LatencyClass>,
    /// True if the figures are those of all volumes of the kind on an instance together.
    pub shared: bool,
    /// Axis whose figures measurements contradict, although a document has them.
    pub unconfirmed: Option<LimitAxis>,
    /// True if the kind is one step of a ladder: a table of types that share one title.
    pub rung: bool,
    /// Price, if known.
    pub price: Option<Price>,
    /// Further notes.
    pub notes: Vec<String>,
}

impl Volume {
    /// Returns the full name, such as `aws/gp3`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.provider, self.kind)
    }

    /// Returns the size if it is fixed.
    #[must_use]
    pub fn fixed_size(&self) -> Option<f64> {
        match self.size {
            (Some(least), Some(most)) if least == most => Some(least),
            _ => None,
        }
    }
}

/// A cap and the maximum above it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BaseMax {
    /// Sustained rate.
    pub base: f64,
    /// Rate of bursts; equal to the base if there are none.
    pub max: f64,
}

impl BaseMax {
    /// Returns `true` if the maximum is above the sustained rate.
    #[must_use]
    pub fn bursts(self) -> bool {
        self.max > self.base
    }

    /// Returns both rates multiplied by `factor`.
    pub(super) fn times(self, factor: f64) -> BaseMax {
        BaseMax { base: self.base * factor, max: self.max * factor }
    }
}

/// Published caps of one direction of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DirectionCaps {
    /// Operations per second.
    pub iops: Option<BaseMax>,
    /// Bytes per second.
    pub bandwidth: Option<BaseMax>,
}

/// Side of an instance's bandwidth that a [`Weighting`] raises, with the increase as a share of that side's baseline.
/// The other side loses the same amount.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Raises {
    /// Raises the bandwidth of the volumes.
    Volumes(f64),
    /// Raises the bandwidth of the network.
    Network(f64),
}

/// A division of an instance's bandwidth between its volumes and its network that the customer can choose.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighting {
    /// Name, set with `weighting=`.
    pub name: String,
    /// Side whose bandwidth it raises.
    pub raises: Raises,
    /// True if the maximum of the volumes moves with their baseline.
    pub moves_maximum: bool,
}

/// A type of instance: the limits of all its volumes together.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    /// Provider, such as `aws`.
    pub provider: String,
    /// Type, such as `m4.xlarge`.
    pub kind: String,
    /// Short description.
    pub title: String,
    /// Source of the row.
    pub origin: Origin,
    /// Operations per second.
    pub iops: Option<BaseMax>,
    /// Bytes per second.
    pub bandwidth: Option<BaseMax>,
    /// Limits of reads only.
    pub read: DirectionCaps,
    /// Limits of writes only.
    pub write: DirectionCaps,
    /// Baseline of its network in bytes per second, if a weighting takes from it or adds to it.
    pub network: Option<f64>,
    /// Weightings that can be chosen.
    pub weightings: Vec<Weighting>,
    /// Duration of the maximum, and the interval after which it is available again.
    pub burst: Option<(Nanos, Option<Nanos>)>,
    /// Rule by which operations are counted.
    pub charging: Option<Charging>,
    /// Share of the limit that the vendor promises.
    pub promised: Option<f64>,
    /// True if the type may be suggested for a need; false for rows that apply only to a cache.
    pub offered: bool,
    /// Default share of `bandwidth` that is available to volumes.
    pub volume_share: Option<f64>,
    /// Part of that share that is reserved for other use.
    pub reserved: Option<BytesPerSecond>,
    /// Further notes.
    pub notes: Vec<String>,
}

impl Instance {
    /// Returns the full name, such as `aws/m4.xlarge`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.provider, self.kind)
    }

    /// Returns the maximum operations per second. If reads and writes are published separately, returns the larger of
    /// the two.
    #[must_use]
    pub fn most_iops(&self) -> Option<BaseMax> {
        self.iops.or_else(|| larger(self.read.iops, self.write.iops))
    }

    /// Returns the maximum bytes per second, like [`Instance::most_iops`].
    #[must_use]
    pub fn most_bandwidth(&self) -> Option<BaseMax> {
        self.bandwidth.or_else(|| larger(self.read.bandwidth, self.write.bandwidth))
    }

    /// Returns the part of the name before the first dot or hyphen (`m4` of `m4.xlarge`, `bx2` of `bx2-4x16`),
    /// otherwise the title of its table.
    #[must_use]
    pub fn family(&self) -> &str {
        let name = self.kind.split('@').next().unwrap_or(&self.kind);
        name.split_once('.').or_else(|| name.split_once('-')).map_or(&self.title, |(family, _)| family)
    }
}

fn larger(a: Option<BaseMax>, b: Option<BaseMax>) -> Option<BaseMax> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if a.base >= b.base { a } else { b }),
        (one, other) => one.or(other),
    }
}

/// Returns a description of how operations are counted, with the unit (`256 KiB`).
#[must_use]
pub fn format_charging(charging: Charging) -> Sentence {
    let Charging { unit: Bytes(unit), merges, whole } = charging;
    let unit = Bytes(unit);
    let mut text = sentence!("limits-counted-whole", unit);
    if merges {
        text = sentence!("list-then", first = text, next = sentence!("limits-counted-merged"));
    }
    if whole {
        text = sentence!("list-then", first = text, next = sentence!("limits-counted-padded", unit));
    }
    text
}
