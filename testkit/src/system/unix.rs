//! Implementation for Unix.

use rustix::process::{Pid, Signal, kill_process_group};
use std::path::Path;

/// Creates a symbolic link.
///
/// # Errors
/// Returns an error if `symlink(2)` fails.
pub fn symlink(to: impl AsRef<Path>, link: impl AsRef<Path>) -> std::io::Result<()> {
    std::os::unix::fs::symlink(to, link)
}

/// Returns `true` if the tests run as root.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Stops or resumes a process group. The group may have ended already.
pub(crate) fn hold_group(group: i32, held: bool) {
    if let Some(group) = Pid::from_raw(group) {
        let _ = kill_process_group(group, if held { Signal::STOP } else { Signal::CONT });
    }
}

/// Returns the ID of another process, which runs longer than the tests.
#[must_use]
pub fn other_process() -> u32 {
    std::os::unix::process::parent_id()
}
