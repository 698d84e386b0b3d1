//! Means over time and over jobs: jobs that ended apart (B05), samples that are not weighted (B06), one job's share (B07).

use crate::foreign::case::{Case, Side, Test};
use crate::foreign::rule::{Rule, Seen};
use crate::foreign::say;
use model::{Quantity, RuleText, Severity, Statistic};

pub(super) const RULES: &[Rule] = &[
    Rule {
        text: RuleText {
            id: "B05-ended-apart",
            severity: Severity::Doubt,
            title: "jobs ended at different times: neither figure is the rate while all ran",
            explanation: "fio's headline divides all operations by the run time of the job that ended last; its sampled mean \
                adds up the means of jobs over stretches of different length. Both differ from the rate while all jobs ran. \
                Seen where the sampled mean is well above the headline, samples are missing, and no operation was long enough \
                to be a stall. For two jobs of equal work the time of the first end follows from both figures.",
            remedy: "let all jobs run for the same time: time_based=1 with a runtime, or one job",
        },
        look: ended_apart,
    },
    Rule {
        text: RuleText {
            id: "B06-unweighted",
            severity: Severity::Doubt,
            title: "the sampled mean is no mean over time",
            explanation: "A sample ends with the first operation after its window, so that a stall makes one long sample that \
                counts as much as a short one. The sampled mean is then above operations over run time, and samples are \
                missing: run time over the window, less their number.",
            remedy: "take operations over run time; look for the stall",
        },
        look: unweighted,
    },
    Rule {
        text: RuleText {
            id: "B07-one-job",
            severity: Severity::Note,
            title: "each clone is reported alone: a row is one job's share, and not the load's",
            explanation: "Without group_reporting fio reports each clone of numjobs by itself: its operations over its run time are \
                that job's rate. What the storage did is their sum, which fio's `Run status group` line has only as bandwidth.",
            remedy: "add up the clones of a group, or run with group_reporting=1",
        },
        look: one_job,
    },
];

/// Difference between the two means that asks for an explanation.
const APART: f64 = 0.05;

/// Seconds of one job's samples that are missing: run time of all jobs less samples times their window, with the window.
fn missing(test: &Test, side: &Side) -> Option<(f64, f64)> {
    let (samples, seconds) = (side.samples()?, side.seconds()?);
    let all = seconds * test.jobs();
    let told = test.other_number("iopsavgtime").map(|ms| ms / 1000.0);
    // The usual windows; the largest that does not give more time than there was.
    let window = told.or_else(|| [1.0, 0.5, 0.25, 0.1].into_iter().find(|w| samples * w <= all * 1.01))?;
    Some((all - samples * window, window))
}

fn ended_apart(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for test in case.of_fio().filter(|t| t.jobs() > 1.0) {
        for side in test.sides() {
            if let Some(one) = told_apart(test, &side).or_else(|| apart(test, &side)) {
                seen.push(one);
            }
        }
    }
    seen
}

/// By the group's own shortest and longest run time.
fn told_apart(test: &Test, side: &Side) -> Option<Seen> {
    let longest = side.seconds()?;
    let value = side.get(Quantity::ShortestRuntime)?;
    let shortest = value.value?;
    (shortest < 0.9 * longest).then(|| {
        let what = format!("jobs ended {} apart", say::seconds(longest - shortest));
        Seen::of(test, what).on(test, Some(value)).on(test, side.get(Quantity::Runtime))
    })
}

/// By the two means and the number of samples.
fn apart(test: &Test, side: &Side) -> Option<Seen> {
    let (ops, seconds) = (side.ops()?, side.seconds()?);
    let (rate, sampled) = (side.rate()?, side.sampled()?);
    let (missing, window) = missing(test, side)?;
    let longest = side.max()?.value?;
    let jobs = test.jobs();
    if jobs < 2.0 || sampled < (1.0 + APART) * rate || missing < 0.05 * seconds * jobs || longest > 0.1 * missing {
        return None;
    }
    let early = missing / (jobs - 1.0);
    let statement = match jobs {
        2.0 => format!("workers ended {early:.0} s apart"),
        _ => format!("workers ended apart, on average {early:.0} s before the last"),
    };
    let mut one = Seen::of(test, statement).with(format!(
        "{} samples of {window} s for {jobs} jobs of {}: {} are missing",
        side.samples().unwrap_or_default(),
        say::seconds(seconds),
        say::seconds(missing)
    ));
    one = one.with(format!(
        "sampled mean {}, all operations over the longest job {}",
        say::iops(sampled),
        say::iops(rate)
    ));
    if jobs == 2.0 {
        // ops/2 by each: the last at its own rate, the first at what is left of the sum of means.
        let last = ops / 2.0 / seconds;
        let first = sampled - last;
        let ended = ops / 2.0 / first;
        let plausible = first > last && ended > 0.0 && ended < seconds;
        if plausible {
            one = one.with(format!("by the means one ended after {ended:.0} s, the other after {seconds:.0} s"));
        }
    }
    let of = [Quantity::Iops(Statistic::Overall), Quantity::Iops(Statistic::Mean)];
    Some(one.lines(test.lines(side.way, &of)))
}

/// Clones of one job, reported one by one.
fn one_job(case: &Case) -> Vec<Seen> {
    let mut seen: Vec<Seen> = Vec::new();
    let mut done: Vec<usize> = Vec::new();
    for test in case.of_fio() {
        let group = test.other("group");
        let alike =
            |t: &&Test| std::ptr::eq(t.file, test.file) && t.test.name == test.test.name && t.other("group") == group;
        let clones: Vec<&Test> = case.of_fio().filter(alike).collect();
        let single = clones.iter().all(|t| t.asked().jobs.unwrap_or(1) == 1);
        let rates: Vec<f64> = clones.iter().filter_map(|t| t.rate()).collect();
        if done.contains(&test.index) || clones.len() < 2 || !single || group.is_none() || rates.len() != clones.len() {
            continue;
        }
        done.extend(clones.iter().map(|t| t.index));
        let (low, high) = rates.iter().fold((f64::MAX, 0.0), |(l, h): (f64, f64), r| (l.min(*r), h.max(*r)));
        let what = format!(
            "{} clones of {} to {} each are {} together",
            clones.len(),
            say::iops(low),
            say::iops(high),
            say::iops(rates.iter().sum())
        );
        let mut one = Seen::about(format!("{}: {}", model::file_name(&test.file.source), test.test.name), what);
        for clone in clones {
            one = one.rows([clone.index]).lines([clone.head(say::iops(clone.rate().unwrap_or_default()))]);
        }
        seen.push(one);
    }
    seen
}

fn unweighted(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for test in case.of_fio() {
        for side in test.sides() {
            let (Some(rate), Some(sampled)) = (side.rate(), side.sampled()) else { continue };
            let Some((missing, window)) = missing(test, &side) else { continue };
            let per_job = missing / test.jobs();
            let alone = sampled > (1.0 + APART) * rate && per_job > 2.0 * window && apart(test, &side).is_none();
            if !alone {
                continue;
            }
            let of = [Quantity::Iops(Statistic::Overall), Quantity::Iops(Statistic::Mean)];
            let what = format!("the samples' mean is {}, the rate {}", say::iops(sampled), say::iops(rate));
            let one = Seen::of(test, what).with(format!(
                "{} samples of {window} s for {} jobs tell of {} of {}: {} lie in long samples",
                side.samples().unwrap_or_default(),
                test.jobs(),
                say::seconds(side.seconds().unwrap_or_default() - per_job),
                say::seconds(side.seconds().unwrap_or_default()),
                say::seconds(per_job)
            ));
            seen.push(one.lines(test.lines(side.way, &of)));
        }
    }
    seen
}
