//! Confidence intervals of percentiles by block bootstrap over seconds (docs/design/statistics.md, "Percentiles").
//!
//! Consecutive latencies are correlated, so treating them as independent gives intervals that are far too narrow. Here
//! the seconds of a level are resampled in blocks of neighbours, `ceil(1.5 * W^(1/3))` long. The percentile of each
//! resample is read from its merged histogram, as for the level itself. The bootstrap needs 30 seconds. Its seed is
//! fixed, so the same record gives the same interval.

use model::{LatencyHistogram, Nanos, measured::bucket_mid};

/// Minimum number of seconds for an interval.
const LEAST_SECONDS: usize = 30;
/// Maximum number of rows. In longer series, several seconds are merged into a row, so that an hour costs no more to
/// compute than five minutes.
const MOST_SECONDS: usize = 300;
/// Number of resamples. The bounds of the interval are the 25th and the 976th value.
const DRAWINGS: usize = 1000;

/// Returns the 95 % interval of percentile `p` in 0..=100; `None` for fewer than 30 seconds, or fewer than 100
/// operations beyond the percentile.
pub fn interval(seconds: &[LatencyHistogram], p: f64) -> Option<(Nanos, Nanos)> {
    let count: u64 = seconds.iter().map(LatencyHistogram::count).sum();
    if seconds.len() < LEAST_SECONDS || (count as f64) * (1.0 - p / 100.0) < 100.0 - 1e-9 {
        return None;
    }
    let table = Table::new(seconds);
    let block = (1.5 * (table.rows.len() as f64).cbrt()).ceil() as usize;
    let mut draw = Draw(0x5eed);
    let mut percentiles: Vec<usize> = (0..DRAWINGS).map(|_| table.drawn(p, block, &mut draw)).collect();
    percentiles.sort_unstable();
    let at = |share: f64| bucket_mid(table.buckets[percentiles[(share * (DRAWINGS - 1) as f64).round() as usize]]);
    Some((at(0.025), at(0.975)))
}

/// Counts of the buckets that occur, one row per second.
struct Table {
    buckets: Vec<usize>,
    rows: Vec<Vec<u64>>,
}

impl Table {
    fn new(seconds: &[LatencyHistogram]) -> Table {
        let mut buckets: Vec<usize> = seconds.iter().flat_map(LatencyHistogram::buckets).map(|(b, _)| b).collect();
        buckets.sort_unstable();
        buckets.dedup();
        let width = seconds.len().div_ceil(MOST_SECONDS);
        let row = |some: &[LatencyHistogram]| {
            let mut row = vec![0; buckets.len()];
            for (bucket, n) in some.iter().flat_map(LatencyHistogram::buckets) {
                if let Ok(i) = buckets.binary_search(&bucket) {
                    row[i] += n;
                }
            }
            row
        };
        let rows = seconds.chunks(width).map(row).collect();
        Table { buckets, rows }
    }

    /// Returns the index of the bucket that contains percentile `p` in one resample. The resample has the original
    /// number of rows.
    fn drawn(&self, p: f64, block: usize, draw: &mut Draw) -> usize {
        let n = self.rows.len();
        let mut sum = vec![0u64; self.buckets.len()];
        let mut taken = 0;
        while taken < n {
            let from = draw.below(n);
            for i in 0..block.min(n - taken) {
                // Wraps around at the end, so that each second is drawn equally often.
                for (total, count) in sum.iter_mut().zip(&self.rows[(from + i) % n]) {
                    *total += count;
                }
            }
            taken += block.min(n - taken);
        }
        let total: u64 = sum.iter().sum();
        let rank = ((p / 100.0 * total as f64).ceil() as u64).max(1);
        let mut seen = 0;
        sum.iter()
            .position(|count| {
                seen += count;
                seen >= rank
            })
            .unwrap_or(sum.len() - 1)
    }
}

/// Seeded random numbers (splitmix64).
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ (z >> 31)) * n as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Noise;

    /// Returns one histogram per second, with 300 latencies of about 1 ms each. In a slow state, which lasts several
    /// seconds, latencies are twice as long.
    fn seconds(noise: &mut Noise, n: usize, sticky: f64) -> Vec<LatencyHistogram> {
        let mut slow = noise.uniform() < 0.2;
        (0..n)
            .map(|_| {
                if noise.uniform() > sticky {
                    slow = noise.uniform() < 0.2;
                }
                let mut h = LatencyHistogram::default();
                for _ in 0..300 {
                    let base = if slow { 2e6 } else { 1e6 };
                    h.record(Nanos((base * (0.2 * noise.normal()).exp()) as u64));
                }
                h
            })
            .collect()
    }

    #[test]
    fn intervals_cover_the_true_percentile_far_oftener_than_counting_would() {
        // True p90 from one very long run. The document's figures for means are .917 to .838 at n = 60.
        for (sticky, floor) in [(0.0, 0.86), (0.6, 0.75)] {
            let mut noise = Noise::new(8);
            let mut long = LatencyHistogram::default();
            seconds(&mut noise, 4000, sticky).iter().for_each(|s| long.merge(s));
            let truth = long.quantile(0.9).unwrap();
            let tries = 60;
            let hits = (0..tries)
                .filter(|_| {
                    let (low, high) = interval(&seconds(&mut noise, 60, sticky), 90.0).unwrap();
                    (low..=high).contains(&truth)
                })
                .count();
            let covered = hits as f64 / f64::from(tries);
            assert!(covered >= floor, "sticky {sticky}: {covered}");
        }
    }

    #[test]
    fn few_seconds_or_a_thin_tail_have_none() {
        let mut noise = Noise::new(3);
        let s = seconds(&mut noise, 40, 0.0);
        assert!(interval(&s, 99.0).is_some());
        assert_eq!(interval(&s[..29], 99.0), None);
        assert_eq!(interval(&s, 99.9), None);
        assert_eq!(interval(&[], 50.0), None);
    }

    #[test]
    fn the_same_record_has_the_same_interval_and_an_hour_has_one_too() {
        let mut noise = Noise::new(4);
        let s = seconds(&mut noise, 700, 0.5);
        let (low, high) = interval(&s, 99.0).unwrap();
        assert_eq!(interval(&s, 99.0), Some((low, high)));
        let mut merged = LatencyHistogram::default();
        s.iter().for_each(|h| merged.merge(h));
        assert!((low..=high).contains(&merged.quantile(0.99).unwrap()));
    }
}
