//! Small charts of a ramp: a quantity over operations in flight, on a log2 axis.
//!
//! ratatui's canvas draws the lines (braille dots, or one point per cell in ASCII). This module places axes, ticks and
//! marks around them, because a tick must be exactly below its level and the labels of ratatui's charts are evenly
//! spaced.

use crate::widgets::ink::Ink;
use crate::widgets::text::{Hue, Line, Paint, width};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Color;
use ratatui::symbols::Marker;
use ratatui::widgets::Widget;
use ratatui::widgets::canvas::{Canvas, Line as Stroke};

/// Number of rows of the plot itself.
const ROWS: usize = 8;

/// Colours of the first line, of the second line, and of invalid points.
pub(crate) const HUES: [Hue; 3] = [Hue::Measured, Hue::Plain, Hue::Dim];

/// Points (operations in flight, value), with increasing operations in flight.
pub(crate) type Curve = Vec<(u32, f64)>;

/// A chart.
#[derive(Debug)]
pub(crate) struct Chart {
    pub title: Line,
    pub curves: Vec<Curve>,
    /// Invalid points: marked, but not joined by the line.
    pub struck: Curve,
    /// A horizontal line with its label.
    pub cap: Option<(f64, String)>,
    /// A vertical line with its label.
    pub upright: Option<(f64, String)>,
    /// True if the vertical axis is logarithmic around the values, false if it is linear from zero.
    pub is_log: bool,
    /// Function that formats a value at its tick.
    pub tick: fn(f64) -> String,
}

/// Vertical axis: bounds in the scale's own space and the ticks (value, row from the bottom).
struct Vertical {
    low: f64,
    high: f64,
    is_log: bool,
    ticks: Vec<(f64, usize)>,
}

impl Vertical {
    fn space(&self, value: f64) -> f64 {
        if self.is_log { value.log10() } else { value }
    }

    /// Returns the position of `value` from 0 (bottom) to 1 (top).
    fn share(&self, value: f64) -> f64 {
        ((self.space(value) - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    fn row(&self, value: f64) -> usize {
        (self.share(value) * (ROWS - 1) as f64).round() as usize
    }
}

/// Returns a step of 1, 2 or 5 times a power of ten that divides `span` into at most `parts`.
fn nice_step(span: f64, parts: f64) -> f64 {
    let raw = span / parts;
    let power = 10f64.powf(raw.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|f| f * power >= raw * 0.999).unwrap_or(10.0);
    factor * power
}

fn linear(max: f64) -> Vertical {
    let step = nice_step(max * 1.02, 4.0);
    let count = (max * 1.02 / step).ceil().max(1.0);
    let mut v = Vertical { low: 0.0, high: count * step, is_log: false, ticks: Vec::new() };
    v.ticks = (0..=count as usize).map(|i| i as f64 * step).map(|t| (t, v.row(t))).collect();
    v
}

fn logarithmic(min: f64, max: f64) -> Vertical {
    let (low, high) = ((min * 0.8).log10(), (max * 1.25).log10());
    let mut v = Vertical { low, high, is_log: true, ticks: Vec::new() };
    // The densest series of round numbers whose labels are at least one row apart: (digits, decades between them).
    let series: [(&[f64], i32); 7] = [
        (&[1.0], 4),
        (&[1.0], 3),
        (&[1.0], 2),
        (&[1.0], 1),
        (&[1.0, 3.0], 1),
        (&[1.0, 2.0, 5.0], 1),
        (&[1.0, 1.5, 2.0, 3.0, 5.0, 7.0], 1),
    ];
    for (digits, every) in series {
        let decades = (low.floor() as i32..=high.ceil() as i32).filter(|d| d.rem_euclid(every) == 0);
        let ticks: Vec<(f64, usize)> = decades
            .flat_map(|d| digits.iter().map(move |f| f * 10f64.powi(d)))
            .filter(|t| (low..=high).contains(&t.log10()))
            .map(|t| (t, v.row(t)))
            .collect();
        let apart = ticks.windows(2).all(|w| w[1].1 >= w[0].1 + 2);
        if apart && ticks.len() > v.ticks.len() {
            v.ticks = ticks;
        }
    }
    v
}

/// Returns `true` if a point can be drawn.
fn drawable(is_log: bool, (n, v): (u32, f64)) -> bool {
    n > 0 && v.is_finite() && (v > 0.0 || !is_log && v == 0.0)
}

impl Chart {
    /// Returns the chart as lines of exactly `columns` columns. Returns no lines for fewer than two levels, which form
    /// no curve.
    pub fn draw(&self, ink: Ink, columns: usize) -> Vec<Line> {
        let usable = |p: &&(u32, f64)| drawable(self.is_log, **p);
        let points: Vec<(u32, f64)> =
            self.curves.iter().flatten().chain(&self.struck).filter(usable).copied().collect();
        let mut levels: Vec<u32> = points.iter().map(|p| p.0).collect();
        levels.sort_unstable();
        levels.dedup();
        let max = points.iter().map(|p| p.1).fold(0.0, f64::max);
        if levels.len() < 2 || max <= 0.0 {
            return Vec::new();
        }
        // A cap far above the curve would flatten it; the bars below the chart show how far away the cap is.
        let cap = self.cap.as_ref().filter(|(v, _)| v.is_finite() && *v > 0.0 && *v <= max * 1.6);
        let vertical = match self.is_log {
            true => logarithmic(points.iter().map(|p| p.1).fold(max, f64::min), max),
            false => linear(max.max(cap.map_or(0.0, |c| c.0))),
        };
        let labels: Vec<(usize, String)> =
            vertical.ticks.iter().map(|(t, row)| (*row, ink.group(&(self.tick)(*t)).into_owned())).collect();
        let gutter = labels.iter().map(|(_, l)| width(l)).max().unwrap_or(0) + 1;
        let plot = columns.saturating_sub(gutter + 1);
        if plot < levels.len() * 2 + 4 {
            return Vec::new();
        }
        let plane = Plane::new(ink, plot, &levels, vertical);
        let mut buffer = plane.curves(&self.curves);
        plane.marks(&mut buffer, self, cap);
        let mut lines = vec![self.title.clone()];
        lines.extend(plane.body(&buffer, &labels, gutter));
        lines.extend(plane.feet(&levels, gutter));
        for line in &mut lines {
            line.clip(columns, ink.glyphs().ellipsis);
            line.pad_to(columns);
        }
        lines
    }
}

/// Geometry of the plot, in cells and in dots inside cells.
struct Plane {
    ink: Ink,
    columns: usize,
    lowest: f64,
    octaves: f64,
    vertical: Vertical,
    /// Number of dots in a cell, horizontally and vertically.
    dots: (usize, usize),
}

impl Plane {
    fn new(ink: Ink, columns: usize, levels: &[u32], vertical: Vertical) -> Plane {
        let lowest = f64::from(levels[0]).log2();
        let highest = f64::from(levels[levels.len() - 1]).log2();
        let dots = if ink.unicode { (2, 4) } else { (1, 1) };
        Plane { ink, columns, lowest, octaves: highest - lowest, vertical, dots }
    }

    /// Returns the column of a level; one column stays free at the left, and two at the right for the last label.
    fn column(&self, in_flight: f64) -> usize {
        let share = ((in_flight.log2() - self.lowest) / self.octaves).clamp(0.0, 1.0);
        1 + (share * (self.columns - 4) as f64).round() as usize
    }

    /// Returns a point in dots from the lower left.
    fn dot(&self, (n, value): (u32, f64)) -> (f64, f64) {
        let x = self.column(f64::from(n)) * self.dots.0 + self.dots.0 / 2;
        // Uses the middle of the row, so that a curve passes through its marks and coincides with the line of its cap.
        let y = self.vertical.row(value) * self.dots.1 + self.dots.1 / 2;
        (x as f64, y as f64)
    }

    fn curves(&self, curves: &[Curve]) -> Buffer {
        let area = Rect::new(0, 0, u16::try_from(self.columns).unwrap_or(u16::MAX), ROWS as u16);
        let mut buffer = Buffer::empty(area);
        let is_log = self.vertical.is_log;
        Canvas::default()
            .marker(if self.ink.unicode { Marker::Braille } else { Marker::Custom('.') })
            .x_bounds([0.0, (self.columns * self.dots.0 - 1) as f64])
            .y_bounds([0.0, (ROWS * self.dots.1 - 1) as f64])
            .paint(|ctx| {
                for (i, curve) in curves.iter().enumerate().rev() {
                    let points: Vec<_> = curve.iter().filter(|p| drawable(is_log, **p)).collect();
                    for pair in points.windows(2) {
                        let ((x1, y1), (x2, y2)) = (self.dot(*pair[0]), self.dot(*pair[1]));
                        ctx.draw(&Stroke { x1, y1, x2, y2, color: color(HUES[i.min(1)]) });
                    }
                    ctx.layer();
                }
            })
            .render(area, &mut buffer);
        buffer
    }

    /// Draws the points of the curves, then caps and labels in the remaining free cells.
    fn marks(&self, buffer: &mut Buffer, chart: &Chart, cap: Option<&(f64, String)>) {
        let signs = self.ink.glyphs();
        let curves = chart.curves.iter().enumerate().rev().map(|(i, curve)| (i.min(1), curve));
        for (mark, curve) in std::iter::once((2, &chart.struck)).chain(curves) {
            for point in curve.iter().filter(|p| drawable(self.vertical.is_log, **p)) {
                let (x, y) = self.dot(*point);
                let row = ROWS - 1 - y as usize / self.dots.1;
                if let Some(cell) = buffer.cell_mut(((x as usize / self.dots.0) as u16, row as u16)) {
                    cell.set_symbol(signs.points[mark]).set_fg(color(HUES[mark]));
                }
            }
        }
        if let Some((value, label)) = cap {
            let row = ROWS - 1 - self.vertical.row(*value);
            let label = self.ink.clipped(&self.ink.group(label), self.columns.saturating_sub(4));
            // Tries the end of the cap's line, first above, then below it; then the start of the line.
            let end = self.columns.saturating_sub(width(&label) + 1);
            let places = [row.checked_sub(1).map(|r| (end, r)), Some((end, row + 1)), Some((2, row))];
            let _ = places.into_iter().flatten().any(|(x, r)| self.write(buffer, x, r, &label, color(Hue::Limit)));
            for x in 0..self.columns {
                self.write(buffer, x, row, signs.cap, color(Hue::Limit));
            }
        }
        if let Some((at, label)) = &chart.upright
            && at.is_finite()
            && *at > 0.0
            && (self.lowest..=self.lowest + self.octaves).contains(&at.log2())
        {
            let x = self.column(*at);
            let label = format!(" {} ", self.ink.group(label));
            let foot = ROWS - 1;
            if !self.write(buffer, x + 1, foot, &label, color(Hue::Dim)) && x > width(&label) {
                self.write(buffer, x - width(&label), foot, &label, color(Hue::Dim));
            }
            for row in 0..ROWS {
                self.write(buffer, x, row, if self.ink.unicode { "┆" } else { ":" }, color(Hue::Dim));
            }
        }
    }

    /// Writes `text` if all of its cells are free; returns `true` if it was written.
    fn write(&self, buffer: &mut Buffer, x: usize, row: usize, text: &str, color: Color) -> bool {
        let cells = x..x + width(text);
        let free = |x: usize| {
            // A blank braille pattern also counts as free.
            row < ROWS && buffer.cell((x as u16, row as u16)).is_some_and(|c| matches!(c.symbol(), " " | "\u{2800}"))
        };
        if cells.end > self.columns || !cells.clone().all(free) {
            return false;
        }
        buffer.set_string(x as u16, row as u16, text, ratatui::style::Style::new().fg(color));
        true
    }

    /// Returns the plot to the right of its vertical axis.
    fn body(&self, buffer: &Buffer, labels: &[(usize, String)], gutter: usize) -> Vec<Line> {
        let signs = self.ink.glyphs();
        (0..ROWS)
            .map(|row| {
                let label = labels.iter().find(|(r, _)| *r == ROWS - 1 - row);
                let text = label.map_or("", |(_, l)| l);
                let mut line = Line::new().with(format!("{text:>w$} ", w = gutter - 1), Paint::DIM);
                line.push(signs.axis[usize::from(label.is_some())], Paint::DIM);
                for x in 0..self.columns {
                    let Some(cell) = buffer.cell((x as u16, row as u16)) else { continue };
                    let symbol = if cell.symbol() == "\u{2800}" { " " } else { cell.symbol() };
                    push_joined(&mut line, symbol, Paint::new(hue(cell.fg)));
                }
                line
            })
            .collect()
    }

    /// Returns the horizontal axis with its ticks, and the levels below them.
    fn feet(&self, levels: &[u32], gutter: usize) -> [Line; 2] {
        let signs = self.ink.glyphs();
        let mut axis: Vec<&str> = vec![signs.axis[3]; self.columns];
        let mut names = String::new();
        for level in levels {
            let x = self.column(f64::from(*level));
            axis[x] = signs.axis[4];
            let name = level.to_string();
            let start = x.saturating_sub((name.len() - 1) / 2);
            let taken = names.len() + usize::from(!names.is_empty());
            if start >= taken && start + name.len() <= self.columns {
                names.push_str(&" ".repeat(start - names.len()));
                names.push_str(&name);
            }
        }
        let lead = " ".repeat(gutter);
        [
            Line::new().with(format!("{lead}{}{}", signs.axis[2], axis.concat()), Paint::DIM),
            Line::new().with(format!("{lead} {names}"), Paint::DIM),
        ]
    }
}

/// Adds a cell, extending the last span if it has the same paint.
pub(crate) fn push_joined(line: &mut Line, symbol: &str, paint: Paint) {
    match line.spans.last_mut() {
        Some(last) if last.paint == paint => last.text.push_str(symbol),
        _ => line.push(symbol, paint),
    }
}

fn color(hue: Hue) -> Color {
    match hue {
        Hue::Plain => Color::Reset,
        Hue::Dim => Color::DarkGray,
        Hue::Pass => Color::Green,
        Hue::Fail => Color::Red,
        Hue::Doubt => Color::Yellow,
        Hue::Measured => Color::Cyan,
        Hue::Limit => Color::Magenta,
    }
}

fn hue(color: Color) -> Hue {
    [Hue::Dim, Hue::Pass, Hue::Fail, Hue::Doubt, Hue::Measured, Hue::Limit]
        .into_iter()
        .find(|h| self::color(*h) == color)
        .unwrap_or(Hue::Plain)
}

/// Places charts side by side.
pub(crate) fn beside(left: Vec<Line>, right: Vec<Line>, gap: usize) -> Vec<Line> {
    if left.is_empty() || right.is_empty() {
        return if left.is_empty() { right } else { left };
    }
    left.into_iter()
        .zip(right)
        .map(|(mut l, r)| {
            l.push(" ".repeat(gap), Paint::PLAIN);
            l.append(r);
            l
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Style;
    use crate::widgets::page::render;

    fn iops() -> Chart {
        Chart {
            title: Line::plain("IOPS"),
            curves: vec![vec![(1, 2213.0), (2, 4380.0), (4, 5998.0), (8, 6001.0), (16, 5999.0)]],
            struck: vec![(32, 5200.0)],
            cap: Some((6000.0, "volume IOPS".to_owned())),
            upright: Some((2.7, "N*".to_owned())),
            is_log: false,
            tick: |v| format!("{v:.0}"),
        }
    }

    fn drawn(chart: &Chart, unicode: bool, columns: usize) -> String {
        let style = Style { color: false, unicode, width: columns, language: messages::Language::English };
        render(&style, |p| p.lines(chart.draw(p.ink, columns)))
    }

    #[test]
    fn a_capped_ramp_bends_into_the_line_of_its_cap() {
        insta::assert_snapshot!(drawn(&iops(), true, 44));
    }

    #[test]
    fn without_unicode_a_chart_is_ascii() {
        let text = drawn(&iops(), false, 44);
        assert!(text.is_ascii());
        insta::assert_snapshot!(text);
    }

    #[test]
    fn every_line_of_a_chart_is_as_wide_as_asked() {
        for columns in 30..90 {
            let ink = Ink::new(&Style::default());
            assert!(iops().draw(ink, columns).iter().all(|l| l.width() == columns), "{columns}");
        }
    }

    #[test]
    fn one_level_or_no_number_makes_no_chart() {
        let mut chart = iops();
        chart.struck.clear();
        chart.curves[0] = vec![(8, 6000.0), (0, 1.0), (16, f64::NAN), (32, f64::INFINITY)];
        assert_eq!(drawn(&chart, true, 60), "");
    }

    #[test]
    fn a_cap_far_away_does_not_press_the_curve_flat() {
        let mut chart = iops();
        chart.cap = Some((1e9, "far".to_owned()));
        assert!(!drawn(&chart, true, 60).contains("far"));
    }

    #[test]
    fn log_ticks_are_round_and_keep_apart() {
        for (min, max) in [(1.0, 1.1), (4e5, 3e6), (8e4, 9e9), (250.0, 1e12)] {
            let v = logarithmic(min, max);
            assert!(v.ticks.len() >= 2 || max / min < 1.5, "{min} {max}: {:?}", v.ticks);
            assert!(v.ticks.windows(2).all(|w| w[1].1 >= w[0].1 + 2));
        }
    }
}
