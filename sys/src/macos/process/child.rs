//! Process and memory functions that only measurements need: all of them fail, since secchi does not measure on macOS.

use crate::common::Held;
use crate::macos::unmeasured;
use std::convert::Infallible;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Makes the start of a program fail: macOS cannot end it together with this process.
pub fn signal_with_parent(command: &mut Command, _signal: i32) {
    // SAFETY: between fork and exec, the closure only creates an error from a number.
    unsafe {
        command.pre_exec(|| Err(io::Error::from_raw_os_error(libc::ENOTSUP)));
    }
}

/// Returns an error: only measurements end with their parent process.
///
/// # Errors
/// Always.
pub fn die_with_parent(_parent: u32) -> io::Result<()> {
    Err(unmeasured())
}

/// Returns an error: only measurements lock their program in memory.
///
/// # Errors
/// Always.
pub fn hold_program() -> io::Result<Held> {
    Err(unmeasured())
}

/// Memory pinned to take it away from the system: cannot be created on macOS.
#[derive(Debug)]
pub struct PinnedMemory {
    none: Infallible,
}

impl PinnedMemory {
    /// Returns an error: secchi does not measure on macOS.
    ///
    /// # Errors
    /// Always.
    pub fn new(_bytes: usize) -> io::Result<Self> {
        Err(unmeasured())
    }
}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        match self.none {}
    }
}
