//! Processes and control groups of one sample, as text for the lines and the live view.

use crate::grouping::distinct;
use crate::widgets::ink::listed;
use messages::{Sentence, sentence};
use model::measured::{Sample, sampled, series_of};
use model::{Bytes, BytesPerSecond, Iops, plan::WatchPlan};

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
        let bytes =
            value_of("read").zip(value_of("write")).map(|(read, write)| (BytesPerSecond(read), BytesPerSecond(write)));
        let bytes = bytes.map(|(read, written)| sentence!("view-process-bytes", read, written));
        let calls = value_of("read_calls").zip(value_of("write_calls")).filter(|(reads, writes)| reads + writes > 0.0);
        let calls = calls.map(|(reads, writes)| (model::units::thousands(reads), model::units::thousands(writes)));
        let calls = calls.map(|(reads, writes)| sentence!("view-process-calls", reads, writes));
        let cpu = value_of("cpu_user").unwrap_or(0.0) + value_of("cpu_system").unwrap_or(0.0);
        let program = plan.processes.iter().find(|p| p.name == name).map(|p| format!(" ({})", p.program));
        let program = program.unwrap_or_default();
        let name = format!("{name}{program}");
        let activity = listed(bytes.into_iter().chain(calls).chain([core(cpu)]));
        sentence!("view-process-line", name, told = activity)
    });
    processes.collect()
}

/// Returns a line for each group, such as
/// `group /db: 6,000 IOPS 49.15 MB/s on vda, 50 % of a core, throttled 25 % by its CPU quota, memory 4.0 MiB (allowed:
/// read 6,000 IOPS)`.
pub(super) fn groups(samples: &[Sample], plan: &WatchPlan) -> Vec<Sentence> {
    let groups = plan.groups.iter().filter_map(|group| {
        let name = &group.name;
        let value_of = |thing: &str, what: &str| sampled(samples, &format!("group.{thing}.{what}"));
        let mut words = Vec::new();
        for thing in things(samples, "group") {
            let Some(device) = thing.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix(':')) else {
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
        if words.is_empty() {
            return None;
        }
        let (allowed, activity) = (group.allowed(), listed(words));
        Some(match allowed.is_empty() {
            true => sentence!("view-group-line", name, told = activity),
            false => sentence!("view-group-line-allowed", name, told = activity, allowed),
        })
    });
    groups.collect()
}

fn core(share: f64) -> Sentence {
    sentence!("view-core", share = format!("{share:.0}"))
}
