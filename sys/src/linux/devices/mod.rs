//! Block devices: sizes, uses, mappings, NVMe commands, zones. Network interfaces: driver counters.

mod block;
mod interface;
mod mapper;
mod nvme;
mod usage;
mod zones;

pub use block::{block_geometry, block_number, block_size, command_node, is_scsi_disk, loop_backing};
pub use interface::InterfaceCounters;
pub use mapper::mapped_pieces;
pub(crate) use nvme::{DSM_RANGE, dsm_range, status_errno, uring_command};
pub use nvme::{nvme_log_page, nvme_namespace, nvme_smart_log};
pub use usage::{device_identity, device_name, device_uses, file_uses, has_nul, memory_available};
pub use zones::{finish_zones, reset_zones, zone_limits, zones};
