//! `process.NAME.*` for every process asked about, with all its children:
//!
//! - `read`, `write` (B/s): what the kernel sent to block devices for it, or will (`/proc/PID/io`: `read_bytes`,
//!   `write_bytes`); writes count when they dirty the page cache.
//! - `read_calls`, `write_calls` (ops/s), `called_read`, `called_write` (B/s): system calls that read and wrote, and what
//!   they moved, of files, pipes and sockets alike (`syscr`, `syscw`, `rchar`, `wchar`). I/O by io_uring, by Linux AIO and
//!   through mapped memory is no such call.
//! - `cpu_user`, `cpu_system` (percent of one core).
//! - `switches` (ops/s): context switches of all its threads, and `threads`, `processes` (count) as they stand.
//!
//! Linux adds what a child did to its parent when the parent waits for it, so the sum over a tree neither loses a child
//! that ended nor counts it twice; one that ends unwaited for takes its counts along, and one that detaches itself
//! leaves the tree. A number that was given to another process is told by its start time.
//!
//! Windows counts calls alone: `read`, `write` and `switches` are not told there, and `memory` (bytes, the working set) is. Children are
//! held open, so that what they did counts also after their end.

use super::{Out, Process, Sampler, SamplerEntry, Subjects};
use crate::Roots;
use messages::sentence;
use model::{Layer, Nanos, Sample, Sentence};
use std::collections::HashMap;

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(target_os = "macos", path = "../elsewhere/process.rs")]
mod platform;

pub use platform::{process_identity, process_totals};

pub(super) const ENTRY: SamplerEntry =
    SamplerEntry { name: "process", about: "the processes named, with their children", open };

/// More processes of one tree are not followed.
const TREE_LARGEST: usize = 1024;

fn open(roots: &Roots, subjects: &Subjects) -> Result<Box<dyn Sampler>, Sentence> {
    if subjects.processes.is_empty() {
        return Err(sentence!("sampler-no-process"));
    }
    let follow = |process: &Process| {
        let mut source = platform::source(roots, process);
        // Of what was started for this all counts, of others only what is done from now on.
        let last = if process.from_birth { ProcessTree::default() } else { source().unwrap_or_default() };
        Followed { process: process.clone(), source, last, ended: false, told: (false, false) }
    };
    Ok(Box::new(Processes { followed: subjects.processes.iter().map(follow).collect(), remarks: Vec::new() }))
}

/// Who a process is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessIdentity {
    /// Its name, as the system tells it.
    pub name: String,
    /// When it started, in units of the system: clock ticks since boot on Linux, 100 ns since 1601 on Windows.
    pub start: u64,
}

/// What a process and the children it waited for have done: exact once it has ended, until it is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProcessTotals {
    /// Bytes sent to the block layer to be read.
    pub read: u64,
    /// Bytes to be written, counted when they became dirty or went directly.
    pub write: u64,
    /// System calls that read.
    pub read_calls: u64,
    /// System calls that wrote.
    pub write_calls: u64,
}

/// What one process, without its living children, has used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct One {
    read: u64,
    write: u64,
    read_calls: u64,
    write_calls: u64,
    called_read: u64,
    called_write: u64,
    /// Nanoseconds, children waited for included.
    user: u64,
    system: u64,
    threads: u64,
    /// Bytes it has now; 0 where that is not asked.
    memory: u64,
}

/// A look at a tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ProcessTree {
    /// By number and start time.
    members: HashMap<(u32, u64), One>,
    /// Context switches by thread.
    switches: HashMap<u32, u64>,
    /// Threads were too many to ask each.
    crowded: bool,
    /// `/proc/PID/io` may not be read.
    hidden: bool,
    /// What went to block devices is not told, nor what was switched.
    calls_alone: bool,
    /// What members did that have ended, where the system does not add it to their parents.
    past: One,
}

impl ProcessTree {
    fn sum(&self, part: fn(&One) -> u64) -> u64 {
        self.members.values().map(part).fold(part(&self.past), u64::saturating_add)
    }
}

/// One process, and what its tree was at the last look.
struct Followed<R> {
    process: Process,
    source: R,
    last: ProcessTree,
    /// Nothing more is to be seen of it.
    ended: bool,
    /// What was told already.
    told: (bool, bool),
}

struct Processes<R> {
    followed: Vec<Followed<R>>,
    remarks: Vec<Sentence>,
}

impl<R: FnMut() -> Option<ProcessTree> + Send> Sampler for Processes<R> {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn sample(&mut self, elapsed: Nanos, out: &mut Vec<Sample>) {
        let mut out = Out::new(Layer::Process, elapsed, out);
        for one in self.followed.iter_mut().filter(|f| !f.ended) {
            let name = &one.process.name;
            let Some(now) = (one.source)() else {
                one.ended = true;
                // The end of one that was started for this is told by its exit status.
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
        // By thread: one that ended takes its count along.
        let of = |(tid, count): (&u32, &u64)| count.saturating_sub(then.switches.get(tid).copied().unwrap_or(0));
        out.rate(series("switches"), "ops/s", now.switches.iter().map(of).sum());
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
        let one = |read| One { read, user: read * 1_000_000, threads: 1, ..One::default() };
        ProcessTree {
            members: members.iter().map(|(pid, read)| ((*pid, 1), one(*read))).collect(),
            ..ProcessTree::default()
        }
    }

    #[test]
    fn a_child_that_was_waited_for_counts_once() {
        // The child 2 did 300 more, ended, and was added to its parent.
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
