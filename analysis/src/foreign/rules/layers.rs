//! Comparison of a load's requests with the counters of its device: the same bytes (B29, B46), other counts (B24),
//! windows and periods of sampling (B28, B29), and the meaning of utilisation and await (B54).

use crate::foreign::beside::{self, Apart, Beside, Layers};
use crate::foreign::case::{Case, DirectionResult, Test};
use crate::foreign::format;
use crate::foreign::rule::{Rule, RuleMatch, rule};
use crate::foreign::samples::{Track, tracks};
use messages::{message, sentence};
use model::foreign::{ForeignFile, ForeignLatency, Quantity, Way};
use model::judged::SourceLine;
use model::{Bytes, CompactSort, Sentence, Severity, text::Message, units::thousands};

pub(super) const RULES: &[Rule] = &[
    rule("B24-transfers", Severity::Note, transfers),
    rule("B28-window", Severity::Note, |case| case.files.iter().filter_map(|f| window(case, f)).collect()),
    rule("B29-differ", Severity::Doubt, differ),
    rule("B29-layers", Severity::Note, agree),
    rule("B29-minute", Severity::Note, |case| case.files.iter().filter_map(|f| minutes(case, f)).collect()),
    rule("B29-zone", Severity::Note, zones),
    rule("B46-not-from-device", Severity::Doubt, |case| {
        case.files.iter().filter_map(|f| not_from_device(case, f)).collect()
    }),
    rule("B54-await", Severity::Note, awaits),
];

/// Returns a message with the bytes that both moved.
fn both(b: &Beside, bytes: f64) -> Message {
    let (load, counted, device) = (format::bytes(b.moved), format::bytes(bytes), &b.device);
    match b.way {
        Way::Read => message!("saw-both-read", load, counted, device),
        _ => message!("saw-both-written", load, counted, device),
    }
}

fn differ(case: &Case) -> Vec<RuleMatch> {
    let match_beside = |b: Beside| {
        let what = match b.layers() {
            Layers::Same => return None,
            Layers::Less(share) => {
                sentence!("saw-device-moved-less", both = both(&b, b.between.1), share = format::percent(share))
            }
            Layers::More(times) => {
                sentence!("saw-device-moved-more", both = both(&b, b.between.0), times = format!("{times:.2}"))
            }
        };
        Some(about(case, &b, what))
    };
    beside::all(case).into_iter().filter_map(match_beside).collect()
}

fn zones(case: &Case) -> Vec<RuleMatch> {
    let match_apart = |a: Apart| {
        let without = case.called(a.without());
        let what = sentence!("saw-clocks-apart", gap = format::seconds(a.gap), without);
        let subject = format::list(&[a.load, a.counters].map(|f| case.called(f)));
        let seen = RuleMatch::about(subject, what);
        match a.east {
            Some(east) => {
                let (sign, minutes) = (if east < 0 { '-' } else { '+' }, east.abs() / 60);
                let zone = format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60);
                seen.with(sentence!("saw-one-zone", zone))
            }
            None => seen,
        }
    };
    beside::apart(case).into_iter().map(match_apart).collect()
}

fn agree(case: &Case) -> Vec<RuleMatch> {
    let mut seen = Vec::new();
    for b in beside::all(case).iter().filter(|b| b.layers() == Layers::Same) {
        let mut one = about(case, b, messages::sentence(both(b, b.between.1)));
        if let (Some(load), Some(device)) = (b.load.mean, b.counted.mean.filter(|m| *m > 0.0)) {
            one = one.with(sentence!("saw-both-latencies", load = format::time(load), device = format::time(device)));
        }
        seen.push(one);
    }
    seen
}

fn about(case: &Case, b: &Beside, what: Sentence) -> RuleMatch {
    let titles: Vec<String> = b.tests.iter().map(Test::title).collect();
    let titles = [format::titles(&titles), case.called(b.other).into()];
    let first = b.tests.first().and_then(|t| t.side(b.way).map(|s| (t, s)));
    let line = first.and_then(|(t, s)| s.get(Quantity::Operations).or(s.get(Quantity::Moved)).map(|v| t.line(v)));
    RuleMatch::about(format::list(&titles), what)
        .lines(line)
        .lines([b.line.clone()])
        .rows(b.tests.iter().map(|t| t.index))
}

/// Relative difference of counts above which requests were split or merged.
const OTHER: f64 = 0.1;

fn transfers(case: &Case) -> Vec<RuleMatch> {
    let mut seen = Vec::new();
    for b in beside::all(case) {
        let ratio = b.transfers();
        if b.layers() != Layers::Same || (ratio - 1.0).abs() <= OTHER || !ratio.is_finite() || ratio <= 0.0 {
            continue;
        }
        let how = if ratio > 1.0 {
            message!("saw-split", n = format!("{ratio:.2}"))
        } else {
            message!("saw-merged", n = format!("{:.2}", 1.0 / ratio))
        };
        let what = sentence!(
            "saw-transfers",
            ops = thousands(b.load.ops),
            size = size(b.load.bytes / b.load.ops),
            transfers = thousands(b.counted.ops),
            each = size(b.counted.bytes / b.counted.ops),
            device = &b.device,
            how
        );
        let (load, counted) = (format::rate(b.load.bytes), format::rate(b.counted.bytes));
        seen.push(about(case, &b, what).with(sentence!("saw-same-bytes", load, counted)));
    }
    seen
}

fn size(bytes: f64) -> String {
    Bytes(bytes.max(0.0).round() as u64).to_string()
}

/// Returns the bytes of all devices of a file, both directions summed at the same moments.
fn moved(file: &ForeignFile) -> Track {
    let devices = tracks(file, |of| matches!(of, (_, Quantity::Bandwidth(_))));
    Track::sum(devices.iter().map(|(_, t)| t))
}

fn window(case: &Case, file: &ForeignFile) -> Option<RuleMatch> {
    let total = moved(file);
    let busy = total.busy();
    let few = busy.points.len() >= 3 && busy.points.len() * 5 <= total.points.len() * 4;
    if !few || busy.mean() < 1.2 * total.mean() {
        return None;
    }
    let n = busy.points.len() as f64;
    let mean = busy.points.iter().map(|p| p.1).sum::<f64>() / n;
    let sd = (busy.points.iter().map(|p| (p.1 - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    let what = sentence!(
        "saw-busy-and-all",
        busy = format::rate(busy.mean()),
        seconds = format!("{:.0}", busy.seconds()),
        mean = format::rate(total.mean()),
        all = format!("{:.0}", total.seconds())
    );
    let first = busy.points.first().copied().unwrap_or_default();
    let words = sentence!("saw-together", rate = format::rate(first.1));
    Some(
        RuleMatch::about(case.called(file), what)
            .with(sentence!(
                "saw-deviation",
                n = format!("{n:.0}"),
                sd = format::rate(sd),
                share = format::percent(sd / mean)
            ))
            .lines([SourceLine::new(&file.source, first.3, words)]),
    )
}

/// Sampling period from which a sample hides bursts, in seconds.
const LONG: f64 = 30.0;

fn minutes(case: &Case, file: &ForeignFile) -> Option<RuleMatch> {
    let long = file.series.iter().filter(|s| {
        s.period.is_some_and(|p| p >= LONG && p.is_finite())
            && s.of.is_some_and(|(w, _)| crate::foreign::samples::is_data(w))
    });
    let long: Vec<_> = long.filter(|s| !s.points.is_empty()).collect();
    let first = long.first()?;
    let period = first.period.unwrap_or_default();
    let words = sentence!("saw-sampled-every", name = &first.name, period = format::seconds(period));
    let line = first.points.first().map_or(0, |p| p.line);
    let what = sentence!("saw-long-period", period = format::seconds(period));
    Some(RuleMatch::about(case.called(file), what).lines([SourceLine::new(&file.source, line, words)]))
}

/// Share of the reads that must have arrived at the device.
const ARRIVED: f64 = 0.9;

/// Returns `true` if the storage is memory that processors access directly (DAX, persistent memory): no block layer
/// counts its I/O.
fn maps_memory(file: &ForeignFile, tests: &[&Test]) -> bool {
    let is_memory = |name: &str| ["pmem", "dax"].iter().any(|p| name.starts_with(p));
    file.disks.iter().any(|d| is_memory(&d.name))
        || tests.iter().any(|t| {
            let engine = ["libpmem", "dev-dax", "pmemblk"].contains(&t.engine());
            let named = t.other("filename").is_some_and(|f| f.split(':').any(|f| is_memory(model::text::file_name(f))));
            engine || named
        })
}

fn not_from_device(case: &Case, file: &ForeignFile) -> Option<RuleMatch> {
    let tests: Vec<&Test> = case.of_file(file).iter().collect();
    let reads: Vec<DirectionResult> = tests.iter().filter_map(|t| t.side(Way::Read)).collect();
    let asked: f64 = reads.iter().filter_map(DirectionResult::ops).sum();
    // With several devices, each may hold a part or lie below another. Summing all of them avoids false alarms.
    let count = |of| file.disks.iter().filter_map(|d| d.value(Way::Read, of)).sum::<f64>();
    let arrived = count(Quantity::Operations) + count(Quantity::Merges);
    if !file.format.starts_with("fio")
        || file.disks.is_empty()
        || maps_memory(file, &tests)
        || asked < 1000.0
        || reads.iter().any(|s| s.ops().is_none())
        || arrived >= ARRIVED * asked
    {
        return None;
    }
    let titles: Vec<String> = tests.iter().filter(|t| t.side(Way::Read).is_some()).map(|t| t.title()).collect();
    let names: Vec<String> = file.disks.iter().map(|d| d.name.clone()).collect();
    let (asked, share) = (thousands(asked), format::percent(arrived / asked));
    let (arrived, devices) = (Some(arrived).filter(|n| *n > 0.0).map(thousands), format::list(&names));
    let what = match arrived {
        Some(arrived) => sentence!("saw-reads-arrived", arrived, asked, devices, share),
        None => sentence!("saw-no-read-arrived", asked, devices, share),
    };
    let mut one = RuleMatch::about(format::titles(&titles), what);
    for test in tests.iter().filter(|t| t.side(Way::Read).is_some()) {
        one = one.rows([test.index]).lines(test.lines(Way::Read, &[Quantity::Operations]));
        if test.asked().direct == Some(false) {
            one = one.with(sentence!("saw-direct-off"));
        }
    }
    let disk = file.disks.iter().filter_map(|d| d.get(Way::Read, Quantity::Operations));
    Some(one.lines(disk.map(|v| SourceLine::new(&file.source, v.line, &v.words))))
}

/// One sample of a device: operations per second, operations in flight, await, utilisation, and line.
struct DeviceSample {
    rate: f64,
    flight: Option<f64>,
    wait: Option<f64>,
    used: Option<f64>,
    line: u32,
}

/// Returns the samples with activity of each device in a file of counters.
fn device_samples(file: &ForeignFile) -> Vec<(String, Vec<DeviceSample>)> {
    let one = |wanted: fn(Quantity) -> bool| tracks(file, move |(_, of)| wanted(of));
    let at = |list: &[(String, Track)], name: &str, time: f64| {
        let track = &list.iter().find(|(n, _)| n == name)?.1;
        track.points.iter().find(|p| (p.0 - time).abs() < 1e-3).map(|p| p.1)
    };
    let rates = one(|q| matches!(q, Quantity::Iops(_)));
    let (flight, used) = (one(|q| q == Quantity::InFlight), one(|q| q == Quantity::Utilisation));
    let waits = waits(file);
    let of_device = |(name, track): (String, Track)| {
        let looks = track.points.iter().filter(|p| p.1 > 0.0).map(|p| DeviceSample {
            rate: p.1,
            flight: at(&flight, &name, p.0),
            wait: at(&waits, &name, p.0),
            used: at(&used, &name, p.0),
            line: p.3,
        });
        let looks: Vec<DeviceSample> = looks.collect();
        (name, looks)
    };
    rates.into_iter().map(of_device).collect()
}

/// Returns the `await` of each device in its busiest direction. The awaits of reads and writes cannot be summed.
fn waits(file: &ForeignFile) -> Vec<(String, Track)> {
    let tracks_of = |way: Way, wanted: fn(Quantity) -> bool| tracks(file, move |(w, of)| w == way && wanted(of));
    let mut best: Vec<(String, Track, f64)> = Vec::new();
    for way in [Way::All, Way::Read, Way::Write] {
        let rates = tracks_of(way, |q| matches!(q, Quantity::Iops(_)));
        for (name, track) in tracks_of(way, |q| matches!(q, Quantity::Latency(ForeignLatency::Device, _))) {
            let weight = rates.iter().find(|(n, _)| *n == name).map_or(0.0, |(_, t)| t.amount());
            match best.iter_mut().find(|b| b.0 == name) {
                Some(known) if known.2 >= weight => {}
                Some(known) => *known = (name, track, weight),
                None => best.push((name, track, weight)),
            }
        }
    }
    best.into_iter().map(|(name, track, _)| (name, track)).collect()
}

/// Minimum number of samples for a statement.
const LEAST_LOOKS: usize = 6;

/// Returns the samples at the lower and at the upper quartile.
fn ends(mut looks: Vec<&DeviceSample>, by: fn(&DeviceSample) -> f64) -> Option<(&DeviceSample, &DeviceSample)> {
    if looks.len() < LEAST_LOOKS {
        return None;
    }
    looks.compact_sort_by(|a, b| by(a).total_cmp(&by(b)));
    let quarter = looks.len() / 4;
    Some((looks[quarter], looks[looks.len() - 1 - quarter]))
}

fn awaits(case: &Case) -> Vec<RuleMatch> {
    let mut seen = Vec::new();
    for file in case.files {
        for (name, looks) in device_samples(file) {
            let top = looks.iter().map(|l| l.rate).fold(0.0, f64::max);
            // In nearly idle samples the queue length is due to chance.
            let is_usable = |l: &&DeviceSample| {
                l.rate >= 0.05 * top && l.wait.is_some_and(|w| w > 0.0) && l.flight.is_some_and(|f| f > 0.0)
            };
            let busy: Vec<&DeviceSample> = looks.iter().filter(is_usable).collect();
            let flight = |l: &DeviceSample| l.flight.unwrap_or_default();
            let Some((low, high)) = ends(busy, flight) else { continue };
            let (short, long) = (low.wait.unwrap_or_default(), high.wait.unwrap_or_default());
            if flight(high) < 3.0 * flight(low) || long < 1.5 * short {
                continue;
            }
            let tell = |l: &DeviceSample, wait: f64| {
                let (wait, flight) = (format::time(wait), format!("{:.1}", flight(l)));
                sentence!("saw-await-at", wait, flight, rate = thousands(l.rate))
            };
            let what = format::enumerated([tell(low, short), tell(high, long)]);
            seen.push(device_of(case, file, &name, what).lines([low, high].map(|l| line(file, &name, l))));
        }
    }
    seen
}

/// Returns samples with the same utilisation and very different rates: among fully utilised samples, otherwise among
/// those near the median utilisation.
fn alike(looks: &[DeviceSample]) -> Option<(&DeviceSample, &DeviceSample)> {
    let mut used: Vec<f64> = looks.iter().filter_map(|l| l.used).filter(|u| *u >= 0.2).collect();
    used.sort_by(f64::total_cmp);
    let median = *used.get(used.len() / 2)?;
    [(0.95, f64::INFINITY, 1.3), (0.85 * median, 1.15 * median, 1.5)].into_iter().find_map(|(from, to, apart)| {
        let same = looks.iter().filter(|l| l.used.is_some_and(|u| u >= from && u <= to)).collect();
        ends(same, |l| l.rate).filter(|(low, high)| high.rate >= apart * low.rate)
    })
}

/// Finds devices that were equally busy at very different rates (B54, in addition to the rule for fio's own
/// statistics).
pub(super) fn sampled_utilisation(case: &Case) -> Vec<RuleMatch> {
    let mut seen = Vec::new();
    for file in case.files {
        for (name, looks) in device_samples(file) {
            let Some((low, high)) = alike(&looks) else { continue };
            let used = |l: &DeviceSample| format::percent(l.used.unwrap_or_default());
            let rate = |l: &DeviceSample| format!("{}/s", thousands(l.rate));
            let what =
                sentence!("saw-equally-busy", low = used(low), slow = rate(low), high = used(high), fast = rate(high));
            seen.push(device_of(case, file, &name, what).lines([low, high].map(|l| line(file, &name, l))));
        }
    }
    seen
}

/// Creates a match about a device in a file of counters.
fn device_of(case: &Case, file: &ForeignFile, name: &str, what: Sentence) -> RuleMatch {
    RuleMatch::about(sentence!("saw-of-file", name, file = case.called(file)), what)
}

fn line(file: &ForeignFile, name: &str, look: &DeviceSample) -> SourceLine {
    SourceLine::new(&file.source, look.line, format!("{name} {}/s", thousands(look.rate)))
}
