//! Requests to and completions from kernel queues, and how a queue is shut down.

use std::io;
use std::time::{Duration, Instant};

/// Kind of operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IoKind {
    /// Read into the slot's buffer.
    Read,
    /// Write from the slot's buffer.
    Write,
    /// fdatasync of the whole file; offset and length are ignored.
    DataSync,
    /// fsync of the whole file; offset and length are ignored.
    Sync,
    /// Deallocate a range: punch a hole in a file, discard on a device.
    Discard,
}

impl IoKind {
    /// Returns `true` for operations that make the whole file durable and therefore have no offset and length.
    #[must_use]
    pub const fn is_flush(self) -> bool {
        matches!(self, IoKind::DataSync | IoKind::Sync)
    }
}

/// One operation submitted to a queue.
#[derive(Debug, Clone, Copy)]
pub struct Submission {
    /// Buffer slot, which also identifies the completion.
    pub slot: u32,
    /// Kind of operation.
    pub kind: IoKind,
    /// Index of the file in the queue.
    pub file: u16,
    /// Byte offset in the file.
    pub at: u64,
    /// Length in bytes.
    pub len: u32,
    /// Offset inside the buffer: above zero when a short operation is continued.
    pub skip: u32,
}

impl Submission {
    /// Returns the number of buffer bytes it uses: none for a discard, which may be longer than any buffer.
    #[inline(always)]
    pub(crate) const fn buffered(&self) -> u32 {
        if matches!(self.kind, IoKind::Discard) { 0 } else { self.len }
    }
}

/// One completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reaped {
    /// Slot of the [`Submission`].
    pub slot: u32,
    /// Bytes moved, or a negative errno.
    pub result: i32,
}

/// Maximum wait for completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Wait until enough have arrived.
    Forever,
    /// Wait at most this many nanoseconds.
    AtMost(u64),
}

/// Time for which a dropped queue waits for requests in flight before it leaks its memory.
const DROP_PATIENCE: Duration = Duration::from_secs(2);

/// Waits, up to a limit, for the requests in flight on a queue that is being dropped; `reap` waits for one operation
/// and returns the number left. Returns `false` if they did not complete: the kernel may still write to their buffers,
/// so neither these nor the queue may ever be freed.
pub(crate) fn wait_out(mut reap: impl FnMut(Wait) -> io::Result<usize>) -> bool {
    let until = Instant::now() + DROP_PATIENCE;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        match reap(Wait::AtMost(left.as_nanos() as u64)) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
}
