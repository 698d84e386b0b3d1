//! A watch: a run without I/O that only samples counters of devices, processes and the machine.

use crate::{Alert, Bytes, BytesPerSecond, Iops, Limit, LimitAxis, Message, Nanos, RunRecord, Sample, Series};
use serde::{Deserialize, Serialize};

/// Objects and duration of a watch. A plan with a watch has no stages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WatchPlan {
    /// Time between two samples.
    pub interval: Nanos,
    /// Duration after which the watch ends; `None` means that it ends when interrupted or when the command ends.
    pub length: Option<Nanos>,
    /// Devices watched from the beginning.
    pub devices: Vec<WatchedDevice>,
    /// True if all whole disks are watched, including those that become active later.
    pub all_devices: bool,
    /// Processes watched, each with its children.
    pub processes: Vec<WatchedProcess>,
    /// Control groups of those processes, each listed once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<WatchedGroup>,
    /// Command run during the watch, as words; empty = none.
    pub command: Vec<String>,
    /// Alerts that the watch checks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alerts: Vec<Alert>,
    /// Names of the hosts of a watch on many hosts, rank 0 first. If this list is not empty, the names of devices,
    /// processes, groups and their series are prefixed with the host (`host/vda`), as are the series of the machines
    /// (`host/cpu.user`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
}

/// A control group of watched processes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WatchedGroup {
    /// Path in the hierarchy, which is part of the names of its series: `group.NAME.read_ops`.
    pub name: String,
    /// Names of the watched processes that were in the group when the watch began.
    pub processes: Vec<String>,
    /// Caps on I/O to devices, set on the group itself and on its ancestors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
    /// Quota of CPU time per second, in CPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<f64>,
    /// Memory limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Bytes>,
}

impl WatchedGroup {
    /// Returns the limits in words; empty if nothing is limited.
    #[must_use]
    pub fn allowed(&self) -> String {
        let mut words: Vec<String> = self.limits.iter().map(Limit::to_string).collect();
        words.extend(self.cpus.map(|c| format!("CPU {c:.2}")));
        words.extend(self.memory.map(|m| format!("memory {m}")));
        words.join(", ")
    }
}

/// A device that is watched.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WatchedDevice {
    /// Kernel name.
    pub name: String,
    /// Purposes of the device, as named by the user and in the order given; several roles may share one device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<String>,
    /// Underlying devices at all levels. Their counts include the I/O of this device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub below: Vec<String>,
}

impl WatchedDevice {
    /// Returns `true` if `on` in a limit or an alert names this device: by its name, one of its roles, or its host.
    #[must_use]
    pub fn is_named(&self, on: &str) -> bool {
        let part = |(host, device): (&str, &str)| host == on || device == on;
        self.name == on || self.roles.iter().any(|role| role == on) || self.name.split_once('/').is_some_and(part)
    }

    /// Returns the name of the device with its roles: `data+journal (vda)`, or `vda`.
    #[must_use]
    pub fn label(&self) -> String {
        if self.roles.is_empty() { self.name.clone() } else { format!("{} ({})", self.roles.join("+"), self.name) }
    }
}

/// A process that is watched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchedProcess {
    /// Name of the process in its series: `process.NAME.read`.
    pub name: String,
    /// Process ID.
    pub pid: u32,
    /// Name of the program, as truncated by the kernel.
    pub program: String,
}

impl WatchPlan {
    /// English text for all devices in a [summary](WatchPlan::summary).
    pub const ALL_DEVICES: &'static str = "all disks";

    /// Returns a short description of the watched objects: `data (vdb) + journal (vdc)`.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut words: Vec<String> = match self.all_devices {
            true => vec![Self::ALL_DEVICES.to_owned()],
            false => self.devices.iter().map(WatchedDevice::label).collect(),
        };
        words.extend(self.processes.iter().map(|p| format!("process {}", p.pid)));
        words.join(" + ")
    }

    /// Combines the watches of several hosts; names are prefixed with the host.
    #[must_use]
    pub fn of_hosts(hosts: &[(&str, &WatchPlan)]) -> Option<WatchPlan> {
        let mut joint = hosts.first()?.1.clone();
        (joint.devices, joint.processes, joint.groups) = (Vec::new(), Vec::new(), Vec::new());
        joint.hosts = hosts.iter().map(|(host, _)| (*host).to_owned()).collect();
        for (host, own) in hosts {
            let on = |name: &String| format!("{host}/{name}");
            joint.devices.extend(own.devices.iter().map(|d| WatchedDevice {
                name: on(&d.name),
                roles: d.roles.clone(),
                below: d.below.iter().map(on).collect(),
            }));
            joint.processes.extend(own.processes.iter().map(|p| WatchedProcess { name: on(&p.name), ..p.clone() }));
            joint.groups.extend(own.groups.iter().map(|g| WatchedGroup {
                name: on(&g.name),
                processes: g.processes.iter().map(on).collect(),
                ..g.clone()
            }));
        }
        Some(joint)
    }

    /// Returns the names that limits and alerts may use: devices, roles and hosts.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let prefix_length = |d: &'_ str| d.split_once('/').map_or(0, |(host, _)| host.len() + 1);
        let devices = self.devices.iter().flat_map(move |d| [d.name.as_str(), &d.name[prefix_length(&d.name)..]]);
        let roles = self.devices.iter().flat_map(|d| d.roles.iter().map(String::as_str));
        devices.chain(roles).chain(self.hosts.iter().map(String::as_str))
    }

    /// Returns the device with this name, which may have appeared after the start of the watch.
    #[must_use]
    pub fn device(&self, name: &str) -> WatchedDevice {
        let known = self.devices.iter().find(|d| d.name == name).cloned();
        known.unwrap_or_else(|| WatchedDevice { name: name.to_owned(), ..WatchedDevice::default() })
    }
}

/// Resource usage of a command that ran during a watch.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CommandUse {
    /// Process ID.
    pub pid: u32,
    /// Time at which the command started, on the run's clock.
    pub began: Nanos,
    /// Time at which the command ended; `None` if its end was not observed.
    pub ended: Option<Nanos>,
    /// Exit status.
    pub exit: Option<CommandExit>,
    /// Time at which secchi sent the command the signal to terminate because the watch was over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told_to_end: Option<Nanos>,
    /// User CPU time of the command and of the children that it waited for (wait4).
    pub user: Nanos,
    /// System CPU time.
    pub system: Nanos,
    /// Maximum resident size of the command or of any of these children.
    pub max_resident: Bytes,
    /// Context switches.
    pub switches: u64,
    /// Bytes read from block devices by the command and by the children that it waited for, read after it ended.
    pub read: Option<u64>,
    /// Bytes written to block devices.
    pub write: Option<u64>,
    /// The kernel's separate counts of blocks read and written, in units of 512 bytes (`ru_inblock`, `ru_oublock`), as
    /// a cross-check.
    pub blocks: (u64, u64),
}

impl CommandUse {
    /// Returns how the command ended, to be printed after its name: `succeeded after 5.2 s`.
    #[must_use]
    pub fn ending(&self) -> Message {
        let after = |at: Nanos| at.since(self.began);
        let Some(told_to_end) = self.told_to_end else {
            let Some(exit) = self.exit else { return Message::new("command-not-seen") };
            return match self.ended {
                Some(at) => Message::new("command-after").put("how", exit.to_message()).put("time", after(at)),
                None => exit.to_message(),
            };
        };
        let said = |id: &str| Message::new(id).put("time", after(told_to_end));
        match self.exit {
            Some(CommandExit::Code(0) | CommandExit::Signal(CommandExit::TERM)) => said("command-told-and-did"),
            Some(exit) => said("command-told-and").put("how", exit.to_message()),
            None => said("command-told-and-left").put("pid", self.pid),
        }
    }

    /// Returns `true` if the command was sent the signal to terminate and its end was not observed.
    #[must_use]
    pub fn left_running(&self) -> bool {
        self.told_to_end.is_some() && self.exit.is_none()
    }
}

/// Exit status of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandExit {
    /// Exited by itself with this code.
    Code(i32),
    /// Killed by this signal.
    Signal(i32),
}

impl CommandExit {
    /// Number of SIGTERM, the signal that requests a program to terminate.
    const TERM: i32 = 15;

    /// Returns the text printed after the command's name.
    fn to_message(self) -> Message {
        match self {
            CommandExit::Code(0) => Message::new("command-succeeded"),
            CommandExit::Code(code) => Message::new("command-code").put("code", code),
            CommandExit::Signal(signal) => Message::new("command-signal").put("signal", signal),
        }
    }

    /// Returns the exit code as a shell reports it: for a signal, 128 plus its number.
    #[must_use]
    pub const fn code(self) -> i32 {
        match self {
            CommandExit::Code(code) => code,
            CommandExit::Signal(signal) => 128 + signal,
        }
    }
}

/// Cost of sampling counters during a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SamplingCost {
    /// Number of samples on which the figures are based.
    pub looks: u64,
    /// Mean CPU time of a sample.
    pub per_look: Nanos,
    /// Share of one core that sampling used, 0..=1.
    pub share: f64,
}

/// Judgement of a watch.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WatchJudgement {
    /// Time covered by the figures, excluding gaps.
    pub covered: Nanos,
    /// Number of samples.
    pub looks: u64,
    /// Devices, the busiest first.
    pub devices: Vec<DiskFigures>,
    /// Caps, with a separate entry for each axis, sorted by utilisation (highest first).
    pub caps: Vec<CapUse>,
    /// Figures of each watched process.
    pub processes: Vec<ProcessFigures>,
    /// Figures of the control groups of processes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupFigures>,
    /// Mean and maximum of the important series of the machine.
    pub host: Vec<HostFigure>,
}

/// Figures of a device over the watch.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DiskFigures {
    /// Kernel name.
    pub name: String,
    /// Name with its roles.
    pub shown: String,
    /// Requests completed, reads and writes, as counted by the kernel from the first sample to the last.
    pub ops: [f64; 2],
    /// Bytes read and written, as counted by the kernel from the first sample to the last.
    pub bytes: [f64; 2],
    /// Requests merged into others before they were sent, reads and writes.
    pub merges: [f64; 2],
    /// Flushes per second.
    pub flushes: f64,
    /// Discards per second.
    pub discards: f64,
    /// Operations per second: the mean, the maximum of one sampling interval, and the end of that interval.
    pub iops: (Iops, Iops, Nanos),
    /// Bytes per second: the mean, the maximum of one sampling interval, and the end of that interval.
    pub bandwidth: (BytesPerSecond, BytesPerSecond, Nanos),
    /// Mean size of reads and of writes.
    pub size: [Option<Bytes>; 2],
    /// Mean time of reads and of writes, weighted by the number of requests in each sampling interval.
    pub latency: [Option<Nanos>; 2],
    /// Longest mean request time in a sampling interval, and the end of that interval, for reads and for writes.
    pub slowest: [Option<(Nanos, Nanos)>; 2],
    /// Mean number of requests in flight.
    pub queue: f64,
    /// Share of time with at least one request in flight, 0..=1.
    pub busy: f64,
}

impl DiskFigures {
    /// Returns the number of all requests.
    #[must_use]
    pub fn all_ops(&self) -> f64 {
        self.ops[0] + self.ops[1]
    }
}

/// Utilisation of a cap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CapUse {
    /// Name of the limit.
    pub name: String,
    /// Axis of the limit.
    pub axis: LimitAxis,
    /// Cap, in the unit of the axis.
    pub cap: f64,
    /// Devices to whose combined rate the cap applies.
    pub over: Vec<String>,
    /// Devices that are excluded from the sum because they are stacked on other devices in it.
    pub left_out: Vec<String>,
    /// Mean combined rate.
    pub mean: f64,
    /// Highest combined rate in one sampling interval, and the end of that interval.
    pub most: (f64, Nanos),
    /// Sum of each device's own maximum, for comparison; these maxima usually do not occur in the same second.
    pub sum_of_maxima: f64,
    /// Time at 97 % of the cap or more.
    pub full: Nanos,
    /// Longest uninterrupted part of that time.
    pub longest: Nanos,
    /// Observed time.
    pub of: Nanos,
    /// Share of each device in the combined rate, in the order of `over`: during that time or, if there was none, over
    /// the whole time.
    pub shares: Vec<f64>,
}

/// Utilisation of a cap in one sample.
#[derive(Debug, Clone, PartialEq)]
pub struct CapNow {
    /// Name of the limit.
    pub name: String,
    /// Axis of the limit.
    pub axis: LimitAxis,
    /// Cap, in the unit of the axis.
    pub cap: f64,
    /// Rate that uses this cap.
    pub used: f64,
}

impl CapNow {
    /// Returns a summary: `volume 5,998 of 6,000 IOPS (100 %)`.
    #[must_use]
    pub fn summary(&self) -> String {
        let share = self.used / self.cap * 100.0;
        match self.axis {
            LimitAxis::Iops => format!("{} {} of {} IOPS ({share:.0} %)", self.name, Iops(self.used), Iops(self.cap)),
            LimitAxis::Bandwidth => {
                let figure = |v: f64| BytesPerSecond(v).to_string();
                format!("{} {} of {} ({share:.0} %)", self.name, figure(self.used), figure(self.cap))
            }
        }
    }
}

/// Figures of a process and its children.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ProcessFigures {
    /// Name in the series.
    pub name: String,
    /// Bytes read from and written to block devices; `None` if access is denied.
    pub bytes: Option<[f64; 2]>,
    /// User and system CPU time, as shares of one core.
    pub cpu: [f64; 2],
    /// Context switches per second.
    pub switches: f64,
}

/// Figures of a control group. A figure is `None` if the group's controller does not count it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct GroupFigures {
    /// Name in the series.
    pub name: String,
    /// I/O charged to the group, by device.
    pub io: Vec<GroupIoFigures>,
    /// Mean CPU time per second, in CPUs.
    pub cpus: Option<f64>,
    /// Share of the quota's periods in which the group was throttled, 0..=1; `None` without a quota.
    pub throttled: Option<f64>,
    /// Time for which the quota stopped the group's threads.
    pub stopped: Option<Nanos>,
    /// Mean and maximum memory usage.
    pub memory: Option<(Bytes, Bytes)>,
}

/// I/O of a control group on one device.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct GroupIoFigures {
    /// Kernel name of the device.
    pub device: String,
    /// Requests charged before merging, reads and writes.
    pub ops: [f64; 2],
    /// Bytes charged, reads and writes.
    pub bytes: [f64; 2],
    /// Maximum requests per second in one sampling interval, reads and writes together.
    pub most: Iops,
}

/// Figures of a series of the machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostFigure {
    /// Name of the series.
    pub name: String,
    /// Unit of the series.
    pub unit: String,
    /// Mean over time.
    pub mean: f64,
    /// Maximum value.
    pub most: f64,
}

impl RunRecord {
    /// Returns the series of this name.
    #[must_use]
    pub fn series(&self, name: &str) -> Option<&Series> {
        self.series.iter().find(|s| s.name == name)
    }

    /// Returns the times of all samples, and the actual time since the previous sample, in order. Intervals without
    /// data are omitted.
    #[must_use]
    pub fn stretches(&self) -> Vec<(Nanos, Nanos)> {
        let points = self.series("sampler.stretch").map(|s| s.points.iter());
        points.into_iter().flatten().map(|(at, seconds)| (*at, Nanos::from_secs_f64(*seconds))).collect()
    }
}

/// Kinds of series that belong to an object: `device.vda.read_ops`.
const OF_THINGS: [&str; 6] = ["device", "process", "group", "net", "ebs", "space"];

/// Returns the name of a series with its host: `device.host/vda.read_ops`, `host/cpu.user`. The `sampler` series of the
/// `first` host keep their names because they define the sampling intervals.
#[must_use]
pub fn name_on_host(name: &str, host: &str, first: bool) -> String {
    match name.split_once('.') {
        Some((kind, rest)) if OF_THINGS.contains(&kind) => format!("{kind}.{host}/{rest}"),
        Some(("sampler", _)) if first => name.to_owned(),
        _ => format!("{host}/{name}"),
    }
}

/// Returns `true` if the name of a series includes this host ([`name_on_host`]).
#[must_use]
pub fn is_on_host(name: &str, host: &str) -> bool {
    let is_on_host = |text: &str| text.strip_prefix(host).is_some_and(|rest| rest.starts_with('/'));
    match name.split_once('.') {
        Some((kind, rest)) if OF_THINGS.contains(&kind) => is_on_host(rest),
        _ => is_on_host(name),
    }
}

/// Returns a value of one sample.
#[must_use]
pub fn sampled(samples: &[Sample], name: &str) -> Option<f64> {
    samples.iter().find(|s| s.name == name).map(|s| s.value)
}

/// Splits the name of a series into object and figure: `device.vda.read_ops` gives (`vda`, `read_ops`). Names of
/// objects may contain dots.
#[must_use]
pub fn series_of<'a>(name: &'a str, kind: &str) -> Option<(&'a str, &'a str)> {
    name.strip_prefix(kind)?.strip_prefix('.')?.rsplit_once('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_named_by_its_roles_and_a_series_by_its_thing() {
        let device = WatchedDevice { name: "vdb".into(), roles: vec!["data".into(), "wij".into()], below: Vec::new() };
        assert_eq!(device.label(), "data+wij (vdb)");
        assert_eq!(series_of("device.cciss!c0d0.read_ops", "device"), Some(("cciss!c0d0", "read_ops")));
        assert_eq!(series_of("space./mnt/a.b.free", "space"), Some(("/mnt/a.b", "free")));
        assert_eq!(series_of("devices.vda.x", "device"), None);
        let on = |name, first| name_on_host(name, "node.x:1", first);
        assert_eq!(series_of(&on("device.vda.read_ops", true), "device"), Some(("node.x:1/vda", "read_ops")));
        assert_eq!((on("cpu.user", true), on("sampler.cpu", true)), ("node.x:1/cpu.user".into(), "sampler.cpu".into()));
        assert_eq!(on("sampler.cpu", false), "node.x:1/sampler.cpu");
        let named = WatchedDevice { name: "node.x:1/vda".into(), roles: vec!["data".into()], below: Vec::new() };
        assert!(["node.x:1", "vda", "data", "node.x:1/vda"].iter().all(|on| named.is_named(on)));
        assert!(!named.is_named("node.x"));
        assert_eq!((CommandExit::Code(3).code(), CommandExit::Signal(9).code()), (3, 137));
    }
}
