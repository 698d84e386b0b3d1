//! Helpers for the native interface (ntdll): errors, information of a handle, device controls, processes.

use std::fs::File;
use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use windows_sys::Wdk::Storage::FileSystem::{
    FILE_INFORMATION_CLASS, FS_INFORMATION_CLASS, NtQueryInformationFile, NtQueryVolumeInformationFile,
    NtSetInformationFile,
};
use windows_sys::Win32::Foundation::{FILETIME, HANDLE, NTSTATUS, RtlNtStatusToDosError, WAIT_OBJECT_0};
use windows_sys::Win32::System::IO::{DeviceIoControl, IO_STATUS_BLOCK, OVERLAPPED, OVERLAPPED_0, OVERLAPPED_0_0};
use windows_sys::Win32::System::JobObjects as j;
use windows_sys::Win32::System::Threading::{GetProcessTimes, OpenProcess, WaitForSingleObject};
use windows_sys::core::BOOL;

/// Returns the handle of an open file; it is valid as long as the file is.
pub(crate) fn handle(file: &File) -> HANDLE {
    file.as_raw_handle()
}

/// Converts the result of a call that signals an error by zero.
pub(crate) fn check(answer: BOOL) -> io::Result<()> {
    if answer == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Returns `true` if an error has one of these numbers of `winerror.h`.
pub(crate) fn is_one_of(error: &io::Error, codes: &[u32]) -> bool {
    error.raw_os_error().is_some_and(|code| codes.contains(&(code as u32)))
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

/// Returns a position in a file in the form that calls take.
pub(crate) fn at_place(at: u64) -> OVERLAPPED {
    let offset = OVERLAPPED_0_0 { Offset: at as u32, OffsetHigh: (at >> 32) as u32 };
    let (place, event) = (OVERLAPPED_0 { Anonymous: offset }, std::ptr::null_mut());
    OVERLAPPED { Internal: 0, InternalHigh: 0, Anonymous: place, hEvent: event }
}

/// Opens a process.
pub(crate) fn open_process(pid: u32, rights: u32) -> io::Result<OwnedHandle> {
    // SAFETY: the arguments are plain numbers; a returned handle is new, and nothing else owns it.
    unsafe {
        let process = OpenProcess(rights, 0, pid);
        if process.is_null() { Err(io::Error::last_os_error()) } else { Ok(OwnedHandle::from_raw_handle(process)) }
    }
}

/// Returns `true` if a process has ended. It must be open with `PROCESS_SYNCHRONIZE`.
pub(crate) fn has_ended(process: &OwnedHandle) -> bool {
    // SAFETY: the handle is open; the call does not wait.
    unsafe { WaitForSingleObject(process.as_raw_handle(), 0) == WAIT_OBJECT_0 }
}

/// Returns when a process was created and when it ended, and its CPU time in the kernel and in user mode, in 100 ns.
///
/// # Safety
/// The handle must be open, or the pseudo handle of this process.
pub(crate) unsafe fn process_times(process: HANDLE) -> Option<[u64; 4]> {
    let mut times = [FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 }; 4];
    let [made, ended, system, user] = times.each_mut().map(std::ptr::from_mut);
    // SAFETY: the caller guarantees the handle; the four places live until the call returns.
    let known = unsafe { GetProcessTimes(process, made, ended, system, user) };
    (known != 0).then(|| times.map(file_time))
}

/// Creates a job object that ends all its processes with its last handle.
pub(crate) fn new_job() -> io::Result<OwnedHandle> {
    // SAFETY: no name and no security attributes are passed; a returned handle is new and only ours.
    let job = unsafe {
        let job = j::CreateJobObjectW(std::ptr::null(), std::ptr::null());
        if job.is_null() {
            return Err(io::Error::last_os_error());
        }
        OwnedHandle::from_raw_handle(job)
    };
    // SAFETY: the structure consists of numbers, for which zero is valid.
    let mut limits: j::JOBOBJECT_EXTENDED_LIMIT_INFORMATION = unsafe { std::mem::zeroed() };
    limits.BasicLimitInformation.LimitFlags = j::JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    let length = size_of::<j::JOBOBJECT_EXTENDED_LIMIT_INFORMATION>() as u32;
    // SAFETY: the handle is open; the structure lives until the call returns and has the given length.
    check(unsafe {
        j::SetInformationJobObject(
            job.as_raw_handle(),
            j::JobObjectExtendedLimitInformation,
            (&raw const limits).cast(),
            length,
        )
    })?;
    Ok(job)
}

/// Returns the number whose halves the system keeps apart.
pub(crate) fn joined(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// Returns a FILETIME as one number, in 100 ns.
pub(crate) fn file_time(time: FILETIME) -> u64 {
    joined(time.dwHighDateTime, time.dwLowDateTime)
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
