//! What this crate asks of the operating system beyond the standard library: exclusive creation, locks, space ahead.

use rustix::fs::{CWD, FallocateFlags, FlockOperation, OFlags, RenameFlags};
use rustix::io::Errno;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

fn flags(flags: OFlags) -> i32 {
    // Open flags are a C int; the bits used here fit on every platform.
    flags.bits().cast_signed()
}

/// Creates a file that must not exist, readable by its owner alone; never follows a symlink.
pub(crate) fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .mode(0o600)
        .custom_flags(flags(OFlags::NOFOLLOW))
        .open(path)
}

/// Opens a file for writing, creating it empty for its owner alone if it is missing; never follows a symlink.
pub(crate) fn open_or_create(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(flags(OFlags::NOFOLLOW | OFlags::NONBLOCK))
        .open(path)
}

/// All of a regular file of at most so many bytes. Links are followed, for it is somebody's own; nothing is waited for.
#[cfg(feature = "postgres")]
pub(crate) fn read_bounded(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    use std::io::Read;
    let other = || io::Error::other(format!("it is no regular file of at most {most} bytes"));
    // Opening a device may do something.
    if !path.metadata()?.is_file() {
        return Err(other());
    }
    let file = OpenOptions::new().read(true).custom_flags(flags(OFlags::NONBLOCK | OFlags::NOCTTY)).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(other());
    }
    let mut bytes = Vec::new();
    // Sizes that files tell are not to be relied on: those below `/proc` tell 0.
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(other()) } else { Ok(bytes) }
}

/// Opens a regular file that exists. Follows no symlink, and a FIFO in its place cannot make it wait.
pub(crate) fn open_existing(path: &Path, write: bool) -> io::Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .write(write)
        .custom_flags(flags(OFlags::NOFOLLOW | OFlags::NONBLOCK))
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok(file)
}

/// Reserves space for `from..from + bytes` without changing the length. `false`: this file system cannot.
pub(crate) fn reserve(file: &File, from: u64, bytes: u64) -> io::Result<bool> {
    loop {
        match rustix::fs::fallocate(file, FallocateFlags::KEEP_SIZE, from, bytes) {
            Ok(()) => return Ok(true),
            Err(Errno::INTR) => {}
            Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => return Ok(false),
            Err(e) => return Err(e.into()),
        }
    }
}

/// Takes the exclusive lock of an open file without waiting. `false`: somebody else holds it. Where the file system has
/// no `flock` it is a record lock over the whole file (`fcntl`), which lasts until this process closes the file anywhere.
pub(crate) fn lock_exclusive(file: &File) -> io::Result<bool> {
    try_lock(file, FlockOperation::NonBlockingLockExclusive)
}

/// Takes the shared lock of an open file without waiting. `false`: somebody holds it exclusively.
pub(crate) fn lock_shared(file: &File) -> io::Result<bool> {
    try_lock(file, FlockOperation::NonBlockingLockShared)
}

/// Gives a lock back before the file is closed.
pub(crate) fn unlock(file: &File) -> io::Result<()> {
    try_lock(file, FlockOperation::Unlock).map(drop)
}

fn try_lock(file: &File, operation: FlockOperation) -> io::Result<bool> {
    loop {
        match rustix::fs::flock(file, operation) {
            Ok(()) => return Ok(true),
            Err(Errno::INTR) => {}
            Err(Errno::WOULDBLOCK) => return Ok(false),
            Err(Errno::NOLCK | Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => {
                return try_record_lock(file, operation);
            }
            Err(e) => return Err(e.into()),
        }
    }
}

fn try_record_lock(file: &File, operation: FlockOperation) -> io::Result<bool> {
    let mut operation = operation;
    loop {
        match rustix::fs::fcntl_lock(file, operation) {
            Ok(()) => return Ok(true),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN | Errno::ACCESS) => return Ok(false),
            // A file open for reading only takes the shared kind, which tells as well whether a writer holds it.
            Err(Errno::BADF) if matches!(operation, FlockOperation::NonBlockingLockExclusive) => {
                operation = FlockOperation::NonBlockingLockShared;
            }
            Err(e) => return Err(e.into()),
        }
    }
}

/// Renames without ever replacing an existing file.
pub(crate) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Some network file systems know no flags; the names are random, so looking first is enough there.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => match to.symlink_metadata() {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => std::fs::rename(from, to),
        },
        other => Ok(other?),
    }
}

/// Makes creations, renames and removals in a directory durable.
pub(crate) fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_lock_is_taken_where_the_file_is_open_for_reading_only() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let written = open_or_create(&path).unwrap();
        let read = open_existing(&path, false).unwrap();
        // Locks of one process do not exclude each other; what is asked here is that every kind is understood.
        for file in [&written, &read] {
            assert!(try_record_lock(file, FlockOperation::NonBlockingLockExclusive).unwrap());
            assert!(try_record_lock(file, FlockOperation::NonBlockingLockShared).unwrap());
            assert!(try_record_lock(file, FlockOperation::Unlock).unwrap());
        }
    }
}
