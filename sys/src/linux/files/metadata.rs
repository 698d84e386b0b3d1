//! Where Linux keeps what others have elsewhere: files in memory, the kernel's own files, room beyond the end.

use rustix::fs::{CWD, FallocateFlags, MemfdFlags, Mode};
use rustix::io::Errno;
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// Where the kernel's own files lie: devices and the rest of the tree, processes, devices as the kernel knows them.
pub const KERNEL_FILES: [&str; 3] = ["/", "/proc", "/sys"];

/// Makes creations, renames and removals in a directory durable.
///
/// # Errors
/// As `open(2)`, `fsync(2)`.
pub fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Reserves room for `from..from + bytes` without changing a file's length. `false`: this file system cannot.
///
/// # Errors
/// As `fallocate(2)`.
pub fn reserve_beyond(file: &File, from: u64, bytes: u64) -> io::Result<bool> {
    loop {
        match rustix::fs::fallocate(file, FallocateFlags::KEEP_SIZE, from, bytes) {
            Ok(()) => return Ok(true),
            Err(Errno::INTR) => {}
            Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => return Ok(false),
            Err(e) => return Err(e.into()),
        }
    }
}

/// A file without a name, in memory where the system has such: gone when nobody has it open any more. `name` is for those who
/// look at open files.
///
/// # Errors
/// As `memfd_create(2)`.
pub fn memory_file(name: &str) -> io::Result<File> {
    Ok(File::from(rustix::fs::memfd_create(name, MemfdFlags::CLOEXEC)?))
}

/// A file that whoever started this program left open for it, opened anew at its beginning: no number is trusted to be ours to
/// close.
///
/// # Errors
/// As `open(2)`.
pub fn inherited(number: u64, write: bool) -> io::Result<File> {
    OpenOptions::new().read(!write).write(write).open(format!("/proc/self/fd/{number}"))
}

/// Makes a pipe with a name, for its owner alone.
///
/// # Errors
/// As `mknod(2)`.
pub fn create_pipe(path: &Path) -> io::Result<()> {
    Ok(rustix::fs::mknodat(CWD, path, rustix::fs::FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?)
}

/// Whether a character device is the one that forgets everything.
#[must_use]
pub fn is_null_device(meta: &Metadata) -> bool {
    meta.file_type().is_char_device() && meta.rdev() == rustix::fs::makedev(1, 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inherit;

    #[test]
    fn a_file_in_memory_is_taken_up_by_its_number_from_its_beginning() {
        use std::io::{Read, Write};
        let mut file = memory_file("secchi-test").unwrap();
        file.write_all(b"kept").unwrap();
        let mut text = String::new();
        inherited(inherit(&file).unwrap(), false).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "kept");
    }
}
