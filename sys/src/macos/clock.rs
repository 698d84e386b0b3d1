//! The system's clocks.

use crate::unix::clock::read_clock;

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

/// The counter is the system's own business here: its clock reads it without a call.
pub(crate) fn tsc_trusted() -> bool {
    false
}
