//! Workload: the operations requested from the storage, their sizes, offsets and times.

use super::zero_for_none;
use crate::{Bytes, Detail, Iops, Rate};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A kind of operation (fio's data direction, plus flush).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// Reads data.
    Read,
    /// Writes data.
    Write,
    /// Discards a range.
    Trim,
    /// Makes earlier writes durable: fdatasync, or a cache flush.
    Flush,
}

impl Op {
    /// All operations, in the order of [`Op::index`].
    pub const ALL: [Op; 4] = [Op::Read, Op::Write, Op::Trim, Op::Flush];

    /// Returns a dense index for arrays of counters.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the lower-case name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Op::Read => "read",
            Op::Write => "write",
            Op::Trim => "trim",
            Op::Flush => "flush",
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Shares of operations in percent of their number; the rest, up to 100, are reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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

/// A block size and its share of the operation count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeShare {
    /// Size of an operation, in bytes.
    pub size: Bytes,
    /// Weight of this size, relative to the sum of all weights.
    pub weight: u32,
}

/// Maximum number of sizes in a range that are used to compute a mean.
const MOST_STEPS: u64 = 4096;

/// Sizes of the operations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockSizes {
    /// One size for all operations.
    Fixed(Bytes),
    /// Size drawn by weight for each operation (fio's bssplit: shares of the count, not of the bytes).
    Split(Vec<SizeShare>),
    /// Size drawn uniformly from the multiples of the lower bound within the range (fio's bsrange).
    Range(Bytes, Bytes),
}

impl BlockSizes {
    /// Returns the largest possible size, which buffers must be able to hold.
    #[must_use]
    pub fn max(&self) -> Bytes {
        match self {
            BlockSizes::Fixed(size) => *size,
            BlockSizes::Split(list) => list.iter().map(|s| s.size).max().unwrap_or_default(),
            BlockSizes::Range(_, max) => *max,
        }
    }

    /// Returns the smallest possible size, to which random offsets are aligned.
    #[must_use]
    pub fn min(&self) -> Bytes {
        match self {
            BlockSizes::Fixed(size) => *size,
            BlockSizes::Split(list) => list.iter().map(|s| s.size).min().unwrap_or_default(),
            BlockSizes::Range(min, _) => *min,
        }
    }

    /// Returns the mean size over the operation count, in bytes.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.mean_of(|bytes| bytes)
    }

    /// Returns the mean of a function of the size in bytes, over the operation count.
    #[must_use]
    pub fn mean_of(&self, of: impl Fn(f64) -> f64) -> f64 {
        match self {
            BlockSizes::Fixed(size) => of(size.as_u64() as f64),
            BlockSizes::Split(list) => {
                let weights: f64 = list.iter().map(|s| f64::from(s.weight)).sum();
                let sum: f64 = list.iter().map(|s| of(s.size.as_u64() as f64) * f64::from(s.weight)).sum();
                sum / weights
            }
            BlockSizes::Range(min, max) => {
                // All multiples of min up to max are equally likely. If there are too many, evenly spaced ones with the
                // same mean are used.
                let steps = (max.as_u64() / min.as_u64().max(1)).max(1);
                let taken = steps.min(MOST_STEPS);
                let at = |i: u64| (steps + 1) as f64 * (i as f64 + 0.5) / taken as f64;
                let multiple = |i: u64| if taken == steps { (i + 1) as f64 } else { at(i) };
                (0..taken).map(|i| of(min.as_u64() as f64 * multiple(i))).sum::<f64>() / taken as f64
            }
        }
    }

    /// Returns the sizes in short form: `8k`, or `4k-64k` for several sizes.
    fn short(&self) -> String {
        let (min, max) = (self.min(), self.max());
        if min == max { min.short() } else { format!("{}-{}", min.short(), max.short()) }
    }
}

/// Distribution of random offsets over the target.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Distribution {
    /// All blocks equally likely.
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

/// Rates by direction. A direction without a rate runs as fast as it can.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
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
    pub flush_every: Option<u32>,
    /// Detailed settings.
    #[serde(default, skip_serializing_if = "Detail::is_default")]
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

    #[test]
    fn a_split_has_the_mean_over_the_count() {
        // Seed S0: bssplit=8k/20:16k/10:32k/10:512k/60 has a mean of 313.6 KiB.
        let split = BlockSizes::Split(
            [(8, 20), (16, 10), (32, 10), (512, 60)]
                .map(|(k, weight)| SizeShare { size: Bytes::from_kib(k), weight })
                .to_vec(),
        );
        assert!((split.mean() / 1024.0 - 313.6).abs() < 1e-9);
        let pages = |bytes: f64| (bytes / 65_536.0).ceil();
        assert!((split.mean_of(pages) - 5.2).abs() < 1e-9);
        for most in [64, 4 << 20] {
            let range = BlockSizes::Range(Bytes::from_kib(4), Bytes::from_kib(most));
            assert!((range.mean() / 1024.0 / (most as f64 / 2.0 + 2.0) - 1.0).abs() < 1e-9, "{most}");
        }
    }
}
