//! One workload: its table, its charts, and what binds it.

use super::levels::{common, ramp_table, singles_table};
use crate::chart::{Chart, Curve, Scale, beside};
use crate::figures::{half_width, percent};
use crate::page::Page;
use crate::table::{Column, Table};
use crate::text::{Hue, Line, Paint};
use model::{
    Binding, BindingKind, Caveat, Constraint, Knee, LevelFigures, Nanos, PatternJudgement, Steadiness, thousands,
};
use std::io;

/// Columns of the label before the lines under a ramp.
const LABEL: usize = 11;
/// Constraints drawn as bars; the others are only counted.
const BARS: usize = 6;

/// A ramp: table, charts, then what they show in words.
pub(super) fn ramp(page: &mut Page, pattern: &PatternJudgement, caveats: &[Caveat]) -> io::Result<()> {
    let levels: Vec<&LevelFigures> = pattern.levels.iter().collect();
    page.blank()?;
    page.heading(&pattern.label, &aside("ramp", &levels))?;
    if pattern.levels.is_empty() {
        return page.line(Line::new().with(" no level was measured", Paint::DIM));
    }
    ramp_table(page, pattern, caveats)?;
    charts(page, pattern)?;
    page.blank()?;
    binding(page, pattern)?;
    concurrency(page, pattern)
}

/// Single levels of several workloads in one table, then what binds each of them.
pub(super) fn singles(
    page: &mut Page,
    title: &str,
    patterns: &[&PatternJudgement],
    caveats: &[Caveat],
) -> io::Result<()> {
    if patterns.is_empty() {
        return Ok(());
    }
    let levels: Vec<&LevelFigures> = patterns.iter().flat_map(|p| &p.levels).collect();
    page.blank()?;
    page.heading(title, &aside("", &levels))?;
    singles_table(page, patterns, caveats)?;
    for pattern in patterns.iter().filter(|p| p.binding.kind != BindingKind::Latency && !p.levels.is_empty()) {
        page.blank()?;
        page.line(Line::new().with(format!(" {}", pattern.label), Paint::BOLD))?;
        binding(page, pattern)?;
    }
    Ok(())
}

/// What all levels have in common, for the right of a heading.
pub(super) fn aside(kind: &str, levels: &[&LevelFigures]) -> String {
    let (engine, shape) = common(levels);
    let mut words: Vec<String> = Vec::new();
    words.extend((!kind.is_empty()).then(|| kind.to_owned()));
    words.extend(engine);
    if kind.is_empty() {
        words.extend(shape.map(|(q, t)| format!("{} in flight", q.saturating_mul(t))));
    }
    words.join(", ")
}

fn label(page: &mut Page, name: &str, text: &str) -> io::Result<()> {
    page.hanging(Line::new().with(format!(" {name}"), Paint::DIM), LABEL, text, Paint::PLAIN)
}

/// Whether a level's means may stand on a curve.
fn sound(level: &LevelFigures) -> bool {
    level.struck.is_none() && !matches!(level.steadiness, Steadiness::TwoRegimes { .. })
}

fn charts(page: &mut Page, pattern: &PatternJudgement) -> io::Result<()> {
    let n = |l: &LevelFigures| l.queue_depth.saturating_mul(l.threads);
    let ramp = || pattern.levels.iter().filter(|l| !l.hold);
    let points = |f: &dyn Fn(&LevelFigures) -> Option<f64>| -> Vec<(u32, f64)> {
        ramp().filter(|l| sound(l)).filter_map(|l| Some((n(l), f(l)?))).collect()
    };
    let struck = || ramp().filter(|l| l.struck.is_some());
    let signs = page.ink.glyphs().points;
    let rate = Chart {
        title: Line::new().with(signs[0], Paint::of(Hue::Measured)).with(" IOPS, by operations in flight", Paint::DIM),
        curves: vec![Curve { points: points(&|l| Some(l.iops.value)), hue: Hue::Measured, mark: 0 }],
        struck: struck().map(|l| (n(l), l.iops.value)).collect(),
        cap: cap(&pattern.binding),
        upright: pattern.n_star.map(|n| (n, format!("N* {}", thousands(n)))),
        scale: Scale::FromZero,
        tick: rate_tick,
    };
    let latency = Chart {
        title: Line::new()
            .with(signs[0], Paint::of(Hue::Measured))
            .with(" mean  ", Paint::DIM)
            .with(signs[1], Paint::PLAIN)
            .with(" p99 latency", Paint::DIM),
        curves: vec![
            Curve { points: points(&|l| l.mean.map(|v| v.0 as f64)), hue: Hue::Measured, mark: 0 },
            Curve { points: points(&|l| l.p99.value().map(|v| v.0 as f64)), hue: Hue::Plain, mark: 1 },
        ],
        struck: struck().filter_map(|l| Some((n(l), l.mean?.0 as f64))).collect(),
        cap: None,
        upright: None,
        scale: Scale::Log,
        tick: latency_tick,
    };
    let (margin, gap) = (1, 2);
    let room = page.ink.width - margin;
    let side_by_side = room >= 76;
    // Wider than this a curve of eight points gets no clearer.
    let columns = if side_by_side { ((room - gap) / 2).min(60) } else { room.min(60) };
    let (left, right) = (rate.draw(page.ink, columns), latency.draw(page.ink, columns));
    let blocks = if side_by_side { vec![beside(left, right, gap)] } else { vec![left, right] };
    for block in blocks.into_iter().filter(|b| !b.is_empty()) {
        page.blank()?;
        for mut line in block {
            line.spans.insert(0, crate::text::Span::new(" ".repeat(margin), Paint::PLAIN));
            page.line(line)?;
        }
    }
    Ok(())
}

fn rate_tick(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        v if v >= 1e6 => format!("{}M", v / 1e6),
        v if v >= 100.0 => thousands(v),
        v => format!("{v}"),
    }
}

/// Round figures only come here: no digits behind the point but those that say something.
fn latency_tick(ns: f64) -> String {
    let (value, unit) = match ns {
        v if v < 999.0 => (v, "ns"),
        v if v < 999e3 => (v / 1e3, "us"),
        v if v < 999e6 => (v / 1e6, "ms"),
        v => (v / 1e9, "s"),
    };
    format!("{} {unit}", (value * 100.0).round() / 100.0)
}

/// Constraints that bind, as far as they are known by name.
fn binding_constraints(binding: &Binding) -> impl Iterator<Item = &Constraint> {
    binding.constraints.iter().filter(|c| binding.names.contains(&c.name))
}

/// The line to draw over a ramp: what the binding limit allows. Too few in flight is no level line but a slope.
fn cap(binding: &Binding) -> Option<(f64, String)> {
    if matches!(binding.kind, BindingKind::Latency | BindingKind::Unknown) {
        return None;
    }
    let tightest = binding_constraints(binding).map(|c| c.allows.0).min_by(f64::total_cmp)?;
    Some((tightest, format!("{} {}", binding.names.join(" / "), thousands(tightest))))
}

/// Whether a line of evidence only repeats what the statement, the bars or the lines below them say.
fn said_elsewhere(line: &str, binding: &Binding) -> bool {
    let drawn = |c: &Constraint| line.starts_with(&c.name) || line.starts_with(&format!("next: {}", c.name));
    let generator = |c: &Constraint| c.name.starts_with("generator") && line.starts_with("generator: ");
    matches!(binding.kind, BindingKind::Latency | BindingKind::Unknown | BindingKind::Device)
        || binding.constraints.iter().take(BARS).any(|c| drawn(c) || generator(c))
}

/// What binds, and how far the next limit is. The evidence in full is in the JSON.
pub(super) fn binding(page: &mut Page, pattern: &PatternJudgement) -> io::Result<()> {
    let b = &pattern.binding;
    let hue = match b.kind {
        BindingKind::Undecidable | BindingKind::Unknown | BindingKind::Generator => Hue::Doubt,
        _ => Hue::Plain,
    };
    let lead = Line::new().with(" binds", Paint::DIM);
    page.hanging(lead, LABEL, &b.statement, Paint::of(hue).bold())?;
    for line in b.evidence.iter().filter(|line| !said_elsewhere(line, b)) {
        page.hanging(Line::new(), LABEL, line, Paint::DIM)?;
    }
    constraints(page, b)
}

/// The known constraints as bars, tightest first: which one is full, and how much room the next one leaves.
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
            Column::right("used"),
            Column::right("allows IOPS"),
            Column::left("").droppable(2),
        ],
        LABEL,
    );
    for c in binding.constraints.iter().take(BARS) {
        let binds = binding.names.contains(&c.name);
        let paint = if binds { Paint::BOLD } else { Paint::PLAIN };
        let fill = if binds { Paint::of(Hue::Limit) } else { Paint::of(Hue::Measured) };
        table.row(vec![
            Line::new().with(page.ink.clipped(&c.name, name_width), paint),
            page.ink.bar(c.used, bar, fill),
            Line::new().with(percent(c.used), paint),
            Line::new().with(thousands(c.allows.0), paint),
            headroom(page, binds, c.used),
        ]);
    }
    let laid = table.lay(page.ink);
    page.lines(laid.lines)?;
    if binding.constraints.len() > BARS {
        let text = format!("and {} wider ones", binding.constraints.len() - BARS);
        page.hanging(Line::new(), LABEL, &text, Paint::DIM)?;
    }
    Ok(())
}

fn headroom(page: &Page, binds: bool, used: f64) -> Line {
    if binds {
        return Line::new().with(format!("{} binds", page.ink.glyphs().binds), Paint::of(Hue::Limit));
    }
    // Beyond what it allows there is no room to tell of; the bar is full.
    if !used.is_finite() || used <= 0.0 || used >= 1.0 {
        return Line::new();
    }
    let room = 1.0 / used;
    let digits = if room < 1.995 { 2 } else { usize::from(room < 9.95) };
    Line::new().with(format!("{room:.digits$}{} headroom", page.ink.glyphs().times), Paint::DIM)
}

/// Knee, N*, L0 and the sustained rate.
fn concurrency(page: &mut Page, pattern: &PatternJudgement) -> io::Result<()> {
    match &pattern.knee {
        Knee::Between { below, at, latency } => {
            let place = match (below, at) {
                (0, 1) => "at 1 in flight already".to_owned(),
                (0, at) => format!("at {at} in flight or fewer"),
                (below, at) => format!("between {below} and {at} in flight"),
            };
            let tail = latency.map_or_else(String::new, |l| format!("; the mean at {at} is {l}"));
            label(page, "knee", &format!("{place}{tail}"))?;
        }
        Knee::NotReached { deepest } => label(page, "knee", &format!("not reached at {deepest} in flight"))?,
        Knee::NotResolved => label(page, "knee", "not resolved: levels too noisy")?,
        Knee::NotAsked => {}
    }
    if let Some(n_star) = pattern.n_star {
        let measured =
            pattern.at_n_star.map_or_else(String::new, |(n, latency)| format!("; measured at {n}: mean {latency}"));
        let best = pattern.best.and_then(|i| pattern.levels.get(i));
        let weak = if best.is_some_and(|l| l.struck.is_some()) { "; it rests on a struck rate" } else { "" };
        // N* = X_max * L0: only a device that saturates sharply comes near it.
        let text =
            format!("{} in flight would give the highest rate if none waited{measured}{weak}", thousands(n_star));
        label(page, "N*", &text)?;
    }
    if let Some(l0) = pattern.l0 {
        label(page, "L0", &format!("{l0} mean with one in flight{}", floor(l0)))?;
    }
    sustained(page, pattern)
}

/// The rate of the held level, struck if that level is.
fn sustained(page: &mut Page, pattern: &PatternJudgement) -> io::Result<()> {
    let Some(s) = &pattern.sustained else { return Ok(()) };
    let rate = thousands(s.value);
    if let Some(reason) = pattern.levels.iter().find(|l| l.hold).and_then(|l| l.struck.as_ref()) {
        let (text, paint) = if page.ink.color { (rate, Paint::STRUCK) } else { (format!("({rate})"), Paint::DIM) };
        let mut lead = Line::new().with(" sustained", Paint::DIM);
        lead.pad_to(LABEL);
        lead.push(text, paint);
        let hang = lead.width() + 1;
        return page.hanging(lead, hang, &format!("IOPS, struck: {reason}"), Paint::DIM);
    }
    let interval = half_width(s, page.ink).map_or_else(
        || if s.ci_missing.is_empty() { String::new() } else { format!(", no interval: {}", s.ci_missing) },
        |w| format!(" {w} (95 % CI, {} windows)", s.n),
    );
    label(page, "sustained", &format!("{rate} IOPS{interval}"))
}

/// What one operation at a time can do at most.
fn floor(l0: Nanos) -> String {
    if l0.0 == 0 { String::new() } else { format!(": {} IOPS for each in flight", thousands(1e9 / l0.0 as f64)) }
}
