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
        let mut line = Line { text: [0; 256], used: 0 };
        line.add(self.name.to_bytes());
        line.add(b": not enough memory: ");
        line.number(bytes as u64);
        line.add(b" bytes were refused");
        if let Some(limit) = address_space_limit() {
            line.add(b"; the address space is limited to ");
            line.number(limit >> 20);
            line.add(b" MiB (ulimit -v)");
        }
        line.add(b"\n");
        say_and_end(&line.text[..line.used], self.code)
    }
}

struct Line {
    text: [u8; 256],
    used: usize,
}

impl Line {
    fn add(&mut self, text: &[u8]) {
        for byte in text {
            if let Some(place) = self.text.get_mut(self.used) {
                *place = *byte;
                self.used += 1;
            }
        }
    }

    fn number(&mut self, mut number: u64) {
        let mut digits = [0; 20];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.add(&digits[at..]);
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
    fn a_line_is_made_without_memory_and_never_overflows() {
        let mut line = Line { text: [0; 256], used: 0 };
        line.number(0);
        line.add(b" ");
        line.number(u64::MAX);
        assert_eq!(&line.text[..line.used], b"0 18446744073709551615");
        line.add(&[b'x'; 500]);
        assert_eq!(line.used, 256);
    }
}
