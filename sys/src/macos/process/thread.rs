//! Threads: CPU time. What only measurements ask of them is refused by name.

use crate::common::{CpuTime, MemoryMode, RunQueueWait};
use crate::macos::unmeasured;
use crate::unix::clock::read_clock;
use std::io;

/// CPU time of the calling thread; the kernel's share of it is not told apart, and counts as the user's.
#[must_use]
pub fn thread_cpu_time() -> CpuTime {
    CpuTime { user_ns: thread_cpu_ns(), ..CpuTime::default() }
}

/// CPU time of the calling thread to the nanosecond.
#[must_use]
pub fn thread_cpu_ns() -> u64 {
    read_clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// The kernel's number of the calling thread, in this process.
#[must_use]
pub fn thread_number() -> u32 {
    // SAFETY: both calls take and return numbers and cannot fail for the calling thread.
    unsafe { libc::pthread_mach_thread_np(libc::pthread_self()) }
}

/// Run-queue wait: the system does not tell.
#[must_use]
pub fn run_queue_wait(_thread: u32) -> Option<RunQueueWait> {
    None
}

/// Returns `None`: the system does not report the CPU of a thread.
#[must_use]
pub fn last_cpu(_thread: u32) -> Option<u32> {
    None
}

/// Time that a thread had work for a CPU: the system does not tell.
#[must_use]
pub fn runnable_ns(_thread: u32) -> Option<u64> {
    None
}

/// CPUs this thread may run on: all of them, since the system binds none.
#[must_use]
pub fn allowed_cpus() -> Vec<usize> {
    (0..std::thread::available_parallelism().map_or(1, std::num::NonZero::get)).collect()
}

/// The niceness of a thread: only measurements change it.
///
/// # Errors
/// Always.
pub fn renice_thread(_by: i32) -> io::Result<()> {
    Err(unmeasured())
}

/// The I/O priority of a thread: only measurements change it.
///
/// # Errors
/// Always.
pub fn set_io_priority(_class: u8, _level: u8) -> io::Result<()> {
    Err(unmeasured())
}

/// Binds a thread to CPUs: only measurements want it, and the system binds none.
///
/// # Errors
/// Always.
pub fn bind_thread(_cpus: &[usize]) -> io::Result<()> {
    Err(unmeasured())
}

/// Ties memory to nodes: only measurements want it.
///
/// # Errors
/// Always.
pub fn take_memory_from(_mode: MemoryMode, _nodes: &[u32]) -> io::Result<()> {
    Err(unmeasured())
}
