//! File functions that other systems implement differently: files in memory, kernel files.

use rustix::fs::{CWD, MemfdFlags, Mode};
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// Directories of kernel files: the root (devices and the rest of the tree), processes, sysfs.
pub const KERNEL_FILES: [&str; 3] = ["/", "/proc", "/sys"];

/// Makes the creation, renaming and removal of entries in a directory durable.
///
/// # Errors
/// As `open(2)`, `fsync(2)`.
pub fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Creates a nameless file, in memory on systems that have such files; it is deleted when it is no longer open. `name`
/// is only displayed in lists of open files.
///
/// # Errors
/// As `memfd_create(2)`.
pub fn memory_file(name: &str) -> io::Result<File> {
    Ok(File::from(rustix::fs::memfd_create(name, MemfdFlags::CLOEXEC)?))
}

/// Opens a file that the parent process left open for this program, from its beginning. Opens a second descriptor,
/// because taking over an arbitrary number might close a descriptor of another owner.
///
/// # Errors
/// As `open(2)`.
pub fn inherited(number: u64, write: bool) -> io::Result<File> {
    OpenOptions::new().read(!write).write(write).open(format!("/proc/self/fd/{number}"))
}

/// Creates a named pipe that only its owner can access.
///
/// # Errors
/// As `mknod(2)`.
pub fn create_pipe(path: &Path) -> io::Result<()> {
    Ok(rustix::fs::mknodat(CWD, path, rustix::fs::FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?)
}

/// Returns `true` if the metadata is that of the null device.
#[must_use]
pub fn is_null_device(meta: &Metadata) -> bool {
    meta.file_type().is_char_device() && meta.rdev() == rustix::fs::makedev(1, 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::streams::inherit;

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
