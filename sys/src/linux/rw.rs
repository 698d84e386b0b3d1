//! Blocking reads and writes at an offset, and a shared mapping: the queues of depth one.

use super::buffers::{BufferPool, Mapping};
use super::queue::{IoKind, Reaped, Submission};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};

/// Opens the same file anew, with the flags it was opened with but its own file position.
///
/// # Errors
/// When /proc is not mounted or the file may not be opened again.
pub fn reopen(file: &std::fs::File) -> io::Result<std::fs::File> {
    use std::os::unix::fs::OpenOptionsExt;
    let fd = file.as_raw_fd();
    // SAFETY: the call takes and returns integers.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFL) };
    if flags < 0 {
        return Err(io::Error::last_os_error());
    }
    let mode = flags & libc::O_ACCMODE;
    std::fs::OpenOptions::new()
        .read(mode != libc::O_WRONLY)
        .write(mode != libc::O_RDONLY)
        // The path below is a link, and the one way to this very file: a file opened with O_NOFOLLOW says so for ever.
        .custom_flags(flags & !(libc::O_ACCMODE | libc::O_NOFOLLOW))
        .open(format!("/proc/self/fd/{fd}"))
}

/// Whether the file was opened past the page cache (O_DIRECT).
#[must_use]
pub fn is_direct(file: &std::fs::File) -> bool {
    // SAFETY: the call takes and returns integers.
    let flags = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETFL) };
    flags >= 0 && flags & libc::O_DIRECT != 0
}

/// How a blocking queue moves data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// pread(2), pwrite(2).
    Positioned,
    /// lseek(2), then read(2) or write(2): the file position is the descriptor's own, so each queue needs its own open
    /// file.
    Seeking,
}

/// A file with one buffer, one operation at a time.
#[derive(Debug)]
pub struct BlockingQueue {
    file: OwnedFd,
    pool: BufferPool,
    call: Call,
    is_device: bool,
}

impl BlockingQueue {
    /// Takes the file and maps one buffer.
    ///
    /// # Errors
    /// When the buffer cannot be mapped.
    pub fn new(file: OwnedFd, call: Call, is_device: bool, buffer_size: usize) -> io::Result<Self> {
        Ok(BlockingQueue { file, pool: BufferPool::new(1, buffer_size)?, call, is_device })
    }

    /// The buffer.
    #[inline]
    pub fn buffer(&mut self) -> &mut [u8] {
        self.pool.slot_mut(0)
    }

    /// Performs one operation; the answer is the number of bytes or a negative errno. An interrupting signal is
    /// not an answer: the call is made again. Panics on a length beyond the buffer.
    #[inline]
    pub fn perform(&mut self, s: &Submission) -> Reaped {
        let buffer = self.pool.part(0, s.skip, s.len).cast::<libc::c_void>();
        let (fd, len, at) = (self.file.as_raw_fd(), s.len as usize, s.at as libc::off_t);
        loop {
            let result = match (s.kind, self.call) {
                // SAFETY: buffer..buffer+len lies inside our mapping and nobody else refers to it during the call.
                (IoKind::Read, Call::Positioned) => unsafe { positioned(false, fd, buffer, len, at) },
                // SAFETY: as above.
                (IoKind::Write, Call::Positioned) => unsafe { positioned(true, fd, buffer, len, at) },
                // SAFETY: as above; lseek touches no memory.
                (IoKind::Read, Call::Seeking) => unsafe {
                    if libc::lseek(fd, at, libc::SEEK_SET) < 0 { -1 } else { libc::read(fd, buffer, len) }
                },
                // SAFETY: as above.
                (IoKind::Write, Call::Seeking) => unsafe {
                    if libc::lseek(fd, at, libc::SEEK_SET) < 0 { -1 } else { libc::write(fd, buffer, len) }
                },
                // SAFETY: the call touches no memory of ours.
                (IoKind::DataSync, _) => unsafe { libc::fdatasync(fd) as isize },
                (IoKind::Discard, _) => discard(fd, self.is_device, s.at, u64::from(s.len)),
            };
            let result = match result {
                -1 => -last_errno(),
                n if s.kind == IoKind::Discard => s.len as i32 + n as i32,
                n => n as i32,
            };
            if result != -libc::EINTR {
                return Reaped { slot: s.slot, result };
            }
        }
    }
}

fn last_errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
}

/// pread(2) or pwrite(2) by number: the C library's functions are points of cancellation, for which they change the
/// thread's state before and after in a process of several threads (25 ns of 90 an operation).
///
/// # Safety
/// `buffer` must be valid for `len` bytes, to be written to by a read and to be read by a write.
#[inline(always)]
unsafe fn positioned(write: bool, fd: RawFd, buffer: *mut libc::c_void, len: usize, at: libc::off_t) -> isize {
    #[cfg(target_pointer_width = "64")]
    // SAFETY: handed on to the caller; the arguments are those of the calls on every 64-bit Linux.
    unsafe {
        let number = if write { libc::SYS_pwrite64 } else { libc::SYS_pread64 };
        libc::syscall(number, fd, buffer, len, at) as isize
    }
    #[cfg(not(target_pointer_width = "64"))]
    // SAFETY: handed on to the caller.
    unsafe {
        if write { libc::pwrite(fd, buffer, len, at) } else { libc::pread(fd, buffer, len, at) }
    }
}

/// `_IO(0x12, 119)`.
const BLKDISCARD: libc::c_ulong = 0x1277;

fn discard(fd: RawFd, is_device: bool, at: u64, len: u64) -> isize {
    if is_device {
        let range = [at, len];
        // SAFETY: the request reads two 64-bit numbers, which live until it returns.
        return unsafe { libc::ioctl(fd, BLKDISCARD, range.as_ptr()) as isize };
    }
    let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
    // SAFETY: the call touches no memory of ours.
    unsafe { libc::fallocate(fd, mode, at as libc::off_t, len as libc::off_t) as isize }
}

/// A file mapped shared.
///
/// When the file shrinks or the device fails under it, the kernel sends SIGBUS and the process dies: the run's
/// supervisor says so and the journal keeps what was measured.
#[derive(Debug)]
pub struct MappedQueue {
    file: OwnedFd,
    shared: Mapping,
    writable: bool,
    pool: BufferPool,
}

impl MappedQueue {
    /// Maps `len` bytes of the file from its start.
    ///
    /// # Errors
    /// As `mmap(2)`.
    pub fn new(file: OwnedFd, len: u64, writable: bool, buffer_size: usize) -> io::Result<Self> {
        let len = usize::try_from(len).map_err(|_| io::Error::from_raw_os_error(libc::EFBIG))?;
        let shared = Mapping::shared(file.as_fd(), len, writable)?;
        Ok(MappedQueue { file, shared, writable, pool: BufferPool::new(1, buffer_size)? })
    }

    /// The buffer.
    #[inline]
    pub fn buffer(&mut self) -> &mut [u8] {
        self.pool.slot_mut(0)
    }

    /// Copies to or from the mapping; a sync is fdatasync, a discard punches a hole. Never beyond the mapping.
    #[inline]
    pub fn perform(&mut self, s: &Submission) -> Reaped {
        let buffer = self.pool.part(0, s.skip, s.len);
        let answer = |result: i32| Reaped { slot: s.slot, result };
        match s.kind {
            // As write(2) answers on a file open for reading; the processor would end the process.
            IoKind::Write if !self.writable => answer(-libc::EBADF),
            IoKind::Read | IoKind::Write => {
                let at = usize::try_from(s.at).map_or(self.shared.len(), |at| at.min(self.shared.len()));
                let len = (s.len as usize).min(self.shared.len() - at);
                // SAFETY: at + len lies inside the mapping and skip + len inside the buffer; the two do not overlap.
                // Another process may change the file meanwhile, so the bytes are only ever copied, by the kernel's
                // own rules for shared memory, and never looked at through a reference.
                unsafe {
                    let file = self.shared.base().add(at);
                    if s.kind == IoKind::Read {
                        std::ptr::copy_nonoverlapping(file, buffer, len);
                    } else {
                        std::ptr::copy_nonoverlapping(buffer, file, len);
                    }
                }
                answer(len as i32)
            }
            IoKind::DataSync => {
                // SAFETY: the call touches no memory of ours.
                let result = unsafe { libc::fdatasync(self.file.as_raw_fd()) };
                answer(if result == 0 { 0 } else { -last_errno() })
            }
            IoKind::Discard => {
                let result = discard(self.file.as_raw_fd(), false, s.at, u64::from(s.len));
                answer(if result == 0 { s.len as i32 } else { -last_errno() })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    fn file() -> std::fs::File {
        let f = tempfile::tempfile().unwrap();
        f.write_all_at(&[5; 8192], 0).unwrap();
        f
    }

    fn ask(kind: IoKind, at: u64, len: u32) -> Submission {
        Submission { slot: 0, kind, at, len, skip: 0 }
    }

    #[test]
    fn both_calls_read_write_and_see_the_end() {
        for call in [Call::Positioned, Call::Seeking] {
            let mut q = BlockingQueue::new(file().into(), call, false, 4096).unwrap();
            assert_eq!(q.perform(&ask(IoKind::Read, 4096, 4096)).result, 4096);
            assert!(q.buffer().iter().all(|b| *b == 5));
            assert_eq!(q.perform(&ask(IoKind::Read, 6144, 4096)).result, 2048);
            assert_eq!(q.perform(&ask(IoKind::Read, 8192, 4096)).result, 0);
            q.buffer().fill(6);
            assert_eq!(q.perform(&ask(IoKind::Write, 0, 4096)).result, 4096);
            assert_eq!(q.perform(&ask(IoKind::DataSync, 0, 0)).result, 0);
        }
    }

    #[test]
    fn errors_are_negative_errnos() {
        let null = std::fs::File::open("/dev/null").unwrap();
        let mut q = BlockingQueue::new(null.into(), Call::Positioned, false, 512).unwrap();
        assert_eq!(q.perform(&ask(IoKind::Write, 0, 512)).result, -libc::EBADF);
    }

    #[test]
    fn a_write_to_a_mapping_for_reading_is_an_error_and_not_the_end_of_the_process() {
        let mut q = MappedQueue::new(file().into(), 8192, false, 4096).unwrap();
        assert_eq!(q.perform(&ask(IoKind::Write, 0, 4096)).result, -libc::EBADF);
    }

    #[test]
    fn a_file_opened_without_links_opens_anew() {
        use std::os::unix::fs::OpenOptionsExt;
        let named = tempfile::NamedTempFile::new().unwrap();
        let file = std::fs::OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW).open(named.path()).unwrap();
        reopen(&file).unwrap();
    }

    #[test]
    fn a_mapping_shows_what_the_file_holds() {
        let f = file();
        let mut q = MappedQueue::new(f.try_clone().unwrap().into(), 8192, true, 4096).unwrap();
        assert_eq!(q.perform(&ask(IoKind::Read, 4096, 4096)).result, 4096);
        assert!(q.buffer().iter().all(|b| *b == 5));
        q.buffer().fill(8);
        assert_eq!(q.perform(&ask(IoKind::Write, 0, 4096)).result, 4096);
        assert_eq!(q.perform(&ask(IoKind::DataSync, 0, 0)).result, 0);
        let mut back = [0; 4096];
        f.read_exact_at(&mut back, 0).unwrap();
        assert!(back.iter().all(|b| *b == 8));
        assert_eq!(q.perform(&ask(IoKind::Read, 8192, 4096)).result, 0, "beyond the end is the end");
    }
}
