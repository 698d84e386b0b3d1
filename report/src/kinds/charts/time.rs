//! Rates and latencies second by second, and the ranges of time in a run.

use super::{Source, bandwidth_axis, distinct, iops_axis, latency_axis, word};
use crate::document::Unit;
use crate::document::chart::{Axis, Band, Chart, Choice, Lines, Plot, Scale, Series};
use model::{Interval, Nanos, RunRecord, measured::Phase, record::Step};
use serde::Serialize;

/// A time range of the run, such as a fill, a step or a phase.
#[derive(Debug, Serialize)]
pub struct Stretch {
    /// `fill`, `step`, `hold`, or `phase` for one of a database.
    pub kind: &'static str,
    /// Description of the workload, or name of the phase.
    pub name: String,
    /// Start in seconds.
    pub from: f64,
    /// End in seconds.
    pub until: f64,
}

/// Returns the chart, with a choice for each run.
pub(super) fn course(runs: &[Source<'_>]) -> Option<Chart> {
    let choices = runs.iter().filter(|run| !run.record.steps.is_empty());
    let choices = choices.map(|run| Choice::new(run.label(""), plot(run))).collect();
    Some(Chart::new("time", "chart-time", "chart-time-hint", choices)?.full().over_time())
}

fn plot(run: &Source<'_>) -> Plot {
    let record = &*run.record;
    let seconds: Vec<Vec<Interval>> = record.simultaneous().iter().map(|group| measured(record, group)).collect();
    let line = |name, axis, family, value: &dyn Fn(&Interval) -> f64| {
        // A gap between two steps is a gap in the curve.
        let step = |seconds: &Vec<Interval>| {
            let mut points: Vec<[f64; 2]> = seconds.iter().map(|i| [middle(i), value(i)]).collect();
            points.extend(seconds.last().map(|i| [middle(i) + 0.001, f64::NAN]));
            points
        };
        Series { name, axis, family, points: seconds.iter().flat_map(step).collect(), ..Series::default() }
    };
    let mean = |i: &Interval| super::nanos(i.latency().mean());
    let p99 = |i: &Interval| super::nanos(i.latency().percentile(99.0).value());
    let series = vec![
        line("IOPS".into(), (0, 0), 0, &|i| round(i.iops().per_second())),
        line("MB/s".into(), (0, 1), 1, &|i| round(i.bandwidth().per_second())),
        line(word("page-mean"), (1, 0), 2, &mean),
        Series { is_dashed: true, ..line("p99".into(), (1, 0), 3, &p99) },
    ];
    let panes = [vec![iops_axis(), bandwidth_axis()], vec![latency_axis()]];
    let lines = Lines::new(axis(record), panes, series);
    Lines { bands: bands(record, true), ..lines }.checked(word("chart-too-short"))
}

/// Returns the measured seconds of steps that ran together, without those in which a ping's first requests were made,
/// which do not count.
pub(super) fn measured(record: &RunRecord, group: &[usize]) -> Vec<Interval> {
    let measured = |i: &Interval| i.phase == Phase::Measure && !i.length.is_zero();
    let mut left = warm_up(record);
    let seconds = record.seconds_of(group).into_iter().filter(measured);
    let counts = |i: &Interval| {
        let is_later = left == 0;
        left = left.saturating_sub(i.latency().count());
        is_later
    };
    seconds.filter(counts).collect()
}

/// Returns the number of a ping's first requests, which do not count; 0 for other runs.
pub(super) fn warm_up(record: &RunRecord) -> u64 {
    let Some(pinged) = record.ping() else { return 0 };
    let total = &pinged.total;
    total.count.saturating_sub(total.times.count() + total.too_fast + total.too_slow)
}

fn middle(interval: &Interval) -> f64 {
    seconds(interval.start + Nanos(interval.length.as_nanos() / 2))
}

/// Returns the axis of a run's time, the same for all charts of the run.
pub(super) fn axis(record: &RunRecord) -> Axis {
    let intervals = record.steps.iter().flat_map(|s| &s.intervals);
    let intervals = intervals.map(|i| (seconds(i.start), seconds(i.start + i.length)));
    let stretches = stretches(record).into_iter().map(|s| (s.from, s.until));
    let samples = record.series.iter().flat_map(|s| s.points.first().into_iter().chain(s.points.last()));
    let samples = samples.map(|(at, _)| (seconds(*at), seconds(*at)));
    let ranges = intervals.chain(stretches).chain(samples);
    let range = ranges.fold((f64::INFINITY, 0.0), |(from, until): (f64, f64), r| (from.min(r.0), until.max(r.1)));
    let range = (range.0 < range.1).then_some(range);
    Axis { range, ..Axis::new("page-time", Unit::Seconds, Scale::Linear) }
}

/// Returns the ranges of a run's time, by their meaning: levels, held levels, the phases of a database, and the fill.
pub(super) fn bands(record: &RunRecord, with_fill: bool) -> Vec<Band> {
    let stretches = stretches(record).into_iter().filter(|s| with_fill || s.kind != "fill");
    let band = |s: Stretch| {
        let name = match s.kind {
            "fill" => word("page-fill"),
            "hold" => word("page-held"),
            "step" => word("page-level"),
            _ => s.name.into(),
        };
        Band { from: s.from, until: s.until, name }
    };
    stretches.map(band).collect()
}

/// Returns a description of the workload of steps that ran together, and the sum of their operations in flight.
pub(crate) fn named(record: &RunRecord, group: &[usize]) -> (String, u32) {
    let name = |index: &usize| {
        let stage = record.stage_of(&record.steps[*index]);
        match (record.plan.section_of(stage), record.database()) {
            (Some(section), _) => section.name.clone(),
            (None, Some(database)) => model::record::db_class(&database.verb),
            (None, None) => stage.job.workload.label(),
        }
    };
    let names = distinct(group.iter().map(name));
    let n = group.iter().map(|i| record.steps[*i].job.concurrency());
    (names.join(" + "), n.fold(0, u32::saturating_add))
}

/// Returns the time ranges of a run: its fill, its levels and the phases of its database.
pub(crate) fn stretches(record: &RunRecord) -> Vec<Stretch> {
    let stretch = |kind, name: String, from: Nanos, until: Nanos| {
        let (from, until) = (seconds(from), seconds(until));
        Stretch { kind, name, from, until }
    };
    let fill = record.fill.zip(record.steps.first());
    let fill = fill.map(|(fill, step)| stretch("fill", String::new(), step.start.since(fill.time), step.start));
    let mut stretches: Vec<Stretch> = fill.into_iter().collect();
    for group in record.simultaneous() {
        let steps: Vec<&Step> = group.iter().map(|i| &record.steps[*i]).collect();
        let last = |s: &Step| s.intervals.last().map(|i| i.start + i.length);
        let ends = steps.iter().filter_map(|s| s.end.as_ref().map(|e| e.at).or_else(|| last(s)));
        let Some(end) = ends.max() else { continue };
        let (label, n) = named(record, &group);
        let kind = if steps[0].hold { "hold" } else { "step" };
        stretches.push(stretch(kind, format!("{label} × {n}"), steps[0].start, end));
    }
    let phases = record.database().into_iter().flat_map(|d| &d.phases);
    stretches.extend(phases.map(|p| stretch("phase", p.name.clone(), p.start, p.end)));
    stretches
}

/// Converts a time to seconds.
pub(crate) fn seconds(time: Nanos) -> f64 {
    // Milliseconds are precise enough for a chart.
    (time.as_nanos() as f64 / 1e6).round() / 1e3
}

/// Rounds to five digits: more than a chart can show, and smaller to transfer.
pub(crate) fn round(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let scale = 10f64.powi(4 - value.abs().log10().floor() as i32);
    (value * scale).round() / scale
}
