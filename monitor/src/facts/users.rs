//! Who uses a device or a file already: the explanation when a destructive target is refused (`measurement.md` 3.1).
//!
//! An exclusive open (`O_EXCL`) is the authority on whether a device is in use; what is said here tells why.

use super::stack::{backing_file, device_by_name, of_mount, split_dev};
use crate::Roots;
use crate::mounts::{Mount, mounts};
use crate::roots::{dev_number, names, text, unescape, word};
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Mount points named in one sentence; machines with containers bind the same file system dozens of times.
const POINTS_SHOWN: usize = 4;

/// What uses a block device, one predicate each: `is mounted on /data`, `is swap`, `holds dm-3 (vg-data), which is
/// mounted on /data`, `partition vda1 is mounted on /boot`, `backs loop3, which is mounted on /mnt/x`. Empty when
/// nothing shows (which is not proof).
#[must_use]
pub fn device_users(roots: &Roots, dev: (u32, u32)) -> Vec<String> {
    let scan = Scan::new(roots);
    let mut users = scan.users(dev, &mut Vec::new());
    if let Some(disk) = scan.disk_of(dev) {
        // A file system or array on the whole disk lies under its partitions too.
        users.extend(
            scan.direct(disk.1, &mut vec![dev]).into_iter().map(|u| format!("is part of {}, which {u}", disk.0)),
        );
    }
    users
}

/// What uses a file as if it were a device: `backs loop3, which is mounted on /mnt/x`, `is a swap file`. Compared by
/// device and inode, so links and other names of the file are found.
#[must_use]
pub fn file_users(roots: &Roots, path: &Path) -> Vec<String> {
    let Some(file) = identity(path) else {
        return Vec::new();
    };
    let scan = Scan::new(roots);
    let backs = |l: &&Loop| identity(&roots.place(&l.file)) == Some(file);
    let mut users: Vec<String> =
        scan.loops.iter().filter(backs).map(|l| scan.above("backs", &l.name, l.dev, &mut Vec::new())).collect();
    if scan.swaps.iter().any(|s| identity(&roots.place(s)) == Some(file)) {
        users.push("is a swap file".to_owned());
    }
    users
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|m| (m.dev(), m.ino()))
}

struct Loop {
    name: String,
    dev: (u32, u32),
    file: PathBuf,
}

/// The tables of one moment.
struct Scan<'a> {
    roots: &'a Roots,
    mounts: Vec<Mount>,
    swaps: Vec<PathBuf>,
    loops: Vec<Loop>,
}

impl<'a> Scan<'a> {
    fn new(roots: &'a Roots) -> Scan<'a> {
        let swaps = text(&roots.proc.join("swaps")).unwrap_or_default();
        // After the heading; the name is the first column, blanks in it escaped.
        let swaps = swaps.lines().skip(1).filter_map(|l| l.split_whitespace().next()).map(unescape).collect();
        let block = roots.sys.join("block");
        let used = |name: String| {
            let dir = block.join(&name);
            let dev = word(&dir.join("dev")).and_then(|d| dev_number(&d))?;
            Some(Loop { file: backing_file(&dir)?, name, dev })
        };
        let loops = names(&block).into_iter().filter(|n| n.starts_with("loop")).filter_map(used).collect();
        Scan { roots, mounts: mounts(roots), swaps, loops }
    }

    /// Users of a device and of its partitions. `seen` guards against circles, which only a broken sysfs has.
    fn users(&self, dev: (u32, u32), seen: &mut Vec<(u32, u32)>) -> Vec<String> {
        let mut users = self.direct(dev, seen);
        let Some(dir) = self.roots.block(dev) else {
            return users;
        };
        for name in names(&dir).into_iter().filter(|n| dir.join(n).join("partition").exists()) {
            if let Some(part) = word(&dir.join(&name).join("dev")).and_then(|d| dev_number(&d)) {
                users.extend(self.direct(part, seen).into_iter().map(|u| format!("partition {name} {u}")));
            }
        }
        users
    }

    /// Users of just this device number.
    fn direct(&self, dev: (u32, u32), seen: &mut Vec<(u32, u32)>) -> Vec<String> {
        if seen.contains(&dev) {
            return Vec::new();
        }
        seen.push(dev);
        let mut users = Vec::new();
        users.extend(self.mounted(dev));
        if self.swaps.iter().any(|s| self.is_node_of(s, dev)) {
            users.push("is swap".to_owned());
        }
        let holders = self.roots.block(dev).map(|d| d.join("holders"));
        for name in holders.iter().flat_map(|h| names(h)) {
            let dir = self.roots.sys.join("class/block").join(&name);
            let label = word(&dir.join("dm/name")).map_or_else(|| name.clone(), |dm| format!("{name} ({dm})"));
            let held = word(&dir.join("dev")).and_then(|d| dev_number(&d));
            users.push(match held {
                Some(held) => self.above("holds", &label, held, seen),
                None => format!("holds {label}"),
            });
        }
        let backed = self.loops.iter().filter(|l| self.is_node_of(&l.file, dev));
        users.extend(backed.map(|l| self.above("backs", &l.name, l.dev, seen)).collect::<Vec<_>>());
        users
    }

    /// `holds dm-3, which is mounted on /data and is swap`.
    fn above(&self, verb: &str, name: &str, dev: (u32, u32), seen: &mut Vec<(u32, u32)>) -> String {
        let users = self.users(dev, seen);
        if users.is_empty() {
            format!("{verb} {name}")
        } else {
            format!("{verb} {name}, which {}", users.join(" and "))
        }
    }

    fn mounted(&self, dev: (u32, u32)) -> Option<String> {
        let on = |m: &&Mount| {
            // Anonymous numbers (btrfs) hide the devices; an overlay only borrows its base, which is listed itself.
            m.dev == dev || m.dev.0 == 0 && m.fs != "overlay" && of_mount(self.roots, &self.mounts, m).contains(&dev)
        };
        let mut points: Vec<String> =
            self.mounts.iter().filter(on).map(|m| m.point.to_string_lossy().into_owned()).collect();
        points.sort_by_key(|p| (p.matches('/').count(), p.len()));
        points.dedup();
        if points.is_empty() {
            return None;
        }
        let more = match points.len().saturating_sub(POINTS_SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        points.truncate(POINTS_SHOWN);
        Some(format!("is mounted on {}{more}", points.join(", ")))
    }

    fn is_node_of(&self, path: &Path, dev: (u32, u32)) -> bool {
        let node = fs::metadata(self.roots.place(path)).ok().filter(|m| m.file_type().is_block_device());
        match node {
            Some(meta) => split_dev(meta.rdev()) == dev,
            None => device_by_name(self.roots, path) == Some(dev),
        }
    }

    /// Name and number of the disk a partition is on.
    fn disk_of(&self, dev: (u32, u32)) -> Option<(String, (u32, u32))> {
        let dir = self.roots.block(dev).filter(|d| d.join("partition").exists())?;
        let disk = dir.parent()?;
        Some((disk.file_name()?.to_string_lossy().into_owned(), dev_number(&word(&disk.join("dev"))?)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_device_of_the_root_file_system_says_so() {
        let host = Roots::host();
        let root = mounts(&host).into_iter().rfind(|m| m.point == Path::new("/"));
        let Some(root) = root.filter(|m| host.block(m.dev).is_some()) else {
            return;
        };
        let users = device_users(&host, root.dev);
        assert!(users.iter().any(|u| u.starts_with("is mounted on /")), "{users:?}");
    }

    #[test]
    fn an_ordinary_file_and_an_unknown_device_have_no_users() {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        assert!(file_users(&Roots::host(), file.path()).is_empty());
        assert!(file_users(&Roots::host(), Path::new("/nowhere")).is_empty());
        assert!(device_users(&Roots::host(), (4095, 1)).is_empty());
    }
}
