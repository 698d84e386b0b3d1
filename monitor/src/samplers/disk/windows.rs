//! Reads the counters of every physical drive, as perfmon's `PhysicalDisk` does. Windows does not merge requests there
//! and does not count flushes and trims.

use super::{Device, Disk, Reading, Row};
use crate::Roots;
use crate::samplers::{MoreDisks, Sampler, Subjects};
use messages::sentence;
use model::Sentence;

pub(super) fn open(roots: &Roots, subjects: &Subjects) -> Result<Box<dyn Sampler>, Sentence> {
    let roots = roots.clone();
    let source = move || every(&roots);
    let rows = source();
    let named = subjects.devices.iter().map(|d| (d.dev, d.name.clone()));
    let more = rows.iter().filter(|row| row.is_one_of(subjects.more)).map(|row| (row.dev, row.name.clone()));
    let mut devices: Vec<Device> = Vec::new();
    for (dev, name) in named.chain(more) {
        let row = rows.iter().find(|row| row.dev == dev && row.name == name);
        if let Some(row) = row.filter(|_| devices.iter().all(|d| d.dev != dev)) {
            devices.push(Device { dev, name, last: Some(row.reading), away: false });
        }
    }
    if devices.is_empty() && subjects.more == MoreDisks::None {
        return Err(sentence!("sampler-no-device"));
    }
    Ok(Box::new(Disk { source, devices, more: subjects.more, remarks: Vec::new() }))
}

/// Returns all drives with counters.
pub(super) fn every(_roots: &Roots) -> Vec<Row> {
    let row = |disk: u32| {
        let counters = sys::devices::disk_counters(disk).ok()?;
        let ms = |ns: u64| ns / 1_000_000;
        let reading = Reading {
            reads: counters.reads,
            read_bytes: counters.read,
            read_ms: ms(counters.read_ns),
            writes: counters.writes,
            write_bytes: counters.written,
            write_ms: ms(counters.write_ns),
            in_flight: counters.in_flight.into(),
            busy_ms: ms(counters.at_ns.saturating_sub(counters.idle_ns)),
            queue_ms: ms(counters.read_ns.saturating_add(counters.write_ns)),
            ..Reading::default()
        };
        let dev = (disk.saturating_add(1), 0);
        Some(Row { dev, name: sys::devices::device_name(dev), reading })
    };
    sys::devices::disks().into_iter().filter_map(row).collect()
}

/// Returns `true`: only whole drives have counters.
pub(super) fn is_whole(_name: &str) -> bool {
    true
}
