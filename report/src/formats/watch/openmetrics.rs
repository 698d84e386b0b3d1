//! OpenMetrics text of a watch, for node_exporter's textfile collector and for scraping (openmetrics.io, 1.0).
//!
//! Counters count from the start of the watch; gauges are values of the last sample. Base units: seconds, bytes,
//! ratios.

use model::{
    BlockTrace, CapNow, LatencyHistogram, LimitAxis, RequestKind, Sample, WatchPlan, bucket_of, sampled, series_of,
};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Totals so far, updated with every sample.
#[derive(Debug, Clone)]
pub struct Totals {
    plan: WatchPlan,
    /// ID of the watch.
    id: String,
    tool: String,
    /// Sums by series: value times the actual length of its interval.
    sums: BTreeMap<String, f64>,
    looks: u64,
    covered: f64,
    last: Vec<Sample>,
    caps: Vec<CapNow>,
    /// Trace of the block layer since the start of the watch.
    trace: BlockTrace,
}

impl Totals {
    /// Creates the totals of a new watch.
    #[must_use]
    pub fn new(plan: &WatchPlan, id: &str, tool: &str) -> Self {
        Totals {
            plan: plan.clone(),
            id: id.to_owned(),
            tool: tool.to_owned(),
            sums: BTreeMap::new(),
            looks: 0,
            covered: 0.0,
            last: Vec::new(),
            caps: Vec::new(),
            trace: BlockTrace::default(),
        }
    }

    /// Adds one interval of the block layer's trace.
    pub fn add_trace(&mut self, trace: &BlockTrace) {
        self.trace.merge(trace);
    }

    /// Adds a sample.
    pub fn add_sample(&mut self, samples: &[Sample], caps: Vec<CapNow>) {
        let Some(seconds) = sampled(samples, "sampler.stretch") else { return };
        self.looks += 1;
        self.covered += seconds;
        // With several hosts, each has its own intervals.
        let host_seconds: Vec<(&str, f64)> = self
            .plan
            .hosts
            .iter()
            .skip(1)
            .filter_map(|host| {
                Some((host.as_str(), sampled(samples, &model::name_on_host("sampler.stretch", host, false))?))
            })
            .collect();
        let seconds_of = |name: &str| {
            let thing = name.split_once('.').map_or(name, |(_, rest)| rest);
            let is_of = |host: &str, name: &str| name.strip_prefix(host).is_some_and(|rest| rest.starts_with('/'));
            host_seconds
                .iter()
                .find(|(host, _)| is_of(host, name) || is_of(host, thing))
                .map_or(seconds, |(_, own)| *own)
        };
        for sample in samples.iter().filter(|s| ["ops/s", "B/s", "percent"].contains(&s.unit.as_str())) {
            let seconds = seconds_of(&sample.name);
            *self.sums.entry(sample.name.clone()).or_default() += sample.value * seconds;
        }
        // Total time of requests: the mean times the number of requests.
        for sample in samples.iter().filter(|s| s.name.ends_with("_await")) {
            let ops = sample.name.trim_end_matches("_await").to_owned() + "_ops";
            let seconds = seconds_of(&sample.name);
            let seconds_in = sample.value / 1e3 * sampled(samples, &ops).unwrap_or(0.0) * seconds;
            *self.sums.entry(sample.name.clone()).or_default() += seconds_in;
        }
        for sample in samples.iter().filter(|s| s.name.ends_with(".queue")) {
            *self.sums.entry(sample.name.clone()).or_default() += sample.value * seconds_of(&sample.name);
        }
        if let Some(micros) = sampled(samples, "sampler.cpu") {
            *self.sums.entry("sampler.cpu".to_owned()).or_default() += micros / 1e6;
        }
        self.last = samples.to_vec();
        self.caps = caps;
    }

    fn sum(&self, name: &str) -> Option<f64> {
        self.sums.get(name).copied()
    }
}

/// Metric families being built: one block of text each, in the order of their first use.
#[derive(Default)]
struct Families {
    blocks: Vec<Family>,
}

struct Family {
    name: &'static str,
    kind: &'static str,
    unit: &'static str,
    help: &'static str,
    /// Suffix of the name, labels, value.
    rows: Vec<(&'static str, String, String)>,
}

impl Families {
    fn row(&mut self, family: &Named, labels: &[(&str, &str)], value: f64) {
        let suffix = match family.1 {
            "counter" => "_total",
            "info" => "_info",
            _ => "",
        };
        self.part(family, suffix, labels, value);
    }

    /// Adds a histogram: cumulative counts for each bound, the total count, and the sum.
    fn histogram(&mut self, family: &Named, labels: &[(&str, &str)], at_most: &[(f64, u64)], all: u64, sum: f64) {
        let bounds = at_most.iter().map(|(bound, n)| (number(*bound), *n)).chain([("+Inf".to_owned(), all)]);
        for (bound, n) in bounds {
            let labels: Vec<(&str, &str)> = labels.iter().copied().chain([("le", bound.as_str())]).collect();
            self.part(family, "_bucket", &labels, n as f64);
        }
        self.part(family, "_count", labels, all as f64);
        self.part(family, "_sum", labels, sum);
    }

    fn part(&mut self, family: &Named, suffix: &'static str, labels: &[(&str, &str)], value: f64) {
        if !value.is_finite() {
            return;
        }
        let Named(name, kind, unit, help) = *family;
        let at = self.blocks.iter().position(|f| f.name == name).unwrap_or_else(|| {
            self.blocks.push(Family { name, kind, unit, help, rows: Vec::new() });
            self.blocks.len() - 1
        });
        let mut text = String::new();
        for (i, (key, value)) in labels.iter().enumerate() {
            let _ = write!(text, "{}{key}=\"{}\"", if i == 0 { "" } else { "," }, escaped(value));
        }
        let labels = if text.is_empty() { text } else { format!("{{{text}}}") };
        self.blocks[at].rows.push((suffix, labels, number(value)));
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for f in &self.blocks {
            writeln!(out, "# TYPE {} {}", f.name, f.kind)?;
            if !f.unit.is_empty() {
                writeln!(out, "# UNIT {} {}", f.name, f.unit)?;
            }
            writeln!(out, "# HELP {} {}", f.name, f.help)?;
            for (suffix, labels, value) in &f.rows {
                writeln!(out, "{}{suffix}{labels} {value}", f.name)?;
            }
        }
        out.write_all(b"# EOF\n")
    }
}

/// Name, type, unit and help of a family.
struct Named(&'static str, &'static str, &'static str, &'static str);

const WATCH: Named = Named("secchi_watch", "info", "", "Information about the watch.");
const LOOKS: Named = Named("secchi_looks", "counter", "", "Number of samples taken.");
const COVERED: Named =
    Named("secchi_covered_seconds", "counter", "seconds", "Time covered by the counters below, without gaps.");
const COST: Named = Named("secchi_sampler_cpu_seconds", "counter", "seconds", "CPU time used for sampling.");
const IO: Named = Named(
    "secchi_device_io",
    "counter",
    "",
    "Requests of all processes that the block device completed, after merging.",
);
const MERGED: Named =
    Named("secchi_device_merged_io", "counter", "", "Requests merged into others before they were sent.");
const BYTES: Named = Named("secchi_device_io_bytes", "counter", "bytes", "Bytes of completed requests.");
const TIME: Named = Named(
    "secchi_device_io_seconds",
    "counter",
    "seconds",
    "Sum of the request latencies, from queueing to completion.",
);
const QUEUE: Named =
    Named("secchi_device_queue_seconds", "counter", "seconds", "Integral of requests in flight over time.");
const BUSY: Named = Named(
    "secchi_device_busy_seconds",
    "counter",
    "seconds",
    "Time with at least one request in flight; not the utilization of the device.",
);
const INFLIGHT: Named = Named("secchi_device_inflight", "gauge", "", "Requests in flight at the last sample.");
const LIMIT_IOPS: Named =
    Named("secchi_limit_io_per_second", "gauge", "", "Declared or published cap on requests per second.");
const LIMIT_BYTES: Named =
    Named("secchi_limit_bytes_per_second", "gauge", "", "Declared or published cap on bytes per second.");
const LIMIT_USE: Named = Named(
    "secchi_limit_utilization_ratio",
    "gauge",
    "ratio",
    "Share of the cap used in the last interval, summed over its devices at the same time.",
);
const PROCESS_BYTES: Named = Named(
    "secchi_process_io_bytes",
    "counter",
    "bytes",
    "Bytes that the kernel sent to block devices for the process and its children.",
);
const PROCESS_CPU: Named =
    Named("secchi_process_cpu_seconds", "counter", "seconds", "CPU time of the process and its children.");
const PROCESS_SWITCHES: Named =
    Named("secchi_process_context_switches", "counter", "", "Context switches of the process and its children.");
const PROCESS_CALLS: Named = Named(
    "secchi_process_io_calls",
    "counter",
    "",
    "Read and write system calls on files, pipes and sockets; io_uring and Linux AIO are not included.",
);
const PROCESS_CALLED: Named = Named(
    "secchi_process_io_calls_bytes",
    "counter",
    "bytes",
    "Bytes moved by system calls of the process and its children.",
);
const GROUP_IO: Named =
    Named("secchi_group_io", "counter", "", "Requests charged to the control group of a process, before merging.");
const GROUP_BYTES: Named = Named("secchi_group_io_bytes", "counter", "bytes", "Bytes charged to the control group.");
const GROUP_CPU: Named = Named("secchi_group_cpu_seconds", "counter", "seconds", "CPU time of the control group.");
const GROUP_STOPPED: Named = Named(
    "secchi_group_stopped_seconds",
    "counter",
    "seconds",
    "Time during which the threads of the control group were throttled by its CPU quota, summed over all CPUs.",
);
const GROUP_PERIODS: Named =
    Named("secchi_group_quota_periods", "counter", "", "Periods of the CPU quota in which the group had work to do.");
const GROUP_THROTTLED: Named = Named(
    "secchi_group_throttled_periods",
    "counter",
    "",
    "Periods of the CPU quota in which the group was throttled.",
);
const GROUP_MEMORY: Named =
    Named("secchi_group_memory_bytes", "gauge", "bytes", "Memory charged to the control group at the last sample.");
const SIZES: Named = Named(
    "secchi_request_size_bytes",
    "histogram",
    "bytes",
    "Sizes of completed requests at the device, after merging, by the role of their files.",
);
const TIMES: Named = Named(
    "secchi_request_seconds",
    "histogram",
    "seconds",
    "Latencies of completed requests from their dispatch to the device to its response.",
);
const CGROUP_IO: Named =
    Named("secchi_cgroup_io", "counter", "", "Requests charged to secchi's control group, before merging.");
const CGROUP_BYTES: Named =
    Named("secchi_cgroup_io_bytes", "counter", "bytes", "Bytes charged to secchi's control group.");
const CPU: Named = Named("secchi_cpu_ratio", "gauge", "ratio", "Share of the machine's CPU time in the last interval.");
const MEMORY: Named = Named("secchi_memory_bytes", "gauge", "bytes", "Memory at the last sample.");
const PRESSURE: Named = Named(
    "secchi_pressure_ratio",
    "gauge",
    "ratio",
    "Share of the last interval in which tasks waited for the resource.",
);
const SPACE: Named = Named("secchi_filesystem_bytes", "gauge", "bytes", "Space on the file system at the last sample.");

/// Writes the totals and the last sample.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_openmetrics(totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
    let mut families = Families::default();
    families.row(&WATCH, &[("id", &totals.id), ("version", &totals.tool)], 1.0);
    families.row(&LOOKS, &[], totals.looks as f64);
    families.row(&COVERED, &[], totals.covered);
    if let Some(seconds) = totals.sum("sampler.cpu") {
        families.row(&COST, &[], seconds);
    }
    devices(&mut families, totals);
    for cap in &totals.caps {
        let axis = match cap.axis {
            LimitAxis::Iops => "iops",
            LimitAxis::Bandwidth => "bandwidth",
        };
        let family = if cap.axis == LimitAxis::Iops { &LIMIT_IOPS } else { &LIMIT_BYTES };
        families.row(family, &[("limit", &cap.name)], cap.cap);
        families.row(&LIMIT_USE, &[("limit", &cap.name), ("axis", axis)], cap.used / cap.cap);
    }
    processes(&mut families, totals);
    groups(&mut families, totals);
    requests(&mut families, totals);
    for (what, op) in [("read", "read"), ("write", "write")] {
        if let Some(ops) = totals.sum(&format!("cgroup.{what}_ops")) {
            families.row(&CGROUP_IO, &[("op", op)], ops.round());
        }
        if let Some(bytes) = totals.sum(&format!("cgroup.{what}")) {
            families.row(&CGROUP_BYTES, &[("op", op)], bytes.round());
        }
    }
    machine(&mut families, totals);
    families.write(out)
}

fn things<'a>(totals: &'a Totals, kind: &str) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    // A device that disappeared keeps its counts.
    for (name, _) in totals.sums.keys().filter_map(|n| series_of(n, kind)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn devices(families: &mut Families, totals: &Totals) {
    for name in things(totals, "device") {
        let roles = totals.plan.device(name).roles.join("+");
        let sum = |what: &str| totals.sum(&format!("device.{name}.{what}"));
        for op in ["read", "write", "discard", "flush"] {
            let labels = [("device", name), ("role", roles.as_str()), ("op", op)];
            let mut row = |family: &Named, value: Option<f64>| {
                if let Some(value) = value {
                    families.row(family, &labels, value);
                }
            };
            row(&IO, sum(&format!("{op}_ops")).map(f64::round));
            row(&BYTES, sum(op).map(f64::round));
            row(&MERGED, sum(&format!("{op}_merged")).map(f64::round));
            row(&TIME, sum(&format!("{op}_await")));
        }
        let labels = [("device", name), ("role", roles.as_str())];
        if let Some(seconds) = sum("queue") {
            families.row(&QUEUE, &labels, seconds);
        }
        if let Some(percent_seconds) = sum("busy") {
            families.row(&BUSY, &labels, percent_seconds / 100.0);
        }
        if let Some(now) = sampled(&totals.last, &format!("device.{name}.in_flight")) {
            families.row(&INFLIGHT, &labels, now);
        }
    }
}

fn processes(families: &mut Families, totals: &Totals) {
    for name in things(totals, "process") {
        let sum = |what: &str| totals.sum(&format!("process.{name}.{what}"));
        for op in ["read", "write"] {
            if let Some(bytes) = sum(op) {
                families.row(&PROCESS_BYTES, &[("process", name), ("op", op)], bytes.round());
            }
        }
        for op in ["read", "write"] {
            if let Some((calls, bytes)) = sum(&format!("{op}_calls")).zip(sum(&format!("called_{op}"))) {
                families.row(&PROCESS_CALLS, &[("process", name), ("op", op)], calls.round());
                families.row(&PROCESS_CALLED, &[("process", name), ("op", op)], bytes.round());
            }
        }
        for (what, mode) in [("cpu_user", "user"), ("cpu_system", "system")] {
            if let Some(percent_seconds) = sum(what) {
                families.row(&PROCESS_CPU, &[("process", name), ("mode", mode)], percent_seconds / 100.0);
            }
        }
        if let Some(switches) = sum("switches") {
            families.row(&PROCESS_SWITCHES, &[("process", name)], switches.round());
        }
    }
}

fn groups(families: &mut Families, totals: &Totals) {
    for thing in things(totals, "group") {
        let sum = |what: &str| totals.sum(&format!("group.{thing}.{what}"));
        let whole = totals.plan.groups.iter().any(|g| g.name == thing);
        if let Some((group, device)) = thing.rsplit_once(':').filter(|_| !whole) {
            for op in ["read", "write"] {
                let labels = [("group", group), ("device", device), ("op", op)];
                if let Some((ops, bytes)) = sum(&format!("{op}_ops")).zip(sum(op)) {
                    families.row(&GROUP_IO, &labels, ops.round());
                    families.row(&GROUP_BYTES, &labels, bytes.round());
                }
            }
            continue;
        }
        let mut row = |family: &Named, value: Option<f64>| {
            if let Some(value) = value {
                families.row(family, &[("group", thing)], value);
            }
        };
        row(&GROUP_CPU, sum("cpu").map(|percent_seconds| percent_seconds / 100.0));
        row(&GROUP_STOPPED, sum("stopped").map(|percent_seconds| percent_seconds / 100.0));
        row(&GROUP_PERIODS, sum("periods").map(f64::round));
        row(&GROUP_THROTTLED, sum("throttled").map(f64::round));
        row(&GROUP_MEMORY, sampled(&totals.last, &format!("group.{thing}.memory")));
    }
}

/// Adds the exact results of the block layer's trace: sizes in whole bytes, times in whole nanoseconds.
fn requests(families: &mut Families, totals: &Totals) {
    for device in &totals.trace.devices {
        for role in &device.roles {
            for kind in RequestKind::ALL {
                let Some(ops) = role.kind(kind) else { continue };
                let labels = [("device", device.name.as_str()), ("role", role.role.as_str()), ("op", kind.name())];
                if ops.sizes.count() > 0 {
                    let at_most: Vec<(f64, u64)> =
                        model::SIZE_BUCKETS.iter().map(|b| (b.as_u64() as f64, ops.sizes.at_most(*b))).collect();
                    // The last bucket has no upper bound; the total count covers it.
                    let buckets = &at_most[..at_most.len() - 1];
                    families.histogram(&SIZES, &labels, buckets, ops.sizes.count(), ops.sizes.bytes().as_u64() as f64);
                }
            }
        }
    }
    for device in &totals.trace.devices {
        for role in &device.roles {
            for kind in RequestKind::ALL {
                let Some(ops) = role.kind(kind) else { continue };
                let labels = [("device", device.name.as_str()), ("role", role.role.as_str()), ("op", kind.name())];
                let sum = ops.service.summary().sum as f64 / 1e9;
                families.histogram(&TIMES, &labels, &times(&ops.service), ops.service.count(), sum);
            }
        }
    }
}

/// Returns cumulative counts for bounds from 16 us to 17 s: values just below powers of two in nanoseconds, which are
/// bounds of the histogram's buckets.
fn times(latency: &LatencyHistogram) -> Vec<(f64, u64)> {
    let below = |exponent: u32| {
        let end = bucket_of(1 << exponent);
        let n = latency.buckets().take_while(|(bucket, _)| *bucket < end).map(|(_, n)| n).sum();
        (((1u64 << exponent) - 1) as f64 / 1e9, n)
    };
    (14..=34).map(below).collect()
}

fn machine(families: &mut Families, totals: &Totals) {
    for sample in &totals.last {
        // With several hosts, each name begins with its host.
        let host = totals.plan.hosts.iter().find_map(|host| {
            let rest = sample.name.strip_prefix(host.as_str())?.strip_prefix('/')?;
            Some((host.as_str(), rest))
        });
        let (host, rest) = host.unwrap_or(("", &sample.name));
        let mut row = |family: &Named, labels: &[(&str, &str)], value: f64| {
            let of_host = (!host.is_empty()).then_some(("host", host));
            families.row(family, &of_host.into_iter().chain(labels.iter().copied()).collect::<Vec<_>>(), value);
        };
        if let Some(mode) = rest.strip_prefix("cpu.").filter(|_| sample.unit == "percent") {
            row(&CPU, &[("mode", mode)], sample.value / 100.0);
        } else if let Some(kind) = rest.strip_prefix("memory.") {
            row(&MEMORY, &[("kind", kind)], sample.value);
        } else if let Some((resource, kind)) = rest.strip_prefix("pressure.").and_then(|n| n.split_once('.')) {
            row(&PRESSURE, &[("resource", resource), ("kind", kind)], sample.value / 100.0);
        } else if let Some((name, kind)) = series_of(&sample.name, "space") {
            families.row(&SPACE, &[("filesystem", name), ("kind", kind)], sample.value);
        }
    }
}

fn escaped(text: &str) -> String {
    crate::harmless(text).replace('\\', r"\\").replace('"', r#"\""#)
}

/// Formats a number for any parser: whole numbers without a point.
fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 9e15 { format!("{value:.0}") } else { format!("{value}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::watch::testkit::{samples_of_second, watched};

    fn text() -> String {
        let (record, _) = watched();
        let plan = record.plan.watch().expect("a watch");
        let mut totals = Totals::new(plan, &record.id, &record.tool);
        for i in 1..=4 {
            totals.add_sample(
                &samples_of_second(i),
                analysis::fullness(&record.plan.limits, plan, &samples_of_second(i)),
            );
        }
        let mut out = Vec::new();
        write_openmetrics(&totals, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn counters_are_totals_and_gauges_are_of_the_last_look() {
        insta::assert_snapshot!(text());
    }

    #[test]
    fn a_family_is_named_once_and_the_end_is_marked() {
        let text = text();
        let types: Vec<&str> = text.lines().filter(|l| l.starts_with("# TYPE")).collect();
        let mut once = types.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), types.len());
        assert!(text.ends_with("# EOF\n") && text.matches("# EOF").count() == 1);
        assert!(text.contains("secchi_device_io_total{device=\"vdb\",role=\"data\",op=\"write\"} 20000\n"));
    }

    #[test]
    fn a_label_cannot_end_its_quotes() {
        assert_eq!(escaped("a\"b\\c\nd"), r#"a\"b\\c d"#);
    }
}
