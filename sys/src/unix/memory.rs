//! Limits and tuning of the C library's allocator.

/// Returns the limit of this process's address space (`ulimit -v`) in bytes, if there is one.
#[must_use]
pub fn address_space_limit() -> Option<u64> {
    // SAFETY: `limit` points to a whole rlimit that the kernel fills in.
    soft_limit(|limit| unsafe { libc::getrlimit(libc::RLIMIT_AS, limit) })
}

/// Returns the maximum size of a file that this process may write (`ulimit -f`) in bytes, if there is one.
#[must_use]
pub fn file_size_limit() -> Option<u64> {
    // SAFETY: `limit` points to a whole rlimit that the kernel fills in.
    soft_limit(|limit| unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, limit) })
}

/// Returns the soft limit, if there is one. `get` makes the call because the type of the resource number differs
/// between C libraries.
fn soft_limit(get: impl FnOnce(*mut libc::rlimit) -> libc::c_int) -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    (get(&raw mut limit) == 0 && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

/// Makes the C library return large blocks to the system as soon as they are freed, for the rest of this process. By
/// default the first such block raises the threshold, and later ones stay in the heap of each thread.
pub fn return_large_blocks() {
    #[cfg(target_env = "gnu")]
    // SAFETY: the call sets a number in the allocator, under the allocator's own lock.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 256 << 10);
    }
}

/// If the address space is limited (`ulimit -v`), makes the C library serve all threads from one heap: a heap per
/// thread would reserve 64 to 128 MiB of addresses each, used or not. Must be called before the first thread starts.
pub fn share_one_heap_where_limited() {
    #[cfg(target_env = "gnu")]
    if address_space_limit().is_some() {
        // SAFETY: the call sets a number in the allocator, under the allocator's own lock.
        unsafe {
            libc::mallopt(libc::M_ARENA_MAX, 1);
        }
    }
}

/// Returns freed memory to the system: the C library keeps free memory between blocks in use. Takes a few milliseconds,
/// during which threads that allocate have to wait.
pub fn release_freed_memory() {
    #[cfg(target_env = "gnu")]
    // SAFETY: the call takes the allocator's own locks and does not touch memory in use.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Writes a line to standard error and exits at once; allocates nothing.
pub(crate) fn say_and_end(line: &[u8], code: i32) -> ! {
    // SAFETY: the pointer and the length belong to one slice; writing to a closed descriptor fails and changes nothing.
    let _ = unsafe { libc::write(2, line.as_ptr().cast(), line.len()) };
    // SAFETY: exits at once; no memory of this process is touched afterwards.
    unsafe { libc::_exit(code) }
}
