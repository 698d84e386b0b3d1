//! Identity of a process that stays valid after its ID is reused.

use crate::windows::clock::file_time;
use crate::windows::nt;
use windows_sys::Wdk::System::SystemInformation::{NtQuerySystemInformation, SystemTimeOfDayInformation};
use windows_sys::Win32::Foundation::{CloseHandle, FILETIME};
use windows_sys::Win32::System::Threading::{GetProcessTimes, OpenProcess, PROCESS_QUERY_LIMITED_INFORMATION};

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
    // SAFETY: the arguments are plain numbers; a handle is closed below.
    let process = unsafe { OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, pid) };
    if process.is_null() {
        return None;
    }
    let mut times = [FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 }; 4];
    let [made, ended, system, user] = times.each_mut().map(std::ptr::from_mut);
    // SAFETY: the handle is open and closed once; the four places live until the call returns.
    let known = unsafe {
        let known = GetProcessTimes(process, made, ended, system, user);
        CloseHandle(process);
        known
    };
    // A process that has ended is still known while another process holds a handle of it.
    (known != 0 && file_time(times[1]) == 0).then(|| file_time(times[0]).to_string())
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
