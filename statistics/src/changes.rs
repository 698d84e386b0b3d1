//! Change points: positions at which the level of a series changes (docs/design/statistics.md, "Levels of a series").
//!
//! For one change, then two, and so on up to seven, the search finds the best division of the series into levels (least
//! squares, dynamic programming). It accepts the division if every change in it is significant relative to the
//! residuals. Then each level is searched for further changes.
//!
//! Searching for one change at a time is not enough: with three levels of 0.8, 1.2 and 1.0, one of the two changes
//! remains in the residuals of the best single split. The residuals become wide and correlated, so no change is
//! significant.
//!
//! False alarms in 4000 stationary AR(1) series with a cv of 15 %, for 24, 60 and 120 windows:
//!
//! | phi | this search | one split at a time |
//! |---|---|---|
//! | 0 | 0, 0, 1 | 0, 0, 1 |
//! | .5 | 6, 14, 9 | 6, 15, 13 |
//! | .8 | 58, 68, 36 | 59, 79, 49 |
//!
//! Three levels in 60 windows are found, in any order, in 100 % of the series with 3 % of white noise, and in 94 % at
//! phi .5. With one split at a time, three levels are found in 0 % of the series with white noise, and a third of these
//! series count as a trend. `bench/journal/2026-11-21-change-points.md` has more figures and the rejected methods.

use crate::series::{autocorrelation_time, heavy_tail, mean};

/// Minimum length of a level, in windows.
pub const MIN_SEGMENT: usize = 8;
/// Minimum relative shift between levels; smaller shifts do not matter.
pub const MIN_SHIFT: f64 = 0.05;
/// Threshold for a single change, in standard errors. It is above 1.96 because the search tries all splits.
const CHANGE_Z: f64 = 4.5;
/// Increase of the threshold for each further change, because more possible splits make chance findings more likely.
const EACH_FURTHER: f64 = 0.6;
/// Maximum number of changes searched for simultaneously. Searching each level again finds irregular levels step by
/// step. Only a regular wave requires a search for all changes together, and eight levels are enough to detect one.
const MOST_AT_ONCE: usize = 7;
/// Maximum number of blocks in a search. Longer series are divided into blocks, because the cost is quadratic in the
/// number of blocks.
const MOST_BLOCKS: usize = 300;

/// Autocorrelation time, in windows, above which a series without a change is searched again without its edges.
const RESTLESS: f64 = 3.0;

/// Returns the change points in ascending order: indices at which a new level begins. The first level may be shorter
/// than [`MIN_SEGMENT`] if that makes another change significant.
#[must_use]
pub fn change_points(x: &[f64]) -> Vec<usize> {
    let mut changes = lasting_changes(x, 0.0);
    if changes.is_empty() && autocorrelation_time(x) > RESTLESS {
        changes = behind_edges(x);
    }
    if let Some(first) = short_first(x, &changes) {
        changes.insert(0, first);
    }
    changes
}

/// Finds changes in a series whose first or last windows are at another level but are too few to form a level. For
/// example, four windows at 2,000, ten at 8,000 and the rest at 2,000 cannot be divided into levels of eight or more
/// windows without large residuals. Choosing the edge adds possible splits, so the threshold is higher.
fn behind_edges(x: &[f64]) -> Vec<usize> {
    const EDGES: [(usize, usize); 5] = [
        (MIN_SEGMENT - 1, 0),
        (0, MIN_SEGMENT - 1),
        (MIN_SEGMENT / 2, 0),
        (0, MIN_SEGMENT / 2),
        (MIN_SEGMENT / 2, MIN_SEGMENT / 2),
    ];
    let inner = |(front, back): &(usize, usize)| {
        let to = x.len().checked_sub(*back).filter(|to| *to >= front + 2 * MIN_SEGMENT)?;
        let cuts: Vec<usize> = lasting_changes(&x[*front..to], 2.0 * EACH_FURTHER).iter().map(|c| c + front).collect();
        (!cuts.is_empty()).then_some(cuts)
    };
    EDGES.iter().find_map(inner).unwrap_or_default()
}

/// Returns the end of a first level that is shorter than [`MIN_SEGMENT`]. Returns `None` unless this change and the
/// known changes are all significant together.
fn short_first(x: &[f64], changes: &[usize]) -> Option<usize> {
    let first = *changes.first()?;
    let search = Search::new(&x[..first], 1);
    let explained = |at: usize| search.explained(0, at) + search.explained(at, first);
    let at = (2..MIN_SEGMENT.min(first.saturating_sub(1))).max_by(|a, b| explained(*a).total_cmp(&explained(*b)))?;
    let cuts: Vec<usize> = std::iter::once(at).chain(changes.iter().copied()).collect();
    all_stand_out(x, &cuts, 0.0).then_some(at)
}

/// Returns the changes between levels of at least [`MIN_SEGMENT`] windows. `more`, in standard errors, is added to the
/// threshold to account for other choices that the caller made.
pub fn lasting_changes(x: &[f64], more: f64) -> Vec<usize> {
    let mut changes = Vec::new();
    let mut open = vec![(0, x.len())];
    while let Some((from, to)) = open.pop() {
        let cuts = changes_at_once(&x[from..to], more);
        if !cuts.is_empty() {
            open.extend(parts(&cuts, to - from).map(|(a, b)| (from + a, from + b)));
            changes.extend(cuts.iter().map(|c| from + c));
        }
    }
    changes.sort_unstable();
    changes
}

/// Returns the standard deviation around the levels between `cuts`. Each cut takes one degree of freedom for its
/// position and one for its level.
pub fn scatter(x: &[f64], cuts: &[usize]) -> f64 {
    let square: f64 = residuals(x, cuts).iter().map(|r| r * r).sum();
    (square / (x.len() as f64 - 1.0 - 2.0 * cuts.len() as f64).max(1.0)).sqrt()
}

/// Returns the smallest set of changes that are all significant.
fn changes_at_once(x: &[f64], more: f64) -> Vec<usize> {
    let width = x.len().div_ceil(MOST_BLOCKS).max(1);
    let blocks: Vec<f64> = x.chunks_exact(width).map(mean).collect();
    let mut search = Search::new(&blocks, MIN_SEGMENT.div_ceil(width));
    for _ in 0..MOST_AT_ONCE {
        let Some(cuts) = search.one_more() else { break };
        let cuts = refined(x, cuts.iter().map(|c| c * width).collect(), width);
        if all_stand_out(x, &cuts, more) {
            return cuts;
        }
    }
    Vec::new()
}

/// Search for the best division into an increasing number of levels, by dynamic programming.
struct Search {
    /// Prefix sums of the differences from the mean.
    sums: Vec<f64>,
    shortest: usize,
    /// For each prefix, the sum of squares explained by the best division with the current number of changes.
    best: Vec<f64>,
    /// For each number of changes and each prefix, the last change of the best division.
    last: Vec<Vec<usize>>,
}

impl Search {
    fn new(x: &[f64], shortest: usize) -> Self {
        let centre = mean(x);
        let sums: Vec<f64> = std::iter::once(0.0)
            .chain(x.iter().scan(0.0, |sum, v| {
                *sum += v - centre;
                Some(*sum)
            }))
            .collect();
        let mut search = Search { sums, shortest, best: Vec::new(), last: Vec::new() };
        search.best = (0..=x.len()).map(|to| if to < shortest { f64::MIN } else { search.explained(0, to) }).collect();
        search
    }

    /// Returns the sum of squares that one level over `from..to` explains.
    fn explained(&self, from: usize, to: usize) -> f64 {
        (self.sums[to] - self.sums[from]).powi(2) / (to - from) as f64
    }

    /// Returns the best division with one more change than before, or `None` if there are too few values.
    fn one_more(&mut self) -> Option<Vec<usize>> {
        let n = self.sums.len() - 1;
        let before = (self.last.len() + 1) * self.shortest;
        if n < before + self.shortest {
            return None;
        }
        let (mut best, mut last) = (vec![f64::MIN; n + 1], vec![0; n + 1]);
        for to in before + self.shortest..=n {
            for at in before..=to - self.shortest {
                let explained = self.best[at] + self.explained(at, to);
                if explained > best[to] {
                    (best[to], last[to]) = (explained, at);
                }
            }
        }
        self.best = best;
        self.last.push(last);
        let back = self.last.iter().rev().scan(n, |to, last| {
            *to = last[*to];
            Some(*to)
        });
        let mut cuts: Vec<usize> = back.collect();
        cuts.reverse();
        Some(cuts)
    }
}

/// Moves changes that were found in blocks of `width` windows to the best window nearby, one at a time.
fn refined(x: &[f64], mut cuts: Vec<usize>, width: usize) -> Vec<usize> {
    if width == 1 {
        return cuts;
    }
    let search = Search::new(x, MIN_SEGMENT);
    for i in 0..cuts.len() {
        let from = if i == 0 { 0 } else { cuts[i - 1] };
        let to = cuts.get(i + 1).copied().unwrap_or(x.len());
        let near = (cuts[i] - width).max(from + MIN_SEGMENT)..=(cuts[i] + width).min(to - MIN_SEGMENT);
        let explained = |at: usize| search.explained(from, at) + search.explained(at, to);
        cuts[i] = near.max_by(|a, b| explained(*a).total_cmp(&explained(*b))).unwrap_or(cuts[i]);
    }
    cuts
}

/// Iterates over the ranges between cuts.
fn parts(cuts: &[usize], n: usize) -> impl Iterator<Item = (usize, usize)> {
    std::iter::once(0).chain(cuts.iter().copied()).zip(cuts.iter().copied().chain([n]))
}

fn residuals(x: &[f64], cuts: &[usize]) -> Vec<f64> {
    let about_mean = |(from, to): (usize, usize)| {
        let level = mean(&x[from..to]);
        x[from..to].iter().map(move |v| v - level)
    };
    parts(cuts, x.len()).flat_map(about_mean).collect()
}

/// Returns `true` if the levels on both sides of each cut differ by more than 5 % and by more than 4.5 standard errors
/// (plus 0.6 for each further cut): `z = |m1-m2| / (s_resid * sqrt(tau * (1/n1 + 1/n2)))`, with tau computed from the
/// residuals.
///
/// 4.5 is a quantile of the normal distribution. Because s and tau are estimates with `n/tau - levels` degrees of
/// freedom, the threshold for the same tail probability is higher. Without that correction, correlated series (phi .5,
/// n = 120) raise 0.8 % false alarms instead of 0.3 %.
fn all_stand_out(x: &[f64], cuts: &[usize], more: f64) -> bool {
    let n = x.len() as f64;
    let levels = cuts.len() as f64 + 1.0;
    let residuals = residuals(x, cuts);
    let square: f64 = residuals.iter().map(|r| r * r).sum();
    let sd = (square / (n - levels)).sqrt();
    // Each fitted mean reduces every autocorrelation by about tau/n, over about tau lags on both sides.
    let tau = autocorrelation_time(&residuals);
    let tau = tau * (1.0 + 2.0 * levels * tau / n);
    let z = heavy_tail(CHANGE_Z + more + EACH_FURTHER * (levels - 2.0), (n / tau - levels).max(1.0));
    let figures: Vec<(f64, f64)> =
        parts(cuts, x.len()).map(|(from, to)| (mean(&x[from..to]), (to - from) as f64)).collect();
    figures.windows(2).all(|pair| {
        let ((m1, n1), (m2, n2)) = (pair[0], pair[1]);
        let shift = (m1 - m2).abs();
        let error = sd * (tau * (1.0 / n1 + 1.0 / n2)).sqrt();
        shift > MIN_SHIFT * (m1 + m2).abs() / 2.0 && shift > z * error
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use testkit::Noise;

    const ORDERS: [[f64; 3]; 6] =
        [[0.8, 1.2, 1.0], [0.8, 1.0, 1.2], [1.0, 0.8, 1.2], [1.0, 1.2, 0.8], [1.2, 0.8, 1.0], [1.2, 1.0, 0.8]];

    /// Returns noise around levels of 1000 times a factor. Each level is given as (windows, factor).
    fn levels(noise: &mut Noise, phi: f64, cv: f64, levels: &[(usize, f64)]) -> Vec<f64> {
        let n = levels.iter().map(|l| l.0).sum();
        let factors = levels.iter().flat_map(|(n, factor)| std::iter::repeat_n(*factor, *n));
        noise.ar1(n, phi, 1000.0, 1000.0 * cv).iter().zip(factors).map(|(v, f)| v * f).collect()
    }

    fn share(runs: usize, mut hit: impl FnMut() -> bool) -> f64 {
        (0..runs).filter(|_| hit()).count() as f64 / runs as f64
    }

    fn near(got: &[usize], truth: &[usize], slack: usize) -> bool {
        got.len() == truth.len() && got.iter().zip(truth).all(|(a, b)| a.abs_diff(*b) <= slack)
    }

    #[test]
    fn three_levels_are_found_in_every_order_and_at_unequal_lengths() {
        // With one split at a time, the levels 0.8, 1.2, 1.0 in thirds were never found at any length. Across all
        // orders of the levels, a third were found. At 1 % of white noise, the share is now 100 %. The journal lists
        // the shares by noise and length.
        for (phi, cv, floor) in [(0.0, 0.01, 0.99), (0.0, 0.03, 0.85), (0.5, 0.01, 0.7)] {
            for lengths in [[8, 8, 8], [10, 10, 10], [20, 20, 20], [10, 30, 20], [40, 8, 12], [12, 36, 12], [100; 3]] {
                let mut noise = Noise::new(5);
                for order in ORDERS {
                    let parts: Vec<(usize, f64)> = lengths.into_iter().zip(order).collect();
                    let truth = [lengths[0], lengths[0] + lengths[1]];
                    let detected = share(40, || near(&change_points(&levels(&mut noise, phi, cv, &parts)), &truth, 2));
                    assert!(detected >= floor, "{order:?} {lengths:?} phi {phi} cv {cv}: {detected}");
                }
            }
        }
    }

    #[test]
    fn stationary_series_raise_hardly_an_alarm() {
        // docs/design/statistics.md, "Levels of a series", has these rates for single splits at n = 120: 0.0 % (phi 0,
        // .5) and 0.3 % (phi .8). Here the noise is so wide that the 5 % minimum hardly helps, and several changes are
        // searched for. The journal has the rates for 4000 series per cell. None exceeds the rate of the previous
        // search by more than chance.
        let ceilings = [(0.0, [0.002, 0.002, 0.002]), (0.5, [0.003, 0.008, 0.008]), (0.8, [0.025, 0.03, 0.02])];
        for (phi, ceilings) in ceilings {
            for (n, ceiling) in [24, 60, 120].into_iter().zip(ceilings) {
                let mut noise = Noise::new(5);
                let alarms = share(2000, || !change_points(&noise.ar1(n, phi, 1000.0, 60.0)).is_empty());
                assert!(alarms <= ceiling, "n {n} phi {phi}: {alarms}");
            }
        }
    }

    #[test]
    fn a_drop_of_a_tenth_is_found_within_five_windows() {
        let mut noise = Noise::new(21);
        let detected =
            share(500, || near(&change_points(&levels(&mut noise, 0.5, 0.03, &[(70, 1.0), (50, 0.9)])), &[70], 5));
        assert!(detected >= 0.97, "{detected}");
    }

    #[test]
    fn a_regular_wave_of_eight_levels_is_seen_though_no_part_of_it_stands_out() {
        let wave: Vec<(usize, f64)> = (0..8).map(|i| (20, if i % 2 == 0 { 1.2 } else { 0.8 })).collect();
        let mut noise = Noise::new(6);
        let detected = share(100, || change_points(&levels(&mut noise, 0.3, 0.03, &wave)).len() == 7);
        assert!(detected >= 0.95, "{detected}");
    }

    #[test]
    fn one_slow_second_is_seen_wherever_it_lies() {
        // 30 windows with ten slow ones starting at the ninth used to count as one level.
        for (n, at) in [(30, 8), (30, 10), (50, 8), (50, 20), (60, 25), (300, 200)] {
            let mut noise = Noise::new(8);
            let parts = [(at, 1.0), (10, 0.3), (n - at - 10, 1.0)];
            let detected =
                share(50, || near(&change_points(&levels(&mut noise, 0.3, 0.015, &parts)), &[at, at + 10], 1));
            assert!(detected >= 0.94, "{n} at {at}: {detected}");
        }
    }

    #[test]
    fn a_burst_behind_a_short_beginning_or_before_a_short_end_is_seen() {
        // Windows of 200 (4 times), 653, 800 (9 times) and 200 (46 times) operations used to count as one level of 297.
        for (before, after) in [(2, 46), (4, 46), (6, 30), (7, 46), (46, 4), (46, 6)] {
            let mut noise = Noise::new(11);
            let parts = [(before, 1.0), (10, 4.0), (after, 1.0)];
            let detected = share(50, || {
                let cuts = change_points(&levels(&mut noise, 0.3, 0.02, &parts));
                let missed = |at: usize| cuts.iter().all(|c| c.abs_diff(at) > 1);
                !missed(before + 10) || after < MIN_SEGMENT && !missed(before)
            });
            assert!(detected >= 0.95, "{before}, 10, {after}: {detected}");
        }
        let mut x = vec![200.0; 4];
        x.push(653.0);
        x.extend([800.0; 9]);
        x.extend([200.0; 46]);
        let cuts = change_points(&x);
        assert_eq!(cuts.len(), 2, "{cuts:?}");
        assert!(near(&cuts, &[4, 14], 1), "{cuts:?}");
    }

    #[test]
    fn a_single_outlier_is_no_level() {
        for n in [16, 20, 40, 60] {
            for at in [0, 3, n / 2, n - 3, n - 1] {
                for factor in [0.0, 0.1, 3.0, 20.0] {
                    let mut x = Noise::new(3).ar1(n, 0.3, 1000.0, 15.0);
                    x[at] *= factor;
                    assert_eq!(change_points(&x), Vec::<usize>::new(), "{n} at {at}: {factor}");
                }
            }
        }
    }

    #[test]
    fn a_change_in_a_long_series_is_found_to_the_window() {
        let mut noise = Noise::new(4);
        let x = levels(&mut noise, 0.2, 0.01, &[(7777, 1.0), (10_001, 0.9), (3333, 1.1)]);
        assert!(near(&change_points(&x), &[7777, 17_778], 1), "{:?}", change_points(&x));
    }

    proptest! {
        #[test]
        fn changes_lie_apart_by_a_shortest_level_and_inside(
            x in prop::collection::vec(prop_oneof![Just(0.0), Just(1000.0), 0.0f64..1e6], 0..700),
        ) {
            let cuts = change_points(&x);
            for (from, to) in parts(&cuts, x.len()) {
                // The first level may be shorter. If edges are excluded from the search, the outer levels still include
                // them.
                prop_assert!(cuts.is_empty() || from == 0 || to - from >= MIN_SEGMENT, "{from}..{to}");
            }
        }

        #[test]
        fn levels_without_noise_are_found_to_the_window(
            lengths in prop::collection::vec(8usize..20, 1..5), rise in any::<bool>(),
        ) {
            // Each level differs by a fifth from the previous one, alternating or rising.
            let factor = |i: usize| if rise { 1.2f64.powi(i as i32) } else { 1.0 + 0.2 * (i % 2) as f64 };
            let x: Vec<f64> =
                lengths.iter().enumerate().flat_map(|(i, n)| std::iter::repeat_n(1000.0 * factor(i), *n)).collect();
            let truth: Vec<usize> = lengths[..lengths.len() - 1]
                .iter()
                .scan(0, |sum, n| {
                    *sum += n;
                    Some(*sum)
                })
                .collect();
            prop_assert_eq!(change_points(&x), truth);
        }
    }
}
