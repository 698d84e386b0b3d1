//! Known limit rows as constraints on one level: what each allows there (`limits.md` section 7).

use crate::figures::Level;
use model::{BytesPerSecond, Iops, Limit, LimitAxis, LimitSource, Op, RunRecord};

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
    /// Share of the workload's operations it touches.
    share: f64,
    /// Operations it charges for one of ours.
    charged: f64,
}

/// All known caps at a level, the tightest first. Declared rows come before detected ones of the same value.
pub(crate) fn caps<'a>(record: &'a RunRecord, level: &Level) -> Vec<Cap<'a>> {
    let mut caps = Vec::new();
    for limit in record.plan.limits.iter().chain(&record.preflight.limits) {
        let share = limit.op.map_or(1.0, |op| level.share(op));
        for (axis, allows) in limit.allows(level.mean_size().max(1.0), share) {
            let charged = charged(record, level, limit, axis);
            let name = name(limit, axis);
            caps.push(Cap { limit, axis, name, allows: allows.0 / charged, share, charged });
        }
    }
    caps.retain(|c| c.allows.is_finite() && c.allows > 0.0);
    caps.sort_by(|a, b| a.allows.total_cmp(&b.allows));
    caps
}

fn name(limit: &Limit, axis: LimitAxis) -> String {
    let op = limit.op.map(|op| format!("{op} ")).unwrap_or_default();
    let what = match axis {
        LimitAxis::Iops => "IOPS",
        LimitAxis::Bandwidth => "bandwidth",
    };
    format!("{} {op}{what}", limit.name)
}

/// How many operations a control group charges for one of ours: the kernel splits large ones. Taken from its own
/// counters, and only where the bytes agree, so that a stranger's operations are not mistaken for splits.
fn charged(record: &RunRecord, level: &Level, limit: &Limit, axis: LimitAxis) -> f64 {
    let (LimitSource::Cgroup { .. }, LimitAxis::Iops) = (&limit.source, axis) else { return 1.0 };
    let (mut ops, mut asked_ops, mut bytes, mut asked) = (0u64, 0u64, 0u64, 0u64);
    for a in level.steps.iter().filter_map(|i| record.steps[*i].accounting.as_ref()) {
        if limit.op != Some(Op::Write) {
            ops = ops.saturating_add(a.cgroup_read_ops.unwrap_or(0));
            bytes = bytes.saturating_add(a.cgroup_read.unwrap_or(0));
            asked_ops = asked_ops.saturating_add(a.asked_read_ops);
            asked = asked.saturating_add(a.asked_read);
        }
        if limit.op != Some(Op::Read) {
            ops = ops.saturating_add(a.cgroup_write_ops.unwrap_or(0));
            bytes = bytes.saturating_add(a.cgroup_write.unwrap_or(0));
            asked_ops = asked_ops.saturating_add(a.asked_write_ops);
            asked = asked.saturating_add(a.asked_write);
        }
    }
    if asked == 0 || asked_ops == 0 {
        return 1.0;
    }
    let ratio = ops as f64 / asked_ops as f64;
    let same_bytes = (bytes as f64 / asked as f64 - 1.0).abs() < 0.02;
    if ratio > 1.02 && same_bytes { ratio } else { 1.0 }
}

impl Cap<'_> {
    /// `the cgroup's 6,000 read IOPS`, ``the declared limit `volume` of 93.75 MB/s``.
    pub fn phrase(&self) -> String {
        let op = self.limit.op.map(|op| format!("{op} ")).unwrap_or_default();
        let figure = match self.axis {
            LimitAxis::Iops => format!("{} {op}IOPS", self.figure()),
            LimitAxis::Bandwidth if op.is_empty() => self.figure(),
            LimitAxis::Bandwidth => format!("{} {op}bandwidth", self.figure()),
        };
        match &self.limit.source {
            LimitSource::Cgroup { .. } => format!("the {}'s {figure}", self.limit.name),
            LimitSource::Declared(_) => format!("the declared limit `{}` of {figure}", self.limit.name),
            LimitSource::Catalog { .. } => format!("the published limit `{}` of {figure}", self.limit.name),
        }
    }

    /// The row's own figure: `6,000`, `93.75 MB/s`.
    pub fn figure(&self) -> String {
        match self.axis {
            LimitAxis::Iops => self.limit.iops.unwrap_or_default().to_string(),
            LimitAxis::Bandwidth => self.limit.bandwidth.unwrap_or_default().to_string(),
        }
    }

    /// Measured against the row, in the row's own unit: `5,998 of 6,000 (100 %)`.
    pub fn measured(&self, level: &Level) -> String {
        let used = level.rate() / self.allows * 100.0;
        let charged = level.rate() * self.share * self.charged;
        match self.axis {
            LimitAxis::Iops => format!("{} of {} ({used:.0} %)", Iops(charged), self.figure()),
            LimitAxis::Bandwidth => {
                let bytes = BytesPerSecond(level.rate() * self.share * level.mean_size());
                format!("{bytes} of {} ({used:.0} %)", self.figure())
            }
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

/// Whether a rate in `span` is certainly above a cap.
pub(crate) fn above(span: (f64, f64), allows: f64) -> bool {
    span.0 > (1.0 + TOLERANCE) * allows
}

/// Whether a level is at any known cap.
pub(crate) fn at_any(record: &RunRecord, level: &Level) -> bool {
    caps(record, level).iter().any(|c| at(span(level), c.allows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Rig, Run, randread};
    use model::{Access, Bytes, Mix, StageRole, Workload};

    fn caps_of(rig: Rig) -> Vec<(String, f64)> {
        let record = rig.record();
        let levels = crate::figures::levels(&record);
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
        let levels = crate::figures::levels(&record);
        assert!((caps(&record, &levels[0][0])[0].allows - 1500.0).abs() < 1.0);
    }

    #[test]
    fn a_rate_is_at_a_cap_within_three_percent_of_it() {
        assert!(at((5980.0, 6010.0), 6000.0));
        assert!(!at((5700.0, 5800.0), 6000.0));
        assert!(at((5700.0, 5830.0), 6000.0));
        assert!(above((6200.0, 6300.0), 6000.0));
        assert!(!above((6100.0, 6300.0), 6000.0));
    }
}
