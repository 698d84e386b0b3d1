//! Default bound on the bytes that `qualify` and `mark` write, including the fill of the test files.

use model::{Bytes, record::StorageFacts};

/// Upper limit of the default bound.
const MOST: Bytes = Bytes::from_gib(16);
/// Factor for the size of the test files: the bound is at most four times their size.
const FILES: u64 = 4;
/// Divisor for the size of the device: the bound is at most 2 % of it.
const DEVICE_SHARE: u64 = 50;

/// Returns the default bound of a run whose test files have `files` bytes in total: the minimum of four times their
/// size, 16 GiB, and 2 % of the smallest disk below them.
#[must_use]
pub fn default_bound<'a>(files: Bytes, storage: impl IntoIterator<Item = &'a StorageFacts>) -> Bytes {
    let disks = storage.into_iter().map(device_bound);
    disks.fold(Bytes(files.as_u64().saturating_mul(FILES)), Bytes::min)
}

/// Returns the part of the default bound that does not depend on the test files: 16 GiB or 2 % of the disk below
/// partitions and loop devices. If no disk is known, 2 % of the file system applies. For memory, which does not wear
/// out, the bound is 16 GiB.
#[must_use]
pub fn device_bound(storage: &StorageFacts) -> Bytes {
    if storage.memory.is_some() {
        return MOST;
    }
    let file_system = Some(storage.fs_size).filter(|size| !size.is_zero());
    let size = storage.disk().map(|disk| disk.size).or(file_system);
    size.map_or(MOST, |size| MOST.min(Bytes(size.as_u64() / DEVICE_SHARE)))
}

/// Error for a fill that alone exceeds the write bound.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "filling the target alone writes {fill}, but the run may write only {most}: use a smaller --size, or allow more \
     with --max-written SIZE or --yes"
)]
pub struct FillTooLarge {
    fill: Bytes,
    most: Bytes,
}

impl FillTooLarge {
    /// Checks a fill against the bound of the run, if it has one.
    ///
    /// # Errors
    /// Returns an error if the fill is larger.
    pub(super) fn check(fill: Bytes, bound: Option<Bytes>) -> Result<(), FillTooLarge> {
        bound.filter(|most| fill > *most).map_or(Ok(()), |most| Err(FillTooLarge { fill, most }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::record::DeviceFacts;

    fn on_disks(sizes: &[Bytes]) -> StorageFacts {
        let device =
            |(depth, size): (usize, &Bytes)| DeviceFacts { depth: depth as u32, size: *size, ..DeviceFacts::default() };
        StorageFacts { devices: sizes.iter().enumerate().map(device).collect(), ..StorageFacts::default() }
    }

    #[test]
    fn the_smallest_of_three_bounds_what_is_written() {
        let gib = Bytes::from_gib;
        let bound = |file, disk| default_bound(gib(file), [&on_disks(&[disk])]);
        assert_eq!(bound(1, gib(4000)), gib(4), "four times the test file");
        assert_eq!(bound(100, gib(4000)), gib(16));
        assert_eq!(bound(2, gib(250)), gib(5), "2 % of the disk");
        assert_eq!(
            default_bound(gib(2), [&on_disks(&[gib(1), gib(300)])]),
            gib(6),
            "a loop device on a disk of 300 GiB"
        );
        assert_eq!(default_bound(gib(9), [&on_disks(&[gib(100)]), &on_disks(&[gib(50)])]), gib(1), "two targets");
    }

    #[test]
    fn a_file_system_without_a_known_disk_is_bounded_by_its_size() {
        let remote = StorageFacts { fs_size: Bytes::from_gib(100), ..StorageFacts::default() };
        assert_eq!(default_bound(Bytes::from_gib(1), [&remote]), Bytes::from_gib(2));
        let memory = StorageFacts { memory: Some("in memory".into()), ..remote };
        assert_eq!(default_bound(Bytes::from_gib(1), [&memory]), Bytes::from_gib(4));
        assert_eq!(default_bound(Bytes::from_gib(9), [&StorageFacts::default()]), Bytes::from_gib(16));
    }
}
