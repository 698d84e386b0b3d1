//! Operations on the descriptor of an open file: open flags, reopening, allocating and deallocating ranges.

use crate::linux::errno::last_errno;
use std::io;
use std::os::fd::{AsRawFd, RawFd};

/// Opens the same file again, with the same flags but a separate file position.
///
/// # Errors
/// If /proc is not mounted or the file may not be opened again.
pub fn reopen(file: &std::fs::File) -> io::Result<std::fs::File> {
    use std::os::unix::fs::OpenOptionsExt;
    let fd = file.as_raw_fd();
    // SAFETY: the call takes and returns integers.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFL) };
    if flags < 0 {
        return Err(io::Error::last_os_error());
    }
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
    flags_of(file) & libc::O_DIRECT != 0
}

/// Returns `true` if every write to the file is durable when it returns (O_SYNC, O_DSYNC).
#[must_use]
pub fn is_sync(file: &std::fs::File) -> bool {
    // O_SYNC includes the bit of O_DSYNC.
    flags_of(file) & libc::O_DSYNC != 0
}

fn flags_of(file: &std::fs::File) -> libc::c_int {
    // SAFETY: the call takes and returns integers.
    unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETFL) }.max(0)
}

/// `_IO(0x12, 119)`.
const BLKDISCARD: libc::Ioctl = 0x1277;

/// Deallocates a range of a file or device. Returns 0 or a negative errno.
pub(crate) fn discard(fd: RawFd, is_device: bool, at: u64, len: u64) -> i32 {
    let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
    let range = [at, len];
    // SAFETY: the request reads two 64-bit numbers that live until it returns; the other call accesses no memory.
    let result = unsafe {
        if is_device {
            libc::ioctl(fd, BLKDISCARD, range.as_ptr())
        } else {
            libc::fallocate(fd, mode, at as libc::off_t, len as libc::off_t)
        }
    };
    if result == 0 { 0 } else { -last_errno() }
}

/// Allocates a range of a file. Returns 0 or a negative errno.
pub(crate) fn reserve(fd: RawFd, at: u64, len: u64, keep_size: bool) -> i32 {
    let mode = if keep_size { libc::FALLOC_FL_KEEP_SIZE } else { 0 };
    // SAFETY: the call accesses no memory.
    let result = unsafe { libc::fallocate(fd, mode, at as libc::off_t, len as libc::off_t) };
    if result == 0 { 0 } else { -last_errno() }
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
