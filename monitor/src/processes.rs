//! Block I/O of processes and all their descendants, from the kernel's per-process counters (`/proc/PID/io`).
//!
//! When a process has ended and its parent has waited for it, its counters are added to the parent's counters. The sum
//! across all living processes is therefore complete, but only the difference of two sums is meaningful. Buffered
//! writes are counted when pages become dirty; reads and direct writes are counted when they are sent to the block
//! layer.

use crate::Roots;
use crate::roots::{text, value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Counters of processes so far, including children that they waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Account {
    /// Bytes read from devices.
    pub read: u64,
    /// Bytes written to devices.
    pub written: u64,
    /// CPU time, in clock ticks.
    pub cpu: u64,
}

/// Returns the control group of the process with this directory in `/proc`: with version 1, the deepest of its groups.
pub(crate) fn group_of(dir: &Path) -> String {
    let list = text(&dir.join("cgroup")).unwrap_or_default();
    let paths: BTreeSet<&str> = list.lines().filter_map(|line| line.splitn(3, ':').nth(2)).collect();
    let deepest = paths.into_iter().max_by_key(|path| (path.matches('/').count(), path.len(), *path));
    deepest.unwrap_or("/").to_owned()
}

/// Returns the sum of the counters of these processes and their descendants. `but` is a process whose own CPU time is
/// excluded. Returns `None` if the counters of one of `heads` cannot be read.
pub(crate) fn family(roots: &Roots, heads: &[u32], but: Option<u32>) -> Option<Account> {
    let family = with_descendants(roots, heads);
    let mut sum = Account::default();
    for pid in &family {
        match account(roots, *pid, but == Some(*pid)) {
            Some(one) => {
                sum.read = sum.read.saturating_add(one.read);
                sum.written = sum.written.saturating_add(one.written);
                sum.cpu = sum.cpu.saturating_add(one.cpu);
            }
            // A descendant may have ended since then. Its counters are then included in its parent's counters.
            None if heads.contains(pid) => return None,
            None => {}
        }
    }
    (!heads.is_empty()).then_some(sum)
}

/// Returns these processes and their descendants.
pub(crate) fn with_descendants(roots: &Roots, heads: &[u32]) -> BTreeSet<u32> {
    let parents = parents(roots);
    let mut family: BTreeSet<u32> = heads.iter().copied().collect();
    loop {
        let more: Vec<u32> = parents
            .iter()
            .filter(|(pid, parent)| family.contains(parent) && !family.contains(pid))
            .map(|p| *p.0)
            .collect();
        if more.is_empty() {
            return family;
        }
        family.extend(more);
    }
}

/// Returns the counters of one process. With `children_alone`, the CPU time is that of its children only.
fn account(roots: &Roots, pid: u32, children_alone: bool) -> Option<Account> {
    let io = text(&roots.proc.join(pid.to_string()).join("io"))?;
    let stat = text(&roots.proc.join(pid.to_string()).join("stat"))?;
    // Fields after the name: state, parent, ..., user and system time of the process, then of its children (proc(5), 14
    // to 17).
    let times = stat.rsplit_once(')')?.1.split_whitespace().skip(if children_alone { 13 } else { 11 });
    let cpu = times.take(if children_alone { 2 } else { 4 }).filter_map(|t| t.parse::<u64>().ok()).sum();
    Some(Account { read: value(&io, "read_bytes:")?, written: value(&io, "write_bytes:")?, cpu })
}

/// Returns the ancestors of a process.
pub(crate) fn ancestors(roots: &Roots, pid: u32) -> BTreeSet<u32> {
    let mut ancestors = BTreeSet::new();
    let mut at = parent(roots, pid);
    while let Some(pid) = at.filter(|pid| *pid > 0 && ancestors.insert(*pid)) {
        at = parent(roots, pid);
    }
    ancestors
}

fn parents(roots: &Roots) -> BTreeMap<u32, u32> {
    let entries = std::fs::read_dir(&roots.proc).into_iter().flatten().flatten();
    let pids = entries.filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok());
    pids.filter_map(|pid| Some((pid, parent(roots, pid)?))).collect()
}

fn parent(roots: &Roots, pid: u32) -> Option<u32> {
    let stat = text(&roots.proc.join(pid.to_string()).join("stat"))?;
    // The program name, in brackets, may contain any characters.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_family_is_summed_whatever_its_names_and_strangers_are_not() {
        let dir = tempfile::tempdir().expect("a directory");
        let roots = Roots::under(dir.path());
        let process = |pid: u32, parent: u32, name: &str, read: u64, written: u64| {
            let at = roots.proc.join(pid.to_string());
            fs::create_dir_all(&at).unwrap();
            fs::write(at.join("stat"), format!("{pid} ({name}) S {parent} 1 1 0 0 0 0 0 0 0 {pid} 1 2 3 20 0"))
                .unwrap();
            fs::write(at.join("io"), format!("rchar: 9\nread_bytes: {read}\nwrite_bytes: {written}\n")).unwrap();
        };
        process(10, 1, "secchi", 1, 10);
        process(11, 10, "post) 1 (gres", 2, 20);
        process(12, 11, "postgres", 4, 40);
        process(13, 1, "stranger", 100, 1000);
        let total = |read, written, cpu| Some(Account { read, written, cpu });
        assert_eq!(family(&roots, &[10], None), total(7, 70, 10 + 11 + 12 + 3 * 6));
        assert_eq!(family(&roots, &[10], Some(10)), total(7, 70, 5 + 11 + 12 + 2 * 6));
        assert_eq!(family(&roots, &[11, 13], None), total(106, 1060, 11 + 12 + 13 + 3 * 6));
        assert_eq!(family(&roots, &[10, 99], None), None);
        assert_eq!(family(&roots, &[], None), None);
        assert!(ancestors(&roots, 12).contains(&10) && !ancestors(&roots, 12).contains(&13));
    }
}
