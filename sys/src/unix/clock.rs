//! POSIX clocks.

/// Reads a clock, in nanoseconds.
#[inline(always)]
pub(crate) fn read_clock(id: libc::clockid_t) -> u64 {
    let mut ts = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `ts` is valid for writes of one timespec; the IDs used exist since Linux 2.6.39 and macOS 10.12 and
    // cannot fail.
    unsafe { libc::clock_gettime(id, &raw mut ts) };
    ts.tv_sec as u64 * 1_000_000_000 + ts.tv_nsec as u64
}
