//! A control group for this process and everything it starts, so that the block layer counts a database engine's I/O
//! separately.
//!
//! In version 1, the `blkio` hierarchy is independent: moving to another group in it changes only how block I/O is
//! counted. However, a child group does not inherit limits, so we never leave a group that has limits. In version 2,
//! one group carries the limits of all controllers, so we leave it only if it is the root group, which has none. In all
//! other cases we use the counters of the current group, provided that no other process is in it.

use crate::Roots;
use crate::cgroup::{Group, GroupError, Member, Version, groups};
use crate::counters::GroupIo;
use crate::mounts::kernel_mounts;
use crate::roots::text;
use model::record::DeviceFacts;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Prefix of the names of our groups; the process ID follows.
const PREFIX: &str = "secchi-db-";
/// Limit that no device can reach, in operations per second. Version 1 does not count a device until some group has a
/// limit on the device.
const BEYOND_REACH: &str = "1000000000";
/// Files with the limits of a version 1 group, one limit per line.
const LIMITS: [&str; 4] = ["read_bps_device", "write_bps_device", "read_iops_device", "write_iops_device"];
/// Maximum number of attempts to remove a group, and the pause after each. A group becomes removable a moment after its
/// last process has ended.
const LEAVING: (u32, Duration) = (50, Duration::from_millis(10));

/// Control group that holds only this process and its children.
#[derive(Debug)]
pub struct RunGroup {
    counters: GroupIo,
    /// Directory of the group that we created, and directory of the group that we left for it. `None` if we use the
    /// group in which we were started.
    made: Option<(PathBuf, PathBuf)>,
}

impl RunGroup {
    /// Moves this process into a new group, or uses the current one.
    ///
    /// # Errors
    /// Returns [`GroupError`] if neither group can be used.
    pub fn enter(roots: &Roots, devices: &[DeviceFacts]) -> Result<RunGroup, GroupError> {
        let candidates = groups(roots, &kernel_mounts(roots), "blkio", Member::Own);
        let counts = |g: &&Group| match g.version {
            Version::V1 => g.dir().join("blkio.throttle.io_serviced").exists(),
            Version::V2 => g.dir().join("io.stat").exists() || (g.root && passes_io(g.dir())),
        };
        let group = candidates.iter().find(counts).ok_or(GroupError::NotCounted)?;
        let made = if may_leave(group) { Some(make(roots, group, devices)?) } else { None };
        let group = match &made {
            Some((dir, _)) => group.child(dir.clone()),
            None => {
                alone_in(roots, group)?;
                group.clone()
            }
        };
        // From here on, the group is removed even if an error occurs.
        let counters = GroupIo::of_group(group, devices);
        match counters {
            Ok(counters) => Ok(RunGroup { counters, made }),
            Err(error) => {
                made.iter().for_each(|(dir, home)| leave(dir, home));
                Err(error)
            }
        }
    }

    /// Returns the counters of the group for each device.
    pub(crate) fn counters(&self) -> &GroupIo {
        &self.counters
    }
}

impl Drop for RunGroup {
    fn drop(&mut self) {
        if let Some((dir, home)) = &self.made {
            leave(dir, home);
        }
    }
}

/// Returns `true` if leaving the group changes only how I/O is counted.
fn may_leave(group: &Group) -> bool {
    if !group.own {
        return false;
    }
    match group.version {
        Version::V1 => LIMITS.iter().all(|file| {
            text(&group.dir().join(format!("blkio.throttle.{file}"))).is_none_or(|limits| limits.trim().is_empty())
        }),
        Version::V2 => group.root && passes_io(group.dir()),
    }
}

/// Returns `true` if block I/O is counted for the children of this version 2 group.
fn passes_io(dir: &Path) -> bool {
    text(&dir.join("cgroup.subtree_control")).is_some_and(|c| c.split_whitespace().any(|c| c == "io"))
}

/// Creates a group in `group`, enters it and enables counting. Removes the groups of runs that were killed.
fn make(roots: &Roots, group: &Group, devices: &[DeviceFacts]) -> Result<(PathBuf, PathBuf), GroupError> {
    let home = group.dir();
    for entry in fs::read_dir(home).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|n| n.strip_prefix(PREFIX)).and_then(|n| n.parse::<u32>().ok());
        if pid.is_some_and(|pid| !roots.proc.join(pid.to_string()).exists()) {
            // The kernel refuses to remove a group that still holds processes.
            let _ = fs::remove_dir(entry.path());
        }
    }
    let dir = home.join(format!("{PREFIX}{}", std::process::id()));
    let refused = |what, e: &std::io::Error| GroupError::System { what, dir: dir.clone(), error: e.to_string() };
    fs::create_dir(&dir).map_err(|e| refused("make", &e))?;
    if group.version == Version::V1 {
        for (major, minor) in crate::counters::whole_disks(devices) {
            // If the kernel refuses this, nothing is counted, which is detected later.
            let _ = fs::write(dir.join("blkio.throttle.write_iops_device"), format!("{major}:{minor} {BEYOND_REACH}"));
        }
    }
    if let Err(e) = fs::write(dir.join("cgroup.procs"), std::process::id().to_string()) {
        let _ = fs::remove_dir(&dir);
        return Err(refused("enter", &e));
    }
    Ok((dir, home.to_owned()))
}

/// Returns to the `home` group and removes `dir`, waiting for processes that are ending.
fn leave(dir: &Path, home: &Path) {
    let _ = fs::write(home.join("cgroup.procs"), std::process::id().to_string());
    for _ in 0..LEAVING.0 {
        if fs::remove_dir(dir).is_ok() || !dir.exists() {
            return;
        }
        std::thread::sleep(LEAVING.1);
    }
}

/// Checks that no other process is in a group that we did not create. Our ancestors are ignored, because they do no I/O
/// during the run.
fn alone_in(roots: &Roots, group: &Group) -> Result<(), GroupError> {
    let dir = || group.dir().to_owned();
    if group.root || !group.own {
        return Err(GroupError::Shared(dir()));
    }
    let members = text(&group.dir().join("cgroup.procs")).unwrap_or_default();
    let family = super::processes::ancestors(roots, std::process::id());
    let strangers = members.lines().filter_map(|l| l.trim().parse::<u32>().ok());
    let strangers = strangers.filter(|pid| *pid != std::process::id() && !family.contains(pid)).count();
    match strangers {
        0 => Ok(()),
        others => Err(GroupError::Strangers { others, dir: dir() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roots::testkit::machine;

    const V1: &str = "32 31 0:29 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n";

    fn disk() -> DeviceFacts {
        DeviceFacts { name: "vda".into(), kind: "disk".into(), dev: (254, 0), ..DeviceFacts::default() }
    }

    #[test]
    fn a_group_without_limits_is_left_for_one_of_our_own_that_has_an_unreachable_one() {
        of_linux!();
        let (dir, roots) = machine(V1, "4:blkio:/a\n", &["sys/fs/cgroup/blkio/a/secchi-db-4294967294"]);
        let home = dir.path().join("sys/fs/cgroup/blkio/a");
        fs::write(home.join("blkio.throttle.io_serviced"), "").unwrap();
        fs::write(home.join("blkio.throttle.read_bps_device"), "\n").unwrap();
        let group = RunGroup::enter(&roots, &[disk()]).expect("entered");
        let (made, from) = group.made.as_ref().expect("made");
        assert_eq!((made.parent(), from.as_path()), (Some(home.as_path()), home.as_path()));
        assert!(!home.join("secchi-db-4294967294").exists(), "what a killed run left is removed");
        let read = |name: &str| fs::read_to_string(made.join(name)).unwrap();
        assert_eq!(read("cgroup.procs"), std::process::id().to_string());
        assert_eq!(read("blkio.throttle.write_iops_device"), "254:0 1000000000");
        // Unlike the kernel's files, these regular files would prevent removal of the directory.
        let made = made.clone();
        fs::read_dir(&made).unwrap().flatten().for_each(|f| fs::remove_file(f.path()).unwrap());
        drop(group);
        assert!(!made.exists());
        assert_eq!(fs::read_to_string(home.join("cgroup.procs")).unwrap(), std::process::id().to_string());
    }

    #[test]
    fn a_group_with_a_limit_is_never_left_and_counts_if_nobody_else_is_in_it() {
        of_linux!();
        let (dir, roots) = machine(V1, "4:blkio:/a\n", &["sys/fs/cgroup/blkio/a"]);
        let home = dir.path().join("sys/fs/cgroup/blkio/a");
        fs::write(home.join("blkio.throttle.io_serviced"), "").unwrap();
        fs::write(home.join("blkio.throttle.read_bps_device"), "254:0 1048576\n").unwrap();
        fs::write(home.join("cgroup.procs"), format!("{}\n", std::process::id())).unwrap();
        assert!(RunGroup::enter(&roots, &[disk()]).expect("counted as it is").made.is_none());
        fs::write(home.join("cgroup.procs"), format!("{}\n4294967294\n", std::process::id())).unwrap();
        let message = RunGroup::enter(&roots, &[disk()]).unwrap_err().to_string();
        assert!(message.contains("1 other processes"), "{message}");
    }

    #[test]
    fn the_root_of_version_2_is_left_only_where_it_passes_block_io_on() {
        of_linux!();
        let v2 = "41 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        let (dir, roots) = machine(v2, "0::/\n", &["sys/fs/cgroup"]);
        let home = dir.path().join("sys/fs/cgroup");
        fs::write(home.join("io.stat"), "").unwrap();
        fs::write(home.join("cgroup.subtree_control"), "cpu memory\n").unwrap();
        assert!(RunGroup::enter(&roots, &[disk()]).is_err());
        fs::write(home.join("cgroup.subtree_control"), "cpu io memory\n").unwrap();
        let group = RunGroup::enter(&roots, &[disk()]).expect("entered");
        let made = group.made.as_ref().expect("made").0.clone();
        assert!(!made.join("blkio.throttle.write_iops_device").exists());
        fs::remove_file(made.join("cgroup.procs")).unwrap();
    }
}
