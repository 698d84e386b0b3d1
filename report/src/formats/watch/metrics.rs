//! Metrics of a watch. Counters count from the start of the watch; gauges are values of the last sample. Base units:
//! seconds, bytes, ratios.

use super::processes::names;
use crate::formats::metrics::{Metrics, Named, declare};
use crate::grouping::distinct;
use model::bounds::LimitAxis;
use model::measured::{
    BlockTrace, RequestKind, Sample, TopName, bucket_of, group_series, is_on_host, sampled, series_of,
};
use model::{LatencyHistogram, judged::CapNow, plan::WatchPlan};
use std::collections::{BTreeMap, HashSet};

/// Burst credits of one axis of a limit, in operations or bytes.
#[derive(Debug, Clone)]
struct Credits {
    limit: String,
    axis: LimitAxis,
    capacity: f64,
    left: f64,
}

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
    credits: Vec<Credits>,
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
            credits: Vec::new(),
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
        for cap in &caps {
            self.spend(cap, seconds);
        }
        // The hosts of a watch do not end in the same moment: a host that is not in this sample keeps its last values.
        let is_missing = |host: &&String| !samples.iter().any(|sample| is_on_host(&sample.name, host));
        let missing: Vec<&String> = self.plan.hosts.iter().filter(is_missing).collect();
        self.last.retain(|sample| missing.iter().any(|host| is_on_host(&sample.name, host)));
        self.last.extend_from_slice(samples);
        self.caps = caps;
    }

    /// Updates the burst credits of a limit: rates above the cap drain the bucket. Below the cap, the unused part fills
    /// it, or a published share of it is earned per day.
    fn spend(&mut self, cap: &CapNow, seconds: f64) {
        let Some(burst) = cap.burst else { return };
        let capacity = burst.capacity(cap.cap);
        if capacity <= 0.0 {
            return;
        }
        let granted = burst.granted(cap.cap).filter(|_| cap.used <= cap.cap);
        let earned = granted.unwrap_or(cap.cap - cap.used);
        let at = self.credits.iter().position(|c| (&c.limit, c.axis) == (&cap.name, cap.axis)).unwrap_or_else(|| {
            self.credits.push(Credits { limit: cap.name.clone(), axis: cap.axis, capacity, left: capacity });
            self.credits.len() - 1
        });
        let credits = &mut self.credits[at];
        credits.left = (credits.left + earned * seconds).clamp(0.0, capacity);
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

declare! {
    WATCH = info "secchi_watch": "Information about the watch.";
    LOOKS = counter "secchi_looks": "Number of samples taken.";
    COVERED = counter "secchi_covered_seconds": "Time covered by the counters below, without gaps.";
    COST = counter "secchi_sampler_cpu_seconds": "CPU time used for sampling.";
    IO = counter "secchi_device_io": "Requests of all processes that the block device completed, after merging.";
    MERGED = counter "secchi_device_merged_io": "Requests merged into others before they were sent.";
    BYTES = counter "secchi_device_io_bytes": "Bytes of completed requests.";
    TIME = counter "secchi_device_io_seconds": "Sum of the request latencies, from queueing to completion.";
    QUEUE = counter "secchi_device_queue_seconds": "Integral of requests in flight over time.";
    BUSY = counter "secchi_device_busy_seconds":
        "Time with at least one request in flight; not the utilization of the device.";
    INFLIGHT = gauge "secchi_device_inflight": "Requests in flight at the last sample.";
    LIMIT_IOPS = gauge "secchi_limit_io_per_second": "Declared or published cap on requests per second.";
    LIMIT_BYTES = gauge "secchi_limit_bytes_per_second": "Declared or published cap on bytes per second.";
    LIMIT_USE = gauge "secchi_limit_utilization_ratio":
        "Share of the cap used in the last interval, summed over its devices at the same time.";
    LIMIT_CREDITS = gauge "secchi_limit_burst_credits_ratio":
        "Burst credits left, as a share of the bucket, if it was full when the watch began.";
    ALERT_BOUND = gauge "secchi_alert_bound_seconds": "Bound of an alert on a latency, as given to the watch.";
    PROCESS_BYTES = counter "secchi_process_io_bytes":
        "Bytes that the kernel sent to block devices for the process and its children.";
    PROCESS_CPU = counter "secchi_process_cpu_seconds": "CPU time of the process and its children.";
    PROCESS_SWITCHES = counter "secchi_process_context_switches": "Context switches of the process and its children.";
    PROCESS_CALLS = counter "secchi_process_io_calls":
        "Read and write system calls on files, pipes and sockets; io_uring and Linux AIO are not included.";
    PROCESS_CALLED = counter "secchi_process_io_calls_bytes":
        "Bytes moved by system calls of the process and its children.";
    TOP_BYTES = counter "secchi_top_process_io_bytes":
        "Bytes that the kernel sent to block devices for a process with much I/O, from the moment it was noticed.";
    TOP_CALLS = counter "secchi_top_process_io_calls":
        "Read and write system calls of a process with much I/O; io_uring and Linux AIO are not included.";
    TOP_WAIT = counter "secchi_top_process_io_wait_seconds":
        "Time for which the threads of a process with much I/O waited for block I/O.";
    SUBMITTED_IO = counter "secchi_device_process_io":
        "Reads and writes that a process submitted to a traced device, before merging.";
    SUBMITTED_BYTES = counter "secchi_device_process_io_bytes":
        "Bytes that a process submitted to a traced device; background writes of the page cache count for kernel threads.";
    GROUP_IO = counter "secchi_group_io": "Requests charged to the control group of a process, before merging.";
    GROUP_BYTES = counter "secchi_group_io_bytes": "Bytes charged to the control group.";
    GROUP_CPU = counter "secchi_group_cpu_seconds": "CPU time of the control group.";
    GROUP_STOPPED = counter "secchi_group_stopped_seconds":
        "Time during which the threads of the control group were throttled by its CPU quota, summed over all CPUs.";
    GROUP_PERIODS = counter "secchi_group_quota_periods": "Periods of the CPU quota in which the group had work to do.";
    GROUP_THROTTLED = counter "secchi_group_throttled_periods":
        "Periods of the CPU quota in which the group was throttled.";
    GROUP_MEMORY = gauge "secchi_group_memory_bytes": "Memory charged to the control group at the last sample.";
    SIZES = histogram "secchi_request_size_bytes":
        "Sizes of completed requests at the device, after merging, by the role of their files.";
    TIMES = histogram "secchi_request_seconds":
        "Latencies of completed requests from their dispatch to the device to its response.";
    CGROUP_IO = counter "secchi_cgroup_io": "Requests charged to secchi's control group, before merging.";
    CGROUP_BYTES = counter "secchi_cgroup_io_bytes": "Bytes charged to secchi's control group.";
    CPU = gauge "secchi_cpu_ratio": "Share of the machine's CPU time in the last interval.";
    MEMORY = gauge "secchi_memory_bytes": "Memory at the last sample.";
    PRESSURE = gauge "secchi_pressure_ratio": "Share of the last interval in which tasks waited for the resource.";
    SPACE = gauge "secchi_filesystem_bytes": "Space on the file system at the last sample.";
}

impl Totals {
    /// Returns the totals and the values of the last sample as metrics.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        let mut metrics = Metrics::default();
        metrics.row(&WATCH, &[("id", &self.id), ("version", &self.tool)], 1.0);
        metrics.row(&LOOKS, &[], self.looks as f64);
        metrics.row(&COVERED, &[], self.covered);
        metrics.row(&COST, &[], self.sum("sampler.cpu"));
        devices(&mut metrics, self);
        self.limits(&mut metrics);
        let latencies = self.plan.alerts.iter().filter(|alert| alert.above && alert.figure.is_latency());
        let mut texts = HashSet::new();
        // No two samples may have the same labels.
        for alert in latencies.filter(|alert| texts.insert(&alert.text)) {
            let labels = [("alert", alert.text.as_str()), ("figure", &alert.figure.to_string())];
            metrics.row(&ALERT_BOUND, &labels, alert.bound / 1e9);
        }
        processes(&mut metrics, self);
        top(&mut metrics, self);
        submitters(&mut metrics, self);
        groups(&mut metrics, self);
        requests(&mut metrics, self);
        for op in ["read", "write"] {
            metrics.row(&CGROUP_IO, &[("op", op)], self.count(&format!("cgroup.{op}_ops")));
            metrics.row(&CGROUP_BYTES, &[("op", op)], self.count(&format!("cgroup.{op}")));
        }
        machine(&mut metrics, self);
        metrics
    }

    fn limits(&self, metrics: &mut Metrics) {
        for cap in &self.caps {
            let (axis, family) = match cap.axis {
                LimitAxis::Iops => ("iops", &LIMIT_IOPS),
                LimitAxis::Bandwidth => ("bandwidth", &LIMIT_BYTES),
            };
            let labels = [("limit", cap.name.as_str()), ("axis", axis)];
            metrics.row(family, &labels[..1], cap.cap);
            metrics.row(&LIMIT_USE, &labels, cap.used / cap.cap);
            let credits = self.credits.iter().find(|c| (&c.limit, c.axis) == (&cap.name, cap.axis));
            metrics.row(&LIMIT_CREDITS, &labels, credits.map(|c| c.left / c.capacity));
        }
    }
}

fn devices(metrics: &mut Metrics, totals: &Totals) {
    // A device that disappeared keeps its counts.
    for name in names(totals.sums.keys(), "device") {
        let roles = totals.plan.device(name).roles.join("+");
        let series = |what: &str| format!("device.{name}.{what}");
        for op in ["read", "write", "discard", "flush"] {
            let labels = [("device", name), ("role", roles.as_str()), ("op", op)];
            metrics.row(&IO, &labels, totals.count(&series(&format!("{op}_ops"))));
            metrics.row(&BYTES, &labels, totals.count(&series(op)));
            metrics.row(&MERGED, &labels, totals.count(&series(&format!("{op}_merged"))));
            metrics.row(&TIME, &labels, totals.sum(&series(&format!("{op}_await"))));
        }
        let labels = [("device", name), ("role", roles.as_str())];
        metrics.row(&QUEUE, &labels, totals.sum(&series("queue")));
        metrics.row(&BUSY, &labels, totals.time(&series("busy")));
        metrics.row(&INFLIGHT, &labels, sampled(&totals.last, &series("in_flight")));
    }
}

fn processes(metrics: &mut Metrics, totals: &Totals) {
    for name in names(totals.sums.keys(), "process") {
        let series = |what: &str| format!("process.{name}.{what}");
        for op in ["read", "write"] {
            metrics.row(&PROCESS_BYTES, &[("process", name), ("op", op)], totals.count(&series(op)));
            let calls = totals.count(&series(&format!("{op}_calls")));
            if let Some((calls, bytes)) = calls.zip(totals.count(&series(&format!("called_{op}")))) {
                metrics.row(&PROCESS_CALLS, &[("process", name), ("op", op)], calls);
                metrics.row(&PROCESS_CALLED, &[("process", name), ("op", op)], bytes);
            }
        }
        for mode in ["user", "system"] {
            let labels = [("process", name), ("mode", mode)];
            metrics.row(&PROCESS_CPU, &labels, totals.time(&series(&format!("cpu_{mode}"))));
        }
        metrics.row(&PROCESS_SWITCHES, &[("process", name)], totals.count(&series("switches")));
    }
}

/// Adds the processes with the most I/O. Their number is limited by the sampler.
fn top(metrics: &mut Metrics, totals: &Totals) {
    for name in names(totals.sums.keys(), "top") {
        let series = |what: &str| format!("top.{name}.{what}");
        let process = TopName::parse(name);
        let pid = process.as_ref().and_then(|process| process.pid).map(|pid| pid.to_string()).unwrap_or_default();
        let (program, group) = process.as_ref().map_or((name, ""), |process| (&*process.program, &*process.group));
        let host = process.as_ref().and_then(|process| process.host.as_deref()).map(|host| ("host", host));
        let process = [("pid", pid.as_str()), ("program", program), ("group", group)];
        let labels: Vec<(&str, &str)> = host.into_iter().chain(process).collect();
        for op in ["read", "write"] {
            let labels: Vec<(&str, &str)> = labels.iter().copied().chain([("op", op)]).collect();
            metrics.row(&TOP_BYTES, &labels, totals.count(&series(op)));
            metrics.row(&TOP_CALLS, &labels, totals.count(&series(&format!("{op}_calls"))));
        }
        metrics.row(&TOP_WAIT, &labels, totals.time(&series("wait")));
    }
}

/// Adds the processes of each traced device. Their number is limited by the trace.
fn submitters(metrics: &mut Metrics, totals: &Totals) {
    let devices = totals.trace.devices.iter();
    for (device, process) in devices.flat_map(|device| device.processes.iter().map(move |process| (device, process))) {
        let pid = process.pid.map(|pid| pid.to_string()).unwrap_or_default();
        let program = if process.is_sum() { TopName::OTHERS } else { &process.program };
        for (i, op) in ["read", "write"].into_iter().enumerate() {
            let labels =
                [("device", &*device.name), ("pid", &pid), ("program", program), ("group", &process.group), ("op", op)];
            metrics.row(&SUBMITTED_IO, &labels, process.ops[i] as f64);
            metrics.row(&SUBMITTED_BYTES, &labels, process.bytes[i] as f64);
        }
    }
}

fn groups(metrics: &mut Metrics, totals: &Totals) {
    let things = totals.sums.keys().filter_map(|name| group_series(name));
    for (group, device) in distinct(things.map(|(group, device, _)| (group, device))) {
        let thing = device.map_or_else(|| group.to_owned(), |device| format!("{group}:{device}"));
        let series = |what: &str| format!("group.{thing}.{what}");
        let Some(device) = device else {
            let labels = [("group", group)];
            metrics.row(&GROUP_CPU, &labels, totals.time(&series("cpu")));
            metrics.row(&GROUP_STOPPED, &labels, totals.time(&series("stopped")));
            metrics.row(&GROUP_PERIODS, &labels, totals.count(&series("periods")));
            metrics.row(&GROUP_THROTTLED, &labels, totals.count(&series("throttled")));
            metrics.row(&GROUP_MEMORY, &labels, sampled(&totals.last, &series("memory")));
            continue;
        };
        for op in ["read", "write"] {
            let labels = [("group", group), ("device", device), ("op", op)];
            let ops = totals.count(&series(&format!("{op}_ops")));
            if let Some((ops, bytes)) = ops.zip(totals.count(&series(op))) {
                metrics.row(&GROUP_IO, &labels, ops);
                metrics.row(&GROUP_BYTES, &labels, bytes);
            }
        }
    }
}

/// Adds the exact results of the block layer's trace: sizes in whole bytes, times in whole nanoseconds.
fn requests(metrics: &mut Metrics, totals: &Totals) {
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
        metrics.histogram(&SIZES, labels, &buckets, ops.sizes.count(), ops.sizes.bytes().as_u64() as f64);
    }
    for (labels, ops) in &requests {
        let sum = ops.service.summary().sum as f64 / 1e9;
        metrics.histogram(&TIMES, labels, &times(&ops.service), ops.service.count(), sum);
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

fn machine(metrics: &mut Metrics, totals: &Totals) {
    for sample in &totals.last {
        // With several hosts, each name begins with its host.
        let host = totals.plan.hosts.iter().find_map(|host| {
            let rest = sample.name.strip_prefix(host.as_str())?.strip_prefix('/')?;
            Some((host.as_str(), rest))
        });
        let (host, rest) = host.unwrap_or(("", &sample.name));
        let mut row = |family: &'static Named, labels: &[(&str, &str)], value: f64| {
            let of_host = (!host.is_empty()).then_some(("host", host));
            metrics.row(family, &of_host.into_iter().chain(labels.iter().copied()).collect::<Vec<_>>(), value);
        };
        if let Some(mode) = rest.strip_prefix("cpu.").filter(|_| sample.unit == "percent") {
            row(&CPU, &[("mode", mode)], sample.value / 100.0);
        } else if let Some(kind) = rest.strip_prefix("memory.") {
            row(&MEMORY, &[("kind", kind)], sample.value);
        } else if let Some((resource, kind)) = rest.strip_prefix("pressure.").and_then(|n| n.split_once('.')) {
            row(&PRESSURE, &[("resource", resource), ("kind", kind)], sample.value / 100.0);
        } else if let Some((name, kind)) = series_of(&sample.name, "space") {
            metrics.row(&SPACE, &[("filesystem", name), ("kind", kind)], sample.value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::metrics::MetricsFormat;
    use crate::formats::watch::testkit::{samples_of_second, traced_second, watched};
    use model::Nanos;
    use model::bounds::{Burst, BurstLasts};
    use model::measured::Layer;

    fn metrics() -> Metrics {
        let (record, _) = watched();
        let plan = record.plan.watch().expect("a watch");
        let mut totals = Totals::new(plan, &record.id, &record.tool);
        for i in 1..=4 {
            totals.add_sample(
                &samples_of_second(i),
                analysis::fullness(&record.plan.limits, plan, &samples_of_second(i)),
            );
        }
        totals.add_trace(&traced_second());
        totals.metrics()
    }

    fn text(format: MetricsFormat) -> String {
        String::from_utf8(metrics().format(format)).expect("text")
    }

    #[test]
    fn counters_are_totals_and_gauges_are_of_the_last_look() {
        insta::assert_snapshot!(text(MetricsFormat::OpenMetrics));
    }

    #[test]
    fn a_family_is_named_once_and_the_end_is_marked() {
        let text = text(MetricsFormat::OpenMetrics);
        let types: Vec<&str> = text.lines().filter(|l| l.starts_with("# TYPE")).collect();
        let mut once = types.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), types.len());
        assert!(text.ends_with("# EOF\n") && text.matches("# EOF").count() == 1);
        assert!(text.contains("secchi_device_io_total{device=\"vdb\",role=\"data\",op=\"write\"} 20000\n"));
    }

    #[test]
    fn burst_credits_are_spent_above_the_cap_and_earned_below() {
        let (record, _) = watched();
        let shares = |lasts: BurstLasts, used: &[f64]| {
            let mut totals = Totals::new(record.plan.watch().expect("a watch"), &record.id, &record.tool);
            let burst = Some(Burst { rate: 3000.0, lasts });
            let share = |used: &f64| {
                let cap = CapNow { name: "volume".into(), axis: LimitAxis::Iops, cap: 100.0, used: *used, burst };
                totals.add_sample(&samples_of_second(1), vec![cap]);
                let text = String::from_utf8(totals.metrics().format(MetricsFormat::Text)).expect("text");
                let row = "secchi_limit_burst_credits_ratio{limit=\"volume\",axis=\"iops\"} ";
                text.lines().find_map(|line| line.strip_prefix(row)).expect("a value").to_owned()
            };
            used.iter().map(share).collect::<Vec<_>>()
        };
        let bucket = BurstLasts::Bucket { capacity: 1000.0 };
        assert_eq!(shares(bucket, &[400.0, 400.0, 0.0, 900.0, 900.0]), ["0.7", "0.4", "0.5", "0", "0"]);
        // A bucket of 2,900 operations, of which a tenth is earned per second.
        let timed = BurstLasts::Time { time: Nanos::from_secs(1), every: Some(Nanos::from_secs(10)) };
        assert_eq!(shares(timed, &[1550.0, 0.0, 100.0]), ["0.5", "0.6", "0.7"]);
    }

    #[test]
    fn bounds_of_alerts_on_latencies_are_exported_in_seconds() {
        let (record, _) = watched();
        let mut plan = record.plan.watch().expect("a watch").clone();
        plan.alerts = ["p99>20ms", "busy>90%", "p99>20ms"].map(|alert| alert.parse().expect("an alert")).to_vec();
        let metrics = Totals::new(&plan, &record.id, &record.tool).metrics();
        let text = String::from_utf8(metrics.format(MetricsFormat::Text)).expect("text");
        let bounds: Vec<&str> = text.lines().filter(|line| line.starts_with("secchi_alert_bound_seconds{")).collect();
        assert_eq!(bounds, ["secchi_alert_bound_seconds{alert=\"p99>20ms\",figure=\"p99\"} 0.02"]);
    }

    #[test]
    fn a_host_that_ends_before_the_others_keeps_its_last_values() {
        let (record, _) = watched();
        let mut plan = record.plan.watch().expect("a watch").clone();
        plan.hosts = vec!["a:0".to_owned(), "b:1".to_owned()];
        let mut totals = Totals::new(&plan, &record.id, &record.tool);
        let sample =
            |name: &str, value| Sample { name: name.to_owned(), unit: "bytes".to_owned(), layer: Layer::Host, value };
        let second = |a: f64| vec![sample("sampler.stretch", 1.0), sample("a:0/memory.available", a)];
        let mut both = second(1.0);
        both.push(sample("b:1/memory.available", 2.0));
        totals.add_sample(&both, Vec::new());
        totals.add_sample(&second(3.0), Vec::new());
        let text = String::from_utf8(totals.metrics().format(MetricsFormat::Text)).expect("text");
        for (host, value) in [("a:0", 3), ("b:1", 2)] {
            let row = format!("secchi_memory_bytes{{host=\"{host}\",kind=\"available\"}} {value}\n");
            assert_eq!(text.matches(&row).count(), 1, "{text}");
        }
    }

    #[test]
    fn plain_text_has_a_type_for_each_name_and_no_end() {
        let text = text(MetricsFormat::Text);
        assert!(
            text.contains("# TYPE secchi_device_io_total counter\n")
                && text.contains("# TYPE secchi_watch_info gauge\n")
        );
        assert!(!text.contains("# EOF") && !text.contains("# UNIT"));
        insta::assert_snapshot!(text);
    }

    #[test]
    fn every_metric_of_a_watch_is_declared() {
        let (names, text) = (metric_names(), text(MetricsFormat::Text));
        let samples = text.lines().filter(|line| !line.starts_with('#'));
        for name in samples.map(|line| line.split(['{', ' ']).next().expect("a name")) {
            assert!(names.iter().any(|known| known == name), "{name}");
        }
    }
}
