//! Operations on the descriptor of an open file: open flags, reopening, allocating and deallocating ranges.

use crate::linux::errno::last_errno;
use rustix::fs::{FallocateFlags, OFlags};
use rustix::io::{Errno, retry_on_intr};
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;

/// Opens the same file again, with the same flags but a separate file position.
///
/// # Errors
/// If /proc is not mounted or the file may not be opened again.
pub fn reopen(file: &std::fs::File) -> io::Result<std::fs::File> {
    use std::os::unix::fs::OpenOptionsExt;
    let fd = file.as_raw_fd();
    let flags = rustix::fs::fcntl_getfl(file)?.bits().cast_signed();
    let mode = flags & libc::O_ACCMODE;
    std::fs::OpenOptions::new()
        .read(mode != libc::O_WRONLY)
        .write(mode != libc::O_RDONLY)
        // The path below is a link, and the only way to reach exactly this file. O_NOFOLLOW would reject it, and the
        // flags of a file created without a name include O_TMPFILE, which requires a directory.
        .custom_flags(flags & !(libc::O_ACCMODE | libc::O_NOFOLLOW | libc::O_TMPFILE))
        .open(format!("/proc/self/fd/{fd}"))
}

/// Makes data written to an open file durable, or entries created, renamed and removed in an open directory.
///
/// # Errors
/// As `fsync(2)`.
pub fn sync_file(file: &std::fs::File) -> io::Result<()> {
    file.sync_all()
}

/// Same as [`sync_file`], but omits metadata that is not needed to read the data back.
///
/// # Errors
/// As `fdatasync(2)`.
pub fn sync_data(file: &std::fs::File) -> io::Result<()> {
    file.sync_data()
}

/// Returns `true` if the file was opened to bypass the page cache (O_DIRECT).
#[must_use]
pub fn is_direct(file: &std::fs::File) -> bool {
    flags_of(file).contains(OFlags::DIRECT)
}

/// Returns `true` if every write to the file is durable when it returns (O_SYNC, O_DSYNC).
#[must_use]
pub fn is_sync(file: &std::fs::File) -> bool {
    // O_SYNC includes the bit of O_DSYNC; rustix 1.1 uses O_SYNC for both.
    flags_of(file).bits() & libc::O_DSYNC as u32 != 0
}

fn flags_of(file: &std::fs::File) -> OFlags {
    rustix::fs::fcntl_getfl(file).unwrap_or(OFlags::empty())
}

/// `_IO(0x12, 119)`.
const BLKDISCARD: libc::Ioctl = 0x1277;

/// Deallocates a range of a file or device.
pub(crate) fn discard(file: &std::fs::File, is_device: bool, at: u64, len: u64) -> Result<(), Errno> {
    let range = [at, len];
    retry_on_intr(|| {
        if !is_device {
            return rustix::fs::fallocate(file, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, at, len);
        }
        // SAFETY: the request reads two 64-bit numbers that live until it returns.
        match unsafe { libc::ioctl(file.as_raw_fd(), BLKDISCARD, range.as_ptr()) } {
            0 => Ok(()),
            _ => Err(Errno::from_raw_os_error(last_errno())),
        }
    })
}

/// Allocates a range of a file and extends the file to the end of the range, unless `flags` keep its size.
pub(crate) fn reserve(file: &std::fs::File, flags: FallocateFlags, at: u64, len: u64) -> Result<(), Errno> {
    retry_on_intr(|| rustix::fs::fallocate(file, flags, at, len))
}

/// Returns `false` if the file system does not support allocation.
fn is_supported(reserved: Result<(), Errno>) -> io::Result<bool> {
    match reserved {
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => Ok(false),
        other => Ok(other.map(|()| true)?),
    }
}

/// Allocates the first `len` bytes of a file and extends it to that length. Nothing is written; reads return zeros.
/// Returns `false` if the file system does not support this.
///
/// # Errors
/// As `fallocate(2)`: no space, quota.
pub fn allocate(file: &std::fs::File, len: u64) -> io::Result<bool> {
    is_supported(reserve(file, FallocateFlags::empty(), 0, len))
}

/// Allocates the first `len` bytes of a file without changing its size (`FALLOC_FL_KEEP_SIZE`). Returns `false` if the
/// file system does not support this.
///
/// # Errors
/// As `fallocate(2)`: no space, quota.
pub fn allocate_beyond(file: &std::fs::File, len: u64) -> io::Result<bool> {
    is_supported(reserve(file, FallocateFlags::KEEP_SIZE, 0, len))
}

/// Allocates `from..from + bytes` without changing the length of the file. Returns `false` if unsupported.
///
/// # Errors
/// As `fallocate(2)`.
pub fn reserve_beyond(file: &std::fs::File, from: u64, bytes: u64) -> io::Result<bool> {
    match reserve(file, FallocateFlags::KEEP_SIZE, from, bytes) {
        Err(Errno::INVAL) => Ok(false),
        other => is_supported(other),
    }
}

/// Allocates a range of a file and extends the file to the end of the range if necessary.
///
/// # Errors
/// As `fallocate(2)`.
pub fn reserve_room(file: &std::fs::File, range: Range<u64>) -> io::Result<()> {
    if range.is_empty() {
        return Ok(());
    }
    Ok(reserve(file, FallocateFlags::empty(), range.start, range.end - range.start)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_opened_without_links_opens_anew() {
        use std::os::unix::fs::OpenOptionsExt;
        let named = tempfile::NamedTempFile::new().unwrap();
        let file = std::fs::OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW).open(named.path()).unwrap();
        reopen(&file).unwrap();
    }
}
