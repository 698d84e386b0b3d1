//! Zones of zoned block devices (`linux/blkzoned.h`): report, reset and finish.

use super::{pack, unpack};
use crate::common::{Zone, ZoneCondition, ZoneLimits};
use crate::unix::check;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// `_IOWR(0x12, 130, struct blk_zone_report)`.
const BLKREPORTZONE: libc::Ioctl = 0xC010_1282_u32 as libc::Ioctl;
/// `_IOW(0x12, 131, struct blk_zone_range)`.
const BLKRESETZONE: libc::Ioctl = 0x4010_1283;
/// `_IOW(0x12, 136, struct blk_zone_range)`.
const BLKFINISHZONE: libc::Ioctl = 0x4010_1288;
/// The report contains capacities; without this flag, the capacity of a zone is its length.
const CAPACITIES: u32 = 1;
/// Unit of the kernel's counts, in bytes, regardless of the device's block size.
const SECTOR: u64 = 512;
/// Number of zones per request.
const AT_ONCE: usize = 4096;

/// `struct blk_zone`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Raw {
    start: u64,
    len: u64,
    pointer: u64,
    kind: u8,
    condition: u8,
    non_sequential: u8,
    reset: u8,
    reserved: [u8; 4],
    capacity: u64,
    more: [u8; 24],
}

/// Sizes in 64-bit words: `struct blk_zone_report`, and each zone that follows it.
const HEAD: usize = 2;
const ZONE: usize = size_of::<Raw>() / 8;

/// Returns the zone limits of an open file's device; the defaults for a regular file or a device without zones.
///
/// # Errors
/// As `fstat(2)`.
pub fn zone_limits(file: &File) -> io::Result<ZoneLimits> {
    let meta = file.metadata()?;
    if !meta.file_type().is_block_device() {
        return Ok(ZoneLimits::default());
    }
    let dir = crate::common::sysfs_block(Path::new("/sys"), crate::linux::files::device_number(meta.rdev()));
    // A partition shares the queue of its disk.
    let word = |name: &str| {
        [dir.join("queue"), dir.join("../queue")].iter().find_map(|q| std::fs::read_to_string(q.join(name)).ok())
    };
    let number = |name: &str| word(name).and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    let model = word("zoned").unwrap_or_default();
    Ok(ZoneLimits {
        zoned: ["host-managed", "host-aware"].contains(&model.trim()),
        managed: model.trim() == "host-managed",
        open: number("max_open_zones"),
        active: number("max_active_zones"),
    })
}

/// Returns at most `most` zones of an open device, beginning at `at`.
///
/// # Errors
/// `ENOTTY` if the device has no zones; otherwise any error of the device.
pub fn zones(file: &File, at: u64, most: usize) -> io::Result<Vec<Zone>> {
    let mut collected: Vec<Zone> = Vec::new();
    let mut report = vec![0u64; HEAD + AT_ONCE * ZONE];
    let mut next = at;
    while collected.len() < most {
        let asked = (most - collected.len()).min(AT_ONCE) as u32;
        report[0] = next / SECTOR;
        report[1] = pack(asked, 0);
        // SAFETY: the kernel writes at most as many zones as requested; the buffer has room for that many after the
        // header.
        check(unsafe { libc::ioctl(file.as_raw_fd(), BLKREPORTZONE, report.as_mut_ptr()) })?;
        let [returned, flags] = unpack(report[1]);
        let returned = (returned as usize).min(AT_ONCE);
        let zones = report[HEAD..].chunks_exact(ZONE).take(returned);
        collected.extend(zones.map(|words| zone(&Raw::from_words(words), flags & CAPACITIES != 0)));
        match collected.last() {
            Some(last) if returned > 0 => next = last.start + last.len,
            _ => break,
        }
    }
    Ok(collected)
}

impl Raw {
    fn from_words(words: &[u64]) -> Raw {
        let [kind, condition, non_sequential, reset, reserved @ ..] = words[3].to_ne_bytes();
        let (start, len, pointer, capacity) = (words[0], words[1], words[2], words[4]);
        Raw { start, len, pointer, kind, condition, non_sequential, reset, reserved, capacity, ..Raw::default() }
    }
}

fn zone(raw: &Raw, capacities: bool) -> Zone {
    Zone {
        start: raw.start * SECTOR,
        len: raw.len * SECTOR,
        capacity: if capacities { raw.capacity } else { raw.len } * SECTOR,
        write_pointer: raw.pointer.saturating_mul(SECTOR),
        // 1 is conventional, 2 sequential write required, 3 sequential write preferred.
        sequential: raw.kind != 1,
        condition: match raw.condition {
            0x1 => ZoneCondition::Empty,
            0x2 | 0x3 => ZoneCondition::Open,
            0x4 => ZoneCondition::Closed,
            0xD => ZoneCondition::ReadOnly,
            0xE => ZoneCondition::Full,
            0xF => ZoneCondition::Offline,
            _ => ZoneCondition::Conventional,
        },
    }
}

/// Moves the write pointers of whole zones back to their start, which discards their data.
///
/// # Errors
/// `EBADF` if the file is not open for writing; otherwise any error of the device.
pub fn reset_zones(file: &File, start: u64, len: u64) -> io::Result<()> {
    range(file, BLKRESETZONE, start, len)
}

/// Makes whole zones full, regardless of their content.
///
/// # Errors
/// As [`reset_zones`].
pub fn finish_zones(file: &File, start: u64, len: u64) -> io::Result<()> {
    range(file, BLKFINISHZONE, start, len)
}

fn range(file: &File, request: libc::Ioctl, start: u64, len: u64) -> io::Result<()> {
    let range = [start / SECTOR, len / SECTOR];
    loop {
        // SAFETY: the kernel reads two numbers, which live until the call returns.
        match check(unsafe { libc::ioctl(file.as_raw_fd(), request, range.as_ptr()) }) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_have_the_kernels_sizes_and_a_file_has_no_zones() {
        assert_eq!(size_of::<Raw>(), 64);
        assert_eq!(unpack(pack(7, 1)), [7, 1]);
        let words = [1, 2, 3, u64::from_ne_bytes([2, 14, 0, 0, 0, 0, 0, 0]), 5, 0, 0, 0];
        let raw = Raw::from_words(&words);
        assert_eq!((raw.start, raw.len, raw.pointer, raw.kind, raw.condition, raw.capacity), (1, 2, 3, 2, 14, 5));
        let null = File::open("/dev/null").unwrap();
        assert_eq!(zone_limits(&null).unwrap(), ZoneLimits::default());
        assert!(
            zones(&null, 0, 8).is_err() && reset_zones(&null, 0, 512).is_err() && finish_zones(&null, 0, 512).is_err()
        );
    }

    #[test]
    fn zones_are_told_in_bytes() {
        let raw = Raw { start: 8, len: 8, pointer: 10, kind: 2, condition: 2, capacity: 6, ..Raw::default() };
        let parsed = zone(&raw, true);
        assert_eq!((parsed.start, parsed.len, parsed.capacity, parsed.write_pointer), (4096, 4096, 3072, 5120));
        assert!(parsed.sequential && parsed.condition == ZoneCondition::Open);
        assert_eq!(zone(&raw, false).capacity, 4096);
    }
}
