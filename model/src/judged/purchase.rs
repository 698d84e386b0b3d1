//! Products that could be bought for a recorded demand, and how each of them would have served it, second by second.

use crate::{Bytes, Caveat, Nanos};
use serde::Serialize;

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
    /// Document with the limits.
    pub source: String,
    /// Date of the document, `YYYY-MM-DD`; empty if it has none.
    pub date: String,
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
    /// Result for the demand.
    #[serde(flatten)]
    pub served: ServedDemand,
}

impl Purchase {
    /// Creates a purchase of volumes or of one instance. It carries the demand if no request waited longer than
    /// allowed, and the credits last.
    #[must_use]
    pub fn new(bought: Vec<BoughtVolume>, served: ServedDemand, carries: bool) -> Self {
        let currency = bought.first().and_then(|b| Some(&b.price.as_ref()?.currency));
        let prices = bought.iter().map(|b| b.price.as_ref().filter(|p| Some(&p.currency) == currency));
        let price = currency.and_then(|_| prices.map(|p| p.map(|p| p.amount)).sum());
        Purchase { price, bought, carries, served }
    }
}

/// Purchases for one way to distribute the roles over volumes.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PurchaseLayout {
    /// Purchases that carry the demand: the cheapest first, purchases without a known price last.
    pub carrying: Vec<Purchase>,
    /// Smaller purchases that have the space but would have delayed requests.
    pub holding: Vec<Purchase>,
}

/// Possible purchases for a recorded demand.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Purchases {
    /// Length of the recording.
    pub length: Nanos,
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
    /// The instance that the user named, without volumes.
    pub instance: Option<Purchase>,
    /// Purchases with all roles on one volume.
    pub together: PurchaseLayout,
    /// Purchases with a volume for each role; `None` if there is only one role.
    pub apart: Option<PurchaseLayout>,
    /// Smallest instance of each family that carries the demand; empty if the user named one.
    pub instances: Vec<Purchase>,
    /// Doubts about the result.
    pub doubts: Vec<Caveat>,
}
