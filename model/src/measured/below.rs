//! What was read and written below an engine, by each who counted it: our control group, the processes' own accounts, the
//! devices. Only the first two know whose it was.

use crate::Nanos;
use serde::{Deserialize, Serialize};

/// Who counted what is told of devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CountedBy {
    /// The block layer, for the control group of the engine's processes.
    Group,
    /// The kernel's accounts of the engine's processes (`/proc/PID/io`): bytes as they are sent to the block layer, of
    /// buffered writes as pages become dirty.
    Processes,
    /// The whole device, whoever used it.
    #[default]
    Device,
}

/// Requests and bytes of one who counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct IoCounts {
    /// Reads; `None` where only bytes are counted.
    pub reads: Option<u64>,
    /// Bytes read.
    pub read_bytes: u64,
    /// Writes that carried data: requests that only flush a cache are not among them. `None` where only bytes are counted.
    pub writes: Option<u64>,
    /// Bytes written.
    pub write_bytes: u64,
    /// Flushes of the device's cache; `None` where nobody tells them apart.
    pub flushes: Option<u64>,
}

impl IoCounts {
    /// Bytes of both directions.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.read_bytes.saturating_add(self.write_bytes)
    }

    fn add(&mut self, other: &IoCounts) {
        let sum = |a: Option<u64>, b: Option<u64>| a.zip(b).map(|(a, b)| a.saturating_add(b));
        *self = IoCounts {
            reads: sum(self.reads, other.reads),
            read_bytes: self.read_bytes.saturating_add(other.read_bytes),
            writes: sum(self.writes, other.writes),
            write_bytes: self.write_bytes.saturating_add(other.write_bytes),
            flushes: sum(self.flushes, other.flushes),
        };
    }
}

/// One device under a database.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DeviceBelow {
    /// Kernel name.
    pub name: String,
    /// What the control group was charged for it; `None` where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<IoCounts>,
    /// Everybody's.
    pub device: IoCounts,
    /// Commits of the journal of a file system on it; `None` where nobody tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commits: Option<u64>,
}

/// What was read and written below an engine in a stretch of time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Below {
    /// How long it was counted.
    pub length: Nanos,
    /// The devices of data and journal.
    #[serde(default)]
    pub devices: Vec<DeviceBelow>,
    /// What the processes' own accounts say, on whatever device; `None` where they cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<IoCounts>,
    /// CPU time of the engine's processes, this one's own left out; `None` where it cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Nanos>,
    /// Why there is no control group, or no account of processes: one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Bytes per second on the devices before the load began, when nothing of ours ran: somebody else's. Told where only
    /// the devices count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<f64>,
}

impl Below {
    /// Adds another stretch.
    pub fn add(&mut self, other: &Below) {
        if self.length.is_zero() {
            *self = other.clone();
            return;
        }
        self.length.0 = self.length.as_nanos().saturating_add(other.length.as_nanos());
        self.processes = both(self.processes, other.processes);
        self.cpu = self.cpu.zip(other.cpu).map(|(a, b)| a.saturating_add(b));
        for device in &mut self.devices {
            let Some(more) = other.devices.iter().find(|d| d.name == device.name) else { continue };
            device.group = both(device.group, more.group);
            device.device.add(&more.device);
            device.commits = device.commits.zip(more.commits).map(|(a, b)| a + b);
        }
    }

    /// Adds what was counted on another host in the same time: its devices stand beside those here.
    pub fn add_host(&mut self, other: &Below) {
        self.length = self.length.max(other.length);
        self.processes = both(self.processes, other.processes);
        self.cpu = self.cpu.zip(other.cpu).map(|(a, b)| a.saturating_add(b));
        self.before = self.before.zip(other.before).map(|(a, b)| a + b);
        self.devices.extend_from_slice(&other.devices);
        self.missing.extend_from_slice(&other.missing);
    }

    /// The same with the name of its host before each device.
    #[must_use]
    pub fn on_host(&self, host: &str) -> Below {
        let mut named = self.clone();
        named.devices.iter_mut().for_each(|d| d.name = format!("{host}/{}", d.name));
        named.missing.iter_mut().for_each(|why| *why = format!("{host}: {why}"));
        named
    }

    /// All devices together, for everybody; `None` where none is known. A device that several ranks of one machine counted is taken
    /// once, as the one that saw most of it counted it.
    #[must_use]
    pub fn device(&self) -> Option<IoCounts> {
        let mut once: Vec<((&str, &str), IoCounts)> = Vec::new();
        for device in &self.devices {
            let own = machine_and_device(&device.name);
            match once.iter_mut().find(|(other, _)| *other == own) {
                Some((_, counted)) if counted.bytes() < device.device.bytes() => *counted = device.device,
                Some(_) => {}
                None => once.push((own, device.device)),
            }
        }
        let mut counts = once.into_iter().map(|(_, counts)| counts);
        let mut sum = counts.next()?;
        counts.for_each(|other| sum.add(&other));
        Some(sum)
    }

    /// What the control group was charged on all devices; `None` where one of them was not counted for it.
    #[must_use]
    pub fn group(&self) -> Option<IoCounts> {
        self.sum(|d| d.group)
    }

    fn sum(&self, of: impl Fn(&DeviceBelow) -> Option<IoCounts>) -> Option<IoCounts> {
        let mut devices = self.devices.iter();
        let mut sum = of(devices.next()?)?;
        for device in devices {
            sum.add(&of(device)?);
        }
        Some(sum)
    }

    /// Bytes that were the engine's at most: the larger of what the group was charged and what the processes sent. A group of
    /// version 1 is not charged what the kernel writes back later; the processes' accounts have pages that they sent twice and
    /// that were written once.
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

    /// Bytes of the devices that were not the engine's, of other processes and of the file system's own journal: at least and at
    /// most. The most is what the control group was not charged. The least also leaves out what the processes sent beyond that,
    /// which the kernel may have written in its own name. Without either, estimated from what the devices did before the load;
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

    /// Share of the devices' bytes that was not the engine's, 0..=1: at least and at most, as [`Below::foreign`].
    #[must_use]
    pub fn others(&self) -> Option<(f64, f64)> {
        let device = self.device()?.bytes() as f64;
        let (least, most) = self.foreign()?;
        (device > 0.0).then(|| (least / device, most / device))
    }

    /// Names of the devices, in a row.
    #[must_use]
    pub fn names(&self) -> String {
        self.devices.iter().map(|d| d.name.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// Counts added up; `None` where one of them is unknown.
fn both(a: Option<IoCounts>, b: Option<IoCounts>) -> Option<IoCounts> {
    a.zip(b).map(|(mut a, b)| {
        a.add(&b);
        a
    })
}

/// What a device of several hosts is of: `host:3/vda` is `vda` of `host`, as is `host:4/vda`; of one host the machine is empty.
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
        let all = |devices: Vec<DeviceBelow>| Below { devices, ..Below::default() }.device().map(|c| c.read_bytes);
        assert_eq!(all(vec![counted("a:0/vda", 100), counted("a:1/vda", 110), counted("b/vda", 50)]), Some(160));
        assert_eq!(all(vec![counted("a:0/vda", 100), counted("a:1/vdb", 90)]), Some(190));
        assert_eq!(all(vec![counted("vda", 100), counted("vdb", 90)]), Some(190));
        assert_eq!(all(Vec::new()), None);
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
