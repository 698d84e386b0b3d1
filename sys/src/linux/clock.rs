//! The kernel's clocks.

use crate::unix::clock::read_clock;

/// Returns CLOCK_MONOTONIC, in nanoseconds since boot.
#[must_use]
pub fn monotonic_ns() -> u64 {
    read_clock(libc::CLOCK_MONOTONIC)
}

/// Returns CLOCK_BOOTTIME in nanoseconds: like CLOCK_MONOTONIC, but including time spent in suspend.
#[must_use]
pub fn boottime_ns() -> u64 {
    read_clock(libc::CLOCK_BOOTTIME)
}

/// Returns CLOCK_REALTIME, in nanoseconds since 1970.
#[must_use]
pub fn realtime_ns() -> u64 {
    read_clock(libc::CLOCK_REALTIME)
}

/// Returns `true` if the kernel uses the time-stamp counter: it compares the counter with other clocks and stops using it
/// if it drifts.
pub(crate) fn is_tsc_used() -> bool {
    let source = std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    source.is_ok_and(|s| matches!(s.trim(), "tsc" | "kvm-clock" | "hyperv_clocksource_tsc_page"))
}
