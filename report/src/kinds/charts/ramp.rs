//! Rate and latency of a ramp against the operations in flight, and its latency against its rate.

use super::{
    Entry, Source, Workload, caps, concurrency_axis, distinct, iops_axis, latency_axis, missing, nanos, rising, round,
    word, workloads,
};
use crate::document::chart::{Band, Cap, Chart, Choice, Lines, Plot, Series};
use model::judged::{Knee, LevelFigures, PatternJudgement};
use model::{Nanos, plan::StageRole};

/// Limits above this multiple of the highest rate are not shown.
const NEAR: f64 = 1.6;

/// Returns the chart, with a choice for each ramp.
pub(super) fn by_concurrency(runs: &[Source<'_>]) -> Option<Chart> {
    Chart::new("ramp", "chart-ramp", "chart-ramp-hint", choices(runs, &plot))
}

/// Returns a choice for each ramp of the runs.
fn choices(runs: &[Source<'_>], plot: &dyn Fn(&[&Entry<'_, '_>]) -> Plot) -> Vec<Choice> {
    let entries = workloads(runs);
    let is_ramp = |w: &Workload<'_>| w.pattern.role == StageRole::Ramp || rising(w.pattern).len() > 1;
    let names = distinct(entries.iter().filter(|(_, w)| is_ramp(w)).map(|(_, w)| w.name.clone()));
    let choice = |name: String| {
        let ramps: Vec<&Entry<'_, '_>> = entries.iter().filter(|(_, w)| w.name == name).collect();
        Choice::new(name, plot(&ramps))
    };
    names.into_iter().map(choice).collect()
}

fn plot(ramps: &[&Entry<'_, '_>]) -> Plot {
    let series = ramps.iter().flat_map(|(run, w)| curves(run, &w.pattern.levels)).collect();
    let levels = ramps.iter().flat_map(|(_, w)| rising(w.pattern)).map(LevelFigures::concurrency);
    let plot = Lines::new(concurrency_axis(levels), [vec![iops_axis(), latency_axis()]], series);
    let first = ramps.first().map(|(_, w)| w.pattern);
    let (caps, bands) = first.map(|p| (limits(p), knee(p))).unwrap_or_default();
    Lines { caps, bands, ..plot }.checked(missing(ramps.iter().map(|(_, w)| w.pattern)))
}

/// Returns the chart of latency against rate, with a choice for each ramp.
pub(super) fn by_rate(runs: &[Source<'_>]) -> Option<Chart> {
    Chart::new("curve", "chart-curve", "chart-curve-hint", choices(runs, &plot_by_rate))
}

fn plot_by_rate(ramps: &[&Entry<'_, '_>]) -> Plot {
    let mut series = Vec::new();
    for (run, workload) in ramps {
        let mut line = |i: usize, name: &str, time: &dyn Fn(&LevelFigures) -> Option<Nanos>| {
            let points = rising(workload.pattern).iter().map(|l| [round(l.iops.value), nanos(time(l))]).collect();
            let (name, family) = (run.label(name), run.family(i));
            series.push(Series { name, points, family, is_dashed: i > 0, ..Series::default() });
        };
        line(0, "p50", &|l| l.p50.value());
        line(1, "p99", &|l| l.p99.value());
    }
    let near = ramps.first().map(|(_, w)| near(w.pattern, 1.3)).unwrap_or_default();
    let caps = caps(near.into_iter().take(2), (0, 0), true);
    let plot = Lines::new(iops_axis(), [vec![latency_axis()]], series);
    Lines { caps, ..plot }.checked(missing(ramps.iter().map(|(_, w)| w.pattern)))
}

/// Returns the lines of one ramp: rate, mean and p99, and its invalid levels.
fn curves(run: &Source<'_>, levels: &[LevelFigures]) -> Vec<Series> {
    let n = |l: &LevelFigures| f64::from(l.concurrency());
    let valid: Vec<&LevelFigures> = levels.iter().filter(|l| !l.hold && l.struck.is_none()).collect();
    let points = |f: &dyn Fn(&LevelFigures) -> f64| valid.iter().map(|l| [n(l), f(l)]).collect::<Vec<_>>();
    let ends = valid.iter().map(|l| l.iops.ci.map(|(low, high)| [round(low), round(high)])).collect();
    let latency = |name, points, is_dashed| Series {
        name,
        axis: (0, 1),
        points,
        family: run.family(1),
        is_dashed,
        ..Series::default()
    };
    let rate = Series {
        name: run.label("IOPS"),
        points: points(&|l| round(l.iops.value)),
        ends,
        family: run.family(0),
        ..Series::default()
    };
    let mut series = vec![rate];
    if run.place.is_none() {
        series.push(latency(word("page-mean"), points(&|l| nanos(l.mean)), false));
    }
    series.push(latency(run.label("p99"), points(&|l| nanos(l.p99.value())), true));
    // Points that are not connected.
    let struck = levels.iter().filter(|l| !l.hold && l.struck.is_some());
    let struck: Vec<[f64; 2]> = struck.flat_map(|l| [[n(l), round(l.iops.value)], [n(l), f64::NAN]]).collect();
    if !struck.is_empty() {
        let name = run.label(word("page-invalid"));
        series.push(Series { name, points: struck, family: run.family(0), is_struck: true, ..Series::default() });
    }
    series
}

/// Returns the limits near the highest rate, and N*.
fn limits(pattern: &PatternJudgement) -> Vec<Cap> {
    let levels = rising(pattern);
    let (Some(first), Some(last)) = (levels.first(), levels.last()) else { return Vec::new() };
    let near = near(pattern, NEAR);
    let mut caps = caps(near.into_iter().take(super::MOST_LIMITS), (0, 0), false);
    let shown = f64::from(first.concurrency()) * 1.05..=f64::from(last.concurrency());
    if let Some(at) = pattern.n_star.filter(|at| shown.contains(at)) {
        caps.push(Cap { axis: (0, 0), at, names: vec!["N*".to_owned()], is_upright: true });
    }
    caps
}

/// Returns the limits of a workload up to a multiple of its highest rate.
fn near(pattern: &PatternJudgement, reach: f64) -> Vec<(String, f64)> {
    let top = rising(pattern).iter().map(|l| l.iops.value).fold(0.0, f64::max);
    let allowed = pattern.binding.constraints.iter().map(|c| (c.name.clone(), round(c.allows.per_second())));
    allowed.filter(|(_, allows)| *allows < top * reach).collect()
}

/// Returns the range of the knee.
fn knee(pattern: &PatternJudgement) -> Vec<Band> {
    match pattern.knee {
        Knee::Between { below, at, .. } => {
            vec![Band { from: f64::from(below), until: f64::from(at), name: word("knee-label") }]
        }
        _ => Vec::new(),
    }
}
