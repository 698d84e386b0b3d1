//! Child processes that must not outlive this program, and the end of the process itself.

use crate::common::{ChildEnd, CpuTime};
use crate::windows::nt;
use std::io;
use std::os::windows::io::{AsRawHandle, IntoRawHandle, OwnedHandle};
use std::process::Command;
use std::sync::OnceLock;
use windows_sys::Win32::Foundation as w;
use windows_sys::Win32::System::JobObjects::AssignProcessToJobObject;
use windows_sys::Win32::System::ProcessStatus::{K32GetProcessMemoryInfo, PROCESS_MEMORY_COUNTERS};
use windows_sys::Win32::System::Threading as t;

/// Ends the processes that are started from here on when this process ends, for any reason. All of them are in one job
/// object together with this process, and the job ends with its last handle. This applies to every child process of
/// this program, not only to the given command.
pub fn signal_with_parent(_command: &mut Command, _signal: i32) {
    static JOB: OnceLock<bool> = OnceLock::new();
    JOB.get_or_init(|| {
        // The handle of the job stays open until the process ends: closing it is what ends the others.
        let Ok(job) = nt::new_job().map(OwnedHandle::into_raw_handle) else { return false };
        // SAFETY: both handles are open; one is the pseudo handle of this process.
        unsafe { AssignProcessToJobObject(job, t::GetCurrentProcess()) != 0 }
    });
}

/// Ends this process when its parent ends, so that no orphan continues with I/O. A thread waits for the parent.
///
/// # Errors
/// `ERROR_INVALID_PARAMETER` if the parent has already ended.
pub fn die_with_parent(parent: u32) -> io::Result<()> {
    let parent = nt::open_process(parent, t::PROCESS_SYNCHRONIZE)?;
    std::thread::Builder::new().name("parent".into()).spawn(move || {
        // SAFETY: the handle stays open as long as the thread lives.
        unsafe { t::WaitForSingleObject(parent.as_raw_handle(), t::INFINITE) };
        exit_now(1)
    })?;
    Ok(())
}

/// Ends the process at once, without waiting for threads that may be stuck in a system call.
pub fn exit_now(code: i32) -> ! {
    // SAFETY: ends this process; no Rust code runs after it.
    unsafe { t::TerminateProcess(t::GetCurrentProcess(), code as u32) };
    std::process::abort()
}

/// Sends a signal to a process. Windows has no signals: SIGKILL (9) and SIGTERM (15) end the process at once with exit
/// code 128 + the signal; 0 checks that the process exists.
///
/// # Errors
/// Errors of `OpenProcess` and `TerminateProcess`; `Unsupported` for other signals.
pub fn send_signal(pid: u32, signal: i32) -> io::Result<()> {
    match signal {
        0 => nt::open_process(pid, t::PROCESS_QUERY_LIMITED_INFORMATION).map(drop),
        9 | 15 => {
            let process = nt::open_process(pid, t::PROCESS_TERMINATE)?;
            // SAFETY: the handle is open.
            nt::check(unsafe { t::TerminateProcess(process.as_raw_handle(), 128 + signal as u32) })
        }
        _ => {
            let reason = format!("Windows cannot send signal {signal} to a process");
            Err(io::Error::new(io::ErrorKind::Unsupported, reason))
        }
    }
}

/// Returns `true` if a child has ended.
///
/// # Errors
/// Errors of `OpenProcess`, which fails once no process holds a handle of the child.
pub fn child_has_ended(pid: u32) -> io::Result<bool> {
    Ok(nt::has_ended(&nt::open_process(pid, t::PROCESS_SYNCHRONIZE)?))
}

/// Waits for a child and returns its exit code and usage. Grandchildren are not included; device reads and writes are
/// unknown.
///
/// # Errors
/// Errors of `OpenProcess` and `GetExitCodeProcess`.
pub fn wait_for_child(pid: u32) -> io::Result<ChildEnd> {
    let process = nt::open_process(pid, t::PROCESS_SYNCHRONIZE | t::PROCESS_QUERY_LIMITED_INFORMATION)?;
    let mut code = 0;
    // SAFETY: the handle is open, and `code` is a valid place.
    let usage = unsafe {
        t::WaitForSingleObject(process.as_raw_handle(), t::INFINITE);
        nt::check(t::GetExitCodeProcess(process.as_raw_handle(), &raw mut code))?;
        usage_of(process.as_raw_handle())
    };
    Ok(ChildEnd { code: Some(code as i32), signal: None, usage, blocks: (0, 0) })
}

/// Returns the CPU time, peak resident size and page faults of a process, given its open handle. Context switches are
/// not counted; major and minor faults are not distinguished.
///
/// # Safety
/// As for [`nt::process_times`].
pub(super) unsafe fn usage_of(process: w::HANDLE) -> CpuTime {
    // SAFETY: the structure consists of numbers, for which zero is valid.
    let mut memory: PROCESS_MEMORY_COUNTERS = unsafe { std::mem::zeroed() };
    let length = size_of::<PROCESS_MEMORY_COUNTERS>() as u32;
    // SAFETY: the caller guarantees the handle; the structure lives until the call returns, and stays zero if it fails.
    let times = unsafe {
        K32GetProcessMemoryInfo(process, &raw mut memory, length);
        nt::process_times(process)
    };
    let [_, _, system, user] = times.unwrap_or_default();
    CpuTime {
        user_ns: user * 100,
        system_ns: system * 100,
        max_resident: memory.PeakWorkingSetSize as u64,
        minor_faults: u64::from(memory.PageFaultCount),
        ..CpuTime::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_waited_for_with_its_code() {
        let mut child = Command::new("cmd").args(["/c", "exit 7"]).spawn().unwrap();
        let end = wait_for_child(child.id()).unwrap();
        assert_eq!((end.code, end.signal), (Some(7), None));
        assert!(child_has_ended(child.id()).unwrap());
        assert_eq!(child.wait().unwrap().code(), Some(7));
    }

    #[test]
    fn a_child_is_ended_by_what_ends_and_by_nothing_else() {
        let mut child = Command::new("cmd").args(["/c", "pause"]).stdin(std::process::Stdio::piped()).spawn().unwrap();
        assert!(send_signal(child.id(), 10).unwrap_err().to_string().contains("signal 10"));
        send_signal(child.id(), 0).unwrap();
        assert!(!child_has_ended(child.id()).unwrap());
        send_signal(child.id(), 9).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(137));
    }

    #[test]
    fn a_parent_that_is_gone_is_an_error() {
        assert!(die_with_parent(u32::MAX - 3).is_err());
    }
}
