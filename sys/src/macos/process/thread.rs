//! Threads: CPU time, and stubs for functions that only measurements need.

use crate::common::{CpuTime, MemoryMode, RunQueueWait};
use crate::macos::unmeasured;
use crate::unix::clock::read_clock;
use std::io;

/// Returns the CPU time of the calling thread. Time in the kernel is not distinguished and is included in the user
/// time.
#[must_use]
pub fn thread_cpu_time() -> CpuTime {
    CpuTime { user_ns: thread_cpu_ns(), ..CpuTime::default() }
}

/// Returns the CPU time of the calling thread in nanoseconds.
#[must_use]
pub fn thread_cpu_ns() -> u64 {
    read_clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// Returns the kernel's number of the calling thread, which is valid in this process.
#[must_use]
pub fn thread_number() -> u32 {
    // SAFETY: both calls take and return numbers and cannot fail for the calling thread.
    unsafe { libc::pthread_mach_thread_np(libc::pthread_self()) }
}

/// Returns `None`: macOS does not report the run-queue wait.
#[must_use]
pub fn run_queue_wait(_thread: u32) -> Option<RunQueueWait> {
    None
}

/// Returns `None`: macOS does not report the CPU of a thread.
#[must_use]
pub fn last_cpu(_thread: u32) -> Option<u32> {
    None
}

/// Returns `None`: macOS does not report the time a thread was runnable.
#[must_use]
pub fn runnable_ns(_thread: u32) -> Option<u64> {
    None
}

/// Returns the CPUs this thread may run on: all of them, because macOS does not bind threads.
#[must_use]
pub fn allowed_cpus() -> Vec<usize> {
    (0..std::thread::available_parallelism().map_or(1, std::num::NonZero::get)).collect()
}

/// Returns an error: only measurements change the niceness of a thread.
///
/// # Errors
/// Always.
pub fn renice_thread(_by: i32) -> io::Result<()> {
    Err(unmeasured())
}

/// Returns an error: only measurements change the I/O priority of a thread.
///
/// # Errors
/// Always.
pub fn set_io_priority(_class: u8, _level: u8) -> io::Result<()> {
    Err(unmeasured())
}

/// Returns an error: only measurements bind threads, and macOS does not support it.
///
/// # Errors
/// Always.
pub fn bind_thread(_cpus: &[usize]) -> io::Result<()> {
    Err(unmeasured())
}

/// Returns an error: only measurements bind memory to NUMA nodes.
///
/// # Errors
/// Always.
pub fn take_memory_from(_mode: MemoryMode, _nodes: &[u32]) -> io::Result<()> {
    Err(unmeasured())
}
