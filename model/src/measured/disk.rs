//! Kernel counters of a block device over the whole load: fio's "Disk stats".

use crate::Nanos;
use serde::{Deserialize, Serialize};

/// Counters of one device from the start of the first step to the end of the last, including the I/O of all processes.
/// From `/proc/diskstats`; the read and write fields exclude flushes and discards.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiskUse {
    /// Kernel name: `vda`, `dm-0`.
    pub name: String,
    /// Requests completed: reads, writes.
    pub ops: [u64; 2],
    /// Requests merged into others before dispatch: reads, writes.
    pub merges: [u64; 2],
    /// Sectors of 512 bytes transferred: reads, writes.
    pub sectors: [u64; 2],
    /// Total duration of the requests: reads, writes.
    pub ticks: [Nanos; 2],
    /// Integral of requests in flight over time.
    pub in_queue: Nanos,
    /// Time with at least one request in flight.
    pub busy: Nanos,
    /// Time between the two readings.
    pub length: Nanos,
    /// Flushes of the device's cache; `None` if the kernel does not count them (before 5.5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flushes: Option<u64>,
    /// Underlying devices (of dm, md, or partitions of a stack), separately.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slaves: Vec<DiskUse>,
}

impl DiskUse {
    /// Adds the counts of a later period of the same device.
    pub fn merge(&mut self, later: &DiskUse) {
        for i in 0..2 {
            self.ops[i] += later.ops[i];
            self.merges[i] += later.merges[i];
            self.sectors[i] += later.sectors[i];
            self.ticks[i] += later.ticks[i];
        }
        self.in_queue += later.in_queue;
        self.busy += later.busy;
        self.length += later.length;
        self.flushes = self.flushes.zip(later.flushes).map(|(a, b)| a + b);
        for slave in &later.slaves {
            match self.slaves.iter_mut().find(|s| s.name == slave.name) {
                Some(known) => known.merge(slave),
                None => self.slaves.push(slave.clone()),
            }
        }
    }

    /// Returns the share of time with a request in flight, in percent, at most 100. A value near 100 does not imply
    /// saturation.
    #[must_use]
    pub fn util_percent(&self) -> f64 {
        if self.length.is_zero() {
            return 0.0;
        }
        (100.0 * self.busy.as_nanos() as f64 / self.length.as_nanos() as f64).min(100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utilisation_is_a_share_of_the_time_looked_at_and_never_above_all_of_it() {
        let disk = DiskUse { busy: Nanos(500), length: Nanos(1000), ..DiskUse::default() };
        assert_eq!(disk.util_percent(), 50.0);
        assert_eq!(DiskUse { busy: Nanos(1010), ..disk.clone() }.util_percent(), 100.0);
        assert_eq!(DiskUse { length: Nanos(0), ..disk }.util_percent(), 0.0);
    }
}
