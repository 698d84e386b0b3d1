//! Counters of a database and of the storage below it: blocks compared with transfers (B24), the write daemon (B25),
//! open buckets (V01).

use crate::foreign::case::{Case, Test};
use crate::foreign::format;
use crate::foreign::rule::{Rule, RuleMatch, rule};
use crate::foreign::samples::{Track, tracks};
use messages::sentence;
use model::foreign::{ForeignFile, ForeignSeries, Quantity, Way};
use model::judged::SourceLine;
use model::{Sentence, Severity, units::thousands};

pub(in crate::foreign::rules) const RULES: &[Rule] = &[
    rule("B24-blocks", Severity::Note, blocks),
    rule("B24-batch", Severity::Note, batch),
    rule("B25-starvation", Severity::Doubt, starvation),
    rule("V01-open-bucket", Severity::Note, |case| case.tests.iter().filter_map(open_bucket).collect()),
];

/// Size of a database block in bytes; mgstat reports no other.
const BLOCK: f64 = 8192.0;

fn is_mgstat(file: &ForeignFile) -> bool {
    file.series("PhyWrs").is_some()
}

fn mgstats<'a>(case: &Case<'a>) -> impl Iterator<Item = (&'a ForeignFile, &'a ForeignSeries)> {
    let files: &'a [ForeignFile] = case.files;
    files.iter().filter_map(|f| Some((f, f.series("PhyWrs")?)))
}

fn line(file: &ForeignFile, line: u32, words: impl Into<Sentence>) -> SourceLine {
    SourceLine::new(&file.source, line, words)
}

fn blocks(case: &Case) -> Vec<RuleMatch> {
    let mut seen = Vec::new();
    for (file, series) in mgstats(case) {
        let track = Track::from_series(series);
        let Some((at, peak)) = track.peak().filter(|(_, v)| *v > 0.0) else { continue };
        let line_of_peak = line(file, at, format!("PhyWrs {peak:.0}"));
        let others: Vec<RuleMatch> = case
            .files
            .iter()
            .filter(|f| !is_mgstat(f))
            .filter_map(|other| beside(case, file, &track, other).map(|one| one.lines([line_of_peak.clone()])))
            .collect();
        if others.is_empty() {
            let writing: Vec<f64> = track.points.iter().map(|p| p.1).filter(|v| *v > 0.0).collect();
            let mean = busy_mean(&track, median(writing).unwrap_or(peak));
            let what = sentence!("saw-blocks", blocks = thousands(mean), rate = format::rate(mean * BLOCK));
            seen.push(RuleMatch::about(case.called(file), what).lines([line_of_peak]));
        }
        seen.extend(others);
    }
    seen
}

/// Compares the writes with a file of device counters over the same time.
fn beside(case: &Case, file: &ForeignFile, writes: &Track, other: &ForeignFile) -> Option<RuleMatch> {
    let devices = tracks(other, |of| matches!(of, (Way::Write, Quantity::Bandwidth(_))));
    let offset = (file.began_of(other)? - file.began?) as f64;
    // The device that moved the most data is the one with the database.
    let (name, device) = devices.into_iter().max_by(|a, b| a.1.amount().total_cmp(&b.1.amount()))?;
    let within = |track: &Track, shift: f64, (from, to): (f64, f64)| Track {
        points: track.points.iter().copied().filter(|p| p.0 + shift > from && p.0 + shift <= to).collect(),
    };
    let ends =
        |t: &Track, shift: f64| Some((t.points.first()?.0 - t.points.first()?.2 + shift, t.points.last()?.0 + shift));
    let (a, b) = (ends(writes, 0.0)?, ends(&device, offset)?);
    let span = (a.0.max(b.0), a.1.min(b.1));
    if span.1 - span.0 < 3.0 {
        return None;
    }
    let (ours, device_bytes) = (within(writes, 0.0, span), within(&device, offset, span));
    let (blocks, bytes) = (ours.amount(), device_bytes.amount());
    if blocks <= 0.0 || bytes <= 0.0 {
        return None;
    }
    let (_, peak) = ours.peak()?;
    let (at, most) = device_bytes.peak()?;
    let ratio = bytes / (blocks * BLOCK);
    let same = (ratio - 1.0).abs() < 0.1;
    let what = match same {
        true => sentence!(
            "saw-count-different-things",
            blocks = thousands(blocks),
            bytes = format::bytes(blocks * BLOCK),
            device = &name,
            moved = format::bytes(bytes),
            seconds = format!("{:.0}", span.1 - span.0),
            change = format::change(ratio)
        ),
        false => sentence!(
            "saw-more-than-blocks",
            bytes = format::bytes(blocks * BLOCK),
            device = &name,
            moved = format::bytes(bytes),
            seconds = format!("{:.0}", span.1 - span.0)
        ),
    };
    let names = [file, other].map(|f| case.called(f));
    let mut one = RuleMatch::about(format::list(&names), what).with(sentence!(
        "saw-most-blocks",
        blocks = thousands(peak),
        rate = format::rate(peak * BLOCK),
        device = format::rate(most)
    ));
    let transfers = tracks(other, |of| matches!(of, (Way::Write, Quantity::Iops(_))));
    if let Some((_, t)) = transfers.into_iter().find(|(n, _)| *n == name) {
        let count = within(&t, offset, span).amount();
        if count > 0.0 {
            one = one.with(sentence!(
                "saw-blocks-of-write",
                writes = thousands(count),
                blocks = format!("{:.2}", blocks / count),
                each = format!("{:.1} KiB", bytes / count / 1024.0)
            ));
        }
    }
    Some(one.lines([line(other, at, format!("{name} {}", format::rate(most)))]))
}

fn batch(case: &Case) -> Vec<RuleMatch> {
    let mut seen = Vec::new();
    for (file, series) in mgstats(case) {
        // The last sample of a stretch ends in the middle of a batch.
        let goes_on = |w: &&[model::foreign::ForeignPoint]| w[0].value > 0.0 && w[0].value < 1e15 && w[1].value > 0.0;
        let writing: Vec<(u64, u32)> =
            series.points.windows(2).filter(goes_on).map(|w| (w[0].value as u64, w[0].line)).collect();
        if writing.len() < 8 {
            continue;
        }
        let share = |size: u64| writing.iter().filter(|(v, _)| v.is_multiple_of(size)).count();
        let Some(size) = [1024, 512, 256, 128, 64, 32, 16].into_iter().find(|s| share(*s) * 10 >= writing.len() * 9)
        else {
            continue;
        };
        let what = sentence!("saw-multiples", n = share(size), all = writing.len(), size);
        let first = writing.iter().find(|(v, _)| v.is_multiple_of(size)).copied().unwrap_or_default();
        seen.push(RuleMatch::about(case.called(file), what).lines([line(
            file,
            first.1,
            format!("PhyWrs {} = {} x {size}", first.0, first.0 / size),
        )]));
    }
    seen
}

/// Number of samples before and after a stretch of writing that show the surrounding load.
const AROUND: usize = 5;

fn starvation(case: &Case) -> Vec<RuleMatch> {
    let mut seen = Vec::new();
    for (file, series) in mgstats(case) {
        let Some(glorefs) = file.series("Glorefs") else { continue };
        if glorefs.points.len() != series.points.len() {
            continue;
        }
        let mut from = 0;
        while let Some(start) = (from..series.points.len()).find(|i| series.points[*i].value > 0.0) {
            let end =
                (start..series.points.len()).find(|i| series.points[*i].value <= 0.0).unwrap_or(series.points.len());
            from = end;
            seen.extend(starved(case, file, (series, glorefs), (start, end)));
        }
    }
    seen
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Checks one stretch of writing, from the first sample with blocks to the last one before a sample without blocks.
fn starved(
    case: &Case,
    file: &ForeignFile,
    (writes, glorefs): (&ForeignSeries, &ForeignSeries),
    (start, end): (usize, usize),
) -> Option<RuleMatch> {
    let value = |i: usize| glorefs.points[i].value;
    let during = median((start..end).map(value).collect())?;
    let around: Vec<f64> =
        (start.saturating_sub(AROUND)..start).chain(end..(end + AROUND).min(glorefs.points.len())).map(value).collect();
    if end - start < 5 || around.len() < 2 {
        return None;
    }
    let idle = median(around)?;
    if idle <= 0.0 || during > 0.5 * idle {
        return None;
    }
    let track = Track::from_series(writes);
    let stretch = Track { points: track.points[start.min(track.points.len())..end.min(track.points.len())].to_vec() };
    let total = stretch.amount();
    // Samples in which the daemon wrote all the time.
    let busy = stretch.busy();
    let what = sentence!(
        "saw-starved",
        before = thousands(idle),
        during = thousands(during),
        change = format!("{:.0} %", (during / idle - 1.0) * 100.0),
        seconds = format!("{:.0}", busy_seconds(&stretch)),
        bytes = format::bytes(total * BLOCK)
    );
    let lines = [start, end.saturating_sub(1)].map(|i| {
        let words = format!("Glorefs {:.0}, PhyWrs {:.0}", value(i), writes.points[i].value);
        line(file, writes.points[i].line, words)
    });
    let mut one = RuleMatch::about(case.called(file), what).lines(lines);
    let full = median(busy.points.iter().map(|p| p.1).collect()).unwrap_or_default();
    let mean = busy_mean(&stretch, full);
    one = one.with(sentence!("saw-writes-blocks", blocks = thousands(mean), rate = format::rate(mean * BLOCK)));
    if let Some(reads) = file.series("PhyRds").filter(|s| s.points.len() == glorefs.points.len()) {
        let median_of = |range: std::ops::Range<usize>| median(range.map(|i| reads.points[i].value).collect());
        let before = median_of(start.saturating_sub(AROUND)..start);
        if let (Some(before), Some(now)) = (before, median_of(start..end)) {
            one = one.with(sentence!("saw-blocks-read", before = thousands(before), now = thousands(now)));
        }
    }
    if let Some(queue) = file.series("WDQsz").filter(|s| s.points.len() == glorefs.points.len()) {
        let (first, last) = (queue.points[start.saturating_sub(1)], queue.points[end - 1]);
        if last.value > first.value {
            let end = queue.points.last().copied().unwrap_or(last);
            one = one.with(sentence!(
                "saw-queue-grows",
                from = format!("{:.0}", queue.points.first().map_or(first.value, |p| p.value)),
                to = format!("{:.0}", last.value),
                end = format!("{:.0}", end.value)
            ));
            one = one.lines([line(file, last.line, format!("WDQsz {:.0}", last.value))]);
        }
    }
    Some(one)
}

/// Returns the seconds of a stretch of writing; its last sample is often only partly busy.
fn busy_seconds(stretch: &Track) -> f64 {
    let full = median(stretch.points.iter().map(|p| p.1).collect()).unwrap_or_default();
    stretch.points.iter().map(|p| if full > 0.0 { p.2 * (p.1 / full).min(1.0) } else { p.2 }).sum()
}

/// Relative distance from the median within which a sample belongs to the main write level; the samples at the start
/// and end are outside.
const LEVEL: f64 = 0.05;

/// Returns the mean of the samples near the main write level, if they are at least half of all.
fn busy_mean(stretch: &Track, full: f64) -> f64 {
    let near: Vec<f64> = stretch.points.iter().map(|p| p.1).filter(|v| (v / full - 1.0).abs() <= LEVEL).collect();
    let writing = stretch.points.iter().filter(|p| p.1 > 0.0).count();
    if near.is_empty() || near.len() * 2 < writing { full } else { near.iter().sum::<f64>() / near.len() as f64 }
}

fn open_bucket(test: &Test) -> Option<RuleMatch> {
    let is_of_blocks = |v: &&model::foreign::ForeignValue| matches!(v.of, Quantity::OfBlocks(..));
    let total: f64 = test.test.values.iter().filter(is_of_blocks).filter_map(|v| v.value).sum();
    let open = test.test.values.iter().find(|v| matches!(v.of, Quantity::OfBlocks(_, true)));
    let open = open.filter(|v| v.value.is_some_and(|x| total > 0.0 && x > 0.9 * total))?;
    let Quantity::OfBlocks(least, _) = open.of else { return None };
    let count = open.value.unwrap_or_default();
    let what = sentence!(
        "saw-open-bucket",
        share = format!("{:.2} %", count / total * 100.0),
        writes = thousands(total),
        least,
        size = format!("{:.0} KiB", f64::from(least) * BLOCK / 1024.0)
    );
    Some(RuleMatch::about_test(test, what).on(test, Some(open)))
}
