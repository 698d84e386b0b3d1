//! Blocking reads and writes: queues of depth one, and one that merges adjacent requests.

use super::buffers::BufferPool;
use super::file_set::FileSet;
use crate::common::{Call, Flags, IoKind, Reaped, Submission};
use crate::linux::errno::last_errno;
use std::io;
use std::os::fd::RawFd;

impl Flags {
    fn bits(self) -> libc::c_int {
        (if self.poll { libc::RWF_HIPRI } else { 0 }) | (if self.nowait { libc::RWF_NOWAIT } else { 0 })
    }
}

/// Files with one buffer, one operation at a time.
#[derive(Debug)]
pub struct BlockingQueue {
    files: FileSet,
    pool: BufferPool,
    call: Call,
    /// Position of each file; for [`Call::Seeking`].
    stands: Box<[u64]>,
}

/// Unknown file position.
const NOWHERE: u64 = u64::MAX;

impl BlockingQueue {
    /// Creates a queue of these files and maps one buffer.
    ///
    /// # Errors
    /// If the buffer cannot be mapped.
    pub fn new(files: FileSet, call: Call, buffer_size: usize) -> io::Result<Self> {
        let stands = vec![NOWHERE; files.fds().len()].into();
        Ok(BlockingQueue { files, pool: BufferPool::new(1, buffer_size)?, call, stands })
    }

    /// Returns the buffer.
    #[inline]
    pub fn buffer(&mut self) -> &mut [u8] {
        self.pool.slot_mut(0)
    }

    /// Performs one operation; the result is the number of bytes or a negative errno. After an interrupting signal the
    /// call is repeated. Panics on a length beyond the buffer.
    #[inline]
    pub fn perform(&mut self, s: &Submission) -> Reaped {
        let buffer = self.pool.part(0, s.skip, s.buffered()).cast::<libc::c_void>();
        let (fd, len, at) = (self.files.fd(s.file), s.len as usize, s.at as libc::off_t);
        let write = s.kind == IoKind::Write;
        loop {
            let result = match (s.kind, self.call) {
                // SAFETY: buffer..buffer+len is inside our mapping, and no other reference to it exists meanwhile.
                (IoKind::Read, Call::Positioned) => unsafe { positioned(false, fd, buffer, len, at) },
                // SAFETY: as above.
                (IoKind::Write, Call::Positioned) => unsafe { positioned(true, fd, buffer, len, at) },
                (IoKind::Read | IoKind::Write, Call::Seeking) => {
                    let stands = &mut self.stands[usize::from(s.file)];
                    // SAFETY: as above.
                    unsafe { seeking(write, fd, stands, buffer, len, s.at) }
                }
                (IoKind::Read | IoKind::Write, Call::Vector | Call::Flagged(_)) => {
                    let flags = if let Call::Flagged(flags) = self.call { flags.bits() } else { 0 };
                    let piece = libc::iovec { iov_base: buffer, iov_len: len };
                    // SAFETY: as above; the iovec lives until the call returns.
                    unsafe {
                        match (write, flags) {
                            (false, 0) => libc::preadv(fd, &raw const piece, 1, at),
                            (true, 0) => libc::pwritev(fd, &raw const piece, 1, at),
                            // The C library has the variants with flags only since 2017 (glibc 2.26). The kernel takes
                            // the offset in two words, the lower one first, which holds all of it in 64 bits.
                            _ => {
                                let number = if write { libc::SYS_pwritev2 } else { libc::SYS_preadv2 };
                                libc::syscall(number, fd, &raw const piece, 1_usize, at, 0_usize, flags) as isize
                            }
                        }
                    }
                }
                (IoKind::DataSync | IoKind::Sync, _) => return Reaped { slot: s.slot, result: sync(fd, s.kind) },
                (IoKind::Discard, _) => {
                    return Reaped { slot: s.slot, result: self.files.discard(s.file, s.at, s.len) };
                }
            };
            let result = if result < 0 { -last_errno() } else { result as i32 };
            if result != -libc::EINTR {
                return Reaped { slot: s.slot, result };
            }
        }
    }
}

/// Calls fdatasync(2) or fsync(2). Returns 0 or a negative errno.
pub(crate) fn sync(fd: RawFd, kind: IoKind) -> i32 {
    loop {
        // SAFETY: the calls access no memory of this process.
        let result = unsafe { if kind == IoKind::Sync { libc::fsync(fd) } else { libc::fdatasync(fd) } };
        let errno = if result == 0 { 0 } else { -last_errno() };
        if errno != -libc::EINTR {
            return errno;
        }
    }
}

/// Calls lseek(2) unless the file is already at this position, then read(2) or write(2).
///
/// # Safety
/// `buffer` must be valid for `len` bytes: for writes if the operation is a read, for reads if it is a write.
unsafe fn seeking(write: bool, fd: RawFd, stands: &mut u64, buffer: *mut libc::c_void, len: usize, at: u64) -> isize {
    let before = std::mem::replace(stands, NOWHERE);
    // SAFETY: lseek accesses no memory; the caller guarantees the rest.
    let result = unsafe {
        if before != at && libc::lseek(fd, at as libc::off_t, libc::SEEK_SET) < 0 {
            return -1;
        }
        if write { libc::write(fd, buffer, len) } else { libc::read(fd, buffer, len) }
    };
    if result >= 0 {
        *stands = at + result as u64;
    }
    result
}

/// Files with a buffer for each of several operations; one call performs adjacent operations (readv(2), writev(2)).
#[derive(Debug)]
pub struct GatheringQueue {
    files: FileSet,
    pool: BufferPool,
    stands: Box<[u64]>,
    pieces: Vec<libc::iovec>,
}

// SAFETY: the addresses kept between calls point into the queue's own buffers.
unsafe impl Send for GatheringQueue {}

impl GatheringQueue {
    /// Creates a queue of these files and maps `depth` buffers.
    ///
    /// # Errors
    /// If the buffers cannot be mapped.
    pub fn new(files: FileSet, depth: u32, buffer_size: usize) -> io::Result<Self> {
        let depth = depth.max(1) as usize;
        let stands = vec![NOWHERE; files.fds().len()].into();
        let pool = BufferPool::new(depth, buffer_size)?;
        Ok(GatheringQueue { files, pool, stands, pieces: Vec::with_capacity(depth) })
    }

    /// Returns the buffer of a slot.
    pub fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.pool.slot_mut(slot as usize)
    }

    /// Returns the number of leading submissions, at least one, that can be merged into one call: reads or writes of
    /// one file, each beginning at the end of the previous one.
    #[must_use]
    pub fn neighbours(submissions: &[Submission]) -> usize {
        let joined = |pair: &[Submission]| {
            let (a, b) = (&pair[0], &pair[1]);
            matches!(a.kind, IoKind::Read | IoKind::Write)
                && (a.kind, a.file, a.at + u64::from(a.len)) == (b.kind, b.file, b.at)
        };
        let most = submissions.len().min(libc::UIO_MAXIOV as usize);
        1 + submissions[..most].windows(2).take_while(|pair| joined(pair)).count()
    }

    /// Performs adjacent operations, as counted by [`GatheringQueue::neighbours`], in one call. Panics on a length
    /// beyond its buffer.
    pub fn perform(&mut self, group: &[Submission], mut done: impl FnMut(Reaped)) {
        let Some(first) = group.first() else { return };
        let fd = self.files.fd(first.file);
        let whole = match first.kind {
            IoKind::DataSync | IoKind::Sync => sync(fd, first.kind),
            IoKind::Discard => self.files.discard(first.file, first.at, first.len),
            IoKind::Read | IoKind::Write => self.transfer(fd, group),
        };
        let mut left = whole;
        for s in group {
            let result = if whole < 0 { whole } else { left.min(s.len as i32) };
            left -= result.max(0);
            done(Reaped { slot: s.slot, result });
        }
    }

    fn transfer(&mut self, fd: RawFd, group: &[Submission]) -> i32 {
        self.pieces.clear();
        for s in group {
            let buffer = self.pool.part(s.slot as usize, s.skip, s.len);
            self.pieces.push(libc::iovec { iov_base: buffer.cast(), iov_len: s.len as usize });
        }
        let first = &group[0];
        let stands = &mut self.stands[usize::from(first.file)];
        loop {
            let before = std::mem::replace(stands, NOWHERE);
            // SAFETY: every iovec is inside its slot of our mapping, and no reference to it exists during the call;
            // lseek accesses no memory.
            let result = unsafe {
                if before != first.at && libc::lseek(fd, first.at as libc::off_t, libc::SEEK_SET) < 0 {
                    return -last_errno();
                }
                let (pieces, count) = (self.pieces.as_ptr(), self.pieces.len() as libc::c_int);
                if first.kind == IoKind::Write {
                    libc::writev(fd, pieces, count)
                } else {
                    libc::readv(fd, pieces, count)
                }
            };
            if result >= 0 {
                *stands = first.at + result as u64;
                return result as i32;
            }
            if last_errno() != libc::EINTR {
                return -last_errno();
            }
        }
    }
}

/// Calls pread(2) or pwrite(2) by system call number. The C library's functions are cancellation points: in a process
/// with several threads they change the thread's state before and after the call (25 ns of 90 per operation).
///
/// # Safety
/// `buffer` must be valid for `len` bytes: for writes if the operation is a read, for reads if it is a write.
#[inline(always)]
unsafe fn positioned(write: bool, fd: RawFd, buffer: *mut libc::c_void, len: usize, at: libc::off_t) -> isize {
    #[cfg(target_pointer_width = "64")]
    // SAFETY: guaranteed by the caller; the arguments are those of the calls on every 64-bit Linux.
    unsafe {
        let number = if write { libc::SYS_pwrite64 } else { libc::SYS_pread64 };
        libc::syscall(number, fd, buffer, len, at) as isize
    }
    #[cfg(not(target_pointer_width = "64"))]
    // SAFETY: guaranteed by the caller.
    unsafe {
        if write { libc::pwrite(fd, buffer, len, at) } else { libc::pread(fd, buffer, len, at) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    fn file(byte: u8) -> std::fs::File {
        let f = tempfile::tempfile().unwrap();
        f.write_all_at(&[byte; 8192], 0).unwrap();
        f
    }

    fn set(files: Vec<std::fs::File>) -> FileSet {
        FileSet::new(files).unwrap()
    }

    fn ask(kind: IoKind, at: u64, len: u32) -> Submission {
        Submission { slot: 0, kind, file: 0, at, len, skip: 0 }
    }

    #[test]
    fn every_call_reads_writes_and_sees_the_end() {
        for call in [Call::Positioned, Call::Seeking, Call::Vector, Call::Flagged(Flags::default())] {
            let mut q = BlockingQueue::new(set(vec![file(5), file(7)]), call, 4096).unwrap();
            assert_eq!(q.perform(&ask(IoKind::Read, 4096, 4096)).result, 4096);
            assert!(q.buffer().iter().all(|b| *b == 5));
            assert_eq!(q.perform(&ask(IoKind::Read, 6144, 4096)).result, 2048);
            assert_eq!(q.perform(&ask(IoKind::Read, 8192, 4096)).result, 0);
            q.buffer().fill(6);
            assert_eq!(q.perform(&ask(IoKind::Write, 0, 4096)).result, 4096);
            assert_eq!(q.perform(&ask(IoKind::DataSync, 0, 0)).result, 0);
            assert_eq!(q.perform(&ask(IoKind::Sync, 0, 0)).result, 0);
            assert_eq!(q.perform(&Submission { file: 1, ..ask(IoKind::Read, 0, 4096) }).result, 4096);
            assert!(q.buffer().iter().all(|b| *b == 7));
            // This is the file position after the write above.
            assert_eq!(q.perform(&ask(IoKind::Read, 4096, 512)).result, 512);
            assert!(q.buffer()[..512].iter().all(|b| *b == 5));
            assert_eq!(q.perform(&ask(IoKind::Discard, 0, 4096)).result, 4096);
            assert_eq!(q.perform(&ask(IoKind::Read, 0, 4096)).result, 4096);
            assert!(q.buffer().iter().all(|b| *b == 0));
        }
    }

    #[test]
    fn neighbours_move_together_and_each_gets_its_own() {
        let f = file(5);
        f.write_all_at(&[6; 4096], 4096).unwrap();
        let mut q = GatheringQueue::new(set(vec![f]), 4, 4096).unwrap();
        let read = |slot, at, len| Submission { slot, ..ask(IoKind::Read, at, len) };
        let asked = [read(2, 2048, 2048), read(0, 4096, 3072), read(3, 7168, 2048), read(1, 0, 512)];
        assert_eq!(GatheringQueue::neighbours(&asked), 3);
        assert_eq!(GatheringQueue::neighbours(&asked[3..]), 1);
        let mut done = Vec::new();
        q.perform(&asked[..3], |r| done.push((r.slot, r.result)));
        assert_eq!(done, [(2, 2048), (0, 3072), (3, 1024)], "the last one meets the end of the file");
        assert!(q.buffer(2)[..2048].iter().all(|b| *b == 5) && q.buffer(0)[..3072].iter().all(|b| *b == 6));
        let different = [asked[0], Submission { kind: IoKind::Write, ..asked[1] }];
        assert_eq!(GatheringQueue::neighbours(&different), 1);
        let syncs = [ask(IoKind::DataSync, 0, 0), ask(IoKind::DataSync, 0, 0)];
        assert_eq!(GatheringQueue::neighbours(&syncs), 1);
    }

    #[test]
    fn errors_are_negative_errnos() {
        let null = std::fs::File::open("/dev/null").unwrap();
        let mut q = BlockingQueue::new(set(vec![null]), Call::Positioned, 512).unwrap();
        assert_eq!(q.perform(&ask(IoKind::Write, 0, 512)).result, -libc::EBADF);
    }
}
