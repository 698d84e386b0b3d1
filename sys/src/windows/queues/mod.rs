//! Ways to submit operations to the system and to get their results: one file per queue. `common/submission.rs` defines
//! the types they share; buffers (`buffers.rs`) belong to queues.

mod buffers;
mod file_set;
mod iocp;
mod ioring;
mod mapped;
mod rw;

pub use crate::elsewhere::queues::*;
pub use buffers::Counters;
pub use file_set::FileSet;
pub use iocp::IocpQueue;
/// Queue for many writes in flight from one thread, available on every version of Windows.
pub use iocp::IocpQueue as DeepQueue;
pub use ioring::IoRingQueue;
pub use mapped::MappedQueue;
pub use rw::BlockingQueue;

/// Returns `Ok`: secchi can measure on this system.
///
/// # Errors
/// None on Windows.
pub fn can_measure() -> std::io::Result<()> {
    Ok(())
}
