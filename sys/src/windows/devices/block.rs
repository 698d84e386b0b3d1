//! Disks and volumes: sizes, sector sizes and device numbers.

use super::number::{number_of, refuse_file};
use crate::common::BlockGeometry;
use crate::windows::files::{Volume, volumes};
use crate::windows::nt;
use crate::windows::open::information;
use std::fs::File;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use windows_sys::Win32::Foundation as w;
use windows_sys::Win32::System::Ioctl as ioctl;

nt::plain!(ioctl::GET_LENGTH_INFORMATION, ioctl::STORAGE_ACCESS_ALIGNMENT_DESCRIPTOR, ioctl::DISK_GEOMETRY,);

/// Sector size in bytes, assumed if a device does not report one.
const USUAL_SECTOR: u32 = 512;
/// Returns size, sector sizes and write protection of an open device.
///
/// # Errors
/// Errors of [`block_size`].
pub fn block_geometry(file: &File) -> io::Result<BlockGeometry> {
    let size = block_size(file)?;
    // STORAGE_PROPERTY_QUERY: property, type of the query, and one more word for its last field.
    let asked = [ioctl::StorageAccessAlignmentProperty as u32, ioctl::PropertyStandardQuery as u32, 0];
    let mut alignment = [<ioctl::STORAGE_ACCESS_ALIGNMENT_DESCRIPTOR as nt::Plain>::zero()];
    let sectors = match nt::control_bytes(file, ioctl::IOCTL_STORAGE_QUERY_PROPERTY, &asked, &mut alignment) {
        Ok(_) if alignment[0].BytesPerLogicalSector > 0 => {
            Some((alignment[0].BytesPerLogicalSector, alignment[0].BytesPerPhysicalSector))
        }
        _ => nt::ask::<ioctl::DISK_GEOMETRY>(file, ioctl::IOCTL_DISK_GET_DRIVE_GEOMETRY)
            .ok()
            .map(|geometry| (geometry.BytesPerSector, geometry.BytesPerSector)),
    };
    let (logical, physical) = sectors.filter(|(logical, _)| *logical > 0).unwrap_or((USUAL_SECTOR, USUAL_SECTOR));
    let writable = nt::control(file, ioctl::IOCTL_DISK_IS_WRITABLE);
    let read_only = writable.is_err_and(|e| e.raw_os_error() == Some(w::ERROR_WRITE_PROTECT as i32));
    Ok(BlockGeometry { size, logical, physical: physical.max(logical), read_only })
}

/// Returns the size of an open disk or volume in bytes (`IOCTL_DISK_GET_LENGTH_INFO`).
///
/// # Errors
/// `ERROR_INVALID_FUNCTION` or `ERROR_INVALID_PARAMETER` if it is neither; `ERROR_ACCESS_DENIED` if it is not open for
/// reading.
pub fn block_size(file: &File) -> io::Result<u64> {
    refuse_file(file)?;
    Ok(nt::ask::<ioctl::GET_LENGTH_INFORMATION>(file, ioctl::IOCTL_DISK_GET_LENGTH_INFO)?.Length as u64)
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

/// Returns the device number for a [`crate::FileId::dev`]: unpacks a packed number (disk in the upper half), or looks
/// up the volume with this serial number; (0, 0) for a volume that is not on a disk.
#[must_use]
pub fn device_number(dev: u64) -> (u32, u32) {
    let (upper, lower) = ((dev >> 32) as u32, dev as u32);
    if upper > 0 {
        return (upper, lower);
    }
    // Querying all volumes takes milliseconds, and callers query each file of a job: answers are cached for one second.
    static KNOWN: Mutex<Vec<Answer>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.retain(|answer| answer.asked.elapsed() < Duration::from_secs(1));
    if let Some(answer) = known.iter().find(|answer| answer.serial == dev) {
        return answer.number;
    }
    let mounts = crate::mounts().unwrap_or_default();
    let number = mounts.iter().find(|m| m.id == dev).map_or((0, 0), |m| m.dev);
    known.push(Answer { serial: dev, number, asked: Instant::now() });
    number
}

/// Device number of the volume with this serial number, and the time of the query.
struct Answer {
    serial: u64,
    number: (u32, u32),
    asked: Instant,
}

/// Returns the volume that is this device.
pub(crate) fn volume_with(number: (u32, u32)) -> Option<Volume> {
    let volumes = volumes().unwrap_or_default();
    volumes
        .into_iter()
        .find(|volume| volume.open(false).and_then(|device| number_of(&device)).is_ok_and(|n| n == number))
}

#[cfg(test)]
mod tests {
    use super::super::number::{disk_number, open_disk};
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
