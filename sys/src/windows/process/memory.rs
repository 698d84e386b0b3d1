//! The process's heap: Windows' own gives large blocks back by itself, is one for all threads, and has no limit of addresses to heed.

use windows_sys::Win32::Storage::FileSystem::WriteFile;
use windows_sys::Win32::System::Console::{GetStdHandle, STD_ERROR_HANDLE};
use windows_sys::Win32::System::Memory::{GetProcessHeap, HeapCompact};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, TerminateProcess};

/// Most of the address space that this process may use: there is no such limit.
#[must_use]
pub fn address_space_limit() -> Option<u64> {
    None
}

/// Bytes beyond which no file may be written: there is no such limit.
#[must_use]
pub fn file_size_limit() -> Option<u64> {
    None
}

/// Large blocks go back to the machine when they are freed without being asked for it.
pub fn return_large_blocks() {}

/// All threads have one heap.
pub fn share_one_heap_where_limited() {}

/// Gives memory that was freed back to the machine. Threads that allocate meanwhile wait.
pub fn release_freed_memory() {
    // SAFETY: the heap takes its own locks, and nothing that is in use is touched.
    unsafe {
        HeapCompact(GetProcessHeap(), 0);
    }
}

/// Writes a line to standard error and ends the process at once; it allocates nothing.
pub(crate) fn say_and_end(line: &[u8], code: i32) -> ! {
    let mut written = 0;
    // SAFETY: the line is as long as it says; a handle that is closed is an error that changes nothing. The process ends in the last call.
    unsafe {
        let to = GetStdHandle(STD_ERROR_HANDLE);
        WriteFile(to, line.as_ptr(), line.len() as u32, &raw mut written, std::ptr::null_mut());
        TerminateProcess(GetCurrentProcess(), code as u32);
    }
    std::process::abort()
}
