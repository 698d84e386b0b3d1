//! The system's clocks.

use crate::windows::nt;
use std::sync::OnceLock;
use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::Performance::{QueryPerformanceCounter, QueryPerformanceFrequency};
use windows_sys::Win32::System::SystemInformation::{GetSystemTimePreciseAsFileTime, GetTickCount64};
use windows_sys::Win32::System::WindowsProgramming::QueryUnbiasedInterruptTime;

/// Returns the ticks per second; since Windows 10 it is 10 MHz if the counter is that of the processor.
fn frequency() -> u64 {
    static FREQUENCY: OnceLock<u64> = OnceLock::new();
    *FREQUENCY.get_or_init(|| {
        let mut ticks = 0;
        // SAFETY: `ticks` is a valid place for one number. Since Windows XP the call cannot fail.
        unsafe { QueryPerformanceFrequency(&raw mut ticks) };
        ticks.max(1) as u64
    })
}

/// Returns the performance counter (QueryPerformanceCounter), in nanoseconds since boot.
#[must_use]
pub fn monotonic_ns() -> u64 {
    const USUAL: u64 = 10_000_000;
    let mut ticks = 0;
    // SAFETY: `ticks` is a valid place for one number. Since Windows XP the call cannot fail.
    unsafe { QueryPerformanceCounter(&raw mut ticks) };
    let (ticks, rate) = (ticks as u64, frequency());
    if rate == USUAL {
        return ticks * (1_000_000_000 / USUAL);
    }
    (u128::from(ticks) * 1_000_000_000 / u128::from(rate)) as u64
}

/// Returns [`monotonic_ns`] plus the time the machine was suspended since boot (accurate to about 16 ms): the
/// difference between the two grows during suspend only.
#[must_use]
pub fn boottime_ns() -> u64 {
    let mut awake = 0;
    // SAFETY: `awake` is a valid place for one number.
    let known = unsafe { QueryUnbiasedInterruptTime(&raw mut awake) } != 0;
    // SAFETY: the call takes nothing and cannot fail.
    let total = unsafe { GetTickCount64() } * 1_000_000;
    let slept = if known { total.saturating_sub(awake * 100) } else { 0 };
    // The two clocks may differ by a tick.
    monotonic_ns() + slept / 100_000_000 * 100_000_000
}

/// Returns the current time in nanoseconds since 1970.
#[must_use]
pub fn realtime_ns() -> u64 {
    /// Time from 1601 to 1970, in 100 ns.
    const EPOCH: u64 = 116_444_736_000_000_000;
    let mut time = FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 };
    // SAFETY: `time` is a valid place for one FILETIME; the call cannot fail.
    unsafe { GetSystemTimePreciseAsFileTime(&raw mut time) };
    nt::file_time(time).saturating_sub(EPOCH) * 100
}

/// Returns `true` if Windows uses the time-stamp counter: it reports exactly 10 MHz then, and another rate if it uses a
/// timer of the board.
pub(crate) fn is_tsc_used() -> bool {
    frequency() == 10_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_go_on_and_agree_with_the_standard_librarys() {
        let (a, real) = (monotonic_ns(), realtime_ns());
        assert!(monotonic_ns() >= a && boottime_ns() >= a);
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64;
        assert!(now.abs_diff(real) < 5_000_000_000, "{now} {real}");
    }

    #[test]
    fn a_machine_that_did_not_sleep_meanwhile_has_both_clocks_at_one_distance() {
        let apart = || boottime_ns().wrapping_sub(monotonic_ns()) as i64;
        assert!(apart().abs_diff(apart()) <= 1_000_000_000);
    }
}
