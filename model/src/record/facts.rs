//! Facts about the storage under the target, and results of the preflight.

use crate::record::{DriveHealth, HostFacts, RankFacts, RankPart};
use crate::text::{Message, Said};
use crate::{Bytes, Iops, Limit, Nanos, Sentence};
use serde::{Deserialize, Serialize};

/// A block device in the stack under the target. Stacks are listed from the top.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceFacts {
    /// Kernel name: `vda`, `dm-0`, `loop3`, `nvme0n1`.
    pub name: String,
    /// Major and minor number.
    pub dev: (u32, u32),
    /// Type: `dm`, `md`, `loop`, `virtio`, `nvme`, `scsi`, `zram`, `partition`, `other`.
    pub kind: String,
    /// Level in the stack: 0 = directly under the file system.
    pub depth: u32,
    /// Device size.
    pub size: Bytes,
    /// Model, if the device reports it.
    pub model: Option<String>,
    /// Serial number or WWID, if the device reports it.
    pub serial: Option<String>,
    /// Logical block size, the unit of requests.
    pub logical_block: Bytes,
    /// Physical block size; smaller writes may cause read-modify-write.
    pub physical_block: Bytes,
    /// True if the kernel considers the device a rotating disk; virtual disks are often marked as rotating although
    /// they are not.
    pub rotational: bool,
    /// Active I/O scheduler.
    pub scheduler: String,
    /// Request queue length.
    pub nr_requests: u32,
    /// Maximum size of a request.
    pub max_request: Bytes,
    /// `write back` or `write through`.
    pub write_cache: String,
    /// For a loop device, the backing file.
    pub backing: Option<String>,
    /// True if the device supports discard.
    pub discard: bool,
    /// Health data of the drive at the start of the run; `None` if the drive reports none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health: Option<DriveHealth>,
}

impl StorageFacts {
    /// Returns the disk that is written to: the lowest device with a known size, or the first of several; `None` if
    /// none is known.
    #[must_use]
    pub fn disk(&self) -> Option<&DeviceFacts> {
        let deepest = self.devices.iter().filter(|d| !d.size.is_zero()).map(|d| d.depth).max()?;
        self.devices.iter().find(|d| !d.size.is_zero() && d.depth == deepest)
    }

    /// Returns the device whose space is used by writes: the disk, or the topmost loop device above it.
    #[must_use]
    pub fn written_device(&self) -> Option<&DeviceFacts> {
        let loops = self.devices.iter().filter(|d| d.kind == "loop" && !d.size.is_zero());
        loops.min_by_key(|d| d.depth).or_else(|| self.disk())
    }

    /// Returns `written` as a share of the written device, and of its endurance if known: `1.3 % of vda (252 GiB)`.
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
        let message_of = |id: &str| {
            Message::new(id).put("share", percent(disk.size)).put("name", &disk.name).put("size", disk.size.to_string())
        };
        Some(match endurance {
            Some(all) => message_of("share-of-disk-and-endurance").put("endurance", percent(all)),
            None => message_of("share-of-disk"),
        })
    }
}

/// The file system and devices under the target.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StorageFacts {
    /// File-system type: `ext4`, `xfs`, `tmpfs`; `none` on a raw device.
    pub filesystem: String,
    /// Mount point.
    pub mount_point: String,
    /// Mount options.
    pub mount_options: String,
    /// Size of the file system.
    pub fs_size: Bytes,
    /// Free bytes available to this process (without the root reserve).
    pub fs_free: Bytes,
    /// Device stack, from the top.
    pub devices: Vec<DeviceFacts>,
    /// Minimum alignment of direct I/O, and the method by which it was determined (`statx`, `ioctl`, `probe`).
    pub direct_align: Option<(Bytes, String)>,
    /// Reason why direct I/O does not reach a device here; `None` if it does.
    pub direct_refused: Option<Sentence>,
    /// Reason why this is memory instead of storage, for example `tmpfs keeps its files in memory`; `None` if it is
    /// storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Sentence>,
}

/// Availability of an engine on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EngineFacts {
    /// Engine name.
    pub name: String,
    /// Reason why the engine does not work, with advice; `None` if it works.
    pub unavailable: Option<String>,
}

/// Resolution and reliability of time measurement on this machine.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimerFacts {
    /// Clock in use: `tsc`, `monotonic`.
    pub clock: String,
    /// Cost of one timestamp.
    pub cost: Nanos,
    /// Duration of the spin in the noise probe.
    pub spin: Nanos,
    /// Maximum gap seen by a spinning thread.
    pub gap_max: Nanos,
    /// Number of gaps above one millisecond.
    pub gaps_over_1ms: u64,
    /// 99.9th percentile of the gaps in the spinning thread's time, weighted by time.
    pub gap_p999: Nanos,
}

/// Results of the preflight.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Preflight {
    /// Facts about the machine.
    pub host: HostFacts,
    /// File system and devices; for several targets, the file system of the first target and the devices of all
    /// targets.
    pub storage: StorageFacts,
    /// Storage under each of several targets, in their order; empty facts if unknown. For job files and databases, each
    /// storage is listed once if there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub under_each: Vec<StorageFacts>,
    /// Ranks of a run on many hosts, rank 0 first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranks: Vec<RankFacts>,
    /// Part of the run that this record covers, in a record that one rank of a run on many hosts stores on its host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<RankPart>,
    /// Limits found on this machine (control groups).
    pub limits: Vec<Limit>,
    /// Engines, each with a reason if it is unavailable.
    pub engines: Vec<EngineFacts>,
    /// Clock and scheduling noise.
    pub timer: TimerFacts,
    /// Maximum rates of the tool itself: operations per second of one thread on the null engine at depths 1 and 32.
    pub ceiling: Option<(Iops, Iops)>,
    /// Engine chosen earlier for this target on this machine; `None` if there was none or a new choice was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing_engine: Option<StandingEngine>,
    /// Chosen engine and the reason for the choice.
    pub engine_choice: Sentence,
    /// True if the user requested the engine.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub engine_requested: bool,
}

/// An earlier choice of engine that is kept so that runs are comparable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StandingEngine {
    /// Name of the engine.
    pub name: String,
    /// ID of the latest run for which this engine was chosen.
    pub run: String,
}
