//! Detection of the contents of a block device by the signatures of file systems, partition tables, RAID, volume
//! managers and databases in its first and last MiB. The offsets are the same as in libblkid.
//!
//! The result is shown before anything is destroyed. An empty result does not permit a write: every device requires
//! consent.

use crate::content::MAGIC;
use std::fs::File;
use std::io;
use sys::files::FileExt;

/// Signatures found on a device.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Signatures {
    /// Names of the signatures found, such as `ext2/3/4`, without duplicates.
    pub found: Vec<&'static str>,
    /// True if the first and the last MiB are all zero.
    pub blank: bool,
}

impl std::fmt::Display for Signatures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.found.is_empty(), self.blank) {
            (true, true) => f.write_str("nothing (first and last MiB are zero)"),
            (true, false) => f.write_str("unknown data"),
            (false, _) => f.write_str(&self.found.join(", ")),
        }
    }
}

/// Number of bytes read at each end of a device: 1 MiB, and one more block for signatures at 1 MiB.
const EDGE: u64 = (1 << 20) + 4096;

struct Mark {
    name: &'static str,
    at: usize,
    bytes: &'static [u8],
}

const fn mark(name: &'static str, at: usize, bytes: &'static [u8]) -> Mark {
    Mark { name, at, bytes }
}

/// Signatures at an offset from the start of the device.
const HEAD: &[Mark] = &[
    mark("secchi test data", 0, &MAGIC),
    mark("ext2/3/4", 0x438, &[0x53, 0xEF]),
    mark("xfs", 0, b"XFSB"),
    mark("btrfs", 0x10040, b"_BHRfS_M"),
    mark("vfat", 0x52, b"FAT32   "),
    mark("vfat", 0x36, b"FAT16   "),
    mark("vfat", 0x36, b"FAT12   "),
    mark("exfat", 3, b"EXFAT   "),
    mark("ntfs", 3, b"NTFS    "),
    mark("BitLocker", 3, b"-FVE-FS-"),
    mark("LUKS", 0, b"LUKS\xBA\xBE"),
    mark("LUKS", 0x4000, b"SKUL\xBA\xBE"),
    mark("LVM2", 0, b"LABELONE"),
    mark("LVM2", 512, b"LABELONE"),
    mark("LVM2", 1024, b"LABELONE"),
    mark("LVM2", 1536, b"LABELONE"),
    mark("md RAID", 0, &[0xFC, 0x4E, 0x2B, 0xA9]),
    mark("md RAID", 4096, &[0xFC, 0x4E, 0x2B, 0xA9]),
    mark("GPT", 512, b"EFI PART"),
    mark("GPT", 4096, b"EFI PART"),
    mark(
        "bcache",
        4120,
        &[0xC6, 0x85, 0x73, 0xF6, 0x4E, 0x1A, 0x45, 0xCA, 0x82, 0x65, 0xF5, 0x7F, 0x48, 0xBA, 0x6D, 0x81],
    ),
    mark(
        "bcachefs",
        4120,
        &[0xC6, 0x85, 0x73, 0xF6, 0x66, 0xCE, 0x90, 0xA9, 0xD9, 0x6A, 0x60, 0xCF, 0x80, 0x3D, 0xF7, 0xEF],
    ),
    mark("f2fs", 1024, &[0x10, 0x20, 0xF5, 0xF2]),
    mark("erofs", 1024, &[0xE2, 0xE1, 0xF5, 0xE0]),
    mark("squashfs", 0, b"hsqs"),
    mark("cramfs", 0, &[0x45, 0x3D, 0xCD, 0x28]),
    mark("iso9660", 0x8001, b"CD001"),
    mark("udf", 0x8001, b"BEA01"),
    mark("reiserfs", 0x10034, b"ReIsEr"),
    mark("reiserfs", 0x2034, b"ReIsEr"),
    mark("jfs", 0x8000, b"JFS1"),
    mark("nilfs2", 1030, &[0x34, 0x34]),
    mark("gfs2", 0x10000, &[0x01, 0x16, 0x19, 0x70]),
    mark("ocfs2", 1024, b"OCFSV2"),
    mark("ocfs2", 2048, b"OCFSV2"),
    mark("ocfs2", 4096, b"OCFSV2"),
    mark("ocfs2", 8192, b"OCFSV2"),
    mark("hfs", 1024, b"BD\x00"),
    mark("hfs+", 1024, b"H+\x00\x04"),
    mark("hfs+", 1024, b"HX\x00\x05"),
    mark("apfs", 32, b"NXSB"),
    mark("VMFS", 0x10_0000, &[0x0D, 0xD0, 0x01, 0xC0]),
    mark("Oracle ASM", 32, b"ORCLDISK"),
    mark("Ceph BlueStore", 0, b"bluestore block device"),
    mark("Stratis", 520, b"!Stra0tis\x86\xFF\x02^\x41rh"),
    mark("VDO", 0, b"dmvdo001"),
    mark("dm-integrity", 0, b"integrt\x00"),
    mark("dm-verity", 0, b"verity\x00\x00"),
    mark("swap", 4086, b"SWAPSPACE2"),
    mark("swap", 4086, b"SWAP-SPACE"),
    mark("swap", 4086, b"S1SUSPEND"),
    mark("swap", 8182, b"SWAPSPACE2"),
    mark("swap", 16374, b"SWAPSPACE2"),
    mark("swap", 65526, b"SWAPSPACE2"),
];

/// Signatures at a distance from the end of the device.
const TAIL: &[Mark] = &[
    mark("GPT", 512, b"EFI PART"),
    mark("GPT", 4096, b"EFI PART"),
    mark("Intel RAID", 1024, b"Intel Raid ISM Cfg Sig. "),
    mark("DDF RAID", 512, &[0xDE, 0x11, 0xDE, 0x11]),
    mark("DRBD", 4096 - 60, &[0x83, 0x74, 0x02, 0x6B]),
    mark("DRBD", 4096 - 60, &[0x83, 0x74, 0x02, 0x6D]),
];

/// Reads both ends of a device of `size` bytes and returns the signatures found.
///
/// # Errors
/// Returns an error if the device cannot be read.
pub fn signatures(device: &File, size: u64) -> io::Result<Signatures> {
    let edge = EDGE.min(size);
    let mut head = vec![0; edge as usize];
    let mut tail = vec![0; edge as usize];
    device.read_exact_at(&mut head, 0)?;
    device.read_exact_at(&mut tail, size - edge)?;
    Ok(scan(&head, &tail, size))
}

fn scan(head: &[u8], tail: &[u8], size: u64) -> Signatures {
    let at = |bytes: &[u8], at: usize, mark: &[u8]| bytes.get(at..).is_some_and(|b| b.starts_with(mark));
    let from_end =
        |back: u64, mark: &[u8]| (tail.len() as u64).checked_sub(back).is_some_and(|i| at(tail, i as usize, mark));
    let mut names: Vec<&'static str> = Vec::new();
    names.extend(HEAD.iter().filter(|m| at(head, m.at, m.bytes)).map(|m| m.name));
    names.extend(TAIL.iter().filter(|m| from_end(m.at as u64, m.bytes)).map(|m| m.name));
    const MD: [u8; 4] = [0xFC, 0x4E, 0x2B, 0xA9];
    // Version 0.90: at the start of the last complete 64 KiB block, in the byte order of the machine that created it.
    // Version 1.0: 8 KiB before the end, at a multiple of 4 KiB.
    let old = size - ((size & !0xFFFF).saturating_sub(0x1_0000));
    let version_1 = size - ((size / 512).saturating_sub(16) & !7) * 512;
    if from_end(old, &MD) || from_end(old, &[0xA9, 0x2B, 0x4E, 0xFC]) || from_end(version_1, &MD) {
        names.push("md RAID");
    }
    if is_mbr(head) {
        names.push("MBR partition table");
    }
    if is_zfs(head, tail, size) {
        names.push("zfs");
    }
    names.sort_unstable();
    names.dedup();
    Signatures { found: names, blank: head.iter().chain(tail).all(|b| *b == 0) }
}

/// Returns `true` for a boot sector whose four entries could be partitions, with at least one in use.
fn is_mbr(head: &[u8]) -> bool {
    let Some(table) = head.get(446..512).filter(|t| t[64..] == [0x55, 0xAA]) else { return false };
    let entries = || table[..64].chunks(16);
    // The first byte of an entry is 0 or 0x80, the fifth its type, the last four its size.
    entries().all(|e| e[0] & 0x7F == 0) && entries().any(|e| e[4] != 0 && e[12..] != [0; 4])
}

/// Returns `true` if one of the four labels of 256 KiB, two at each end, contains an uberblock.
fn is_zfs(head: &[u8], tail: &[u8], size: u64) -> bool {
    const UBERBLOCK: u64 = 0x00BA_B10C;
    let is_one = |b: &[u8]| b.len() >= 8 && (b[..8] == UBERBLOCK.to_le_bytes() || b[..8] == UBERBLOCK.to_be_bytes());
    let in_label = |label: &[u8]| label.get(128 << 10..256 << 10).is_some_and(|ring| ring.chunks(1024).any(is_one));
    let labels_end = size & !((256 << 10) - 1);
    let last = |back: u64| {
        let from_end = size.checked_sub(labels_end.checked_sub(back)?)?;
        tail.get((tail.len() as u64).checked_sub(from_end)? as usize..)
    };
    in_label(head)
        || head.get(256 << 10..).is_some_and(in_label)
        || [256 << 10, 512 << 10].into_iter().filter_map(last).any(in_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(size: usize, at: usize, bytes: &[u8]) -> Signatures {
        let mut image = vec![0u8; size];
        image[at..at + bytes.len()].copy_from_slice(bytes);
        let edge = (EDGE as usize).min(size);
        scan(&image[..edge], &image[size - edge..], size as u64)
    }

    #[test]
    fn every_mark_is_found_on_large_and_small_devices() {
        for size in [8 << 20, (5 << 20) + 512, 2 << 20] {
            for m in HEAD {
                assert_eq!(with(size, m.at, m.bytes).found, [m.name], "{} at {}", m.name, m.at);
            }
            for m in TAIL {
                assert_eq!(with(size, size - m.at, m.bytes).found, [m.name], "{} before the end", m.name);
            }
        }
    }

    #[test]
    fn raid_and_zfs_marks_are_found_where_their_rules_put_them() {
        let magic = [0xFC, 0x4E, 0x2B, 0xA9];
        let size: usize = (8 << 20) + 1024;
        assert_eq!(with(size, (size & !0xFFFF) - 0x1_0000, &magic).found, ["md RAID"]);
        assert_eq!(with(size, ((size / 512 - 16) & !7) * 512, &magic).found, ["md RAID"]);
        let uberblock = 0x00BA_B10Cu64.to_le_bytes();
        let end = size & !((256 << 10) - 1);
        for label in [0, 256 << 10, end - (512 << 10), end - (256 << 10)] {
            assert_eq!(with(size, label + (128 << 10) + 5 * 1024, &uberblock).found, ["zfs"], "label at {label}");
        }
    }

    #[test]
    fn a_partition_table_needs_a_partition() {
        let mut sector = [0u8; 512];
        sector[510..].copy_from_slice(&[0x55, 0xAA]);
        assert!(with(4 << 20, 0, &sector).found.is_empty(), "a boot sector alone");
        sector[446 + 4] = 0x83;
        sector[446 + 12] = 1;
        assert_eq!(with(4 << 20, 0, &sector).found, ["MBR partition table"]);
    }

    #[test]
    fn nothing_and_unknown_data_are_told_apart_and_tiny_devices_are_no_trouble() {
        assert_eq!(with(4 << 20, 0, b"").to_string(), "nothing (first and last MiB are zero)");
        assert_eq!(with(4 << 20, 7777, b"hello").to_string(), "unknown data");
        for size in [1, 511, 512, 4096, 70_000] {
            assert!(with(size, 0, b"").blank);
        }
    }
}
