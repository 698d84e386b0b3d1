//! Ways to hand operations to the system and to get their answers: one queue a file. What all of them speak is in `common/submission.rs`;
//! buffers (`buffers.rs`) belong to queues.

mod buffers;
mod file_set;
mod iocp;
mod ioring;
mod mapped;
mod rw;

pub use crate::absent::queues::{
    AioQueue, ForcedUnitAccess, GatheringQueue, NfsOpen, NfsQueue, NvmeQueue, RbdImage, RbdQueue, ScsiQueue,
    UringOptions, UringQueue, nfs_library, nfs_size, rbd_library, rbd_size, scsi_disk,
};
pub use buffers::Counters;
pub use file_set::FileSet;
pub use iocp::IocpQueue;
/// Many writes in flight from one thread, by what every Windows has.
pub use iocp::IocpQueue as DeepQueue;
pub use ioring::IoRingQueue;
pub use mapped::MappedQueue;
pub use rw::BlockingQueue;

/// Whether secchi measures on this system: it does.
///
/// # Errors
/// None here.
pub fn can_measure() -> std::io::Result<()> {
    Ok(())
}
