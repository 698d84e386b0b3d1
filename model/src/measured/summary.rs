//! Exact, mergeable moments of a stream of integers.

use serde::{Deserialize, Serialize};

/// Count, sum, sum of squares, minimum and maximum, all exact: 128-bit sums can hold 10^9 samples of one hour each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// Number of samples.
    pub count: u64,
    /// Sum of the samples.
    pub sum: u128,
    /// Sum of their squares.
    pub sum_sq: u128,
    /// Smallest sample; 0 without samples.
    pub min: u64,
    /// Largest sample; 0 without samples.
    pub max: u64,
}

impl Summary {
    /// Adds one sample.
    pub fn record(&mut self, value: u64) {
        self.min = if self.count == 0 { value } else { self.min.min(value) };
        self.max = self.max.max(value);
        self.count += 1;
        self.sum += u128::from(value);
        self.sum_sq += u128::from(value) * u128::from(value);
    }

    /// Adds all samples of `other`.
    pub fn merge(&mut self, other: &Summary) {
        if other.count == 0 {
            return;
        }
        self.min = if self.count == 0 { other.min } else { self.min.min(other.min) };
        self.max = self.max.max(other.max);
        self.count += other.count;
        self.sum += other.sum;
        self.sum_sq += other.sum_sq;
    }

    /// Returns the arithmetic mean.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// Returns the population standard deviation, `sqrt(E[x^2] - E[x]^2)` (as in fio and ioping).
    #[must_use]
    pub fn stddev(&self) -> Option<f64> {
        let mean = self.mean()?;
        Some((self.sum_sq as f64 / self.count as f64 - mean * mean).max(0.0).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_of_ioping_gives_its_mdev() {
        // Seed S4: min/avg/max/mdev = 126.8 / 138.8 / 163.7 / 11.6 us over nine requests.
        let mut s = Summary::default();
        for tenths in [1289u64, 1637, 1366, 1523, 1416, 1391, 1296, 1307, 1268] {
            s.record(tenths * 100);
        }
        assert_eq!(s.count, 9);
        assert_eq!(s.sum, 1_249_300);
        assert!((s.mean().unwrap() / 1e3 - 138.81).abs() < 0.01);
        assert!((s.stddev().unwrap() / 1e3 - 11.58).abs() < 0.01);
    }

    #[test]
    fn a_billion_hours_do_not_overflow() {
        let hour = 3_600_000_000_000u64;
        let one = Summary {
            count: 1_000_000_000,
            sum: u128::from(hour) * 1_000_000_000,
            sum_sq: u128::from(hour) * u128::from(hour) * 1_000_000_000,
            min: hour,
            max: hour,
        };
        let mut total = one;
        for _ in 0..127 {
            total.merge(&one);
        }
        assert_eq!(total.count, 128_000_000_000);
        assert!((total.mean().unwrap() - hour as f64).abs() < 1.0);
    }
}
