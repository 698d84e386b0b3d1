//! Rates by second, and their bursts.

use model::{COURSE_POINTS, Nanos, RateDemand, RatePoint, SUSTAINED};

/// Counts by second of a recording.
#[derive(Debug, Clone, Default)]
pub struct Seconds(Vec<u64>);

impl Seconds {
    /// Seconds told one by one at the most: a month.
    const MOST: usize = 31 * 24 * 3600;

    /// Counts `n` at a moment.
    pub fn add(&mut self, at: Nanos, n: u64) {
        let second = (at.as_nanos() / 1_000_000_000) as usize;
        let second = second.min(Self::MOST - 1);
        if self.0.len() <= second {
            self.0.resize(second + 1, 0);
        }
        self.0[second] += n;
    }

    /// The largest of a second.
    pub fn most(&self) -> u64 {
        self.0.iter().copied().max().unwrap_or(0)
    }

    /// Over a recording of this length. The last second is one only where it is whole: of a part of it no rate is told.
    pub fn demand(&self, length: Nanos) -> RateDemand {
        let whole = (length.as_nanos() / 1_000_000_000) as usize;
        let mut seconds = self.0.clone();
        seconds.resize(seconds.len().max(whole), 0);
        let all: u64 = seconds.iter().sum();
        let mean = all as f64 / length.secs().max(f64::MIN_POSITIVE);
        if whole == 0 {
            return RateDemand { mean, ..RateDemand::default() };
        }
        seconds.truncate(whole);
        let mut sorted = seconds.clone();
        sorted.sort_unstable();
        // The nearest rank.
        let percentile = |p: f64| sorted[((p / 100.0 * whole as f64).ceil() as usize).clamp(1, whole) - 1] as f64;
        let sustained = SUSTAINED.map(|stretch| busiest(&seconds, stretch.as_nanos() as usize / 1_000_000_000));
        RateDemand {
            mean,
            percentiles: Some([50.0, 95.0, 99.0].map(percentile)),
            busiest_sample: sustained[0].map(|(rate, at)| (Nanos::from_secs(1), rate, at)),
            sustained,
            course: course(&seconds),
        }
    }
}

/// So many seconds as one point that all have room.
fn course(seconds: &[u64]) -> Vec<RatePoint> {
    let each = seconds.len().div_ceil(COURSE_POINTS).max(1);
    let points = seconds.chunks(each).enumerate().map(|(i, chunk)| RatePoint {
        at: Nanos::from_secs((i * each) as u64),
        length: Nanos::from_secs(chunk.len() as u64),
        mean: chunk.iter().sum::<u64>() as f64 / chunk.len() as f64,
        most: chunk.iter().copied().max().unwrap_or(0) as f64,
    });
    points.collect()
}

/// The stretch of so many seconds with the most: the mean of its seconds, and when it begins.
fn busiest(seconds: &[u64], length: usize) -> Option<(f64, Nanos)> {
    if length == 0 || seconds.len() < length {
        return None;
    }
    let mut sum: u64 = seconds[..length].iter().sum();
    let (mut most, mut at) = (sum, 0);
    for end in length..seconds.len() {
        sum += seconds[end];
        sum -= seconds[end - length];
        if sum > most {
            (most, at) = (sum, end + 1 - length);
        }
    }
    Some((most as f64 / length as f64, Nanos::from_secs(at as u64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bursts_are_told_by_their_length_and_a_broken_second_by_none() {
        let mut seconds = Seconds::default();
        // 100 a second for 20 s, but 1,000 in the eighth, and 50 in the half second behind.
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

    #[test]
    fn a_course_is_bounded_and_keeps_the_mean_and_the_most() {
        let mut seconds = Seconds::default();
        (0..2500).for_each(|s| seconds.add(Nanos::from_secs(s), if s == 1234 { 500 } else { s % 10 }));
        let demand = seconds.demand(Nanos::from_secs(2500));
        assert_eq!((demand.course.len(), demand.course[0].length), (834, Nanos::from_secs(3)));
        let all: f64 = demand.course.iter().map(|p| p.mean * p.length.secs()).sum();
        assert!((all - demand.mean * 2500.0).abs() < 1e-6);
        assert_eq!(demand.course.iter().map(|p| p.most).fold(0.0, f64::max), demand.most());
    }
}
