//! Kernel counters at the start and the end of a step, for comparison with the workers' requests
//! (docs/design/storage.md, "The accounting ratio"), and CPU shares during the step (docs/design/statistics.md, "The
//! load generator").
//!
//! Three layers are counted separately: `/proc/self/io` counts this process, the control group's counters count its
//! members, and the device's counters count all processes. The device counters alone say nothing about our own I/O:
//! during a job of 32,768 reads, readahead and other processes caused up to 34,000 further reads. The difference
//! between the device's and our own counts is the foreign load (docs/design/storage.md, "Foreign load").

mod cpu;
mod group;
mod kernel;

pub(crate) use cpu::CpuTicks;
pub(crate) use group::{GroupIo, GroupReading};

use crate::Roots;
use crate::cgroup::{GroupError, Member, groups};
use crate::mounts::kernel_mounts;
use crate::roots::{text, value};
use kernel::{KernelThread, kernel_threads};
use model::record::{Accounting, DeviceFacts};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Shares of the machine's CPU time between two snapshots, 0..=1, for [`model::record::StepEnd`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CpuShare {
    /// Idle share, including time waiting for I/O, because a waiting CPU could have worked.
    pub idle: Option<f64>,
    /// Share that the hypervisor gave to other virtual machines.
    pub steal: Option<f64>,
    /// Share used outside this process: by other processes and kernel threads.
    pub others: Option<f64>,
    /// Part of `others` used by interrupts and the kernel's threads; `None` if those threads are hidden.
    pub kernel: Option<f64>,
    /// Share of CPU time that other processes used on the CPUs on which the load ran.
    pub others_near: Option<f64>,
    /// Number of times that our control group or an ancestor was stopped for exceeding its quota.
    pub throttled: u64,
}

/// CPU use of a load's threads, by CPU.
#[derive(Debug, Clone, Copy)]
pub struct Placed<'a> {
    /// Number of observations of a thread on each CPU, by CPU number.
    pub seen: &'a BTreeMap<u32, u32>,
    /// CPU time of all threads, in nanoseconds.
    pub used: u64,
}

/// Operations and bytes, separately for reads and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Io {
    /// Number of read operations.
    pub read_ops: u64,
    /// Number of write operations.
    pub write_ops: u64,
    /// Number of bytes read.
    pub read: u64,
    /// Number of bytes written.
    pub write: u64,
}

impl Io {
    pub(crate) fn since(self, earlier: Io) -> Io {
        Io {
            read_ops: self.read_ops.saturating_sub(earlier.read_ops),
            write_ops: self.write_ops.saturating_sub(earlier.write_ops),
            read: self.read.saturating_sub(earlier.read),
            write: self.write.saturating_sub(earlier.write),
        }
    }

    pub(crate) fn add(&mut self, other: Io) {
        self.read_ops = self.read_ops.saturating_add(other.read_ops);
        self.write_ops = self.write_ops.saturating_add(other.write_ops);
        self.read = self.read.saturating_add(other.read);
        self.write = self.write.saturating_add(other.write);
    }
}

/// Returns the devices that the target's I/O enters, which are the devices on top of the stack. A partition is replaced
/// by its disk, which has the counters and caps. Devices further down the stack would count the same I/O again.
pub(crate) fn whole_disks(devices: &[DeviceFacts]) -> Vec<(u32, u32)> {
    let mut disks = Vec::new();
    for device in devices.iter().filter(|d| d.depth == 0) {
        let disk = partition_disk(devices, device);
        if disk.dev != (0, 0) && !disks.contains(&disk.dev) {
            disks.push(disk.dev);
        }
    }
    disks
}

/// Returns the disk of a partition if the disk is among `devices`, otherwise the device itself.
pub(crate) fn partition_disk<'a>(devices: &'a [DeviceFacts], device: &'a DeviceFacts) -> &'a DeviceFacts {
    devices.iter().find(|disk| is_partition_of(device, disk)).unwrap_or(device)
}

/// Returns `true` if `device` is a partition of `disk`. The name of a partition is the name of its disk and a number,
/// with a `p` in between if the disk's name ends in a digit: `sda1`, `nvme0n1p1`.
fn is_partition_of(device: &DeviceFacts, disk: &DeviceFacts) -> bool {
    let Some(rest) = device.name.strip_prefix(&disk.name).filter(|_| device.kind == "partition") else {
        return false;
    };
    let number = if disk.name.ends_with(|c: char| c.is_ascii_digit()) { rest.strip_prefix('p') } else { Some(rest) };
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|c| c.is_ascii_digit()))
}

/// Parses `/sys/dev/block/M:m/stat`: reads, merged, sectors, ms, writes, merged, sectors, ms, ... (block/stat.rst).
pub(crate) fn device_counts(stat: &str) -> Option<Io> {
    let words: Vec<u64> = stat.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    let at = |i: usize| words.get(i).copied();
    let bytes = |i: usize| at(i).map(|sectors| sectors.saturating_mul(512));
    Some(Io { read_ops: at(0)?, read: bytes(2)?, write_ops: at(4)?, write: bytes(6)? })
}

/// Parses `/proc/self/io`: bytes that this process, including all threads and children it has waited for, sent to the
/// block layer.
fn process_bytes(io: &str) -> (Option<u64>, Option<u64>) {
    (value(io, "read_bytes:"), value(io, "write_bytes:"))
}

/// Paths of the files that contain the counters. The paths are determined once, and the files are read at the start and
/// the end of each step. A reading takes some tens of microseconds.
#[derive(Debug, Clone)]
pub struct KernelCounters {
    proc: PathBuf,
    throttle: Vec<PathBuf>,
    group: Result<GroupIo, GroupError>,
    devices: Vec<PathBuf>,
}

impl KernelCounters {
    /// Finds the counters of this process, its control group and the devices that the target's I/O enters. These are
    /// the devices at the top of `devices`, the stack that [`crate::facts::storage`] returns.
    #[must_use]
    pub fn open(roots: &Roots, devices: &[DeviceFacts]) -> KernelCounters {
        let mut throttle = Vec::new();
        for group in groups(roots, &kernel_mounts(roots), "cpu", Member::Own) {
            throttle.extend(group.chain.iter().map(|dir| dir.join("cpu.stat")).filter(|f| f.exists()));
        }
        let stat = |dev: (u32, u32)| roots.sysfs_block(dev).join("stat");
        KernelCounters {
            proc: roots.proc.clone(),
            throttle,
            group: GroupIo::open(roots, devices, Member::Own),
            devices: whole_disks(devices).into_iter().map(stat).collect(),
        }
    }

    /// Reads all counters.
    #[must_use]
    pub fn snapshot(&self) -> CounterSnapshot {
        let (process_read, process_write) = process_bytes(&text(&self.proc.join("self/io")).unwrap_or_default());
        let stat = text(&self.proc.join("stat")).unwrap_or_default();
        CounterSnapshot {
            process_read,
            process_write,
            group: self.group.as_ref().map(GroupIo::read).unwrap_or_default(),
            device: self.device(),
            cpu: CpuTicks::parse(&stat),
            each_cpu: CpuTicks::parse_each(&stat),
            kernel: kernel_threads(&self.proc),
            own_cpu: own_cpu(),
            throttled: self
                .throttle
                .iter()
                .map(|f| nr_throttled(&text(f).unwrap_or_default()))
                .fold(0, u64::saturating_add),
        }
    }

    fn device(&self) -> Option<Io> {
        let mut sum: Option<Io> = None;
        for path in &self.devices {
            sum.get_or_insert_default().add(device_counts(&text(path)?)?);
        }
        sum
    }
}

/// Returns the CPU time of this process, in nanoseconds.
fn own_cpu() -> u64 {
    let time = sys::process::process_cpu_time();
    time.user_ns.saturating_add(time.system_ns)
}

fn nr_throttled(stat: &str) -> u64 {
    value(stat, "nr_throttled ").unwrap_or(0)
}

/// Counters at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CounterSnapshot {
    process_read: Option<u64>,
    process_write: Option<u64>,
    group: GroupReading,
    device: Option<Io>,
    cpu: Option<CpuTicks>,
    each_cpu: Vec<(u32, CpuTicks)>,
    /// Kernel threads, by thread ID.
    kernel: BTreeMap<u32, KernelThread>,
    /// CPU time of this process, in nanoseconds.
    own_cpu: u64,
    throttled: u64,
}

impl CounterSnapshot {
    /// Returns the counts since `earlier`, together with the I/O that the workers requested from the kernel meanwhile,
    /// including ramp and drain.
    #[must_use]
    pub fn since(&self, earlier: &CounterSnapshot, asked: Io) -> Accounting {
        let grown = |now: Option<u64>, then: Option<u64>| now.zip(then).map(|(now, then)| now.saturating_sub(then));
        let group = self.group.since(earlier.group);
        let device = self.device.zip(earlier.device).map(|(now, then)| now.since(then));
        Accounting {
            asked_read: asked.read,
            asked_write: asked.write,
            asked_read_ops: asked.read_ops,
            asked_write_ops: asked.write_ops,
            process_read: grown(self.process_read, earlier.process_read),
            process_write: grown(self.process_write, earlier.process_write),
            cgroup_read_ops: group.map(|io| io.read_ops),
            cgroup_write_ops: group.map(|io| io.write_ops),
            cgroup_read: group.map(|io| io.read),
            cgroup_write: group.map(|io| io.write),
            device_read: device.map(|io| io.read),
            device_write: device.map(|io| io.write),
            device_ops: device.map(|io| io.read_ops.saturating_add(io.write_ops)),
        }
    }

    /// Returns the CPU shares since `earlier`, during a load. All values are `None` if no clock tick has passed since.
    #[must_use]
    pub fn cpu_since(&self, earlier: &CounterSnapshot, load: Placed) -> CpuShare {
        let spent = self.cpu.zip(earlier.cpu).map(|(now, then)| now.since(then)).filter(|t| t.total() > 0);
        let share = |part: fn(CpuTicks) -> u64| spent.map(|t| part(t) as f64 / t.total() as f64);
        let own_ticks = self.own_cpu.saturating_sub(earlier.own_cpu) as f64 / CpuTicks::LENGTH as f64;
        CpuShare {
            idle: share(|t| t.idle.saturating_add(t.iowait)),
            steal: share(|t| t.steal),
            others: spent.map(|t| ((t.user.saturating_add(t.system) as f64 - own_ticks) / t.total() as f64).max(0.0)),
            kernel: spent.zip(self.kernel_since(earlier)).map(|(t, by_cpu)| {
                let threads: u64 = by_cpu.values().sum();
                let busy = t.user.saturating_add(t.system) as f64 - own_ticks;
                (t.interrupts.saturating_add(threads) as f64).min(busy.max(0.0)) / t.total() as f64
            }),
            others_near: self.others_near(earlier, own_ticks, load),
            throttled: self.throttled.saturating_sub(earlier.throttled),
        }
    }

    /// Returns the ticks used by kernel threads since `earlier`, by CPU; `None` if the threads are hidden.
    fn kernel_since(&self, earlier: &CounterSnapshot) -> Option<BTreeMap<u32, u64>> {
        let mut by_cpu: BTreeMap<u32, u64> = BTreeMap::new();
        for (number, now) in &self.kernel {
            let then = earlier.kernel.get(number).map_or(0, |then| then.ticks);
            *by_cpu.entry(now.cpu).or_default() += now.ticks.saturating_sub(then);
        }
        (!self.kernel.is_empty() && !earlier.kernel.is_empty()).then_some(by_cpu)
    }

    /// Returns the share of CPU time that other processes used on the CPUs on which a load's threads ran. This time is
    /// each CPU's busy time minus interrupts, kernel threads and the load's own time. It is limited to the time that
    /// other processes used on the whole machine. `own_ticks` is the CPU time of this process in ticks.
    fn others_near(&self, earlier: &CounterSnapshot, own_ticks: f64, load: Placed) -> Option<f64> {
        let looks: u32 = load.seen.values().sum();
        let spent = self.cpu?.since(earlier.cpu?);
        let kernel = self.kernel_since(earlier).unwrap_or_default();
        let busy = |t: CpuTicks| t.user.saturating_add(t.system).saturating_sub(t.interrupts) as f64;
        let elsewhere = (busy(spent) - own_ticks - kernel.values().sum::<u64>() as f64).max(0.0);
        let used = load.used as f64 / CpuTicks::LENGTH as f64;
        let near = |(cpu, seen): (&u32, &u32)| {
            let at = |snapshot: &CounterSnapshot| Some(snapshot.each_cpu.iter().find(|(n, _)| n == cpu)?.1);
            let spent = at(self)?.since(at(earlier)?);
            let weight = f64::from(*seen) / f64::from(looks);
            let others = busy(spent) - kernel.get(cpu).copied().unwrap_or(0) as f64 - used * weight;
            Some(weight * others.clamp(0.0, elsewhere) / spent.total().max(1) as f64)
        };
        load.seen.iter().map(near).sum::<Option<f64>>().filter(|_| looks > 0).map(|share| share.min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn devices(list: &[(&str, (u32, u32), u32)]) -> Vec<DeviceFacts> {
        let kind = |name: &str| if name.starts_with("dm") || name.len() == 3 { "disk" } else { "partition" };
        let device = |(name, dev, depth): &(&str, (u32, u32), u32)| DeviceFacts {
            name: (*name).into(),
            dev: *dev,
            kind: kind(name).into(),
            depth: *depth,
            ..DeviceFacts::default()
        };
        list.iter().map(device).collect()
    }

    #[test]
    fn io_enters_at_the_top_of_the_stack_and_a_partition_counts_as_its_disk() {
        let disks = |list: &[(&str, (u32, u32), u32)]| whole_disks(&devices(list));
        assert_eq!(disks(&[("dm-0", (253, 0), 0), ("sda2", (8, 2), 1), ("sda", (8, 0), 2)]), [(253, 0)]);
        assert_eq!(disks(&[("sda2", (8, 2), 0), ("sda", (8, 0), 1)]), [(8, 0)]);
        assert_eq!(disks(&[("sda2", (8, 2), 0)]), [(8, 2)], "its disk is hidden from us");
        let btrfs = [
            ("sda1", (8, 1), 0),
            ("sda", (8, 0), 1),
            ("sda2", (8, 2), 0),
            ("sdb1", (8, 17), 0),
            ("sdb", (8, 16), 1),
            ("sdc", (8, 32), 0),
        ];
        assert_eq!(disks(&btrfs), [(8, 0), (8, 16), (8, 32)], "two partitions of one disk count once");
    }

    #[test]
    fn partitions_are_told_from_disks_of_similar_names() {
        let part = |device: &str, disk: &str| {
            let named =
                |name: &str, kind: &str| DeviceFacts { name: name.into(), kind: kind.into(), ..DeviceFacts::default() };
            is_partition_of(&named(device, "partition"), &named(disk, "scsi"))
        };
        assert!(part("sda1", "sda") && part("nvme0n1p12", "nvme0n1") && part("mmcblk0p1", "mmcblk0"));
        assert!(
            !part("sdaa1", "sda") && !part("nvme0n10p1", "nvme0n1") && !part("sda", "sda") && !part("loop11", "loop1")
        );
    }

    #[test]
    fn differences_are_laid_beside_what_was_asked() {
        let at = |n: u64| CounterSnapshot {
            process_read: Some(n),
            process_write: None,
            group: GroupReading(Some(Io { read_ops: n, write_ops: 0, read: 10 * n, write: 0 })),
            device: Some(Io { read_ops: 2 * n, write_ops: n, read: 20 * n, write: 5 * n }),
            cpu: Some(CpuTicks { user: n, system: n, idle: n, iowait: n, ..CpuTicks::default() }),
            each_cpu: Vec::new(),
            kernel: BTreeMap::new(),
            own_cpu: n * CpuTicks::LENGTH / 2,
            throttled: n,
        };
        let asked = Io { read: 70, write: 0, read_ops: 7, write_ops: 0 };
        let accounting = at(10).since(&at(3), asked);
        assert_eq!(accounting.asked_read, 70);
        assert_eq!(accounting.process_read, Some(7));
        assert_eq!(accounting.process_write, None);
        assert_eq!(accounting.cgroup_read, Some(70));
        assert_eq!(accounting.device_ops, Some(21));
        let nowhere = Placed { seen: &BTreeMap::new(), used: 0 };
        let share = at(10).cpu_since(&at(3), nowhere);
        assert_eq!((share.idle, share.steal, share.throttled), (Some(0.5), Some(0.0), 7));
        assert_eq!(share.others, Some(0.375), "half a tick of each four is ours");
        assert_eq!((share.kernel, share.others_near), (None, None), "hidden, and no thread was seen");
        assert_eq!(at(3).cpu_since(&at(3), nowhere).idle, None);
    }

    #[test]
    fn others_count_on_the_cpus_of_the_load_and_the_kernels_threads_do_not() {
        // One second on two CPUs. On CPU 0, the load uses 0.3 s, kblockd 0.1 s and interrupts 0.05 s. CPU 1 is busy for
        // `loops` s.
        let share = |loops: u64, seen: &[(u32, u32)]| {
            let at = |elapsed: u64| {
                let first = CpuTicks { user: 20, system: 25, idle: 55, interrupts: 5, ..CpuTicks::default() };
                let second = CpuTicks { user: loops, idle: 100 - loops, ..CpuTicks::default() };
                let times = |t: CpuTicks| CpuTicks {
                    user: t.user * elapsed,
                    system: t.system * elapsed,
                    idle: t.idle * elapsed,
                    interrupts: t.interrupts * elapsed,
                    ..CpuTicks::default()
                };
                let whole = CpuTicks { user: 20 + loops, idle: 155 - loops, ..first };
                CounterSnapshot {
                    cpu: Some(times(whole)),
                    each_cpu: vec![(0, times(first)), (1, times(second))],
                    kernel: [(9, KernelThread { ticks: 10 * elapsed, cpu: 0 })].into(),
                    own_cpu: 30 * CpuTicks::LENGTH * elapsed,
                    ..CounterSnapshot::default()
                }
            };
            let seen = seen.iter().copied().collect();
            at(2).cpu_since(&at(1), Placed { seen: &seen, used: 30 * CpuTicks::LENGTH })
        };
        let near = |loops, seen: &[(u32, u32)]| share(loops, seen).others_near.expect("it was seen");
        assert_eq!(share(0, &[(0, 10)]).kernel, Some(0.075));
        assert!(near(0, &[(0, 10)]).abs() < 1e-9, "its own and the kernel's");
        assert!(near(100, &[(0, 10)]).abs() < 1e-9, "a busy loop on the other CPU costs nothing");
        assert!((near(100, &[(0, 9), (1, 1)]) - 0.124).abs() < 0.001);
        assert!((share(100, &[]).others.expect("counted") - 0.575).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn neither_text_nor_numbers_make_the_readers_panic(
            text in "(read_bytes:|nr_throttled |[0-9 ]*|\\PC)*",
            n in proptest::collection::vec(any::<u64>(), 4..18),
        ) {
            let _ = (process_bytes(&text), nr_throttled(&text), device_counts(&text));
            let line = n.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
            let _ = device_counts(&line);
        }
    }
}
