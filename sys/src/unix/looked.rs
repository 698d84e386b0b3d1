//! Properties of paths that need no open file, and waiting for readable files.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Flags of open files, as listed in the kernel's files in /proc.
pub mod open_flag {
    /// Closed when another program is executed.
    pub const CLOEXEC: u32 = libc::O_CLOEXEC.cast_unsigned();
    /// Writes go to the end of the file.
    pub const APPEND: u32 = libc::O_APPEND.cast_unsigned();
    /// Writes are durable when they return.
    pub const DSYNC: u32 = libc::O_DSYNC.cast_unsigned();
}

/// Returns the absolute path without links, `.` and `..`, as stored and displayed.
///
/// # Errors
/// As `realpath(3)`.
pub fn canonical(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    path.as_ref().canonicalize()
}

constant! {
    /// Checks that a file of this name can be created under exactly this name. Every name is valid on this system.
    fn check_name(&OsStr) -> io::Result<()> = Ok(());
}

/// Returns `true` if an open file still has a name: the one at `path` or, on Linux, any other.
#[must_use]
pub fn has_name(file: &File, _path: &Path) -> bool {
    // If fstat fails, the file exists: it is open.
    rustix::fs::fstat(file).map_or(true, |stat| stat.st_nlink > 0)
}

/// Returns the clock ticks per second, the unit in which the kernel reports CPU time and process start times.
#[must_use]
pub fn clock_ticks() -> u64 {
    rustix::param::clock_ticks_per_second().max(1)
}

/// Waits until one of the files is readable, for at most `time`.
///
/// # Errors
/// As `poll(2)`.
pub fn wait_readable<'a>(files: impl Iterator<Item = &'a File>, time: Duration) -> io::Result<()> {
    let mut files: Vec<PollFd<'_>> = files.map(|file| PollFd::new(file, PollFlags::IN)).collect();
    let time = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() };
    poll(&mut files, Some(&time))?;
    Ok(())
}

/// Decodes the kernel's escapes in mountinfo, swaps and similar files: blanks and backslashes are written as a
/// backslash and three octal digits.
#[must_use]
pub fn unescape(field: &[u8]) -> PathBuf {
    let mut out = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&byte, tail)) = rest.split_first() {
        let digits = tail.get(..3).filter(|d| byte == b'\\' && d.iter().all(|c| (b'0'..=b'7').contains(c)));
        let code = digits.map(|d| d.iter().fold(0u32, |n, c| n * 8 + u32::from(c - b'0')));
        match code.and_then(|n| u8::try_from(n).ok()) {
            Some(code) => {
                out.push(code);
                rest = &tail[3..];
            }
            None => {
                out.push(byte);
                rest = tail;
            }
        }
    }
    OsString::from_vec(out).into()
}
