//! Disks to trace.

use model::Bytes;

/// Disk to trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Whole {
    pub name: String,
    pub dev: (u32, u32),
    /// Descriptions of the devices below the disk.
    pub over: Vec<String>,
    pub without_requests: bool,
    pub size: Bytes,
    /// Size of a logical block in bytes; 0 if unknown.
    pub sector: u32,
    /// Device numbers of the disk's partitions, whose operations already have the sector numbers of the disk.
    pub partitions: Vec<(u32, u32)>,
}
