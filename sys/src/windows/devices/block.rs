//! Disks and volumes: size, grain, number, and what is given back to them.

use crate::common::BlockGeometry;
use crate::windows::files::{NtOpen, SHARE_ALL, at_name, information};
use crate::windows::files::{Volume, volumes};
use crate::windows::nt;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use windows_sys::Wdk::Storage::FileSystem::{FILE_OPEN, FILE_SYNCHRONOUS_IO_NONALERT};
use windows_sys::Win32::Foundation as w;
use windows_sys::Win32::Storage::FileSystem as fs;
use windows_sys::Win32::System::Ioctl as ioctl;

nt::plain!(
    ioctl::GET_LENGTH_INFORMATION,
    ioctl::STORAGE_DEVICE_NUMBER,
    ioctl::STORAGE_ACCESS_ALIGNMENT_DESCRIPTOR,
    ioctl::DISK_GEOMETRY,
);

/// Bytes of a sector of a device that does not tell.
const USUAL_SECTOR: u32 = 512;
/// `DeviceDsmAction_Trim`.
const DSM_TRIM: u32 = 1;
/// Disks of a volume that are read.
const MOST_PIECES: usize = 64;

/// Size and grain of an open device.
///
/// # Errors
/// As [`block_size`].
pub fn block_geometry(file: &File) -> io::Result<BlockGeometry> {
    let size = block_size(file)?;
    // STORAGE_PROPERTY_QUERY: which property, and that it is asked for as it is.
    let asked = [ioctl::StorageAccessAlignmentProperty as u32, ioctl::PropertyStandardQuery as u32, 0];
    let mut told = [<ioctl::STORAGE_ACCESS_ALIGNMENT_DESCRIPTOR as nt::Plain>::zero()];
    let sectors = match nt::control_bytes(file, ioctl::IOCTL_STORAGE_QUERY_PROPERTY, &asked, &mut told) {
        Ok(_) if told[0].BytesPerLogicalSector > 0 => {
            Some((told[0].BytesPerLogicalSector, told[0].BytesPerPhysicalSector))
        }
        _ => nt::ask::<ioctl::DISK_GEOMETRY>(file, ioctl::IOCTL_DISK_GET_DRIVE_GEOMETRY)
            .ok()
            .map(|told| (told.BytesPerSector, told.BytesPerSector)),
    };
    let (logical, physical) = sectors.filter(|(logical, _)| *logical > 0).unwrap_or((USUAL_SECTOR, USUAL_SECTOR));
    let writable = nt::control(file, ioctl::IOCTL_DISK_IS_WRITABLE);
    let read_only = writable.is_err_and(|e| e.raw_os_error() == Some(w::ERROR_WRITE_PROTECT as i32));
    Ok(BlockGeometry { size, logical, physical: physical.max(logical), read_only })
}

/// Size of an open disk or volume (`IOCTL_DISK_GET_LENGTH_INFO`).
///
/// # Errors
/// `ERROR_INVALID_FUNCTION` or `ERROR_INVALID_PARAMETER` if it is none; `ERROR_ACCESS_DENIED` if it is not open for reading.
pub fn block_size(file: &File) -> io::Result<u64> {
    refuse_file(file)?;
    Ok(nt::ask::<ioctl::GET_LENGTH_INFORMATION>(file, ioctl::IOCTL_DISK_GET_LENGTH_INFO)?.Length as u64)
}

/// Files have what devices have not: a place among the files of a volume.
fn refuse_file(file: &File) -> io::Result<()> {
    match information(file) {
        Ok(_) => Err(io::Error::from_raw_os_error(w::ERROR_INVALID_FUNCTION as i32)),
        Err(_) => Ok(()),
    }
}

/// Number of the device an open disk or volume stands for; `None` if it is a file or a directory.
///
/// # Errors
/// None so far: what has no number is no disk.
pub fn block_number(file: &File) -> io::Result<Option<(u32, u32)>> {
    if information(file).is_ok() {
        return Ok(None);
    }
    Ok(number_of(file).ok())
}

/// Number of an open device.
///
/// # Errors
/// As `IOCTL_STORAGE_GET_DEVICE_NUMBER`.
pub(crate) fn number_of(device: &File) -> io::Result<(u32, u32)> {
    let told: ioctl::STORAGE_DEVICE_NUMBER = nt::ask(device, ioctl::IOCTL_STORAGE_GET_DEVICE_NUMBER)?;
    // A disk without partitions says so by -1.
    let partition = if told.PartitionNumber == u32::MAX { 0 } else { told.PartitionNumber };
    Ok((told.DeviceNumber.saturating_add(1), partition))
}

/// The number of a device: of one that is packed (disk in the upper half), or of the volume with this serial number, as it stands in
/// [`crate::FileId::dev`]; (0, 0) for a volume that is on no disk.
#[must_use]
pub fn device_number(dev: u64) -> (u32, u32) {
    let (upper, lower) = ((dev >> 32) as u32, dev as u32);
    if upper > 0 {
        return (upper, lower);
    }
    let mounts = crate::mounts().unwrap_or_default();
    mounts.iter().find(|m| m.id == dev).map_or((0, 0), |m| m.dev)
}

/// The number of the disk, counted from 0, if an open device is a whole disk; `None` for a volume.
///
/// # Errors
/// As `IOCTL_STORAGE_GET_DEVICE_NUMBER`.
pub(crate) fn disk_number(device: &File) -> io::Result<Option<u32>> {
    refuse_file(device)?;
    // A volume on a disk without partitions has the disk's number, too; but only volumes know what they lie on.
    if read_volume_extents(device).is_ok() {
        return Ok(None);
    }
    Ok(Some(number_of(device)?.0 - 1))
}

/// Disks an open volume has pieces on, by their numbers from 0.
///
/// # Errors
/// As `IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS`: it is no volume, or its pieces do not show.
pub(crate) fn read_volume_extents(volume: &File) -> io::Result<Vec<u32>> {
    // VOLUME_DISK_EXTENTS: how many, then for each the disk (in 8 bytes), where and how much.
    let mut answer = [0u64; 1 + 3 * MOST_PIECES];
    nt::control_bytes::<u64, _>(volume, fs::IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS, &[], &mut answer)?;
    let count = (answer[0] as u32 as usize).min(MOST_PIECES);
    let mut disks: Vec<u32> = answer[1..].chunks_exact(3).take(count).map(|piece| piece[0] as u32).collect();
    disks.sort_unstable();
    disks.dedup();
    Ok(disks)
}

/// Whether a volume has a piece on a disk. One that does not tell is taken to have one.
pub(crate) fn on_disk(volume: &Volume, disk: u32) -> bool {
    volume.disks().map_or_else(|_| !volume.points.is_empty(), |disks| disks.contains(&disk))
}

/// The volume that is an open device.
pub(crate) fn volume_with(number: (u32, u32)) -> Option<Volume> {
    let all = volumes().unwrap_or_default();
    all.into_iter().find(|volume| volume.open(false).and_then(|device| number_of(&device)).is_ok_and(|n| n == number))
}

/// Opens a disk for questions, which anybody may.
///
/// # Errors
/// As `NtCreateFile`: `ERROR_FILE_NOT_FOUND` where there is none of this number.
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

/// Gives a range of a device back (`DeviceDsmAction_Trim`).
///
/// # Errors
/// As `IOCTL_STORAGE_MANAGE_DATA_SET_ATTRIBUTES`.
pub(crate) fn trim(device: &File, at: u64, len: u64) -> io::Result<()> {
    // DEVICE_MANAGE_DATA_SET_ATTRIBUTES: size, action, flags, where the parameters are and how long, where the ranges are and how long;
    // then one range.
    const HEAD: u32 = 28;
    const RANGE: u32 = 16;
    // Ranges are aligned to 8.
    let begin = HEAD.next_multiple_of(8);
    let pair = |first: u32, second: u32| u64::from(second) << 32 | u64::from(first);
    let asked = [pair(HEAD, DSM_TRIM), pair(0, 0), pair(0, begin), pair(RANGE, 0), at, len];
    nt::control_bytes::<_, u64>(device, ioctl::IOCTL_STORAGE_MANAGE_DATA_SET_ATTRIBUTES, &asked, &mut []).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_device_has_no_number_and_no_geometry() {
        let file = tempfile::tempfile().unwrap();
        assert_eq!(block_number(&file).unwrap(), None);
        assert!(block_geometry(&file).is_err() && disk_number(&file).is_err());
    }

    #[test]
    fn numbers_are_packed_or_looked_up_by_serial() {
        assert_eq!(device_number(3 << 32 | 2), (3, 2));
        assert_eq!(device_number(0), (0, 0));
    }

    #[test]
    fn a_disk_tells_its_size_where_one_may_be_opened() {
        let Ok(disk) = open_disk(0) else { testkit::skip!("no PhysicalDrive0 here (wine)") };
        match block_geometry(&disk) {
            Ok(told) => assert!(told.size > 0 && told.logical.is_power_of_two(), "{told:?}"),
            Err(e) => testkit::skipped(&format!("PhysicalDrive0 does not tell its size to this user: {e}")),
        }
    }
}
