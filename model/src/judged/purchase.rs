//! Products that could be bought for a demand, and how each of them would serve it, second by second.

use crate::{Bytes, BytesPerSecond, Caveat, Iops, Nanos};
use serde::{Deserialize, Serialize};

/// Price of a product per month.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MonthlyPrice {
    /// Amount in units of the currency.
    pub amount: f64,
    /// Currency: `USD`.
    pub currency: String,
    /// Region to which the price applies: `us-east-1`.
    pub region: String,
    /// Document with the price.
    pub source: String,
    /// Date of the document, `YYYY-MM-DD`; empty if it has none.
    pub date: String,
}

/// Latency of a kind of volume, as its vendor describes it. It is a description of usual latencies, not a promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LatencyClass {
    /// A disk inside the host.
    Local,
    /// Below a millisecond.
    SubMs,
    /// Less than ten milliseconds.
    SingleDigitMs,
    /// Milliseconds: hard disks, or no better description.
    Ms,
}

impl LatencyClass {
    /// Returns the latency that the class does not promise to be below: a requirement of at most this much excludes it.
    #[must_use]
    pub const fn floor(self) -> Nanos {
        match self {
            LatencyClass::Local | LatencyClass::SubMs => Nanos(0),
            LatencyClass::SingleDigitMs => Nanos::from_millis(1),
            LatencyClass::Ms => Nanos::from_millis(10),
        }
    }

    /// Returns the identifier of the message with its name.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            LatencyClass::Local => "latency-class-local",
            LatencyClass::SubMs => "latency-class-sub-ms",
            LatencyClass::SingleDigitMs => "latency-class-single-digit-ms",
            LatencyClass::Ms => "latency-class-ms",
        }
    }
}

/// Origin of the required size of a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum RoomSource {
    /// The user gave it.
    Said,
    /// Size of the device or file that was recorded.
    Recorded,
    /// Number of distinct bytes that were accessed; the data may have been larger.
    #[default]
    Touched,
    /// Samples do not contain it.
    Unknown,
}

/// A role, and the space that its files need.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoleRoom {
    /// The role, or [`crate::plan::UNMAPPED`].
    pub role: String,
    /// Number of reads and writes of the role.
    pub requests: u64,
    /// Required space on a volume.
    pub room: Bytes,
    /// Origin of that size.
    #[serde(rename = "room_by")]
    pub source: RoomSource,
}

/// Use of one credit bucket over a demand.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CreditUse {
    /// Limit that the credits allow requests to exceed: `gp2 volume IOPS`.
    pub limit: String,
    /// Lowest level, as a share of the bucket's capacity, 0..=1.
    pub lowest: f64,
    /// Level at the end, as a share of the capacity.
    pub end: f64,
    /// End of the second in which the bucket became empty; `None` if it never did.
    pub empty: Option<Nanos>,
}

/// Result of offering a demand to limits second by second: requests beyond a limit wait and are served later, the
/// oldest first.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ServedDemand {
    /// Number of reads and writes offered.
    pub requests: u64,
    /// Number of requests that were not served within their second.
    pub delayed: u64,
    /// Time in which any request waited, in whole seconds.
    pub waiting: Nanos,
    /// Longest wait of a request, in whole seconds.
    pub longest_wait: Nanos,
    /// Time at which a request waited for the first time.
    pub first_wait: Option<Nanos>,
    /// Number of reads and writes still waiting at the end.
    pub left: u64,
    /// Limit that delayed most of the requests; if none was delayed, the limit whose credits run out.
    pub binds: Option<String>,
    /// Use of the credit buckets.
    pub credits: Vec<CreditUse>,
    /// Time for which the credits suffice if the demand is repeated; `None` means indefinitely.
    pub lasts: Option<Nanos>,
}

/// A volume to buy for the files of these roles.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BoughtVolume {
    /// The roles; empty means all.
    pub roles: Vec<String>,
    /// Catalogue row with all settings: `aws/gp3:size=12GiB,iops=6000,mbps=125`.
    pub row: String,
    /// Price, if known.
    pub price: Option<MonthlyPrice>,
    /// Latency as the vendor describes it, if it does.
    pub latency: Option<LatencyClass>,
    /// Document with the limits.
    pub source: String,
    /// Date of the document, `YYYY-MM-DD`; empty if it has none.
    pub date: String,
}

/// Sustained caps compared with the busiest second of the demand.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Headroom {
    /// Cap divided by the demand; below 1, bursts or waits carry the rest.
    pub factor: f64,
    /// The tightest limit: `gp3 volume IOPS`.
    pub limit: String,
}

/// One possible purchase, and how it would have served the demand.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Purchase {
    /// Volumes to buy.
    pub bought: Vec<BoughtVolume>,
    /// Total price per month; `None` if a price is unknown, or if currencies differ.
    pub price: Option<f64>,
    /// True if the purchase carries the demand.
    pub carries: bool,
    /// Headroom; `None` if no cap applies to the demand.
    pub headroom: Option<Headroom>,
    /// Result for the demand.
    #[serde(flatten)]
    pub served: ServedDemand,
}

impl Purchase {
    /// Creates a purchase of volumes or of one instance. It carries the demand if no request waited longer than
    /// allowed, and the credits last.
    #[must_use]
    pub fn new(bought: Vec<BoughtVolume>, served: ServedDemand, carries: bool, headroom: Option<Headroom>) -> Self {
        let currency = bought.first().and_then(|b| Some(&b.price.as_ref()?.currency));
        let prices = bought.iter().map(|b| b.price.as_ref().filter(|p| Some(&p.currency) == currency));
        let price = currency.and_then(|_| prices.map(|p| p.map(|p| p.amount)).sum());
        Purchase { price, bought, carries, headroom, served }
    }

    /// Returns `true` if a volume is a disk inside a host, which loses its data with the host.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.bought.iter().any(|b| b.latency == Some(LatencyClass::Local))
    }
}

/// Purchases for one way to distribute the roles over volumes.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PurchaseLayout {
    /// Purchases that carry the demand: the cheapest first, then those without a known price; local disks last. If a
    /// latency is required, kinds with a described latency come before the others.
    pub carrying: Vec<Purchase>,
    /// Smaller purchases that have the space but would have delayed requests.
    pub holding: Vec<Purchase>,
}

/// Returns the purchase to make: the first of each layout that carries the demand, and the cheapest of these. Layouts
/// are sorted.
#[must_use]
pub fn best_purchase<'a>(layouts: impl Iterator<Item = &'a PurchaseLayout>) -> Option<&'a Purchase> {
    let firsts = layouts.filter_map(|layout| layout.carrying.iter().find(|p| p.carries));
    let price = |p: &Purchase| p.price.unwrap_or(f64::INFINITY);
    firsts.min_by(|a, b| a.is_local().cmp(&b.is_local()).then(price(a).total_cmp(&price(b))))
}

/// Reason why a kind of volume is not offered.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", tag = "why")]
pub enum Rejection {
    /// The largest volume is too small.
    Capacity {
        /// Largest size that is sold.
        largest: Bytes,
    },
    /// The largest volume cannot carry the demand.
    Cap {
        /// Headroom of the largest volume.
        #[serde(flatten)]
        headroom: Headroom,
    },
    /// The vendor describes latencies that are not below the required one.
    Latency {
        /// Class of latency.
        class: LatencyClass,
    },
    /// The vendor publishes no cap on operations, or none on bytes.
    Unpublished,
}

/// A kind of volume that is not offered.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RejectedKind {
    /// Kind: `aws/st1`.
    pub kind: String,
    /// Reason.
    #[serde(flatten)]
    pub reason: Rejection,
}

/// A need as a steady demand.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NeedRate {
    /// Text as typed.
    pub need: String,
    /// Block size.
    pub bs: Bytes,
    /// Operations per second.
    pub iops: Iops,
    /// Bytes per second.
    pub bandwidth: BytesPerSecond,
    /// Percentage of writes.
    pub write_percent: u8,
    /// Operations in flight at the maximum mean latency, by Little's law; `None` without one.
    pub in_flight: Option<f64>,
}

/// Possible purchases for a demand.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Purchases {
    /// Needs that are the demand; empty if it was recorded or sampled.
    pub needs: Vec<NeedRate>,
    /// True if all needs apply at the same time.
    pub simultaneous: bool,
    /// Maximum latency that the needs name; `None` if they name none.
    pub latency: Option<Nanos>,
    /// Length of the recording.
    pub length: Nanos,
    /// Interval between samples; `None` if each request was recorded.
    pub resolution: Option<Nanos>,
    /// Share added to the demand: 0.3 means 30 %.
    pub headroom: f64,
    /// Maximum allowed wait of a request, in whole seconds.
    pub wait: Nanos,
    /// Required duration, for which the recording is repeated; `None` means indefinitely.
    pub lasting: Option<Nanos>,
    /// Level of the credit buckets at the start, 0..=1.
    pub credits: f64,
    /// Roles, the busiest first.
    pub roles: Vec<RoleRoom>,
    /// Required space on one volume for all roles.
    pub room: Bytes,
    /// The volumes that are in use now, as the user named them.
    pub current: Option<Purchase>,
    /// The instance that the user named, without volumes.
    pub instance: Option<Purchase>,
    /// Purchases with all roles on one volume.
    pub together: PurchaseLayout,
    /// Purchases with a volume for each role; `None` if there is only one role.
    pub apart: Option<PurchaseLayout>,
    /// Kinds of volumes that are not offered with all roles on one volume.
    pub rejected: Vec<RejectedKind>,
    /// Smallest instance of each family that carries the demand; empty if the user named one.
    pub instances: Vec<Purchase>,
    /// Doubts about the result.
    pub doubts: Vec<Caveat>,
}
