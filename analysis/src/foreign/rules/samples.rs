//! Means over time and over jobs: jobs that ended at different times (B05), unweighted samples (B06), the share of one
//! job (B07).

use crate::foreign::case::{Case, DirectionResult, Test};
use crate::foreign::format;
use crate::foreign::rule::{Rule, RuleMatch, of_sides, rule};
use crate::foreign::rules::touch;
use messages::sentence;
use model::Severity;
use model::foreign::{ForeignTest, Quantity, Statistic};
use model::judged::SourceLine;

pub(super) const RULES: &[Rule] = &[
    rule("B05-ended-apart", Severity::Doubt, |case| of_sides(case.of_fio().filter(|t| t.jobs() > 1.0), ended_apart)),
    rule("B06-unweighted", Severity::Doubt, |case| of_sides(case.of_fio(), unweighted)),
    rule("B07-one-job", Severity::Note, one_job),
];

/// Relative difference between the two means from which an explanation is needed.
const APART: f64 = 0.05;

/// Returns the seconds of samples that are missing (run time of all jobs less samples times their window), and the
/// window.
fn missing(test: &Test, side: &DirectionResult) -> Option<(f64, f64)> {
    let (samples, seconds) = (side.samples()?, side.seconds()?);
    let time = seconds * test.jobs();
    let window = test.other_number("iopsavgtime").map(|ms| ms / 1000.0);
    // Of the usual windows, use the largest with which the samples do not cover more time than the run took.
    let window = window.or_else(|| [1.0, 0.5, 0.25, 0.1].into_iter().find(|w| samples * w <= time * 1.01))?;
    Some((time - samples * window, window))
}

/// Returns `true` if operations take about as long as a window, so that some windows have no sample.
fn may_be_empty(side: &DirectionResult, window: f64) -> bool {
    side.mean().is_some_and(|mean| mean > 0.5 * window)
}

fn ended_apart(test: &Test, side: &DirectionResult) -> Option<RuleMatch> {
    // A long stop explains the same difference.
    let by_means = || apart(test, side).filter(|_| !touch::is_stopped(test, side));
    apart_by_run_times(test, side).or_else(by_means)
}

fn apart_by_run_times(test: &Test, side: &DirectionResult) -> Option<RuleMatch> {
    let longest = side.seconds()?;
    let value = side.get(Quantity::ShortestRuntime)?;
    let shortest = value.value?;
    side.ended_at_different_times().then(|| {
        let what = sentence!("saw-jobs-apart", apart = format::seconds(longest - shortest));
        RuleMatch::about_test(test, what).on(test, Some(value)).on(test, side.get(Quantity::Runtime))
    })
}

/// Finds jobs that ended at different times, from the two means and the number of samples.
fn apart(test: &Test, side: &DirectionResult) -> Option<RuleMatch> {
    let (ops, seconds) = (side.ops()?, side.seconds()?);
    let (rate, sampled) = (side.rate()?, side.sampled()?);
    let (missing, window) = missing(test, side).filter(|(_, window)| !may_be_empty(side, *window))?;
    let longest = side.max()?.value?;
    let jobs = test.jobs();
    if jobs < 2.0 || sampled < (1.0 + APART) * rate || missing < 0.05 * seconds * jobs || longest > 0.1 * missing {
        return None;
    }
    let early = missing / (jobs - 1.0);
    let statement = match jobs {
        2.0 => sentence!("saw-two-apart", seconds = format!("{early:.0}")),
        _ => sentence!("saw-many-apart", seconds = format!("{early:.0}")),
    };
    let mut one = RuleMatch::about_test(test, statement).with(sentence!(
        "saw-samples-missing",
        samples = side.samples().unwrap_or_default().to_string(),
        window = window.to_string(),
        jobs = jobs.to_string(),
        each = format::seconds(seconds),
        missing = format::seconds(missing)
    ));
    one = one.with(sentence!("saw-both-means", sampled = format::iops(sampled), rate = format::iops(rate)));
    if jobs == 2.0 {
        // Each job did half of the operations: the last job at its own rate, the first job at the rest of the sum of
        // means.
        let last = ops / 2.0 / seconds;
        let first = sampled - last;
        let ended = ops / 2.0 / first;
        let plausible = first > last && ended > 0.0 && ended < seconds;
        if plausible {
            let (first, last) = (format!("{ended:.0}"), format!("{seconds:.0}"));
            one = one.with(sentence!("saw-ended-after", first, last));
        }
    }
    let quantities = [Quantity::Iops(Statistic::Overall), Quantity::Iops(Statistic::Mean)];
    Some(one.lines(test.lines(side.way, &quantities)))
}

/// Finds clones of one job that were reported one by one.
fn one_job(case: &Case) -> Vec<RuleMatch> {
    let rate = |clone: &ForeignTest| Test { test: clone, ..case.tests[0] }.with_ways().rate();
    let seen = |test: &Test| {
        let clones = &test.test.clones;
        let rates: Vec<f64> = clones.iter().map(rate).collect::<Option<Vec<f64>>>().filter(|r| !r.is_empty())?;
        let (low, high) = rates.iter().fold((f64::MAX, 0.0), |(l, h): (f64, f64), r| (l.min(*r), h.max(*r)));
        let what = sentence!(
            "saw-clones-together",
            n = clones.len(),
            low = format::iops(low),
            high = format::iops(high),
            all = format::iops(test.rate()?)
        );
        let lines = clones.iter().zip(&rates);
        let lines = lines.map(|(clone, rate)| SourceLine::new(&test.file.source, clone.line, format::iops(*rate)));
        Some(RuleMatch::about(format!("{}: {}", test.called, test.test.name), what).rows([test.index]).lines(lines))
    };
    case.tests.iter().filter_map(seen).collect()
}

fn unweighted(test: &Test, side: &DirectionResult) -> Option<RuleMatch> {
    let (rate, sampled) = (side.rate()?, side.sampled()?);
    let (missing, window) = missing(test, side).filter(|(_, window)| !may_be_empty(side, *window))?;
    let per_job = missing / test.jobs();
    let alone = sampled > (1.0 + APART) * rate && per_job > 2.0 * window && apart(test, side).is_none();
    if !alone {
        return None;
    }
    let quantities = [Quantity::Iops(Statistic::Overall), Quantity::Iops(Statistic::Mean)];
    let what = sentence!("saw-mean-and-rate", sampled = format::iops(sampled), rate = format::iops(rate));
    let one = RuleMatch::about_test(test, what).with(sentence!(
        "saw-long-samples",
        samples = side.samples().unwrap_or_default().to_string(),
        window = window.to_string(),
        jobs = test.jobs().to_string(),
        told = format::seconds(side.seconds().unwrap_or_default() - per_job),
        all = format::seconds(side.seconds().unwrap_or_default()),
        long = format::seconds(per_job)
    ));
    Some(one.lines(test.lines(side.way, &quantities)))
}
