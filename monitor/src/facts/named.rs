//! Devices by name, and their mount points.

use crate::Roots;
use crate::mounts::mounts;
use crate::samplers::disk::{every, is_whole};
use std::path::PathBuf;

/// Device with kernel counters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownDevice {
    /// Name of the device in the kernel.
    pub name: String,
    /// Major and minor number of the device.
    pub dev: (u32, u32),
    /// True for a whole disk, false for a partition.
    pub whole: bool,
    /// True if the device has done no I/O since boot.
    pub idle: bool,
}

/// Returns all devices with kernel counters, in the kernel's order.
#[must_use]
pub fn known_devices(roots: &Roots) -> Vec<KnownDevice> {
    let known = |row: crate::samplers::disk::Row| KnownDevice {
        whole: is_whole(&row.name),
        idle: row.reading.is_idle(),
        name: row.name,
        dev: row.dev,
    };
    every(roots).into_iter().map(known).collect()
}

/// Returns the mount points of the device itself, each once, in the order of the mount table.
#[must_use]
pub fn mount_points(roots: &Roots, dev: (u32, u32)) -> Vec<PathBuf> {
    let mut points: Vec<PathBuf> = Vec::new();
    for mount in mounts(roots).into_iter().filter(|m| m.dev == dev) {
        if !points.contains(&mount.point) {
            points.push(mount.point);
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_known_by_name_and_a_mounted_one_by_its_place() {
        of_linux!();
        let dir = tempfile::tempdir().expect("a temporary directory");
        let roots = Roots::under(dir.path());
        std::fs::create_dir_all(roots.proc.join("self")).expect("made");
        let table = "27 1 254:0 / / rw - ext4 /dev/vda rw\n30 27 254:0 /x /mnt/x rw - ext4 /dev/vda rw\n";
        std::fs::write(roots.proc.join("self/mountinfo"), table).expect("written");
        let stats = " 254 0 vda 1 0 8 1 0 0 0 0 0 1 1\n 254 1 vda1 0 0 0 0 0 0 0 0 0 0 0\nnonsense\n";
        std::fs::write(roots.proc.join("diskstats"), stats).expect("written");
        let known = known_devices(&roots);
        let listed: Vec<_> = known.iter().map(|d| (d.name.as_str(), d.whole, d.idle)).collect();
        assert_eq!(listed, [("vda", true, false), ("vda1", false, true)]);
        assert_eq!(mount_points(&roots, (254, 0)), [PathBuf::from("/"), PathBuf::from("/mnt/x")]);
        assert!(mount_points(&roots, (8, 0)).is_empty());
    }
}
