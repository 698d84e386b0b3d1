//! Checks that the bytes came from the device. The checks cover memory used as storage, the accounting ratio, which is
//! bytes charged to us over bytes requested (docs/design/storage.md, "The accounting ratio"), and the kernel's other
//! counters of a step.
//!
//! Unintended effects make figures invalid: memory under the target, direct I/O that did not reach the device, or other
//! processes that used most of the device. A page cache that the user requested is reported and its figures are kept,
//! but they show no limit of the storage and meet no need ([`from_cache`]).

use crate::levels::accounting::{OWN_BLOCK, SLOWED, lasted, may_be_split, own_writes};
use crate::levels::disturbance::{Disturbance, Shares};
use crate::levels::figures::Level;
use crate::limits::caps;
use messages::sentence;
use model::plan::{KindName, StageRole, TargetKind};
use model::record::{Accounting, Step, StorageFacts};
use model::{Bytes, Caveat, RunRecord, Sentence, Severity, Target, bounds::LimitAxis};

/// Minimum share of the requested bytes that must be charged; if less was charged, a cache served the rest.
const FULL: f64 = 0.98;
/// Share of foreign bytes or operations, relative to ours, from which they matter.
const FOREIGN: f64 = 0.05;
/// Share of foreign work, relative to ours, from which our rate does not represent the device, if no limit gives its
/// total capacity.
const CROWDED: f64 = 0.5;
/// Maximum use of the path, relative to its peak in the same run (both including the load of all processes), at which
/// it had room for more.
const ROOM: f64 = 0.5;

/// Identifier of the doubt about memory.
pub(crate) const MEMORY: &str = "memory-backed";
const FROM_CACHE: &str = "served-from-cache";
pub(crate) const FOREIGN_LOAD: &str = "foreign-load";

/// Returns `true` if part of a level came from the page cache, as requested or expected. Its figures are valid, but
/// they are not those of the storage. The level must have its caveats already (`caveats::mark`).
pub(crate) fn from_cache(level: &Level) -> bool {
    level.figures.caveats.iter().any(|c| c == FROM_CACHE)
}

/// Returns `true` if others used the device during a level. The level must have its caveats already (`caveats::mark`).
pub(crate) fn disturbed(level: &Level) -> bool {
    level.figures.caveats.iter().any(|c| c == FOREIGN_LOAD)
}

/// Returns doubts from the kernel's counters for one level.
pub(crate) fn doubts(record: &RunRecord, level: &Level) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    if !level.job.target.kind.is_local() {
        return caveats;
    }
    let memory = memory(record, level);
    caveats.extend(memory.as_ref().map(|place| no_storage(place).at_step(level.steps[0])));
    for (index, disturbed) in level.each_step() {
        let step = &record.steps[index];
        let Some(accounting) = &step.accounting else { continue };
        if step.job.tuning.opening.commands {
            // Commands bypass the kernel's counters: nothing is charged, and others cannot be distinguished.
            continue;
        }
        // One report is enough, and memory as the storage is the more informative one.
        if memory.is_none() && !caveats.iter().any(|c: &Caveat| c.id == "direct-not-honoured" || c.id == FROM_CACHE) {
            caveats.extend(served_from_cache(record, step, accounting).map(|c| c.at_step(index)));
        }
        caveats.extend(charged_operations(record, step, accounting).map(|c| c.at_step(index)));
        let others = Others::from_step(record, step, disturbed);
        caveats.extend(others.and_then(|others| foreign_load(record, level, others)).map(|c| c.at_step(index)));
    }
    caveats
}

/// Returns the reason why a level was measured on memory, if any of its targets is memory.
fn memory(record: &RunRecord, level: &Level) -> Option<Sentence> {
    let named = record.plan.targets.iter().zip(&record.preflight.under_each);
    let of_target = |name: &String, why| Sentence::concat([name.into(), ": ".into(), why]);
    let some = named.filter_map(|(target, storage)| Some(of_target(&target.name, of_storage(storage)?)));
    let some = Sentence::join(some, "; ");
    if !some.is_empty() {
        return Some(some);
    }
    let reason = level.job.targets().find_map(|target| of_storage(under(record, target)))?;
    // A file system in memory sends nothing to the block layer: bytes that arrived there belong to another place.
    let through = |step: &usize| {
        let a = record.steps[*step].accounting.as_ref()?;
        let read = reached(a.asked_read, a.process_read, a.cgroup_read);
        let write = reached(a.asked_write, a.process_write, a.cgroup_write);
        read.into_iter().chain(write).reduce(f64::min)
    };
    let devices = !under(record, &level.job.target).devices.is_empty();
    let disproved = !devices && level.steps.iter().filter_map(through).any(|share| share >= FULL);
    (!disproved).then_some(reason)
}

/// Returns the storage under a target.
fn under<'a>(record: &'a RunRecord, target: &Target) -> &'a StorageFacts {
    let preflight = &record.preflight;
    let on_device = |s: &&StorageFacts| {
        target.kind == TargetKind::Device
            && s.filesystem == "none"
            && s.devices.first().is_some_and(|d| target.path.file_name().is_some_and(|n| n == d.name.as_str()))
    };
    let above = |s: &&StorageFacts| !s.mount_point.is_empty() && target.path.starts_with(&s.mount_point);
    let each = &preflight.under_each;
    each.iter()
        .find(on_device)
        .or_else(|| each.iter().filter(above).max_by_key(|s| s.mount_point.len()))
        .unwrap_or(&preflight.storage)
}

fn of_storage(storage: &StorageFacts) -> Option<Sentence> {
    storage.memory.as_ref().map(Sentence::from)
}

/// Returns the same doubt for a run as a whole, for callers that do not use levels.
pub(crate) fn run_on_memory(record: &RunRecord) -> Option<Caveat> {
    let each = std::iter::once(&record.preflight.storage).chain(&record.preflight.under_each);
    let mut places: Vec<Sentence> = each.filter_map(of_storage).collect();
    places.sort();
    places.dedup();
    (!places.is_empty()).then(|| no_storage(&Sentence::join(places, "; ")))
}

fn no_storage(place: &Sentence) -> Caveat {
    Caveat::new(MEMORY, Severity::Invalid, sentence!("doubt-memory-backed"), place)
        .remedy(sentence!("remedy-memory-backed"))
}

/// Returns the share of the requested bytes that went to the block layer. `None` if nothing was requested or no counter
/// covers it.
///
/// The larger of two counters is used: the control group may not count a device, and the process counter may miss
/// kernel threads that work for us; neither counts work that did not happen.
fn reached(asked: u64, process: Option<u64>, cgroup: Option<u64>) -> Option<f64> {
    let charged = process.into_iter().chain(cgroup).max()?;
    (asked > 0).then(|| charged as f64 / asked as f64)
}

fn served_from_cache(record: &RunRecord, step: &Step, a: &Accounting) -> Option<Caveat> {
    let direct = step.job.target.direct;
    let read = reached(a.asked_read, a.process_read, a.cgroup_read).map(|r| (r, "read", a.asked_read));
    let write = reached(a.asked_write, a.process_write, a.cgroup_write);
    // A buffered write is charged when it makes a page dirty. The bytes written back by then are counted by the device,
    // which includes the writes of all processes; ours are at most that many.
    let back = a.device_write.filter(|_| !direct && a.asked_write > 0).map(|w| w as f64 / a.asked_write as f64);
    let write = write.into_iter().chain(back).reduce(f64::min).map(|r| (r, "written", a.asked_write));
    let (ratio, verb, asked) = read.into_iter().chain(write).min_by(|a, b| a.0.total_cmp(&b.0))?;
    if ratio >= FULL {
        return None;
    }
    let share = format!("{:.1}", ratio * 100.0);
    let evidence = sentence!("seen-charged", share, asked = Bytes(asked), verb);
    let caveat = if direct {
        Caveat::new("direct-not-honoured", Severity::Invalid, sentence!("doubt-direct-not-honoured"), evidence)
            .remedy(sentence!("remedy-direct-not-honoured"))
    } else if let Some(reason) = unasked(record) {
        Caveat::new(
            "direct-not-honoured",
            Severity::Invalid,
            sentence!("doubt-no-direct"),
            Sentence::join([evidence, reason], "; "),
        )
        .remedy(sentence!("remedy-no-direct"))
    } else {
        Caveat::new(FROM_CACHE, Severity::Doubt, sentence!("doubt-served-from-cache"), evidence)
            .remedy(sentence!("remedy-served-from-cache"))
    };
    Some(caveat.weighing(1.0 - ratio))
}

/// Returns the reason why a run intended for direct I/O went through the page cache, if the user did not request that.
fn unasked(record: &RunRecord) -> Option<Sentence> {
    let refusal = Sentence::from(record.preflight.storage.direct_refused.as_ref()?);
    let asked = record.plan.args.iter().any(|a| a == "--buffered");
    let promised = record.plan.kind.is_qualification() || record.plan.kind.name() == KindName::Mark;
    (promised && !asked).then_some(refusal)
}

/// Compares the operations with the control group's count, allowing for operations in flight at the start and the end,
/// and for the run's own writes. More operations with the same bytes are kernel splits and not a mismatch.
fn charged_operations(record: &RunRecord, step: &Step, a: &Accounting) -> Option<Caveat> {
    let pairs = [
        ("reads", 0.0, a.asked_read_ops, a.cgroup_read_ops, a.asked_read, a.cgroup_read),
        ("writes", own_writes(step), a.asked_write_ops, a.cgroup_write_ops, a.asked_write, a.cgroup_write),
    ];
    // The kernel chooses when buffered I/O is charged, and flushes add journal blocks to the writes.
    if !step.job.target.direct || step.job.workload.flush_every.is_some() {
        return None;
    }
    let edges = f64::from(step.job.concurrency());
    let size = step.job.workload.block.max().as_u64() as f64;
    for (what, own, asked, charged, asked_bytes, bytes) in pairs {
        let Some(charged) = charged.filter(|_| asked > 0) else { continue };
        // The run's own writes can only increase the count.
        let off = |x: u64, y: u64, edge: f64, own: f64| {
            let (x, y) = (x as f64, y as f64);
            (if y > x { (y - x - own).max(0.0) } else { x - y }) > edge.max(0.005 * x)
        };
        // If another counter saw the bytes, a count below the requested one means that the group does not count every
        // device or did not count all the time.
        let seen = if what == "reads" { a.process_read } else { a.process_write };
        if charged < asked && seen.is_some_and(|seen| seen as f64 >= FULL * asked_bytes as f64) {
            continue;
        }
        // Without a count of bytes, operations prove nothing if the kernel may have split them.
        let bytes_differ = match bytes {
            Some(b) => off(asked_bytes, b, edges * size, own * OWN_BLOCK),
            None => charged < asked || !may_be_split(record, step),
        };
        if off(asked, charged, edges, own) && bytes_differ {
            let edges = step.job.concurrency();
            let evidence = sentence!("seen-other-operations", asked, what, charged, edges);
            let doubt = sentence!("doubt-other-operations");
            return Some(
                Caveat::new("accounting-mismatch", Severity::Doubt, doubt, evidence)
                    .remedy(sentence!("remedy-other-operations")),
            );
        }
    }
    None
}

/// Returns the operations charged to the control group, reads and writes.
fn charged_ops(a: &Accounting) -> Option<u64> {
    Some(a.cgroup_read_ops?.saturating_add(a.cgroup_write_ops?))
}

/// Returns `true` if the kernel split requests of this step: the control group was charged with more operations than
/// requested, but with no more bytes. File systems split requests of any size if the file is fragmented.
fn is_split(a: &Accounting) -> bool {
    let asked_ops = a.asked_read_ops.saturating_add(a.asked_write_ops) as f64;
    let asked = a.asked_read.saturating_add(a.asked_write) as f64;
    let bytes = a.cgroup_read.zip(a.cgroup_write).map(|(read, write)| read.saturating_add(write) as f64);
    charged_ops(a).is_some_and(|ops| ops as f64 > asked_ops * (1.0 + FOREIGN))
        && bytes.is_some_and(|bytes| bytes <= asked * (1.0 + FOREIGN))
}

/// Activity of others on the device during a step, as shares of our activity.
#[derive(Debug, Clone, Copy)]
struct Others {
    bytes: f64,
    /// `None` if operations prove nothing because the kernel may have split ours.
    ops: Option<f64>,
}

impl Others {
    /// Computes the activity in the part of a step that was not set aside.
    fn from_step(record: &RunRecord, step: &Step, disturbed: Option<&Disturbance>) -> Option<Others> {
        // Flushes write the file system's journal, which belongs to us although it was not requested.
        if step.job.workload.flush_every.is_some() || !step.job.target.direct {
            return None;
        }
        let split = may_be_split(record, step) || step.accounting.as_ref().is_some_and(is_split);
        if let Some(disturbance) = disturbed {
            let Shares { bytes, ops, .. } = disturbance.quiet;
            let others = Others { bytes, ops: (!split).then_some(ops) };
            return (others.most().0 > FOREIGN).then_some(others);
        }
        let a = step.accounting.as_ref()?;
        let secchi_writes = own_writes(step);
        let ours = a.asked_read.saturating_add(a.asked_write);
        let device = a.device_read?.saturating_add(a.device_write?);
        let excess = |all: u64, ours: u64, secchi_writes: f64| {
            (all.saturating_sub(ours) as f64 - secchi_writes).max(0.0) / (ours as f64).max(1.0)
        };
        let asked_ops = a.asked_read_ops.saturating_add(a.asked_write_ops);
        let ours_ops = if is_split(a) { charged_ops(a).unwrap_or(asked_ops) } else { asked_ops };
        let ops = a.device_ops.filter(|_| !may_be_split(record, step)).map(|ops| excess(ops, ours_ops, secchi_writes));
        let others = Others { bytes: excess(device, ours, secchi_writes * OWN_BLOCK), ops };
        (ours > 0 && others.most().0 > FOREIGN).then_some(others)
    }

    /// Returns the larger share and its unit. Operations reveal more about small foreign I/O.
    fn most(self) -> (f64, &'static str) {
        match self.ops {
            Some(ops) if ops > self.bytes => (ops, "operations"),
            _ => (self.bytes, "bytes"),
        }
    }

    /// Returns the share in the unit that a limit counts.
    fn on(self, axis: LimitAxis) -> f64 {
        match axis {
            LimitAxis::Iops => self.ops.unwrap_or(self.bytes),
            LimitAxis::Bandwidth => self.bytes,
        }
    }
}

/// Returns the activity of others on the device during a level as a share of our activity, from its most disturbed
/// step.
pub(crate) fn foreign(record: &RunRecord, level: &Level) -> f64 {
    let others = level.each_step().filter_map(|(i, disturbed)| Others::from_step(record, &record.steps[i], disturbed));
    others.map(|others| others.most().0).fold(0.0, f64::max)
}

/// Returns `true` if others used the device so much during a level that they may have slowed it down.
pub(crate) fn slowed_by_others(record: &RunRecord, level: &Level) -> bool {
    foreign(record, level) > SLOWED
}

fn foreign_load(record: &RunRecord, level: &Level, others: Others) -> Option<Caveat> {
    let (share, what) = others.most();
    let evidence = sentence!("seen-foreign-load", share = format!("{:.0}", share * 100.0), what);
    let caveat = if let Some(beyond) = took_ours(record, level, others) {
        let evidence = Sentence::join([evidence].into_iter().chain(beyond), "; ");
        Caveat::new(FOREIGN_LOAD, Severity::Invalid, sentence!("doubt-taken-by-others"), evidence)
    } else {
        Caveat::new(FOREIGN_LOAD, Severity::Doubt, sentence!("doubt-foreign-load"), evidence)
    };
    Some(caveat.weighing(share).remedy(sentence!("remedy-foreign-load")))
}

/// Returns extra evidence if the activity of others reduced a level's own rate, otherwise `None`. If a purchased limit
/// is known, they reduced it if they used more than the headroom that we left. Without a known limit, they reduced it
/// if they did at least half of our work and the path was busy ([`path_use`]).
///
/// This does not apply if a known limit or the requested rate was delivered in full, because there was room for both.
/// Nor does it apply to a level that only leads to the sustained one: it is not an answer by itself, and the ramp can
/// do without it.
fn took_ours(record: &RunRecord, level: &Level, others: Others) -> Option<Vec<Sentence>> {
    let role = record.stage_of(&record.steps[level.steps[0]]).role;
    let on_the_way = matches!(role, StageRole::Ramp | StageRole::Probe) && !level.figures.hold;
    let paced = level.job.tuning.work.paced().is_some()
        || level.held_back().is_some()
        || (level.job.workload.pacing.rate().is_some() && level.missed_rate().is_none());
    if on_the_way || paced || level.only_a_cap || caps::at_any(record, level) {
        return None;
    }
    // The allowance of a control group is ours alone.
    let rows: Vec<caps::Cap> =
        caps::caps(record, level).into_iter().filter(|c| !c.is_cgroup() && c.burst.is_none()).collect();
    if rows.is_empty() {
        return (others.most().0 > CROWDED && path_use(record, level) > ROOM).then(Vec::new);
    }
    let full = |cap: &&caps::Cap| level.rate() * (1.0 + others.on(cap.axis)) >= cap.allows * (1.0 - caps::TOLERANCE);
    let cap = rows.iter().find(full)?;
    let ours = (level.rate() / cap.allows * 100.0).min(100.0);
    Some(vec![sentence!("seen-ours-of-cap", cap = cap.phrase(), ours = format!("{ours:.0}"))])
}

/// Returns an upper bound on the share of the path's capacity that was used during a level, by all processes together.
/// Every step of the run with the same mix and access shows a rate in operations and a rate in bytes that the device
/// can reach at the same time. For each such step, the share is the larger of the two ratios between the level's rates
/// and those of the step; the smallest share over all steps is returned. Infinite if the device has no counters.
fn path_use(record: &RunRecord, level: &Level) -> f64 {
    let workload = &level.job.workload;
    let of_step = |step: &Step| {
        let a = step.accounting.as_ref()?;
        let time = lasted(step).max(1e-9);
        Some((a.device_ops? as f64 / time, a.device_read?.saturating_add(a.device_write?) as f64 / time))
    };
    let alike = |step: &&Step| (step.job.workload.mix, step.job.workload.access) == (workload.mix, workload.access);
    let use_of = |here: usize| {
        let (ops, bytes) = of_step(&record.steps[here])?;
        let shown = record.steps.iter().filter(alike).filter_map(of_step);
        Some(shown.map(|s| (ops / s.0.max(1e-9)).max(bytes / s.1.max(1e-9))).fold(f64::INFINITY, f64::min))
    };
    level.steps.iter().map(|step| use_of(*step).unwrap_or(f64::INFINITY)).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Rig, Run, randread};
    use model::plan::{Access, Mix, StageRole, Workload};

    fn ids(change: impl FnOnce(&mut RunRecord)) -> Vec<(String, Severity)> {
        ids_of(randread(8192), Run::at(32, 6000.0), change)
    }

    fn ids_of(workload: Workload, run: Run, change: impl FnOnce(&mut RunRecord)) -> Vec<(String, Severity)> {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, workload);
        rig.step(stage, run);
        let mut record = rig.record();
        change(&mut record);
        let levels = crate::levels::figures::levels(&record);
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
        // The fallocated file of docs/design/storage.md, "The accounting ratio": 4,096 of 16,384,000 bytes.
        let got = ids(|r| {
            let a = accounting(r);
            a.process_read = Some(4096);
            (a.cgroup_read, a.cgroup_read_ops) = (Some(0), Some(0));
        });
        assert!(got.contains(&("direct-not-honoured".into(), Severity::Invalid)), "{got:?}");
    }

    #[test]
    fn commands_that_pass_the_kernels_counts_by_raise_no_doubt() {
        let got = ids(|r| {
            r.steps[0].job.tuning.opening.commands = true;
            let a = accounting(r);
            (a.process_read, a.cgroup_read, a.cgroup_read_ops) = (Some(0), Some(0), Some(0));
        });
        assert!(got.is_empty(), "{got:?}");
    }

    #[test]
    fn memory_is_no_storage_with_or_without_counters_and_direct_io() {
        let invalid = [("memory-backed".to_owned(), Severity::Invalid)];
        let got = ids(|r| {
            r.preflight.storage.memory = Some("tmpfs keeps its files in memory".into());
            r.steps[0].accounting = None;
        });
        assert_eq!(got, invalid, "a record from before the fact was kept");
        for direct in [true, false] {
            let got = ids(|r| {
                r.preflight.storage.memory = Some("zram0 is compressed memory (zram)".into());
                r.steps[0].job.target.direct = direct;
            });
            assert_eq!(got, invalid, "what a device in memory was charged for is no storage either");
        }
    }

    #[test]
    fn of_several_storages_the_one_under_the_target_speaks() {
        let got = |path: &str| {
            ids(|r| {
                let on = |point: &str, memory: Option<&str>| StorageFacts {
                    mount_point: point.into(),
                    memory: memory.map(Into::into),
                    ..r.preflight.storage.clone()
                };
                r.preflight.under_each = vec![on("/", None), on("/fast", Some("tmpfs keeps its files in memory"))];
                r.preflight.storage = r.preflight.under_each[1].clone();
                r.steps[0].job.target.path = path.into();
            })
        };
        assert!(got("/data/file").is_empty(), "{:?}", got("/data/file"));
        assert_eq!(got("/fast/file"), [("memory-backed".to_owned(), Severity::Invalid)]);
    }

    #[test]
    fn a_page_cache_that_nobody_asked_for_is_invalid() {
        let buffered = |args: &[&str]| {
            ids(|r| {
                r.plan.kind = model::RunKind::Blocks;
                r.plan.args = args.iter().map(|a| (*a).to_owned()).collect();
                r.preflight.storage.direct_refused = Some("ecryptfs says that it cannot".into());
                r.steps[0].job.target.direct = false;
                (accounting(r).process_read, accounting(r).cgroup_read) = (Some(0), None);
            })
        };
        assert_eq!(buffered(&["/x"]), [("direct-not-honoured".to_owned(), Severity::Invalid)]);
        assert_eq!(buffered(&["/x", "--buffered"]), [("served-from-cache".to_owned(), Severity::Doubt)]);
    }

    #[test]
    fn buffered_writes_that_stayed_in_memory_are_said_to_be_there() {
        let got = |back: u64| {
            ids_of(Workload::new(Mix::WRITE, Bytes(8192), Access::RANDOM), Run::at(4, 6000.0), |r| {
                r.steps[0].job.target.direct = false;
                accounting(r).device_write = Some(back);
            })
        };
        assert_eq!(got(1 << 20), [("served-from-cache".to_owned(), Severity::Doubt)]);
        assert!(got(1 << 40).is_empty());
    }

    #[test]
    fn others_that_took_most_of_the_device_make_a_figure_invalid_unless_there_was_room() {
        let crowd = |change: &dyn Fn(&mut RunRecord)| {
            ids(|r| {
                let a = accounting(r);
                a.device_read = a.device_read.map(|b| b * 2);
                change(r);
            })
        };
        let expected = |severity| [("foreign-load".to_owned(), severity)];
        assert_eq!(crowd(&|_| ()), expected(Severity::Invalid));
        assert_eq!(crowd(&|r| r.plan.stages[0].role = StageRole::Ramp), expected(Severity::Doubt), "only on the way");
        let held = |r: &mut RunRecord| {
            r.plan.stages[0].role = StageRole::Ramp;
            r.steps[0].hold = true;
        };
        assert_eq!(crowd(&held), expected(Severity::Invalid));
        let limited = |r: &mut RunRecord| r.plan.limits = vec!["volume iops=6000".parse().expect("a limit")];
        assert_eq!(crowd(&limited), expected(Severity::Doubt), "the limit was delivered in full");
        // 6,000 for us and 6,000 for others: a limit of 20,000 left 14,000 for them, one of 10,000 left too few.
        let bought = |row: &'static str| move |r: &mut RunRecord| r.plan.limits = vec![row.parse().expect("a limit")];
        assert_eq!(crowd(&bought("volume iops=20000")), expected(Severity::Doubt), "there was room for both");
        assert_eq!(crowd(&bought("volume iops=20000 mbps=80MB")), expected(Severity::Invalid), "not for the bytes");
        let little = |row: &'static str| {
            ids(move |r| {
                r.plan.limits = vec![row.parse().expect("a limit")];
                let a = accounting(r);
                a.device_read = a.device_read.map(|b| b * 5 / 4);
                a.device_ops = a.device_ops.map(|n| n * 5 / 4);
            })
        };
        assert_eq!(little("volume iops=7500"), expected(Severity::Invalid), "a quarter of ours, and all that was left");
        assert_eq!(little("volume iops=9000"), expected(Severity::Doubt));
        let paced =
            |r: &mut RunRecord| r.steps[0].job.workload.pacing = model::plan::Pacing::Fixed(model::Iops(6000.0));
        assert_eq!(crowd(&paced), expected(Severity::Doubt), "so was the rate asked for");
    }

    #[test]
    fn others_took_nothing_where_the_path_did_far_more_in_the_same_run() {
        // 93.75 MB/s next to 105 MB/s of others; another level reached `most` MB/s, at this size or at 4 KiB.
        let severity = |most: f64, size: u64| {
            let mut rig = Rig::new();
            let stage = rig.stage("r", StageRole::Fixed, randread(64 << 10));
            rig.step(stage, Run::at(8, 93.75e6 / 65_536.0));
            let fast = rig.stage("f", StageRole::Fixed, randread(size));
            rig.step(fast, Run::at(8, most * 1e6 / size as f64));
            let mut record = rig.record();
            let a = record.steps[0].accounting.as_mut().expect("counted");
            a.device_write = Some(4 * 105_000_000);
            a.device_ops = a.device_ops.map(|ops| ops * 2);
            let levels = crate::levels::figures::levels(&record);
            doubts(&record, &levels[0][0]).into_iter().map(|c| c.severity).collect::<Vec<_>>()
        };
        assert_eq!(severity(4000.0, 64 << 10), [Severity::Doubt]);
        assert_eq!(severity(250.0, 64 << 10), [Severity::Invalid], "four fifths of it were used");
        assert_eq!(severity(4000.0, 256 << 10), [Severity::Doubt]);
        assert_eq!(severity(4000.0, 1 << 20), [Severity::Invalid], "bytes had room, operations had none");
        assert_eq!(severity(250.0, 4096), [Severity::Invalid], "operations had room, bytes had none");
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
        // As measured on virtio: 2,967 reads of 1 MiB counted as 5,968 requests with the same number of bytes.
        let split = |size: u64, extra_bytes: u64| {
            ids_of(randread(size), Run::at(1, 929.0), |r| {
                r.preflight.storage.devices[0].max_request = Bytes::from_mib(4);
                let a = accounting(r);
                (a.device_ops, a.cgroup_read_ops) = (a.device_ops.map(|n| n * 2), a.cgroup_read_ops.map(|n| n * 2));
                a.device_read = more(a.device_read, extra_bytes);
            })
        };
        assert!(split(1 << 20, 0).is_empty());
        assert!(split(128 << 10, 0).is_empty());
        let foreign = [("foreign-load".to_owned(), Severity::Doubt)];
        assert_eq!(split(1 << 20, 400 << 20), foreign, "a tenth more bytes are somebody else's");
        // ext4 splits small requests too, if the blocks of a file are not contiguous: the group was charged with every
        // request.
        assert!(split(64 << 10, 0).is_empty(), "the group's count is ours: {:?}", split(64 << 10, 0));
        let most = [("foreign-load".to_owned(), Severity::Invalid)];
        let others = ids_of(randread(64 << 10), Run::at(1, 929.0), |r| {
            let a = accounting(r);
            a.device_ops = a.device_ops.map(|n| n * 2);
        });
        assert_eq!(others, most, "operations that the group was not charged with are others'");
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
        // 4 s with 100 writes each: 15 additional operations per second are a seventh more, but they are the run's own.
        assert!(writes(60).is_empty(), "{:?}", writes(60));
        let ids: Vec<String> = writes(400).into_iter().map(|f| f.0).collect();
        assert_eq!(ids, ["accounting-mismatch", "foreign-load"], "100 a second are not");
    }

    #[test]
    fn writes_that_were_not_charged_are_not_made_up_for_by_the_journal() {
        let got = ids_of(Workload::new(Mix::WRITE, Bytes(8192), Access::RANDOM), Run::at(1, 1000.0), |r| {
            let a = accounting(r);
            (a.cgroup_write_ops, a.cgroup_write) =
                (a.cgroup_write_ops.map(|n| n - 40), a.cgroup_write.map(|n| n - 40 * 8192));
            a.process_write = None;
        });
        assert_eq!(got, [("accounting-mismatch".to_owned(), Severity::Doubt)]);
    }

    #[test]
    fn a_group_that_does_not_count_a_device_was_charged_with_nothing_else() {
        // Two targets side by side, a rule on one of them: version 1 counts only that target.
        let got = ids(|r| {
            let a = accounting(r);
            (a.cgroup_read_ops, a.cgroup_read) = (a.cgroup_read_ops.map(|n| n / 2), a.cgroup_read.map(|n| n / 2));
        });
        assert!(got.is_empty(), "{got:?}");
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
        let levels = crate::levels::figures::levels(&record);
        let caveats: Vec<_> = doubts(&record, &levels[0][0]).into_iter().map(|c| (c.id, c.step)).collect();
        assert_eq!(caveats, [("foreign-load".into(), Some(0)), ("direct-not-honoured".into(), Some(1))]);
    }
}
