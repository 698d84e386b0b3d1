//! Lookup of mounts by path, file or device.

use crate::Roots;
use std::path::{Path, PathBuf};
use sys::file_systems::Mount;

/// Returns the mount table of these roots, read from `/proc/self/mountinfo`, in the kernel's order. The table is empty
/// if this file cannot be read. Use this function for control groups and other file systems that only Linux mounts.
#[must_use]
pub(crate) fn kernel_mounts(roots: &Roots) -> Vec<Mount> {
    sys::file_systems::mounts_in(&roots.proc.join("self/mountinfo")).unwrap_or_default()
}

/// Returns the mount table of these roots, in the kernel's order, or an empty list if the table cannot be read. On
/// systems without `/proc/self/mountinfo`, the mounts of the host come from a system call.
#[must_use]
pub(crate) fn mounts(roots: &Roots) -> Vec<Mount> {
    let table = sys::file_systems::mounts_in(&roots.proc.join("self/mountinfo"));
    table.or_else(|e| if *roots == Roots::host() { sys::file_systems::mounts() } else { Err(e) }).unwrap_or_default()
}

/// Returns a mount table that contains the mount with this ID. In a chroot whose root is no mount point, the table of
/// this process does not contain the mount of the root; the table of the first process does.
#[must_use]
pub(crate) fn mounts_with(roots: &Roots, id: Option<u64>) -> Vec<Mount> {
    let table = mounts(roots);
    let has = |mounts: &[Mount]| mounts.iter().any(|mount| Some(mount.id) == id);
    if id.is_none() || has(&table) {
        return table;
    }
    let first = sys::file_systems::mounts_in(&roots.proc.join("1/mountinfo")).unwrap_or_default();
    if has(&first) { first } else { table }
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

/// Returns the mount of an absolute path without symbolic links: the one with the longest mount point above it. If
/// several mounts have the same mount point, the last one is returned, because it hides the others.
pub(crate) fn above<'a>(mounts: &'a [Mount], path: &Path) -> Option<&'a Mount> {
    mounts.iter().filter(|m| path.starts_with(&m.point)).max_by_key(|m| m.point.components().count())
}

/// Returns the mount of a file, by mount ID if the kernel reports it. Otherwise, the mount with the longest mount point
/// is returned, preferably one with the file's device number. (On btrfs, a file and its mount have different device
/// numbers.)
pub(crate) fn of_file<'a>(mounts: &'a [Mount], path: &Path, dev: (u32, u32), id: Option<u64>) -> Option<&'a Mount> {
    if let Some(mount) = id.and_then(|id| mounts.iter().find(|m| m.id == id)) {
        return Some(mount);
    }
    let same = mounts.iter().filter(|m| m.dev == dev && path.starts_with(&m.point));
    same.max_by_key(|m| m.point.components().count()).or_else(|| above(mounts, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = r"22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
30 27 8:1 / /mnt/my\040disk ro,nosuid shared:7 master:2 - xfs /dev/sda1 rw,attr2
31 27 8:1 /srv /srv rw - xfs /dev/sda1 rw,attr2
32 27 0:45 /@home /home rw,noatime - btrfs /dev/sdb1 rw,compress=zstd:3,subvol=/@home
33 27 9:9 / /srv rw - ext4 /dev/hidden rw
";

    fn table() -> Vec<Mount> {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let roots = Roots::under(dir.path());
        std::fs::create_dir_all(roots.proc.join("self")).expect("a directory in it");
        std::fs::write(roots.proc.join("self/mountinfo"), TABLE).expect("a file in it");
        mounts(&roots)
    }

    #[test]
    fn a_path_lies_on_the_longest_mount_above_it_and_not_on_a_namesake() {
        of_linux!();
        let table = table();
        let id = |path: &str| above(&table, Path::new(path)).map(|m| m.id);
        assert_eq!(id("/mnt/my disk/x"), Some(30));
        assert_eq!(id("/mnt/my disk2/x"), Some(27));
        assert_eq!(id("/srv/x"), Some(33), "the later mount hides the earlier");
        assert_eq!(id("relative"), None);
    }

    #[test]
    fn in_a_chroot_the_mount_of_its_root_is_in_the_table_of_the_first_process() {
        of_linux!();
        let dir = tempfile::tempdir().expect("a temporary directory");
        let roots = Roots::under(dir.path());
        for (process, table) in [("self", "40 27 0:21 / /proc rw - proc proc rw\n"), ("1", TABLE)] {
            std::fs::create_dir_all(roots.proc.join(process)).expect("made");
            std::fs::write(roots.proc.join(process).join("mountinfo"), table).expect("written");
        }
        let found_in = |id| mounts_with(&roots, id).len();
        assert_eq!((found_in(Some(40)), found_in(None), found_in(Some(99))), (1, 1, 1));
        let table = mounts_with(&roots, Some(27));
        let mount = of_file(&table, Path::new("/data"), (254, 0), Some(27)).expect("the mount of the root");
        assert_eq!((mount.fs.as_str(), mount.id), ("ext4", 27));
    }

    #[test]
    fn a_device_has_each_of_its_mount_points_once() {
        of_linux!();
        let dir = tempfile::tempdir().expect("a temporary directory");
        let roots = Roots::under(dir.path());
        std::fs::create_dir_all(roots.proc.join("self")).expect("made");
        let table = "27 1 254:0 / / rw - ext4 /dev/vda rw\n30 27 254:0 /x /mnt/x rw - ext4 /dev/vda rw\n";
        std::fs::write(roots.proc.join("self/mountinfo"), table).expect("written");
        assert_eq!(mount_points(&roots, (254, 0)), [PathBuf::from("/"), PathBuf::from("/mnt/x")]);
        assert!(mount_points(&roots, (8, 0)).is_empty());
    }

    #[test]
    fn a_file_is_found_by_mount_number_then_by_device_then_by_path() {
        of_linux!();
        let table = table();
        let id = |path: &str, dev, id| of_file(&table, Path::new(path), dev, id).map(|m| m.id);
        assert_eq!(id("/srv/x", (9, 9), Some(31)), Some(31));
        assert_eq!(id("/srv/x", (8, 1), None), Some(31), "an open file below a hidden mount");
        assert_eq!(id("/home/a", (0, 61), None), Some(32), "btrfs: the device number of the file is not the mount's");
        assert_eq!(id("/srv/x", (8, 1), Some(999)), Some(31));
    }
}
