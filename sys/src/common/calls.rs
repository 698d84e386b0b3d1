//! Options of queues and engines.

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

/// Options of a ring. The default is the fastest for one device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UringOptions {
    /// Register files.
    pub register_files: bool,
    /// Register buffers.
    pub register_buffers: bool,
    /// Let a kernel thread take submissions (SQPOLL), on this CPU if one is given.
    pub poll_submissions: Option<Option<u32>>,
    /// Poll for completions instead of waiting for interrupts (IOPOLL); requires polled device queues and O_DIRECT.
    pub poll_completions: bool,
    /// Pass every n-th operation to a kernel thread at once; 0 = none.
    pub force_async: u32,
    /// Make reads and writes that would block fail with `EAGAIN` (RWF_NOWAIT).
    pub nowait: bool,
}

impl Default for UringOptions {
    fn default() -> Self {
        UringOptions {
            register_files: true,
            register_buffers: true,
            poll_submissions: None,
            poll_completions: false,
            force_async: 0,
            nowait: false,
        }
    }
}

/// Operations that must reach the medium before they complete (forced unit access).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ForcedUnitAccess {
    /// Reads come from the medium.
    pub reads: bool,
    /// Writes are on the medium when they complete.
    pub writes: bool,
}

/// Options for opening files of an export.
#[derive(Debug, Clone, Copy, Default)]
pub struct NfsOpen {
    /// Open for writing, and create missing files.
    pub write: bool,
    /// Complete writes only once they are durable.
    pub sync: bool,
}

/// Identity of an image, and options for opening it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RbdImage {
    /// Name of the cluster; `None` = from the environment.
    pub cluster: Option<String>,
    /// Pool of the image.
    pub pool: String,
    /// The name of the image.
    pub name: String,
    /// Client name: with or without `client.` before it if a cluster is named, without it otherwise.
    pub client: Option<String>,
    /// True if opened for writing.
    pub write: bool,
    /// True to bypass the cache of librbd in the memory of this process.
    pub direct: bool,
}

/// Maximum length of a string of an M engine, in bytes.
pub const M_STRING: usize = 1 << 20;

/// Return type of an entry. All entries take three integers and a string: `entry(a,b,c,text)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MReturns {
    /// An integer.
    Number,
    /// A string of at most [`M_STRING`] bytes.
    Text,
}
