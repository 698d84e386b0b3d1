//! Thread functions that only have an effect on Linux.

/// Returns `false`: threads have no separate table of descriptors, and need none.
pub fn own_descriptors() -> bool {
    false
}

/// Does nothing: the standard library already uses the timers with the highest resolution.
pub fn wake_on_time() {}
