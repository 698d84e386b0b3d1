//! Block devices: numbers, sizes and mounts, with stubs for what only Linux or Windows supports.

use crate::common::{BlockGeometry, DeviceIdentity, DeviceUse, FileId, Use};
use crate::macos::files::device_number;
use crate::macos::unmeasured;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

pub use crate::elsewhere::devices::*;

/// Directory of the swap files.
const SWAP: &str = "/private/var/vm";

impl DeviceUse {
    /// Returns `true` if the machine depends on the device: it holds the root or a system volume.
    #[must_use]
    pub fn vital(&self) -> bool {
        match &self.what {
            Use::Swap => true,
            Use::Mounted(point) => point == Path::new("/") || point.starts_with("/System/Volumes"),
            Use::Carries(_) | Use::Member(_) | Use::Written { .. } => false,
        }
    }
}

/// Returns the mounts of a device. An empty list is no proof: a whole disk is not matched with its partitions, and
/// programs that have the device open are not listed.
#[must_use]
pub fn device_uses(dev: (u32, u32)) -> Vec<DeviceUse> {
    let mounts = crate::file_systems::mounts().unwrap_or_default().into_iter().filter(|mount| mount.dev == dev);
    mounts.map(|mount| DeviceUse { device: device_name(dev), what: Use::Mounted(mount.point) }).collect()
}

/// Returns descriptions of the uses of a file as if it were a device, such as `is a swap file`.
#[must_use]
pub fn file_uses(id: FileId) -> Vec<String> {
    let kept = std::fs::read_dir(SWAP).into_iter().flatten().flatten();
    let is_it = |entry: &std::fs::DirEntry| entry.metadata().is_ok_and(|m| m.is_file() && FileId::from(&m) == id);
    kept.filter(is_it).map(|_| "is a swap file".to_owned()).collect()
}

/// Returns the system's name of a device, `disk3s1`; `1:4` if it is not in /dev.
#[must_use]
pub fn device_name(dev: (u32, u32)) -> String {
    let nodes = std::fs::read_dir("/dev").into_iter().flatten().flatten();
    let named = nodes
        .filter(|node| node.file_name().as_bytes().starts_with(b"disk"))
        .find(|node| node.metadata().is_ok_and(|m| m.file_type().is_block_device() && device_number(m.rdev()) == dev));
    named.map_or_else(|| format!("{}:{}", dev.0, dev.1), |node| node.file_name().to_string_lossy().into_owned())
}

/// Returns the name of a device; model and serial number are not queried.
#[must_use]
pub fn device_identity(dev: (u32, u32)) -> DeviceIdentity {
    DeviceIdentity { name: device_name(dev), ..DeviceIdentity::default() }
}

/// Returns the number of an open block device; `None` if the file is not a block device.
///
/// # Errors
/// Errors of `fstat(2)`.
pub fn block_number(file: &File) -> io::Result<Option<(u32, u32)>> {
    let meta = file.metadata()?;
    Ok(meta.file_type().is_block_device().then(|| device_number(meta.rdev())))
}

/// `DKIOCGETBLOCKSIZE` of sys/disk.h: `_IOR('d', 24, uint32_t)`.
const BLOCK_SIZE: libc::c_ulong = 0x4004_6418;
/// `DKIOCGETBLOCKCOUNT` of sys/disk.h: `_IOR('d', 25, uint64_t)`.
const BLOCK_COUNT: libc::c_ulong = 0x4008_6419;

/// Returns the size of an open block device in bytes.
///
/// # Errors
/// Errors of `ioctl(2)`: `ENOTTY` if it is not a block device.
pub fn block_size(file: &File) -> io::Result<u64> {
    let (mut size, mut count) = (0u32, 0u64);
    // SAFETY: the first request writes one 32-bit number, the second one 64-bit number; both live until the calls
    // return.
    let failed = unsafe {
        libc::ioctl(file.as_raw_fd(), BLOCK_SIZE, &raw mut size) != 0
            || libc::ioctl(file.as_raw_fd(), BLOCK_COUNT, &raw mut count) != 0
    };
    if failed { Err(io::Error::last_os_error()) } else { Ok(u64::from(size).saturating_mul(count)) }
}

constant! {
    fn block_geometry(&File) -> io::Result<BlockGeometry> = Err(unmeasured());
    fn memory_available() -> Option<u64> = None;
}

/// Returns an error: only measurements read log pages of a drive.
///
/// # Errors
/// Always.
pub fn nvme_log_page<const N: usize>(_device: &File, _page: u8, _namespace: u32) -> io::Result<[u8; N]> {
    Err(unmeasured())
}
