//! Queries of a path that do not open it for reading, and stubs for those that only Linux has.

use crate::common::{Access, DirectAlign, FileId, OpenHow, Space, foreign};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Flags of open files, with the values of Linux (x86-64) that its traces contain.
pub mod open_flag {
    /// Closed when the process executes another program.
    pub const CLOEXEC: u32 = 0o2_000_000;
    /// Writes append to the end.
    pub const APPEND: u32 = 0o2000;
    /// Writes are durable when they return.
    pub const DSYNC: u32 = 0o10000;
}

fn open_for_queries(path: &Path) -> io::Result<File> {
    crate::files::open_no_links(None, path, OpenHow::plain(Access::Locate))
}

/// Source of the alignment of direct I/O, for messages.
pub const ALIGNMENT_TOLD_BY: &str = "the sector of the volume";

/// Returns the absolute path without links, `.` and `..`, in the form that is stored and displayed. It starts with
/// `\\?\` only if it would otherwise have another meaning or most programs would reject it: for names that Windows
/// reinterprets, and beyond 259 characters.
///
/// # Errors
/// Errors of `GetFinalPathNameByHandleW`.
pub fn canonical(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    Ok(super::path::shown(path.as_ref().canonicalize()?))
}

/// Checks that a file of this name can be created and that Windows does not reinterpret the name.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] with the reason: a stream, a DOS device name, a name that Windows would change, or a
/// name that is too long.
pub fn check_name(name: &OsStr) -> io::Result<()> {
    super::path::plain(name).map(drop)
}

/// Returns `true` if an open file still has its name at `path`. The number of links does not show that: a deleted file
/// keeps its name until its last handle is closed, although it cannot be opened by that name.
#[must_use]
pub fn has_name(file: &File, path: &Path) -> bool {
    let named = open_for_queries(path).and_then(|there| FileId::from_file(&there));
    matches!((named, FileId::from_file(file)), (Ok(there), Ok(this)) if there == this)
}

/// Returns the alignment of direct I/O for a path, which this process need not be allowed to read. `None` if it is
/// unknown.
#[must_use]
pub fn direct_align_at(path: &Path, _is_dir: bool) -> Option<DirectAlign> {
    crate::storage::direct_align(&open_for_queries(path).ok()?).ok()?
}

/// Returns the space on the volume of a path.
///
/// # Errors
/// Errors of `NtQueryVolumeInformationFile`.
pub fn space_at(path: &Path) -> io::Result<Space> {
    crate::file_systems::space(&open_for_queries(path)?)
}

/// Returns the identifier of the mount that a path is on.
#[must_use]
pub fn mount_id_at(path: &Path) -> Option<u64> {
    crate::file_systems::mount_id(&open_for_queries(path).ok()?)
}

constant! {
    /// Units per second of CPU times and start times of processes: those of 100 ns.
    fn clock_ticks() -> u64 = 10_000_000;
    fn attach_tracefs() -> io::Result<(File, PathBuf)> =
        Err(foreign("tracing requests needs the Linux kernel", "run it on Linux"));
}

/// Would wait for pipes of the tracing file system, which only Linux has.
///
/// # Errors
/// Always.
pub fn wait_readable<'a>(_files: impl Iterator<Item = &'a File>, _time: Duration) -> io::Result<()> {
    Err(foreign("tracing requests needs the Linux kernel", "run it on Linux"))
}
