//! What stands beside the devices in one look, as text: processes and control groups. For lines and for the picture.

use model::{Bytes, BytesPerSecond, Iops, Sample, WatchPlan, sampled, series_of};

/// The things of a kind that a look has figures of, in the order they come.
pub(super) fn things<'a>(samples: &'a [Sample], kind: &str) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in samples.iter().filter_map(|s| series_of(&s.name, kind)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// `process 77 (db): 2.05 MB/s read, 0 B/s written, system calls 1,000 + 10 a second, 12 % of a core`, one for each.
pub(super) fn processes(samples: &[Sample], plan: &WatchPlan) -> Vec<String> {
    let told = things(samples, "process").into_iter().map(|name| {
        let of = |what: &str| sampled(samples, &format!("process.{name}.{what}"));
        let bytes = match of("read").zip(of("write")) {
            Some((read, write)) => format!("{} read, {} written, ", BytesPerSecond(read), BytesPerSecond(write)),
            None => String::new(),
        };
        let calls = match of("read_calls").zip(of("write_calls")) {
            Some((reads, writes)) if reads + writes > 0.0 => {
                format!("system calls {} + {} a second, ", model::thousands(reads), model::thousands(writes))
            }
            _ => String::new(),
        };
        let cpu = of("cpu_user").unwrap_or(0.0) + of("cpu_system").unwrap_or(0.0);
        let program = plan.processes.iter().find(|p| p.name == name).map(|p| format!(" ({})", p.program));
        let program = program.unwrap_or_default();
        crate::harmless(&format!("process {name}{program}: {bytes}{calls}{cpu:.0} % of a core"))
    });
    told.collect()
}

/// `group /db: 6,000 IOPS 49.15 MB/s on vda, 50 % of a core, stopped 25 %, memory 4.0 MiB (allowed: read 6,000 IOPS)`.
pub(super) fn groups(samples: &[Sample], plan: &WatchPlan) -> Vec<String> {
    let told = plan.groups.iter().filter_map(|group| {
        let name = &group.name;
        let of = |thing: &str, what: &str| sampled(samples, &format!("group.{thing}.{what}"));
        let mut words = Vec::new();
        for thing in things(samples, "group") {
            let Some(device) = thing.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix(':')) else {
                continue;
            };
            let sum = |a: &str, b: &str| of(thing, a).unwrap_or(0.0) + of(thing, b).unwrap_or(0.0);
            let (ops, bytes) = (sum("read_ops", "write_ops"), sum("read", "write"));
            if ops > 0.0 {
                words.push(format!("{} IOPS {} on {device}", Iops(ops), BytesPerSecond(bytes)));
            }
        }
        words.extend(of(name, "cpu").map(|v| format!("{v:.0} % of a core")));
        words.extend(of(name, "stopped").filter(|v| *v > 0.0).map(|v| format!("stopped {v:.0} % by its quota")));
        words.extend(of(name, "memory").map(|v| format!("memory {}", Bytes(v.max(0.0) as u64))));
        if words.is_empty() {
            return None;
        }
        let allowed = group.allowed();
        let allowed = if allowed.is_empty() { String::new() } else { format!(" (allowed: {allowed})") };
        Some(crate::harmless(&format!("group {name}: {}{allowed}", words.join(", "))))
    });
    told.collect()
}
