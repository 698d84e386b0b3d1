//! Facts about the host and the storage under the target, gathered before the run.

use crate::{Bytes, DriveHealth, Iops, Limit, Message, Nanos, RankFacts, RankPart, Said, Sentence};
use serde::{Deserialize, Serialize};

/// The machine.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct HostFacts {
    /// Host name.
    pub hostname: String,
    /// Kernel name and release: `Linux 6.18.44`.
    pub kernel: String,
    /// CPU model as the kernel names it.
    pub cpu_model: String,
    /// CPUs this process may run on.
    pub cpus: u32,
    /// CPUs of the machine, where they are more than those; else 0.
    #[serde(default, skip_serializing_if = "is_none_more")]
    pub processors: u32,
    /// CPUs' worth of time the control group allows, if fewer.
    pub cpu_quota: Option<f64>,
    /// Physical memory.
    pub memory: Bytes,
    /// Memory limit of our control group, if below physical.
    pub memory_limit: Option<Bytes>,
    /// Memory available now.
    pub memory_available: Bytes,
    /// Hypervisor, if one shows (`KVM`, `amazon`), from DMI or CPUID flags.
    pub virtualization: Option<String>,
    /// The kernel's clock source.
    pub clocksource: String,
}

/// No more than what the process may use.
fn is_none_more(processors: &u32) -> bool {
    *processors == 0
}

/// A block device in the stack under the target, top first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DeviceFacts {
    /// Kernel name: `vda`, `dm-0`, `loop3`, `nvme0n1`.
    pub name: String,
    /// Major and minor number.
    pub dev: (u32, u32),
    /// What it is: `dm`, `md`, `loop`, `virtio`, `nvme`, `scsi`, `zram`, `partition`, `other`.
    pub kind: String,
    /// Level in the stack: 0 = directly under the file system.
    pub depth: u32,
    /// Device size.
    pub size: Bytes,
    /// Model, where the device tells.
    pub model: Option<String>,
    /// Serial number or WWID, where the device tells.
    pub serial: Option<String>,
    /// Logical block size: the grain of requests.
    pub logical_block: Bytes,
    /// Physical block size: smaller writes may be read-modify-write.
    pub physical_block: Bytes,
    /// What the kernel believes; virtual disks often say `true` without spinning.
    pub rotational: bool,
    /// Active I/O scheduler.
    pub scheduler: String,
    /// Request queue length.
    pub nr_requests: u32,
    /// Largest request the device takes.
    pub max_request: Bytes,
    /// `write back` or `write through`.
    pub write_cache: String,
    /// For a loop device, the backing file.
    pub backing: Option<String>,
    /// Whether it can discard.
    pub discard: bool,
    /// What the drive tells of itself, as the run began; `None` where it tells nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health: Option<DriveHealth>,
}

impl StorageFacts {
    /// The disk that is written to: the lowest device that has a size, the first of several; `None` where none is known.
    #[must_use]
    pub fn disk(&self) -> Option<&DeviceFacts> {
        let deepest = self.devices.iter().filter(|d| !d.size.is_zero()).map(|d| d.depth).max()?;
        self.devices.iter().find(|d| !d.size.is_zero() && d.depth == deepest)
    }

    /// The device whose space is written: the disk, or the topmost loop device above it.
    #[must_use]
    pub fn written_device(&self) -> Option<&DeviceFacts> {
        let loops = self.devices.iter().filter(|d| d.kind == "loop" && !d.size.is_zero());
        loops.min_by_key(|d| d.depth).or_else(|| self.disk())
    }

    /// Share of the written device that `written` bytes are, and of its endurance if known: `1.3 % of vda (252 GiB)`.
    #[must_use]
    pub fn share_of_disk(&self, written: Bytes) -> Option<Message> {
        let disk = self.written_device().filter(|_| !written.is_zero())?;
        let percent = |of: Bytes| {
            let share = written.as_u64() as f64 / of.as_u64().max(1) as f64 * 100.0;
            if share >= 10.0 {
                Said::Text(format!("{share:.0} %"))
            } else if share >= 0.01 {
                Said::Text(format!("{share:.2} %"))
            } else {
                Message::new("share-tiny").into()
            }
        };
        let endurance = disk.health.as_ref().and_then(DriveHealth::endurance);
        let told = |id: &str| {
            Message::new(id).put("share", percent(disk.size)).put("name", &disk.name).put("size", disk.size.to_string())
        };
        Some(match endurance {
            Some(all) => told("share-of-disk-and-endurance").put("endurance", percent(all)),
            None => told("share-of-disk"),
        })
    }
}

/// The file system and devices under the target.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StorageFacts {
    /// File-system type: `ext4`, `xfs`, `tmpfs`; `none` on a raw device.
    pub filesystem: String,
    /// Where it is mounted.
    pub mount_point: String,
    /// Mount options.
    pub mount_options: String,
    /// Size of the file system.
    pub fs_size: Bytes,
    /// Free bytes for us (without the root reserve).
    pub fs_free: Bytes,
    /// Device stack, top first.
    pub devices: Vec<DeviceFacts>,
    /// Smallest offset/length grain of direct I/O, and how it was found (`statx`, `ioctl`, `probe`).
    pub direct_align: Option<(Bytes, String)>,
    /// Why direct I/O does not reach a device here, if so.
    pub direct_refused: Option<Sentence>,
    /// Why this is memory and no storage, if so: `tmpfs keeps its files in memory`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Sentence>,
}

/// Whether an engine works here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineFacts {
    /// Engine name.
    pub name: String,
    /// `None` = works; else why not, with what to do.
    pub unavailable: Option<String>,
}

/// How finely and how honestly time can be told here.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TimerFacts {
    /// The clock used: `tsc`, `monotonic`.
    pub clock: String,
    /// Cost of one stamp.
    pub cost: Nanos,
    /// How long the spin of the noise probe lasted.
    pub spin: Nanos,
    /// Largest gap seen by a spinning thread.
    pub gap_max: Nanos,
    /// Gaps above one millisecond.
    pub gaps_over_1ms: u64,
    /// 99.9th percentile of time stolen from the spinning thread, weighted by time.
    pub gap_p999: Nanos,
}

/// Everything preflight found out.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Preflight {
    /// The machine.
    pub host: HostFacts,
    /// File system and devices; of several targets the first one's file system, and the devices of all.
    pub storage: StorageFacts,
    /// Of several targets: the storage under each, in their order; one whose storage cannot be told has empty facts. Of job files
    /// and databases each storage once, if there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub under_each: Vec<StorageFacts>,
    /// Of a run on many hosts: who takes part, rank 0 first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranks: Vec<RankFacts>,
    /// In the record that one rank of such a run keeps on its own host: which part of the run that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<RankPart>,
    /// Limits found on this machine (control groups).
    pub limits: Vec<Limit>,
    /// Engines, each with a reason if it does not work.
    pub engines: Vec<EngineFacts>,
    /// Clock and scheduling noise.
    pub timer: TimerFacts,
    /// The tool's own ceiling: operations per second of one thread on the null engine at depth 1 and at depth 32.
    pub ceiling: Option<(Iops, Iops)>,
    /// The engine that was chosen for this target on this machine before; `None` where none was, or anew is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing_engine: Option<StandingEngine>,
    /// Engine chosen and why.
    pub engine_choice: String,
}

/// A choice that stands, so that runs compare.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StandingEngine {
    /// The engine.
    pub name: String,
    /// Id of the newest run that it was chosen for.
    pub run: String,
}
