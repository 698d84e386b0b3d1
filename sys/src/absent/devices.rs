//! Stubs for device features of Linux: they return what holds for all devices of the other systems, or an error.

use crate::common::{CommandNode, LoopBacking, MappedPiece, NvmeNamespace, Zone, ZoneLimits};
use std::convert::Infallible;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

fn unsupported<T>(why: &str) -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::Unsupported, why))
}

/// Returns `None`: only Linux has device nodes that take commands past the block layer.
#[must_use]
pub fn command_node(_node: (u32, u32)) -> Option<CommandNode> {
    None
}

/// Returns `false`: SCSI commands are sent on Linux only.
#[must_use]
pub fn is_scsi_disk(_dev: (u32, u32)) -> bool {
    false
}

/// Returns an error: only Linux has loop devices.
///
/// # Errors
/// Always: `Unsupported`.
pub fn loop_backing(_file: &File) -> io::Result<Option<LoopBacking>> {
    unsupported("loop devices exist on Linux only")
}

/// Returns an error: only Linux has the device mapper.
///
/// # Errors
/// Always: `Unsupported`.
pub fn mapped_pieces(_dev: (u32, u32)) -> io::Result<Vec<MappedPiece>> {
    unsupported("the device mapper exists on Linux only")
}

/// Returns an error: NVMe commands are not sent past the driver of this system.
///
/// # Errors
/// Always: `Unsupported`.
pub fn nvme_namespace(_device: &File) -> io::Result<NvmeNamespace> {
    unsupported("NVMe passthrough commands are supported on Linux only")
}

/// Returns a path that does not exist, because only Linux has sysfs.
#[must_use]
pub fn sysfs_block(sys: &Path, (major, minor): (u32, u32)) -> PathBuf {
    sys.join(format!("dev/block/{major}:{minor}"))
}

/// Returns limits without zones: zones are queried on Linux only.
///
/// # Errors
/// None.
pub fn zone_limits(_file: &File) -> io::Result<ZoneLimits> {
    Ok(ZoneLimits::default())
}

/// Returns an error: zones are queried on Linux only.
///
/// # Errors
/// Always: `Unsupported`.
pub fn zones(_file: &File, _at: u64, _most: usize) -> io::Result<Vec<Zone>> {
    unsupported("zones of devices are reported on Linux only")
}

/// Returns an error, like [`zones`].
///
/// # Errors
/// Always: `Unsupported`.
pub fn reset_zones(_file: &File, _start: u64, _len: u64) -> io::Result<()> {
    unsupported("zones of devices are reset on Linux only")
}

/// Returns an error, like [`zones`].
///
/// # Errors
/// Always: `Unsupported`.
pub fn finish_zones(_file: &File, _start: u64, _len: u64) -> io::Result<()> {
    unsupported("zones of devices are finished on Linux only")
}

/// Counters of a network interface's driver: cannot be created on this system.
#[derive(Debug)]
pub struct InterfaceCounters {
    none: Infallible,
}

impl InterfaceCounters {
    /// Returns an error: only Linux reports these counters.
    ///
    /// # Errors
    /// Always: `Unsupported`.
    pub fn open(_interface: &str) -> io::Result<InterfaceCounters> {
        unsupported("driver counters of network interfaces (ethtool) exist on Linux only")
    }

    /// Returns the names of the counters.
    #[must_use]
    pub fn names(&self) -> &[String] {
        match self.none {}
    }

    /// Returns the current counters.
    ///
    /// # Errors
    /// None: there is no such value.
    pub fn read(&self) -> io::Result<Vec<u64>> {
        match self.none {}
    }
}
