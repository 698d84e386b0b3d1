//! Shape of the table: caps visible over sizes (B31), bandwidth that falls with size (B32), order and time of the runs
//! (B33), writes compared with reads (B37), one operation in flight (B13).

use crate::foreign::case::{Case, DirectionResult, Test, grouped_results};
use crate::foreign::rule::{Rule, RuleMatch, rule};
use crate::foreign::{caps, format};
use messages::sentence;
use model::foreign::{ForeignLatency, Quantity, Statistic, Way};
use model::{Bytes, CompactSort, Sentence, Severity};
use std::collections::HashMap;

pub(super) const RULES: &[Rule] = &[
    rule("B13-latency-bound", Severity::Note, |case| {
        case.tests.iter().filter_map(|t| latency_bound(case, t)).collect()
    }),
    rule("B13-read-ahead", Severity::Doubt, read_ahead),
    rule("B31-iops-cap", Severity::Note, iops_cap),
    rule("B31-throttle", Severity::Note, |case| case.tests.iter().filter_map(throttled).collect()),
    rule("B32-not-monotonic", Severity::Doubt, not_monotonic),
    rule("B33-not-one-experiment", Severity::Doubt, run_order),
    rule("B37-asymmetry", Severity::Note, asymmetry),
];

/// Relative difference up to which rates count as equal.
const EQUAL: f64 = 0.03;
/// Relative difference up to which the rates of two sizes count as equal. A disk's random reads of 4k and 128k differ
/// by 10 % or more because of the transfer time.
const EQUAL_OF_TWO: f64 = 0.01;
/// Minimum ratio of two block sizes for which equal rates prove a cap.
const WIDE_OF_TWO: u64 = 16;

/// Returns groups of results of one tool and one kind of load that differ only in block size, the smallest first.
fn sweeps<'a, 'b>(case: &'a Case<'b>) -> Vec<Vec<&'a Test<'b>>> {
    let key = |t: &Test| {
        let asked = t.asked();
        (t.rw().to_owned(), t.engine().to_owned(), asked.depth, asked.jobs, t.file.format.clone(), t.file.tool.clone())
    };
    let is_known = |t: &&Test| t.one_block().is_some() && t.rate().is_some() && !t.rw().is_empty();
    let mut groups = grouped_results(case.tests.iter().filter(is_known), key);
    for group in &mut groups {
        group.compact_sort_by_key(|t| t.one_block());
    }
    groups.retain(|g| g.windows(2).any(|w| w[0].one_block() != w[1].one_block()));
    groups
}

fn size(test: &Test) -> String {
    test.one_block().map_or_else(String::new, |b| Bytes(b).short())
}

/// Returns a text such as `randrw 4k to 32k`.
fn span(group: &[&Test]) -> Sentence {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return Sentence::default() };
    sentence!("saw-sizes", rw = first.rw(), first = size(first), last = size(last))
}

/// Returns the tests of a sweep with equal rates: of at least three sizes, or of two that are far apart.
pub(in crate::foreign) fn capped<'a, 'b>(case: &'a Case<'b>) -> Vec<Vec<&'a Test<'b>>> {
    let mut matches = Vec::new();
    for group in sweeps(case) {
        let best = group.iter().filter_map(|t| t.rate()).fold(0.0, f64::max);
        for (within, least, factor) in [(EQUAL, 3, 4), (EQUAL_OF_TWO, 2, WIDE_OF_TWO)] {
            let is_equal = |t: &&&Test| t.rate().is_some_and(|r| r >= best * (1.0 - within));
            let equal: Vec<&Test> = group.iter().filter(is_equal).copied().collect();
            let mut sizes: Vec<u64> = equal.iter().filter_map(|t| t.one_block()).collect();
            sizes.dedup();
            let wide = sizes.first().zip(sizes.last()).is_some_and(|(first, last)| last / factor >= *first);
            if sizes.len() >= least && wide {
                matches.push(equal);
                break;
            }
        }
    }
    matches
}

fn iops_cap(case: &Case) -> Vec<RuleMatch> {
    let mut seen = Vec::new();
    for group in capped(case) {
        let rates: Vec<f64> = group.iter().filter_map(|t| t.rate()).collect();
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        let mut one = RuleMatch::about(span(&group), sentence!("saw-same-at-all-sizes", rate = format::iops(mean)));
        for t in &group {
            let rate = t.rate().unwrap_or_default();
            one = one.with(sentence!("saw-of", subject = size(t), what = format::iops(rate))).rows([t.index]);
            one = one.lines(t.sides().first().and_then(|s| s.get(Quantity::Operations)).map(|v| t.line(v)));
        }
        if let Some(t) = group.iter().find(|t| t.submit_cpu().is_some_and(|c| c > 0.6)) {
            let share = format::percent(t.submit_cpu().unwrap_or_default());
            one = one.with(sentence!("saw-little-headroom", share));
        }
        seen.push(one);
    }
    seen
}

/// Finds results with p95 far below p99.9, and p99.99 hardly above it.
fn throttled(test: &Test) -> Option<RuleMatch> {
    paused(test).or_else(|| test.sides().iter().find_map(|side| plateau(test, side)))
}

fn plateau(test: &Test, side: &DirectionResult) -> Option<RuleMatch> {
    let (p95, p999, p9999) = (side.percentile(95.0)?, side.percentile(99.9)?, side.percentile(99.99)?);
    // Shapers of clouds and arrays refill their buckets every few milliseconds. If no operations lie beyond a
    // percentile, it equals the longest latency, and any two such percentiles are alike.
    if !(side.rests(99.99) && p999 >= 2e-3 && p95 <= 0.3 * p999 && p9999 <= 1.2 * p999) {
        return None;
    }
    let is_near = |p: &f64| side.percentile(*p).is_some_and(|x| x >= 0.75 * p999);
    let from = [99.0, 99.5].into_iter().find(is_near).unwrap_or(99.9);
    let what = sentence!(
        "saw-plateau",
        p95 = format::time(p95),
        from = from.to_string(),
        low = format::time(side.percentile(from).unwrap_or(p999)),
        high = format::time(p9999),
        refill = format!("{:.0} ms", p999 * 1e3)
    );
    let quantities =
        [95.0, 99.9, 99.99].map(|p| Quantity::Latency(ForeignLatency::Completion, Statistic::Percentile(p)));
    Some(RuleMatch::about_test(test, what).lines(test.lines(side.way, &quantities)))
}

/// Percentiles that are searched for a wide plateau.
const STEPS: [f64; 9] = [25.0, 50.0, 60.0, 70.0, 75.0, 80.0, 90.0, 95.0, 99.0];
/// Minimum pause that is attributed to a throttle, in seconds: devices and networks respond sooner.
const PAUSE: f64 = 20e-3;

/// Finds a share of the operations that all wait for nearly the same long time: the latencies from p80 or lower up to
/// p99 differ by at most a fifth, and are at least ten times those of the faster operations.
fn paused(test: &Test) -> Option<RuleMatch> {
    test.sides().iter().find_map(|side| {
        let percentiles: Vec<(f64, f64)> = STEPS.iter().filter_map(|p| Some((*p, side.percentile(*p)?))).collect();
        let (last, high) = *percentiles.last().filter(|(p, _)| *p == 99.0 && side.rests(99.0))?;
        let first = percentiles.iter().position(|(_, took)| *took >= high / 1.2)?;
        let ((from, low), (below, quick)) = (percentiles[first], *percentiles.get(first.checked_sub(1)?)?);
        let is_pause = high >= PAUSE && from <= 80.0 && last > from && low >= 10.0 * quick;
        is_pause.then(|| {
            let what = sentence!(
                "saw-pauses",
                below = below.to_string(),
                quick = format::time(quick),
                from = from.to_string(),
                to = last.to_string(),
                low = format::time(low),
                high = format::time(high)
            );
            let what = match side.way {
                Way::Read => sentence!("saw-of-reads", what),
                Way::Write => sentence!("saw-of-writes", what),
                _ => what,
            };
            let quantities =
                [below, from, last].map(|p| Quantity::Latency(ForeignLatency::Total, Statistic::Percentile(p)));
            RuleMatch::about_test(test, what).lines(test.lines(side.way, &quantities))
        })
    })
}

fn not_monotonic(case: &Case) -> Vec<RuleMatch> {
    let mut seen = Vec::new();
    for group in sweeps(case) {
        for pair in group.windows(2) {
            let (small, large) = (pair[0], pair[1]);
            let (Some(before), Some(after)) = (small.bandwidth(), large.bandwidth()) else { continue };
            if after > before * 0.93 || small.one_block() == large.one_block() {
                continue;
            }
            let what = sentence!(
                "saw-larger-move-less",
                large = size(large),
                small = size(small),
                after = format::rate(after),
                before = format::rate(before)
            );
            let mut one = RuleMatch::about(format!("{} {}", large.rw(), size(large)), what).rows([large.index]);
            let later = group.iter().filter(|t| t.one_block() > large.one_block());
            if let Some(t) = later.max_by(|a, b| a.bandwidth().unwrap_or(0.0).total_cmp(&b.bandwidth().unwrap_or(0.0)))
                && t.bandwidth().is_some_and(|b| b > after * 1.05)
            {
                one = one.with(sentence!(
                    "saw-move-again",
                    size = size(t),
                    rate = format::rate(t.bandwidth().unwrap_or_default())
                ));
            }
            for t in [small, large] {
                one = one.lines(t.sides().first().and_then(|s| s.get(Quantity::Operations)).map(|v| t.line(v)));
            }
            seen.push(one);
        }
    }
    seen
}

/// Hours between successive runs from which rows do not belong to one experiment.
const HOURS_APART: i64 = 6;

fn run_order(case: &Case) -> Vec<RuleMatch> {
    let mut seen = Vec::new();
    for group in sweeps(case) {
        let mut by_time: Vec<(i64, &Test)> = group.iter().filter_map(|t| Some((t.file.began?, *t))).collect();
        by_time.compact_sort_by_key(|(at, _)| *at);
        let gap = by_time.windows(2).map(|w| w[1].0 - w[0].0).max().unwrap_or(0);
        if gap < HOURS_APART * 3600 {
            continue;
        }
        let order: Vec<String> = by_time.iter().map(|(_, t)| size(t)).collect();
        let mut one =
            RuleMatch::about(span(&group), sentence!("saw-run-order", order = order.join(", "), hours = gap / 3600));
        for (_, t) in &by_time {
            one = one.lines([t.head(format!("{} {}", size(t), t.file.when))]).rows([t.index]);
        }
        seen.push(one);
    }
    seen
}

/// Returns the mean latency of writes divided by that of reads.
fn ratio(test: &Test) -> Option<f64> {
    Some(test.side(Way::Write)?.mean()? / test.side(Way::Read)?.mean()?).filter(|r| r.is_finite())
}

fn asymmetry(case: &Case) -> Vec<RuleMatch> {
    let mut seen = Vec::new();
    for group in sweeps(case) {
        let alike = group.iter().position(|t| ratio(t).is_some_and(|r| r < 1.25));
        let apart: Vec<&&Test> = group
            .iter()
            .enumerate()
            .filter(|(i, t)| alike.is_some_and(|a| a < *i) && ratio(t).is_some_and(|r| r > 1.5))
            .map(|(_, t)| t)
            .collect();
        let Some(first) = apart.first() else { continue };
        let mut one = RuleMatch::about(
            sentence!("saw-from-size", rw = first.rw(), size = size(first)),
            sentence!("saw-writes-take-longer", times = format!("{:.1}", ratio(first).unwrap_or_default())),
        );
        for t in &apart {
            let means = [Way::Read, Way::Write].map(|w| t.side(w).and_then(|s| s.mean()).unwrap_or_default());
            one = one
                .with(sentence!(
                    "saw-reads-and-writes",
                    size = size(t),
                    reads = format::time(means[0]),
                    writes = format::time(means[1])
                ))
                .rows([t.index]);
            let quantities = [Quantity::Latency(ForeignLatency::Total, Statistic::Mean)];
            one = one.lines(t.lines(Way::Read, &quantities)).lines(t.lines(Way::Write, &quantities));
        }
        seen.push(one);
    }
    seen
}

/// Minimum share of the time that the single operation must be in flight for its latency to set the rate.
const OCCUPIED: f64 = 0.5;

/// Returns `true` if one operation was in flight nearly all the time, so that its latency sets the rate.
pub(in crate::foreign) fn is_alone(test: &Test) -> bool {
    test.concurrency().is_some_and(|n| n <= 1.0) && test.in_flight().is_some_and(|n| n >= OCCUPIED)
}

/// Returns `true` if a result is bound by its latency: one operation in flight, and below every limit.
pub(in crate::foreign) fn is_latency_bound(case: &Case, test: &Test) -> bool {
    is_alone(test) && caps::caps(case, test).first().is_some_and(|c| c.used < 0.9)
}

fn latency_bound(case: &Case, test: &Test) -> Option<RuleMatch> {
    if !is_latency_bound(case, test) {
        return None;
    }
    let (rate, mean, cap) = (test.rate()?, test.mean()?, caps::caps(case, test).into_iter().next()?);
    let what = sentence!(
        "saw-one-in-flight",
        mean = format::time(mean),
        rate = format::iops(1.0 / mean),
        share = format::percent(rate / cap.allows),
        limit = cap.name
    );
    let quantities = [Quantity::Latency(ForeignLatency::Total, Statistic::Mean)];
    let way = test.sides().first().map_or(Way::All, |s| s.way);
    Some(RuleMatch::about_test(test, what).lines(test.lines(way, &quantities)))
}

fn read_ahead(case: &Case) -> Vec<RuleMatch> {
    let mut seen = Vec::new();
    let key = |t: &Test| {
        let asked = t.asked();
        (t.one_block(), asked.depth, asked.jobs, asked.engine.clone(), asked.direct)
    };
    let mut sequentials = HashMap::new();
    for test in case.of_fio().filter(|t| t.rw() == "read") {
        sequentials.entry(key(test)).or_insert(test);
    }
    for random in case.of_fio().filter(|t| t.rw() == "randread") {
        let Some(sequential) = sequentials.get(&key(random)).copied() else { continue };
        let (Some(slow), Some(fast)) = (random.mean(), sequential.mean()) else { continue };
        // At a cap, random and sequential reads are alike; on a spinning disk, seeks make the ratio reach hundreds.
        if slow < 1.5 * fast {
            continue;
        }
        let what = sentence!(
            "saw-read-ahead",
            fast = format::time(fast),
            slow = format::time(slow),
            times = format!("{:.2}", slow / fast)
        );
        let quantities = [Quantity::Latency(ForeignLatency::Total, Statistic::Mean)];
        let lines = random.lines(Way::Read, &quantities);
        seen.push(RuleMatch::about_test(sequential, what).lines(sequential.lines(Way::Read, &quantities)).lines(lines));
    }
    seen
}
