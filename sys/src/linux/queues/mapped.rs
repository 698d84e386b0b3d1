//! Shared mappings of files: the page cache's own path, one operation at a time.

use super::buffers::{BufferPool, Mapping};
use super::file_set::FileSet;
use super::rw::sync;
use crate::common::{Advice, IoKind, Reaped, Submission};
use crate::linux::errno::last_errno;
use crate::linux::files::{is_direct, is_sync};
use std::io;
use std::os::fd::AsFd;

/// Files mapped shared.
///
/// When a file shrinks or the device fails under it, the kernel sends SIGBUS and the process dies: the run's
/// supervisor says so and the journal keeps what was measured.
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
    /// Each write is made durable: what O_SYNC and O_DIRECT come to where there is no system call to write.
    durable: bool,
    /// Pages leave the cache after each operation: the nearest to O_DIRECT there is (as in fio).
    drop: bool,
}

impl MappedQueue {
    /// Maps so many bytes of each file from its start.
    ///
    /// # Errors
    /// As `mmap(2)`; `InvalidInput` without a length for each file.
    pub fn new(files: FileSet, lens: &[u64], writable: bool, advice: Advice, buffer_size: usize) -> io::Result<Self> {
        if lens.len() != files.files().len() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a length for each file"));
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

    /// What had to be done without: nothing here.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &[]
    }

    /// The buffer.
    #[inline]
    pub fn buffer(&mut self) -> &mut [u8] {
        self.pool.slot_mut(0)
    }

    /// Copies to or from the mapping, never beyond it; a sync of data is msync of the whole mapping, a full one fsync; a
    /// discard gives the range back.
    #[inline]
    pub fn perform(&mut self, s: &Submission) -> Reaped {
        let map = &self.maps[usize::from(s.file)];
        let answer = |result: i32| Reaped { slot: s.slot, result };
        match s.kind {
            // As write(2) answers on a file open for reading; the processor would end the process.
            IoKind::Write if !self.writable => answer(-libc::EBADF),
            IoKind::Read | IoKind::Write => {
                let buffer = self.pool.part(0, s.skip, s.len);
                let at = usize::try_from(s.at).map_or(map.shared.len(), |at| at.min(map.shared.len()));
                let len = (s.len as usize).min(map.shared.len() - at);
                // SAFETY: at + len lies inside the mapping and skip + len inside the buffer; the two do not overlap.
                // Another process may change the file meanwhile, so the bytes are only ever copied, by the kernel's
                // own rules for shared memory, and never looked at through a reference.
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
    /// What follows a copy: 0 or a negative errno.
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
    /// The whole pages of a part.
    fn pages(&self, at: usize, len: usize) -> (*mut libc::c_void, usize) {
        // SAFETY: the call touches no memory.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
        let start = at.min(self.len()) / page * page;
        let end = at.saturating_add(len).min(self.len());
        // SAFETY: start lies inside the mapping or at its end.
        (unsafe { self.base().add(start) }.cast(), end - start)
    }

    /// Gives the kernel advice on a part; it may take it or not.
    fn advise(&self, at: usize, len: usize, advice: libc::c_int) {
        let (base, bytes) = self.pages(at, len);
        // SAFETY: the range lies inside our mapping of a file; the advices given here change no contents of one.
        unsafe { libc::madvise(base, bytes, advice) };
    }

    /// msync(2) of a part: 0 or a negative errno.
    fn sync(&self, at: usize, len: usize) -> i32 {
        let (base, bytes) = self.pages(at, len);
        // SAFETY: the range lies inside our mapping.
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
