//! A watch: a run without I/O of its own, that only looks at devices, processes and the machine.

use crate::{Alert, Bytes, BytesPerSecond, Iops, Limit, LimitAxis, Message, Nanos, RunRecord, Sample, Series};
use serde::{Deserialize, Serialize};

/// What a watch looks at, and for how long. A plan that has one has no stages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WatchPlan {
    /// Time between two looks.
    pub interval: Nanos,
    /// When it ends by itself; `None` = when it is told to, or when the command ends.
    pub length: Option<Nanos>,
    /// Devices looked at from the beginning.
    pub devices: Vec<WatchedDevice>,
    /// Every whole disk is looked at, also one that begins to work later.
    pub all_devices: bool,
    /// Processes looked at, each with its children.
    pub processes: Vec<WatchedProcess>,
    /// Control groups of those processes that are looked at, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<WatchedGroup>,
    /// The command that is run beside it, with its words; empty = none.
    pub command: Vec<String>,
    /// What an alarm is raised about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alerts: Vec<Alert>,
    /// Of a watch on many hosts: their names, rank 0's first. Devices, processes and groups, and their series, have their host's before
    /// their own (`host/vda`), and so have the series of machines (`host/cpu.user`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
}

/// A control group that is watched: that of a process.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WatchedGroup {
    /// Its path in the hierarchy, which is what its series are called: `group.NAME.read_ops`.
    pub name: String,
    /// The processes watched that were in it when the watch began, by their names.
    pub processes: Vec<String>,
    /// Caps on I/O to devices, its own and those of the groups above that hold for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
    /// CPU time a second it is allowed, in CPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<f64>,
    /// Memory it is allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Bytes>,
}

impl WatchedGroup {
    /// What it is allowed, in words; empty where nothing is limited.
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
    /// What it is for, as the user named it, in the order given; several roles may lie on one device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<String>,
    /// Devices it stands on, all the way down: what they count contains what it counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub below: Vec<String>,
}

impl WatchedDevice {
    /// Whether a limit or an alert that names this is about it: by its name, one of its roles, or its host.
    #[must_use]
    pub fn is_named(&self, on: &str) -> bool {
        let part = |(host, device): (&str, &str)| host == on || device == on;
        self.name == on || self.roles.iter().any(|role| role == on) || self.name.split_once('/').is_some_and(part)
    }

    /// `data+journal (vda)`, or `vda`.
    #[must_use]
    pub fn label(&self) -> String {
        if self.roles.is_empty() { self.name.clone() } else { format!("{} ({})", self.roles.join("+"), self.name) }
    }
}

/// A process that is watched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchedProcess {
    /// What its series are called: `process.NAME.read`.
    pub name: String,
    /// Its number.
    pub pid: u32,
    /// The program's name, as the kernel cuts it.
    pub program: String,
}

impl WatchPlan {
    /// What is watched, in a few words: `data (vdb) + journal (vdc)`.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut words: Vec<String> = match self.all_devices {
            true => vec!["all disks".to_owned()],
            false => self.devices.iter().map(WatchedDevice::label).collect(),
        };
        words.extend(self.processes.iter().map(|p| format!("process {}", p.pid)));
        words.join(" + ")
    }

    /// One watch of several hosts: what is of a host bears its name.
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

    /// What limits and alerts may name: devices, roles, hosts.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let own = |d: &'_ str| d.split_once('/').map_or(0, |(host, _)| host.len() + 1);
        let devices = self.devices.iter().flat_map(move |d| [d.name.as_str(), &d.name[own(&d.name)..]]);
        let roles = self.devices.iter().flat_map(|d| d.roles.iter().map(String::as_str));
        devices.chain(roles).chain(self.hosts.iter().map(String::as_str))
    }

    /// A device by its name, one that came later too.
    #[must_use]
    pub fn device(&self, name: &str) -> WatchedDevice {
        let known = self.devices.iter().find(|d| d.name == name).cloned();
        known.unwrap_or_else(|| WatchedDevice { name: name.to_owned(), ..WatchedDevice::default() })
    }
}

/// A command that was run beside a watch.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CommandUse {
    /// Its number.
    pub pid: u32,
    /// When it was started, on the run's clock.
    pub began: Nanos,
    /// When it ended; `None` = not seen to.
    pub ended: Option<Nanos>,
    /// What it ended with.
    pub exit: Option<CommandExit>,
    /// When it was told to end, because the watch's time was up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told_to_end: Option<Nanos>,
    /// CPU time in user mode, of it and the children it waited for (wait4).
    pub user: Nanos,
    /// CPU time in the kernel.
    pub system: Nanos,
    /// Largest resident size of any of them.
    pub max_resident: Bytes,
    /// Context switches.
    pub switches: u64,
    /// Bytes sent to block devices to be read, of it and the children it waited for, read once it had ended.
    pub read: Option<u64>,
    /// Bytes to be written.
    pub write: Option<u64>,
    /// The kernel's other count of both, in 512-byte blocks (`ru_inblock`, `ru_oublock`): the check.
    pub blocks: (u64, u64),
}

impl CommandUse {
    /// How it ended, to be said behind its name: `succeeded after 5.2 s`.
    #[must_use]
    pub fn ending(&self) -> Message {
        let after = |at: Nanos| at.since(self.began);
        let Some(told) = self.told_to_end else {
            let Some(exit) = self.exit else { return Message::new("command-not-seen") };
            return match self.ended {
                Some(at) => Message::new("command-after").put("how", exit.to_message()).put("time", after(at)),
                None => exit.to_message(),
            };
        };
        let said = |id: &str| Message::new(id).put("time", after(told));
        match self.exit {
            Some(CommandExit::Code(0) | CommandExit::Signal(CommandExit::TERM)) => said("command-told-and-did"),
            Some(exit) => said("command-told-and").put("how", exit.to_message()),
            None => said("command-told-and-left").put("pid", self.pid),
        }
    }

    /// It was told to end, and nobody saw it do so.
    #[must_use]
    pub fn left_running(&self) -> bool {
        self.told_to_end.is_some() && self.exit.is_none()
    }
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandExit {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl CommandExit {
    /// The number of SIGTERM, which asks a program to end.
    const TERM: i32 = 15;

    /// What is said of it behind the command's name.
    fn to_message(self) -> Message {
        match self {
            CommandExit::Code(0) => Message::new("command-succeeded"),
            CommandExit::Code(code) => Message::new("command-code").put("code", code),
            CommandExit::Signal(signal) => Message::new("command-signal").put("signal", signal),
        }
    }

    /// As a shell says it: a signal is 128 and its number.
    #[must_use]
    pub const fn code(self) -> i32 {
        match self {
            CommandExit::Code(code) => code,
            CommandExit::Signal(signal) => 128 + signal,
        }
    }
}

/// What looking at counters beside a run cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SamplingCost {
    /// Looks it rests on.
    pub looks: u64,
    /// Mean CPU time of a look.
    pub per_look: Nanos,
    /// Share of one core, 0..=1.
    pub share: f64,
}

/// What is judged of a watch.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WatchJudgement {
    /// Time the figures cover, gaps left out.
    pub covered: Nanos,
    /// Times the counters were read.
    pub looks: u64,
    /// Devices, the busiest first.
    pub devices: Vec<DiskFigures>,
    /// Caps, each axis by itself, the fullest first.
    pub caps: Vec<CapUse>,
    /// Figures of each process that was watched.
    pub processes: Vec<ProcessFigures>,
    /// Control groups of processes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupFigures>,
    /// Machine: mean and largest of each series of the host worth a line.
    pub host: Vec<HostFigure>,
}

/// What a device did while it was watched.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DiskFigures {
    /// Kernel name.
    pub name: String,
    /// With its roles.
    pub shown: String,
    /// Requests completed, reads and writes, as the kernel counted them from the first look to the last.
    pub ops: [f64; 2],
    /// Bytes, alike.
    pub bytes: [f64; 2],
    /// Requests merged into others before they were sent.
    pub merges: [f64; 2],
    /// Flushes a second.
    pub flushes: f64,
    /// Discards a second.
    pub discards: f64,
    /// Operations per second: mean, and the most of one stretch with when it ended.
    pub iops: (Iops, Iops, Nanos),
    /// Bytes per second, alike.
    pub bandwidth: (BytesPerSecond, BytesPerSecond, Nanos),
    /// Mean size, reads and writes.
    pub size: [Option<Bytes>; 2],
    /// Mean time of a request, reads and writes: each stretch weighs by its requests.
    pub latency: [Option<Nanos>; 2],
    /// The stretch with the longest mean time of a request: that time, and when it ended.
    pub slowest: [Option<(Nanos, Nanos)>; 2],
    /// Mean requests in flight.
    pub queue: f64,
    /// Share of time with at least one in flight, 0..=1.
    pub busy: f64,
}

impl DiskFigures {
    /// All requests.
    #[must_use]
    pub fn all_ops(&self) -> f64 {
        self.ops[0] + self.ops[1]
    }
}

/// How full a cap was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CapUse {
    /// The limit's name.
    pub name: String,
    /// Which of its axes.
    pub axis: LimitAxis,
    /// The cap, in the unit of the axis.
    pub cap: f64,
    /// Whose sum it holds for.
    pub over: Vec<String>,
    /// Left out of the sum, for they stand on others of it.
    pub left_out: Vec<String>,
    /// Mean of the sum.
    pub mean: f64,
    /// Largest sum of one stretch, and when it ended.
    pub most: (f64, Nanos),
    /// What adding up each device's own largest would have said: they are not of the same second.
    pub sum_of_maxima: f64,
    /// Time at 97 % of it or above.
    pub full: Nanos,
    /// The longest of it in one piece.
    pub longest: Nanos,
    /// Time looked at.
    pub of: Nanos,
    /// While it was full (else over all), which share each device had, in the order of `over`.
    pub shares: Vec<f64>,
}

/// How full a cap is in one look.
#[derive(Debug, Clone, PartialEq)]
pub struct CapNow {
    /// The limit's name.
    pub name: String,
    /// Which of its axes.
    pub axis: LimitAxis,
    /// The cap, in the unit of the axis.
    pub cap: f64,
    /// What is taken of it.
    pub used: f64,
}

impl CapNow {
    /// `volume 5,998 of 6,000 IOPS (100 %)`.
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

/// What a process did, with its children.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ProcessFigures {
    /// Its name in the series.
    pub name: String,
    /// Bytes read from and written to block devices; `None` where they may not be seen.
    pub bytes: Option<[f64; 2]>,
    /// CPU, share of one core: user and system.
    pub cpu: [f64; 2],
    /// Context switches per second.
    pub switches: f64,
}

/// What a control group did; `None` = its controller does not count that.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct GroupFigures {
    /// Its name in the series.
    pub name: String,
    /// I/O charged to it, by device.
    pub io: Vec<GroupIoFigures>,
    /// CPU time a second, in CPUs: mean.
    pub cpus: Option<f64>,
    /// Share of the quota's periods in which it was stopped, 0..=1; `None` without a quota.
    pub throttled: Option<f64>,
    /// Time its threads were stopped by the quota.
    pub stopped: Option<Nanos>,
    /// Memory: mean and most.
    pub memory: Option<(Bytes, Bytes)>,
}

/// I/O of a control group on one device.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct GroupIoFigures {
    /// Kernel name of the device.
    pub device: String,
    /// Requests charged, before merging: reads and writes.
    pub ops: [f64; 2],
    /// Bytes charged.
    pub bytes: [f64; 2],
    /// The most requests a second of one stretch, reads and writes together.
    pub most: Iops,
}

/// A series of the machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostFigure {
    /// The series.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Mean over time.
    pub mean: f64,
    /// The largest value.
    pub most: f64,
}

impl RunRecord {
    /// A series by name.
    #[must_use]
    pub fn series(&self, name: &str) -> Option<&Series> {
        self.series.iter().find(|s| s.name == name)
    }

    /// When counters were looked at, and the true time since the look before: stretches in order, without those of
    /// which nothing is known.
    #[must_use]
    pub fn stretches(&self) -> Vec<(Nanos, Nanos)> {
        let told = self.series("sampler.stretch").map(|s| s.points.iter());
        told.into_iter().flatten().map(|(at, seconds)| (*at, Nanos::from_secs_f64(*seconds))).collect()
    }
}

/// Kinds of series that are of things: `device.vda.read_ops`.
const OF_THINGS: [&str; 6] = ["device", "process", "group", "net", "ebs", "space"];

/// The name of a series with its host's: `device.host/vda.read_ops`, `host/cpu.user`. What looking cost and how long it was of the `first`
/// host stays as it is: it says which looks there were.
#[must_use]
pub fn name_on_host(name: &str, host: &str, first: bool) -> String {
    match name.split_once('.') {
        Some((kind, rest)) if OF_THINGS.contains(&kind) => format!("{kind}.{host}/{rest}"),
        Some(("sampler", _)) if first => name.to_owned(),
        _ => format!("{host}/{name}"),
    }
}

/// Whether a series bears the name of a host ([`name_on_host`]).
#[must_use]
pub fn is_on_host(name: &str, host: &str) -> bool {
    let of = |text: &str| text.strip_prefix(host).is_some_and(|rest| rest.starts_with('/'));
    match name.split_once('.') {
        Some((kind, rest)) if OF_THINGS.contains(&kind) => of(rest),
        _ => of(name),
    }
}

/// A value of one look.
#[must_use]
pub fn sampled(samples: &[Sample], name: &str) -> Option<f64> {
    samples.iter().find(|s| s.name == name).map(|s| s.value)
}

/// Of a series' name: the thing and what of it. `device.vda.read_ops` is (`vda`, `read_ops`); names of things may hold
/// points themselves.
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
