//! Workload: the operations requested from the storage, their sizes, offsets and times.

use super::zero_for_none;
use crate::plan::{BlockSizes, Detail};
use crate::{Bytes, BytesPerSecond, Iops, Op};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Shares of operations in percent of their number; the rest, up to 100, are reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mix {
    /// Percentage of writes.
    pub write_percent: u8,
    /// Percentage of trims.
    pub trim_percent: u8,
}

impl Mix {
    /// Reads only.
    pub const READ: Mix = Mix { write_percent: 0, trim_percent: 0 };
    /// Writes only.
    pub const WRITE: Mix = Mix { write_percent: 100, trim_percent: 0 };

    /// Returns the percentage of reads.
    #[must_use]
    pub const fn read_percent(self) -> u8 {
        100 - self.write_percent - self.trim_percent
    }

    /// Returns the share of `op` from 0 to 1. A flush has no share, because it is issued after a number of writes.
    #[must_use]
    pub fn share(self, op: Op) -> f64 {
        f64::from(match op {
            Op::Read => self.read_percent(),
            Op::Write => self.write_percent,
            Op::Trim => self.trim_percent,
            Op::Flush => 0,
        }) / 100.0
    }

    /// Returns `true` if any operation changes data.
    #[must_use]
    pub const fn writes(self) -> bool {
        self.write_percent > 0 || self.trim_percent > 0
    }
}

/// Distribution of random offsets over the target.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Distribution {
    /// All blocks equally likely.
    #[default]
    Uniform,
    /// Zipf with exponent theta; hot blocks are scattered by a permutation.
    Zipf(f64),
    /// Self-similar (fio's pareto): a share h of the blocks receives a share 1-h of the operations.
    Pareto(f64),
    /// Normal around the middle, with this deviation in percent of the range.
    Normal(f64),
}

/// Order in which offsets are accessed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Sequential; each worker has its own region and forms a separate stream.
    Sequential,
    /// Random.
    Random {
        /// Distribution of the offsets.
        distribution: Distribution,
        /// True if offsets are drawn with replacement; false if every block is accessed exactly once per pass (uniform
        /// only).
        repeat: bool,
    },
}

impl Access {
    /// Uniform random access to every block once per pass: the default meaning of `rand*`.
    pub const RANDOM: Access = Access::Random { distribution: Distribution::Uniform, repeat: false };

    /// Returns `true` if offsets are random.
    #[must_use]
    pub const fn is_random(self) -> bool {
        matches!(self, Access::Random { .. })
    }
}

/// Rule for when operations are sent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Pacing {
    /// As soon as an earlier operation completes. The latency is then that of a load that throttles itself.
    Closed,
    /// At fixed intervals, whether earlier operations have completed or not; the rate is that of all workers together.
    Fixed(Iops),
    /// At exponentially distributed intervals (a Poisson process).
    Poisson(Iops),
    /// Reads, writes and trims each have a separate maximum rate (fio's rate and rate_iops).
    Rates(Rates),
}

/// A rate of operations or of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Rate {
    /// Operations per second.
    Iops(Iops),
    /// Bytes per second.
    Bytes(BytesPerSecond),
}

/// Rates by direction. A direction without a rate runs as fast as it can.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rates {
    /// Rates of reads, writes and trims.
    pub of: [Option<Rate>; 3],
    /// True for exponentially distributed intervals, false for equal ones.
    pub poisson: bool,
    /// True if operations that were missed during pauses are not made up for (fio's rate_ignore_thinktime).
    pub forgive_pauses: bool,
}

impl fmt::Display for Rates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for (op, rate) in Op::ALL.iter().zip(self.of) {
            let Some(rate) = rate else { continue };
            let comma = if first { "" } else { ", " };
            match rate {
                Rate::Iops(iops) => write!(f, "{comma}{op} {iops} IOPS")?,
                Rate::Bytes(bytes) => write!(f, "{comma}{op} {bytes}")?,
            }
            first = false;
        }
        f.write_str(if self.poisson { ", Poisson" } else { "" })
    }
}

impl Pacing {
    /// Returns `true` if arrivals are independent of completions.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(self, Pacing::Fixed(_) | Pacing::Poisson(_))
    }

    /// Returns the requested total rate, if there is one.
    #[must_use]
    pub const fn rate(self) -> Option<Iops> {
        match self {
            Pacing::Closed | Pacing::Rates(_) => None,
            Pacing::Fixed(rate) | Pacing::Poisson(rate) => Some(rate),
        }
    }
}

/// Operations requested from the storage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Workload {
    /// Shares of reads, writes and trims.
    pub mix: Mix,
    /// Sizes of operations.
    pub block: BlockSizes,
    /// Access order.
    pub access: Access,
    /// Rule for when operations are sent.
    pub pacing: Pacing,
    /// Number of writes after which a worker issues one [`Op::Flush`]; `None` means never.
    #[serde(with = "zero_for_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u32"))]
    pub flush_every: Option<u32>,
    /// Detailed settings.
    #[serde(default, skip_serializing_if = "crate::units::is_default")]
    pub detail: Detail,
}

impl Workload {
    /// Creates a closed-loop workload with one block size.
    #[must_use]
    pub fn new(mix: Mix, block: Bytes, access: Access) -> Self {
        Workload {
            mix,
            block: BlockSizes::Fixed(block),
            access,
            pacing: Pacing::Closed,
            flush_every: None,
            detail: Detail::default(),
        }
    }

    /// Returns the mode under fio's name: `read`, `write`, `rw`, `randread`, `randwrite`, `randrw`.
    #[must_use]
    pub fn rw(&self) -> &'static str {
        match (self.access.is_random(), self.mix.write_percent, self.mix.trim_percent) {
            (false, 0, 0) => "read",
            (false, 100, 0) => "write",
            (false, 0, 100) => "trim",
            (false, _, 0) => "rw",
            (false, _, _) => "trimwrite",
            (true, 0, 0) => "randread",
            (true, 100, 0) => "randwrite",
            (true, 0, 100) => "randtrim",
            (true, _, 0) => "randrw",
            (true, _, _) => "randtrimwrite",
        }
    }

    /// Returns a short label for tables: `8k randread`, `16k randrw 50/50`, `4k-64k randread` for a range of sizes,
    /// `8k,64k randrw 70/30` if reads and writes differ in size.
    #[must_use]
    pub fn label(&self) -> String {
        let mut sizes: Vec<String> = self.used().map(|op| self.sizes_of(op).short()).collect();
        sizes.dedup();
        let size = if sizes.is_empty() { self.block.short() } else { sizes.join(",") };
        let mut label = format!("{size} {}", self.rw());
        if self.mix.write_percent != 0 && self.mix.write_percent != 100 {
            label.push_str(&format!(" {}/{}", self.mix.read_percent(), self.mix.write_percent));
        }
        match self.flush_every {
            None => {}
            Some(1) => label.push_str(" + fdatasync"),
            Some(every) => label.push_str(&format!(" + fdatasync/{every}")),
        }
        label
    }

    /// Returns `true` if the workload writes or trims. A job that only checks the data of an earlier job does neither.
    #[must_use]
    pub fn changes_data(&self) -> bool {
        self.mix.writes() && !self.detail.verify.as_ref().is_some_and(|v| v.only)
    }

    /// Returns the sizes of one kind of operation.
    #[must_use]
    pub fn sizes_of(&self, op: Op) -> &BlockSizes {
        match op {
            Op::Write => self.detail.write_block.as_ref().unwrap_or(&self.block),
            Op::Trim => self.detail.trim_block.as_ref().unwrap_or(&self.block),
            Op::Read | Op::Flush => &self.block,
        }
    }

    /// Returns the size of the largest operation in the mix.
    #[must_use]
    pub fn max_block(&self) -> Bytes {
        self.used().map(|op| self.sizes_of(op).max()).max().unwrap_or_else(|| self.block.max())
    }

    /// Returns the size of the largest operation that needs a buffer (trims need none).
    #[must_use]
    pub fn max_buffer(&self) -> Bytes {
        self.used().filter(|op| *op != Op::Trim).map(|op| self.sizes_of(op).max()).max().unwrap_or(Bytes(4096))
    }

    /// Returns the size of the smallest operation in the mix.
    #[must_use]
    pub fn min_block(&self) -> Bytes {
        self.used().map(|op| self.sizes_of(op).min()).min().unwrap_or_else(|| self.block.min())
    }

    fn used(&self) -> impl Iterator<Item = Op> {
        let every = self.detail.block_by_order;
        [Op::Read, Op::Write, Op::Trim]
            .into_iter()
            .filter(move |op| self.mix.share(*op) > 0.0 || (every && *op != Op::Trim))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_use_fio_words() {
        let mut w = Workload::new(Mix { write_percent: 50, trim_percent: 0 }, Bytes(16384), Access::RANDOM);
        assert_eq!(w.label(), "16k randrw 50/50");
        w.mix = Mix::READ;
        w.access = Access::Sequential;
        assert_eq!(w.label(), "16k read");
        w.block = BlockSizes::Range(Bytes::from_kib(4), Bytes::from_kib(64));
        assert_eq!(w.label(), "4k-64k read");
        (w.mix.write_percent, w.detail.write_block) = (30, Some(BlockSizes::Fixed(Bytes(8192))));
        assert_eq!(w.label(), "4k-64k,8k rw 70/30");
    }
}
