//! Page-aligned I/O buffers, one slot per operation in flight.
//!
//! Each pool is a separate memory allocation. Queues own their pool and hand out a slot only while no operation uses
//! it; `iocp.rs` explains why safe code cannot touch or free memory that the system still writes to.

use crate::windows::process::{locked, unlocked};
use std::io;
use std::ptr::NonNull;
use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEM_RELEASE, MEM_RESERVE, PAGE_READWRITE, VirtualAlloc, VirtualFree,
};

/// Zeroed memory, freed when dropped. Its owner decides on the layout.
#[derive(Debug)]
pub(crate) struct Zeros {
    base: NonNull<u8>,
}

// SAFETY: memory belongs to the process, not to a thread; access follows the borrow of the owner.
unsafe impl Send for Zeros {}

impl Zeros {
    fn new(bytes: usize) -> io::Result<Self> {
        // SAFETY: new memory at an address chosen by the system does not overlap any other.
        let base = unsafe { VirtualAlloc(std::ptr::null(), bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE) };
        NonNull::new(base.cast()).map(|base| Zeros { base }).ok_or_else(io::Error::last_os_error)
    }

    #[inline(always)]
    fn base(&self) -> *mut u8 {
        self.base.as_ptr()
    }
}

impl Drop for Zeros {
    fn drop(&mut self) {
        // SAFETY: this value owns the memory; there are no references, since `drop` has `&mut self`.
        unsafe { VirtualFree(self.base.as_ptr().cast(), 0, MEM_RELEASE) };
    }
}

/// `slots` buffers of `slot_size` bytes each, each aligned to a page.
#[derive(Debug)]
pub struct BufferPool {
    memory: Zeros,
    slot_size: usize,
    stride: usize,
    slots: usize,
    /// Number of locked bytes.
    locked: usize,
}

const PAGE: usize = 4096;

impl BufferPool {
    /// Allocates the pool. Memory becomes resident when first touched.
    ///
    /// # Errors
    /// If there is not enough memory or the size overflows.
    pub fn new(slots: usize, slot_size: usize) -> io::Result<Self> {
        let too_large = || io::Error::new(io::ErrorKind::InvalidInput, "I/O buffers too large");
        let stride = slot_size.max(1).checked_next_multiple_of(PAGE).ok_or_else(too_large)?;
        let bytes = stride.checked_mul(slots.max(1)).ok_or_else(too_large)?;
        Ok(BufferPool { memory: Zeros::new(bytes)?, slot_size, stride, slots: slots.max(1), locked: 0 })
    }

    /// Locks the whole pool in place, so that no operation waits for its buffer.
    ///
    /// # Errors
    /// Errors of `VirtualLock`: a limit of the user, or too little memory. The pool remains usable.
    pub fn lock(&mut self) -> io::Result<()> {
        let bytes = self.stride * self.slots;
        locked(self.memory.base(), bytes)?;
        self.locked = bytes;
        Ok(())
    }

    /// Returns the address of a slot, for the system. Panics if there is no such slot.
    #[inline(always)]
    pub(crate) fn address(&self, slot: usize) -> *mut u8 {
        assert!(slot < self.slots, "no such buffer");
        // SAFETY: slot < slots, so the offset is inside the memory.
        unsafe { self.memory.base().add(slot * self.stride) }
    }

    /// Returns the address of the part of a slot from `skip`, `len` bytes long. Panics if it exceeds the slot.
    #[inline(always)]
    pub(crate) fn part(&self, slot: usize, skip: u32, len: u32) -> *mut u8 {
        assert!(u64::from(skip) + u64::from(len) <= self.slot_size as u64, "operation exceeds its buffer");
        // SAFETY: skip <= slot size, so the pointer stays inside the memory.
        unsafe { self.address(slot).add(skip as usize) }
    }

    /// Returns the bytes of a slot. The caller must ensure that no operation uses it.
    pub(crate) fn slot_mut(&mut self, slot: usize) -> &mut [u8] {
        let address = self.address(slot);
        // SAFETY: the slot is inside the memory, which lives as long as `self`, is initialised (zeros), and is borrowed
        // mutably through `self`; the queue hands it out only while no operation is in flight on it.
        unsafe { std::slice::from_raw_parts_mut(address, self.slot_size) }
    }
}

impl Drop for BufferPool {
    fn drop(&mut self) {
        if self.locked > 0 {
            unlocked(self.memory.base(), self.locked);
        }
    }
}

/// Zeroed counters in a separate allocation. Pages become resident only when touched.
#[derive(Debug)]
pub struct Counters {
    memory: Zeros,
    len: usize,
}

impl Counters {
    /// Allocates `len` zeros.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(len: usize) -> io::Result<Self> {
        let bytes = len.max(1).checked_mul(size_of::<u32>()).ok_or(io::ErrorKind::InvalidInput)?;
        Ok(Counters { memory: Zeros::new(bytes)?, len })
    }
}

impl std::ops::Deref for Counters {
    type Target = [u32];

    #[inline(always)]
    fn deref(&self) -> &[u32] {
        // SAFETY: the memory holds `len` initialised (zero) numbers, is page-aligned, and lives as long as `self`.
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
    fn slots_are_aligned_and_apart_and_stay_so_when_locked() {
        let mut pool = BufferPool::new(3, 5000).unwrap();
        pool.slot_mut(1).fill(7);
        pool.lock().unwrap();
        assert!((0..3).all(|slot| (pool.address(slot) as usize).is_multiple_of(PAGE)));
        for (slot, byte) in [(0, 0), (1, 7), (2, 0)] {
            assert!(pool.slot_mut(slot).iter().all(|b| *b == byte), "slot {slot}");
        }
    }

    #[test]
    fn counters_begin_at_zero() {
        let mut counters = Counters::new(1000).unwrap();
        counters[999] += 1;
        assert_eq!((counters.iter().sum::<u32>(), counters.len()), (1, 1000));
    }
}
