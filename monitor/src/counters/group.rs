//! Block I/O charged to a control group: `blkio.throttle.*` in version 1, `io.stat` in version 2.

use super::Io;
use super::whole_disks;
use crate::Roots;
use crate::cgroup::{Group, GroupError, Member, Version, groups};
use crate::mounts::kernel_mounts;
use crate::roots::text;
use model::record::DeviceFacts;

/// Counters of a control group for the devices of a target.
///
/// The root group is never used, because its counters include all processes.
///
/// After boot, version 1 does not count a device until a throttle is set on it in some group. Until then, the file has
/// no row for the device, and the reading is `None`. Version 2 always counts, so a missing row means no I/O. Version 1
/// charges buffered writes to the root group; version 2 charges them to the writer, at write-back.
#[derive(Debug, Clone)]
pub(crate) struct GroupIo {
    group: Group,
    devices: Vec<(u32, u32)>,
}

impl GroupIo {
    /// Finds the counters of the control group that `who` is in.
    ///
    /// # Errors
    /// Returns [`GroupError`] if the group has no usable counters.
    pub(crate) fn open(roots: &Roots, devices: &[DeviceFacts], who: Member) -> Result<GroupIo, GroupError> {
        let devices = whole_disks(devices);
        if devices.is_empty() {
            return Err(GroupError::NoDevice { of: "the target" });
        }
        let candidates = groups(roots, &kernel_mounts(roots), "blkio", who);
        let counts = |g: &Group| {
            let file = if g.version == Version::V1 { V1_OPS } else { V2_STAT };
            g.dir().join(file).exists()
        };
        let group = candidates.into_iter().find(counts).ok_or(GroupError::NotCounted)?;
        if group.root {
            return Err(GroupError::Root(who));
        }
        if !group.own {
            return Err(GroupError::Hidden(who, group.dir().to_owned()));
        }
        Ok(GroupIo { group, devices })
    }

    /// Returns the counters of a known group.
    ///
    /// # Errors
    /// Returns an error if no device is known.
    pub(crate) fn of_group(group: Group, devices: &[DeviceFacts]) -> Result<GroupIo, GroupError> {
        match whole_disks(devices) {
            devices if devices.is_empty() => Err(GroupError::NoDevice { of: "it" }),
            devices => Ok(GroupIo { group, devices }),
        }
    }

    pub(crate) fn read(&self) -> GroupReading {
        self.files().counts(&self.devices)
    }

    /// Reads the counts of each device, all from the same reading of the files.
    pub(crate) fn read_each(&self) -> Vec<((u32, u32), GroupReading)> {
        let files = self.files();
        self.devices.iter().map(|dev| (*dev, files.counts(std::slice::from_ref(dev)))).collect()
    }

    fn files(&self) -> GroupFiles {
        let file = |name: &str| text(&self.group.dir().join(name)).unwrap_or_default();
        match self.group.version {
            Version::V1 => GroupFiles::V1 { ops: file(V1_OPS), bytes: file(V1_BYTES) },
            Version::V2 => GroupFiles::V2(file(V2_STAT)),
        }
    }
}

/// Contents of a group's counter files.
enum GroupFiles {
    V1 { ops: String, bytes: String },
    V2(String),
}

impl GroupFiles {
    fn counts(&self, devices: &[(u32, u32)]) -> GroupReading {
        match self {
            GroupFiles::V1 { ops, bytes } => {
                let io = v1_counts(ops, devices).zip(v1_counts(bytes, devices));
                GroupReading(io.map(|((read_ops, write_ops), (read, write))| Io { read_ops, write_ops, read, write }))
            }
            GroupFiles::V2(stat) => GroupReading(Some(v2_counts(stat, devices))),
        }
    }
}

/// One reading of the group; `None` if the group does not count the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct GroupReading(pub Option<Io>);

impl GroupReading {
    /// Returns the difference from `earlier`. If counting started between the two readings, it started from zero.
    pub(crate) fn since(self, earlier: GroupReading) -> Option<Io> {
        self.0.map(|now| now.since(earlier.0.unwrap_or_default()))
    }
}

const V1_OPS: &str = "blkio.throttle.io_serviced";
const V1_BYTES: &str = "blkio.throttle.io_service_bytes";
const V2_STAT: &str = "io.stat";

/// Sums `254:0 Read 100` and `254:0 Write 7` over the devices. Returns `None` unless each device has a row, because a
/// partial sum would be wrong.
fn v1_counts(text: &str, devices: &[(u32, u32)]) -> Option<(u64, u64)> {
    let mut sums = (0_u64, 0_u64);
    let mut counted: Vec<(u32, u32)> = Vec::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let ours = words.next().and_then(sys::devices::parse_dev).filter(|d| devices.contains(d));
        let (Some(what), Some(Ok(count)), Some(dev)) = (words.next(), words.next().map(str::parse::<u64>), ours) else {
            continue;
        };
        if !counted.contains(&dev) {
            counted.push(dev);
        }
        match what {
            "Read" => sums.0 = sums.0.saturating_add(count),
            "Write" => sums.1 = sums.1.saturating_add(count),
            _ => {}
        }
    }
    (!devices.is_empty() && devices.iter().all(|d| counted.contains(d))).then_some(sums)
}

/// Sums `254:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0 dios=0` over the devices.
fn v2_counts(text: &str, devices: &[(u32, u32)]) -> Io {
    let mut io = Io::default();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        if !words.next().and_then(sys::devices::parse_dev).is_some_and(|d| devices.contains(&d)) {
            continue;
        }
        for (key, value) in words.filter_map(|w| w.split_once('=')) {
            let value = value.parse().unwrap_or(0);
            match key {
                "rbytes" => io.read = io.read.saturating_add(value),
                "wbytes" => io.write = io.write.saturating_add(value),
                "rios" => io.read_ops = io.read_ops.saturating_add(value),
                "wios" => io.write_ops = io.write_ops.saturating_add(value),
                _ => {}
            }
        }
    }
    io
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const VDA: (u32, u32) = (254, 0);

    #[test]
    fn version_1_counts_only_devices_with_a_row() {
        let text = "254:0 Read 100\n254:0 Write 7\n254:0 Sync 107\n254:0 Total 107\n8:0 Read 5\nTotal 112\n";
        assert_eq!(v1_counts(text, &[VDA]), Some((100, 7)));
        assert_eq!(v1_counts(text, &[VDA, (8, 0)]), Some((105, 7)));
        assert_eq!(v1_counts(text, &[VDA, (7, 0)]), None, "one of two is no count of both");
        assert_eq!(v1_counts("Total 0\n", &[VDA]), None);
        assert_eq!(v1_counts("254:0 Read\n254:0 Read x\n254:0\n\n", &[VDA]), None);
    }

    #[test]
    fn version_2_without_a_row_has_done_nothing() {
        let text = "254:0 rbytes=10 wbytes=20 rios=1 wios=2 dbytes=0 dios=0\n8:0 rbytes=5 rios\n";
        assert_eq!(v2_counts(text, &[VDA]), Io { read_ops: 1, write_ops: 2, read: 10, write: 20 });
        assert_eq!(v2_counts(text, &[(9, 9)]), Io::default());
    }

    #[test]
    fn counting_that_begins_in_between_begins_from_nothing() {
        let io = Io { read_ops: 3, ..Io::default() };
        assert_eq!(GroupReading(Some(io)).since(GroupReading(None)), Some(io));
        assert_eq!(GroupReading(None).since(GroupReading(None)), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_the_readers_panic(text in "(254:0 |Read |rios=|[a-z]*=?|[0-9 ]*|\n|\\PC)*") {
            let _ = (v1_counts(&text, &[VDA]), v2_counts(&text, &[VDA]));
        }
    }
}
