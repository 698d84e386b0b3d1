//! Memory withdrawn from the machine: pinned and otherwise unused.

use crate::linux::queues::memory::Mapping;
use std::io;

/// Memory that the kernel cannot reclaim while this value lives; less is left for the page cache (fio's `lockmem`).
#[derive(Debug)]
pub struct PinnedMemory {
    _memory: Mapping,
}

impl PinnedMemory {
    /// Pins this many bytes.
    ///
    /// # Errors
    /// If the machine does not have that much memory, or the limit on locked memory (`ulimit -l`) forbids it.
    pub fn new(bytes: usize) -> io::Result<Self> {
        let memory = Mapping::anonymous(bytes, 0, None)?;
        memory.lock()?;
        Ok(PinnedMemory { _memory: memory })
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
