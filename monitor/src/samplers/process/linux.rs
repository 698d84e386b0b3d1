//! Reads `/proc/PID/{stat,io}` and, thread by thread, `status` and `children` (proc(5)).

use super::{One, Process, ProcessIdentity, ProcessTotals, ProcessTree, TREE_LARGEST};
use crate::Roots;
use crate::roots::{names, text, value};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Maximum number of threads that are read individually.
const THREADS_ASKED: u64 = 256;

/// Returns a source that reads a process with its descendants.
pub(super) fn source(roots: &Roots, process: &Process) -> impl FnMut() -> Option<ProcessTree> + Send + use<> {
    let (proc, pid, start, tick) = (roots.proc.clone(), process.pid, process.start, sys::clock::clock_ticks());
    move || tree(&proc, pid, start, tick)
}

/// Returns the name (cut by the kernel to 15 bytes) and start time (in clock ticks since boot) of the process with this
/// ID; `None` if there is no such process, or only a zombie.
#[must_use]
pub fn process_identity(roots: &Roots, pid: u32) -> Option<ProcessIdentity> {
    let stat = Stat::parse(&text(&roots.proc.join(pid.to_string()).join("stat"))?)?;
    (stat.state != 'Z' && stat.state != 'X').then_some(ProcessIdentity { name: stat.name, start: stat.start })
}

/// Returns the totals of a process, which may be a zombie.
#[must_use]
pub fn process_totals(roots: &Roots, pid: u32) -> Option<ProcessTotals> {
    let io = text(&roots.proc.join(pid.to_string()).join("io"))?;
    let one = io_of(&io);
    Some(ProcessTotals { read: one.read, write: one.write, read_calls: one.read_calls, write_calls: one.write_calls })
}

/// Returns a process with its living descendants; `None` if it has ended or another process has its ID.
fn tree(proc: &Path, pid: u32, start: u64, tick: u64) -> Option<ProcessTree> {
    let mut tree = ProcessTree::default();
    let mut waiting = vec![(pid, Some(start))];
    while let Some((pid, start)) = waiting.pop() {
        let dir = proc.join(pid.to_string());
        let Some(stat) = text(&dir.join("stat")).and_then(|t| Stat::parse(&t)) else { continue };
        if start.is_some_and(|start| start != stat.start) {
            continue;
        }
        if tree.members.contains_key(&(pid, stat.start)) || tree.members.len() >= TREE_LARGEST {
            continue;
        }
        let io = text(&dir.join("io"));
        tree.hidden |= io.is_none() && stat.state != 'Z';
        let ns = |ticks: u64| (u128::from(ticks) * 1_000_000_000 / u128::from(tick)) as u64;
        let one = One {
            user: ns(stat.user),
            system: ns(stat.system),
            threads: stat.threads,
            ..io_of(&io.unwrap_or_default())
        };
        tree.members.insert((pid, stat.start), one);
        threads(&dir, &stat, &mut tree, &mut waiting);
    }
    (!tree.members.is_empty()).then_some(tree)
}

/// Adds the context switches of the threads to `tree`, and the children that these threads started to `waiting`.
fn threads(dir: &Path, stat: &Stat, tree: &mut ProcessTree, waiting: &mut Vec<(u32, Option<u64>)>) {
    let tasks: Vec<PathBuf> = match stat.threads {
        0 | 1 => vec![dir.join("task").join(stat.pid.to_string())],
        _ => names(&dir.join("task")).into_iter().map(|name| dir.join("task").join(name)).collect(),
    };
    for task in &tasks {
        let children = text(&task.join("children")).unwrap_or_default();
        waiting.extend(children.split_whitespace().filter_map(|w| w.parse().ok()).map(|pid| (pid, None)));
    }
    if tree.switches.len() as u64 + tasks.len() as u64 > THREADS_ASKED {
        tree.crowded = true;
        tree.switches = HashMap::new();
        return;
    }
    for task in &tasks {
        let tid = task.file_name().and_then(|n| n.to_str()).and_then(|n| n.parse().ok());
        if let (Some(tid), Some(status)) = (tid, text(&task.join("status"))) {
            tree.switches.insert(tid, switches(&status));
        }
    }
}

fn switches(status: &str) -> u64 {
    let value = |key: &str| value(status, key).unwrap_or(0);
    value("voluntary_ctxt_switches:").saturating_add(value("nonvoluntary_ctxt_switches:"))
}

/// Returns the counters in `/proc/PID/io`.
pub(in crate::samplers) fn io_of(io: &str) -> One {
    let value = |key: &str| value(io, key).unwrap_or(0);
    One {
        read: value("read_bytes:"),
        write: value("write_bytes:"),
        read_calls: value("syscr:"),
        write_calls: value("syscw:"),
        called_read: value("rchar:"),
        called_write: value("wchar:"),
        ..One::default()
    }
}

/// Fields of `/proc/PID/stat` that are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::samplers) struct Stat {
    pub(in crate::samplers) pid: u32,
    pub(in crate::samplers) name: String,
    pub(in crate::samplers) state: char,
    pub(in crate::samplers) parent: u32,
    /// CPU time in clock ticks, including children that were waited for.
    pub(in crate::samplers) user: u64,
    pub(in crate::samplers) system: u64,
    pub(in crate::samplers) threads: u64,
    pub(in crate::samplers) start: u64,
    /// Time for which the main thread waited for block I/O, in clock ticks; 0 without delay accounting.
    pub(in crate::samplers) waited: u64,
}

impl Stat {
    /// Parses `1234 (a name) S 1 ...`. The name may contain blanks and parentheses.
    pub(in crate::samplers) fn parse(stat: &str) -> Option<Stat> {
        let (pid, rest) = stat.split_once(" (")?;
        let (name, rest) = rest.rsplit_once(") ")?;
        let words: Vec<&str> = rest.split_whitespace().collect();
        // proc(5) counts fields from 1, and the state is the third.
        let at = |field: usize| words.get(field - 3)?.parse::<u64>().ok();
        Some(Stat {
            pid: pid.trim().parse().ok()?,
            name: name.to_owned(),
            state: words.first()?.chars().next()?,
            parent: words.get(1)?.parse().unwrap_or(0),
            user: at(14)?.saturating_add(at(16)?),
            system: at(15)?.saturating_add(at(17)?),
            threads: at(20)?,
            start: at(22)?,
            waited: at(42).unwrap_or(0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs;

    fn machine() -> (tempfile::TempDir, Roots) {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let roots = Roots::under(dir.path());
        (dir, roots)
    }

    fn put(roots: &Roots, pid: u32, start: u64, read: u64, children: &str) {
        let dir = roots.proc.join(pid.to_string());
        let task = dir.join("task").join(pid.to_string());
        fs::create_dir_all(&task).expect("made");
        let stat = format!("{pid} (a ) (b) S 1 1 1 0 -1 0 0 0 0 0 30 20 5 1 20 0 1 0 {start} 0 0\n");
        fs::write(dir.join("stat"), stat).expect("written");
        let io =
            format!("rchar: 9\nsyscr: 4\nsyscw: 2\nread_bytes: {read}\nwrite_bytes: 7\ncancelled_write_bytes: 0\n");
        fs::write(dir.join("io"), io).expect("written");
        fs::write(task.join("children"), children).expect("written");
        fs::write(task.join("status"), "voluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t1\n")
            .expect("written");
    }

    #[test]
    fn a_process_is_read_with_its_children_and_a_name_with_parentheses_is_no_trap() {
        let (_dir, roots) = machine();
        put(&roots, 10, 100, 4096, "11 12");
        put(&roots, 11, 101, 8192, "");
        let tree = tree(&roots.proc, 10, 100, 100).expect("it lives");
        assert_eq!((tree.members.len(), tree.sum(|o| o.read), tree.hidden), (2, 12288, false));
        assert_eq!((tree.sum(|o| o.user), tree.switches.len()), (700_000_000, 2));
        assert_eq!(process_identity(&roots, 10).map(|p| (p.name, p.start)), Some(("a ) (b".into(), 100)));
    }

    #[test]
    fn a_number_that_is_now_anothers_is_not_the_process_asked_about() {
        let (_dir, roots) = machine();
        put(&roots, 10, 100, 4096, "");
        assert!(tree(&roots.proc, 10, 99, 100).is_none());
        assert!(process_identity(&roots, 11).is_none());
    }

    #[test]
    fn this_very_process_can_be_read() {
        let roots = Roots::host();
        let me = process_identity(&roots, std::process::id()).expect("we live");
        let tree = tree(&roots.proc, std::process::id(), me.start, 100).expect("we live");
        assert!(tree.sum(|o| o.threads) >= 1 && !tree.switches.is_empty());
        assert!(process_totals(&roots, std::process::id()).expect("we may read our own").read_calls > 0);
    }

    proptest! {
        #[test]
        fn no_text_makes_the_readers_panic(text in "([0-9]+ \\()?(\\PC|\\) |[0-9 ])*") {
            let _ = (Stat::parse(&text), io_of(&text), switches(&text));
        }
    }
}
