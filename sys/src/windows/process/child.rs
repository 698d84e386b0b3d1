//! Processes that this program starts and that must not outlive it, and its own end.

use crate::common::{ChildEnd, CpuTime};
use crate::windows::clock::file_time;
use crate::windows::nt;
use std::io;
use std::process::Command;
use std::sync::OnceLock;
use windows_sys::Win32::Foundation as w;
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
};
use windows_sys::Win32::System::ProcessStatus::{K32GetProcessMemoryInfo, PROCESS_MEMORY_COUNTERS};
use windows_sys::Win32::System::Threading as t;

/// A handle of ours, closed when dropped.
struct Owned(w::HANDLE);

// SAFETY: a handle is a number of the process, used by any of its threads.
unsafe impl Send for Owned {}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: it is ours, and nobody uses it after this.
        unsafe { w::CloseHandle(self.0) };
    }
}

fn process(pid: u32, rights: u32) -> io::Result<Owned> {
    // SAFETY: numbers alone.
    let handle = unsafe { t::OpenProcess(rights, 0, pid) };
    if handle.is_null() { Err(io::Error::last_os_error()) } else { Ok(Owned(handle)) }
}

/// Has processes that are started from here on end when this one does, however it ends: they are members of one job with it, which ends
/// with its last handle. That is all processes of this program, not the one of this command alone.
pub fn signal_with_parent(_command: &mut Command, _signal: i32) {
    static JOB: OnceLock<bool> = OnceLock::new();
    JOB.get_or_init(|| {
        // SAFETY: numbers, for which zero is a value.
        let mut limits: JOBOBJECT_EXTENDED_LIMIT_INFORMATION = unsafe { std::mem::zeroed() };
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        // SAFETY: no name and no security are given; the structure lives until the call returns and has the length that is said. The job's
        // handle stays open until the process ends: that is what ends the others.
        unsafe {
            let job = CreateJobObjectW(std::ptr::null(), std::ptr::null());
            let length = size_of::<JOBOBJECT_EXTENDED_LIMIT_INFORMATION>() as u32;
            !job.is_null()
                && SetInformationJobObject(job, JobObjectExtendedLimitInformation, (&raw const limits).cast(), length)
                    != 0
                && AssignProcessToJobObject(job, t::GetCurrentProcess()) != 0
        }
    });
}

/// Ends this process when its parent ends, so that no orphan goes on with I/O: a thread waits for that.
///
/// # Errors
/// `ERROR_INVALID_PARAMETER` when the parent is gone already.
pub fn die_with_parent(parent: u32) -> io::Result<()> {
    let parent = process(parent, t::PROCESS_SYNCHRONIZE)?;
    std::thread::Builder::new().name("parent".into()).spawn(move || {
        let parent = parent;
        // SAFETY: the handle is open as long as the thread lives.
        unsafe { t::WaitForSingleObject(parent.0, t::INFINITE) };
        exit_now(1)
    })?;
    Ok(())
}

/// Ends the process at once, without waiting for threads that may never return from the system.
pub fn exit_now(code: i32) -> ! {
    // SAFETY: ends this process; no Rust code runs after it.
    unsafe { t::TerminateProcess(t::GetCurrentProcess(), code as u32) };
    std::process::abort()
}

/// Sends a signal to a process. There are none here: SIGKILL (9) and SIGTERM (15) end it at once, with the code 128 and that number; 0 looks
/// whether it is there.
///
/// # Errors
/// As `OpenProcess`, `TerminateProcess`; `Unsupported` for other signals.
pub fn send_signal(pid: u32, signal: i32) -> io::Result<()> {
    match signal {
        0 => process(pid, t::PROCESS_QUERY_LIMITED_INFORMATION).map(drop),
        9 | 15 => {
            let process = process(pid, t::PROCESS_TERMINATE)?;
            // SAFETY: the handle is open.
            nt::check(unsafe { t::TerminateProcess(process.0, 128 + signal as u32) })
        }
        _ => {
            let why = format!("Windows has no signal {signal} to send to a process");
            Err(io::Error::new(io::ErrorKind::Unsupported, why))
        }
    }
}

/// Whether a child has ended.
///
/// # Errors
/// As `OpenProcess`: when nobody has it open any more.
pub fn child_has_ended(pid: u32) -> io::Result<bool> {
    let process = process(pid, t::PROCESS_SYNCHRONIZE)?;
    // SAFETY: the handle is open.
    Ok(unsafe { t::WaitForSingleObject(process.0, 0) } == w::WAIT_OBJECT_0)
}

/// Waits for a child and takes its account. Children of its own are not in it, and what it read and wrote of devices is not known.
///
/// # Errors
/// As `OpenProcess`, `GetExitCodeProcess`.
pub fn wait_for_child(pid: u32) -> io::Result<ChildEnd> {
    let process = process(pid, t::PROCESS_SYNCHRONIZE | t::PROCESS_QUERY_LIMITED_INFORMATION)?;
    let mut code = 0;
    // SAFETY: the handle is open, and `code` a valid place.
    unsafe {
        t::WaitForSingleObject(process.0, t::INFINITE);
        nt::check(t::GetExitCodeProcess(process.0, &raw mut code))?;
    }
    Ok(ChildEnd { code: Some(code as i32), signal: None, usage: usage_of(process.0), blocks: (0, 0) })
}

/// CPU time, largest resident size and page faults of a process by its open handle. Switches are not counted, and faults not told apart.
pub(super) fn usage_of(process: w::HANDLE) -> CpuTime {
    let mut times = [w::FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 }; 4];
    let [made, ended, system, user] = times.each_mut().map(std::ptr::from_mut);
    // SAFETY: numbers, for which zero is a value.
    let mut memory: PROCESS_MEMORY_COUNTERS = unsafe { std::mem::zeroed() };
    let length = size_of::<PROCESS_MEMORY_COUNTERS>() as u32;
    // SAFETY: the handle is the caller's; the places live until the calls return, which leave zeros where they fail.
    unsafe {
        t::GetProcessTimes(process, made, ended, system, user);
        K32GetProcessMemoryInfo(process, &raw mut memory, length);
    }
    CpuTime {
        user_ns: file_time(times[3]) * 100,
        system_ns: file_time(times[2]) * 100,
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
        assert!(send_signal(child.id(), 10).unwrap_err().to_string().contains("no signal 10"));
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
