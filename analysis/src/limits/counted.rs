//! Excess counters of EBS volumes and network interfaces during a level (docs/design/limits.md, "What the storage
//! counts").

use crate::levels::figures::Level;
use crate::limits::caps::Cap;
use model::bounds::{LimitAxis, LimitScope};
use model::measured::{Phase, Series, series_of};
use model::{CompactSort, Interval, Limit, Nanos, RunRecord};

/// Minimum share of the time for which a limit must have been exceeded to bind. Below it, something else limited the
/// rate for most of the time.
const BINDS: f64 = 0.5;
/// Share of the time below which a limit counts as not exceeded: the boundaries of sampling intervals and the run's own
/// journal explain it.
const NONE: f64 = 0.01;
/// Minimum share of a sampling interval that must lie within the measured time for the interval to count.
const WITHIN: f64 = 0.7;
/// Minimum share of the measured time that must be covered by samples.
const COVERED: f64 = 0.5;

/// A limit whose excess EBS counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CountedLimit {
    /// Name if no limit row is given, such as `volume IOPS`.
    pub name: &'static str,
    /// Scope of the limit: volume or instance.
    pub scope: LimitScope,
    /// Axis of the limit.
    pub axis: LimitAxis,
    /// Last part of the series name, such as `volume_iops_exceeded`.
    pub series: &'static str,
}

/// Every such limit, the volume's first.
pub(crate) const LIMITS: [CountedLimit; 4] = [
    limit("volume IOPS", LimitScope::Volume, LimitAxis::Iops, "volume_iops_exceeded"),
    limit("volume bandwidth", LimitScope::Volume, LimitAxis::Bandwidth, "volume_throughput_exceeded"),
    limit("instance IOPS", LimitScope::Instance, LimitAxis::Iops, "instance_iops_exceeded"),
    limit("instance bandwidth", LimitScope::Instance, LimitAxis::Bandwidth, "instance_throughput_exceeded"),
];

const fn limit(name: &'static str, scope: LimitScope, axis: LimitAxis, series: &'static str) -> CountedLimit {
    CountedLimit { name, scope, axis, series }
}

impl CountedLimit {
    /// Returns the row that was given for this limit.
    pub fn row<'a, 'b>(&self, caps: &'b [Cap<'a>]) -> Option<&'b Cap<'a>> {
        let whose = |limit: &Limit| match limit.scope {
            LimitScope::Unsaid => self.name.starts_with(&limit.name.to_ascii_lowercase()),
            scope => scope == self.scope,
        };
        let given = |c: &&Cap| !c.is_cgroup() && c.burst.is_none() && c.limit.op.is_none();
        caps.iter().find(|c| given(c) && c.axis == self.axis && whose(c.limit))
    }

    /// Returns the name of that row, or its own name if there is none.
    pub fn name_among(&self, caps: &[Cap]) -> String {
        self.row(caps).map_or_else(|| self.name.to_owned(), |row| row.name.clone())
    }
}

/// Excess counts during the measurement of a level.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Counted {
    /// Share of the time (0..=1) for which each limit was exceeded, on the volume with the largest share.
    shares: Vec<(CountedLimit, f64)>,
}

impl Counted {
    /// Returns the counts during a level; `None` if no volume has such counters or they were not read during most of
    /// the level.
    pub fn of_level(record: &RunRecord, level: &Level) -> Option<Counted> {
        let measured = measured(record, level);
        let devices = || record.preflight.storage.devices.iter().map(|d| d.name.as_str());
        let share = |limit: CountedLimit| {
            let each = devices().filter_map(|device| {
                let series = record.series(&format!("ebs.{device}.{}", limit.series))?;
                // Late counts may assign more than its full duration to one interval.
                Some((mean_within(record, series, &measured)? / 100.0).clamp(0.0, 1.0))
            });
            // Among several volumes under one file system, the one with the longest delay holds back the others.
            Some((limit, each.reduce(f64::max)?))
        };
        let shares: Vec<(CountedLimit, f64)> = LIMITS.into_iter().filter_map(share).collect();
        (!shares.is_empty()).then_some(Counted { shares })
    }

    /// Returns the binding limits with their shares of the time, the largest share first.
    pub fn binding(&self) -> Vec<(CountedLimit, f64)> {
        self.above(BINDS)
    }

    /// Returns every limit that was exceeded.
    pub fn exceeded(&self) -> Vec<(CountedLimit, f64)> {
        self.above(NONE)
    }

    fn above(&self, least: f64) -> Vec<(CountedLimit, f64)> {
        let mut shares: Vec<(CountedLimit, f64)> = self.shares.iter().copied().filter(|(_, s)| *s >= least).collect();
        shares.compact_sort_by(|a, b| b.1.total_cmp(&a.1));
        shares
    }
}

/// Returns the start and end of the measured time of a level, for each of its steps.
fn measured(record: &RunRecord, level: &Level) -> Vec<(u64, u64)> {
    let of_step = |step: &usize| {
        let step = &record.steps[*step];
        let until = step.end.as_ref().map_or(u64::MAX, |end| end.at.as_nanos());
        let within = |i: &&Interval| i.start >= step.start && i.start.as_nanos() < until;
        let bounds = |i: &Interval| (i.start.as_nanos(), i.start.as_nanos() + i.length.as_nanos());
        let whole = |a: (u64, u64), b: (u64, u64)| (a.0.min(b.0), a.1.max(b.1));
        let kept = level.seconds.iter().copied().filter(within).map(bounds).reduce(whole);
        // If no steady level was reached, the whole measured time counts.
        kept.filter(|_| !level.figures.steadiness.unsettled())
            .or_else(|| step.intervals.iter().filter(|i| i.phase == Phase::Measure).map(bounds).reduce(whole))
    };
    level.steps.iter().filter_map(of_step).collect()
}

/// Returns the packets per second that an interface delayed or dropped during a level because the instance's allowance
/// was used up: the interface, the driver's counter name, and the rate.
pub(crate) fn packets_beyond<'a>(record: &'a RunRecord, level: &Level) -> Vec<(&'a str, &'a str, f64)> {
    let measured = measured(record, level);
    let looks_of = |series: &'a Series| {
        let (interface, counter) = series_of(&series.name, "net")?;
        let rate = mean_within(record, series, &measured).filter(|rate| *rate > 0.0)?;
        counter.ends_with("_allowance_exceeded").then_some((interface, counter, rate))
    };
    record.series.iter().filter_map(looks_of).collect()
}

/// Returns the mean of a series over the sampling intervals that lie within the measured times; `None` if too little is
/// covered.
fn mean_within(record: &RunRecord, series: &Series, measured: &[(u64, u64)]) -> Option<f64> {
    let (mut sum, mut covered) = (0.0, 0.0);
    let mut before: Option<Nanos> = None;
    for (at, value) in &series.points {
        // The length of the first interval comes from its sample.
        let began = before.replace(*at).or_else(|| {
            let looks = &record.series("sampler.stretch")?.points;
            let place = looks.binary_search_by_key(at, |p| p.0).ok()?;
            Some(at.since(Nanos::from_secs_f64(looks[place].1)))
        });
        let Some((from, until)) = began.map(|from| (from.as_nanos(), at.as_nanos())) else { continue };
        let common: u64 = measured.iter().map(|m| until.min(m.1).saturating_sub(from.max(m.0))).sum();
        if common as f64 >= WITHIN * until.saturating_sub(from).max(1) as f64 {
            sum += value * common as f64;
            covered += common as f64;
        }
    }
    let length: u64 = measured.iter().map(|m| m.1 - m.0).sum();
    (covered > 0.0 && covered >= COVERED * length as f64).then(|| sum / covered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Rig, Run, randread, with_counts};
    use model::{measured::Layer, plan::StageRole};

    const SECOND: u64 = 1_000_000_000;

    fn series(name: &str, points: &[(u64, f64)]) -> Series {
        let points = points.iter().map(|(ms, value)| (Nanos::from_millis(*ms), *value)).collect();
        Series { name: name.into(), unit: "percent".into(), layer: Layer::Device, points }
    }

    /// Returns a record with four measured seconds, from 5 s on.
    fn record() -> RunRecord {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, randread(8192));
        rig.step(stage, Run::at(8, 3000.0));
        rig.record()
    }

    fn mean(points: &[(u64, f64)], from: u64) -> Option<f64> {
        mean_within(&record(), &series("", points), &[(from * SECOND, (from + 4) * SECOND)])
    }

    #[test]
    fn only_stretches_within_what_was_measured_count() {
        // The samples come 200 ms after each full second.
        let points = [(10_200, 0.0), (11_200, 80.0), (12_200, 100.0), (13_200, 90.0), (14_200, 70.0)];
        // 1 s each of the first three intervals, and the 0.8 s of the last one that lie within the measured time.
        let expected = (80.0 + 100.0 + 90.0 + 70.0 * 0.8) / 3.8;
        assert!((mean(&points, 10).expect("it is covered") - expected).abs() < 1e-9);
    }

    #[test]
    fn what_is_not_covered_is_unknown_and_the_first_stretch_is_as_long_as_its_look() {
        assert_eq!(mean(&[(9_000, 50.0), (10_000, 50.0)], 10), None);
        assert_eq!(mean(&[(11_000, 100.0), (12_000, 100.0)], 10), None, "a second of four");
        assert_eq!(mean_within(&record(), &series("", &[]), &[]), None);
        let mut with_look = record();
        with_look.series.push(series("sampler.stretch", &[(14_000, 4.0)]));
        let only = series("", &[(14_000, 25.0)]);
        assert_eq!(mean_within(&with_look, &only, &[(10 * SECOND, 14 * SECOND)]), Some(25.0));
    }

    #[test]
    fn late_counts_are_no_more_than_the_time_and_of_several_volumes_the_longest_counts() {
        let mut record = with_counts(record(), [120.0, 20.0, 0.5, 60.0]);
        let mut second = record.preflight.storage.devices[0].clone();
        second.name = "nvme9n1".into();
        record.preflight.storage.devices.push(second);
        let more: Vec<(u64, f64)> = (1..10).map(|s| (s * 1000, 80.0)).collect();
        record.series.push(series("ebs.nvme9n1.volume_throughput_exceeded", &more));
        let levels = crate::levels::figures::levels(&record);
        let counted = Counted::of_level(&record, &levels[0][0]).expect("it is counted");
        let named = |list: Vec<(CountedLimit, f64)>| list.iter().map(|(l, s)| (l.name, *s)).collect::<Vec<_>>();
        let expected = [("volume IOPS", 1.0), ("volume bandwidth", 0.8), ("instance bandwidth", 0.6)];
        assert_eq!((named(counted.binding()), named(counted.exceeded())), (expected.to_vec(), expected.to_vec()));
    }
}
