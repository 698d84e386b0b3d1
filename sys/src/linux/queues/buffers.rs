//! Page-aligned I/O buffers, one slot per operation in flight.
//!
//! Each pool has its own mapping. Queues own their pool and hand out a slot only while no operation uses it. `uring.rs`
//! explains why safe code can neither touch nor free memory that the kernel may still write to.

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
    /// Maps zeroed private memory, readable and writable. `flags` are in addition to private and anonymous; `advice` is
    /// for madvise(2), and its failure is ignored.
    fn anonymous(bytes: usize, flags: libc::c_int, advice: Option<libc::c_int>) -> io::Result<Self> {
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

/// A pool of `slots` buffers of `slot_size` bytes each, each aligned to a page.
#[derive(Debug)]
pub struct BufferPool {
    memory: Mapping,
    slot_size: usize,
    stride: usize,
    slots: usize,
}

const PAGE: usize = 4096;
const HUGE: usize = 2 << 20;

impl BufferPool {
    /// Maps the pool. Memory becomes resident when first touched.
    ///
    /// # Errors
    /// If the mapping fails or its size overflows.
    pub fn new(slots: usize, slot_size: usize) -> io::Result<Self> {
        let too_large = || io::Error::new(io::ErrorKind::InvalidInput, "I/O buffers too large");
        let stride = slot_size.max(1).checked_next_multiple_of(PAGE).ok_or_else(too_large)?;
        let bytes = stride.checked_mul(slots.max(1)).ok_or_else(too_large)?;
        // Fewer page-table walks per I/O: +10 % on a zero device.
        let advice = (bytes >= HUGE).then_some(libc::MADV_HUGEPAGE);
        let memory = Mapping::anonymous(bytes, 0, advice)?;
        Ok(BufferPool { memory, slot_size, stride, slots: slots.max(1) })
    }

    /// Returns the number of slots.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Returns the size of a slot, in bytes.
    #[must_use]
    pub fn slot_size(&self) -> usize {
        self.slot_size
    }

    /// Returns the address of a slot, for the kernel. Panics if there is no such slot.
    #[inline(always)]
    pub(crate) fn address(&self, slot: usize) -> *mut u8 {
        assert!(slot < self.slots, "no such buffer");
        // SAFETY: slot < slots, so the offset lies inside the mapping.
        unsafe { self.memory.base().add(slot * self.stride) }
    }

    /// Returns the address of byte `skip` of a slot, for the kernel. Panics unless `len` bytes fit after it.
    #[inline(always)]
    pub(crate) fn part(&self, slot: usize, skip: u32, len: u32) -> *mut u8 {
        assert!(u64::from(skip) + u64::from(len) <= self.slot_size as u64, "operation exceeds its buffer");
        // SAFETY: skip <= slot size, so the pointer stays inside the mapping.
        unsafe { self.address(slot).add(skip as usize) }
    }

    /// Returns the bytes of a slot. The caller guarantees that no operation currently uses it.
    pub(crate) fn slot_mut(&mut self, slot: usize) -> &mut [u8] {
        let address = self.address(slot);
        // SAFETY: the slot is inside the mapping, which lives as long as `self`, is initialised (zero pages), and is
        // borrowed mutably through `self`; the queue hands it out only while no operation is in flight on it.
        unsafe { std::slice::from_raw_parts_mut(address, self.slot_size) }
    }
}

/// Zeroed counters in a separate mapping. Pages become resident only when touched, even if such counters are created
/// and dropped repeatedly: an allocator would sooner or later reuse memory and clear all of it.
#[derive(Debug)]
pub struct Counters {
    memory: Mapping,
    len: usize,
}

impl Counters {
    /// Maps `len` zeroed counters.
    ///
    /// # Errors
    /// If the mapping fails.
    pub fn new(len: usize) -> io::Result<Self> {
        let bytes = len.max(1).checked_mul(size_of::<u32>()).ok_or(io::ErrorKind::InvalidInput)?;
        // A huge page would make two megabytes resident for the first count.
        let memory = Mapping::anonymous(bytes, libc::MAP_NORESERVE, Some(libc::MADV_NOHUGEPAGE))?;
        Ok(Counters { memory, len })
    }
}

impl std::ops::Deref for Counters {
    type Target = [u32];

    #[inline(always)]
    fn deref(&self) -> &[u32] {
        // SAFETY: the mapping holds `len` initialised (zero) numbers, is page-aligned, and lives as long as `self`.
        unsafe { std::slice::from_raw_parts(self.memory.base().cast(), self.len) }
    }
}

impl std::ops::DerefMut for Counters {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u32] {
        // SAFETY: as in `deref`; the borrow is unique.
        unsafe { std::slice::from_raw_parts_mut(self.memory.base().cast(), self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_apart_and_page_aligned() {
        let mut pool = BufferPool::new(3, 512).unwrap();
        for slot in 0..3 {
            assert_eq!(pool.address(slot) as usize % PAGE, 0);
            pool.slot_mut(slot).fill(slot as u8 + 1);
        }
        for slot in 0..3 {
            assert!(pool.slot_mut(slot).iter().all(|b| *b == slot as u8 + 1));
        }
    }

    #[test]
    fn counters_begin_at_zero_and_count() {
        let mut counters = Counters::new(10_000).unwrap();
        assert!(counters.iter().all(|n| *n == 0));
        counters[9_999] += 3;
        assert_eq!((counters.len(), counters[9_999]), (10_000, 3));
    }

    #[test]
    fn an_absurd_size_is_an_error() {
        assert!(BufferPool::new(usize::MAX / 2, 1 << 20).is_err());
    }
}
