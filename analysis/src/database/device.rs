//! What reached the devices, against what was asked: the ratios that tell a logical rate from a physical one.

use super::Run;
use messages::sentence;
use model::{
    Below, BytesPerSecond, CountedBy, DatabaseUse, DeviceFigures, DeviceOfHost, IoCounts, Op, Ratio, RoleUse, Sentence,
};

/// Fewer device reads than this for each read of the engine: a cache answered.
pub(super) const CACHED: f64 = 0.5;
/// Flushes for each write of the engine at which each costs one: O_DSYNC without FUA.
const SYNCED: std::ops::RangeInclusive<f64> = 0.7..=1.3;
/// Fewer operations than this make no ratio.
const LEAST: f64 = 100.0;

/// Above this share of others' bytes the counts of whole devices tell nothing of the engine.
pub(super) const SHARED: f64 = 0.2;
/// Below it they tell its operations, too, where only its bytes are counted.
const QUIET: f64 = 0.1;
/// Factor between what the processes sent and what their group was charged from which both are reported.
const ACCOUNTS_DIFFER: f64 = 1.1;
/// Pages that an update could cost at the very most: of data and journal, each twice.
const MOST_PAGES: u64 = 4;

/// All devices together, and the ratios. Counts that hold too much of others' make none.
pub(super) fn ratios(run: &Run) -> (DeviceFigures, Vec<Ratio>) {
    let device = devices(run);
    let mut found = Vec::new();
    let told = if foreign(run, &device).is_some() {
        // Flushes and operations of whole devices are as little ours as bytes.
        DeviceFigures { length: device.length, ..DeviceFigures::default() }
    } else {
        device.clone()
    };
    reads(run, &told, &mut found);
    writes(run, &told, &mut found);
    (device, found)
}

/// Whether a device counted this role, and no engine.
pub(super) fn by_device(role: &RoleUse) -> bool {
    role.source.starts_with("device")
}

/// Why counts of whole devices cannot be the engine's, if so.
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

/// What the engine's processes did, by who counted it nearest to them.
fn devices(run: &Run) -> DeviceFigures {
    match &run.used.below {
        Some(below) => of_below(below),
        // Of one of several hosts nobody knows.
        None if !run.used.hosts.is_empty() => DeviceFigures::default(),
        None => of_old(run),
    }
}

/// What reached the devices of each of several hosts, where it was counted.
pub(super) fn of_hosts(used: &DatabaseUse) -> Vec<DeviceOfHost> {
    let of = |own: &DatabaseUse| Some(DeviceOfHost { host: own.host.clone(), device: of_below(own.below.as_ref()?) });
    used.hosts.iter().filter_map(of).collect()
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
        // The group's count decides, whatever the processes sent: pages sent twice may be written once.
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

/// Of records of older versions. Where every role has devices of its own, their sum; otherwise the kernel's counts of the
/// devices under the database. Everybody's, over the whole run.
fn of_old(run: &Run) -> DeviceFigures {
    let roles: Vec<&RoleUse> = run.used.roles.iter().filter(|r| by_device(r)).collect();
    let all = !roles.is_empty() && roles.len() == run.used.roles.len();
    if all || run.record.disks.is_empty() {
        let mut names: Vec<&str> = roles.iter().map(|r| r.source.as_str()).collect();
        names.dedup();
        let sum = |f: fn(&RoleUse) -> Option<u64>| roles.iter().filter_map(|r| f(r)).reduce(|a, b| a + b);
        return DeviceFigures {
            source: names.join(", ").into(),
            reads: sum(|r| r.reads),
            read_bytes: sum(|r| r.read_bytes),
            writes: sum(|r| r.writes),
            write_bytes: sum(|r| r.write_bytes),
            flushes: sum(|r| r.flushes),
            ..DeviceFigures::default()
        };
    }
    let disks = &run.record.disks;
    let sum = |f: fn(&model::DiskUse) -> u64| Some(disks.iter().map(f).sum());
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

/// Operations asked for over all waves: of blocks, and of records through the engine. In as much time as was counted below:
/// that begins and ends some milliseconds apart.
fn asked(run: &Run, op: Op, blocks: bool) -> (f64, f64) {
    let waves = run.waves.iter().filter(|w| w.rule.is_none_or(|r| r.blocks) == blocks);
    let (ops, bytes) = waves.flat_map(|w| &w.jobs).fold((0.0, 0.0), |(ops, bytes), job| {
        let tally = &job.total.op(op).tally;
        (ops + tally.ops as f64, bytes + tally.bytes as f64)
    });
    let scale = scale(run);
    (ops * scale, bytes * scale)
}

/// Time counted below for each second measured.
fn scale(run: &Run) -> f64 {
    let measured: f64 = run.waves.iter().map(|w| w.total().length.secs()).sum();
    match &run.used.below {
        Some(below) if !below.length.is_zero() && measured > 0.0 => below.length.secs() / measured,
        _ => 1.0,
    }
}

fn over(name: Sentence, of: Option<u64>, by: Option<f64>) -> Option<Ratio> {
    let (of, by) = (of? as f64, by.filter(|by| *by >= LEAST)?);
    Some(Ratio { name, value: of / by, unit: String::new(), remark: Sentence::default(), doubtful: false })
}

fn doubt(ratio: Ratio, when: bool, remark: Sentence) -> Ratio {
    if when { Ratio { remark, doubtful: true, ..ratio } } else { ratio }
}

fn reads(run: &Run, device: &DeviceFigures, found: &mut Vec<Ratio>) {
    let (blocks, _) = asked(run, Op::Read, true);
    let (records, _) = asked(run, Op::Read, false);
    found.extend(over(sentence!("db-ratio-reads-per-block"), device.reads, Some(blocks)).map(|r| {
        let cached = r.value < CACHED;
        doubt(r, cached, sentence!("db-remark-cache"))
    }));
    let engine = run.counted("PhyRds");
    found.extend(over(sentence!("db-ratio-engine-reads"), engine.map(|e| e as u64), Some(records)));
    if blocks == 0.0 {
        found.extend(over(sentence!("db-ratio-reads-per-engine"), device.reads, engine).map(|r| {
            let cached = r.value < CACHED;
            doubt(r, cached, sentence!("db-remark-page-cache"))
        }));
        found.extend(over(sentence!("db-ratio-reads-per-record"), device.reads, Some(records)).map(|r| {
            let cached = r.value < CACHED;
            doubt(r, cached, sentence!("db-remark-memory"))
        }));
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
    // Of the devices only: an engine may count those of its write daemon and not those of its sessions. They are not
    // counted by process, so that they are ours only where nobody else writes.
    let flushes = device.flushes.filter(|_| device.others.is_none_or(|share| share <= SHARED));
    found.extend(over(sentence!("db-ratio-flushes-per-commit"), flushes, Some(commits as f64 * scale(run))));
}

/// Bytes per second over the run's measured time.
pub(super) fn rate(bytes: Option<u64>, seconds: f64) -> Option<BytesPerSecond> {
    bytes.filter(|_| seconds > 0.0).map(|b| BytesPerSecond(b as f64 / seconds))
}
