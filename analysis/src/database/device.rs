//! Operations that reached the devices, compared with those requested: the ratios of physical to logical rates.

use super::Run;
use messages::sentence;
use model::judged::{DeviceFigures, DeviceOfHost, Ratio};
use model::measured::{Below, CountedBy, DatabaseUse, IoCounts, RoleSource, RoleUse};
use model::{BytesPerSecond, Op, Sentence};

/// Ratio of device reads to the engine's reads below which a cache served the reads.
pub(super) const CACHED: f64 = 0.5;
/// Flushes per write of the engine that indicate one flush for each write: O_DSYNC without FUA.
const SYNCED: std::ops::RangeInclusive<f64> = 0.7..=1.3;
/// Minimum number of operations for a ratio.
const LEAST: f64 = 100.0;

/// Share of other processes' bytes above which counts of whole devices are not used for the engine.
pub(super) const SHARED: f64 = 0.2;
/// Maximum share of other processes' bytes at which the device's operations count as the engine's, if only bytes are
/// counted for the engine.
const QUIET: f64 = 0.1;
/// Ratio of the bytes that the processes sent to those charged to their control group from which both are reported.
const ACCOUNTS_DIFFER: f64 = 1.1;
/// Maximum number of pages that an update can write: a data page and a journal page, each twice.
const MOST_PAGES: u64 = 4;

/// Returns the figures of all devices together, and the ratios. Counts with too many bytes of other processes give no
/// ratio.
pub(super) fn ratios(run: &Run) -> (DeviceFigures, Vec<Ratio>) {
    let device = devices(run);
    let mut doubts = Vec::new();
    let compared = if foreign(run, &device).is_some() {
        // Flushes and operations of whole devices include other processes just as the bytes do.
        DeviceFigures { length: device.length, ..DeviceFigures::default() }
    } else {
        device.clone()
    };
    reads(run, &compared, &mut doubts);
    writes(run, &compared, &mut doubts);
    (device, doubts)
}

/// Returns the devices whose counters have the I/O of this role; `None` if the engine or a control group counted it.
pub(super) fn by_device(role: &RoleUse) -> Option<&str> {
    match &role.source {
        RoleSource::Devices { by: CountedBy::Device, devices } => Some(devices),
        RoleSource::Devices { .. } | RoleSource::Engine(_) => None,
    }
}

/// Returns the reason why counts of whole devices cannot be attributed to the engine; `None` if they can.
pub(super) fn foreign(run: &Run, device: &DeviceFigures) -> Option<Sentence> {
    if device.by != CountedBy::Device {
        return None;
    }
    if let Some(share) = device.others.filter(|share| *share > SHARED) {
        let share = format!("{:.0}", share * 100.0);
        return Some(sentence!("db-counts-estimated", share, source = &device.source));
    }
    let (updates, bytes) = asked(run, Op::Write, false);
    let most = updates * (MOST_PAGES * run.used.page.as_u64().max(4096)) as f64 + bytes * MOST_PAGES as f64;
    let written = device.write_bytes? as f64;
    let (reads, _) = asked(run, Op::Read, true);
    (updates >= LEAST && reads == 0.0 && written > most)
        .then(|| sentence!("db-counts-impossible", bytes = format!("{:.0}", written / bytes.max(1.0))))
}

/// Returns the I/O of the engine's processes, from the counter closest to them.
fn devices(run: &Run) -> DeviceFigures {
    match &run.used.below {
        Some(below) => of_below(below),
        // With several hosts, counts of only some of them cannot be used.
        None if !run.used.hosts.is_empty() => DeviceFigures::default(),
        None => of_whole_run(run),
    }
}

/// Returns the device figures of each of several hosts, if they were counted.
pub(super) fn of_hosts(used: &DatabaseUse) -> Vec<DeviceOfHost> {
    let device_of =
        |own: &DatabaseUse| Some(DeviceOfHost { host: own.host.clone(), device: of_below(own.below.as_ref()?) });
    used.hosts.iter().filter_map(device_of).collect()
}

pub(super) fn of_below(below: &Below) -> DeviceFigures {
    let devices = &below.names();
    let (device, others) = (below.device(), below.others());
    let figures = |by, source, counts: IoCounts| DeviceFigures {
        source,
        by,
        length: below.length,
        others: others.map(|(_, most)| most),
        others_least: others.map(|(least, _)| least),
        reads: counts.reads,
        read_bytes: Some(counts.read_bytes),
        writes: counts.writes,
        write_bytes: Some(counts.write_bytes),
        write_bytes_most: None,
        flushes: device.and_then(|d| d.flushes),
    };
    let quiet = others.is_some_and(|(_, share)| share <= QUIET);
    match (below.group(), below.processes, device) {
        // The group's count is used even if the processes sent more: pages sent twice may be written once.
        (Some(group), processes, _) => {
            let sent = processes.map(|p| p.write_bytes.min(device.map_or(u64::MAX, |d| d.write_bytes)));
            let more = |sent: &u64| *sent as f64 > group.write_bytes as f64 * ACCOUNTS_DIFFER;
            let counted = figures(CountedBy::Group, sentence!("db-counted-group", devices), group);
            DeviceFigures { write_bytes_most: sent.filter(more), ..counted }
        }
        (None, Some(processes), Some(device)) => {
            let reached = IoCounts {
                reads: device.reads.filter(|_| quiet),
                writes: device.writes.filter(|_| quiet),
                write_bytes: processes.write_bytes.min(device.write_bytes),
                ..processes
            };
            figures(CountedBy::Processes, sentence!("db-counted-processes-on", devices), reached)
        }
        (None, None, Some(device)) => figures(CountedBy::Device, sentence!("db-counted-whole", devices), device),
        (None, Some(processes), None) => figures(CountedBy::Processes, sentence!("db-counted-processes"), processes),
        (None, None, None) => DeviceFigures::default(),
    }
}

/// Returns the device figures of a record without counts of the measured time: the sum of the devices if every role has
/// separate ones, otherwise the kernel's counts of the devices below the database. They cover all processes, over the
/// whole run.
fn of_whole_run(run: &Run) -> DeviceFigures {
    let roles: Vec<&RoleUse> = run.used.roles.iter().filter(|r| by_device(r).is_some()).collect();
    let has_all = !roles.is_empty() && roles.len() == run.used.roles.len();
    if has_all || run.record.disks.is_empty() {
        let mut names: Vec<&str> = roles.iter().filter_map(|r| by_device(r)).collect();
        names.dedup();
        let source = match names.as_slice() {
            [] => Sentence::default(),
            names => sentence!("db-counted-device", devices = names.join(", ")),
        };
        let sum = |f: fn(&RoleUse) -> Option<u64>| roles.iter().filter_map(|r| f(r)).reduce(|a, b| a + b);
        return DeviceFigures {
            source,
            reads: sum(|r| r.reads),
            read_bytes: sum(|r| r.read_bytes),
            writes: sum(|r| r.writes),
            write_bytes: sum(|r| r.write_bytes),
            flushes: sum(|r| r.flushes),
            ..DeviceFigures::default()
        };
    }
    let disks = &run.record.disks;
    let sum = |f: fn(&model::measured::DiskUse) -> u64| Some(disks.iter().map(f).sum());
    let names: Vec<&str> = disks.iter().map(|d| d.name.as_str()).collect();
    DeviceFigures {
        source: sentence!("db-counted-device", devices = names.join(", ")),
        reads: sum(|d| d.ops[0]),
        read_bytes: sum(|d| d.sectors[0] * 512),
        // The kernel counts a request that only flushes as a write, too.
        writes: sum(|d| d.ops[1].saturating_sub(d.flushes.unwrap_or(0))),
        write_bytes: sum(|d| d.sectors[1] * 512),
        flushes: disks.iter().filter_map(|d| d.flushes).reduce(|a, b| a + b),
        ..DeviceFigures::default()
    }
}

/// Returns the operations and bytes requested over all waves, either of blocks or of records through the engine. They
/// are scaled to the time for which the devices were counted, which begins and ends some milliseconds earlier or later.
fn asked(run: &Run, op: Op, blocks: bool) -> (f64, f64) {
    let waves = run.waves.iter().filter(|w| w.rule.is_none_or(|r| r.blocks) == blocks);
    let (ops, bytes) = waves.flat_map(|w| &w.jobs).fold((0.0, 0.0), |(ops, bytes), job| {
        let tally = &job.total.op(op).tally;
        (ops + tally.ops as f64, bytes + tally.bytes as f64)
    });
    let scale = scale(run);
    (ops * scale, bytes * scale)
}

/// Returns the share of the measured operations that fall into the time for which the devices were counted. That time
/// ends only when all sessions wait, so if it is longer, it contains all operations and no others.
fn scale(run: &Run) -> f64 {
    let measured: f64 = run.waves.iter().map(|w| w.total().length.secs()).sum();
    match &run.used.below {
        Some(below) if !below.length.is_zero() && measured > 0.0 => (below.length.secs() / measured).min(1.0),
        _ => 1.0,
    }
}

fn over(name: Sentence, of: Option<u64>, by: Option<f64>) -> Option<Ratio> {
    let (of, by) = (of? as f64, by.filter(|by| *by >= LEAST)?);
    Some(Ratio { name, value: of / by, unit: String::new(), remark: Sentence::default(), doubtful: false })
}

fn reads(run: &Run, device: &DeviceFigures, found: &mut Vec<Ratio>) {
    let (blocks, _) = asked(run, Op::Read, true);
    let (records, _) = asked(run, Op::Read, false);
    // Below CACHED, a cache served the reads.
    let reads_over = |name: Sentence, by: Option<f64>, remark: Sentence| {
        let ratio = over(name, device.reads, by)?;
        Some(if ratio.value < CACHED { Ratio { remark, doubtful: true, ..ratio } } else { ratio })
    };
    found.extend(reads_over(sentence!("db-ratio-reads-per-block"), Some(blocks), sentence!("db-remark-cache")));
    let engine = run.counted("PhyRds");
    found.extend(over(sentence!("db-ratio-engine-reads"), engine.map(|e| e as u64), Some(records)));
    if blocks == 0.0 {
        found.extend(reads_over(sentence!("db-ratio-reads-per-engine"), engine, sentence!("db-remark-page-cache")));
        found.extend(reads_over(sentence!("db-ratio-reads-per-record"), Some(records), sentence!("db-remark-memory")));
    }
}

fn writes(run: &Run, device: &DeviceFigures, found: &mut Vec<Ratio>) {
    let (updates, bytes) = asked(run, Op::Write, false);
    if updates < LEAST {
        return;
    }
    found.extend(over(sentence!("db-ratio-writes-per-update"), device.writes, Some(updates)));
    let most = device.write_bytes_most.map(|most| format!("{:.2}", most as f64 / bytes.max(1.0)));
    found.extend(over(sentence!("db-ratio-bytes-per-byte"), device.write_bytes, Some(bytes)).map(|ratio| match most {
        Some(most) => Ratio { remark: sentence!("db-remark-sent", most), ..ratio },
        None => ratio,
    }));
    let engine = run.counted("PhyWrs");
    found.extend(over(sentence!("db-ratio-writes-per-engine"), device.writes, engine));
    let flushed = device.flushes.filter(|_| device.others.is_none_or(|share| share <= SHARED));
    found.extend(
        over(sentence!("db-ratio-flushes-per-engine"), flushed, engine)
            .filter(|r| SYNCED.contains(&r.value))
            .map(|r| Ratio { remark: sentence!("db-remark-flushed"), ..r }),
    );
    let commits = run.waves.iter().flat_map(|w| &w.jobs).map(|j| j.total.op(Op::Flush).tally.ops).sum::<u64>();
    // Use only the devices' flushes: an engine may count those of its write daemon but not those of its sessions.
    // Flushes are not counted by process, so they are the engine's only if no other process writes much.
    let flushes = device.flushes.filter(|_| device.others.is_none_or(|share| share <= SHARED));
    found.extend(over(sentence!("db-ratio-flushes-per-commit"), flushes, Some(commits as f64 * scale(run))));
}

/// Returns bytes per second over the measured time of the run.
pub(super) fn rate(bytes: Option<u64>, seconds: f64) -> Option<BytesPerSecond> {
    bytes.filter(|_| seconds > 0.0).map(|b| BytesPerSecond(b as f64 / seconds))
}
