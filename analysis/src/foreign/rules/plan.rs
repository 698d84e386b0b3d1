//! Setup of the runs: working sets (B22, B30, B51), parameters (B36), missing figures (B40, B50), dashes (B49), files
//! laid out just before the run (B15), a single depth (B52), machines (B53).

use crate::foreign::case::{Case, Test};
use crate::foreign::format;
use crate::foreign::rule::{Rule, RuleMatch, rule};
use messages::sentence;
use model::foreign::{ForeignLatency, Quantity, Statistic, Way};
use model::judged::SourceLine;
use model::{Bytes, Sentence, Severity};

pub(super) const RULES: &[Rule] = &[
    rule("B15-mixed-files", Severity::Note, |case| case.of_fio().filter_map(mixed_files).collect()),
    rule("B22-memory", Severity::Doubt, memory),
    rule("B30-small-set", Severity::Doubt, |case| case.of_fio().filter_map(small_set).collect()),
    rule("B36-options", Severity::Note, |case| case.of_fio().filter_map(options).collect()),
    rule("B40-no-percentile", Severity::Note, |case| case.tests.iter().filter_map(no_percentile).collect()),
    rule("B49-dashes", Severity::Note, dashes),
    rule("B50-no-latency", Severity::Doubt, |case| case.of_fio().filter_map(no_latency).collect()),
    rule("B51-short", Severity::Note, |case| case.of_fio().filter_map(short).collect()),
    rule("B52-one-depth", Severity::Note, one_depth),
    rule("B53-machines", Severity::Doubt, machines),
];

fn mixed_files(test: &Test) -> Option<RuleMatch> {
    // A single file may be shared by all jobs.
    let made = test.made().filter(|m| *m > 1.0 && *m < test.jobs() && test.other("filename").is_none())?;
    let what = sentence!("saw-files-new", n = format!("{made:.0}"), all = format!("{:.0}", test.jobs()));
    let line = test.head(sentence!("saw-laid-out", n = format!("{made:.0}")));
    Some(RuleMatch::about_test(test, what).lines([line]))
}

fn memory(case: &Case) -> Vec<RuleMatch> {
    let Some(memory) = case.memory else { return Vec::new() };
    let mut seen = Vec::new();
    for test in &case.tests {
        let Some(set) = test.working_set().filter(|s| *s < 2.0 * memory.as_u64() as f64) else { continue };
        let what = sentence!(
            "saw-times-memory",
            set = Bytes(set as u64),
            times = format!("{:.2}", set / memory.as_u64().max(1) as f64),
            memory
        );
        seen.push(RuleMatch::about_test(test, what).lines([test.head(format!("size {}", Bytes(set as u64)))]));
    }
    seen
}

/// Passes over the working set from which a cache is warm.
const PASSES: f64 = 2.0;

fn small_set(test: &Test) -> Option<RuleMatch> {
    let (passes, set) = (test.passes()?, test.working_set()?);
    // Files larger than any cache are not a small set.
    if passes < PASSES || set > 1e12 {
        return None;
    }
    let mut one =
        RuleMatch::about_test(test, sentence!("saw-passes", n = format!("{passes:.1}"), set = Bytes(set as u64)));
    if test.other("randrepeat").is_some_and(|v| v != "0") && test.rw().starts_with("rand") {
        one = one.with(sentence!("saw-same-order"));
    }
    let line = test.sides().first().and_then(|s| s.get(Quantity::Moved).or(s.get(Quantity::Operations)));
    Some(one.on(test, line))
}

fn options(test: &Test) -> Option<RuleMatch> {
    // The options, with the reason why they are unusual.
    let mut odd: Vec<(Sentence, Sentence)> = Vec::new();
    if let (Some(read), Some(write)) = (test.other("rwmixread"), test.other("rwmixwrite")) {
        let both = format::list(&[format!("rwmixread={read}"), format!("rwmixwrite={write}")]);
        odd.push((both, sentence!("saw-last-holds")));
    }
    if let Some(sync) = test.other("sync").filter(|v| !["0", "none"].contains(v)) {
        let option = format!("sync={sync}");
        let words = match test.asked().direct {
            Some(true) => sentence!("saw-on-top-of-direct", own = option),
            _ => option.into(),
        };
        odd.push((words, sentence!("saw-writes-wait-for-media")));
    }
    if let Some(ramp) = test.other("ramp_time").filter(|v| *v != "0") {
        odd.push((format!("ramp_time={ramp}").into(), sentence!("saw-ramp-untold")));
    }
    let words = Sentence::join(odd.iter().map(|(words, _)| words.clone()), "; ");
    let mut matches = odd.into_iter().map(|(subject, what)| sentence!("saw-of", subject, what));
    let first = matches.next()?;
    let one = RuleMatch::about_test(test, first).lines([SourceLine::new(&test.file.source, 1, words)]);
    Some(matches.fold(one, RuleMatch::with))
}

fn no_percentile(test: &Test) -> Option<RuleMatch> {
    let is_percentile = |of| matches!(of, Quantity::Latency(_, Statistic::Percentile(_)));
    if test.test.values.iter().any(|v| is_percentile(v.of) && v.value.is_some()) {
        return None;
    }
    if test.mean().is_some() {
        let requests = test.file.series("request").is_some();
        let way = test.sides().first().map_or(Way::All, |s| s.way);
        let lines = test.lines(way, &[Quantity::Latency(ForeignLatency::Total, Statistic::Mean)]);
        let one = RuleMatch::about_test(test, sentence!("saw-only-mean")).lines(lines);
        return (!requests && test.test.histograms.is_empty()).then_some(one);
    }
    let only_rate = !test.is_fio() && test.rate().is_some() && !is_statistics(test);
    only_rate
        .then(|| RuleMatch::about_test(test, sentence!("saw-no-latency")).lines([test.head(test.test.name.clone())]))
}

/// Returns `true` for counters recorded during a load: they are not expected to have percentiles.
fn is_statistics(test: &Test) -> bool {
    ["irisstat", "mgstat", "perfmon", "iostat"].iter().any(|f| test.file.format.starts_with(f))
}

fn dashes(case: &Case) -> Vec<RuleMatch> {
    let mut seen = Vec::new();
    for file in case.files {
        for remark in file.remarks.iter().filter(|r| r.text.id() == Some("import-fio-dashes")) {
            let line = SourceLine::new(&file.source, remark.line, sentence!("saw-en-dashes"));
            seen.push(RuleMatch::about(case.called(file), sentence!("saw-dashes")).lines([line]));
        }
    }
    seen
}

/// Number of device operations below which they are attributed to the file system.
const FEW: f64 = 100.0;

/// Returns the latencies that the devices counted (time divided by operations): those of the device with the files and
/// of the devices below it.
fn device_latencies<'a>(test: &Test<'a>, way: Way) -> Vec<(&'a str, f64)> {
    if test.file.tests.len() != 1 {
        return Vec::new();
    }
    let rate_of = |disk: &'a model::foreign::ForeignTest| {
        let (time, ops) = (disk.value(way, Quantity::DeviceTime)?, disk.value(way, Quantity::Operations)?);
        (ops >= FEW && time > 0.0).then(|| (disk.name.as_str(), time / ops))
    };
    test.file.disks.iter().filter_map(rate_of).collect()
}

/// Formats with four digits, for means that are compared with each other.
fn fine(seconds: f64) -> String {
    if seconds < 1e-3 { format!("{:.1} us", seconds * 1e6) } else { format!("{:.3} ms", seconds * 1e3) }
}

fn no_latency(test: &Test) -> Option<RuleMatch> {
    let any = test.test.values.iter().any(|v| matches!(v.of, Quantity::Latency(..)) && v.value.is_some());
    let (false, Some(n), Some(rate)) = (any, test.concurrency(), test.rate()) else { return None };
    let mut one = RuleMatch::about_test(
        test,
        sentence!("saw-by-little", n = format!("{n:.0}"), rate = format::iops(rate), mean = fine(n / rate)),
    );
    for way in [Way::Read, Way::Write] {
        let in_device = |(device, mean): (&str, f64)| sentence!("saw-in-device", mean = fine(mean), device);
        let latencies: Vec<Sentence> = device_latencies(test, way).into_iter().map(in_device).collect();
        let took = format::list(&latencies);
        match way {
            _ if latencies.is_empty() => {}
            Way::Read => one = one.with(sentence!("saw-disk-reads-took", took)),
            _ => one = one.with(sentence!("saw-disk-writes-took", took)),
        }
    }
    let lines: Vec<_> =
        test.sides().iter().filter_map(|s| s.get(Quantity::Iops(Statistic::Overall))).map(|v| test.line(v)).collect();
    let disks = test.file.disks.iter().filter_map(|d| d.values.iter().find(|v| v.of == Quantity::DeviceTime));
    Some(one.lines(lines).lines(disks.map(|v| test.line(v))))
}

/// Finds fio results that consist only of rates at deep queues.
fn one_depth(case: &Case) -> Vec<RuleMatch> {
    let tests: Vec<&Test> = case.of_fio().filter(|t| t.rate().is_some() && t.concurrency().is_some()).collect();
    let has_tail = |t: &&Test| {
        t.percentile(99.0).is_some() || !t.test.histograms.is_empty() || t.concurrency().is_some_and(|n| n <= 1.0)
    };
    if tests.is_empty() || tests.iter().any(has_tail) {
        return Vec::new();
    }
    let flights = tests.iter().filter_map(|t| t.concurrency());
    let (low, high) = flights.fold((f64::MAX, 0.0), |(l, h): (f64, f64), n| (l.min(n), h.max(n)));
    let flight: Sentence = match low < high {
        true => sentence!("saw-from-to", low = format!("{low:.0}"), high = format!("{high:.0}")),
        false => format!("{high:.0}").into(),
    };
    let what = sentence!("saw-one-depth", flight);
    let fastest = tests.iter().max_by(|a, b| a.rate().unwrap_or(0.0).total_cmp(&b.rate().unwrap_or(0.0)));
    let subject = if tests.len() == 1 { tests[0].title().into() } else { sentence!("saw-all-results") };
    let mut one = RuleMatch::about(subject, what);
    if let Some((test, rate)) = fastest.and_then(|t| Some((t, t.rate()?))) {
        let each = fine(test.concurrency().unwrap_or(1.0) / rate);
        one = one.with(sentence!("saw-each-takes", rate = format::iops(rate), each));
        one = one.lines([test.head(sentence!("figure-at-rate", name = test.title(), rate = format::iops(rate)))]);
    }
    let mut devices: Vec<String> = tests.iter().flat_map(|t| &t.file.disks).map(|d| d.name.clone()).collect();
    devices.sort_unstable();
    devices.dedup();
    if !devices.is_empty() {
        one = one.with(sentence!("saw-device-untold", devices = format::list(&devices)));
    }
    vec![one.rows(tests.iter().map(|t| t.index))]
}

/// Run time below which a run without a requested time is short, in seconds.
const SHORT: f64 = 40.0;

fn short(test: &Test) -> Option<RuleMatch> {
    let seconds = test.seconds().filter(|s| *s < SHORT)?;
    if test.asked().seconds.is_some() || test.other("time_based").is_some() {
        return None;
    }
    // If a run is limited by time, the bytes moved are not a round file size.
    let moved: f64 = test.sides().iter().filter_map(|s| s.moved()).sum();
    let round = test.working_set().is_none_or(|set| (moved / set - 1.0).abs() < 0.01);
    if moved <= 0.0 || !round || !is_whole(moved) {
        return None;
    }
    let what = sentence!("saw-once", time = format::seconds(seconds), moved = Bytes(moved.round() as u64));
    let line = test.sides().first().and_then(|s| s.get(Quantity::Runtime));
    Some(RuleMatch::about_test(test, what).on(test, line))
}

/// Returns `true` if the size is a multiple of 64 MiB, as file sizes usually are.
fn is_whole(bytes: f64) -> bool {
    let mib = bytes / 1_048_576.0;
    let near = (mib / 64.0).round() * 64.0;
    near > 0.0 && (mib - near).abs() <= 0.002 * mib
}

fn machines(case: &Case) -> Vec<RuleMatch> {
    let windows = |t: &&Test| t.engine() == "windowsaio";
    let linux = |t: &&Test| ["libaio", "io_uring"].contains(&t.engine());
    let (Some(a), Some(b)) = (case.of_fio().find(windows), case.of_fio().find(linux)) else { return Vec::new() };
    let what = sentence!("saw-machines", windows = a.title(), linux = b.title());
    let lines = [a, b].map(|t| t.head(format!("ioengine={}", t.engine())));
    vec![RuleMatch::about(sentence!("saw-the-files"), what).lines(lines)]
}
