//! The block-size experiment (docs/design/limits.md, "The block-size experiment"): the rate that stays equal while the
//! block size changes is the capped one. Works without any limit row.

use crate::levels::figures::Level;
use model::plan::{Access, Mix, Pacing, StageRole, Workload};
use model::{Bytes, CompactSort, RunRecord};
use std::collections::HashSet;

/// Maximum relative difference of equal rates.
const EQUAL: f64 = 0.03;
/// Maximum relative difference of the rates of three or more sizes that count as one rate, even if other processes used
/// the device or the CPU. Under a throttle they differed by up to 1.5 % next to a busy core and 50 MB/s of other
/// traffic; without one, neighbouring sizes differed by 10 to 40 %.
const ONE_RATE: f64 = 0.025;
/// The same maximum for two sizes, which agree by chance more often.
const ONE_RATE_OF_TWO: f64 = 0.01;
/// Number of sizes, and factor from the smallest to the largest, over which one bandwidth proves a cap at a single
/// concurrency. Equal IOPS do not prove a cap: if the round trip dominates, every size has the same latency and so the
/// same rate.
const WIDE: (u32, f64) = (4, 16.0);
/// Minimum share of their time that the load's threads must have slept, so that the CPU did not make the rates equal.
const SLACK: f64 = 0.15;

/// Input of the experiment: one pattern at its judged level.
#[derive(Debug, Clone)]
pub(crate) struct Point<'a> {
    pub workload: &'a Workload,
    pub direct: bool,
    /// Mean size of an operation, in bytes.
    pub size: f64,
    /// Operations per second.
    pub rate: f64,
    /// True if a higher concurrency does not raise the rate, according to its own ramp or the ramp that it follows.
    pub saturated: bool,
    /// True if its figures are valid and the generator did not slow it down.
    pub usable: bool,
}

impl<'a> Point<'a> {
    /// Creates a point from the figures of a level.
    pub(crate) fn from_level(level: &'a Level, saturated: bool, usable: bool) -> Self {
        Point {
            workload: &level.job.workload,
            direct: level.job.target.direct,
            size: level.mean_size(),
            rate: level.rate(),
            saturated,
            usable,
        }
    }
}

/// Sizes over which a rate stays equal, including the pattern's own size, in ascending order. Fewer than two prove
/// nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Blocks {
    /// Sizes with the same operations per second.
    pub same_iops: Vec<Bytes>,
    /// Sizes with the same bytes per second.
    pub same_bandwidth: Vec<Bytes>,
    /// True if no cap explains the rate: a smaller size did more operations per second, and a larger one more bytes.
    pub no_cap: bool,
}

/// Compares pattern `own` with the others that differ from it only in block size.
///
/// Only neighbouring sizes count: equal rates at 4k and 64k with another rate at 16k in between are a coincidence. The
/// pattern must be saturated, because below saturation small sizes have equal latencies and so equal rates without any
/// cap.
pub(crate) fn compare(points: &[Point], own: usize) -> Blocks {
    let me = &points[own];
    if !me.saturated || !me.usable || me.rate <= 0.0 {
        return Blocks::default();
    }
    let mut family: Vec<(usize, &Point)> = points
        .iter()
        .enumerate()
        .filter(|(i, p)| *i == own || (p.usable && p.saturated && p.rate > 0.0 && alike(p, me)))
        .collect();
    family.compact_sort_by(|a, b| a.1.size.total_cmp(&b.1.size));
    let at = family.iter().position(|(i, _)| *i == own).unwrap_or(0);
    let more = |figure: fn(&Point) -> f64, other: &Point| figure(other) > figure(me) * (1.0 + EQUAL);
    let smaller = family.iter().any(|(_, p)| p.size < me.size && more(|p| p.rate, p));
    let larger = family.iter().any(|(_, p)| p.size > me.size && more(|p| p.rate * p.size, p));
    Blocks {
        no_cap: smaller && larger,
        same_iops: neighbours(&family, at, |p| p.rate),
        same_bandwidth: neighbours(&family, at, |p| p.rate * p.size),
    }
}

/// Returns the first steps of levels whose rate only a cap explains, even if other processes used the device or the
/// CPU. The rate is the same at several sizes and at twice the concurrency, in operations or in bytes, or the same in
/// bytes over a wide range of sizes ([`WIDE`]), while the load's threads had time to sleep.
pub(crate) fn only_a_cap_explains(record: &RunRecord, stages: &[Vec<Level>]) -> HashSet<usize> {
    let speaks = |level: &&Level| {
        let role = record.stage_of(&record.steps[level.steps[0]]).role;
        (level.figures.hold || matches!(role, StageRole::Sweep | StageRole::Fixed))
            && level.figures.ops > 0
            && level.job.workload.pacing == Pacing::Closed
            && !level.figures.steadiness.unsettled()
            && slept(level) >= SLACK
    };
    let candidates: Vec<(&Level, Point)> =
        stages.iter().flatten().filter(speaks).map(|l| (l, Point::from_level(l, true, true))).collect();
    let mut equal_to = HashSet::new();
    for (_, own) in &candidates {
        let mut family: Vec<&(&Level, Point)> =
            candidates.iter().filter(|(_, p)| std::ptr::eq(p, own) || alike(p, own)).collect();
        family.compact_sort_by(|a, b| a.1.size.total_cmp(&b.1.size));
        for first in 0..family.len() {
            for end in first + 2..=family.len() {
                let run = &family[first..end];
                let by = |figure: fn(&Point) -> f64, wide| {
                    one_rate(run.iter().map(|(l, p)| (l.concurrency(), p.size, figure(p))), wide)
                };
                if by(|p| p.rate, None) || by(|p| p.rate * p.size, Some(WIDE)) {
                    equal_to.extend(run.iter().map(|(level, _)| level.steps[0]));
                }
            }
        }
    }
    equal_to
}

/// Returns `true` if the rates, each with its concurrency and size, are equal although the concurrency doubled, or over
/// at least as many sizes and as large a factor as `wide`. The sizes must be in ascending order; equal sizes count
/// once.
fn one_rate(run: impl Iterator<Item = (u32, f64, f64)>, wide: Option<(u32, f64)>) -> bool {
    let (mut sizes, mut smallest, mut last, mut shallow, mut deep) = (0, f64::INFINITY, 0.0, u32::MAX, 0);
    let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
    for (concurrency, size, rate) in run {
        sizes += u32::from(size - last > 0.5);
        (smallest, last) = (smallest.min(size), size);
        (shallow, deep) = (shallow.min(concurrency), deep.max(concurrency));
        (low, high) = (low.min(rate), high.max(rate));
    }
    let apart = if sizes > 2 { ONE_RATE } else { ONE_RATE_OF_TWO };
    let doubled = deep >= shallow.saturating_mul(2);
    let is_wide = wide.is_some_and(|(least, factor)| sizes >= least && last >= factor * smallest);
    sizes > 1 && low > 0.0 && high / low - 1.0 <= apart && (doubled || is_wide)
}

/// Returns the share of the threads' time in which they neither used a CPU nor waited for one.
fn slept(level: &Level) -> f64 {
    let kept = &level.kept;
    let awake = kept.cpu_user.secs() + kept.cpu_system.secs() + kept.cpu_wait.map_or(0.0, |w| w.time.secs());
    1.0 - awake / (kept.length.secs() * f64::from(level.job.threads.max(1))).max(1e-9)
}

/// Returns `true` if two levels whose workloads differ only in size had about the same rate, in operations or in bytes.
/// If one of them was not steady, its range of rates counts, widened by the factor `near`.
pub(crate) fn about_the_same(a: &Level, b: &Level, near: f64) -> bool {
    let ((low, high), (other_low, other_high)) = (a.between(), b.between());
    let meet =
        |unit: f64, other: f64| low * unit <= near * other_high * other && other_low * other <= near * high * unit;
    alike(&Point::from_level(a, true, true), &Point::from_level(b, true, true))
        && (meet(1.0, 1.0) || meet(a.mean_size(), b.mean_size()))
}

/// Returns `true` if two points differ only in size.
fn alike(a: &Point, b: &Point) -> bool {
    let key = |p: &Point| -> (Access, Mix, Option<u32>, bool) {
        (p.workload.access, p.workload.mix, p.workload.flush_every, p.direct)
    };
    key(a) == key(b) && a.workload.pacing == b.workload.pacing && (a.size - b.size).abs() > 0.5
}

/// Returns the unbroken run of sizes around `at` whose figures are within 3 % of the figure at `at`.
fn neighbours(family: &[(usize, &Point)], at: usize, figure: impl Fn(&Point) -> f64) -> Vec<Bytes> {
    let reference = figure(family[at].1);
    let equal = |i: usize| (figure(family[i].1) / reference - 1.0).abs() <= EQUAL;
    let first = (0..at).rev().take_while(|i| equal(*i)).last().unwrap_or(at);
    let last = (at + 1..family.len()).take_while(|i| equal(*i)).last().unwrap_or(at);
    let mut sizes: Vec<Bytes> = family[first..=last].iter().map(|(_, p)| Bytes(p.size.round() as u64)).collect();
    sizes.dedup();
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::randread;

    fn experiment(rows: &[(u64, f64)], own: usize) -> Blocks {
        let workloads: Vec<Workload> = rows.iter().map(|(k, _)| randread(k << 10)).collect();
        let points: Vec<Point> = rows
            .iter()
            .zip(&workloads)
            .map(|((k, rate), workload)| Point {
                workload,
                direct: true,
                size: (k << 10) as f64,
                rate: *rate,
                saturated: true,
                usable: true,
            })
            .collect();
        compare(&points, own)
    }

    /// Measured rows from docs/design/limits.md, "Two caps of a throttle".
    const GROUND_TRUTH: [(u64, f64); 7] =
        [(4, 5998.7), (8, 5998.0), (16, 5720.1), (32, 2867.4), (64, 1428.8), (128, 713.9), (256, 356.5)];

    #[test]
    fn the_two_caps_of_a_throttle_show_without_any_row() {
        let kib = |sizes: &[u64]| sizes.iter().copied().map(Bytes::from_kib).collect::<Vec<_>>();
        for own in 0..2 {
            let got = experiment(&GROUND_TRUTH, own);
            assert_eq!(got.same_iops, kib(&[4, 8]), "{own}");
            assert_eq!(got.same_bandwidth.len(), 1);
        }
        for own in 2..7 {
            let got = experiment(&GROUND_TRUTH, own);
            assert_eq!(got.same_bandwidth, kib(&[16, 32, 64, 128, 256]), "{own}");
            assert_eq!(got.same_iops.len(), 1);
        }
    }

    #[test]
    fn the_rows_of_ibm_classic_cap_iops_to_32k_and_nothing_above() {
        // docs/design/limits.md, "IBM Classic".
        let rows = [(4, 41000.0), (16, 41000.0), (32, 40600.0), (64, 17348.0), (128, 11692.0), (256, 5524.0)];
        assert_eq!(experiment(&rows, 1).same_iops.len(), 3);
        for own in 3..6 {
            let got = experiment(&rows, own);
            assert_eq!((got.same_iops.len(), got.same_bandwidth.len()), (1, 1), "{own}");
        }
    }

    #[test]
    fn one_rate_wants_several_sizes_and_twice_the_concurrency() {
        // Concurrency, size in KiB, rate.
        let rates = |run: &[(u32, u32, f64)], wide| {
            one_rate(run.iter().map(|(c, k, rate)| (*c, f64::from(k << 10), *rate)), wide)
        };
        let one = |run: &[(u32, u32, f64)]| rates(run, None);
        assert!(one(&[(4, 4, 20_000.0), (8, 8, 20_400.0), (8, 16, 20_100.0)]), "2 % over three sizes");
        assert!(!one(&[(4, 4, 20_000.0), (8, 8, 20_600.0), (8, 16, 20_100.0)]), "3 %");
        assert!(!one(&[(4, 4, 20_000.0), (8, 8, 20_400.0)]), "2 % over two");
        assert!(one(&[(4, 4, 20_000.0), (8, 8, 20_100.0)]));
        assert!(!one(&[(8, 4, 20_000.0), (8, 8, 20_000.0), (8, 16, 20_000.0)]), "one concurrency");
        assert!(!one(&[(4, 4, 20_000.0), (8, 4, 20_000.0)]), "a size twice is one size");
        assert!(!one(&[(4, 4, 20_000.0), (8, 4, 20_400.0), (8, 8, 20_100.0)]), "nor does it make three of two");
        assert!(!one(&[(4, 4, 0.0), (8, 8, 0.0), (8, 16, 0.0)]), "nothing at all is no cap");
        let four = |largest: u32| [(8, 16, 93.7), (8, 64, 93.8), (8, 128, 93.7), (8, largest, 93.75)];
        assert!(rates(&four(256), Some(WIDE)), "a factor of 16 at one concurrency");
        assert!(!rates(&four(240), Some(WIDE)) && !rates(&four(256), None));
        assert!(!rates(&four(256)[1..], Some(WIDE)), "three sizes");
    }

    #[test]
    fn a_smaller_size_with_more_operations_and_a_larger_one_with_more_bytes_exclude_a_cap() {
        let device = [(4, 20_000.0), (8, 15_000.0), (16, 10_000.0)];
        assert_eq!([0, 1, 2].map(|own| experiment(&device, own).no_cap), [false, true, false]);
        assert!((0..7).all(|own| !experiment(&GROUND_TRUTH, own).no_cap), "under two caps");
    }

    #[test]
    fn equal_rates_below_saturation_are_no_cap() {
        let workload = randread(8192);
        let other = randread(4096);
        let point =
            |w, size, saturated| Point { workload: w, direct: true, size, rate: 1500.0, saturated, usable: true };
        let points = [point(&workload, 8192.0, false), point(&other, 4096.0, true)];
        assert_eq!(compare(&points, 0), Blocks::default());
    }
}
