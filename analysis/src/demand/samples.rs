//! A sampled rate: stretches of time, each with one rate, and the bursts visible in them.

use super::rates::COURSE_POINTS;
use model::judged::{RateDemand, RatePoint, SUSTAINED};
use model::{Nanos, foreign::ForeignSeries};

/// Times have millisecond precision at best. Rounding them to milliseconds makes the end of a stretch meet the start of
/// the next.
const MILLISECOND: i64 = 1_000_000;

/// A stretch with a rate: nanoseconds on the file's clock, and units per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    pub from: i64,
    pub until: i64,
    pub rate: f64,
}

impl Stretch {
    fn length(&self) -> i64 {
        self.until - self.from
    }

    fn seconds(&self) -> f64 {
        self.length() as f64 / 1e9
    }
}

/// Stretches in order of time that do not overlap; gaps between them are unknown.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Samples(pub Vec<Stretch>);

impl Samples {
    /// Creates samples from a series. A sample extends back to the previous one if that is at most `most` times the
    /// usual distance away. The first sample, and a sample after a gap, have the usual length.
    ///
    /// If times are whole seconds and `most` is finite, samples without a gap are assumed to be equally long: a missing
    /// second between two results from a truncated clock, not from a sample with twice the work.
    pub fn from_series(series: &ForeignSeries, most: f64) -> Samples {
        // Limited to 63 years, so that sums do not overflow.
        let ns = |seconds: f64| (seconds.clamp(-2e9, 2e9) * 1e3).round() as i64 * MILLISECOND;
        // Without a period the times are not real times: they are numbers of reports, or there is only one report.
        let Some(usual) = series.period.map(ns).filter(|n| *n > 0) else { return Samples::default() };
        let mut points: Vec<(i64, f64)> = series.points.iter().map(|p| (ns(p.at), p.value)).collect();
        points.sort_by_key(|(at, _)| *at);
        points.dedup_by_key(|(at, _)| *at);
        let mut stretches = Vec::new();
        for run in points.chunk_by(|a, b| (b.0 - a.0) as f64 <= most * usual as f64) {
            let (first, last, steps) = (run[0].0, run[run.len() - 1].0, run.len() - 1);
            let even = steps > 0 && most.is_finite() && run.iter().all(|(at, _)| at % (1000 * MILLISECOND) == 0);
            let back = |n: usize| (n as i128 * i128::from(last - first) / steps.max(1) as i128) as i64;
            let end = |i: usize| if even { last - back(steps - i) } else { run[i].0 };
            let before_first = first - if even { back(1) } else { usual };
            for (i, (_, rate)) in run.iter().enumerate() {
                let from = i.checked_sub(1).map_or(before_first, end);
                if rate.is_finite() && *rate >= 0.0 {
                    stretches.push(Stretch { from, until: end(i), rate: *rate });
                }
            }
        }
        Samples(stretches)
    }

    /// Returns the same samples with each rate multiplied by `factor`.
    pub fn times(&self, factor: f64) -> Samples {
        Samples(self.0.iter().map(|s| Stretch { rate: s.rate * factor, ..*s }).collect())
    }

    /// Returns the sum of several series: at each time, the sum of those that are known.
    pub fn sum(all: &[Samples]) -> Samples {
        let Some((first, others)) = all.split_first() else { return Samples::default() };
        if others.iter().all(|other| first.same_times(other)) {
            let at = |i: usize| all.iter().map(|s| s.0[i].rate).sum();
            return Samples((0..first.0.len()).map(|i| Stretch { rate: at(i), ..first.0[i] }).collect());
        }
        let stretches = all.iter().flat_map(|s| &s.0);
        let mut edges: Vec<(i64, f64, i32)> =
            stretches.flat_map(|s| [(s.from, s.rate, 1), (s.until, -s.rate, -1)]).collect();
        edges.sort_unstable_by_key(|(at, ..)| *at);
        let (mut sum, mut rate, mut known) = (Vec::new(), 0.0, 0);
        for pair in edges.windows(2) {
            let ((from, change, more), until) = (pair[0], pair[1].0);
            known += more;
            // Subtraction does not always cancel additions exactly.
            rate = if known == 0 { 0.0 } else { f64::max(rate + change, 0.0) };
            if until > from && known > 0 {
                sum.push(Stretch { from, until, rate });
            }
        }
        Samples(sum)
    }

    pub fn same_times(&self, other: &Samples) -> bool {
        let same = |(a, b): (&Stretch, &Stretch)| (a.from, a.until) == (b.from, b.until);
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(same)
    }

    /// Returns the mean rate within a stretch; 0 where nothing is known.
    pub fn rate_within(&self, stretch: &Stretch) -> f64 {
        let first = self.0.partition_point(|s| s.until <= stretch.from);
        let inside = self.0[first..].iter().take_while(|s| s.from < stretch.until);
        let overlap = |s: &Stretch| (s.until.min(stretch.until) - s.from.max(stretch.from)).max(0) as f64;
        inside.map(|s| s.rate * overlap(s)).sum::<f64>() / stretch.length().max(1) as f64
    }

    /// Returns the median length of the samples, in nanoseconds.
    pub fn resolution(&self) -> Option<i64> {
        let mut lengths: Vec<i64> = self.0.iter().map(Stretch::length).collect();
        lengths.sort_unstable();
        lengths.get(lengths.len() / 2).copied()
    }

    /// Returns the known time, in seconds.
    pub fn known(&self) -> f64 {
        self.0.iter().map(Stretch::seconds).sum()
    }

    /// Returns the total amount over the known time.
    pub fn total(&self) -> f64 {
        self.0.iter().map(|s| s.rate * s.seconds()).sum()
    }

    /// Returns the rate, with bursts as far as samples show them; times are relative to `origin`.
    pub fn demand(&self, origin: i64) -> RateDemand {
        let Some(resolution) = self.resolution() else { return RateDemand::default() };
        let nanos = |at: i64| Nanos((at - origin).max(0).unsigned_abs());
        let busiest = self.0.iter().rev().max_by(|a, b| a.rate.total_cmp(&b.rate));
        let sustained = SUSTAINED.map(|window| {
            let window = i64::try_from(window.as_nanos()).ok().filter(|w| *w >= resolution)?;
            self.busiest(window).map(|(rate, at)| (rate, nanos(at)))
        });
        RateDemand {
            mean: self.total() / self.known().max(f64::MIN_POSITIVE),
            percentiles: Some(self.percentiles([0.5, 0.95, 0.99])),
            busiest_sample: busiest.map(|s| (Nanos(s.length().unsigned_abs()), s.rate, nanos(s.from))),
            sustained,
            course: self.course(nanos),
        }
    }

    /// Returns the rates that were not exceeded for these shares of the time.
    fn percentiles(&self, shares: [f64; 3]) -> [f64; 3] {
        let mut sorted = self.0.clone();
        sorted.sort_unstable_by(|a, b| a.rate.total_cmp(&b.rate));
        let length: i64 = sorted.iter().map(Stretch::length).sum();
        shares.map(|share| {
            let wanted = (length as f64 * share).ceil() as i64;
            let mut passed = 0;
            let at = sorted.iter().find(|s| {
                passed += s.length();
                passed >= wanted
            });
            at.or(sorted.last()).map_or(0.0, |s| s.rate)
        })
    }

    /// Returns the rate and the start of the busiest gapless stretch of this length. It begins at the start of a sample
    /// or ends at the end of one.
    fn busiest(&self, window: i64) -> Option<(f64, i64)> {
        let mut best: Option<(f64, i64)> = None;
        for run in self.0.chunk_by(|a, b| a.until == b.from) {
            let mut sums = vec![0.0];
            run.iter().for_each(|s| sums.push(sums[sums.len() - 1] + s.rate * s.seconds()));
            let (begin, end) = (run[0].from, run[run.len() - 1].until);
            // Returns the amount until `at`; `i` follows `at`, which only increases.
            let amount = |i: &mut usize, at: i64| {
                *i += run[*i..].iter().take_while(|s| s.until <= at).count();
                sums[*i] + run.get(*i).map_or(0.0, |s| s.rate * (at - s.from) as f64 / 1e9)
            };
            for back in [None, Some(window)] {
                let begins = run.iter().map(|s| back.map_or(s.from, |window| s.until - window));
                let (mut first, mut last) = (0, 0);
                for from in begins.filter(|from| *from >= begin && *from + window <= end) {
                    let moved = amount(&mut last, from + window) - amount(&mut first, from);
                    let rate = moved / (window as f64 / 1e9);
                    if best.is_none_or(|(most, _)| rate > most) {
                        best = Some((rate, from));
                    }
                }
            }
        }
        best
    }

    fn course(&self, nanos: impl Fn(i64) -> Nanos) -> Vec<RatePoint> {
        let each = self.0.len().div_ceil(COURSE_POINTS).max(1);
        let points = self.0.chunks(each).map(|chunk| {
            let (from, until) = (chunk[0].from, chunk[chunk.len() - 1].until);
            let known: f64 = chunk.iter().map(Stretch::seconds).sum();
            RatePoint {
                at: nanos(from),
                length: Nanos((until - from).unsigned_abs()),
                mean: chunk.iter().map(|s| s.rate * s.seconds()).sum::<f64>() / known.max(f64::MIN_POSITIVE),
                most: chunk.iter().map(|s| s.rate).fold(0.0, f64::max),
            }
        });
        points.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::foreign::ForeignPoint;
    use proptest::prelude::*;

    const SECOND: i64 = 1_000_000_000;

    fn series(points: &[(f64, f64)], period: Option<f64>) -> ForeignSeries {
        let points = points.iter().map(|(at, value)| ForeignPoint { at: *at, value: *value, line: 1 }).collect();
        ForeignSeries { name: "x".into(), instance: None, of: None, unit: String::new(), period, points }
    }

    fn each(seconds: i64, rates: &[f64]) -> Samples {
        let stretch = |(i, rate): (usize, &f64)| {
            let from = i as i64 * seconds * SECOND;
            Stretch { from, until: from + seconds * SECOND, rate: *rate }
        };
        Samples(rates.iter().enumerate().map(stretch).collect())
    }

    #[test]
    fn a_sample_reaches_back_to_the_one_before_and_over_no_gap() {
        let samples =
            Samples::from_series(&series(&[(30.0, 1.0), (61.0, 2.0), (300.0, 3.0), (300.0, 9.0)], Some(30.0)), 2.5);
        let stretches: Vec<_> = samples.0.iter().map(|s| (s.from / SECOND, s.until / SECOND, s.rate)).collect();
        assert_eq!(stretches, [(-1, 30, 1.0), (30, 61, 2.0), (270, 300, 3.0)], "of two at the same time the first");
        let snapshots = Samples::from_series(&series(&[(3.0, 1.0), (90.0, 2.0)], Some(3.0)), f64::INFINITY);
        let stretches: Vec<_> = snapshots.0.iter().map(|s| (s.from / SECOND, s.until / SECOND)).collect();
        assert_eq!(stretches, [(0, 3), (3, 90)], "differences of counters reach as far as they reach");
        // The clock shows 10:41:38 and then 10:41:40, because the period is slightly longer than a second.
        let cut = Samples::from_series(&series(&[(1.0, 5.0), (2.0, 5.0), (4.0, 9.0), (5.0, 5.0)], Some(1.0)), 2.5);
        assert!(cut.0.iter().all(|s| (s.seconds() - 4.0 / 3.0).abs() < 1e-6), "{cut:?}");
        assert_eq!(Samples::from_series(&series(&[(5.0, 1.0)], None), 2.5), Samples::default(), "no length is known");
        assert_eq!(Samples::from_series(&series(&[(1.0, f64::NAN), (2.0, -1.0)], Some(1.0)), 2.5), Samples::default());
    }

    #[test]
    fn no_burst_is_told_that_is_shorter_than_a_sample() {
        let demand = each(30, &[10.0, 50.0, 30.0, 10.0]).demand(0);
        assert_eq!(demand.mean, 25.0);
        assert_eq!(demand.percentiles, Some([10.0, 50.0, 50.0]));
        assert_eq!(demand.sustained, [None, None, Some((40.0, Nanos::from_secs(30))), None]);
        assert_eq!(demand.busiest(Nanos::from_secs(10)), Some((Nanos::from_secs(30), 50.0, Nanos::from_secs(30))));
        assert_eq!(demand.most(), 50.0);
    }

    #[test]
    fn a_busiest_stretch_has_no_gap_in_it() {
        let mut samples = each(10, &[1.0; 9]);
        samples.0.remove(3);
        assert_eq!(samples.demand(0).sustained[2], None, "three and five tens of seconds");
        samples.0[6].rate = 7.0;
        assert_eq!(samples.demand(0).sustained[1], Some((7.0, Nanos::from_secs(70))));
    }

    #[test]
    fn series_of_other_times_are_added_where_both_are_known() {
        let (a, b) = (each(10, &[1.0, 2.0]), each(15, &[10.0, 10.0]));
        let sum = Samples::sum(&[a, b]);
        let stretches: Vec<_> = sum.0.iter().map(|s| (s.from / SECOND, s.until / SECOND, s.rate)).collect();
        assert_eq!(stretches, [(0, 10, 11.0), (10, 15, 12.0), (15, 20, 12.0), (20, 30, 10.0)]);
        assert_eq!(Samples::sum(&[]), Samples::default());
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_no_stretch_is_above_the_busiest_sample(
            rates in prop::collection::vec((1i64..40, 0.0..1e5f64), 1..80),
            other in prop::collection::vec(0.0..1e5f64, 1..40),
        ) {
            let mut from = 0;
            let irregular = Samples(rates.iter().map(|(length, rate)| {
                let until = from + length * SECOND;
                Stretch { from: std::mem::replace(&mut from, until), until, rate: *rate }
            }).collect());
            let demand = irregular.demand(0);
            let course: f64 = demand.course.iter().map(|p| p.mean * p.length.secs()).sum();
            prop_assert!((course - irregular.total()).abs() <= 1e-9 * (1.0 + irregular.total()));
            for (rate, _) in demand.sustained.into_iter().flatten() {
                prop_assert!(rate <= demand.most() * (1.0 + 1e-9) && rate >= demand.mean * 0.0);
            }
            let regular = each(7, &other);
            let both = irregular.total() + regular.total();
            let sum = Samples::sum(&[irregular, regular]).total();
            prop_assert!((sum - both).abs() <= 1e-6 * (1.0 + both), "{sum} {both}");
        }
    }
}
