//! Page-aligned I/O buffers, one slot per operation in flight. A module of the queues of each system that measures, which
//! provide the memory (`Mapping`).
//!
//! Each pool has its own mapping. Queues own their pool and hand out a slot only while no operation uses it. `uring.rs`
//! and `iocp.rs` explain why safe code can neither touch nor free memory that the kernel may still write to.

use super::Mapping;
use std::io;

/// A pool of `slots` buffers of `slot_size` bytes each, each aligned to a page.
#[derive(Debug)]
pub struct BufferPool {
    pub(crate) memory: Mapping,
    pub(crate) slot_size: usize,
    stride: usize,
    pub(crate) slots: usize,
}

const PAGE: usize = 4096;

impl BufferPool {
    /// Maps the pool. Memory becomes resident when first touched.
    ///
    /// # Errors
    /// If the mapping fails or its size overflows.
    pub fn new(slots: usize, slot_size: usize) -> io::Result<Self> {
        let too_large = || io::Error::new(io::ErrorKind::InvalidInput, "I/O buffers too large");
        let stride = slot_size.max(1).checked_next_multiple_of(PAGE).ok_or_else(too_large)?;
        let bytes = stride.checked_mul(slots.max(1)).ok_or_else(too_large)?;
        Ok(BufferPool { memory: Mapping::for_buffers(bytes)?, slot_size, stride, slots: slots.max(1) })
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
        Ok(Counters { memory: Mapping::for_counters(bytes)?, len })
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
