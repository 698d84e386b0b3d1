//! Memory mappings.

use crate::unix::check;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::NonNull;

/// A memory mapping, unmapped when dropped. Its owner knows what it contains.
#[derive(Debug)]
pub(crate) struct Mapping {
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: a mapping belongs to the process, not to a thread; access follows the borrow of the owner.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Maps zeroed memory for I/O buffers.
    pub(super) fn for_buffers(bytes: usize) -> io::Result<Self> {
        const HUGE: usize = 2 << 20;
        // Fewer page-table walks per I/O: +10 % on a zero device.
        Self::anonymous(bytes, 0, (bytes >= HUGE).then_some(libc::MADV_HUGEPAGE))
    }

    /// Maps zeroed memory for counters.
    pub(super) fn for_counters(bytes: usize) -> io::Result<Self> {
        // A huge page would make two megabytes resident for the first count.
        Self::anonymous(bytes, libc::MAP_NORESERVE, Some(libc::MADV_NOHUGEPAGE))
    }

    /// Maps zeroed private memory, readable and writable. `flags` are in addition to private and anonymous; `advice` is
    /// for madvise(2), and its failure is ignored.
    pub(crate) fn anonymous(bytes: usize, flags: libc::c_int, advice: Option<libc::c_int>) -> io::Result<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | flags;
        let mapping = Self::map(bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1)?;
        if let Some(advice) = advice {
            // SAFETY: the range is the mapping just made; this is only advice, so a failure does not matter.
            unsafe { libc::madvise(mapping.base.as_ptr().cast(), bytes, advice) };
        }
        Ok(mapping)
    }

    /// Maps the first `bytes` of a file, shared with all other users of the file.
    pub(crate) fn shared(file: BorrowedFd<'_>, bytes: usize, writable: bool) -> io::Result<Self> {
        let protection = libc::PROT_READ | if writable { libc::PROT_WRITE } else { 0 };
        Self::map(bytes, protection, libc::MAP_SHARED, file.as_raw_fd())
    }

    fn map(bytes: usize, protection: libc::c_int, flags: libc::c_int, fd: libc::c_int) -> io::Result<Self> {
        // SAFETY: a new mapping at an address chosen by the kernel overlaps no existing memory.
        let base = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, fd, 0) };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Mapping { base: NonNull::new(base.cast()).expect("mmap returns no null mapping"), bytes })
    }

    /// Locks the mapping in memory (mlock(2)).
    pub(crate) fn lock(&self) -> io::Result<()> {
        // SAFETY: the range is this mapping; locking changes no byte of it.
        check(unsafe { libc::mlock(self.base.as_ptr().cast(), self.bytes) })
    }

    /// Returns the start of the mapping.
    #[inline(always)]
    pub(crate) fn base(&self) -> *mut u8 {
        self.base.as_ptr()
    }

    /// Returns the length of the mapping, in bytes.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.bytes
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: base and bytes are those of the mapping; no reference into it exists, as `drop` has `&mut self`.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.bytes) };
    }
}
