//! One in flight: L0, the time of an operation that waits for no other, and whether it can be true.

use crate::levels::figures::Level;
use crate::limits::caps;
use messages::sentence;
use model::{Caveat, Iops, Nanos, RunRecord, Severity};

/// The level with one in flight of the same workload: of its own stage, else of any other on the same target.
/// As indices of stage and level.
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

/// Time from one data operation to the next with one in flight: its latency, and its share of the flushes between.
/// Little's bound N / L0 needs this one; without flushes it is the mean latency.
pub(crate) fn cycle(level: &Level) -> Option<Nanos> {
    let waited: u128 = level.kept.per_op.iter().map(|o| o.latency.summary().sum).sum();
    let ops = level.kept.data_ops();
    (ops > 0).then(|| Nanos(u64::try_from(waited / u128::from(ops)).unwrap_or(u64::MAX)))
}

/// A level that did certainly more than N / L0, which nothing can (docs/design/statistics.md, "Identities"): what was
/// timed with one in flight was not the storage undisturbed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Contradiction {
    /// Operations in flight at that level.
    pub concurrency: u32,
    /// The most an operation can have taken without waiting there: N / X.
    pub at_most: Nanos,
    /// Its rate over N / L0.
    used: f64,
    /// Its rate.
    rate: Iops,
}

/// The level among `levels` that leaves the least time per operation, if it contradicts `cycle`.
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

/// Doubts about L0, each with the stage and level it was measured at. Ramps that share a level raise them once.
pub(crate) fn doubts(record: &RunRecord, stages: &[Vec<Level>]) -> Vec<((usize, usize), Caveat)> {
    let mut found: Vec<((usize, usize), Caveat)> = Vec::new();
    for (own, levels) in stages.iter().enumerate() {
        let Some(place) = place(record, stages, own) else { continue };
        let single = &stages[place.0][place.1];
        let Some(l0) = cycle(single) else { continue };
        let Some(c) = contradiction(levels, l0) else { continue };
        if found.iter().any(|(p, _)| *p == place) {
            continue;
        }
        let (n, rate, used, most) = (c.concurrency, c.rate, format!("{:.0}", c.used * 100.0), c.at_most);
        let evidence = sentence!("seen-l0-spoilt", l0, n, rate, used, most);
        let caveat = Caveat::new("l0-spoilt", Severity::Doubt, sentence!("doubt-l0-spoilt"), evidence);
        let caveat = caveat.remedy(sentence!("remedy-l0-spoilt"));
        found.push((place, caveat.at_step(single.steps[0])));
    }
    found
}
