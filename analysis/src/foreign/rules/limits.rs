//! Results and samples compared with limits: excess counted by the provider (B55), ties (B12), rates above a limit (B09
//! to B11), units (B17), sums over volumes (B08), limits given only in part (B16) or without their block size (B18).

use crate::foreign::caps::{ABOVE, axis_name, burst, caps};
use crate::foreign::case::{Case, Test};
use crate::foreign::format;
use crate::foreign::rule::{Rule, RuleMatch, rule};
use crate::foreign::rules::values::is_client_bound;
use crate::foreign::samples::{Track, tracks};
use crate::limits::caps::TOLERANCE;
use crate::limits::counted::LIMITS;
use messages::sentence;
use model::bounds::{LimitAxis, LimitScope};
use model::foreign::{ForeignFile, ForeignSeries, Quantity, Statistic};
use model::judged::SourceLine;
use model::{Bytes, CompactSort, Iops, Limit, Sentence, Severity};

/// Rule about the storage's own count of exceeded limits: it shows which limit binds.
pub(in crate::foreign) const COUNTED: &str = "B55-counted-exceeded";

pub(super) const RULES: &[Rule] = &[
    rule(COUNTED, Severity::Note, counted_exceeded),
    rule("B55-not-counted", Severity::Doubt, not_counted),
    rule("B08-sum-of-volumes", Severity::Note, sums),
    rule("B09-above-in-samples", Severity::Note, above_in_samples),
    rule("B10-merged", Severity::Note, merged),
    rule("B11-above-limit", Severity::Doubt, above),
    rule("B11-burst", Severity::Note, |case| case.tests.iter().filter_map(|t| at_burst(case, t)).collect()),
    rule("B12-tie", Severity::Doubt, |case| case.tests.iter().filter_map(|t| tie(case, t)).collect()),
    rule("B17-units", Severity::Doubt, units),
    rule("B17-crossover", Severity::Note, crossover),
    rule("B16-half-told", Severity::Note, one_axis_unknown),
    rule("B18-basis", Severity::Note, basis),
];

/// Returns the series in which a provider counts that a limit was exceeded, with the limit's name.
fn counted(file: &ForeignFile) -> impl Iterator<Item = (&ForeignSeries, &'static str)> {
    file.series.iter().filter_map(|series| {
        let (_, Quantity::Exceeded(scope, axis)) = series.of? else { return None };
        let limit = LIMITS.iter().find(|l| (l.scope, l.axis) == (scope, axis))?;
        Some((series, limit.name))
    })
}

fn counted_exceeded(case: &Case) -> Vec<RuleMatch> {
    let mut seen: Vec<RuleMatch> = Vec::new();
    for file in case.files {
        // Several statistics of the same metric are reported once.
        let mut counters: Vec<(Option<&str>, &str)> = Vec::new();
        for (series, limit) in counted(file) {
            let exceeded: Vec<_> = series.points.iter().filter(|p| p.value > 0.0).collect();
            let metric = (series.instance.as_deref(), limit);
            let Some(first) = exceeded.first().filter(|_| !counters.contains(&metric)) else { continue };
            counters.push(metric);
            let share = exceeded.iter().map(|p| p.value).sum::<f64>() / series.points.len() as f64;
            let (n, samples) = (exceeded.len(), series.points.len());
            let what = sentence!("saw-counted", limit, n, all = samples, share = format::percent(share));
            let called = case.called(file);
            let subject = match &series.instance {
                Some(instance) => sentence!("saw-of-file", name = instance, file = called),
                None => called.into(),
            };
            let line = SourceLine::new(&file.source, first.line, &series.name);
            seen.push(RuleMatch::about(subject, what).lines([line]));
        }
    }
    seen
}

/// Finds samples near a limit although the provider's counters show no excess in any period.
fn not_counted(case: &Case) -> Vec<RuleMatch> {
    let silent = |file: &&ForeignFile| {
        let mut checks = counted(file).flat_map(|(series, _)| &series.points).peekable();
        checks.peek().is_some() && checks.all(|p| p.value <= 0.0)
    };
    let mut seen = Vec::new();
    for file in case.files.iter().filter(silent) {
        for (limit, cap, sum) in summed(case).into_iter().filter(|(_, _, sum)| sum.source == file.source) {
            let mean = sum.track.busy().mean();
            if mean < NEAR * cap {
                continue;
            }
            let (rate, share) = (format::rate(mean), format::percent(mean / cap));
            let what = sentence!("saw-not-counted", rate, limit = &limit.name, share);
            seen.push(RuleMatch::about(case.called(file), what).lines([sum.line]));
        }
    }
    seen
}

/// Returns the rate that is compared with limits.
fn cap_rate(test: &Test) -> f64 {
    test.corrected().or_else(|| test.rate()).unwrap_or_default()
}

fn figures_line(test: &Test) -> Vec<SourceLine> {
    let quantities = [Quantity::Iops(Statistic::Overall)];
    test.sides().iter().flat_map(|s| test.lines(s.way, &quantities)).collect()
}

fn tie(case: &Case, test: &Test) -> Option<RuleMatch> {
    let caps = caps(case, test);
    let met: Vec<_> = caps.iter().filter(|c| c.met()).collect();
    let [first, second, ..] = met.as_slice() else { return None };
    if second.allows > first.allows * (1.0 + TOLERANCE) {
        return None;
    }
    let what = sentence!(
        "saw-tie",
        rate = format::iops(cap_rate(test)),
        first = &first.name,
        allows = Iops(first.allows),
        second = &second.name,
        too = Iops(second.allows)
    );
    Some(RuleMatch::about_test(test, what).lines(figures_line(test)))
}

fn above(case: &Case) -> Vec<RuleMatch> {
    let mut seen = Vec::new();
    for test in &case.tests {
        for cap in caps(case, test).iter().filter(|c| c.refuted()) {
            let what = sentence!(
                "saw-above",
                rate = format::iops(cap_rate(test)),
                share = format::percent(cap.used),
                limit = &cap.name,
                allows = format::iops(cap.allows)
            );
            seen.push(RuleMatch::about_test(test, what).lines(figures_line(test)));
        }
    }
    seen
}

fn at_burst(case: &Case, test: &Test) -> Option<RuleMatch> {
    let cap = burst(case, test)?;
    let (lasts, (_, base)) = (cap.lasts()?, cap.burst?);
    let what = sentence!(
        "saw-at-burst",
        rate = format::iops(cap_rate(test)),
        share = format::percent(cap.used),
        limit = &cap.name,
        allows = format::iops(cap.allows),
        lasts,
        base = format::iops(base)
    );
    Some(RuleMatch::about_test(test, what).lines(figures_line(test)))
}

fn merged(case: &Case) -> Vec<RuleMatch> {
    let mut seen = Vec::new();
    for test in case.tests.iter().filter(|t| burst(case, t).is_none()) {
        for cap in caps(case, test) {
            let over = cap.surely > 1.0 + ABOVE && !cap.refuted() && cap.limit.charging.is_some_and(|c| c.merges);
            if over && !test.rw().starts_with("rand") {
                let (rate, share) = (format::iops(cap_rate(test)), format::percent(cap.used));
                let what = sentence!("saw-share-of-limit", rate, share, limit = cap.name);
                seen.push(RuleMatch::about_test(test, what).lines(figures_line(test)));
            }
        }
    }
    seen
}

fn units(case: &Case) -> Vec<RuleMatch> {
    let mut seen = Vec::new();
    for limit in case.limits {
        let Some(cap) = limit.bandwidth.map(|b| b.per_second()) else { continue };
        for test in &case.tests {
            let Some(rate) = test.bandwidth() else { continue };
            let near = |other: f64| (rate / other - 1.0).abs() < 0.01;
            let (was, other) = if near(cap * 1.048_576) { ("MB/s", "MiB/s") } else { continue };
            let what = sentence!("saw-other-unit", rate = format::rate(rate), cap = format::rate(cap), other, was);
            seen.push(RuleMatch::about_test(test, what).lines(figures_line(test)));
        }
    }
    seen
}

/// Finds results on both sides of the block size at which the tightest byte cap becomes lower than the tightest
/// operation cap.
fn crossover(case: &Case) -> Vec<RuleMatch> {
    let least = |f: fn(&Limit) -> Option<f64>| {
        let limits = case.limits.iter().filter(|l| l.op.is_none()).filter_map(|l| f(l).map(|v| (v, l)));
        limits.min_by(|a, b| a.0.total_cmp(&b.0))
    };
    let (Some((iops, by_ops)), Some((bytes, by_bytes))) =
        (least(|l| l.iops.map(|v| v.per_second())), least(|l| l.bandwidth.map(|v| v.per_second())))
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
    let what = sentence!(
        "saw-crossover",
        size = format!("{:.1} KiB", cross / 1024.0),
        ops = &by_ops.name,
        iops = format::iops(iops),
        bytes = &by_bytes.name,
        rate = format::rate(bytes)
    );
    let mut next: Vec<u64> = sizes.iter().copied().filter(|s| *s as f64 > cross).collect();
    next.sort_unstable();
    let mut one = RuleMatch::about(sentence!("saw-the-limits"), what);
    if let Some(size) = next.first() {
        one =
            one.with(sentence!("saw-at-size", size = Bytes(*size).short(), rate = format::iops(bytes / *size as f64)));
    }
    vec![one]
}

/// Returns results that are below all known caps and show nothing else that limits them.
fn below<'a, 'b>(case: &'a Case<'b>) -> Vec<&'a Test<'b>> {
    let held = |t: &Test| is_client_bound(t) || t.concurrency().is_none_or(|n| n <= 1.0);
    let free = |t: &&Test| {
        let caps = caps(case, t);
        !caps.is_empty() && !held(t) && caps.iter().all(|c| c.used < 1.0 - TOLERANCE)
    };
    case.tests.iter().filter(free).collect()
}

fn one_axis_unknown(case: &Case) -> Vec<RuleMatch> {
    let known = |axis| case.limits.iter().any(|l| l.op.is_none() && l.cap(axis).is_some());
    let (known_axis, missing) = match (known(LimitAxis::Iops), known(LimitAxis::Bandwidth)) {
        (true, false) => (LimitAxis::Iops, LimitAxis::Bandwidth),
        (false, true) => (LimitAxis::Bandwidth, LimitAxis::Iops),
        _ => return Vec::new(),
    };
    let of_all = case.limits.iter().filter(|l| l.op.is_none() && l.cap(known_axis).is_some());
    let names: Vec<Sentence> = of_all.map(|l| axis_name(l, known_axis)).collect();
    let mut seen = Vec::new();
    for test in below(case) {
        let (Some(rate), Some(bytes)) = (test.rate(), test.bandwidth()) else { continue };
        let known = format::list(&names);
        let what = match missing {
            LimitAxis::Bandwidth => sentence!("saw-bandwidth-untold", rate = format::rate(bytes), known),
            LimitAxis::Iops => sentence!("saw-iops-untold", rate = format::iops(rate), known),
        };
        seen.push(RuleMatch::about_test(test, what).lines(figures_line(test)));
    }
    seen
}

fn basis(case: &Case) -> Vec<RuleMatch> {
    let mut seen = Vec::new();
    for limit in case.limits.iter().filter(|l| l.charging.is_none()) {
        let Some(cap) = limit.iops else { continue };
        // (block, share of the cap, row), the smallest block first.
        let mut used: Vec<(u64, f64, &Test)> = Vec::new();
        for test in case.tests.iter().filter(|t| !is_client_bound(t) && t.concurrency().is_some_and(|n| n > 1.0)) {
            let cap_used =
                caps(case, test).into_iter().find(|c| std::ptr::eq(c.limit, limit) && c.axis == LimitAxis::Iops);
            used.extend(test.one_block().zip(cap_used).map(|(block, cap)| (block, cap.used, test)));
        }
        used.compact_sort_by_key(|u| u.0);
        let Some((met, rest)) = met_up_to(&used) else { continue };
        let what = sentence!(
            "saw-basis",
            met = sizes(met),
            share = format::percent(rest[0].1),
            larger = Bytes(rest[0].0).short(),
            least = Bytes(met[met.len() - 1].0).short()
        );
        let name =
            sentence!("saw-by", what = axis_name(limit, LimitAxis::Iops), evidence = format::iops(cap.per_second()));
        let mut one = RuleMatch::about(name, what);
        for (_, _, test) in met.iter().chain(rest) {
            one = one.lines(figures_line(test)).rows([test.index]);
        }
        seen.push(one);
    }
    seen
}

/// Results that reach a cap, and results with larger blocks, all of which stay below it.
type Split<'a, 'b, 'c> = (&'a [(u64, f64, &'b Test<'c>)], &'a [(u64, f64, &'b Test<'c>)]);

fn met_up_to<'a, 'b, 'c>(used: &'a [(u64, f64, &'b Test<'c>)]) -> Option<Split<'a, 'b, 'c>> {
    let is_met = |u: &(u64, f64, &Test)| u.1 >= 1.0 - TOLERANCE;
    let last = used.iter().rposition(is_met)?;
    let (met, rest) = used.split_at(last + 1);
    let (first, next) = (rest.first()?, met.last()?);
    let clear = first.0 > next.0 && rest.iter().all(|u| u.1 < 0.9) && met.iter().all(is_met) && met[0].0 < next.0;
    clear.then_some((met, rest))
}

/// Returns a text such as `4k, 16k and 32k`.
fn sizes(of: &[(u64, f64, &Test)]) -> Sentence {
    let mut words: Vec<String> = of.iter().map(|u| Bytes(u.0).short()).collect();
    words.dedup();
    format::list(&words)
}

/// Returns `true` if a limit applies to all devices together.
fn is_shared(limit: &Limit) -> bool {
    matches!(limit.scope, LimitScope::Instance | LimitScope::Shared)
        || limit.scope == LimitScope::Unsaid
            && ["instance", "host", "node", "link", "path", "network", "all", "total"]
                .iter()
                .any(|w| limit.name.to_ascii_lowercase().contains(w))
}

/// Bytes per second of all devices of a file at the same moments, with the share of each device.
struct Sum {
    source: String,
    track: Track,
    devices: Vec<(String, f64)>,
    line: SourceLine,
}

/// Returns the sums over devices, or the single devices, that a bandwidth limit applies to.
fn summed<'a>(case: &'a Case) -> Vec<(&'a Limit, f64, Sum)> {
    let mut matches = Vec::new();
    for file in case.files {
        let devices = tracks(file, |of| matches!(of, (_, Quantity::Bandwidth(_))));
        if devices.is_empty() {
            continue;
        }
        for limit in case.limits {
            let Some(cap) = limit.bandwidth.map(|b| b.per_second()).filter(|c| *c > 0.0) else { continue };
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
                let line = SourceLine::new(&file.source, line, sentence!("saw-together", rate = format::rate(peak)));
                matches.push((limit, cap, Sum { source: file.source.clone(), track, devices, line }));
            }
        }
    }
    matches
}

/// Share of the cap from which it counts as binding.
const NEAR: f64 = 0.95;

fn sums(case: &Case) -> Vec<RuleMatch> {
    let mut seen = Vec::new();
    for (limit, cap, sum) in summed(case) {
        let busy = sum.track.busy();
        let mean = busy.mean();
        if mean < NEAR * cap || mean > (1.0 + ABOVE) * cap {
            continue;
        }
        let names: Vec<String> = sum.devices.iter().map(|(n, _)| n.clone()).collect();
        let shares: Vec<String> = sum.devices.iter().map(|(n, s)| format!("{n} {}", format::percent(*s))).collect();
        let at = busy.points.iter().filter(|p| p.1 >= NEAR * cap).count();
        let what = sentence!(
            "saw-sum",
            rate = format::rate(mean),
            limit = &limit.name,
            cap = format::rate(cap),
            share = format::percent(mean / cap)
        );
        let subject = sentence!("saw-of-file", name = format::list(&names), file = sum.source);
        let mut one = RuleMatch::about(subject, what).lines([sum.line]);
        one = one.with(sentence!("saw-samples-near", n = at, all = busy.points.len(), share = format::percent(NEAR)));
        if sum.devices.len() > 1 {
            one = one.with(sentence!("saw-shares", shares = shares.join(", ")));
        }
        seen.push(one);
    }
    seen
}

fn above_in_samples(case: &Case) -> Vec<RuleMatch> {
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
            true => sentence!(
                "saw-busy-above",
                rate = format::rate(mean),
                share = format::percent(mean / cap),
                limit = &limit.name
            ),
            false => sentence!("saw-samples-above", n = over, limit = &limit.name, share = format::percent(peak / cap)),
        };
        let mut one = RuleMatch::about(case.names.name_of(&sum.source), what).lines([sum.line]);
        one = match lasting {
            true => one.weighing(Severity::Doubt),
            false => one.with(sentence!("saw-bucket", size = format::bytes(sum.track.excess(cap)))),
        };
        seen.push(one);
    }
    seen
}
