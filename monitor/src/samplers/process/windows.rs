//! Reads the counts and the parent of each process. Windows does not report the bytes that a process sent to disks: it
//! counts calls on any kind of file.

use super::{One, Process, ProcessIdentity, ProcessTotals, ProcessTree, TREE_LARGEST};
use crate::Roots;
use std::collections::HashMap;
use sys::process::{ObservedProcess, ProcessCounts};

/// Returns a source that reads a process with its descendants.
pub(super) fn source(_roots: &Roots, process: &Process) -> impl FnMut() -> Option<ProcessTree> + Send + use<> {
    let mut tree = Tree::new(process.pid, process.start);
    move || tree.read()
}

/// A process with its descendants. The handle to each process is kept open until the end of the process has been
/// counted.
struct Tree {
    living: HashMap<(u32, u64), ObservedProcess>,
    past: One,
}

impl Tree {
    fn new(pid: u32, start: u64) -> Tree {
        let process = ObservedProcess::open(pid).filter(|p| p.counts().is_some_and(|counts| counts.start == start));
        Tree { living: process.map(|process| ((pid, start), process)).into_iter().collect(), past: One::default() }
    }

    /// Reads the tree; `None` if none of the processes is alive.
    fn read(&mut self) -> Option<ProcessTree> {
        let listed = sys::process::processes();
        // Grandchildren may be anywhere in the list.
        while self.living.len() < TREE_LARGEST {
            let new: Vec<_> = listed.iter().filter_map(|one| self.child(one.pid, one.parent)).collect();
            if new.is_empty() {
                break;
            }
            self.living.extend(new);
        }
        let mut tree = ProcessTree { calls_alone: true, ..ProcessTree::default() };
        let past = &mut self.past;
        self.living.retain(|key, process| {
            let ended = process.has_ended();
            let counts = process.counts().unwrap_or_default();
            if ended {
                add(past, &counts);
                return false;
            }
            let threads = listed.iter().find(|one| one.pid == key.0).map_or(1, |one| one.threads.into());
            let mut one = One { threads, memory: counts.memory, ..One::default() };
            add(&mut one, &counts);
            tree.members.insert(*key, one);
            true
        });
        tree.past = self.past;
        (!tree.members.is_empty()).then_some(tree)
    }

    /// Returns a process that a member of the tree started and that is not in the tree yet. A child that is older than
    /// the process with its parent's ID is skipped, because that ID was reused.
    fn child(&self, pid: u32, parent: u32) -> Option<((u32, u64), ObservedProcess)> {
        let begun = self.living.keys().find(|(living, _)| *living == parent)?.1;
        if pid == parent || self.living.keys().any(|(living, _)| *living == pid) {
            return None;
        }
        let process = ObservedProcess::open(pid)?;
        let start = process.counts()?.start;
        (start >= begun).then_some(((pid, start), process))
    }
}

/// Adds cumulative counts; current values such as memory are left out.
fn add(one: &mut One, counts: &ProcessCounts) {
    one.read_calls += counts.read_calls;
    one.write_calls += counts.write_calls;
    one.called_read += counts.read;
    one.called_write += counts.written;
    one.user += counts.user_ns;
    one.system += counts.system_ns;
}

/// Returns the name of the process with this ID and its start time, in units of 100 ns since 1601. Returns `None` if
/// there is no such process or it cannot be read.
#[must_use]
pub fn process_identity(_roots: &Roots, pid: u32) -> Option<ProcessIdentity> {
    let (name, start) = sys::process::process_name(pid)?;
    Some(ProcessIdentity { name, start })
}

/// Returns `None`: Windows does not report the bytes sent to disks.
#[must_use]
pub fn process_totals(_roots: &Roots, _pid: u32) -> Option<ProcessTotals> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_very_process_can_be_read_and_another_of_its_number_is_not_it() {
        let pid = std::process::id();
        let me = process_identity(&Roots::host(), pid).expect("we live");
        assert!(me.name.ends_with(".exe"), "{}", me.name);
        let tree = Tree::new(pid, me.start).read().expect("we live");
        assert!(
            tree.sum(|o| o.threads) >= 1 && tree.sum(|o| o.memory) > 0 && tree.members.contains_key(&(pid, me.start))
        );
        assert!(Tree::new(pid, me.start + 1).read().is_none());
    }

    #[test]
    fn what_a_child_did_counts_after_its_end() {
        let pid = std::process::id();
        let me = process_identity(&Roots::host(), pid).expect("we live");
        let mut tree = Tree::new(pid, me.start);
        let before = tree.read().expect("we live");
        let mut child = std::process::Command::new("cmd")
            .args(["/c", "pause"])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::null())
            .spawn()
            .expect("it starts");
        let with = tree.read().expect("we live");
        assert!(with.members.keys().any(|(pid, _)| *pid == child.id()), "{with:?}");
        child.kill().expect("ours");
        child.wait().expect("ended");
        let after = tree.read().expect("we live");
        assert!(!after.members.keys().any(|(pid, _)| *pid == child.id()));
        assert!(after.sum(|o| o.user) >= before.sum(|o| o.user));
    }
}
