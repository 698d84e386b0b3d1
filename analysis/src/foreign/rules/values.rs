//! Invalid figures: not measured (B14), impossible (B34) or absurd, a saturated client (B23), utilisation (B54).

use crate::foreign::case::{Case, DirectionResult, Test};
use crate::foreign::format;
use crate::foreign::rule::{Rule, RuleMatch, rule};
use messages::{message, sentence};
use model::foreign::{ForeignFile, ForeignLatency, Quantity, Statistic, Way};
use model::judged::SourceLine;
use model::{Sentence, Severity};
use std::collections::BTreeMap;

pub(super) const RULES: &[Rule] = &[
    rule("B14-not-measured", Severity::Note, |case| case.of_fio().filter_map(not_measured).collect()),
    rule("B23-client-bound", Severity::Doubt, |case| {
        case.of_fio().filter(|t| is_client_bound(t)).map(client_bound).collect()
    }),
    rule("B34-impossible", Severity::Doubt, impossible),
    rule("B34-absurd", Severity::Invalid, |case| case.tests.iter().filter_map(absurd).collect()),
    rule("B54-utilisation", Severity::Note, utilisation),
    rule("B65-over-busy", Severity::Doubt, |case| case.files.iter().filter_map(|f| over_busy(case, f)).collect()),
];

fn not_measured(test: &Test) -> Option<RuleMatch> {
    let zero: Vec<_> = test
        .test
        .values
        .iter()
        .filter(|v| matches!(v.of, Quantity::CpuUser | Quantity::CpuSystem | Quantity::ContextSwitches))
        .filter(|v| v.value.is_none_or(|x| x == 0.0))
        .collect();
    let is_zero = |q: Quantity| zero.iter().any(|v| v.of == q);
    // A short run may use less than 0.01 % of a processor; if there were no context switches, they were not
    // counted.
    let cpu = is_zero(Quantity::CpuUser) && is_zero(Quantity::CpuSystem);
    let enough = test.sides().iter().filter_map(DirectionResult::ops).sum::<f64>() >= 1000.0;
    if !enough || !(is_zero(Quantity::ContextSwitches) || cpu) {
        return None;
    }
    let what = match (cpu, is_zero(Quantity::ContextSwitches)) {
        (true, false) => sentence!("saw-no-processor-time"),
        (false, _) => sentence!("saw-no-switches"),
        (true, true) => sentence!("saw-neither-time-nor-switches"),
    };
    let mut one = RuleMatch::about_test(test, what);
    for value in &zero {
        one = one.on(test, Some(value));
    }
    Some(one)
}

/// Share of a processor from which a thread is saturated.
const FULL: f64 = 0.9;

/// Returns `true` if the client was saturated.
pub(in crate::foreign) fn is_client_bound(test: &Test) -> bool {
    test.is_fio() && (test.cpu().is_some_and(|c| c >= FULL) || test.is_async() && submits_all_day(test))
}

/// Returns `true` if the client does nothing but submit operations. Another rule covers synchronous extension.
fn submits_all_day(test: &Test) -> bool {
    let deep = test.concurrency().is_some_and(|n| n > test.jobs());
    deep && test.submit_cpu().is_some_and(|c| c >= FULL) && test.submit_cpu() < Some(1.1) && !waits_in_submission(test)
}

fn waits_in_submission(test: &Test) -> bool {
    test.sides().iter().any(|side| {
        let mean = |kind| side.latency(kind, Statistic::Mean).and_then(|v| v.value);
        mean(ForeignLatency::Submission).is_some_and(|slat| slat > 40e-6)
    })
}

fn client_bound(test: &Test) -> RuleMatch {
    let mut one = match test.cpu().filter(|c| *c >= FULL) {
        Some(cpu) => RuleMatch::about_test(test, sentence!("saw-jobs-busy", share = format::percent(cpu))),
        None => {
            let share = test.submit_cpu().unwrap_or_default();
            RuleMatch::about_test(test, sentence!("saw-submitting-busy", share = format::percent(share)))
        }
    };
    for of in [Quantity::CpuUser, Quantity::CpuSystem] {
        one = one.on(test, test.test.get(Way::All, of));
    }
    if let Some(rate) = test.rate() {
        one = one.with(sentence!("saw-rate-in-jobs", rate = format::iops(rate), n = format!("{:.0}", test.jobs())));
    }
    one
}

fn impossible(case: &Case) -> Vec<RuleMatch> {
    let mut seen = Vec::new();
    for test in case.rows() {
        for side in test.sides() {
            let mut odd: Vec<(Sentence, Vec<Quantity>)> = Vec::new();
            odd.extend(issued_late(&side));
            odd.extend(parts_differ(&side));
            odd.extend(disordered(&side));
            odd.extend(outside(&side));
            if odd.is_empty() {
                continue;
            }
            let statements: Vec<Sentence> = odd.iter().map(|(s, _)| s.clone()).collect();
            let lines: Vec<_> = odd.iter().flat_map(|(_, of)| test.lines(side.way, of)).collect();
            let mut one = RuleMatch::about_test(test, statements[0].clone()).lines(lines);
            for more in &statements[1..] {
                one = one.with(more.clone());
            }
            seen.push(one);
        }
        seen.extend(overfull(test));
        seen.extend(senseless(test));
    }
    seen
}

/// Utilisation above which a late sample does not explain the excess over 100 %.
const OVER_BUSY: f64 = 1.05;

/// Finds a device with a utilisation above 100 %: the kernel counted it wrong.
fn over_busy(case: &Case, file: &ForeignFile) -> Option<RuleMatch> {
    let is_util = |of: Option<(Way, Quantity)>| of.is_some_and(|(_, of)| of == Quantity::Utilisation);
    let series = file.series.iter().filter(|s| is_util(s.of));
    let sampled = series.filter_map(|s| {
        let most = s.points.iter().max_by(|a, b| a.value.total_cmp(&b.value))?;
        Some((s.instance.as_deref().unwrap_or(&s.name), most.value, most.line))
    });
    let whole = file.disks.iter().filter_map(|d| {
        let value = d.get(Way::All, Quantity::Utilisation)?;
        Some((d.name.as_str(), value.value?, value.line))
    });
    let most = sampled.chain(whole).max_by(|a, b| a.1.total_cmp(&b.1));
    let (device, share, line) = most.filter(|(_, share, _)| *share > OVER_BUSY)?;
    let what = sentence!("saw-over-busy", device, share = format!("{:.1}", share * 100.0));
    let line = SourceLine::new(&file.source, line, format!("{device} %util {:.2}", share * 100.0));
    Some(RuleMatch::about(case.called(file), what).lines([line]))
}

/// Longest plausible run time if none was requested, in seconds: a week.
const WEEK: f64 = 604_800.0;
/// Factor above the requested time from which a run time is absurd.
const TIMES_ASKED: f64 = 10.0;
/// Rates that no machine reaches: operations and bytes per second.
const MOST_IOPS: f64 = 1e9;
const MOST_BYTES: f64 = 1e13;

/// Finds a run time or rate that is an error of the tool or its clock.
fn absurd(test: &Test) -> Option<RuleMatch> {
    let asked = test.asked().seconds.filter(|s| *s > 0.0);
    let most = asked.map_or(WEEK, |s| (TIMES_ASKED * s).max(3600.0));
    test.sides().iter().find_map(|side| {
        let seconds = side.seconds().filter(|s| *s > most);
        let rate = side.rate().filter(|r| *r > MOST_IOPS);
        let bytes = side.bandwidth().filter(|b| *b > MOST_BYTES);
        let what = match (seconds, asked, rate, bytes) {
            (Some(ran), Some(asked), ..) => {
                sentence!("saw-ran-too-long", ran = format::seconds(ran), asked = format::seconds(asked))
            }
            (Some(ran), None, ..) => {
                sentence!("saw-ran-for-days", ran = format::seconds(ran), days = format!("{:.1}", ran / 86_400.0))
            }
            (None, _, Some(rate), _) => sentence!("saw-absurd-rate", rate = format::iops(rate)),
            (None, _, None, bytes) => sentence!("saw-absurd-rate", rate = format::rate(bytes?)),
        };
        let quantities =
            [Quantity::Runtime, Quantity::Iops(Statistic::Overall), Quantity::Bandwidth(Statistic::Overall)];
        Some(RuleMatch::about_test(test, what).lines(test.lines(side.way, &quantities)))
    })
}

fn latency_value(side: &DirectionResult, kind: ForeignLatency, statistic: Statistic) -> Option<f64> {
    side.latency(kind, statistic)?.value
}

fn latency(kind: ForeignLatency, statistic: Statistic) -> Quantity {
    Quantity::Latency(kind, statistic)
}

/// Finds a completion so short that its submission must have taken many times the mean.
fn issued_late(side: &DirectionResult) -> Option<(Sentence, Vec<Quantity>)> {
    let clat = latency_value(side, ForeignLatency::Completion, Statistic::Min)?;
    let lat = latency_value(side, ForeignLatency::Total, Statistic::Min)?;
    let slat = latency_value(side, ForeignLatency::Submission, Statistic::Mean)?;
    let rest = lat - clat;
    let odd = clat < 0.25 * lat && rest > 10.0 * slat && rest > 100e-6;
    odd.then(|| {
        let what = sentence!(
            "saw-issued-late",
            completion = format::time(clat),
            least = format::time(lat),
            rest = format::time(rest),
            times = format!("{:.0}", rest / slat.max(1e-9))
        );
        (
            what,
            vec![latency(ForeignLatency::Completion, Statistic::Min), latency(ForeignLatency::Total, Statistic::Min)],
        )
    })
}

/// Finds means of submission and completion that do not sum to the mean of the total.
fn parts_differ(side: &DirectionResult) -> Option<(Sentence, Vec<Quantity>)> {
    let [slat, clat, lat] = [ForeignLatency::Submission, ForeignLatency::Completion, ForeignLatency::Total]
        .map(|kind| latency_value(side, kind, Statistic::Mean));
    let (slat, clat, lat) = (slat?, clat?, lat?);
    let odd = (slat + clat - lat).abs() > 0.05 * lat + 2e-6;
    odd.then(|| {
        let what = message!(
            "saw-parts-differ",
            submission = format::time(slat),
            completion = format::time(clat),
            all = format::time(lat)
        );
        // On Windows, fio stores nanoseconds in a 32-bit field.
        let is_cut =
            latency_value(side, ForeignLatency::Submission, Statistic::Max).is_some_and(|m| (4.1..4.3).contains(&m));
        let what = if is_cut { sentence!("saw-submission-cut", what) } else { messages::sentence(what) };
        (
            what,
            vec![latency(ForeignLatency::Submission, Statistic::Mean), latency(ForeignLatency::Total, Statistic::Mean)],
        )
    })
}

/// Finds percentiles that do not ascend.
fn disordered(side: &DirectionResult) -> Option<(Sentence, Vec<Quantity>)> {
    const KNOWN: [f64; 17] =
        [1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99];
    for kind in [ForeignLatency::Total, ForeignLatency::Completion, ForeignLatency::Submission] {
        let percentiles: Vec<(f64, f64)> =
            KNOWN.into_iter().filter_map(|p| Some((p, latency_value(side, kind, Statistic::Percentile(p))?))).collect();
        if let Some(w) = percentiles.windows(2).find(|w| w[1].1 < w[0].1) {
            let what = sentence!(
                "saw-disordered",
                lower = w[0].0.to_string(),
                is = format::time(w[0].1),
                upper = w[1].0.to_string(),
                only = format::time(w[1].1)
            );
            let quantities = [w[0].0, w[1].0].map(|p| latency(kind, Statistic::Percentile(p)));
            return Some((what, quantities.to_vec()));
        }
    }
    None
}

/// Finds a mean outside the minimum and maximum.
fn outside(side: &DirectionResult) -> Option<(Sentence, Vec<Quantity>)> {
    for kind in [ForeignLatency::Submission, ForeignLatency::Completion, ForeignLatency::Total] {
        let [least, mean, most] =
            [Statistic::Min, Statistic::Mean, Statistic::Max].map(|s| side.latency(kind, s).map(|v| (v.between, s)));
        if let (Some((least, _)), Some((mean, _)), Some((most, _))) = (least, mean, most)
            && (mean.1 < least.0 || mean.0 > most.1)
        {
            let what = sentence!(
                "saw-mean-outside",
                mean = format::time(mean.0),
                least = format::time(least.0),
                most = format::time(most.1)
            );
            return Some((what, vec![latency(kind, Statistic::Mean)]));
        }
    }
    None
}

/// Finds rate times latency above the possible operations in flight.
fn overfull(test: &Test) -> Option<RuleMatch> {
    let (may, are) = (test.concurrency()?, test.in_flight()?);
    // PerfTools' rates omit at most a second of waiting, and its means are rounded to two digits.
    let slack = if test.is_fio() { 1.03 } else { 1.15 };
    (are > may * slack).then(|| {
        let what = sentence!("saw-overfull", are = format!("{are:.1}"), may = format!("{may:.0}"));
        let way = test.sides().first().map_or(Way::All, |s| s.way);
        let quantities = [latency(ForeignLatency::Total, Statistic::Mean)];
        RuleMatch::about_test(test, what).lines(test.lines(way, &quantities))
    })
}

/// Finds negative figures and shares above 100 %.
fn senseless(test: &Test) -> Option<RuleMatch> {
    let share = |of: &Quantity| matches!(of, Quantity::DepthShare(_) | Quantity::LatencyShare(..));
    // fio includes syncs in the depth distribution, but not in the operations.
    let ops: f64 = test.sides().iter().filter_map(DirectionResult::ops).sum();
    let syncs = test.syncs().filter(|_| ops > 0.0).unwrap_or(0.0);
    let most = |of: &Quantity| match of {
        Quantity::DepthShare(_) if syncs > 0.0 => 1.01 + syncs / ops,
        _ => 1.001,
    };
    let mut values = test.test.values.iter();
    let odd = values.find(|v| v.value.is_some_and(|x| x < 0.0 || share(&v.of) && x > most(&v.of)))?;
    let what = sentence!("saw-senseless", words = &odd.words);
    let seen = RuleMatch::about_test(test, what).on(test, Some(odd));
    // fio counts depths separately from operations and sometimes reports 105 % or 203 %; no other figure depends on
    // them.
    let beside = matches!(odd.of, Quantity::DepthShare(_));
    Some(if beside { seen.weighing(Severity::Note) } else { seen })
}

fn utilisation(case: &Case) -> Vec<RuleMatch> {
    // (device, rate, utilisation, test) of devices that were busy nearly all the time.
    let mut busy: Vec<(&str, f64, f64, &Test)> = Vec::new();
    for test in case.of_fio().filter(|t| t.file.tests.len() == 1) {
        for disk in &test.file.disks {
            let util = disk.value(Way::All, Quantity::Utilisation).filter(|u| *u >= 0.95);
            if let (Some(util), Some(rate)) = (util, test.rate()) {
                busy.push((disk.name.as_str(), rate, util, test));
            }
        }
    }
    let mut seen: Vec<RuleMatch> = Vec::new();
    let mut done: Vec<Vec<usize>> = Vec::new();
    let mut by_name: BTreeMap<&str, Vec<&(&str, f64, f64, &Test)>> = BTreeMap::new();
    busy.iter().for_each(|b| by_name.entry(b.0).or_default().push(b));
    for (name, same) in &by_name {
        let key: Vec<usize> = same.iter().map(|b| b.3.index).collect();
        let low = same.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        let high = same.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        let (Some(low), Some(high)) = (low, high) else { continue };
        // Report a device and the devices mapped on it only once.
        if high.1 < 1.3 * low.1 || done.contains(&key) {
            continue;
        }
        done.push(key.clone());
        let what = sentence!(
            "saw-equally-busy",
            low = format::percent(low.2),
            slow = format::iops(low.1),
            high = format::percent(high.2),
            fast = format::iops(high.1)
        );
        let mut one = RuleMatch::about(sentence!("saw-device", name = *name), what).rows(key);
        for b in [low, high] {
            let disk = b.3.file.disks.iter().find(|d| d.name == *name);
            one = one.lines(disk.and_then(|d| d.get(Way::All, Quantity::Utilisation)).map(|v| b.3.line(v)));
        }
        seen.push(one);
    }
    seen.extend(super::layers::sampled_utilisation(case));
    seen
}
