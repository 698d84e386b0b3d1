//! Ramps: when to stop raising concurrency, which level to hold, and where the knee is (docs/design/statistics.md,
//! "Ramps and knees").
//!
//! The conductor, which executes runs, uses [`ramp_continues`], [`undecided`] and [`level_to_hold`] during a run. The
//! knee is judged after the run, from the same levels with their confidence intervals.

use model::{Nanos, judged::Knee, plan::RampRule};

/// Minimum factor between the rates of two levels for the higher rate to count as a gain. For rates with intervals, the
/// lower end of the factor's interval must exceed this minimum.
const GAIN: f64 = 1.05;
/// Factor by which the rate at greater depth may exceed a level's rate if the level counts as flat. The upper end of
/// the measured factor's interval must be below this value. If twice the concurrency gives only a tenth more, requests
/// mostly wait. If this factor were equal to [`GAIN`], a rate that bends slowly would count as neither gaining nor
/// flat.
const FLAT: f64 = 1.10;
/// Minimum ratio between the concurrencies of the deepest level and another level. At this ratio, the deepest level
/// alone can show that the other level is flat. A gain of a tenth is allowed for each doubling. In a closed loop, each
/// doubling gains less than the previous one, so the last doubling gains no more than the mean of several. Noise that
/// hides a gain of a tenth does not hide a gain of a fifth.
const FAR: u32 = 4;
/// Minimum number of pairs of passes for an estimate from these pairs alone. With fewer pairs, Student's t makes every
/// interval too wide.
const PAIRS: usize = 3;
/// Minimum growth of latency, relative to the growth of concurrency, for the rate to count as saturated.
const LATENCY_SHARE: f64 = 0.7;
/// Minimum share of the highest rate at which a level is as good as the fastest one. The best of these levels has the
/// lowest concurrency, because its requests wait least.
const AS_GOOD: f64 = 0.99;
/// Minimum share of the ideal rate at which a rate counts as proportional to concurrency. At concurrency N, the ideal
/// rate is N times the rate at concurrency one, or `N / L0`. L0 is the latency with one operation in flight.
pub const PROPORTIONAL: f64 = 0.9;
/// Minimum number of windows needed to estimate the scatter of a level.
const LEAST_WINDOWS: usize = 4;
/// Minimum relative error assumed for a level's rate, because windows do not show variations between levels.
const SUREST: f64 = 0.005;
/// Relative half-width assumed for a rate without an interval.
pub const ASSUMED_HALF: f64 = 0.03;

/// Returns `true` if a ramp continues after running `levels` (concurrency, operations per second): there is a next
/// level, and fewer than `patience` consecutive levels had no gain.
#[must_use]
pub fn ramp_continues(levels: &[(u32, f64)], rule: &RampRule) -> bool {
    let (mut best, mut idle) = (0.0f64, 0);
    for (_, iops) in levels {
        // `>` is false for NaN, which therefore counts as no gain.
        idle = if *iops > best * (1.0 + rule.gain) { 0 } else { idle + 1 };
        best = best.max(*iops);
    }
    let last = levels.last().map_or(0, |level| level.0);
    rule.depths.last().is_some_and(|deepest| last < *deepest) && idle < rule.patience.max(1)
}

/// Returns the index in `levels` of the best level: the one with the lowest concurrency whose rate is within 1 % of the
/// highest.
#[must_use]
pub fn best_level(levels: &[(u32, f64)]) -> Option<usize> {
    let highest = levels.iter().map(|l| l.1).filter(|x| x.is_finite()).fold(0.0, f64::max);
    let good = levels.iter().enumerate().filter(|(_, l)| l.1 > 0.0 && l.1 >= AS_GOOD * highest);
    good.min_by_key(|(_, l)| l.0).map(|(i, _)| i)
}

/// Returns the index of the level to hold. This is the best level, or the next level if the best level's rate is still
/// proportional to concurrency and the next level is as fast. While the rate is proportional to concurrency, it falls
/// with every rise in latency. A limit could then not be distinguished from too few operations in flight.
#[must_use]
pub fn level_to_hold(levels: &[(u32, f64)]) -> Option<usize> {
    let best = best_level(levels)?;
    let level = &levels[best];
    let single = levels.iter().filter(|l| l.1 > 0.0).min_by_key(|l| l.0)?;
    let each = single.1 / f64::from(single.0.max(1));
    if level.1 < PROPORTIONAL * each * f64::from(level.0) {
        return Some(best);
    }
    let deeper = levels.iter().enumerate().filter(|(_, l)| l.0 > level.0).min_by_key(|(_, l)| l.0);
    let flat = deeper.filter(|(_, l)| l.1 * GAIN >= level.1);
    Some(flat.map_or(best, |(i, _)| i))
}

/// A level of a finished ramp, with the data needed to find the knee.
#[derive(Debug, Clone, PartialEq)]
pub struct RampLevel {
    /// Operations in flight, across all threads.
    pub concurrency: u32,
    /// Rate, in operations per second.
    pub rate: f64,
    /// Relative half-width of the 95 % interval of the rate.
    pub half: f64,
    /// Rates of this level's windows; empty if the rate changed during the level.
    pub windows: Vec<f64>,
    /// Pass number and rate of each pass.
    pub passes: Vec<(u32, f64)>,
    /// Mean latency, if known.
    pub latency: Option<Nanos>,
    /// Operations per second that other processes issued to the device during this level, or that they prevented by
    /// using the CPU.
    pub others: f64,
}

/// Returns the knee, from levels in order of ascending concurrency.
pub fn knee(levels: &[RampLevel]) -> Knee {
    let Some(deepest) = levels.last() else { return Knee::NotAsked };
    let ramp = Comparison::new(levels);
    let shallower = 0..levels.len() - 1;
    let below = |i: &usize| ramp.below_best(*i);
    let Some(flat) = shallower.clone().find(|i| ramp.is_flat(*i)) else {
        // The rate was still growing only if the deepest level is above every other level. If it is above the previous
        // level alone, the rate may just have recovered from a dip (6,059, 2,378, 6,000).
        let rising = levels[..levels.len() - 1].iter().all(|l| ramp.is_below(l, deepest));
        return if rising { Knee::NotReached { deepest: deepest.concurrency } } else { Knee::NotResolved };
    };
    if (flat..levels.len() - 1).any(|i| ramp.grows(i)) {
        // The rate was flat and then grew again: this is a dip at low concurrency, not a knee.
        return Knee::NotResolved;
    }
    // A rate that grows by less than a tenth per doubling has its knee at the first level that is no longer certainly
    // below the best.
    let at = (flat..levels.len() - 1).find(|i| !below(i)).unwrap_or(levels.len() - 1);
    Knee::Between {
        below: (0..at).rev().find(below).map_or(0, |i| levels[i].concurrency),
        at: levels[at].concurrency,
        latency: levels[at].latency,
    }
}

/// Levels of a ramp, with the statistics needed to compare the levels.
struct Comparison<'a> {
    levels: &'a [RampLevel],
    /// Lag-1 autocorrelation of the windows, from all levels; `None` if a level has too few windows, or if its rate
    /// changed.
    alike: Option<f64>,
}

impl<'a> Comparison<'a> {
    fn new(levels: &'a [RampLevel]) -> Self {
        let enough = levels.iter().all(|l| l.windows.len() >= LEAST_WINDOWS);
        let (mut square, mut neighbours, mut windows) = (0.0, 0.0, 0.0);
        for level in levels {
            let away = level.away();
            square += away.iter().map(|a| a * a).sum::<f64>();
            neighbours += away.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>();
            windows += away.len() as f64;
        }
        // The autocorrelation of a short series is underestimated by 1 / length.
        let missed = levels.len() as f64 / windows;
        let alike = if square > 0.0 { (neighbours / square + missed).clamp(0.0, 0.9) } else { 0.0 };
        Comparison { levels, alike: enough.then_some(alike) }
    }

    /// Returns `true` if the best level at greater depth is certainly faster by more than 5 %.
    fn below_best(&self, i: usize) -> bool {
        self.best_of(i).is_some_and(|best| self.is_below(&self.levels[i], best))
    }

    fn is_below(&self, level: &RampLevel, deeper: &RampLevel) -> bool {
        let both = level.rate > 0.0 && deeper.rate > 0.0;
        both && log_ratio(level, deeper, self.scatter(level).as_ref()).at_least() > GAIN.ln()
    }

    /// Returns `true` if raising concurrency above this level certainly gains less than a tenth. This must be true up
    /// to the best level at greater depth, or per doubling up to the deepest level.
    fn is_flat(&self, i: usize) -> bool {
        let (level, deeper) = (&self.levels[i], &self.levels[i + 1..]);
        let Some(best) = self.best_of(i) else { return false };
        let scatter = self.scatter(level);
        let gained = log_ratio(level, best, scatter.as_ref());
        if gained.at_most() < FLAT.ln() && latency_grew(level, best) {
            return true;
        }
        let deepest = deeper.last().filter(|d| d.rate > 0.0 && d.concurrency >= FAR.saturating_mul(level.concurrency));
        // The rate must gain less than a tenth per doubling up to the deepest level.
        let until = |deepest| log_ratio(level, deepest, scatter.as_ref()).at_most() < flat_by(level, deepest);
        deepest.is_some_and(|deepest| {
            gained.ratio < flat_by(level, best)
                && latency_grew(level, deepest)
                && (until(deepest) || flat_throughout(level, deeper, scatter.as_ref()))
        })
    }

    /// Returns `true` if the best level at greater depth is certainly faster by more than a tenth per doubling.
    fn grows(&self, i: usize) -> bool {
        let level = &self.levels[i];
        let Some(best) = self.best_of(i) else { return false };
        log_ratio(level, best, self.scatter(level).as_ref()).at_least() > flat_by(level, best)
    }

    /// Returns the level at greater depth with the highest rate, or `None` if there are no rates to compare.
    fn best_of(&self, i: usize) -> Option<&'a RampLevel> {
        let best = self.levels[i + 1..].iter().max_by(|a, b| a.rate.total_cmp(&b.rate))?;
        (self.levels[i].rate > 0.0 && best.rate > 0.0).then_some(best)
    }

    /// Returns the scatter of the windows of a level and of all levels at greater depth.
    fn scatter(&self, level: &RampLevel) -> Option<Scatter> {
        let alike = self.alike?;
        let deeper = self.levels.iter().filter(|l| l.concurrency >= level.concurrency);
        let (mut square, mut free) = (0.0, 0.0);
        for away in deeper.map(RampLevel::away) {
            square += away.iter().map(|a| a * a).sum::<f64>();
            free += away.len() as f64 - 1.0;
        }
        let tau = (1.0 + alike) / (1.0 - alike);
        // Number of independent windows with the same information about the spread.
        let telling = free * (1.0 - alike * alike) / (1.0 + alike * alike);
        Some(Scatter { of_one: (square / free * tau).sqrt(), t: crate::series::student_t(telling) })
    }
}

impl RampLevel {
    /// Returns the relative deviations of the windows from their mean.
    fn away(&self) -> Vec<f64> {
        let mean = crate::series::mean(&self.windows);
        self.windows.iter().map(|w| (w - mean) / mean.max(1e-9)).collect()
    }
}

/// Returns the logarithm of the maximum gain in rate that still counts as flat, from one level to another at greater
/// depth.
fn flat_by(level: &RampLevel, deeper: &RampLevel) -> f64 {
    FLAT.ln() * (f64::from(deeper.concurrency) / f64::from(level.concurrency.max(1))).log2().max(1.0)
}

/// Returns `true` if the rate certainly gains less than a tenth per doubling over all levels together, for ramps in
/// which no two levels alone are sufficient. Computes the slope of log rate over log concurrency, by least squares. If
/// the levels are farther from the line than their scatter explains, the distance determines the error. The slope is
/// computed both with and without the load of other processes, because that load may differ between levels and bend the
/// line. The larger slope decides.
fn flat_throughout(level: &RampLevel, deeper: &[RampLevel], scatter: Option<&Scatter>) -> bool {
    let Some(scatter) = scatter else { return false };
    let levels = || std::iter::once(level).chain(deeper);
    if deeper.len() < 2 || levels().any(|l| l.rate <= 0.0) {
        return false;
    }
    let doublings = |l: &RampLevel| f64::from(l.concurrency.max(1)).log2();
    let fitted = |rate: &dyn Fn(&RampLevel) -> f64| {
        Slope::fit(&levels().map(|l| (doublings(l), rate(l).ln(), scatter.error(l).powi(-2))).collect::<Vec<_>>())
    };
    fitted(&|l| l.rate).most(scatter.t).max(fitted(&|l| l.rate + l.others).most(scatter.t)) < FLAT.ln()
}

/// Slope of a line through weighted points.
struct Slope {
    slope: f64,
    /// Standard deviation of the slope.
    error: f64,
}

impl Slope {
    /// Fits a line by least squares to three or more points (x, y, 1 / variance of y).
    fn fit(points: &[(f64, f64, f64)]) -> Slope {
        let weight: f64 = points.iter().map(|p| p.2).sum();
        let mean =
            |coordinate: fn(&(f64, f64, f64)) -> f64| points.iter().map(|p| coordinate(p) * p.2).sum::<f64>() / weight;
        let (x, y) = (mean(|p| p.0), mean(|p| p.1));
        let spread: f64 = points.iter().map(|(px, _, w)| w * (px - x).powi(2)).sum();
        let slope = points.iter().map(|(px, py, w)| w * (px - x) * (py - y)).sum::<f64>() / spread;
        let left: f64 = points.iter().map(|(px, py, w)| w * (py - y - slope * (px - x)).powi(2)).sum();
        // If the points are farther from the line than their variances explain, the distances determine the error.
        let beyond = (left / (points.len() as f64 - 2.0)).max(1.0);
        Slope { slope, error: (beyond / spread).sqrt() }
    }

    fn most(&self, t: f64) -> f64 {
        self.slope + t * self.error
    }
}

/// Scatter of a window around the rate of its level, estimated from the windows of all levels. A level of half a second
/// has only five windows, too few to determine the precision of their mean.
struct Scatter {
    /// Relative standard deviation of a single window, including the effect of correlated windows on the error of a
    /// mean.
    of_one: f64,
    /// Student's t for the number of windows in the estimate.
    t: f64,
}

impl Scatter {
    /// Returns the relative standard deviation of a level's rate.
    fn error(&self, level: &RampLevel) -> f64 {
        (self.of_one / (level.windows.len() as f64).sqrt()).max(SUREST)
    }
}

/// Logarithm of the ratio of two rates.
struct Gained {
    ratio: f64,
    /// Half-width of the 95 % interval of the logarithm.
    half: f64,
    /// Possible change of the logarithm, in either direction, because other processes used more device or CPU time at
    /// one level than at the other. The part of that time that our load would have received is unknown.
    others: f64,
}

impl Gained {
    fn at_least(&self) -> f64 {
        self.ratio - self.half + self.others.min(0.0)
    }

    fn at_most(&self) -> f64 {
        self.ratio + self.half + self.others.max(0.0)
    }
}

/// Returns log(best / level). The logarithm is computed from pairs of adjacent passes if there are enough pairs. Each
/// pair is an independent comparison of both levels, and slow drifts affect both levels. Otherwise, the error comes
/// from the scatter of all levels' windows or, if that is unknown, from the intervals of the two rates.
fn log_ratio(level: &RampLevel, best: &RampLevel, scatter: Option<&Scatter>) -> Gained {
    let others = (best.others - level.others) / best.rate.max(level.rate);
    let pairs: Vec<f64> = level
        .passes
        .iter()
        .filter_map(|(pass, a)| Some((*a, best.passes.iter().find(|(other, _)| other == pass)?.1)))
        .filter(|(a, b)| *a > 0.0 && *b > 0.0)
        .map(|(a, b)| (b / a).ln())
        .collect();
    if pairs.len() >= PAIRS {
        return Gained { ratio: crate::series::mean(&pairs), half: crate::series::mean_half(&pairs), others };
    }
    let half = match scatter {
        Some(scatter) => scatter.t * scatter.error(level).hypot(scatter.error(best)),
        None => level.half.hypot(best.half),
    };
    Gained { ratio: (best.rate / level.rate).ln(), half, others }
}

/// Returns the concurrencies of the two levels that must be compared to determine the knee, or `None` if the knee is
/// already determined. The conductor repeats these levels alternately.
#[must_use]
pub fn undecided(levels: &[MeasuredLevel]) -> Option<(u32, u32)> {
    let ramp: Vec<RampLevel> = levels.iter().map(RampLevel::from).collect();
    if knee(&ramp) != Knee::NotResolved {
        return None;
    }
    let comparison = Comparison::new(&ramp);
    let mut shallower = 0..ramp.len() - 1;
    let below = |i: &usize| comparison.below_best(*i);
    let open = shallower.clone().find(|i| !below(i) && !comparison.is_flat(*i));
    // If no level is undecided, a level is below the levels at greater depth although a level at lower depth is not.
    // One of these two levels is a dip.
    let open = open.or_else(|| shallower.rfind(below))?;
    Some((ramp[open].concurrency, comparison.best_of(open)?.concurrency))
}

/// Returns `true` if the deepest level is faster than all others by more than 5 %. The conductor then increases the
/// depth.
#[must_use]
pub fn still_rises(levels: &[MeasuredLevel]) -> bool {
    let Some((deepest, others)) = levels.split_last() else { return false };
    others.iter().all(|l| deepest.rate() > GAIN * l.rate())
}

/// The conductor's measurements of one level of a ramp.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredLevel {
    /// Operations in flight, across all threads.
    pub concurrency: u32,
    /// Pass number and operations per second of each pass.
    pub passes: Vec<(u32, f64)>,
    /// Rates of the windows of all passes.
    pub windows: Vec<f64>,
    /// For each pass, the share of time that its threads waited for a CPU, 0..=1.
    pub waited: Vec<f64>,
    /// Mean latency of the last pass.
    pub latency: Option<Nanos>,
}

impl MeasuredLevel {
    /// Returns the mean rate of the passes, which have equal length.
    #[must_use]
    pub fn rate(&self) -> f64 {
        let rates: Vec<f64> = self.passes.iter().map(|(_, rate)| *rate).collect();
        crate::series::mean(&rates)
    }
}

impl From<&MeasuredLevel> for RampLevel {
    fn from(level: &MeasuredLevel) -> Self {
        RampLevel {
            concurrency: level.concurrency,
            rate: level.rate(),
            half: crate::series::spread(&level.windows).map_or(ASSUMED_HALF, |s| s.half / level.rate().max(1e-9)),
            windows: level.windows.clone(),
            passes: level.passes.clone(),
            latency: level.latency,
            others: level.rate() * crate::series::mean(&level.waited),
        }
    }
}

fn latency_grew(level: &RampLevel, best: &RampLevel) -> bool {
    let (Some(a), Some(b)) = (level.latency, best.latency) else { return false };
    let asked = f64::from(best.concurrency) / f64::from(level.concurrency.max(1));
    b.as_nanos() as f64 >= LATENCY_SHARE * asked * a.as_nanos() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use testkit::Noise;

    fn rule() -> RampRule {
        RampRule {
            depths: (0..9).map(|i| 1 << i).collect(),
            gain: 0.1,
            patience: 2,
            hold: Nanos(0),
            passes: 1,
            repeats: 0,
            further: Vec::new(),
        }
    }

    /// Returns a closed loop with a smooth cap: X = min(cap, Q / L0), with a rounded corner.
    fn capped(cap: f64, l0: f64, cv: f64, noise: &mut Noise) -> Vec<RampLevel> {
        (0..7)
            .map(|i| {
                let q = f64::from(1u32 << i);
                let free = q / l0;
                let rate = (free.powi(-8) + cap.powi(-8)).powf(-1.0 / 8.0) * (1.0 + cv * noise.normal());
                RampLevel {
                    concurrency: 1 << i,
                    rate,
                    half: 2.0 * cv,
                    windows: vec![],
                    passes: vec![(0, rate)],
                    latency: Some(Nanos((q / rate * 1e9) as u64)),
                    others: 0.0,
                }
            })
            .collect()
    }

    #[test]
    fn a_ramp_ends_after_its_patience_without_gain() {
        let mut levels = vec![(1, 1500.0), (2, 3000.0), (4, 5990.0)];
        assert!(ramp_continues(&levels, &rule()));
        levels.push((8, 6000.0));
        assert!(ramp_continues(&levels, &rule()));
        levels.push((16, 6001.0));
        assert!(!ramp_continues(&levels, &rule()));
    }

    #[test]
    fn a_ramp_ends_at_its_deepest_level_even_if_it_still_gains() {
        let levels: Vec<(u32, f64)> = (0..9).map(|i| (1 << i, f64::from(1000 << i))).collect();
        assert!(ramp_continues(&levels[..8], &rule()));
        assert!(!ramp_continues(&levels, &rule()));
    }

    #[test]
    fn levels_without_a_rate_are_no_gain() {
        assert!(!ramp_continues(&[(1, 0.0), (2, f64::NAN)], &rule()));
        assert!(ramp_continues(&[], &rule()));
    }

    #[test]
    fn the_level_to_hold_is_the_shallowest_of_equals() {
        assert_eq!(best_level(&[(1, 1500.0), (4, 5200.0), (8, 6000.0), (16, 6004.0)]), Some(2));
        assert_eq!(best_level(&[(1, 1500.0), (4, 5990.0), (8, 6000.0), (16, 6004.0)]), Some(1));
        assert_eq!(best_level(&[]), None);
        assert_eq!(best_level(&[(1, f64::NAN), (2, 0.0)]), None);
    }

    #[test]
    fn a_level_that_latency_alone_explains_is_not_held_where_the_next_is_as_fast() {
        // A cap of 20,000 IOPS on storage with a latency of 50 us: at depth 1 the rate fell to 16,655 whenever the
        // latency rose.
        assert_eq!(level_to_hold(&[(1, 20_142.0), (2, 19_990.0), (4, 19_408.0)]), Some(1));
        assert_eq!(level_to_hold(&[(1, 1500.0), (4, 5990.0), (8, 6000.0), (16, 6004.0)]), Some(2));
        assert_eq!(level_to_hold(&[(1, 1500.0), (2, 3000.0)]), Some(1), "there is no next");
        assert_eq!(level_to_hold(&[(1, 1500.0), (2, 1100.0)]), Some(0), "the next is slower");
    }

    #[test]
    fn the_levels_that_do_not_decide_are_named_until_their_pairs_do() {
        let level = |concurrency: u32, rates: &[f64]| MeasuredLevel {
            concurrency,
            passes: (0u32..).zip(rates.iter().copied()).collect(),
            windows: Vec::new(),
            waited: Vec::new(),
            latency: Some(Nanos(u64::from(concurrency) * 100_000)),
        };
        let ramp = |a: &[f64], b: &[f64]| undecided(&[level(1, &[5000.0]), level(2, a), level(4, b)]);
        assert_eq!(ramp(&[10_000.0], &[10_700.0]), Some((2, 4)), "one pass each cannot tell 7 % from 5 %");
        // The machine drifts by a fifth during the passes, but both levels drift by the same amount.
        assert_eq!(ramp(&[10_000.0, 11_000.0, 12_000.0], &[10_700.0, 11_800.0, 12_840.0]), None);
        assert_eq!(ramp(&[10_000.0, 11_000.0, 12_000.0], &[10_700.0, 10_200.0, 13_100.0]), Some((2, 4)));
    }

    #[test]
    fn the_knee_of_a_cap_lies_about_n_star() {
        // docs/design/statistics.md, "Ramps and knees": caps 1000, 3000, 6000. A level below 0.9 N* is never named.
        let mut noise = Noise::new(31);
        let (mut named, mut runs) = (0, 0);
        for cap in [1000.0, 3000.0, 6000.0] {
            for _ in 0..50 {
                let l0 = 0.0005;
                let levels = capped(cap, l0, 0.005, &mut noise);
                runs += 1;
                if let Knee::Between { below, at, .. } = knee(&levels) {
                    named += 1;
                    assert!(f64::from(at) >= 0.9 * cap * l0, "cap {cap}: {below}..{at}");
                    assert!(f64::from(at) <= 4.0 * (cap * l0).max(1.0), "cap {cap}: {below}..{at}");
                }
            }
        }
        assert!(named as f64 >= 0.95 * f64::from(runs), "{named} of {runs}");
    }

    #[test]
    fn a_knee_seen_through_noise_is_not_far_too_early() {
        // Levels that scatter by a tenth, as levels of half a second do next to a busy core.
        let mut noise = Noise::new(7);
        let (mut named, mut early, mut runs) = (0, 0, 0);
        for cap in [1500.0, 3000.0, 6000.0, 11_000.0, 21_000.0] {
            for _ in 0..200 {
                let l0 = 0.0005;
                runs += 1;
                if let Knee::Between { at, .. } = knee(&capped(cap, l0, 0.10, &mut noise)) {
                    named += 1;
                    early += u32::from(f64::from(at) < 0.7 * cap * l0);
                }
            }
        }
        assert!(f64::from(early) <= 0.02 * f64::from(named), "{early} of {named} at less than 0.7 N*");
        assert!(f64::from(named) >= 0.65 * f64::from(runs), "{named} of {runs}");
    }

    /// Returns levels of half a second with five correlated windows each, under a cap or on a device whose rate bends
    /// softly (`bend` 1 is a queue with one server).
    fn by_windows(cap: f64, bend: i32, cv: f64, noise: &mut Noise) -> Vec<RampLevel> {
        (0..7)
            .map(|i| {
                let q = f64::from(1u32 << i);
                let windows = noise.ar1(5, 0.3, 1.0, cv).into_iter().map(|w| true_rate(cap, bend, q) * w).collect();
                let (windows, latency): (Vec<f64>, _) =
                    (windows, Some(Nanos((q / true_rate(cap, bend, q) * 1e9) as u64)));
                let (rate, half) = (crate::series::mean(&windows), ASSUMED_HALF);
                RampLevel { concurrency: 1 << i, rate, half, passes: vec![(0, rate)], windows, latency, others: 0.0 }
            })
            .collect()
    }

    fn true_rate(cap: f64, bend: i32, q: f64) -> f64 {
        ((q / 0.0005).powi(-bend) + cap.powi(-bend)).powf(-1.0 / f64::from(bend))
    }

    #[test]
    fn a_knee_is_told_from_half_seconds_and_where_concurrency_has_hardly_more_to_give() {
        let mut noise = Noise::new(11);
        // If the rate still bends at the deepest level, only a few of the ramps have a knee.
        let cases = [(8, 0.02, 0.95), (8, 0.05, 0.9), (8, 0.1, 0.7), (2, 0.02, 0.85), (2, 0.05, 0.6), (1, 0.05, 0.0)];
        for (bend, cv, least) in cases {
            let (mut named, mut early, mut runs) = (0, 0, 0);
            for cap in [6000.0, 12_000.0, 21_000.0] {
                for _ in 0..200 {
                    runs += 1;
                    if let Knee::Between { at, .. } = knee(&by_windows(cap, bend, cv, &mut noise)) {
                        named += 1;
                        let more = true_rate(cap, bend, f64::from(2 * at)) / true_rate(cap, bend, f64::from(at));
                        early += u32::from(more > 1.25);
                    }
                }
            }
            assert_eq!(early, 0, "of {named} knees where a doubling gave a quarter more, bend {bend}, {cv}");
            assert!(f64::from(named) >= least * f64::from(runs), "{named} of {runs}, bend {bend}, {cv}");
        }
    }

    #[test]
    fn the_knee_of_m4_xlarge_is_between_one_and_four() {
        // docs/design/limits.md, "m4.xlarge": gp3.
        let rows = [(1, 1597.0, 630_000), (4, 6011.0, 670_000), (8, 6136.0, 1_300_000), (16, 6144.0, 2_600_000)];
        let levels: Vec<RampLevel> = rows
            .map(|(concurrency, rate, r)| RampLevel {
                concurrency,
                rate,
                half: 0.01,
                windows: vec![],
                passes: vec![],
                latency: Some(Nanos(r)),
                others: 0.0,
            })
            .to_vec();
        assert_eq!(knee(&levels), Knee::Between { below: 1, at: 4, latency: Some(Nanos::from_micros(670)) });
    }

    #[test]
    fn a_ramp_that_still_grows_has_not_reached_its_knee() {
        let levels = capped(1e9, 0.0005, 0.0, &mut Noise::new(1));
        assert_eq!(knee(&levels), Knee::NotReached { deepest: 64 });
        assert_eq!(knee(&levels[..1]), Knee::NotReached { deepest: 1 });
        assert_eq!(knee(&[]), Knee::NotAsked);
    }

    fn level(concurrency: u32, rate: f64) -> RampLevel {
        let latency = Some(Nanos((f64::from(concurrency) / rate * 1e9) as u64));
        RampLevel { concurrency, rate, half: 0.01, windows: vec![], passes: vec![], latency, others: 0.0 }
    }

    #[test]
    fn a_rate_that_is_back_from_a_dip_is_not_still_rising() {
        assert_eq!(knee(&[level(1, 6059.0), level(2, 2378.0), level(4, 6000.0)]), Knee::NotResolved);
        assert_eq!(knee(&[level(1, 2000.0), level(2, 1500.0), level(4, 6000.0)]), Knee::NotReached { deepest: 4 });
    }

    #[test]
    fn a_far_deeper_level_shows_through_noise_what_the_next_does_not() {
        // Next to a busy core and 50 MB/s: levels of half a second that scatter by a tenth.
        let noisy = |rates: &[f64]| -> Vec<RampLevel> {
            rates.iter().enumerate().map(|(i, r)| RampLevel { half: 0.09, ..level(1 << i, *r) }).collect()
        };
        let rates = [23_470.0, 30_640.0, 50_482.0, 61_646.0, 70_174.0, 68_917.0, 62_605.0];
        assert!(
            matches!(knee(&noisy(&rates)), Knee::Between { below: 4 | 8, at: 8 | 16, .. }),
            "{:?}",
            knee(&noisy(&rates))
        );
        assert_eq!(knee(&noisy(&rates[..6])), Knee::NotResolved, "the next alone does not tell");
        // A rate that continues to rise by a fifth has no knee at any distance.
        let rising = noisy(&[10_000.0, 12_000.0, 14_400.0, 17_280.0, 20_736.0, 24_883.0, 29_860.0]);
        assert_eq!(knee(&rising), Knee::NotReached { deepest: 64 });
    }

    #[test]
    fn too_much_noise_leaves_the_knee_open() {
        let mut levels = capped(3000.0, 0.0005, 0.0, &mut Noise::new(1));
        levels.iter_mut().for_each(|l| l.half = 0.4);
        assert!(matches!(knee(&levels), Knee::NotResolved));
    }

    #[test]
    fn a_flat_rate_without_growing_latency_is_not_saturation() {
        // The generator submits no more than before: the latency is constant, and the queue is not kept full.
        let level = |concurrency| RampLevel {
            concurrency,
            rate: 5000.0,
            half: 0.002,
            windows: vec![],
            passes: vec![],
            latency: Some(Nanos::from_micros(100)),
            others: 0.0,
        };
        assert_eq!(knee(&[level(1), level(2), level(4)]), Knee::NotResolved);
    }

    proptest! {
        #[test]
        fn still_rising_is_said_only_of_the_highest_rate(rates in prop::collection::vec(1.0f64..1e6, 1..8), half in 0.0f64..0.3) {
            let levels: Vec<RampLevel> =
                rates.iter().enumerate().map(|(i, r)| RampLevel { half, ..level(1 << i, *r) }).collect();
            let (deepest, others) = levels.split_last().expect("one at least");
            if matches!(knee(&levels), Knee::NotReached { .. }) {
                prop_assert!(others.iter().all(|l| deepest.rate > GAIN * l.rate));
            }
        }

        #[test]
        fn a_knee_names_levels_that_were_run(rates in prop::collection::vec(0.0f64..1e6, 0..12)) {
            let levels: Vec<RampLevel> = rates.iter().enumerate().map(|(i, r)| RampLevel {
                concurrency: 1 << i, rate: *r, half: 0.01, windows: vec![], passes: vec![(0, *r)],
                latency: Some(Nanos((f64::from(1u32 << i) / r.max(1.0) * 1e9) as u64)), others: 0.0,
            }).collect();
            if let Knee::Between { below, at, .. } = knee(&levels) {
                prop_assert!(below < at);
                prop_assert!(levels.iter().any(|l| l.concurrency == at));
            }
        }
    }
}
