//! Limits that the machine imposes on us: our control group's caps on the devices under the target.
//!
//! Version 2 caps apply to a group and all its descendants, so every ancestor counts. Version 1 caps are flat: they
//! apply only to a group's own members (measured on Linux 6.18: a child of a group capped to 50 reads/s read 20,000/s),
//! so for version 1 only the files of our own group are read.

use crate::Roots;
use crate::cgroup::{Member, Version, groups};
use crate::mounts::kernel_mounts;
use crate::roots::text;
use model::bounds::{LimitAxis, LimitSource};
use model::{BytesPerSecond, CompactSort, Iops, Limit, Op};
use std::path::{Path, PathBuf};

/// Files of version 1, with one cap per line: `254:0 93750000`.
const V1_FILES: [(&str, Op, LimitAxis); 4] = [
    ("blkio.throttle.read_iops_device", Op::Read, LimitAxis::Iops),
    ("blkio.throttle.read_bps_device", Op::Read, LimitAxis::Bandwidth),
    ("blkio.throttle.write_iops_device", Op::Write, LimitAxis::Iops),
    ("blkio.throttle.write_bps_device", Op::Write, LimitAxis::Bandwidth),
];

/// Keys of version 2's `io.max`: `254:0 rbps=max wbps=max riops=6000 wiops=max`.
const V2_KEYS: [(&str, Op, LimitAxis); 4] = [
    ("riops", Op::Read, LimitAxis::Iops),
    ("rbps", Op::Read, LimitAxis::Bandwidth),
    ("wiops", Op::Write, LimitAxis::Iops),
    ("wbps", Op::Write, LimitAxis::Bandwidth),
];

struct Row {
    op: Op,
    axis: LimitAxis,
    value: u64,
    file: PathBuf,
}

/// Returns the caps of our control group, and of its ancestors in version 2, on any of `devices` (the whole stack under
/// the target; caps apply to whole disks, never to partitions). If there are several caps on the same axis, only the
/// tightest is returned. Caps on operations and bytes from the same file are combined.
///
/// On a stack with several parallel disks (md, btrfs), a cap on one member is returned unchanged, since that member's
/// share of the load is not known here.
#[must_use]
pub fn cgroup_limits(roots: &Roots, devices: &[(u32, u32)]) -> Vec<Limit> {
    limits_of(roots, devices, Member::Own)
}

/// Returns the caps as [`cgroup_limits`] does, for the group of any process.
pub(crate) fn limits_of(roots: &Roots, devices: &[(u32, u32)], who: Member) -> Vec<Limit> {
    let mut tightest: Vec<Row> = Vec::new();
    for row in rows(roots, devices, who) {
        match tightest.iter_mut().find(|r| r.op == row.op && r.axis == row.axis) {
            Some(known) if known.value <= row.value => {}
            Some(known) => *known = row,
            None => tightest.push(row),
        }
    }
    tightest.compact_sort_by_key(|row| (row.op != Op::Read, row.axis != LimitAxis::Iops));
    let mut limits: Vec<Limit> = Vec::new();
    for row in tightest {
        let source = LimitSource::Cgroup { file: roots.absolute(&row.file).to_string_lossy().into_owned() };
        let at = limits.iter().position(|l| l.op == Some(row.op) && l.source == source);
        let at = at.unwrap_or_else(|| {
            limits.push(Limit { op: Some(row.op), ..Limit::new("cgroup", source) });
            limits.len() - 1
        });
        match row.axis {
            LimitAxis::Iops => limits[at].iops = Some(Iops(row.value as f64)),
            LimitAxis::Bandwidth => limits[at].bandwidth = Some(BytesPerSecond(row.value as f64)),
        }
    }
    limits
}

fn rows(roots: &Roots, devices: &[(u32, u32)], who: Member) -> Vec<Row> {
    let mounts = kernel_mounts(roots);
    let mut rows = Vec::new();
    // The block controller is called `blkio` in version 1; version 2 has one hierarchy for all controllers.
    for group in groups(roots, &mounts, "blkio", who) {
        match group.version {
            Version::V1 => rows.extend(v1_rows(group.dir(), devices)),
            Version::V2 => rows.extend(group.chain.iter().flat_map(|dir| v2_rows(&dir.join("io.max"), devices))),
        }
    }
    rows
}

fn v1_rows(dir: &Path, devices: &[(u32, u32)]) -> Vec<Row> {
    let mut rows = Vec::new();
    for (name, op, axis) in V1_FILES {
        let file = dir.join(name);
        for line in text(&file).unwrap_or_default().lines() {
            let Some((dev, value)) = line.split_once(' ') else { continue };
            let Ok(value) = value.trim().parse::<u64>() else { continue };
            // Writing zero removes the cap and its line; a line that shows zero means that there is no cap.
            if value > 0 && sys::devices::parse_dev(dev).is_some_and(|d| devices.contains(&d)) {
                rows.push(Row { op, axis, value, file: file.clone() });
            }
        }
    }
    rows
}

fn v2_rows(file: &Path, devices: &[(u32, u32)]) -> Vec<Row> {
    let mut rows = Vec::new();
    for line in text(file).unwrap_or_default().lines() {
        let mut words = line.split_whitespace();
        if !words.next().and_then(sys::devices::parse_dev).is_some_and(|d| devices.contains(&d)) {
            continue;
        }
        for (key, value) in words.filter_map(|w| w.split_once('=')) {
            // `max` is not a number and means no cap.
            let Ok(value) = value.parse::<u64>() else { continue };
            if let Some((_, op, axis)) = V2_KEYS.iter().find(|(k, ..)| *k == key) {
                rows.push(Row { op: *op, axis: *axis, value, file: file.to_owned() });
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const VDA: (u32, u32) = (254, 0);

    struct Machine {
        dir: tempfile::TempDir,
    }

    impl Machine {
        fn new(mountinfo: &str, cgroup: &str) -> Machine {
            let machine = Machine { dir: tempfile::tempdir().expect("a temporary directory") };
            machine.write("proc/self/mountinfo", mountinfo).write("proc/self/cgroup", cgroup);
            machine
        }

        fn v1(path: &str) -> Machine {
            let mounts = "38 31 0:35 / /sys/fs/cgroup/blkio rw,relatime - cgroup cgroup rw,blkio\n";
            Machine::new(mounts, &format!("7:blkio:{path}\n"))
        }

        fn v2(path: &str) -> Machine {
            Machine::new("41 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", &format!("0::{path}\n"))
        }

        fn write(&self, path: &str, text: &str) -> &Machine {
            let path = self.dir.path().join(path);
            fs::create_dir_all(path.parent().expect("it has a parent")).unwrap();
            fs::write(path, text).unwrap();
            self
        }

        fn limits(&self) -> Vec<String> {
            let show = |l: Limit| {
                let LimitSource::Cgroup { file } = &l.source else { panic!("found, not declared") };
                format!("{l} [{file}]")
            };
            cgroup_limits(&Roots::under(self.dir.path()), &[VDA, (8, 0)]).into_iter().map(show).collect()
        }
    }

    #[test]
    fn caps_of_version_1_are_those_of_our_own_group_only() {
        of_linux!();
        let machine = Machine::v1("/a/b");
        machine
            .write("sys/fs/cgroup/blkio/a/b/blkio.throttle.read_iops_device", "253:0 7\n254:0 6000\n")
            .write("sys/fs/cgroup/blkio/a/b/blkio.throttle.read_bps_device", "254:0 93750000\n")
            .write("sys/fs/cgroup/blkio/a/b/blkio.throttle.write_iops_device", "")
            .write("sys/fs/cgroup/blkio/a/blkio.throttle.read_iops_device", "254:0 50\n");
        assert_eq!(
            machine.limits(),
            [
                "cgroup read 6,000 IOPS [/sys/fs/cgroup/blkio/a/b/blkio.throttle.read_iops_device]",
                "cgroup read 93.75 MB/s [/sys/fs/cgroup/blkio/a/b/blkio.throttle.read_bps_device]",
            ]
        );
    }

    #[test]
    fn of_version_2_every_ancestor_counts_and_the_tightest_is_kept() {
        of_linux!();
        let machine = Machine::v2("/slice/unit");
        machine
            .write("sys/fs/cgroup/slice/unit/io.max", "254:0 rbps=max wbps=1000000 riops=9000 wiops=max\n")
            .write("sys/fs/cgroup/slice/io.max", "254:0 rbps=500000 wbps=2000000 riops=6000 wiops=max\n8:16 riops=1\n");
        assert_eq!(
            machine.limits(),
            [
                "cgroup read 6,000 IOPS 0.50 MB/s [/sys/fs/cgroup/slice/io.max]",
                "cgroup write 1.00 MB/s [/sys/fs/cgroup/slice/unit/io.max]",
            ]
        );
    }

    #[test]
    fn malformed_lines_and_foreign_devices_cap_nothing() {
        let machine = Machine::v2("/u");
        machine.write(
            "sys/fs/cgroup/u/io.max",
            "\n254:0\n254:0 riops=\n254:0 riops=-4 rbps=1e9 =5 x=3\n254 riops=4\n9:0 riops=4\n",
        );
        assert!(machine.limits().is_empty());
        let machine = Machine::v1("/u");
        machine.write("sys/fs/cgroup/blkio/u/blkio.throttle.read_iops_device", "254:0\n254:0 x\n254:0 0\n254:0 -1\n");
        assert!(machine.limits().is_empty());
    }

    #[test]
    fn a_machine_without_control_groups_has_no_caps() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        assert!(cgroup_limits(&Roots::under(dir.path()), &[VDA]).is_empty());
    }
}
