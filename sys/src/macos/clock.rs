//! The system's clocks.

/// CLOCK_UPTIME_RAW now, in nanoseconds since boot; it stands still while the machine sleeps, as CLOCK_MONOTONIC of Linux does.
#[must_use]
pub fn monotonic_ns() -> u64 {
    read_clock(libc::CLOCK_UPTIME_RAW)
}

/// CLOCK_MONOTONIC_RAW now: like [`monotonic_ns`], but goes on while the machine sleeps.
#[must_use]
pub fn boottime_ns() -> u64 {
    read_clock(libc::CLOCK_MONOTONIC_RAW)
}

/// CLOCK_REALTIME now, in nanoseconds since 1970.
#[must_use]
pub fn realtime_ns() -> u64 {
    read_clock(libc::CLOCK_REALTIME)
}

pub(crate) fn read_clock(id: libc::clockid_t) -> u64 {
    let mut ts = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `ts` is a valid place for one timespec; the ids used exist since macOS 10.12 and cannot fail.
    unsafe { libc::clock_gettime(id, &raw mut ts) };
    ts.tv_sec as u64 * 1_000_000_000 + ts.tv_nsec as u64
}

/// The counter is the system's own business here: its clock reads it without a call.
pub(crate) fn tsc_trusted() -> bool {
    false
}
