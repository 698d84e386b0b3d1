//! What a path tells of itself without being opened for reading, and what Linux alone has of that kind.

use crate::common::{Access, DirectAlign, FileId, OpenHow, Space, foreign};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Flags of open files, as Linux tells them in its recordings (x86-64).
pub mod open_flag {
    /// It is closed when another program is begun.
    pub const CLOEXEC: u32 = 0o2_000_000;
    /// Writes go to its end.
    pub const APPEND: u32 = 0o2000;
    /// Writes are durable when they return.
    pub const DSYNC: u32 = 0o10000;
}

fn look(path: &Path) -> io::Result<File> {
    crate::open_no_links(None, path, OpenHow::plain(Access::Locate))
}

/// What tells the alignment of direct I/O.
pub const ALIGNMENT_TOLD_BY: &str = "the sector of the volume";

/// The path from its root on, without links, `.` and `..`: as it is kept and shown. It begins with `\\?\` only where it would mean
/// something else, or nothing to most programs, without: at names that Windows' own rules change, and beyond 259 characters.
///
/// # Errors
/// As `GetFinalPathNameByHandleW`.
pub fn canonical(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    Ok(super::path::shown(path.as_ref().canonicalize()?))
}

/// Whether a file of this name can be made, and means what it says.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] with the reason: a stream, a device by its old name, a name that Windows would change; too long.
pub fn check_name(name: &OsStr) -> io::Result<()> {
    super::path::plain(name).map(drop)
}

/// Whether an open file still has its name at `path`. How many it has says nothing here: one that is removed keeps its own until the
/// last who has it open closes it, and nobody can open it by that.
#[must_use]
pub fn has_name(file: &File, path: &Path) -> bool {
    let named = look(path).and_then(|there| FileId::from_file(&there));
    matches!((named, FileId::from_file(file)), (Ok(there), Ok(this)) if there == this)
}

/// Alignment of direct I/O on what stands at a path, which need not be open to us. `None` where it does not tell.
#[must_use]
pub fn direct_align_at(path: &Path, _is_dir: bool) -> Option<DirectAlign> {
    crate::direct_align(&look(path).ok()?).ok()?
}

/// Room on the volume of a path.
///
/// # Errors
/// As `NtQueryVolumeInformationFile`.
pub fn space_at(path: &Path) -> io::Result<Space> {
    crate::space(&look(path)?)
}

/// The number of the mount a path was reached through.
#[must_use]
pub fn mount_id_at(path: &Path) -> Option<u64> {
    crate::mount_id(&look(path).ok()?)
}

/// File systems have no magic numbers here.
#[must_use]
pub fn file_system_magic_at(_path: &Path) -> Option<u64> {
    None
}

/// File systems have no magic numbers here.
#[must_use]
pub fn file_system_magic(_file: &File) -> Option<u64> {
    None
}

/// Units of a second in which the system tells CPU time and starts of processes: 100 ns.
#[must_use]
pub fn clock_ticks() -> u64 {
    10_000_000
}

/// The tracing file system is Linux'.
///
/// # Errors
/// Always.
pub fn attach_tracefs() -> io::Result<(File, PathBuf)> {
    Err(foreign("the trace of requests is made by Linux' kernel", "it runs on Linux"))
}

/// Pipes of the tracing file system are Linux'.
///
/// # Errors
/// Always.
pub fn wait_readable<'a>(_files: impl Iterator<Item = &'a File>, _time: Duration) -> io::Result<()> {
    Err(foreign("the trace of requests is made by Linux' kernel", "it runs on Linux"))
}
