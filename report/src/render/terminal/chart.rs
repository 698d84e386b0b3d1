//! Charts on the screen: lines over operations in flight, one chart or two side by side.

use super::{bars, intervals, trend};
use crate::document::Unit;
use crate::document::chart::{Chart, Lines, Plot, Scale};
use crate::widgets::chart as widget;
use crate::widgets::ink::Ink;
use crate::widgets::page::Page;
use crate::widgets::text::{Line, Paint, Span};
use model::units::thousands;
use std::io;

/// Writes one chart, or two side by side if there is room; a chart without a plot gives its reason.
pub(super) fn write(page: &mut Page, charts: &[&Chart]) -> io::Result<()> {
    let shown = charts.iter().filter(|c| c.is_on_screen);
    let mut drawn: Vec<widget::Chart> = Vec::new();
    for chart in shown {
        match chart.choices.first().map(|choice| &choice.plot) {
            // Runs, one after the other.
            Some(Plot::Lines(lines)) if lines.x.unit == Unit::Count && lines.x.scale == Scale::Linear => {
                trend::write(page, lines)?;
            }
            Some(Plot::Nothing(reason)) if reason.is_empty() => {}
            Some(Plot::Lines(lines)) => drawn.push(converted(page.ink, lines)),
            Some(Plot::Nothing(reason)) => {
                let text = format!("{}: {}", chart.title.text(page.ink.language), page.ink.translate(reason));
                page.hanging(Line::plain(" "), 1, &text, Paint::DIM)?;
            }
            Some(Plot::Intervals(figures)) => intervals::write(page, figures)?,
            Some(Plot::Bars(plot)) => bars::write(page, plot)?,
            Some(Plot::Heat(_)) | None => {}
        }
    }
    match drawn.as_slice() {
        [left, right] => pair(page, left, right),
        all => all.iter().try_for_each(|chart| {
            page.blank()?;
            page.lines(chart.draw(page.ink, (page.ink.width - 1).min(60)))
        }),
    }
}

/// Converts the first pane of a plot.
fn converted(ink: Ink, lines: &Lines) -> widget::Chart {
    let axis = &lines.panes[0][0];
    let shown_series = || lines.series.iter().filter(|s| s.axis == (0, 0));
    let points = |points: &[[f64; 2]]| {
        points.iter().filter(|p| p[1].is_finite()).map(|[x, y]| (*x as u32, *y)).collect::<Vec<_>>()
    };
    let curves = || shown_series().filter(|s| !s.is_struck);
    let mut title = Line::new();
    for (i, series) in curves().enumerate() {
        title.push(if i == 0 { "" } else { "  " }, Paint::DIM);
        title.push(ink.glyphs().points[i.min(1)], Paint::new(widget::HUES[i.min(1)]));
        title.push(format!(" {}", ink.translate(&series.name)), Paint::DIM);
    }
    let cap = |upright: bool| {
        let cap = lines.caps.iter().find(|c| c.is_upright == upright && c.axis == (0, 0))?;
        let value = if axis.unit == Unit::Nanos && !upright { latency_tick(cap.at) } else { thousands(cap.at) };
        Some((cap.at, format!("{} {value}", cap.names.join(" / "))))
    };
    widget::Chart {
        title,
        curves: curves().map(|s| points(&s.points)).collect(),
        struck: shown_series().filter(|s| s.is_struck).flat_map(|s| points(&s.points)).collect(),
        cap: cap(false),
        upright: cap(true),
        is_log: axis.scale == Scale::Log10,
        tick: if axis.unit == Unit::Nanos { latency_tick } else { rate_tick },
    }
}

/// Writes two charts, side by side if there is room.
fn pair(page: &mut Page, left: &widget::Chart, right: &widget::Chart) -> io::Result<()> {
    let (margin, gap) = (1, 2);
    let room = page.ink.width - margin;
    let side_by_side = room >= 76;
    // A curve of about eight points does not become clearer if it is wider.
    let columns = if side_by_side { ((room - gap) / 2).min(60) } else { room.min(60) };
    let (left, right) = (left.draw(page.ink, columns), right.draw(page.ink, columns));
    let blocks = if side_by_side { vec![widget::beside(left, right, gap)] } else { vec![left, right] };
    for block in blocks.into_iter().filter(|b| !b.is_empty()) {
        page.blank()?;
        for mut line in block {
            line.spans.insert(0, Span::new(" ".repeat(margin), Paint::PLAIN));
            page.line(line)?;
        }
    }
    Ok(())
}

/// Formats a rate at a tick.
fn rate_tick(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        v if v >= 1e6 => format!("{}M", v / 1e6),
        v if v >= 100.0 => thousands(v),
        v => format!("{v}"),
    }
}

/// Formats a latency at a tick. Ticks are round numbers, so trailing zeros are dropped.
fn latency_tick(ns: f64) -> String {
    let (value, unit) = match ns {
        v if v < 999.0 => (v, "ns"),
        v if v < 999e3 => (v / 1e3, "us"),
        v if v < 999e6 => (v / 1e6, "ms"),
        v => (v / 1e9, "s"),
    };
    format!("{} {unit}", (value * 100.0).round() / 100.0)
}
