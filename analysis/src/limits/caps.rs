//! Known limit rows as constraints on one level: the rate each of them allows (docs/design/limits.md, "What limits
//! allow").

use crate::levels::accounting::{OWN_BLOCK, lasted, own_writes};
use crate::levels::figures::Level;
use messages::sentence;
use model::bounds::{Burst, LimitAxis, LimitSource};
use model::{BytesPerSecond, CompactSort, Iops, Limit, Nanos, Op, RunRecord, Sentence, plan::BlockSizes};

/// Relative tolerance within which published and configured caps are met.
pub(crate) const TOLERANCE: f64 = 0.03;
/// Relative difference up to which the rates that rows allow count as one value.
pub(crate) const EQUAL: f64 = 0.005;
/// Maximum relative half-width of an interval: a wider one proves nothing about a cap and is cut.
const WIDEST: f64 = 0.05;

/// One axis of a limit row, applied to one level.
#[derive(Debug, Clone)]
pub(crate) struct Cap<'a> {
    pub limit: &'a Limit,
    pub axis: LimitAxis,
    /// Name, such as `volume IOPS` or `cgroup read bandwidth`.
    pub name: String,
    /// Operations per second of the whole workload that the cap allows.
    pub allows: f64,
    /// Burst level above the cap, if this entry is the burst and not the cap.
    pub burst: Option<Burst>,
    /// Operations per second allowed if sequential neighbours were merged as far as the limit merges them.
    pub merged: Option<f64>,
    /// Index of its row, counted over declared and detected rows.
    pub row: usize,
    /// Rate in the unit of the axis.
    rate: f64,
    /// Share of the workload's operations that the limit applies to.
    share: f64,
    charge: Charge,
}

/// Returns all known caps at a level, the tightest first. Declared rows come before detected ones of the same value.
pub(crate) fn caps<'a>(record: &'a RunRecord, level: &Level) -> Vec<Cap<'a>> {
    let mut caps = Vec::new();
    for (row, limit) in record.plan.limits.iter().chain(found(record, level)).enumerate() {
        for axis in [LimitAxis::Iops, LimitAxis::Bandwidth] {
            let bursts = limit.burst(axis).map(|burst| (burst.rate, Some(burst)));
            for (rate, burst) in limit.cap(axis).map(|cap| (cap, None)).into_iter().chain(bursts) {
                caps.extend(cap(record, level, limit, axis, (rate, burst)).map(|cap| Cap { row, ..cap }));
            }
        }
    }
    caps.retain(|c| c.allows.is_finite() && c.allows > 0.0);
    caps.compact_sort_by(|a, b| a.allows.total_cmp(&b.allows));
    caps
}

/// Maximum delay until secchi notices new limits of our control group: it reads them every second and when steps begin
/// and end.
const LOOKED: Nanos = Nanos::from_millis(1_200);

/// Returns `true` if the figures of a level were measured under several limits of our control group, so that they
/// belong to none of them. If limits changed during a step but only the time after the change is kept, the figures
/// belong to one limit.
pub(crate) fn of_several(record: &RunRecord, level: &Level) -> bool {
    level.steps.iter().map(|i| &record.steps[*i]).any(|step| {
        let Some(end) = &step.end else { return false };
        let changed = end.caps.iter().map(|seen| seen.from).filter(|from| *from > step.start).max();
        let kept = level.seconds.iter().filter(|i| i.start >= step.start && i.start < end.at);
        changed
            .zip(kept.map(|i| i.start).min())
            .is_some_and(|(changed, from)| from.as_nanos() + LOOKED.as_nanos() < changed.as_nanos())
    })
}

/// Returns `true` if the control group's limit at the end of a level was still in force at the end of the run.
pub(crate) fn still_holds(record: &RunRecord, cap: &Cap) -> bool {
    let last = record.steps.iter().rev().find_map(|s| s.end.as_ref());
    let now = last.and_then(|end| end.caps.last()).map_or(&record.preflight.limits, |seen| &seen.limits);
    !cap.is_cgroup() || now.contains(cap.limit)
}

/// Returns the limits of our control group at the end of a level: those of the preflight, unless they changed since.
/// Returns none if the figures were measured under several limits.
fn found<'a>(record: &'a RunRecord, level: &Level) -> &'a [Limit] {
    if of_several(record, level) {
        return &[];
    }
    let last = level.steps.last().and_then(|i| record.steps[*i].end.as_ref()?.caps.last());
    last.map_or(&record.preflight.limits, |seen| &seen.limits)
}

fn cap<'a>(
    record: &RunRecord,
    level: &Level,
    limit: &'a Limit,
    axis: LimitAxis,
    (rate, burst): (f64, Option<Burst>),
) -> Option<Cap<'a>> {
    let share = limit.op.map_or(1.0, |op| level.share(op));
    if share <= 0.0 {
        return None;
    }
    let on = |merged| rate / level.charged(limit, axis, merged) / share;
    let allows = on(false);
    let sequential = !level.job.workload.access.is_random();
    let merged = Some(on(true)).filter(|m| sequential && *m > allows);
    let charge = charge(record, level, limit, axis).with_flushes(record, level, limit, axis, allows);
    let suffix = if burst.is_some() { " burst" } else { "" };
    Some(Cap {
        limit,
        axis,
        name: format!("{}{suffix}", limit.axis_name(axis)),
        allows: (allows - charge.beside / share) / charge.each,
        burst,
        merged,
        row: 0,
        rate,
        share,
        charge,
    })
}

/// Operations that a control group charges.
#[derive(Debug, Clone, Copy)]
struct Charge {
    /// Charged operations per operation of the load: the kernel splits large ones.
    each: f64,
    /// Operations per second that do not belong to the load: the run's journal and the file system's additions to it.
    beside: f64,
}

impl Charge {
    /// Adds the flushes that reach the device, one operation each. If the level exceeded the resulting allowance, the
    /// limit does not count flushes, and nothing is added. A group's own counters already include them.
    fn with_flushes(self, record: &RunRecord, level: &Level, limit: &Limit, axis: LimitAxis, allows: f64) -> Charge {
        let write_back = record.preflight.storage.disk().is_none_or(|disk| disk.write_cache != "write through");
        let touched = axis == LimitAxis::Iops && limit.op != Some(Op::Read);
        if self.each > 1.0 || self.beside > 0.0 || !touched || !write_back {
            return self;
        }
        // Share of the operations that the limit applies to.
        let share = limit.op.map_or(1.0, |op| level.share(op));
        let each = 1.0 + level.flushes() / (level.rate() * share).max(1e-9);
        if above(span(level), allows / each) { self } else { Charge { each, ..self } }
    }
}

/// Returns the operations that a control group charges for a level. They come from its own counters, and only if the
/// bytes agree, so that other processes' operations are not attributed to the load.
fn charge(record: &RunRecord, level: &Level, limit: &Limit, axis: LimitAxis) -> Charge {
    let plain = Charge { each: 1.0, beside: 0.0 };
    let (LimitSource::Cgroup { .. }, LimitAxis::Iops) = (&limit.source, axis) else { return plain };
    let (mut ops, mut asked_ops, mut bytes, mut asked) = (0.0, 0.0, 0.0, 0.0);
    let (mut used, mut time) = (0.0, 0.0);
    for step in level.steps.iter().map(|i| &record.steps[*i]) {
        let Some(a) = &step.accounting else { continue };
        time += lasted(step);
        if limit.op != Some(Op::Write) {
            ops += a.cgroup_read_ops.unwrap_or(0) as f64;
            bytes += a.cgroup_read.unwrap_or(0) as f64;
            asked_ops += a.asked_read_ops as f64;
            asked += a.asked_read as f64;
        }
        if limit.op != Some(Op::Read) {
            ops += a.cgroup_write_ops.unwrap_or(0) as f64;
            bytes += a.cgroup_write.unwrap_or(0) as f64;
            asked_ops += a.asked_write_ops as f64;
            asked += a.asked_write as f64;
            used += own_writes(step);
        }
    }
    let same_bytes = bytes - asked < 0.02 * asked + used * OWN_BLOCK && asked - bytes < 0.02 * asked;
    if asked_ops == 0.0 || time <= 0.0 || !same_bytes {
        return plain;
    }
    let each = split(ops / asked_ops, (ops - used) / asked_ops, &level.job.workload.block);
    Charge { each, beside: (ops - each * asked_ops).clamp(0.0, used) / time }
}

/// Returns the number of requests into which the kernel splits one operation, between `least` and `most`. Operations of
/// one size are all split alike, so the result is the largest whole number in between (there is less than one extra
/// write per operation). The remainder counts as additional operations.
fn split(most: f64, least: f64, block: &BlockSizes) -> f64 {
    let whole = most.floor().max(1.0);
    if most <= 1.02 {
        1.0
    } else if matches!(block, BlockSizes::Fixed(_)) && whole >= least {
        whole
    } else {
        most
    }
}

impl Cap<'_> {
    /// Returns `true` if the cap charges more than one operation for one operation of the load, such as a write and its
    /// flush.
    pub(crate) fn counts_flushes(&self) -> bool {
        self.charge.each > 1.0
    }

    /// Returns the phrase with the figure: `the cgroup's 6,000 read IOPS`, ``the declared limit `volume` of 93.75
    /// MB/s``.
    pub fn phrase(&self) -> Sentence {
        let value = self.figure();
        let figure = match (self.axis, self.limit.op) {
            (LimitAxis::Iops, None) => format!("{value} IOPS").into(),
            (LimitAxis::Iops, Some(op)) => sentence!("row-iops-of", value, op),
            (LimitAxis::Bandwidth, None) => value.into(),
            (LimitAxis::Bandwidth, Some(op)) => sentence!("row-bandwidth-of", value, op),
        };
        let name = &self.limit.name;
        match (&self.limit.source, self.burst) {
            (LimitSource::Cgroup { .. }, _) => sentence!("row-cgroup", name, figure),
            (LimitSource::Declared(_), _) => sentence!("row-declared", name, figure),
            (LimitSource::Catalog { .. }, None) => sentence!("row-published", name, figure),
            (LimitSource::Catalog { .. }, Some(_)) => sentence!("row-published-burst", name, figure),
        }
    }

    /// Returns the seconds for which a full bucket carries `rate` operations per second of the workload above this cap;
    /// `None` if the limit has no burst.
    pub fn burst_seconds(&self, rate: f64) -> Option<f64> {
        let burst = self.limit.burst(self.axis)?;
        let base = self.limit.cap(self.axis)?;
        // The burst is in the unit of the axis: `allows` corresponds to `rate`.
        Some(burst.seconds_at((rate / self.allows * self.rate).min(burst.rate), base))
    }

    /// Returns the maximum rate that bursts or merging can explain without exceeding the published limit.
    pub fn excused(&self) -> f64 {
        let burst = self.limit.burst(self.axis).map_or(self.allows, |b| self.allows * b.rate / self.rate);
        // Both can happen at the same time: neighbours are merged during a burst, too.
        self.merged.map_or(1.0, |m| m / self.allows) * burst.max(self.allows)
    }

    /// Formats the row's own figure: `6,000`, `93.75 MB/s`.
    pub fn figure(&self) -> String {
        self.format(self.rate)
    }

    /// Formats a value in the unit of the axis.
    fn format(&self, value: f64) -> String {
        match self.axis {
            LimitAxis::Iops => Iops(value).to_string(),
            LimitAxis::Bandwidth => BytesPerSecond(value).to_string(),
        }
    }

    /// Formats the measured value against the row, in the row's unit: `5,998 of 6,000 (100 %)`.
    pub fn measured(&self, level: &Level) -> Sentence {
        let used = level.rate() / self.allows * 100.0;
        let each = level.charged(self.limit, self.axis, false) * self.charge.each;
        let charged = level.rate() * self.share * each + self.charge.beside;
        sentence!("figure-of", did = self.format(charged), cap = self.figure(), share = format!("{used:.0} %"))
    }

    /// Returns the phrase for the row without its figure.
    pub fn briefly(&self) -> Sentence {
        let name = &self.limit.name;
        match &self.limit.source {
            LimitSource::Cgroup { .. } => sentence!("row-cgroup-briefly", name),
            LimitSource::Declared(_) => sentence!("row-declared-briefly", name),
            LimitSource::Catalog { .. } => sentence!("row-published-briefly", name),
        }
    }

    /// Adds the necessary remark to a rate at this cap: it runs on credits, or the vendor promises only a share.
    pub fn beside(&self, span: (f64, f64), figure: Sentence) -> Sentence {
        match self.limit.promised {
            _ if self.burst.is_some() => sentence!("figure-on-credits", figure),
            Some(share) if !at(span, self.allows) => {
                sentence!("figure-promised", figure, share = format!("{:.0}", share * 100.0))
            }
            _ => figure,
        }
    }

    pub fn is_cgroup(&self) -> bool {
        matches!(self.limit.source, LimitSource::Cgroup { .. })
    }
}

/// Returns the range of a level's rate for comparison with caps: its interval, or ±3 % without one.
pub(crate) fn span(level: &Level) -> (f64, f64) {
    let half = if level.figures.iops.ci.is_some() { level.half.min(WIDEST) } else { TOLERANCE };
    (level.rate() * (1.0 - half), level.rate() * (1.0 + half))
}

/// Returns `true` if a rate in `span` is at a cap: the span overlaps 0.97 to 1.03 times the cap.
pub(crate) fn at(span: (f64, f64), allows: f64) -> bool {
    span.1 >= (1.0 - TOLERANCE) * allows && span.0 <= (1.0 + TOLERANCE) * allows
}

/// Returns `true` if a rate is below a cap by no more than the vendor reserves.
pub(crate) fn promised(span: (f64, f64), cap: &Cap) -> bool {
    let share = cap.limit.promised.filter(|_| cap.burst.is_none());
    share.is_some_and(|share| span.1 >= share * cap.allows && span.0 <= (1.0 + TOLERANCE) * cap.allows)
}

/// Returns `true` if a rate in `span` is certainly above a cap.
pub(crate) fn above(span: (f64, f64), allows: f64) -> bool {
    span.0 > (1.0 + TOLERANCE) * allows
}

/// Returns `true` if a level is certainly above a cap and no published burst or merging explains it.
pub(crate) fn refutes(cap: &Cap, level: &Level) -> bool {
    cap.burst.is_none() && above(span(level), cap.excused())
}

/// Returns `true` if a level is at any known cap.
pub(crate) fn at_any(record: &RunRecord, level: &Level) -> bool {
    caps(record, level).iter().any(|c| at(span(level), c.allows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Rig, Run, randread};
    use model::Bytes;
    use model::plan::{Access, Mix, SizeShare, StageRole, Workload};

    fn caps_of(rig: Rig) -> Vec<(String, f64)> {
        let record = rig.record();
        let levels = crate::levels::figures::levels(&record);
        caps(&record, &levels[0][0]).iter().map(|c| (c.name.clone(), c.allows.round())).collect()
    }

    #[test]
    fn each_axis_of_a_row_is_a_constraint_of_its_own() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, randread(16384));
        rig.step(stage, Run::at(32, 5720.0));
        rig.declare("instance iops=6000 mbps=93.75MB");
        assert_eq!(caps_of(rig), [("instance bandwidth".into(), 5722.0), ("instance IOPS".into(), 6000.0)]);
    }

    /// Equal shares of 4k and 512k. A volume counts one request for 4k and two of 256 KiB for 512k: 3,000 operations
    /// are 2,000 requests. By the mean size of 258 KiB it would allow 1,500, and a level at 1,990 would exceed the cap.
    #[test]
    fn sizes_of_a_mix_are_charged_one_by_one() {
        let mut rig = Rig::new();
        let mut workload = randread(4096);
        let share = |kib| SizeShare { size: Bytes::from_kib(kib), weight: 50 };
        workload.block = BlockSizes::Split(vec![share(4), share(512)]);
        let stage = rig.stage("r", StageRole::Fixed, workload);
        rig.step(stage, Run::at(32, 1990.0));
        let mut limit: Limit = "volume iops=3000".parse().unwrap();
        limit.charging = Some(model::bounds::Charging { unit: Bytes::from_kib(256), merges: false, whole: false });
        rig.limits(vec![limit]);
        assert_eq!(caps_of(rig), [("volume IOPS".into(), 2000.0)]);
    }

    #[test]
    fn a_limit_on_reads_lets_a_mix_run_faster() {
        let mut rig = Rig::new();
        let mix = Mix { write_percent: 50, trim_percent: 0 };
        let stage = rig.stage("r", StageRole::Fixed, Workload::new(mix, Bytes(8192), Access::RANDOM));
        rig.step(stage, Run::at(32, 9000.0));
        rig.cgroup(Op::Read, Some(6000.0), None);
        let got = caps_of(rig);
        assert!((got[0].1 / 12_000.0 - 1.0).abs() < 0.01, "{got:?}");
    }

    #[test]
    fn a_limit_on_writes_does_not_touch_reads() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, randread(8192));
        rig.step(stage, Run::at(32, 9000.0));
        rig.cgroup(Op::Write, Some(100.0), None);
        assert!(caps_of(rig).is_empty());
    }

    #[test]
    fn operations_split_by_the_kernel_count_as_often_as_the_group_charges_them() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, randread(4 << 20));
        rig.step(stage, Run::at(8, 500.0));
        rig.cgroup(Op::Read, Some(6000.0), None);
        let mut record = rig.record();
        let a = record.steps[0].accounting.as_mut().unwrap();
        a.cgroup_read_ops = a.cgroup_read_ops.map(|n| n * 4);
        let levels = crate::levels::figures::levels(&record);
        assert!((caps(&record, &levels[0][0])[0].allows - 1500.0).abs() < 1.0);
    }

    #[test]
    fn a_flush_counts_as_an_operation_unless_the_rate_shows_that_it_does_not() {
        let bound = |rate: f64, cache: &str| {
            let mut rig = Rig::new();
            let mut durable = Workload::new(Mix::WRITE, Bytes(8192), Access::Sequential);
            durable.flush_every = Some(1);
            let stage = rig.stage("d", StageRole::Probe, durable);
            rig.step(stage, Run { cv: 0.0, ..Run::at(1, rate) });
            rig.declare("volume iops=6000");
            rig.preflight().storage.devices[0].write_cache = cache.into();
            rig.preflight().storage.devices[0].size = Bytes::from_gib(64);
            crate::judge::judge(&rig.record()).patterns.remove(0).binding
        };
        let at = bound(2967.0, "write back");
        // One operation in flight alone does not rule out that latency binds by chance.
        assert_eq!(
            (at.kind, at.names.join(", ")),
            (model::judged::BindingKind::Undecidable, "volume IOPS, queue (Little)".into())
        );
        assert_eq!(
            bound(2967.0, "write through").kind,
            model::judged::BindingKind::Latency,
            "no flush reaches the device"
        );
        assert_eq!(bound(5990.0, "write back").names[0], "volume IOPS", "flushes are not counted");
        assert_eq!(bound(2000.0, "write back").kind, model::judged::BindingKind::Latency);
    }

    #[test]
    fn a_rate_is_at_a_cap_within_three_percent_of_it() {
        assert!(at((5980.0, 6010.0), 6000.0));
        assert!(!at((5700.0, 5800.0), 6000.0));
        assert!(at((5700.0, 5830.0), 6000.0));
        assert!(above((6200.0, 6300.0), 6000.0));
        assert!(!above((6100.0, 6300.0), 6000.0));
    }

    #[test]
    fn what_the_run_writes_for_itself_takes_its_operations_from_a_cap_and_no_share() {
        // 4 MiB writes in four parts each, twenty per second, plus five of the journal: the group counts 85.
        let allowed = |size: u64, rate: f64, split: u64, beside: u64| {
            let mut rig = Rig::new();
            let stage = rig.stage("w", StageRole::Fixed, Workload::new(Mix::WRITE, Bytes(size), Access::RANDOM));
            rig.step(stage, Run { cv: 0.0, ..Run::at(8, rate) });
            rig.cgroup(Op::Write, Some(6000.0), None);
            let mut record = rig.record();
            let a = record.steps[0].accounting.as_mut().unwrap();
            a.cgroup_write_ops = a.cgroup_write_ops.map(|n| n * split + beside * 4);
            a.cgroup_write = a.cgroup_write.map(|n| n + beside * 4 * 4096);
            let levels = crate::levels::figures::levels(&record);
            let cap = caps(&record, &levels[0][0]).remove(0);
            (cap.allows, cap.measured(&levels[0][0]))
        };
        let (allows, measured) = allowed(4 << 20, 20.0, 4, 5);
        assert!((allows - 5995.0 / 4.0).abs() < 2.0, "{allows}");
        assert!(measured.starts_with("85.0 of 6,000"), "{measured}");
        let (allows, _) = allowed(64 << 10, 50.0, 1, 5);
        assert!((allows - 5995.0).abs() < 2.0, "{allows}");
        // At the cap, the two together equal the cap.
        let (allows, measured) = allowed(64 << 10, 5990.0, 1, 10);
        assert!((allows - 5990.0).abs() < 3.0, "{allows}");
        assert_eq!(measured, "6,000 of 6,000 (100 %)");
    }
}
