//! Memory: the global allocator, which exits with a message instead of aborting if memory runs out; limits, locked
//! memory and NUMA nodes.

pub use crate::common::{Held, MemoryMode, SharedMemory};
pub use crate::platform::devices::memory_available;
use crate::platform::process::say_and_end;
pub use crate::platform::process::{
    PinnedMemory, address_space_limit, hold_program, page_size, release_freed_memory, remove_shared_memory,
    return_large_blocks, share_one_heap_where_limited, shared_memory, take_memory_from,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::CStr;
use std::io::Write;

/// The system's allocator. If it has no memory left, it prints one line to standard error and exits with a dedicated
/// code: the caller could do nothing about it, and an abort would give the user no reason.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    name: &'static CStr,
    code: i32,
}

impl Memory {
    /// Creates an allocator whose error line begins with `name` and that exits with `code`.
    #[must_use]
    pub const fn ending_with(name: &'static CStr, code: i32) -> Self {
        Memory { name, code }
    }

    #[inline(always)]
    fn given(self, memory: *mut u8, bytes: usize) -> *mut u8 {
        if memory.is_null() { self.refused(bytes) } else { memory }
    }

    /// Reports the failure and exits. Allocates nothing.
    #[cold]
    fn refused(self, bytes: usize) -> ! {
        let mut line = [0; 256];
        let length = self.describe(bytes, address_space_limit(), &mut line);
        say_and_end(&line[..length], self.code)
    }

    /// Writes the reason to `line`, cut off at its end, and returns the length. Allocates nothing.
    fn describe(self, bytes: usize, limit: Option<u64>, line: &mut [u8]) -> usize {
        let whole = line.len();
        let mut rest = line;
        let _ = rest.write_all(self.name.to_bytes());
        let _ = write!(rest, ": not enough memory: {bytes} bytes were refused");
        if let Some(limit) = limit {
            let _ = write!(rest, "; the address space is limited to {} MiB (ulimit -v)", limit >> 20);
        }
        let _ = rest.write_all(b"\n");
        whole - rest.len()
    }
}

// SAFETY: every call is forwarded unchanged to the system's allocator; its result is returned, and never null.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of the system allocator.
        self.given(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        self.given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        self.given(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_the_limit_and_never_overflows() {
        let (memory, mut line) = (Memory::ending_with(c"secchi", 1), [0; 120]);
        let length = memory.describe(1 << 30, None, &mut line);
        assert_eq!(&line[..length], b"secchi: not enough memory: 1073741824 bytes were refused\n");
        let length = memory.describe(usize::MAX, Some(u64::MAX), &mut line);
        assert!(length <= 120 && line.starts_with(b"secchi: not enough memory: 18446744073709551615 bytes"));
    }
}
