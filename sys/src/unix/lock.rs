//! Locks that keep a second run off a target: `flock(2)` on the file itself (docs/design/safety.md, "Two runs on one
//! target").

use rustix::fs::FlockOperation;
use rustix::io::{Errno, retry_on_intr};
use std::ffi::OsStr;
use std::fs::File;
use std::io;

/// Tries to lock an open file until it and all its duplicates are closed; does not wait. Returns `false` if another
/// process holds the lock. An exclusive lock excludes all others, a shared one only exclusive ones.
///
/// # Errors
/// As `flock(2)`; `EOPNOTSUPP` or `ENOLCK` if the file system has no locks.
pub fn try_lock(file: &File, exclusive: bool) -> io::Result<bool> {
    match retry_on_intr(|| rustix::fs::flock(file, operation(exclusive))) {
        Err(Errno::WOULDBLOCK) => Ok(false),
        other => Ok(other.map(|()| true)?),
    }
}

/// Returns the operation that locks without waiting.
pub(super) fn operation(exclusive: bool) -> FlockOperation {
    if exclusive { FlockOperation::NonBlockingLockExclusive } else { FlockOperation::NonBlockingLockShared }
}

/// Locks a directory of secchi against other processes that call this function, until the returned file and `dir` are
/// both closed. Returns `None` if another process holds it. Locks the directory itself; systems that cannot do so lock
/// a file `name` in it.
///
/// # Errors
/// As [`try_lock`].
pub fn hold_directory(dir: &File, _name: &OsStr) -> io::Result<Option<File>> {
    if try_lock(dir, true)? { dir.try_clone().map(Some) } else { Ok(None) }
}

/// Releases a lock before the file is closed.
///
/// # Errors
/// As `flock(2)`.
pub fn unlock(file: &File) -> io::Result<()> {
    Ok(rustix::fs::flock(file, FlockOperation::Unlock)?)
}
