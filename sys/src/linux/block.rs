//! Block devices: size, grain, number, and what a loop device stands on.

use super::file::FileId;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

/// Size and grain of a block device, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockGeometry {
    /// Whole device; 0 after it was removed.
    pub size: u64,
    /// Smallest request.
    pub logical: u32,
    /// Smallest write without reading before.
    pub physical: u32,
    /// Refuses writes.
    pub read_only: bool,
}

/// `_IOR(0x12, 114, size_t)`.
const BLKGETSIZE64: libc::c_ulong = 0x8008_1272;
/// `_IO(0x12, 94)`.
const BLKROGET: libc::c_ulong = 0x125E;
/// linux/loop.h.
const LOOP_GET_STATUS64: libc::c_ulong = 0x4C05;

/// Size and grain of an open block device.
///
/// # Errors
/// `ENOTTY` or `EINVAL` if it is none; `ENXIO`, `ENODEV` if it is gone.
pub fn block_geometry(file: &File) -> io::Result<BlockGeometry> {
    Ok(BlockGeometry {
        size: block_size(file)?,
        logical: rustix::fs::ioctl_blksszget(file)?,
        physical: rustix::fs::ioctl_blkpbszget(file)?,
        read_only: is_read_only(file)?,
    })
}

/// Size of an open block device, asked of the kernel and not of the device: cheap, and never waits for I/O.
///
/// # Errors
/// As [`block_geometry`].
pub fn block_size(file: &File) -> io::Result<u64> {
    let mut size = 0u64;
    // SAFETY: the kernel writes one 64-bit number, which lives until the call returns.
    match unsafe { libc::ioctl(file.as_raw_fd(), BLKGETSIZE64, &raw mut size) } {
        0 => Ok(size),
        _ => Err(io::Error::last_os_error()),
    }
}

fn is_read_only(file: &File) -> io::Result<bool> {
    let mut flag: libc::c_int = 0;
    // SAFETY: the kernel writes one int, which lives until the call returns.
    match unsafe { libc::ioctl(file.as_raw_fd(), BLKROGET, &raw mut flag) } {
        0 => Ok(flag != 0),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Major and minor number of the device an open node stands for; `None` if it is no block device.
///
/// # Errors
/// As `fstat(2)`.
pub fn block_number(file: &File) -> io::Result<Option<(u32, u32)>> {
    let m = file.metadata()?;
    Ok(m.file_type().is_block_device().then(|| device_number(m.rdev())))
}

/// Splits `st_dev` or `st_rdev` into major and minor number.
#[must_use]
pub fn device_number(dev: u64) -> (u32, u32) {
    (rustix::fs::major(dev), rustix::fs::minor(dev))
}

/// What a loop device stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopBacking {
    /// The file, or the device node.
    pub file: FileId,
    /// Major and minor number, if it stands on a block device.
    pub device: Option<(u32, u32)>,
}

/// The file or device under an open loop device, whatever its name is by now; `None` when nothing is attached.
///
/// # Errors
/// `ENOTTY` or `EINVAL` if it is no loop device.
pub fn loop_backing(file: &File) -> io::Result<Option<LoopBacking>> {
    // struct loop_info64 has 232 bytes and begins with lo_device, lo_inode, lo_rdevice.
    let mut info = [0u64; 32];
    // SAFETY: the kernel writes 232 bytes into 256, which live until the call returns.
    match unsafe { libc::ioctl(file.as_raw_fd(), LOOP_GET_STATUS64, info.as_mut_ptr()) } {
        0 => Ok(Some(LoopBacking {
            file: FileId { dev: info[0], ino: info[1] },
            device: (info[2] != 0).then(|| device_number(info[2])),
        })),
        _ => {
            let error = io::Error::last_os_error();
            if error.raw_os_error() == Some(libc::ENXIO) { Ok(None) } else { Err(error) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_block_device_is_an_error_and_has_no_number() {
        let null = File::open("/dev/null").unwrap();
        assert!(block_geometry(&null).is_err());
        assert!(block_number(&null).unwrap().is_none());
        assert!(loop_backing(&null).is_err());
    }

    #[test]
    fn numbers_split_as_the_kernel_packs_them() {
        assert_eq!(device_number(0x0000_FE00), (254, 0));
        assert_eq!(device_number(0x0010_0803), (8, 0x103));
    }
}
