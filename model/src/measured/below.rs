//! I/O below an engine, by source of the counts: our control group, the accounts of the processes, the devices. Only
//! the first two identify who caused the I/O.

use crate::{Nanos, Sentence};
use serde::{Deserialize, Serialize};

/// Source of the counts for devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CountedBy {
    /// The block layer, for the control group of the engine's processes.
    Group,
    /// The kernel's accounts of the engine's processes (`/proc/PID/io`): bytes as they are sent to the block layer;
    /// buffered writes count when pages become dirty.
    Processes,
    /// The whole device, including all its users.
    #[default]
    Device,
}

/// Requests and bytes from one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct IoCounts {
    /// Reads; `None` if the source counts only bytes.
    pub reads: Option<u64>,
    /// Bytes read.
    pub read_bytes: u64,
    /// Writes that carried data, without requests that only flush a cache. `None` if the source counts only bytes.
    pub writes: Option<u64>,
    /// Bytes written.
    pub write_bytes: u64,
    /// Flushes of the device's cache; `None` if the source does not distinguish them.
    pub flushes: Option<u64>,
}

impl IoCounts {
    /// Returns the bytes of both directions.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.read_bytes.saturating_add(self.write_bytes)
    }

    fn plus(self, other: IoCounts) -> IoCounts {
        let sum = |a: Option<u64>, b: Option<u64>| a.zip(b).map(|(a, b)| a.saturating_add(b));
        IoCounts {
            reads: sum(self.reads, other.reads),
            read_bytes: self.read_bytes.saturating_add(other.read_bytes),
            writes: sum(self.writes, other.writes),
            write_bytes: self.write_bytes.saturating_add(other.write_bytes),
            flushes: sum(self.flushes, other.flushes),
        }
    }
}

/// Counts of one device below a database.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceBelow {
    /// Kernel name.
    pub name: String,
    /// I/O charged to the control group; `None` without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<IoCounts>,
    /// I/O of all processes.
    pub device: IoCounts,
    /// Commits of the journal of a file system on the device; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commits: Option<u64>,
}

/// I/O below an engine in a period of time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Below {
    /// Time over which the I/O was counted.
    pub length: Nanos,
    /// The devices of data and journal.
    pub devices: Vec<DeviceBelow>,
    /// Accounts of the processes, for any device; `None` if they cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<IoCounts>,
    /// CPU time of the engine's processes, without this process; `None` if it cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Nanos>,
    /// Reasons why there is no control group, or no accounts of processes, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Sentence>,
    /// Bytes per second on the devices before the load began, when none of our I/O ran: the I/O of other processes.
    /// Present only if the devices are the only source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<f64>,
}

impl Below {
    /// Adds another period.
    pub fn add(&mut self, other: &Below) {
        if self.length.is_zero() {
            *self = other.clone();
            return;
        }
        self.length = self.length.saturating_add(other.length);
        self.processes = both(self.processes, other.processes);
        self.cpu = self.cpu.zip(other.cpu).map(|(a, b)| a.saturating_add(b));
        for device in &mut self.devices {
            let Some(more) = other.devices.iter().find(|d| d.name == device.name) else { continue };
            device.group = both(device.group, more.group);
            device.device = device.device.plus(more.device);
            device.commits = device.commits.zip(more.commits).map(|(a, b)| a + b);
        }
    }

    /// Adds the counts of another host in the same time; its devices are appended.
    pub(super) fn with_host(mut self, other: Below) -> Below {
        self.length = self.length.max(other.length);
        self.processes = both(self.processes, other.processes);
        self.cpu = self.cpu.zip(other.cpu).map(|(a, b)| a.saturating_add(b));
        self.before = self.before.zip(other.before).map(|(a, b)| a + b);
        self.devices.extend(other.devices);
        self.missing.extend(other.missing);
        self
    }

    /// Returns a copy with the host name in front of each device name.
    #[must_use]
    pub fn on_host(&self, host: &str) -> Below {
        let mut named = self.clone();
        named.devices.iter_mut().for_each(|d| d.name = format!("{host}/{}", d.name));
        for reason in &mut named.missing {
            *reason = Sentence::concat([format!("{host}: ").into(), std::mem::take(reason)]);
        }
        named
    }

    /// Returns the I/O of all devices and all processes, or `None` without devices. A device that several ranks of one
    /// machine counted is included once, with the largest of these counts.
    #[must_use]
    pub fn device(&self) -> Option<IoCounts> {
        let mut once: Vec<((&str, &str), IoCounts)> = Vec::new();
        for device in &self.devices {
            let key = machine_and_device(&device.name);
            match once.iter_mut().find(|(other, _)| *other == key) {
                Some((_, counted)) if counted.bytes() < device.device.bytes() => *counted = device.device,
                Some(_) => {}
                None => once.push((key, device.device)),
            }
        }
        once.into_iter().map(|(_, counts)| counts).reduce(IoCounts::plus)
    }

    /// Returns the I/O charged to the control group on all devices; `None` if one of them has no such count.
    #[must_use]
    pub fn group(&self) -> Option<IoCounts> {
        self.devices.iter().map(|d| d.group).reduce(both)?
    }

    /// Returns an upper bound of the engine's bytes: the larger of the bytes charged to the group and the bytes that
    /// the processes sent. A control group of version 1 is not charged for later write-back by the kernel; the accounts
    /// of the processes include pages that they sent twice but that were written once.
    #[must_use]
    pub fn ours(&self) -> Option<IoCounts> {
        match (self.group(), self.processes) {
            (Some(group), Some(processes)) => Some(IoCounts {
                read_bytes: group.read_bytes.max(processes.read_bytes),
                write_bytes: group.write_bytes.max(processes.write_bytes),
                ..group
            }),
            (group, processes) => group.or(processes),
        }
    }

    /// Returns lower and upper bounds of the bytes on the devices that the engine did not cause: those of other
    /// processes, and of the file system's journal. The upper bound is the bytes that were not charged to the control
    /// group. The lower bound also excludes bytes that the processes sent beyond that charge, which the kernel may have
    /// written on its own account. Without either source, both are estimated from the devices' I/O before the load;
    /// `None` if that is unknown, too.
    #[must_use]
    pub fn foreign(&self) -> Option<(f64, f64)> {
        let device = self.device()?.bytes();
        let beyond = |ours: IoCounts| device.saturating_sub(ours.bytes()) as f64;
        match (self.ours(), self.group()) {
            (Some(ours), group) => Some((beyond(ours), beyond(group.unwrap_or(ours)))),
            (None, _) => {
                let estimated = (self.before? * self.length.secs()).min(device as f64);
                Some((estimated, estimated))
            }
        }
    }

    /// Returns the share of the devices' bytes that the engine did not cause, 0..=1: lower and upper bound, as in
    /// [`Below::foreign`].
    #[must_use]
    pub fn others(&self) -> Option<(f64, f64)> {
        let device = self.device()?.bytes() as f64;
        let (least, most) = self.foreign()?;
        (device > 0.0).then(|| (least / device, most / device))
    }

    /// Returns the names of the devices, separated by commas.
    #[must_use]
    pub fn names(&self) -> String {
        self.devices.iter().map(|d| d.name.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// Adds counts; `None` if one of them is unknown.
fn both(a: Option<IoCounts>, b: Option<IoCounts>) -> Option<IoCounts> {
    Some(a?.plus(b?))
}

/// Splits a device name into machine and device: `host:3/vda` and `host:4/vda` are both `vda` of `host`. The machine is
/// empty in a run on one host.
fn machine_and_device(name: &str) -> (&str, &str) {
    let Some((rank, device)) = name.split_once('/') else { return ("", name) };
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (rank.rsplit_once(':').filter(|(_, n)| number(n)).map_or(rank, |(machine, _)| machine), device)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_several_ranks_of_a_machine_count_is_taken_once() {
        let counted = |name: &str, read_bytes| DeviceBelow {
            name: name.into(),
            device: IoCounts { read_bytes, ..IoCounts::default() },
            ..DeviceBelow::default()
        };
        let bytes_read =
            |devices: Vec<DeviceBelow>| Below { devices, ..Below::default() }.device().map(|c| c.read_bytes);
        assert_eq!(bytes_read(vec![counted("a:0/vda", 100), counted("a:1/vda", 110), counted("b/vda", 50)]), Some(160));
        assert_eq!(bytes_read(vec![counted("a:0/vda", 100), counted("a:1/vdb", 90)]), Some(190));
        assert_eq!(bytes_read(vec![counted("vda", 100), counted("vdb", 90)]), Some(190));
        assert_eq!(bytes_read(Vec::new()), None);
    }

    fn counts(writes: u64, write_bytes: u64) -> IoCounts {
        IoCounts { reads: Some(0), read_bytes: 0, writes: Some(writes), write_bytes, flushes: Some(1) }
    }

    fn below(group: Option<IoCounts>, processes: Option<u64>, device: IoCounts) -> Below {
        let account = |write_bytes| IoCounts { write_bytes, ..IoCounts::default() };
        Below {
            length: Nanos::from_secs(2),
            devices: vec![DeviceBelow { name: "vda".into(), group, device, commits: None }],
            processes: processes.map(account),
            ..Below::default()
        }
    }

    #[test]
    fn others_share_is_what_no_account_of_ours_holds() {
        let half = below(Some(counts(10, 1000)), Some(1000), counts(20, 2000));
        assert_eq!(half.others(), Some((0.5, 0.5)));
        let left_to_the_kernel = below(Some(counts(1, 100)), Some(1900), counts(20, 2000));
        assert_eq!(left_to_the_kernel.ours().map(|o| (o.writes, o.write_bytes)), Some((Some(1), 1900)));
        assert_eq!(left_to_the_kernel.others(), Some((0.05, 0.95)));
        let mut alone = below(None, None, counts(20, 2000));
        assert_eq!((alone.ours(), alone.others()), (None, None));
        alone.before = Some(250.0);
        assert_eq!(alone.others(), Some((0.25, 0.25)));
    }

    #[test]
    fn stretches_add_up_and_what_one_lacks_the_sum_lacks() {
        let mut sum = Below::default();
        sum.add(&below(Some(counts(10, 1000)), Some(5), counts(20, 2000)));
        sum.add(&below(Some(counts(1, 1)), None, counts(2, 2)));
        assert_eq!(sum.length, Nanos::from_secs(4));
        assert_eq!(
            (sum.group().unwrap().writes, sum.processes, sum.device().unwrap().flushes),
            (Some(11), None, Some(2))
        );
    }
}
