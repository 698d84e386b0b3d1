//! Locks that keep a second run off a target: `flock(2)` on the file itself (docs/design/safety.md, "Two runs on one target").

use rustix::fs::FlockOperation;
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::io;

/// Tries to lock an open file for as long as it (or a duplicate of it) is open; does not wait. `false` when somebody
/// else holds it. An exclusive lock keeps everybody out, a shared one only exclusive ones.
///
/// # Errors
/// As `flock(2)`; `EOPNOTSUPP` or `ENOLCK` where the file system has no locks.
pub fn try_lock(file: &File, exclusive: bool) -> io::Result<bool> {
    let how = if exclusive { FlockOperation::NonBlockingLockExclusive } else { FlockOperation::NonBlockingLockShared };
    loop {
        return match rustix::fs::flock(file, how) {
            Ok(()) => Ok(true),
            Err(Errno::WOULDBLOCK) => Ok(false),
            Err(Errno::INTR) => continue,
            Err(e) => Err(e.into()),
        };
    }
}

/// Keeps everybody else out of a directory of ours who asks for the same, as long as what is returned is open, or `dir`; `None` when
/// somebody is in it. The directory itself is locked; systems where that cannot be have a file `name` in it.
///
/// # Errors
/// As [`try_lock`].
pub fn hold_directory(dir: &File, _name: &OsStr) -> io::Result<Option<File>> {
    if try_lock(dir, true)? { dir.try_clone().map(Some) } else { Ok(None) }
}

/// Gives a lock back before the file is closed.
///
/// # Errors
/// As `flock(2)`.
pub fn unlock(file: &File) -> io::Result<()> {
    Ok(rustix::fs::flock(file, FlockOperation::Unlock)?)
}
