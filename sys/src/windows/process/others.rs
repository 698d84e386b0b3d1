//! CPU times of the whole system, and facts about other processes.

use crate::windows::nt;
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::path::PathBuf;
use windows_sys::Win32::Foundation::{CloseHandle, FILETIME, INVALID_HANDLE_VALUE};
use windows_sys::Win32::System::Diagnostics::ToolHelp as h;
use windows_sys::Win32::System::ProcessStatus as m;
use windows_sys::Win32::System::Threading as t;

/// CPU time of all CPUs together since the system started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SystemTimes {
    /// Idle time, in nanoseconds.
    pub idle_ns: u64,
    /// Time in user mode, in nanoseconds.
    pub user_ns: u64,
    /// Time in the kernel, interrupts included, in nanoseconds.
    pub system_ns: u64,
}

/// Returns the CPU time of all CPUs; `None` if the system does not report it.
#[must_use]
pub fn system_times() -> Option<SystemTimes> {
    let mut times = [FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 }; 3];
    let [idle, kernel, user] = times.each_mut().map(std::ptr::from_mut);
    // SAFETY: the three places live until the call returns.
    nt::check(unsafe { t::GetSystemTimes(idle, kernel, user) }).ok()?;
    let [idle_ns, kernel_ns, user_ns] = times.map(|time| nt::file_time(time) * 100);
    // GetSystemTimes includes idle time in its kernel time.
    Some(SystemTimes { idle_ns, user_ns, system_ns: kernel_ns.saturating_sub(idle_ns) })
}

/// Returns the program name of a running process and its start time, in 100 ns since 1601; `None` if no process has
/// this ID or it may not be queried.
#[must_use]
pub fn process_name(pid: u32) -> Option<(String, u64)> {
    let start = super::started(pid)?.parse().ok()?;
    let mut name = [0u16; 1024];
    let mut length = name.len() as u32;
    let process = nt::open_process(pid, t::PROCESS_QUERY_LIMITED_INFORMATION).ok()?;
    // SAFETY: the handle is open, and the call writes at most `length` units into `name`.
    let known = unsafe {
        let (process, format) = (process.as_raw_handle(), t::PROCESS_NAME_WIN32);
        t::QueryFullProcessImageNameW(process, format, name.as_mut_ptr(), &raw mut length)
    };
    let path = PathBuf::from(nt::narrow(&name));
    (known != 0).then(|| (path.file_name().unwrap_or_default().to_string_lossy().into_owned(), start))
}

/// Process in the list of all processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedProcess {
    /// Process ID.
    pub pid: u32,
    /// ID of the process that started it; may belong to another process by now.
    pub parent: u32,
    /// Number of its threads.
    pub threads: u32,
}

/// Returns all processes of the system; empty if the system does not report them.
#[must_use]
pub fn processes() -> Vec<ListedProcess> {
    let mut processes = Vec::new();
    // SAFETY: zero is valid for the numbers and the name buffer of the structure, which has its length set. The handle
    // of the list is closed.
    unsafe {
        let list = h::CreateToolhelp32Snapshot(h::TH32CS_SNAPPROCESS, 0);
        if list == INVALID_HANDLE_VALUE {
            return processes;
        }
        let mut one: h::PROCESSENTRY32W = std::mem::zeroed();
        one.dwSize = size_of::<h::PROCESSENTRY32W>() as u32;
        let mut more = h::Process32FirstW(list, &raw mut one);
        while more != 0 {
            processes.push(ListedProcess {
                pid: one.th32ProcessID,
                parent: one.th32ParentProcessID,
                threads: one.cntThreads,
            });
            more = h::Process32NextW(list, &raw mut one);
        }
        CloseHandle(list);
    }
    processes
}

/// Counters of a process since it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProcessCounts {
    /// Start time, in 100 ns since 1601.
    pub start: u64,
    /// CPU time in user mode, in nanoseconds.
    pub user_ns: u64,
    /// CPU time in the kernel, in nanoseconds.
    pub system_ns: u64,
    /// Number of read calls, including those on pipes and sockets.
    pub read_calls: u64,
    /// Number of write calls, including those on pipes and sockets.
    pub write_calls: u64,
    /// Bytes read by these calls.
    pub read: u64,
    /// Bytes written by these calls.
    pub written: u64,
    /// Current working set, in bytes.
    pub memory: u64,
}

/// Process that is queried repeatedly. While this value is held, the process ID is not reused, and the counters remain
/// available after the process has ended.
#[derive(Debug)]
pub struct ObservedProcess(OwnedHandle);

impl ObservedProcess {
    /// Opens a process for queries; `None` if no process has this ID or it may not be queried.
    #[must_use]
    pub fn open(pid: u32) -> Option<ObservedProcess> {
        let rights = t::PROCESS_QUERY_LIMITED_INFORMATION | t::PROCESS_SYNCHRONIZE;
        nt::open_process(pid, rights).ok().map(ObservedProcess)
    }

    /// Returns `true` if the process has ended.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        nt::has_ended(&self.0)
    }

    /// Returns the counters of the process; `None` if the system does not report them.
    #[must_use]
    pub fn counts(&self) -> Option<ProcessCounts> {
        let process = self.0.as_raw_handle();
        // SAFETY: the structures consist of numbers, for which zero is valid; the handle is open, all places live until
        // the calls return, and the structure has the given length.
        let (times, io, memory) = unsafe {
            let mut io: t::IO_COUNTERS = std::mem::zeroed();
            let mut memory: m::PROCESS_MEMORY_COUNTERS = std::mem::zeroed();
            memory.cb = size_of::<m::PROCESS_MEMORY_COUNTERS>() as u32;
            let times = nt::process_times(process)?;
            nt::check(t::GetProcessIoCounters(process, &raw mut io)).ok()?;
            let known = m::K32GetProcessMemoryInfo(process, &raw mut memory, memory.cb);
            (times, io, if known == 0 { 0 } else { memory.WorkingSetSize as u64 })
        };
        let [start, _, system, user] = times;
        Some(ProcessCounts {
            start,
            user_ns: user * 100,
            system_ns: system * 100,
            read_calls: io.ReadOperationCount,
            write_calls: io.WriteOperationCount,
            read: io.ReadTransferCount,
            written: io.WriteTransferCount,
            memory,
        })
    }
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

    #[test]
    fn this_process_is_listed_and_its_counts_only_grow() {
        let pid = std::process::id();
        assert!(processes().iter().any(|p| p.pid == pid && p.threads > 0 && p.parent != pid));
        let process = ObservedProcess::open(pid).unwrap();
        let before = process.counts().unwrap();
        std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let after = process.counts().unwrap();
        assert!(after.start == before.start && Some(after.start) == process_name(pid).map(|(_, start)| start));
        assert!(after.user_ns >= before.user_ns && after.read_calls >= before.read_calls && !process.has_ended());
        assert!(ObservedProcess::open(u32::MAX - 3).is_none());
        if after.read == before.read {
            testkit::skip!("no calls of processes are counted here (wine)");
        }
    }
}
