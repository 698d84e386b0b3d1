//! Workload of a database session (`secchi db`).

use crate::{Nanos, plan::Pacing};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Workload of a thread that drives a database session instead of a block engine: batches of operations on records of
/// globals. Each batch of updates is one transaction, and a pause follows each batch (PerfTools' RanWrite and RanIO).
///
/// A *global* is InterSystems' term for an ordered, persistent array; in other engines it is a table, or a separate
/// file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionRule {
    /// Operations per batch.
    pub batch: u32,
    /// True if the updates of a batch are one transaction; otherwise each update is made durable separately.
    pub transaction: bool,
    /// Pause after each batch; not part of any latency.
    pub hang: Nanos,
    /// Variation of the pause in percent, 0..=100: each pause is uniformly distributed around `hang` within this range.
    pub hang_variation: u8,
    /// Percentage of batches that read; a batch only reads or only writes, as in RanIO.
    pub read_percent: u8,
    /// Global that receives the updates of this worker: its number, from 1, and its subscripts 1..=count.
    pub own: GlobalSize,
    /// Globals for reads, chosen uniformly by subscript.
    pub read: Vec<GlobalSize>,
    /// True if whole blocks are read, by the engine or from its files; the counts of `read` are then blocks, and files
    /// are numbered like globals.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blocks: bool,
    /// Order of the subscripts.
    pub order: KeyOrder,
    /// Rule for generating values.
    pub value: ValueRule,
    /// Node names used instead of integer subscripts, as in the creation of the globals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<NodeNames>,
    /// Options that most loads leave at their defaults.
    #[serde(default, skip_serializing_if = "crate::units::is_default")]
    pub extra: SessionExtra,
}

impl SessionRule {
    /// Returns `true` if the session only creates nodes in order, in transactions. If the global is empty, engines may
    /// use a bulk load.
    #[must_use]
    pub const fn may_be_load(&self) -> bool {
        matches!(self.order, KeyOrder::Sequential { .. }) && self.read_percent == 0 && self.transaction
    }

    /// Returns the numbers of the globals that the session reads or updates.
    #[must_use]
    pub fn globals(&self) -> BTreeSet<u32> {
        let updated = (self.read_percent < 100).then_some(self.own.number);
        self.read.iter().map(|g| g.number).chain(updated).collect()
    }
}

/// Options that few database loads use.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionExtra {
    /// Distribution of random subscripts; `None` means uniform.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skew: Option<Skew>,
    /// Schedule of batches, independent of their duration; `None` means that each batch starts when the previous one
    /// has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<BatchArrivals>,
    /// Scale of TPC-B's tables, if a batch is TPC-B's transaction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tpcb: Option<u32>,
    /// Number of secondary indexes of each global; setting a node generates a new key for each.
    #[serde(default, skip_serializing_if = "crate::units::is_default")]
    pub indexes: u32,
}

/// Non-uniform distribution of random subscripts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Skew {
    /// Zipf distribution with this exponent, above 0. A permutation, the same for all workers, scatters the hot
    /// subscripts over the whole range.
    Zipf(f64),
    /// Hot spot: a share of the draws falls uniformly on the first subscripts, the rest uniformly on the others; both
    /// percentages are above 0 and below 100.
    Hotspot {
        /// Share of the draws on the hot spot, in percent.
        drawn: f64,
        /// Share of the subscripts in the hot spot, in percent.
        subscripts: f64,
    },
}

impl std::fmt::Display for Skew {
    /// Formats the value as in the command line: `zipf:0.99`, `hotspot:80:20`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Skew::Zipf(theta) => write!(f, "zipf:{theta}"),
            Skew::Hotspot { drawn, subscripts } => write!(f, "hotspot:{drawn}:{subscripts}"),
        }
    }
}

/// Schedule of a worker's batches.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BatchArrivals {
    /// Distribution and rate of the batches, for all workers of a host together.
    pub pacing: Pacing,
    /// Number of this worker, from 0.
    pub worker: u32,
    /// Number of workers that share the rate.
    pub workers: u32,
}

/// Format of node names that are not 1 to N: the random strings of PerfTools V1, such as
/// `^RanWriteGlobal1("Xr6","drb7x","t8vqa")`. Node n has the same name in every global, and names are unique within a
/// global.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeNames {
    /// Length of the name that V1 gives the global itself. Here it is an additional first subscript, because each
    /// worker has a separate global. 0 means none.
    pub name: u8,
    /// Number of subscript levels below that name, at least 1.
    pub depth: u8,
    /// Length of each of these subscripts, at least 1.
    pub length: u8,
}

/// Number of possible first characters of a subscript: letters only, so that no name is a number.
pub const NAME_LETTERS: u64 = 52;
/// Number of possible further characters: letters and digits.
pub const NAME_CHARACTERS: u64 = 62;

impl NodeNames {
    /// Iterates over the lengths of the subscripts, in order.
    pub fn levels(&self) -> impl Iterator<Item = usize> {
        let first = (self.name > 0).then_some(usize::from(self.name));
        first.into_iter().chain(std::iter::repeat_n(usize::from(self.length), usize::from(self.depth)))
    }

    /// Returns the total length of all subscripts.
    #[must_use]
    pub fn characters(&self) -> usize {
        self.levels().sum()
    }

    /// Returns `true` if a subscript of this format could be `Size`, under which the size of a global is stored.
    #[must_use]
    pub fn may_be_size(&self) -> bool {
        self.name == 0 && self.depth == 1 && self.length == 4
    }

    /// Returns the number of possible names, or `u64::MAX` if there are at least as many.
    #[must_use]
    pub fn count(&self) -> u64 {
        let power = |base: u64, n: usize| (0..n).try_fold(1u64, |product, _| product.checked_mul(base));
        let names_of_length = |n: usize| NAME_LETTERS.checked_mul(power(NAME_CHARACTERS, n - 1)?);
        let names = self.levels().try_fold(1u64, |product, n| product.checked_mul(names_of_length(n)?));
        names.map_or(u64::MAX, |n| n - u64::from(self.may_be_size()))
    }
}

impl std::fmt::Display for NodeNames {
    /// Formats a description: `2 subscripts of 5 characters`, `a name of 3 and 2 subscripts of 5 characters`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.name > 0 {
            write!(f, "a name of {} and ", self.name)?;
        }
        let s = if self.depth == 1 { "" } else { "s" };
        let more = if self.length == 1 { "" } else { "s" };
        write!(f, "{} subscript{s} of {} character{more}", self.depth, self.length)
    }
}

/// A global and its number of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GlobalSize {
    /// Number of the global, from 1.
    pub number: u32,
    /// Number of nodes with subscripts 1..=count, or with this many names.
    pub count: u64,
    /// Number of additional nodes with subscripts scattered over a higher range ([`scattered_subscript`]), from inserts
    /// in random order.
    #[serde(default, skip_serializing_if = "crate::units::is_default")]
    pub scattered: u64,
}

impl GlobalSize {
    /// Returns a global with subscripts 1..=count only.
    #[must_use]
    pub const fn new(number: u32, count: u64) -> GlobalSize {
        GlobalSize { number, count, scattered: 0 }
    }

    /// Returns the total number of nodes.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.count.saturating_add(self.scattered)
    }

    /// Returns the subscript of a node, counted from 1; nodes in order come first.
    #[must_use]
    pub const fn subscript(&self, node: u64) -> u64 {
        if node <= self.count { node } else { scattered_subscript(node - self.count) }
    }
}

/// First subscript of nodes inserted in random order; no global has as many nodes in order.
pub const SCATTERED_FROM: u64 = 1 << 41;
/// Number of bits over which these subscripts are scattered; together with the offset they fit into the 18 digits of
/// M's numbers.
const SCATTERED_BITS: u32 = 56;
const SCATTERED_MASK: u64 = (1 << SCATTERED_BITS) - 1;
/// Odd multiplier; `GATHER` is its inverse modulo 2^56.
const SCATTER: u64 = 0x9E37_79B9_7F4A_7C15 & SCATTERED_MASK;
const GATHER: u64 = inverse(SCATTER);

/// Returns the inverse modulo a power of two by Newton's method: each step doubles the number of correct bits.
const fn inverse(odd: u64) -> u64 {
    let (mut x, mut round) = (odd, 0);
    while round < 6 {
        x = x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x)));
        round += 1;
    }
    x & SCATTERED_MASK
}

/// Returns the subscript of the nth node (from 1) inserted in random order. It is a permutation: subscripts are unique,
/// any process can recompute them, and each falls at a random place among the earlier ones.
#[must_use]
pub const fn scattered_subscript(node: u64) -> u64 {
    let half = SCATTERED_BITS / 2;
    let x = node.wrapping_mul(SCATTER) & SCATTERED_MASK;
    let x = (x ^ (x >> half)).wrapping_mul(SCATTER) & SCATTERED_MASK;
    SCATTERED_FROM + (x ^ (x >> half))
}

/// Returns the number of the insert that created the node of this subscript, or `None` for a subscript in order.
#[must_use]
pub const fn scattered_node(subscript: u64) -> Option<u64> {
    if subscript < SCATTERED_FROM {
        return None;
    }
    let half = SCATTERED_BITS / 2;
    let x = (subscript - SCATTERED_FROM) & SCATTERED_MASK;
    let x = (x ^ (x >> half)).wrapping_mul(GATHER) & SCATTERED_MASK;
    Some((x ^ (x >> half)).wrapping_mul(GATHER) & SCATTERED_MASK)
}

/// Order of subscripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum KeyOrder {
    /// Uniformly random from 1..=count.
    Random,
    /// Ascending from a start; after the last subscript it continues at 1.
    Sequential {
        /// First subscript.
        from: u64,
    },
    /// The engine's own order (`$ORDER`, a cursor): ascending from 1; after the last subscript it starts again at 1.
    Scan,
    /// Uniformly random from the names beyond 1..=count: most likely a new node (only for updates of named nodes).
    New,
    /// The next new node: after the last one in order, or at a scattered subscript ([`scattered_subscript`]).
    Insert {
        /// True if subscripts are scattered.
        scattered: bool,
    },
}

impl KeyOrder {
    /// Returns `true` if each subscript is random, anywhere in the tree.
    #[must_use]
    pub const fn is_drawn(self) -> bool {
        matches!(self, KeyOrder::Random | KeyOrder::New | KeyOrder::Insert { scattered: true })
    }
}

/// Rule for generating values. Every value contains the number of its operation, because engines skip writes of
/// unchanged values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ValueRule {
    /// Text as in PerfTools, about 45 bytes: `Updated by job 3 at 04:05:06 PM, 1234567`.
    Text,
    /// Uniformly random length, from the minimum to the maximum (inclusive); if both are equal, the length is fixed.
    Length {
        /// Minimum length, in bytes.
        from: u32,
        /// Maximum length, in bytes.
        to: u32,
    },
}

impl ValueRule {
    /// Returns the minimum length of a value, in bytes.
    #[must_use]
    pub const fn shortest(&self) -> u32 {
        match self {
            ValueRule::Text => 45,
            ValueRule::Length { from, .. } => *from,
        }
    }

    /// Returns the maximum length of a value, in bytes.
    #[must_use]
    pub const fn longest(&self) -> u32 {
        match self {
            ValueRule::Text => 80,
            ValueRule::Length { to, .. } => *to,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scattered_subscripts_are_found_again_and_lie_anywhere_in_their_range() {
        let mut seen = std::collections::BTreeSet::new();
        let mut last = 0;
        let mut rises = 0;
        for node in 1..=20_000u64 {
            let subscript = scattered_subscript(node);
            assert_eq!(scattered_node(subscript), Some(node));
            assert!((SCATTERED_FROM..1_000_000_000_000_000_000).contains(&subscript) && seen.insert(subscript));
            rises += u32::from(subscript > last);
            last = subscript;
        }
        assert!((8_000..12_000).contains(&rises), "{rises} of 20000 lie behind the one before");
        let middle = SCATTERED_FROM + (SCATTERED_MASK >> 1);
        assert!((9_500..10_500).contains(&seen.range(middle..).count()));
        assert_eq!((scattered_node(1 << 40), scattered_node(SCATTERED_FROM - 1)), (None, None));
        let size = GlobalSize { scattered: 3, ..GlobalSize::new(1, 5) };
        assert_eq!((size.total(), size.subscript(5), size.subscript(6)), (8, 5, scattered_subscript(1)));
    }
}
