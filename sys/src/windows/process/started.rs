//! Which process it is, for others that find its number later.

use crate::windows::clock::{file_time, monotonic_ns, realtime_ns};
use windows_sys::Win32::Foundation::{CloseHandle, FILETIME};
use windows_sys::Win32::System::Threading::{GetProcessTimes, OpenProcess, PROCESS_QUERY_LIMITED_INFORMATION};

/// When this machine was started, to a minute: a process number may be used again in the next start. Clocks that are set make it another
/// start; then a lock file stays where it could go.
pub(crate) fn boot() -> String {
    (realtime_ns().saturating_sub(monotonic_ns()) / 60_000_000_000).to_string()
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
    }
}
