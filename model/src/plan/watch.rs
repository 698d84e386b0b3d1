//! A watch: a run without I/O that only samples counters of devices, processes and the machine.

use crate::{Bytes, Limit, Nanos, bounds::Alert};
use serde::{Deserialize, Serialize};

/// Objects and duration of a watch. A plan with a watch has no stages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Number of processes with the most I/O that are named in each sample, by each measure; 0 = none.
    #[serde(default, skip_serializing_if = "crate::units::is_default")]
    pub top: usize,
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_named_by_its_roles_its_name_and_its_host() {
        let device = WatchedDevice { name: "vdb".into(), roles: vec!["data".into(), "wij".into()], below: Vec::new() };
        assert_eq!(device.label(), "data+wij (vdb)");
        let named = WatchedDevice { name: "node.x:1/vda".into(), roles: vec!["data".into()], below: Vec::new() };
        assert!(["node.x:1", "vda", "data", "node.x:1/vda"].iter().all(|on| named.is_named(on)));
        assert!(!named.is_named("node.x"));
    }
}
