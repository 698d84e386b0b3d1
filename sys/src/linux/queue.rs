//! What a kernel queue is asked and what it answers.

/// Kind of operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IoKind {
    /// Read into the slot's buffer.
    Read,
    /// Write from the slot's buffer.
    Write,
    /// fdatasync of the whole file; offset and length are ignored.
    DataSync,
    /// Give a range back: punch a hole in a file, discard on a device.
    Discard,
}

/// One operation asked of a queue.
#[derive(Debug, Clone, Copy)]
pub struct Submission {
    /// Buffer slot, and the name under which it is answered.
    pub slot: u32,
    /// Kind.
    pub kind: IoKind,
    /// Byte offset in the file.
    pub at: u64,
    /// Bytes.
    pub len: u32,
    /// Offset inside the buffer: above zero when a short operation is continued.
    pub skip: u32,
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
