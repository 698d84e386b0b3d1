//! What a disk counts (`IOCTL_DISK_PERFORMANCE`): the figures behind perfmon's `PhysicalDisk`.

use crate::windows::devices::number::open_disk;
use crate::windows::nt;
use std::io;
use windows_sys::Win32::System::Ioctl::{DISK_PERFORMANCE, IOCTL_DISK_PERFORMANCE};

nt::plain!(DISK_PERFORMANCE);

/// Disks that are looked for.
const MOST: u32 = 64;

/// Counts of a disk since the system began to count for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DiskCounters {
    /// Reads that ended.
    pub reads: u64,
    /// Writes that ended.
    pub writes: u64,
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
    /// Nanoseconds that all reads took together.
    pub read_ns: u64,
    /// Nanoseconds that all writes took together.
    pub write_ns: u64,
    /// Nanoseconds in which nothing was asked of it.
    pub idle_ns: u64,
    /// In flight now.
    pub in_flight: u32,
    /// Requests that came of one that was too large.
    pub split: u32,
    /// When it was asked, nanoseconds since 1601.
    pub at_ns: u64,
}

/// Counts of a disk by its number, 0 for `\\.\PhysicalDrive0`. The system begins to count when it is first asked.
///
/// # Errors
/// As `IOCTL_DISK_PERFORMANCE`: `ERROR_FILE_NOT_FOUND` where there is none of this number.
pub fn disk_counters(disk: u32) -> io::Result<DiskCounters> {
    let told: DISK_PERFORMANCE = nt::ask(&open_disk(disk)?, IOCTL_DISK_PERFORMANCE)?;
    let ns = |hundreds: i64| hundreds.max(0) as u64 * 100;
    Ok(DiskCounters {
        reads: u64::from(told.ReadCount),
        writes: u64::from(told.WriteCount),
        read: told.BytesRead.max(0) as u64,
        written: told.BytesWritten.max(0) as u64,
        read_ns: ns(told.ReadTime),
        write_ns: ns(told.WriteTime),
        idle_ns: ns(told.IdleTime),
        in_flight: told.QueueDepth,
        split: told.SplitCount,
        at_ns: ns(told.QueryTime),
    })
}

/// Numbers of the disks of this machine, from 0.
#[must_use]
pub fn disks() -> Vec<u32> {
    (0..MOST).filter(|disk| open_disk(*disk).is_ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_never_go_back_where_there_are_any() {
        let Some(disk) = disks().first().copied() else {
            testkit::skip!("no physical drive can be opened here (wine)")
        };
        let Ok(before) = disk_counters(disk) else { testkit::skip!("this drive has no counters here (wine)") };
        let after = disk_counters(disk).unwrap();
        assert!(after.reads >= before.reads && after.read >= before.read && after.idle_ns >= before.idle_ns);
    }

    #[test]
    fn a_disk_that_is_not_there_is_an_error() {
        assert!(disk_counters(9999).is_err());
    }
}
