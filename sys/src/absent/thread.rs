//! What threads of Linux alone are asked.

use crate::platform::clock::monotonic_ns;

/// A table of descriptors of a thread's own: there is none, and none is needed.
pub fn own_descriptors() -> bool {
    false
}

/// Sleeps are as exact as the system makes them: the standard library takes the timers of highest resolution there are.
pub fn wake_on_time() {}

/// Sleeps until [`crate::monotonic_ns`] reads `deadline_ns`.
pub fn sleep_until_monotonic(deadline_ns: u64) {
    let left = deadline_ns.saturating_sub(monotonic_ns());
    std::thread::sleep(std::time::Duration::from_nanos(left));
}
