//! What is told of processes and threads.

/// User and system CPU time, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CpuTime {
    /// In user mode.
    pub user_ns: u64,
    /// In the kernel.
    pub system_ns: u64,
    /// Times the thread gave up the CPU by itself.
    pub voluntary_switches: u64,
    /// Times the CPU was taken from it.
    pub involuntary_switches: u64,
    /// Largest resident size so far, in bytes (of the process, whichever was asked).
    pub max_resident: u64,
    /// Page faults that needed I/O.
    pub major_faults: u64,
    /// Page faults that did not.
    pub minor_faults: u64,
}

/// How long a thread was ready to run and had no CPU.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunQueueWait {
    /// In nanoseconds. A wait that goes on is counted when it ends.
    pub ns: u64,
    /// Times it was given a CPU.
    pub times: u64,
}

/// How memory is taken from NUMA nodes: the numbers of `set_mempolicy(2)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryMode {
    /// From the node given, if it has any left.
    Preferred = 1,
    /// From the nodes given only.
    Bind = 2,
    /// From the nodes given in turn.
    Interleave = 3,
    /// From the node the thread runs on.
    Local = 4,
}

/// How a child ended and what it used, with the children it waited for (`wait4(2)`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChildEnd {
    /// Its code, if it ended by itself.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// CPU time, switches, resident size.
    pub usage: CpuTime,
    /// Blocks of 512 bytes read from and written to block devices.
    pub blocks: (u64, u64),
}

/// What of a program is held in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// Length in bytes.
    pub bytes: usize,
    /// Whether the kernel locked all of it: without that, memory pressure may still take pages.
    pub locked: bool,
}

/// A segment, as /proc/sysvipc/shm shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedMemory {
    /// Its number; given to others once it is gone.
    pub id: i64,
    /// Processes that have it attached.
    pub attached: u64,
    /// When it was made or its owner changed, seconds since 1970. With `id` that says which one it is.
    pub changed: u64,
}

/// Counts of one thread since it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ThreadIo {
    /// Calls that read.
    pub read_calls: u64,
    /// Bytes they returned, cached ones included.
    pub read: u64,
    /// Calls that wrote.
    pub write_calls: u64,
    /// Bytes they took.
    pub written: u64,
    /// Bytes fetched from storage for this thread.
    pub device_read: u64,
    /// Bytes that this thread made dirty or wrote past the cache.
    pub device_written: u64,
}

impl ThreadIo {
    /// Adds those of another thread.
    pub fn add(&mut self, other: &ThreadIo) {
        self.read_calls += other.read_calls;
        self.read += other.read;
        self.write_calls += other.write_calls;
        self.written += other.written;
        self.device_read += other.device_read;
        self.device_written += other.device_written;
    }
}

/// What a system tells of the machine by calls, where no files of its kernel's do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SystemFacts {
    /// Name and version: `Windows 10.0.22631`.
    pub system: String,
    /// Model of its CPUs; empty where it is not told.
    pub cpu_model: String,
    /// CPUs this process may use.
    pub cpus: u32,
    /// Bytes of memory.
    pub memory: u64,
    /// Of these, free for programs.
    pub memory_available: u64,
}

/// Whether a process of this number is at work, whoever it belongs to.
#[must_use]
pub fn is_process(pid: u32) -> bool {
    crate::platform::process::started(pid).is_some()
}
