//! What a load asked and what its device counted: the same bytes (B29, B46), other counts (B24), windows and periods of sampling
//! (B28, B29), and what utilisation and await are (B54).

use crate::foreign::beside::{self, Apart, Beside, Layers};
use crate::foreign::case::{Case, Side, Test};
use crate::foreign::rule::{Rule, Seen};
use crate::foreign::samples::{Track, tracks};
use crate::foreign::say;
use model::{Bytes, ForeignFile, ForeignLatency, Quantity, RuleText, Severity, SourceLine, Way, thousands};

pub(super) const RULES: &[Rule] = &[
    Rule {
        text: RuleText {
            id: "B24-transfers",
            severity: Severity::Note,
            title: "operations of the load and transfers of the device are not the same count",
            explanation: "On their way to the device large operations are split and neighbours are merged. Where bytes agree over \
                the same stretch of time and counts do not, both tools are right: each counts at its own layer, and limits \
                on operations hold at one of them.",
            remedy: "compare bytes; hold limits on operations against the count of the layer that they are sold for",
        },
        look: transfers,
    },
    Rule {
        text: RuleText {
            id: "B28-window",
            severity: Severity::Note,
            title: "the mean depends on the window: part of the samples are idle",
            explanation: "A mean over all samples of a file holds those before and after the load. Read by eye, a window and its \
                spread are nowhere written down. Both means are given, with the standard deviation of the busy samples.",
            remedy: "take the mean while busy, with its spread; sample for as long as the load runs (secchi watch -- COMMAND)",
        },
        look: window,
    },
    Rule {
        text: RuleText {
            id: "B29-differ",
            severity: Severity::Doubt,
            title: "the device did not move what the load claims",
            explanation: "What a load says it moved must be what the device counted over the same stretch of time. More at the device is \
                somebody else, or metadata; less is a cache, or ranges that were never written. Files are laid side by side by \
                the clocks of their machines, with a second and a half of doubt at both ends of the load.",
            remedy: "find out why before either figure is used",
        },
        look: differ,
    },
    Rule {
        text: RuleText {
            id: "B29-layers",
            severity: Severity::Note,
            title: "the load and its device tell the same",
            explanation: "Two tools agree on the bytes of the same stretch of time: neither a cache nor somebody else lies between \
                them. What an operation took as the load saw it, less what its transfers took in the device and its queue, lies \
                above the device: in the file system, the client, or in waiting for its processor.",
            remedy: "none is needed; the difference of both latencies is the client's share",
        },
        look: agree,
    },
    Rule {
        text: RuleText {
            id: "B29-minute",
            severity: Severity::Note,
            title: "samples so long that bursts do not show",
            explanation: "A sample of a minute tells the minute's mean. Bursts, throttling and stalls of seconds are averaged away \
                in it, so that agreement with it confirms only the mean.",
            remedy: "sample each second on the machine itself, beside the load (secchi watch)",
        },
        look: minutes,
    },
    Rule {
        text: RuleText {
            id: "B29-zone",
            severity: Severity::Note,
            title: "files of one time, perhaps, in different zones",
            explanation: "Two files can be laid side by side only on one clock. fio's JSON tells the time in UTC and on the wall, \
                CloudWatch in UTC, perfmon its zone; most others tell the clock on the wall and no zone. Where one tells its zone and the \
                other does not, both are taken for the clock on the wall of one machine. Here they have no second in common \
                that way, so nothing is compared.",
            remedy: "name the zone of the files that have none: --time-zone Asia/Tokyo, --time-zone +09:00; next time let iostat \
                tell it (S_TIME_FORMAT=ISO)",
        },
        look: zones,
    },
    Rule {
        text: RuleText {
            id: "B46-not-from-device",
            severity: Severity::Doubt,
            title: "reads that the device never saw",
            explanation: "Reads of ranges that were never written (holes, preallocated or expanded files, trimmed blocks) are answered \
                with zeros by the file system, thin volume or flash map, without media; reads through the page cache come from \
                memory. fio's own statistics of the disk count what arrived there, merged requests included.",
            remedy: "write the whole file once before it is read (secchi qualify does, and checks), and use direct=1",
        },
        look: not_from_device,
    },
    Rule {
        text: RuleText {
            id: "B54-await",
            severity: Severity::Note,
            title: "await grows with the queue: it is no property of the device alone",
            explanation: "await and sec/Transfer count from when a request is queued, so that waiting for other requests is part of \
                them. Rate times await is the mean number in flight (Little's law); with more in flight the same device shows \
                a longer await at a higher rate.",
            remedy: "tell the number in flight with it; compare await only at the same depth",
        },
        look: awaits,
    },
];

/// What both moved.
fn both(b: &Beside, bytes: f64) -> String {
    format!("{} {} by fio, {} by {}", say::bytes(b.moved), b.word(), say::bytes(bytes), b.device)
}

fn differ(case: &Case) -> Vec<Seen> {
    let told = |b: Beside| {
        let what = match b.layers() {
            Layers::Same => return None,
            Layers::Less(share) => {
                let why = "the rest came from memory, or from ranges never written";
                format!("{} ({}): {why}", both(&b, b.between.1), say::percent(share))
            }
            Layers::More(times) => {
                let why = "somebody else used the device, or the file system added to it";
                format!("{} ({times:.2} times): {why}", both(&b, b.between.0))
            }
        };
        Some(about(&b, what))
    };
    beside::all(case).into_iter().filter_map(told).collect()
}

fn zones(case: &Case) -> Vec<Seen> {
    let told = |a: Apart| {
        let without = model::file_name(&a.without().source);
        let what = format!("{} apart by their clocks, and {without} tells no zone", say::seconds(a.gap));
        let subject = format!("{} and {}", model::file_name(&a.load.source), model::file_name(&a.counters.source));
        let seen = Seen::about(subject, what);
        match a.east {
            Some(east) => {
                let (sign, minutes) = (if east < 0 { '-' } else { '+' }, east.abs() / 60);
                let zone = format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60);
                seen.with(format!(
                    "written at {zone} it would tell of the same time, and of no other zone: --time-zone {zone}"
                ))
            }
            None => seen,
        }
    };
    beside::apart(case).into_iter().map(told).collect()
}

fn agree(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for b in beside::all(case).iter().filter(|b| b.layers() == Layers::Same) {
        let mut one = about(b, both(b, b.between.1));
        if let (Some(load), Some(device)) = (b.load.mean, b.counted.mean.filter(|m| *m > 0.0)) {
            one = one.with(format!(
                "an operation took {} as fio saw it, a transfer {} in the device and its queue",
                say::time(load),
                say::time(device)
            ));
        }
        seen.push(one);
    }
    seen
}

fn about(b: &Beside, what: String) -> Seen {
    let titles: Vec<String> = b.tests.iter().map(Test::title).collect();
    let first = b.tests.first().and_then(|t| t.side(b.way).map(|s| (t, s)));
    let own = first.and_then(|(t, s)| s.get(Quantity::Operations).or(s.get(Quantity::Moved)).map(|v| t.line(v)));
    Seen::about(format!("{} and {}", say::list(&titles), model::file_name(&b.other.source)), what)
        .lines(own)
        .lines([b.line.clone()])
        .rows(b.tests.iter().map(|t| t.index))
}

/// Counts that differ by more than this were split or merged.
const OTHER: f64 = 0.1;

fn transfers(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for b in beside::all(case) {
        let ratio = b.transfers();
        if b.layers() != Layers::Same || (ratio - 1.0).abs() <= OTHER || !ratio.is_finite() || ratio <= 0.0 {
            continue;
        }
        let how = if ratio > 1.0 {
            format!("{ratio:.2} transfers for one operation, as large ones are split")
        } else {
            format!("{:.2} operations in one transfer, as neighbours are merged", 1.0 / ratio)
        };
        let what = format!(
            "{}/s of {} by fio are {}/s of {} at {}: {how}",
            thousands(b.load.ops),
            size(b.load.bytes / b.load.ops),
            thousands(b.counted.ops),
            size(b.counted.bytes / b.counted.ops),
            b.device
        );
        seen.push(about(&b, what).with(format!(
            "the same bytes: {} and {}",
            say::rate(b.load.bytes),
            say::rate(b.counted.bytes)
        )));
    }
    seen
}

fn size(bytes: f64) -> String {
    Bytes(bytes.max(0.0).round() as u64).to_string()
}

/// All devices of a file, bytes of both directions at the same moments.
fn moved(file: &ForeignFile) -> Track {
    let devices = tracks(file, |of| matches!(of, (_, Quantity::Bandwidth(_))));
    Track::sum(devices.iter().map(|(_, t)| t))
}

fn window(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for file in case.files {
        let all = moved(file);
        let busy = all.busy();
        let few = busy.points.len() >= 3 && busy.points.len() * 5 <= all.points.len() * 4;
        if !few || busy.mean() < 1.2 * all.mean() {
            continue;
        }
        let n = busy.points.len() as f64;
        let mean = busy.points.iter().map(|p| p.1).sum::<f64>() / n;
        let sd = (busy.points.iter().map(|p| (p.1 - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
        let what = format!(
            "{} while busy for {:.0} s, {} over all {:.0} s",
            say::rate(busy.mean()),
            busy.seconds(),
            say::rate(all.mean()),
            all.seconds()
        );
        let first = busy.points.first().copied().unwrap_or_default();
        let words = format!("{} together", say::rate(first.1));
        seen.push(
            Seen::about(model::file_name(&file.source), what)
                .with(format!(
                    "standard deviation of its {n:.0} busy samples: {} ({})",
                    say::rate(sd),
                    say::percent(sd / mean)
                ))
                .lines([SourceLine { source: file.source.clone(), line: first.3, words }]),
        );
    }
    seen
}

/// Seconds from which a sample hides bursts.
const LONG: f64 = 30.0;

fn minutes(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for file in case.files {
        let long = file.series.iter().filter(|s| {
            s.period.is_some_and(|p| p >= LONG && p.is_finite()) && s.of.is_some_and(|(w, _)| super::is_data(w))
        });
        let long: Vec<_> = long.filter(|s| !s.points.is_empty()).collect();
        let Some(first) = long.first() else { continue };
        let period = first.period.unwrap_or_default();
        let words = format!("{}, every {}", first.name, say::seconds(period));
        let line = first.points.first().map_or(0, |p| p.line);
        let what = format!("each sample is the mean of {}", say::seconds(period));
        seen.push(Seen::about(model::file_name(&file.source), what).lines([SourceLine {
            source: file.source.clone(),
            line,
            words,
        }]));
    }
    seen
}

/// Share of the reads that must have arrived at the device.
const ARRIVED: f64 = 0.9;

fn not_from_device(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for file in case.files.iter().filter(|f| f.format.starts_with("fio") && !f.disks.is_empty()) {
        let tests: Vec<&Test> = case.tests.iter().filter(|t| std::ptr::eq(t.file, file)).collect();
        let reads: Vec<Side> = tests.iter().filter_map(|t| t.side(Way::Read)).collect();
        let asked: f64 = reads.iter().filter_map(Side::ops).sum();
        // Of several devices each may hold a part, or lie below another: taking all of them together errs on the quiet side.
        let count = |of| file.disks.iter().filter_map(|d| d.value(Way::Read, of)).sum::<f64>();
        let arrived = count(Quantity::Operations) + count(Quantity::Merges);
        if asked < 1000.0 || reads.iter().any(|s| s.ops().is_none()) || arrived >= ARRIVED * asked {
            continue;
        }
        let titles: Vec<String> = tests.iter().filter(|t| t.side(Way::Read).is_some()).map(|t| t.title()).collect();
        let names: Vec<String> = file.disks.iter().map(|d| d.name.clone()).collect();
        let what = format!(
            "{} of {} reads arrived at {} ({})",
            if arrived > 0.0 { thousands(arrived) } else { "none".to_owned() },
            thousands(asked),
            say::list(&names),
            say::percent(arrived / asked)
        );
        let mut one = Seen::about(say::list(&titles), what);
        for test in tests.iter().filter(|t| t.side(Way::Read).is_some()) {
            one = one.rows([test.index]).lines(test.lines(Way::Read, &[Quantity::Operations]));
            if test.asked().direct == Some(false) {
                one = one.with("direct=0: through the page cache");
            }
        }
        let disk = file.disks.iter().filter_map(|d| d.get(Way::Read, Quantity::Operations));
        seen.push(one.lines(disk.map(|v| SourceLine {
            source: file.source.clone(),
            line: v.line,
            words: v.words.clone(),
        })));
    }
    seen
}

/// One sample of a device: operations a second, in flight, await, utilisation, line.
struct Look {
    rate: f64,
    flight: Option<f64>,
    wait: Option<f64>,
    used: Option<f64>,
    line: u32,
}

/// Samples of each device of a file of counters in which it worked.
fn looks(file: &ForeignFile) -> Vec<(String, Vec<Look>)> {
    let one = |wanted: fn(Quantity) -> bool| tracks(file, move |(_, of)| wanted(of));
    let at = |list: &[(String, Track)], name: &str, time: f64| {
        let track = &list.iter().find(|(n, _)| n == name)?.1;
        track.points.iter().find(|p| (p.0 - time).abs() < 1e-3).map(|p| p.1)
    };
    let rates = one(|q| matches!(q, Quantity::Iops(_)));
    let (flight, used) = (one(|q| q == Quantity::InFlight), one(|q| q == Quantity::Utilisation));
    let waits = waits(file);
    let of_device = |(name, track): (String, Track)| {
        let looks = track.points.iter().filter(|p| p.1 > 0.0).map(|p| Look {
            rate: p.1,
            flight: at(&flight, &name, p.0),
            wait: at(&waits, &name, p.0),
            used: at(&used, &name, p.0),
            line: p.3,
        });
        let looks: Vec<Look> = looks.collect();
        (name, looks)
    };
    rates.into_iter().map(of_device).collect()
}

/// Await of each device by the direction in which it did most: awaits of both do not add up.
fn waits(file: &ForeignFile) -> Vec<(String, Track)> {
    let of = |way: Way, wanted: fn(Quantity) -> bool| tracks(file, move |(w, of)| w == way && wanted(of));
    let mut best: Vec<(String, Track, f64)> = Vec::new();
    for way in [Way::All, Way::Read, Way::Write] {
        let rates = of(way, |q| matches!(q, Quantity::Iops(_)));
        for (name, track) in of(way, |q| matches!(q, Quantity::Latency(ForeignLatency::Device, _))) {
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

/// Samples too few to speak of.
const LEAST_LOOKS: usize = 6;

/// The sample a quarter from the lower, and from the upper end.
fn ends(mut looks: Vec<&Look>, by: fn(&Look) -> f64) -> Option<(&Look, &Look)> {
    if looks.len() < LEAST_LOOKS {
        return None;
    }
    looks.sort_by(|a, b| by(a).total_cmp(&by(b)));
    let quarter = looks.len() / 4;
    Some((looks[quarter], looks[looks.len() - 1 - quarter]))
}

fn awaits(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for file in case.files {
        for (name, looks) in looks(file) {
            let top = looks.iter().map(|l| l.rate).fold(0.0, f64::max);
            // Idle samples have a queue of chance.
            let told = |l: &&Look| {
                l.rate >= 0.05 * top && l.wait.is_some_and(|w| w > 0.0) && l.flight.is_some_and(|f| f > 0.0)
            };
            let busy: Vec<&Look> = looks.iter().filter(told).collect();
            let flight = |l: &Look| l.flight.unwrap_or_default();
            let Some((low, high)) = ends(busy, flight) else { continue };
            let (short, long) = (low.wait.unwrap_or_default(), high.wait.unwrap_or_default());
            if flight(high) < 3.0 * flight(low) || long < 1.5 * short {
                continue;
            }
            let tell = |l: &Look, wait: f64| {
                format!("{} with {:.1} in flight at {}/s", say::time(wait), flight(l), thousands(l.rate))
            };
            let what = format!("{}, {}", tell(low, short), tell(high, long));
            seen.push(
                Seen::about(format!("{name} of {}", model::file_name(&file.source)), what)
                    .lines([low, high].map(|l| line(file, &name, l))),
            );
        }
    }
    seen
}

/// Samples of the same utilisation and very different rates: of all that are full, else of those around the usual share.
fn alike(looks: &[Look]) -> Option<(&Look, &Look)> {
    let mut used: Vec<f64> = looks.iter().filter_map(|l| l.used).filter(|u| *u >= 0.2).collect();
    used.sort_by(f64::total_cmp);
    let median = *used.get(used.len() / 2)?;
    [(0.95, f64::INFINITY, 1.3), (0.85 * median, 1.15 * median, 1.5)].into_iter().find_map(|(from, to, apart)| {
        let same = looks.iter().filter(|l| l.used.is_some_and(|u| u >= from && u <= to)).collect();
        ends(same, |l| l.rate).filter(|(low, high)| high.rate >= apart * low.rate)
    })
}

/// Devices that were equally busy at very different rates (B54, beside that of fio's own statistics).
pub(super) fn sampled_utilisation(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for file in case.files {
        for (name, looks) in looks(file) {
            let Some((low, high)) = alike(&looks) else { continue };
            let tell = |l: &Look| format!("{} at {}/s", say::percent(l.used.unwrap_or_default()), thousands(l.rate));
            seen.push(
                Seen::about(
                    format!("{name} of {}", model::file_name(&file.source)),
                    format!("{}, and {}", tell(low), tell(high)),
                )
                .lines([low, high].map(|l| line(file, &name, l))),
            );
        }
    }
    seen
}

fn line(file: &ForeignFile, name: &str, look: &Look) -> SourceLine {
    SourceLine { source: file.source.clone(), line: look.line, words: format!("{name} {}/s", thousands(look.rate)) }
}
