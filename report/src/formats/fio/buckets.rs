//! fio's histogram: 29 groups of 64 buckets, for `bins` of json+ and the `_clat_hist` log, and the classes of its
//! latency distribution (2 ns to over 2 s).
//!
//! Our buckets are finer and include all of fio's bounds (`model::measured::bucket_bounds`: 128 per octave, fio: 64), so counts
//! are mapped without error. fio's tools know only fio's buckets: `fio_jsonplus_clat2csv` never terminates if a key is
//! above the largest one.

use model::LatencyHistogram;
use model::measured::{bucket_bounds, bucket_mid};

/// Number of significant bits that fio keeps of a value.
const BITS: u32 = 6;
/// Number of buckets per group.
const PER_GROUP: u64 = 1 << BITS;
/// Total number of fio's buckets.
pub(super) const BUCKETS: usize = 29 * PER_GROUP as usize;

/// Returns fio's bucket for a latency. The last bucket contains everything from 17.1 s upwards.
pub(super) fn bucket_of(ns: u64) -> usize {
    let top = 63 - (ns | 1).leading_zeros();
    if top <= BITS {
        return ns as usize;
    }
    let dropped = top - BITS;
    let bucket = (u64::from(dropped) + 1) * PER_GROUP + ((ns >> dropped) & (PER_GROUP - 1));
    (bucket as usize).min(BUCKETS - 1)
}

/// Returns the latency by which fio represents a bucket: its middle.
pub(super) fn value_of(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < 2 * PER_GROUP {
        return bucket;
    }
    let dropped = (bucket >> BITS) - 1;
    let base = 1 << (dropped + u64::from(BITS));
    base + (((bucket % PER_GROUP) * 2 + 1) << dropped) / 2
}

/// Returns counts by fio's buckets.
pub(super) fn counts(h: &LatencyHistogram) -> Vec<u64> {
    let mut counts = vec![0; BUCKETS];
    for (bucket, n) in h.buckets() {
        counts[bucket_of(bucket_bounds(bucket).0)] += n;
    }
    counts
}

/// Names of the classes in microseconds and milliseconds; the last two exist for milliseconds only.
pub(super) const CLASSES: [&str; 12] =
    ["2", "4", "10", "20", "50", "100", "250", "500", "750", "1000", "2000", ">=2000"];

/// Operations by class of latency: nanoseconds (10 classes), microseconds (10), milliseconds (12).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Spread {
    pub nanos: [u64; 10],
    pub micros: [u64; 10],
    pub millis: [u64; 12],
}

/// Returns the class of a value in whole units: below 2, below 4, ... below 1000, below 2000, beyond.
fn class(value: u64) -> usize {
    [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000].iter().position(|limit| value < *limit).unwrap_or(11)
}

impl Spread {
    /// Returns the class counts of all samples. All samples of a bucket are counted in the class of its middle, so a
    /// latency within 0.39 % of a class's bound may be counted in the neighbouring class.
    pub(super) fn from_histogram(h: &LatencyHistogram) -> Spread {
        let mut spread = Spread::default();
        for (bucket, n) in h.buckets() {
            match bucket_mid(bucket).as_nanos() {
                ns @ ..1_000 => spread.nanos[class(ns)] += n,
                ns @ ..1_000_000 => spread.micros[class(ns / 1_000)] += n,
                ns => spread.millis[class(ns / 1_000_000)] += n,
            }
        }
        spread
    }

    /// Adds the counts of another direction or job.
    pub(super) fn sum(&mut self, other: &Spread) {
        let counts = self.nanos.iter_mut().chain(&mut self.micros).chain(&mut self.millis);
        counts.zip(other.nanos.iter().chain(&other.micros).chain(&other.millis)).for_each(|(a, b)| *a += b);
    }
}

/// Returns shares in percent of `total`. A share above zero is raised to at least `least`, so that it remains visible.
pub(super) fn shares<const N: usize>(counts: &[u64; N], total: u64, least: f64) -> [f64; N] {
    counts.map(|n| match (n, total) {
        (0, _) | (_, 0) => 0.0,
        _ => (n as f64 / total as f64 * 100.0).max(least),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Nanos, measured::BUCKETS as OURS};

    #[test]
    fn every_bucket_of_ours_lies_within_one_of_fios() {
        for bucket in 0..OURS {
            let (low, width) = bucket_bounds(bucket);
            assert_eq!(bucket_of(low), bucket_of(low + width - 1), "bucket {bucket}");
        }
    }

    #[test]
    fn values_of_buckets_are_those_real_bins_have() {
        // Keys of json+ bins of fio 3.33.
        for ns in [510u64, 580, 628, 908, 4768, 10304, 39168, 105_984, 264_192, 724_992, 8_028_160] {
            assert_eq!(value_of(bucket_of(ns)), ns);
        }
        assert_eq!(value_of(BUCKETS - 1), 17_112_760_320);
    }

    #[test]
    fn a_bucket_holds_its_own_value() {
        for bucket in 0..BUCKETS {
            assert_eq!(bucket_of(value_of(bucket)), bucket);
        }
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn no_sample_is_lost_on_the_way() {
        let mut h = LatencyHistogram::default();
        for ns in [0, 1, 3, 700, 1_500, 249_000, 251_000, 2_000_000, 3_000_000_000, 60_000_000_000] {
            h.record(Nanos(ns));
        }
        assert_eq!(counts(&h).iter().sum::<u64>(), h.count());
        let spread = Spread::from_histogram(&h);
        assert_eq!(spread.nanos, [2, 1, 0, 0, 0, 0, 0, 0, 1, 0]);
        assert_eq!(spread.micros, [1, 0, 0, 0, 0, 0, 1, 1, 0, 0]);
        assert_eq!(spread.millis[1], 1);
        assert_eq!(spread.millis[11], 2);
    }

    #[test]
    fn what_is_rare_is_still_shown() {
        assert_eq!(shares(&[0, 1, 50_000], 100_000, 0.01), [0.0, 0.01, 50.0]);
        assert_eq!(shares(&[0, 0], 0, 0.01), [0.0, 0.0]);
    }
}
