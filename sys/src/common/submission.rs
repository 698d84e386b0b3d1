//! What a kernel queue is asked and what it answers, and how one ends.

use std::io;

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
    /// Give a range back: punch a hole in a file, discard on a device.
    Discard,
}

impl IoKind {
    /// Whether it makes the whole file durable, so that it has no place and no length.
    #[must_use]
    pub const fn is_flush(self) -> bool {
        matches!(self, IoKind::DataSync | IoKind::Sync)
    }
}

/// One operation asked of a queue.
#[derive(Debug, Clone, Copy)]
pub struct Submission {
    /// Buffer slot, and the name under which it is answered.
    pub slot: u32,
    /// The kind of operation.
    pub kind: IoKind,
    /// Which of the queue's files.
    pub file: u16,
    /// Byte offset in the file.
    pub at: u64,
    /// Length in bytes.
    pub len: u32,
    /// Offset inside the buffer: above zero when a short operation is continued.
    pub skip: u32,
}

impl Submission {
    /// Bytes of its buffer that it uses: none where a range is given back, which may be longer than any buffer.
    #[inline(always)]
    pub(crate) const fn buffered(&self) -> u32 {
        if matches!(self.kind, IoKind::Discard) { 0 } else { self.len }
    }
}

/// One answer: bytes moved, or a negative errno.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reaped {
    /// As in the [`Submission`].
    pub slot: u32,
    /// Bytes moved, or a negative errno.
    pub result: i32,
}

/// How long to wait for answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Until enough have come.
    Forever,
    /// At most this many nanoseconds.
    AtMost(u64),
}

/// How long a dropped queue waits for what is in flight before it gives up its memory for good.
const DROP_PATIENCE_NS: u64 = 2_000_000_000;

/// Waits, with patience, for what is in flight on a queue that is dropped; `reap` waits for one operation and says how
/// many are left. `false`: they did not come back, so the kernel may still write to their buffers, and neither these nor
/// the queue may ever be freed.
pub(crate) fn wait_out(mut reap: impl FnMut(Wait) -> io::Result<usize>) -> bool {
    let before = crate::monotonic_ns();
    loop {
        let waited = crate::monotonic_ns() - before;
        if waited >= DROP_PATIENCE_NS {
            return false;
        }
        match reap(Wait::AtMost(DROP_PATIENCE_NS - waited)) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
}
