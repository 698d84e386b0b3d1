//! Signals: their numbers, how to catch them, and the signal that ended a process.

use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub use signal_hook::iterator::Signals;

/// Signal numbers, under the same names on every system.
pub mod signal {
    /// The terminal was closed.
    pub const HUP: i32 = libc::SIGHUP;
    /// Ctrl-C.
    pub const INT: i32 = libc::SIGINT;
    /// Request to end.
    pub const TERM: i32 = libc::SIGTERM;
    /// Immediate end.
    pub const KILL: i32 = libc::SIGKILL;
    /// Continue after a stop.
    pub const CONT: i32 = libc::SIGCONT;
    /// User-defined request.
    pub const USR1: i32 = libc::SIGUSR1;
    /// Write to a pipe without a reader.
    pub const PIPE: i32 = libc::SIGPIPE;
    /// The process aborted itself.
    pub const ABRT: i32 = libc::SIGABRT;
    /// Access to a mapped file beyond its end or after an I/O error.
    pub const BUS: i32 = libc::SIGBUS;
    /// Write beyond the maximum file size of the process (`ulimit -f`).
    pub const XFSZ: i32 = libc::SIGXFSZ;
}

/// Makes a signal set a flag and do nothing else.
///
/// # Errors
/// As `sigaction(2)`.
pub fn set_on_signal(signal: i32, flag: Arc<AtomicBool>) -> std::io::Result<()> {
    signal_hook::flag::register(signal, flag).map(drop)
}

/// Returns the signal that ended a process, if any.
#[must_use]
pub fn exit_signal(status: &ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(status)
}
