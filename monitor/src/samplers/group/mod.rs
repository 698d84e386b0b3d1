//! `group.NAME.*`: control groups of the watched processes. NAME is the group's path. In version 1, a process may be in
//! a different group for each controller; their paths are then joined with `+`.
//!
//! - `group.NAME:DEVICE.read_ops`, `.write_ops` (ops/s), `.read`, `.write` (B/s): I/O charged to the group, before
//!   merging, for each device on which the group's I/O is counted.
//! - `cpu` (percent of one core): CPU time of all members.
//! - `periods` (ops/s), with a CPU quota: periods that began with work to do.
//! - `throttled` (ops/s), with a CPU quota: periods in which threads were stopped because the quota was used up.
//! - `stopped` (percent), with a CPU quota: time for which threads were stopped, summed across all CPUs.
//! - `memory` (bytes): memory charged to the group, including its page cache.
//! - `memory_full` (ops/s): number of times that this memory reached its limit.

use super::grown::grown;
use super::{Out, Sampler, SamplerEntry};
use crate::counters::GroupReading;
use messages::sentence;
use model::measured::{Layer, Sample};
use model::{Nanos, Sentence};

#[path = "linux.rs"]
mod platform;

pub use platform::process_group;

pub(super) const ENTRY: SamplerEntry = SamplerEntry { name: "group", open: platform::open };

/// Resources used by a group; a field is `None` if the controller does not count that resource.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Used {
    /// I/O of the group, by device.
    io: Vec<(String, GroupReading)>,
    /// CPU time in nanoseconds.
    cpu: Option<u64>,
    periods: Option<u64>,
    throttled: Option<u64>,
    /// Time for which the group was stopped by its CPU quota, in nanoseconds.
    stopped: Option<u64>,
    memory: Option<u64>,
    memory_full: Option<u64>,
}

struct Followed<R> {
    name: String,
    source: R,
    last: Used,
    ended: bool,
}

struct Groups<R> {
    followed: Vec<Followed<R>>,
    remarks: Vec<Sentence>,
}

impl<R: FnMut() -> Option<Used> + Send> Sampler for Groups<R> {
    fn sample(&mut self, elapsed: Nanos, out: &mut Vec<Sample>) {
        let mut out = Out::new(Layer::Cgroup, elapsed, out);
        for group in self.followed.iter_mut().filter(|g| !g.ended) {
            let Some(now) = (group.source)() else {
                group.ended = true;
                self.remarks.push(sentence!("note-group-gone", group = &group.name));
                continue;
            };
            write(&mut out, &group.name, &group.last, &now);
            group.last = now;
        }
    }

    fn remarks(&mut self) -> Vec<Sentence> {
        std::mem::take(&mut self.remarks)
    }
}

fn write(out: &mut Out, name: &str, then: &Used, now: &Used) {
    for (device, reading) in &now.io {
        let before = then.io.iter().find(|(d, _)| d == device).map(|(_, r)| *r).unwrap_or_default();
        let Some(io) = reading.since(before) else { continue };
        let series = |what: &str| format!("group.{name}:{device}.{what}");
        out.rate(series("read_ops"), "ops/s", io.read_ops);
        out.rate(series("write_ops"), "ops/s", io.write_ops);
        out.rate(series("read"), "B/s", io.read);
        out.rate(series("write"), "B/s", io.write);
    }
    let series = |what: &str| format!("group.{name}.{what}");
    let more = |part: fn(&Used) -> Option<u64>| part(then).zip(part(now)).and_then(|(then, now)| grown(then, now));
    let percent = |ns: u64| ns as f64 / 1e9 / out.seconds * 100.0;
    let (cpu, stopped) = (more(|u| u.cpu).map(percent), more(|u| u.stopped).map(percent));
    for (what, value) in [("cpu", cpu), ("stopped", stopped)] {
        if let Some(value) = value {
            out.gauge(series(what), "percent", value);
        }
    }
    let counts = [
        ("periods", more(|u| u.periods)),
        ("throttled", more(|u| u.throttled)),
        ("memory_full", more(|u| u.memory_full)),
    ];
    for (what, value) in counts {
        if let Some(value) = value {
            out.rate(series(what), "ops/s", value);
        }
    }
    if let Some(bytes) = now.memory {
        out.gauge(series("memory"), "bytes", bytes as f64);
    }
}
