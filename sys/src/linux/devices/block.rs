//! Block devices: size, block sizes, device number, and the backing of a loop device.

use crate::common::{BlockGeometry, CommandNode, FileId, LoopBacking, parse_dev, sysfs_block};
use crate::linux::files::device_number;
use crate::unix::check;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// `_IOR(0x12, 114, size_t)`.
const BLKGETSIZE64: libc::Ioctl = 0x8008_1272_u32 as libc::Ioctl;
/// `_IO(0x12, 94)`.
const BLKROGET: libc::Ioctl = 0x125E;
/// Request number from linux/loop.h.
const LOOP_GET_STATUS64: libc::Ioctl = 0x4C05;

/// Returns the size and block sizes of an open block device.
///
/// # Errors
/// `ENOTTY` or `EINVAL` if it is not a block device; `ENXIO`, `ENODEV` if it was removed.
pub fn block_geometry(file: &File) -> io::Result<BlockGeometry> {
    Ok(BlockGeometry {
        size: block_size(file)?,
        logical: rustix::fs::ioctl_blksszget(file)?,
        physical: rustix::fs::ioctl_blkpbszget(file)?,
        read_only: is_read_only(file)?,
    })
}

/// Returns the size of an open block device. The kernel answers without querying the device, so the call is cheap and
/// never waits for I/O.
///
/// # Errors
/// As [`block_geometry`].
pub fn block_size(file: &File) -> io::Result<u64> {
    let mut size = 0u64;
    // SAFETY: the kernel writes one 64-bit number, which lives until the call returns.
    check(unsafe { libc::ioctl(file.as_raw_fd(), BLKGETSIZE64, &raw mut size) })?;
    Ok(size)
}

fn is_read_only(file: &File) -> io::Result<bool> {
    let mut flag: libc::c_int = 0;
    // SAFETY: the kernel writes one int, which lives until the call returns.
    check(unsafe { libc::ioctl(file.as_raw_fd(), BLKROGET, &raw mut flag) })?;
    Ok(flag != 0)
}

/// Returns major and minor number of the device that an open node refers to; `None` if it is not a block device.
///
/// # Errors
/// As `fstat(2)`.
pub fn block_number(file: &File) -> io::Result<Option<(u32, u32)>> {
    let m = file.metadata()?;
    Ok(m.file_type().is_block_device().then(|| device_number(m.rdev())))
}

/// Returns the block device whose commands this character device accepts; `None` if it is no such device.
#[must_use]
pub fn command_node(node: (u32, u32)) -> Option<CommandNode> {
    command_node_under(Path::new("/sys"), node)
}

/// Returns `true` if a block device is a whole SCSI disk, so that block addresses in its commands are positions on it.
/// For a partition or a mapping, the kernel passes commands unchanged to the disk below, where the addresses mean other
/// blocks.
#[must_use]
pub fn is_scsi_disk(dev: (u32, u32)) -> bool {
    sysfs_block(Path::new("/sys"), dev).join("device/scsi_device").exists()
}

fn command_node_under(sys: &Path, node: (u32, u32)) -> Option<CommandNode> {
    let dir = sys.join(format!("dev/char/{}:{}", node.0, node.1)).canonicalize().ok()?;
    let class = dir.join("subsystem").canonicalize().ok()?;
    let number = |dir: PathBuf| parse_dev(&std::fs::read_to_string(dir.join("dev")).ok()?);
    let block = match class.file_name()?.to_str()? {
        "nvme-generic" => {
            // `ng0n1` is next to `nvme0n1`.
            let name = dir.file_name()?.to_str()?.strip_prefix("ng")?;
            number(dir.parent()?.join(format!("nvme{name}")))
        }
        "scsi_generic" => {
            let mut disks = std::fs::read_dir(dir.join("device/block")).ok()?.flatten();
            number(disks.next()?.path())
        }
        _ => None,
    }?;
    Some(CommandNode { node, block })
}

/// Returns the file or device that backs an open loop device, regardless of its name; `None` if nothing is attached.
///
/// # Errors
/// `ENOTTY` or `EINVAL` if it is not a loop device.
pub fn loop_backing(file: &File) -> io::Result<Option<LoopBacking>> {
    // struct loop_info64 has 232 bytes and begins with lo_device, lo_inode, lo_rdevice.
    let mut info = [0u64; 32];
    // SAFETY: the kernel writes 232 bytes into 256, which live until the call returns.
    match check(unsafe { libc::ioctl(file.as_raw_fd(), LOOP_GET_STATUS64, info.as_mut_ptr()) }) {
        Err(e) if e.raw_os_error() == Some(libc::ENXIO) => return Ok(None),
        other => other?,
    }
    let device = (info[2] != 0).then(|| device_number(info[2]));
    Ok(Some(LoopBacking { file: FileId { dev: info[0], ino: info[1] }, device }))
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
    fn the_block_device_behind_a_command_node_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let controller = root.join("devices/nvme0");
        let make = |path: &Path, dev: &str| {
            std::fs::create_dir_all(path).unwrap();
            std::fs::write(path.join("dev"), dev).unwrap();
        };
        make(&controller.join("ng0n1"), "245:1\n");
        make(&controller.join("nvme0n1"), "259:0\n");
        make(&root.join("devices/host0/sg0"), "21:0\n");
        make(&root.join("devices/host0/disk/block/sda"), "8:0\n");
        std::os::unix::fs::symlink("../disk", root.join("devices/host0/sg0/device")).unwrap();
        std::fs::create_dir_all(root.join("dev/char")).unwrap();
        for (number, at, class) in [("245:1", "nvme0/ng0n1", "nvme-generic"), ("21:0", "host0/sg0", "scsi_generic")] {
            std::fs::create_dir_all(root.join("class").join(class)).unwrap();
            let to = root.join("devices").join(at);
            std::os::unix::fs::symlink(root.join("class").join(class), to.join("subsystem")).unwrap();
            std::os::unix::fs::symlink(to, root.join("dev/char").join(number)).unwrap();
        }
        let block_device = |node| command_node_under(root, node).map(|n| n.block);
        assert_eq!(
            (block_device((245, 1)), block_device((21, 0)), block_device((1, 3))),
            (Some((259, 0)), Some((8, 0)), None)
        );
        assert_eq!(command_node((1, 3)), None);
    }
}
