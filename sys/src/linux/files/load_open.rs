//! Opening files for a load with all flags, and advice to the page cache.

use super::file::open_with;
use crate::common::{Durability, Life, LoadOpen, Order};
use crate::unix::check;
use rustix::fs::{Advice, OFlags};
use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

impl LoadOpen {
    fn flags(self) -> OFlags {
        let mut flags = OFlags::CLOEXEC | OFlags::NOCTTY | if self.write { OFlags::RDWR } else { OFlags::RDONLY };
        flags.set(OFlags::DIRECT, self.direct);
        flags.set(OFlags::NOATIME, self.no_atime);
        // With libc's constants: rustix 1.1 uses O_SYNC for both.
        match self.durability {
            Durability::None => flags,
            Durability::Data => flags | OFlags::from_bits_retain(libc::O_DSYNC as u32),
            Durability::Full => flags | OFlags::from_bits_retain(libc::O_SYNC as u32),
        }
    }
}

impl fmt::Display for LoadOpen {
    /// Formats the flags as in the manual: `O_RDWR|O_DIRECT|O_DSYNC`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.write { "O_RDWR" } else { "O_RDONLY" })?;
        f.write_str(if self.direct { "|O_DIRECT" } else { "" })?;
        f.write_str(match self.durability {
            Durability::None => "",
            Durability::Data => "|O_DSYNC",
            Durability::Full => "|O_SYNC",
        })?;
        f.write_str(if self.no_atime { "|O_NOATIME" } else { "" })
    }
}

/// Opens an existing file for a load without following symbolic links anywhere in the path. A relative path begins at
/// the directory `at`.
///
/// # Errors
/// As `openat2(2)`: `EINVAL` if the file system has no direct I/O, `EPERM` for `no_atime` on another user's file.
pub fn open_for_load(at: Option<&File>, path: &Path, how: LoadOpen) -> io::Result<File> {
    open_with(at, path, how.flags())
}

/// Opens a file for a load again through its descriptor, with different flags: for files without a name.
///
/// # Errors
/// As `open(2)`: `EINVAL` if the file system has no direct I/O, `ENOENT` if /proc is not mounted.
pub fn reopen_for_load(file: &File, how: LoadOpen) -> io::Result<File> {
    let fd_path = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(rustix::fs::open(fd_path.as_str(), how.flags(), rustix::fs::Mode::empty())?.into())
}

/// Writes dirty pages of a range of a file to its device and waits for the device to complete (`sync_file_range(2)`
/// with all of its flags). Flushes neither the file system's metadata nor the device cache.
///
/// # Errors
/// As `sync_file_range(2)`.
pub fn write_back_range(file: &File, at: u64, len: u64) -> io::Result<()> {
    let flags = libc::SYNC_FILE_RANGE_WAIT_BEFORE | libc::SYNC_FILE_RANGE_WRITE | libc::SYNC_FILE_RANGE_WAIT_AFTER;
    sync_range(file, at, len, flags)
}

/// Starts writing dirty pages of a range of a file to its device without waiting for completion (`sync_file_range(2)`
/// with only `SYNC_FILE_RANGE_WRITE`). May block until the device's queue has room.
///
/// # Errors
/// As `sync_file_range(2)`.
pub fn begin_write_back_range(file: &File, at: u64, len: u64) -> io::Result<()> {
    sync_range(file, at, len, libc::SYNC_FILE_RANGE_WRITE)
}

fn sync_range(file: &File, at: u64, len: u64, flags: libc::c_uint) -> io::Result<()> {
    loop {
        // SAFETY: the call accesses no memory of this process.
        match check(unsafe { libc::sync_file_range(file.as_raw_fd(), at as i64, len as i64, flags) }) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// Announces the order of accesses to the kernel. Applies to this open file.
///
/// # Errors
/// As `posix_fadvise(2)`.
pub fn advise_order(file: &File, order: Order) -> io::Result<()> {
    let advice = match order {
        Order::Sequential => Advice::Sequential,
        Order::Random => Advice::Random,
    };
    Ok(rustix::fs::fadvise(file, 0, None, advice)?)
}

/// Announces the expected lifetime of the data written to a file. Applies to the file for all writers, until no process
/// has it open any more.
///
/// # Errors
/// As `fcntl(2)` with `F_SET_RW_HINT`: `EINVAL` from kernels before 4.13.
pub fn advise_life(file: &File, life: Life) -> io::Result<()> {
    let hint = life as u64;
    // SAFETY: the kernel reads one 64-bit number, which lives until the call returns.
    check(unsafe { libc::fcntl(file.as_raw_fd(), SET_RW_HINT, &raw const hint) })
}

/// `F_SET_RW_HINT`: `F_LINUX_SPECIFIC_BASE` + 12. libc defines it for some targets only.
const SET_RW_HINT: libc::c_int = 1024 + 12;

/// Raises the limit of open files of this process to the maximum allowed, for jobs with many files. Returns the new
/// limit.
///
/// # Errors
/// As `setrlimit(2)`.
pub fn raise_descriptor_limit() -> io::Result<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the kernel writes one rlimit, which lives until the call returns.
    check(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) })?;
    limit.rlim_cur = limit.rlim_max;
    // SAFETY: the kernel reads one rlimit, which lives until the call returns.
    check(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) })?;
    Ok(limit.rlim_max)
}

#[cfg(test)]
mod tests {
    use super::super::descriptor::allocate_beyond;
    use super::*;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::MetadataExt;

    fn flags(file: &File) -> i32 {
        let info = std::fs::read_to_string(format!("/proc/self/fdinfo/{}", file.as_raw_fd())).unwrap();
        let line = info.lines().find_map(|l| l.strip_prefix("flags:")).unwrap();
        i32::from_str_radix(line.trim(), 8).unwrap()
    }

    #[test]
    fn the_kernel_was_told_what_was_asked() {
        let dir = tempfile::tempdir_in(".").unwrap();
        let path = dir.path().canonicalize().unwrap().join("file");
        std::fs::write(&path, b"x").unwrap();
        for (durability, bits) in
            [(Durability::None, 0), (Durability::Data, libc::O_DSYNC), (Durability::Full, libc::O_SYNC)]
        {
            let how = LoadOpen { write: true, durability, no_atime: true, ..LoadOpen::default() };
            let opened = flags(&open_for_load(None, &path, how).unwrap());
            assert_eq!(opened & libc::O_SYNC, bits, "{how}");
            assert_ne!(opened & libc::O_NOATIME, 0);
            assert_eq!(opened & libc::O_ACCMODE, libc::O_RDWR);
        }
        let reading = open_for_load(None, &path, LoadOpen::default()).unwrap();
        assert_eq!(flags(&reading) & (libc::O_ACCMODE | libc::O_SYNC | libc::O_NOATIME), libc::O_RDONLY);
        std::os::unix::fs::symlink("file", dir.path().join("link")).unwrap();
        let link = path.parent().unwrap().join("link");
        assert!(crate::files::is_link_error(&open_for_load(None, &link, LoadOpen::default()).unwrap_err()));
    }

    #[test]
    fn room_is_reserved_beyond_the_end_without_moving_it() {
        let file = tempfile::tempfile_in(".").unwrap();
        if allocate_beyond(&file, 1 << 20).unwrap() {
            let meta = file.metadata().unwrap();
            assert_eq!((meta.len(), meta.blocks() * 512 >= 1 << 20), (0, true));
        }
        advise_order(&file, Order::Random).unwrap();
        advise_order(&file, Order::Sequential).unwrap();
    }

    #[test]
    fn as_many_files_may_be_open_as_the_machine_allows() {
        let most = raise_descriptor_limit().unwrap();
        assert_eq!(raise_descriptor_limit().unwrap(), most);
        let limits = std::fs::read_to_string("/proc/self/limits").unwrap();
        let line = limits.lines().find(|l| l.starts_with("Max open files")).unwrap();
        let soft = line.split_whitespace().nth(3).unwrap();
        assert!(soft == most.to_string() || soft == "unlimited", "{line}");
    }

    #[test]
    fn flags_read_as_in_the_manual() {
        let how = LoadOpen { write: true, direct: true, durability: Durability::Data, no_atime: true };
        assert_eq!(how.to_string(), "O_RDWR|O_DIRECT|O_DSYNC|O_NOATIME");
    }
}
