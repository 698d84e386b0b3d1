//! A control group for this process and everything it starts, so that the block layer counts what a database engine does
//! apart from everybody else.
//!
//! In version 1 the hierarchy of `blkio` is by itself: nothing but the counting of block I/O changes by being in another
//! group of it. Its limits are not inherited, though, so that a group which has some is never left. In version 2 one group
//! holds all limits: it is only left where it is the root, which has none. Everywhere else the group that we are in is
//! counted as it is, if nobody else is in it.

use crate::Roots;
use crate::cgroup::{Group, GroupError, Member, Version, groups};
use crate::counters::GroupIo;
use crate::mounts::kernel_mounts;
use crate::roots::text;
use model::DeviceFacts;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What groups of ours are called, before the number of the process.
const PREFIX: &str = "secchi-db-";
/// Version 1 counts a device for a group only once some group has a limit on it. So many operations a second no device
/// can do.
const BEYOND_REACH: &str = "1000000000";
/// Files of a group of version 1 with limits, a line each.
const LIMITS: [&str; 4] = ["read_bps_device", "write_bps_device", "read_iops_device", "write_iops_device"];
/// A group is free a moment after its last process ended.
const LEAVING: (u32, Duration) = (50, Duration::from_millis(10));

/// A control group that holds this process, what it starts, and nobody else.
#[derive(Debug)]
pub struct RunGroup {
    counters: GroupIo,
    /// Made here, and where we came from; `None` = the group we were started in.
    made: Option<(PathBuf, PathBuf)>,
}

impl RunGroup {
    /// Moves this process into a group of its own, or takes the one it is in.
    ///
    /// # Errors
    /// [`GroupError`] saying why there is none.
    pub fn enter(roots: &Roots, devices: &[DeviceFacts]) -> Result<RunGroup, GroupError> {
        let found = groups(roots, &kernel_mounts(roots), "blkio", Member::Own);
        let counts = |g: &&Group| match g.version {
            Version::V1 => g.dir().join("blkio.throttle.io_serviced").exists(),
            Version::V2 => g.dir().join("io.stat").exists() || (g.root && passes_io(g.dir())),
        };
        let group = found.iter().find(counts).ok_or(GroupError::NotCounted)?;
        let made = if may_leave(group) { Some(make(roots, group, devices)?) } else { None };
        let group = match &made {
            Some((dir, _)) => group.child(dir.clone()),
            None => {
                alone_in(roots, group)?;
                group.clone()
            }
        };
        // From here on it is removed whatever happens.
        let counters = GroupIo::of_group(group, devices);
        match counters {
            Ok(counters) => Ok(RunGroup { counters, made }),
            Err(why) => {
                made.iter().for_each(|(dir, home)| leave(dir, home));
                Err(why)
            }
        }
    }

    /// What it was charged for each device.
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

/// Whether nothing but the counting would change.
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

/// Whether groups in this one of version 2 have their block I/O counted.
fn passes_io(dir: &Path) -> bool {
    text(&dir.join("cgroup.subtree_control")).is_some_and(|c| c.split_whitespace().any(|c| c == "io"))
}

/// Makes a group in this one, enters it, and has it counted. Those of runs that were killed are removed.
fn make(roots: &Roots, group: &Group, devices: &[DeviceFacts]) -> Result<(PathBuf, PathBuf), GroupError> {
    let home = group.dir();
    for entry in fs::read_dir(home).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|n| n.strip_prefix(PREFIX)).and_then(|n| n.parse::<u32>().ok());
        if pid.is_some_and(|pid| !roots.proc.join(pid.to_string()).exists()) {
            // One that still holds processes stays: the kernel refuses.
            let _ = fs::remove_dir(entry.path());
        }
    }
    let dir = home.join(format!("{PREFIX}{}", std::process::id()));
    let refused = |what, e: &std::io::Error| GroupError::System { what, dir: dir.clone(), error: e.to_string() };
    fs::create_dir(&dir).map_err(|e| refused("make", &e))?;
    if group.version == Version::V1 {
        for (major, minor) in crate::counters::whole_disks(devices) {
            // Where it is refused nothing is counted, which is seen.
            let _ = fs::write(dir.join("blkio.throttle.write_iops_device"), format!("{major}:{minor} {BEYOND_REACH}"));
        }
    }
    if let Err(e) = fs::write(dir.join("cgroup.procs"), std::process::id().to_string()) {
        let _ = fs::remove_dir(&dir);
        return Err(refused("enter", &e));
    }
    Ok((dir, home.to_owned()))
}

/// Goes back, and removes the group: processes that are ending are waited for.
fn leave(dir: &Path, home: &Path) {
    let _ = fs::write(home.join("cgroup.procs"), std::process::id().to_string());
    for _ in 0..LEAVING.0 {
        if fs::remove_dir(dir).is_ok() || !dir.exists() {
            return;
        }
        std::thread::sleep(LEAVING.1);
    }
}

/// A group that was not made for us counts us only if nobody else is in it: those we come from do nothing meanwhile.
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
        // Files of a made-up group are no kernel's: it cannot be removed with them.
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
        let why = RunGroup::enter(&roots, &[disk()]).unwrap_err().to_string();
        assert!(why.contains("1 other processes"), "{why}");
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
