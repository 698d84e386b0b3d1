//! The machine a process runs on, and the streams it was given.

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

/// What this machine is called.
#[must_use]
pub fn host_name() -> String {
    let mut name = [0u16; 256];
    let mut length = name.len() as u32;
    // SAFETY: the call writes at most `length` units into `name`.
    let known =
        unsafe { s::GetComputerNameExW(s::ComputerNamePhysicalDnsHostname, name.as_mut_ptr(), &raw mut length) };
    if known == 0 { String::new() } else { nt::narrow(&name).to_string_lossy().into_owned() }
}

/// The machine by calls.
#[must_use]
pub fn system_facts() -> Option<SystemFacts> {
    // SAFETY: numbers, for which zero is a value; the calls fill structures of the lengths they say.
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

/// As the firmware called it, in the registry.
fn cpu_model() -> Option<String> {
    let [key, value] = [r"HARDWARE\DESCRIPTION\System\CentralProcessor\0", "ProcessorNameString"]
        .map(|text| nt::wide(std::ffi::OsStr::new(text)));
    let mut name = [0u16; 256];
    let mut bytes = size_of_val(&name) as u32;
    // SAFETY: both texts end with a zero; the call writes at most as many bytes as it is told, and the texts live until it returns.
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

/// Bytes of a page of memory.
#[must_use]
pub fn page_size() -> usize {
    // SAFETY: numbers, for which zero is a value; the call fills them.
    unsafe {
        let mut told: s::SYSTEM_INFO = std::mem::zeroed();
        s::GetSystemInfo(&raw mut told);
        told.dwPageSize as usize
    }
}

/// Lets others go first: one class below the usual, whatever the number of steps. Only less is asked for.
pub fn lower_own_priority(_by: i32) {
    // SAFETY: a pseudo handle and a number.
    unsafe { t::SetPriorityClass(t::GetCurrentProcess(), t::BELOW_NORMAL_PRIORITY_CLASS) };
}

/// The process that started this one: Windows does not keep it.
#[must_use]
pub fn parent_process() -> Option<u32> {
    None
}

/// Has standard output and standard error go where nothing is kept.
///
/// # Errors
/// As `CreateFileW`, `SetStdHandle`.
pub fn silence_standard_streams() -> io::Result<()> {
    for stream in [c::STD_OUTPUT_HANDLE, c::STD_ERROR_HANDLE] {
        let nowhere = std::os::windows::io::OwnedHandle::from(File::options().write(true).open("NUL")?);
        let nowhere = std::os::windows::io::IntoRawHandle::into_raw_handle(nowhere);
        // SAFETY: the handle is open, and stays so: it is the stream's from here on.
        nt::check(unsafe { c::SetStdHandle(stream, nowhere) })?;
    }
    Ok(())
}

/// Columns of the terminal a stream goes to; `None` where it goes to none, or that does not tell.
#[must_use]
pub fn terminal_width(stream: &impl Stream) -> Option<usize> {
    // SAFETY: numbers, for which zero is a value; the handle is open, and the call fills the structure.
    let told = unsafe {
        let mut told: c::CONSOLE_SCREEN_BUFFER_INFO = std::mem::zeroed();
        let handle = stream.as_handle().as_raw_handle();
        (c::GetConsoleScreenBufferInfo(handle, &raw mut told) != 0).then_some(told)
    }?;
    usize::try_from(i32::from(told.srWindow.Right) - i32::from(told.srWindow.Left) + 1).ok().filter(|width| *width > 0)
}

/// A stream of ours, to be written to as a file: a second way to the same place.
///
/// # Errors
/// As `DuplicateHandle`.
pub fn stream_file(stream: &impl Stream) -> io::Result<File> {
    Ok(stream.as_handle().try_clone_to_owned()?.into())
}
