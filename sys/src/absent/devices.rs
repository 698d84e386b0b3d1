//! What devices of Linux alone have: each answers with what is true of all devices here, or by name.

use crate::common::{CommandNode, LoopBacking, MappedPiece, NvmeNamespace, Zone, ZoneLimits};
use std::convert::Infallible;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

fn unsupported<T>(why: &str) -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::Unsupported, why))
}

/// Devices that take commands past the block layer have no node of their own here.
#[must_use]
pub fn command_node(_node: (u32, u32)) -> Option<CommandNode> {
    None
}

/// Commands of SCSI are not sent here.
#[must_use]
pub fn is_scsi_disk(_dev: (u32, u32)) -> bool {
    false
}

/// There are no loop devices.
///
/// # Errors
/// Always: `Unsupported`.
pub fn loop_backing(_file: &File) -> io::Result<Option<LoopBacking>> {
    unsupported("loop devices are Linux's")
}

/// There is no device mapper.
///
/// # Errors
/// Always: `Unsupported`.
pub fn mapped_pieces(_dev: (u32, u32)) -> io::Result<Vec<MappedPiece>> {
    unsupported("the device mapper is Linux's")
}

/// Commands to a namespace of NVMe are not sent past the system's driver.
///
/// # Errors
/// Always: `Unsupported`.
pub fn nvme_namespace(_device: &File) -> io::Result<NvmeNamespace> {
    unsupported("commands past the driver of NVMe are sent on Linux only")
}

/// There is no sysfs: a path that is not there.
#[must_use]
pub fn sysfs_block(sys: &Path, (major, minor): (u32, u32)) -> PathBuf {
    sys.join(format!("dev/block/{major}:{minor}"))
}

/// Zones are not asked for here: none.
///
/// # Errors
/// None.
pub fn zone_limits(_file: &File) -> io::Result<ZoneLimits> {
    Ok(ZoneLimits::default())
}

/// Zones are not asked for here.
///
/// # Errors
/// Always: `Unsupported`.
pub fn zones(_file: &File, _at: u64, _most: usize) -> io::Result<Vec<Zone>> {
    unsupported("zones of devices are reported on Linux only")
}

/// As [`zones`].
///
/// # Errors
/// Always: `Unsupported`.
pub fn reset_zones(_file: &File, _start: u64, _len: u64) -> io::Result<()> {
    unsupported("zones of devices are reset on Linux only")
}

/// As [`zones`].
///
/// # Errors
/// Always: `Unsupported`.
pub fn finish_zones(_file: &File, _start: u64, _len: u64) -> io::Result<()> {
    unsupported("zones of devices are finished on Linux only")
}

/// Counters of a network interface's driver: there are none to be had here.
#[derive(Debug)]
pub struct InterfaceCounters {
    none: Infallible,
}

impl InterfaceCounters {
    /// Asks for the names of the counters that the driver of this interface has.
    ///
    /// # Errors
    /// Always: `Unsupported`.
    pub fn open(_interface: &str) -> io::Result<InterfaceCounters> {
        unsupported("counters of a network interface's driver (ethtool) are Linux's")
    }

    /// Names of the counters.
    #[must_use]
    pub fn names(&self) -> &[String] {
        match self.none {}
    }

    /// The counters now.
    ///
    /// # Errors
    /// None: there is no such value.
    pub fn read(&self) -> io::Result<Vec<u64>> {
        match self.none {}
    }
}
