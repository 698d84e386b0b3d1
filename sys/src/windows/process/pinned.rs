//! Memory that is taken from the machine: pinned, and used for nothing; and what it takes to pin memory.

use crate::windows::nt;
use std::io;
use std::sync::{Mutex, PoisonError};
use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEM_RELEASE, MEM_RESERVE, PAGE_READWRITE, VirtualAlloc, VirtualFree, VirtualLock, VirtualUnlock,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetProcessWorkingSetSize, SetProcessWorkingSetSize};

/// The working set is the process's: one changes it at a time.
static WORKING_SET: Mutex<()> = Mutex::new(());

/// Locks a range of memory in place. The working set is made larger by as much before: a process may lock no more than fits its least.
///
/// # Errors
/// As `SetProcessWorkingSetSize`, `VirtualLock`: a limit of the user's or too little memory.
pub(crate) fn locked(base: *mut u8, bytes: usize) -> io::Result<()> {
    grow(bytes as isize)?;
    // SAFETY: locking changes no byte of the range; a range that is not all there is refused.
    let done = nt::check(unsafe { VirtualLock(base.cast(), bytes) });
    if done.is_err() {
        let _ = grow(-(bytes as isize));
    }
    done
}

/// Takes back what [`locked`] did.
pub(crate) fn unlocked(base: *mut u8, bytes: usize) {
    // SAFETY: as in `locked`.
    unsafe { VirtualUnlock(base.cast(), bytes) };
    let _ = grow(-(bytes as isize));
}

fn grow(by: isize) -> io::Result<()> {
    let _one = WORKING_SET.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut least, mut most) = (0, 0);
    // SAFETY: both places live until the call returns; the handle stands for this process.
    unsafe {
        nt::check(GetProcessWorkingSetSize(GetCurrentProcess(), &raw mut least, &raw mut most))?;
        let grown = |size: usize| size.saturating_add_signed(by);
        nt::check(SetProcessWorkingSetSize(GetCurrentProcess(), grown(least), grown(most)))
    }
}

/// Memory that the system cannot take back as long as this lives, so that less is left for its cache (fio's `lockmem`).
#[derive(Debug)]
pub struct PinnedMemory {
    start: *mut u8,
    bytes: usize,
}

impl PinnedMemory {
    /// Pins so many bytes.
    ///
    /// # Errors
    /// When the machine has not got them, or a limit forbids it.
    pub fn new(bytes: usize) -> io::Result<Self> {
        // SAFETY: new memory at a place of the system's choice touches none of ours.
        let start = unsafe { VirtualAlloc(std::ptr::null(), bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE) };
        if start.is_null() {
            return Err(io::Error::last_os_error());
        }
        let start = start.cast();
        if let Err(e) = locked(start, bytes) {
            // SAFETY: it was just made, and nobody has a reference into it.
            unsafe { VirtualFree(start.cast(), 0, MEM_RELEASE) };
            return Err(e);
        }
        Ok(PinnedMemory { start, bytes })
    }
}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        unlocked(self.start, self.bytes);
        // SAFETY: the memory is ours, and nobody has a reference into it.
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
