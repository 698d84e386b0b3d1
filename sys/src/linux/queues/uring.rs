//! An io_uring queue.
//!
//! **Soundness argument.** The kernel may read and write the buffers of operations in flight at any time, on any CPU.
//! Safe code must therefore neither touch nor free such a buffer. [`UringQueue`] owns its [`BufferPool`] and keeps
//! `in_flight[slot]`: set before an entry is pushed, cleared only after its completion was read from the ring. `buffer`
//! hands out a slot only while that flag is clear, and pushing rejects a slot whose flag is set. Dropping the queue
//! first waits for everything in flight; if that does not complete in time (a dead device), pool and ring are leaked,
//! never freed.

use super::buffers::BufferPool;
use super::file_set::FileSet;
use crate::common::{IoKind, Reaped, Submission, UringOptions, Wait, wait_out};
use io_uring::{IoUring, cqueue, opcode, squeue, types};
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::AsRawFd;

/// An io_uring with its files and buffers. Must be created and used on one thread. `S` and `C` are its entry types: the
/// larger ones carry device commands (`uring_cmd.rs`).
pub struct UringQueue<S: squeue::EntryMarker = squeue::Entry, C: cqueue::EntryMarker = cqueue::Entry> {
    pub(crate) ring: ManuallyDrop<IoUring<S, C>>,
    pub(crate) pool: ManuallyDrop<BufferPool>,
    pub(crate) in_flight: Box<[bool]>,
    pub(crate) pending: usize,
    pub(crate) queued: u32,
    pub(crate) fixed_buffers: bool,
    pub(crate) fixed_files: bool,
    /// Index of the registered ring, or its descriptor.
    enter_fd: i32,
    enter_flags: u32,
    pub(crate) files: FileSet,
    pub(crate) options: UringOptions,
    /// Operations until the next one that is passed to a kernel thread at once.
    pub(crate) until_async: u32,
    notes: Vec<String>,
}

impl<S: squeue::EntryMarker, C: cqueue::EntryMarker> UringQueue<S, C> {
    /// Opens a ring of `depth` operations in flight, with buffers of `buffer_size` bytes.
    ///
    /// Features that the kernel is too old for or does not permit are omitted and listed in [`UringQueue::notes`].
    ///
    /// # Errors
    /// If the ring itself cannot be created: `ENOSYS`, `EPERM` (seccomp, `kernel.io_uring_disabled`), `ENOMEM`;
    /// `Unsupported` before Linux 5.11, where waits cannot have a timeout.
    pub fn new(files: FileSet, depth: u32, buffer_size: usize, options: UringOptions) -> io::Result<Self> {
        let depth = depth.max(1);
        let mut notes = Vec::new();
        let ring = build_ring(depth, options, &mut notes)?;
        if !ring.params().is_feature_ext_arg() {
            let reason = "this kernel's io_uring has no timed wait (Linux before 5.11)";
            return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
        }
        let pool = BufferPool::new(depth as usize, buffer_size)?;
        let mut queue = UringQueue {
            enter_fd: ring.as_raw_fd(),
            ring: ManuallyDrop::new(ring),
            pool: ManuallyDrop::new(pool),
            in_flight: vec![false; depth as usize].into(),
            pending: 0,
            queued: 0,
            fixed_buffers: false,
            fixed_files: false,
            enter_flags: 0,
            files,
            options,
            until_async: options.force_async,
            notes,
        };
        queue.register();
        Ok(queue)
    }

    /// Registers files, buffers and ring: +30 %, +24 %, +9 % on a zero device. The kernel may reject each (memlock).
    fn register(&mut self) {
        let submitter = self.ring.submitter();
        if self.options.register_files {
            match submitter.register_files(self.files.fds()) {
                Ok(()) => self.fixed_files = true,
                Err(e) => self.notes.push(format!("io_uring: file not registered: {e}")),
            }
        }
        if self.options.register_buffers {
            self.register_buffers();
        }
        if let Some(index) = register_ring(self.enter_fd) {
            self.enter_fd = index;
            self.enter_flags = IORING_ENTER_REGISTERED_RING;
        }
    }

    fn register_buffers(&mut self) {
        let pool = &self.pool;
        let iovec = |slot| libc::iovec { iov_base: pool.address(slot).cast(), iov_len: pool.slot_size };
        let iovecs: Vec<libc::iovec> = (0..pool.slots).map(iovec).collect();
        // SAFETY: the buffers belong to the pool, which outlives the ring (`drop` frees or leaks both, the ring first).
        match unsafe { self.ring.submitter().register_buffers(&iovecs) } {
            Ok(()) => self.fixed_buffers = true,
            Err(e) => self.notes.push(format!("io_uring: buffers not registered (RLIMIT_MEMLOCK?): {e}")),
        }
    }

    /// Returns notes about unavailable features.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns the buffer of a slot. Panics if an operation on it is in flight.
    #[inline]
    pub fn buffer(&mut self, slot: u32) -> &mut [u8] {
        assert!(!self.in_flight[slot as usize], "buffer is in use by the kernel");
        self.pool.slot_mut(slot as usize)
    }

    /// Submits queued operations to the kernel without waiting.
    ///
    /// # Errors
    /// As `io_uring_enter(2)`.
    pub fn flush(&mut self) -> io::Result<()> {
        while self.queued > 0 {
            self.enter(0, Wait::Forever)?;
        }
        Ok(())
    }

    /// Submits queued operations and waits, in one call, until at least `at_least` operations have completed (never
    /// more than are in flight) or the time has elapsed; then passes all available completions to `done`.
    ///
    /// # Errors
    /// As `io_uring_enter(2)`; an interrupting signal ends the wait without an error.
    #[inline]
    pub fn reap(&mut self, at_least: usize, wait: Wait, mut done: impl FnMut(Reaped)) -> io::Result<()> {
        let want = at_least.min(self.pending);
        if want > 0 || self.queued > 0 {
            let ready = self.ring.completion().len();
            if self.queued > 0 || ready < want {
                self.enter(want as u32, wait)?;
            }
        }
        let in_flight = &mut *self.in_flight;
        let mut pending = self.pending;
        for cqe in self.ring.completion() {
            let cqe: cqueue::Entry = cqe.into();
            let slot = cqe.user_data() as u32;
            in_flight[slot as usize] = false;
            pending -= 1;
            done(Reaped { slot, result: cqe.result() });
        }
        self.pending = pending;
        Ok(())
    }

    #[inline]
    fn enter(&mut self, want: u32, wait: Wait) -> io::Result<()> {
        let timespec;
        let argument;
        // GETEVENTS even when not waiting: deferred completions are posted only by such a call.
        let (mut flags, mut pointer, mut size) = (self.enter_flags | IORING_ENTER_GETEVENTS, std::ptr::null(), 0);
        if let Wait::AtMost(ns) = wait
            && want > 0
        {
            timespec = types::Timespec::new().sec(ns / 1_000_000_000).nsec((ns % 1_000_000_000) as u32);
            argument = types::SubmitArgs::new().timespec(&timespec);
            flags |= IORING_ENTER_EXT_ARG;
            pointer = (&raw const argument).cast::<libc::c_void>();
            size = size_of::<types::SubmitArgs<'_, '_>>();
        }
        if self.options.poll_submissions.is_some() {
            // The kernel thread takes queued entries; it must be woken only if it sleeps. The fence orders the queued
            // entries before the check of its state.
            std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
            if self.ring.submission().need_wakeup() {
                flags |= IORING_ENTER_SQ_WAKEUP;
            } else if want == 0 {
                self.queued = 0;
                return Ok(());
            }
        }
        // SAFETY: the ring belongs to this queue; the argument, if any, lives until the call returns; every queued
        // entry is valid (see `push`).
        let submitted =
            unsafe { libc::syscall(libc::SYS_io_uring_enter, self.enter_fd, self.queued, want, flags, pointer, size) };
        if submitted >= 0 {
            self.queued -= submitted as u32;
            return Ok(());
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            // ETIME: the timeout expired. EINTR: a signal; the worker checks its stop flag and returns here. If entries
            // were consumed before the wait ended, the kernel returns their number instead.
            Some(libc::ETIME | libc::EINTR) => Ok(()),
            // The kernel is short of memory or the completion queue is full: reap first, then try again.
            Some(libc::EAGAIN | libc::EBUSY) => Ok(()),
            _ => Err(error),
        }
    }

    /// Waits, up to a limit, for everything in flight; returns `false` if it does not complete.
    pub(crate) fn wait_for_all(&mut self) -> bool {
        wait_out(|wait| self.reap(1, wait, |_| ()).map(|()| self.pending))
    }
}

impl UringQueue {
    /// Queues operations; nothing reaches the kernel before the next [`UringQueue::reap`] or [`UringQueue::flush`].
    /// Returns the number queued. Panics on a slot already in flight or a length beyond its buffer.
    #[inline]
    pub fn push(&mut self, submissions: impl Iterator<Item = Submission>) -> usize {
        self.push_with(submissions.map(|s| (s, 0)))
    }

    /// Same as [`UringQueue::push`], with an I/O priority per operation as for `ioprio_set(2)`; 0 = the thread's.
    #[inline]
    pub fn push_with(&mut self, submissions: impl Iterator<Item = (Submission, u16)>) -> usize {
        let mut pushed = 0;
        // Separate borrows: the submission queue borrows only the ring.
        let (pool, in_flight) = (&*self.pool, &mut *self.in_flight);
        let (fixed_files, fixed_buffers, files) = (self.fixed_files, self.fixed_buffers, &self.files);
        let (every, rw_flags) = (self.options.force_async, if self.options.nowait { libc::RWF_NOWAIT } else { 0 });
        let mut sq = self.ring.submission();
        for (s, priority) in submissions {
            let slot = s.slot as usize;
            assert!(!in_flight[slot], "slot is already in flight");
            let fd = if fixed_files { i32::from(s.file) } else { files.fd(s.file) };
            let flags = (rw_flags, priority);
            let mut entry = entry(&s, pool.part(slot, s.skip, s.buffered()), fd, fixed_files, fixed_buffers, flags);
            if every > 0 {
                self.until_async -= 1;
                if self.until_async == 0 {
                    self.until_async = every;
                    entry = entry.flags(squeue::Flags::ASYNC);
                }
            }
            // SAFETY: the buffer is in the pool and is not touched until the completion clears `in_flight` (see the
            // beginning of this file); the file is owned by the queue; the length was checked against the slot.
            if unsafe { sq.push(&entry) }.is_err() {
                break;
            }
            in_flight[slot] = true;
            pushed += 1;
        }
        drop(sq);
        self.pending += pushed;
        self.queued += pushed as u32;
        pushed
    }
}

const IORING_ENTER_GETEVENTS: u32 = 1;
const IORING_ENTER_SQ_WAKEUP: u32 = 1 << 1;
const IORING_ENTER_EXT_ARG: u32 = 1 << 3;
const IORING_ENTER_REGISTERED_RING: u32 = 1 << 4;
const IORING_REGISTER_RING_FDS: u32 = 20;
const IORING_UNREGISTER_RING_FDS: u32 = 21;

/// Creates the ring, trying the least demanding set of flags last; each missing flag only costs speed.
fn build_ring<S: squeue::EntryMarker, C: cqueue::EntryMarker>(
    depth: u32,
    options: UringOptions,
    notes: &mut Vec<String>,
) -> io::Result<IoUring<S, C>> {
    let basic = || {
        let mut builder = IoUring::<S, C>::builder();
        builder.setup_clamp();
        if options.poll_completions {
            builder.setup_iopoll();
        }
        builder
    };
    if let Some(cpu) = options.poll_submissions {
        let mut builder = basic();
        builder.setup_sqpoll(SQPOLL_IDLE_MS);
        if let Some(cpu) = cpu {
            builder.setup_sqpoll_cpu(cpu);
        }
        return builder.build(depth);
    }
    let modern = basic().setup_single_issuer().setup_defer_taskrun().build(depth);
    match modern {
        Err(e) if e.raw_os_error() == Some(libc::EINVAL) => {
            notes.push("io_uring: kernel older than 6.1, completions are not deferred".to_owned());
            basic().setup_coop_taskrun().build(depth).or_else(|_| basic().build(depth))
        }
        other => other,
    }
}

/// Time in milliseconds for which the submission thread looks for work before it sleeps.
const SQPOLL_IDLE_MS: u32 = 1000;

/// Argument of `IORING_REGISTER_RING_FDS` and of its inverse (`struct io_uring_rsrc_update`).
#[repr(C)]
struct RingUpdate {
    offset: u32,
    reserved: u32,
    data: u64,
}

/// Registers the ring's own descriptor with its thread, which saves the lookup in each call. Linux 5.18.
fn register_ring(fd: i32) -> Option<i32> {
    let mut update = RingUpdate { offset: u32::MAX, reserved: 0, data: fd as u64 };
    // SAFETY: the argument is one update record, as the call expects, and lives until it returns.
    let done =
        unsafe { libc::syscall(libc::SYS_io_uring_register, fd, IORING_REGISTER_RING_FDS, &raw mut update, 1u32) };
    (done == 1).then_some(update.offset as i32)
}

/// Frees the thread's slot for a registered ring; a thread has sixteen.
fn unregister_ring(fd: i32, index: i32) {
    let mut update = RingUpdate { offset: index as u32, reserved: 0, data: 0 };
    // SAFETY: as in `register_ring`; a wrong index only returns an error.
    unsafe { libc::syscall(libc::SYS_io_uring_register, fd, IORING_UNREGISTER_RING_FDS, &raw mut update, 1u32) };
}

#[inline(always)]
fn entry(
    s: &Submission,
    buffer: *mut u8,
    fd: i32,
    fixed_files: bool,
    fixed_buffers: bool,
    (rw_flags, priority): (i32, u16),
) -> squeue::Entry {
    // The builders of the crate take one of two descriptor types, so each operation is written for both.
    macro_rules! build {
        ($op:ident, ($($arg:expr),*), $($with:ident($value:expr)),*) => {
            if fixed_files {
                opcode::$op::new(types::Fixed(fd as u32), $($arg),*)$(.$with($value))*.build()
            } else {
                opcode::$op::new(types::Fd(fd), $($arg),*)$(.$with($value))*.build()
            }
        };
    }
    let index = s.slot as u16;
    let entry = match s.kind {
        IoKind::Read if fixed_buffers => {
            build!(ReadFixed, (buffer, s.len, index), offset(s.at), rw_flags(rw_flags), ioprio(priority))
        }
        IoKind::Write if fixed_buffers => {
            build!(WriteFixed, (buffer, s.len, index), offset(s.at), rw_flags(rw_flags), ioprio(priority))
        }
        IoKind::Read => build!(Read, (buffer, s.len), offset(s.at), rw_flags(rw_flags), ioprio(priority)),
        IoKind::Write => build!(Write, (buffer, s.len), offset(s.at), rw_flags(rw_flags), ioprio(priority)),
        IoKind::DataSync => build!(Fsync, (), flags(types::FsyncFlags::DATASYNC)),
        IoKind::Sync => build!(Fsync, (),),
        IoKind::Discard => {
            let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
            build!(Fallocate, (u64::from(s.len)), offset(s.at), mode(mode))
        }
    };
    entry.user_data(u64::from(s.slot))
}

impl<S: squeue::EntryMarker, C: cqueue::EntryMarker> Drop for UringQueue<S, C> {
    fn drop(&mut self) {
        if !self.wait_for_all() {
            return;
        }
        if self.enter_flags & IORING_ENTER_REGISTERED_RING != 0 {
            unregister_ring(self.ring.as_raw_fd(), self.enter_fd);
        }
        // SAFETY: nothing is in flight, neither field is used again, and the ring is dropped before its buffers.
        unsafe {
            ManuallyDrop::drop(&mut self.ring);
            ManuallyDrop::drop(&mut self.pool);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    fn queue(depth: u32) -> Option<(std::fs::File, UringQueue)> {
        let file = tempfile::tempfile().unwrap();
        for block in 0..8u8 {
            file.write_all_at(&[block + 1; 4096], u64::from(block) * 4096).unwrap();
        }
        let files = FileSet::new(vec![file.try_clone().unwrap()]).unwrap();
        match UringQueue::new(files, depth, 4096, UringOptions::default()) {
            Ok(queue) => Some((file, queue)),
            // A container may forbid it.
            Err(error) => {
                testkit::skipped(&format!("no io_uring here: {error}"));
                None
            }
        }
    }

    fn read(slot: u32, block: u64) -> Submission {
        Submission { slot, kind: IoKind::Read, file: 0, at: block * 4096, len: 4096, skip: 0 }
    }

    #[test]
    fn reads_land_in_their_slots_and_writes_in_the_file() {
        let Some((file, mut q)) = queue(4) else { return };
        assert_eq!(q.push([read(0, 5), read(3, 2)].into_iter()), 2);
        let mut done = Vec::new();
        while done.len() < 2 {
            q.reap(1, Wait::Forever, |r| done.push(r)).unwrap();
        }
        assert!(done.iter().all(|r| r.result == 4096));
        assert!(q.buffer(0).iter().all(|b| *b == 6));
        assert!(q.buffer(3).iter().all(|b| *b == 3));

        q.buffer(1).fill(99);
        q.push([Submission { slot: 1, kind: IoKind::Write, file: 0, at: 0, len: 4096, skip: 0 }].into_iter());
        q.reap(1, Wait::Forever, |r| assert_eq!(r, Reaped { slot: 1, result: 4096 })).unwrap();
        q.push([Submission { slot: 1, kind: IoKind::DataSync, file: 0, at: 0, len: 0, skip: 0 }].into_iter());
        q.reap(1, Wait::Forever, |r| assert_eq!(r.result, 0)).unwrap();
        let mut back = [0; 4096];
        file.read_exact_at(&mut back, 0).unwrap();
        assert!(back.iter().all(|b| *b == 99));
        assert_eq!(q.pending, 0);
    }

    #[test]
    fn a_wait_with_a_time_ends() {
        let Some((_file, mut q)) = queue(1) else { return };
        // A read of an empty pipe never completes.
        let (reader, _writer) = std::io::pipe().unwrap();
        let files = FileSet::new(vec![std::os::fd::OwnedFd::from(reader).into()]).unwrap();
        let Ok(mut stuck) = UringQueue::new(files, 1, 4096, UringOptions::default()) else {
            testkit::skip!("no second io_uring here")
        };
        stuck.push([Submission { slot: 0, kind: IoKind::Read, file: 0, at: 0, len: 16, skip: 0 }].into_iter());
        stuck.reap(1, Wait::AtMost(5_000_000), |_| panic!("nothing can have come")).unwrap();
        assert_eq!(stuck.pending, 1);
        q.reap(1, Wait::Forever, |_| panic!("nothing was asked")).unwrap();
    }

    #[test]
    #[should_panic(expected = "in use by the kernel")]
    fn a_buffer_in_flight_is_not_handed_out() {
        let Some((_file, mut q)) = queue(1) else { panic!("in use by the kernel (io_uring is not to be had here)") };
        q.push([read(0, 0)].into_iter());
        q.buffer(0);
    }

    #[test]
    fn an_error_comes_back_as_a_negative_errno() {
        let Some((_file, mut q)) = queue(1) else { return };
        q.push(
            [Submission { slot: 0, kind: IoKind::Read, file: 0, at: u64::MAX - 4095, len: 4096, skip: 0 }].into_iter(),
        );
        q.reap(1, Wait::Forever, |r| assert!(r.result < 0)).unwrap();
    }
}
