//! Shared mappings of files: access directly in the page cache, one operation at a time.

use super::buffers::BufferPool;
use super::file_set::FileSet;
use super::rw::sync;
use crate::common::{Advice, IoKind, Reaped, Submission};
use crate::errno;
use crate::windows::errno::last_errno;
use crate::windows::files::{is_direct, is_sync};
use crate::windows::nt;
use std::fs::File;
use std::io;
use std::ptr::NonNull;
use windows_sys::Win32::Foundation::CloseHandle;
use windows_sys::Win32::System::Memory::{
    CreateFileMappingW, FILE_MAP_READ, FILE_MAP_WRITE, FlushViewOfFile, MEMORY_MAPPED_VIEW_ADDRESS, MapViewOfFile,
    PAGE_READONLY, PAGE_READWRITE, UnmapViewOfFile,
};

/// Files mapped shared.
///
/// If the device fails, the system raises an exception and the process dies: the supervisor of the run reports that,
/// and the journal keeps what was measured.
#[derive(Debug)]
pub struct MappedQueue {
    files: FileSet,
    maps: Vec<Map>,
    writable: bool,
    pool: BufferPool,
    notes: Vec<String>,
}

#[derive(Debug)]
struct Map {
    base: NonNull<u8>,
    len: usize,
    /// True if each write is flushed: the equivalent of FILE_FLAG_WRITE_THROUGH for a mapping, which has no write
    /// calls.
    durable: bool,
}

// SAFETY: a view belongs to the process, not to a thread; access follows the borrow of the owner.
unsafe impl Send for Map {}

impl Map {
    fn new(file: &File, len: u64, writable: bool) -> io::Result<Map> {
        let bytes = usize::try_from(len).map_err(|_| io::Error::from_raw_os_error(errno::EFBIG))?;
        let (protection, access) =
            if writable { (PAGE_READWRITE, FILE_MAP_READ | FILE_MAP_WRITE) } else { (PAGE_READONLY, FILE_MAP_READ) };
        let (high, low, none) = ((len >> 32) as u32, len as u32, std::ptr::null());
        // SAFETY: the handle is open; a new view at an address chosen by the system does not overlap other memory. The
        // view outlives the handle of the mapping, which is closed once.
        let view = unsafe {
            let mapping = CreateFileMappingW(nt::handle(file), none, protection, high, low, std::ptr::null());
            if mapping.is_null() {
                return Err(io::Error::last_os_error());
            }
            let view = MapViewOfFile(mapping, access, 0, 0, bytes);
            let error = io::Error::last_os_error();
            CloseHandle(mapping);
            NonNull::new(view.Value.cast::<u8>()).ok_or(error)?
        };
        Ok(Map { base: view, len: bytes, durable: is_sync(file) })
    }

    /// Calls FlushViewOfFile for a part of the view. Returns 0 or a negative errno.
    fn flush(&self, at: usize, len: usize) -> i32 {
        // SAFETY: the range is inside the view.
        let done = unsafe { FlushViewOfFile(self.base.as_ptr().add(at).cast(), len) };
        if done == 0 { -last_errno() } else { 0 }
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: this value owns the view; there are no references, since `drop` has `&mut self`.
        unsafe { UnmapViewOfFile(MEMORY_MAPPED_VIEW_ADDRESS { Value: self.base.as_ptr().cast() }) };
    }
}

impl MappedQueue {
    /// Maps the first bytes of each file, as many as `lens` has for it.
    ///
    /// # Errors
    /// Errors of `MapViewOfFile`; `InvalidInput` unless there is a length for each file; `Unsupported` for files opened
    /// unbuffered, because a view is the page cache. Advice is ignored, which [`MappedQueue::notes`] reports.
    pub fn new(files: FileSet, lens: &[u64], writable: bool, advice: Advice, buffer_size: usize) -> io::Result<Self> {
        if lens.len() != files.files().len() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "each file needs a length"));
        }
        let unsupported = |why: &str| Err(io::Error::new(io::ErrorKind::Unsupported, why));
        let mut notes = Vec::new();
        if advice != Advice::None {
            notes.push("mmap: Windows does not support access-pattern hints for mappings (madvise)".to_owned());
        }
        if files.files().iter().any(is_direct) {
            return unsupported("on Windows a mapping always uses the page cache, so direct=1 is not possible");
        }
        let maps = files.files().iter().zip(lens).map(|(file, len)| Map::new(file, *len, writable));
        let maps = maps.collect::<io::Result<Vec<_>>>()?;
        Ok(MappedQueue { files, maps, writable, pool: BufferPool::new(1, buffer_size)?, notes })
    }

    /// Returns notes about features that are unavailable.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns the buffer.
    #[inline]
    pub fn buffer(&mut self) -> &mut [u8] {
        self.pool.slot_mut(0)
    }

    /// Copies to or from the mapping, never beyond it; a sync flushes the whole view, then the file. A discard is
    /// rejected, because mapped ranges cannot be deallocated.
    #[inline]
    pub fn perform(&mut self, s: &Submission) -> Reaped {
        let map = &self.maps[usize::from(s.file)];
        let answer = |result: i32| Reaped { slot: s.slot, result };
        match s.kind {
            // Writing would end the process with an access violation.
            IoKind::Write if !self.writable => answer(-errno::EACCES),
            IoKind::Read | IoKind::Write => {
                let buffer = self.pool.part(0, s.skip, s.len);
                let at = usize::try_from(s.at).map_or(map.len, |at| at.min(map.len));
                let len = (s.len as usize).min(map.len - at);
                // SAFETY: at + len is inside the view and skip + len inside the buffer; the two do not overlap. Another
                // process may change the file meanwhile, so the bytes are only copied and never accessed through a
                // reference.
                unsafe {
                    let file = map.base.as_ptr().add(at);
                    if s.kind == IoKind::Read {
                        std::ptr::copy_nonoverlapping(file, buffer, len);
                    } else {
                        std::ptr::copy_nonoverlapping(buffer, file, len);
                    }
                }
                let durable = s.kind == IoKind::Write && map.durable && len > 0;
                let errno = if durable { map.flush(at, len) } else { 0 };
                answer(if errno == 0 { len as i32 } else { errno })
            }
            IoKind::DataSync | IoKind::Sync => match map.flush(0, 0) {
                0 => answer(sync(self.files.handle(s.file))),
                errno => answer(errno),
            },
            IoKind::Discard => answer(-errno::EOPNOTSUPP),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::windows::fs::FileExt;

    fn queue(writable: bool) -> (File, MappedQueue) {
        let file = tempfile::tempfile().unwrap();
        file.seek_write(&[7; 8192], 0).unwrap();
        let files = FileSet::new(vec![file.try_clone().unwrap()]).unwrap();
        (file, MappedQueue::new(files, &[8192], writable, Advice::None, 4096).unwrap())
    }

    fn ask(kind: IoKind, at: u64) -> Submission {
        Submission { slot: 0, kind, file: 0, at, len: 4096, skip: 0 }
    }

    #[test]
    fn reads_writes_and_syncs() {
        let (file, mut q) = queue(true);
        assert_eq!(q.perform(&ask(IoKind::Read, 4096)).result, 4096);
        assert!(q.buffer().iter().all(|b| *b == 7));
        q.buffer().fill(9);
        assert_eq!(q.perform(&ask(IoKind::Write, 0)).result, 4096);
        assert_eq!(q.perform(&ask(IoKind::Sync, 0)).result, 0);
        assert_eq!(q.perform(&ask(IoKind::Read, 8192)).result, 0);
        drop(q);
        let mut back = [0; 4096];
        file.seek_read(&mut back, 0).unwrap();
        assert!(back.iter().all(|b| *b == 9));
    }

    #[test]
    fn what_cannot_be_had_is_answered_or_refused() {
        let (file, mut q) = queue(false);
        assert_eq!(q.perform(&ask(IoKind::Write, 0)).result, -errno::EACCES);
        assert_eq!(q.perform(&ask(IoKind::Discard, 0)).result, -errno::EOPNOTSUPP);
        let files = FileSet::new(vec![file]).unwrap();
        let advised = MappedQueue::new(files, &[8192], false, Advice::Random, 4096).unwrap();
        assert!(advised.notes()[0].contains("madvise"));
    }
}
