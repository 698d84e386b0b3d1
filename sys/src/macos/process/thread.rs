//! Threads and child processes: CPU time, and functions that only measurements need.

use crate::common::{CpuTime, Held, MemoryMode};
use crate::macos::unmeasured;
use crate::unix::clock::read_clock;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

constant! {
    fn renice_thread(i32) -> io::Result<()> = Err(unmeasured());
    fn set_io_priority(u8, u8) -> io::Result<()> = Err(unmeasured());
    fn bind_thread(&[usize]) -> io::Result<()> = Err(unmeasured());
    fn take_memory_from(MemoryMode, &[u32]) -> io::Result<()> = Err(unmeasured());
    fn die_with_parent(u32) -> io::Result<()> = Err(unmeasured());
    fn hold_program() -> io::Result<Held> = Err(unmeasured());
}

never! {
    PinnedMemory::new(usize) -> Self = unmeasured(); [] []
}

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

/// Returns the CPUs this thread may run on: all of them, because macOS does not bind threads.
#[must_use]
pub fn allowed_cpus() -> Vec<usize> {
    (0..std::thread::available_parallelism().map_or(1, std::num::NonZero::get)).collect()
}

/// Makes the start of a program fail: macOS cannot end it together with this process.
pub fn signal_with_parent(command: &mut Command, _signal: i32) {
    // SAFETY: between fork and exec, the closure only creates an error from a number.
    unsafe {
        command.pre_exec(|| Err(io::Error::from_raw_os_error(libc::ENOTSUP)));
    }
}
