//! Ways in which blocking queues move data, and advice on mappings.

/// How a blocking queue moves data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// pread(2), pwrite(2).
    Positioned,
    /// lseek(2) where the file does not stand there already, then read(2) or write(2): the file position is the
    /// descriptor's own, so each queue needs its own open files.
    Seeking,
    /// preadv(2), pwritev(2), of one piece.
    Vector,
    /// preadv2(2), pwritev2(2), of one piece, with these flags (RWF_*).
    Flagged(Flags),
}

/// Flags of a [`Call::Flagged`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags {
    /// Poll for the completion (RWF_HIPRI).
    pub poll: bool,
    /// Answer `EAGAIN` rather than wait (RWF_NOWAIT).
    pub nowait: bool,
}

/// In what order a mapping is read: advice to the kernel (madvise).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Advice {
    /// No advice.
    #[default]
    None,
    /// One after the other.
    Sequential,
    /// At random.
    Random,
}
