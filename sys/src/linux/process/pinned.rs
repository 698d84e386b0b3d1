//! Memory withdrawn from the machine: pinned and otherwise unused.

use std::io;

/// Memory that the kernel cannot reclaim while this value lives; less is left for the page cache (fio's `lockmem`).
#[derive(Debug)]
pub struct PinnedMemory {
    start: *mut libc::c_void,
    bytes: usize,
}

impl PinnedMemory {
    /// Pins this many bytes.
    ///
    /// # Errors
    /// If the machine does not have that much memory, or the limit on locked memory (`ulimit -l`) forbids it.
    pub fn new(bytes: usize) -> io::Result<Self> {
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping at an address chosen by the kernel overlaps no existing memory.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, kind, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let pinned = PinnedMemory { start, bytes };
        // SAFETY: the range is the mapping just made.
        match unsafe { libc::mlock(pinned.start, pinned.bytes) } {
            0 => Ok(pinned),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        // SAFETY: the mapping belongs to this value, no reference into it exists, and unmapping unlocks it.
        unsafe { libc::munmap(self.start, self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locked() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|l| l.strip_prefix("VmLck:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    #[test]
    fn pinned_memory_is_counted_by_the_kernel_and_given_back() {
        let before = locked();
        match PinnedMemory::new(1 << 20) {
            Ok(pinned) => {
                assert!(locked() >= before + 1024, "{} of {before}", locked());
                drop(pinned);
            }
            Err(error) => return testkit::skipped(&error.to_string()),
        }
        assert_eq!(PinnedMemory::new(1 << 60).unwrap_err().raw_os_error(), Some(12));
    }
}
