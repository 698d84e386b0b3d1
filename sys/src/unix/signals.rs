//! Signals: which there are, how they are caught, and how a process ended by one.

use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub use signal_hook::iterator::Signals;

/// Signals by the numbers that Linux has for them.
pub mod signal {
    /// The terminal is gone.
    pub const HUP: i32 = libc::SIGHUP;
    /// Ctrl-C.
    pub const INT: i32 = libc::SIGINT;
    /// A wish to end.
    pub const TERM: i32 = libc::SIGTERM;
    /// An end at once.
    pub const KILL: i32 = libc::SIGKILL;
    /// To go on after a stop.
    pub const CONT: i32 = libc::SIGCONT;
    /// A wish of one's own.
    pub const USR1: i32 = libc::SIGUSR1;
    /// Nobody reads from a pipe.
    pub const PIPE: i32 = libc::SIGPIPE;
    /// A process gave itself up.
    pub const ABRT: i32 = libc::SIGABRT;
    /// Memory of a file that is not there.
    pub const BUS: i32 = libc::SIGBUS;
    /// A write went beyond the largest file that the process may make (`ulimit -f`).
    pub const XFSZ: i32 = libc::SIGXFSZ;
}

/// Has a signal set a flag, and do nothing else.
///
/// # Errors
/// As `sigaction(2)`.
pub fn set_on_signal(signal: i32, flag: Arc<AtomicBool>) -> std::io::Result<()> {
    signal_hook::flag::register(signal, flag).map(drop)
}

/// The signal that ended a process, if one did.
#[must_use]
pub fn exit_signal(status: &ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(status)
}
