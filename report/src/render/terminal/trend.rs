//! Charts of a figure in consecutive runs: a point for each run, and a vertical line where a level begins.

use crate::document::Unit;
use crate::document::chart::Lines;
use crate::widgets::ink::Ink;
use crate::widgets::page::Page;
use crate::widgets::text::{Hue, Line, Paint, width};
use messages::message;
use model::{BytesPerSecond, Nanos, units::thousands};
use std::io;

/// Number of rows of a chart.
const ROWS: usize = 6;

/// Writes the first series of a plot, the last runs if there is no room for all.
pub(super) fn write(page: &mut Page, lines: &Lines) -> io::Result<()> {
    let ink = page.ink;
    let values: Vec<f64> = lines.series[0].points.iter().map(|p| p[1]).collect();
    let finite = values.iter().filter(|v| v.is_finite());
    let (low, high) = finite.fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(*v), b.max(*v)));
    // The axis extends at least 10 % above and below the middle, so that noise of 1 % does not fill the chart.
    let (top, floor) = (high.max((high + low) * 0.55), low.min((high + low) * 0.45));
    let ticks = [top, (top + floor) / 2.0, floor].map(|v| tick(ink, lines.panes[0][0].unit, v));
    let gutter = ticks.iter().map(|t| width(t)).max().unwrap_or(0);
    let plot = ink.width.saturating_sub(gutter + 3).max(8);
    let pace = if values.len() * 2 < plot { 2 } else { 1 };
    let skipped = values.len().saturating_sub(plot / pace);
    let column = |i: usize| (i - skipped) * pace + 1;
    let begins = lines.bands.iter().skip(1).map(|band| band.from as usize).filter(|i| *i >= skipped);
    let changes: Vec<usize> = begins.map(|i| column(i) - 1).collect();
    let row_of = |value: f64| ((top - value) / (top - floor) * (ROWS - 1) as f64).round() as usize;
    for row in 0..ROWS {
        let label = match row {
            0 => ticks[0].as_str(),
            r if r == ROWS / 2 => ticks[1].as_str(),
            r if r == ROWS - 1 => ticks[2].as_str(),
            _ => "",
        };
        let lead = format!("{}{label} ", " ".repeat(gutter - width(label)));
        let mut drawn = Line::new().with(lead, Paint::DIM).with(ink.glyphs().axis[0], Paint::DIM);
        let begin = drawn.width();
        let run_at = |at: usize| (skipped..values.len()).find(|i| column(*i) == at);
        for at in 0..plot {
            let point = run_at(at).filter(|i| values[*i].is_finite() && row_of(values[*i]) == row);
            let (sign, hue) = match point {
                Some(_) => (ink.glyphs().points[0], Hue::Pass),
                None if changes.contains(&at) => (ink.glyphs().axis[0], Hue::Doubt),
                None => continue,
            };
            drawn.pad_to(begin + at);
            drawn.push(sign, Paint::new(hue));
        }
        page.line(drawn)?;
    }
    if skipped == 0 {
        return Ok(());
    }
    page.line(Line::new().with(ink.format(&message!("trend-not-drawn", n = skipped)), Paint::DIM))
}

fn tick(ink: Ink, unit: Unit, value: f64) -> String {
    let text = match unit {
        Unit::BytesPerSecond => BytesPerSecond(value).to_string(),
        Unit::Nanos => Nanos(value as u64).to_string(),
        _ => thousands(value),
    };
    ink.group(&text).into_owned()
}
