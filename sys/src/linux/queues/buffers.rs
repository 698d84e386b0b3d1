//! Page-aligned I/O buffers, one slot per operation in flight.
//!
//! A pool is a mapping of its own. Queues own their pool and hand out a slot only while no operation uses it;
//! see `uring.rs` for the argument why safe code cannot touch, or free, memory the kernel still writes to.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::NonNull;

/// Memory mapped by us and given back when dropped. What lies in it is the owner's to know.
#[derive(Debug)]
pub(crate) struct Mapping {
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: a mapping belongs to the process, not to a thread; access follows the borrow of the owner.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Zeros of our own, readable and writable. `flags` beyond private and anonymous; `advice` as of madvise(2), taken or
    /// not.
    fn anonymous(bytes: usize, flags: libc::c_int, advice: Option<libc::c_int>) -> io::Result<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | flags;
        let mapping = Self::map(bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1)?;
        if let Some(advice) = advice {
            // SAFETY: the range is the mapping just made; advice only, so a refusal does not matter.
            unsafe { libc::madvise(mapping.base.as_ptr().cast(), bytes, advice) };
        }
        Ok(mapping)
    }

    /// The first `bytes` of a file, shared with all who have it open.
    pub(crate) fn shared(file: BorrowedFd<'_>, bytes: usize, writable: bool) -> io::Result<Self> {
        let protection = libc::PROT_READ | if writable { libc::PROT_WRITE } else { 0 };
        Self::map(bytes, protection, libc::MAP_SHARED, file.as_raw_fd())
    }

    fn map(bytes: usize, protection: libc::c_int, flags: libc::c_int, fd: libc::c_int) -> io::Result<Self> {
        // SAFETY: a new mapping at an address of the kernel's choice touches nothing of ours.
        let base = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, fd, 0) };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Mapping { base: NonNull::new(base.cast()).expect("mmap returns no null mapping"), bytes })
    }

    /// Where it begins.
    #[inline(always)]
    pub(crate) fn base(&self) -> *mut u8 {
        self.base.as_ptr()
    }

    /// The mapped memory as bytes.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.bytes
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: base and bytes are those of the mapping; nobody holds a reference, as `drop` has `&mut self`.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.bytes) };
    }
}

/// `slots` buffers of `slot_size` bytes each, each aligned to a page.
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
    /// When the mapping fails or its size overflows.
    pub fn new(slots: usize, slot_size: usize) -> io::Result<Self> {
        let too_large = || io::Error::new(io::ErrorKind::InvalidInput, "I/O buffers too large");
        let stride = slot_size.max(1).checked_next_multiple_of(PAGE).ok_or_else(too_large)?;
        let bytes = stride.checked_mul(slots.max(1)).ok_or_else(too_large)?;
        // Fewer page-table walks per I/O: +10 % on a zero device.
        let advice = (bytes >= HUGE).then_some(libc::MADV_HUGEPAGE);
        let memory = Mapping::anonymous(bytes, 0, advice)?;
        Ok(BufferPool { memory, slot_size, stride, slots: slots.max(1) })
    }

    /// Number of slots.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Bytes of one slot.
    #[must_use]
    pub fn slot_size(&self) -> usize {
        self.slot_size
    }

    /// Address of a slot, for the kernel. Panics when there is no such slot.
    #[inline(always)]
    pub(crate) fn address(&self, slot: usize) -> *mut u8 {
        assert!(slot < self.slots, "no such buffer");
        // SAFETY: slot < slots, so the offset lies inside the mapping.
        unsafe { self.memory.base().add(slot * self.stride) }
    }

    /// Where in a slot `len` bytes from `skip` begin, for the kernel. Panics when they do not lie in it.
    #[inline(always)]
    pub(crate) fn part(&self, slot: usize, skip: u32, len: u32) -> *mut u8 {
        assert!(u64::from(skip) + u64::from(len) <= self.slot_size as u64, "operation beyond its buffer");
        // SAFETY: skip <= slot size, so the pointer stays inside the mapping.
        unsafe { self.address(slot).add(skip as usize) }
    }

    /// The bytes of a slot. The caller vouches that no operation uses it now.
    pub(crate) fn slot_mut(&mut self, slot: usize) -> &mut [u8] {
        let address = self.address(slot);
        // SAFETY: the slot lies inside the mapping, which lives as long as `self`, is initialised (zero pages), and is
        // borrowed mutably through `self`; the queue gives it out only while no operation is in flight on it.
        unsafe { std::slice::from_raw_parts_mut(address, self.slot_size) }
    }
}

/// Zeroed counters in a mapping of their own. Pages become resident only when touched, also when such counters are made
/// and dropped many times over: an allocator would sooner or later hand out used memory and clear all of it.
#[derive(Debug)]
pub struct Counters {
    memory: Mapping,
    len: usize,
}

impl Counters {
    /// Maps `len` zeros.
    ///
    /// # Errors
    /// When the mapping fails.
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
