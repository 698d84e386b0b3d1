//! Memory that is pinned to take it away from the system, and the calls that pin memory.

use crate::windows::nt;
use std::io;
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

/// Undoes [`locked`].
pub(crate) fn unlocked(base: *mut u8, bytes: usize) {
    // SAFETY: as in `locked`.
    unsafe { VirtualUnlock(base.cast(), bytes) };
    let _ = grow(-(bytes as isize));
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

/// Memory that the system cannot reclaim while this value lives, which leaves less for the page cache (fio's
/// `lockmem`).
#[derive(Debug)]
pub struct PinnedMemory {
    start: *mut u8,
    bytes: usize,
}

impl PinnedMemory {
    /// Pins this number of bytes.
    ///
    /// # Errors
    /// If the machine does not have that much memory, or a limit forbids it.
    pub fn new(bytes: usize) -> io::Result<Self> {
        // SAFETY: new memory at an address chosen by the system does not overlap any other.
        let start = unsafe { VirtualAlloc(std::ptr::null(), bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE) };
        if start.is_null() {
            return Err(io::Error::last_os_error());
        }
        let start = start.cast();
        if let Err(e) = locked(start, bytes) {
            // SAFETY: the memory was just allocated, and nothing refers to it.
            unsafe { VirtualFree(start.cast(), 0, MEM_RELEASE) };
            return Err(e);
        }
        Ok(PinnedMemory { start, bytes })
    }
}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        unlocked(self.start, self.bytes);
        // SAFETY: this value owns the memory, and nothing refers to it.
        unsafe { VirtualFree(self.start.cast(), 0, MEM_RELEASE) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_pinned_and_given_back() {
        for _ in 0..4 {
            let pinned = PinnedMemory::new(4 << 20).unwrap();
            assert_eq!(pinned.bytes, 4 << 20);
        }
        assert!(PinnedMemory::new(usize::MAX / 2).is_err());
    }
}
