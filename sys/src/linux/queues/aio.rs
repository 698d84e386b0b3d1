//! Kernel AIO (called libaio in fio) through system calls, without a C library.
//!
//! The soundness argument is that of `uring.rs`: the queue owns its buffers, hands out a slot only while nothing is in
//! flight on it, and leaks memory rather than freeing it if the kernel does not complete operations.

use super::buffers::BufferPool;
use super::file_set::FileSet;
use crate::common::{IoKind, Reaped, Submission, Wait, wait_out};
use std::io;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU32, Ordering};

/// The request has its own I/O priority (linux/aio_abi.h).
const IOCB_FLAG_IOPRIO: u32 = 1 << 1;

/// `struct iocb` of linux/aio_abi.h, little-endian layout.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Iocb {
    data: u64,
    key: u32,
    rw_flags: i32,
    opcode: u16,
    reqprio: i16,
    fildes: u32,
    buf: u64,
    nbytes: u64,
    offset: i64,
    reserved2: u64,
    flags: u32,
    resfd: u32,
}

/// `struct io_event`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct IoEvent {
    data: u64,
    obj: u64,
    res: i64,
    res2: i64,
}

/// Header of `struct aio_ring` of fs/aio.c, the ring of completions that the kernel shares with the process.
#[repr(C)]
struct AioRing {
    id: u32,
    size: u32,
    head: u32,
    tail: u32,
    magic: u32,
    compatible: u32,
    incompatible: u32,
    head_length: u32,
}

const AIO_RING_MAGIC: u32 = 0xa10a_10a1;

const _: () = assert!(size_of::<Iocb>() == 64 && size_of::<IoEvent>() == 32);
#[cfg(not(target_endian = "little"))]
compile_error!("struct iocb orders key and rw_flags by endianness; only little-endian is written here");

const IOCB_CMD_PREAD: u16 = 0;
const IOCB_CMD_PWRITE: u16 = 1;
const IOCB_CMD_FSYNC: u16 = 2;
const IOCB_CMD_FDSYNC: u16 = 3;

/// A kernel AIO context with its files and buffers.
pub struct AioQueue {
    context: u64,
    pool: ManuallyDrop<BufferPool>,
    /// One control block per slot; the kernel copies it at submission.
    blocks: Box<[Iocb]>,
    /// Addresses of control blocks that are queued but not yet submitted.
    queued: Vec<u64>,
    /// Completions of operations that the kernel rejected.
    refused: Vec<Reaped>,
    events: Box<[IoEvent]>,
    in_flight: Box<[bool]>,
    pending: usize,
    files: FileSet,
    /// Flags (RWF_*) of every read and write.
    rw_flags: i32,
    /// The ring of completions, if it is read in user space.
    ring: Option<*const AioRing>,
}

// SAFETY: the context belongs to the process, and everything else is owned; only one thread at a time uses the queue.
unsafe impl Send for AioQueue {}

impl AioQueue {
    /// Creates a context for `depth` operations in flight, with buffers of `buffer_size` bytes.
    ///
    /// # Errors
    /// `EAGAIN` if the machine's `fs.aio-max-nr` is exhausted, `ENOSYS` without kernel AIO.
    pub fn new(files: FileSet, depth: u32, buffer_size: usize) -> io::Result<Self> {
        let depth = depth.max(1);
        let pool = BufferPool::new(depth as usize, buffer_size)?;
        let mut context: u64 = 0;
        // SAFETY: `context` is valid for writes of one context ID, and zero as the call requires.
        if unsafe { libc::syscall(libc::SYS_io_setup, depth, &raw mut context) } < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(AioQueue {
            context,
            pool: ManuallyDrop::new(pool),
            blocks: vec![Iocb::default(); depth as usize].into(),
            queued: Vec::with_capacity(depth as usize),
            refused: Vec::with_capacity(depth as usize),
            events: vec![IoEvent::default(); depth as usize].into(),
            in_flight: vec![false; depth as usize].into(),
            pending: 0,
            files,
            rw_flags: 0,
            ring: None,
        })
    }

    /// Makes reads and writes that would block fail with `EAGAIN` (RWF_NOWAIT).
    pub fn set_nowait(&mut self) {
        self.rw_flags = libc::RWF_NOWAIT;
    }

    /// Reads available completions from the ring shared with the kernel, without a system call unless it has to wait.
    /// Returns `false` if the format of this kernel's ring is unknown.
    pub fn set_userspace_reap(&mut self) -> bool {
        let ring = self.context as *const AioRing;
        // SAFETY: the context is the address of the ring, mapped by the kernel until the context is destroyed; the
        // header of the ring has had this format since Linux 2.6.
        let known = unsafe { ((*ring).magic, (*ring).incompatible) } == (AIO_RING_MAGIC, 0);
        self.ring = known.then_some(ring);
        known
    }

    /// Takes completions from the shared ring.
    fn take_from_ring(&mut self, done: &mut impl FnMut(Reaped)) {
        let Some(ring) = self.ring else { return };
        // SAFETY: as in `set_userspace_reap`; head and tail are inside the ring and aligned. Only this queue moves the
        // head, and only the kernel the tail; it writes the events before moving the tail.
        unsafe {
            let head = &*(&raw const (*ring).head).cast::<AtomicU32>();
            let tail = &*(&raw const (*ring).tail).cast::<AtomicU32>();
            let size = (*ring).size;
            let events = ring.cast::<u8>().add((*ring).head_length as usize).cast::<IoEvent>();
            let mut at = head.load(Ordering::Relaxed);
            while at != tail.load(Ordering::Acquire) {
                let event = *events.add(at as usize);
                at = (at + 1) % size;
                head.store(at, Ordering::Release);
                self.in_flight[event.data as usize] = false;
                self.pending -= 1;
                done(Reaped { slot: event.data as u32, result: event.res as i32 });
            }
        }
    }

    /// Returns the buffer of a slot. Panics if an operation on it is in flight.
    #[inline]
    pub fn buffer(&mut self, slot: u32) -> &mut [u8] {
        assert!(!self.in_flight[slot as usize], "buffer is in use by the kernel");
        self.pool.slot_mut(slot as usize)
    }

    /// Queues operations and submits them. Returns the number queued. If the kernel has no room for an operation,
    /// `reap` submits it again; if the kernel rejects it (`io_submit(2)`), `reap` reports the error. Panics on a slot
    /// already in flight, a length beyond its buffer, or a discard, which kernel AIO does not have.
    pub fn push(&mut self, submissions: impl Iterator<Item = Submission>) -> usize {
        self.push_with(submissions.map(|s| (s, 0)))
    }

    /// Same as [`AioQueue::push`], with an I/O priority per operation as for `ioprio_set(2)`; 0 = the thread's.
    pub fn push_with(&mut self, submissions: impl Iterator<Item = (Submission, u16)>) -> usize {
        let mut pushed = 0;
        for (s, priority) in submissions {
            let slot = s.slot as usize;
            assert!(!self.in_flight[slot], "slot is already in flight");
            let buffer = self.pool.part(slot, s.skip, s.buffered());
            let opcode = match s.kind {
                IoKind::Read => IOCB_CMD_PREAD,
                IoKind::Write => IOCB_CMD_PWRITE,
                IoKind::DataSync => IOCB_CMD_FDSYNC,
                IoKind::Sync => IOCB_CMD_FSYNC,
                IoKind::Discard => panic!("kernel AIO has no discard"),
            };
            let sync = matches!(s.kind, IoKind::DataSync | IoKind::Sync);
            self.blocks[slot] = Iocb {
                data: u64::from(s.slot),
                opcode,
                fildes: self.files.fd(s.file) as u32,
                rw_flags: if sync { 0 } else { self.rw_flags },
                // The call requires zeros for a sync.
                buf: if sync { 0 } else { buffer as u64 },
                nbytes: if sync { 0 } else { u64::from(s.len) },
                offset: if sync { 0 } else { s.at as i64 },
                reqprio: priority as i16,
                flags: if priority == 0 { 0 } else { IOCB_FLAG_IOPRIO },
                ..Iocb::default()
            };
            self.queued.push(&raw const self.blocks[slot] as u64);
            self.in_flight[slot] = true;
            pushed += 1;
        }
        self.pending += pushed;
        self.submit();
        pushed
    }

    fn submit(&mut self) {
        while !self.queued.is_empty() {
            // SAFETY: every address is that of a control block in `blocks`, which is never moved or shortened; buffers
            // stay untouched until completion (see the beginning of `uring.rs`).
            let n =
                unsafe { libc::syscall(libc::SYS_io_submit, self.context, self.queued.len(), self.queued.as_ptr()) };
            if n < 0 {
                let errno = io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO);
                let in_kernel = self.pending - self.queued.len() - self.refused.len();
                match errno {
                    libc::EAGAIN if in_kernel > 0 => return,
                    libc::EINTR => {}
                    _ => self.refuse_first(errno),
                }
                continue;
            }
            self.queued.drain(..n as usize);
        }
    }

    /// Rejects the first queued operation: an error of the call refers to it, and the others were not examined.
    #[cold]
    fn refuse_first(&mut self, errno: i32) {
        let place = self.queued.remove(0) - self.blocks.as_ptr() as u64;
        self.refused.push(Reaped { slot: (place / size_of::<Iocb>() as u64) as u32, result: -errno });
    }

    /// Waits until at least `at_least` operations have completed (never more than are in flight) or the time has
    /// elapsed, then passes all completions to `done`.
    ///
    /// # Errors
    /// As `io_getevents(2)`; an interrupting signal ends the wait without an error.
    pub fn reap(&mut self, at_least: usize, wait: Wait, mut done: impl FnMut(Reaped)) -> io::Result<()> {
        self.submit();
        let mut at_least = at_least;
        for refused in self.refused.drain(..) {
            self.in_flight[refused.slot as usize] = false;
            self.pending -= 1;
            at_least = at_least.saturating_sub(1);
            done(refused);
        }
        if self.ring.is_some() {
            let before = self.pending;
            self.take_from_ring(&mut done);
            at_least = at_least.saturating_sub(before - self.pending);
            if at_least == 0 {
                return Ok(());
            }
        }
        let want = at_least.min(self.pending);
        if self.pending == 0 {
            return Ok(());
        }
        let timespec = match wait {
            Wait::Forever => None,
            Wait::AtMost(ns) => {
                Some(libc::timespec { tv_sec: (ns / 1_000_000_000) as i64, tv_nsec: (ns % 1_000_000_000) as i64 })
            }
        };
        let timeout = timespec.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: `events` has room for as many events as the call may write; the timeout lives until it returns.
        let n = unsafe {
            libc::syscall(
                libc::SYS_io_getevents,
                self.context,
                want as libc::c_long,
                self.events.len() as libc::c_long,
                self.events.as_mut_ptr(),
                timeout,
            )
        };
        if n < 0 {
            let error = io::Error::last_os_error();
            return if error.raw_os_error() == Some(libc::EINTR) { Ok(()) } else { Err(error) };
        }
        for event in &self.events[..n as usize] {
            self.in_flight[event.data as usize] = false;
            self.pending -= 1;
            done(Reaped { slot: event.data as u32, result: event.res as i32 });
        }
        Ok(())
    }
}

impl Drop for AioQueue {
    fn drop(&mut self) {
        // Operations that were never submitted need no completion.
        self.pending -= self.queued.len();
        self.queued.clear();
        if !wait_out(|wait| self.reap(1, wait, |_| ()).map(|()| self.pending)) {
            // The context is not destroyed either: that would wait for the device.
            return;
        }
        // SAFETY: the context belongs to this queue, nothing is in flight, and the pool is not used again.
        unsafe {
            libc::syscall(libc::SYS_io_destroy, self.context);
            ManuallyDrop::drop(&mut self.pool);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    #[test]
    fn reads_writes_and_syncs_complete() {
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(&[7; 8192], 0).unwrap();
        let Ok(mut q) = AioQueue::new(FileSet::new(vec![file.try_clone().unwrap()]).unwrap(), 4, 4096) else {
            testkit::skip!("no kernel AIO here")
        };
        q.buffer(1).fill(9);
        q.push(
            [
                Submission { slot: 0, kind: IoKind::Read, file: 0, at: 4096, len: 4096, skip: 0 },
                Submission { slot: 1, kind: IoKind::Write, file: 0, at: 0, len: 4096, skip: 0 },
                Submission { slot: 2, kind: IoKind::DataSync, file: 0, at: 0, len: 0, skip: 0 },
            ]
            .into_iter(),
        );
        let mut done = Vec::new();
        while done.len() < 3 {
            q.reap(1, Wait::Forever, |r| done.push(r)).unwrap();
        }
        done.sort_by_key(|r| r.slot);
        assert_eq!(done.iter().map(|r| r.result).collect::<Vec<_>>(), [4096, 4096, 0]);
        assert!(q.buffer(0).iter().all(|b| *b == 7));
        let mut back = [0; 4096];
        file.read_exact_at(&mut back, 0).unwrap();
        assert!(back.iter().all(|b| *b == 9));
    }

    #[test]
    fn an_operation_the_kernel_does_not_take_is_answered_and_the_others_go_on() {
        let named = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(named.path(), [7; 8192]).unwrap();
        let reading = std::fs::File::open(named.path()).unwrap();
        let Ok(mut q) = AioQueue::new(FileSet::new(vec![reading]).unwrap(), 4, 4096) else {
            testkit::skip!("no kernel AIO here")
        };
        let ask = |slot, kind| Submission { slot, kind, file: 0, at: 0, len: 4096, skip: 0 };
        let submissions = [ask(0, IoKind::Read), ask(1, IoKind::Write), ask(2, IoKind::Read), ask(3, IoKind::Write)];
        assert_eq!(q.push(submissions.into_iter()), 4);
        let mut done = Vec::new();
        while q.pending > 0 {
            q.reap(1, Wait::Forever, |r| done.push((r.slot, r.result))).unwrap();
        }
        done.sort_unstable();
        assert_eq!(done, [(0, 4096), (1, -libc::EBADF), (2, 4096), (3, -libc::EBADF)]);
    }
}
