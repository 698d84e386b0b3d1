//! Disks and volumes: sizes, numbers, users and counters, and stubs for features that only Linux has.
//!
//! As on Linux, a device number is a pair: the number of the disk plus one, so that 0 means no disk; and the partition,
//! 0 for the whole disk.

mod block;
mod counters;
mod number;
mod nvme;
mod usage;

pub use crate::absent::devices::{
    InterfaceCounters, command_node, finish_zones, is_scsi_disk, loop_backing, mapped_pieces, nvme_namespace,
    reset_zones, sysfs_block, zone_limits, zones,
};
pub use block::{block_geometry, block_number, block_size, device_number};
pub use counters::{DiskCounters, disk_counters, disks};
pub(crate) use number::{disk_number, number_of, read_volume_extents, trim};
pub use nvme::{nvme_log_page, nvme_smart_log};
pub use usage::{device_identity, device_name, device_uses, file_uses, has_nul, memory_available};
