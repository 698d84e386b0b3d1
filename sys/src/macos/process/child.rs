//! What measurements do with processes and their memory: refused by name.

use crate::common::Held;
use crate::macos::unmeasured;
use std::convert::Infallible;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Has a program not be started at all: here nothing would end it with this process, which is what it is asked for.
pub fn signal_with_parent(command: &mut Command, _signal: i32) {
    // SAFETY: between fork and exec the closure only makes an error of a number.
    unsafe {
        command.pre_exec(|| Err(io::Error::from_raw_os_error(libc::ENOTSUP)));
    }
}

/// Ends this process when its parent ends: only measurements have a parent that matters.
///
/// # Errors
/// Always.
pub fn die_with_parent(_parent: u32) -> io::Result<()> {
    Err(unmeasured())
}

/// Holds what this process runs from in memory: only measurements want it.
///
/// # Errors
/// Always.
pub fn hold_program() -> io::Result<Held> {
    Err(unmeasured())
}

/// Memory taken from the machine: never is any.
#[derive(Debug)]
pub struct PinnedMemory {
    none: Infallible,
}

impl PinnedMemory {
    /// There is none here.
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
