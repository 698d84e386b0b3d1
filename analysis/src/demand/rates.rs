//! Rates by second, and their bursts.

use model::Nanos;
use model::judged::{RateDemand, RatePoint, SUSTAINED};

/// Maximum number of points of a course, about the number of columns of a wide screen.
pub(super) const COURSE_POINTS: usize = 1000;

/// Counts by second of a recording: the seconds with a count, ascending, with their counts. Gaps take no memory.
#[derive(Debug, Clone, Default)]
pub struct Seconds(Vec<(u64, u64)>);

impl Seconds {
    /// Adds `n` at a time.
    pub fn add(&mut self, at: Nanos, n: u64) {
        let second = at.as_nanos() / 1_000_000_000;
        match self.0.last_mut() {
            Some((last, count)) if *last == second => *count = count.saturating_add(n),
            Some((last, _)) if *last > second => match self.0.binary_search_by_key(&second, |(s, _)| *s) {
                Ok(place) => self.0[place].1 = self.0[place].1.saturating_add(n),
                Err(place) => self.0.insert(place, (second, n)),
            },
            _ => self.0.push((second, n)),
        }
    }

    /// Returns the largest count of a second.
    pub fn most(&self) -> u64 {
        self.0.iter().map(|(_, count)| *count).max().unwrap_or(0)
    }

    /// Returns the rates over a recording of this length. The last second counts only if it is complete, because a
    /// partial second gives no rate.
    pub fn demand(&self, length: Nanos) -> RateDemand {
        let whole = length.as_nanos() / 1_000_000_000;
        let total: f64 = self.0.iter().map(|(_, count)| *count as f64).sum();
        let mean = total / length.secs().max(f64::MIN_POSITIVE);
        if whole == 0 {
            return RateDemand { mean, ..RateDemand::default() };
        }
        let seconds = &self.0[..self.0.partition_point(|(second, _)| *second < whole)];
        let mut sorted: Vec<u64> = seconds.iter().map(|(_, count)| *count).collect();
        sorted.sort_unstable();
        let empty = whole - sorted.len() as u64;
        // Nearest rank, from 1; the empty seconds come first.
        let percentile = |p: f64| {
            let rank = ((p / 100.0 * whole as f64).ceil() as u64).clamp(1, whole);
            rank.checked_sub(empty + 1).map_or(0.0, |place| sorted[place as usize] as f64)
        };
        let sustained = SUSTAINED.map(|stretch| busiest(seconds, whole, stretch.as_nanos() / 1_000_000_000));
        RateDemand {
            mean,
            percentiles: Some([50.0, 95.0, 99.0].map(percentile)),
            busiest_sample: sustained[0].map(|(rate, at)| (Nanos::from_secs(1), rate, at)),
            sustained,
            course: course(seconds, whole),
        }
    }
}

/// Returns means and maxima of stretches of equal length, at most [`COURSE_POINTS`], over `whole` seconds.
fn course(seconds: &[(u64, u64)], whole: u64) -> Vec<RatePoint> {
    let each = whole.div_ceil(COURSE_POINTS as u64).max(1);
    let mut rest = seconds;
    let points = (0..whole.div_ceil(each)).map(|i| {
        let (from, until) = (i * each, ((i + 1) * each).min(whole));
        let (chunk, later) = rest.split_at(rest.partition_point(|(second, _)| *second < until));
        rest = later;
        RatePoint {
            at: Nanos::from_secs(from),
            length: Nanos::from_secs(until - from),
            mean: chunk.iter().map(|(_, count)| *count as f64).sum::<f64>() / (until - from) as f64,
            most: chunk.iter().map(|(_, count)| *count).max().unwrap_or(0) as f64,
        }
    });
    points.collect()
}

/// Returns the mean rate and the start of the busiest stretch of `length` within `whole` seconds; the earliest if
/// several are equal.
fn busiest(seconds: &[(u64, u64)], whole: u64, length: u64) -> Option<(f64, Nanos)> {
    if length == 0 || whole < length {
        return None;
    }
    let (begin, later) = seconds.split_at(seconds.partition_point(|(second, _)| *second < length));
    let mut sum: u128 = begin.iter().map(|(_, count)| u128::from(*count)).sum();
    let (mut most, mut at) = (sum, 0);
    let mut oldest = seconds.iter().peekable();
    // The first stretch with a given sum ends in a second that has a count.
    for (second, count) in later {
        sum += u128::from(*count);
        while let Some((_, gone)) = oldest.next_if(|(old, _)| old + length <= *second) {
            sum -= u128::from(*gone);
        }
        if sum > most {
            (most, at) = (sum, second + 1 - length);
        }
    }
    Some((most as f64 / length as f64, Nanos::from_secs(at)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bursts_are_told_by_their_length_and_a_broken_second_by_none() {
        let mut seconds = Seconds::default();
        // 100 per second for 20 s, but 1,000 in the eighth, and 50 in the half second afterwards.
        for second in 0..20u64 {
            seconds.add(Nanos::from_millis(1000 * second + 3), if second == 7 { 1000 } else { 100 });
        }
        seconds.add(Nanos::from_millis(20_100), 50);
        let demand = seconds.demand(Nanos::from_millis(20_500));
        assert!((demand.mean - 2950.0 / 20.5).abs() < 1e-9);
        assert_eq!(demand.percentiles, Some([100.0, 100.0, 1000.0]));
        assert_eq!(demand.sustained[0], Some((1000.0, Nanos::from_secs(7))));
        assert_eq!(demand.sustained[1], Some((190.0, Nanos::from_secs(0))));
        assert_eq!(demand.sustained[2], None, "it is shorter than a minute");
        assert_eq!(demand.busiest(Nanos::from_secs(60)), Some((Nanos::from_secs(10), 190.0, Nanos(0))));
        assert_eq!((demand.course.len(), demand.course[7].most), (20, 1000.0));
    }

    proptest! {
        #[test]
        fn counts_with_gaps_are_what_every_second_by_itself_is(
            counts in prop::collection::vec((0u64..200, 0u64..50), 0..60), length in 1u64..220, stretch in 1u64..70,
        ) {
            let mut seconds = Seconds::default();
            let mut dense = vec![0u64; 220];
            for (second, n) in &counts {
                seconds.add(Nanos::from_secs(*second), *n);
                dense[*second as usize] += n;
            }
            dense.truncate(length as usize);
            let demand = seconds.demand(Nanos::from_secs(length));
            let mut sorted = dense.clone();
            sorted.sort_unstable();
            let rank = |p: f64| sorted[((p * length as f64).ceil() as usize).max(1) - 1] as f64;
            prop_assert_eq!(demand.percentiles, Some([rank(0.5), rank(0.95), rank(0.99)]));
            let known = seconds.0.iter().filter(|(s, _)| *s < length).copied().collect::<Vec<_>>();
            let sums = dense.windows(stretch as usize).map(|w| w.iter().sum::<u64>());
            let best = sums.enumerate().max_by_key(|(at, sum)| (*sum, std::cmp::Reverse(*at)));
            let best = best.map(|(at, sum)| (sum as f64 / stretch as f64, Nanos::from_secs(at as u64)));
            prop_assert_eq!(busiest(&known, length, stretch), best);
            let course: Vec<f64> = demand.course.iter().map(|p| p.most).collect();
            prop_assert_eq!(course, dense.iter().map(|n| *n as f64).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_gap_of_centuries_costs_nothing() {
        let mut seconds = Seconds::default();
        seconds.add(Nanos(0), 3);
        seconds.add(Nanos(u64::MAX), 4);
        let demand = seconds.demand(Nanos(u64::MAX));
        assert_eq!((seconds.0.len(), demand.most(), demand.percentiles), (2, 3.0, Some([0.0; 3])));
        assert!(demand.course.len() <= COURSE_POINTS);
    }

    #[test]
    fn a_course_is_bounded_and_keeps_the_mean_and_the_most() {
        let mut seconds = Seconds::default();
        (0..2500).for_each(|s| seconds.add(Nanos::from_secs(s), if s == 1234 { 500 } else { s % 10 }));
        let demand = seconds.demand(Nanos::from_secs(2500));
        assert_eq!((demand.course.len(), demand.course[0].length), (834, Nanos::from_secs(3)));
        let total: f64 = demand.course.iter().map(|p| p.mean * p.length.secs()).sum();
        assert!((total - demand.mean * 2500.0).abs() < 1e-6);
        assert_eq!(demand.course.iter().map(|p| p.most).fold(0.0, f64::max), demand.most());
    }
}
