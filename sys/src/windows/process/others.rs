//! What the system tells of all CPUs, and of other processes.

use crate::windows::clock::file_time;
use crate::windows::nt;
use std::path::PathBuf;
use windows_sys::Win32::Foundation::{CloseHandle, FILETIME};
use windows_sys::Win32::System::Threading as t;

const NONE: FILETIME = FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 };

/// CPU time of all CPUs together since the system started, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SystemTimes {
    /// Nothing to do.
    pub idle_ns: u64,
    /// In programs.
    pub user_ns: u64,
    /// In the system, interrupts included.
    pub system_ns: u64,
}

/// CPU time of all CPUs; `None` where the system does not tell.
#[must_use]
pub fn system_times() -> Option<SystemTimes> {
    let mut times = [NONE; 3];
    let [idle, kernel, user] = times.each_mut().map(std::ptr::from_mut);
    // SAFETY: the three places live until the call returns.
    if unsafe { t::GetSystemTimes(idle, kernel, user) } == 0 {
        return None;
    }
    let ns = |time: FILETIME| file_time(time) * 100;
    let idle_ns = ns(times[0]);
    // What it calls kernel time has idle time in it.
    Some(SystemTimes { idle_ns, user_ns: ns(times[2]), system_ns: ns(times[1]).saturating_sub(idle_ns) })
}

/// The name of a living process' program, and when it started, in 100 ns since 1601; `None` when there is none of this number, or it may not
/// be looked at.
#[must_use]
pub fn process_name(pid: u32) -> Option<(String, u64)> {
    let start = super::started(pid)?.parse().ok()?;
    let mut name = [0u16; 1024];
    let mut length = name.len() as u32;
    // SAFETY: numbers alone; the handle, if any, is closed below, and the call writes at most `length` units into `name`.
    let known = unsafe {
        let process = t::OpenProcess(t::PROCESS_QUERY_LIMITED_INFORMATION, 0, pid);
        if process.is_null() {
            return None;
        }
        let known = t::QueryFullProcessImageNameW(process, t::PROCESS_NAME_WIN32, name.as_mut_ptr(), &raw mut length);
        CloseHandle(process);
        known
    };
    let path = PathBuf::from(nt::narrow(&name));
    (known != 0).then(|| (path.file_name().unwrap_or_default().to_string_lossy().into_owned(), start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_never_go_back_and_this_process_has_a_name() {
        let before = system_times().unwrap();
        let after = system_times().unwrap();
        assert!(after.idle_ns >= before.idle_ns && after.user_ns >= before.user_ns);
        let (name, start) = process_name(std::process::id()).unwrap();
        assert!(name.ends_with(".exe") && start > 0, "{name}");
        assert_eq!(process_name(u32::MAX - 3), None);
    }
}
