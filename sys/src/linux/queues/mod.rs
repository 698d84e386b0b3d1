//! Ways to hand operations to the kernel, or to a client library, and to get their answers: one queue a file. What all of
//! them speak is in `common/submission.rs`; buffers (`buffers.rs`) belong to queues.

mod aio;
mod buffers;
mod file_set;
pub(super) mod library;
mod mapped;
mod nfs;
mod rbd;
mod rw;
mod sg;
mod uring;
mod uring_cmd;

pub use aio::AioQueue;
/// Many writes in flight from one thread, by what every kernel of this system has.
pub use aio::AioQueue as DeepQueue;
pub use buffers::Counters;
pub use file_set::FileSet;
pub use mapped::MappedQueue;
pub use nfs::{NfsOpen, NfsQueue, nfs_library, nfs_size};
pub use rbd::{RbdImage, RbdQueue, rbd_library, rbd_size};
pub use rw::{BlockingQueue, GatheringQueue};
pub use sg::{ScsiQueue, scsi_disk};
pub use uring::{UringOptions, UringQueue};
pub use uring_cmd::{ForcedUnitAccess, NvmeQueue};

/// Whether secchi measures on this system: it does.
///
/// # Errors
/// None here.
pub fn can_measure() -> std::io::Result<()> {
    Ok(())
}
