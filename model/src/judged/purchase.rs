//! What could be bought for a recorded demand, and what each would have done with it, second by second.

use crate::{Bytes, Caveat, Nanos};

/// What something costs a month.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MonthlyPrice {
    /// In units of the currency.
    pub amount: f64,
    /// `USD`.
    pub currency: String,
    /// Where it is asked for: `us-east-1`.
    pub region: String,
    /// The document.
    pub source: String,
    /// Its date, `YYYY-MM-DD`; empty if it bears none.
    pub date: String,
}

/// Why a volume must have the room it must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RoomSource {
    /// The user said so.
    Said,
    /// The device or file that was recorded has it.
    Recorded,
    /// So many different bytes were touched; more may have been there.
    #[default]
    Touched,
}

/// A role, and the room its files need.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RoleRoom {
    /// The role, or [`crate::UNMAPPED`].
    pub role: String,
    /// Its reads and writes.
    pub requests: u64,
    /// Room on a volume.
    pub room: Bytes,
    /// Where that is from.
    pub source: RoomSource,
}

/// One bucket of credits over a demand.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CreditUse {
    /// The limit it lies above: `gp2 volume IOPS`.
    pub limit: String,
    /// The least that was in it, as a share of what it holds, 0..=1.
    pub lowest: f64,
    /// What was in it at the end, as a share.
    pub end: f64,
    /// The second at whose end nothing was left; `None` where that never was.
    pub empty: Option<Nanos>,
}

/// What limits do with a demand that is offered to them second by second: what does not fit waits, and is served later, the
/// oldest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ServedDemand {
    /// Reads and writes that were offered.
    pub requests: u64,
    /// Of them, those that were not served within their second.
    pub delayed: u64,
    /// Time in which something waited, in whole seconds.
    pub waiting: Nanos,
    /// The longest that one waited, in whole seconds.
    pub longest_wait: Nanos,
    /// When something waited first.
    pub first_wait: Option<Nanos>,
    /// Reads and writes that still waited at the end.
    pub left: u64,
    /// The limit that held most of them back, else the one whose credits run out.
    pub binds: Option<String>,
    /// Buckets of credits.
    pub credits: Vec<CreditUse>,
    /// How long credits carry such a demand, repeated; `None` = without end.
    pub lasts: Option<Nanos>,
}

/// A volume as bought, for the files of these roles.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BoughtVolume {
    /// The roles; empty = all.
    pub roles: Vec<String>,
    /// The row with everything set: `aws/gp3:size=12GiB,iops=6000,mbps=125`.
    pub row: String,
    /// What it costs, if that is known.
    pub price: Option<MonthlyPrice>,
    /// The document its limits are from.
    pub source: String,
    /// Its date, `YYYY-MM-DD`; empty if it bears none.
    pub date: String,
}

/// One way to buy, and what it would have done.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Purchase {
    /// Volumes, or one instance.
    pub bought: Vec<BoughtVolume>,
    /// What it would have done with the demand.
    pub served: ServedDemand,
    /// Whether that is within what was asked: nothing waited longer, and credits last.
    pub carries: bool,
}

impl Purchase {
    /// What all of it costs a month; `None` where a price is not known, or they are of several currencies.
    #[must_use]
    pub fn price(&self) -> Option<f64> {
        let first = self.bought.first()?.price.as_ref()?;
        let prices = self.bought.iter().map(|b| b.price.as_ref().filter(|p| p.currency == first.currency));
        prices.map(|p| p.map(|p| p.amount)).sum()
    }
}

/// Purchases for one way to lay the roles out.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PurchaseLayout {
    /// Those that carry the demand, the cheapest first, and then those without a price.
    pub carrying: Vec<Purchase>,
    /// Smaller ones that have the room, and would have held it back.
    pub holding: Vec<Purchase>,
}

/// What could be bought for a recorded demand.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Purchases {
    /// How long the recording is.
    pub length: Nanos,
    /// What is added to the demand: 0.3 = 30 %.
    pub headroom: f64,
    /// How long a request may wait, in whole seconds.
    pub wait: Nanos,
    /// How long it is to go on, the recording being repeated; `None` = without end.
    pub lasting: Option<Nanos>,
    /// How full buckets of credits are at the beginning, 0..=1.
    pub credits: f64,
    /// The roles, the busiest first.
    pub roles: Vec<RoleRoom>,
    /// Room on one volume for all of them.
    pub room: Bytes,
    /// The instance that was named, by itself.
    pub instance: Option<Purchase>,
    /// All roles on one volume.
    pub together: PurchaseLayout,
    /// A volume for each role; `None` where there is but one.
    pub apart: Option<PurchaseLayout>,
    /// The smallest instance of each family that carries it; none where one was named.
    pub instances: Vec<Purchase>,
    /// What is to be doubted.
    pub doubts: Vec<Caveat>,
}
