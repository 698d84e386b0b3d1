//! Rank tests that show whether two small samples have the same distribution, and by which factor they differ.
//!
//! This module contains the Mann-Whitney test with its exact distribution, and the Hodges-Lehmann estimate with the
//! interval that belongs to that test. The interval excludes 1 exactly if the test is significant. (A bootstrap
//! interval of five values contains the true value too rarely.) Both use ranks, so a run disturbed by a neighbour
//! counts as one slow run and does not shift the mean. With two of eight runs disturbed, Welch's test gives p = .24 and
//! ranks give p = .0099 (docs/design/statistics.md, "Comparing runs").

use super::series::median;

/// Maximum total number of values on both sides for the exact distribution. For more values, the normal approximation
/// is accurate enough.
const EXACT: usize = 60;
/// Significance level, two-sided.
const ALPHA: f64 = 0.05;

/// Returns the two-sided p-value: the probability of ranks at least this uneven if both samples have the same
/// distribution. Ties share their rank. The distribution is computed from the actual ranks, so it is exact even if
/// there are ties.
///
/// Returns `None` if a sample has no values.
#[must_use]
pub fn mann_whitney(a: &[f64], b: &[f64]) -> Option<f64> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let doubled = doubled_ranks(a, b);
    let got: usize = doubled[..a.len()].iter().sum();
    // Mean of the sum of doubled ranks: n_a * (N + 1).
    let mean = a.len() * (doubled.len() + 1);
    let off = got.abs_diff(mean);
    if doubled.len() > EXACT {
        return Some(by_normal_law(&doubled, a.len(), off));
    }
    let ways = sums(&doubled, a.len());
    let total: f64 = ways.iter().sum();
    let uneven: f64 = ways.iter().enumerate().filter(|(sum, _)| sum.abs_diff(mean) >= off).map(|(_, n)| n).sum();
    Some((uneven / total).min(1.0))
}

/// Returns the ranks of all values, in the order of the values. The ranks are doubled, so that the ranks of ties are
/// whole numbers.
fn doubled_ranks(a: &[f64], b: &[f64]) -> Vec<usize> {
    let values: Vec<f64> = a.iter().chain(b).copied().collect();
    let rank = |v: &f64| {
        let below = values.iter().filter(|o| *o < v).count();
        let equal = values.iter().filter(|o| *o == v).count();
        2 * below + equal + 1
    };
    values.iter().map(rank).collect()
}

/// Returns, for each sum, the number of ways in which `take` of the values add up to it.
fn sums(values: &[usize], take: usize) -> Vec<f64> {
    let most: usize = values.iter().sum();
    let mut ways = vec![vec![0.0; most + 1]; take + 1];
    ways[0][0] = 1.0;
    for value in values {
        for taken in (1..=take).rev() {
            for sum in (*value..=most).rev() {
                let with = ways[taken - 1][sum - value];
                ways[taken][sum] += with;
            }
        }
    }
    ways.swap_remove(take)
}

fn by_normal_law(doubled: &[usize], take: usize, off: usize) -> f64 {
    let n = doubled.len() as f64;
    let centre = n + 1.0;
    let square: f64 = doubled.iter().map(|r| (*r as f64 - centre).powi(2)).sum();
    let (a, b) = (take as f64, n - take as f64);
    let sd = (a * b / (n * (n - 1.0)) * square).sqrt();
    // Continuity correction of half a rank; ranks are doubled, so it is one.
    let z = (off as f64 - 1.0).max(0.0) / sd.max(1e-12);
    (2.0 * normal_tail(z)).min(1.0)
}

/// Returns the probability that a standard normal variable exceeds `z`, within 1.2e-7 (Chebyshev fit of erfc, Numerical
/// Recipes, 6.2).
fn normal_tail(z: f64) -> f64 {
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.5 * x);
    let poly = [
        -1.265_512_23,
        1.000_023_68,
        0.374_091_96,
        0.096_784_18,
        -0.186_288_06,
        0.278_868_07,
        -1.135_203_98,
        1.488_515_87,
        -0.822_152_23,
        0.170_872_77,
    ];
    let sum = poly.iter().rev().fold(0.0, |sum, c| sum * t + c);
    let tail = 0.5 * t * (-x * x + sum).exp();
    if z >= 0.0 { tail } else { 1.0 - tail }
}

/// Returns the smallest p-value that this number of runs can reach: 2 divided by the number of ways to divide the runs
/// into two sides.
#[must_use]
pub fn least_p(a: usize, b: usize) -> f64 {
    let ways = (1..=a.min(b)).map(|i| (a.max(b) + i) as f64 / i as f64).product::<f64>();
    (2.0 / ways).min(1.0)
}

/// Factor by which sample B differs from sample A.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shift {
    /// Median of all ratios b/a.
    pub ratio: f64,
    /// 95 % interval; `None` if there are too few runs for one.
    pub ci: Option<(f64, f64)>,
}

/// Returns the Hodges-Lehmann ratio, or `None` if a sample has no values or has values that are not positive.
#[must_use]
pub fn shift(a: &[f64], b: &[f64]) -> Option<Shift> {
    let positive = |x: &[f64]| !x.is_empty() && x.iter().all(|v| v.is_finite() && *v > 0.0);
    if !positive(a) || !positive(b) {
        return None;
    }
    let mut logs: Vec<f64> = b.iter().flat_map(|b| a.iter().map(move |a| (b / a).ln())).collect();
    logs.sort_unstable_by(f64::total_cmp);
    let ratio = median(&logs).exp();
    let ci = cut(a.len(), b.len()).map(|k| (logs[k - 1].exp(), logs[logs.len() - k].exp()));
    Some(Shift { ratio, ci })
}

/// Returns the largest k with `2 * P(U < k) <= 5 %`: the k-th smallest and k-th largest ratio bound the interval.
fn cut(a: usize, b: usize) -> Option<usize> {
    let pairs = (a * b) as f64;
    if a + b > EXACT {
        let sd = (pairs * (a + b + 1) as f64 / 12.0).sqrt();
        return Some((pairs / 2.0 - 1.96 * sd - 0.5).floor().max(1.0) as usize);
    }
    // Sums of plain ranks, without ties; U is the rank sum above its minimum.
    let ranks: Vec<usize> = (1..=a + b).collect();
    let ways = sums(&ranks, a);
    let total: f64 = ways.iter().sum();
    let least = a * (a + 1) / 2;
    let mut below = 0.0;
    let k = ways[least..].iter().take_while(|n| {
        below += **n;
        2.0 * below / total <= ALPHA
    });
    model::plan::none_if_zero(k.count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Noise;

    fn near(got: f64, truth: f64, slack: f64) {
        assert!((got - truth).abs() <= slack, "{got} for {truth}");
    }

    #[test]
    fn the_probability_is_that_of_the_printed_tables() {
        // 5 + 5 without overlap: 2 of 252 ways; U = 2: 2 * 4 / 252 (Mann and Whitney 1947).
        let a = [1.0, 2.0, 3.0, 4.0, 5.0];
        near(mann_whitney(&a, &[6.0, 7.0, 8.0, 9.0, 10.0]).unwrap(), 2.0 / 252.0, 1e-12);
        near(mann_whitney(&a, &[6.0, 7.0, 8.0, 9.0, 3.5]).unwrap(), 8.0 / 252.0, 1e-12);
        near(least_p(5, 5), 2.0 / 252.0, 1e-12);
        near(least_p(3, 3), 0.1, 1e-12);
        near(least_p(4, 6), 2.0 / 210.0, 1e-12);
        assert_eq!(mann_whitney(&[], &a), None);
    }

    #[test]
    fn ties_keep_it_exact() {
        // All values are equal, so every division is as uneven as the actual one.
        near(mann_whitney(&[1.0; 5], &[1.0; 5]).unwrap(), 1.0, 1e-12);
        // Counted by hand over all 6 ways to take 2 of {1, 1, 2, 3}: rank sums 3, 4.5, 4.5, 5.5, 5.5, 7 about a mean of
        // 5.
        near(mann_whitney(&[1.0, 1.0], &[2.0, 3.0]).unwrap(), 2.0 / 6.0, 1e-12);
    }

    #[test]
    fn many_runs_come_by_the_normal_law_to_what_they_would_be_counted_at() {
        let mut noise = Noise::new(5);
        for shift in [0.0, 0.3, 0.7] {
            let a: Vec<f64> = (0..30).map(|_| noise.normal()).collect();
            let b: Vec<f64> = (0..30).map(|_| noise.normal() + shift).collect();
            let exact = mann_whitney(&a, &b).unwrap();
            let doubled = doubled_ranks(&a, &b);
            let off = doubled[..30].iter().sum::<usize>().abs_diff(30 * 61);
            near(by_normal_law(&doubled, 30, off), exact, 0.003);
        }
        near(normal_tail(1.96), 0.025, 1e-5);
    }

    #[test]
    fn the_interval_leaves_out_one_exactly_where_the_test_is_significant() {
        let mut noise = Noise::new(77);
        for (n, m) in [(4, 4), (5, 5), (5, 8), (8, 8), (20, 20), (40, 35)] {
            for _ in 0..100 {
                let a: Vec<f64> = (0..n).map(|_| 100.0 + noise.normal()).collect();
                let b: Vec<f64> = (0..m).map(|_| 101.0 + noise.normal()).collect();
                let p = mann_whitney(&a, &b).unwrap();
                let (low, high) = shift(&a, &b).unwrap().ci.unwrap();
                // With the normal approximation, the p-value and the interval may disagree by one step of the
                // distribution.
                assert_eq!(p <= 0.05, low > 1.0 || high < 1.0, "{n} {m}: p {p}, [{low}, {high}]");
            }
        }
    }

    #[test]
    fn intervals_cover_the_true_factor_as_often_as_they_say() {
        let mut noise = Noise::new(9);
        for (n, spoiled) in [(5, 0.0), (8, 0.0), (8, 0.1), (20, 0.0)] {
            let runs = 1000;
            let mut run = |level: f64| {
                let hit = if noise.uniform() < spoiled { 0.7 } else { 1.0 };
                level * hit * (1.0 + 0.01 * noise.normal())
            };
            let hits = (0..runs)
                .filter(|_| {
                    let a: Vec<f64> = (0..n).map(|_| run(6000.0)).collect();
                    let b: Vec<f64> = (0..n).map(|_| run(5880.0)).collect();
                    let (low, high) = shift(&a, &b).unwrap().ci.unwrap();
                    (low..=high).contains(&0.98)
                })
                .count();
            let covered = hits as f64 / f64::from(runs);
            assert!(covered >= 0.93, "{n} runs, {spoiled} spoiled: {covered}");
        }
    }

    #[test]
    fn spoiled_runs_do_not_hide_what_the_others_show() {
        // docs/design/statistics.md, "Comparing runs": caps 6000 and 5880, 8 + 8 runs of 2 s, two disturbed.
        let a = [6001.0, 5999.0, 6002.0, 5998.0, 6003.0, 6000.0, 5512.0, 5999.5];
        let b = [5880.0, 5881.0, 5879.0, 5882.0, 5878.0, 4401.0, 5880.5, 5879.5];
        assert!(mann_whitney(&a, &b).unwrap() < 0.02);
        let s = shift(&a, &b).unwrap();
        near(s.ratio, 0.98, 0.0005);
        assert!(super::super::welch::welch(&a, &b).unwrap() > 0.2);
    }

    #[test]
    fn too_few_runs_have_no_interval_and_zero_has_no_ratio() {
        assert_eq!(shift(&[1.0; 3], &[1.0; 3]).unwrap().ci, None);
        assert!(shift(&[1.0; 4], &[1.0; 4]).unwrap().ci.is_some());
        assert_eq!(shift(&[1.0, 0.0], &[1.0]), None);
        assert_eq!(shift(&[], &[1.0]), None);
    }
}
