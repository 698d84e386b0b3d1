//! Known limit rows as constraints on one level: what each allows there (docs/design/limits.md, "What limits allow").

use crate::levels::accounting::{OWN_BLOCK, lasted, own_writes};
use crate::levels::figures::Level;
use messages::sentence;
use model::CompactSort;
use model::{BlockSizes, Burst, BytesPerSecond, Iops, Limit, LimitAxis, LimitSource, Nanos, Op, RunRecord, Sentence};

/// Published and configured caps are met within this share.
pub(crate) const TOLERANCE: f64 = 0.03;
/// Rows that allow the same within this share are one and the same value.
pub(crate) const EQUAL: f64 = 0.005;
/// An interval wider than this proves nothing about a cap; it is cut.
const WIDEST: f64 = 0.05;

/// One axis of a limit row, at one level.
#[derive(Debug, Clone)]
pub(crate) struct Cap<'a> {
    pub limit: &'a Limit,
    pub axis: LimitAxis,
    /// `volume IOPS`, `cgroup read bandwidth`.
    pub name: String,
    /// Operations per second of the whole workload that it allows.
    pub allows: f64,
    /// Not the cap but the level above it that holds for a time.
    pub burst: Option<Burst>,
    /// What it would allow if sequential neighbours were put together as far as the limit does it.
    pub merged: Option<f64>,
    /// The row it is of, counted over declared and found ones.
    pub row: usize,
    /// In the unit of the axis.
    rate: f64,
    /// Share of the workload's operations it touches.
    share: f64,
    charge: Charge,
}

/// All known caps at a level, the tightest first. Declared rows come before detected ones of the same value.
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

/// A look at the limits of our control group is so late at the most: one each second, and where steps begin and end.
const LOOKED: Nanos = Nanos::from_millis(1_200);

/// Whether figures of a level were measured under several limits of our control group, so that they are of none. Of a step
/// whose limits changed only what it came to afterwards may be kept, which is of one.
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

/// Whether what a control group allowed when a level ended is what it allowed at the end of the run.
pub(crate) fn still_holds(record: &RunRecord, cap: &Cap) -> bool {
    let last = record.steps.iter().rev().find_map(|s| s.end.as_ref());
    let now = last.and_then(|end| end.caps.last()).map_or(&record.preflight.limits, |seen| &seen.limits);
    !cap.is_cgroup() || now.contains(cap.limit)
}

/// The limits of our control group at the end of a level: those of the preflight, unless they changed since. None where its
/// figures are of several.
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

/// What a control group charges.
#[derive(Debug, Clone, Copy)]
struct Charge {
    /// Operations for one of ours: the kernel splits large ones.
    each: f64,
    /// Operations a second that are not of the load: the run's journal, and what the file system adds to it.
    beside: f64,
}

impl Charge {
    /// Adds the flushes that reach the device, each an operation, unless the level passed what is then allowed: the limit does
    /// not count them. A group's own counters hold them already.
    fn with_flushes(self, record: &RunRecord, level: &Level, limit: &Limit, axis: LimitAxis, allows: f64) -> Charge {
        let write_back = record.preflight.storage.disk().is_none_or(|disk| disk.write_cache != "write through");
        let touched = axis == LimitAxis::Iops && limit.op != Some(Op::Read);
        if self.each > 1.0 || self.beside > 0.0 || !touched || !write_back {
            return self;
        }
        // Of the operations that the limit touches.
        let share = limit.op.map_or(1.0, |op| level.share(op));
        let each = 1.0 + level.flushes() / (level.rate() * share).max(1e-9);
        if above(span(level), allows / each) { self } else { Charge { each, ..self } }
    }
}

/// What a control group charges for a level. Taken from its own counters, and only where the bytes agree, so that a
/// stranger's operations are not mistaken for ours.
fn charge(record: &RunRecord, level: &Level, limit: &Limit, axis: LimitAxis) -> Charge {
    let plain = Charge { each: 1.0, beside: 0.0 };
    let (LimitSource::Cgroup { .. }, LimitAxis::Iops) = (&limit.source, axis) else { return plain };
    let (mut ops, mut asked_ops, mut bytes, mut asked) = (0.0, 0.0, 0.0, 0.0);
    let (mut own, mut time) = (0.0, 0.0);
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
            own += own_writes(step);
        }
    }
    let same_bytes = bytes - asked < 0.02 * asked + own * OWN_BLOCK && asked - bytes < 0.02 * asked;
    if asked_ops == 0.0 || time <= 0.0 || !same_bytes {
        return plain;
    }
    let each = split(ops / asked_ops, (ops - own) / asked_ops, &level.job.workload.block);
    Charge { each, beside: (ops - each * asked_ops).clamp(0.0, own) / time }
}

/// Parts the kernel makes of one operation, between `least` and `most`. Operations of one size are all cut alike, so
/// that a whole number in between is it (the largest, as less than one is written beside each), and the rest is
/// beside them.
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
    /// Whether the cap charges more than one operation for one of the load, such as a write and its flush.
    pub(crate) fn counts_flushes(&self) -> bool {
        self.charge.each > 1.0
    }

    /// `the cgroup's 6,000 read IOPS`, ``the declared limit `volume` of 93.75 MB/s``.
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

    /// Seconds a full bucket carries `rate` operations a second of the workload above this cap; `None` if nothing bursts.
    pub fn burst_seconds(&self, rate: f64) -> Option<f64> {
        let burst = self.limit.burst(self.axis)?;
        let base = self.limit.cap(self.axis)?;
        // In the unit of the axis: what this cap allows is its rate.
        Some(burst.seconds_at((rate / self.allows * self.rate).min(burst.rate), base))
    }

    /// The most that may pass for a time or by merging without being above what is published.
    pub fn excused(&self) -> f64 {
        let burst = self.limit.burst(self.axis).map_or(self.allows, |b| self.allows * b.rate / self.rate);
        // Both at the same time: neighbours are merged during a burst, too.
        self.merged.map_or(1.0, |m| m / self.allows) * burst.max(self.allows)
    }

    /// The row's own figure: `6,000`, `93.75 MB/s`.
    pub fn figure(&self) -> String {
        match self.axis {
            LimitAxis::Iops => Iops(self.rate).to_string(),
            LimitAxis::Bandwidth => BytesPerSecond(self.rate).to_string(),
        }
    }

    /// Measured against the row, in the row's own unit: `5,998 of 6,000 (100 %)`.
    pub fn measured(&self, level: &Level) -> Sentence {
        let used = level.rate() / self.allows * 100.0;
        let each = level.charged(self.limit, self.axis, false) * self.charge.each;
        let charged = level.rate() * self.share * each + self.charge.beside;
        let did = match self.axis {
            LimitAxis::Iops => Iops(charged).to_string(),
            LimitAxis::Bandwidth => BytesPerSecond(charged).to_string(),
        };
        sentence!("figure-of", did, cap = self.figure(), share = format!("{used:.0} %"))
    }

    /// The row without its figure.
    pub fn briefly(&self) -> Sentence {
        let name = &self.limit.name;
        match &self.limit.source {
            LimitSource::Cgroup { .. } => sentence!("row-cgroup-briefly", name),
            LimitSource::Declared(_) => sentence!("row-declared-briefly", name),
            LimitSource::Catalog { .. } => sentence!("row-published-briefly", name),
        }
    }

    /// A rate at this cap with what is to be said beside it.
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

/// The range a level's rate lies in, for comparison with caps: its interval, or +-3 % without one.
pub(crate) fn span(level: &Level) -> (f64, f64) {
    let half = if level.figures.iops.ci.is_some() { level.half.min(WIDEST) } else { TOLERANCE };
    (level.rate() * (1.0 - half), level.rate() * (1.0 + half))
}

/// Whether a rate in `span` is at a cap: it meets [0.97, 1.03] of it.
pub(crate) fn at(span: (f64, f64), allows: f64) -> bool {
    span.1 >= (1.0 - TOLERANCE) * allows && span.0 <= (1.0 + TOLERANCE) * allows
}

/// Whether a rate is below a cap by no more than the vendor reserves.
pub(crate) fn promised(span: (f64, f64), cap: &Cap) -> bool {
    let share = cap.limit.promised.filter(|_| cap.burst.is_none());
    share.is_some_and(|share| span.1 >= share * cap.allows && span.0 <= (1.0 + TOLERANCE) * cap.allows)
}

/// Whether a rate in `span` is certainly above a cap.
pub(crate) fn above(span: (f64, f64), allows: f64) -> bool {
    span.0 > (1.0 + TOLERANCE) * allows
}

/// Whether a level is certainly above a cap, and neither a burst nor merging that is published explains it.
pub(crate) fn refutes(cap: &Cap, level: &Level) -> bool {
    cap.burst.is_none() && above(span(level), cap.excused())
}

/// Whether a level is at any known cap.
pub(crate) fn at_any(record: &RunRecord, level: &Level) -> bool {
    caps(record, level).iter().any(|c| at(span(level), c.allows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Rig, Run, randread};
    use model::{Access, Bytes, Mix, SizeShare, StageRole, Workload};

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

    /// 4k and 512k alike, of which a volume counts one and two of 256 KiB: 3,000 operations are 2,000 requests. By their mean size
    /// of 258 KiB they would be 1,500, and a level at 1,990 beyond the cap.
    #[test]
    fn sizes_of_a_mix_are_charged_one_by_one() {
        let mut rig = Rig::new();
        let mut workload = randread(4096);
        let share = |kib| SizeShare { size: Bytes::from_kib(kib), weight: 50 };
        workload.block = BlockSizes::Split(vec![share(4), share(512)]);
        let stage = rig.stage("r", StageRole::Fixed, workload);
        rig.step(stage, Run::at(32, 1990.0));
        let mut limit: Limit = "volume iops=3000".parse().unwrap();
        limit.charging = Some(model::Charging { unit: Bytes::from_kib(256), merges: false, whole: false });
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
        // One in flight alone does not exclude that its latency is what binds by chance.
        assert_eq!(
            (at.kind, at.names.join(", ")),
            (model::BindingKind::Undecidable, "volume IOPS, queue (Little)".into())
        );
        assert_eq!(bound(2967.0, "write through").kind, model::BindingKind::Latency, "no flush reaches the device");
        assert_eq!(bound(5990.0, "write back").names[0], "volume IOPS", "flushes are not counted");
        assert_eq!(bound(2000.0, "write back").kind, model::BindingKind::Latency);
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
        // 4 MiB writes in four parts each, twenty a second, and five of the journal: the group counts 85.
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
        // At the cap the two together are the cap.
        let (allows, measured) = allowed(64 << 10, 5990.0, 1, 10);
        assert!((allows - 5990.0).abs() < 3.0, "{allows}");
        assert_eq!(measured, "6,000 of 6,000 (100 %)");
    }
}
