//! Did the bytes come from the device? Accounting ratio: bytes charged to us over bytes we asked for
//! (`measurement.md` 2.5), and what else the kernel's counters say about a step.

use crate::figures::Level;
use model::{Accounting, Bytes, Caveat, Nanos, RunRecord, Severity, Step, TargetKind};

/// Less than this share charged means that something else answered.
const FULL: f64 = 0.98;
/// Foreign bytes or operations on the device, as a share of ours, from which they matter.
const FOREIGN: f64 = 0.05;
/// Up to this size a request fits into the segments of any device, so that the kernel does not split it.
const SURELY_WHOLE: u64 = 64 << 10;
/// Writes a second that the run makes for itself: its journal's, and what the file system adds to them.
const OWN_WRITES: f64 = 20.0;
/// Bytes of one of them.
pub(crate) const OWN_BLOCK: f64 = 4096.0;
/// File systems that live in memory.
const IN_MEMORY: [&str; 2] = ["tmpfs", "ramfs"];

/// Doubts from the kernel's counters, for one level.
pub(crate) fn doubts(record: &RunRecord, level: &Level) -> Vec<Caveat> {
    let mut found = Vec::new();
    if level.job.target.kind == TargetKind::Null {
        return found;
    }
    let in_memory = if level.job.target.direct { in_memory(record) } else { None };
    if let Some(place) = &in_memory {
        found.push(no_storage(place, level));
    }
    let in_memory = in_memory.is_some();
    for &index in &level.steps {
        let step = &record.steps[index];
        let Some(accounting) = &step.accounting else { continue };
        // Once is enough, and that it lives in memory says more.
        if !in_memory && !found.iter().any(|c: &Caveat| c.id == "direct-not-honoured" || c.id == "served-from-cache") {
            found.extend(served_from_cache(step, accounting).map(|c| c.at_step(index)));
        }
        found.extend(charged_operations(record, step, accounting).map(|c| c.at_step(index)));
        found.extend(foreign_load(record, step, accounting).map(|c| c.at_step(index)));
    }
    found
}

/// Why a target is no storage: it lies in memory, or some of several do.
fn in_memory(record: &RunRecord) -> Option<String> {
    let lives = |fs: &str| IN_MEMORY.contains(&fs);
    let each = record.preflight.under_each.iter().zip(&record.plan.targets);
    let named = each.filter(|(s, _)| lives(&s.filesystem)).map(|(s, t)| format!("{} is on {}", t.name, s.filesystem));
    let fs = &record.preflight.storage.filesystem;
    named
        .reduce(|a, b| format!("{a}, {b}"))
        .map(|places| format!("{places}, whose files are memory"))
        .or_else(|| lives(fs).then(|| format!("the target is on {fs}, which takes O_DIRECT and ignores it")))
}

fn no_storage(place: &str, level: &Level) -> Caveat {
    Caveat::new(
        "direct-not-honoured",
        Severity::Invalid,
        "direct I/O was asked for, but the files live in memory: no storage was measured",
        place,
    )
    .at_step(level.steps[0])
    .remedy("choose a target on a disk")
}

/// Bytes that went to the block layer, of those asked for. `None` when nothing was asked, or nothing counts it.
///
/// The larger of two witnesses is believed: the control group may not count a device, and the process counter may
/// miss kernel threads working for us; neither counts what did not happen.
fn reached(asked: u64, process: Option<u64>, cgroup: Option<u64>) -> Option<f64> {
    let charged = process.into_iter().chain(cgroup).max()?;
    (asked > 0).then(|| charged as f64 / asked as f64)
}

fn served_from_cache(step: &Step, a: &Accounting) -> Option<Caveat> {
    let read = reached(a.asked_read, a.process_read, a.cgroup_read).map(|r| (r, "read", a.asked_read));
    let write = reached(a.asked_write, a.process_write, a.cgroup_write).map(|r| (r, "written", a.asked_write));
    let (ratio, verb, asked) = read.into_iter().chain(write).min_by(|a, b| a.0.total_cmp(&b.0))?;
    if ratio >= FULL {
        return None;
    }
    let share = ratio * 100.0;
    let evidence = format!("{share:.1} % of the {} {verb} were charged to us as device I/O", Bytes(asked));
    Some(if step.job.target.direct {
        Caveat::new(
            "direct-not-honoured",
            Severity::Invalid,
            "direct I/O was asked for, but not all of it reached the device: a cache or never-written blocks answered",
            evidence,
        )
        .remedy("fill the file again, or choose a file system that honours O_DIRECT")
    } else {
        Caveat::new(
            "served-from-cache",
            Severity::Doubt,
            "part of the I/O was served by the page cache: this is not the rate of the storage",
            evidence,
        )
        .remedy("measure with direct I/O, or on a file several times the size of memory")
    })
}

/// Whether the kernel may make several requests of one operation. The sectors of a request are known
/// (`max_sectors_kb`); its segments are not, and large buffers are scattered over them.
fn may_be_split(record: &RunRecord, step: &Step) -> bool {
    let grain = record.preflight.storage.devices.iter().map(|d| d.max_request.0).min().unwrap_or(0);
    step.job.workload.block.max().0 > grain.min(SURELY_WHOLE)
}

/// How long a step was accounted for, in seconds.
pub(crate) fn lasted(step: &Step) -> f64 {
    let measured: u64 = step.intervals.iter().map(|i| i.length.0).fold(0, u64::saturating_add);
    step.end.as_ref().map_or(Nanos(measured), |end| end.at.since(step.start)).max(Nanos(measured)).secs()
}

/// Writes the run itself may have made in a step beside those asked for.
pub(crate) fn own_writes(step: &Step) -> f64 {
    OWN_WRITES * lasted(step).ceil()
}

/// Operations against the control group's count, beyond what may be in flight at the edges and what the run writes for
/// itself. More operations with the same bytes are splits by the kernel, and no mismatch.
fn charged_operations(record: &RunRecord, step: &Step, a: &Accounting) -> Option<Caveat> {
    let pairs = [
        ("reads", 0.0, a.asked_read_ops, a.cgroup_read_ops, a.asked_read, a.cgroup_read),
        ("writes", own_writes(step), a.asked_write_ops, a.cgroup_write_ops, a.asked_write, a.cgroup_write),
    ];
    // Buffered I/O is charged when the kernel chooses; flushes add journal blocks to the writes.
    if !step.job.target.direct || step.job.workload.flush_every > 0 {
        return None;
    }
    let edges = f64::from(step.job.concurrency());
    let size = step.job.workload.block.max().0 as f64;
    for (what, own, asked, charged, asked_bytes, bytes) in pairs {
        let Some(charged) = charged.filter(|_| asked > 0) else { continue };
        // What is ours beside the load can only add.
        let off = |x: u64, y: u64, edge: f64, own: f64| {
            let (x, y) = (x as f64, y as f64);
            (if y > x { (y - x - own).max(0.0) } else { x - y }) > edge.max(0.005 * x)
        };
        // Without a count of bytes, operations prove nothing where one may have become several.
        let bytes_differ = match bytes {
            Some(b) => off(asked_bytes, b, edges * size, own * OWN_BLOCK),
            None => charged < asked || !may_be_split(record, step),
        };
        if off(asked, charged, edges, own) && bytes_differ {
            return Some(
                Caveat::new(
                    "accounting-mismatch",
                    Severity::Doubt,
                    "our control group was charged with other operations than ours",
                    format!("{asked} {what} asked, {charged} charged, {edges:.0} may have been in flight"),
                )
                .remedy("run the tool alone in its control group"),
            );
        }
    }
    None
}

fn foreign_load(record: &RunRecord, step: &Step, a: &Accounting) -> Option<Caveat> {
    // Flushes write the file system's journal, which is ours but not asked for.
    if step.job.workload.flush_every > 0 || !step.job.target.direct {
        return None;
    }
    let own = own_writes(step);
    let ours = a.asked_read.saturating_add(a.asked_write);
    let device = a.device_read?.saturating_add(a.device_write?);
    let excess =
        |all: u64, ours: u64, own: f64| (all.saturating_sub(ours) as f64 - own).max(0.0) / (ours as f64).max(1.0);
    let mut share = excess(device, ours, own * OWN_BLOCK);
    let mut what = "bytes";
    // Operations tell more about small foreign I/O, but only where the kernel does not split ours.
    let ours_ops = a.asked_read_ops.saturating_add(a.asked_write_ops);
    if let Some(ops) = a.device_ops.filter(|_| !may_be_split(record, step)) {
        let by_ops = excess(ops, ours_ops, own);
        if by_ops > share {
            (share, what) = (by_ops, "operations");
        }
    }
    (ours > 0 && share > FOREIGN).then(|| {
        Caveat::new(
            "foreign-load",
            Severity::Doubt,
            "others used the device at the same time",
            format!("{:.0} % more {what} on the device than ours", share * 100.0),
        )
        .remedy("repeat when the device is quiet")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Rig, Run, randread};
    use model::{Access, Mix, StageRole, Workload};

    fn ids(change: impl FnOnce(&mut RunRecord)) -> Vec<(String, Severity)> {
        ids_of(randread(8192), Run::at(32, 6000.0), change)
    }

    fn ids_of(workload: Workload, run: Run, change: impl FnOnce(&mut RunRecord)) -> Vec<(String, Severity)> {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, workload);
        rig.step(stage, run);
        let mut record = rig.record();
        change(&mut record);
        let levels = crate::figures::levels(&record);
        doubts(&record, &levels[0][0]).into_iter().map(|c| (c.id, c.severity)).collect()
    }

    fn accounting(record: &mut RunRecord) -> &mut Accounting {
        record.steps[0].accounting.as_mut().unwrap()
    }

    #[test]
    fn full_accounting_raises_no_doubt() {
        assert!(ids(|_| ()).is_empty());
    }

    #[test]
    fn bytes_that_never_reached_the_device_spoil_a_direct_run() {
        // The fallocated file of measurement.md 2.5: 4,096 of 16,384,000 bytes.
        let got = ids(|r| {
            let a = accounting(r);
            a.process_read = Some(4096);
            (a.cgroup_read, a.cgroup_read_ops) = (Some(0), Some(0));
        });
        assert!(got.contains(&("direct-not-honoured".into(), Severity::Invalid)), "{got:?}");
    }

    #[test]
    fn tmpfs_is_not_storage_even_without_counters() {
        let got = ids(|r| {
            r.preflight.storage.filesystem = "tmpfs".into();
            r.steps[0].accounting = None;
        });
        assert_eq!(got, [("direct-not-honoured".into(), Severity::Invalid)]);
    }

    #[test]
    fn a_buffered_run_from_the_page_cache_is_said_to_be_one() {
        let got = ids(|r| {
            r.steps[0].job.target.direct = false;
            let a = accounting(r);
            (a.process_read, a.cgroup_read) = (Some(0), None);
        });
        assert_eq!(got, [("served-from-cache".into(), Severity::Doubt)]);
    }

    #[test]
    fn one_witness_is_enough() {
        assert!(ids(|r| (accounting(r).cgroup_read, accounting(r).cgroup_read_ops) = (None, None)).is_empty());
        assert!(ids(|r| accounting(r).process_read = Some(0)).is_empty());
    }

    #[test]
    fn splits_by_the_kernel_are_no_mismatch_but_strangers_are() {
        assert!(ids(|r| accounting(r).cgroup_read_ops = Some(48_000)).is_empty());
        let got = ids(|r| {
            let a = accounting(r);
            a.cgroup_read_ops = a.cgroup_read_ops.map(|n| n + 2000);
            a.cgroup_read = a.cgroup_read.map(|n| n + 2000 * 8192);
        });
        assert_eq!(got, [("accounting-mismatch".into(), Severity::Doubt)]);
        assert!(ids(|r| accounting(r).cgroup_read_ops = accounting(r).cgroup_read_ops.map(|n| n + 32)).is_empty());
    }

    #[test]
    fn a_neighbour_on_the_device_is_named_with_his_share() {
        let got = ids(|r| accounting(r).device_write = Some(50_000_000));
        assert_eq!(got, [("foreign-load".into(), Severity::Doubt)]);
        let small = ids(|r| accounting(r).device_ops = accounting(r).device_ops.map(|n| n + n / 10));
        assert_eq!(small, [("foreign-load".into(), Severity::Doubt)], "many small ones, few bytes");
    }

    fn more(value: Option<u64>, by: u64) -> Option<u64> {
        value.map(|v| v + by)
    }

    #[test]
    fn requests_split_by_the_kernel_are_nobody_else() {
        // As measured on virtio: 2,967 reads of 1 MiB counted as 5,968 requests, the bytes equal.
        let split = |size: u64, extra_bytes: u64| {
            ids_of(randread(size), Run::at(1, 929.0), |r| {
                r.preflight.storage.devices[0].max_request = Bytes(4 << 20);
                let a = accounting(r);
                (a.device_ops, a.cgroup_read_ops) = (a.device_ops.map(|n| n * 2), a.cgroup_read_ops.map(|n| n * 2));
                a.device_read = more(a.device_read, extra_bytes);
            })
        };
        assert!(split(1 << 20, 0).is_empty());
        assert!(split(128 << 10, 0).is_empty());
        let foreign = [("foreign-load".to_owned(), Severity::Doubt)];
        assert_eq!(split(1 << 20, 400 << 20), foreign, "a tenth more bytes are somebody else's");
        assert_eq!(split(64 << 10, 0), foreign, "a small request is not split: its double is a stranger's");
    }

    #[test]
    fn without_a_count_of_bytes_splits_are_not_taken_for_a_mismatch() {
        let doubled = |size| {
            ids_of(randread(size), Run::at(1, 900.0), |r| {
                let a = accounting(r);
                (a.cgroup_read, a.cgroup_read_ops) = (None, a.cgroup_read_ops.map(|n| n * 2));
            })
        };
        assert!(doubled(1 << 20).is_empty());
        assert_eq!(doubled(8192), [("accounting-mismatch".to_owned(), Severity::Doubt)]);
    }

    #[test]
    fn the_runs_own_journal_is_neither_a_mismatch_nor_a_stranger() {
        let writes = |beside: u64| {
            ids_of(Workload::new(Mix::WRITE, Bytes(8192), Access::RANDOM), Run::at(1, 100.0), |r| {
                let a = accounting(r);
                (a.cgroup_write_ops, a.cgroup_write) =
                    (more(a.cgroup_write_ops, beside), more(a.cgroup_write, beside * 4096));
                (a.device_ops, a.device_write) = (more(a.device_ops, beside), more(a.device_write, beside * 4096));
            })
        };
        // 4 s of 100 writes each: 15 operations a second beside them are a seventh more, and ours.
        assert!(writes(60).is_empty(), "{:?}", writes(60));
        let found: Vec<String> = writes(400).into_iter().map(|f| f.0).collect();
        assert_eq!(found, ["accounting-mismatch", "foreign-load"], "100 a second are not");
    }

    #[test]
    fn writes_that_were_not_charged_are_not_made_up_for_by_the_journal() {
        let got = ids_of(Workload::new(Mix::WRITE, Bytes(8192), Access::RANDOM), Run::at(1, 1000.0), |r| {
            let a = accounting(r);
            (a.cgroup_write_ops, a.cgroup_write) =
                (a.cgroup_write_ops.map(|n| n - 40), a.cgroup_write.map(|n| n - 40 * 8192));
        });
        assert_eq!(got, [("accounting-mismatch".to_owned(), Severity::Doubt)]);
    }

    #[test]
    fn a_smaller_doubt_of_one_pass_does_not_hide_the_cache_behind_another() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, randread(8192));
        rig.step(stage, Run::at(32, 6000.0));
        rig.step(stage, Run { pass: 1, ..Run::at(32, 6000.0) });
        let mut record = rig.record();
        let first = record.steps[0].accounting.as_mut().unwrap();
        first.device_write = Some(50_000_000);
        let second = record.steps[1].accounting.as_mut().unwrap();
        (second.process_read, second.cgroup_read, second.cgroup_read_ops) = (Some(4096), None, None);
        let levels = crate::figures::levels(&record);
        let found: Vec<_> = doubts(&record, &levels[0][0]).into_iter().map(|c| (c.id, c.step)).collect();
        assert_eq!(found, [("foreign-load".into(), Some(0)), ("direct-not-honoured".into(), Some(1))]);
    }
}
