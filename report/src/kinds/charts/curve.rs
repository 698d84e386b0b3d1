//! Latency of a ramp against its rate.

use super::{Entry, Source, caps, iops_axis, latency_axis, missing, nanos, ramp, rising, round};
use crate::document::chart::{Chart, Lines, Plot, Series};
use model::{Nanos, judged::LevelFigures};

/// Returns the chart, with a choice for each ramp.
pub(super) fn by_rate(runs: &[Source<'_>]) -> Option<Chart> {
    Chart::new("curve", "chart-curve", "chart-curve-hint", ramp::choices(runs, &plot))
}

fn plot(ramps: &[&Entry<'_, '_>]) -> Plot {
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
    let near = ramps.first().map(|(_, w)| ramp::near(w.pattern, 1.3)).unwrap_or_default();
    let caps = caps(near.into_iter().take(2), (0, 0), true);
    let plot = Lines::new(iops_axis(), [vec![latency_axis()]], series);
    Lines { caps, ..plot }.checked(missing(ramps.iter().map(|(_, w)| w.pattern)))
}
