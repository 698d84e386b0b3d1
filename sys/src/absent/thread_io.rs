//! What one thread read and wrote: counted on Linux alone.

use crate::common::ThreadIo;

/// Reads the counts of a thread: there are none here.
#[derive(Debug)]
pub struct ThreadIoMeter;

impl ThreadIoMeter {
    /// Of the calling thread, from now on.
    #[must_use]
    pub fn of_this_thread() -> Self {
        ThreadIoMeter
    }

    /// Whether the system counts for threads.
    #[must_use]
    pub fn counts(&self) -> bool {
        false
    }

    /// What it did since it was made known.
    #[must_use]
    pub fn so_far(&self) -> ThreadIo {
        ThreadIo::default()
    }
}
