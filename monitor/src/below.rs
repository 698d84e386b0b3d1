//! Reads and writes below a database engine, from three sources: a control group, per-process counters and the devices.
//! The sources are read at the start and the end of the measured time; a reading takes a few milliseconds.

use crate::Roots;
use crate::counters::{CpuTicks, GroupReading, Io, device_counts, partition_disk};
use crate::processes::{Account, family};
use crate::roots::text;
use crate::run_group::RunGroup;
use messages::sentence;
use model::measured::{Below, DeviceBelow, IoCounts};
use model::{Nanos, Sentence, record::DeviceFacts};
use std::path::PathBuf;
use std::sync::Arc;

/// Processes whose reads and writes are counted separately from those of all other processes.
#[derive(Debug, Clone)]
pub enum Whose {
    /// This process and everything that it starts. `Err` holds the reason why no control group counts these processes
    /// separately.
    Ours(Result<Arc<RunGroup>, Sentence>),
    /// A server on this machine; holds the ID of its first process.
    Server(u32),
    /// The engine's processes are unknown; holds a sentence with the reason.
    Unknown(Sentence),
}

/// Sources of the read and write counts.
#[derive(Debug, Clone)]
pub struct BelowSources {
    roots: Roots,
    whose: Whose,
    devices: Vec<Device>,
}

#[derive(Debug, Clone)]
struct Device {
    name: String,
    dev: (u32, u32),
    /// Names of the device and its partitions. The kernel lists their file systems under these names.
    names: Vec<String>,
    /// True if the device can write through its cache on request (FUA). A file system's journal commit then needs one
    /// flush instead of two.
    fua: bool,
}

impl BelowSources {
    /// Opens the sources for these devices: the stack under the data and the stack under the journal, each listed from
    /// the top.
    #[must_use]
    pub fn open(roots: &Roots, stacks: &[DeviceFacts], whose: Whose) -> BelowSources {
        let mut devices: Vec<Device> = Vec::new();
        for top in stacks.iter().filter(|d| d.depth == 0 && d.dev != (0, 0)) {
            let disk = partition_disk(stacks, top);
            match devices.iter_mut().find(|d| d.dev == disk.dev) {
                Some(known) => known.names.push(top.name.clone()),
                None => {
                    let queue = roots.sysfs_block(disk.dev).join("queue/fua");
                    let fua = text(&queue).is_some_and(|t| t.trim() == "1");
                    let names = vec![top.name.clone()];
                    devices.push(Device { name: disk.name.clone(), dev: disk.dev, names, fua });
                }
            }
        }
        BelowSources { roots: roots.clone(), whose, devices }
    }

    /// Returns the reasons why some or all of the engine's I/O is not counted separately, one sentence each.
    #[must_use]
    pub fn missing(&self) -> Vec<Sentence> {
        match &self.whose {
            Whose::Ours(Ok(_)) => Vec::new(),
            Whose::Ours(Err(reason)) | Whose::Unknown(reason) => vec![reason.clone()],
            Whose::Server(_) => vec![sentence!("counts-server-group")],
        }
    }

    /// Returns the kernel names of the devices.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.devices.iter().map(|d| d.name.clone()).collect()
    }

    /// Returns `true` if the engine's reads and writes are counted separately from those of other processes.
    #[must_use]
    pub fn separates_engine(&self) -> bool {
        !matches!(self.whose, Whose::Unknown(_))
    }

    /// Reads all counters; `at` is the time on the run's clock.
    #[must_use]
    pub fn read(&self, at: Nanos) -> BelowReading {
        let group: Vec<((u32, u32), GroupReading)> = match &self.whose {
            Whose::Ours(Ok(group)) => group.counters().read_each(),
            _ => Vec::new(),
        };
        let processes = match &self.whose {
            // This process drives the engine or contains it, and its CPU time is already in the record.
            Whose::Ours(_) => family(&self.roots, &[std::process::id()], Some(std::process::id())),
            Whose::Server(pid) => family(&self.roots, &[*pid], None),
            Whose::Unknown(_) => None,
        };
        let devices = self.devices.iter().map(|d| DeviceReading {
            group: group.iter().find(|(dev, _)| *dev == d.dev).map(|(_, reading)| *reading),
            all: self.counts(d),
            commits: self.commits(d),
        });
        BelowReading { at, processes, devices: devices.collect() }
    }

    /// Returns the counts between two readings.
    #[must_use]
    pub fn between(&self, then: &BelowReading, now: &BelowReading) -> Below {
        let devices = self.devices.iter().zip(then.devices.iter().zip(&now.devices));
        let (mut missing, processes) = (self.missing(), now.processes.zip(then.processes));
        if processes.is_none() && self.separates_engine() {
            missing.push(sentence!("counts-no-accounts"));
        }
        Below {
            length: now.at.since(then.at),
            devices: devices.filter_map(|(device, (then, now))| grown(device, then, now)).collect(),
            processes: processes.map(|(now, then)| IoCounts {
                read_bytes: now.read.saturating_sub(then.read),
                write_bytes: now.written.saturating_sub(then.written),
                ..IoCounts::default()
            }),
            cpu: processes.map(|(now, then)| Nanos(now.cpu.saturating_sub(then.cpu).saturating_mul(CpuTicks::LENGTH))),
            missing,
            before: None,
        }
    }

    fn counts(&self, device: &Device) -> Option<Counted> {
        let stat = text(&self.roots.sysfs_block(device.dev).join("stat"))?;
        // Flushes follow the counts of discards (block/stat.rst).
        let flushes = stat.split_whitespace().nth(15).and_then(|word| word.parse().ok());
        Some(Counted { io: device_counts(&stat)?, flushes })
    }

    /// Returns the number of journal commits so far by the ext4 file systems on a device, from
    /// `/proc/fs/jbd2/NAME-8/info`.
    fn commits(&self, device: &Device) -> Option<u64> {
        let entries = std::fs::read_dir(self.roots.proc.join("fs/jbd2")).ok()?;
        let ours = |name: &str| {
            device.names.iter().any(|n| {
                let rest = name.strip_prefix(n.as_str()).and_then(|r| r.strip_prefix('-'));
                rest.is_some_and(|r| !r.is_empty() && r.bytes().all(|b| b.is_ascii_digit()))
            })
        };
        let journals: Vec<PathBuf> =
            entries.flatten().filter(|e| e.file_name().to_str().is_some_and(ours)).map(|e| e.path()).collect();
        let count = |path: PathBuf| text(&path.join("info"))?.split_whitespace().next()?.parse::<u64>().ok();
        journals.into_iter().map(count).sum()
    }
}

#[derive(Debug, Clone, Copy)]
struct Counted {
    io: Io,
    flushes: Option<u64>,
}

/// All counters at one moment.
#[derive(Debug, Clone)]
pub struct BelowReading {
    at: Nanos,
    processes: Option<Account>,
    devices: Vec<DeviceReading>,
}

impl BelowReading {
    /// Returns the time of the reading.
    #[must_use]
    pub fn at(&self) -> Nanos {
        self.at
    }

    /// Returns `true` if the engine made progress. Either its group was charged with I/O, or its processes used at
    /// least half of the elapsed time as CPU time. The threshold is not zero, because an engine that only waits still
    /// wakes up now and then.
    #[must_use]
    pub fn moved_since(&self, then: &BelowReading) -> bool {
        let cpu = self.processes.zip(then.processes).map_or(0, |(now, then)| now.cpu.saturating_sub(then.cpu));
        self.devices.iter().zip(&then.devices).any(|(now, then)| now.group != then.group)
            || cpu > 0 && cpu.saturating_mul(CpuTicks::LENGTH) >= self.at.since(then.at).as_nanos() / 2
    }

    /// Returns `true` if a device completed any I/O since `then`. A group's I/O may wait in a throttle long after it
    /// was charged.
    #[must_use]
    pub fn answered_since(&self, then: &BelowReading) -> bool {
        let io = |d: &DeviceReading| d.all.map(|counted| counted.io);
        self.devices.iter().zip(&then.devices).any(|(now, then)| io(now) != io(then))
    }
}

#[derive(Debug, Clone)]
struct DeviceReading {
    group: Option<GroupReading>,
    all: Option<Counted>,
    commits: Option<u64>,
}

fn grown(device: &Device, then: &DeviceReading, now: &DeviceReading) -> Option<DeviceBelow> {
    let (before, after) = (then.all?, now.all?);
    let total = after.io.since(before.io);
    let flushes = after.flushes.zip(before.flushes).map(|(now, then)| now.saturating_sub(then));
    let commits = now.commits.zip(then.commits).map(|(now, then)| now.saturating_sub(then));
    let empty = empty_flushes(device, total.write_ops, flushes, commits);
    let group = now.group.zip(then.group).and_then(|(now, then)| now.since(then));
    let to_counts = |io: Io, empty: u64, flushes| IoCounts {
        reads: Some(io.read_ops),
        read_bytes: io.read,
        writes: Some(io.write_ops.saturating_sub(empty)),
        write_bytes: io.write,
        flushes,
    };
    Some(DeviceBelow {
        name: device.name.clone(),
        group: group.map(|io| to_counts(io, empty_of_group(io, total, empty, commits.unwrap_or(0)), None)),
        device: to_counts(total, empty, flushes),
        commits,
    })
}

/// Returns the number of flush-only requests among the writes. The kernel counts each flush-only request as a write of
/// zero sectors, and also counts each flush that reaches the device. A journal commit's flushes belong to a write with
/// data.
fn empty_flushes(device: &Device, writes: u64, flushes: Option<u64>, commits: Option<u64>) -> u64 {
    let by_commits = commits.unwrap_or(0).saturating_mul(if device.fua { 1 } else { 2 });
    flushes.unwrap_or(0).saturating_sub(by_commits).min(writes)
}

/// Returns the group's part of the flush-only requests, which the kernel does not count per group. If only the group
/// uses the device, all flush-only requests belong to the group. Otherwise, these requests are divided in proportion to
/// the writes, leaving out the writes of the file system's journal.
fn empty_of_group(ours: Io, total: Io, empty: u64, commits: u64) -> u64 {
    let alone = total.write.saturating_sub(ours.write) <= total.write / 20;
    let others = total.write_ops.saturating_sub(commits.saturating_mul(2)).max(ours.write_ops).max(1);
    let share = if alone { 1.0 } else { ours.write_ops as f64 / others as f64 };
    ((empty as f64 * share) as u64).min(ours.write_ops)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn io(write_ops: u64, write: u64) -> Io {
        Io { write_ops, write, ..Io::default() }
    }

    #[test]
    fn flushes_are_taken_out_of_the_writes_and_those_of_a_journals_commits_are_not_among_them() {
        let device = |fua| Device { name: "vda".into(), dev: (254, 0), names: vec!["vda".into()], fua };
        // 500 writes under O_DSYNC, each with its own flush, and one journal commit (seen on a loop device).
        assert_eq!(empty_flushes(&device(false), 1005, Some(501), Some(1)), 499);
        // 501 appends with fsync. Each causes a commit of two writes, which needs two flushes without FUA.
        assert_eq!(empty_flushes(&device(false), 1503, Some(1002), Some(501)), 0);
        assert_eq!(empty_flushes(&device(true), 1503, Some(501), Some(501)), 0);
        assert_eq!(empty_flushes(&device(false), 10, None, None), 0);
        assert_eq!(empty_flushes(&device(false), 10, Some(50), None), 10);
    }

    #[test]
    fn a_neighbours_writes_take_their_share_of_the_flushes() {
        assert_eq!(empty_of_group(io(1000, 4096), io(1005, 4100), 499, 1), 499, "alone");
        assert_eq!(empty_of_group(io(1000, 4096), io(2000, 9000), 500, 0), 250);
        assert_eq!(empty_of_group(io(0, 0), io(2000, 9000), 500, 0), 0);
    }

    #[test]
    fn a_partition_is_counted_by_its_disk_and_its_journal_by_its_own_name() {
        let dir = tempfile::tempdir().expect("a directory");
        let roots = Roots::under(dir.path());
        let disk = roots.sys.join("dev/block/8:0");
        fs::create_dir_all(disk.join("queue")).unwrap();
        fs::write(disk.join("queue/fua"), "1\n").unwrap();
        let journal = roots.proc.join("fs/jbd2/sda1-8");
        fs::create_dir_all(&journal).unwrap();
        fs::create_dir_all(roots.proc.join("fs/jbd2/sda12-8")).unwrap();
        let put = |writes: u64, sectors: u64, flushes: u64, commits: u64| {
            let stat = format!("1 0 8 0 {writes} 0 {sectors} 0 0 0 0 0 0 0 0 {flushes} 0\n");
            fs::write(disk.join("stat"), stat).unwrap();
            let info = format!("{commits} transactions (9 requested), each up to 1 blocks\n");
            fs::write(journal.join("info"), info).unwrap();
        };
        let facts = |name: &str, kind: &str, dev, depth| DeviceFacts {
            name: name.into(),
            kind: kind.into(),
            dev,
            depth,
            ..DeviceFacts::default()
        };
        let stacks = [facts("sda1", "partition", (8, 1), 0), facts("sda", "disk", (8, 0), 1)];
        let sources = BelowSources::open(&roots, &stacks, Whose::Unknown("the server is elsewhere".into()));
        put(100, 800, 10, 5);
        let then = sources.read(Nanos::from_secs(1));
        put(120, 1000, 25, 10);
        let below = sources.between(&then, &sources.read(Nanos::from_secs(3)));
        assert_eq!((below.length, below.names().as_str()), (Nanos::from_secs(2), "sda"));
        let device = below.device().expect("counted");
        // 15 flushes, 5 of them by journal commits: 10 of the 20 writes carried no data.
        assert_eq!((device.writes, device.write_bytes, device.flushes), (Some(10), 200 * 512, Some(15)));
        let now = sources.read(Nanos(0));
        assert!(now.answered_since(&then) && !sources.read(Nanos(0)).answered_since(&now));
        assert_eq!((below.group(), below.processes), (None, None));
        assert_eq!(below.missing, ["the server is elsewhere"]);
    }

    #[test]
    fn an_engine_gets_on_by_what_its_group_is_charged_and_by_computing_and_not_by_waking_up() {
        let reading = |at: u64, ours: u64, total: u64, cpu: u64| BelowReading {
            at: Nanos::from_millis(at),
            processes: Some(Account { cpu, ..Account::default() }),
            devices: vec![DeviceReading {
                group: Some(GroupReading(Some(io(ours, 4096 * ours)))),
                all: Some(Counted { io: io(total, 4096 * total), flushes: None }),
                commits: None,
            }],
        };
        let then = reading(0, 5, 9, 100);
        assert!(reading(500, 6, 9, 100).moved_since(&then));
        assert!(!reading(500, 5, 900, 100).moved_since(&then), "somebody else's");
        assert!(reading(500, 5, 900, 100).answered_since(&then));
        assert!(!reading(500, 5, 9, 110).moved_since(&then), "a fifth of the time");
        assert!(reading(500, 5, 9, 130).moved_since(&then));
    }
}
