//! Files that were never written before: stalls while they are filled with zeros, writes that extend them (B01, B02,
//! B04), and other stalls (B35).

use crate::foreign::case::{DirectionResult, Test};
use crate::foreign::format;
use crate::foreign::rule::{Rule, RuleMatch, of_sides, rule};
use messages::{message, sentence};
use model::Severity;
use model::foreign::{ForeignLatency, ForeignValue, Quantity, Statistic, Way};

/// Rule about writes to areas that were never written before.
pub(in crate::foreign) const FIRST_TOUCH: &str = "B01-first-touch";

pub(super) const RULES: &[Rule] = &[
    rule(FIRST_TOUCH, Severity::Invalid, |case| case.of_fio().filter_map(first_touch).collect()),
    rule("B04-extension", Severity::Invalid, |case| of_sides(case.of_fio().filter(|t| t.is_async()), extension)),
    rule("B35-stall", Severity::Doubt, |case| of_sides(case.tests.iter(), stalls)),
];

/// Minimum share of the run that must be lost for the loss to be more than a stall.
const LOST: f64 = 0.1;

/// Time and rate that a run lost to stalls.
struct Lost {
    /// Lost seconds, minimum and maximum.
    seconds: (f64, f64),
    /// Rate without the stalls, minimum and maximum.
    rate: (f64, f64),
}

/// Returns the loss to stalls, from the samples and, with one operation in flight per job, from the completion latency.
fn lost(test: &Test, side: &DirectionResult) -> Option<Lost> {
    let (ops, seconds, sampled) = (side.ops()?, side.seconds()?, side.sampled()?);
    let single = test.concurrency().is_some_and(|n| n <= test.jobs());
    let value_of = |kind, stat| side.latency(kind, stat).and_then(|v: &ForeignValue| v.value);
    let by_latency = value_of(ForeignLatency::Completion, Statistic::Mean)
        .zip(value_of(ForeignLatency::Submission, Statistic::Min))
        .map(|(clat, slat)| test.jobs() / (clat + slat))
        .filter(|r| single && r.is_finite() && *r > sampled && *r < 1.5 * sampled);
    let high = by_latency.unwrap_or(sampled);
    let missing = |rate: f64| (seconds - ops / rate).max(0.0);
    Some(Lost { seconds: (missing(sampled), missing(high)), rate: (sampled, high) })
}

fn is_stalled(test: &Test, side: &DirectionResult) -> Option<Lost> {
    let (rate, sampled, seconds) = (side.rate()?, side.sampled()?, side.seconds()?);
    let longest = side.max()?.value?;
    let lost = lost(test, side)?;
    let much = sampled > (1.0 + LOST) * rate && lost.seconds.0 > LOST * seconds;
    // The longest operation must explain a good part of the loss. If jobs ended at different times, that explains it
    // instead.
    let apart = test.jobs() > 1.0 && side.ended_at_different_times();
    (much && !apart && longest > 1.0 && longest * 4.0 > lost.seconds.0).then_some(lost)
}

/// Returns `true` if a long stop explains why the mean of samples is above the rate.
pub(super) fn is_stopped(test: &Test, side: &DirectionResult) -> bool {
    side.way == Way::Write && is_stalled(test, side).is_some()
}

fn first_touch(test: &Test) -> Option<RuleMatch> {
    let side = test.side(Way::Write)?;
    let lost = is_stalled(test, &side)?;
    let ((least, most), (low, high)) = (lost.seconds, lost.rate);
    let about = match most - least < 0.05 * most {
        true => sentence!("saw-about", figure = format::seconds(most)),
        false => sentence!("saw-seconds", least = format!("{least:.0}"), most = format!("{most:.0}")),
    };
    let seconds = side.seconds().unwrap_or_default();
    let mut one = RuleMatch::about_test(
        test,
        sentence!(
            "saw-stood-still",
            about,
            all = format::seconds(seconds),
            without = format::iops(high),
            rate = format::iops(side.rate().unwrap_or_default())
        ),
    );
    one = one.with(sentence!(
        "saw-operations-take",
        ops = model::units::thousands(side.ops().unwrap_or_default()),
        mean = format::iops(low),
        take = format::seconds(seconds - least),
        all = format::seconds(seconds)
    ));
    if high > low {
        one = one.with(sentence!("saw-completion-allows", flight = test.jobs().to_string(), rate = format::iops(high)));
    }
    if let Some(max) = side.max().and_then(|v| v.value) {
        one = one.with(sentence!("saw-longest", took = format::time(max)));
    }
    if let Some(made) = test.made() {
        one = one.with(sentence!("saw-files-made", n = format!("{made:.0}")));
    }
    let quantities = [
        Quantity::Iops(Statistic::Overall),
        Quantity::Iops(Statistic::Mean),
        Quantity::Latency(ForeignLatency::Submission, Statistic::Max),
        Quantity::Latency(ForeignLatency::Total, Statistic::Max),
    ];
    Some(one.lines(test.lines(Way::Write, &quantities)))
}

/// Submission latency below which no device operation took place, in seconds.
const HANDED_OVER: f64 = 40e-6;

fn extension(test: &Test, side: &DirectionResult) -> Option<RuleMatch> {
    let mean = |kind| side.latency(kind, Statistic::Mean).and_then(|v| v.value);
    let (slat, clat) = (mean(ForeignLatency::Submission)?, mean(ForeignLatency::Completion)?);
    if slat < HANDED_OVER || slat < 0.25 * (slat + clat) || is_stalled(test, side).is_some() {
        return None;
    }
    let writes = side.way == Way::Write;
    let what = match (writes, test.asked().direct) {
        (_, Some(false)) => message!("saw-through-page-cache"),
        (true, _) => message!("saw-writes-grew-file"),
        _ => message!("saw-done-while-handed-over"),
    };
    let whole = slat > 6.0 * clat;
    // With one operation in flight there is no depth to lose. Only writes that should have bypassed the page
    // cache but extended the file do not measure the storage. Writes into Linux's cache take this time by
    // design, and reads take equally long either way.
    let single = test.asked().depth.unwrap_or(1) <= 1;
    let expected = match test.asked().direct {
        Some(direct) => !direct,
        None => test.engine() != "windowsaio" || !writes,
    };
    let harmless = single && (expected || !writes);
    let statement = match whole {
        true if harmless => sentence!("saw-at-once", what),
        true => sentence!("saw-depth-without-effect", what),
        false => sentence!("saw-two-behaviours", what),
    };
    let mut one = RuleMatch::about_test(test, statement).with(sentence!(
        "saw-submission-takes",
        submission = format::time(slat),
        completion = format::time(clat),
        share = format::percent(slat / (slat + clat))
    ));
    // Operations that complete at once, after a long submission.
    let quick: f64 = side_shares(test, 100e-6);
    if !whole && quick > 0.05 {
        one = one.with(sentence!("saw-completed-at-once", share = format::percent(quick)));
    }
    if let Some(made) = test.made().filter(|_| writes) {
        one = one.with(sentence!("saw-some-files-made", n = format!("{made:.0}"), all = format!("{:.0}", test.jobs())));
    }
    let quantities =
        [ForeignLatency::Submission, ForeignLatency::Completion].map(|k| Quantity::Latency(k, Statistic::Mean));
    let one = one.lines(test.lines(side.way, &quantities));
    Some(if whole && !harmless { one } else { one.weighing(Severity::Doubt) })
}

/// Returns the share of operations that took at most `limit`.
fn side_shares(test: &Test, limit: f64) -> f64 {
    let shares = test.test.values.iter().filter_map(|v| match v.of {
        Quantity::LatencyShare(_, upper) if upper <= limit * 1.001 => v.value,
        _ => None,
    });
    shares.sum()
}

/// Factor above the mean from which the longest operation is a stall: among millions of operations the longest is
/// easily a dozen times the mean.
const STALL: f64 = 20.0;
/// Ratio of a percentile to the longest operation from which the percentile shows the stall.
const SHOWN: f64 = 0.5;

fn stalls(test: &Test, side: &DirectionResult) -> Option<RuleMatch> {
    if side.way == Way::Write && is_stalled(test, side).is_some() {
        return None;
    }
    let stalled = |x: f64| x >= 1.0 && side.mean().is_none_or(|mean| x >= STALL * mean);
    let longest = side.max().filter(|v| v.value.is_some_and(stalled));
    let lowest = side.get(Quantity::Iops(Statistic::Min));
    let mean = side.sampled();
    let enough = side.samples().is_some_and(|n| n >= 10.0 * test.jobs());
    let low = lowest.filter(|v| enough && v.value.zip(mean).is_some_and(|(l, m)| l < 0.1 * m));
    let reason = longest.or(low)?;
    let mut one = match longest.and_then(|v| v.value) {
        Some(took) => RuleMatch::about_test(test, sentence!("saw-operation-took", took = format::time(took))),
        None => RuleMatch::about_test(test, sentence!("saw-sample-at", share = low_share(low, mean))),
    };
    one = one.on(test, Some(reason));
    if let (Some(low), Some(mean)) = (low, mean) {
        let least = low.value.unwrap_or_default();
        one = one.with(sentence!("saw-lowest-sample", least = format!("{least:.0}"), mean = format::iops(mean)));
        if longest.is_some() {
            one = one.on(test, Some(low));
        }
    }
    let hidden = side.percentile(99.99).filter(|_| side.rests(99.99)).zip(longest.and_then(|v| v.value));
    if let Some((p, _)) = hidden.filter(|(p, longest)| *p < SHOWN * longest) {
        one = one.with(sentence!("saw-percentile-hides", p = format::time(p)));
    }
    let grave = longest.is_some();
    Some(if grave { one } else { one.weighing(Severity::Note) })
}

fn low_share(low: Option<&ForeignValue>, mean: Option<f64>) -> String {
    let share = low.and_then(|v| v.value).zip(mean).map_or(0.0, |(l, m)| l / m);
    format::percent(share)
}
