//! File functions that the standard library offers on one system only, under the same names on every system.

use super::lock;
use crate::common::{Guards, OpenGuarded};
use rustix::fs::{CWD, FlockOperation, OFlags, RenameFlags};
use rustix::io::{Errno, FdFlags};
use std::ffi::OsStr;
use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::UNIX_EPOCH;

pub use std::fs::{FileType, Metadata};
pub use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt};

/// Returns the metadata of the file at a path, following links.
///
/// # Errors
/// As `stat(2)`.
pub fn metadata(path: impl AsRef<Path>) -> io::Result<Metadata> {
    path.as_ref().metadata()
}

/// Returns the creation time of a file or directory in nanoseconds since 1970, which identifies it together with its
/// number; `None` if the file system does not report it.
#[must_use]
pub fn moment_made(path: &Path) -> Option<u64> {
    let made = path.symlink_metadata().ok()?.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(made.as_nanos()).ok().filter(|ns| *ns > 0)
}

/// Returns the metadata of the entry at a path; for a link, that of the link itself.
///
/// # Errors
/// As `lstat(2)`.
pub fn symlink_metadata(path: impl AsRef<Path>) -> io::Result<Metadata> {
    path.as_ref().symlink_metadata()
}

/// Returns the metadata of an open file.
///
/// # Errors
/// As `fstat(2)`.
pub fn file_metadata(file: &File) -> io::Result<Metadata> {
    file.metadata()
}

impl OpenGuarded for OpenOptions {
    fn open_guarded(&mut self, path: &Path, guards: Guards) -> io::Result<File> {
        let mut flags = OFlags::empty();
        flags.set(OFlags::NOFOLLOW, guards.no_link);
        flags.set(OFlags::NONBLOCK | OFlags::NOCTTY, guards.no_wait);
        // Open flags are a C int; the bits used here fit on every platform.
        self.custom_flags(flags.bits().cast_signed());
        if guards.private {
            self.mode(0o600);
        }
        self.open(path)
    }
}

/// Switches a pipe opened with [`Guards::NO_WAIT`] back to blocking reads and writes.
///
/// # Errors
/// As `fcntl(2)`.
pub fn wait_again(file: &File) -> io::Result<()> {
    Ok(rustix::fs::fcntl_setfl(file, OFlags::empty())?)
}

/// Returns `true` if an error of opening a pipe for writing means that it has no reader.
#[must_use]
pub fn is_no_reader(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ENXIO)
}

/// Sets the permissions of an open file: the nine bits of `chmod(2)`.
///
/// # Errors
/// As `fchmod(2)`.
pub fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(mode))
}

/// Checks whether the real user of this process may write to the file at a path.
///
/// # Errors
/// As `access(2)`.
pub fn check_writable(path: &Path) -> io::Result<()> {
    Ok(rustix::fs::access(path, rustix::fs::Access::WRITE_OK)?)
}

/// Changes the owner of a file or directory to a user and a group, given by their IDs.
///
/// # Errors
/// As `chown(2)`.
pub fn hand_over(path: &Path, user: u32, group: u32) -> io::Result<()> {
    std::os::unix::fs::chown(path, Some(user), Some(group))
}

/// True if programs on one machine can connect through sockets in the file system.
pub const FILE_SOCKETS: bool = true;

/// Returns `true` if a file is a program that at least one user may execute.
#[must_use]
pub fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|m| m.is_file() && m.mode() & 0o111 != 0)
}

/// Creates a directory that only its owner can access, including its parents if `parents` is set.
///
/// # Errors
/// As `mkdir(2)`.
pub fn create_private_directory(path: &Path, parents: bool) -> io::Result<()> {
    DirBuilder::new().recursive(parents).mode(0o700).create(path)
}

/// Opens a file in order to make data written by any process durable.
///
/// # Errors
/// As `open(2)`.
pub fn open_for_sync(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Renames a file without ever replacing an existing one.
///
/// # Errors
/// As `renameat2(2)`; [`io::ErrorKind::AlreadyExists`] if the new name exists.
pub fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Some network file systems support no flags; the names are random, so checking first is enough there.
        Err(e) if [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOTSUP].contains(&e) => {
            match to.symlink_metadata() {
                Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
                Err(_) => std::fs::rename(from, to),
            }
        }
        other => Ok(other?),
    }
}

/// Locks an open file without waiting; an `exclusive` lock excludes all others, a shared one only exclusive ones.
/// Returns `false` if another process holds the lock. If the file system has no `flock`, takes a record lock on the
/// whole file (`fcntl`), which lasts until this process closes any descriptor of the file.
///
/// # Errors
/// As `flock(2)`, `fcntl(2)`.
pub fn lock_file(file: &File, exclusive: bool) -> io::Result<bool> {
    match lock::try_lock(file, exclusive) {
        Err(e) if has_no_flock(&e) => record_lock(file, lock::operation(exclusive)),
        other => other,
    }
}

/// Releases a lock of [`lock_file`] before the file is closed.
///
/// # Errors
/// As `flock(2)`, `fcntl(2)`.
pub fn unlock_file(file: &File) -> io::Result<()> {
    match lock::unlock(file) {
        Err(e) if has_no_flock(&e) => record_lock(file, FlockOperation::Unlock).map(drop),
        other => other,
    }
}

fn has_no_flock(error: &io::Error) -> bool {
    // macOS has two errno values for unsupported operations, Linux one.
    let numbers = [libc::ENOLCK, libc::EOPNOTSUPP, libc::ENOTSUP, libc::ENOSYS, libc::EINVAL];
    error.raw_os_error().is_some_and(|number| numbers.contains(&number))
}

fn record_lock(file: &File, operation: FlockOperation) -> io::Result<bool> {
    let mut operation = operation;
    loop {
        match rustix::fs::fcntl_lock(file, operation) {
            Ok(()) => return Ok(true),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN | Errno::ACCESS) => return Ok(false),
            // A file open for reading only accepts just the shared kind, which also fails if a writer holds the lock.
            Err(Errno::BADF) if matches!(operation, FlockOperation::NonBlockingLockExclusive) => {
                operation = FlockOperation::NonBlockingLockShared;
            }
            Err(e) => return Err(e.into()),
        }
    }
}

/// Lets programs started from now on inherit this open file and returns the number by which they can adopt it
/// ([`crate::streams::inherited`]).
///
/// # Errors
/// As `fcntl(2)`.
pub fn inherit(file: &impl Inheritable) -> io::Result<u64> {
    file.inherit()
}

/// An open file or stream that a program can inherit.
pub trait Inheritable {
    /// See [`inherit`].
    ///
    /// # Errors
    /// As `fcntl(2)`.
    fn inherit(&self) -> io::Result<u64>;
}

impl<F: std::os::fd::AsFd + AsRawFd> Inheritable for F {
    fn inherit(&self) -> io::Result<u64> {
        rustix::io::fcntl_setfd(self, FdFlags::empty())?;
        Ok(self.as_raw_fd().unsigned_abs().into())
    }
}

/// Returns a file name made of plain ASCII bytes. Used for names generated for every operation.
#[must_use]
pub fn ascii_name(bytes: &[u8]) -> &OsStr {
    debug_assert!(bytes.is_ascii());
    OsStr::from_bytes(bytes)
}

/// Path of the null device.
pub const NULL_DEVICE: &str = "/dev/null";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::streams::create_pipe;

    #[test]
    fn a_record_lock_is_taken_where_the_file_is_open_for_reading_only() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let written = OpenOptions::new().write(true).create_new(true).open(&path).unwrap();
        let read = File::open(&path).unwrap();
        // Locks of one process do not exclude each other; the test only checks that every kind is accepted.
        for file in [&written, &read] {
            assert!(record_lock(file, FlockOperation::NonBlockingLockExclusive).unwrap());
            if file.as_raw_fd() == read.as_raw_fd() {
                assert!(record_lock(file, FlockOperation::NonBlockingLockShared).unwrap());
            }
            assert!(record_lock(file, FlockOperation::Unlock).unwrap());
        }
    }

    #[test]
    fn guards_follow_no_link_wait_for_no_pipe_and_make_private_files() {
        let dir = tempfile::tempdir().unwrap();
        let [file, link, pipe] = ["file", "link", "pipe"].map(|name| dir.path().join(name));
        let made =
            OpenOptions::new().write(true).create_new(true).open_guarded(&file, Guards::NO_LINK.private()).unwrap();
        assert_eq!(made.metadata().unwrap().mode() & 0o777, 0o600);
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let mut read = OpenOptions::new();
        read.read(true);
        assert!(crate::files::is_link_error(&read.open_guarded(&link, Guards::NO_LINK).unwrap_err()));
        read.open_guarded(&link, Guards::NO_WAIT).unwrap();
        create_pipe(&pipe).unwrap();
        let error = OpenOptions::new().write(true).open_guarded(&pipe, Guards::NEITHER).unwrap_err();
        assert!(is_no_reader(&error), "{error}");
        wait_again(&read.open_guarded(&pipe, Guards::NEITHER).unwrap()).unwrap();
    }

    #[test]
    fn a_name_that_is_taken_is_not_renamed_onto() {
        let dir = tempfile::tempdir().unwrap();
        let [a, b] = ["a", "b"].map(|name| dir.path().join(name));
        std::fs::write(&a, "a").unwrap();
        std::fs::write(&b, "b").unwrap();
        assert_eq!(rename_new(&a, &b).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        std::fs::remove_file(&b).unwrap();
        rename_new(&a, &b).unwrap();
        assert_eq!(std::fs::read(&b).unwrap(), b"a");
    }
}
