//! The process's allocator: the system's, which ends the process by name where memory is refused, rather than abort.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::CStr;

/// The system's allocator. Where it has no memory to give, one sentence goes to standard error and the process ends with a code
/// of its own: there is nothing a caller could do, and an abort says nothing to whoever called the program.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    name: &'static CStr,
    code: i32,
}

impl Memory {
    /// `name` stands before the sentence; the process ends with `code`.
    #[must_use]
    pub const fn ending_with(name: &'static CStr, code: i32) -> Self {
        Memory { name, code }
    }

    #[inline(always)]
    fn given(self, memory: *mut u8, bytes: usize) -> *mut u8 {
        if memory.is_null() { self.refused(bytes) } else { memory }
    }

    /// Allocates nothing.
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
        // SAFETY: the buffer is ours and `used` bytes long; a descriptor that is closed is an error that changes nothing.
        let _ = unsafe { libc::write(2, line.text.as_ptr().cast(), line.used) };
        // SAFETY: ends the process at once; no memory of ours is touched after it.
        unsafe { libc::_exit(self.code) }
    }
}

/// Most of the address space that this process may use, if that is limited (`ulimit -v`), in bytes.
#[must_use]
pub fn address_space_limit() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is a whole rlimit that the kernel fills in.
    let got = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) };
    (got == 0 && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

/// Has the C library give large blocks back to the machine when they are freed, for as long as this process lives. By itself
/// it takes the first of them for a habit, and keeps the next ones in each thread's part of the heap.
pub fn return_large_blocks() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it sets a number of the allocator's, under its own lock.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 256 << 10);
    }
}

/// Where the address space is limited (`ulimit -v`), has the C library serve all threads from one heap: each thread's own
/// reserves 64 to 128 MiB of addresses, used or not. To be called before the first thread is started.
pub fn share_one_heap_where_limited() {
    #[cfg(target_env = "gnu")]
    if address_space_limit().is_some() {
        // SAFETY: it sets a number of the allocator's, under its own lock.
        unsafe {
            libc::mallopt(libc::M_ARENA_MAX, 1);
        }
    }
}

/// Gives memory that was freed back to the machine: the C library keeps what lies between blocks in use. A few milliseconds;
/// threads that allocate meanwhile wait.
pub fn release_freed_memory() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it takes the allocator's own locks, and nothing that is in use is touched.
    unsafe {
        libc::malloc_trim(0);
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

// SAFETY: every call is handed on to the system's allocator as it came; what it returns is returned, and null never is.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the system allocator's.
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
