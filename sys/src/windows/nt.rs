//! Helpers for the native interface (ntdll): errors, information of a handle, device controls.

use std::fs::File;
use std::io;
use std::os::windows::io::AsRawHandle;
use windows_sys::Wdk::Storage::FileSystem::{
    FILE_INFORMATION_CLASS, FS_INFORMATION_CLASS, NtQueryInformationFile, NtQueryVolumeInformationFile,
    NtSetInformationFile,
};
use windows_sys::Win32::Foundation::{HANDLE, NTSTATUS, RtlNtStatusToDosError};
use windows_sys::Win32::System::IO::{DeviceIoControl, IO_STATUS_BLOCK};
use windows_sys::core::BOOL;

/// Returns the handle of an open file; it is valid as long as the file is.
pub(crate) fn handle(file: &File) -> HANDLE {
    file.as_raw_handle()
}

/// Converts the result of a call that signals an error by zero.
pub(crate) fn check(answer: BOOL) -> io::Result<()> {
    if answer == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Returns the error number (`winerror.h`) of a status.
pub(crate) fn dos_error(status: NTSTATUS) -> i32 {
    // SAFETY: the call takes and returns a number.
    unsafe { RtlNtStatusToDosError(status) as i32 }
}

/// Converts the result of a call that signals an error by a negative status.
pub(crate) fn check_status(status: NTSTATUS) -> io::Result<()> {
    if status < 0 { Err(io::Error::from_raw_os_error(dos_error(status))) } else { Ok(()) }
}

/// Returns an empty status block for a call to fill.
pub(crate) fn no_status() -> IO_STATUS_BLOCK {
    // SAFETY: the block consists of a status and a number, for which zero is valid.
    unsafe { std::mem::zeroed() }
}

/// Structure of plain numbers from the system's headers: any bytes are valid, including zeros, and the system may
/// overwrite it.
///
/// # Safety
/// Only for `repr(C)` structures of integers.
pub(crate) unsafe trait Plain: Copy {
    /// Returns the structure with all bytes zero.
    fn zero() -> Self {
        // SAFETY: the trait guarantees that zero is valid.
        unsafe { std::mem::zeroed() }
    }
}

macro_rules! plain {
    ($($name:ty),* $(,)?) => {
        $(
            // SAFETY: a structure of integers in the system's headers.
            unsafe impl $crate::windows::nt::Plain for $name {}
        )*
    };
}
pub(crate) use plain;

plain!(u32, u64, i64);

/// Queries information of a class about an open file.
pub(crate) fn query<T: Plain>(file: &File, class: FILE_INFORMATION_CLASS) -> io::Result<T> {
    let (mut answer, mut status) = (T::zero(), no_status());
    // SAFETY: the handle is open, and the call writes at most the number of bytes passed, into a structure of plain
    // numbers.
    check_status(unsafe {
        NtQueryInformationFile(handle(file), &raw mut status, (&raw mut answer).cast(), size_of::<T>() as u32, class)
    })?;
    Ok(answer)
}

/// Queries information of a class about the volume of an open file.
pub(crate) fn query_volume<T: Plain>(file: &File, class: FS_INFORMATION_CLASS) -> io::Result<T> {
    let (mut answer, mut status) = (T::zero(), no_status());
    // SAFETY: as in `query`.
    check_status(unsafe {
        NtQueryVolumeInformationFile(
            handle(file),
            &raw mut status,
            (&raw mut answer).cast(),
            size_of::<T>() as u32,
            class,
        )
    })?;
    Ok(answer)
}

/// Sets information of a class: `words` holds the structure, which is `bytes` long.
pub(crate) fn set(file: &File, class: FILE_INFORMATION_CLASS, words: &[u64], bytes: usize) -> io::Result<()> {
    assert!(bytes <= size_of_val(words), "the structure lies in its words");
    let mut status = no_status();
    // SAFETY: the call reads `bytes` bytes of `words`, which are aligned to 8 and live until it returns.
    check_status(unsafe {
        NtSetInformationFile(handle(file), &raw mut status, words.as_ptr().cast(), bytes as u32, class)
    })
}

/// Sends a device control without argument and answer.
pub(crate) fn control(file: &File, code: u32) -> io::Result<()> {
    control_bytes::<u64, u64>(file, code, &[], &mut []).map(|_| ())
}

/// Sends a device control whose argument and answer are plain numbers. Returns the number of bytes answered. If the
/// answer does not fit, the error is `ERROR_MORE_DATA` and `answer` is filled.
pub(crate) fn control_bytes<A: Plain, B: Plain>(
    file: &File,
    code: u32,
    argument: &[A],
    answer: &mut [B],
) -> io::Result<usize> {
    let mut answered = 0;
    let from = if argument.is_empty() { std::ptr::null() } else { argument.as_ptr().cast() };
    let to = if answer.is_empty() { std::ptr::null_mut() } else { answer.as_mut_ptr().cast() };
    // SAFETY: the handle is open and synchronous; the call reads and writes at most the bytes of the two slices, which
    // are plain numbers and live until it returns.
    check(unsafe {
        DeviceIoControl(
            handle(file),
            code,
            from,
            size_of_val(argument) as u32,
            to,
            size_of_val(answer) as u32,
            &raw mut answered,
            std::ptr::null_mut(),
        )
    })?;
    Ok(answered as usize)
}

/// Sends a device control and returns its answer, one structure.
pub(crate) fn ask<T: Plain>(file: &File, code: u32) -> io::Result<T> {
    let mut answer = [T::zero()];
    control_bytes::<u64, T>(file, code, &[], &mut answer)?;
    Ok(answer[0])
}

/// Converts text for the system: UTF-16, terminated by zero.
pub(crate) fn wide(text: &std::ffi::OsStr) -> Vec<u16> {
    use std::os::windows::ffi::OsStrExt;
    text.encode_wide().chain([0]).collect()
}

/// Converts text from the system, up to its terminating zero.
pub(crate) fn narrow(text: &[u16]) -> std::ffi::OsString {
    use std::os::windows::ffi::OsStringExt;
    let end = text.iter().position(|c| *c == 0).unwrap_or(text.len());
    std::ffi::OsString::from_wide(&text[..end])
}
