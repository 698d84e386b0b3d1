//! What a path tells of itself without being opened for reading, and waits for what can be read.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStringExt;
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

/// Clock ticks of a second, in which the kernel tells CPU time and starts of processes.
#[must_use]
pub fn clock_ticks() -> u64 {
    rustix::param::clock_ticks_per_second().max(1)
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

/// Undoes the kernel's escapes in mountinfo, swaps and the like: blanks and backslashes are written as three octal
/// digits after a backslash.
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
