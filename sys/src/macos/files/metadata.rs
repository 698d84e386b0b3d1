//! Files without a name, devices, and allocation beyond the end, as far as macOS supports them.

use std::ffi::CString;
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Directories of kernel files: the root, processes and devices. macOS has no files for processes and devices.
pub const KERNEL_FILES: [&str; 3] = ["/", "/proc", "/sys"];

/// Makes creations, renames and deletions in a directory durable.
///
/// # Errors
/// Errors of `open(2)` and [`crate::files::sync_file`].
pub fn sync_directory(path: &Path) -> io::Result<()> {
    super::sync_file(&File::open(path)?)
}

constant! {
    /// Allocating without changing the length of a file is not needed: files grow when written.
    fn reserve_beyond(&File, u64, u64) -> io::Result<bool> = Ok(false);
}

/// Creates a file without a name, in the directory for temporary files; it is deleted once all its
/// descriptors are closed.
///
/// # Errors
/// Errors of `open(2)` and `unlink(2)`.
pub fn memory_file(name: &str) -> io::Result<File> {
    let place =
        std::env::temp_dir().join(format!("{name}-{}-{}.tmp", std::process::id(), crate::clock::monotonic_ns()));
    let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&place)?;
    std::fs::remove_file(&place)?;
    Ok(file)
}

/// Creates a named pipe that only its owner may use.
///
/// # Errors
/// Errors of `mkfifo(2)`.
pub fn create_pipe(path: &Path) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: the path is a string that ends with a zero, and lives until the call returns.
    crate::unix::check(unsafe { libc::mkfifo(path.as_ptr(), 0o600) })
}

/// Returns `true` if a character device is the null device.
#[must_use]
pub fn is_null_device(meta: &Metadata) -> bool {
    meta.file_type().is_char_device() && std::fs::metadata("/dev/null").is_ok_and(|null| null.rdev() == meta.rdev())
}
