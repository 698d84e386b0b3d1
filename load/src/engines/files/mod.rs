//! Engines that read and write files and devices.

use crate::engine::{Blocking, Request};
use crate::engines::submission;
use sys::queues::{BlockingQueue, MappedQueue, ScsiQueue};

pub(super) mod io_uring;
pub(super) mod io_uring_cmd;
#[cfg(windows)]
pub(super) mod ioring;
mod kernel_queue;
pub(super) mod libaio;
pub(super) mod mmap;
pub(super) mod null;
pub(super) mod posixaio;
mod priority;
pub(super) mod psync;
pub(super) mod sg;
pub(super) mod vsync;
#[cfg(windows)]
pub(super) mod windowsaio;

/// Makes engines of queues that perform one operation at a time.
macro_rules! blocking_queues {
    ($($queue:ty)*) => { $(
        impl Blocking for $queue {
            #[inline]
            fn perform(&mut self, request: &Request) -> i32 {
                <$queue>::perform(self, &submission(request)).result
            }

            fn buffer(&mut self) -> &mut [u8] {
                <$queue>::buffer(self)
            }
        }
    )* };
}
blocking_queues! { BlockingQueue MappedQueue ScsiQueue }
