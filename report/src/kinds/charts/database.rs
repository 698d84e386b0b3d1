//! Rate and latency of database operations against the number of workers.

use super::{Source, concurrency_axis, distinct, latency_axis, nanos, round, word};
use crate::document::Unit;
use crate::document::chart::{Axis, Chart, Choice, Lines, Plot, Scale, Series};
use model::bounds::DbOperation;
use model::judged::{OpFigures, WaveFigures};

/// Returns the chart, with a choice for each kind of operation; `None` if all waves have the same number of workers.
pub(super) fn by_workers(runs: &[Source<'_>]) -> Option<Chart> {
    let waves: Vec<(&Source<'_>, &WaveFigures)> = runs
        .iter()
        .flat_map(|run| run.judgement.database().into_iter().flat_map(|d| &d.waves).map(move |w| (run, w)))
        .collect();
    if distinct(waves.iter().map(|(_, w)| w.processes)).len() < 2 {
        return None;
    }
    let kinds = distinct(waves.iter().flat_map(|(_, w)| w.kinds()).map(|(kind, _)| kind));
    let choice = |kind| Choice::new(word(crate::kinds::words::kind(kind)), plot(runs, &waves, kind));
    Chart::new("database", "chart-database", "chart-database-hint", kinds.into_iter().map(choice).collect())
}

fn plot(runs: &[Source<'_>], waves: &[(&Source<'_>, &WaveFigures)], kind: DbOperation) -> Plot {
    let mut series = Vec::new();
    for run in runs {
        let of_run = || waves.iter().filter(|(r, _)| std::ptr::eq(*r, run));
        let figures: Vec<(u32, &OpFigures)> =
            of_run().filter_map(|(_, w)| Some((w.processes, w.kinds().find(|(k, _)| *k == kind)?.1))).collect();
        let line = |name, axis, family, value: &dyn Fn(&OpFigures) -> f64| {
            let points = figures.iter().map(|(workers, f)| [f64::from(*workers), value(f)]).collect();
            Series { name: run.label(name), axis: (0, axis), family: run.family(family), points, ..Series::default() }
        };
        series.push(line(word("page-rate"), 0, 0, &|f| f.rate.map_or(f64::NAN, |r| round(r.per_second()))));
        series.push(line(word("page-mean"), 1, 1, &|f| nanos(f.mean)));
        series.push(Series { is_dashed: true, ..line("p99".into(), 1, 1, &|f| nanos(f.p99.value())) });
    }
    let rate = Axis::new("page-rate", Unit::PerSecond, Scale::Zero);
    let workers = concurrency_axis(waves.iter().map(|(_, w)| w.processes));
    Lines::new(workers, [vec![rate, latency_axis()]], series).checked(word("chart-one-level"))
}
