//! InterSystems PerfTools: the wait for the start (B19), means of reciprocals (B20), pauses in the average (B38, B39), columns of
//! its exports (B42), midnight (B45).

use crate::foreign::case::{Case, Test, WAIT};
use crate::foreign::rule::{Rule, Seen};
use crate::foreign::say;
use model::{ForeignLatency, ForeignValue, Iops, Quantity, RuleText, Severity, Statistic, Way};

pub(super) const RULES: &[Rule] = &[
    Rule {
        text: RuleText {
            id: "B19-start-wait",
            severity: Severity::Doubt,
            title: "RanRead's time includes at least a second of waiting for the start",
            explanation: "RanRead (V0 to V3) takes its start time before the second in which the processes wait for each other. \
                Processes times iterations over its rate is the time it counted; less one second it gives the corrected rate. \
                The bias grows with the rate: a few percent of slow volumes, a quarter of fast ones.",
            remedy: "use the corrected rate; for another measurement take more iterations, or secchi db read, whose clock \
                starts with the first read",
        },
        look: start_wait,
    },
    Rule {
        text: RuleText {
            id: "B20-reciprocals",
            severity: Severity::Note,
            title: "the rate is a mean of reciprocals, and not processes over response time",
            explanation: "RanRead prints processes over the mean response time, its SQL the mean of the processes' own rates. The \
                mean of reciprocals is at least the reciprocal of the mean; neither counts operations in a common window.",
            remedy: "take operations over the time that all processes ran",
        },
        look: reciprocals,
    },
    Rule {
        text: RuleText {
            id: "B38-hang-in-average",
            severity: Severity::Invalid,
            title: "pauses are part of the response time",
            explanation: "RanWrite pauses after each transaction, and divides the whole time by the sets: the pause over the sets \
                of a transaction is in each. Where it is most of the figure the figure is the sleep timer's; sets are in memory \
                anyway, and not writes of a disk.",
            remedy: "subtract the pause, or measure with hang 0; look at the disk's own counters for its writes",
        },
        look: hang,
    },
    Rule {
        text: RuleText {
            id: "B42-columns",
            severity: Severity::Note,
            title: "StdDevR and StdDevW of the export are not of the same kind",
            explanation: "PerfTools V3 writes the standard deviation over the mean into one of StdDevR and StdDevW, and the plain \
                one into the other: RanRead and RanWrite the other way round.",
            remedy: "recompute them from the rows of the processes",
        },
        look: columns,
    },
    Rule {
        text: RuleText {
            id: "B45-midnight",
            severity: Severity::Doubt,
            title: "the run went over midnight UTC: its elapsed time is wrong",
            explanation: "PerfTools takes the time from the seconds of the UTC day, which begin again at midnight: elapsed times \
                become negative, and a run by time never ends.",
            remedy: "run it again; the figure is none",
        },
        look: midnight,
    },
];

fn start_wait(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for test in &case.tests {
        let Some(rate) = test.corrected() else { continue };
        let value = test.test.get(Way::Read, Quantity::Iops(Statistic::Overall));
        let told = value.and_then(|v| v.value).unwrap_or_default();
        let processes = test.asked().jobs.unwrap_or(1);
        let what = format!(
            "{} instead of {} with {processes} process{}, {}",
            say::iops(rate),
            Iops(told),
            if processes == 1 { "" } else { "es" },
            say::change(rate / told)
        );
        let ops = test.started_ops().unwrap_or_default();
        let one = Seen::of(test, what)
            .with(format!("{ops:.0} reads in {:.2} s by its rate, less {WAIT:.0} s of waiting", ops / told));
        // A few percent are the second's own rounding.
        let small = rate / told < 1.02;
        let one = one.on(test, value);
        seen.push(if small { one.weighing(Severity::Note) } else { one });
    }
    seen
}

fn response<'a>(test: &Test<'a>) -> Option<&'a ForeignValue> {
    let of = Quantity::Latency(ForeignLatency::Total, Statistic::Mean);
    test.test.get(Way::Read, of).or_else(|| test.test.get(Way::Write, of))
}

fn reciprocals(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for test in case.tests.iter().filter(|t| t.is_perftools()) {
        let (Some(response), Some(jobs)) = (response(test), test.asked().jobs) else { continue };
        let side = test.sides().into_iter().next();
        let Some(rate) = side.and_then(|s| s.get(Quantity::Iops(Statistic::Overall))) else { continue };
        let by_mean = (f64::from(jobs) / response.between.1, f64::from(jobs) / response.between.0);
        // Rounded to the same figure, or no contradiction.
        if !by_mean.0.is_finite()
            || !by_mean.1.is_finite()
            || rate.between.0 <= by_mean.1 && rate.between.1 >= by_mean.0
        {
            continue;
        }
        let what = format!(
            "{jobs} processes over the response time are {} to {}, the rate told is {}",
            Iops(by_mean.0),
            Iops(by_mean.1),
            Iops(rate.value.unwrap_or_default())
        );
        seen.push(Seen::of(test, what).on(test, Some(response)).on(test, Some(rate)));
    }
    seen
}

/// A parameter by any of its names, whatever their case.
fn parameter(test: &Test, names: &[&str]) -> Option<f64> {
    let found = test.asked().others.iter().find(|(n, _)| names.iter().any(|name| n.eq_ignore_ascii_case(name)));
    found?.1.trim().parse::<f64>().ok().filter(|v| v.is_finite() && *v >= 0.0)
}

fn hang(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for test in case.tests.iter().filter(|t| t.is_perftools() && t.writes()) {
        let pause = parameter(test, &["HangMs", "hang_ms"])
            .map(|ms| ms / 1000.0)
            .or_else(|| parameter(test, &["Hang", "HangTime"]));
        let (Some(pause), Some(response)) = (pause.filter(|p| *p > 0.0), response(test)) else { continue };
        // V1 has no transactions: it pauses after each write. V2 and later tell the pause in milliseconds.
        let sets = parameter(test, &["TransactionLength", "TxnLength", "batch"]);
        let pause = if sets.is_some() && pause >= 0.1 { pause / 1000.0 } else { pause };
        let each = pause / sets.unwrap_or(1.0).max(1.0);
        let whole = response.value.unwrap_or_default();
        let share = if whole > 0.0 { each / whole } else { 0.0 };
        if share < 0.2 {
            continue;
        }
        let what = match share >= 0.9 {
            true => "the whole figure is the sleep timer: it says nothing of the disk".to_owned(),
            false => format!(
                "{} of {} are the pause; the work of a set is {}",
                say::percent(share),
                say::time(whole),
                say::time(whole - each)
            ),
        };
        seen.push(
            Seen::of(test, what).with(format!("a pause of {} for each set", say::time(each))).on(test, Some(response)),
        );
    }
    seen
}

fn columns(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for file in case.files.iter().filter(|f| f.format == "perftools") {
        let Some(test) = case.tests.iter().find(|t| std::ptr::eq(t.file, file)) else { continue };
        let (Some(r), Some(w)) = (parameter(test, &["StdDevR"]), parameter(test, &["StdDevW"])) else { continue };
        let words = format!("StdDevR {r}, StdDevW {w}");
        seen.push(Seen::about(file.source.clone(), "one of both columns is over its mean").lines([test.head(words)]));
    }
    seen
}

fn midnight(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for test in case.tests.iter().filter(|t| t.is_perftools()) {
        let wrong = test.test.values.iter().find(|v| {
            matches!(v.of, Quantity::Iops(_) | Quantity::Runtime | Quantity::Latency(..))
                && v.value.is_some_and(|x| x < 0.0)
        });
        if let Some(value) = wrong {
            seen.push(Seen::of(test, "a negative figure").on(test, Some(value)));
        }
    }
    seen
}
