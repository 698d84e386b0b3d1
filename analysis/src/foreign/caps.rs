//! Limits as constraints on one result of another tool (docs/design/limits.md, "Which limit binds").

use super::case::{Case, Test};
use crate::limits::caps::TOLERANCE;
use messages::sentence;
use model::bounds::{Burst, LimitAxis};
use model::{CompactSort, Limit, Nanos, Op, Sentence};

/// Share by which a rate must exceed a cap to refute it: shapers let through a few percent more than they are set to.
pub(super) const ABOVE: f64 = 0.05;

/// One axis of a limit, applied to one result.
#[derive(Debug, Clone)]
pub(super) struct Cap<'a> {
    pub limit: &'a Limit,
    pub axis: LimitAxis,
    /// Name, such as `volume IOPS`.
    pub name: Sentence,
    /// Operations per second that the cap allows for the whole workload.
    pub allows: f64,
    /// Operations per second that it allows for a limited time, or if neighbouring requests are merged.
    pub excused: f64,
    /// Rate divided by `allows`.
    pub used: f64,
    /// Lowest possible rate, given rounding, divided by `allows`.
    pub surely: f64,
    /// Burst whose rate is `allows`, with the operations per second that are sustained; `None` for the cap itself.
    pub burst: Option<(Burst, f64)>,
}

impl Cap<'_> {
    /// Returns `true` if the result is at the cap.
    pub fn met(&self) -> bool {
        self.used >= 1.0 - TOLERANCE && self.surely <= 1.0 + ABOVE
    }

    /// Returns `true` if the result is certainly above the cap, even allowing for bursts and merging.
    pub fn refuted(&self) -> bool {
        self.surely > 1.0 + ABOVE && self.surely * self.allows > (1.0 + ABOVE) * self.excused
    }

    /// Returns a label such as `IOPS limit (volume)` or `IOPS burst limit (volume), for 33 min`.
    pub fn word(&self) -> Sentence {
        let name = &self.limit.name;
        match (self.axis, self.lasts()) {
            (LimitAxis::Iops, None) => sentence!("row-binds-iops", name),
            (LimitAxis::Bandwidth, None) => sentence!("row-binds-bandwidth", name),
            (LimitAxis::Iops, Some(lasts)) => sentence!("row-binds-iops-burst", name, lasts),
            (LimitAxis::Bandwidth, Some(lasts)) => sentence!("row-binds-bandwidth-burst", name, lasts),
        }
    }

    /// Returns the duration of the burst from full credits.
    pub fn lasts(&self) -> Option<String> {
        let (burst, _) = self.burst?;
        let base = self.limit.cap(self.axis)?;
        Some(crate::limits::burst::round(Nanos::from_secs_f64(burst.seconds_at(burst.rate, base))))
    }
}

/// Returns the name of a cap, as [`Limit::axis_name`] gives it in English: `instance read bandwidth`.
pub(super) fn axis_name(limit: &Limit, axis: LimitAxis) -> Sentence {
    let name = limit.op.map_or_else(|| limit.name.clone(), |op| format!("{} {op}", limit.name));
    match axis {
        LimitAxis::Iops => sentence!("axis-iops", name),
        LimitAxis::Bandwidth => sentence!("axis-bandwidth", name),
    }
}

/// Returns all known caps for a result, the tightest first.
pub(super) fn caps<'a>(case: &Case<'a>, test: &Test) -> Vec<Cap<'a>> {
    constraints(case, test).into_iter().filter(|c| c.burst.is_none()).collect()
}

/// Returns the burst that binds a result: the result is at the rate of the burst, above the sustained cap, and no other
/// limit is as tight.
pub(super) fn burst<'a>(case: &Case<'a>, test: &Test) -> Option<Cap<'a>> {
    let caps = constraints(case, test);
    // If the result exceeds a cap that has no burst, either the cap or the row is wrong, and nothing follows from the
    // other limits.
    if caps.iter().any(|c| c.burst.is_none() && (c.met() || c.refuted())) {
        return None;
    }
    caps.into_iter().find(|c| c.burst.is_some() && c.met())
}

/// Returns the caps for a result and the bursts above them, the tightest first.
fn constraints<'a>(case: &Case<'a>, test: &Test) -> Vec<Cap<'a>> {
    let corrected = test.corrected();
    let between = corrected.map(|r| (r, r)).or_else(|| test.rate_between());
    let (Some(rate), Some(between)) = (corrected.or_else(|| test.rate()), between) else { return Vec::new() };
    // A sync moves no data, so limits on operations or bytes do not apply to it.
    if test.is_sync() {
        return Vec::new();
    }
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
            // Without a block size a cap on bytes cannot be applied, and a cap on operations only if each operation
            // counts as one.
            let size = match (block, axis, limit.charging) {
                (Some(size), _, _) => size.max(1.0),
                (None, LimitAxis::Iops, None) => 1.0,
                (None, ..) => continue,
            };
            let Some(cap) = limit.cap(axis) else { continue };
            let on = |rate, merged| limit.allows_on(axis, rate, size, share, merged).map(|i| i.per_second());
            let sequential = !test.rw().starts_with("rand");
            let burst = limit.burst(axis);
            let (Some(allows), bursts) = (on(cap, false), burst.and_then(|b| on(b.rate, false))) else { continue };
            let merged = on(cap, true).filter(|_| sequential);
            let excused = [bursts, merged].into_iter().flatten().fold(allows, f64::max);
            let of_cap = (allows, excused, None);
            let of_burst = burst.zip(bursts).map(|(burst, at)| (at, at, Some((burst, allows))));
            for (allows, excused, burst) in std::iter::once(of_cap).chain(of_burst) {
                if !allows.is_finite() || allows <= 0.0 {
                    continue;
                }
                let (used, surely) = (rate / allows, between.0 / allows);
                caps.push(Cap { limit, axis, name: axis_name(limit, axis), allows, excused, used, surely, burst });
            }
        }
    }
    caps.compact_sort_by(|a, b| a.allows.total_cmp(&b.allows));
    caps
}
