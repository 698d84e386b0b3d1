//! Figures of one result that contradict each other (B34), results that are too small to judge (B34), verification
//! reads of a load (E03), and syncs that reach no medium (E04).

use crate::foreign::case::{Case, DirectionResult, Test};
use crate::foreign::format;
use crate::foreign::rule::{Rule, RuleMatch, rule};
use messages::sentence;
use model::foreign::{ForeignLatency, ForeignValue, Quantity, Statistic, Way};
use model::judged::ForeignFinding;
use model::{Sentence, Severity, units::thousands};

const CONTRADICTION: &str = "B34-contradiction";
const TOO_LITTLE: &str = "B34-too-little";
const VERIFICATION: &str = "E03-verification";

pub(super) const RULES: &[Rule] = &[
    rule(CONTRADICTION, Severity::Invalid, |case| case.rows().filter_map(contradictions).collect()),
    rule(TOO_LITTLE, Severity::Doubt, |case| case.tests.iter().filter_map(|t| too_little(case, t)).collect()),
    rule(VERIFICATION, Severity::Note, |case| case.of_fio().filter_map(verification).collect()),
    rule("E04-not-durable", Severity::Invalid, not_durable),
];

/// Rules whose doubts leave a row without any figure that could decide a need.
const UNDECIDABLE: [&str; 5] = ["B34-impossible", "B34-absurd", CONTRADICTION, TOO_LITTLE, VERIFICATION];

/// Returns the identifier of a rule whose doubt is so strong that the row meets no need.
pub(in crate::foreign) fn undecidable(row: usize, findings: &[ForeignFinding]) -> Option<&str> {
    let doubts = |f: &&ForeignFinding| f.finding.severity >= Severity::Doubt && f.rows.contains(&row);
    findings.iter().filter(doubts).map(|f| f.finding.id.as_str()).find(|id| UNDECIDABLE.contains(id))
}

/// A contradiction, with the figures that support it.
type Contradiction = (Sentence, Vec<Quantity>);

fn contradictions(test: &Test) -> Option<RuleMatch> {
    test.sides().iter().find_map(|side| {
        let mut list: Vec<Contradiction> = Vec::new();
        list.extend(without_time(side));
        list.extend(rate_and_bandwidth(test, side));
        for kind in [ForeignLatency::Total, ForeignLatency::Completion] {
            list.extend(percentile_above_max(side, kind));
            list.extend(mean_and_percentiles(side, kind));
        }
        list.extend(total_below_completion(side));
        let mut list = list.into_iter();
        let (first, quantities) = list.next()?;
        let one = RuleMatch::about_test(test, first).lines(test.lines(side.way, &quantities));
        Some(list.fold(one, |one, (more, quantities)| one.with(more).lines(test.lines(side.way, &quantities))))
    })
}

/// Finds operations in a run time of 0.
fn without_time(side: &DirectionResult) -> Option<Contradiction> {
    let time = side.get(Quantity::Runtime).filter(|v| v.value == Some(0.0))?;
    let ops = side.ops()?;
    let what = sentence!("saw-no-time", ops = count(ops), time = &time.words);
    Some((what, vec![Quantity::Runtime, Quantity::Operations]))
}

/// Formats a number of operations.
fn count(ops: f64) -> String {
    if ops < 1000.0 { format!("{ops:.0}") } else { thousands(ops) }
}

/// Allowed difference between rate times block size and bandwidth: fio rounds times to milliseconds and is 2.8 % off
/// after a `ramp_time`. Confusing MB with MiB, which another rule reports, causes a difference of 4.9 %.
const PRODUCT: f64 = 0.08;

/// Finds a reported rate that, times the block size, does not match the reported bandwidth.
fn rate_and_bandwidth(test: &Test, side: &DirectionResult) -> Option<Contradiction> {
    let quantities = [Quantity::Iops(Statistic::Overall), Quantity::Bandwidth(Statistic::Overall)];
    let [rate, bytes] = [side.get(quantities[0])?, side.get(quantities[1])?];
    let block = side.block().or_else(|| test.one_block().map(|b| b as f64)).filter(|b| *b > 0.0)?;
    // With few operations, a truncated last block has a large effect.
    if side.ops().is_some_and(|n| n < FEW) || rate.value? <= 0.0 || bytes.value? <= 0.0 {
        return None;
    }
    let (low, high) = (rate.between.0 * block, rate.between.1 * block);
    let differ = bytes.between.1 < low * (1.0 - PRODUCT) || bytes.between.0 > high * (1.0 + PRODUCT);
    differ.then(|| {
        let what = sentence!(
            "saw-product-differs",
            rate = format::iops(rate.value.unwrap_or_default()),
            block = model::Bytes(block as u64).short(),
            product = format::rate(rate.value.unwrap_or_default() * block),
            bytes = format::rate(bytes.value.unwrap_or_default())
        );
        (what, quantities.to_vec())
    })
}

/// Returns the percentiles of a kind of latency, ascending.
fn percentiles<'a>(side: &DirectionResult<'a>, kind: ForeignLatency) -> Vec<(f64, &'a ForeignValue)> {
    let mut list: Vec<(f64, &ForeignValue)> = side
        .values()
        .filter_map(|v| match v.of {
            Quantity::Latency(of, Statistic::Percentile(p)) if of == kind && v.value.is_some() => Some((p, v)),
            _ => None,
        })
        .filter(|(p, v)| (0.0..=100.0).contains(p) && v.between.0.is_finite() && v.between.1.is_finite())
        .collect();
    list.sort_by(|a, b| a.0.total_cmp(&b.0));
    list
}

/// Width of a histogram's bins, as a share: 1/64 for fio, more for tools that print three digits.
const BIN: f64 = 0.04;
/// Latency below which rounding dominates, in seconds.
const ROUNDED: f64 = 2e-6;

fn percentile_above_max(side: &DirectionResult, kind: ForeignLatency) -> Option<Contradiction> {
    let max = side.latency(kind, Statistic::Max)?;
    let (p, value) = percentiles(side, kind).into_iter().next_back()?;
    (value.between.0 > max.between.1 * (1.0 + BIN) + ROUNDED).then(|| {
        let what = sentence!(
            "saw-percentile-above-max",
            p = p.to_string(),
            is = format::time(value.value.unwrap_or_default()),
            max = format::time(max.value.unwrap_or_default())
        );
        (what, vec![Quantity::Latency(kind, Statistic::Percentile(p)), Quantity::Latency(kind, Statistic::Max)])
    })
}

/// Finds a mean that is outside the bounds given by percentiles and extremes: each share of the operations took at
/// least the percentile below it and at most the one above.
///
/// A tool whose last bin is open reports its edge for everything beyond (fio: 17.2 s).
fn mean_and_percentiles(side: &DirectionResult, kind: ForeignLatency) -> Option<Contradiction> {
    let list = percentiles(side, kind);
    let (mean, max) = (side.latency(kind, Statistic::Mean)?, side.latency(kind, Statistic::Max)?);
    let ((_, first), (last_p, last)) = (list.first()?, list.last()?);
    let shares = list.windows(2).map(|w| ((w[1].0 - w[0].0) / 100.0, w[0].1, w[1].1));
    let least: f64 = shares.clone().map(|(share, low, _)| share * low.between.0).sum();
    let most: f64 = shares.map(|(share, _, high)| share * high.between.1).sum::<f64>()
        + list[0].0 / 100.0 * first.between.1
        + (1.0 - last_p / 100.0) * max.between.1;
    let above = mean.between.0 > most * (1.0 + BIN) + ROUNDED;
    let below = mean.between.1 < least * (1.0 - BIN) - ROUNDED;
    let quantities = vec![
        Quantity::Latency(kind, Statistic::Mean),
        Quantity::Latency(kind, Statistic::Percentile(*last_p)),
        Quantity::Latency(kind, Statistic::Max),
    ];
    let mean = format::time(mean.value.unwrap_or_default());
    let (p, is) = (last_p.to_string(), format::time(last.value.unwrap_or_default()));
    match (above, below) {
        (true, _) => {
            let max = format::time(max.value.unwrap_or_default());
            Some((sentence!("saw-mean-above-percentiles", mean, most = format::time(most), p, is, max), quantities))
        }
        (_, true) => Some((sentence!("saw-mean-below-percentiles", mean, least = format::time(least)), quantities)),
        _ => None,
    }
}

/// Finds a total latency that is shorter than its completion part.
fn total_below_completion(side: &DirectionResult) -> Option<Contradiction> {
    [Statistic::Mean, Statistic::Max].into_iter().find_map(|statistic| {
        let [part, whole] =
            [ForeignLatency::Completion, ForeignLatency::Total].map(|kind| side.latency(kind, statistic));
        let (part, whole) = (part?, whole?);
        (whole.between.1 < part.between.0 * (1.0 - BIN) - ROUNDED).then(|| {
            let what = sentence!(
                "saw-total-below-completion",
                completion = format::time(part.value.unwrap_or_default()),
                total = format::time(whole.value.unwrap_or_default())
            );
            let quantities =
                [ForeignLatency::Completion, ForeignLatency::Total].map(|k| Quantity::Latency(k, statistic));
            (what, quantities.to_vec())
        })
    })
}

/// Number of operations below which a rate is due to chance.
const FEW: f64 = 20.0;
/// Run time below which there is no steady load, in seconds.
const BLINK: f64 = 0.01;
/// Run time below which a run may consist of a burst alone, in seconds.
const MOMENT: f64 = 0.1;
/// Run time below which a run counts as ended before it began, if it is also below a tenth of the requested time, in
/// seconds.
const BRIEF: f64 = 2.0;

fn too_little(case: &Case, test: &Test) -> Option<RuleMatch> {
    // ioping reports single requests.
    if test.file.format.starts_with("ioping") || test.rate().is_none() {
        return None;
    }
    let ran = test.seconds()?;
    let ops: f64 = test.sides().iter().filter_map(DirectionResult::ops).sum();
    let requested = test.asked().seconds.filter(|s| *s > 0.0);
    let timed = test.other("time_based").is_some_and(|v| v != "0");
    let short = |share: f64| requested.filter(|s| ran < share * s);
    let time = || format::short_time(ran);
    let (what, severity) = if let Some(requested) = short(0.1).filter(|_| ran < BRIEF) {
        let moved = test.bandwidth().map(|b| b * ran).unwrap_or_default();
        let (requested, moved) = (format::seconds(requested), format::bytes(moved));
        (sentence!("saw-ended-early", ran = time(), requested, moved), Severity::Invalid)
    } else if ran <= BLINK && test.is_fio() {
        (sentence!("saw-blink", ops = count(ops), ran = time()), Severity::Invalid)
    } else if ran < MOMENT && test.is_fio() {
        (sentence!("saw-blink", ops = count(ops), ran = time()), Severity::Doubt)
    } else if (1.0..FEW).contains(&ops) && test.is_fio() {
        (sentence!("saw-few-operations", n = ops as u64, ran = time()), Severity::Doubt)
    } else if let Some(requested) = short(0.5).filter(|_| timed) {
        (sentence!("saw-stopped-early", ran = time(), requested = format::seconds(requested)), Severity::Doubt)
    } else {
        return None;
    };
    let quantities = [Quantity::Runtime, Quantity::Operations];
    let lines = test.sides().into_iter().flat_map(|s| test.lines(s.way, &quantities)).collect::<Vec<_>>();
    let rows = case.syncs_of(test).map(|sync| sync.index);
    Some(RuleMatch::about_test(test, what).lines(lines).rows(rows).weighing(severity))
}

fn verification(test: &Test) -> Option<RuleMatch> {
    let lines = test.lines(Way::Read, &[Quantity::Iops(Statistic::Overall), Quantity::Operations]);
    if test.mixes_verification() || test.may_verify() {
        let what = match test.may_verify() {
            true => sentence!("saw-verification-maybe"),
            false => sentence!("saw-verification-mixed"),
        };
        return Some(RuleMatch::about_test(test, what).lines(lines).weighing(Severity::Doubt));
    }
    let reads = test.verification()?;
    let rate = format::iops(reads.rate().unwrap_or_default());
    let what = match reads.ops() {
        Some(ops) => sentence!("saw-verification-counted", ops = count(ops), rate),
        None => sentence!("saw-verification", rate),
    };
    Some(RuleMatch::about_test(test, what).lines(lines))
}

/// Minimum ratio of the time of a sync known to reach the medium to that of a sync that is reported as not reaching it.
const FASTER: f64 = 5.0;

/// Time below which a sync sent no command to a device, in seconds: a system call alone takes longer.
const NOTHING_SENT: f64 = 1e-6;

/// Finds syncs that are too fast for any device, and syncs of pg_test_fsync that are much faster than
/// `fsync_writethrough`, the only one that makes macOS flush the drive (`fcntl(2)`, `F_FULLFSYNC`).
fn not_durable(case: &Case) -> Vec<RuleMatch> {
    let mut seen = Vec::new();
    for test in case.rows().filter(|t| t.is_sync()) {
        if let Some(time) = test.mean().filter(|time| *time < NOTHING_SENT) {
            let what = sentence!("saw-sync-of-nothing", kind = test.rw(), time = format::time(time));
            let kinds = [ForeignLatency::Total, ForeignLatency::Completion];
            let kinds = kinds.map(|kind| Quantity::Latency(kind, Statistic::Mean));
            seen.push(RuleMatch::about_test(test, what).lines(test.lines(Way::Sync, &kinds)));
        }
    }
    let is_through = |t: &&Test| t.rw() == "fsync_writethrough";
    for through in case.tests.iter().filter(is_through) {
        let Some(medium) = through.mean().or_else(|| Some(1.0 / through.rate()?)) else { continue };
        let quantities = [Quantity::Iops(Statistic::Overall)];
        let others = case.tests.iter().filter(|t| std::ptr::eq(t.file, through.file) && !is_through(t));
        for test in others.filter(|t| !t.rw().is_empty()) {
            let Some(time) = test.mean().or_else(|| Some(1.0 / test.rate()?)) else { continue };
            if time * FASTER > medium {
                continue;
            }
            let what = sentence!(
                "saw-not-durable",
                kind = test.rw(),
                time = format::time(time),
                medium = format::time(medium)
            );
            let lines = test.lines(Way::Write, &quantities).into_iter().chain(through.lines(Way::Write, &quantities));
            seen.push(RuleMatch::about_test(test, what).lines(lines));
        }
    }
    seen
}
