//! OpenMetrics text of a watch, for node_exporter's textfile collector and for scraping (openmetrics.io, 1.0).
//!
//! Counters count from the start of the watch; gauges are values of the last sample. Base units: seconds, bytes,
//! ratios.

use super::processes::names;
use crate::grouping::grouped;
use model::measured::{BlockTrace, RequestKind, Sample, bucket_of, sampled, series_of};
use model::{LatencyHistogram, bounds::LimitAxis, judged::CapNow, plan::WatchPlan};
use std::collections::BTreeMap;
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
        let hosts = self.plan.hosts.iter().skip(1);
        let host_seconds: Vec<(&str, f64)> = hosts
            .filter_map(|host| {
                Some((&**host, sampled(samples, &model::measured::name_on_host("sampler.stretch", host, false))?))
            })
            .collect();
        let seconds_of = |name: &str| {
            let thing = name.split_once('.').map_or(name, |(_, rest)| rest);
            let is_of = |host: &str, name: &str| name.strip_prefix(host).is_some_and(|rest| rest.starts_with('/'));
            let host = host_seconds.iter().find(|(host, _)| is_of(host, name) || is_of(host, thing));
            host.map_or(seconds, |(_, seconds)| *seconds)
        };
        for sample in samples {
            let name = &sample.name;
            let value = match (sample.unit.as_str(), name.strip_suffix("_await")) {
                ("ops/s" | "B/s" | "percent", _) => sample.value * seconds_of(name),
                // Total time of requests: the mean times the number of requests.
                (_, Some(op)) => {
                    let ops = sampled(samples, &format!("{op}_ops")).unwrap_or(0.0);
                    sample.value / 1e3 * ops * seconds_of(name)
                }
                _ if name.ends_with(".queue") => sample.value * seconds_of(name),
                _ if name == "sampler.cpu" => sample.value / 1e6,
                _ => continue,
            };
            *self.sums.entry(name.clone()).or_default() += value;
        }
        self.last = samples.to_vec();
        self.caps = caps;
    }

    fn sum(&self, name: &str) -> Option<f64> {
        self.sums.get(name).copied()
    }

    /// Returns a sum of rates, which is a whole number except for rounding.
    fn count(&self, name: &str) -> Option<f64> {
        self.sum(name).map(f64::round)
    }

    /// Returns the time that a sum of percentages covers, in seconds.
    fn time(&self, name: &str) -> Option<f64> {
        self.sum(name).map(|percent_seconds| percent_seconds / 100.0)
    }
}

/// Rows of metric families: for each family, the suffix of the name, labels and value. They are written as one block of
/// text for each family, in the order of their first use.
#[derive(Default)]
struct Families(Vec<(&'static Named, (&'static str, String, String))>);

impl Families {
    /// Adds a row, unless its value is unknown.
    fn row(&mut self, family: &'static Named, labels: &[(&str, &str)], value: impl Into<Option<f64>>) {
        let suffix = match family.1 {
            "counter" => "_total",
            "info" => "_info",
            _ => "",
        };
        if let Some(value) = value.into() {
            self.part(family, suffix, labels, value);
        }
    }

    /// Adds a histogram: cumulative counts for each bound, the total count, and the sum.
    fn histogram(
        &mut self,
        family: &'static Named,
        labels: &[(&str, &str)],
        at_most: &[(f64, u64)],
        all: u64,
        sum: f64,
    ) {
        let bounds = at_most.iter().map(|(bound, n)| (number(*bound), *n)).chain([("+Inf".to_owned(), all)]);
        for (bound, n) in bounds {
            let labels: Vec<(&str, &str)> = labels.iter().copied().chain([("le", bound.as_str())]).collect();
            self.part(family, "_bucket", &labels, n as f64);
        }
        self.part(family, "_count", labels, all as f64);
        self.part(family, "_sum", labels, sum);
    }

    fn part(&mut self, family: &'static Named, suffix: &'static str, labels: &[(&str, &str)], value: f64) {
        if !value.is_finite() {
            return;
        }
        let labels: Vec<String> = labels.iter().map(|(key, value)| format!("{key}=\"{}\"", escaped(value))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        self.0.push((family, (suffix, labels, number(value))));
    }

    fn write(self, out: &mut dyn Write) -> io::Result<()> {
        for (named, rows) in grouped(self.0) {
            let Named(name, kind, help) = named;
            writeln!(out, "# TYPE {name} {kind}")?;
            if !named.unit().is_empty() {
                writeln!(out, "# UNIT {name} {}", named.unit())?;
            }
            writeln!(out, "# HELP {name} {help}")?;
            rows.iter().try_for_each(|(suffix, labels, value)| writeln!(out, "{name}{suffix}{labels} {value}"))?;
        }
        out.write_all(b"# EOF\n")
    }
}

/// Name, type and help of a family.
#[derive(PartialEq)]
struct Named(&'static str, &'static str, &'static str);

impl Named {
    /// Returns the unit, with which the name ends; empty if the family has none.
    fn unit(&self) -> &'static str {
        let last = self.0.rsplit('_').next().unwrap_or_default();
        if ["seconds", "bytes", "ratio"].contains(&last) { last } else { "" }
    }
}

const WATCH: Named = Named("secchi_watch", "info", "Information about the watch.");
const LOOKS: Named = Named("secchi_looks", "counter", "Number of samples taken.");
const COVERED: Named = Named("secchi_covered_seconds", "counter", "Time covered by the counters below, without gaps.");
const COST: Named = Named("secchi_sampler_cpu_seconds", "counter", "CPU time used for sampling.");
const IO: Named =
    Named("secchi_device_io", "counter", "Requests of all processes that the block device completed, after merging.");
const MERGED: Named = Named("secchi_device_merged_io", "counter", "Requests merged into others before they were sent.");
const BYTES: Named = Named("secchi_device_io_bytes", "counter", "Bytes of completed requests.");
const TIME: Named =
    Named("secchi_device_io_seconds", "counter", "Sum of the request latencies, from queueing to completion.");
const QUEUE: Named = Named("secchi_device_queue_seconds", "counter", "Integral of requests in flight over time.");
const BUSY: Named = Named(
    "secchi_device_busy_seconds",
    "counter",
    "Time with at least one request in flight; not the utilization of the device.",
);
const INFLIGHT: Named = Named("secchi_device_inflight", "gauge", "Requests in flight at the last sample.");
const LIMIT_IOPS: Named =
    Named("secchi_limit_io_per_second", "gauge", "Declared or published cap on requests per second.");
const LIMIT_BYTES: Named =
    Named("secchi_limit_bytes_per_second", "gauge", "Declared or published cap on bytes per second.");
const LIMIT_USE: Named = Named(
    "secchi_limit_utilization_ratio",
    "gauge",
    "Share of the cap used in the last interval, summed over its devices at the same time.",
);
const PROCESS_BYTES: Named = Named(
    "secchi_process_io_bytes",
    "counter",
    "Bytes that the kernel sent to block devices for the process and its children.",
);
const PROCESS_CPU: Named = Named("secchi_process_cpu_seconds", "counter", "CPU time of the process and its children.");
const PROCESS_SWITCHES: Named =
    Named("secchi_process_context_switches", "counter", "Context switches of the process and its children.");
const PROCESS_CALLS: Named = Named(
    "secchi_process_io_calls",
    "counter",
    "Read and write system calls on files, pipes and sockets; io_uring and Linux AIO are not included.",
);
const PROCESS_CALLED: Named =
    Named("secchi_process_io_calls_bytes", "counter", "Bytes moved by system calls of the process and its children.");
const GROUP_IO: Named =
    Named("secchi_group_io", "counter", "Requests charged to the control group of a process, before merging.");
const GROUP_BYTES: Named = Named("secchi_group_io_bytes", "counter", "Bytes charged to the control group.");
const GROUP_CPU: Named = Named("secchi_group_cpu_seconds", "counter", "CPU time of the control group.");
const GROUP_STOPPED: Named = Named(
    "secchi_group_stopped_seconds",
    "counter",
    "Time during which the threads of the control group were throttled by its CPU quota, summed over all CPUs.",
);
const GROUP_PERIODS: Named =
    Named("secchi_group_quota_periods", "counter", "Periods of the CPU quota in which the group had work to do.");
const GROUP_THROTTLED: Named =
    Named("secchi_group_throttled_periods", "counter", "Periods of the CPU quota in which the group was throttled.");
const GROUP_MEMORY: Named =
    Named("secchi_group_memory_bytes", "gauge", "Memory charged to the control group at the last sample.");
const SIZES: Named = Named(
    "secchi_request_size_bytes",
    "histogram",
    "Sizes of completed requests at the device, after merging, by the role of their files.",
);
const TIMES: Named = Named(
    "secchi_request_seconds",
    "histogram",
    "Latencies of completed requests from their dispatch to the device to its response.",
);
const CGROUP_IO: Named =
    Named("secchi_cgroup_io", "counter", "Requests charged to secchi's control group, before merging.");
const CGROUP_BYTES: Named = Named("secchi_cgroup_io_bytes", "counter", "Bytes charged to secchi's control group.");
const CPU: Named = Named("secchi_cpu_ratio", "gauge", "Share of the machine's CPU time in the last interval.");
const MEMORY: Named = Named("secchi_memory_bytes", "gauge", "Memory at the last sample.");
const PRESSURE: Named =
    Named("secchi_pressure_ratio", "gauge", "Share of the last interval in which tasks waited for the resource.");
const SPACE: Named = Named("secchi_filesystem_bytes", "gauge", "Space on the file system at the last sample.");

/// Writes the totals and the last sample.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_openmetrics(totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
    let mut families = Families::default();
    families.row(&WATCH, &[("id", &totals.id), ("version", &totals.tool)], 1.0);
    families.row(&LOOKS, &[], totals.looks as f64);
    families.row(&COVERED, &[], totals.covered);
    families.row(&COST, &[], totals.sum("sampler.cpu"));
    devices(&mut families, totals);
    for cap in &totals.caps {
        let (axis, family) = match cap.axis {
            LimitAxis::Iops => ("iops", &LIMIT_IOPS),
            LimitAxis::Bandwidth => ("bandwidth", &LIMIT_BYTES),
        };
        families.row(family, &[("limit", &cap.name)], cap.cap);
        families.row(&LIMIT_USE, &[("limit", &cap.name), ("axis", axis)], cap.used / cap.cap);
    }
    processes(&mut families, totals);
    groups(&mut families, totals);
    requests(&mut families, totals);
    for op in ["read", "write"] {
        families.row(&CGROUP_IO, &[("op", op)], totals.count(&format!("cgroup.{op}_ops")));
        families.row(&CGROUP_BYTES, &[("op", op)], totals.count(&format!("cgroup.{op}")));
    }
    machine(&mut families, totals);
    families.write(out)
}

fn devices(families: &mut Families, totals: &Totals) {
    // A device that disappeared keeps its counts.
    for name in names(totals.sums.keys(), "device") {
        let roles = totals.plan.device(name).roles.join("+");
        let series = |what: &str| format!("device.{name}.{what}");
        for op in ["read", "write", "discard", "flush"] {
            let labels = [("device", name), ("role", roles.as_str()), ("op", op)];
            families.row(&IO, &labels, totals.count(&series(&format!("{op}_ops"))));
            families.row(&BYTES, &labels, totals.count(&series(op)));
            families.row(&MERGED, &labels, totals.count(&series(&format!("{op}_merged"))));
            families.row(&TIME, &labels, totals.sum(&series(&format!("{op}_await"))));
        }
        let labels = [("device", name), ("role", roles.as_str())];
        families.row(&QUEUE, &labels, totals.sum(&series("queue")));
        families.row(&BUSY, &labels, totals.time(&series("busy")));
        families.row(&INFLIGHT, &labels, sampled(&totals.last, &series("in_flight")));
    }
}

fn processes(families: &mut Families, totals: &Totals) {
    for name in names(totals.sums.keys(), "process") {
        let series = |what: &str| format!("process.{name}.{what}");
        for op in ["read", "write"] {
            families.row(&PROCESS_BYTES, &[("process", name), ("op", op)], totals.count(&series(op)));
            let calls = totals.count(&series(&format!("{op}_calls")));
            if let Some((calls, bytes)) = calls.zip(totals.count(&series(&format!("called_{op}")))) {
                families.row(&PROCESS_CALLS, &[("process", name), ("op", op)], calls);
                families.row(&PROCESS_CALLED, &[("process", name), ("op", op)], bytes);
            }
        }
        for mode in ["user", "system"] {
            let labels = [("process", name), ("mode", mode)];
            families.row(&PROCESS_CPU, &labels, totals.time(&series(&format!("cpu_{mode}"))));
        }
        families.row(&PROCESS_SWITCHES, &[("process", name)], totals.count(&series("switches")));
    }
}

fn groups(families: &mut Families, totals: &Totals) {
    for thing in names(totals.sums.keys(), "group") {
        let series = |what: &str| format!("group.{thing}.{what}");
        let whole = totals.plan.groups.iter().any(|g| g.name == thing);
        if let Some((group, device)) = thing.rsplit_once(':').filter(|_| !whole) {
            for op in ["read", "write"] {
                let labels = [("group", group), ("device", device), ("op", op)];
                let ops = totals.count(&series(&format!("{op}_ops")));
                if let Some((ops, bytes)) = ops.zip(totals.count(&series(op))) {
                    families.row(&GROUP_IO, &labels, ops);
                    families.row(&GROUP_BYTES, &labels, bytes);
                }
            }
            continue;
        }
        let labels = [("group", thing)];
        families.row(&GROUP_CPU, &labels, totals.time(&series("cpu")));
        families.row(&GROUP_STOPPED, &labels, totals.time(&series("stopped")));
        families.row(&GROUP_PERIODS, &labels, totals.count(&series("periods")));
        families.row(&GROUP_THROTTLED, &labels, totals.count(&series("throttled")));
        families.row(&GROUP_MEMORY, &labels, sampled(&totals.last, &series("memory")));
    }
}

/// Adds the exact results of the block layer's trace: sizes in whole bytes, times in whole nanoseconds.
fn requests(families: &mut Families, totals: &Totals) {
    let roles = totals.trace.devices.iter().flat_map(|device| device.roles.iter().map(move |role| (device, role)));
    let kinds = roles.flat_map(|(device, role)| RequestKind::ALL.map(|kind| (device, role, kind)));
    let requests: Vec<_> = kinds
        .filter_map(|(device, role, kind)| {
            let labels = [("device", device.name.as_str()), ("role", role.role.as_str()), ("op", kind.name())];
            Some((labels, role.kind(kind)?))
        })
        .collect();
    for (labels, ops) in requests.iter().filter(|(_, ops)| ops.sizes.count() > 0) {
        let at_most = model::measured::SIZE_BUCKETS.iter().map(|b| (b.as_u64() as f64, ops.sizes.at_most(*b)));
        // The last bucket has no upper bound; the total count covers it.
        let buckets: Vec<(f64, u64)> = at_most.take(model::measured::SIZE_BUCKETS.len() - 1).collect();
        families.histogram(&SIZES, labels, &buckets, ops.sizes.count(), ops.sizes.bytes().as_u64() as f64);
    }
    for (labels, ops) in &requests {
        let sum = ops.service.summary().sum as f64 / 1e9;
        families.histogram(&TIMES, labels, &times(&ops.service), ops.service.count(), sum);
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
        let mut row = |family: &'static Named, labels: &[(&str, &str)], value: f64| {
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
