//! The kernel's clocks.

use crate::unix::clock::read_clock;

/// CLOCK_MONOTONIC now, in nanoseconds since boot.
#[must_use]
pub fn monotonic_ns() -> u64 {
    read_clock(libc::CLOCK_MONOTONIC)
}

/// CLOCK_BOOTTIME now: like monotonic, but goes on during suspend.
#[must_use]
pub fn boottime_ns() -> u64 {
    read_clock(libc::CLOCK_BOOTTIME)
}

/// CLOCK_REALTIME now, in nanoseconds since 1970.
#[must_use]
pub fn realtime_ns() -> u64 {
    read_clock(libc::CLOCK_REALTIME)
}

/// Whether processor and kernel both keep the time-stamp counter at one rate.
#[cfg(target_arch = "x86_64")]
pub(crate) fn tsc_trusted() -> bool {
    use core::arch::x86_64::__cpuid;
    // Leaf 0x8000_0007, EDX bit 8: the counter runs at one rate in every power state.
    let leaf_known = __cpuid(0x8000_0000).eax >= 0x8000_0007;
    let invariant = leaf_known && __cpuid(0x8000_0007).edx & (1 << 8) != 0;
    // The kernel watches the counter against others and stops using it when it drifts: its choice is the second vote.
    let source = std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    invariant && source.is_ok_and(|s| matches!(s.trim(), "tsc" | "kvm-clock" | "hyperv_clocksource_tsc_page"))
}

/// No such counter is known here.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn tsc_trusted() -> bool {
    false
}
