//! Limits as constraints on one result of another tool (docs/design/limits.md, "Which limit binds").

use super::case::{Case, Test};
use crate::limits::caps::TOLERANCE;
use messages::sentence;
use model::CompactSort;
use model::{Limit, LimitAxis, Op, Sentence};

/// Above a cap by more than this it is refuted: shapers let a few percent more pass than they are set to.
pub(super) const ABOVE: f64 = 0.05;

/// One axis of a limit, at one result.
#[derive(Debug, Clone)]
pub(super) struct Cap<'a> {
    pub limit: &'a Limit,
    pub axis: LimitAxis,
    /// `volume IOPS`.
    pub name: Sentence,
    /// Operations per second of the whole workload that it allows.
    pub allows: f64,
    /// What it allows for a time, or when neighbours are put together.
    pub excused: f64,
    /// Rate over `allows`.
    pub used: f64,
    /// The least that the rate may be, over `allows`.
    pub surely: f64,
}

impl Cap<'_> {
    /// Whether the result is at it.
    pub fn met(&self) -> bool {
        self.used >= 1.0 - TOLERANCE && self.surely <= 1.0 + ABOVE
    }

    /// Whether the result is certainly above it, whatever bursts or merging allow.
    pub fn refuted(&self) -> bool {
        self.surely > 1.0 + ABOVE && self.surely * self.allows > (1.0 + ABOVE) * self.excused
    }

    /// `IOPS limit (volume)`.
    pub fn word(&self) -> Sentence {
        match self.axis {
            LimitAxis::Iops => sentence!("row-binds-iops", name = &self.limit.name),
            LimitAxis::Bandwidth => sentence!("row-binds-bandwidth", name = &self.limit.name),
        }
    }
}

/// A cap in words, as [`Limit::axis_name`] has it in English: `instance read bandwidth`.
pub(super) fn axis_name(limit: &Limit, axis: LimitAxis) -> Sentence {
    let name = limit.op.map_or_else(|| limit.name.clone(), |op| format!("{} {op}", limit.name));
    match axis {
        LimitAxis::Iops => sentence!("axis-iops", name),
        LimitAxis::Bandwidth => sentence!("axis-bandwidth", name),
    }
}

/// All known caps at a result, the tightest first.
pub(super) fn caps<'a>(case: &Case<'a>, test: &Test) -> Vec<Cap<'a>> {
    let corrected = test.corrected();
    let between = corrected.map(|r| (r, r)).or_else(|| test.rate_between());
    let (Some(rate), Some(between)) = (corrected.or_else(|| test.rate()), between) else { return Vec::new() };
    let block = test.block();
    let mut caps = Vec::new();
    for limit in case.limits {
        let share = match limit.op {
            None => Some(1.0),
            Some(Op::Read) => test.reads(),
            Some(_) => test.reads().map(|r| 1.0 - r),
        };
        let Some(share) = share else { continue };
        for axis in [LimitAxis::Iops, LimitAxis::Bandwidth] {
            // Without a block size a cap on bytes says nothing; one on operations only if it charges each as one.
            let size = match (block, axis, limit.charging) {
                (Some(size), _, _) => size.max(1.0),
                (None, LimitAxis::Iops, None) => 1.0,
                (None, ..) => continue,
            };
            let Some(cap) = limit.cap(axis) else { continue };
            let Some(allows) = limit.allows_on(axis, cap, size, share, false) else { continue };
            let burst = limit.burst(axis).and_then(|b| limit.allows_on(axis, b.rate, size, share, false));
            let sequential = !test.rw().starts_with("rand");
            let merged = limit.allows_on(axis, cap, size, share, true).filter(|_| sequential);
            let excused =
                [burst, merged].into_iter().flatten().map(|i| i.per_second()).fold(allows.per_second(), f64::max);
            if !allows.per_second().is_finite() || allows.per_second() <= 0.0 {
                continue;
            }
            caps.push(Cap {
                limit,
                axis,
                name: axis_name(limit, axis),
                allows: allows.per_second(),
                excused,
                used: rate / allows.per_second(),
                surely: between.0 / allows.per_second(),
            });
        }
    }
    caps.compact_sort_by(|a, b| a.allows.total_cmp(&b.allows));
    caps
}
