//! One workload: its table, its charts, and its binding limit.

use super::levels::{change_mark, changed, common, ramp_table, singles_table};
use crate::widgets::chart::{Chart, Curve, Scale, beside};
use crate::widgets::figures::{half_width, megabytes, percent};
use crate::widgets::ink::Ink;
use crate::widgets::page::Page;
use crate::widgets::table::{Column, Table};
use crate::widgets::text::{Hue, Line, Paint};
use messages::{Message, Sentence, message, sentence};
use model::{
    Binding, BindingKind, Caveat, Constraint, Estimate, Iops, Knee, LevelFigures, Nanos, PatternJudgement, Percentile,
    TargetShare, agreement, thousands,
};
use std::io;

/// Width of the label before the lines below a ramp, in columns.
const LABEL: usize = 11;
/// Maximum number of constraints drawn as bars; the others are only counted.
const BARS: usize = 6;

/// Writes a ramp: table, charts, then a description in words.
pub(super) fn ramp(page: &mut Page, pattern: &PatternJudgement, caveats: &[Caveat]) -> io::Result<()> {
    let levels: Vec<&LevelFigures> = pattern.levels.iter().collect();
    page.blank()?;
    page.heading(&pattern.label, &aside(page.ink, Some("role-ramp"), &levels))?;
    if pattern.levels.is_empty() {
        let text = format!(" {}", page.ink.word("show-no-level"));
        return page.line(Line::new().with(text, Paint::DIM));
    }
    ramp_table(page, pattern, caveats)?;
    charts(page, pattern)?;
    page.blank()?;
    binding(page, pattern)?;
    concurrency(page, pattern)
}

/// Writes the single levels of several workloads in one table, then the binding limit of each.
pub(super) fn singles(
    page: &mut Page,
    title: &'static str,
    patterns: &[&PatternJudgement],
    caveats: &[Caveat],
) -> io::Result<()> {
    if patterns.is_empty() {
        return Ok(());
    }
    let levels: Vec<&LevelFigures> = patterns.iter().flat_map(|p| &p.levels).collect();
    page.blank()?;
    page.heading(page.ink.word(title), &aside(page.ink, None, &levels))?;
    singles_table(page, patterns, caveats)?;
    for pattern in patterns.iter().filter(|p| p.binding.kind != BindingKind::Latency && !p.levels.is_empty()) {
        page.blank()?;
        page.line(Line::new().with(format!(" {}", pattern.label), Paint::BOLD))?;
        binding(page, pattern)?;
    }
    Ok(())
}

/// Returns what all levels have in common, for the right side of a heading.
pub(super) fn aside(ink: Ink, kind: Option<&str>, levels: &[&LevelFigures]) -> String {
    let (engine, shape) = common(levels);
    let mut words: Vec<String> = Vec::new();
    words.extend(kind.map(|kind| ink.word(kind).to_owned()));
    words.extend(engine);
    if kind.is_none() {
        words.extend(shape.map(|(q, t)| ink.format(&message!("show-in-flight", n = q.saturating_mul(t)))));
    }
    ink.list(words)
}

fn label(page: &mut Page, name: &str, text: &Message) -> io::Result<()> {
    let text = page.ink.format(text);
    page.hanging(Line::new().with(format!(" {name}"), Paint::DIM), LABEL, &text, Paint::PLAIN)
}

/// Returns `true` if a level's means may be plotted.
fn sound(level: &LevelFigures) -> bool {
    level.struck.is_none() && !changed(level)
}

fn charts(page: &mut Page, pattern: &PatternJudgement) -> io::Result<()> {
    let n = |l: &LevelFigures| l.concurrency();
    let ramp = || pattern.levels.iter().filter(|l| !l.hold);
    let points = |f: &dyn Fn(&LevelFigures) -> Option<f64>| -> Vec<(u32, f64)> {
        ramp().filter(|l| sound(l)).filter_map(|l| Some((n(l), f(l)?))).collect()
    };
    let struck = || ramp().filter(|l| l.struck.is_some());
    let signs = page.ink.glyphs().points;
    let title = format!(" {}", page.ink.word("show-chart-iops"));
    let rate = Chart {
        title: Line::new().with(signs[0], Paint::new(Hue::Measured)).with(title, Paint::DIM),
        curves: vec![Curve { points: points(&|l| Some(l.iops.value)), hue: Hue::Measured, mark: 0 }],
        struck: struck().map(|l| (n(l), l.iops.value)).collect(),
        cap: cap(&pattern.binding),
        upright: pattern.n_star.map(|n| (n, format!("N* {}", thousands(n)))),
        scale: Scale::FromZero,
        tick: rate_tick,
    };
    let latency = Chart {
        title: latency_title(page.ink),
        curves: vec![
            Curve { points: points(&|l| l.mean.map(|v| v.as_nanos() as f64)), hue: Hue::Measured, mark: 0 },
            Curve { points: points(&|l| l.p99.value().map(|v| v.as_nanos() as f64)), hue: Hue::Plain, mark: 1 },
        ],
        struck: struck().filter_map(|l| Some((n(l), l.mean?.as_nanos() as f64))).collect(),
        cap: None,
        upright: None,
        scale: Scale::Log,
        tick: latency_tick,
    };
    pair(page, &rate, &latency)
}

/// Returns the title of a chart of mean and p99.
pub(crate) fn latency_title(ink: Ink) -> Line {
    let signs = ink.glyphs().points;
    Line::new()
        .with(signs[0], Paint::new(Hue::Measured))
        .with(format!(" {}  ", ink.word("page-mean")), Paint::DIM)
        .with(signs[1], Paint::PLAIN)
        .with(format!(" {}", ink.word("show-chart-p99")), Paint::DIM)
}

/// Writes two charts, side by side if there is room.
pub(crate) fn pair(page: &mut Page, left: &Chart, right: &Chart) -> io::Result<()> {
    let (margin, gap) = (1, 2);
    let room = page.ink.width - margin;
    let side_by_side = room >= 76;
    // A curve of about eight points does not become clearer if it is wider.
    let columns = if side_by_side { ((room - gap) / 2).min(60) } else { room.min(60) };
    let (left, right) = (left.draw(page.ink, columns), right.draw(page.ink, columns));
    let blocks = if side_by_side { vec![beside(left, right, gap)] } else { vec![left, right] };
    for block in blocks.into_iter().filter(|b| !b.is_empty()) {
        page.blank()?;
        for mut line in block {
            line.spans.insert(0, crate::widgets::text::Span::new(" ".repeat(margin), Paint::PLAIN));
            page.line(line)?;
        }
    }
    Ok(())
}

/// Formats a rate at a tick.
pub(crate) fn rate_tick(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        v if v >= 1e6 => format!("{}M", v / 1e6),
        v if v >= 100.0 => thousands(v),
        v => format!("{v}"),
    }
}

/// Formats a latency at a tick. Ticks are round numbers, so trailing zeros are dropped.
pub(crate) fn latency_tick(ns: f64) -> String {
    let (value, unit) = match ns {
        v if v < 999.0 => (v, "ns"),
        v if v < 999e3 => (v / 1e3, "us"),
        v if v < 999e6 => (v / 1e6, "ms"),
        v => (v / 1e9, "s"),
    };
    format!("{} {unit}", (value * 100.0).round() / 100.0)
}

/// Returns the binding constraints that are known by name.
fn binding_constraints(binding: &Binding) -> impl Iterator<Item = &Constraint> {
    binding.constraints.iter().filter(|c| binding.names.contains(&c.name))
}

/// Returns the horizontal line of a ramp's chart: the rate that the binding limit allows, with a label. A limit by
/// concurrency has no line, because it would be a slope.
fn cap(binding: &Binding) -> Option<(f64, String)> {
    if matches!(binding.kind, BindingKind::Latency | BindingKind::Unknown) {
        return None;
    }
    let tightest = binding_constraints(binding).map(|c| c.allows.per_second()).min_by(f64::total_cmp)?;
    Some((tightest, format!("{} {}", binding.names.join(" / "), thousands(tightest))))
}

/// Returns `true` if a line of evidence only repeats the statement, the bars or the lines below them.
fn said_elsewhere(line: &Sentence, binding: &Binding) -> bool {
    let drawn = |c: &Constraint| match line.id() {
        Some("constraint-used" | "constraint-next") => line.place("name") == Some(&c.name),
        Some("seen-generator") => c.name.starts_with("generator"),
        _ => false,
    };
    matches!(
        binding.kind,
        BindingKind::Latency
            | BindingKind::Unknown
            | BindingKind::Device
            | BindingKind::VirtualDisk
            | BindingKind::CapOrDevice
    ) || binding.constraints.iter().take(BARS).any(drawn)
}

/// Writes which limit binds and why, and how far away the next limit is. The JSON contains the full evidence.
pub(super) fn binding(page: &mut Page, pattern: &PatternJudgement) -> io::Result<()> {
    let b = &pattern.binding;
    let hue = match b.kind {
        BindingKind::Undecidable | BindingKind::Unknown | BindingKind::Generator => Hue::Doubt,
        _ => Hue::Plain,
    };
    let lead = Line::new().with(format!(" {}", page.ink.word("head-binds")), Paint::DIM);
    page.hanging(lead, LABEL, &page.ink.translate(&b.statement), Paint::new(hue).bold())?;
    for line in b.evidence.iter().filter(|line| !said_elsewhere(line, b)) {
        page.hanging(Line::new(), LABEL, &page.ink.translate(line), Paint::DIM)?;
    }
    constraints(page, b)?;
    shares(page, &pattern.shares)
}

/// Writes the share of each of several targets in the rate.
fn shares(page: &mut Page, shares: &[TargetShare]) -> io::Result<()> {
    if shares.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(
        vec![
            Column::left(page.ink.word("head-target")),
            Column::left("").droppable(3),
            Column::right(page.ink.word("head-share")),
            Column::right("IOPS"),
            Column::right("MB/s"),
            Column::right(page.ink.word("page-mean")),
            Column::right("p99").droppable(2),
            Column::left("").droppable(1),
        ],
        LABEL,
    );
    let bar = if page.ink.width >= 96 { 16 } else { 8 };
    for share in shares {
        let at = share.at.as_ref().map(|name| message!("binds-at", sign = page.ink.glyphs().binds, name));
        table.row(vec![
            Line::new().with(page.ink.clipped(&share.name, 16), Paint::BOLD),
            page.ink.bar(share.share, bar, Paint::new(Hue::Measured)),
            Line::plain(percent(share.share)),
            Line::plain(thousands(share.iops.per_second())),
            Line::plain(megabytes(share.bandwidth)),
            Line::plain(share.mean.map_or_else(|| "-".to_owned(), |l| l.to_string())),
            Line::plain(share.p99.value().map_or_else(|| "-".to_owned(), |l| l.to_string())),
            Line::new().with(at.map_or_else(String::new, |at| page.ink.format(&at)), Paint::new(Hue::Limit)),
        ]);
    }
    page.blank()?;
    let laid = table.lay(page.ink);
    page.lines(laid.lines)
}

/// Writes the known constraints as bars, the tightest first, to show which one is used up and how much room the next
/// one leaves.
fn constraints(page: &mut Page, binding: &Binding) -> io::Result<()> {
    if binding.constraints.is_empty() {
        return Ok(());
    }
    let bar = if page.ink.width >= 96 { 24 } else { 16 };
    let name_width = (page.ink.width / 3).min(34);
    let mut table = Table::new(
        vec![
            Column::left(""),
            Column::left("").droppable(3),
            Column::right(page.ink.word("head-used")),
            Column::right(page.ink.word("head-allows")),
            Column::left("").droppable(2),
        ],
        LABEL,
    );
    for c in binding.constraints.iter().take(BARS) {
        let binds = binding.names.contains(&c.name);
        let paint = if binds { Paint::BOLD } else { Paint::PLAIN };
        let fill = if binds { Paint::new(Hue::Limit) } else { Paint::new(Hue::Measured) };
        table.row(vec![
            Line::new().with(page.ink.clipped(&c.name, name_width), paint),
            page.ink.bar(c.used, bar, fill),
            Line::new().with(percent(c.used), paint),
            Line::new().with(thousands(c.allows.per_second()), paint),
            headroom(page, binds, c.used),
        ]);
    }
    let laid = table.lay(page.ink);
    page.lines(laid.lines)?;
    if binding.constraints.len() > BARS {
        let text = page.ink.format(&message!("binds-wider", n = binding.constraints.len() - BARS));
        page.hanging(Line::new(), LABEL, &text, Paint::DIM)?;
    }
    Ok(())
}

fn headroom(page: &Page, binds: bool, used: f64) -> Line {
    if binds {
        let text = page.ink.format(&message!("binds-mark", sign = page.ink.glyphs().binds));
        return Line::new().with(text, Paint::new(Hue::Limit));
    }
    // At or above the allowed rate there is no room left to report.
    if !used.is_finite() || used <= 0.0 || used >= 1.0 {
        return Line::new();
    }
    let room = 1.0 / used;
    let digits = if room < 1.995 { 2 } else { usize::from(room < 9.95) };
    let room = format!("{room:.digits$}{}", page.ink.glyphs().times);
    Line::new().with(page.ink.format(&message!("binds-headroom", room)), Paint::DIM)
}

/// Writes knee, N*, L0 and the sustained rate.
fn concurrency(page: &mut Page, pattern: &PatternJudgement) -> io::Result<()> {
    let ink = page.ink;
    if let Some(knee) = knee(pattern) {
        label(page, ink.word("knee-label"), &knee)?;
    }
    if let Some(n_star) = pattern.n_star {
        label(page, "N*", &least(pattern, n_star))?;
    }
    if let Some(l0) = pattern.l0 {
        match pattern.l0_doubted {
            None => label(page, "L0", &floor(l0))?,
            Some((n, at_most)) => {
                let lead = Line::new().with(" L0", Paint::DIM);
                let text = format!("! {}", ink.format(&message!("lzero-doubted", l0, n, at_most)));
                page.hanging(lead, LABEL, &text, Paint::new(Hue::Doubt))?;
            }
        }
    }
    sustained(page, pattern)
}

/// Describes the knee, at which more concurrency stops raising the rate, if it was determined.
fn knee(pattern: &PatternJudgement) -> Option<Message> {
    Some(match &pattern.knee {
        Knee::Between { below, at, latency } => {
            let place = match (*below, *at) {
                (0, 1) => message!("knee-at-once"),
                (0, at) => message!("knee-at-most", at),
                (below, at) => message!("knee-between", below, at),
            };
            match *latency {
                Some(mean) => message!("knee-and-mean", place, at = *at, mean),
                None => place,
            }
        }
        Knee::NotReached { deepest } => message!("knee-not-reached", deepest = *deepest),
        Knee::NotResolved => {
            let reason = match agreement(pattern.levels.iter()) {
                Some(a) => message!("knee-agree", from = a.from, to = a.to),
                None => message!("why-noisy"),
            };
            message!("knee-not-resolved", why = reason)
        }
        Knee::NotAsked => return None,
    })
}

/// Describes N*. It is X_max * L0 and only a lower bound: only a device that saturates abruptly reaches nearly its full
/// rate there, so the rate measured at that concurrency is shown as well.
fn least(pattern: &PatternJudgement, n_star: f64) -> Message {
    let best = pattern.best.and_then(|i| pattern.levels.get(i));
    let n = thousands(n_star);
    let mut statement = match pattern.knee {
        Knee::NotReached { .. } => message!("nstar-least-seen", n),
        _ => message!("nstar-least", n),
    };
    if let Some((_, at_most)) = pattern.l0_doubted {
        statement = message!("nstar-without-l0", told = statement, at_most);
    }
    if let Some((n, mean)) = pattern.at_n_star {
        let level_at = pattern.levels.iter().find(|l| !l.hold && l.concurrency() == n);
        let share = level_at.zip(best).map(|(l, b)| l.iops.value / b.iops.value).filter(|s| s.is_finite());
        statement = match share.map(percent) {
            Some(share) => message!("nstar-gave-share", told = statement, n, share, mean),
            None => message!("nstar-gave", told = statement, n, mean),
        };
    }
    if best.is_some_and(|l| l.struck.is_some()) {
        statement = message!("nstar-struck", told = statement);
    }
    statement
}

/// Writes the rate of the held level: struck through if the level is invalid, marked if its rate changed.
fn sustained(page: &mut Page, pattern: &PatternJudgement) -> io::Result<()> {
    let Some(s) = &pattern.sustained else { return Ok(()) };
    let (ink, rate) = (page.ink, thousands(s.value));
    let mut lead = Line::new().with(format!(" {}", ink.word("sustained-label")), Paint::DIM);
    lead.pad_to(LABEL);
    let held = pattern.levels.iter().find(|l| l.hold);
    if let Some(reason) = held.and_then(|l| l.struck.as_ref()) {
        let rate = ink.group(&rate).into_owned();
        let (text, paint) = if ink.color { (rate, Paint::STRUCK) } else { (format!("({rate})"), Paint::DIM) };
        lead.push(text, paint);
        let hang = lead.width() + 1;
        return page.hanging(lead, hang, &ink.format(&message!("sustained-struck", why = reason)), Paint::DIM);
    }
    if let Some(held) = held.filter(|l| changed(l)) {
        lead.append(change_mark(held, ink));
        let rate = scatter(sentence!("sustained-changed", rate), s, pattern.sustained_seconds, ink);
        return page.hanging(lead, LABEL, &ink.translate(rate), Paint::new(Hue::Doubt));
    }
    let rate = scatter(format!("{rate} IOPS").into(), s, pattern.sustained_seconds, ink);
    page.hanging(lead, LABEL, &ink.translate(rate), Paint::PLAIN)?;
    match held.map(|l| (l.p99, l.p99_ci)) {
        Some((Percentile::Value(p99), Some((low, high)))) => {
            label(page, "p99", &message!("sustained-p99", p99, low, high))
        }
        _ => Ok(()),
    }
}

/// Returns a rate with its reliability: its interval, or failing that the range of its seconds. TRUST explains why an
/// interval is missing.
fn scatter(rate: Sentence, of: &Estimate, seconds: Option<(Iops, Iops)>, ink: Ink) -> Sentence {
    match (half_width(of, ink), seconds) {
        (Some(half), _) => sentence!("sustained-interval", rate, half, n = of.n),
        (None, Some((low, high))) => sentence!("sustained-seconds", rate, low, high),
        (None, None) => rate,
    }
}

/// Returns the mean latency of one operation at a time, and the maximum rate at that latency.
fn floor(l0: Nanos) -> Message {
    match l0.as_nanos() {
        0 => message!("lzero-mean", l0),
        ns => message!("lzero-mean-rate", l0, rate = thousands(1e9 / ns as f64)),
    }
}
