//! The machine this process runs on, and its standard streams.

use crate::common::SystemFacts;
use crate::windows::nt;
use std::fs::File;
use std::io;
pub use std::os::windows::io::AsHandle as Stream;
use std::os::windows::io::AsRawHandle;
use windows_sys::Wdk::System::SystemServices::RtlGetVersion;
use windows_sys::Win32::System::Console as c;
use windows_sys::Win32::System::Registry as r;
use windows_sys::Win32::System::SystemInformation as s;
use windows_sys::Win32::System::Threading as t;

/// Returns the DNS host name of this machine; empty if it is unknown.
#[must_use]
pub fn host_name() -> String {
    let mut name = [0u16; 256];
    let mut length = name.len() as u32;
    // SAFETY: the call writes at most `length` units into `name`.
    let known =
        unsafe { s::GetComputerNameExW(s::ComputerNamePhysicalDnsHostname, name.as_mut_ptr(), &raw mut length) };
    if known == 0 { String::new() } else { nt::narrow(&name).to_string_lossy().into_owned() }
}

/// Returns system version, CPU model, CPUs and memory, as reported by system calls.
#[must_use]
pub fn system_facts() -> Option<SystemFacts> {
    // SAFETY: the structures consist of numbers, for which zero is valid; the calls fill structures of the lengths set
    // here.
    let (version, memory) = unsafe {
        let mut version: s::OSVERSIONINFOW = std::mem::zeroed();
        version.dwOSVersionInfoSize = size_of::<s::OSVERSIONINFOW>() as u32;
        let mut memory: s::MEMORYSTATUSEX = std::mem::zeroed();
        memory.dwLength = size_of::<s::MEMORYSTATUSEX>() as u32;
        if RtlGetVersion(&raw mut version) < 0 || s::GlobalMemoryStatusEx(&raw mut memory) == 0 {
            return None;
        }
        (version, memory)
    };
    let numbers = [version.dwMajorVersion, version.dwMinorVersion, version.dwBuildNumber];
    let [major, minor, build] = numbers;
    Some(SystemFacts {
        system: format!("Windows {major}.{minor}.{build}"),
        cpu_model: cpu_model().unwrap_or_default(),
        cpus: std::thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(u32::MAX)),
        memory: memory.ullTotalPhys,
        memory_available: memory.ullAvailPhys,
    })
}

/// Returns the CPU model that the firmware reports, from the registry.
fn cpu_model() -> Option<String> {
    let [key, value] = [r"HARDWARE\DESCRIPTION\System\CentralProcessor\0", "ProcessorNameString"]
        .map(|text| nt::wide(std::ffi::OsStr::new(text)));
    let mut name = [0u16; 256];
    let mut bytes = size_of_val(&name) as u32;
    // SAFETY: both texts end with a zero and live until the call returns; it writes at most the number of bytes passed.
    let answer = unsafe {
        r::RegGetValueW(
            r::HKEY_LOCAL_MACHINE,
            key.as_ptr(),
            value.as_ptr(),
            r::RRF_RT_REG_SZ,
            std::ptr::null_mut(),
            name.as_mut_ptr().cast(),
            &raw mut bytes,
        )
    };
    (answer == 0).then(|| nt::narrow(&name).to_string_lossy().trim().to_owned())
}

/// Returns the size of a memory page in bytes.
#[must_use]
pub fn page_size() -> usize {
    // SAFETY: the structure consists of numbers, for which zero is valid; the call fills it.
    unsafe {
        let mut info: s::SYSTEM_INFO = std::mem::zeroed();
        s::GetSystemInfo(&raw mut info);
        info.dwPageSize as usize
    }
}

/// Lowers the priority of this process by one class below normal, for any number of steps. It is never raised.
pub fn lower_own_priority(_by: i32) {
    // SAFETY: the arguments are a pseudo handle and a number.
    unsafe { t::SetPriorityClass(t::GetCurrentProcess(), t::BELOW_NORMAL_PRIORITY_CLASS) };
}

/// Redirects standard output and standard error to `NUL`.
///
/// # Errors
/// Errors of `CreateFileW` and `SetStdHandle`.
pub fn silence_standard_streams() -> io::Result<()> {
    for stream in [c::STD_OUTPUT_HANDLE, c::STD_ERROR_HANDLE] {
        let nowhere = std::os::windows::io::OwnedHandle::from(File::options().write(true).open("NUL")?);
        let nowhere = std::os::windows::io::IntoRawHandle::into_raw_handle(nowhere);
        // SAFETY: the handle is open and is never closed: from here on it belongs to the stream.
        nt::check(unsafe { c::SetStdHandle(stream, nowhere) })?;
    }
    Ok(())
}

/// Returns the width of the terminal that a stream is connected to in columns; `None` if it is not a terminal or the
/// width is unknown.
#[must_use]
pub fn terminal_width(stream: &impl Stream) -> Option<usize> {
    // SAFETY: the structure consists of numbers, for which zero is valid; the handle is open, and the call fills the
    // structure.
    let info = unsafe {
        let mut info: c::CONSOLE_SCREEN_BUFFER_INFO = std::mem::zeroed();
        let handle = stream.as_handle().as_raw_handle();
        (c::GetConsoleScreenBufferInfo(handle, &raw mut info) != 0).then_some(info)
    }?;
    usize::try_from(i32::from(info.srWindow.Right) - i32::from(info.srWindow.Left) + 1).ok().filter(|width| *width > 0)
}

/// Duplicates one of our streams as a file to write to.
///
/// # Errors
/// Errors of `DuplicateHandle`.
pub fn stream_file(stream: &impl Stream) -> io::Result<File> {
    Ok(stream.as_handle().try_clone_to_owned()?.into())
}
