//! Intervals on the screen: for each figure its runs on both sides and the interval of its change, on a common axis.

use crate::document::chart::Interval;
use crate::widgets::chart::push_joined;
use crate::widgets::figures::median;
use crate::widgets::ink::Ink;
use crate::widgets::page::Page;
use crate::widgets::text::{Hue, Line, Paint, width};
use std::io;

/// Maximum change that the axis covers; a wider axis would hide the details.
const FURTHEST: f64 = 0.6;
/// Colour of the runs.
const RUN: Paint = Paint::new(Hue::Measured);

/// Common axis of all figures: changes relative to the median of the first side.
struct Axis {
    /// Absolute logarithm of the ratio at both ends.
    reach: f64,
    /// Logarithm of the change that does not matter.
    margin: f64,
    columns: usize,
    /// Columns before the axis.
    gutter: usize,
}

impl Axis {
    fn column(&self, ratio: f64) -> Option<usize> {
        let share = ratio.ln() / self.reach;
        (share.abs() <= 1.0 + 1e-9).then(|| ((share + 1.0) / 2.0 * (self.columns - 1) as f64).round() as usize)
    }
}

/// Draws the figures that have a ratio; nothing if there is no room.
pub(super) fn write(page: &mut Page, figures: &[Interval]) -> io::Result<()> {
    let drawn: Vec<&Interval> = figures.iter().filter(|f| f.ratio.is_some()).collect();
    let names: Vec<String> = drawn.iter().map(|f| page.ink.translate(&f.name)).collect();
    let room = (page.ink.width / 3).max(8);
    let gutter = names.iter().map(|n| width(n)).max().unwrap_or(0).min(room) + 4;
    let columns = page.ink.width.saturating_sub(gutter + 1).min(81) | 1;
    if drawn.is_empty() || columns < 31 {
        return Ok(());
    }
    let margin = (1.0 + drawn[0].within).ln();
    let ends = drawn.iter().filter_map(|f| f.ends).flat_map(|(low, high)| [low, high]);
    let far = ends.chain(drawn.iter().filter_map(|f| f.ratio)).map(|r| r.ln().abs()).fold(0.0, f64::max);
    let reach = (1.25 * far).max(2.0 * margin).min((1.0f64 + FURTHEST).ln().max(2.0 * margin));
    let axis = Axis { reach, margin, columns, gutter };
    page.line(scale(&axis))?;
    drawn.iter().zip(&names).try_for_each(|(f, name)| figure(page, f, name, &axis))
}

/// Draws the axis with ticks at no change, at the margin and at the ends.
fn scale(axis: &Axis) -> Line {
    let mut text = vec![' '; axis.columns + 8];
    let mut put = |ratio: f64| {
        let Some(at) = axis.column(ratio) else { return };
        let label =
            if ratio == 1.0 { "0".to_owned() } else { format!("{:+.1} %", (ratio - 1.0) * 100.0).replace(".0", "") };
        let start = at.saturating_sub(label.chars().count() / 2);
        let end = start + label.chars().count();
        if end <= text.len() && text[start.saturating_sub(1)..(end + 1).min(text.len())].iter().all(|c| *c == ' ') {
            label.chars().enumerate().for_each(|(i, c)| text[start + i] = c);
        }
    };
    for share in [0.0, axis.margin, -axis.margin, axis.reach, -axis.reach] {
        put(share.exp());
    }
    Line::plain(" ".repeat(axis.gutter)).with(text.into_iter().collect::<String>().trim_end(), Paint::DIM)
}

/// Draws three lines: runs of the first side, runs of the second, and the interval of the ratio.
fn figure(page: &mut Page, f: &Interval, name: &str, axis: &Axis) -> io::Result<()> {
    let ink = page.ink;
    let Some(base) = median(&f.sides[0]) else { return Ok(()) };
    let empty = || -> Vec<(&'static str, Paint)> {
        let mut cells = vec![(" ", Paint::PLAIN); axis.columns];
        let margin = if ink.unicode { "┆" } else { ":" };
        for (ratio, sign) in [(axis.margin.exp(), margin), ((-axis.margin).exp(), margin), (1.0, ink.glyphs().axis[0])]
        {
            if let Some(at) = axis.column(ratio) {
                cells[at] = (sign, Paint::DIM);
            }
        }
        cells
    };
    let lead = |text: &str, side: &str| {
        let mut line = Line::plain(" ").with(ink.clipped(text, axis.gutter - 4), Paint::PLAIN);
        line.pad_to(axis.gutter - 2);
        line.with(side.to_owned(), Paint::DIM).with(" ", Paint::PLAIN)
    };
    for (side, runs, text) in [("A", &f.sides[0], name), ("B", &f.sides[1], "")] {
        let mut cells = empty();
        for value in runs {
            match axis.column(value / base) {
                Some(at) => cells[at] = (dots(ink, cells[at].1 == RUN), RUN),
                None if *value < base => cells[0] = ("<", RUN),
                None => cells[axis.columns - 1] = (">", RUN),
            }
        }
        page.line(set(lead(text, side), cells))?;
    }
    let mut cells = empty();
    let paint = f.tone.paint();
    if let Some((low, high)) = f.ends {
        let last = axis.columns - 1;
        let (from, to) = (axis.column(low).unwrap_or(0), axis.column(high).unwrap_or(last));
        for cell in &mut cells[from..=to.max(from)] {
            *cell = (ink.glyphs().rule, paint);
        }
        let (open, close) = if ink.unicode { ("├", "┤") } else { ("[", "]") };
        cells[from] = (if axis.column(low).is_some() { open } else { "<" }, paint);
        cells[to] = (if axis.column(high).is_some() { close } else { ">" }, paint);
    }
    if let Some(at) = f.ratio.and_then(|r| axis.column(r)) {
        cells[at] = (ink.glyphs().points[0], paint.bold());
    }
    page.line(set(lead("", " "), cells))
}

/// Returns the sign for one run, or for several at the same position.
fn dots(ink: Ink, is_taken: bool) -> &'static str {
    match (ink.unicode, is_taken) {
        (true, false) => "∙",
        (true, true) => "●",
        (false, false) => ".",
        (false, true) => "o",
    }
}

fn set(mut line: Line, cells: Vec<(&'static str, Paint)>) -> Line {
    cells.into_iter().for_each(|(sign, paint)| push_joined(&mut line, sign, paint));
    line
}
