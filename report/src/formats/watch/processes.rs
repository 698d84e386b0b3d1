//! Processes and control groups of one sample, as text for the lines and the live view.

use crate::grouping::distinct;
use crate::widgets::ink::{clauses, listed};
use messages::{Sentence, sentence};
use model::measured::{
    BlockTrace, DeviceProcess, Sample, TopName, TracedDevice, group_label, group_series, sampled, series_of,
};
use model::{Bytes, BytesPerSecond, CompactSort, Iops, plan::WatchPlan, plan::WatchedGroup};

/// Returns the names of the devices, processes or groups (`kind`) among the names of series, in order of appearance.
pub(super) fn names<'a>(series: impl IntoIterator<Item = &'a String>, kind: &str) -> Vec<&'a str> {
    distinct(series.into_iter().filter_map(|series| Some(series_of(series, kind)?.0)))
}

/// Returns the names of the devices, processes or groups that have figures in a sample.
pub(super) fn things<'a>(samples: &'a [Sample], kind: &str) -> Vec<&'a str> {
    names(samples.iter().map(|s| &s.name), kind)
}

/// Formats a figure, or a dash if it is unknown.
pub(super) fn or_dash(value: Option<f64>, format: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), format)
}

/// Returns a line for each process, such as
/// `process 77 (db): 2.05 MB/s read, 0 B/s written, 1,000 read and 10 write calls/s, 12 % of a core`.
pub(super) fn processes(samples: &[Sample], plan: &WatchPlan) -> Vec<Sentence> {
    let processes = things(samples, "process").into_iter().map(|name| {
        let value_of = |what: &str| sampled(samples, &format!("process.{name}.{what}"));
        let cpu = value_of("cpu_user").unwrap_or(0.0) + value_of("cpu_system").unwrap_or(0.0);
        let program = plan.processes.iter().find(|p| p.name == name).map(|p| format!(" ({})", p.program));
        let program = program.unwrap_or_default();
        let name = format!("{name}{program}");
        let activity = listed(io(&value_of).chain([core(cpu)]));
        sentence!("view-process-line", name, told = activity)
    });
    processes.collect()
}

/// Returns the bytes and calls of a process, as far as they are known.
fn io(value_of: &dyn Fn(&str) -> Option<f64>) -> impl Iterator<Item = Sentence> {
    let bytes =
        value_of("read").zip(value_of("write")).map(|(read, write)| (BytesPerSecond(read), BytesPerSecond(write)));
    let bytes = bytes.map(|(read, written)| sentence!("view-process-bytes", read, written));
    let calls = value_of("read_calls").zip(value_of("write_calls")).filter(|(reads, writes)| reads + writes > 0.0);
    let calls = calls.map(|(reads, writes)| (model::units::thousands(reads), model::units::thousands(writes)));
    let calls = calls.map(|(reads, writes)| sentence!("view-process-calls", reads, writes));
    bytes.into_iter().chain(calls)
}

/// Returns a line for each of the processes with the most bytes, or else the longest waits, in this sample, such as
/// `top: 77 db in docker 3f2a1b4c5d6e: 2.05 MB/s read, 0 B/s written, 1,000 read and 10 write calls/s, 85 % waiting`.
pub(super) fn top(samples: &[Sample], plan: &WatchPlan) -> Vec<Sentence> {
    let value_of = |name: &str, what: &str| sampled(samples, &format!("top.{name}.{what}"));
    let known = |name: &str, what: &str| value_of(name, what).unwrap_or(0.0);
    let names = things(samples, "top").into_iter().filter_map(|name| Some((name, TopName::parse(name)?)));
    let mut ranked: Vec<(&str, TopName)> =
        names.filter(|(name, _)| ["read", "write", "wait"].iter().any(|what| known(name, what) > 0.0)).collect();
    let rank = |name: &str| (known(name, "read") + known(name, "write"), known(name, "wait"));
    ranked.compact_sort_by(|(a, _), (b, _)| {
        let (a, b) = (rank(a), rank(b));
        b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1))
    });
    let line = |(series, name): (&str, TopName)| {
        let wait = value_of(series, "wait").map(|wait| sentence!("view-top-wait", share = format!("{wait:.0}")));
        let activity = listed(io(&|what| value_of(series, what)).chain(wait));
        let host = name.host.as_ref().map(|host| format!("{host}/")).unwrap_or_default();
        let process = match name.pid {
            Some(pid) => format!("{host}{pid} {}", name.program),
            None => format!("{host}{}", name.program),
        };
        match name.group() {
            Some(group) => sentence!("view-top-line-in", process, group, told = activity),
            None => sentence!("view-top-line", process, told = activity),
        }
    };
    ranked.into_iter().take(plan.top).map(line).collect()
}

/// Returns a line for each traced device with the processes that submitted the most bytes in this interval, such as
/// `data (vdb) by process: 77 db 5,100 IOPS 41.78 MB/s; kworker 12.0 IOPS 1.05 MB/s`.
pub(super) fn submitters(trace: &BlockTrace, plan: &WatchPlan) -> Vec<Sentence> {
    let seconds = trace.length.secs().max(1e-9);
    let process = |process: &DeviceProcess| {
        let program = process.program.as_str();
        let name = match (process.pid, program) {
            (None, "") => sentence!("view-top-others"),
            (None, _) => program.into(),
            (Some(pid), _) => format!("{pid} {program}").into(),
        };
        let rate = Iops((process.ops[0] + process.ops[1]) as f64 / seconds);
        sentence!("view-submitter", process = name, rate, bytes = BytesPerSecond(process.all_bytes() as f64 / seconds))
    };
    let line = |device: &TracedDevice| {
        let processes = clauses(device.first_processes(plan.top).into_iter().map(process));
        let name = plan.device(&device.name).label();
        (!processes.is_empty()).then(|| sentence!("view-submitters-line", device = name, processes))
    };
    trace.devices.iter().filter(|_| plan.top > 0).filter_map(line).collect()
}

/// Returns a line for each group, such as
/// `group /db: 6,000 IOPS 49.15 MB/s on vda, 50 % of a core, throttled 25 % by its CPU quota, memory 4.0 MiB (allowed:
/// read 6,000 IOPS)`.
pub(super) fn groups(samples: &[Sample], plan: &WatchPlan) -> Vec<Sentence> {
    let requested = plan.groups.iter().filter_map(|group| {
        let (name, words, allowed) = (&group.name, activity(samples, &group.name), group.allowed());
        match (words.is_empty(), allowed.is_empty()) {
            (true, _) => None,
            (_, true) => Some(sentence!("view-group-line", name, told = listed(words))),
            _ => Some(sentence!("view-group-line-allowed", name, told = listed(words), allowed)),
        }
    });
    let more = top_groups(samples, &plan.groups)
        .into_iter()
        .take(plan.top)
        .map(|name| sentence!("view-group-line", name = group_label(name), told = listed(activity(samples, name))));
    requested.chain(more).collect()
}

/// Returns the groups that do I/O in this sample but were not requested, those with the most requests first.
fn top_groups<'a>(samples: &'a [Sample], requested: &[WatchedGroup]) -> Vec<&'a str> {
    let mut groups: Vec<(&str, f64)> = Vec::new();
    for sample in samples.iter().filter(|sample| sample.value > 0.0) {
        let Some((name, Some(_), "read_ops" | "write_ops")) = group_series(&sample.name) else { continue };
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, ops)) => *ops += sample.value,
            None => groups.push((name, sample.value)),
        }
    }
    groups.retain(|(name, _)| requested.iter().all(|group| group.name != *name));
    groups.compact_sort_by(|a, b| b.1.total_cmp(&a.1));
    groups.into_iter().map(|(name, _)| name).collect()
}

/// Returns the I/O of a group by device, its CPU time and its memory, as far as they are known.
fn activity(samples: &[Sample], name: &str) -> Vec<Sentence> {
    let value_of = |thing: &str, what: &str| sampled(samples, &format!("group.{thing}.{what}"));
    let mut words = Vec::new();
    for thing in things(samples, "group") {
        let Some(device) = thing.strip_prefix(name).and_then(|rest| rest.strip_prefix(':')) else {
            continue;
        };
        let sum = |a: &str, b: &str| value_of(thing, a).unwrap_or(0.0) + value_of(thing, b).unwrap_or(0.0);
        let (ops, bytes) = (sum("read_ops", "write_ops"), sum("read", "write"));
        if ops > 0.0 {
            words.push(sentence!("view-group-io", rate = Iops(ops), bytes = BytesPerSecond(bytes), device));
        }
    }
    words.extend(value_of(name, "cpu").map(core));
    let stopped = value_of(name, "stopped").filter(|v| *v > 0.0).map(|v| format!("{v:.0}"));
    words.extend(stopped.map(|share| sentence!("view-group-stopped", share)));
    let memory = value_of(name, "memory").map(|v| Bytes(v.max(0.0) as u64));
    words.extend(memory.map(|memory| sentence!("view-group-memory", memory)));
    words
}

fn core(share: f64) -> Sentence {
    sentence!("view-core", share = format!("{share:.0}"))
}
