//! The mount table, and the device numbers in it.

use crate::common::{Mount, parse_dev};
use crate::unix::looked::unescape;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

impl Mount {
    /// Returns the value of an option of the file system, for example `upperdir`.
    #[must_use]
    pub fn super_option(&self, key: &str) -> Option<PathBuf> {
        let mut options = self.super_options.split(',').filter_map(|o| o.split_once('='));
        options.find(|(k, _)| *k == key).map(|(_, value)| unescape(value.as_bytes()))
    }
}

/// Returns the mounts visible to this process, in the order of mounting.
///
/// # Errors
/// If /proc is not mounted.
pub fn mounts() -> io::Result<Vec<Mount>> {
    mounts_in(Path::new("/proc/self/mountinfo"))
}

/// Returns the mount of an open file: by mount ID if the kernel reports it, otherwise the last mount of its device.
#[must_use]
pub fn mount_of(file: &File) -> Option<Mount> {
    let mut mounts = mounts().ok()?;
    let id = crate::file_systems::mount_id(file);
    let dev = file.metadata().ok().map(|metadata| device_number(metadata.dev()));
    let by_id = mounts.iter().position(|m| Some(m.id) == id);
    let index = by_id.or_else(|| mounts.iter().rposition(|m| Some(m.dev) == dev))?;
    Some(mounts.swap_remove(index))
}

/// Splits `st_dev` or `st_rdev` into major and minor number.
#[must_use]
pub fn device_number(dev: u64) -> (u32, u32) {
    (rustix::fs::major(dev), rustix::fs::minor(dev))
}

/// Parses a file in mountinfo format and returns its mounts in order: a later mount at the same path hides an earlier
/// one. Skips malformed lines.
///
/// # Errors
/// If the file cannot be read.
pub fn mounts_in(table: &Path) -> io::Result<Vec<Mount>> {
    Ok(fs::read(table)?.split(|b| *b == b'\n').filter_map(parse_mount).collect())
}

fn parse_mount(line: &[u8]) -> Option<Mount> {
    let text = |f: &[u8]| String::from_utf8_lossy(f).into_owned();
    let mut fields = line.split(|b| *b == b' ');
    let id = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
    let dev = parse_dev(std::str::from_utf8(fields.nth(1)?).ok()?)?;
    let root = unescape(fields.next()?);
    let point = unescape(fields.next()?);
    let options = text(fields.next()?);
    let mut rest = fields.skip_while(|f| *f != b"-").skip(1);
    let fs = text(rest.next()?);
    let source = unescape(rest.next()?);
    let super_options = rest.next().map(text).unwrap_or_default();
    Some(Mount { id, dev, root, point, options, fs, source, super_options })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TABLE: &[u8] = br"22 27 0:21 / /proc rw,relatime - proc proc rw
30 27 8:1 / /mnt/my\040disk ro,nosuid shared:7 master:2 - xfs /dev/sda1 rw,attr2
32 27 0:45 /@home /home rw,noatime - btrfs /dev/sdb1 rw,compress=zstd:3,subvol=/@home
34 27 0:50 / /run/c rw - overlay overlay rw,lowerdir=/l1:/l2,upperdir=/var/up\040per,workdir=/w
36 35 98:1 /mnt1 /a\040b\134c rw,noatime master:1 shared:2 - ext3 /dev/root
nonsense
40 27 8:x / /bad rw - ext4 /dev/x rw
41 27 8:2 / /bad
36 35 98:1 / /mnt rw shared:2
";

    #[test]
    fn whole_lines_are_read_and_malformed_ones_left_out() {
        let table: Vec<Mount> = TABLE.split(|b| *b == b'\n').filter_map(parse_mount).collect();
        assert_eq!(table.iter().map(|m| m.id).collect::<Vec<_>>(), [22, 30, 32, 34, 36]);
        assert_eq!((table[1].dev, table[1].point.as_path()), ((8, 1), Path::new("/mnt/my disk")));
        assert_eq!((table[1].fs.as_str(), table[1].source.as_path()), ("xfs", Path::new("/dev/sda1")));
        assert_eq!(table[1].all_options(), "ro,nosuid,attr2");
        assert_eq!(table[2].root, Path::new("/@home"));
        assert_eq!(table[2].all_options(), "rw,noatime,compress=zstd:3,subvol=/@home");
        assert_eq!(table[3].super_option("upperdir"), Some("/var/up per".into()));
        assert_eq!(table[3].super_option("index"), None);
        assert_eq!((table[4].point.as_path(), table[4].super_options.as_str()), (Path::new("/a b\\c"), ""));
    }

    #[test]
    fn numbers_split_as_the_kernel_packs_them() {
        assert_eq!(device_number(0x0000_FE00), (254, 0));
        assert_eq!(device_number(0x0010_0803), (8, 0x103));
    }

    #[test]
    fn escapes_that_are_none_stay() {
        for kept in [r"/a\9\04", r"/a\777", r"/a\+07", "/a\\"] {
            assert_eq!(unescape(kept.as_bytes()), Path::new(kept));
        }
        assert_eq!(unescape(br"/a\134b\011c"), Path::new("/a\\b\tc"));
    }

    proptest! {
        #[test]
        fn no_line_makes_the_readers_panic(
            line in prop::collection::vec(any::<u8>(), 0..80),
            numbers in "[0-9]{1,3} [0-9]{1,3} [0-9:]{0,6} \\PC*- \\PC*",
        ) {
            let _ = parse_mount(&line);
            let _ = parse_mount(numbers.as_bytes());
            let _ = unescape(&line);
            let _ = parse_dev(&numbers);
        }
    }
}
