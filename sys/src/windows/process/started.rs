//! Identity of a process that stays valid after its ID is reused.

use crate::windows::nt;
use std::os::windows::io::AsRawHandle;
use windows_sys::Wdk::System::SystemInformation::{NtQuerySystemInformation, SystemTimeOfDayInformation};
use windows_sys::Win32::System::Threading::PROCESS_QUERY_LIMITED_INFORMATION;

/// First fields of `SYSTEM_TIMEOFDAY_INFORMATION`: times in 100 ns since 1601, and the total correction of the boot
/// time by changes of the clock.
#[repr(C)]
#[derive(Clone, Copy)]
struct TimeOfDay {
    boot: i64,
    now: i64,
    zone: i64,
    zone_id: u32,
    reserved: u32,
    boot_moved: u64,
    slept: u64,
}

nt::plain!(TimeOfDay);

/// Returns the boot time of this machine, in 100 ns since 1601; process IDs may be reused after the next boot. The
/// value is by the clock as it was set at boot, so later changes of the clock do not affect it. Empty if the system
/// does not report it.
#[must_use]
pub fn boot() -> String {
    let mut time: TimeOfDay = nt::Plain::zero();
    let length = size_of::<TimeOfDay>() as u32;
    // SAFETY: the structure is a valid place of that length and consists of numbers.
    let status = unsafe {
        NtQuerySystemInformation(SystemTimeOfDayInformation, (&raw mut time).cast(), length, std::ptr::null_mut())
    };
    if status < 0 || time.boot == 0 {
        return String::new();
    }
    time.boot.wrapping_sub(time.boot_moved.cast_signed()).to_string()
}

/// Returns the start time of a process, in 100 ns since 1601. A process ID may be reused, but not ID and start time
/// together.
pub(crate) fn started(pid: u32) -> Option<String> {
    let process = nt::open_process(pid, PROCESS_QUERY_LIMITED_INFORMATION).ok()?;
    // SAFETY: the handle is open.
    let [made, ended, ..] = unsafe { nt::process_times(process.as_raw_handle()) }?;
    // A process that has ended is still known while another process holds a handle of it.
    (ended == 0).then(|| made.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_one_start_and_one_boot() {
        assert_eq!(started(std::process::id()), started(std::process::id()));
        assert!(started(std::process::id()).is_some() && started(u32::MAX - 3).is_none());
        assert!(!boot().is_empty());
        assert_eq!(boot(), boot(), "one start of the machine");
    }
}
