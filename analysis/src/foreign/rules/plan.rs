//! How it was run: working sets (B22, B30, B51), parameters (B36), what was not told (B40, B50), dashes (B49), files made just
//! before (B15), one depth alone (B52), machines (B53).

use crate::foreign::case::{Case, Test};
use crate::foreign::rule::{Rule, Seen};
use crate::foreign::say;
use model::{Bytes, Quantity, RuleText, Severity, SourceLine, Way};

pub(super) const RULES: &[Rule] = &[
    Rule {
        text: RuleText {
            id: "B15-mixed-files",
            severity: Severity::Note,
            title: "some of the files were made just before, others had stood for a while",
            explanation: "A file written seconds ago may lie in caches of the service, one written earlier may not: jobs that read \
                both kinds read at two speeds. fio says in its output which files it made.",
            remedy: "make all files in one run (create_only=1), wait, then measure in another",
        },
        look: mixed_files,
    },
    Rule {
        text: RuleText {
            id: "B22-memory",
            severity: Severity::Doubt,
            title: "the data are less than twice the memory: caches may have answered",
            explanation: "Data that fit into memory, or nearly, come from the page cache, the database's buffers or the \
                hypervisor's, unless all of them are passed by. The usual rule is twice the memory of the host and four times \
                the cache of a controller.",
            remedy: "use data of twice the memory, or direct=1 on storage whose caches are smaller",
        },
        look: memory,
    },
    Rule {
        text: RuleText {
            id: "B30-small-set",
            severity: Severity::Doubt,
            title: "a small working set was moved again and again: a cache of its size would answer all of it",
            explanation: "Bytes moved over the size of the files are the passes over the working set. From the second on a cache \
                below the file system, in the array or in the service, may answer. With randrepeat the order of the passes is \
                even the same.",
            remedy: "use files of at least four times the array's cache, or fewer passes",
        },
        look: small_set,
    },
    Rule {
        text: RuleText {
            id: "B36-options",
            severity: Severity::Note,
            title: "options that contradict each other, or change what is measured",
            explanation: "rwmixread and rwmixwrite set each other: the last one holds. sync=1 makes every write wait for the media \
                on top of direct=1. A rate printed with three digits (20.5k) hides one part in four hundred; the counts are \
                exact and are used here.",
            remedy: "say one of them; leave sync=1 out unless durable writes are the question",
        },
        look: options,
    },
    Rule {
        text: RuleText {
            id: "B40-no-percentile",
            severity: Severity::Note,
            title: "no percentile: how long the slow ones take is not told",
            explanation: "A mean hides its tail. Rules such as \"not above 5 ms\" cannot be checked with a mean, nor with \
                operations per second alone.",
            remedy: "measure with percentiles (secchi db ranread has them for RanRead)",
        },
        look: no_percentile,
    },
    Rule {
        text: RuleText {
            id: "B49-dashes",
            severity: Severity::Note,
            title: "the command line has typographic dashes: as it stands it does not run",
            explanation: "Word processors and web pages turn -- into an en dash. fio takes such a word for the name of a job file.",
            remedy: "type two hyphens; secchi fio and secchi lint mend them",
        },
        look: dashes,
    },
    Rule {
        text: RuleText {
            id: "B50-no-latency",
            severity: Severity::Doubt,
            title: "no latency: gtod_reduce left it out",
            explanation: "gtod_reduce=1 turns off latencies and percentiles to save clock reads. Little's law still gives the mean: \
                operations in flight over the rate; the kernel's counts on the device give its own share.",
            remedy: "leave gtod_reduce out; secchi fio measures latency at less than 1 % of the rate",
        },
        look: no_latency,
    },
    Rule {
        text: RuleText {
            id: "B51-short",
            severity: Severity::Note,
            title: "a short run: it tells of caches and burst budgets, not of what is sustained",
            explanation: "Burst credits of volumes and write caches of drives last for minutes. A run of less than a minute that \
                stops when its files are done has seen nothing else.",
            remedy: "run for longer than the burst lasts (secchi limits explain says how long), time based",
        },
        look: short,
    },
    Rule {
        text: RuleText {
            id: "B52-one-depth",
            severity: Severity::Note,
            title: "whether it is fast is not told: one depth, no percentile",
            explanation: "A rate with many operations in flight says how much passes, and not how long one waits: the same rate is \
                good or bad by the depth it needs. Without a result with one in flight, or a percentile, and without the device's \
                identity, nothing compares it with another device.",
            remedy: "measure with one in flight, too, and with percentiles (secchi qualify does both and records the device)",
        },
        look: one_depth,
    },
    Rule {
        text: RuleText {
            id: "B53-machines",
            severity: Severity::Doubt,
            title: "results of different operating systems in one table",
            explanation: "An engine of Windows beside one of Linux means two machines, or at least two stacks: a difference between \
                such rows is no difference of the storage.",
            remedy: "compare within one machine",
        },
        look: machines,
    },
];

fn mixed_files(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for test in case.of_fio().filter(|t| t.jobs() > 1.0 && t.other("filename").is_none()) {
        if let Some(made) = test.made().filter(|m| *m < test.jobs()) {
            let what = format!("{made:.0} of {:.0} files were new", test.jobs());
            seen.push(Seen::of(test, what).lines([test.head(format!("Laying out IO file, {made:.0} times"))]));
        }
    }
    seen
}

fn memory(case: &Case) -> Vec<Seen> {
    let Some(memory) = case.memory else { return Vec::new() };
    let mut seen = Vec::new();
    for test in &case.tests {
        let Some(set) = test.working_set().filter(|s| *s < 2.0 * memory.0 as f64) else { continue };
        let what =
            format!("{} are {:.2} times the memory of {}", Bytes(set as u64), set / memory.0.max(1) as f64, memory);
        seen.push(Seen::of(test, what).lines([test.head(format!("size {}", Bytes(set as u64)))]));
    }
    seen
}

/// Passes from which a cache is warm.
const PASSES: f64 = 2.0;

fn small_set(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for test in case.of_fio() {
        let (Some(passes), Some(set)) = (test.passes(), test.working_set()) else { continue };
        // Files larger than any cache are no small set.
        if passes < PASSES || set > 1e12 {
            continue;
        }
        let mut one = Seen::of(test, format!("{passes:.1} passes over {}", Bytes(set as u64)));
        if test.other("randrepeat").is_some_and(|v| v != "0") && test.rw().starts_with("rand") {
            one = one.with("randrepeat=1: the same order each time");
        }
        let line = test.sides().first().and_then(|s| s.get(Quantity::Moved).or(s.get(Quantity::Operations)));
        seen.push(one.on(test, line));
    }
    seen
}

fn options(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for test in case.of_fio() {
        let mut odd = Vec::new();
        if let (Some(read), Some(write)) = (test.other("rwmixread"), test.other("rwmixwrite")) {
            odd.push(format!("rwmixread={read} and rwmixwrite={write}: the last one holds"));
        }
        if let Some(sync) = test.other("sync").filter(|v| !["0", "none"].contains(v)) {
            let direct = test.asked().direct == Some(true);
            odd.push(format!(
                "sync={sync}{}: every write waits for the media",
                if direct { " on top of direct=1" } else { "" }
            ));
        }
        if let Some(ramp) = test.other("ramp_time").filter(|v| *v != "0") {
            odd.push(format!("ramp_time={ramp}: the output does not say that it was left out"));
        }
        let Some((first, rest)) = odd.split_first() else { continue };
        let mut one = Seen::of(test, first.clone()).lines([SourceLine {
            source: test.file.source.clone(),
            line: 1,
            words: odd.iter().filter_map(|o| o.split(':').next()).collect::<Vec<_>>().join("; "),
        }]);
        for more in rest {
            one = one.with(more.clone());
        }
        seen.push(one);
    }
    seen
}

fn no_percentile(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for test in &case.tests {
        let mean = test.mean().is_some();
        let any = test
            .test
            .values
            .iter()
            .any(|v| matches!(v.of, Quantity::Latency(_, model::Statistic::Percentile(_))) && v.value.is_some());
        let requests = test.file.series("request").is_some();
        if mean && !any && !requests && test.test.histograms.is_empty() {
            let way = test.sides().first().map_or(Way::All, |s| s.way);
            let of = [Quantity::Latency(model::ForeignLatency::Total, model::Statistic::Mean)];
            seen.push(Seen::of(test, "only a mean latency").lines(test.lines(way, &of)));
        } else if !mean && !any && !test.is_fio() && test.rate().is_some() && !is_statistics(test) {
            seen.push(Seen::of(test, "no latency at all").lines([test.head(test.test.name.clone())]));
        }
    }
    seen
}

/// Counters beside a load: nobody expects percentiles of them.
fn is_statistics(test: &Test) -> bool {
    ["irisstat", "mgstat", "perfmon", "iostat"].iter().any(|f| test.file.format.starts_with(f))
}

fn dashes(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for file in case.files {
        for remark in file.remarks.iter().filter(|r| r.text.contains("typographic dashes")) {
            let line = SourceLine { source: file.source.clone(), line: remark.line, words: "en dashes".to_owned() };
            seen.push(
                Seen::about(model::file_name(&file.source), "its command line has dashes that are no hyphens")
                    .lines([line]),
            );
        }
    }
    seen
}

/// Fewer operations of a device are those of its file system.
const FEW: f64 = 100.0;

/// What devices themselves counted, time in them over operations: that which the files lie on, and those below it.
fn device_latencies<'a>(test: &Test<'a>, way: Way) -> Vec<(&'a str, f64)> {
    if test.file.tests.len() != 1 {
        return Vec::new();
    }
    let of = |disk: &'a model::ForeignTest| {
        let (time, ops) = (disk.value(way, Quantity::DeviceTime)?, disk.value(way, Quantity::Operations)?);
        (ops >= FEW && time > 0.0).then(|| (disk.name.as_str(), time / ops))
    };
    test.file.disks.iter().filter_map(of).collect()
}

/// Four digits: means that are compared with each other.
fn fine(seconds: f64) -> String {
    if seconds < 1e-3 { format!("{:.1} us", seconds * 1e6) } else { format!("{:.3} ms", seconds * 1e3) }
}

fn no_latency(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for test in case.of_fio() {
        let any = test.test.values.iter().any(|v| matches!(v.of, Quantity::Latency(..)) && v.value.is_some());
        let (false, Some(n), Some(rate)) = (any, test.concurrency(), test.rate()) else { continue };
        let mut one =
            Seen::of(test, format!("{n:.0} in flight / {} = {} by Little's law", say::iops(rate), fine(n / rate)));
        for (way, word) in [(Way::Read, "reads"), (Way::Write, "writes")] {
            let told: Vec<String> =
                device_latencies(test, way).iter().map(|(name, mean)| format!("{} in {name}", fine(*mean))).collect();
            if !told.is_empty() {
                one = one.with(format!("by the disk statistics {word} took {}", say::list(&told)));
            }
        }
        let lines: Vec<_> = test
            .sides()
            .iter()
            .filter_map(|s| s.get(Quantity::Iops(model::Statistic::Overall)))
            .map(|v| test.line(v))
            .collect();
        let disks = test.file.disks.iter().filter_map(|d| d.values.iter().find(|v| v.of == Quantity::DeviceTime));
        seen.push(one.lines(lines).lines(disks.map(|v| test.line(v))));
    }
    seen
}

/// Whether all that is known of fio's results are rates of deep queues.
fn one_depth(case: &Case) -> Vec<Seen> {
    let tests: Vec<&Test> = case.of_fio().filter(|t| t.rate().is_some() && t.concurrency().is_some()).collect();
    let told = |t: &&Test| {
        t.percentile(99.0).is_some() || !t.test.histograms.is_empty() || t.concurrency().is_some_and(|n| n <= 1.0)
    };
    if tests.is_empty() || tests.iter().any(told) {
        return Vec::new();
    }
    let flights = tests.iter().filter_map(|t| t.concurrency());
    let (low, high) = flights.fold((f64::MAX, 0.0), |(l, h): (f64, f64), n| (l.min(n), h.max(n)));
    let flight = if low < high { format!("{low:.0} to {high:.0}") } else { format!("{high:.0}") };
    let what = format!("{flight} in flight throughout, no percentile, and nothing with one in flight");
    let fastest = tests.iter().max_by(|a, b| a.rate().unwrap_or(0.0).total_cmp(&b.rate().unwrap_or(0.0)));
    let mut one = Seen::about(if tests.len() == 1 { tests[0].title() } else { "all results".to_owned() }, what);
    if let Some((test, rate)) = fastest.and_then(|t| Some((t, t.rate()?))) {
        let each = fine(test.concurrency().unwrap_or(1.0) / rate);
        one = one.with(format!("{} are {each} for each operation: fast is a matter of the depth", say::iops(rate)));
        one = one.lines([test.head(format!("{} at {}", test.title(), say::iops(rate)))]);
    }
    let mut devices: Vec<String> = tests.iter().flat_map(|t| &t.file.disks).map(|d| d.name.clone()).collect();
    devices.sort_unstable();
    devices.dedup();
    if !devices.is_empty() {
        one = one.with(format!("of the device only {} is told: no model, no size, no link", say::list(&devices)));
    }
    vec![one.rows(tests.iter().map(|t| t.index))]
}

/// Seconds below which a run that was not told a time is short.
const SHORT: f64 = 40.0;

fn short(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for test in case.of_fio() {
        let Some(seconds) = test.seconds().filter(|s| *s < SHORT) else { continue };
        if test.asked().seconds.is_some() || test.other("time_based").is_some() {
            continue;
        }
        // Of a run by time the size moved is no round number of files.
        let moved: f64 = test.sides().iter().filter_map(|s| s.moved()).sum();
        let round = test.working_set().is_none_or(|set| (moved / set - 1.0).abs() < 0.01);
        if moved <= 0.0 || !round || !is_whole(moved) {
            continue;
        }
        let what = format!("{} for {} once", say::seconds(seconds), Bytes(moved.round() as u64));
        let line = test.sides().first().and_then(|s| s.get(Quantity::Runtime));
        seen.push(Seen::of(test, what).on(test, line));
    }
    seen
}

/// A round number of MiB, as sizes of files are.
fn is_whole(bytes: f64) -> bool {
    let mib = bytes / 1_048_576.0;
    let near = (mib / 64.0).round() * 64.0;
    near > 0.0 && (mib - near).abs() <= 0.002 * mib
}

fn machines(case: &Case) -> Vec<Seen> {
    let windows = |t: &&Test| t.engine() == "windowsaio";
    let linux = |t: &&Test| ["libaio", "io_uring"].contains(&t.engine());
    let (Some(a), Some(b)) = (case.of_fio().find(windows), case.of_fio().find(linux)) else { return Vec::new() };
    let what = format!("{} ran on Windows, {} on Linux", a.title(), b.title());
    let lines = [a, b].map(|t| t.head(format!("ioengine={}", t.engine())));
    vec![Seen::about("the files", what).lines(lines)]
}
