//! Processes that submit operations, looked up by the threads in the kernel's events.

use super::events::{Event, Thread};
use super::has_other_process_ids;
use crate::Roots;
use crate::processes::group_of;
use crate::roots::{text, value, word};
use model::CompactSort;
use model::measured::{DeviceProcess, RequestKind, group_label};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Maximum number of processes of a device with separate counts in one interval; further ones are summed by program.
const SEPARATE: usize = 64;
/// Maximum number of remembered threads. When it is reached, all are forgotten.
const REMEMBERED: usize = 8192;
/// Prefix of the names of kernel workers.
const WORKER: &str = "kworker/";

/// Reads and writes of one thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Submitted {
    ops: [u64; 2],
    bytes: [u64; 2],
}

impl Submitted {
    /// Counts an operation if it is a read or a write.
    pub fn count(&mut self, event: &Event) {
        let direction = match event.kind {
            RequestKind::Read => 0,
            RequestKind::Write => 1,
            _ => return,
        };
        self.ops[direction] += 1;
        self.bytes[direction] += event.bytes;
    }
}

/// Processes of the threads that submit operations.
#[derive(Debug, Default)]
pub(crate) struct Submitters {
    /// Process file system; `None` if its process IDs differ from those in events.
    proc: Option<PathBuf>,
    /// Processes by thread, without counts.
    known: FxHashMap<Thread, DeviceProcess>,
}

impl Submitters {
    pub fn new(roots: &Roots) -> Submitters {
        let proc = (!has_other_process_ids(roots)).then(|| roots.proc.clone());
        Submitters { proc, ..Submitters::default() }
    }

    /// Looks up and remembers the process of a new thread. Call it soon after the event, because the thread may end.
    pub fn remember(&mut self, thread: &Thread) {
        if thread.id == 0 || self.known.contains_key(thread) {
            return;
        }
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        self.known.insert(*thread, self.look_up(thread));
    }

    /// Returns the process of a thread, or the thread itself if it has ended.
    fn look_up(&self, thread: &Thread) -> DeviceProcess {
        let name = String::from_utf8_lossy(&thread.name);
        let name = name.trim_end_matches('\0');
        let program = if name.is_empty() { "?".to_owned() } else { name.replace(char::is_control, "?") };
        // The kernel distributes the work of write-back and of loop devices among a changing set of workers.
        if program.starts_with(WORKER) {
            return DeviceProcess { program: WORKER.trim_end_matches('/').to_owned(), ..DeviceProcess::default() };
        }
        let process = DeviceProcess { pid: Some(thread.id), program, ..DeviceProcess::default() };
        let Some(proc) = &self.proc else { return process };
        let leader = text(&proc.join(thread.id.to_string()).join("status")).and_then(|s| value(&s, "Tgid:"));
        let Some(pid) = leader.and_then(|pid| u32::try_from(pid).ok()) else { return process };
        let dir = proc.join(pid.to_string());
        let group = group_label(&group_of(&dir));
        // Threads often have names that differ from the name of their process.
        let program = (pid != thread.id).then(|| word(&dir.join("comm"))).flatten();
        let program = program.map_or(process.program, |name| name.replace(char::is_control, "?"));
        DeviceProcess { pid: Some(pid), program, group, ..DeviceProcess::default() }
    }

    /// Returns the processes of these threads with their counts.
    pub fn processes(&self, submitted: FxHashMap<Thread, Submitted>) -> Vec<DeviceProcess> {
        let mut sums: BTreeMap<(Option<u32>, String), DeviceProcess> = BTreeMap::new();
        for (thread, Submitted { ops, bytes }) in submitted.into_iter().filter(|(_, io)| io.ops != [0, 0]) {
            let process = self.known.get(&thread).cloned().unwrap_or_else(|| self.look_up(&thread));
            let sum = sums.entry((process.pid, process.program.clone())).or_insert(process);
            sum.add(&DeviceProcess { ops, bytes, ..DeviceProcess::default() });
        }
        let mut processes: Vec<DeviceProcess> = sums.into_values().collect();
        processes.compact_sort_by_key(|process| std::cmp::Reverse(process.all_bytes()));
        for process in processes.iter_mut().skip(SEPARATE) {
            (process.pid, process.group) = (None, String::new());
        }
        processes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a machine on which thread 71 belongs to process 70.
    fn machine() -> (tempfile::TempDir, Submitters) {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let roots = Roots::under(dir.path());
        let files = [
            ("70/status", "Name:\tpostgres\nTgid:\t70\n"),
            ("70/comm", "postgres\n"),
            ("70/cgroup", "0::/system.slice/postgresql.service\n"),
            ("71/status", "Name:\tbgwriter\nTgid:\t70\n"),
        ];
        for (path, text) in files {
            let path = roots.proc.join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("created");
            std::fs::write(path, text).expect("written");
        }
        (dir, Submitters::new(&roots))
    }

    fn thread(id: u32, name: &str) -> Thread {
        let mut thread = Thread { id, ..Thread::default() };
        thread.name[..name.len()].copy_from_slice(name.as_bytes());
        thread
    }

    fn names(submitters: &Submitters, threads: &[Thread]) -> Vec<String> {
        let io = |thread: &Thread| (*thread, Submitted { ops: [0, 1], bytes: [0, u64::from(10_000 - thread.id)] });
        let processes = submitters.processes(threads.iter().map(io).collect());
        let name = |p: &DeviceProcess| format!("{} {} [{}] {}", p.pid.unwrap_or(0), p.program, p.group, p.ops[1]);
        processes.iter().map(name).collect()
    }

    #[test]
    fn threads_are_counted_for_their_process_and_kernel_workers_together() {
        let (_dir, submitters) = machine();
        let threads = [
            thread(70, "postgres"),
            thread(71, "bgwriter"),
            thread(90, "gone"),
            thread(91, ""),
            thread(30, "kworker/u8:3"),
            thread(31, "kworker/0:1H"),
        ];
        let expected = ["0 kworker [] 2", "70 postgres [postgresql.service] 2", "90 gone [] 1", "91 ? [] 1"];
        assert_eq!(names(&submitters, &threads), expected);
    }

    #[test]
    fn a_thread_is_looked_up_once_while_it_exists() {
        let (dir, mut submitters) = machine();
        submitters.remember(&thread(71, "bgwriter"));
        submitters.remember(&Thread::default());
        assert_eq!(submitters.known.len(), 1);
        std::fs::remove_dir_all(dir.path().join("proc/71")).expect("removed");
        assert_eq!(names(&submitters, &[thread(71, "bgwriter")]), ["70 postgres [postgresql.service] 1"]);
        assert_eq!(names(&submitters, &[thread(71, "other")]), ["71 other [] 1"], "another thread with this ID");
    }

    #[test]
    fn processes_after_the_first_64_are_summed_by_program() {
        let many: Vec<Thread> = (0..70).map(|i| thread(1000 + i, "job")).collect();
        let names = names(&Submitters::default(), &many);
        assert_eq!((names.len(), names[63].as_str(), names[64].as_str()), (70, "1063 job [] 1", "0 job [] 1"));
    }
}
