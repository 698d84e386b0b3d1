//! `device.NAME.*` for every sampled device: the block layer's work for all processes together.
//!
//! - `read_ops`, `write_ops`, `discard_ops`, `flush_ops` (ops/s), `read`, `write`, `discard` (B/s): completed per
//!   second.
//! - `read_merged`, `write_merged` (ops/s): requests merged into others before being sent to the device.
//! - `read_size`, `write_size` (bytes): mean size of a request, after merging and splitting.
//! - `read_await`, `write_await`, `discard_await`, `flush_await` (ms): mean time from queueing to completion, like
//!   iostat's `r_await`.
//! - `in_flight` (ops): requests in flight at the moment of sampling.
//! - `queue` (ops): mean number of requests in flight over the interval, like iostat's `aqu-sz`.
//! - `busy` (percent): share of time with at least one request in flight. This is not the utilisation of the device's
//!   capacity: a device that serves many requests simultaneously reaches 100 long before its limit.
//!
//! Discards and flushes are included if the kernel counts them (since Linux 4.18 and 5.5, respectively) and if any
//! occurred.
//!
//! All devices are read at the same moment (`/proc/diskstats`), so that their figures may be added up.

use super::grown::grown;
use super::{MoreDisks, Out, Sampler, SamplerEntry};
use crate::Roots;
use messages::sentence;
use model::measured::{Layer, Sample};
use model::{Nanos, Sentence};

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(target_os = "macos", path = "../elsewhere/disk.rs")]
mod platform;

use platform::{every, is_whole};

pub(super) const ENTRY: SamplerEntry = SamplerEntry { name: "disk", open: platform::open };

/// Counters of one device since boot, and the number of requests currently in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Reading {
    reads: u64,
    read_merges: u64,
    read_bytes: u64,
    read_ms: u64,
    writes: u64,
    write_merges: u64,
    write_bytes: u64,
    write_ms: u64,
    in_flight: u64,
    busy_ms: u64,
    queue_ms: u64,
    /// Number of discards, their bytes, and their total time in milliseconds.
    discards: Option<(u64, u64, u64)>,
    /// Number of flushes, and their total time in milliseconds.
    flushes: Option<(u64, u64)>,
}

impl Reading {
    /// Returns `true` if the device has never done I/O.
    fn is_idle(&self) -> bool {
        self.reads == 0 && self.writes == 0 && self.discards.is_none_or(|d| d.0 == 0)
    }
}

/// One device in a reading of all devices.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    dev: (u32, u32),
    name: String,
    reading: Reading,
}

impl Row {
    /// Returns `true` if this is a whole disk that has done I/O and is included in `more`.
    fn is_one_of(&self, more: MoreDisks) -> bool {
        more.takes(&self.name) && is_whole(&self.name) && !self.reading.is_idle()
    }
}

/// Device with kernel counters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownDevice {
    /// Name of the device in the kernel.
    pub name: String,
    /// Major and minor number of the device.
    pub dev: (u32, u32),
    /// True for a whole disk, false for a partition.
    pub whole: bool,
    /// True if the device has done no I/O since boot.
    pub idle: bool,
}

/// Returns all devices with kernel counters, in the kernel's order.
#[must_use]
pub fn known_devices(roots: &Roots) -> Vec<KnownDevice> {
    let known = |row: Row| KnownDevice {
        whole: is_whole(&row.name),
        idle: row.reading.is_idle(),
        name: row.name,
        dev: row.dev,
    };
    every(roots).into_iter().map(known).collect()
}

/// A device with its last reading.
#[derive(Debug)]
struct Device {
    dev: (u32, u32),
    name: String,
    /// Last reading; `None` while the device is absent.
    last: Option<Reading>,
    /// True if the absence of the device has been reported.
    away: bool,
}

/// Disk sampler for any source of readings.
struct Disk<R> {
    source: R,
    devices: Vec<Device>,
    /// Disks to add when they appear.
    more: MoreDisks,
    remarks: Vec<Sentence>,
}

impl<R: FnMut() -> Vec<Row> + Send> Sampler for Disk<R> {
    fn sample(&mut self, elapsed: Nanos, out: &mut Vec<Sample>) {
        let rows = (self.source)();
        let mut out = Out::new(Layer::Device, elapsed, out);
        for device in &mut self.devices {
            let Some(row) = rows.iter().find(|r| r.dev == device.dev && r.name == device.name) else {
                device.last = None;
                if !std::mem::replace(&mut device.away, true) {
                    self.remarks.push(sentence!("note-device-away", device = &device.name));
                }
                continue;
            };
            if std::mem::take(&mut device.away) {
                self.remarks.push(sentence!("note-device-back", device = &device.name));
            }
            if let Some(then) = device.last.replace(row.reading)
                && !write(&mut out, &device.name, then, row.reading)
            {
                self.remarks.push(sentence!("note-device-anew", device = &device.name));
            }
        }
        for row in rows.into_iter().filter(|r| r.is_one_of(self.more)) {
            if self.devices.iter().any(|d| d.dev == row.dev && d.name == row.name) {
                continue;
            }
            // The disk was absent or idle at the last sample, so all its counts are new.
            write(&mut out, &row.name, Reading::default(), row.reading);
            self.remarks.push(sentence!("note-device-begins", device = &row.name));
            self.devices.push(Device { dev: row.dev, name: row.name, last: Some(row.reading), away: false });
        }
    }

    fn remarks(&mut self) -> Vec<Sentence> {
        std::mem::take(&mut self.remarks)
    }

    fn forget(&mut self) {
        let rows = (self.source)();
        for device in &mut self.devices {
            device.last = rows.iter().find(|r| r.dev == device.dev && r.name == device.name).map(|r| r.reading);
        }
    }
}

/// Adds the figures between two readings. Returns `false`, and adds nothing, if the counters decreased.
fn write(out: &mut Out<'_>, name: &str, then: Reading, now: Reading) -> bool {
    let counters = |r: &Reading| {
        let (discards, flushes) = (r.discards.unwrap_or_default(), r.flushes.unwrap_or_default());
        [
            r.reads,
            r.read_merges,
            r.read_bytes,
            r.read_ms,
            r.writes,
            r.write_merges,
            r.write_bytes,
            r.write_ms,
            r.busy_ms,
            r.queue_ms,
            discards.0,
            discards.1,
            discards.2,
            flushes.0,
            flushes.1,
        ]
    };
    let mut by = [0; 15];
    for (by, (then, now)) in by.iter_mut().zip(counters(&then).into_iter().zip(counters(&now))) {
        let Some(grown) = grown(then, now) else { return false };
        *by = grown;
    }
    let [reads, read_merges, read, read_ms, writes, write_merges, write, write_ms, busy, queue, rest @ ..] = by;
    let [discards, discard, discard_ms, flushes, flush_ms] = rest;
    let name = |what: &str| format!("device.{name}.{what}");
    for (what, ops, merges, bytes, ms) in
        [("read", reads, read_merges, read, read_ms), ("write", writes, write_merges, write, write_ms)]
    {
        out.rate(name(&format!("{what}_ops")), "ops/s", ops);
        out.rate(name(what), "B/s", bytes);
        out.rate(name(&format!("{what}_merged")), "ops/s", merges);
        out.mean(name(&format!("{what}_size")), "bytes", bytes as f64, ops);
        out.mean(name(&format!("{what}_await")), "ms", ms as f64, ops);
    }
    if now.discards.is_some_and(|d| d.0 > 0) {
        out.rate(name("discard_ops"), "ops/s", discards);
        out.rate(name("discard"), "B/s", discard);
        out.mean(name("discard_await"), "ms", discard_ms as f64, discards);
    }
    if now.flushes.is_some_and(|f| f.0 > 0) {
        out.rate(name("flush_ops"), "ops/s", flushes);
        out.mean(name("flush_await"), "ms", flush_ms as f64, flushes);
    }
    out.gauge(name("in_flight"), "ops", now.in_flight as f64);
    let milliseconds = out.seconds * 1e3;
    out.gauge(name("queue"), "ops", queue as f64 / milliseconds);
    // The kernel's clock for busy time is coarse, so the value may exceed the time that we measured.
    out.gauge(name("busy"), "percent", (100.0 * busy as f64 / milliseconds).min(100.0));
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, reading: Reading) -> Row {
        Row { dev: (254, 0), name: name.into(), reading }
    }

    fn over(mut looks: Vec<Vec<Row>>, last: Reading, more: MoreDisks) -> Disk<impl FnMut() -> Vec<Row>> {
        looks.reverse();
        let device = Device { dev: (254, 0), name: "vda".into(), last: Some(last), away: false };
        Disk { source: move || looks.pop().unwrap_or_default(), devices: vec![device], more, remarks: Vec::new() }
    }

    fn value(samples: &[Sample], name: &str) -> Option<f64> {
        samples.iter().find(|s| s.name == name).map(|s| s.value)
    }

    #[test]
    fn rates_and_means_are_of_the_elapsed_time_only() {
        let busy = Reading {
            reads: 1500,
            read_merges: 10,
            read_bytes: 1500 * 8192,
            read_ms: 3000,
            in_flight: 3,
            busy_ms: 500,
            queue_ms: 3000,
            flushes: Some((8, 40)),
            ..Reading::default()
        };
        let last = Reading { reads: 500, flushes: Some((4, 20)), ..busy };
        let mut disk = over(vec![vec![row("vda", busy)]], last, MoreDisks::None);
        let mut samples = Vec::new();
        disk.sample(Nanos::from_millis(500), &mut samples);
        let figure = |what: &str| value(&samples, &format!("device.vda.{what}"));
        assert_eq!(figure("read_ops"), Some(2000.0));
        assert_eq!(figure("read_await"), Some(0.0), "no time passed in them between the readings");
        assert_eq!((figure("flush_ops"), figure("flush_await")), (Some(8.0), Some(5.0)));
        assert_eq!((figure("write_size"), figure("discard_ops")), (None, None));
        assert_eq!((figure("in_flight"), figure("busy")), (Some(3.0), Some(0.0)));
    }

    #[test]
    fn a_device_that_goes_and_comes_back_has_no_figures_between() {
        let at = |reads| Reading { reads, ..Reading::default() };
        let looks = vec![vec![], vec![], vec![row("vda", at(7))], vec![row("vda", at(9))], vec![row("vda", at(2))]];
        let mut disk = over(looks, at(5), MoreDisks::None);
        let mut remarks = Vec::new();
        let mut seen = Vec::new();
        for _ in 0..5 {
            let mut samples = Vec::new();
            disk.sample(Nanos::from_secs(1), &mut samples);
            seen.push(value(&samples, "device.vda.read_ops"));
            remarks.extend(disk.remarks());
        }
        assert_eq!(seen, [None, None, None, Some(2.0), None]);
        assert_eq!(remarks.len(), 3, "{remarks:?}");
        assert!(remarks[2].contains("were reset"));
    }

    #[test]
    fn a_disk_that_comes_while_all_are_watched_is_taken_up_with_all_it_did() {
        let at = |reads| Reading { reads, ..Reading::default() };
        let second = |reads| Row { dev: (254, 16), ..row("vdb", at(reads)) };
        let other = |name: &str| Row { dev: (7, 0), ..row(name, at(9)) };
        let rows = |reads| vec![row("vda", at(5)), second(reads), other("loop0"), other("zram1"), other("sr0")];
        let mut disk = over(vec![rows(0), rows(3)], at(5), MoreDisks::Own);
        let mut samples = Vec::new();
        disk.sample(Nanos::from_secs(1), &mut samples);
        assert_eq!(value(&samples, "device.vdb.read_ops"), None, "idle: nothing to say");
        disk.sample(Nanos::from_secs(1), &mut samples);
        assert_eq!(value(&samples, "device.vdb.read_ops"), Some(3.0));
        assert_eq!(
            disk.remarks(),
            ["device vdb started doing I/O"],
            "a loop device, memory and a drive of discs are not asked for"
        );
        let mut every = over(vec![rows(0)], at(5), MoreDisks::All);
        every.sample(Nanos::from_secs(1), &mut samples);
        assert_eq!(every.remarks(), ["loop0", "zram1", "sr0"].map(|name| format!("device {name} started doing I/O")));
    }
}
