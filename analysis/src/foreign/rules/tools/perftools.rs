//! InterSystems PerfTools: the wait at the start (B19), means of reciprocals (B20), pauses in the average (B38, B39),
//! columns of its exports (B42), midnight (B45), stopped runs (B21), signatures (B43), sessions (B47).

use crate::foreign::case::{Case, Test, WAIT};
use crate::foreign::format;
use crate::foreign::rule::{Rule, RuleMatch, rule};
use messages::sentence;
use model::foreign::{ForeignFile, ForeignLatency, ForeignValue, Quantity, Statistic, Way};
use model::{Iops, Severity, units::thousands};

pub(in crate::foreign::rules) const RULES: &[Rule] = &[
    rule("B19-start-wait", Severity::Doubt, |case| case.tests.iter().filter_map(start_wait).collect()),
    rule("B20-reciprocals", Severity::Note, |case| case.perftools().filter_map(reciprocals).collect()),
    rule("B38-hang-in-average", Severity::Invalid, |case| case.perftools().filter_map(hang).collect()),
    rule("B42-columns", Severity::Note, |case| files(case).filter_map(|f| columns(case, f)).collect()),
    rule("B45-midnight", Severity::Doubt, |case| case.perftools().filter_map(midnight).collect()),
    rule("B21-stopped", Severity::Invalid, stopped),
    rule("B43-signature", Severity::Invalid, |case| case.perftools().filter_map(signature).collect()),
    rule("B47-session", Severity::Note, |case| files(case).filter_map(|f| session(case, f)).collect()),
];

/// Returns the files of PerfTools.
fn files<'a>(case: &'a Case) -> impl Iterator<Item = &'a ForeignFile> {
    case.files.iter().filter(|f| f.format == "perftools")
}

fn start_wait(test: &Test) -> Option<RuleMatch> {
    let rate = test.corrected()?;
    let value = test.test.get(Way::Read, Quantity::Iops(Statistic::Overall));
    let reported = value.and_then(|v| v.value).unwrap_or_default();
    let processes = test.asked().jobs.unwrap_or(1);
    let what = sentence!(
        "saw-start-wait",
        rate = format::iops(rate),
        told = Iops(reported),
        processes,
        change = format::change(rate / reported)
    );
    let ops = test.started_ops().unwrap_or_default();
    let one = RuleMatch::about_test(test, what).with(sentence!(
        "saw-reads-less-waiting",
        reads = thousands(ops),
        seconds = format!("{:.2}", ops / reported),
        wait = format!("{WAIT:.0}")
    ));
    // A few percent may come from the rounding of that second.
    let small = rate / reported < 1.02;
    let one = one.on(test, value);
    Some(if small { one.weighing(Severity::Note) } else { one })
}

fn response<'a>(test: &Test<'a>) -> Option<&'a ForeignValue> {
    let mean = Quantity::Latency(ForeignLatency::Total, Statistic::Mean);
    test.test.get(Way::Read, mean).or_else(|| test.test.get(Way::Write, mean))
}

fn reciprocals(test: &Test) -> Option<RuleMatch> {
    let (response, jobs) = (response(test)?, test.asked().jobs?);
    let side = test.sides().into_iter().next();
    let rate = side.and_then(|s| s.get(Quantity::Iops(Statistic::Overall)))?;
    let by_mean = (f64::from(jobs) / response.between.1, f64::from(jobs) / response.between.0);
    // Skip if both round to the same figure.
    if !by_mean.0.is_finite() || !by_mean.1.is_finite() || rate.between.0 <= by_mean.1 && rate.between.1 >= by_mean.0 {
        return None;
    }
    let what = sentence!(
        "saw-reciprocals",
        jobs,
        low = Iops(by_mean.0),
        high = Iops(by_mean.1),
        told = Iops(rate.value.unwrap_or_default())
    );
    Some(RuleMatch::about_test(test, what).on(test, Some(response)).on(test, Some(rate)))
}

/// Returns a parameter by any of its names, ignoring case.
fn parameter(test: &Test, names: &[&str]) -> Option<f64> {
    let parameter = test.asked().others.iter().find(|(n, _)| names.iter().any(|name| n.eq_ignore_ascii_case(name)));
    parameter?.1.trim().parse::<f64>().ok().filter(|v| v.is_finite() && *v >= 0.0)
}

fn hang(test: &Test) -> Option<RuleMatch> {
    let pause = parameter(test, &["HangMs", "hang_ms"])
        .map(|ms| ms / 1000.0)
        .or_else(|| parameter(test, &["Hang", "HangTime"]));
    let (pause, response) = (pause.filter(|p| *p > 0.0)?, response(test)?);
    // V1 has no transactions and pauses after each write. V2 and later give the pause in milliseconds.
    let sets = parameter(test, &["TransactionLength", "TxnLength", "batch"]);
    let pause = if sets.is_some() && pause >= 0.1 { pause / 1000.0 } else { pause };
    let each = pause / sets.unwrap_or(1.0).max(1.0);
    let whole = response.value.unwrap_or_default();
    let share = if whole > 0.0 { each / whole } else { 0.0 };
    if share < 0.2 || !test.writes() {
        return None;
    }
    let what = match share >= 0.9 {
        true => sentence!("saw-sleep-timer"),
        false => sentence!(
            "saw-pause-share",
            share = format::percent(share),
            whole = format::time(whole),
            work = format::time(whole - each)
        ),
    };
    Some(
        RuleMatch::about_test(test, what)
            .with(sentence!("saw-pause-of-set", pause = format::time(each)))
            .on(test, Some(response)),
    )
}

fn columns(case: &Case, file: &ForeignFile) -> Option<RuleMatch> {
    let test = case.of_file(file).first()?;
    let (r, w) = (parameter(test, &["StdDevR"])?, parameter(test, &["StdDevW"])?);
    let words = format!("StdDevR {r}, StdDevW {w}");
    Some(RuleMatch::about(case.called(file), sentence!("saw-columns-of-two-kinds")).lines([test.head(words)]))
}

fn midnight(test: &Test) -> Option<RuleMatch> {
    let is_timed = |of| matches!(of, Quantity::Iops(_) | Quantity::Runtime | Quantity::Latency(..));
    let wrong = test.test.values.iter().find(|v| is_timed(v.of) && v.value.is_some_and(|x| x < 0.0))?;
    Some(RuleMatch::about_test(test, sentence!("saw-negative")).on(test, Some(wrong)))
}

/// Minimum seconds that RanRead's clock must have run, given the rounding of its response time.
const LEAST_CLOCK: f64 = 0.95 * WAIT;
/// Factor above the median of rows with the same parameters from which a row is doubted.
const FAR_ABOVE: f64 = 2.0;

fn stopped(case: &Case) -> Vec<RuleMatch> {
    let mut seen = Vec::new();
    let by_count = |t: &&Test| t.is_perftools() && t.rw() == "randread" && t.asked().count.is_some();
    let tests: Vec<&Test> = case.tests.iter().filter(by_count).collect();
    for test in &tests {
        let value = test.test.get(Way::Read, Quantity::Iops(Statistic::Overall));
        let (Some(rate), Some(ops)) = (value.and_then(|v| v.value).filter(|r| *r > 0.0), test.started_ops()) else {
            continue;
        };
        // Even the lowest rate that rounding allows must be too fast.
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
            let what = sentence!("saw-stopped", reads = thousands(ops), clock = format::seconds(clock));
            seen.push(RuleMatch::about_test(test, what).on(test, value));
        } else if let Some(usual) = usual {
            let (rate, usual) = (format::iops(rate), format::iops(usual));
            let what = sentence!("saw-far-above", rate, n = others.len(), usual);
            seen.push(RuleMatch::about_test(test, what).on(test, value).weighing(Severity::Doubt));
        }
    }
    seen
}

fn signature(test: &Test) -> Option<RuleMatch> {
    if test.rw() == "randread" {
        return None;
    }
    let sets = parameter(test, &["TransactionLength", "TxnLength"]).filter(|n| *n > 0.0 && *n < 1.0);
    let writes = test.test.get(Way::Write, Quantity::Operations);
    let part = writes.and_then(|v| v.value).filter(|n| n.fract().abs() > 1e-6);
    let what = match (sets, part) {
        (Some(sets), _) => sentence!("saw-part-of-set", sets = sets.to_string()),
        (None, part) => sentence!("saw-part-of-write", part = part?.to_string()),
    };
    let head = sets.map(|n| test.head(format!("TransactionLength {n}")));
    Some(RuleMatch::about_test(test, what).on(test, writes).lines(head))
}

/// Response time below which opening and closing are a visible part, in seconds.
const VISIBLE: f64 = 0.5e-3;

fn session(case: &Case, file: &ForeignFile) -> Option<RuleMatch> {
    let fast = |t: &&Test| {
        std::ptr::eq(t.file, file)
            && t.rw() == "randread"
            && response(t).and_then(|v| v.value).is_some_and(|r| r > 0.0 && r < VISIBLE)
    };
    let tests: Vec<&Test> = case.tests.iter().filter(fast).collect();
    let least = tests.iter().filter_map(|t| response(t)?.value).reduce(f64::min)?;
    let (below, least) = (format::time(VISIBLE), format::time(least));
    let what = sentence!("saw-sessions", rows = tests.len(), below, least);
    let mut one = RuleMatch::about(case.called(file), what).rows(tests.iter().map(|t| t.index));
    for test in tests {
        one = one.on(test, response(test));
    }
    Some(one)
}
