//! InterSystems PerfTools: the wait for the start (B19), means of reciprocals (B20), pauses in the average (B38, B39), columns of
//! its exports (B42), midnight (B45), runs that were stopped (B21), signatures (B43), sessions (B47).

use crate::foreign::case::{Case, Test, WAIT};
use crate::foreign::rule::{Rule, Seen};
use crate::foreign::say;
use model::{ForeignLatency, ForeignValue, Iops, Quantity, RuleText, Severity, Statistic, Way, thousands};

pub(super) const RULES: &[Rule] = &[
    Rule {
        text: RuleText {
            id: "B19-start-wait",
            severity: Severity::Doubt,
            title: "RanRead's time includes at least a second of waiting for the start",
            explanation: "RanRead (V0 to V3) takes its start time before the second in which the processes wait for each other. \
                Processes times iterations over its rate is the time it counted; less one second it gives the corrected rate. \
                The bias grows with the rate: a few percent of slow volumes, a quarter of fast ones.",
            remedy: "use the corrected rate; for another measurement take more iterations, or secchi db ranread, whose clock \
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
    Rule {
        text: RuleText {
            id: "B21-stopped",
            severity: Severity::Invalid,
            title: "the run was stopped, and divided by what was planned: it looks too fast",
            explanation: "RanRead V0 divides the reads that were planned by the time that passed, also after Stop(). Its clock runs for \
                at least the second in which the processes wait for each other, so planned reads that fit into less than a second \
                by its own figures were not done. A row far above the others of the same parameters is doubted, too.",
            remedy: "leave the row out, and run it again to its end",
        },
        look: stopped,
    },
    Rule {
        text: RuleText {
            id: "B43-signature",
            severity: Severity::Invalid,
            title: "a pause where RanWrite takes the length of a transaction: nothing was written",
            explanation: "The fourth parameter of RanWrite.Run is a pause in seconds in V1, and since V2 the number of sets of a \
                transaction. A call of the old form (.001) makes transactions of a thousandth of a set: none is done, and each \
                counts as .001 writes.",
            remedy: "call Run(directory, processes, seconds, sets of a transaction, pause in ms)",
        },
        look: signature,
    },
    Rule {
        text: RuleText {
            id: "B47-session",
            severity: Severity::Note,
            title: "opening and closing the database is part of each read",
            explanation: "RanRead opens the database, views one block and closes it again, and times all three: where a read takes a \
                fraction of a millisecond, the session's cost is a visible part of it. Its blocks are uniformly random, with no \
                locality, unlike a database's own reads.",
            remedy: "compare with the device's own latency beside it (secchi watch), or secchi db ranread, which keeps files open",
        },
        look: session,
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
        let one = Seen::of(test, what).with(format!(
            "{} reads in {:.2} s by its rate, less {WAIT:.0} s of waiting",
            thousands(ops),
            ops / told
        ));
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
        seen.push(
            Seen::about(model::file_name(&file.source), "one of both columns is over its mean")
                .lines([test.head(words)]),
        );
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

/// The least seconds that RanRead's clock can have run, with the rounding of its response time.
const LEAST_CLOCK: f64 = 0.95 * WAIT;
/// Times the median of others with the same parameters, from which a row is doubted.
const FAR_ABOVE: f64 = 2.0;

fn stopped(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    let by_count = |t: &&Test| t.is_perftools() && t.rw() == "randread" && t.asked().count.is_some();
    let tests: Vec<&Test> = case.tests.iter().filter(by_count).collect();
    for test in &tests {
        let value = test.test.get(Way::Read, Quantity::Iops(Statistic::Overall));
        let (Some(rate), Some(ops)) = (value.and_then(|v| v.value).filter(|r| *r > 0.0), test.started_ops()) else {
            continue;
        };
        // The highest that rounding allows must still be too fast.
        let clock = ops / value.map_or(rate, |v| v.between.0.max(f64::MIN_POSITIVE));
        let asked = test.asked();
        let alike = |t: &&&Test| {
            let other = t.asked();
            t.index != test.index
                && (other.jobs, other.count, &t.test.name) == (asked.jobs, asked.count, &test.test.name)
        };
        let mut others: Vec<f64> = tests
            .iter()
            .filter(alike)
            .filter_map(|t| t.test.value(Way::Read, Quantity::Iops(Statistic::Overall)))
            .collect();
        others.sort_by(f64::total_cmp);
        let usual = others.get(others.len() / 2).copied().filter(|u| others.len() >= 2 && rate > FAR_ABOVE * u);
        if clock < LEAST_CLOCK {
            let what = format!(
                "{} reads in {} by its figures, and its clock runs for a second before the first",
                thousands(ops),
                say::seconds(clock)
            );
            seen.push(Seen::of(test, what).on(test, value));
        } else if let Some(usual) = usual {
            let what = format!("{} where {} others had about {}", say::iops(rate), others.len(), say::iops(usual));
            seen.push(Seen::of(test, what).on(test, value).weighing(Severity::Doubt));
        }
    }
    seen
}

fn signature(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for test in case.tests.iter().filter(|t| t.is_perftools() && t.rw() != "randread") {
        let sets = parameter(test, &["TransactionLength", "TxnLength"]).filter(|n| *n > 0.0 && *n < 1.0);
        let writes = test.test.get(Way::Write, Quantity::Operations);
        let part = writes.and_then(|v| v.value).filter(|n| n.fract().abs() > 1e-6);
        let what = match (sets, part) {
            (Some(sets), _) => format!("transactions of {sets} sets: none is done, and each counts as {sets}"),
            (None, Some(part)) => format!("{part} writes were counted: a part of a write is none"),
            (None, None) => continue,
        };
        let head = sets.map(|n| test.head(format!("TransactionLength {n}")));
        seen.push(Seen::of(test, what).on(test, writes).lines(head));
    }
    seen
}

/// Response times below which opening and closing are a visible part.
const VISIBLE: f64 = 0.5e-3;

fn session(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for file in case.files.iter().filter(|f| f.format == "perftools") {
        let fast = |t: &&Test| {
            std::ptr::eq(t.file, file)
                && t.rw() == "randread"
                && response(t).and_then(|v| v.value).is_some_and(|r| r > 0.0 && r < VISIBLE)
        };
        let tests: Vec<&Test> = case.tests.iter().filter(fast).collect();
        let Some(least) = tests.iter().filter_map(|t| response(t)?.value).reduce(f64::min) else { continue };
        let rows = if tests.len() == 1 { "a row".to_owned() } else { format!("{} rows", tests.len()) };
        let what =
            format!("{rows} below {}, down to {}, each with an OPEN and a CLOSE", say::time(VISIBLE), say::time(least));
        let mut one = Seen::about(model::file_name(&file.source), what).rows(tests.iter().map(|t| t.index));
        for test in tests {
            one = one.on(test, response(test));
        }
        seen.push(one);
    }
    seen
}
