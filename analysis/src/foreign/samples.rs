//! Samples over time: tracks of devices, their sums at the same moment, and means weighted by the length of the
//! samples.

use model::foreign::{ForeignFile, ForeignPoint, ForeignSeries, Quantity, Way};
use model::judged::ForeignSampled;
use std::collections::BTreeMap;

/// Samples on one axis: end of the sample in seconds, value, length in seconds, line.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Track {
    pub points: Vec<(f64, f64, f64, u32)>,
}

impl Track {
    pub fn from_series(series: &ForeignSeries) -> Track {
        let points: Vec<&ForeignPoint> =
            series.points.iter().filter(|p| p.at.is_finite() && p.value.is_finite()).collect();
        let usual = usual_length(&points, series.period);
        let mut last = None;
        let stretch = |p: &&ForeignPoint| {
            let length = last.map_or(usual, |l: f64| p.at - l);
            last = Some(p.at);
            // A gap of minutes is a gap, not a sample of that length.
            (p.at, p.value, if length > 0.0 && length <= 10.0 * usual { length } else { usual }, p.line)
        };
        Track { points: points.iter().map(stretch).collect() }
    }

    /// Returns the sum of several tracks at the same moments.
    pub fn sum<'a>(tracks: impl Iterator<Item = &'a Track>) -> Track {
        let mut sum: BTreeMap<u64, (f64, f64, f64, u32)> = BTreeMap::new();
        for point in tracks.flat_map(|t| &t.points) {
            // Samples of one line have the same time; milliseconds distinguish lines.
            let key = (point.0.max(0.0) * 1000.0).round() as u64;
            sum.entry(key).and_modify(|s| s.1 += point.1).or_insert(*point);
        }
        Track { points: sum.into_values().collect() }
    }

    /// Returns the total amount: rate times length.
    pub fn amount(&self) -> f64 {
        self.points.iter().map(|p| p.1 * p.2).sum()
    }

    pub fn seconds(&self) -> f64 {
        self.points.iter().map(|p| p.2).sum()
    }

    /// Returns the mean over time.
    pub fn mean(&self) -> f64 {
        let seconds = self.seconds();
        if seconds > 0.0 { self.amount() / seconds } else { 0.0 }
    }

    /// Returns the largest value, with its line.
    pub fn peak(&self) -> Option<(u32, f64)> {
        self.points.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|p| (p.3, p.1))
    }

    /// Returns the samples of at least a tenth of the largest, without those at the edges of a busy stretch, which are
    /// only partly busy.
    pub fn busy(&self) -> Track {
        let least = self.peak().map_or(0.0, |(_, v)| 0.1 * v);
        let is_busy = |i: usize| self.points.get(i).is_some_and(|p| p.1 >= least && p.1 > 0.0);
        let inner =
            |i: usize| is_busy(i) && (i == 0 || is_busy(i - 1)) && (i + 1 == self.points.len() || is_busy(i + 1));
        let pick = |keep: &dyn Fn(usize) -> bool| -> Vec<_> {
            (0..self.points.len()).filter(|i| keep(*i)).map(|i| self.points[i]).collect()
        };
        let points = pick(&inner);
        Track { points: if points.is_empty() { pick(&is_busy) } else { points } }
    }

    /// Returns the maximum amount above a rate in one stretch, which is the minimum capacity of a token bucket that
    /// lets it through.
    pub fn excess(&self, rate: f64) -> f64 {
        let (mut level, mut most) = (0.0f64, 0.0f64);
        for p in &self.points {
            level = (level + (p.1 - rate) * p.2).max(0.0);
            most = most.max(level);
        }
        most
    }
}

/// Returns the usual distance of samples in seconds: their median distance, otherwise the configured period.
fn usual_length(points: &[&ForeignPoint], period: Option<f64>) -> f64 {
    let mut gaps: Vec<f64> = points.windows(2).map(|w| w[1].at - w[0].at).filter(|g| *g > 0.0).collect();
    gaps.sort_by(f64::total_cmp);
    let median = gaps.get(gaps.len().saturating_sub(1) / 2).copied();
    median.or(period.filter(|p| *p > 0.0 && p.is_finite())).unwrap_or(1.0)
}

/// Returns tracks by device, with the directions summed. Partitions and mapped devices are omitted if their disks are
/// listed.
pub(super) fn tracks(file: &ForeignFile, wanted: impl Fn((Way, Quantity)) -> bool) -> Vec<(String, Track)> {
    let mut devices: BTreeMap<&str, Vec<(Way, Track)>> = BTreeMap::new();
    for series in &file.series {
        let (Some(name), Some(quantity)) = (series.instance.as_deref(), series.of) else { continue };
        if wanted(quantity) && name != "_Total" && is_data(quantity.0) {
            devices.entry(name).or_default().push((quantity.0, Track::from_series(series)));
        }
    }
    let names: Vec<&str> = devices.keys().copied().collect();
    devices.retain(|name, _| !is_part(name, &names));
    let sum = |(name, all): (&str, Vec<(Way, Track)>)| {
        // If the tool reports a sum, the sum replaces its parts.
        let parts: Vec<&Track> = match all.iter().find(|(w, _)| *w == Way::All) {
            Some((_, whole)) => vec![whole],
            None => all.iter().map(|(_, t)| t).collect(),
        };
        (name.to_owned(), Track::sum(parts.into_iter()))
    };
    devices.into_iter().map(sum).collect()
}

/// Returns `true` if a device's bytes are also counted for another device in the list.
fn is_part(name: &str, all: &[&str]) -> bool {
    let disk = |n: &str| ["sd", "vd", "xvd", "nvme", "hd"].iter().any(|p| n.starts_with(p));
    if ["dm-", "md"].iter().any(|p| name.starts_with(p)) {
        return all.iter().any(|n| disk(n));
    }
    let is_part_of = |whole: &str| {
        let rest = name.strip_prefix(whole).unwrap_or("");
        let number = rest.strip_prefix('p').unwrap_or(rest);
        !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) && disk(name)
    };
    all.iter().any(|whole| *whole != name && is_part_of(whole))
}

/// Returns the rows for the table of samples.
pub(super) fn sampled(file: &ForeignFile) -> Vec<ForeignSampled> {
    let line = |series: &ForeignSeries| {
        let track = Track::from_series(series);
        let (_, max) = track.peak()?;
        Some(ForeignSampled {
            source: file.source.clone(),
            name: series.name.clone(),
            unit: series.unit.clone(),
            samples: track.points.len(),
            seconds: track.seconds(),
            mean: track.mean(),
            max,
        })
    };
    file.series.iter().filter_map(line).collect()
}

/// Returns `true` for the directions in which bytes move through a device.
pub(super) fn is_data(way: Way) -> bool {
    matches!(way, Way::Read | Way::Write | Way::All)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_and_mapped_devices_are_parts_of_their_disks() {
        let devices = ["sda", "sda1", "dm-0", "nvme0n1", "nvme0n1p2", "4 H:"];
        let parts: Vec<&str> = devices.into_iter().filter(|n| is_part(n, &devices)).collect();
        assert_eq!(parts, ["sda1", "dm-0", "nvme0n1p2"]);
        assert!(!is_part("dm-0", &["dm-0", "dm-1"]));
    }

    #[test]
    fn a_mean_weighs_samples_with_their_length() {
        let point = |at, value| ForeignPoint { at, value, line: 1 };
        let series = ForeignSeries {
            name: "x".into(),
            instance: None,
            of: None,
            unit: String::new(),
            period: Some(1.0),
            points: vec![point(1.0, 10.0), point(2.0, 10.0), point(4.0, 40.0)],
        };
        let track = Track::from_series(&series);
        assert_eq!(track.amount(), 100.0);
        assert_eq!(track.mean(), 25.0);
    }

    #[test]
    fn a_bucket_is_as_deep_as_the_most_that_passed_above_the_rate() {
        let track =
            Track { points: vec![(1.0, 10.0, 1.0, 1), (2.0, 30.0, 1.0, 2), (3.0, 25.0, 1.0, 3), (4.0, 0.0, 1.0, 4)] };
        assert_eq!(track.excess(20.0), 15.0);
    }
}
