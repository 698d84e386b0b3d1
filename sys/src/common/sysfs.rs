//! Location of a block device in sysfs.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the sysfs directory of a block device, given by its number. The path does not exist if the kernel lists no
/// such device. `sys` is `/sys`, or a recorded tree in its place.
///
/// Podman and Buildah hide `/sys/dev/block` from containers. `/sys/class/block` lists the same devices by name.
#[must_use]
pub fn sysfs_block(sys: &Path, (major, minor): (u32, u32)) -> PathBuf {
    let by_number = sys.join(format!("dev/block/{major}:{minor}"));
    // Major number 0 belongs to file systems without a device. If any device is listed, all are.
    let listed = || fs::read_dir(sys.join("dev/block")).is_ok_and(|mut entries| entries.next().is_some());
    if major == 0 || by_number.exists() || listed() {
        return by_number;
    }
    let named = fs::read_dir(sys.join("class/block")).into_iter().flatten().flatten().map(|entry| entry.path());
    let number = format!("{major}:{minor}");
    let is_it = |dir: &PathBuf| fs::read_to_string(dir.join("dev")).is_ok_and(|dev| dev.trim() == number);
    named.into_iter().find(is_it).unwrap_or(by_number)
}

// On Windows, a file name contains no colon.
#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_found_by_its_name_where_numbers_are_hidden() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let sys = dir.path();
        for (name, dev) in [("vda", "254:0\n"), ("vda1", "254:1\n")] {
            fs::create_dir_all(sys.join("class/block").join(name)).unwrap();
            fs::write(sys.join("class/block").join(name).join("dev"), dev).unwrap();
        }
        assert_eq!(sysfs_block(sys, (254, 1)), sys.join("class/block/vda1"));
        assert!(!sysfs_block(sys, (8, 0)).exists());
        // Podman replaces it with an empty directory.
        fs::create_dir_all(sys.join("dev/block")).unwrap();
        assert_eq!(sysfs_block(sys, (254, 0)), sys.join("class/block/vda"));
        assert_eq!(sysfs_block(sys, (0, 38)), sys.join("dev/block/0:38"));
    }

    #[test]
    fn where_numbers_are_listed_they_are_believed() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let sys = dir.path();
        fs::create_dir_all(sys.join("dev/block/254:0")).unwrap();
        fs::create_dir_all(sys.join("class/block/sda")).unwrap();
        fs::write(sys.join("class/block/sda/dev"), "8:0\n").unwrap();
        assert_eq!(sysfs_block(sys, (254, 0)), sys.join("dev/block/254:0"));
        assert!(!sysfs_block(sys, (8, 0)).exists());
    }
}
