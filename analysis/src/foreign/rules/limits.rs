//! Results and samples against limits: ties (B12), above (B09 to B11), units (B17), sums over volumes (B08), limits that are told
//! in part (B16) or without their block size (B18).

use crate::foreign::caps::{ABOVE, caps};
use crate::foreign::case::{Case, Test};
use crate::foreign::rule::{Rule, Seen};
use crate::foreign::rules::values::is_client_bound;
use crate::foreign::samples::{Track, tracks};
use crate::foreign::say;
use crate::limits::TOLERANCE;
use model::{Bytes, Iops, Limit, LimitAxis, LimitScope, Quantity, RuleText, Severity, SourceLine, Statistic};

pub(super) const RULES: &[Rule] = &[
    Rule {
        text: RuleText {
            id: "B08-sum-of-volumes",
            severity: Severity::Note,
            title: "all volumes together are at the instance's cap",
            explanation: "Volumes share the instance's path: its cap holds for their sum at the same second. Largest values of \
                single volumes come from different seconds, and none of them need be near a cap. All devices of a file are \
                added up second by second, partitions and mapped devices left out where their disks are there.",
            remedy: "a larger instance, or less to write; more or faster volumes do not help",
        },
        look: sums,
    },
    Rule {
        text: RuleText {
            id: "B09-above-in-samples",
            severity: Severity::Note,
            title: "samples above the cap, the mean not: a burst, or jitter of the sampling",
            explanation: "A shaper lets a bucket's depth pass at once, and samplers do not fire exactly each second. Both make \
                single samples above a cap that the mean keeps. The depth is at least the largest sum of what was above it.",
            remedy: "sample at a tenth of a second to tell bursts from jitter (secchi watch --interval 100ms)",
        },
        look: above_in_samples,
    },
    Rule {
        text: RuleText {
            id: "B10-merged",
            severity: Severity::Note,
            title: "more operations than the cap allows, sequential and small: they were counted before merging",
            explanation: "The operating system counts what it hands over; volumes put sequential neighbours together and count \
                larger operations. A count above the cap is no contradiction then.",
            remedy: "compare bytes, or the volume's own count",
        },
        look: merged,
    },
    Rule {
        text: RuleText {
            id: "B11-above-limit",
            severity: Severity::Doubt,
            title: "above a declared limit: the limit is not the one that holds here",
            explanation: "A cap that is exceeded by more than 5 % for a whole run is the wrong row, one that has risen, of another \
                unit, or there was a cache in between. Nothing that leans on it is judged.",
            remedy: "check what was provisioned, and its unit; check for caches",
        },
        look: above,
    },
    Rule {
        text: RuleText {
            id: "B12-tie",
            severity: Severity::Doubt,
            title: "two limits allow the same: which one binds cannot be told",
            explanation: "Where the rate is at two limits that differ by less than 3 %, either may be the one.",
            remedy: "raise one of them, or add a second volume, and measure again",
        },
        look: ties,
    },
    Rule {
        text: RuleText {
            id: "B17-units",
            severity: Severity::Doubt,
            title: "the bandwidth is at the limit's number in the other unit",
            explanation: "MB/s and MiB/s differ by 4.9 %. Where a result passes a limit given in MB/s and is within 1 % of the \
                same number of MiB/s, or the other way round, the unit is the likelier fault.",
            remedy: "look the unit up, and give it with --limit: mbps=125MiB or mbps=125MB",
        },
        look: units,
    },
    Rule {
        text: RuleText {
            id: "B17-crossover",
            severity: Severity::Note,
            title: "which limit binds changes with the block size",
            explanation: "Below bandwidth over operations per second the cap on operations binds, above it the one on bytes. A \
                vendor's pair of figures is often given for different sizes.",
            remedy: "judge each size by the limit on its side",
        },
        look: crossover,
    },
    Rule {
        text: RuleText {
            id: "B16-half-told",
            severity: Severity::Note,
            title: "a limit told in part: what was provisioned on the other side is not known",
            explanation: "Volumes are sold by operations, bytes and size, and a type's maxima are not what was provisioned: a gp3 of \
                16,000 IOPS moves 125 MiB/s unless more was bought. Where results stay below the cap that was given, and no cap \
                of the other kind is known, that other one may hold them.",
            remedy: "give all that was provisioned: --limit 'volume iops=N mbps=M', or --volume with its parameters",
        },
        look: half_told,
    },
    Rule {
        text: RuleText {
            id: "B18-basis",
            severity: Severity::Note,
            title: "a limit in operations without the block size that it is told for",
            explanation: "A cap on operations counts each as one up to a size (16 KiB, 256 KiB), and larger ones as several; data \
                sheets tell operations of 4 KiB. By that the same figure is reached at one size and out of reach at another. \
                The sizes at which a cap was met tell up to where it counts an operation as one.",
            remedy: "ask for the block size with each limit; --volume and --instance take it from the catalogue",
        },
        look: basis,
    },
];

/// The rate that is held against limits.
fn cap_rate(test: &Test) -> f64 {
    test.corrected().or_else(|| test.rate()).unwrap_or_default()
}

fn figures_line(test: &Test) -> Vec<SourceLine> {
    let of = [Quantity::Iops(Statistic::Overall)];
    test.sides().iter().flat_map(|s| test.lines(s.way, &of)).collect()
}

fn ties(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for test in &case.tests {
        let caps = caps(case, test);
        let met: Vec<_> = caps.iter().filter(|c| c.met()).collect();
        let [first, second, ..] = met.as_slice() else { continue };
        if second.allows > first.allows * (1.0 + TOLERANCE) {
            continue;
        }
        let what = format!(
            "{} is at {} ({}) and at {} ({})",
            say::iops(cap_rate(test)),
            first.name,
            Iops(first.allows),
            second.name,
            Iops(second.allows)
        );
        seen.push(Seen::of(test, what).lines(figures_line(test)));
    }
    seen
}

fn above(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for test in &case.tests {
        for cap in caps(case, test).iter().filter(|c| c.refuted()) {
            let what = format!(
                "{} is {} of {}, which allows {} here",
                say::iops(cap_rate(test)),
                say::percent(cap.used),
                cap.name,
                say::iops(cap.allows)
            );
            seen.push(Seen::of(test, what).lines(figures_line(test)));
        }
    }
    seen
}

fn merged(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for test in &case.tests {
        for cap in caps(case, test) {
            let over = cap.surely > 1.0 + ABOVE && !cap.refuted() && cap.limit.charging.is_some_and(|c| c.merges);
            if over && !test.rw().starts_with("rand") {
                let what = format!("{} is {} of {}", say::iops(cap_rate(test)), say::percent(cap.used), cap.name);
                seen.push(Seen::of(test, what).lines(figures_line(test)));
            }
        }
    }
    seen
}

fn units(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for limit in case.limits {
        let Some(cap) = limit.bandwidth.map(|b| b.0) else { continue };
        for test in &case.tests {
            let Some(rate) = test.bandwidth() else { continue };
            let near = |other: f64| (rate / other - 1.0).abs() < 0.01;
            let (was, other) = if near(cap * 1.048_576) { ("MB/s", "MiB/s") } else { continue };
            let what = format!(
                "{} is above {} by 4.9 %: is the limit meant in {other} instead of {was}?",
                say::rate(rate),
                say::rate(cap)
            );
            seen.push(Seen::of(test, what).lines(figures_line(test)));
        }
    }
    seen
}

/// The tightest pair of caps on operations and bytes, and results on both sides of where they cross.
fn crossover(case: &Case) -> Vec<Seen> {
    let least = |f: fn(&Limit) -> Option<f64>| {
        let all = case.limits.iter().filter(|l| l.op.is_none()).filter_map(|l| f(l).map(|v| (v, l)));
        all.min_by(|a, b| a.0.total_cmp(&b.0))
    };
    let (Some((iops, by_ops)), Some((bytes, by_bytes))) =
        (least(|l| l.iops.map(|v| v.0)), least(|l| l.bandwidth.map(|v| v.0)))
    else {
        return Vec::new();
    };
    if iops <= 0.0 {
        return Vec::new();
    }
    let cross = bytes / iops;
    let sizes: Vec<u64> = case.tests.iter().filter_map(Test::one_block).collect();
    let both = sizes.iter().any(|s| (*s as f64) < cross) && sizes.iter().any(|s| *s as f64 > cross);
    if !both {
        return Vec::new();
    }
    let what = format!(
        "up to {:.1} KiB {} IOPS bind ({}), above it {} bandwidth ({})",
        cross / 1024.0,
        by_ops.name,
        say::iops(iops),
        by_bytes.name,
        say::rate(bytes)
    );
    let mut next: Vec<u64> = sizes.iter().copied().filter(|s| *s as f64 > cross).collect();
    next.sort_unstable();
    let mut one = Seen::about("the limits", what);
    if let Some(size) = next.first() {
        one = one.with(format!("at {}: {}", Bytes(*size).short(), say::iops(bytes / *size as f64)));
    }
    vec![one]
}

/// Results below all caps that are known, which nothing else holds back as far as they tell.
fn below<'a, 'b>(case: &'a Case<'b>) -> Vec<&'a Test<'b>> {
    let held = |t: &Test| is_client_bound(t) || t.concurrency().is_none_or(|n| n <= 1.0);
    let free = |t: &&Test| {
        let caps = caps(case, t);
        !caps.is_empty() && !held(t) && caps.iter().all(|c| c.used < 1.0 - TOLERANCE)
    };
    case.tests.iter().filter(free).collect()
}

fn half_told(case: &Case) -> Vec<Seen> {
    let known = |axis| case.limits.iter().any(|l| l.op.is_none() && l.cap(axis).is_some());
    let (told, missing) = match (known(LimitAxis::Iops), known(LimitAxis::Bandwidth)) {
        (true, false) => (LimitAxis::Iops, LimitAxis::Bandwidth),
        (false, true) => (LimitAxis::Bandwidth, LimitAxis::Iops),
        _ => return Vec::new(),
    };
    let names: Vec<String> =
        case.limits.iter().filter(|l| l.op.is_none() && l.cap(told).is_some()).map(|l| l.axis_name(told)).collect();
    let mut seen = Vec::new();
    for test in below(case) {
        let (Some(rate), Some(bytes)) = (test.rate(), test.bandwidth()) else { continue };
        let at = if missing == LimitAxis::Bandwidth { say::rate(bytes) } else { say::iops(rate) };
        let what =
            format!("{at} may be a limit on {} that nobody told: only {} is known", missing.name(), say::list(&names));
        seen.push(Seen::of(test, what).lines(figures_line(test)));
    }
    seen
}

fn basis(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for limit in case.limits.iter().filter(|l| l.charging.is_none()) {
        let Some(cap) = limit.iops else { continue };
        // (block, share of the cap, row), the smallest block first.
        let mut used: Vec<(u64, f64, &Test)> = Vec::new();
        for test in case.tests.iter().filter(|t| !is_client_bound(t) && t.concurrency().is_some_and(|n| n > 1.0)) {
            let own = caps(case, test).into_iter().find(|c| std::ptr::eq(c.limit, limit) && c.axis == LimitAxis::Iops);
            used.extend(test.one_block().zip(own).map(|(block, cap)| (block, cap.used, test)));
        }
        used.sort_by_key(|u| u.0);
        let Some((met, rest)) = met_up_to(&used) else { continue };
        let what = format!(
            "met at {}, {} of it at {}: it counts an operation as one up to {} at least, and what holds larger ones it does not tell",
            sizes(met),
            say::percent(rest[0].1),
            Bytes(rest[0].0).short(),
            Bytes(met[met.len() - 1].0).short()
        );
        let mut one = Seen::about(format!("{} ({})", limit.axis_name(LimitAxis::Iops), say::iops(cap.0)), what);
        for (_, _, test) in met.iter().chain(rest) {
            one = one.lines(figures_line(test)).rows([test.index]);
        }
        seen.push(one);
    }
    seen
}

/// Results at a cap, and those of larger blocks behind them, all below it.
type Split<'a, 'b, 'c> = (&'a [(u64, f64, &'b Test<'c>)], &'a [(u64, f64, &'b Test<'c>)]);

fn met_up_to<'a, 'b, 'c>(used: &'a [(u64, f64, &'b Test<'c>)]) -> Option<Split<'a, 'b, 'c>> {
    let is_met = |u: &(u64, f64, &Test)| u.1 >= 1.0 - TOLERANCE;
    let last = used.iter().rposition(is_met)?;
    let (met, rest) = used.split_at(last + 1);
    let (first, next) = (rest.first()?, met.last()?);
    let clear = first.0 > next.0 && rest.iter().all(|u| u.1 < 0.9) && met.iter().all(is_met) && met[0].0 < next.0;
    clear.then_some((met, rest))
}

/// `4k, 16k and 32k`.
fn sizes(of: &[(u64, f64, &Test)]) -> String {
    let mut words: Vec<String> = of.iter().map(|u| Bytes(u.0).short()).collect();
    words.dedup();
    say::list(&words)
}

/// Whether a limit holds for all devices together.
fn is_shared(limit: &Limit) -> bool {
    matches!(limit.scope, LimitScope::Instance | LimitScope::Shared)
        || limit.scope == LimitScope::Unsaid
            && ["instance", "host", "node", "link", "path", "network", "all", "total"]
                .iter()
                .any(|w| limit.name.to_ascii_lowercase().contains(w))
}

/// Bytes per second of all devices of a file at the same moments, with each device's own share.
struct Sum {
    source: String,
    track: Track,
    devices: Vec<(String, f64)>,
    line: SourceLine,
}

/// Sums over devices, and single devices, that a limit on bandwidth holds for.
fn summed<'a>(case: &'a Case) -> Vec<(&'a Limit, f64, Sum)> {
    let mut found = Vec::new();
    for file in case.files {
        let devices = tracks(file, |of| matches!(of, (_, Quantity::Bandwidth(_))));
        if devices.is_empty() {
            continue;
        }
        for limit in case.limits {
            let Some(cap) = limit.bandwidth.map(|b| b.0).filter(|c| *c > 0.0) else { continue };
            let groups: Vec<Vec<&(String, Track)>> = match is_shared(limit) || devices.len() == 1 {
                true => vec![devices.iter().collect()],
                false => devices.iter().map(|d| vec![d]).collect(),
            };
            for group in groups {
                let track = Track::sum(group.iter().map(|(_, t)| t));
                let total = track.amount();
                let devices = group
                    .iter()
                    .map(|(n, t)| (n.clone(), if total > 0.0 { t.amount() / total } else { 0.0 }))
                    .collect();
                let Some((line, peak)) = track.peak() else { continue };
                let words = format!("{} together", say::rate(peak));
                let line = SourceLine { source: file.source.clone(), line, words };
                found.push((limit, cap, Sum { source: file.source.clone(), track, devices, line }));
            }
        }
    }
    found
}

/// Share of the cap from which it binds.
const NEAR: f64 = 0.95;

fn sums(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for (limit, cap, sum) in summed(case) {
        let busy = sum.track.busy();
        let mean = busy.mean();
        if mean < NEAR * cap || mean > (1.0 + ABOVE) * cap {
            continue;
        }
        let names: Vec<String> = sum.devices.iter().map(|(n, _)| n.clone()).collect();
        let shares: Vec<String> = sum.devices.iter().map(|(n, s)| format!("{n} {}", say::percent(*s))).collect();
        let at = busy.points.iter().filter(|p| p.1 >= NEAR * cap).count();
        let what = format!("{} of {} ({}), {}", say::rate(mean), limit.name, say::rate(cap), say::percent(mean / cap));
        let mut one = Seen::about(format!("{} of {}", say::list(&names), sum.source), what).lines([sum.line]);
        one = one.with(format!("{at} of {} samples are at {} or above", busy.points.len(), say::percent(NEAR)));
        if sum.devices.len() > 1 {
            one = one.with(format!("shares: {}", shares.join(", ")));
        }
        seen.push(one);
    }
    seen
}

fn above_in_samples(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    for (limit, cap, sum) in summed(case) {
        let mean = sum.track.busy().mean();
        let Some((_, peak)) = sum.track.peak() else { continue };
        if peak <= (1.0 + ABOVE) * cap {
            continue;
        }
        let over = sum.track.points.iter().filter(|p| p.1 > (1.0 + ABOVE) * cap).count();
        let lasting = mean > (1.0 + ABOVE) * cap;
        let what = match lasting {
            true => format!(
                "{} while busy, {} of {}: the limit is not the one that holds here",
                say::rate(mean),
                say::percent(mean / cap),
                limit.name
            ),
            false => format!("{over} samples above {}, at most {} of it", limit.name, say::percent(peak / cap)),
        };
        let mut one = Seen::about(model::file_name(&sum.source), what).lines([sum.line]);
        one = match lasting {
            true => one.weighing(Severity::Doubt),
            false => one.with(format!("a bucket of at least {} would explain them", say::bytes(sum.track.excess(cap)))),
        };
        seen.push(one);
    }
    seen
}
