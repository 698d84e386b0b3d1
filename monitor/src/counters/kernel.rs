//! CPU time of kernel threads. Threads that serve I/O (`kblockd` and other work queues, `loop`, `jbd2`, `dm`, `md`) use
//! CPU time on behalf of a load.

use crate::roots::text;
use std::collections::BTreeMap;
use std::path::Path;

/// Prefixes of threads that manage memory and never work on the load's I/O.
const MEMORY: [&str; 4] = ["kswapd", "ksmd", "khugepaged", "kcompactd"];

/// CPU time that one thread has used so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KernelThread {
    /// CPU time, in clock ticks.
    pub ticks: u64,
    /// CPU that the thread last ran on.
    pub cpu: u32,
}

/// Returns the kernel's threads by thread ID, except threads that manage memory. The map is empty if the threads are
/// hidden, as in a container.
pub(crate) fn kernel_threads(proc: &Path) -> BTreeMap<u32, KernelThread> {
    let is_parent = text(&proc.join("2/comm")).is_some_and(|name| name.trim_end() == "kthreadd");
    let children = text(&proc.join("2/task/2/children")).filter(|_| is_parent).unwrap_or_default();
    let thread = |pid: &str| {
        let thread = parse_thread(&text(&proc.join(pid).join("stat"))?)?;
        Some((pid.parse().ok()?, thread))
    };
    children.split_whitespace().filter_map(thread).collect()
}

/// Parses a thread's `stat` file. Fields 14 and 15 are the times, field 39 is the CPU (proc_pid_stat(5)).
fn parse_thread(stat: &str) -> Option<KernelThread> {
    let (name, rest) = stat.split_once('(')?.1.rsplit_once(')')?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let at = |field: usize| words.get(field - 3)?.parse::<u64>().ok();
    let is_memory = MEMORY.iter().any(|m| name.starts_with(m));
    let ticks = at(14)?.saturating_add(at(15)?);
    (!is_memory).then_some(KernelThread { ticks, cpu: u32::try_from(at(39)?).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_the_kernel_are_found_with_their_time_and_cpu() {
        let proc = tempfile::tempdir().expect("a directory");
        let stat = |name: &str, user: u32, system: u32, cpu: u32| {
            format!(
                "9 ({name}) S 2 0 0 0 -1 64 0 0 0 0 {user} {system} 0 0 0 -20 1 0 5 0 0 9 0 0 0 0 0 0 0 2147483647 0 0 0 0 17 {cpu} 0 0"
            )
        };
        let write = |path: &str, text: &str| {
            let path = proc.path().join(path);
            std::fs::create_dir_all(path.parent().expect("it has one")).expect("made");
            std::fs::write(path, text).expect("written");
        };
        write("2/task/2/children", "9 10 11 12 ");
        write("9/stat", &stat("kworker/0:1H-kblockd", 1, 6, 0));
        write("10/stat", &stat("kswapd0", 0, 900, 1));
        write("11/stat", &stat("odd) (name", 0, 3, 1));
        assert!(kernel_threads(proc.path()).is_empty(), "not the kernel's");
        write("2/comm", "kthreadd\n");
        let threads = kernel_threads(proc.path());
        let expected = [(9, KernelThread { ticks: 7, cpu: 0 }), (11, KernelThread { ticks: 3, cpu: 1 })];
        assert_eq!(threads.into_iter().collect::<Vec<_>>(), expected);
    }
}
