//! A queue on an I/O completion port: overlapped I/O of Windows (fio's windowsaio).
//!
//! **The soundness argument.** The system reads and writes the buffers of operations in flight, and their `OVERLAPPED`
//! structures, at any time, on any CPU. Safe code must therefore neither touch nor free either. [`IocpQueue`] owns its
//! [`BufferPool`] and its operations, and keeps `in_flight[slot]`: it is set before a call is made, and cleared only
//! when its completion was taken from the port, or when the call itself reported that there will be none. `buffer`
//! hands out a slot only while that flag is clear, and pushing rejects a slot whose flag is set. Dropping the queue
//! first cancels and waits for everything in flight; if the system does not complete it in time (a dead device), pool,
//! operations and handles are leaked, never freed.

use super::buffers::BufferPool;
use super::file_set::FileSet;
use super::rw::sync;
use crate::common::{IoKind, Reaped, Submission, Wait, wait_out};
use crate::windows::clock::monotonic_ns;
use crate::windows::errno::last_errno;
use crate::windows::files::{flags_again, reopen_with, rights};
use crate::windows::nt;
use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use windows_sys::Win32::Foundation as w;
use windows_sys::Win32::Storage::FileSystem as fs;
use windows_sys::Win32::System::IO as wio;
use windows_sys::Win32::System::Threading::INFINITE;
use windows_sys::Win32::System::WindowsProgramming::{
    FILE_SKIP_COMPLETION_PORT_ON_SUCCESS, FILE_SKIP_SET_EVENT_ON_HANDLE,
};

/// Operation of a slot. The port returns the address of its first field, which is the address of the operation.
#[repr(C)]
struct Operation {
    overlapped: wio::OVERLAPPED,
    slot: u32,
}

/// File of the queue.
struct Opened {
    /// File object that belongs to this queue: a file object can be associated with one port only.
    file: File,
    /// True if calls that succeed at once put no completion into the port.
    skips: bool,
}

/// Completion port with its files and buffers.
pub struct IocpQueue {
    port: w::HANDLE,
    pool: ManuallyDrop<BufferPool>,
    operations: ManuallyDrop<Box<[Operation]>>,
    opened: ManuallyDrop<Box<[Opened]>>,
    entries: Box<[wio::OVERLAPPED_ENTRY]>,
    /// Results that calls returned directly.
    ready: Vec<Reaped>,
    in_flight: Box<[bool]>,
    pending: usize,
    /// Files with synchronous handles, for operations that need those.
    files: FileSet,
    notes: Vec<String>,
}

// SAFETY: handles belong to the process, and everything else is owned; the queue is used by one thread at a time.
// Addresses in operations point into the queue.
unsafe impl Send for IocpQueue {}

/// Waits that end within this time spin, because the system waits in milliseconds.
const AWAKE_NS: u64 = 1_000_000;

impl IocpQueue {
    /// Reopens the files for overlapped I/O with their flags (unbuffered, write-through) and associates them with a
    /// port. Allocates buffers of `buffer_size` bytes for `depth` operations in flight and locks them in memory if that
    /// is allowed; [`IocpQueue::notes`] lists features that are unavailable.
    ///
    /// # Errors
    /// Errors of `ReOpenFile` and `CreateIoCompletionPort`, or too little memory.
    pub fn new(files: FileSet, depth: u32, buffer_size: usize) -> io::Result<Self> {
        let depth = depth.max(1) as usize;
        let mut notes = Vec::new();
        let mut pool = BufferPool::new(depth, buffer_size)?;
        if let Err(e) = pool.memory.lock() {
            notes.push(format!("windowsaio: buffers are not locked in memory: {e}"));
        }
        // SAFETY: creates a port; no memory is passed. One thread takes completions from it at a time.
        let port = unsafe { wio::CreateIoCompletionPort(w::INVALID_HANDLE_VALUE, std::ptr::null_mut(), 0, 1) };
        if port.is_null() {
            return Err(io::Error::last_os_error());
        }
        // From here on, `drop` closes the port.
        let operation = |slot| Operation { overlapped: nt::at_place(0), slot };
        let mut queue = IocpQueue {
            port,
            pool: ManuallyDrop::new(pool),
            operations: ManuallyDrop::new((0..depth as u32).map(operation).collect()),
            opened: ManuallyDrop::new(Box::default()),
            // SAFETY: an entry consists of numbers and an address, for which zero is valid.
            entries: vec![unsafe { std::mem::zeroed() }; depth].into(),
            ready: Vec::with_capacity(depth),
            in_flight: vec![false; depth].into(),
            pending: 0,
            files,
            notes,
        };
        let opened = queue.files.files().iter().map(|file| open(file, port)).collect::<io::Result<Box<[_]>>>()?;
        if opened.iter().any(|file| !file.skips) {
            queue.notes.push("windowsaio: every completion goes through the port, including immediate ones".to_owned());
        }
        *queue.opened = opened;
        Ok(queue)
    }

    /// Returns notes about features that are unavailable.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns the buffer of a slot. Panics if an operation is in flight on it.
    #[inline]
    pub fn buffer(&mut self, slot: u32) -> &mut [u8] {
        assert!(!self.in_flight[slot as usize], "buffer is in use by the system");
        self.pool.slot_mut(slot as usize)
    }

    /// Submits operations, one call each, because overlapped I/O has no call for several. Returns their number. A flush
    /// or a discard is finished when this returns, because overlapped I/O has neither. Panics on a slot already in
    /// flight or a length beyond its buffer.
    #[inline]
    pub fn push(&mut self, submissions: impl Iterator<Item = Submission>) -> usize {
        let mut pushed = 0;
        for s in submissions {
            let slot = s.slot as usize;
            assert!(!self.in_flight[slot], "slot is already in flight");
            self.in_flight[slot] = true;
            pushed += 1;
            if let Some(result) = self.begin(&s) {
                self.ready.push(Reaped { slot: s.slot, result });
            }
        }
        self.pending += pushed;
        pushed
    }

    /// Starts an operation. Returns its result if it is already known.
    #[inline]
    fn begin(&mut self, s: &Submission) -> Option<i32> {
        match s.kind {
            // Both handles refer to the same file, and a flush applies to the file.
            IoKind::DataSync | IoKind::Sync => return Some(sync(nt::handle(&self.opened[usize::from(s.file)].file))),
            IoKind::Discard => return Some(self.files.discard(s.file, s.at, s.len)),
            IoKind::Read | IoKind::Write => {}
        }
        let buffer = self.pool.part(s.slot as usize, s.skip, s.buffered());
        let opened = &self.opened[usize::from(s.file)];
        let handle = nt::handle(&opened.file);
        let operation = &raw mut self.operations[s.slot as usize];
        // SAFETY: the operation is not in flight, so nothing else uses it; buffer..buffer+len is inside the pool. Both
        // stay in place and untouched until the completion clears `in_flight` (see the head of this file).
        let done = unsafe {
            (*operation).overlapped = nt::at_place(s.at);
            let overlapped = operation.cast::<wio::OVERLAPPED>();
            if s.kind == IoKind::Write {
                fs::WriteFile(handle, buffer, s.len, std::ptr::null_mut(), overlapped)
            } else {
                fs::ReadFile(handle, buffer, s.len, std::ptr::null_mut(), overlapped)
            }
        };
        if done != 0 {
            // SAFETY: the operation has ended, and the system does not touch it again unless it also completes through
            // the port.
            return opened.skips.then(|| unsafe { (*operation).overlapped.InternalHigh } as i32);
        }
        match last_errno() as u32 {
            w::ERROR_IO_PENDING => None,
            w::ERROR_HANDLE_EOF => Some(0),
            code => Some(-(code as i32)),
        }
    }

    /// Waits until at least `at_least` operations have completed (at most the number in flight) or the time is up; then
    /// passes all completions to `done`.
    ///
    /// # Errors
    /// Errors of `GetQueuedCompletionStatusEx`.
    pub fn reap(&mut self, at_least: usize, wait: Wait, mut done: impl FnMut(Reaped)) -> io::Result<()> {
        let want = at_least.min(self.pending);
        let mut got = self.ready.len();
        for reaped in self.ready.drain(..) {
            self.in_flight[reaped.slot as usize] = false;
            done(reaped);
        }
        self.pending -= got;
        if self.pending == 0 {
            return Ok(());
        }
        let until = match wait {
            Wait::Forever => None,
            Wait::AtMost(ns) => Some(monotonic_ns().saturating_add(ns)),
        };
        loop {
            let missing = got < want;
            let ms = match until {
                _ if !missing => 0,
                None => INFINITE,
                Some(until) => {
                    let left = until.saturating_sub(monotonic_ns());
                    if left < AWAKE_NS { 0 } else { u32::try_from(left / 1_000_000).unwrap_or(INFINITE - 1) }
                }
            };
            got += self.take(ms, &mut done)?;
            let late = until.is_some_and(|until| monotonic_ns() >= until);
            if got >= want || late {
                return Ok(());
            }
            std::hint::spin_loop();
        }
    }

    /// Takes completions from the port and passes them to `done`. Returns their number.
    fn take(&mut self, ms: u32, done: &mut impl FnMut(Reaped)) -> io::Result<usize> {
        let mut count = 0;
        // SAFETY: `entries` has room for as many as the call may write; `count` is a valid place.
        let dequeued = unsafe {
            wio::GetQueuedCompletionStatusEx(
                self.port,
                self.entries.as_mut_ptr(),
                self.entries.len() as u32,
                &raw mut count,
                ms,
                0,
            )
        };
        if dequeued == 0 {
            let error = io::Error::last_os_error();
            let nothing = error.raw_os_error() == Some(w::WAIT_TIMEOUT as i32);
            return if nothing { Ok(0) } else { Err(error) };
        }
        for entry in &self.entries[..count as usize] {
            // SAFETY: the port returns only operations of this queue, which live as long as it; this one has ended, so
            // the system does not touch it again. Its status is in `Internal`.
            let (slot, status) = unsafe {
                let operation = entry.lpOverlapped.cast::<Operation>();
                ((*operation).slot, (*operation).overlapped.Internal as i32)
            };
            let result = match status {
                w::STATUS_END_OF_FILE => 0,
                status if status < 0 => -nt::dos_error(status),
                _ => entry.dwNumberOfBytesTransferred as i32,
            };
            self.in_flight[slot as usize] = false;
            self.pending -= 1;
            done(Reaped { slot, result });
        }
        Ok(count as usize)
    }
}

/// Reopens a file for overlapped I/O and associates it with a port.
fn open(file: &File, port: w::HANDLE) -> io::Result<Opened> {
    let rights = rights(file)? & !fs::DELETE;
    let file = reopen_with(file, rights, flags_again(file)? | fs::FILE_FLAG_OVERLAPPED)?;
    // SAFETY: both handles are open; no memory is passed.
    if unsafe { wio::CreateIoCompletionPort(nt::handle(&file), port, 0, 0) }.is_null() {
        return Err(io::Error::last_os_error());
    }
    let modes = (FILE_SKIP_COMPLETION_PORT_ON_SUCCESS | FILE_SKIP_SET_EVENT_ON_HANDLE) as u8;
    // SAFETY: the handle is open.
    let skips = unsafe { fs::SetFileCompletionNotificationModes(nt::handle(&file), modes) } != 0;
    Ok(Opened { file, skips })
}

impl Drop for IocpQueue {
    fn drop(&mut self) {
        if self.pending > self.ready.len() {
            for opened in self.opened.iter() {
                // SAFETY: the handle is open; without an operation, the call cancels all operations of this file.
                unsafe { wio::CancelIoEx(nt::handle(&opened.file), std::ptr::null()) };
            }
        }
        if !wait_out(|wait| self.reap(1, wait, |_| ()).map(|()| self.pending)) {
            return;
        }
        // SAFETY: nothing is in flight, none of these is used again, and the port is closed once.
        unsafe {
            ManuallyDrop::drop(&mut self.opened);
            ManuallyDrop::drop(&mut self.operations);
            ManuallyDrop::drop(&mut self.pool);
            w::CloseHandle(self.port);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::{Durability, LoadOpen, open_for_load};
    use std::path::PathBuf;

    fn file() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let blocks: Vec<u8> = (0..16u8).flat_map(|block| [block; 4096]).collect();
        std::fs::write(&path, blocks).unwrap();
        (dir, path)
    }

    fn queue(path: &std::path::Path, direct: bool, depth: u32) -> IocpQueue {
        let durability = if direct { Durability::Data } else { Durability::None };
        let how = LoadOpen { write: true, direct, durability, no_atime: false };
        let file = open_for_load(None, path, how).unwrap();
        IocpQueue::new(FileSet::new(vec![file]).unwrap(), depth, 4096).unwrap()
    }

    fn ask(slot: u32, kind: IoKind, at: u64) -> Submission {
        Submission { slot, kind, file: 0, at, len: if kind.is_flush() { 0 } else { 4096 }, skip: 0 }
    }

    fn all(q: &mut IocpQueue) -> Vec<Reaped> {
        let mut done = Vec::new();
        while q.pending > 0 {
            q.reap(1, Wait::Forever, |r| done.push(r)).unwrap();
        }
        done.sort_by_key(|r| r.slot);
        done
    }

    #[test]
    fn reads_writes_and_syncs_complete() {
        for direct in [false, true] {
            let (_dir, path) = file();
            let mut q = queue(&path, direct, 4);
            q.buffer(1).fill(99);
            let asked = [
                ask(0, IoKind::Read, 4096),
                ask(1, IoKind::Write, 8192),
                ask(2, IoKind::DataSync, 0),
                ask(3, IoKind::Read, 16 * 4096),
            ];
            assert_eq!(q.push(asked.into_iter()), 4);
            let results: Vec<i32> = all(&mut q).iter().map(|r| r.result).collect();
            assert_eq!(results, [4096, 4096, 0, 0]);
            assert!(q.buffer(0).iter().all(|b| *b == 1));
            drop(q);
            let back = std::fs::read(&path).unwrap();
            assert!(back[8192..12288].iter().all(|b| *b == 99) && back[12288] == 3);
        }
    }

    #[test]
    fn a_full_queue_comes_back_whole_and_each_buffer_holds_its_own() {
        let (_dir, path) = file();
        let mut q = queue(&path, true, 8);
        for round in 0..50u64 {
            let block = |slot: u32| (round * 3 + u64::from(slot) * 5) % 16;
            assert_eq!(q.push((0..8).map(|slot| ask(slot, IoKind::Read, block(slot) * 4096))), 8);
            assert!(all(&mut q).iter().all(|r| r.result == 4096));
            for slot in 0..8 {
                assert!(q.buffer(slot).iter().all(|b| u64::from(*b) == block(slot)), "slot {slot}");
            }
        }
    }

    #[test]
    fn an_operation_the_system_does_not_take_is_answered_and_the_others_go_on() {
        let (_dir, path) = file();
        let how = LoadOpen { write: false, ..LoadOpen::default() };
        let reading = open_for_load(None, &path, how).unwrap();
        let mut q = IocpQueue::new(FileSet::new(vec![reading]).unwrap(), 4, 4096).unwrap();
        q.push([ask(0, IoKind::Read, 0), ask(1, IoKind::Write, 0), ask(2, IoKind::Read, 4096)].into_iter());
        let results: Vec<i32> = all(&mut q).iter().map(|r| r.result).collect();
        assert_eq!(results, [4096, -crate::errno::EACCES, 4096]);
    }

    #[test]
    fn a_wait_with_a_time_ends_and_a_queue_with_something_in_flight_can_be_dropped() {
        let (_dir, path) = file();
        let mut q = queue(&path, false, 1);
        let before = monotonic_ns();
        q.reap(1, Wait::AtMost(5_000_000), |_| panic!("nothing was asked")).unwrap();
        assert!(monotonic_ns() - before < 5_000_000_000);
        q.push([ask(0, IoKind::Read, 0)].into_iter());
        drop(q);
    }

    #[test]
    #[should_panic(expected = "in use by the system")]
    fn a_buffer_in_flight_is_not_handed_out() {
        let (_dir, path) = file();
        let mut q = queue(&path, false, 1);
        q.push([ask(0, IoKind::Read, 0)].into_iter());
        q.buffer(0);
    }
}
