//! Disks and volumes: sizes and sector sizes.

use crate::common::BlockGeometry;
use crate::windows::files::{Volume, volumes};
use crate::windows::nt;
use crate::windows::number::{number_of, refuse_file};
use std::fs::File;
use std::io;
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

/// Returns the volume that is this device.
pub(crate) fn volume_with(number: (u32, u32)) -> Option<Volume> {
    let volumes = volumes().unwrap_or_default();
    volumes
        .into_iter()
        .find(|volume| volume.open(false).and_then(|device| number_of(&device)).is_ok_and(|n| n == number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::windows::number::{block_number, disk_number, open_disk};

    #[test]
    fn what_is_no_device_has_no_number_and_no_geometry() {
        let file = tempfile::tempfile().unwrap();
        assert_eq!(block_number(&file).unwrap(), None);
        assert!(block_geometry(&file).is_err() && disk_number(&file).is_err());
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
