//! Files of a directory that is open, by plain names: made, opened, renamed and removed where no link can lead elsewhere; what is told of
//! an open file.

use crate::common::{FileId, Space};
use rustix::fs::{Access as Permission, AtFlags, Mode, OFlags, StatVfs, StatVfsMountFlags};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

impl FileId {
    /// Of an open file.
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

/// A name that can only mean an entry of the directory itself.
pub(crate) fn single(name: &OsStr) -> io::Result<&OsStr> {
    let bytes = name.as_bytes();
    if bytes.is_empty() || bytes == b"." || bytes == b".." || bytes.contains(&b'/') || bytes.contains(&0) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a plain file name"));
    }
    Ok(name)
}

/// The flag of `open(2)` that follows no link at the last component, for the standard library's own way to open.
pub const O_NOFOLLOW: i32 = libc::O_NOFOLLOW;

/// Creates a file in a directory for reading and writing, mode 0600; never opens what is there already.
///
/// # Errors
/// As `openat(2)` with `O_CREAT|O_EXCL|O_NOFOLLOW`; [`io::ErrorKind::InvalidInput`] if `name` is not a plain name.
pub fn create_new(dir: &File, name: &OsStr) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NOCTTY;
    Ok(rustix::fs::openat(dir, single(name)?, flags, Mode::RUSR | Mode::WUSR)?.into())
}

/// Opens a file of a directory for reading; a link under that name is not followed.
///
/// # Errors
/// As `openat(2)` with `O_NOFOLLOW`; [`io::ErrorKind::InvalidInput`] if `name` is not a plain name.
pub fn open_at(dir: &File, name: &OsStr) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NOCTTY;
    Ok(rustix::fs::openat(dir, single(name)?, flags, Mode::empty())?.into())
}

/// Looks at a name of a directory, of a link at the link: the size in bytes of what stands there.
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

/// The names in a directory, in the order the file system has them; `.` and `..` are left out.
///
/// # Errors
/// As `openat(2)`, `getdents64(2)`.
pub fn names_in(dir: &File) -> io::Result<impl Iterator<Item = io::Result<OsString>>> {
    let entries = rustix::fs::Dir::read_from(dir)?;
    let names = entries.map(|entry| Ok(OsStr::from_bytes(entry?.file_name().to_bytes()).to_owned()));
    Ok(names.filter(|name: &io::Result<OsString>| {
        name.as_ref().is_err() || name.as_ref().is_ok_and(|n| n != "." && n != "..")
    }))
}

/// Replaces a file of the directory by another one of it, atomically.
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

/// Whether this process may write to a name in a directory; the directory itself if `name` is `None`. A prediction:
/// only opening tells.
#[must_use]
pub fn may_write(dir: &File, name: Option<&OsStr>) -> bool {
    let path = name.unwrap_or(OsStr::new("."));
    rustix::fs::accessat(dir, path, Permission::WRITE_OK, AtFlags::EACCESS).is_ok()
}

/// The user this process acts as.
#[must_use]
pub fn effective_user() -> u32 {
    // SAFETY: the call takes nothing and cannot fail.
    unsafe { libc::geteuid() }
}

/// Room on the file system of an open file or directory.
///
/// # Errors
/// As `fstatvfs(3)`.
pub fn space(file: &File) -> io::Result<Space> {
    Ok(space_of(&rustix::fs::fstatvfs(file)?))
}

/// Room on the file system of a path.
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

/// Whether an error of [`crate::open_no_links`] means that a symbolic link stood in the path.
#[must_use]
pub fn is_link_error(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ELOOP)
}

/// The file for one more thread; both share the file position.
///
/// # Errors
/// As duplicating a descriptor.
pub fn for_another_thread(file: &File) -> io::Result<File> {
    file.try_clone()
}

/// Whether an error means that the process, or the machine, has as many open files as it may.
#[must_use]
pub fn is_descriptor_limit(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE))
}
