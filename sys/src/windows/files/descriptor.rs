//! Operations on the handle of an open file: its open flags, reopening it, allocating a range of it.

use crate::common::{FileId, Order};
use crate::windows::nt;
use crate::windows::number::{disk_number, trim};
use crate::windows::open::{NtOpen, SHARE_ALL, at_name, attributes, is_lost_error, length, unbuffered};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::windows::io::FromRawHandle;
use std::sync::{Mutex, PoisonError};
use windows_sys::Wdk::Storage::FileSystem as wdk;
use windows_sys::Win32::Foundation as w;
use windows_sys::Win32::Storage::FileSystem as fs;
use windows_sys::Win32::System::Ioctl::{FILE_ZERO_DATA_INFORMATION, FSCTL_SET_SPARSE, FSCTL_SET_ZERO_DATA};

nt::plain!(wdk::FILE_MODE_INFORMATION, wdk::FILE_ACCESS_INFORMATION, FILE_ZERO_DATA_INFORMATION);

/// Flags of `CreateFile` and the corresponding options of NtCreateFile.
const OPTIONS: [(u32, u32); 2] = [
    (fs::FILE_FLAG_NO_BUFFERING, wdk::FILE_NO_INTERMEDIATE_BUFFERING),
    (fs::FILE_FLAG_WRITE_THROUGH, wdk::FILE_WRITE_THROUGH),
];

/// Returns the options of NtCreateFile for flags of `CreateFile`.
pub(super) fn options_of(flags: u32) -> u32 {
    OPTIONS.iter().filter(|(flag, _)| flags & flag != 0).fold(0, |options, (_, option)| options | option)
}

/// Access order of files, as last advised.
static ORDERS: Mutex<BTreeMap<(u64, u64), Order>> = Mutex::new(BTreeMap::new());

/// Remembers an access order for a file, with which it is opened when it is reopened.
pub(super) fn open_for(id: FileId, order: Order) {
    ORDERS.lock().unwrap_or_else(PoisonError::into_inner).insert((id.dev, id.ino), order);
}

fn order_of(id: FileId) -> Option<Order> {
    ORDERS.lock().unwrap_or_else(PoisonError::into_inner).get(&(id.dev, id.ino)).copied()
}

/// Returns the mode of an open file: `FILE_NO_INTERMEDIATE_BUFFERING`, `FILE_WRITE_THROUGH` and the like.
fn mode(file: &File) -> io::Result<u32> {
    Ok(nt::query::<wdk::FILE_MODE_INFORMATION>(file, wdk::FileModeInformation)?.Mode)
}

/// Returns the access rights of an open file.
pub(crate) fn rights(file: &File) -> io::Result<u32> {
    Ok(nt::query::<wdk::FILE_ACCESS_INFORMATION>(file, wdk::FileAccessInformation)?.AccessFlags)
}

/// Reopens a file with its rights and flags, but with a separate file position.
///
/// # Errors
/// Errors of `ReOpenFile`.
pub fn reopen(file: &File) -> io::Result<File> {
    reopen_with(file, rights(file)? & !fs::DELETE, flags_again(file)?)
}

/// Returns the flags of `CreateFile` that reopen a file as it was opened, plus those for its advised order.
pub(crate) fn flags_again(file: &File) -> io::Result<u32> {
    let mode = mode(file)?;
    let set = OPTIONS.iter().filter(|(_, option)| mode & option != 0);
    let mut flags = set.fold(0, |flags, (flag, _)| flags | flag);
    flags |= FileId::from_file(file).ok().and_then(order_of).map_or(0, |order| match order {
        Order::Sequential => fs::FILE_FLAG_SEQUENTIAL_SCAN,
        Order::Random => fs::FILE_FLAG_RANDOM_ACCESS,
    });
    if attributes(file).is_ok_and(|a| a & fs::FILE_ATTRIBUTE_DIRECTORY != 0) {
        flags |= fs::FILE_FLAG_BACKUP_SEMANTICS;
    }
    Ok(flags)
}

/// Reopens a file with the given rights and flags, even if its name has changed.
///
/// # Errors
/// Errors of `ReOpenFile`.
pub(crate) fn reopen_with(file: &File, rights: u32, flags: u32) -> io::Result<File> {
    let rights = unbuffered(rights, flags & fs::FILE_FLAG_NO_BUFFERING != 0);
    // SAFETY: the handle is open; the call touches no memory of the process.
    let handle = unsafe { fs::ReOpenFile(nt::handle(file), rights, SHARE_ALL, flags) };
    if handle == w::INVALID_HANDLE_VALUE {
        let error = io::Error::last_os_error();
        // For a disk, its number is sufficient: no other disk can get it while this one is open.
        return match disk_number(file) {
            Ok(Some(disk)) => disk_again(disk, rights, flags),
            _ => Err(error),
        };
    }
    // SAFETY: the handle was just opened, and nothing else owns it.
    Ok(unsafe { File::from_raw_handle(handle) })
}

fn disk_again(disk: u32, rights: u32, flags: u32) -> io::Result<File> {
    let synchronous = if flags & fs::FILE_FLAG_OVERLAPPED == 0 { wdk::FILE_SYNCHRONOUS_IO_NONALERT } else { 0 };
    let name = format!(r"\??\PhysicalDrive{disk}");
    let how = NtOpen { rights: rights | fs::SYNCHRONIZE, share: SHARE_ALL, options: synchronous | options_of(flags) };
    at_name(None, OsStr::new(&name), how, wdk::FILE_OPEN)
}

/// Makes the data of an open file durable, or the creations, renames and deletions in an open directory. A file that is
/// open only for reading is not flushed: nothing was written through it, and the system flushes it when it is opened
/// unbuffered.
///
/// # Errors
/// Errors of `FlushFileBuffers`.
pub fn sync_file(file: &File) -> io::Result<()> {
    // SAFETY: the handle is open; the call touches no memory of the process.
    match nt::check(unsafe { fs::FlushFileBuffers(nt::handle(file)) }) {
        Err(e) if e.raw_os_error() == Some(w::ERROR_ACCESS_DENIED as i32) && !is_writable(file) => Ok(()),
        // File systems without a log for directories write them at once and have nothing to flush.
        Err(e) if is_directory(file) && e.kind() != io::ErrorKind::PermissionDenied && !is_lost_error(&e) => Ok(()),
        other => other,
    }
}

/// Syncs like [`sync_file`], because not every file system supports the weaker sync.
///
/// # Errors
/// Errors of [`sync_file`].
pub fn sync_data(file: &File) -> io::Result<()> {
    sync_file(file)
}

fn is_writable(file: &File) -> bool {
    rights(file).is_ok_and(|rights| rights & (fs::FILE_WRITE_DATA | fs::FILE_APPEND_DATA) != 0)
}

fn is_directory(file: &File) -> bool {
    attributes(file).is_ok_and(|attributes| attributes & fs::FILE_ATTRIBUTE_DIRECTORY != 0)
}

/// Returns the file for another thread, with a new file object, because synchronous operations on one file object wait
/// for each other.
///
/// # Errors
/// Errors of [`reopen`].
pub fn for_another_thread(file: &File) -> io::Result<File> {
    reopen(file)
}

/// Returns `true` if the file was opened unbuffered (FILE_FLAG_NO_BUFFERING).
#[must_use]
pub fn is_direct(file: &File) -> bool {
    mode(file).is_ok_and(|mode| mode & wdk::FILE_NO_INTERMEDIATE_BUFFERING != 0)
}

/// Returns `true` if every write to the file is durable when it returns (FILE_FLAG_WRITE_THROUGH).
#[must_use]
pub fn is_sync(file: &File) -> bool {
    mode(file).is_ok_and(|mode| mode & wdk::FILE_WRITE_THROUGH != 0)
}

/// Deallocates a range: trims a device, punches a hole in a file, which becomes sparse.
pub(crate) fn discard(file: &File, is_device: bool, at: u64, len: u64) -> io::Result<()> {
    if is_device {
        return trim(file, at, len);
    }
    if attributes(file)? & fs::FILE_ATTRIBUTE_SPARSE_FILE == 0 {
        nt::control(file, FSCTL_SET_SPARSE)?;
    }
    let range = FILE_ZERO_DATA_INFORMATION { FileOffset: at as i64, BeyondFinalZero: (at + len) as i64 };
    nt::control_bytes::<_, u64>(file, FSCTL_SET_ZERO_DATA, &[range], &mut []).map(drop)
}

/// Allocates a range. Windows has no call for a range, so the file is allocated from its beginning.
pub(crate) fn reserve(file: &File, at: u64, len: u64, keep_size: bool) -> io::Result<()> {
    let end = at + len;
    if end <= length(file)? {
        return Ok(());
    }
    // The allocation of a file ends where the file ends.
    let class = if keep_size { wdk::FileAllocationInformation } else { wdk::FileEndOfFileInformation };
    nt::set(file, class, &[end], 8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::{Durability, LoadOpen, open_for_load};

    #[test]
    fn a_file_that_is_opened_again_is_opened_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        std::fs::write(&path, [7; 4096]).unwrap();
        for (direct, durability) in [(false, Durability::None), (true, Durability::None), (true, Durability::Full)] {
            let how = LoadOpen { write: true, direct, durability, no_atime: false };
            let file = open_for_load(None, &path, how).unwrap();
            if direct && !is_direct(&file) {
                testkit::skip!("this system does not tell how a file was opened (wine)");
            }
            assert_eq!((is_direct(&file), is_sync(&file)), (direct, durability != Durability::None));
            let again = reopen(&file).unwrap();
            assert_eq!((is_direct(&again), is_sync(&again)), (direct, durability != Durability::None));
        }
    }

    #[test]
    fn a_file_is_opened_anew_for_the_order_that_was_said_of_it_last() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("f"), [7; 4096]).unwrap();
        let file = File::open(dir.path().join("f")).unwrap();
        assert_eq!(flags_again(&file).unwrap(), 0);
        for (order, flag) in
            [(Order::Random, fs::FILE_FLAG_RANDOM_ACCESS), (Order::Sequential, fs::FILE_FLAG_SEQUENTIAL_SCAN)]
        {
            crate::storage::advise_order(&file, order).unwrap();
            assert_eq!(flags_again(&file).unwrap(), flag);
            reopen(&file).unwrap();
        }
    }

    #[test]
    fn files_and_directories_are_flushed_also_by_those_who_only_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        std::fs::write(&path, [7; 4096]).unwrap();
        let open = |write| open_for_load(None, &path, LoadOpen { write, ..LoadOpen::default() }).unwrap();
        sync_file(&open(true)).unwrap();
        sync_data(&open(false)).unwrap();
        let directory = crate::files::open_no_links(
            None,
            dir.path(),
            crate::files::OpenHow::plain(crate::files::Access::Directory),
        )
        .unwrap();
        assert!(is_writable(&directory), "it can be flushed");
        sync_file(&directory).unwrap();
        let made = crate::files::create_directory_at(&directory, "d".as_ref()).unwrap();
        sync_file(&made).unwrap();
    }
}
