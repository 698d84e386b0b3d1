//! Limits as constraints on one result of another tool (docs/design/limits.md, "Which limit binds").

use super::case::{Case, Test};
use crate::limits::caps::TOLERANCE;
use messages::sentence;
use model::{Burst, Limit, LimitAxis, Op, Sentence};
use model::{CompactSort, Nanos};

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
    /// The burst whose rate `allows` is, with the operations per second that last; `None` for the cap itself.
    pub burst: Option<(Burst, f64)>,
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

    /// `IOPS limit (volume)`, `IOPS burst limit (volume), for 33 min`.
    pub fn word(&self) -> Sentence {
        let name = &self.limit.name;
        match (self.axis, self.lasts()) {
            (LimitAxis::Iops, None) => sentence!("row-binds-iops", name),
            (LimitAxis::Bandwidth, None) => sentence!("row-binds-bandwidth", name),
            (LimitAxis::Iops, Some(lasts)) => sentence!("row-binds-iops-burst", name, lasts),
            (LimitAxis::Bandwidth, Some(lasts)) => sentence!("row-binds-bandwidth-burst", name, lasts),
        }
    }

    /// How long the burst lasts from full credits.
    pub fn lasts(&self) -> Option<String> {
        let (burst, _) = self.burst?;
        let base = self.limit.cap(self.axis)?;
        Some(crate::limits::burst::round(Nanos::from_secs_f64(burst.seconds_at(burst.rate, base))))
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
    constraints(case, test).into_iter().filter(|c| c.burst.is_none()).collect()
}

/// The burst that binds a result: it is at that rate, above the cap that lasts, and no other limit is as tight.
pub(super) fn burst<'a>(case: &Case<'a>, test: &Test) -> Option<Cap<'a>> {
    let all = constraints(case, test);
    // A cap without a burst that the result exceeds is wrong, or the row is: then nothing follows from the others.
    if all.iter().any(|c| c.burst.is_none() && (c.met() || c.refuted())) {
        return None;
    }
    all.into_iter().find(|c| c.burst.is_some() && c.met())
}

/// Caps and the bursts above them at a result, the tightest first.
fn constraints<'a>(case: &Case<'a>, test: &Test) -> Vec<Cap<'a>> {
    let corrected = test.corrected();
    let between = corrected.map(|r| (r, r)).or_else(|| test.rate_between());
    let (Some(rate), Some(between)) = (corrected.or_else(|| test.rate()), between) else { return Vec::new() };
    // A sync moves no data: no limit on operations or bytes counts it.
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
            // Without a block size a cap on bytes says nothing; one on operations only if it charges each as one.
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
