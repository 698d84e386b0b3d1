//! Properties of processes and threads.

/// User and system CPU time, in nanoseconds, and other resource usage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CpuTime {
    /// Time in user mode.
    pub user_ns: u64,
    /// Time in the kernel.
    pub system_ns: u64,
    /// Number of times the thread gave up the CPU voluntarily.
    pub voluntary_switches: u64,
    /// Number of times the thread was preempted.
    pub involuntary_switches: u64,
    /// Maximum resident size so far, in bytes; always that of the whole process.
    pub max_resident: u64,
    /// Page faults that needed I/O.
    pub major_faults: u64,
    /// Page faults that needed no I/O.
    pub minor_faults: u64,
}

/// Time during which a thread was ready to run but had no CPU.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunQueueWait {
    /// Total wait, in nanoseconds. A wait in progress is counted once it ends.
    pub ns: u64,
    /// Number of times the thread was given a CPU.
    pub times: u64,
}

/// Policy for taking memory from NUMA nodes: the numbers of `set_mempolicy(2)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryMode {
    /// Prefer the given node while it has free memory.
    Preferred = 1,
    /// Use only the given nodes.
    Bind = 2,
    /// Alternate between the given nodes.
    Interleave = 3,
    /// Use the node that the thread runs on.
    Local = 4,
}

/// Exit status and resource usage of a child, including the children it waited for (`wait4(2)`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChildEnd {
    /// Exit code, if the child exited by itself.
    pub code: Option<i32>,
    /// Signal that ended the child.
    pub signal: Option<i32>,
    /// CPU time, context switches, resident size.
    pub usage: CpuTime,
    /// Blocks of 512 bytes read from and written to block devices.
    pub blocks: (u64, u64),
}

/// Part of a program that is held in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// Length in bytes.
    pub bytes: usize,
    /// True if the kernel locked all of it: otherwise memory pressure may still evict pages.
    pub locked: bool,
}

/// A shared memory segment, as listed in /proc/sysvipc/shm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedMemory {
    /// Segment ID; reused after the segment is gone.
    pub id: i64,
    /// Number of processes that have it attached.
    pub attached: u64,
    /// Time of its creation or last change of owner, in seconds since 1970. Identifies the segment together with `id`.
    pub changed: u64,
}

/// I/O counters of one thread since it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ThreadIo {
    /// Number of read calls.
    pub read_calls: u64,
    /// Bytes returned by these calls, including cached data.
    pub read: u64,
    /// Number of write calls.
    pub write_calls: u64,
    /// Bytes accepted by these calls.
    pub written: u64,
    /// Bytes fetched from storage for this thread.
    pub device_read: u64,
    /// Bytes that this thread dirtied in the page cache or wrote directly.
    pub device_written: u64,
}

impl ThreadIo {
    /// Adds the counters of another thread.
    pub fn add(&mut self, other: &ThreadIo) {
        self.read_calls += other.read_calls;
        self.read += other.read;
        self.write_calls += other.write_calls;
        self.written += other.written;
        self.device_read += other.device_read;
        self.device_written += other.device_written;
    }
}

/// Facts about the machine obtained from system calls, on systems whose kernel does not expose them as files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SystemFacts {
    /// Name and version: `Windows 10.0.22631`.
    pub system: String,
    /// CPU model; empty if unknown.
    pub cpu_model: String,
    /// Number of CPUs this process may use.
    pub cpus: u32,
    /// Total memory, in bytes.
    pub memory: u64,
    /// Memory available to programs, in bytes.
    pub memory_available: u64,
}
