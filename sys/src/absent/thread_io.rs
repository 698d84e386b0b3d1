//! Reads and writes of a single thread, which only Linux counts.

use crate::common::ThreadIo;

/// Reader of a thread's I/O counters: there are none on this system.
#[derive(Debug)]
pub struct ThreadIoMeter;

impl ThreadIoMeter {
    /// Creates a meter of the calling thread, starting now.
    #[must_use]
    pub fn of_this_thread() -> Self {
        ThreadIoMeter
    }

    /// Returns `true` if the system counts I/O per thread.
    #[must_use]
    pub fn counts(&self) -> bool {
        false
    }

    /// Returns the I/O of the thread since the meter was created.
    #[must_use]
    pub fn so_far(&self) -> ThreadIo {
        ThreadIo::default()
    }
}
