//! Shared mappings of files: I/O through the page cache without read or write calls, one operation at a time.

use super::buffers::BufferPool;
use super::file_set::FileSet;
use super::memory::Mapping;
use super::rw::sync;
use crate::common::{Advice, IoKind, Reaped, Submission};
use crate::linux::errno::last_errno;
use crate::linux::files::{is_direct, is_sync};
use std::io;
use std::os::fd::AsFd;

/// Files mapped as shared.
///
/// If a file shrinks or its device fails, the kernel sends SIGBUS and the process dies: the run's supervisor reports
/// it, and the journal keeps the results so far.
#[derive(Debug)]
pub struct MappedQueue {
    files: FileSet,
    maps: Vec<Map>,
    writable: bool,
    pool: BufferPool,
}

#[derive(Debug)]
struct Map {
    shared: Mapping,
    /// True if each write is made durable: the equivalent of O_SYNC and O_DIRECT without a write call.
    durable: bool,
    /// True if pages are dropped from the cache after each operation: the closest equivalent of O_DIRECT (as in fio).
    drop: bool,
}

impl MappedQueue {
    /// Maps each file from its start, with the given lengths in bytes.
    ///
    /// # Errors
    /// As `mmap(2)`; `InvalidInput` unless there is one length per file.
    pub fn new(files: FileSet, lens: &[u64], writable: bool, advice: Advice, buffer_size: usize) -> io::Result<Self> {
        if lens.len() != files.files().len() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "each file needs a length"));
        }
        let mut maps = Vec::with_capacity(lens.len());
        for (file, len) in files.files().iter().zip(lens) {
            let len = usize::try_from(*len).map_err(|_| io::Error::from_raw_os_error(libc::EFBIG))?;
            let shared = Mapping::shared(file.as_fd(), len, writable)?;
            match advice {
                Advice::None => {}
                Advice::Sequential => shared.advise(0, len, libc::MADV_SEQUENTIAL),
                Advice::Random => shared.advise(0, len, libc::MADV_RANDOM),
            }
            let drop = is_direct(file);
            maps.push(Map { shared, durable: drop || is_sync(file), drop });
        }
        Ok(MappedQueue { files, maps, writable, pool: BufferPool::new(1, buffer_size)? })
    }

    /// Returns notes about unavailable features: none on Linux.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &[]
    }

    /// Returns the buffer.
    #[inline]
    pub fn buffer(&mut self) -> &mut [u8] {
        self.pool.slot_mut(0)
    }

    /// Copies to or from the mapping, never beyond its end. A data sync calls msync on the whole mapping, a full sync
    /// calls fsync; a discard deallocates the range.
    #[inline]
    pub fn perform(&mut self, s: &Submission) -> Reaped {
        let map = &self.maps[usize::from(s.file)];
        let answer = |result: i32| Reaped { slot: s.slot, result };
        match s.kind {
            // The same error as write(2) on a file open for reading; a store would kill the process.
            IoKind::Write if !self.writable => answer(-libc::EBADF),
            IoKind::Read | IoKind::Write => {
                let buffer = self.pool.part(0, s.skip, s.len);
                let at = usize::try_from(s.at).map_or(map.shared.len(), |at| at.min(map.shared.len()));
                let len = (s.len as usize).min(map.shared.len() - at);
                // SAFETY: at + len is inside the mapping and skip + len inside the buffer; the two do not overlap.
                // Another process may change the file at the same time, so the bytes are only copied, as with any
                // shared memory, and never accessed through a reference.
                unsafe {
                    let file = map.shared.base().add(at);
                    if s.kind == IoKind::Read {
                        std::ptr::copy_nonoverlapping(file, buffer, len);
                    } else {
                        std::ptr::copy_nonoverlapping(buffer, file, len);
                    }
                }
                let errno = map.after(s.kind == IoKind::Write, at, len);
                answer(if errno == 0 { len as i32 } else { errno })
            }
            IoKind::DataSync => answer(map.shared.sync(0, map.shared.len())),
            IoKind::Sync => answer(sync(self.files.fd(s.file), s.kind)),
            IoKind::Discard => answer(self.files.discard(s.file, s.at, s.len)),
        }
    }
}

impl Map {
    /// Completes a copy: syncs and drops pages as required. Returns 0 or a negative errno.
    #[inline]
    fn after(&self, wrote: bool, at: usize, len: usize) -> i32 {
        let errno = if self.durable && wrote { self.shared.sync(at, len) } else { 0 };
        if self.drop && errno == 0 {
            self.shared.advise(at, len, libc::MADV_DONTNEED);
        }
        errno
    }
}

impl Mapping {
    /// Returns the whole pages that contain a part of the mapping.
    fn pages(&self, at: usize, len: usize) -> (*mut libc::c_void, usize) {
        // SAFETY: the call accesses no memory.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
        let start = at.min(self.len()) / page * page;
        let end = at.saturating_add(len).min(self.len());
        // SAFETY: start is inside the mapping or at its end.
        (unsafe { self.base().add(start) }.cast(), end - start)
    }

    /// Advises the kernel about a part of the mapping; failures are ignored.
    fn advise(&self, at: usize, len: usize, advice: libc::c_int) {
        let (base, bytes) = self.pages(at, len);
        // SAFETY: the range is inside this mapping of a file; the advice values used here do not change its contents.
        unsafe { libc::madvise(base, bytes, advice) };
    }

    /// Calls msync(2) on a part of the mapping. Returns 0 or a negative errno.
    fn sync(&self, at: usize, len: usize) -> i32 {
        let (base, bytes) = self.pages(at, len);
        // SAFETY: the range is inside this mapping.
        if unsafe { libc::msync(base, bytes, libc::MS_SYNC) } == 0 { 0 } else { -last_errno() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    fn queue(files: &[&std::fs::File], writable: bool) -> MappedQueue {
        let set = FileSet::new(files.iter().map(|f| f.try_clone().unwrap()).collect()).unwrap();
        MappedQueue::new(set, &vec![8192; files.len()], writable, Advice::Random, 4096).unwrap()
    }

    fn file(byte: u8) -> std::fs::File {
        let f = tempfile::tempfile().unwrap();
        f.write_all_at(&[byte; 8192], 0).unwrap();
        f
    }

    fn ask(kind: IoKind, file: u16, at: u64, len: u32) -> Submission {
        Submission { slot: 0, kind, file, at, len, skip: 0 }
    }

    #[test]
    fn a_write_to_a_mapping_for_reading_is_an_error_and_not_the_end_of_the_process() {
        let mut q = queue(&[&file(5)], false);
        assert_eq!(q.perform(&ask(IoKind::Write, 0, 0, 4096)).result, -libc::EBADF);
    }

    #[test]
    fn mappings_show_what_the_files_hold() {
        let (a, b) = (file(5), file(7));
        let mut q = queue(&[&a, &b], true);
        assert_eq!(q.perform(&ask(IoKind::Read, 1, 4096, 4096)).result, 4096);
        assert!(q.buffer().iter().all(|b| *b == 7));
        q.buffer().fill(8);
        assert_eq!(q.perform(&ask(IoKind::Write, 0, 512, 1024)).result, 1024);
        for kind in [IoKind::DataSync, IoKind::Sync] {
            assert_eq!(q.perform(&ask(kind, 0, 0, 0)).result, 0);
        }
        let mut back = [0; 2048];
        a.read_exact_at(&mut back, 0).unwrap();
        assert!(back[512..1536].iter().all(|b| *b == 8) && back[..512].iter().all(|b| *b == 5));
        assert_eq!(q.perform(&ask(IoKind::Read, 0, 8192, 4096)).result, 0, "beyond the end is the end");
        assert_eq!(q.perform(&ask(IoKind::Discard, 1, 4096, 4096)).result, 4096);
        assert_eq!(q.perform(&ask(IoKind::Read, 1, 4096, 4096)).result, 4096);
        assert!(q.buffer().iter().all(|b| *b == 0));
    }

    #[test]
    fn where_pages_leave_the_cache_the_file_keeps_what_was_written() {
        let f = file(5);
        let mut q = queue(&[&f], true);
        (q.maps[0].durable, q.maps[0].drop) = (true, true);
        q.buffer().fill(9);
        assert_eq!(q.perform(&ask(IoKind::Write, 0, 100, 200)).result, 200);
        assert_eq!(q.perform(&ask(IoKind::Read, 0, 0, 400)).result, 400);
        assert!(q.buffer()[100..300].iter().all(|b| *b == 9) && q.buffer()[300..400].iter().all(|b| *b == 5));
    }
}
