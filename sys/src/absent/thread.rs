//! Thread functions that only have an effect on Linux.

use crate::platform::clock::monotonic_ns;

/// Returns `false`: threads have no separate table of descriptors, and need none.
pub fn own_descriptors() -> bool {
    false
}

/// Does nothing: the standard library already uses the timers with the highest resolution.
pub fn wake_on_time() {}

/// Sleeps until [`crate::monotonic_ns`] reads `deadline_ns`.
pub fn sleep_until_monotonic(deadline_ns: u64) {
    let left = deadline_ns.saturating_sub(monotonic_ns());
    std::thread::sleep(std::time::Duration::from_nanos(left));
}
