//! Shape of a window series: start, change points, trend (docs/design/statistics.md, "Levels of a series").
//!
//! The levels of the whole series are found first (`changes.rs`). MSER-5 alone would not be enough: it removes anything
//! that makes the rest more even, so it would mistake a burst or a dip in the first third for a start. The part before
//! the last level is a start only if the model of a start (an exponential approach or a straight line) explains it
//! better than levels do. The trend comes next: its slope is compared with its error. A series that changed is
//! represented by its last level if that level is long enough; otherwise, it has no representative level.
//!
//! The conductor uses these rules to stop a step early ([`settled`]), and the analysis uses them to classify the
//! series, so the conductor and the analysis cannot disagree. `steady_shapes.rs` simulates which shapes the rules find
//! and miss.

use crate::alternation::{Alternation, alternation};
use crate::changes::{MIN_SEGMENT, MIN_SHIFT, change_points, scatter};
use crate::series::{autocorrelation_time, mean, spread, student_t};
use std::ops::Range;

/// Minimum relative difference between a warm-up and the rest of the series for the warm-up to be removed.
const MIN_WARM_UP: f64 = 0.02;
/// Remaining distance from the level, as a share of the level, at which a start counts as over.
const START_OVER: f64 = 0.01;
/// Minimum number of windows for the last level to represent a step whose rate changed. It is the number of independent
/// windows that an interval needs.
const LAST_LEAST: usize = 30;
/// Inverse of the minimum share of the measured time that the last level must cover to represent the step. The minimum
/// prevents a short period at the end from outweighing the rest.
const LAST_SHARE: usize = 4;
/// Minimum number of windows (one minute at 100 ms) for the last level to represent the step regardless of its share.
const LAST_ENOUGH: usize = 600;
/// Minimum number of consecutive changes in one direction that count as a drift.
const STAIRS: usize = 4;
/// Maximum number of blocks in the search for a start. Longer series are divided into blocks.
const MOST_BLOCKS: usize = 300;
/// Maximum relative half-width of the interval at which a step may stop early. The error of a slope over the series is
/// sqrt(12) standard errors of the mean, so 1.5 % is just enough to also exclude a rise of 5 %. A larger value would
/// not stop earlier, and a smaller one would only make the step longer.
const STOP_HALF_WIDTH: f64 = 0.015;

/// Rate of a 100 ms window in which one operation completed, in operations per second.
const ONE_IN_100_MS: f64 = 10.0;

/// Shape of a series of rates.
#[derive(Debug, Clone, PartialEq)]
pub enum Regime {
    /// The rate has one level.
    Steady,
    /// The rate has one level after a start.
    Settled,
    /// The rate has several levels. The last level is long enough to represent the step.
    Changed,
    /// The rate follows a trend instead of a level.
    Drift {
        /// Mean rate of the first eighth of the series.
        from: f64,
        /// Mean rate of the last eighth of the series.
        to: f64,
    },
    /// The rate has several levels. The last level is too short to represent the step.
    Unfinished,
    /// The rate alternates between two values, or rises and falls repeatedly.
    Alternating(Alternation),
    /// The series has fewer windows than two levels need.
    TooShort,
}

impl Regime {
    /// Returns `true` if the series has a level from which figures may be taken.
    fn has_level(&self) -> bool {
        matches!(self, Regime::Steady | Regime::Settled | Regime::Changed)
    }
}

/// Result of judging a series.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Kind of shape.
    pub regime: Regime,
    /// Windows from which a figure may be taken: all windows, the windows after the start, or the last level. For a
    /// drift, these are the windows at its end, which are not a level but avoid a mean across the drift.
    pub kept: Range<usize>,
    /// Indices at which levels begin. If the series has a start, only the levels after the start are listed.
    pub levels: Vec<usize>,
}

/// Returns the shape of a series of rates in windows of equal length. `step` is the rate of a window in which one
/// operation completed.
#[must_use]
pub fn shape(x: &[f64], step: f64) -> Shape {
    let whole = 0..x.len();
    if x.len() < 2 * MIN_SEGMENT || x.iter().any(|v| !v.is_finite()) {
        return Shape { regime: Regime::TooShort, kept: whole, levels: vec![0] };
    }
    let cut = start(x, &change_points(x));
    let rest = &x[cut..];
    let changes = change_points(rest);
    let levels: Vec<usize> = std::iter::once(cut).chain(changes.iter().map(|c| cut + c)).collect();
    let last = levels[levels.len() - 1];
    let with_regime = |regime, from| Shape { regime, kept: from..x.len(), levels: levels.clone() };
    if is_drift(rest, &changes) {
        let (from, to) = ends(rest);
        return with_regime(Regime::Drift { from, to }, last.max(x.len() - x.len() / 8));
    }
    // A single change between two levels is not an alternation, even if the first level varies.
    let once = |at: usize| alternation(&rest[..at], step).is_none() && alternation(&rest[at..], step).is_none();
    if !matches!(changes[..], [at] if once(at))
        && let Some(alternation) = alternation(rest, step)
    {
        return with_regime(Regime::Alternating(alternation), cut);
    }
    if !changes.is_empty() {
        return with_regime(if may_speak(x, last) { Regime::Changed } else { Regime::Unfinished }, last);
    }
    with_regime(if cut > 0 { Regime::Settled } else { Regime::Steady }, cut)
}

/// Returns `true` if the level that begins at `last` may represent a series that changed: it is long enough and has no
/// trend.
fn may_speak(x: &[f64], last: usize) -> bool {
    let n = x.len() - last;
    n >= LAST_LEAST && (n * LAST_SHARE >= x.len() || n >= LAST_ENOUGH) && !trend(&x[last..]).proven()
}

/// Returns `true` if a series is a slope rather than a sequence of levels. Many small steps can also approximate a
/// slope, so the model with the smaller residuals is chosen. However, many steps in one direction count as a slope.
fn is_drift(x: &[f64], changes: &[usize]) -> bool {
    let trend = trend(x);
    trend.proven() && (trend.sd <= scatter(x, changes) || changes.len() >= STAIRS && one_way(x, changes))
}

fn one_way(x: &[f64], changes: &[usize]) -> bool {
    let edges: Vec<usize> = std::iter::once(0).chain(changes.iter().copied()).chain([x.len()]).collect();
    let means: Vec<f64> = edges.windows(2).map(|e| mean(&x[e[0]..e[1]])).collect();
    means.is_sorted() || means.iter().rev().is_sorted()
}

/// Returns the means of the first and the last eighth, which are reported for a drift. The ends of a fitted line are
/// not suitable, because they may be negative.
fn ends(x: &[f64]) -> (f64, f64) {
    let n = (x.len() / 8).max(2).min(x.len());
    (mean(&x[..n]), mean(&x[x.len() - n..]))
}

/// Returns `true` if a step may stop, because all of these conditions are met:
///
/// - It has one level, possibly after a start.
/// - The level's interval is within 1.5 % of the mean and based on at least 30 independent windows.
/// - A rise of 5 % over the series is excluded.
///
/// `rates` are from windows of 100 ms, so a step runs for at least 3 s, and for longer if its windows are correlated.
#[must_use]
pub fn settled(rates: &[f64]) -> bool {
    let shape = shape(rates, ONE_IN_100_MS);
    if !matches!(shape.regime, Regime::Steady | Regime::Settled) {
        return false;
    }
    let kept = &rates[shape.kept];
    let narrow = spread(kept).is_some_and(|s| s.enough() && s.mean > 0.0 && s.half / s.mean <= STOP_HALF_WIDTH);
    narrow && trend(kept).excluded()
}

/// Returns `true` if a step at the held concurrency has a result: it ends with one level that has enough independent
/// windows for an interval. If the rate changed or fluctuates slowly, the step is worth some more time.
#[must_use]
pub fn conclusive(rates: &[f64]) -> bool {
    let shape = shape(rates, ONE_IN_100_MS);
    shape.regime.has_level() && spread(&rates[shape.kept]).is_some_and(|s| s.enough())
}

/// Returns the number of windows to discard at the front. `cuts` are the level changes in the whole series.
///
/// Considers the changes in the first third of the series: first all of them, then all but the last, and so on. If the
/// model of a start explains the series up to the next change better than levels do, these changes are the start. If
/// there are no changes, the start is the part that MSER-5 cuts off in the first third. This part must differ from the
/// rest significantly and by more than 2 %, and must approach the rest.
fn start(x: &[f64], cuts: &[usize]) -> usize {
    if cuts.is_empty() {
        return warm_up(x);
    }
    let early = cuts.iter().take_while(|c| **c <= x.len() / 3).count();
    for k in (1..=early).rev() {
        let head = &x[..cuts.get(k).copied().unwrap_or(x.len())];
        let over = approach(head, &cuts[..k]).map(|over| over.max(mser5(head)).max(cuts[k - 1]));
        if let Some(over) = over.filter(|o| *o <= head.len() / 2 && *o <= x.len() / 3 + 5) {
            return over;
        }
    }
    0
}

/// Returns the end of the start, if a start explains the series better than the levels between `cuts` do. The model of
/// a start is `a + b*exp(-i/t)`, or a straight line from `a + b` to `a` over `3*t` windows. It is fitted by least
/// squares over a grid of `t`.
fn approach(x: &[f64], cuts: &[usize]) -> Option<usize> {
    let width = x.len().div_ceil(MOST_BLOCKS).max(1);
    let blocks: Vec<f64> = x.chunks_exact(width).map(mean).collect();
    let cuts: Vec<usize> = cuts.iter().map(|c| (c / width).max(1)).collect();
    let n = blocks.len();
    let mut best = (f64::INFINITY, 0.0);
    let mut t = 1.0;
    while t < n as f64 / 3.0 {
        for straight in [false, true] {
            let fall = |i: usize| {
                if straight { (1.0 - i as f64 / (3.0 * t)).max(0.0) } else { (-(i as f64) / t).exp() }
            };
            let (left, level, height) = fit(&blocks, fall);
            // End of the start: within 1 % of the level.
            let share = (START_OVER * level.abs() / height.abs().max(1e-12)).clamp(1e-12, 1.0);
            let over = if straight { 3.0 * t * (1.0 - share) } else { -t * share.ln() };
            if left < best.0 {
                best = (left, over);
            }
        }
        t *= 1.15;
    }
    let levels = scatter_square(&blocks, &cuts);
    // A start has three parameters; levels have two each, minus one (BIC).
    let more = (2 * cuts.len() + 1) as f64 - 3.0;
    let better = best.0 <= 1e-12 || (n as f64) * (best.0 / levels.max(1e-12)).ln() < more * (n as f64).ln();
    better.then_some((best.1 * width as f64).ceil() as usize)
}

/// Fits `x = level + height * fall(i)` by least squares; returns the residual sum of squares, level and height.
fn fit(x: &[f64], fall: impl Fn(usize) -> f64) -> (f64, f64, f64) {
    let n = x.len() as f64;
    let (my, mf) = (mean(x), (0..x.len()).map(&fall).sum::<f64>() / n);
    let (mut sff, mut sfy) = (0.0, 0.0);
    for (i, y) in x.iter().enumerate() {
        let f = fall(i) - mf;
        sff += f * f;
        sfy += f * (y - my);
    }
    let height = if sff > 0.0 { sfy / sff } else { 0.0 };
    let level = my - height * mf;
    let left = x.iter().enumerate().map(|(i, y)| (y - level - height * fall(i)).powi(2)).sum();
    (left, level, height)
}

/// Returns the sum of squares about the levels between `cuts`.
fn scatter_square(x: &[f64], cuts: &[usize]) -> f64 {
    scatter(x, cuts).powi(2) * (x.len() as f64 - 1.0 - 2.0 * cuts.len() as f64).max(1.0)
}

/// Returns the cut of MSER-5 if the removed part differs from the rest and approaches it, otherwise 0.
fn warm_up(x: &[f64]) -> usize {
    let cut = mser5(x);
    if cut == 0 {
        return 0;
    }
    let (head, rest) = x.split_at(cut);
    let Some(s) = spread(rest) else { return 0 };
    let away = |part: &[f64]| (mean(part) - s.mean).abs();
    let error = s.sd * (s.tau * (1.0 / head.len() as f64 + 1.0 / rest.len() as f64)).sqrt();
    if away(head) <= MIN_WARM_UP * s.mean.abs() || away(head) <= 3.0 * error {
        return 0;
    }
    // A short head cannot be checked further; a longer head that does not approach the rest is not a start.
    let half = head.len() / 2;
    if head.len() > MIN_SEGMENT + 5 && away(&head[..half]) < away(&head[half..]) { 0 } else { cut }
}

/// Returns the cut of MSER-5 (White 1997): the number of leading windows, in batches of five, whose removal minimises
/// the standard error of the rest. Only the first third is searched.
fn mser5(x: &[f64]) -> usize {
    let batches: Vec<f64> = x.chunks_exact(5).map(mean).collect();
    let n = batches.len();
    // Suffix sums make the search linear. They are relative to the mean, so that squares do not cancel.
    let centre = mean(&batches);
    let (mut sum, mut square) = (0.0, 0.0);
    let mut best = (f64::INFINITY, 0);
    let mut statistic = vec![0.0; n];
    for (i, b) in batches.iter().enumerate().rev() {
        sum += b - centre;
        square += (b - centre).powi(2);
        let m = (n - i) as f64;
        statistic[i] = (square - sum * sum / m).max(0.0) / (m * m);
    }
    for (i, s) in statistic.iter().enumerate().take(n / 3 + 1) {
        if *s < best.0 {
            best = (*s, i);
        }
    }
    best.1 * 5
}

/// Least-squares line over a series.
#[derive(Debug, Clone, Copy)]
struct Trend {
    /// Rise from the first to the last window, divided by the mean.
    rise: f64,
    /// Half-width of the 95 % interval of the rise, with n/tau - 2 degrees of freedom.
    half: f64,
    /// Half-width of the same interval, with an autocorrelation time that is corrected for the fit. It is used to prove
    /// a trend.
    wide: f64,
    /// Standard deviation of the values from the line, with n - 2 degrees of freedom.
    sd: f64,
}

impl Trend {
    /// Returns `true` for a rise of more than 5 % that is significant at 99 % (2.58 / 1.96 of the 95 % half-width). The
    /// bound is strict because every step is tested, and because reporting a trend requires more evidence than stopping
    /// a step.
    fn proven(self) -> bool {
        self.rise.abs() > MIN_SHIFT && self.rise.abs() > 1.31 * self.wide
    }

    /// Returns `true` if a rise of 5 % is excluded.
    fn excluded(self) -> bool {
        self.rise.abs() + self.half < MIN_SHIFT
    }
}

fn trend(x: &[f64]) -> Trend {
    let n = x.len() as f64;
    let centre = mean(x);
    if x.len() < 3 || centre <= 0.0 {
        return Trend { rise: 0.0, half: f64::INFINITY, wide: f64::INFINITY, sd: f64::INFINITY };
    }
    let middle = (n - 1.0) / 2.0;
    let sxx = n * (n * n - 1.0) / 12.0;
    let sxy: f64 = x.iter().enumerate().map(|(i, v)| (i as f64 - middle) * (v - centre)).sum();
    let slope = sxy / sxx;
    let residuals: Vec<f64> = x.iter().enumerate().map(|(i, v)| v - centre - slope * (i as f64 - middle)).collect();
    let sd = (residuals.iter().map(|r| r * r).sum::<f64>() / (n - 2.0)).sqrt();
    let tau = autocorrelation_time(&residuals);
    let half = |tau: f64| student_t(n / tau - 2.0) * sd * (tau / sxx).sqrt() * (n - 1.0) / centre;
    Trend { rise: slope * (n - 1.0) / centre, half: half(tau), wide: half(tau * (1.0 + 4.0 * tau / n)), sd }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Noise;

    fn rate(runs: usize, mut alarm: impl FnMut() -> bool) -> f64 {
        (0..runs).filter(|_| alarm()).count() as f64 / runs as f64
    }

    #[test]
    fn a_held_level_is_conclusive_once_its_last_level_has_an_interval() {
        let mut noise = Noise::new(5);
        let mut x = noise.ar1(80, 0.0, 1000.0, 20.0);
        assert!(conclusive(&x) && !conclusive(&x[..20]));
        x[..60].iter_mut().for_each(|v| *v += 600.0);
        assert!(!conclusive(&x), "20 windows after the change are too few");
        x.extend(noise.ar1(40, 0.0, 1000.0, 20.0));
        assert!(conclusive(&x));
    }

    #[test]
    fn stationary_series_are_steady() {
        // If the error of the trend were not corrected for its fit, noise at n = 16 would be reported as not steady in
        // 1.1 % of cases at phi 0, 5.7 % at phi .5, and 14 % at phi .8. With the correction, the shares are 0.3, 2.8
        // and 8.3 %. The journal has more figures.
        let floors = [(0.0, [0.985, 0.985, 0.99]), (0.5, [0.96, 0.96, 0.975]), (0.8, [0.90, 0.91, 0.955])];
        for (phi, floors) in floors {
            for (n, floor) in [16, 48, 120].into_iter().zip(floors) {
                let mut noise = Noise::new(9);
                let steady = rate(1000, || {
                    matches!(shape(&noise.ar1(n, phi, 1000.0, 50.0), 1.0).regime, Regime::Steady | Regime::Settled)
                });
                assert!(steady >= floor, "n {n} phi {phi}: {steady}");
            }
        }
    }

    #[test]
    fn the_burst_of_limits_8_7_is_two_regimes_with_both_levels() {
        // 3029 IOPS until 5.04 s, then 314: the rate was never near the mean of 1627.
        let mut noise = Noise::new(2);
        for at in [20, 50] {
            let mut x = noise.ar1(103, 0.3, 314.0, 6.0);
            x[..at].iter_mut().for_each(|v| *v += 2715.0);
            let shape = shape(&x, 1.0);
            assert_eq!((shape.regime, shape.levels), (Regime::Changed, vec![0, at]), "burst of {at} windows");
            assert_eq!(shape.kept, at..103);
        }
    }

    #[test]
    fn a_decaying_start_is_cut_off_and_leaves_no_bias() {
        let mut noise = Noise::new(13);
        let (mut settled, mut bias) = (0, 0.0);
        for _ in 0..300 {
            let mut x = noise.ar1(120, 0.3, 1000.0, 20.0);
            for (i, v) in x.iter_mut().enumerate() {
                *v += 600.0 * (-(i as f64) / 8.0).exp();
            }
            let shape = shape(&x, 1.0);
            if shape.regime == Regime::Settled {
                settled += 1;
                bias += (mean(&x[shape.kept]) / 1000.0 - 1.0).abs();
            }
        }
        assert!(settled >= 285, "{settled} of 300");
        assert!(bias / f64::from(settled) < 0.006, "{}", bias / f64::from(settled));
    }

    #[test]
    fn a_slow_decline_is_not_settled() {
        let mut noise = Noise::new(17);
        let mut x = noise.ar1(100, 0.3, 1000.0, 10.0);
        x.iter_mut().enumerate().for_each(|(i, v)| *v -= i as f64);
        assert!(!matches!(shape(&x, 1.0).regime, Regime::Steady | Regime::Settled));
        assert!(!settled(&x));
    }

    #[test]
    fn a_drift_is_called_one_and_not_a_staircase() {
        for n in [20, 40, 60, 120, 600] {
            for end in [0.6, 0.8, 1.25, 2.0] {
                let mut x = Noise::new(3).ar1(n, 0.3, 1000.0, 10.0);
                x.iter_mut().enumerate().for_each(|(i, v)| *v *= 1.0 + (end - 1.0) * i as f64 / n as f64);
                let Regime::Drift { from, to } = shape(&x, 1.0).regime else {
                    panic!("{n} to {end}: {:?}", shape(&x, 1.0))
                };
                // The reported ends are means of eighths, so they describe points one sixteenth of the series away from
                // either end.
                let truth = [1.0 + (end - 1.0) / 16.0, end - (end - 1.0) / 16.0].map(|f| f * 1000.0);
                assert!((from / truth[0] - 1.0).abs() < 0.04 && (to / truth[1] - 1.0).abs() < 0.04, "{n} {from} {to}");
            }
        }
        let mut stairs = Noise::new(3).ar1(60, 0.3, 1000.0, 10.0);
        stairs.iter_mut().enumerate().for_each(|(i, v)| *v *= 0.8 + 0.2 * (i / 20) as f64);
        assert_eq!(shape(&stairs, 1.0).levels, [0, 20, 40], "and the other way round");
    }

    #[test]
    fn a_burst_bucket_that_fills_and_empties_is_no_steady_level() {
        let bucket = |period: usize| {
            let mut x = Noise::new(3).ar1(60, 0.3, 1000.0, 15.0);
            x.iter_mut().enumerate().for_each(|(i, v)| *v *= if i % period < period / 3 { 2.0 } else { 0.5 });
            x
        };
        for period in [3, 6, 30] {
            assert!(!shape(&bucket(period), 1.0).regime.has_level(), "{period}");
        }
        // A tooth of a sawtooth that is a third of the step long may be correlated noise; but it gives no interval and
        // does not stop the step.
        let mut saw = Noise::new(3).ar1(60, 0.3, 1000.0, 15.0);
        saw.iter_mut().enumerate().for_each(|(i, v)| *v *= 1.3 - 0.6 * (i % 20) as f64 / 20.0);
        assert!(!settled(&saw) && !spread(&saw).expect("values").enough());
    }

    #[test]
    fn series_of_any_length_are_judged_as_one_level_if_they_are() {
        for n in 0..=60 {
            let x = Noise::new(n as u64).ar1(n, 0.0, 1000.0, 10.0);
            let expected = if n < 16 { Regime::TooShort } else { Regime::Steady };
            assert!(
                matches!(shape(&x, 1.0).regime, Regime::Settled) || shape(&x, 1.0).regime == expected,
                "{n}: {:?}",
                shape(&x, 1.0)
            );
        }
    }

    #[test]
    fn a_dip_is_three_levels_and_the_last_one_speaks_wherever_it_lies() {
        // MSER-5 took everything before the end of an early dip for a start: "settled after 9 s".
        for (from, to) in [(30, 60), (12, 30), (20, 29), (45, 56)] {
            let mut x = Noise::new(1).ar1(90, 0.2, 1000.0, 10.0);
            x[from..to].iter_mut().for_each(|v| *v *= 0.6);
            let shape = shape(&x, 1.0);
            assert_eq!((shape.regime, shape.levels), (Regime::Changed, vec![0, from, to]));
            assert!(!settled(&x));
        }
    }

    #[test]
    fn a_last_level_speaks_only_if_it_lasts() {
        let stepped = |n: usize, last: usize| {
            let mut x = Noise::new(1).ar1(n, 0.2, 1000.0, 10.0);
            x[n - last..].iter_mut().for_each(|v| *v *= 0.25);
            shape(&x, 1.0).regime
        };
        assert_eq!(stepped(100, 29), Regime::Unfinished, "fewer than 30 windows");
        assert_eq!(stepped(100, 31), Regime::Changed);
        assert_eq!(stepped(300, 60), Regime::Unfinished, "a fifth of the time");
        assert_eq!(stepped(300, 80), Regime::Changed);
        assert_eq!(stepped(6000, 610), Regime::Changed, "a minute is enough");
        assert_eq!(stepped(6000, 500), Regime::Unfinished);
    }

    #[test]
    fn a_drift_in_steps_is_a_drift() {
        // A script that lowers a cap each second: twenty levels in one direction.
        let x: Vec<f64> = Noise::new(2)
            .ar1(200, 0.2, 1.0, 0.01)
            .iter()
            .enumerate()
            .map(|(i, v)| v * (1000.0 - 47.5 * (i / 10) as f64))
            .collect();
        let Regime::Drift { from, to } = shape(&x, 1.0).regime else { panic!("{:?}", shape(&x, 1.0)) };
        assert!((900.0..1000.0).contains(&from) && (90.0..200.0).contains(&to), "{from} {to}");
    }

    #[test]
    fn a_step_stops_once_its_mean_is_known_and_not_before() {
        let mut noise = Noise::new(4);
        assert!(settled(&noise.ar1(60, 0.0, 1000.0, 20.0)));
        assert!(!settled(&noise.ar1(25, 0.0, 1000.0, 5.0)), "fewer than 30 independent windows");
        assert!(!settled(&noise.ar1(60, 0.0, 1000.0, 200.0)), "too wide");
        assert!(!settled(&[]));
        assert!(!settled(&[0.0; 60]), "nothing completes");
        assert!(settled(&[600.0; 40]));
    }

    #[test]
    fn few_windows_are_too_short_to_tell() {
        assert_eq!(shape(&[100.0; 15], 1.0), Shape { regime: Regime::TooShort, kept: 0..15, levels: vec![0] });
        assert_eq!(shape(&[100.0; 16], 1.0).regime, Regime::Steady);
        assert_eq!(shape(&[f64::NAN; 40], 1.0).regime, Regime::TooShort);
    }

    /// Reads per second in windows of 100 ms under a cap of 6000 (blkio throttle, fio, 5 s, measured 2026-11-21): the
    /// first window uses saved credits; some dips are compensated in the next window.
    const THROTTLED: [[u32; 49]; 4] = [
        [
            8333, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000,
            6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000,
            6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000,
        ],
        [
            8333, 6000, 3350, 8650, 6000, 6000, 6000, 5830, 6170, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 4330,
            7670, 6000, 6000, 6000, 5380, 6620, 6000, 6000, 6000, 6000, 5750, 6250, 6000, 6000, 6000, 6000, 6000, 6000,
            6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000,
        ],
        [
            8275, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000,
            6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 5940, 6000, 5610, 1990, 10400,
            5825, 6000, 2346, 9560, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000,
        ],
        [
            8955, 6000, 5940, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000,
            6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 5825, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000,
            6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 5769,
        ],
    ];

    #[test]
    fn a_throttled_disk_is_one_level_at_its_cap() {
        for row in THROTTLED {
            let x = row.map(f64::from);
            let shape = shape(&x, 1.0);
            assert!(matches!(shape.regime, Regime::Steady | Regime::Settled), "{shape:?}");
            assert!((mean(&x[shape.kept]) / 6000.0 - 1.0).abs() < 0.01);
        }
        // Only a narrow interval stops a step: after a dip, the step continues.
        assert_eq!(THROTTLED.map(|row| settled(&row.map(f64::from))), [true, false, false, true]);
    }
}
