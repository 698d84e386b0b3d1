//! Ways to submit operations to the system and to get their results: one file per queue. `common/submission.rs` defines
//! the types they share; buffers (`buffers.rs`) belong to queues.

#[path = "../../buffers.rs"]
mod buffers;
mod file_set;
mod iocp;
mod ioring;
mod mapped;
mod rw;

pub use crate::elsewhere::queues::*;
use crate::windows::process::Mapping;
pub use buffers::Counters;
pub use file_set::FileSet;
pub use iocp::IocpQueue;
/// Queue for many writes in flight from one thread, available on every version of Windows.
pub use iocp::IocpQueue as DeepQueue;
pub use ioring::IoRingQueue;
pub use mapped::MappedQueue;
pub use rw::BlockingQueue;

constant! {
    /// Checks that secchi can measure on this system.
    fn can_measure() -> std::io::Result<()> = Ok(());
}

#[cfg(test)]
mod tests {
    #[test]
    fn buffers_keep_their_content_when_locked() {
        let mut pool = super::buffers::BufferPool::new(3, 5000).unwrap();
        pool.slot_mut(1).fill(7);
        pool.memory.lock().unwrap();
        for (slot, byte) in [(0, 0), (1, 7), (2, 0)] {
            assert!(pool.slot_mut(slot).iter().all(|b| *b == byte), "slot {slot}");
        }
    }
}
