//! Alternation of a series between rates (docs/design/statistics.md, "Levels of a series").
//!
//! The search for changes of level (`changes.rs`) finds only a few levels, each of eight or more windows. A rate that
//! alternates faster or more often has no such level, and its windows look like scatter around a mean that the rate
//! never had. Such a rate differs from noise in at least one of two ways: it repeats after a period, or its windows
//! form two groups with little in between.

use crate::series::mean;

/// Minimum length of a series that is searched, in windows.
const SHORTEST: usize = 16;
/// Longest period searched, in windows. Slower changes are levels.
const LONGEST: usize = 128;
/// Minimum number of periods in a series; fewer periods prove nothing.
const PERIODS: f64 = 2.0;
/// Minimum distance between the two groups of windows, as a share of the mean; smaller distances do not matter.
const APART: f64 = 0.06;
/// Minimum distance between the two groups, as a multiple of the difference that one operation makes. Smaller distances
/// mean nothing: a rate that is not a whole number of operations per window alternates between the two nearest whole
/// numbers.
const STEPS: f64 = 2.5;
/// Minimum autocorrelation at the period, and minimum amount by which it exceeds the autocorrelation at a shorter lag.
const PERIODIC: f64 = 0.5;
/// Minimum autocorrelation at the period, in standard errors of an autocorrelation (Bartlett), if no second period
/// confirms the first.
const PERIODIC_Z: f64 = 4.5;
/// Minimum autocorrelation at the period, in standard errors, if a second period confirms the first.
const TWICE_PERIODIC_Z: f64 = 2.0;
/// Minimum share of the variance between the two groups at which a series counts as having two modes. The share is 0.64
/// for a normal distribution and 0.75 for a uniform one.
const BIMODAL: f64 = 0.85;
/// Minimum distance between two modes, as a share of the mean.
const MODES_APART: f64 = 0.2;
/// Minimum share of the smaller group; smaller groups are outliers.
const SMALLEST_GROUP: f64 = 0.05;
/// Minimum number of runs of consecutive windows in the same group: high, low, high, low.
const RUNS: usize = 4;

/// Two rates between which a series alternates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alternation {
    /// Mean of the lower group of windows.
    pub low: f64,
    /// Mean of the upper group of windows.
    pub high: f64,
    /// Number of windows from one maximum to the next; `None` if the series does not repeat.
    pub period: Option<usize>,
}

/// Returns the rates between which a series of equally long windows alternates, or `None` if it does not alternate.
///
/// `step` is the rate of a window in which one operation completed.
#[must_use]
pub fn alternation(x: &[f64], step: f64) -> Option<Alternation> {
    let centre = mean(x);
    if x.len() < SHORTEST || centre <= 0.0 {
        return None;
    }
    let split = Split::best(x)?;
    let apart = split.high - split.low;
    if apart < APART * centre || apart < STEPS * step {
        return None;
    }
    let period = period(x);
    // A throttle works in time slices, which begin at a different offset in every window. Every second window may
    // therefore be low, so the means of pairs are searched instead.
    if period == Some(2) {
        let pairs: Vec<f64> = x.chunks_exact(2).map(mean).collect();
        let of_pairs = alternation(&pairs, step / 2.0)?;
        return Some(Alternation { period: of_pairs.period.map(|p| 2 * p), ..of_pairs });
    }
    let bimodal = split.explains >= BIMODAL
        && apart >= MODES_APART * centre
        && split.smaller >= SMALLEST_GROUP
        && runs(x, &split) >= RUNS;
    (bimodal || period.is_some()).then_some(Alternation { low: split.low, high: split.high, period })
}

/// Division of values into a lower and an upper group that minimises the variance within the groups (Otsu 1979).
struct Split {
    low: f64,
    high: f64,
    /// Share of the variance that lies between the groups.
    explains: f64,
    /// Share of the values in the smaller group.
    smaller: f64,
}

impl Split {
    /// Returns the best division, or `None` if all values are equal.
    fn best(x: &[f64]) -> Option<Split> {
        let mut sorted = x.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let (n, centre) = (x.len() as f64, mean(x));
        let total: f64 = x.iter().map(|v| (v - centre).powi(2)).sum();
        if total <= (centre * 1e-9).powi(2) * n {
            return None;
        }
        // Values are relative to the mean, so the sums of the two groups differ only in sign.
        let mut below = 0.0;
        let (mut best, mut cut) = (0.0, 1);
        for k in 1..sorted.len() {
            below += sorted[k - 1] - centre;
            let count = k as f64;
            let between = below * below * (1.0 / count + 1.0 / (n - count));
            if between > best && sorted[k] > sorted[k - 1] {
                (best, cut) = (between, k);
            }
        }
        let (lower, upper) = sorted.split_at(cut);
        let smaller = lower.len().min(upper.len()) as f64 / n;
        Some(Split { low: mean(lower), high: mean(upper), explains: best / total, smaller })
    }
}

/// Returns the number of runs of values in the same group. A value in the middle half between the two group means does
/// not end a run.
fn runs(x: &[f64], split: &Split) -> usize {
    let quarter = (split.high - split.low) / 4.0;
    let near = x.iter().filter_map(|v| match v {
        v if *v <= split.low + quarter => Some(false),
        v if *v >= split.high - quarter => Some(true),
        _ => None,
    });
    let mut last = None;
    near.filter(|now| last.replace(*now) != Some(*now)).count()
}

/// Returns the shortest lag at which the autocorrelation is clearly higher than at a shorter lag.
fn period(x: &[f64]) -> Option<usize> {
    let n = x.len();
    let centre = mean(x);
    let away: Vec<f64> = x.iter().map(|v| v - centre).collect();
    let square: f64 = away.iter().map(|v| v * v).sum::<f64>() / n as f64;
    let rho = |lag: usize| {
        let sum: f64 = away[lag..].iter().zip(&away).map(|(a, b)| a * b).sum();
        sum / ((n - lag) as f64 * square)
    };
    // Slow noise increases the error of every autocorrelation (Bartlett 1946) by the squares of all autocorrelations
    // before the first one that is not positive.
    let (mut slow, mut positive, mut least) = (1.0, true, 1.0_f64);
    let longest = LONGEST.min((n as f64 / PERIODS) as usize);
    for lag in 1..=longest {
        let now = rho(lag);
        positive &= now > 0.0;
        slow += if positive { 2.0 * now * now } else { 0.0 };
        let error = (slow / (n - lag) as f64).sqrt();
        if lag > 1 && now >= PERIODIC && now - least >= PERIODIC {
            let again = || {
                let between = rho(lag + lag / 2);
                let second = (2 * lag - 1..=2 * lag + 1).filter(|l| *l <= longest).map(rho).fold(0.0, f64::max);
                second >= PERIODIC && second - between >= PERIODIC
            };
            if now >= PERIODIC_Z * error || now >= TWICE_PERIODIC_Z * error && again() {
                // The result is the first local maximum at this lag or a longer one.
                return (lag..longest).find(|l| rho(l + 1) <= rho(*l)).or(Some(longest));
            }
        }
        least = least.min(now);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Noise;

    /// A periodic rate, as a function of the phase.
    #[derive(Clone, Copy)]
    enum Wave {
        Square(f64),
        Rising,
        Falling,
    }

    impl Wave {
        fn at(self, phase: f64) -> f64 {
            match self {
                Wave::Square(duty) if phase < duty => 8000.0,
                Wave::Square(_) => 2000.0,
                Wave::Rising => 2000.0 + 6000.0 * phase,
                Wave::Falling => 8000.0 - 6000.0 * phase,
            }
        }

        /// Returns windows of 100 ms. Each value is the mean rate in its window, with noise whose coefficient of
        /// variation is `cv`.
        fn windows(self, noise: &mut Noise, n: usize, period: f64, cv: f64) -> Vec<f64> {
            let shift = noise.uniform();
            let within = |i: usize| {
                let times = (0..100).map(|k| (i as f64 + (f64::from(k) + 0.5) / 100.0) * 0.1);
                times.map(|t| self.at((t / period + shift).fract())).sum::<f64>() / 100.0
            };
            noise.ar1(n, 0.3, 1.0, cv).iter().enumerate().map(|(i, v)| within(i) * v).collect()
        }
    }

    #[test]
    fn waves_are_never_steady() {
        let mut noise = Noise::new(3);
        let mut missed = Vec::new();
        for i in 0..500 {
            let period = 0.3 * (10.0_f64 / 0.3).powf(noise.uniform());
            let duty = 0.1 + 0.8 * noise.uniform();
            let wave = [Wave::Square(duty), Wave::Rising, Wave::Square(duty), Wave::Falling][i % 4];
            // At least four periods, and 4 to 60 s.
            let n = (40.0 * (15.0_f64).powf(noise.uniform())).max(40.0 * period).round() as usize;
            let cv = 0.03 * noise.uniform();
            let x = wave.windows(&mut noise, n, period, cv);
            let regime = crate::steady::shape(&x, 10.0).regime;
            if matches!(regime, crate::steady::Regime::Steady | crate::steady::Regime::Settled) {
                missed.push(format!("{i}: period {period:.2} duty {duty:.2} n {n} cv {cv:.3}"));
            }
        }
        assert!(missed.is_empty(), "{} missed: {missed:#?}", missed.len());
    }

    #[test]
    fn noise_alternates_in_one_of_a_hundred_at_most() {
        for (phi, cv) in [(0.0, 0.03), (0.0, 0.1), (0.5, 0.05), (0.5, 0.1), (0.8, 0.03), (0.8, 0.05), (0.8, 0.1)] {
            for n in [16, 24, 40, 120, 300] {
                let mut noise = Noise::new(7);
                let alarms = (0..1000).filter(|_| alternation(&noise.ar1(n, phi, 1000.0, 1000.0 * cv), 10.0).is_some());
                let alarms = alarms.count();
                assert!(alarms <= 10, "phi {phi} cv {cv} n {n}: {alarms} of 1000");
            }
        }
    }

    #[test]
    fn rates_of_a_second_each_are_named() {
        let mut noise = Noise::new(1);
        let x = Wave::Square(0.5).windows(&mut noise, 300, 2.0, 0.01);
        let result = alternation(&x, 10.0).expect("it alternates");
        assert_eq!(result.period, Some(20), "{result:?}");
        assert!((result.low / 2000.0 - 1.0).abs() < 0.1 && (result.high / 8000.0 - 1.0).abs() < 0.1, "{result:?}");
    }

    #[test]
    fn rounding_to_whole_operations_is_no_alternation() {
        // 93.4 operations per second, so each window has nine or ten.
        let mut due = 0.0;
        let windows = (0..200).map(|_| {
            due += 9.34;
            let whole = f64::floor(due);
            due -= whole;
            whole * 10.0
        });
        assert_eq!(alternation(&windows.collect::<Vec<_>>(), 10.0), None);
    }

    /// Rates per second, measured at the end of a burst on a busy machine: 12,000 IOPS for nine seconds, with dips,
    /// then 3,000.
    #[test]
    fn a_burst_that_ends_is_a_change() {
        let mut noise = Noise::new(4);
        let seconds = [12_000.0, 12_000.0, 12_000.0, 9000.0, 12_000.0, 7000.0, 12_000.0, 12_000.0, 12_000.0];
        let rates = seconds.into_iter().chain([3000.0; 11]);
        let rates: Vec<f64> = rates.flat_map(|rate| [rate; 10]).collect();
        let x: Vec<f64> = noise.ar1(rates.len(), 0.2, 1.0, 0.03).iter().zip(rates).map(|(v, rate)| v * rate).collect();
        let regime = crate::steady::shape(&x, 10.0).regime;
        assert!(!matches!(regime, crate::steady::Regime::Alternating(_)), "{regime:?}");
    }

    /// Measured under a cap of 6,000: windows of 100 ms alternate between 3,987 and 6,361, and the mean of each pair is
    /// near the cap.
    #[test]
    fn slices_of_a_throttle_are_no_alternation() {
        let mut noise = Noise::new(9);
        let x: Vec<f64> =
            noise.ar1(60, 0.0, 1.0, 0.02).iter().enumerate().map(|(i, v)| v * [3987.0, 6361.0][i % 2]).collect();
        assert_eq!(alternation(&x, 10.0), None);
        // If the rate also changes every second, the sums of pairs alternate as well.
        let slow: Vec<f64> = x.iter().enumerate().map(|(i, v)| v * if i / 10 % 2 == 0 { 1.0 } else { 0.5 }).collect();
        assert!(alternation(&slow, 10.0).is_some());
    }

    #[test]
    fn a_dip_a_fall_and_single_outliers_are_no_alternation() {
        let mut noise = Noise::new(5);
        let flat = noise.ar1(200, 0.3, 1000.0, 20.0);
        let with =
            |factor: fn(usize) -> f64| -> Vec<f64> { flat.iter().enumerate().map(|(i, v)| v * factor(i)).collect() };
        assert_eq!(alternation(&with(|i| if (60..90).contains(&i) { 0.3 } else { 1.0 }), 10.0), None);
        assert_eq!(alternation(&with(|i| if i < 90 { 1.0 } else { 0.3 }), 10.0), None);
        assert_eq!(alternation(&with(|i| if [7, 80, 81, 150].contains(&i) { 0.1 } else { 1.0 }), 10.0), None);
    }
}
