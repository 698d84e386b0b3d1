//! Queues that submit operations to the kernel or to a client library and collect their completions, one per file.
//! Their common types are in `common/submission.rs`; buffers (`buffers.rs`) belong to queues.

mod aio;
#[path = "../../buffers.rs"]
mod buffers;
mod file_set;
pub(super) mod library;
mod mapped;
pub(super) mod memory;
mod nfs;
mod rbd;
mod rw;
mod sg;
mod uring;
mod uring_cmd;

pub use aio::AioQueue;
/// Queue for many writes in flight from one thread, available on every kernel of this system.
pub use aio::AioQueue as DeepQueue;
pub use buffers::Counters;
pub use file_set::FileSet;
pub use mapped::MappedQueue;
use memory::Mapping;
pub use nfs::{NfsQueue, nfs_library, nfs_size};
pub use rbd::{RbdQueue, rbd_library, rbd_size};
pub use rw::{BlockingQueue, GatheringQueue};
pub use sg::{ScsiQueue, scsi_disk};
pub use uring::UringQueue;
pub use uring_cmd::NvmeQueue;

constant! {
    /// Checks that secchi can measure on this system.
    fn can_measure() -> std::io::Result<()> = Ok(());
}
