//! Opens files for a load with all supported flags, allocates files, and gives advice to the cache as far as Windows
//! supports it.

use super::descriptor::{options_of, reopen_with, reserve};
use super::file::open_with;
use super::guards;
use crate::common::{Durability, FileId, Life, LoadOpen, Order};
use crate::elsewhere::unsupported;
use crate::windows::nt;
use crate::windows::open::{NtOpen, SHARE_ALL, unbuffered};
use std::fmt;
use std::fs::File;
use std::io;
use std::path::Path;
use windows_sys::Wdk::Storage::FileSystem as wdk;
use windows_sys::Win32::Foundation as w;
use windows_sys::Win32::Storage::FileSystem as fs;

impl LoadOpen {
    fn rights(self) -> u32 {
        let rights = fs::FILE_GENERIC_READ | if self.write { fs::FILE_GENERIC_WRITE } else { 0 };
        unbuffered(rights, self.direct)
    }

    /// Returns the flags of `CreateFile`.
    fn flags(self) -> u32 {
        let direct = if self.direct { fs::FILE_FLAG_NO_BUFFERING } else { 0 };
        // One flag covers data and metadata.
        direct | if self.durability == Durability::None { 0 } else { fs::FILE_FLAG_WRITE_THROUGH }
    }

    fn refuse_what_is_not_had(self) -> io::Result<()> {
        if self.no_atime {
            let reason = "Windows cannot suppress access-time updates of a single file (`fsutil behavior set disablelastaccess` does for all)";
            return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
        }
        Ok(())
    }
}

impl fmt::Display for LoadOpen {
    /// Formats the flags as in the manual: `GENERIC_READ|GENERIC_WRITE|FILE_FLAG_NO_BUFFERING|FILE_FLAG_WRITE_THROUGH`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.write { "GENERIC_READ|GENERIC_WRITE" } else { "GENERIC_READ" })?;
        f.write_str(if self.direct { "|FILE_FLAG_NO_BUFFERING" } else { "" })?;
        f.write_str(if self.durability == Durability::None { "" } else { "|FILE_FLAG_WRITE_THROUGH" })
    }
}

/// Opens an existing file for a load without following reparse points anywhere in the path. `at` is the directory that
/// a relative path starts from. If a device is opened for writing, its volumes are locked and dismounted.
///
/// # Errors
/// Errors of [`crate::files::open_no_links`]; `Unsupported` for `no_atime`; errors of [`crate::devices::hold_volumes`] for
/// devices.
pub fn open_for_load(at: Option<&File>, path: &Path, how: LoadOpen) -> io::Result<File> {
    how.refuse_what_is_not_had()?;
    let options = wdk::FILE_SYNCHRONOUS_IO_NONALERT | options_of(how.flags());
    let device = super::device_path(path).is_some();
    let file = open_with(at, path, NtOpen { rights: how.rights(), share: SHARE_ALL, options })?;
    if device && how.write {
        guards::hold_volumes(&file)?;
        guards::dismount_volume(&file)?;
    }
    Ok(file)
}

/// Reopens a file for a load by its handle, with the given flags, for files without a name.
///
/// # Errors
/// Errors of `ReOpenFile`; `Unsupported` for `no_atime`.
pub fn reopen_for_load(file: &File, how: LoadOpen) -> io::Result<File> {
    how.refuse_what_is_not_had()?;
    reopen_with(file, how.rights(), how.flags())
}

/// Writes back a range of a file. Windows has no call for a range, so the whole file and the device cache are flushed.
///
/// # Errors
/// Errors of `FlushFileBuffers`.
pub fn write_back_range(file: &File, _at: u64, _len: u64) -> io::Result<()> {
    super::sync_file(file)
}

constant! {
    fn begin_write_back_range(&File, u64, u64) -> io::Result<()> =
        Err(unsupported("Windows cannot start the write-back of a file range (sync_file_range)"));
    fn advise_life(&File, Life) -> io::Result<()> =
        Err(unsupported("Windows does not support write-lifetime hints (F_SET_RW_HINT)"));
    /// Windows has no limit of open files to raise; the handle table of a process has 16,777,216 entries.
    fn raise_descriptor_limit() -> io::Result<u64> = Ok(1 << 24);
}

/// Allocates the first `len` bytes of a file without changing its size (`FileAllocationInformation`); unused space is
/// released when the file is closed. Returns `false` if the file system does not support it.
///
/// # Errors
/// Errors of `NtSetInformationFile`: no space, quota.
pub fn allocate_beyond(file: &File, len: u64) -> io::Result<bool> {
    match reserve(file, 0, len, true) {
        Err(e) if nt::is_one_of(&e, &[w::ERROR_NOT_SUPPORTED, w::ERROR_INVALID_FUNCTION]) => Ok(false),
        other => other.map(|()| true),
    }
}

/// Advises the cache of the order in which a file will be accessed. Windows accepts that only when a file is opened:
/// the advice applies to files reopened with [`crate::files::reopen`], as queues do.
///
/// # Errors
/// `Unsupported` for a device.
pub fn advise_order(file: &File, order: Order) -> io::Result<()> {
    let id = FileId::from_file(file).map_err(|_| {
        let reason = "Windows does not support access-pattern hints for devices (FILE_FLAG_RANDOM_ACCESS)";
        io::Error::new(io::ErrorKind::Unsupported, reason)
    })?;
    super::descriptor::open_for(id, order);
    Ok(())
}

/// Returns `true` if an error means that the process or the machine has reached its limit of open files.
#[must_use]
pub fn is_descriptor_limit(error: &io::Error) -> bool {
    const LIMITS: [u32; 2] = [w::ERROR_TOO_MANY_OPEN_FILES, w::ERROR_NO_MORE_USER_HANDLES];
    nt::is_one_of(error, &LIMITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_windows_has_not_is_refused_by_name() {
        let file = tempfile::tempfile().unwrap();
        let how = LoadOpen { no_atime: true, ..LoadOpen::default() };
        assert!(open_for_load(None, Path::new("x"), how).unwrap_err().to_string().contains("access-time"));
        assert!(reopen_for_load(&file, how).unwrap_err().to_string().contains("access-time"));
        assert!(begin_write_back_range(&file, 0, 1).unwrap_err().to_string().contains("sync_file_range"));
        assert!(advise_life(&file, Life::Short).unwrap_err().to_string().contains("F_SET_RW_HINT"));
        advise_order(&file, Order::Random).unwrap();
    }

    #[test]
    fn room_is_reserved_beyond_the_end_without_moving_it() {
        let file = tempfile::tempfile().unwrap();
        if !allocate_beyond(&file, 1 << 20).unwrap() {
            testkit::skipped("this file system reserves no room beyond the end");
        }
        assert_eq!(file.metadata().unwrap().len(), 0);
    }

    #[test]
    fn a_stream_and_a_device_that_is_not_there_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("f"), b"x").unwrap();
        let write = LoadOpen { write: true, ..LoadOpen::default() };
        let stream = open_for_load(None, &dir.path().join("f:s"), write).unwrap_err();
        assert_eq!(stream.kind(), io::ErrorKind::InvalidInput);
        assert!(open_for_load(None, Path::new(r"\\.\PhysicalDrive9999"), write).is_err());
    }

    #[test]
    fn flags_read_as_in_the_manual() {
        let how = LoadOpen { write: true, direct: true, durability: Durability::Data, no_atime: false };
        assert_eq!(how.to_string(), "GENERIC_READ|GENERIC_WRITE|FILE_FLAG_NO_BUFFERING|FILE_FLAG_WRITE_THROUGH");
    }
}
