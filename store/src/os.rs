//! Opening and locking of this crate's files.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use sys::files::{Guards, OpenGuarded};
pub(crate) use sys::files::{rename_new, sync_directory as sync_dir};
pub(crate) use sys::locks::unlock_file as unlock;

/// Creates a file that must not exist, accessible to its owner only. Never follows a symlink.
pub(crate) fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).open_guarded(path, Guards::NO_LINK.private())
}

/// Opens a file for writing. If it is missing, creates it empty and accessible to its owner only. Never follows a
/// symlink.
pub(crate) fn open_or_create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    options.open_guarded(path, Guards::NEITHER.private())
}

/// Returns the contents of a regular file of at most `most` bytes. Follows links, because the user named the file.
/// Never blocks.
#[cfg(feature = "postgres")]
pub(crate) fn read_bounded(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    use std::io::Read;
    let other = || io::Error::other(format!("it is not a regular file of at most {most} bytes"));
    // Opening a device can have side effects.
    if !sys::files::metadata(path)?.is_file() {
        return Err(other());
    }
    let file = OpenOptions::new().read(true).open_guarded(path, Guards::NO_WAIT)?;
    if !sys::files::file_metadata(&file)?.is_file() {
        return Err(other());
    }
    let mut bytes = Vec::new();
    // The reported size of a file is unreliable: files below `/proc` report 0.
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(other()) } else { Ok(bytes) }
}

/// Opens an existing regular file. Follows no symlink, and does not block on a FIFO.
pub(crate) fn open_existing(path: &Path, write: bool) -> io::Result<File> {
    let file = OpenOptions::new().read(true).write(write).open_guarded(path, Guards::NEITHER)?;
    if !sys::files::file_metadata(&file)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok(file)
}

/// Makes the directory of a file durable, and with it the file's name.
pub(crate) fn sync_parent(path: &Path) -> io::Result<()> {
    sync_dir(path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new(".")))
}

/// Counts an operation on a missing file as successful.
pub(crate) fn unless_missing(result: io::Result<()>) -> io::Result<()> {
    result.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

/// Takes an exclusive lock on an open file without waiting. Returns `false` if another process holds a lock.
pub(crate) fn lock_exclusive(file: &File) -> io::Result<bool> {
    sys::locks::lock_file(file, true)
}

/// Takes a shared lock on an open file without waiting. Returns `false` if another process holds an exclusive lock.
pub(crate) fn lock_shared(file: &File) -> io::Result<bool> {
    sys::locks::lock_file(file, false)
}
