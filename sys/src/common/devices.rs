//! Properties of block devices.

use super::files::FileId;
use std::fmt;
use std::path::PathBuf;

/// Size and block sizes of a block device, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockGeometry {
    /// Size of the whole device; 0 after it was removed.
    pub size: u64,
    /// Size of the smallest request.
    pub logical: u32,
    /// Size of the smallest write that needs no read first.
    pub physical: u32,
    /// True if the device rejects writes.
    pub read_only: bool,
}

/// A character device that accepts the commands of a block device and bypasses the block layer: `/dev/ng0n1` of NVMe,
/// `/dev/sg0` of SCSI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandNode {
    /// Major and minor number of the character device.
    pub node: (u32, u32),
    /// Major and minor number of its block device.
    pub block: (u32, u32),
}

/// File or device that backs a loop device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopBacking {
    /// The backing file or device node.
    pub file: FileId,
    /// Major and minor number, if the loop device is backed by a block device.
    pub device: Option<(u32, u32)>,
}

/// A piece of a mapped device, as listed in its table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedPiece {
    /// First sector of 512 bytes.
    pub start: u64,
    /// Length in sectors of 512 bytes.
    pub length: u64,
    /// Device-mapper target: `linear`, `crypt`, `striped`.
    pub target: String,
    /// Number of the device below and the first sector on it, if the piece is stored there contiguously and in order;
    /// `None` for targets that arrange sectors differently.
    pub below: Option<((u32, u32), u64)>,
}

/// An NVMe namespace, as seen by its commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NvmeNamespace {
    /// Namespace ID at the controller.
    pub id: u32,
    /// Size of a logical block, in bytes.
    pub block: u32,
    /// Size of the namespace in blocks.
    pub blocks: u64,
    /// Metadata stored with each block, in bytes; usually 0.
    pub metadata: u16,
}

/// Size of the SMART log, in bytes.
pub const SMART_LOG: usize = 512;

/// Use of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Use {
    /// Mounted at this path.
    Mounted(PathBuf),
    /// Used as swap space.
    Swap,
    /// Used by another device built on it: dm, md, bcache, loop.
    Carries(String),
    /// One of the devices of a mounted file system.
    Member(String),
    /// Open for writing in a process.
    Written {
        /// Process ID.
        pid: u32,
        /// Name of the process.
        name: String,
    },
}

/// A use and the device it was found on: the queried device, a device built on it, or the disk it is part of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceUse {
    /// Kernel name.
    pub device: String,
    /// Use of the device.
    pub what: Use,
}

impl fmt::Display for DeviceUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let device = &self.device;
        match &self.what {
            Use::Mounted(point) => write!(f, "{device} is mounted on {}", point.display()),
            Use::Swap => write!(f, "{device} is swap space"),
            Use::Carries(name) => write!(f, "{device} is used by {name}"),
            Use::Member(fs) => write!(f, "{device} is part of the mounted file system {fs}"),
            Use::Written { pid, name } => write!(f, "{device} is open for writing in process {pid} ({name})"),
        }
    }
}

/// Identity of a device, in terms a person can check.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeviceIdentity {
    /// Kernel name: `vda`.
    pub name: String,
    /// Model, if the device reports one.
    pub model: Option<String>,
    /// Serial number, World Wide Name or volume UUID, if the device reports one. A partition has none.
    pub serial: Option<String>,
    /// Disk that contains this partition.
    pub partition_of: Option<String>,
    /// True for removable media: a USB stick or a card.
    pub removable: bool,
}

/// A zone as the device reports it, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Zone {
    /// Start of the zone.
    pub start: u64,
    /// Length of the zone.
    pub len: u64,
    /// Writable part of the zone.
    pub capacity: u64,
    /// Position of the next write; meaningless for a conventional or full zone.
    pub write_pointer: u64,
    /// True if the zone has a write pointer, so that it can only be written in sequence.
    pub sequential: bool,
    /// State of the zone.
    pub condition: ZoneCondition,
}

/// State of a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZoneCondition {
    /// Conventional: can be written anywhere.
    Conventional,
    /// Nothing has been written.
    Empty,
    /// Partly written, and open.
    Open,
    /// Partly written, and closed.
    Closed,
    /// No room is left, or the zone was finished.
    Full,
    /// Can only be read.
    ReadOnly,
    /// Cannot be used at all.
    Offline,
}

/// Zone limits of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ZoneLimits {
    /// True if the device has zones.
    pub zoned: bool,
    /// True if sequential zones must be written in sequence; otherwise sequential writes are only preferred
    /// (host-aware).
    pub managed: bool,
    /// Maximum number of zones open at once; 0 = no limit.
    pub open: u32,
    /// Maximum number of zones active at once; 0 = no limit.
    pub active: u32,
}

/// Options of the reads and writes sent to a SCSI disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScsiOptions {
    /// Read from the medium (FUA).
    pub read_fua: bool,
    /// Complete writes only once they are on the medium (FUA).
    pub write_fua: bool,
    /// Have the drive read back each write (WRITE AND VERIFY).
    pub verify: bool,
}

/// A SCSI disk, as seen by its commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScsiDisk {
    /// Size of a block, in bytes.
    pub block: u32,
    /// Size of the disk in blocks.
    pub blocks: u64,
}
