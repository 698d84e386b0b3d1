//! Compares a load with the counters of its device over the same time, matched by the clocks of their files.

use super::case::{Case, DirectionResult, Test};
use super::samples::{Track, tracks};
use model::foreign::{ForeignFile, ForeignLatency, Quantity, Way};
use model::judged::SourceLine;

/// Uncertainty of the start and end of a load, in seconds: fio reports the end in whole seconds, and only after the
/// load has ended.
const MARGIN: f64 = 1.5;
/// Minimum number of samples; fewer could agree by chance.
const LEAST: usize = 2;
/// Relative difference in bytes up to which two layers count as equal.
const SAME: f64 = 0.05;

/// One direction of a load, paired with one device.
#[derive(Debug)]
pub(super) struct Beside<'a> {
    /// Results of the load.
    pub tests: Vec<Test<'a>>,
    /// File with the counters of the device.
    pub other: &'a ForeignFile,
    pub device: String,
    pub way: Way,
    /// Rate and latency as the load reports them.
    pub load: Flow,
    /// Rate and latency as the device counted them, in samples that are certain to lie within the load.
    pub counted: Flow,
    /// Bytes moved by the load.
    pub moved: f64,
    /// Bytes at the device: while the load was certain to run, and from its earliest possible start to its latest
    /// possible end.
    pub between: (f64, f64),
    /// Line of the first of these samples.
    pub line: SourceLine,
}

/// Operations and bytes per second, and the mean latency of an operation in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Flow {
    pub ops: f64,
    pub bytes: f64,
    pub mean: Option<f64>,
}

/// Comparison of the bytes that load and device moved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Layers {
    /// Both moved the same number of bytes, within the precision of the clocks.
    Same,
    /// The device moved at most this share of the load's bytes.
    Less(f64),
    /// The device moved at least this multiple of the load's bytes.
    More(f64),
}

impl Beside<'_> {
    pub fn layers(&self) -> Layers {
        let (within, around) = (self.between.0 / self.moved, self.between.1 / self.moved);
        match () {
            () if around < 1.0 - SAME => Layers::Less(around),
            () if within > 1.0 + SAME => Layers::More(within),
            () => Layers::Same,
        }
    }

    /// Returns the number of device transfers for each operation of the load, for the same bytes.
    pub fn transfers(&self) -> f64 {
        (self.load.bytes / self.load.ops) / (self.counted.bytes / self.counted.ops)
    }
}

/// Returns every fio load paired with every counter file that covers it.
pub(super) fn all<'a>(case: &Case<'a>) -> Vec<Beside<'a>> {
    let files: &'a [ForeignFile] = case.files;
    let mut findings = Vec::new();
    let others: Vec<&ForeignFile> =
        files.iter().filter(|o| !o.format.starts_with("fio") && o.began.is_some()).collect();
    for file in files.iter().filter(|f| f.format.starts_with("fio") && !f.tests.is_empty()) {
        let tests = case.of_file(file);
        let Some(span) = span(file, tests) else { continue };
        let ways = [Way::Read, Way::Write];
        findings.extend(others.iter().flat_map(|o| ways.map(|way| beside(tests, span, o, way))).flatten());
    }
    findings
}

/// Returns the start and end of a file's jobs by the clock of its machine, computed from the end that fio reports.
///
/// Returns `None` if the jobs ran one after another.
fn span(file: &ForeignFile, tests: &[Test]) -> Option<(f64, f64)> {
    let end = file.began? as f64;
    let group = |t: &Test| t.other("group").map(str::to_owned);
    let together = tests.iter().all(|t| group(t) == group(&tests[0]));
    let shortest = tests.iter().filter_map(Test::seconds).fold(f64::INFINITY, f64::min);
    (together && shortest.is_finite() && shortest >= LEAST as f64 + 2.0 * MARGIN).then_some((end - shortest, end))
}

/// A load and a counter file whose clocks do not overlap, and of which only one states its time zone.
#[derive(Debug)]
pub(super) struct Apart<'a> {
    pub load: &'a ForeignFile,
    pub counters: &'a ForeignFile,
    /// Seconds from the end of the earlier file to the start of the later one.
    pub gap: f64,
    /// Offset from UTC, in seconds, with which the file without a zone would overlap the other; set only if exactly one
    /// zone fits.
    pub east: Option<i32>,
}

impl<'a> Apart<'a> {
    /// Returns the file that states no time zone.
    pub fn without(&self) -> &'a ForeignFile {
        if self.load.zone.is_none() { self.load } else { self.counters }
    }
}

/// Returns every such pair.
pub(super) fn apart<'a>(case: &Case<'a>) -> Vec<Apart<'a>> {
    let files: &'a [ForeignFile] = case.files;
    let is_load = |f: &ForeignFile| f.format.starts_with("fio");
    let mut findings = Vec::new();
    let counters: Vec<&ForeignFile> = files.iter().filter(|o| !is_load(o)).collect();
    for load in files.iter().filter(|f| is_load(f) && !f.tests.is_empty()) {
        let Some(span) = span(load, case.of_file(load)) else { continue };
        let others = counters.iter().copied().filter(|o| o.zone.is_some() != load.zone.is_some());
        findings.extend(others.filter_map(|other| pair(load, span, other)));
    }
    findings
}

fn pair<'a>(load: &'a ForeignFile, (start, end): (f64, f64), counters: &'a ForeignFile) -> Option<Apart<'a>> {
    let began = load.began_of(counters)? as f64;
    let devices = tracks(counters, |(_, of)| matches!(of, Quantity::Bandwidth(_)));
    let ends = devices.iter().filter_map(|(_, t)| Some((t.points.first()?, t.points.last()?)));
    let (from, to) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(from, to), (first, last)| {
        (from.min(began + first.0 - first.2), to.max(began + last.0))
    });
    let gap = (start - to).max(from - end);
    if !gap.is_finite() || gap < 0.0 {
        return None;
    }
    // Time zones differ from UTC by multiples of a quarter of an hour.
    let known = load.zone.or(counters.zone)?;
    let at = |east: i32| f64::from(if load.zone.is_none() { east - known } else { known - east });
    let meets = |shift: f64| from + shift < end && to + shift > start;
    let mut zones = ZONES.step_by(900).filter(|east| meets(at(*east)));
    let east = zones.next().filter(|_| zones.next().is_none());
    Some(Apart { load, counters, gap, east })
}

/// Time zones in use, in seconds ahead of UTC.
const ZONES: std::ops::RangeInclusive<i32> = -43_200..=50_400;

fn beside<'a>(tests: &[Test<'a>], (start, end): (f64, f64), other: &'a ForeignFile, way: Way) -> Option<Beside<'a>> {
    let load = load(tests, way)?;
    let began = tests[0].file.began_of(other)? as f64;
    let part = |track: &Track, keep: &dyn Fn(f64, f64) -> bool| Track {
        points: track.points.iter().copied().filter(|p| keep(began + p.0 - p.2, began + p.0)).collect(),
    };
    let within = |track: &Track| part(track, &|from, to| from >= start + MARGIN && to <= end - MARGIN);
    let tracks_of = |wanted: fn(Quantity) -> bool| tracks(other, move |(w, of)| w == way && wanted(of));
    let bytes: Vec<(String, Track, Track)> = tracks_of(|q| matches!(q, Quantity::Bandwidth(_)))
        .into_iter()
        .map(|(name, track)| (name, within(&track), track))
        .filter(|(_, inner, _)| inner.points.len() >= LEAST)
        .collect();
    // Prefer the device that fio names, otherwise the one that moved the most bytes.
    let named = bytes.iter().find(|(name, ..)| tests[0].file.disks.iter().any(|d| d.name == *name));
    let most = || bytes.iter().max_by(|a, b| a.1.amount().total_cmp(&b.1.amount()));
    let (device, inner, track) = named.or_else(most)?;
    let track_within =
        |list: Vec<(String, Track)>| list.into_iter().find(|(n, _)| n == device).map(|(_, t)| within(&t));
    let transfers = track_within(tracks_of(|q| matches!(q, Quantity::Iops(_))))?;
    let waits = track_within(tracks_of(|q| matches!(q, Quantity::Latency(ForeignLatency::Device, _))));
    let ends = |p: &(f64, f64, f64, u32)| (began + p.0 - p.2, began + p.0);
    let covered = track.points.first().is_some_and(|p| ends(p).0 <= start + MARGIN)
        && track.points.last().is_some_and(|p| ends(p).1 >= end - MARGIN);
    let between = match covered {
        true => {
            let around = part(track, &|from, to| to > start - MARGIN && from < end + MARGIN);
            (inner.amount(), around.amount())
        }
        // The counters cover only a part of the load: extrapolate the rate in that part to the whole load.
        false => (inner.mean() * (end - start), inner.mean() * (end - start)),
    };
    let first = inner.points.first()?;
    let line = SourceLine::new(&other.source, first.3, format!("{device} {}", super::format::rate(first.1)));
    Some(Beside {
        tests: tests.to_vec(),
        other,
        device: device.clone(),
        way,
        load,
        counted: Flow { ops: transfers.mean(), bytes: inner.mean(), mean: waits.map(|w| w.mean()) },
        moved: load.bytes * (end - start),
        between,
        line,
    })
}

/// Returns the combined rate and latency of the jobs of a file in one direction.
fn load(tests: &[Test], way: Way) -> Option<Flow> {
    let sides: Vec<DirectionResult> = tests.iter().filter_map(|t| t.side(way)).collect();
    let ops: f64 = sides.iter().filter_map(DirectionResult::rate).sum();
    let bytes: f64 = sides.iter().filter_map(DirectionResult::bandwidth).sum();
    let mean = match sides.as_slice() {
        [one] => one.mean(),
        _ => None,
    };
    (ops > 0.0 && bytes > 0.0).then_some(Flow { ops, bytes, mean })
}
