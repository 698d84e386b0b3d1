//! Watched devices over time: one chart for each quantity, with all devices and the caps that apply to them.

use super::counters::points;
use super::time::{self, round};
use super::{Source, bandwidth_axis, caps, iops_axis, latency_axis, word};
use crate::document::chart::{Axis, Chart, Choice, Lines, Scale, Series};
use crate::document::{Unit, Word};
use messages::Sentence;
use model::{bounds::LimitAxis, judged::DiskFigures};
use std::collections::BTreeMap;

/// Caps above this multiple of the highest value are not shown.
const NEAR: f64 = 3.0;

/// Counters of a device of which a chart consists.
enum Quantity {
    /// The sum of counters, and its caps.
    Rate(LimitAxis, [&'static str; 2]),
    /// Counters that are drawn separately, with their words, and the factor to the base unit.
    Separate(&'static [(&'static str, &'static str)], f64),
}

/// Returns the charts of the watched devices.
pub(super) fn rates(runs: &[Source<'_>]) -> Vec<Chart> {
    const WAIT: &[(&str, &str)] = &[("read_await", "page-read"), ("write_await", "page-write")];
    let mean = Word::Said(Sentence::join([word("page-latency"), word("page-mean")], ": "));
    let quantities = [
        ("devices-iops", iops_axis(), Quantity::Rate(LimitAxis::Iops, ["read_ops", "write_ops"])),
        ("devices-bw", bandwidth_axis(), Quantity::Rate(LimitAxis::Bandwidth, ["read", "write"])),
        ("devices-await", Axis { name: mean, ..latency_axis() }, Quantity::Separate(WAIT, 1e6)),
        (
            "devices-queue",
            Axis::new("page-in-flight", Unit::Count, Scale::Zero),
            Quantity::Separate(&[("queue", "")], 1.0),
        ),
        ("devices-busy", Axis::new("page-busy", Unit::Share, Scale::Zero), Quantity::Separate(&[("busy", "")], 0.01)),
    ];
    quantities.into_iter().filter_map(|(id, axis, quantity)| chart(runs, id, &axis, &quantity)).collect()
}

fn chart(runs: &[Source<'_>], id: &'static str, axis: &Axis, quantity: &Quantity) -> Option<Chart> {
    let choice = |run: &Source<'_>| {
        let series = series(run, quantity);
        if series.is_empty() {
            return None;
        }
        let most = series.iter().flat_map(|s| &s.points).map(|p| p[1]).fold(0.0, f64::max);
        let limits = match quantity {
            Quantity::Rate(axis, _) => run.limits(*axis),
            Quantity::Separate(..) => Vec::new(),
        };
        let near = limits.into_iter().filter(|(_, cap)| *cap < most * NEAR);
        let plot = Lines::new(time::axis(&run.record), [vec![axis.clone()]], series);
        let plot = Lines { caps: caps(near, (0, 0), false), ..plot }.checked(word("chart-too-short"));
        Some(Choice::new(run.label(""), plot))
    };
    let title = Sentence::join([word("chart-devices"), axis.name.sentence()], ": ");
    let chart = Chart::new(id, title, "chart-devices-hint", runs.iter().filter_map(choice).collect())?.over_time();
    Some(if id == "devices-iops" { chart.full() } else { chart })
}

/// Returns the lines of the devices that have samples, and the line of the sum if a cap applies to several.
fn series(run: &Source<'_>, quantity: &Quantity) -> Vec<Series> {
    let Some(judged) = run.judgement.watch() else { return Vec::new() };
    let samples = |device: &DiskFigures, what: &str| -> Vec<[f64; 2]> {
        let name = format!("device.{}.{what}", device.name);
        run.record.series.iter().find(|s| s.name == name).map(points).unwrap_or_default()
    };
    let mut series = Vec::new();
    match quantity {
        Quantity::Rate(_, counters) => {
            let total = |d: &DiskFigures| sum(counters.iter().flat_map(|what| samples(d, what)));
            let is_capped = |d: &&DiskFigures| judged.caps.iter().any(|c| c.over.contains(&d.shown));
            for (family, device) in judged.devices.iter().enumerate() {
                let (name, points) = (Sentence::from(&device.shown), total(device));
                series.push(Series { name, points, family, ..Series::default() });
            }
            // Devices stacked on others are excluded from the sum.
            if judged.devices.iter().filter(is_capped).count() > 1 {
                let points = sum(judged.devices.iter().filter(is_capped).flat_map(total));
                let (name, family) = (word("page-sum"), series.len());
                series.push(Series { name, points, family, is_dashed: true, ..Series::default() });
            }
        }
        Quantity::Separate(counters, factor) => {
            for (family, device) in judged.devices.iter().enumerate() {
                for (i, (what, id)) in counters.iter().enumerate() {
                    let name = [Some(Sentence::from(&device.shown)), (!id.is_empty()).then(|| word(id))];
                    let name = Sentence::join(name.into_iter().flatten(), ": ");
                    let points = samples(device, what).iter().map(|[at, v]| [*at, round(v * factor)]).collect();
                    series.push(Series { name, points, family, is_dashed: i > 0, ..Series::default() });
                }
            }
        }
    }
    series.retain(|s| !s.points.is_empty());
    series
}

/// Returns the sum of samples taken at the same time.
fn sum(samples: impl Iterator<Item = [f64; 2]>) -> Vec<[f64; 2]> {
    let mut sums: BTreeMap<u64, f64> = BTreeMap::new();
    // The bits of positive numbers sort as the numbers do.
    samples.for_each(|[at, v]| *sums.entry(at.to_bits()).or_default() += v);
    sums.into_iter().map(|(at, v)| [f64::from_bits(at), round(v)]).collect()
}
