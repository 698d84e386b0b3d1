//! Data for the charts, as the single JSON document in the page: base units, times in seconds on the run's clock.
//!
//! Kept small: a run of half an hour has a few thousand seconds with a dozen figures each; latencies over time are
//! stored as counts in quarter octaves, for at most [`COLUMNS`] time ranges.

use super::key_figures::PageKind;
use super::texts::Texts;
use crate::screens::comparison;
use model::CompactSort;
use model::{
    Comparison, Demand, Interval, Judgement, Knee, LatencyHistogram, Layer, LimitAxis, Nanos, PatternJudgement, Phase,
    RateDemand, RequestKind, RoleDemand, RunRecord, StageRole, Step, bucket_mid,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// Maximum number of time ranges in the heat map.
const COLUMNS: usize = 240;
/// Rows of the heat map per doubling of the latency.
const ROWS: f64 = 4.0;
/// Maximum number of samples per series: the number of columns on a wide screen.
const SAMPLES: usize = 2000;

/// Chart data of one run.
#[derive(Debug, Default, Serialize)]
pub struct RunData {
    /// Short name: the given label, or the first digits of the run's ID.
    pub name: String,
    /// Kind of run; decides which charts come first.
    pub kind: PageKind,
    pub patterns: Vec<PatternData>,
    pub steps: Vec<StepData>,
    pub heat: Option<Heat>,
    pub counters: Vec<Counter>,
    /// Watched devices: the name in the counters and the displayed name.
    pub devices: Vec<(String, String)>,
    /// Displayed names of the devices to which a cap applies.
    pub summed: Vec<String>,
    pub stretches: Vec<Stretch>,
    pub limits: Vec<LimitData>,
    pub sizes: Vec<Sizes>,
    pub waves: Vec<WaveData>,
    /// Rates by role and cache sizes, for a recording or samples.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<AskedData>,
}

/// Demand of one role, or of all roles.
#[derive(Debug, Default, Serialize)]
pub struct AskedData {
    pub name: String,
    /// Reads and writes per second.
    pub iops: Course,
    /// Bytes read and written per second.
    pub bw: Course,
    /// Start and end of the busiest period, and its operations per second.
    pub busiest: Option<(f64, f64, f64)>,
    /// Pairs of cache size in bytes and hit share.
    pub cached: Vec<(u64, f64)>,
}

/// Points of a series over time: start, end, mean and maximum of one second or sample.
pub type Course = Vec<(f64, f64, f64, f64)>;

/// A workload with its levels.
#[derive(Debug, Serialize)]
pub struct PatternData {
    pub label: String,
    pub role: StageRole,
    pub size: u64,
    pub levels: Vec<LevelData>,
    /// Concurrency levels between which more concurrency stops raising the rate.
    pub knee: Option<(u32, u32)>,
    pub n_star: Option<f64>,
    /// Limits at this workload's mean request size: name and operations per second.
    pub caps: Vec<(String, f64)>,
    /// Points (share of operations, nanoseconds) of the judged level. If its rate changed during the level, only the
    /// part after the change is included.
    pub percentiles: Vec<(f64, f64)>,
    /// True if the percentiles are invalid.
    pub struck: bool,
    /// Share of each target if there are several: name, operations per second, share.
    pub shares: Vec<(String, f64, f64)>,
}

#[derive(Debug, Serialize)]
pub struct LevelData {
    pub n: u32,
    pub hold: bool,
    pub iops: f64,
    pub ci: Option<(f64, f64)>,
    /// Bandwidth in bytes per second.
    pub bw: f64,
    pub mean: Option<u64>,
    pub p50: Option<u64>,
    pub p99: Option<u64>,
    pub p999: Option<u64>,
    pub max: Option<u64>,
    /// Reason why the figures of the level are invalid.
    pub struck: Option<String>,
}

/// A step, second by second.
#[derive(Debug, Serialize)]
pub struct StepData {
    pub label: String,
    /// Number of operations in flight.
    pub n: u32,
    pub at: Vec<f64>,
    pub measured: Vec<bool>,
    pub iops: Vec<f64>,
    pub bw: Vec<f64>,
    pub mean: Vec<Option<f64>>,
    pub p99: Vec<Option<f64>>,
}

/// Counts of latencies: columns are time ranges, rows are quarter octaves.
#[derive(Debug, Serialize)]
pub struct Heat {
    /// Start and length of each column.
    pub at: Vec<(f64, f64)>,
    /// Lower bound of each row, in nanoseconds.
    pub rows: Vec<f64>,
    /// Cells as (column, row, operations).
    pub cells: Vec<(usize, usize, u64)>,
}

#[derive(Debug, Serialize)]
pub struct Counter {
    pub name: String,
    pub unit: String,
    pub layer: Layer,
    pub points: Vec<(f64, f64)>,
}

/// A time range of the run, such as a fill, a step or a phase.
#[derive(Debug, Serialize)]
pub struct Stretch {
    pub kind: &'static str,
    pub name: String,
    pub from: f64,
    pub until: f64,
}

#[derive(Debug, Serialize)]
pub struct LimitData {
    pub name: String,
    pub iops: Option<f64>,
    pub bw: Option<f64>,
}

/// Requests by size, as the device received them.
#[derive(Debug, Serialize)]
pub struct Sizes {
    pub device: String,
    pub role: String,
    pub kind: String,
    /// Buckets as (smallest size, operations, bytes).
    pub buckets: Vec<(u64, u64, u64)>,
}

/// Name of the operation, rate, mean, p99.
type WaveRow = (String, Option<f64>, Option<u64>, Option<u64>);

/// A wave of a database run.
#[derive(Debug, Serialize)]
pub struct WaveData {
    pub name: String,
    pub workers: u32,
    /// Rows, one for each operation.
    pub rows: Vec<WaveRow>,
    pub percentiles: Vec<(f64, f64)>,
}

/// A comparison of two sides: changes with their intervals.
#[derive(Debug, Serialize)]
pub struct ComparisonData {
    /// Share below which a change counts as no change.
    pub within: f64,
    pub figures: Vec<ChangeData>,
}

#[derive(Debug, Serialize)]
pub struct ChangeData {
    pub name: String,
    pub ratio: f64,
    pub ci: Option<(f64, f64)>,
    /// Conclusion about the figure.
    pub answer: model::Answer,
    pub better: Option<bool>,
}

impl ComparisonData {
    /// Creates the data from the figures of a comparison that have a ratio.
    pub fn new(c: &Comparison, t: &Texts) -> ComparisonData {
        let one = |f: &model::Compared| {
            let (name, ci) = (t.translate(comparison::name(f, c)), f.ci.map(|(low, high)| (round(low), round(high))));
            Some(ChangeData { name, ratio: round(f.ratio?), ci, answer: f.answer, better: f.better })
        };
        ComparisonData { within: c.within, figures: c.figures.iter().filter_map(one).collect() }
    }
}

impl RunData {
    /// Creates the data of a demand: rates, sizes, latencies and caches by role.
    pub fn asked(name: &str, demand: &Demand, t: &Texts) -> RunData {
        let total = RoleDemand { role: t.word("demand-all").to_owned(), ..demand.all.clone() };
        let several = (demand.roles.len() > 1).then_some(&total);
        let kinds =
            || demand.roles.iter().flat_map(|role| role.kinds.iter().map(move |(kind, asked)| (role, kind, asked)));
        let sizes = kinds().filter(|(.., asked)| asked.sizes.count() > 0).map(|(role, kind, asked)| Sizes {
            device: String::new(),
            role: role.role.clone(),
            kind: kind.name().to_owned(),
            buckets: size_buckets(&asked.sizes),
        });
        let waves = kinds().filter(|(.., asked)| asked.latency.count() > 0).map(|(role, kind, asked)| WaveData {
            name: format!("{}: {}", role.role, kind_word(*kind, t)),
            workers: 1,
            rows: Vec::new(),
            percentiles: percentiles(&asked.latency),
        });
        RunData {
            name: name.to_owned(),
            kind: PageKind::Needs,
            sizes: sizes.collect(),
            waves: waves.collect(),
            asked: several.into_iter().chain(&demand.roles).map(asked).collect(),
            ..RunData::default()
        }
    }

    /// Creates the data of a record, with all targets combined, and its judgement.
    pub fn new(name: String, record: &RunRecord, judgement: &Judgement, t: &Texts) -> RunData {
        RunData {
            name,
            kind: PageKind::from_record(record),
            patterns: judgement.patterns.iter().map(|p| pattern(record, p, t)).collect(),
            steps: record.simultaneous().iter().map(|g| step(record, g)).filter(|s| !s.at.is_empty()).collect(),
            heat: heat(record),
            counters: counters(record),
            devices: devices(judgement),
            summed: judgement.watch().into_iter().flat_map(|w| &w.caps).flat_map(|c| c.over.iter().cloned()).collect(),
            stretches: stretches(record),
            limits: record.plan.limits.iter().chain(&record.preflight.limits).map(limit).collect(),
            sizes: sizes(record),
            waves: waves(record, judgement, t),
            asked: Vec::new(),
        }
    }
}

fn limit(limit: &model::Limit) -> LimitData {
    LimitData { name: limit.name.clone(), iops: limit.cap(LimitAxis::Iops), bw: limit.cap(LimitAxis::Bandwidth) }
}

fn pattern(record: &RunRecord, p: &PatternJudgement, t: &Texts) -> PatternData {
    let levels = p.levels.iter().map(|l| LevelData {
        n: l.concurrency(),
        hold: l.hold,
        iops: round(l.iops.value),
        ci: l.iops.ci.map(|(a, b)| (round(a), round(b))),
        bw: round(l.bandwidth.per_second()),
        mean: ns(l.mean),
        p50: ns(l.p50.value()),
        p99: ns(l.p99.value()),
        p999: ns(l.p999.value()),
        max: ns(l.max),
        struck: l.struck.as_ref().map(|why| t.translate(why)),
    });
    let judged = p.levels.iter().rev().find(|l| l.hold).or_else(|| p.best.map(|b| &p.levels[b])).or(p.levels.last());
    let latencies = judged.map(|l| l.latencies(record));
    PatternData {
        label: p.label.clone(),
        role: p.role,
        size: p.mean_size.as_u64(),
        levels: levels.collect(),
        knee: match p.knee {
            Knee::Between { below, at, .. } => Some((below, at)),
            _ => None,
        },
        n_star: p.n_star,
        caps: p.binding.constraints.iter().map(|c| (c.name.clone(), round(c.allows.per_second()))).collect(),
        percentiles: latencies.as_ref().map(percentiles).unwrap_or_default(),
        struck: judged.is_some_and(|l| l.struck.is_some()),
        shares: p.shares.iter().map(|s| (s.name.clone(), round(s.iops.per_second()), s.share)).collect(),
    }
}

/// Returns the percentile curve up to the last point with at least ten slower operations (docs/design/statistics.md,
/// "Percentiles").
fn percentiles(latency: &LatencyHistogram) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    for step in 0..=80 {
        // The points are at equal steps in the number of nines: 1 - 10^-x.
        let share = 1.0 - 10f64.powf(-f64::from(step) / 16.0);
        if let Some(ns) = latency.percentile(share * 100.0).value() {
            points.push((share, ns.as_nanos() as f64));
        }
    }
    points
}

/// Returns a description of the workload of steps that ran together, and the sum of their operations in flight.
pub(in crate::formats) fn named(record: &RunRecord, group: &[usize]) -> (String, u32) {
    let mut names: Vec<String> = Vec::new();
    for index in group {
        let stage = record.stage_of(&record.steps[*index]);
        let name = match (record.plan.section_of(stage), record.database()) {
            (Some(section), _) => section.name.clone(),
            (None, Some(database)) => model::db_class(&database.verb),
            (None, None) => stage.job.workload.label(),
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let n = group.iter().map(|i| record.steps[*i].job.concurrency());
    (names.join(" + "), n.fold(0, u32::saturating_add))
}

fn step(record: &RunRecord, group: &[usize]) -> StepData {
    let (label, n) = named(record, group);
    let mut data = StepData {
        label,
        n,
        at: Vec::new(),
        measured: Vec::new(),
        iops: Vec::new(),
        bw: Vec::new(),
        mean: Vec::new(),
        p99: Vec::new(),
    };
    for interval in record.seconds_of(group).iter().filter(|i| !i.length.is_zero()) {
        let latency = interval.latency();
        data.at.push(seconds(interval.start.as_nanos() + interval.length.as_nanos() / 2));
        data.measured.push(interval.phase == Phase::Measure);
        data.iops.push(round(interval.iops().per_second()));
        data.bw.push(round(interval.bandwidth().per_second()));
        data.mean.push(latency.mean().map(|n| n.as_nanos() as f64));
        data.p99.push(latency.percentile(99.0).value().map(|n| n.as_nanos() as f64));
    }
    data
}

fn heat(record: &RunRecord) -> Option<Heat> {
    let intervals: Vec<&Interval> =
        record.steps.iter().flat_map(|s| &s.intervals).filter(|i| !i.length.is_zero()).collect();
    let end = intervals.iter().map(|i| i.start.as_nanos() + i.length.as_nanos()).max()?;
    let begin = intervals.iter().map(|i| i.start.as_nanos()).min()?;
    // No finer than the intervals themselves, which last about a second.
    let columns = (((end - begin) as f64 / 1e9).round() as usize).clamp(1, COLUMNS);
    let width = (end - begin).div_ceil(columns as u64).max(1);
    let mut cells: BTreeMap<(usize, i64), u64> = BTreeMap::new();
    for interval in intervals {
        let column = ((interval.start.as_nanos() + interval.length.as_nanos() / 2 - begin) / width) as usize;
        for (bucket, n) in interval.latency().buckets() {
            let row = ((bucket_mid(bucket).as_nanos().max(1) as f64).log2() * ROWS).floor() as i64;
            *cells.entry((column, row)).or_default() += n;
        }
    }
    let low = cells.keys().map(|(_, row)| *row).min()?;
    let high = cells.keys().map(|(_, row)| *row).max()?;
    Some(Heat {
        at: (0..columns as u64).map(|c| (seconds(begin + c * width), seconds(width))).collect(),
        rows: (low..=high).map(|row| round(2f64.powf(row as f64 / ROWS))).collect(),
        cells: cells.into_iter().map(|((column, row), n)| (column, (row - low) as usize, n)).collect(),
    })
}

fn devices(judgement: &Judgement) -> Vec<(String, String)> {
    let devices = judgement.watch().into_iter().flat_map(|w| &w.devices);
    devices.map(|d| (d.name.clone(), d.shown.clone())).collect()
}

fn counters(record: &RunRecord) -> Vec<Counter> {
    let first = record.preflight.storage.devices.first().map(|d| format!(".{}.", d.name));
    let mut counters: Vec<Counter> = record
        .series
        .iter()
        .filter(|s| s.points.iter().any(|(_, v)| *v != 0.0))
        .map(|s| {
            let every = s.points.len().div_ceil(SAMPLES).max(1);
            // Replaces neighbouring samples by their mean; the sampler's intervals are equal.
            let thin = s.points.chunks(every).map(|c| {
                let mean = c.iter().map(|(_, v)| v).sum::<f64>() / c.len() as f64;
                (seconds(c[c.len() - 1].0.as_nanos()), round(mean))
            });
            Counter { name: s.name.clone(), unit: s.unit.clone(), layer: s.layer, points: thin.collect() }
        })
        .collect();
    // The device under the file system comes first.
    counters.compact_sort_by_key(|c| !first.as_ref().is_some_and(|name| c.name.contains(name)));
    counters
}

pub(in crate::formats) fn stretches(record: &RunRecord) -> Vec<Stretch> {
    let mut stretches = Vec::new();
    if let (Some(fill), Some(first)) = (record.fill, record.steps.first()) {
        let until = first.start.as_nanos();
        stretches.push(Stretch {
            kind: "fill",
            name: String::new(),
            from: seconds(until.saturating_sub(fill.time.as_nanos())),
            until: seconds(until),
        });
    }
    for group in record.simultaneous() {
        let steps: Vec<&Step> = group.iter().map(|i| &record.steps[*i]).collect();
        let ended = |s: &&Step| {
            s.end
                .as_ref()
                .map(|e| e.at.as_nanos())
                .or_else(|| s.intervals.last().map(|i| i.start.as_nanos() + i.length.as_nanos()))
        };
        let Some(end) = steps.iter().filter_map(ended).max() else { continue };
        let (label, n) = named(record, &group);
        let kind = if steps[0].hold { "hold" } else { "step" };
        let from = seconds(steps[0].start.as_nanos());
        stretches.push(Stretch { kind, name: format!("{label} × {n}"), from, until: seconds(end) });
    }
    for phase in record.database().into_iter().flat_map(|d| &d.phases) {
        stretches.push(Stretch {
            kind: "phase",
            name: phase.name.clone(),
            from: seconds(phase.start.as_nanos()),
            until: seconds(phase.end.as_nanos()),
        });
    }
    stretches
}

fn sizes(record: &RunRecord) -> Vec<Sizes> {
    let mut merged = model::BlockTrace::default();
    record.blocks.iter().for_each(|b| merged.merge(&b.trace));
    let mut sizes = Vec::new();
    for device in &merged.devices {
        for role in &device.roles {
            for (kind, ops) in &role.kinds {
                sizes.push(Sizes {
                    device: device.name.clone(),
                    role: role.role.clone(),
                    kind: format!("{kind:?}").to_lowercase(),
                    buckets: size_buckets(&ops.sizes),
                });
            }
        }
    }
    sizes.retain(|s| s.buckets.iter().any(|b| b.1 > 0));
    sizes
}

/// Returns the word for a kind of request.
pub(super) fn kind_word(kind: RequestKind, t: &Texts) -> &'static str {
    crate::formats::traced::kind_id(kind).map_or(kind.name(), |id| t.word(id))
}

fn size_buckets(sizes: &model::RequestSizes) -> Vec<(u64, u64, u64)> {
    let bounds = model::SIZE_BUCKETS.iter().zip(sizes.buckets());
    bounds.map(|(from, (n, bytes))| (from.as_u64(), n, bytes.as_u64())).collect()
}

fn asked(role: &RoleDemand) -> AskedData {
    let course = |rate: &RateDemand| {
        let points = rate.course.iter().map(|p| {
            let from = p.at.as_nanos();
            (seconds(from), seconds(from + p.length.as_nanos()), round(p.mean), round(p.most))
        });
        points.collect()
    };
    let busiest = role.iops.busiest(Nanos::from_secs(10));
    AskedData {
        name: role.role.clone(),
        iops: course(&role.iops),
        bw: role.bandwidth.as_ref().map(course).unwrap_or_default(),
        busiest: busiest
            .map(|(length, rate, at)| (seconds(at.as_nanos()), seconds((at + length).as_nanos()), round(rate))),
        cached: role
            .working_set
            .iter()
            .flat_map(|s| &s.cached)
            .map(|(size, share)| (size.as_u64(), round(*share)))
            .collect(),
    }
}

fn waves(record: &RunRecord, judgement: &Judgement, t: &Texts) -> Vec<WaveData> {
    let Some(database) = judgement.database() else { return Vec::new() };
    let waves = record.db_waves();
    database
        .waves
        .iter()
        .map(|wave| {
            let word = |kind| t.word(crate::formats::database::kind(kind)).to_owned();
            let rows = wave
                .kinds()
                .map(|(name, f)| (word(name), f.rate.map(|r| round(r.per_second())), ns(f.mean), ns(f.p99.value())));
            let waited = waves.iter().find(|w| w.name == wave.name).map(model::DbWave::waited);
            WaveData {
                name: format!("{} × {}", wave.class, wave.processes),
                workers: wave.processes,
                rows: rows.collect(),
                percentiles: waited.as_ref().map(percentiles).unwrap_or_default(),
            }
        })
        .collect()
}

fn ns(value: Option<Nanos>) -> Option<u64> {
    value.map(|n| n.as_nanos())
}

pub(in crate::formats) fn seconds(ns: u64) -> f64 {
    // Milliseconds are precise enough for a chart.
    (ns as f64 / 1e6).round() / 1e3
}

/// Rounds to five digits: more than a chart can show, and smaller to transfer.
pub(in crate::formats) fn round(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let scale = 10f64.powi(4 - value.abs().log10().floor() as i32);
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_five_digits() {
        assert_eq!(
            [123_456.0, 0.001_234_567, -7.0, 0.0, f64::NAN].map(round),
            [123_460.0, 0.001_234_6, -7.0, 0.0, 0.0]
        );
    }

    #[test]
    fn every_operation_stands_in_the_heat_map_once() {
        let (record, judgement) = crate::fixture::capped();
        let data = RunData::new("a".into(), &record, &judgement, Texts::for_language(messages::Language::English));
        let shown: u64 = data.heat.expect("latencies").cells.iter().map(|c| c.2).sum();
        let counted: u64 = record.steps.iter().flat_map(|s| &s.intervals).map(|i| i.latency().count()).sum();
        assert_eq!(shown, counted);
        assert_eq!(data.patterns.len(), judgement.patterns.len());
    }
}
