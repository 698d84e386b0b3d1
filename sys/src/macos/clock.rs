//! The system's clocks.

use crate::unix::clock::read_clock;

/// Returns CLOCK_UPTIME_RAW in nanoseconds since boot; like CLOCK_MONOTONIC of Linux, it stops while the machine
/// sleeps.
#[must_use]
pub fn monotonic_ns() -> u64 {
    read_clock(libc::CLOCK_UPTIME_RAW)
}

/// Returns CLOCK_MONOTONIC_RAW, which is like [`monotonic_ns`] but continues while the machine sleeps.
#[must_use]
pub fn boottime_ns() -> u64 {
    read_clock(libc::CLOCK_MONOTONIC_RAW)
}

/// Returns CLOCK_REALTIME in nanoseconds since 1970.
#[must_use]
pub fn realtime_ns() -> u64 {
    read_clock(libc::CLOCK_REALTIME)
}

/// Returns `false`: the clock of macOS already reads the counter without a system call.
pub(crate) fn is_tsc_used() -> bool {
    false
}
