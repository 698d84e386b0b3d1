//! Calls with which blocking queues move data, and access advice for mappings.

/// Call with which a blocking queue moves data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// pread(2), pwrite(2).
    Positioned,
    /// lseek(2) if the file position is not already right, then read(2) or write(2). The position belongs to the open
    /// file, so each queue needs its own open files.
    Seeking,
    /// preadv(2), pwritev(2) with a single buffer.
    Vector,
    /// preadv2(2), pwritev2(2) with a single buffer and these flags (RWF_*).
    Flagged(Flags),
}

/// Flags of a [`Call::Flagged`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags {
    /// Poll for the completion (RWF_HIPRI).
    pub poll: bool,
    /// Return `EAGAIN` instead of blocking (RWF_NOWAIT).
    pub nowait: bool,
}

/// Access pattern of a mapping, passed to the kernel as advice (madvise).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Advice {
    /// No advice.
    #[default]
    None,
    /// Sequential access.
    Sequential,
    /// Random access.
    Random,
}
