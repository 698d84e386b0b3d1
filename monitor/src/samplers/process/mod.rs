//! `process.NAME.*` for each requested process, including all its children:
//!
//! - `read`, `write` (B/s): bytes that the kernel sent or will send to block devices on behalf of the process
//!   (`/proc/PID/io`: `read_bytes`, `write_bytes`). Writes are counted when they dirty the page cache.
//! - `read_calls`, `write_calls` (ops/s), `called_read`, `called_write` (B/s): read and write system calls on files,
//!   pipes and sockets, and the bytes that they moved (`syscr`, `syscw`, `rchar`, `wchar`). They exclude I/O through
//!   io_uring, Linux AIO and mapped memory.
//! - `cpu_user`, `cpu_system` (percent of one core).
//! - `switches` (ops/s): context switches of all its threads.
//! - `threads`, `processes` (count): current values.
//!
//! When a parent waits for a child, Linux adds the child's counts to the parent's. The sum over a tree therefore
//! includes a child that has ended exactly once. The counts of a child that ends without being waited for are lost, and
//! a child that detaches itself leaves the tree. The start time distinguishes processes that reuse an ID.
//!
//! Windows counts only calls: there are no `read`, `write` and `switches`, but there is `memory` (bytes, the working
//! set). Handles to children are kept open, so that their counts remain available after they end.

use super::{Out, Process, Sampler, SamplerEntry, Subjects};
use crate::Roots;
use messages::sentence;
use model::measured::{Layer, Sample};
use model::{Nanos, Sentence};
use std::collections::HashMap;

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(target_os = "macos", path = "../elsewhere/process.rs")]
pub(super) mod platform;

pub use platform::{process_identity, process_totals};

pub(super) const ENTRY: SamplerEntry = SamplerEntry { name: "process", open };

/// Maximum number of processes in a tree that are followed.
const TREE_LARGEST: usize = 1024;

fn open(roots: &Roots, subjects: &Subjects) -> Result<Box<dyn Sampler>, Sentence> {
    if subjects.processes.is_empty() {
        return Err(sentence!("sampler-no-process"));
    }
    let follow = |process: &Process| {
        let mut source = platform::source(roots, process);
        // All activity of a process that was started for this run counts; for others, only activity from now on.
        let last = if process.from_birth { ProcessTree::default() } else { source().unwrap_or_default() };
        Followed { process: process.clone(), source, last, ended: false, told: (false, false) }
    };
    Ok(Box::new(Processes { followed: subjects.processes.iter().map(follow).collect(), remarks: Vec::new() }))
}

/// Identity of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessIdentity {
    /// Name, as reported by the system.
    pub name: String,
    /// Start time, in units of the system: clock ticks since boot on Linux, 100 ns since 1601 on Windows.
    pub start: u64,
}

/// I/O of a process and the children that it waited for. The totals are final once the process has ended, and can be
/// read until it is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProcessTotals {
    /// Bytes read from the block layer.
    pub read: u64,
    /// Bytes written, counted when pages became dirty or when direct writes were sent.
    pub write: u64,
    /// Number of read system calls.
    pub read_calls: u64,
    /// Number of write system calls.
    pub write_calls: u64,
}

/// Resources used by one process, excluding its living children.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct One {
    pub(super) read: u64,
    pub(super) write: u64,
    pub(super) read_calls: u64,
    pub(super) write_calls: u64,
    pub(super) called_read: u64,
    pub(super) called_write: u64,
    /// CPU time in nanoseconds, including children that were waited for.
    pub(super) user: u64,
    pub(super) system: u64,
    pub(super) threads: u64,
    /// Current memory use, in bytes; 0 if it was not read.
    pub(super) memory: u64,
}

/// One reading of a process tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ProcessTree {
    /// Counts by process ID and start time.
    members: HashMap<(u32, u64), One>,
    /// Context switches by thread.
    switches: HashMap<u32, u64>,
    /// True if there were too many threads to read each of them.
    crowded: bool,
    /// True if `/proc/PID/io` cannot be read.
    hidden: bool,
    /// True if the system reports only calls: neither bytes sent to block devices nor context switches.
    calls_alone: bool,
    /// Counts of members that have ended, on systems that do not add these counts to the parent's counts.
    past: One,
}

impl ProcessTree {
    fn sum(&self, part: fn(&One) -> u64) -> u64 {
        self.members.values().map(part).fold(part(&self.past), u64::saturating_add)
    }
}

/// One process, with the last reading of its tree.
struct Followed<R> {
    process: Process,
    source: R,
    last: ProcessTree,
    /// True if the process has ended.
    ended: bool,
    /// Remarks already made: that the process's counts are hidden, and that it has too many threads.
    told: (bool, bool),
}

struct Processes<R> {
    followed: Vec<Followed<R>>,
    remarks: Vec<Sentence>,
}

impl<R: FnMut() -> Option<ProcessTree> + Send> Sampler for Processes<R> {
    fn sample(&mut self, elapsed: Nanos, out: &mut Vec<Sample>) {
        let mut out = Out::new(Layer::Process, elapsed, out);
        for one in self.followed.iter_mut().filter(|f| !f.ended) {
            let name = &one.process.name;
            let Some(now) = (one.source)() else {
                one.ended = true;
                // A process that was started for this run reports its end through its exit status.
                if !one.process.from_birth {
                    self.remarks.push(sentence!("note-process-ended", pid = one.process.pid));
                }
                continue;
            };
            if now.hidden && !std::mem::replace(&mut one.told.0, true) {
                let pid = one.process.pid;
                self.remarks.push(sentence!("note-process-hidden", pid));
            }
            if now.crowded && !std::mem::replace(&mut one.told.1, true) {
                self.remarks.push(sentence!("note-process-crowded", pid = one.process.pid));
            }
            write(&mut out, name, &one.last, &now);
            one.last = now;
        }
    }

    fn remarks(&mut self) -> Vec<Sentence> {
        std::mem::take(&mut self.remarks)
    }

    fn forget(&mut self) {
        for one in self.followed.iter_mut().filter(|f| !f.ended) {
            one.last = (one.source)().unwrap_or_default();
        }
    }
}

fn write(out: &mut Out<'_>, name: &str, then: &ProcessTree, now: &ProcessTree) {
    let series = |what: &str| format!("process.{name}.{what}");
    let grown = |part: fn(&One) -> u64| now.sum(part).saturating_sub(then.sum(part));
    if !now.hidden && !now.calls_alone {
        out.rate(series("read"), "B/s", grown(|o| o.read));
        out.rate(series("write"), "B/s", grown(|o| o.write));
    }
    if !now.hidden {
        out.rate(series("read_calls"), "ops/s", grown(|o| o.read_calls));
        out.rate(series("write_calls"), "ops/s", grown(|o| o.write_calls));
        out.rate(series("called_read"), "B/s", grown(|o| o.called_read));
        out.rate(series("called_write"), "B/s", grown(|o| o.called_write));
    }
    let percent = |ns: u64| ns as f64 / 1e7 / out.seconds;
    let (user, system) = (percent(grown(|o| o.user)), percent(grown(|o| o.system)));
    out.gauge(series("cpu_user"), "percent", user);
    out.gauge(series("cpu_system"), "percent", system);
    if !now.crowded && !then.crowded && !now.calls_alone {
        // Compared per thread, because the count of a thread that has ended is lost.
        let switched = |(tid, count): (&u32, &u64)| count.saturating_sub(then.switches.get(tid).copied().unwrap_or(0));
        out.rate(series("switches"), "ops/s", now.switches.iter().map(switched).sum());
    }
    out.gauge(series("threads"), "count", now.sum(|o| o.threads) as f64);
    out.gauge(series("processes"), "count", now.members.len() as f64);
    if now.calls_alone {
        out.gauge(series("memory"), "bytes", now.sum(|o| o.memory) as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process_tree(members: &[(u32, u64)]) -> ProcessTree {
        let member = |read| One { read, user: read * 1_000_000, threads: 1, ..One::default() };
        ProcessTree {
            members: members.iter().map(|(pid, read)| ((*pid, 1), member(*read))).collect(),
            ..ProcessTree::default()
        }
    }

    #[test]
    fn a_child_that_was_waited_for_counts_once() {
        // Child 2 did 300 more, ended, and was added to its parent.
        let mut looks = vec![None, Some(process_tree(&[(1, 10 + 800)])), Some(process_tree(&[(1, 10), (2, 500)]))];
        let process = Process { name: "db".into(), pid: 1, start: 1, from_birth: true };
        let source = move || looks.pop().flatten();
        let followed = Followed { process, source, last: ProcessTree::default(), ended: false, told: (false, false) };
        let mut processes = Processes { followed: vec![followed], remarks: Vec::new() };
        let mut rates = Vec::new();
        for _ in 0..3 {
            let mut samples = Vec::new();
            processes.sample(Nanos::from_secs(1), &mut samples);
            rates.extend(samples.iter().find(|s| s.name == "process.db.read").map(|s| s.value));
        }
        assert_eq!(rates, [510.0, 300.0]);
    }
}
