//! Changes in the kernel counters of the devices under a run's targets between two moments, as in fio's disk
//! statistics. The counters include the I/O of all processes, as counted in the block layer after merging.

use crate::Roots;
use crate::roots::text;
use model::{Nanos, measured::DiskUse, record::DeviceFacts};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A device and the devices that it consists of.
#[derive(Debug, Clone)]
struct Disk {
    name: String,
    stat: PathBuf,
    begin: Vec<u64>,
    slaves: Vec<Disk>,
}

/// Counters of the devices on top of the stacks, counted since this value was created.
#[derive(Debug, Clone)]
pub struct DiskCounters {
    disks: Vec<Disk>,
    begin: Instant,
}

impl DiskCounters {
    /// Starts counting. `devices` are the stacks under the targets, each listed from the top. Every device is counted
    /// once.
    #[must_use]
    pub fn begin(roots: &Roots, devices: &[DeviceFacts]) -> Self {
        let open = |device: &DeviceFacts, slaves: Vec<Disk>| {
            let stat = roots.sysfs_block(device.dev).join("stat");
            Disk { name: device.name.clone(), begin: numbers(&stat), stat, slaves }
        };
        let mut disks: Vec<Disk> = Vec::new();
        for (i, device) in devices.iter().enumerate().filter(|(_, d)| d.depth == 0) {
            if disks.iter().any(|d| d.name == device.name) {
                continue;
            }
            // Devices directly below, up to the next top. A partition is not made of its disk.
            let below = devices[i + 1..].iter().take_while(|d| d.depth > 0).filter(|d| d.depth == 1);
            let made_of = ["dm", "md"].contains(&device.kind.as_str());
            let slaves = if made_of { below.map(|d| open(d, Vec::new())).collect() } else { Vec::new() };
            disks.push(open(device, slaves));
        }
        DiskCounters { disks, begin: Instant::now() }
    }

    /// Returns the counts since the last call or, for the first call, since counting started.
    #[must_use]
    pub fn take(&mut self) -> Vec<DiskUse> {
        let length = Nanos(u64::try_from(self.begin.elapsed().as_nanos()).unwrap_or(u64::MAX));
        self.begin = Instant::now();
        self.disks.iter_mut().filter(|d| !d.begin.is_empty()).map(|d| d.take(length)).collect()
    }

    /// Returns the counts since the last call of [`DiskCounters::take`], without starting again from zero.
    #[must_use]
    pub fn so_far(&self) -> Vec<DiskUse> {
        let length = Nanos(u64::try_from(self.begin.elapsed().as_nanos()).unwrap_or(u64::MAX));
        self.disks.iter().filter(|d| !d.begin.is_empty()).map(|d| d.so_far(length)).collect()
    }
}

impl Disk {
    fn take(&mut self, length: Nanos) -> DiskUse {
        let now = numbers(&self.stat);
        let mut usage = self.grown(&now, length);
        usage.slaves = self.slaves.iter_mut().map(|d| d.take(length)).collect();
        self.begin = now;
        usage
    }

    fn so_far(&self, length: Nanos) -> DiskUse {
        let slaves = self.slaves.iter().map(|d| d.so_far(length)).collect();
        DiskUse { slaves, ..self.grown(&numbers(&self.stat), length) }
    }

    fn grown(&self, now: &[u64], length: Nanos) -> DiskUse {
        // Fields (block/stat.rst): reads, merges, sectors, ms; the same for writes; in flight, busy ms, queue ms.
        let at = |i: usize| {
            let then = self.begin.get(i).copied().unwrap_or(0);
            now.get(i).copied().unwrap_or(then).saturating_sub(then)
        };
        let millis = |i: usize| Nanos(at(i).saturating_mul(1_000_000));
        DiskUse {
            name: self.name.clone(),
            ops: [at(0), at(4)],
            merges: [at(1), at(5)],
            sectors: [at(2), at(6)],
            ticks: [millis(3), millis(7)],
            busy: millis(9),
            in_queue: millis(10),
            length,
            // The discards come next, then the flushes.
            flushes: (now.len() > 15).then(|| at(15)),
            slaves: Vec::new(),
        }
    }
}

fn numbers(stat: &Path) -> Vec<u64> {
    let text = text(stat).unwrap_or_default();
    text.split_whitespace().map_while(|word| word.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_since_the_beginning_and_a_mapped_device_tells_its_parts() {
        let dir = tempfile::tempdir().expect("a directory");
        let roots = Roots { sys: dir.path().to_owned(), ..Roots::host() };
        let put = |dev: &str, line: &str| {
            let path = dir.path().join(format!("dev/block/{dev}"));
            std::fs::create_dir_all(&path).expect("made");
            std::fs::write(path.join("stat"), line).expect("written");
        };
        let device = |name: &str, kind: &str, dev, depth| DeviceFacts {
            name: name.into(),
            kind: kind.into(),
            dev,
            depth,
            ..DeviceFacts::default()
        };
        put("253:0", "10 0 80 5 20 0 160 7 0 9 12");
        put("8:0", "1 2 3 4 5 6 7 8 0 10 11");
        let disks = DiskCounters::begin(&roots, &[device("dm-0", "dm", (253, 0), 0), device("sda", "scsi", (8, 0), 1)]);
        put("253:0", "110 1 880 55 20 0 160 7 0 59 72");
        put("8:0", "101 2 803 44 5 6 7 8 0 50 51");
        let usage = disks.so_far();
        assert_eq!((usage.len(), usage[0].ops, usage[0].merges, usage[0].sectors), (1, [100, 0], [1, 0], [800, 0]));
        assert_eq!(
            (usage[0].ticks[0], usage[0].busy, usage[0].in_queue),
            (Nanos::from_millis(50), Nanos::from_millis(50), Nanos::from_millis(60))
        );
        assert_eq!(usage[0].slaves[0].ops, [100, 0]);
    }
}
