//! Growth of a database through inserts, and the bytes written to the devices for it, up to the end of the write-back.

use super::{Run, device};
use messages::sentence;
use model::measured::{Below, CountedBy, FileRole};
use model::{Bytes, Caveat, Op, Severity, judged::GrowthFigures, units::thousands};

/// Returns the growth figures of a completed run of inserts.
pub(super) fn figures(run: &Run) -> Option<GrowthFigures> {
    let growth = run.used.growth.as_ref()?;
    let tallies = run.waves.iter().flat_map(|w| &w.jobs).map(|j| &j.total.op(Op::Write).tally);
    let (acknowledged, bytes) = tallies.fold((0, 0), |(n, bytes), t| (n + t.ops, bytes + t.bytes));
    let data = growth.files.iter().find(|f| f.role == FileRole::Data);
    let (written, by) = written(run).map_or((None, None), |(written, by)| (Some(Bytes(written)), Some(by)));
    Some(GrowthFigures {
        nodes: growth.nodes(),
        told: acknowledged,
        bytes: Bytes(bytes),
        data: data.map(|f| Bytes(f.length_after.as_u64().saturating_sub(f.length_before.as_u64()))),
        allocated: Bytes(growth.allocated_after.as_u64().saturating_sub(growth.allocated_before.as_u64())),
        written,
        by,
        factor: written.filter(|_| bytes > 0).map(|w| w.as_u64() as f64 / bytes as f64),
    })
}

/// Returns the bytes that reached the devices from the start until everything was written back, if they can be
/// attributed to the engine. After a warm-up they are unknown, because its remaining pages are written back later as
/// well.
fn written(run: &Run) -> Option<(u64, CountedBy)> {
    let (below, after) = (run.used.below.as_ref()?, run.used.after.as_ref()?);
    if run.record.plan.stages.iter().any(|s| !s.job.stop.ramp.is_zero()) {
        return None;
    }
    let mut total: Below = below.clone();
    total.add(after);
    let figures = device::of_below(&total);
    let shared = figures.by == CountedBy::Device && figures.others.is_none_or(|share| share > device::SHARED);
    figures.write_bytes.filter(|_| !shared).map(|bytes| (bytes, figures.by))
}

/// Returns the caveat for inserts that were acknowledged but do not exist.
pub(super) fn lost(figures: &GrowthFigures) -> Option<Caveat> {
    let (nodes, acknowledged) = (figures.nodes, figures.told);
    (nodes < acknowledged).then(|| {
        let (nodes, acknowledged) = (thousands(nodes as f64), thousands(acknowledged as f64));
        let evidence = sentence!("db-inserts-lost-seen", found = nodes, told = acknowledged);
        Caveat::new("inserts-lost", Severity::Invalid, sentence!("db-inserts-lost"), evidence)
    })
}
