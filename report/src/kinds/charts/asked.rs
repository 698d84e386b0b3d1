//! Demand of a recording or of samples: rates over time, sizes, latencies, and caches.

use super::requests::kind_word;
use super::time::{round, seconds};
use super::{bandwidth_axis, by_group, iops_axis, percentiles, requests, word};
use crate::document::Unit;
use crate::document::chart::{Axis, Band, Chart, Choice, Lines, Plot, Scale, Series};
use messages::Sentence;
use model::judged::{Demand, RateDemand, RoleDemand};
use model::{Iops, Nanos};

/// Returns the charts of a demand.
pub(crate) fn charts(demand: &Demand) -> Vec<Chart> {
    let total = RoleDemand { role: String::new(), ..demand.all.clone() };
    let several = (demand.roles.len() > 1).then_some(&total);
    let roles: Vec<&RoleDemand> = several.into_iter().chain(&demand.roles).collect();
    let kinds = || demand.roles.iter().flat_map(|role| role.kinds.iter().map(move |kind| (role, kind)));
    let sizes = kinds().filter(|(_, (_, k))| k.sizes.count() > 0).map(|(role, (kind, k))| {
        (Sentence::concat([format!("{} ", role.role).into(), kind_word(*kind)]), k.sizes.clone())
    });
    let curves = kinds().filter(|(_, (_, k))| k.latency.count() > 0).map(|(role, (kind, k))| {
        let name = Sentence::join([role.role.as_str().into(), kind_word(*kind)], ": ");
        (Sentence::from(&role.role), percentiles::series(name, &k.latency))
    });
    let plot = |series| percentiles::plot(series, word("chart-too-short"));
    let courses = roles.iter().filter(|role| !role.iops.course.is_empty());
    let courses = courses.map(|role| Choice::new(name(role), course(role))).collect();
    let rates = Chart::new("asked", "chart-asked", "chart-asked-hint", courses).map(|c| c.full().over_time());
    let charts = [
        rates,
        requests::chart(sizes.collect()),
        percentiles::chart(by_group(curves.collect(), &plot)),
        caches(&roles),
    ];
    charts.into_iter().flatten().collect()
}

fn name(role: &RoleDemand) -> Sentence {
    if role.role.is_empty() { word("demand-all") } else { Sentence::from(&role.role) }
}

fn course(role: &RoleDemand) -> Plot {
    let mut series = rates("IOPS", (0, 0), &role.iops);
    let mut panes = vec![vec![iops_axis()]];
    if let Some(bandwidth) = role.bandwidth.as_ref().filter(|b| !b.course.is_empty()) {
        series.extend(rates("MB/s", (1, 0), bandwidth));
        panes.push(vec![bandwidth_axis()]);
    }
    let busiest = role.iops.busiest(Nanos::from_secs(10)).map(|(length, rate, at)| Band {
        from: seconds(at),
        until: seconds(at + length),
        name: Sentence::join([word("page-busiest"), Iops(rate).to_string().into()], ": "),
    });
    let ends = role.iops.course.first().zip(role.iops.course.last());
    let range = ends.map(|(first, last)| (seconds(first.at), seconds(last.at + last.length)));
    let x = Axis { range, ..Axis::new("page-time", Unit::Seconds, Scale::Linear) };
    Lines { bands: busiest.into_iter().collect(), ..Lines::new(x, panes, series) }.checked(word("chart-too-short"))
}

/// Returns the mean of a rate and, if it differs, its busiest second or sample in each interval.
fn rates(name: &'static str, axis: (usize, usize), rate: &RateDemand) -> Vec<Series> {
    let line = |name, shade, value: &dyn Fn(&model::judged::RatePoint) -> f64| {
        let points = steps(rate, value);
        Series { name, axis, points, family: axis.0, shade, has_steps: true, ..Series::default() }
    };
    let mut series = vec![line(Sentence::from(name), 1, &|p| round(p.mean))];
    if rate.course.iter().any(|p| round(p.most) != round(p.mean)) {
        let name = Sentence::join([name.into(), word("page-busiest")], ": ");
        series.push(line(name, 0, &|p| round(p.most)));
    }
    series
}

/// Returns the points of a rate. Each interval is drawn to its end; intervals that do not touch are not connected.
fn steps(rate: &RateDemand, value: &dyn Fn(&model::judged::RatePoint) -> f64) -> Vec<[f64; 2]> {
    let mut points = Vec::new();
    for (i, point) in rate.course.iter().enumerate() {
        let (from, until) = (seconds(point.at), seconds(point.at + point.length));
        points.push([from, value(point)]);
        let touches = rate.course.get(i + 1).is_some_and(|next| seconds(next.at) <= until + 0.001);
        if !touches {
            points.extend([[until, value(point)], [until + 0.001, f64::NAN]]);
        }
    }
    points
}

/// Returns the share of reads that caches would serve.
fn caches(roles: &[&RoleDemand]) -> Option<Chart> {
    let line = |(family, role): (usize, &&RoleDemand)| {
        let cached = &role.working_set.as_ref()?.cached;
        let points: Vec<[f64; 2]> = cached.iter().map(|(size, held)| [size.as_u64() as f64, round(*held)]).collect();
        let is_useful = points.iter().any(|p| p[1] > 0.0);
        is_useful.then(|| Series { name: name(role), points, family, has_steps: true, ..Series::default() })
    };
    let series: Vec<Series> = roles.iter().enumerate().filter_map(line).collect();
    if series.is_empty() {
        return None;
    }
    let (x, y) = (Axis::new("page-cache", Unit::Bytes, Scale::Log2), Axis::new("", Unit::Share, Scale::Zero));
    let plot = Lines::new(x, [vec![y]], series).checked(word("chart-too-short"));
    Chart::new("caches", "chart-caches", "chart-caches-hint", vec![Choice::new("", plot)])
}
