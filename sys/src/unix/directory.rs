//! Files in an open directory, addressed by plain names: created, opened, renamed and removed so that no link can
//! redirect the operation; and properties of open files.

use crate::common::{FileId, Space};
use rustix::fs::{Access as Permission, AtFlags, Mode, OFlags, StatVfs, StatVfsMountFlags};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

impl FileId {
    /// Returns the identity of an open file.
    ///
    /// # Errors
    /// As `fstat(2)`.
    pub fn from_file(file: &File) -> io::Result<FileId> {
        Ok(FileId::from(&file.metadata()?))
    }
}

impl From<&std::fs::Metadata> for FileId {
    fn from(m: &std::fs::Metadata) -> Self {
        FileId { dev: m.dev(), ino: m.ino() }
    }
}

/// Checks that a name can only refer to an entry of the directory itself.
pub(crate) fn single(name: &OsStr) -> io::Result<&OsStr> {
    let bytes = name.as_bytes();
    if bytes.is_empty() || bytes == b"." || bytes == b".." || bytes.contains(&b'/') || bytes.contains(&0) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a plain file name"));
    }
    Ok(name)
}

/// Creates a file in a directory for reading and writing, mode 0600; never opens an existing file.
///
/// # Errors
/// As `openat(2)` with `O_CREAT|O_EXCL|O_NOFOLLOW`; [`io::ErrorKind::InvalidInput`] if `name` is not a plain name.
pub fn create_new(dir: &File, name: &OsStr) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NOCTTY;
    Ok(rustix::fs::openat(dir, single(name)?, flags, Mode::RUSR | Mode::WUSR)?.into())
}

/// Opens a file in a directory for reading; does not follow a link.
///
/// # Errors
/// As `openat(2)` with `O_NOFOLLOW`; [`io::ErrorKind::InvalidInput`] if `name` is not a plain name.
pub fn open_at(dir: &File, name: &OsStr) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NOCTTY;
    Ok(rustix::fs::openat(dir, single(name)?, flags, Mode::empty())?.into())
}

/// Returns the size in bytes of an entry of a directory; for a link, that of the link itself.
///
/// # Errors
/// As `fstatat(2)`; [`io::ErrorKind::InvalidInput`] if `name` is not a plain name.
pub fn stat_at(dir: &File, name: &OsStr) -> io::Result<u64> {
    let stat = rustix::fs::statat(dir, single(name)?, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(u64::try_from(stat.st_size).unwrap_or(0))
}

/// Removes an empty directory from a directory.
///
/// # Errors
/// As `unlinkat(2)` with `AT_REMOVEDIR`; [`io::ErrorKind::InvalidInput`] if `name` is not a plain name.
pub fn remove_directory_at(dir: &File, name: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::unlinkat(dir, single(name)?, AtFlags::REMOVEDIR)?)
}

/// Returns the names in a directory in the order of the file system, without `.` and `..`.
///
/// # Errors
/// As `openat(2)`, `getdents64(2)`.
pub fn names_in(dir: &File) -> io::Result<impl Iterator<Item = io::Result<OsString>>> {
    let entries = rustix::fs::Dir::read_from(dir)?;
    let names = entries.map(|entry| Ok(OsStr::from_bytes(entry?.file_name().to_bytes()).to_owned()));
    Ok(names.filter(|name: &io::Result<OsString>| name.as_ref().map_or(true, |n| n != "." && n != "..")))
}

/// Renames a file within a directory, atomically replacing an existing file.
///
/// # Errors
/// As `renameat(2)`.
pub fn rename_at(dir: &File, from: &OsStr, to: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::renameat(dir, single(from)?, dir, single(to)?)?)
}

/// Removes a name from a directory.
///
/// # Errors
/// As `unlinkat(2)`.
pub fn remove_at(dir: &File, name: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::unlinkat(dir, single(name)?, AtFlags::empty())?)
}

/// Returns `true` if this process may write to an entry of a directory, or to the directory itself if `name` is `None`.
/// This is only a prediction; opening the file may still fail.
#[must_use]
pub fn may_write(dir: &File, name: Option<&OsStr>) -> bool {
    let path = name.unwrap_or(OsStr::new("."));
    rustix::fs::accessat(dir, path, Permission::WRITE_OK, AtFlags::EACCESS).is_ok()
}

/// Returns the effective user ID of this process.
#[must_use]
pub fn effective_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Returns the room on the file system of an open file or directory.
///
/// # Errors
/// As `fstatvfs(3)`.
pub fn space(file: &File) -> io::Result<Space> {
    Ok(space_of(&rustix::fs::fstatvfs(file)?))
}

/// Returns the room on the file system of a path.
///
/// # Errors
/// As `statvfs(3)`.
pub fn space_at(path: &Path) -> io::Result<Space> {
    Ok(space_of(&rustix::fs::statvfs(path)?))
}

fn space_of(s: &StatVfs) -> Space {
    Space {
        total: s.f_blocks.saturating_mul(s.f_frsize),
        available: s.f_bavail.saturating_mul(s.f_frsize),
        files: s.f_files,
        files_available: s.f_favail,
        read_only: s.f_flag.contains(StatVfsMountFlags::RDONLY),
    }
}

/// Returns `true` if an error of [`crate::files::open_no_links`] means that the path contains a symbolic link.
#[must_use]
pub fn is_link_error(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ELOOP)
}

/// Returns a handle to the same file for another thread; both share the file position.
///
/// # Errors
/// As duplicating a descriptor.
pub fn for_another_thread(file: &File) -> io::Result<File> {
    file.try_clone()
}

/// Returns `true` if an error means that the process or the machine has reached its limit of open files.
#[must_use]
pub fn is_descriptor_limit(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE))
}
