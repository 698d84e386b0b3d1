//! Counters of a disk (`IOCTL_DISK_PERFORMANCE`), the source of perfmon's `PhysicalDisk`.

use crate::windows::nt;
use crate::windows::number::open_disk;
use std::io;
use windows_sys::Win32::System::Ioctl::{DISK_PERFORMANCE, IOCTL_DISK_PERFORMANCE};

nt::plain!(DISK_PERFORMANCE);

/// Number of disks that are tried.
const MOST: u32 = 64;

/// Counters of a disk since the system started to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DiskCounters {
    /// Completed reads.
    pub reads: u64,
    /// Completed writes.
    pub writes: u64,
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
    /// Total time of all reads, in nanoseconds.
    pub read_ns: u64,
    /// Total time of all writes, in nanoseconds.
    pub write_ns: u64,
    /// Time without any request, in nanoseconds.
    pub idle_ns: u64,
    /// Requests in flight now.
    pub in_flight: u32,
    /// Requests that resulted from splitting larger ones.
    pub split: u32,
    /// Time of the query, in nanoseconds since 1601.
    pub at_ns: u64,
}

/// Returns the counters of a disk by its number, 0 for `\\.\PhysicalDrive0`. The system starts to count at the first
/// query.
///
/// # Errors
/// Errors of `IOCTL_DISK_PERFORMANCE`: `ERROR_FILE_NOT_FOUND` if there is no disk of this number.
pub fn disk_counters(disk: u32) -> io::Result<DiskCounters> {
    let counters: DISK_PERFORMANCE = nt::ask(&open_disk(disk)?, IOCTL_DISK_PERFORMANCE)?;
    let ns = |hundreds: i64| hundreds.max(0) as u64 * 100;
    Ok(DiskCounters {
        reads: u64::from(counters.ReadCount),
        writes: u64::from(counters.WriteCount),
        read: counters.BytesRead.max(0) as u64,
        written: counters.BytesWritten.max(0) as u64,
        read_ns: ns(counters.ReadTime),
        write_ns: ns(counters.WriteTime),
        idle_ns: ns(counters.IdleTime),
        in_flight: counters.QueueDepth,
        split: counters.SplitCount,
        at_ns: ns(counters.QueryTime),
    })
}

/// Returns the numbers of the disks of this machine, from 0.
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
