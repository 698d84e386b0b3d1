//! What reached the devices, against what was asked: the ratios that tell a logical rate from a physical one.

use super::Run;
use model::{BytesPerSecond, DeviceFigures, Op, Ratio, RoleUse};

/// Fewer device reads than this for each read of the engine: a cache answered.
pub(super) const CACHED: f64 = 0.5;
/// Device writes for each write of the engine at which each costs a second one: a flush under O_DSYNC without FUA.
const DOUBLED: std::ops::RangeInclusive<f64> = 1.7..=2.3;
/// Fewer operations than this make no ratio.
const LEAST: f64 = 100.0;

/// All devices together, and the ratios.
pub(super) fn ratios(run: &Run) -> (DeviceFigures, Vec<Ratio>) {
    let device = devices(run);
    let mut found = Vec::new();
    reads(run, &device, &mut found);
    writes(run, &device, &mut found);
    (device, found)
}

/// Whether a device counted this role, and no engine.
pub(super) fn by_device(role: &RoleUse) -> bool {
    role.source.starts_with("device")
}

/// Where every role has devices of its own, their sum; otherwise the kernel's counts of the devices under the database.
fn devices(run: &Run) -> DeviceFigures {
    let roles: Vec<&RoleUse> = run.used.roles.iter().filter(|r| by_device(r)).collect();
    let all = !roles.is_empty() && roles.len() == run.used.roles.len();
    if all || run.record.disks.is_empty() {
        let mut names: Vec<&str> = roles.iter().map(|r| r.source.as_str()).collect();
        names.dedup();
        let sum = |f: fn(&RoleUse) -> Option<u64>| roles.iter().filter_map(|r| f(r)).reduce(|a, b| a + b);
        return DeviceFigures {
            source: names.join(", "),
            reads: sum(|r| r.reads),
            read_bytes: sum(|r| r.read_bytes),
            writes: sum(|r| r.writes),
            write_bytes: sum(|r| r.write_bytes),
            flushes: sum(|r| r.flushes),
        };
    }
    let disks = &run.record.disks;
    let sum = |f: fn(&model::DiskUse) -> u64| Some(disks.iter().map(f).sum());
    DeviceFigures {
        source: format!("device {}", disks.iter().map(|d| d.name.as_str()).collect::<Vec<_>>().join(", ")),
        reads: sum(|d| d.ops[0]),
        read_bytes: sum(|d| d.sectors[0] * 512),
        writes: sum(|d| d.ops[1]),
        write_bytes: sum(|d| d.sectors[1] * 512),
        flushes: disks.iter().filter_map(|d| d.flushes).reduce(|a, b| a + b),
    }
}

/// Reads asked for over all waves: of blocks, and of records through the engine.
fn asked(run: &Run, op: Op, blocks: bool) -> (f64, f64) {
    let waves = run.waves.iter().filter(|w| w.rule.is_none_or(|r| r.blocks) == blocks);
    waves.flat_map(|w| &w.jobs).fold((0.0, 0.0), |(ops, bytes), job| {
        let tally = &job.total.op(op).tally;
        (ops + tally.ops as f64, bytes + tally.bytes as f64)
    })
}

fn over(name: &str, of: Option<u64>, by: Option<f64>) -> Option<Ratio> {
    let (of, by) = (of? as f64, by.filter(|by| *by >= LEAST)?);
    let name = name.to_owned();
    Some(Ratio { name, value: of / by, unit: String::new(), remark: String::new(), doubtful: false })
}

fn doubt(ratio: Ratio, when: bool, remark: &str) -> Ratio {
    if when { Ratio { remark: remark.into(), doubtful: true, ..ratio } } else { ratio }
}

fn reads(run: &Run, device: &DeviceFigures, found: &mut Vec<Ratio>) {
    let (blocks, _) = asked(run, Op::Read, true);
    let (records, _) = asked(run, Op::Read, false);
    found.extend(over("device reads per block read", device.reads, Some(blocks)).map(|r| {
        let cached = r.value < CACHED;
        doubt(r, cached, "a cache answered: this is not the rate of the storage")
    }));
    let engine = run.counted("PhyRds");
    found.extend(over("engine reads per record read", engine.map(|e| e as u64), Some(records)));
    if blocks == 0.0 {
        found.extend(over("device reads per engine read", device.reads, engine).map(|r| {
            let cached = r.value < CACHED;
            doubt(r, cached, "the page cache answered the engine's reads")
        }));
        found.extend(over("device reads per record read", device.reads, Some(records)).map(|r| {
            let cached = r.value < CACHED;
            doubt(r, cached, "most reads were answered from memory: this is not the rate of the storage")
        }));
    }
}

fn writes(run: &Run, device: &DeviceFigures, found: &mut Vec<Ratio>) {
    let (updates, bytes) = asked(run, Op::Write, false);
    if updates < LEAST {
        return;
    }
    found.extend(over("device writes per update", device.writes, Some(updates)));
    found.extend(over("device bytes per byte updated", device.write_bytes, Some(bytes)));
    found.extend(over("device writes per engine write", device.writes, run.counted("PhyWrs")).map(|r| {
        let doubled = DOUBLED.contains(&r.value);
        let remark =
            if doubled { "near 2: each write is followed by a flush (O_DSYNC on a device without FUA)" } else { "" };
        Ratio { remark: remark.into(), ..r }
    }));
    let commits = run.waves.iter().flat_map(|w| &w.jobs).map(|j| j.total.op(Op::Flush).tally.ops).sum::<u64>();
    // Of the devices only: an engine may count those of its write daemon and not those of its sessions.
    found.extend(over("flushes per commit", device.flushes, Some(commits as f64)));
}

/// Bytes per second over the run's measured time.
pub(super) fn rate(bytes: Option<u64>, seconds: f64) -> Option<BytesPerSecond> {
    bytes.filter(|_| seconds > 0.0).map(|b| BytesPerSecond(b as f64 / seconds))
}
