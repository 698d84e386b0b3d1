//! Latencies over time as a heat map, and over the whole run as a histogram.

use super::time::{self, measured, round, seconds};
use super::{Source, latency_axis, word};
use crate::document::Unit;
use crate::document::chart::{Axis, Bars, Chart, Choice, Heat, Plot, Scale};
use messages::{Sentence, sentence};
use model::{Interval, LatencyHistogram, Nanos, RunRecord, measured::bucket_mid};
use std::collections::BTreeMap;

/// Maximum number of time ranges in the heat map.
const COLUMNS: usize = 240;
/// Rows per doubling of the latency.
const ROWS: f64 = 4.0;

/// Returns the heat map, with a choice for each run.
pub(super) fn map(runs: &[Source<'_>]) -> Option<Chart> {
    let choices = runs.iter().filter(|run| !run.record.steps.is_empty());
    let choices = choices.map(|run| Choice::new(run.label(""), plot(&run.record)));
    let chart = Chart::new("heat", "chart-heat", "chart-heat-hint", choices.collect())?.full().over_time();
    // The first requests of a ping do not count.
    let n = runs.iter().map(|run| time::warm_up(&run.record)).sum::<u64>();
    let hint = || Sentence::join([word("chart-heat-hint"), sentence!("chart-warm-up", n)], " ").into();
    Some(if n == 0 { chart } else { Chart { hint: hint(), ..chart } })
}

/// Returns the measured intervals of the steps.
fn intervals(record: &RunRecord) -> Vec<Interval> {
    let each = || (0..record.steps.len()).map(|step| vec![step]).collect();
    let groups = if record.ping().is_some() { record.simultaneous() } else { each() };
    groups.iter().flat_map(|group| measured(record, group)).collect()
}

/// Returns the row of a bucket.
fn row(bucket: usize) -> i64 {
    ((bucket_mid(bucket).as_nanos().max(1) as f64).log2() * ROWS).floor() as i64
}

/// Returns the lower bound of a row, in nanoseconds.
fn bound(row: i64) -> f64 {
    round(2f64.powf(row as f64 / ROWS))
}

fn plot(record: &RunRecord) -> Plot {
    let intervals = intervals(record);
    let end = |i: &Interval| i.start.as_nanos() + i.length.as_nanos();
    let (Some(begin), Some(end)) =
        (intervals.iter().map(|i| i.start.as_nanos()).min(), intervals.iter().map(end).max())
    else {
        return Plot::Nothing(word("chart-too-short"));
    };
    // No finer than the intervals themselves, which last about a second.
    let columns = (((end - begin) as f64 / 1e9).round() as usize).clamp(1, COLUMNS);
    let width = (end - begin).div_ceil(columns as u64).max(1);
    let mut cells: BTreeMap<(usize, i64), u64> = BTreeMap::new();
    for interval in &intervals {
        let column = ((interval.start.as_nanos() + interval.length.as_nanos() / 2 - begin) / width) as usize;
        for (bucket, n) in interval.latency().buckets() {
            *cells.entry((column, row(bucket))).or_default() += n;
        }
    }
    let rows = || cells.keys().map(|(_, row)| *row);
    let (low, high) = (rows().min().unwrap_or_default(), rows().max().unwrap_or_default());
    Heat {
        x: time::axis(record),
        y: latency_axis(),
        columns: (0..columns as u64).map(|c| (seconds(Nanos(begin + c * width)), seconds(Nanos(width)))).collect(),
        rows: (low..=high).map(bound).collect(),
        cells: cells.into_iter().map(|((column, row), n)| (column, (row - low) as usize, n)).collect(),
    }
    .checked(word("chart-too-short"))
}

/// Returns the histogram of all runs.
pub(super) fn histogram(runs: &[Source<'_>]) -> Option<Chart> {
    let counted: Vec<BTreeMap<i64, u64>> = runs.iter().map(|run| counts(&run.record)).collect();
    let rows = || counted.iter().flat_map(BTreeMap::keys);
    let (low, high) = (rows().min().copied().unwrap_or(0), rows().max().copied().unwrap_or(-1));
    let rows: Vec<i64> = (low..=high).collect();
    let values = |counts: &BTreeMap<i64, u64>| rows.iter().map(|row| counts.get(row).map(|n| *n as f64)).collect();
    let name = |run: &Source<'_>| if run.place.is_some() { run.label("") } else { word("page-operations") };
    let names = rows.iter().map(|row| Nanos(bound(*row) as u64).to_string().replace(" us", " µs").into());
    let series = runs.iter().zip(&counted).map(|(run, counts)| (name(run), values(counts)));
    let bars = Bars::new("page-latency", names, Axis::new("page-operations", Unit::Count, Scale::Zero), series);
    let choices = vec![Choice::new("", bars.checked(word("chart-too-short")))];
    Chart::new("histogram", "chart-histogram", "chart-histogram-hint", choices)
}

/// Returns the number of operations in each row.
fn counts(record: &RunRecord) -> BTreeMap<i64, u64> {
    let mut total = LatencyHistogram::default();
    match record.ping() {
        Some(pinged) => total.merge(&pinged.total.times),
        None => intervals(record).iter().for_each(|i| total.merge(&i.latency())),
    }
    let mut counts = BTreeMap::new();
    for (bucket, n) in total.buckets() {
        *counts.entry(row(bucket)).or_default() += n;
    }
    counts
}
