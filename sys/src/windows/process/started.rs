//! Which process it is, for others that find its number later.

use crate::windows::clock::file_time;
use crate::windows::nt;
use windows_sys::Wdk::System::SystemInformation::{NtQuerySystemInformation, SystemTimeOfDayInformation};
use windows_sys::Win32::Foundation::{CloseHandle, FILETIME};
use windows_sys::Win32::System::Threading::{GetProcessTimes, OpenProcess, PROCESS_QUERY_LIMITED_INFORMATION};

/// Beginning of `SYSTEM_TIMEOFDAY_INFORMATION`: moments in 100 ns since 1601, and how much clocks that were set have moved the first.
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

/// Which start of this machine it is: a process number may be used again in the next one. The moment of it, in 100 ns since 1601, as the
/// clock stood then; it stays the same when the clock is set. Empty where the system does not tell.
#[must_use]
pub fn boot() -> String {
    let mut told: TimeOfDay = nt::Plain::zero();
    let length = size_of::<TimeOfDay>() as u32;
    // SAFETY: `told` is a valid place of that length, of plain numbers.
    let status = unsafe {
        NtQuerySystemInformation(SystemTimeOfDayInformation, (&raw mut told).cast(), length, std::ptr::null_mut())
    };
    if status < 0 || told.boot == 0 {
        return String::new();
    }
    told.boot.wrapping_sub(told.boot_moved.cast_signed()).to_string()
}

/// When a process started, in 100 ns since 1601: a process number may be used again, this pair is not.
pub(crate) fn started(pid: u32) -> Option<String> {
    // SAFETY: numbers alone; the handle, if any, is closed below.
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
    // One that has ended stays known while somebody has it open.
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
