//! Block devices: their numbers and sizes, and what is mounted from them. The rest is Linux' and Windows'.

use crate::common::{BlockGeometry, DeviceIdentity, DeviceUse, FileId, Use};
use crate::macos::unmeasured;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

pub use crate::absent::devices::{
    InterfaceCounters, command_node, finish_zones, is_scsi_disk, loop_backing, mapped_pieces, nvme_namespace,
    reset_zones, sysfs_block, zone_limits, zones,
};

/// Where the system keeps memory in files.
const SWAP: &str = "/private/var/vm";

impl DeviceUse {
    /// Whether the machine lives on it: its root, or what the system keeps of its own beside it.
    #[must_use]
    pub fn vital(&self) -> bool {
        match &self.what {
            Use::Swap => true,
            Use::Mounted(point) => point == Path::new("/") || point.starts_with("/System/Volumes"),
            Use::Carries(_) | Use::Member(_) | Use::Written { .. } => false,
        }
    }
}

/// What is mounted from a device. Empty is not proof: a whole disk is not told from its parts, and programs that have it open do not show.
#[must_use]
pub fn device_uses(dev: (u32, u32)) -> Vec<DeviceUse> {
    let mounts = crate::mounts().unwrap_or_default().into_iter().filter(|mount| mount.dev == dev);
    mounts.map(|mount| DeviceUse { device: device_name(dev), what: Use::Mounted(mount.point) }).collect()
}

/// What uses a file as if it were a device: `is a swap file`.
#[must_use]
pub fn file_uses(id: FileId) -> Vec<String> {
    let kept = std::fs::read_dir(SWAP).into_iter().flatten().flatten();
    let is_it = |entry: &std::fs::DirEntry| entry.metadata().is_ok_and(|m| m.is_file() && FileId::from(&m) == id);
    kept.filter(is_it).map(|_| "is a swap file".to_owned()).collect()
}

/// The system's name of a device, `disk3s1`; `1:4` where /dev does not show it.
#[must_use]
pub fn device_name(dev: (u32, u32)) -> String {
    let nodes = std::fs::read_dir("/dev").into_iter().flatten().flatten();
    let named = nodes
        .filter(|node| node.file_name().as_bytes().starts_with(b"disk"))
        .find(|node| node.metadata().is_ok_and(|m| m.file_type().is_block_device() && device_number(m.rdev()) == dev));
    named.map_or_else(|| format!("{}:{}", dev.0, dev.1), |node| node.file_name().to_string_lossy().into_owned())
}

/// Name of a device; model and serial number are not asked for.
#[must_use]
pub fn device_identity(dev: (u32, u32)) -> DeviceIdentity {
    DeviceIdentity { name: device_name(dev), ..DeviceIdentity::default() }
}

/// Major and minor number of a device, as `st_rdev` and `st_dev` pack them.
#[must_use]
pub fn device_number(dev: u64) -> (u32, u32) {
    // 32 bits, of which the upper eight are the major number.
    let dev = dev as u32;
    (dev >> 24, dev & 0x00FF_FFFF)
}

/// Number of the device an open file stands for; `None` if it is no block device.
///
/// # Errors
/// As `fstat(2)`.
pub fn block_number(file: &File) -> io::Result<Option<(u32, u32)>> {
    let meta = file.metadata()?;
    Ok(meta.file_type().is_block_device().then(|| device_number(meta.rdev())))
}

/// `DKIOCGETBLOCKSIZE` of sys/disk.h: `_IOR('d', 24, uint32_t)`.
const BLOCK_SIZE: libc::c_ulong = 0x4004_6418;
/// `DKIOCGETBLOCKCOUNT` of sys/disk.h: `_IOR('d', 25, uint64_t)`.
const BLOCK_COUNT: libc::c_ulong = 0x4008_6419;

/// Size of an open block device in bytes.
///
/// # Errors
/// As `ioctl(2)`: `ENOTTY` if it is none.
pub fn block_size(file: &File) -> io::Result<u64> {
    let (mut size, mut count) = (0u32, 0u64);
    // SAFETY: the first request writes one 32-bit number, the second one 64-bit number; both live until the calls return.
    let failed = unsafe {
        libc::ioctl(file.as_raw_fd(), BLOCK_SIZE, &raw mut size) != 0
            || libc::ioctl(file.as_raw_fd(), BLOCK_COUNT, &raw mut count) != 0
    };
    if failed { Err(io::Error::last_os_error()) } else { Ok(u64::from(size).saturating_mul(count)) }
}

/// Size and grain of a device: asked for by measurements alone.
///
/// # Errors
/// Always.
pub fn block_geometry(_file: &File) -> io::Result<BlockGeometry> {
    Err(unmeasured())
}

/// Pages of a drive's log: asked for by measurements alone.
///
/// # Errors
/// Always.
pub fn nvme_log_page<const N: usize>(_device: &File, _page: u8, _namespace: u32) -> io::Result<[u8; N]> {
    Err(unmeasured())
}

/// The SMART log of a drive: asked for by measurements alone.
///
/// # Errors
/// Always.
pub fn nvme_smart_log(_device: &File) -> io::Result<[u8; crate::SMART_LOG]> {
    Err(unmeasured())
}

/// Memory that could be used without swapping: the system does not tell it as one number.
#[must_use]
pub fn memory_available() -> Option<u64> {
    None
}

/// Whether a path holds a byte no system call takes.
#[must_use]
pub fn has_nul(path: &Path) -> bool {
    path.as_os_str().as_bytes().contains(&0)
}
