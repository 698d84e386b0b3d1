//! Device numbers of disks and volumes, the disks of a volume, and trim.
//!
//! As on Linux, a device number is a pair: the number of the disk plus one, so that 0 means no disk; and the partition,
//! 0 for the whole disk.

use crate::windows::nt;
use crate::windows::open::{NtOpen, SHARE_ALL, at_name, information};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use windows_sys::Wdk::Storage::FileSystem::{FILE_OPEN, FILE_SYNCHRONOUS_IO_NONALERT};
use windows_sys::Win32::Foundation as w;
use windows_sys::Win32::Storage::FileSystem as fs;
use windows_sys::Win32::System::Ioctl as ioctl;

nt::plain!(ioctl::STORAGE_DEVICE_NUMBER);

/// Rejects files: the system returns file information only for a file on a volume, not for a device.
pub(super) fn refuse_file(file: &File) -> io::Result<()> {
    match information(file) {
        Ok(_) => Err(io::Error::from_raw_os_error(w::ERROR_INVALID_FUNCTION as i32)),
        Err(_) => Ok(()),
    }
}

/// Returns the number of an open device.
///
/// # Errors
/// Errors of `IOCTL_STORAGE_GET_DEVICE_NUMBER`.
pub(crate) fn number_of(device: &File) -> io::Result<(u32, u32)> {
    let number: ioctl::STORAGE_DEVICE_NUMBER = nt::ask(device, ioctl::IOCTL_STORAGE_GET_DEVICE_NUMBER)?;
    // A disk without partitions reports -1.
    let partition = if number.PartitionNumber == u32::MAX { 0 } else { number.PartitionNumber };
    Ok((number.DeviceNumber.saturating_add(1), partition))
}

/// Returns the number of an open disk or volume; `None` for a file or directory.
///
/// # Errors
/// None so far: a device without a number is not a disk.
pub fn block_number(file: &File) -> io::Result<Option<(u32, u32)>> {
    if information(file).is_ok() {
        return Ok(None);
    }
    Ok(number_of(file).ok())
}

/// Returns the number of the disk, counted from 0, if the device is a whole disk; `None` for a volume.
///
/// # Errors
/// Errors of `IOCTL_STORAGE_GET_DEVICE_NUMBER`.
pub(crate) fn disk_number(device: &File) -> io::Result<Option<u32>> {
    refuse_file(device)?;
    // A volume on a disk without partitions has the number of the disk as well, but only volumes have volume extents.
    if read_volume_extents(device).is_ok() {
        return Ok(None);
    }
    Ok(Some(number_of(device)?.0 - 1))
}

/// Returns the disks that an open volume has extents on, numbered from 0.
///
/// # Errors
/// Errors of `IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS`: the device is not a volume, or does not report its extents.
pub(crate) fn read_volume_extents(volume: &File) -> io::Result<Vec<u32>> {
    // VOLUME_DISK_EXTENTS: the number of extents, then for each its disk (in 8 bytes), offset and length.
    let mut answer = [0u64; 1 + 3 * MOST_PIECES];
    nt::control_bytes::<u64, _>(volume, fs::IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS, &[], &mut answer)?;
    let count = (answer[0] as u32 as usize).min(MOST_PIECES);
    let mut disks: Vec<u32> = answer[1..].chunks_exact(3).take(count).map(|piece| piece[0] as u32).collect();
    disks.sort_unstable();
    disks.dedup();
    Ok(disks)
}

/// Opens a disk for queries, which needs no privileges.
///
/// # Errors
/// Errors of `NtCreateFile`: `ERROR_FILE_NOT_FOUND` if there is no disk of this number.
pub(crate) fn open_disk(disk: u32) -> io::Result<File> {
    let name = format!(r"\??\PhysicalDrive{disk}");
    let rights = fs::FILE_READ_ATTRIBUTES | fs::SYNCHRONIZE;
    at_name(
        None,
        OsStr::new(&name),
        NtOpen { rights, share: SHARE_ALL, options: FILE_SYNCHRONOUS_IO_NONALERT },
        FILE_OPEN,
    )
}

/// Trims a range of a device (`DeviceDsmAction_Trim`).
///
/// # Errors
/// Errors of `IOCTL_STORAGE_MANAGE_DATA_SET_ATTRIBUTES`.
pub(crate) fn trim(device: &File, at: u64, len: u64) -> io::Result<()> {
    // DEVICE_MANAGE_DATA_SET_ATTRIBUTES: size, action, flags, offset and length of the parameters, offset and length of
    // the ranges; followed by one range.
    const HEAD: u32 = 28;
    const RANGE: u32 = 16;
    // Ranges are aligned to 8.
    let begin = HEAD.next_multiple_of(8);
    let pair = |first: u32, second: u32| u64::from(second) << 32 | u64::from(first);
    let asked = [pair(HEAD, DSM_TRIM), pair(0, 0), pair(0, begin), pair(RANGE, 0), at, len];
    nt::control_bytes::<_, u64>(device, ioctl::IOCTL_STORAGE_MANAGE_DATA_SET_ATTRIBUTES, &asked, &mut []).map(drop)
}

/// Maximum number of extents that are read of a volume.
const MOST_PIECES: usize = 64;

/// `DeviceDsmAction_Trim`.
const DSM_TRIM: u32 = 1;
