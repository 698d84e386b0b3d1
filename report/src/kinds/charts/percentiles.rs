//! Latency by percentile.

use super::{Source, by_group, grouped, latency_axis, missing, representative, word};
use crate::document::Unit;
use crate::document::chart::{Axis, Chart, Choice, Lines, Plot, Scale, Series};
use messages::Sentence;
use model::{LatencyHistogram, record::DbWave};

/// Returns the chart: all workloads of one run, or one workload of several runs at a time.
pub(super) fn curves(runs: &[Source<'_>]) -> Option<Chart> {
    let curves: Vec<_> = runs.iter().flat_map(|run| run_curves(run).into_iter().map(move |c| (run, c))).collect();
    let reason = missing(runs.iter().flat_map(|run| &run.judgement.patterns));
    let choices = if runs.len() > 1 {
        let curves = curves
            .into_iter()
            .map(|(run, (_, s))| (s.name.clone(), Series { name: run.label(""), family: run.family(0), ..s }));
        let choice = |(name, series): (Sentence, Vec<Series>)| Choice::new(name, plot(series, reason.clone()));
        grouped(curves).into_iter().map(choice).collect()
    } else {
        by_group(curves.into_iter().map(|(_, curve)| curve).collect(), &|series| plot(series, reason.clone()))
    };
    chart(choices)
}

/// Returns a chart of percentiles.
pub(super) fn chart(choices: Vec<Choice>) -> Option<Chart> {
    Chart::new("percentiles", "chart-percentiles", "chart-percentiles-hint", choices)
}

/// Returns the plot of series whose points are shares of operations and latencies.
pub(crate) fn plot(series: Vec<Series>, reason: Sentence) -> Plot {
    let x = Axis::new("page-percentile", Unit::Percentile, Scale::Zero);
    Lines::new(x, [vec![latency_axis()]], series).checked(reason)
}

/// Returns the curves of a run with their groups: of its workloads, of the waves of a database, or of single requests.
fn run_curves(run: &Source<'_>) -> Vec<(Sentence, Series)> {
    let curve = |name: String, group: String, latency: &LatencyHistogram| {
        (Sentence::from(group), Series { has_steps: true, ..series(name, latency) })
    };
    if let Some(pinged) = run.record.ping() {
        let hosts = pinged.hosts.iter().map(|host| curve(host.place.host.clone(), String::new(), &host.total.times));
        let name = run.judgement.patterns.first().map_or_else(String::new, |p| p.label.clone());
        return std::iter::once(curve(name, String::new(), &pinged.total.times)).chain(hosts).collect();
    }
    let mut curves: Vec<(Sentence, Series)> = Vec::new();
    let mut merged: Vec<(String, LatencyHistogram)> = Vec::new();
    for workload in run.workloads() {
        let Some(level) = representative(workload.pattern) else { continue };
        let latency = level.latencies(&run.record);
        // The loops of a mark's test are one curve.
        if let Some(i) = merged.iter().position(|(name, _)| *name == workload.name) {
            merged[i].1.merge(&latency);
            curves[i].1.points = points(&merged[i].1);
            continue;
        }
        let (group, mut series) = curve(workload.name.clone(), workload.group, &latency);
        series.is_dashed = workload.writes;
        if level.struck.is_some() {
            series.is_struck = true;
            series.name = Sentence::concat([series.name, " (".into(), word("page-invalid"), ")".into()]);
        }
        merged.push((workload.name, latency));
        curves.push((group, series));
    }
    let waves = run.record.db_waves();
    for figures in run.judgement.database().into_iter().flat_map(|d| &d.waves) {
        let waited = waves.iter().find(|w| w.name == figures.name).map(DbWave::waited).unwrap_or_default();
        curves.push(curve(format!("{} × {}", figures.class, figures.processes), figures.class.clone(), &waited));
    }
    curves
}

/// Returns the series of a histogram.
pub(crate) fn series(name: impl Into<Sentence>, latency: &LatencyHistogram) -> Series {
    Series { name: name.into(), points: points(latency), has_steps: true, ..Series::default() }
}

/// Returns the percentile curve up to the last point with at least ten slower operations (docs/design/statistics.md,
/// "Percentiles").
fn points(latency: &LatencyHistogram) -> Vec<[f64; 2]> {
    // The points are at equal steps in the number of nines: 1 - 10^-x.
    let shares = (0..=80).map(|step| 1.0 - 10f64.powf(-f64::from(step) / 16.0));
    let point = |share: f64| latency.percentile(share * 100.0).value().map(|ns| [share, ns.as_nanos() as f64]);
    shares.filter_map(point).collect()
}
