//! Rows of the catalogue: what a vendor publishes of one kind of volume or one type of instance.

use super::formula::Formula;
use model::{Bytes, BytesPerSecond, Charging, Nanos};

/// How sure a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Read in the vendor's own document.
    Confirmed,
    /// Read in a secondary source: a mirror, notes of a talk.
    Secondary,
    /// The user's own.
    Own,
}

impl Mark {
    /// The letter in the files.
    #[must_use]
    pub fn letter(self) -> &'static str {
        match self {
            Mark::Confirmed => "C",
            Mark::Secondary => "S",
            Mark::Own => "own",
        }
    }
}

/// Where a row stands and where its figures are from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The document.
    pub source: String,
    /// Its date, `YYYY-MM-DD`; empty if it bears none.
    pub date: String,
    /// How sure.
    pub mark: Mark,
    /// Catalogue file.
    pub file: String,
    /// Line of the row in it.
    pub line: usize,
}

/// Unit of a row's sizes or bandwidths: vendors differ, and none is converted silently.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    /// As printed: `GiB`, `MB/s`.
    pub name: &'static str,
    /// Bytes, or bytes per second.
    pub bytes: f64,
}

impl Unit {
    pub(super) const GIB: Unit = Unit { name: "GiB", bytes: 1_073_741_824.0 };
    pub(super) const GB: Unit = Unit { name: "GB", bytes: 1e9 };
    pub(super) const MIB_S: Unit = Unit { name: "MiB/s", bytes: 1_048_576.0 };
    pub(super) const MB_S: Unit = Unit { name: "MB/s", bytes: 1e6 };

    /// `125 MiB/s` of a value in bytes per second, `2000 GiB` of bytes.
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
    /// It follows from the rest.
    Fixed(Formula),
    /// The customer sets it.
    Chosen {
        /// What it is when not set; without one it must be.
        default: Option<Formula>,
        /// The smallest value that can be bought.
        min: Formula,
        /// The largest value that can be bought.
        max: Formula,
    },
}

/// How long a burst lasts, before it is known of what size the volume is.
#[derive(Debug, Clone, PartialEq)]
pub enum Lasts {
    /// A bucket of operations, or of the row's unit of bandwidth.
    Bucket(Formula),
    /// A time at the full rate.
    Time {
        /// How long.
        time: Nanos,
        /// How often.
        every: Option<Nanos>,
    },
}

/// A level above a cap that holds for a time.
#[derive(Debug, Clone, PartialEq)]
pub struct BurstRow {
    /// Rate, in operations or the row's unit of bandwidth.
    pub rate: Formula,
    /// How long.
    pub lasts: Lasts,
}

/// What is published of one direction only.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DirectionLimits {
    /// Operations per second.
    pub iops: Option<Formula>,
    /// Bandwidth in the row's unit.
    pub bandwidth: Option<Formula>,
}

/// Something else the customer chooses, such as a tier.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Name, known to formulas.
    pub name: String,
    /// What may be chosen.
    pub values: Vec<f64>,
    /// Its unit, for reading.
    pub unit: String,
}

/// What a kind of volume costs a month, in one region.
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    /// Where it is asked for: `us-east-1`.
    pub region: String,
    /// `USD`.
    pub currency: String,
    /// For each unit of the size.
    pub size: f64,
    /// For each operation a second that is bought above a figure, until the next figure: rising.
    pub iops: Vec<(f64, f64)>,
    /// The same of the row's unit of bandwidth.
    pub bandwidth: Vec<(f64, f64)>,
    /// Where the price is from.
    pub origin: Origin,
}

impl Price {
    /// What a volume costs a month: its size and bandwidth in the row's units, operations a second.
    #[must_use]
    pub fn of(&self, size: f64, iops: f64, bandwidth: f64) -> f64 {
        self.size * size + tiers(&self.iops, iops) + tiers(&self.bandwidth, bandwidth)
    }
}

/// Each unit by the price of the tier it lies in.
fn tiers(tiers: &[(f64, f64)], bought: f64) -> f64 {
    let ends = tiers.iter().skip(1).map(|(from, _)| *from).chain([f64::INFINITY]);
    tiers.iter().zip(ends).map(|((from, each), end)| (bought.min(end) - from).max(0.0) * each).sum()
}

/// A kind of volume.
#[derive(Debug, Clone, PartialEq)]
pub struct Volume {
    /// `aws`.
    pub provider: String,
    /// `gp3`.
    pub kind: String,
    /// A few words.
    pub title: String,
    /// Where from.
    pub origin: Origin,
    /// Unit of sizes.
    pub size_unit: Unit,
    /// Unit of bandwidths.
    pub bandwidth_unit: Unit,
    /// Least and most size in `size_unit`; equal where it is fixed.
    pub size: (Option<f64>, Option<f64>),
    /// Whether any figure depends on the size.
    pub sized: bool,
    /// Further choices.
    pub parameters: Vec<Parameter>,
    /// Operations per second.
    pub iops: Option<Figure>,
    /// Bandwidth in `bandwidth_unit`.
    pub bandwidth: Option<Figure>,
    /// Reads only.
    pub read: DirectionLimits,
    /// Writes only.
    pub write: DirectionLimits,
    /// Burst of operations.
    pub burst_iops: Option<BurstRow>,
    /// Burst of bandwidth.
    pub burst_bandwidth: Option<BurstRow>,
    /// How operations are counted.
    pub charging: Option<Charging>,
    /// Share the vendor promises.
    pub promised: Option<f64>,
    /// Inside the host: an instance's caps do not touch it.
    pub local: bool,
    /// One rung of a ladder: a table of types with one title.
    pub rung: bool,
    /// What it costs, where that is known.
    pub price: Option<Price>,
    /// What else to know.
    pub notes: Vec<String>,
}

impl Volume {
    /// `aws/gp3`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.provider, self.kind)
    }

    /// The one size it has, if it has but one.
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
    /// What lasts.
    pub base: f64,
    /// What bursts reach; equal to the base where there are none.
    pub max: f64,
}

impl BaseMax {
    /// Whether it bursts.
    #[must_use]
    pub fn bursts(self) -> bool {
        self.max > self.base
    }
}

/// What is published of one direction of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DirectionCaps {
    /// Operations per second.
    pub iops: Option<BaseMax>,
    /// Bytes per second.
    pub bandwidth: Option<BaseMax>,
}

/// Which side of an instance's bandwidth a [`Weighting`] raises, by which share of that side's baseline; the other side
/// loses as much.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Raises {
    /// That of the volumes.
    Volumes(f64),
    /// That of the network.
    Network(f64),
}

/// A way to divide an instance's bandwidth between its volumes and its network, which the customer may choose.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighting {
    /// Its name, set with `weighting=`.
    pub name: String,
    /// What it raises.
    pub raises: Raises,
    /// Whether the maximum of the volumes moves with their baseline.
    pub moves_maximum: bool,
}

/// A type of instance: what it and all its volumes together may do.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    /// `aws`.
    pub provider: String,
    /// `m4.xlarge`.
    pub kind: String,
    /// A few words.
    pub title: String,
    /// Where from.
    pub origin: Origin,
    /// Operations per second.
    pub iops: Option<BaseMax>,
    /// Bytes per second.
    pub bandwidth: Option<BaseMax>,
    /// Reads only.
    pub read: DirectionCaps,
    /// Writes only.
    pub write: DirectionCaps,
    /// Baseline of its network, bytes per second, where a weighting takes from it or gives to it.
    pub network: Option<f64>,
    /// Ways to divide its bandwidth that may be chosen.
    pub weightings: Vec<Weighting>,
    /// How long the maximum lasts, and how often.
    pub burst: Option<(Nanos, Option<Nanos>)>,
    /// How operations are counted.
    pub charging: Option<Charging>,
    /// Share the vendor promises.
    pub promised: Option<f64>,
    /// Whether it may be offered where a need is given: not what holds for a cache only.
    pub offered: bool,
    /// Share of `bandwidth` that volumes have unless set otherwise.
    pub volume_share: Option<f64>,
    /// What something else keeps of that share.
    pub reserved: Option<BytesPerSecond>,
    /// What else to know.
    pub notes: Vec<String>,
}

impl Instance {
    /// `aws/m4.xlarge`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.provider, self.kind)
    }

    /// Operations per second at most, of the direction that may have more where they are published apart.
    #[must_use]
    pub fn most_iops(&self) -> Option<BaseMax> {
        self.iops.or_else(|| larger(self.read.iops, self.write.iops))
    }

    /// Bytes per second at most, as [`Instance::most_iops`].
    #[must_use]
    pub fn most_bandwidth(&self) -> Option<BaseMax> {
        self.bandwidth.or_else(|| larger(self.read.bandwidth, self.write.bandwidth))
    }

    /// `m4` of `m4.xlarge`, `bx2` of `bx2-4x16`: what stands before the first dot, or hyphen; else the title of its table.
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

/// The unit of an operation in words: `256 KiB`.
#[must_use]
pub fn format_charging(charging: Charging) -> String {
    let Charging { unit: Bytes(unit), merges, whole } = charging;
    let unit = Bytes(unit);
    let mut text = format!("operations of more than {unit} count as several");
    if merges {
        text.push_str("; sequential smaller ones are put together up to it");
    }
    if whole {
        text.push_str(&format!("; other smaller ones cost the bytes of {unit}"));
    }
    text
}
