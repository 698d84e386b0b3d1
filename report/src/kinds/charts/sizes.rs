//! Rate and bandwidth against the size of the operations.

use super::{Source, bandwidth_axis, caps, distinct, fastest, grouped, iops_axis, missing, mode, round, workloads};
use crate::document::Unit;
use crate::document::chart::{Axis, Chart, Choice, Lines, Plot, Scale, Series};
use model::judged::{LevelFigures, PatternJudgement};
use model::{bounds::LimitAxis, plan::StageRole};

/// Returns the chart, with a choice for each mode that was measured at several sizes.
pub(super) fn by_size(runs: &[Source<'_>]) -> Option<Chart> {
    let entries = workloads(runs).into_iter().filter(|(_, w)| w.pattern.role != StageRole::Probe);
    let modes = grouped(entries.map(|(run, w)| (mode(w.pattern), (run, w.pattern))));
    let choices = modes.into_iter().filter_map(|(name, patterns)| {
        let has_sizes = distinct(patterns.iter().map(|(_, p)| p.mean_size)).len() > 1;
        has_sizes.then(|| Choice::new(name, plot(runs, &patterns)))
    });
    Chart::new("sizes", "chart-sizes", "chart-sizes-hint", choices.collect())
}

fn plot(runs: &[Source<'_>], patterns: &[(&Source<'_>, &PatternJudgement)]) -> Plot {
    let mut series = Vec::new();
    for run in runs {
        let of_run = patterns.iter().filter(|(r, _)| std::ptr::eq(*r, run));
        let mut best: Vec<(u64, &LevelFigures)> =
            of_run.filter_map(|(_, p)| Some((p.mean_size.as_u64(), fastest(&p.levels)?))).collect();
        best.sort_by_key(|(size, _)| *size);
        let mut line = |pane: usize, name: &str, value: &dyn Fn(&LevelFigures) -> f64| {
            let points = best.iter().map(|(size, level)| [*size as f64, round(value(level))]).collect();
            let (name, axis, family) = (run.label(name), (pane, 0), run.family(pane));
            series.push(Series { name, axis, points, family, ..Series::default() });
        };
        line(0, "IOPS", &|l| l.iops.value);
        line(1, "MB/s", &|l| l.bandwidth.per_second());
    }
    let mut limits = caps(runs[0].limits(LimitAxis::Iops), (0, 0), false);
    limits.extend(caps(runs[0].limits(LimitAxis::Bandwidth), (1, 0), false));
    let x = Axis::new("page-block", Unit::Bytes, Scale::Log2);
    let panes = [vec![iops_axis()], vec![bandwidth_axis()]];
    Lines { caps: limits, ..Lines::new(x, panes, series) }.checked(missing(patterns.iter().map(|(_, p)| *p)))
}
