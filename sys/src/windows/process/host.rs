//! The machine a process runs on, and the streams it was given.

use crate::windows::nt;
use std::fs::File;
use std::io;
pub use std::os::windows::io::AsHandle as Stream;
use std::os::windows::io::AsRawHandle;
use windows_sys::Win32::System::Console as c;
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
