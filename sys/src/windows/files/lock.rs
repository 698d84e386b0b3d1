//! Locks that keep a second run off a target (docs/design/safety.md, "Two runs on one target").
//!
//! Locks of Windows cover bytes, and prevent others from reading and writing them. Therefore one byte far beyond the
//! end of any file is locked; it represents the file.

use super::path::plain;
use crate::windows::nt;
use crate::windows::open::{NtOpen, at_name};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use windows_sys::Wdk::Storage::FileSystem as wdk;
use windows_sys::Win32::Foundation as w;
use windows_sys::Win32::Storage::FileSystem as fs;
use windows_sys::Win32::Storage::FileSystem::{
    LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY, LockFileEx, UnlockFileEx,
};
use windows_sys::Win32::System::Threading::{PROCESS_QUERY_LIMITED_INFORMATION, PROCESS_SYNCHRONIZE};

/// Offset of the locked byte.
const PLACE: u64 = 0x7fff_ffff_0000_0000;

/// Tries to lock an open file until it and all duplicates of it are closed; does not wait. Returns `false` if another
/// process holds a conflicting lock. An exclusive lock excludes all others, a shared one only exclusive ones.
///
/// # Errors
/// Errors of `LockFileEx`: directories and devices have no locks.
pub fn try_lock(file: &File, exclusive: bool) -> io::Result<bool> {
    let flags = LOCKFILE_FAIL_IMMEDIATELY | if exclusive { LOCKFILE_EXCLUSIVE_LOCK } else { 0 };
    // As with flock(2), a new lock replaces the old one; without this, both would be held.
    let _ = unlock(file);
    let mut place = nt::at_place(PLACE);
    // SAFETY: the handle is open; `place` lives until the call returns, which it does at once on a synchronous handle.
    match nt::check(unsafe { LockFileEx(nt::handle(file), flags, 0, 1, 0, &raw mut place) }) {
        Ok(()) => Ok(true),
        Err(e) if nt::is_one_of(&e, &[w::ERROR_LOCK_VIOLATION, w::ERROR_IO_PENDING]) => Ok(false),
        Err(e) if nt::is_one_of(&e, &[w::ERROR_INVALID_FUNCTION, w::ERROR_INVALID_PARAMETER]) => {
            Err(io::Error::from_raw_os_error(crate::errno::EOPNOTSUPP))
        }
        Err(e) => Err(e),
    }
}

/// Excludes other callers of this function from a directory until the returned file is closed; `None` if it is already
/// held. Directories have no locks: a file `name` exists in it until then, which cannot be opened a second time.
///
/// # Errors
/// Errors of `NtCreateFile`; [`io::ErrorKind::InvalidInput`] if `name` is not a plain name.
pub fn hold_directory(dir: &File, name: &OsStr) -> io::Result<Option<File>> {
    let rights = fs::FILE_GENERIC_READ | fs::FILE_GENERIC_WRITE | fs::DELETE;
    let options = wdk::FILE_SYNCHRONOUS_IO_NONALERT | wdk::FILE_NON_DIRECTORY_FILE;
    let alone = NtOpen { rights, share: 0, options };
    let goes = NtOpen { options: options | wdk::FILE_DELETE_ON_CLOSE, ..alone };
    let held = match at_name(Some(dir), plain(name)?, goes, wdk::FILE_CREATE) {
        // It is left over from a power cut, or belongs to another process: it is not deleted.
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => at_name(Some(dir), name, alone, wdk::FILE_OPEN),
        made => made,
    };
    match held {
        Err(e) if nt::is_one_of(&e, &[w::ERROR_SHARING_VIOLATION, w::ERROR_DELETE_PENDING]) => Ok(None),
        other => other.map(Some),
    }
}

/// Releases a lock before the file is closed.
///
/// # Errors
/// Errors of `UnlockFileEx`.
pub fn unlock(file: &File) -> io::Result<()> {
    let mut place = nt::at_place(PLACE);
    // SAFETY: as in `try_lock`.
    nt::check(unsafe { UnlockFileEx(nt::handle(file), 0, 1, 0, &raw mut place) })
}

/// Returns `true` if a process does not exist, or has ended but was not waited for.
#[must_use]
pub fn is_ending(pid: u32) -> bool {
    match nt::open_process(pid, PROCESS_SYNCHRONIZE | PROCESS_QUERY_LIMITED_INFORMATION) {
        Ok(process) => nt::has_ended(&process),
        // The process exists if only the right to query it is missing.
        Err(e) => !nt::is_one_of(&e, &[w::ERROR_ACCESS_DENIED]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    #[test]
    fn an_exclusive_lock_keeps_all_out_and_a_shared_one_only_exclusive_ones() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let open = || File::options().read(true).write(true).open(file.path()).unwrap();
        let (a, b, c) = (open(), open(), open());
        assert!(try_lock(&a, false).unwrap());
        assert!(try_lock(&b, false).unwrap());
        assert!(!try_lock(&c, true).unwrap());
        drop((a, b));
        assert!(try_lock(&c, true).unwrap());
        assert!(!try_lock(&open(), false).unwrap());
        unlock(&c).unwrap();
        assert!(try_lock(&open(), true).unwrap());
    }

    #[test]
    fn a_lock_asked_for_anew_is_of_the_new_kind() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        std::fs::write(&path, "x").unwrap();
        let open = || File::options().read(true).write(true).open(&path).unwrap();
        let (one, other) = (open(), open());
        assert!(try_lock(&one, true).unwrap() && !try_lock(&other, false).unwrap());
        assert!(try_lock(&one, false).unwrap() && try_lock(&other, false).unwrap());
        assert!(!try_lock(&one, true).unwrap(), "the other has one, too");
    }

    #[test]
    fn one_holds_a_directory_and_the_next_may_when_it_is_let_go() {
        let temp = tempfile::tempdir().unwrap();
        let how = crate::files::OpenHow::plain(crate::files::Access::Directory);
        let open = || crate::files::open_no_links(None, temp.path(), how).unwrap();
        let (one, other, name) = (open(), open(), OsStr::new("held"));
        let held = hold_directory(&one, name).unwrap().expect("nobody is in it");
        assert!(hold_directory(&other, name).unwrap().is_none());
        drop(held);
        assert!(!temp.path().join(name).exists(), "nothing is left");
        // A file that a power cut left over.
        std::fs::write(temp.path().join(name), "").unwrap();
        let held = hold_directory(&other, name).unwrap().expect("nobody is in it");
        assert!(hold_directory(&one, name).unwrap().is_none());
        drop(held);
        assert!(temp.path().join(name).exists());
    }

    #[test]
    fn what_is_locked_is_read_and_written_by_others() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let open = || File::options().read(true).write(true).open(file.path()).unwrap();
        let locked = open();
        assert!(try_lock(&locked, true).unwrap());
        open().write_all(b"seen").unwrap();
        let mut text = String::new();
        open().read_to_string(&mut text).unwrap();
        assert_eq!(text, "seen");
    }

    #[test]
    fn a_process_is_ending_when_it_has_ended() {
        assert!(!is_ending(std::process::id()));
        let mut child = std::process::Command::new("cmd").args(["/c", "exit 3"]).spawn().unwrap();
        child.wait().unwrap();
        assert!(is_ending(child.id()));
    }
}
