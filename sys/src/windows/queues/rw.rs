//! Blocking reads and writes: the queue of depth one.

use super::buffers::BufferPool;
use super::file_set::FileSet;
use crate::common::{Call, IoKind, Reaped, Submission, foreign};
use crate::windows::errno::last_errno;
use crate::windows::nt;
use std::io;
use windows_sys::Win32::Foundation as w;
use windows_sys::Win32::Storage::FileSystem::{FILE_BEGIN, FlushFileBuffers, ReadFile, SetFilePointerEx, WriteFile};
use windows_sys::Win32::System::IO::OVERLAPPED;

/// Files with one buffer, one operation at a time.
#[derive(Debug)]
pub struct BlockingQueue {
    files: FileSet,
    pool: BufferPool,
    call: Call,
    /// Current position of each file, for [`Call::Seeking`].
    stands: Box<[u64]>,
}

/// Position that no file has.
const NOWHERE: u64 = u64::MAX;

impl BlockingQueue {
    /// Takes the files and allocates one buffer.
    ///
    /// # Errors
    /// If there is not enough memory; `Unsupported` for vectored calls, which Windows has for whole pages only.
    pub fn new(files: FileSet, call: Call, buffer_size: usize) -> io::Result<Self> {
        if matches!(call, Call::Vector | Call::Flagged(_)) {
            return Err(foreign(
                "Windows does not support preadv and pwritev",
                "use psync, which reads and writes at an offset with one buffer",
            ));
        }
        let stands = vec![NOWHERE; files.files().len()].into();
        Ok(BlockingQueue { files, pool: BufferPool::new(1, buffer_size)?, call, stands })
    }

    /// Returns the buffer.
    #[inline]
    pub fn buffer(&mut self) -> &mut [u8] {
        self.pool.slot_mut(0)
    }

    /// Performs one operation; the result is the number of bytes or a negative errno. Panics on a length beyond the
    /// buffer.
    #[inline]
    pub fn perform(&mut self, s: &Submission) -> Reaped {
        let handle = self.files.handle(s.file);
        let result = match s.kind {
            IoKind::DataSync | IoKind::Sync => sync(handle),
            IoKind::Discard => self.files.discard(s.file, s.at, s.len),
            IoKind::Read | IoKind::Write => {
                let buffer = self.pool.part(0, s.skip, s.buffered());
                let mut place = nt::at_place(s.at);
                let write = s.kind == IoKind::Write;
                match self.call {
                    Call::Seeking => {
                        let stands = &mut self.stands[usize::from(s.file)];
                        // SAFETY: buffer..buffer+len is inside our memory, and nothing else refers to it during the
                        // call.
                        unsafe { seeking(write, handle, stands, buffer, s.len, s.at) }
                    }
                    // SAFETY: as above; `place` lives until the call returns, and the handle is synchronous.
                    _ => unsafe { moved(write, handle, buffer, s.len, &raw mut place) },
                }
            }
        };
        Reaped { slot: s.slot, result }
    }
}

/// Calls ReadFile or WriteFile. Returns the bytes moved or a negative errno; a read after the end of the file returns
/// 0.
///
/// # Safety
/// `buffer` must be valid for `len` bytes, writable for a read and readable for a write; `place` must be null or live
/// until the operation has ended.
unsafe fn moved(write: bool, handle: w::HANDLE, buffer: *mut u8, len: u32, place: *mut OVERLAPPED) -> i32 {
    let mut bytes = 0;
    // SAFETY: the caller guarantees it.
    let done = unsafe {
        if write {
            WriteFile(handle, buffer, len, &raw mut bytes, place)
        } else {
            ReadFile(handle, buffer, len, &raw mut bytes, place)
        }
    };
    if done != 0 {
        return bytes as i32;
    }
    match last_errno() {
        errno if errno == w::ERROR_HANDLE_EOF as i32 => 0,
        errno => -errno,
    }
}

/// Calls SetFilePointerEx unless the file is already at this position, then ReadFile or WriteFile.
///
/// # Safety
/// As for [`moved`].
unsafe fn seeking(write: bool, handle: w::HANDLE, stands: &mut u64, buffer: *mut u8, len: u32, at: u64) -> i32 {
    let before = std::mem::replace(stands, NOWHERE);
    // SAFETY: the first call touches no memory; the caller guarantees the rest.
    let result = unsafe {
        if before != at && SetFilePointerEx(handle, at as i64, std::ptr::null_mut(), FILE_BEGIN) == 0 {
            return -last_errno();
        }
        moved(write, handle, buffer, len, std::ptr::null_mut())
    };
    if result >= 0 {
        *stands = at + result as u64;
    }
    result
}

/// Calls FlushFileBuffers for every kind of sync, since not every file system supports weaker ones. Returns 0 or a
/// negative errno.
pub(super) fn sync(handle: w::HANDLE) -> i32 {
    // SAFETY: the handle is open; the call touches no memory of the process.
    if unsafe { FlushFileBuffers(handle) } == 0 { -last_errno() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queues::Flags;

    fn file() -> std::fs::File {
        let file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut &file, &[7; 8192]).unwrap();
        file
    }

    fn ask(kind: IoKind, at: u64) -> Submission {
        Submission { slot: 0, kind, file: 0, at, len: if kind.is_flush() { 0 } else { 4096 }, skip: 0 }
    }

    #[test]
    fn every_call_reads_what_it_wrote_and_nothing_behind_the_end() {
        for call in [Call::Positioned, Call::Seeking] {
            let mut q = BlockingQueue::new(FileSet::new(vec![file()]).unwrap(), call, 4096).unwrap();
            q.buffer().fill(9);
            assert_eq!(q.perform(&ask(IoKind::Write, 4096)).result, 4096);
            assert_eq!(q.perform(&ask(IoKind::Read, 0)).result, 4096);
            assert!(q.buffer().iter().all(|b| *b == 7));
            assert_eq!(q.perform(&ask(IoKind::Read, 4096)).result, 4096);
            assert!(q.buffer().iter().all(|b| *b == 9));
            assert_eq!(q.perform(&ask(IoKind::Read, 8192)).result, 0);
            assert_eq!(q.perform(&ask(IoKind::Sync, 0)).result, 0);
            assert_eq!(q.perform(&ask(IoKind::DataSync, 0)).result, 0);
        }
    }

    #[test]
    fn a_range_is_given_back_where_the_file_system_can() {
        let mut q = BlockingQueue::new(FileSet::new(vec![file()]).unwrap(), Call::Positioned, 4096).unwrap();
        let result = q.perform(&ask(IoKind::Discard, 0)).result;
        if result < 0 {
            testkit::skip!("this file system punches no holes (wine)");
        }
        assert_eq!((result, q.perform(&ask(IoKind::Read, 0)).result), (4096, 4096));
        assert!(q.buffer().iter().all(|b| *b == 0));
    }

    #[test]
    fn what_windows_has_not_is_refused_by_name() {
        for call in [Call::Vector, Call::Flagged(Flags::default())] {
            let error = BlockingQueue::new(FileSet::new(vec![file()]).unwrap(), call, 4096).unwrap_err();
            assert!(error.to_string().contains("preadv"), "{error}");
        }
    }

    #[test]
    fn an_error_comes_back_as_a_negative_errno() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("f"), [0; 4096]).unwrap();
        let reading = std::fs::File::open(dir.path().join("f")).unwrap();
        let mut q = BlockingQueue::new(FileSet::new(vec![reading]).unwrap(), Call::Positioned, 4096).unwrap();
        assert_eq!(q.perform(&ask(IoKind::Write, 0)).result, -crate::errno::EACCES);
    }
}
