//! The mount table, `/proc/self/mountinfo` (proc(5)): which mount a path lies on.

use crate::Roots;
use crate::roots::{dev_number, text, unescape};
use std::path::{Path, PathBuf};

/// One mounted file system, as one line of mountinfo tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// Mount number, unique while mounted.
    pub id: u64,
    /// Device number of the file system; major 0 is an anonymous one (tmpfs, overlay, btrfs, NFS).
    pub dev: (u32, u32),
    /// The directory of the file system that is mounted here; not `/` for bind mounts and subvolumes.
    pub root: PathBuf,
    /// Where.
    pub point: PathBuf,
    /// Options of this mount.
    pub options: String,
    /// File-system type.
    pub fs: String,
    /// What was mounted: `/dev/sda1`, `server:/export`, `tmpfs`.
    pub source: PathBuf,
    /// Options of the file system, the same in all its mounts.
    pub super_options: String,
}

impl Mount {
    /// All options once: those of the mount, then those of the file system.
    #[must_use]
    pub fn all_options(&self) -> String {
        let mut all: Vec<&str> = self.options.split(',').collect();
        let read_only = all.contains(&"ro");
        for option in self.super_options.split(',') {
            // A read-only mount of a writable file system stays read-only.
            let contradicts = read_only && option == "rw";
            if !contradicts && !all.contains(&option) {
                all.push(option);
            }
        }
        all.retain(|o| !o.is_empty());
        all.join(",")
    }

    /// The value of an option of the file system, `upperdir` for example.
    #[must_use]
    pub fn super_option(&self, key: &str) -> Option<PathBuf> {
        let mut found = self.super_options.split(',').filter_map(|o| o.split_once('='));
        found.find(|(k, _)| *k == key).map(|(_, value)| unescape(value))
    }

    fn parse(line: &str) -> Option<Mount> {
        let (left, right) = line.split_once(" - ")?;
        let mut left = left.split(' ');
        let id = left.next()?.parse().ok()?;
        let dev = dev_number(left.nth(1)?)?;
        let root = unescape(left.next()?);
        let point = unescape(left.next()?);
        let options = left.next()?.to_owned();
        let mut right = right.split(' ');
        Some(Mount {
            id,
            dev,
            root,
            point,
            options,
            fs: right.next()?.to_owned(),
            source: unescape(right.next()?),
            super_options: right.next().unwrap_or_default().to_owned(),
        })
    }
}

/// The mount table, in the kernel's order: a later mount at the same place hides an earlier one. Lines that cannot be
/// read are left out; an unreadable table is empty.
#[must_use]
pub fn mounts(roots: &Roots) -> Vec<Mount> {
    text(&roots.proc.join("self/mountinfo")).map(|t| t.lines().filter_map(Mount::parse).collect()).unwrap_or_default()
}

/// The mount an absolute path without symbolic links lies on, by the longest mount point above it; of equals, the
/// last, which hides the others.
pub(crate) fn above<'a>(mounts: &'a [Mount], path: &Path) -> Option<&'a Mount> {
    mounts.iter().filter(|m| path.starts_with(&m.point)).max_by_key(|m| m.point.components().count())
}

/// The mount of a file that was looked at: by mount number where the kernel tells it, else the longest mount point of
/// the same device number, else the longest of all (btrfs gives files another device number than their mount).
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
    use proptest::prelude::*;

    const TABLE: &str = r"22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
30 27 8:1 / /mnt/my\040disk ro,nosuid shared:7 master:2 - xfs /dev/sda1 rw,attr2
31 27 8:1 /srv /srv rw - xfs /dev/sda1 rw,attr2
32 27 0:45 /@home /home rw,noatime - btrfs /dev/sdb1 rw,compress=zstd:3,subvol=/@home
33 27 9:9 / /srv rw - ext4 /dev/hidden rw
34 27 0:50 / /run/c rw - overlay overlay rw,lowerdir=/l1:/l2,upperdir=/var/up\040per,workdir=/w
nonsense
40 27 8:x / /bad rw - ext4 /dev/x rw
41 27 8:2 / /bad
";

    fn table() -> Vec<Mount> {
        TABLE.lines().filter_map(Mount::parse).collect()
    }

    #[test]
    fn whole_lines_are_read_and_malformed_ones_left_out() {
        let table = table();
        assert_eq!(table.len(), 7);
        assert_eq!(table[2].point, Path::new("/mnt/my disk"));
        assert_eq!(table[2].fs, "xfs");
        assert_eq!(table[2].all_options(), "ro,nosuid,attr2");
        assert_eq!(table[4].all_options(), "rw,noatime,compress=zstd:3,subvol=/@home");
        assert_eq!(table[6].super_option("upperdir"), Some("/var/up per".into()));
    }

    #[test]
    fn a_path_lies_on_the_longest_mount_above_it_and_not_on_a_namesake() {
        let table = table();
        let id = |path: &str| above(&table, Path::new(path)).map(|m| m.id);
        assert_eq!(id("/mnt/my disk/x"), Some(30));
        assert_eq!(id("/mnt/my disk2/x"), Some(27));
        assert_eq!(id("/srv/x"), Some(33), "the later mount hides the earlier");
        assert_eq!(id("relative"), None);
    }

    #[test]
    fn a_file_is_found_by_mount_number_then_by_device_then_by_path() {
        let table = table();
        let id = |path: &str, dev, id| of_file(&table, Path::new(path), dev, id).map(|m| m.id);
        assert_eq!(id("/srv/x", (9, 9), Some(31)), Some(31));
        assert_eq!(id("/srv/x", (8, 1), None), Some(31), "an open file below a hidden mount");
        assert_eq!(id("/home/a", (0, 61), None), Some(32), "btrfs: the device number of the file is not the mount's");
        assert_eq!(id("/srv/x", (8, 1), Some(999)), Some(31));
    }

    proptest! {
        #[test]
        fn no_line_makes_the_reader_panic(
            line in "\\PC*",
            numbers in "[0-9]{1,3} [0-9]{1,3} [0-9:]{0,6} \\PC*- \\PC*",
        ) {
            let _ = Mount::parse(&line);
            let _ = Mount::parse(&numbers);
        }
    }
}
