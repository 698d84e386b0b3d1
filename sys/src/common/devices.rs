//! What is told of block devices.

use super::files::FileId;
use std::fmt;
use std::path::PathBuf;

/// Size and grain of a block device, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockGeometry {
    /// Whole device; 0 after it was removed.
    pub size: u64,
    /// Smallest request.
    pub logical: u32,
    /// Smallest write without reading before.
    pub physical: u32,
    /// Refuses writes.
    pub read_only: bool,
}

/// A character device that takes the commands of a block device past the block layer: `/dev/ng0n1` of NVMe, `/dev/sg0` of SCSI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandNode {
    /// Its own major and minor number.
    pub node: (u32, u32),
    /// Those of the block device behind it.
    pub block: (u32, u32),
}

/// What a loop device stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopBacking {
    /// The file, or the device node.
    pub file: FileId,
    /// Major and minor number, if it stands on a block device.
    pub device: Option<(u32, u32)>,
}

/// A piece of a mapped device, as its table tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedPiece {
    /// First sector of 512 bytes.
    pub start: u64,
    /// Length in sectors of 512 bytes.
    pub length: u64,
    /// What maps it: `linear`, `crypt`, `striped`.
    pub target: String,
    /// Where it lies on the device below, by number and first sector, where it lies there in one piece and in order; `None`
    /// for targets that arrange sectors otherwise.
    pub below: Option<((u32, u32), u64)>,
}

/// A namespace of NVMe as its commands see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NvmeNamespace {
    /// Its number at the controller.
    pub id: u32,
    /// Bytes of a logical block.
    pub block: u32,
    /// Size of the namespace in blocks.
    pub blocks: u64,
    /// Bytes of metadata beside each block; 0 for most.
    pub metadata: u16,
}

/// Bytes of the SMART log.
pub const SMART_LOG: usize = 512;

/// What somebody does with a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Use {
    /// Mounted there.
    Mounted(PathBuf),
    /// Swap space.
    Swap,
    /// Another device stands on it: dm, md, bcache, loop.
    Carries(String),
    /// One of the devices of a mounted file system.
    Member(String),
    /// A process has it open for writing.
    Written {
        /// Its number.
        pid: u32,
        /// Its name.
        name: String,
    },
}

/// A use, and the device it was found on: the one asked about, one that stands on it, or the disk it is part of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceUse {
    /// Kernel name.
    pub device: String,
    /// How the device is used.
    pub what: Use,
}

impl fmt::Display for DeviceUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let device = &self.device;
        match &self.what {
            Use::Mounted(point) => write!(f, "{device} is mounted on {}", point.display()),
            Use::Swap => write!(f, "{device} is swap"),
            Use::Carries(name) => write!(f, "{device} carries {name}"),
            Use::Member(fs) => write!(f, "{device} is part of the mounted file system {fs}"),
            Use::Written { pid, name } => write!(f, "{device} is open for writing in process {pid} ({name})"),
        }
    }
}

/// Which device it is, in words a person can check.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeviceIdentity {
    /// Kernel name: `vda`.
    pub name: String,
    /// Model, where the device tells.
    pub model: Option<String>,
    /// Serial number, World Wide Name or volume UUID, where the device tells. A partition has none.
    pub serial: Option<String>,
    /// The disk it is a partition of.
    pub partition_of: Option<String>,
    /// A stick or a card.
    pub removable: bool,
}

/// A zone as the device reports it, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Zone {
    /// Where it begins.
    pub start: u64,
    /// Its length.
    pub len: u64,
    /// How much of it can be written.
    pub capacity: u64,
    /// Where the next write goes; without meaning for a conventional or full zone.
    pub write_pointer: u64,
    /// Whether it has a write pointer, so that it can only be written in sequence.
    pub sequential: bool,
    /// What state it is in.
    pub condition: ZoneCondition,
}

/// State of a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZoneCondition {
    /// Conventional: written anywhere.
    Conventional,
    /// Nothing is written.
    Empty,
    /// Begun, and open.
    Open,
    /// Begun, and closed.
    Closed,
    /// No room is left, or it was finished.
    Full,
    /// It can only be read.
    ReadOnly,
    /// It cannot be used at all.
    Offline,
}

/// What a device allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ZoneLimits {
    /// Whether it has zones at all.
    pub zoned: bool,
    /// Whether sequential zones must be written in sequence; else that is only better (host-aware).
    pub managed: bool,
    /// Most zones open at once; 0 = no limit.
    pub open: u32,
    /// Most zones begun at once; 0 = no limit.
    pub active: u32,
}

/// How reads and writes are asked of a SCSI disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScsiOptions {
    /// Reads come from the medium (FUA).
    pub read_fua: bool,
    /// Writes are on the medium when they are answered (FUA).
    pub write_fua: bool,
    /// Writes are read back by the drive (WRITE AND VERIFY).
    pub verify: bool,
}

/// A SCSI disk as its commands see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScsiDisk {
    /// Bytes of a block.
    pub block: u32,
    /// Size of the disk in blocks.
    pub blocks: u64,
}
