//! L0, the latency with one operation in flight, and the check that it is plausible.

use crate::levels::figures::Level;
use crate::limits::caps;
use messages::sentence;
use model::{Caveat, Iops, Nanos, RunRecord, Severity};

/// Returns the level with one operation in flight of the same workload: from its own stage, otherwise from any other
/// stage on the same target. The result holds the indices of the stage and the level.
pub(crate) fn place(record: &RunRecord, stages: &[Vec<Level>], own: usize) -> Option<(usize, usize)> {
    let job = &record.plan.stages[own].job;
    if job.workload.pacing.is_open() {
        return None;
    }
    let fits = |l: &Level| {
        l.concurrency() == 1 && l.sound() && l.job.workload == job.workload && l.job.target.direct == job.target.direct
    };
    let mut order = std::iter::once(own).chain((0..stages.len()).filter(|i| *i != own));
    order.find_map(|i| Some((i, stages[i].iter().position(fits)?)))
}

/// Returns the time from one data operation to the next with one in flight: its latency plus its share of the flushes
/// in between. Little's bound N / L0 uses this time; without flushes it is the mean latency.
pub(crate) fn cycle(level: &Level) -> Option<Nanos> {
    let waited: u128 = level.kept.per_op.iter().map(|o| o.latency.summary().sum).sum();
    let ops = level.kept.data_ops();
    (ops > 0).then(|| Nanos(u64::try_from(waited / u128::from(ops)).unwrap_or(u64::MAX)))
}

/// A level that certainly exceeded N / L0, which is impossible (docs/design/statistics.md, "Identities"). The time
/// measured with one operation in flight therefore was not that of the undisturbed storage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Contradiction {
    /// Operations in flight at that level.
    pub concurrency: u32,
    /// Upper bound on the time of an operation without waiting at that level: N / X.
    pub at_most: Nanos,
    /// Rate of that level divided by N / L0.
    used: f64,
    /// Rate of that level.
    rate: Iops,
}

/// Returns the level that leaves the least time per operation, if it contradicts `cycle`.
pub(crate) fn contradiction(levels: &[Level], cycle: Nanos) -> Option<Contradiction> {
    let bound = |l: &Level| f64::from(l.concurrency()) / cycle.secs().max(1e-9);
    let faster = levels.iter().filter(|l| l.sound() && l.concurrency() > 1);
    let faster = faster.filter(|l| caps::above(caps::span(l), bound(l)));
    let used = |l: &Level| l.rate() / bound(l);
    let most = faster.max_by(|a, b| used(a).total_cmp(&used(b)))?;
    Some(Contradiction {
        concurrency: most.concurrency(),
        at_most: Nanos::from_secs_f64(f64::from(most.concurrency()) / most.rate()),
        used: used(most),
        rate: Iops(most.rate()),
    })
}

/// Returns the doubts about L0, each with the stage and level of its measurement. Ramps that share a level raise one
/// doubt.
pub(crate) fn doubts(record: &RunRecord, stages: &[Vec<Level>]) -> Vec<((usize, usize), Caveat)> {
    let mut doubts: Vec<((usize, usize), Caveat)> = Vec::new();
    for (own, levels) in stages.iter().enumerate() {
        let Some(place) = place(record, stages, own) else { continue };
        let single = &stages[place.0][place.1];
        let Some(l0) = cycle(single) else { continue };
        let Some(c) = contradiction(levels, l0) else { continue };
        if doubts.iter().any(|(p, _)| *p == place) {
            continue;
        }
        let (n, rate, used, most) = (c.concurrency, c.rate, format!("{:.0}", c.used * 100.0), c.at_most);
        let evidence = sentence!("seen-l0-spoilt", l0, n, rate, used, most);
        let caveat = Caveat::new("l0-spoilt", Severity::Doubt, sentence!("doubt-l0-spoilt"), evidence);
        let caveat = caveat.remedy(sentence!("remedy-l0-spoilt"));
        doubts.push((place, caveat.at_step(single.steps[0])));
    }
    doubts
}
