//! Users of a device or file: mounted volumes, the system, paging files.

use super::block::volume_with;
use crate::common::{DeviceIdentity, DeviceUse, FileId, Use};
use crate::files::{Access, OpenHow, open_no_links};
use crate::windows::files::{Volume, volumes};
use crate::windows::nt;
use crate::windows::number::open_disk;
use std::io;
use windows_sys::Win32::System::Ioctl as ioctl;
use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};

/// Files to which the system writes memory.
const PAGING: [&str; 3] = ["pagefile.sys", "swapfile.sys", "hiberfil.sys"];

impl DeviceUse {
    /// Returns `true` if the machine depends on the device: Windows runs from it, or it has a paging file.
    #[must_use]
    pub fn vital(&self) -> bool {
        match &self.what {
            Use::Swap => true,
            Use::Mounted(point) => Volume { name: String::new().into(), points: vec![point.clone()] }.is_system(),
            Use::Carries(_) | Use::Member(_) | Use::Written { .. } => false,
        }
    }
}

/// Returns all uses of a device that can be detected: mount points of its volumes, and paging files on them. An empty
/// list is no proof, because programs that have the device open are not listed; locking its volumes detects them.
#[must_use]
pub fn device_uses(dev: (u32, u32)) -> Vec<DeviceUse> {
    let volumes = match dev {
        (0, _) => Vec::new(),
        (disk, 0) => volumes().unwrap_or_default().into_iter().filter(|v| v.is_on(disk - 1)).collect(),
        _ => volume_with(dev).into_iter().collect(),
    };
    let mut uses = Vec::new();
    for volume in volumes {
        let device = volume.name.to_string_lossy().into_owned();
        for point in &volume.points {
            uses.push(DeviceUse { device: device.clone(), what: Use::Mounted(point.clone()) });
            if PAGING[..2].iter().any(|name| point.join(name).symlink_metadata().is_ok()) {
                uses.push(DeviceUse { device: device.clone(), what: Use::Swap });
            }
        }
    }
    uses
}

/// Returns descriptions of the uses of a file as if it were a device, such as `is a paging file of Windows`.
#[must_use]
pub fn file_uses(id: FileId) -> Vec<String> {
    let places = volumes().unwrap_or_default().into_iter().flat_map(|volume| volume.points);
    let paging = places.flat_map(|point| PAGING.map(|name| point.join(name)));
    let is_it = |path: &std::path::PathBuf| {
        let seen = open_no_links(None, path, OpenHow::plain(Access::Locate));
        seen.and_then(|file| FileId::from_file(&file)).is_ok_and(|seen| seen == id)
    };
    paging.filter(is_it).map(|_| "is a paging file of Windows".to_owned()).collect()
}

/// Returns the system's name of a device: `PhysicalDrive0`, `PhysicalDrive0 partition 2`; `0:1` if it is on no disk.
#[must_use]
pub fn device_name(dev: (u32, u32)) -> String {
    match dev {
        (0, _) => format!("{}:{}", dev.0, dev.1),
        (disk, 0) => format!("PhysicalDrive{}", disk - 1),
        (disk, partition) => format!("PhysicalDrive{} partition {partition}", disk - 1),
    }
}

/// Returns name, model and serial number of a device (`StorageDeviceProperty`).
#[must_use]
pub fn device_identity(dev: (u32, u32)) -> DeviceIdentity {
    let name = device_name(dev);
    let (disk, partition) = dev;
    if disk == 0 {
        return DeviceIdentity { name, ..DeviceIdentity::default() };
    }
    let descriptor = open_disk(disk - 1).and_then(|device| descriptor(&device)).unwrap_or_default();
    DeviceIdentity {
        name,
        model: descriptor.model,
        serial: if partition == 0 { descriptor.serial } else { None },
        partition_of: (partition > 0).then(|| device_name((disk, 0))),
        removable: descriptor.removable,
    }
}

#[derive(Default, Debug, PartialEq, Eq)]
struct Descriptor {
    model: Option<String>,
    serial: Option<String>,
    removable: bool,
}

fn descriptor(device: &std::fs::File) -> io::Result<Descriptor> {
    let asked = [ioctl::StorageDeviceProperty as u32, ioctl::PropertyStandardQuery as u32, 0];
    let mut answer = vec![0u32; 1024];
    let length = nt::control_bytes(device, ioctl::IOCTL_STORAGE_QUERY_PROPERTY, &asked, &mut answer)?;
    let bytes: Vec<u8> = answer.iter().flat_map(|word| word.to_ne_bytes()).take(length).collect();
    Ok(read_descriptor(&bytes))
}

/// Parses a STORAGE_DEVICE_DESCRIPTOR; it contains the offsets of its texts, with 0 for no text.
fn read_descriptor(bytes: &[u8]) -> Descriptor {
    use std::mem::offset_of;
    type Layout = ioctl::STORAGE_DEVICE_DESCRIPTOR;
    let text = |field: usize| {
        let at = u32::from_ne_bytes(bytes.get(field..field + 4)?.try_into().ok()?) as usize;
        let rest = bytes.get(at..).filter(|_| at > 0)?;
        let end = rest.iter().position(|b| *b == 0).unwrap_or(rest.len());
        let text: String =
            rest[..end].iter().map(|b| char::from(*b)).filter(|c| c.is_ascii() && !c.is_control()).collect();
        let text = text.trim().to_owned();
        (!text.is_empty()).then_some(text)
    };
    let (vendor, product) = (text(offset_of!(Layout, VendorIdOffset)), text(offset_of!(Layout, ProductIdOffset)));
    let model = match (vendor, product) {
        (Some(vendor), Some(product)) => Some(format!("{vendor} {product}")),
        (vendor, product) => product.or(vendor),
    };
    Descriptor {
        model,
        serial: text(offset_of!(Layout, SerialNumberOffset)),
        removable: bytes.get(offset_of!(Layout, RemovableMedia)).is_some_and(|b| *b != 0),
    }
}

/// Returns the memory that can be used without paging, in bytes; `None` if the system does not report it.
#[must_use]
pub fn memory_available() -> Option<u64> {
    // SAFETY: the structure consists of numbers, for which zero is valid.
    let mut status: MEMORYSTATUSEX = unsafe { std::mem::zeroed() };
    status.dwLength = size_of::<MEMORYSTATUSEX>() as u32;
    // SAFETY: `status` is a valid place and has its length set.
    nt::check(unsafe { GlobalMemoryStatusEx(&raw mut status) }).ok()?;
    Some(status.ullAvailPhys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_a_descriptor_are_found_where_it_says() {
        let mut bytes = vec![0u8; 40];
        bytes[10] = 1;
        bytes[12..16].copy_from_slice(&40u32.to_ne_bytes());
        bytes[16..20].copy_from_slice(&45u32.to_ne_bytes());
        bytes[24..28].copy_from_slice(&54u32.to_ne_bytes());
        bytes.extend(b"ACME\0Fast SSD\0  S123  \0");
        let descriptor = read_descriptor(&bytes);
        let expected = Descriptor { model: Some("ACME Fast SSD".into()), serial: Some("S123".into()), removable: true };
        assert_eq!(descriptor, expected);
        assert_eq!(read_descriptor(&[0; 8]), Descriptor::default());
    }

    #[test]
    fn there_is_memory_and_the_system_volume_is_vital() {
        assert!(memory_available().is_some_and(|bytes| bytes > 1 << 20));
        let on = |point: &str| DeviceUse { device: "x".into(), what: Use::Mounted(point.into()) };
        assert!(on(r"C:\").vital() && !on(r"Q:\").vital());
        assert_eq!(device_name((1, 0)), "PhysicalDrive0");
    }
}
