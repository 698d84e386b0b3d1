//! Detection of never-written blocks on raw devices: thin storage answers reads of such blocks without accessing a
//! medium (docs/design/storage.md, "Never-written blocks").

use super::stack::device_by_name;
use crate::Roots;
use messages::sentence;
use model::{Bytes, Caveat, Severity, record::StorageFacts};
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use sys::files::FileExt;
use sys::storage::Extent;

/// Number of blocks that are read from a device without an allocation map. The number is low because each read takes
/// ten milliseconds on a rotating disk.
const SAMPLES: u64 = 64;
const BLOCK: usize = 4096;
/// Share of unwritten bytes above which reads do not measure the storage.
const HOLES: f64 = 0.02;

/// Returns a caveat if part of a raw device was never written. For a loop device, the allocation map of its file shows
/// this reliably. For other devices, blocks full of zeros only suggest it. Returns `None` for other storage, or if the
/// device cannot be read.
#[must_use]
pub fn never_written(roots: &Roots, storage: &StorageFacts) -> Option<Caveat> {
    let device = storage.devices.first().filter(|_| storage.filesystem == "none" && storage.memory.is_none())?;
    let name = &device.name;
    if let Some(file) = device.backing.as_deref().filter(|f| device_by_name(roots, Path::new(f)).is_none()) {
        let (missing, size) = unwritten(&roots.place(Path::new(file)))?;
        let share = missing as f64 / (size as f64).max(1.0);
        if share <= HOLES {
            return None;
        }
        let statement = sentence!("unwritten-in-file", device = name);
        let evidence = sentence!("unwritten-in-file-seen", missing = Bytes(missing), all = Bytes(size), file);
        let caveat = Caveat::new("never-written", Severity::Invalid, statement, evidence);
        return Some(caveat.remedy(sentence!("unwritten-remedy")));
    }
    let (zero, looked) = zeros(&roots.place(&Path::new("/dev").join(name)))?;
    (zero as f64 > HOLES * looked as f64).then(|| {
        let statement = sentence!("unwritten-perhaps", device = name);
        let evidence = sentence!("unwritten-perhaps-seen", zero, looked);
        Caveat::new("never-written", Severity::Doubt, statement, evidence).remedy(sentence!("unwritten-remedy"))
    })
}

/// Returns the number of bytes of a file that were never written, and the size of the file. Returns `None` if the file
/// system does not report an allocation map.
fn unwritten(file: &Path) -> Option<(u64, u64)> {
    let file = File::open(file).ok()?;
    let size = file.metadata().ok()?.len();
    let written: u64 = match sys::storage::extents_as_they_are(&file, 0..size).ok()? {
        Some(extents) => {
            let within = |e: &Extent| e.range.end.min(size).saturating_sub(e.range.start);
            extents.iter().filter(|e| !e.unwritten()).map(within).sum()
        }
        None => sys::storage::data_ranges(&file, 0..size).ok()??.iter().map(|r| r.end - r.start).sum(),
    };
    Some((size.saturating_sub(written), size))
}

/// Returns the number of zero blocks among evenly spaced samples, and the number of samples.
fn zeros(device: &Path) -> Option<(u64, u64)> {
    let device = File::open(device).ok()?;
    let ranges = match written_zones(&device) {
        Some(ranges) => ranges,
        None => std::iter::once(0..sys::devices::block_size(&device).ok()?).collect(),
    };
    let size: u64 = ranges.iter().map(|r| r.end - r.start).sum();
    if size < SAMPLES * BLOCK as u64 {
        return None;
    }
    let mut block = [0; BLOCK];
    let (mut zero, mut looked) = (0, 0);
    for i in 0..SAMPLES {
        // Samples avoid the beginning, which holds labels.
        let at = place_in(&ranges, size / SAMPLES * i + size / (2 * SAMPLES))? / BLOCK as u64 * BLOCK as u64;
        device.read_exact_at(&mut block, at).ok()?;
        looked += 1;
        zero += u64::from(block.iter().all(|b| *b == 0));
    }
    Some((zero, looked))
}

/// Returns the written ranges of a zoned device; `None` for other devices. Data after a write pointer cannot be read,
/// and a zone's capacity may be smaller than its length.
fn written_zones(device: &File) -> Option<Vec<Range<u64>>> {
    sys::devices::zone_limits(device).ok().filter(|limits| limits.zoned)?;
    let zones = sys::devices::zones(device, 0, usize::MAX).ok()?;
    Some(zones.iter().map(held).filter(|held| held.end - held.start >= BLOCK as u64).collect())
}

fn held(zone: &sys::devices::Zone) -> Range<u64> {
    let full = zone.start + zone.capacity;
    match zone.condition {
        _ if !zone.sequential => zone.start..full,
        sys::devices::ZoneCondition::Full | sys::devices::ZoneCondition::ReadOnly => zone.start..full,
        sys::devices::ZoneCondition::Offline => zone.start..zone.start,
        _ => zone.start..zone.write_pointer.clamp(zone.start, full),
    }
}

/// Returns the position that is `into` bytes into the concatenated ranges.
fn place_in(ranges: &[Range<u64>], mut into: u64) -> Option<u64> {
    for range in ranges {
        let len = range.end - range.start;
        if into < len {
            return Some(range.start + into);
        }
        into -= len;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_never_written_of_a_file_is_counted() {
        let file = tempfile::NamedTempFile::new_in(".").expect("a file");
        file.as_file().set_len(1 << 20).unwrap();
        file.as_file().write_all_at(&[7; 65536], 1 << 18).unwrap();
        file.as_file().sync_all().unwrap();
        let Some((missing, size)) = unwritten(file.path()) else {
            testkit::skipped("this file system has no map of its files");
            return;
        };
        assert_eq!((missing, size), ((1 << 20) - 65536, 1 << 20));
    }

    #[test]
    fn of_a_zoned_device_what_its_zones_hold_is_looked_at() {
        let zone = sys::devices::Zone {
            start: 1 << 20,
            len: 1 << 20,
            capacity: 3 << 18,
            write_pointer: (1 << 20) + 8192,
            sequential: true,
            condition: sys::devices::ZoneCondition::Open,
        };
        assert_eq!(held(&zone), 1 << 20..(1 << 20) + 8192);
        let full = sys::devices::Zone { condition: sys::devices::ZoneCondition::Full, ..zone };
        assert_eq!(held(&full), 1 << 20..(1 << 20) + (3 << 18));
        let ranges = [100..110, 200..220];
        assert_eq!(
            [0, 9, 10, 29, 30].map(|i| place_in(&ranges, i)),
            [Some(100), Some(109), Some(200), Some(219), None]
        );
        assert!(written_zones(&File::open("/dev/null").unwrap()).is_none());
    }

    #[test]
    fn files_and_devices_that_cannot_be_looked_at_raise_no_doubt() {
        let nowhere = Roots::under(Path::new("/nowhere"));
        assert_eq!(never_written(&nowhere, &StorageFacts::default()), None);
        let device = model::record::DeviceFacts { name: "sdz".into(), ..model::record::DeviceFacts::default() };
        let raw = StorageFacts { filesystem: "none".into(), devices: vec![device], ..StorageFacts::default() };
        assert_eq!(never_written(&nowhere, &raw), None);
    }
}
