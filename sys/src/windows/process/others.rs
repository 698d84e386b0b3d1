//! What the system tells of all CPUs, and of other processes.

use crate::windows::clock::file_time;
use crate::windows::nt;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::path::PathBuf;
use windows_sys::Win32::Foundation::{CloseHandle, FILETIME, INVALID_HANDLE_VALUE, WAIT_OBJECT_0};
use windows_sys::Win32::System::Diagnostics::ToolHelp as h;
use windows_sys::Win32::System::ProcessStatus as m;
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

/// A process in the list of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedProcess {
    /// Its number.
    pub pid: u32,
    /// The number of the one that started it, which may be another's by now.
    pub parent: u32,
    /// Threads it has.
    pub threads: u32,
}

/// Every process there is. Empty where the system does not tell.
#[must_use]
pub fn processes() -> Vec<ListedProcess> {
    let mut found = Vec::new();
    // SAFETY: numbers, for which zero is a value, and a list of names of its own; the structure says its length, and the handle of the
    // list is closed.
    unsafe {
        let list = h::CreateToolhelp32Snapshot(h::TH32CS_SNAPPROCESS, 0);
        if list == INVALID_HANDLE_VALUE {
            return found;
        }
        let mut one: h::PROCESSENTRY32W = std::mem::zeroed();
        one.dwSize = size_of::<h::PROCESSENTRY32W>() as u32;
        let mut more = h::Process32FirstW(list, &raw mut one);
        while more != 0 {
            found.push(ListedProcess {
                pid: one.th32ProcessID,
                parent: one.th32ParentProcessID,
                threads: one.cntThreads,
            });
            more = h::Process32NextW(list, &raw mut one);
        }
        CloseHandle(list);
    }
    found
}

/// What a process has done since it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProcessCounts {
    /// When it started, in 100 ns since 1601.
    pub start: u64,
    /// CPU time in the program, in nanoseconds.
    pub user_ns: u64,
    /// CPU time in the system, in nanoseconds.
    pub system_ns: u64,
    /// Calls that read, of files, pipes and sockets alike.
    pub read_calls: u64,
    /// Calls that wrote.
    pub write_calls: u64,
    /// Bytes those read.
    pub read: u64,
    /// Bytes those wrote.
    pub written: u64,
    /// Bytes of memory it has now (its working set).
    pub memory: u64,
}

/// A process that is looked at again and again: its number is nobody else's as long as this is held, and its counts stay after its end.
#[derive(Debug)]
pub struct ObservedProcess(OwnedHandle);

impl ObservedProcess {
    /// Opens it for looks; `None` when there is none of this number, or it may not be looked at.
    #[must_use]
    pub fn open(pid: u32) -> Option<ObservedProcess> {
        let rights = t::PROCESS_QUERY_LIMITED_INFORMATION | t::PROCESS_SYNCHRONIZE;
        // SAFETY: numbers alone.
        let process = unsafe { t::OpenProcess(rights, 0, pid) };
        // SAFETY: it was just opened, and nobody else has it.
        (!process.is_null()).then(|| ObservedProcess(unsafe { OwnedHandle::from_raw_handle(process) }))
    }

    /// Whether it has ended.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        // SAFETY: the handle is open; nothing is waited for.
        unsafe { t::WaitForSingleObject(self.0.as_raw_handle(), 0) == WAIT_OBJECT_0 }
    }

    /// What it has done; `None` where the system does not tell.
    #[must_use]
    pub fn counts(&self) -> Option<ProcessCounts> {
        let process = self.0.as_raw_handle();
        let mut times = [NONE; 4];
        let [start, end, kernel, user] = times.each_mut().map(std::ptr::from_mut);
        // SAFETY: numbers, for which zero is a value; the handle is open, all places live until the calls return, and the structure is as
        // long as is said.
        let (io, memory) = unsafe {
            let mut io: t::IO_COUNTERS = std::mem::zeroed();
            let mut memory: m::PROCESS_MEMORY_COUNTERS = std::mem::zeroed();
            memory.cb = size_of::<m::PROCESS_MEMORY_COUNTERS>() as u32;
            if t::GetProcessTimes(process, start, end, kernel, user) == 0
                || t::GetProcessIoCounters(process, &raw mut io) == 0
            {
                return None;
            }
            let told = m::K32GetProcessMemoryInfo(process, &raw mut memory, memory.cb);
            (io, if told == 0 { 0 } else { memory.WorkingSetSize as u64 })
        };
        let ns = |time: FILETIME| file_time(time) * 100;
        Some(ProcessCounts {
            start: file_time(times[0]),
            user_ns: ns(times[3]),
            system_ns: ns(times[2]),
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
        let own = std::process::id();
        assert!(processes().iter().any(|p| p.pid == own && p.threads > 0 && p.parent != own));
        let process = ObservedProcess::open(own).unwrap();
        let before = process.counts().unwrap();
        std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let after = process.counts().unwrap();
        assert!(after.start == before.start && Some(after.start) == process_name(own).map(|(_, start)| start));
        assert!(after.user_ns >= before.user_ns && after.read_calls >= before.read_calls && !process.has_ended());
        assert!(ObservedProcess::open(u32::MAX - 3).is_none());
        if after.read == before.read {
            testkit::skip!("no calls of processes are counted here (wine)");
        }
    }
}
