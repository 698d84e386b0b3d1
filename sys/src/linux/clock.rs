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

/// Returns `true` if the time-stamp counter runs at a constant rate according to both the processor and the kernel.
#[cfg(target_arch = "x86_64")]
pub(crate) fn tsc_trusted() -> bool {
    use core::arch::x86_64::__cpuid;
    // Leaf 0x8000_0007, EDX bit 8: the counter runs at one rate in every power state.
    let leaf_known = __cpuid(0x8000_0000).eax >= 0x8000_0007;
    let invariant = leaf_known && __cpuid(0x8000_0007).edx & (1 << 8) != 0;
    // The kernel compares the counter with other clocks and stops using it if it drifts, so its choice counts too.
    let source = std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    invariant && source.is_ok_and(|s| matches!(s.trim(), "tsc" | "kvm-clock" | "hyperv_clocksource_tsc_page"))
}

/// Returns `false`: no such counter is known on this architecture.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn tsc_trusted() -> bool {
    false
}
