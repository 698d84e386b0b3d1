//! Counters of the kernel and the engine over the time of a run.

use super::time::{self, round, seconds};
use super::{Source, grouped};
use crate::document::chart::{Axis, Chart, Choice, Lines, Plot, Scale, Series};
use crate::document::{Unit, Word};
use messages::Sentence;
use model::{CompactSort, RunRecord};

/// Maximum number of samples per series: the number of columns on a wide screen.
const SAMPLES: usize = 2000;

/// Returns the chart, with a choice for each group of counters of the same object and unit.
pub(super) fn series(runs: &[Source<'_>]) -> Option<Chart> {
    let choices = runs.iter().flat_map(choices).collect();
    Some(Chart::new("counters", "chart-counters", "chart-counters-hint", choices)?.full().over_time())
}

fn choices(run: &Source<'_>) -> Vec<Choice> {
    let record = &*run.record;
    let first = record.preflight.storage.devices.first().map(|d| format!(".{}.", d.name));
    let mut counters: Vec<&model::measured::Series> =
        record.series.iter().filter(|s| s.points.iter().any(|(_, v)| *v != 0.0)).collect();
    // The device under the file system comes first.
    counters.compact_sort_by_key(|c| !first.as_ref().is_some_and(|name| c.name.contains(name)));
    let stem =
        |name: &str| name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or(name.len(), |(s, _)| s.len());
    let keyed = counters.into_iter().map(|c| ((&c.name[..stem(&c.name)], c.unit.as_str()), c));
    let choice = |((stem, unit), members): ((&str, &str), Vec<&model::measured::Series>)| {
        Choice::new(run.label(format!("{stem} ({unit})")), plot(record, stem, unit, &members))
    };
    grouped(keyed).into_iter().map(choice).collect()
}

fn plot(record: &RunRecord, stem: &str, unit: &str, members: &[&model::measured::Series]) -> Plot {
    let line = |(family, counter): (usize, &&model::measured::Series)| {
        let name = counter.name[stem.len()..].trim_start_matches('.');
        let name = if name.is_empty() { counter.name.as_str() } else { name };
        Series { name: Sentence::from(name), points: points(counter), family, ..Series::default() }
    };
    let y = match unit {
        "B/s" => super::bandwidth_axis(),
        "bytes" => Axis::new(Word::None, Unit::Bytes, Scale::Zero),
        "ns" => Axis::new(Word::None, Unit::Nanos, Scale::Zero),
        unit => Axis::new(unit.to_owned(), Unit::Count, Scale::Zero),
    };
    let series = members.iter().enumerate().map(line).collect();
    let plot = Lines::new(time::axis(record), [vec![y]], series);
    Lines { bands: time::bands(record, false), ..plot }.checked(super::word("chart-too-short"))
}

/// Returns the samples of a counter; neighbouring samples of a long run are replaced by their mean, because the
/// sampler's intervals are equal.
pub(super) fn points(counter: &model::measured::Series) -> Vec<[f64; 2]> {
    let every = counter.points.len().div_ceil(SAMPLES).max(1);
    let mean = |c: &[(model::Nanos, f64)]| {
        [seconds(c[c.len() - 1].0), round(c.iter().map(|(_, v)| v).sum::<f64>() / c.len() as f64)]
    };
    counter.points.chunks(every).map(mean).collect()
}
