//! Memory of the system for buffers and counters, memory that is pinned to take it away from the system, and the calls
//! that pin memory.

use crate::windows::nt;
use std::io;
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};
use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEM_RELEASE, MEM_RESERVE, PAGE_READWRITE, VirtualAlloc, VirtualFree, VirtualLock, VirtualUnlock,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetProcessWorkingSetSize, SetProcessWorkingSetSize};

/// Serializes changes of the working set, which belongs to the whole process.
static WORKING_SET: Mutex<()> = Mutex::new(());

/// Locks a range of memory in place. Enlarges the working set first, because a process may lock only as much as its
/// minimum working set holds.
///
/// # Errors
/// Errors of `SetProcessWorkingSetSize` and `VirtualLock`: a limit of the user, or too little memory.
pub(crate) fn locked(base: *mut u8, bytes: usize) -> io::Result<()> {
    grow(bytes as isize)?;
    // SAFETY: locking changes no byte of the range; a range that is not fully committed is rejected.
    let done = nt::check(unsafe { VirtualLock(base.cast(), bytes) });
    if done.is_err() {
        let _ = grow(-(bytes as isize));
    }
    done
}

fn grow(by: isize) -> io::Result<()> {
    let _one = WORKING_SET.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut least, mut most) = (0, 0);
    // SAFETY: both places live until the call returns; the pseudo handle is this process.
    unsafe {
        nt::check(GetProcessWorkingSetSize(GetCurrentProcess(), &raw mut least, &raw mut most))?;
        let grown = |size: usize| size.saturating_add_signed(by);
        nt::check(SetProcessWorkingSetSize(GetCurrentProcess(), grown(least), grown(most)))
    }
}

/// Zeroed memory, freed when dropped. Its owner decides on the layout.
#[derive(Debug)]
pub(crate) struct Mapping {
    base: NonNull<u8>,
    bytes: usize,
    locked: bool,
}

// SAFETY: memory belongs to the process, not to a thread; access follows the borrow of the owner.
unsafe impl Send for Mapping {}

impl Mapping {
    fn new(bytes: usize) -> io::Result<Self> {
        // SAFETY: new memory at an address chosen by the system does not overlap any other.
        let base = unsafe { VirtualAlloc(std::ptr::null(), bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE) };
        let base = NonNull::new(base.cast()).ok_or_else(io::Error::last_os_error)?;
        Ok(Mapping { base, bytes, locked: false })
    }

    /// Allocates memory for I/O buffers.
    pub(crate) fn for_buffers(bytes: usize) -> io::Result<Self> {
        Self::new(bytes)
    }

    /// Allocates memory for counters.
    pub(crate) fn for_counters(bytes: usize) -> io::Result<Self> {
        Self::new(bytes)
    }

    /// Locks all of the memory in place.
    ///
    /// # Errors
    /// Errors of `VirtualLock`: a limit of the user, or too little memory. The memory remains usable.
    pub(crate) fn lock(&mut self) -> io::Result<()> {
        locked(self.base(), self.bytes)?;
        self.locked = true;
        Ok(())
    }

    /// Returns the start of the memory.
    #[inline(always)]
    pub(crate) fn base(&self) -> *mut u8 {
        self.base.as_ptr()
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: this value owns the memory; there are no references, since `drop` has `&mut self`.
        unsafe {
            if self.locked {
                VirtualUnlock(self.base().cast(), self.bytes);
                let _ = grow(-(self.bytes as isize));
            }
            VirtualFree(self.base().cast(), 0, MEM_RELEASE);
        }
    }
}

/// Memory that the system cannot reclaim while this value lives, which leaves less for the page cache (fio's
/// `lockmem`).
#[derive(Debug)]
pub struct PinnedMemory {
    _memory: Mapping,
}

impl PinnedMemory {
    /// Pins this number of bytes.
    ///
    /// # Errors
    /// If the machine does not have that much memory, or a limit forbids it.
    pub fn new(bytes: usize) -> io::Result<Self> {
        let mut memory = Mapping::new(bytes)?;
        memory.lock()?;
        Ok(PinnedMemory { _memory: memory })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_pinned_and_given_back() {
        for _ in 0..4 {
            let pinned = PinnedMemory::new(4 << 20).unwrap();
            assert!(pinned._memory.locked);
        }
        assert!(PinnedMemory::new(usize::MAX / 2).is_err());
    }
}
