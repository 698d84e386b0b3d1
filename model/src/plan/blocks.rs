//! Sizes of operations.

use crate::Bytes;
use serde::{Deserialize, Serialize};

/// A block size and its share of the operation count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    pub(super) fn short(&self) -> String {
        let (min, max) = (self.min(), self.max());
        if min == max { min.short() } else { format!("{}-{}", min.short(), max.short()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
