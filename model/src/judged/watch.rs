//! Judgement of a watch.

use crate::bounds::{Burst, LimitAxis};
use crate::{Bytes, BytesPerSecond, Iops, Nanos};
use serde::{Deserialize, Serialize};

/// Cost of sampling counters during a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Processes with the most I/O, sorted by bytes (most first).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub top: Vec<TopFigures>,
    /// Figures of the control groups of processes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupFigures>,
    /// Mean and maximum of the important series of the machine.
    pub host: Vec<HostFigure>,
}

/// Figures of a device over the watch.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Burst above the cap.
    pub burst: Option<Burst>,
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// Figures of a process from the moment it was one of those with the most I/O.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TopFigures {
    /// Name in the series.
    pub name: String,
    /// Bytes read from and written to block devices. Writes are counted when they dirty the page cache.
    pub bytes: [f64; 2],
    /// Read and write system calls on files, pipes and sockets.
    pub calls: [f64; 2],
    /// Time for which the threads waited for block I/O; `None` if the kernel does not account for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Nanos>,
    /// Maximum bytes per second in one sampling interval, reads and writes together.
    pub most: BytesPerSecond,
}

/// Figures of a control group. A figure is `None` if the group's controller does not count it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
