//! Properties of paths that are not opened for reading, and the kernel's tracing file system.

use crate::common::DirectAlign;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, StatxFlags};
use rustix::io::Errno;
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::path::{Path, PathBuf};

/// Source of the alignment of direct I/O.
pub const ALIGNMENT_TOLD_BY: &str = "statx";

/// Returns the alignment of direct I/O for a path, which this process need not be able to open. For a directory,
/// queries a nameless file in it, which leaves no trace. `None` if the kernel or the file system does not report it.
#[must_use]
pub fn direct_align_at(path: &Path, is_dir: bool) -> Option<DirectAlign> {
    if !is_dir {
        return query_direct_align(CWD, path, AtFlags::empty()).ok()?;
    }
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR).ok()?;
    direct_align(&file.into()).ok()?
}

/// Returns the alignment of direct I/O by `statx(2)`; `None` if the kernel or the file system does not report it.
///
/// # Errors
/// As `statx(2)`.
pub fn direct_align(file: &File) -> io::Result<Option<DirectAlign>> {
    match query_direct_align(file, Path::new(""), AtFlags::EMPTY_PATH) {
        Err(Errno::NOSYS) => Ok(None),
        other => Ok(other?),
    }
}

fn query_direct_align(at: impl AsFd, path: &Path, flags: AtFlags) -> Result<Option<DirectAlign>, Errno> {
    let stat = rustix::fs::statx(at, path, flags, StatxFlags::DIOALIGN)?;
    let reported = stat.stx_mask & StatxFlags::DIOALIGN.bits() != 0;
    Ok(reported.then_some(DirectAlign { memory: stat.stx_dio_mem_align, offset: stat.stx_dio_offset_align }))
}

/// Returns the ID of the mount of an open file, as in /proc/self/mountinfo; `None` before Linux 5.8.
#[must_use]
pub fn mount_id(file: &File) -> Option<u64> {
    query_mount_id(file, Path::new(""), AtFlags::EMPTY_PATH)
}

/// Returns the ID of the mount of a path; Linux 5.8 and later.
#[must_use]
pub fn mount_id_at(path: &Path) -> Option<u64> {
    query_mount_id(CWD, path, AtFlags::empty())
}

fn query_mount_id(at: impl AsFd, path: &Path, flags: AtFlags) -> Option<u64> {
    let stat = rustix::fs::statx(at, path, flags, StatxFlags::MNT_ID).ok()?;
    (stat.stx_mask & StatxFlags::MNT_ID.bits() != 0).then_some(stat.stx_mnt_id)
}

/// Returns the magic number of the file system of a path (`linux/magic.h`); `None` if it cannot be queried.
#[must_use]
pub fn file_system_magic_at(path: &Path) -> Option<u64> {
    rustix::fs::statfs(path).ok().map(|s| s.f_type as u64)
}

/// Same as [`file_system_magic_at`], for an open file.
#[must_use]
pub fn file_system_magic(file: &File) -> Option<u64> {
    rustix::fs::fstatfs(file).ok().map(|s| s.f_type as u64)
}

/// Creates a detached mount of the kernel's tracing file system, which lives as long as the returned file. The returned
/// path leads to it, in this thread only.
///
/// # Errors
/// As `fsopen(2)`, `fsmount(2)`.
pub fn attach_tracefs() -> io::Result<(File, PathBuf)> {
    let context = fsopen("tracefs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_create(&context)?;
    let mount = File::from(fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::empty())?);
    // The descriptor table of the thread, not of the process.
    let root = PathBuf::from(format!("/proc/thread-self/fd/{}", mount.as_raw_fd()));
    Ok((mount, root))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_systems::space_at;

    #[test]
    fn a_directory_is_asked_without_leaving_a_trace() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let _ = direct_align_at(dir.path(), true);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        assert_eq!(
            space_at(dir.path()).unwrap().total,
            crate::file_systems::space(&File::open(dir.path()).unwrap()).unwrap().total
        );
    }
}
