//! Opens objects by their NT names and queries open handles: the basis of files and devices.

use crate::windows::nt;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::io::FromRawHandle;
use windows_sys::Wdk::Foundation::OBJECT_ATTRIBUTES;
use windows_sys::Wdk::Storage::FileSystem as wdk;
use windows_sys::Win32::Foundation as w;
use windows_sys::Win32::Storage::FileSystem as fs;
use windows_sys::Win32::System::IO::IO_STATUS_BLOCK;

nt::plain!(fs::BY_HANDLE_FILE_INFORMATION);

/// Flag for names that are compared without regard to case, as Windows does.
const OBJ_CASE_INSENSITIVE: u32 = 0x40;

/// Returns the information of an open file or directory.
pub(crate) fn information(file: &File) -> io::Result<fs::BY_HANDLE_FILE_INFORMATION> {
    let mut info = nt::Plain::zero();
    // SAFETY: the handle is open, and the structure is a valid place.
    nt::check(unsafe { fs::GetFileInformationByHandle(nt::handle(file), &raw mut info) })?;
    Ok(info)
}

/// Rights and options that a file is opened with, as NtCreateFile takes them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NtOpen {
    /// Requested access rights.
    pub(crate) rights: u32,
    /// Access that others keep meanwhile (`FILE_SHARE_*`).
    pub(crate) share: u32,
    /// `FILE_*` options of NtCreateFile.
    pub(crate) options: u32,
}

/// Share mode that lets every process read, write, rename and delete, as on Linux.
pub(crate) const SHARE_ALL: u32 = fs::FILE_SHARE_READ | fs::FILE_SHARE_WRITE | fs::FILE_SHARE_DELETE;

/// Returns the rights without the right to append if the file is opened unbuffered, where appending is impossible.
pub(crate) const fn unbuffered(rights: u32, direct: bool) -> u32 {
    if direct { rights & !fs::FILE_APPEND_DATA } else { rights }
}

pub(crate) fn attributes(file: &File) -> io::Result<u32> {
    Ok(information(file)?.dwFileAttributes)
}

/// Returns the length of an open file, in bytes.
pub(crate) fn length(file: &File) -> io::Result<u64> {
    let info = information(file)?;
    Ok(nt::joined(info.nFileSizeHigh, info.nFileSizeLow))
}

/// Opens a name with NtCreateFile, relative to a directory or as a full NT name. A reparse point itself is opened, not
/// its target.
pub(crate) fn at_name(dir: Option<&File>, name: &OsStr, how: NtOpen, disposition: u32) -> io::Result<File> {
    let mut units: Vec<u16> = name.encode_wide().collect();
    let Ok(bytes) = u16::try_from(units.len() * 2) else {
        return Err(io::Error::from_raw_os_error(w::ERROR_FILENAME_EXCED_RANGE as i32));
    };
    let name = w::UNICODE_STRING { Length: bytes, MaximumLength: bytes, Buffer: units.as_mut_ptr() };
    let attributes = OBJECT_ATTRIBUTES {
        Length: size_of::<OBJECT_ATTRIBUTES>() as u32,
        RootDirectory: dir.map_or(std::ptr::null_mut(), nt::handle),
        ObjectName: &raw const name,
        Attributes: OBJ_CASE_INSENSITIVE,
        SecurityDescriptor: std::ptr::null(),
        SecurityQualityOfService: std::ptr::null(),
    };
    let mut handle: w::HANDLE = std::ptr::null_mut();
    let mut status: IO_STATUS_BLOCK = nt::no_status();
    let options = how.options | wdk::FILE_OPEN_REPARSE_POINT | wdk::FILE_OPEN_FOR_BACKUP_INTENT;
    // SAFETY: names, attributes and the places for handle and status live until the call returns; the directory's
    // handle is open.
    nt::check_status(unsafe {
        wdk::NtCreateFile(
            &raw mut handle,
            how.rights,
            &raw const attributes,
            &raw mut status,
            std::ptr::null(),
            fs::FILE_ATTRIBUTE_NORMAL,
            how.share,
            disposition,
            options,
            std::ptr::null(),
            0,
        )
    })?;
    // SAFETY: the handle was just opened, and nothing else owns it.
    Ok(unsafe { File::from_raw_handle(handle) })
}

/// Returns `true` if an error means that a device has gone: unplugged, detached, or its link lost.
#[must_use]
pub fn is_lost_error(error: &io::Error) -> bool {
    const LOST: [u32; 9] = [
        w::ERROR_DEV_NOT_EXIST,
        w::ERROR_DEVICE_NOT_CONNECTED,
        w::ERROR_DEVICE_REMOVED,
        w::ERROR_NO_SUCH_DEVICE,
        w::ERROR_NO_MEDIA_IN_DRIVE,
        w::ERROR_NOT_READY,
        w::ERROR_NETNAME_DELETED,
        w::ERROR_FILE_INVALID,
        w::ERROR_DEVICE_NOT_AVAILABLE,
    ];
    nt::is_one_of(error, &LOST)
}

/// `FILE_READ_ONLY_VOLUME` of winnt.h.
pub(crate) const READ_ONLY_VOLUME: u32 = 0x0008_0000;
