//! Workloads of several runs, and shares of several targets.

use super::{Entry, Source, distinct, fastest, missing, nanos, representative, round, workloads};
use crate::document::chart::{Axis, Bars, Chart, Choice, Scale};
use crate::document::{Unit, Word};
use messages::Sentence;
use model::judged::LevelFigures;

/// Returns the workloads of several runs, with a choice for each figure.
pub(super) fn workloads_of_runs(runs: &[Source<'_>]) -> Option<Chart> {
    let entries = workloads(runs);
    let names = distinct(entries.iter().map(|(_, w)| w.name.clone()));
    if names.is_empty() {
        return None;
    }
    let level = |run: &Source<'_>, name: &str| {
        let named = entries.iter().filter(|(r, w)| std::ptr::eq(*r, run) && w.name == name);
        fastest(named.filter_map(|(_, w)| representative(w.pattern)))
    };
    let choice = |axis: Axis, figure: &dyn Fn(&LevelFigures) -> f64| {
        let value = |run, name: &String| level(run, name).map(figure).filter(|v| v.is_finite());
        let series = runs.iter().map(|run| (run.label(""), names.iter().map(|name| value(run, name)).collect()));
        let name = axis.name.sentence();
        let bars = Bars::new("page-workload", names.iter().map(Sentence::from), axis, series);
        Choice::new(name, bars.checked(missing(entries.iter().map(|(_, w): &Entry<'_, '_>| w.pattern))))
    };
    let choices = vec![
        choice(super::iops_axis(), &|l| round(l.iops.value)),
        choice(super::bandwidth_axis(), &|l| round(l.bandwidth.per_second())),
        choice(Axis::new("page-mean", Unit::Nanos, Scale::Zero), &|l| nanos(l.mean)),
        choice(Axis::new(Word::Term("p99"), Unit::Nanos, Scale::Zero), &|l| nanos(l.p99.value())),
        choice(Axis::new("page-in-flight", Unit::Count, Scale::Zero), &|l| f64::from(l.concurrency())),
    ];
    Chart::new("bars", "chart-bars", "chart-bars-hint", choices)
}

/// Returns the share of each target in the workloads that have several.
pub(super) fn shares(runs: &[Source<'_>]) -> Option<Chart> {
    let entries: Vec<Entry<'_, '_>> = workloads(runs).into_iter().filter(|(_, w)| w.pattern.shares.len() > 1).collect();
    let targets = distinct(entries.iter().flat_map(|(_, w)| &w.pattern.shares).map(|s| s.name.clone()));
    if targets.is_empty() {
        return None;
    }
    let share = |entry: &Entry<'_, '_>, target: &str| {
        entry.1.pattern.shares.iter().find(|s| s.name == target).map(|s| round(s.iops.per_second()))
    };
    let series = |target: &String| (target.into(), entries.iter().map(|e| share(e, target)).collect());
    let names = entries.iter().map(|(run, w)| run.label(w.name.as_str()));
    let bars = Bars::new("page-workload", names, super::iops_axis(), targets.iter().map(series));
    let plot = Bars { is_stacked: true, ..bars }.checked("");
    Chart::new("shares", "chart-shares", "chart-shares-hint", vec![Choice::new("", plot)])
}
