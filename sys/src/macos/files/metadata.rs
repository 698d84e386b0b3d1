//! Where macOS keeps what others have elsewhere: files without a name, devices, room beyond the end.

use crate::macos::unmeasured;
use std::ffi::CString;
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Where the kernel's own files would lie: devices and the rest of the tree; processes and devices as the kernel knows them are in no files
/// here.
pub const KERNEL_FILES: [&str; 3] = ["/", "/proc", "/sys"];

/// Makes creations, renames and removals in a directory durable.
///
/// # Errors
/// As `open(2)`, [`crate::sync_file`].
pub fn sync_directory(path: &Path) -> io::Result<()> {
    super::sync_file(&File::open(path)?)
}

/// Reserves room without changing a file's length: that is not asked for here, and files grow as they are written.
///
/// # Errors
/// None: the answer is `false`.
pub fn reserve_beyond(_file: &File, _from: u64, _bytes: u64) -> io::Result<bool> {
    Ok(false)
}

/// A file without a name, in the directory for such files: gone when nobody has it open any more.
///
/// # Errors
/// As `open(2)`, `unlink(2)`.
pub fn memory_file(name: &str) -> io::Result<File> {
    let place = std::env::temp_dir().join(format!("{name}-{}-{}.tmp", std::process::id(), crate::monotonic_ns()));
    let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&place)?;
    std::fs::remove_file(&place)?;
    Ok(file)
}

/// A file that whoever started this program left open for it: only measurements start themselves again.
///
/// # Errors
/// Always.
pub fn inherited(_number: u64, _write: bool) -> io::Result<File> {
    Err(unmeasured())
}

/// Makes a pipe with a name, for its owner alone.
///
/// # Errors
/// As `mkfifo(2)`.
pub fn create_pipe(path: &Path) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: the path is a string that ends with 0, and lives until the call returns.
    match unsafe { libc::mkfifo(path.as_ptr(), 0o600) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Whether a character device is the one that forgets everything.
#[must_use]
pub fn is_null_device(meta: &Metadata) -> bool {
    meta.file_type().is_char_device() && std::fs::metadata("/dev/null").is_ok_and(|null| null.rdev() == meta.rdev())
}
