//! The control group of a process (usually ours) and its ancestors, in version 1 or 2, found from `/proc/PID/cgroup`
//! and the mount table.
//!
//! A group's path in `/proc/self/cgroup` is relative to the root of our cgroup namespace. Its mount may show only a
//! part of the hierarchy (4th field of mountinfo), and containers often see neither completely: cgroups(7),
//! cgroup_namespaces(7).

use crate::Roots;
use crate::roots::text;
use messages::sentence;
use model::Sentence;
use std::fmt;
use std::path::{Path, PathBuf};
use sys::file_systems::Mount;

/// Version of the control group interface. The file names depend on the version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    V1,
    V2,
}

/// Process whose control group is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Member {
    /// Our own process.
    Own,
    /// Another process; holds its ID.
    Process(u32),
}

/// Reason why the counters of a control group are unavailable, or include other processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupError {
    /// No block device is known whose I/O could be counted.
    NoDevice {
        /// Object without a known device, such as `the target`.
        of: &'static str,
    },
    /// The kernel does not count block I/O per group, or the control group file system is not mounted here.
    NotCounted,
    /// The process is in the root group.
    Root(Member),
    /// Only an ancestor of the group is mounted here; holds the nearest one that is visible.
    Hidden(Member, PathBuf),
    /// The group of this process is not mounted here.
    HiddenProcess(u32),
    /// We share our group with other processes and may not create a group in it.
    Shared(PathBuf),
    /// Other processes are in our group.
    Strangers {
        /// Number of other processes.
        others: usize,
        /// Directory of the group.
        dir: PathBuf,
    },
    /// The kernel did not let us create or enter a group.
    System {
        /// Failed action: `make` or `enter`.
        what: &'static str,
        /// Directory of the group.
        dir: PathBuf,
        /// Error message from the kernel.
        error: String,
    },
}

impl GroupError {
    /// Returns the reason as a sentence for users.
    #[must_use]
    pub fn sentence(&self) -> Sentence {
        let shown = |path: &Path| path.display().to_string();
        match self {
            GroupError::NoDevice { of: "the target" } => sentence!("group-no-device-target"),
            GroupError::NoDevice { .. } => sentence!("group-no-device"),
            GroupError::NotCounted => sentence!("group-not-counted"),
            GroupError::Root(Member::Own) => sentence!("group-root-own"),
            GroupError::Root(Member::Process(pid)) => sentence!("group-root", pid = *pid),
            GroupError::Hidden(Member::Own, nearest) => sentence!("group-hidden-own", nearest = shown(nearest)),
            GroupError::Hidden(_, nearest) => sentence!("group-hidden", nearest = shown(nearest)),
            GroupError::HiddenProcess(pid) => sentence!("group-hidden-process", pid = *pid),
            GroupError::Shared(dir) => sentence!("group-shared", dir = shown(dir)),
            GroupError::Strangers { others, dir } => sentence!("group-strangers", others = *others, dir = shown(dir)),
            GroupError::System { what: "enter", dir, error } => {
                sentence!("group-not-entered", dir = shown(dir), error)
            }
            GroupError::System { dir, error, .. } => sentence!("group-not-made", dir = shown(dir), error),
        }
    }
}

impl fmt::Display for GroupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}

impl std::error::Error for GroupError {}

impl Member {
    /// Returns the groups of the process, as the kernel lists them.
    fn list(self, roots: &Roots) -> Option<String> {
        match self {
            Member::Own => text(&roots.proc.join("self/cgroup")),
            Member::Process(pid) => text(&roots.proc.join(pid.to_string()).join("cgroup")),
        }
    }
}

/// Control group of a process for one controller, as far as it is visible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    pub version: Version,
    /// Path as the kernel lists it: relative to the root of our cgroup namespace.
    pub path: String,
    /// Directory of the group, followed by each visible ancestor. Never empty.
    pub chain: Vec<PathBuf>,
    /// True if the first directory of the chain is known to be the process's own group, not just its nearest visible
    /// ancestor.
    pub own: bool,
    /// True if the group is the root of the whole hierarchy, whose limits and counters apply to no process in
    /// particular.
    pub root: bool,
}

impl Group {
    /// Returns a child group of this group, which we created in `dir`.
    pub fn child(&self, dir: PathBuf) -> Group {
        let chain = std::iter::once(dir).chain(self.chain.iter().cloned()).collect();
        Group { chain, own: true, root: false, ..self.clone() }
    }

    /// Returns the directory of the group.
    pub fn dir(&self) -> &Path {
        &self.chain[0]
    }
}

/// Returns a member's groups for a controller: first the version 1 group of the controller's hierarchy (`cpu`,
/// `memory`, `blkio`), then the version 2 group. Both groups may exist. A controller belongs to only one of them, and
/// the other group does not have the controller's files.
pub(crate) fn groups(roots: &Roots, mounts: &[Mount], controller: &str, who: Member) -> Vec<Group> {
    let Some(list) = who.list(roots) else {
        return Vec::new();
    };
    let lines: Vec<(&str, &str)> = list.lines().filter_map(membership).collect();
    let v1 = lines.iter().find(|(names, _)| names.split(',').any(|n| n == controller));
    let v2 = lines.iter().find(|(names, _)| names.is_empty());
    let mut groups = Vec::new();
    if let Some((_, path)) = v1 {
        let shows = |m: &&Mount| m.fs == "cgroup" && m.super_options.split(',').any(|o| o == controller);
        groups.extend(locate(roots, Version::V1, mounts.iter().filter(shows), path));
    }
    if let Some((_, path)) = v2 {
        groups.extend(locate(roots, Version::V2, mounts.iter().filter(|m| m.fs == "cgroup2"), path));
    }
    groups
}

/// Splits `7:cpu,cpuacct:/a/b` into `cpu,cpuacct` and `/a/b`. In version 2 the first part is empty.
fn membership(line: &str) -> Option<(&str, &str)> {
    let (_, rest) = line.split_once(':')?;
    let (names, path) = rest.split_once(':')?;
    path.starts_with('/').then_some((names, path))
}

fn locate<'a>(roots: &Roots, version: Version, mounts: impl Iterator<Item = &'a Mount>, path: &str) -> Option<Group> {
    let path = Path::new(path);
    let mut nearest: Option<Group> = None;
    for mount in mounts {
        let top = roots.place(&mount.point);
        if !top.is_dir() {
            continue;
        }
        let below = path.strip_prefix(&mount.root).ok();
        let wanted = below.map_or_else(|| top.clone(), |below| top.join(below));
        let existing = wanted.ancestors().take_while(|a| a.starts_with(&top)).find(|a| a.is_dir());
        let dir = existing.unwrap_or(&top).to_owned();
        let is_own = below.is_some() && dir == wanted;
        let chain: Vec<PathBuf> = dir.ancestors().take_while(|a| a.starts_with(&top)).map(Path::to_path_buf).collect();
        let group = Group {
            version,
            path: path.to_string_lossy().into_owned(),
            own: is_own,
            root: is_root(version, &dir),
            chain,
        };
        if is_own {
            return Some(group);
        }
        nearest.get_or_insert(group);
    }
    nearest
}

/// Returns `true` if `dir` is the true root. A path of `/` may be just the root of our namespace. However, the kernel
/// creates certain files only in the true root (version 1), or in every group except the true root (version 2).
fn is_root(version: Version, dir: &Path) -> bool {
    match version {
        Version::V1 => dir.join("release_agent").exists(),
        Version::V2 => !dir.join("cgroup.events").exists(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mounts::mounts;
    use crate::roots::testkit::machine;
    use std::fs;

    fn find(roots: &Roots, controller: &str) -> Vec<Group> {
        groups(roots, &mounts(roots), controller, Member::Own)
    }

    #[test]
    fn a_nested_group_of_version_1_has_its_ancestors() {
        of_linux!();
        let (dir, roots) = machine(
            "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n",
            "2:cpu,cpuacct:/a/b\n1:name=systemd:/\n",
            &["sys/fs/cgroup/cpu,cpuacct/a/b"],
        );
        let groups = find(&roots, "cpu");
        let top = dir.path().join("sys/fs/cgroup/cpu,cpuacct");
        assert_eq!(groups.len(), 1);
        assert_eq!(groups[0].chain, [top.join("a/b"), top.join("a"), top]);
        assert!(groups[0].own && !groups[0].root);
        assert!(find(&roots, "acct").is_empty());
    }

    #[test]
    fn a_container_that_sees_only_its_own_part_finds_it() {
        of_linux!();
        // Docker on version 1 without a cgroup namespace: the path is the host's path, but the mount shows only the
        // container's part.
        let (dir, roots) = machine(
            "32 31 0:29 /docker/f00 /sys/fs/cgroup/blkio ro - cgroup cgroup rw,blkio\n",
            "4:blkio:/docker/f00\n",
            &["sys/fs/cgroup/blkio"],
        );
        let groups = find(&roots, "blkio");
        assert_eq!(groups[0].chain, [dir.path().join("sys/fs/cgroup/blkio")]);
        assert!(groups[0].own);
    }

    #[test]
    fn a_group_we_cannot_see_falls_back_to_the_nearest_and_says_so() {
        of_linux!();
        let (dir, roots) = machine(
            "41 31 0:38 /elsewhere /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
            "0::/user.slice\n",
            &["sys/fs/cgroup"],
        );
        let groups = find(&roots, "io");
        assert_eq!(groups[0].chain, [dir.path().join("sys/fs/cgroup")]);
        assert!(!groups[0].own);
    }

    #[test]
    fn the_root_of_a_namespace_is_not_the_root_of_the_hierarchy() {
        of_linux!();
        let (dir, roots) =
            machine("41 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/\n", &["sys/fs/cgroup"]);
        assert!(find(&roots, "io")[0].root);
        fs::write(dir.path().join("sys/fs/cgroup/cgroup.events"), "populated 1\n").unwrap();
        assert!(!find(&roots, "io")[0].root);
    }

    #[test]
    fn malformed_memberships_are_left_out() {
        assert_eq!(membership("0::/a:b"), Some(("", "/a:b")));
        assert_eq!(membership("3:cpu"), None);
        assert_eq!(membership(""), None);
        assert_eq!(membership("3:cpu:relative"), None);
    }
}
