//! Disks and volumes: sizes, numbers, users and counters, and stubs for features that only Linux has.

mod block;
mod counters;
mod nvme;
mod usage;

pub use crate::elsewhere::devices::*;
pub use crate::windows::number::block_number;
pub use block::{block_geometry, block_size};
pub use counters::{DiskCounters, disk_counters, disks};
pub use nvme::nvme_log_page;
pub use usage::{device_identity, device_name, device_uses, file_uses, memory_available};
