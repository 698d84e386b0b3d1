//! The C library's allocator: its limits and its habits.

/// Most of the address space that this process may use, if that is limited (`ulimit -v`), in bytes.
#[must_use]
pub fn address_space_limit() -> Option<u64> {
    // SAFETY: `limit` is a whole rlimit that the kernel fills in.
    soft_limit(|limit| unsafe { libc::getrlimit(libc::RLIMIT_AS, limit) })
}

/// Bytes beyond which no file may be written, if they are limited (`ulimit -f`).
#[must_use]
pub fn file_size_limit() -> Option<u64> {
    // SAFETY: `limit` is a whole rlimit that the kernel fills in.
    soft_limit(|limit| unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, limit) })
}

/// The limit in force, if there is one. The type of a resource's number differs between C libraries: `get` has it.
fn soft_limit(get: impl FnOnce(*mut libc::rlimit) -> libc::c_int) -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    (get(&raw mut limit) == 0 && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
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

/// Writes a line to standard error and ends the process at once; it allocates nothing.
pub(crate) fn say_and_end(line: &[u8], code: i32) -> ! {
    // SAFETY: the line is as long as it says; a descriptor that is closed is an error that changes nothing.
    let _ = unsafe { libc::write(2, line.as_ptr().cast(), line.len()) };
    // SAFETY: ends the process at once; no memory of ours is touched after it.
    unsafe { libc::_exit(code) }
}
