//! A queue on an I/O ring of Windows 11 and Server 2022: operations are written to memory shared with the system, and
//! one call submits many of them. The functions are looked up at run time, because older systems and wine do not have
//! them.
//!
//! The soundness argument is that of `iocp.rs`: the queue owns its buffers, hands out a slot only while nothing is in
//! flight on it, and leaks its memory instead of freeing it if the system does not complete operations.

use super::buffers::BufferPool;
use super::file_set::FileSet;
use crate::common::{IoKind, Reaped, Submission, Wait, wait_out};
use crate::windows::clock::monotonic_ns;
use crate::windows::files::{flags_again, reopen_with, rights};
use crate::windows::nt;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::sync::OnceLock;
use windows_sys::Win32::Foundation as w;
use windows_sys::Win32::Storage::FileSystem as fs;
use windows_sys::Win32::System::LibraryLoader::{GetModuleHandleW, GetProcAddress};
use windows_sys::Win32::System::Threading::INFINITE;
use windows_sys::core::HRESULT;

/// Functions of the interface, with the types of ioringapi.h.
#[derive(Clone, Copy)]
struct Functions {
    capabilities: unsafe extern "system" fn(*mut fs::IORING_CAPABILITIES) -> HRESULT,
    create:
        unsafe extern "system" fn(fs::IORING_VERSION, fs::IORING_CREATE_FLAGS, u32, u32, *mut fs::HIORING) -> HRESULT,
    close: unsafe extern "system" fn(fs::HIORING) -> HRESULT,
    submit: unsafe extern "system" fn(fs::HIORING, u32, u32, *mut u32) -> HRESULT,
    pop: unsafe extern "system" fn(fs::HIORING, *mut fs::IORING_CQE) -> HRESULT,
    read: unsafe extern "system" fn(
        fs::HIORING,
        fs::IORING_HANDLE_REF,
        fs::IORING_BUFFER_REF,
        u32,
        u64,
        usize,
        fs::IORING_SQE_FLAGS,
    ) -> HRESULT,
    /// Functions of version 3 of the interface.
    writing: Option<Writing>,
}

#[derive(Clone, Copy)]
struct Writing {
    write: unsafe extern "system" fn(
        fs::HIORING,
        fs::IORING_HANDLE_REF,
        fs::IORING_BUFFER_REF,
        u32,
        u64,
        fs::FILE_WRITE_FLAGS,
        usize,
        fs::IORING_SQE_FLAGS,
    ) -> HRESULT,
    flush: unsafe extern "system" fn(
        fs::HIORING,
        fs::IORING_HANDLE_REF,
        fs::FILE_FLUSH_MODE,
        usize,
        fs::IORING_SQE_FLAGS,
    ) -> HRESULT,
}

impl Functions {
    fn find() -> Option<Functions> {
        let name = nt::wide(OsStr::new("kernelbase.dll"));
        // SAFETY: the name ends with a zero; the library is part of every process and never unloaded.
        let library = unsafe { GetModuleHandleW(name.as_ptr()) };
        if library.is_null() {
            return None;
        }
        macro_rules! function {
            ($name:literal) => {
                // SAFETY: the library is loaded and the name is a C string; the function has the type declared in
                // ioringapi.h, which is the type used here.
                unsafe { GetProcAddress(library, concat!($name, "\0").as_ptr()).map(|at| std::mem::transmute(at)) }
            };
        }
        let writing =
            || Some(Writing { write: function!("BuildIoRingWriteFile")?, flush: function!("BuildIoRingFlushFile")? });
        Some(Functions {
            capabilities: function!("QueryIoRingCapabilities")?,
            create: function!("CreateIoRing")?,
            close: function!("CloseIoRing")?,
            submit: function!("SubmitIoRing")?,
            pop: function!("PopIoRingCompletion")?,
            read: function!("BuildIoRingReadFile")?,
            writing: writing(),
        })
    }

    fn get() -> io::Result<Functions> {
        static FOUND: OnceLock<Option<Functions>> = OnceLock::new();
        FOUND.get_or_init(Functions::find).ok_or_else(|| {
            let reason = "this Windows does not support I/O rings (CreateIoRing): Windows 11 and Server 2022 do";
            io::Error::new(io::ErrorKind::Unsupported, reason)
        })
    }
}

/// Returns the error number (`winerror.h`) of a result if it wraps one, otherwise the result.
fn code(result: HRESULT) -> i32 {
    const WIN32: u32 = 0x8007_0000;
    /// `FACILITY_NT_BIT`: marks a status of the kernel.
    const NT: u32 = 0x1000_0000;
    let bits = result as u32;
    if bits & 0xFFFF_0000 == WIN32 {
        (bits & 0xFFFF) as i32
    } else if bits & NT != 0 {
        nt::dos_error((bits & !NT) as i32)
    } else {
        result
    }
}

fn check(result: HRESULT) -> io::Result<()> {
    if result < 0 { Err(io::Error::from_raw_os_error(code(result))) } else { Ok(()) }
}

/// Ring with its files and buffers. Must be used by one thread at a time.
pub struct IoRingQueue {
    functions: Functions,
    ring: fs::HIORING,
    pool: ManuallyDrop<BufferPool>,
    /// File objects that belong to this queue.
    opened: ManuallyDrop<Box<[File]>>,
    files: FileSet,
    in_flight: Box<[bool]>,
    /// Results that did not come from the ring.
    ready: Vec<Reaped>,
    pending: usize,
    /// Number of operations built but not yet submitted.
    queued: usize,
    notes: Vec<String>,
}

// SAFETY: handles belong to the process, and everything else is owned; the queue is used by one thread at a time.
unsafe impl Send for IoRingQueue {}

impl IoRingQueue {
    /// Creates a ring for `depth` operations in flight, with buffers of `buffer_size` bytes, and reopens the files for
    /// it. `writes` is true if there will be writes or flushes, which the first versions of rings do not support.
    ///
    /// # Errors
    /// `Unsupported` if the system has no rings, or none that write; errors of `CreateIoRing` and `ReOpenFile`; or too
    /// little memory.
    pub fn new(files: FileSet, depth: u32, buffer_size: usize, writes: bool) -> io::Result<Self> {
        let functions = Functions::get()?;
        let depth = depth.max(1);
        // SAFETY: the structure consists of numbers, for which zero is valid.
        let mut can: fs::IORING_CAPABILITIES = unsafe { std::mem::zeroed() };
        // SAFETY: `can` is a valid place for the structure.
        check(unsafe { (functions.capabilities)(&raw mut can) })?;
        let version = can.MaxVersion.min(fs::IORING_VERSION_3);
        if writes && (version < fs::IORING_VERSION_3 || functions.writing.is_none()) {
            let reason = "the I/O rings of this Windows support reads only: Windows 11 22H2 supports writes";
            return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
        }
        let mut notes = Vec::new();
        let mut pool = BufferPool::new(depth as usize, buffer_size)?;
        if let Err(e) = pool.memory.lock() {
            notes.push(format!("ioring: buffers are not locked in memory: {e}"));
        }
        let again =
            |file| reopen_with(file, rights(file)? & !fs::DELETE, flags_again(file)? | fs::FILE_FLAG_OVERLAPPED);
        let opened = files.files().iter().map(again).collect::<io::Result<Box<[File]>>>()?;
        let flags = fs::IORING_CREATE_FLAGS {
            Required: fs::IORING_CREATE_REQUIRED_FLAGS_NONE,
            Advisory: fs::IORING_CREATE_ADVISORY_FLAGS_NONE,
        };
        let mut ring = std::ptr::null_mut();
        // The system chooses larger sizes if these are too small. There is room for a completion of each operation.
        // SAFETY: `ring` is a valid place for a handle.
        check(unsafe { (functions.create)(version, flags, depth, depth.saturating_mul(2), &raw mut ring) })?;
        Ok(IoRingQueue {
            functions,
            ring,
            pool: ManuallyDrop::new(pool),
            opened: ManuallyDrop::new(opened),
            files,
            in_flight: vec![false; depth as usize].into(),
            ready: Vec::with_capacity(depth as usize),
            pending: 0,
            queued: 0,
            notes,
        })
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

    /// Queues operations; they reach the system with the next [`IoRingQueue::reap`] or [`IoRingQueue::flush`]. Returns
    /// the number of operations accepted. A discard is finished when this returns, because rings have no such
    /// operation. Panics on a slot already in flight or a length beyond its buffer.
    #[inline]
    pub fn push(&mut self, submissions: impl Iterator<Item = Submission>) -> usize {
        let mut pushed = 0;
        for s in submissions {
            let slot = s.slot as usize;
            assert!(!self.in_flight[slot], "slot is already in flight");
            let built = match s.kind {
                IoKind::Discard => Err(self.files.discard(s.file, s.at, s.len)),
                _ => self.build(&s),
            };
            match built {
                // The ring is full: it has to be submitted first.
                Ok(false) => break,
                Ok(true) => self.queued += 1,
                Err(result) => self.ready.push(Reaped { slot: s.slot, result }),
            }
            self.in_flight[slot] = true;
            pushed += 1;
        }
        self.pending += pushed;
        pushed
    }

    /// Puts an operation into the ring. Returns `true` if there was room, or the result if the operation cannot be
    /// submitted.
    #[inline]
    fn build(&self, s: &Submission) -> Result<bool, i32> {
        /// `IORING_E_SUBMISSION_QUEUE_FULL`.
        const FULL: HRESULT = 0x8046_0002_u32 as HRESULT;
        let file = fs::IORING_HANDLE_REF {
            Kind: fs::IORING_REF_RAW,
            Handle: fs::IORING_HANDLE_REF_0 { Handle: nt::handle(&self.opened[usize::from(s.file)]) },
        };
        let address = self.pool.part(s.slot as usize, s.skip, if s.kind.is_flush() { 0 } else { s.len });
        let buffer = fs::IORING_BUFFER_REF {
            Kind: fs::IORING_REF_RAW,
            Buffer: fs::IORING_BUFFER_REF_0 { Address: address.cast() },
        };
        let (name, none) = (s.slot as usize, fs::IOSQE_FLAGS_NONE);
        // SAFETY: ring and file are open; the buffer is inside the pool and is not touched until the completion clears
        // `in_flight` (see the head of this file).
        let result = unsafe {
            match (s.kind, self.functions.writing) {
                (IoKind::Read, _) => (self.functions.read)(self.ring, file, buffer, s.len, s.at, name, none),
                (IoKind::Write, Some(writing)) => {
                    (writing.write)(self.ring, file, buffer, s.len, s.at, fs::FILE_WRITE_FLAGS_NONE, name, none)
                }
                (IoKind::DataSync | IoKind::Sync, Some(writing)) => {
                    (writing.flush)(self.ring, file, fs::FILE_FLUSH_DEFAULT, name, none)
                }
                _ => return Err(-crate::errno::EOPNOTSUPP),
            }
        };
        match result {
            FULL => Ok(false),
            result if result < 0 => Err(-code(result)),
            _ => Ok(true),
        }
    }

    /// Submits queued operations without waiting.
    ///
    /// # Errors
    /// Errors of `SubmitIoRing`.
    pub fn flush(&mut self) -> io::Result<()> {
        if self.queued > 0 { self.submit(0, 0) } else { Ok(()) }
    }

    fn submit(&mut self, wait_for: usize, ms: u32) -> io::Result<()> {
        let mut taken = 0;
        // SAFETY: the ring is open; `taken` is a valid place.
        let result = unsafe { (self.functions.submit)(self.ring, wait_for as u32, ms, &raw mut taken) };
        // A call that timed out has submitted the operations as well.
        self.queued -= (taken as usize).min(self.queued);
        match code(result) as u32 {
            _ if result >= 0 => Ok(()),
            w::ERROR_TIMEOUT | w::WAIT_TIMEOUT => Ok(()),
            _ => check(result),
        }
    }

    /// Submits queued operations and waits until at least `at_least` completions have arrived (at most the number in
    /// flight) or the time is up; then passes all completions to `done`.
    ///
    /// # Errors
    /// Errors of `SubmitIoRing` and `PopIoRingCompletion`.
    pub fn reap(&mut self, at_least: usize, wait: Wait, mut done: impl FnMut(Reaped)) -> io::Result<()> {
        let want = at_least.min(self.pending);
        let mut got = self.ready.len();
        for reaped in self.ready.drain(..) {
            self.in_flight[reaped.slot as usize] = false;
            done(reaped);
        }
        self.pending -= got;
        let until = match wait {
            Wait::Forever => None,
            Wait::AtMost(ns) => Some(monotonic_ns().saturating_add(ns)),
        };
        got += self.take(&mut done)?;
        loop {
            let missing = want.saturating_sub(got).min(self.pending);
            let left = until.map(|until| until.saturating_sub(monotonic_ns()));
            if missing == 0 || left == Some(0) {
                return self.flush();
            }
            // The system waits in milliseconds; the remainder is spent spinning.
            let ms = left.map_or(INFINITE, |ns| u32::try_from(ns / 1_000_000).unwrap_or(INFINITE - 1));
            self.submit(if ms == 0 { 0 } else { missing }, ms)?;
            got += self.take(&mut done)?;
            std::hint::spin_loop();
        }
    }

    /// Passes the available completions to `done`. Returns their number.
    fn take(&mut self, done: &mut impl FnMut(Reaped)) -> io::Result<usize> {
        let mut count = 0;
        loop {
            let mut entry = fs::IORING_CQE { UserData: 0, ResultCode: 0, Information: 0 };
            // SAFETY: the ring is open; `entry` is a valid place.
            let result = unsafe { (self.functions.pop)(self.ring, &raw mut entry) };
            check(result)?;
            if result != w::S_OK {
                return Ok(count);
            }
            let failed = code(entry.ResultCode);
            let result = match entry.ResultCode {
                _ if failed as u32 == w::ERROR_HANDLE_EOF => 0,
                code if code < 0 => -failed,
                _ => entry.Information as i32,
            };
            self.in_flight[entry.UserData] = false;
            self.pending -= 1;
            count += 1;
            done(Reaped { slot: entry.UserData as u32, result });
        }
    }
}

impl Drop for IoRingQueue {
    fn drop(&mut self) {
        if !wait_out(|wait| self.reap(1, wait, |_| ()).map(|()| self.pending)) {
            return;
        }
        // SAFETY: nothing is in flight, none of these is used again, and the ring is closed once, before the buffers
        // are freed.
        unsafe {
            (self.functions.close)(self.ring);
            ManuallyDrop::drop(&mut self.opened);
            ManuallyDrop::drop(&mut self.pool);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::{LoadOpen, open_for_load};

    fn queue(write: bool, depth: u32) -> Option<(tempfile::TempDir, IoRingQueue)> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        std::fs::write(&path, (0..16u8).flat_map(|block| [block; 4096]).collect::<Vec<_>>()).unwrap();
        let file = open_for_load(None, &path, LoadOpen { write, ..LoadOpen::default() }).unwrap();
        match IoRingQueue::new(FileSet::new(vec![file]).unwrap(), depth, 4096, write) {
            Ok(queue) => Some((dir, queue)),
            Err(e) => {
                assert_eq!(e.kind(), io::ErrorKind::Unsupported, "{e}");
                testkit::skipped(&e.to_string());
                None
            }
        }
    }

    fn ask(slot: u32, kind: IoKind, at: u64) -> Submission {
        Submission { slot, kind, file: 0, at, len: if kind.is_flush() { 0 } else { 4096 }, skip: 0 }
    }

    #[test]
    fn a_full_ring_comes_back_whole_and_each_buffer_holds_its_own() {
        let Some((_dir, mut q)) = queue(false, 8) else { return };
        for round in 0..50u64 {
            let block = |slot: u32| (round * 3 + u64::from(slot) * 5) % 16;
            assert_eq!(q.push((0..8).map(|slot| ask(slot, IoKind::Read, block(slot) * 4096))), 8);
            while q.pending > 0 {
                q.reap(1, Wait::Forever, |r| assert_eq!(r.result, 4096)).unwrap();
            }
            for slot in 0..8 {
                assert!(q.buffer(slot).iter().all(|b| u64::from(*b) == block(slot)), "slot {slot}");
            }
        }
    }

    #[test]
    fn writes_and_flushes_complete_and_nothing_lies_behind_the_end() {
        let Some((dir, mut q)) = queue(true, 4) else { return };
        q.buffer(0).fill(99);
        q.push([ask(0, IoKind::Write, 8192), ask(1, IoKind::Read, 65536), ask(2, IoKind::Sync, 0)].into_iter());
        let mut results = Vec::new();
        while q.pending > 0 {
            q.reap(1, Wait::Forever, |r| results.push((r.slot, r.result))).unwrap();
        }
        results.sort_unstable();
        assert_eq!(results, [(0, 4096), (1, 0), (2, 0)]);
        drop(q);
        assert!(std::fs::read(dir.path().join("f")).unwrap()[8192..12288].iter().all(|b| *b == 99));
    }

    #[test]
    fn a_wait_with_a_time_ends() {
        let Some((_dir, mut q)) = queue(false, 1) else { return };
        q.reap(1, Wait::AtMost(5_000_000), |_| panic!("nothing was asked")).unwrap();
    }

    #[test]
    fn numbers_of_winerror_are_told_from_others() {
        assert_eq!(code(0x8007_0026_u32 as HRESULT), w::ERROR_HANDLE_EOF as i32);
        assert_eq!(code(0xD000_0011_u32 as HRESULT), w::ERROR_HANDLE_EOF as i32);
        assert_eq!(code(0x8046_0002_u32 as HRESULT), 0x8046_0002_u32 as i32);
    }
}
