//! The heap of the process. The heap of Windows returns large blocks by itself, is shared by all threads, and knows no
//! limit of the address space.

use windows_sys::Win32::Storage::FileSystem::WriteFile;
use windows_sys::Win32::System::Console::{GetStdHandle, STD_ERROR_HANDLE};
use windows_sys::Win32::System::Memory::{GetProcessHeap, HeapCompact};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, TerminateProcess};

constant! {
    /// Windows does not limit the address space.
    fn address_space_limit() -> Option<u64> = None;
    /// Windows does not limit the size of a file.
    fn file_size_limit() -> Option<u64> = None;
    /// Windows returns large blocks to the system when they are freed.
    fn return_large_blocks() -> () = ();
    /// All threads share one heap.
    fn share_one_heap_where_limited() -> () = ();
}

/// Returns freed memory to the system. Threads that allocate meanwhile wait.
pub fn release_freed_memory() {
    // SAFETY: the heap takes its locks itself, and memory in use is not touched.
    unsafe {
        HeapCompact(GetProcessHeap(), 0);
    }
}

/// Writes a line to standard error and ends the process at once, without allocating.
pub(crate) fn say_and_end(line: &[u8], code: i32) -> ! {
    let mut written = 0;
    // SAFETY: pointer and length are those of the line; a closed handle gives an error without effect. The last call
    // ends the process.
    unsafe {
        let to = GetStdHandle(STD_ERROR_HANDLE);
        WriteFile(to, line.as_ptr(), line.len() as u32, &raw mut written, std::ptr::null_mut());
        TerminateProcess(GetCurrentProcess(), code as u32);
    }
    std::process::abort()
}
