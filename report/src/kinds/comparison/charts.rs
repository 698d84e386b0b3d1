//! Charts of a comparison: the changes with their intervals, the medians of both sides, and the runs over time.

use super::{Sides, metric, name, tone, unit, value};
use crate::document::chart::{Axis, Bars, Chart, Choice, Interval, Lines, Plot, Scale, Series};
use crate::document::{Block, Unit, View, Word};
use crate::grouping::{distinct, grouped};
use crate::kinds::charts::time::{self, round};
use crate::kinds::charts::{iops_axis, word};
use crate::overview::entries;
use crate::widgets::figures::median;
use model::judged::{Compared, Comparison, LevelFigures};
use model::{Nanos, RunRecord, bounds::Metric, measured::Phase};

/// Names of the sides.
const NAMES: [&str; 2] = ["A", "B"];

/// Returns the charts; screens show the first.
pub(super) fn charts(c: &Comparison, sides: Sides<'_>, view: View) -> Vec<Block> {
    let changes = matches!(view, View::Full | View::Page).then(|| changes(c)).flatten();
    let page = (view == View::Page).then(|| medians(c).into_iter().chain(course(sides)));
    changes.into_iter().chain(page.into_iter().flatten()).map(|chart| Block::Chart(chart.full())).collect()
}

/// Returns the chart of the figures that have a ratio.
fn changes(c: &Comparison) -> Option<Chart> {
    let interval = |f: &Compared| Interval {
        name: name(f, c),
        sides: [f.a.clone(), f.b.clone()],
        ratio: f.ratio,
        ends: f.ci,
        within: c.within,
        tone: tone(f),
    };
    let intervals: Vec<Interval> = c.figures.iter().filter(|f| f.ratio.is_some()).map(interval).collect();
    let choices = if intervals.is_empty() { Vec::new() } else { vec![Choice::new("", Plot::Intervals(intervals))] };
    let chart = Chart::new("changes", "chart-changes", "chart-changes-hint", choices)?;
    Some(Chart { is_on_screen: true, ..chart })
}

/// Returns the medians of both sides by workload, with a choice for each metric, if there are several workloads.
fn medians(c: &Comparison) -> Option<Chart> {
    if distinct(c.figures.iter().map(|f| f.subject.as_str())).len() < 2 {
        return None;
    }
    let choice = |of: Metric| {
        let figures: Vec<_> = c.figures.iter().filter(|f| f.metric == of).collect();
        let values = |side: usize| {
            let value = |f: &&Compared| {
                let median = median(if side == 0 { &f.a } else { &f.b })?;
                value(of, median).raw().or(Some(median))
            };
            (NAMES[side].into(), figures.iter().map(value).collect())
        };
        let names = figures.iter().map(|f| f.subject.as_str().into());
        let axis = Axis::new(Word::from(metric(of)), unit(of), Scale::Zero);
        let bars = Bars::new("page-workload", names, axis, [values(0), values(1)]);
        Choice::new(metric(of), Plot::Bars(bars))
    };
    let choices = distinct(c.figures.iter().map(|f| f.metric)).into_iter().map(choice).collect();
    Chart::new("bars", "chart-bars", "chart-bars-hint", choices)
}

/// Returns the rates over time with a choice for each workload: the runs of a side have the same hue.
fn course(sides: Sides<'_>) -> Option<Chart> {
    let mut curves: Vec<(String, Series)> = Vec::new();
    for (family, runs) in sides.iter().enumerate() {
        for (shade, run) in runs.iter().enumerate() {
            let record = run.record.joint();
            let curve = |(pattern, level): (&model::judged::PatternJudgement, &LevelFigures)| {
                let (name, legend, points) = (run.name().into(), NAMES[family].into(), seconds(&record, level));
                (pattern.label.clone(), Series { name, legend, points, family, shade, ..Series::default() })
            };
            curves.extend(entries(run.judgement).into_iter().map(curve));
        }
    }
    let choice = |(label, series): (String, Vec<Series>)| {
        let x = Axis::new("page-time", Unit::Seconds, Scale::Zero);
        Choice::new(label, Lines::new(x, [vec![iops_axis()]], series).checked(word("chart-too-short")))
    };
    let choices = grouped(curves).into_iter().map(choice).collect();
    Some(Chart::new("time", "chart-time", "chart-time-hint", choices)?.over_time())
}

/// Returns the rates of a level, in seconds since its start.
fn seconds(record: &RunRecord, level: &LevelFigures) -> Vec<[f64; 2]> {
    let Some(step) = record.steps.get(level.step) else { return Vec::new() };
    let measured = step.intervals.iter().filter(|i| i.phase == Phase::Measure && !i.length.is_zero());
    let middle = |i: &model::Interval| time::seconds((i.start + Nanos(i.length.as_nanos() / 2)).since(step.start));
    measured.map(|i| [middle(i), round(i.iops().per_second())]).collect()
}
