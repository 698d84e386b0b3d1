//! What a path tells of itself without being opened for reading, and the kernel's tracing file system.

use crate::common::{DirectAlign, Space};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, StatxFlags};
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Flags of open files, as the kernel's own files tell them.
pub mod open_flag {
    /// It is closed when another program is begun.
    pub const CLOEXEC: u32 = libc::O_CLOEXEC.cast_unsigned();
    /// Writes go to its end.
    pub const APPEND: u32 = libc::O_APPEND.cast_unsigned();
    /// Writes are durable when they return.
    pub const DSYNC: u32 = libc::O_DSYNC.cast_unsigned();
}

/// What tells the alignment of direct I/O.
pub const ALIGNMENT_TOLD_BY: &str = "statx";

/// The path from the root on, without links, `.` and `..`: as it is kept and shown.
///
/// # Errors
/// As `realpath(3)`.
pub fn canonical(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    path.as_ref().canonicalize()
}

/// Whether a file of this name can be made, and means what it says: here every name does.
///
/// # Errors
/// None.
pub fn check_name(_name: &OsStr) -> io::Result<()> {
    Ok(())
}

/// Whether an open file still has a name: its own at `path`, or on Linux any other.
#[must_use]
pub fn has_name(file: &File, _path: &Path) -> bool {
    // What does not tell is there: it is open.
    rustix::fs::fstat(file).map_or(true, |told| told.st_nlink > 0)
}

/// Alignment of direct I/O on what stands at a path, which need not be open to us; of a directory, on a nameless file in it, which leaves
/// no trace. `None` where kernel or file system does not tell.
#[must_use]
pub fn direct_align_at(path: &Path, is_dir: bool) -> Option<DirectAlign> {
    if !is_dir {
        return told(CWD, path, AtFlags::empty());
    }
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR).ok()?;
    told(file.as_fd(), Path::new(""), AtFlags::EMPTY_PATH)
}

fn told(at: impl AsFd, path: &Path, flags: AtFlags) -> Option<DirectAlign> {
    let stat = rustix::fs::statx(at, path, flags, StatxFlags::DIOALIGN).ok()?;
    let told = stat.stx_mask & StatxFlags::DIOALIGN.bits() != 0;
    told.then_some(DirectAlign { memory: stat.stx_dio_mem_align, offset: stat.stx_dio_offset_align })
}

/// Room on the file system of a path.
///
/// # Errors
/// As `statvfs(3)`.
pub fn space_at(path: &Path) -> io::Result<Space> {
    let s = rustix::fs::statvfs(path)?;
    Ok(Space {
        total: s.f_blocks.saturating_mul(s.f_frsize),
        available: s.f_bavail.saturating_mul(s.f_frsize),
        files: s.f_files,
        files_available: s.f_favail,
        read_only: s.f_flag.contains(rustix::fs::StatVfsMountFlags::RDONLY),
    })
}

/// The number of the mount a path was reached through; Linux 5.8 and later.
#[must_use]
pub fn mount_id_at(path: &Path) -> Option<u64> {
    let stat = rustix::fs::statx(CWD, path, AtFlags::empty(), StatxFlags::MNT_ID).ok()?;
    (stat.stx_mask & StatxFlags::MNT_ID.bits() != 0).then_some(stat.stx_mnt_id)
}

/// The magic number of the file system of a path (`linux/magic.h`); `None` where it cannot be asked.
#[must_use]
pub fn file_system_magic_at(path: &Path) -> Option<u64> {
    rustix::fs::statfs(path).ok().map(|s| s.f_type as u64)
}

/// As [`file_system_magic_at`], of an open file.
#[must_use]
pub fn file_system_magic(file: &File) -> Option<u64> {
    rustix::fs::fstatfs(file).ok().map(|s| s.f_type as u64)
}

/// Clock ticks of a second, in which the kernel tells CPU time and starts of processes.
#[must_use]
pub fn clock_ticks() -> u64 {
    rustix::param::clock_ticks_per_second().max(1)
}

/// The kernel's tracing file system, attached nowhere: gone with this file. Where it is looked into, in this thread.
///
/// # Errors
/// As `fsopen(2)`, `fsmount(2)`.
pub fn attach_tracefs() -> io::Result<(File, PathBuf)> {
    let context = fsopen("tracefs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_create(&context)?;
    let own = File::from(fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::empty())?);
    // The thread's own table of descriptors, not the process's.
    let root = PathBuf::from(format!("/proc/thread-self/fd/{}", own.as_raw_fd()));
    Ok((own, root))
}

/// Waits until one of the files has something to read, for so long at the most.
///
/// # Errors
/// As `poll(2)`.
pub fn wait_readable<'a>(files: impl Iterator<Item = &'a File>, time: Duration) -> io::Result<()> {
    let mut files: Vec<PollFd<'_>> = files.map(|file| PollFd::new(file, PollFlags::IN)).collect();
    let time = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() };
    poll(&mut files, Some(&time))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_asked_without_leaving_a_trace() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let _ = direct_align_at(dir.path(), true);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        assert_eq!(space_at(dir.path()).unwrap().total, crate::space(&File::open(dir.path()).unwrap()).unwrap().total);
    }
}
