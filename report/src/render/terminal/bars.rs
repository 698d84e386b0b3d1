//! Bars on the screen: each series as a column of counts with their shares, side by side.

use crate::document::chart::Bars;
use crate::widgets::figures::{count, percent};
use crate::widgets::page::Page;
use crate::widgets::text::{Hue, Line, Paint};
use messages::message;
use std::io;

/// Maximum number of series side by side; the others are only counted.
const MOST: usize = 3;
/// Margin for the names of the groups, in columns.
const MARGIN: usize = 13;
/// Maximum width of a series, in columns.
const WIDEST: usize = 38;

/// Writes the plot after an empty line.
pub(super) fn write(page: &mut Page, bars: &Bars) -> io::Result<()> {
    let ink = page.ink;
    let shown = &bars.series[..bars.series.len().min(MOST)];
    let width = (ink.width.saturating_sub(MARGIN + 1) / shown.len().max(1)).min(WIDEST);
    page.blank()?;
    let mut head = Line::new();
    for (i, (name, _)) in shown.iter().enumerate() {
        head.pad_to(MARGIN + i * width);
        head.push(ink.clipped(&ink.translate(name), width.saturating_sub(2)), Paint::DIM);
    }
    page.line(head)?;
    for (group, name) in bars.names.iter().enumerate() {
        let mut line = Line::plain(format!(" {:>10}", ink.translate(name)));
        for (i, (_, values)) in shown.iter().enumerate() {
            let Some(value) = values[group].filter(|value| *value > 0.0) else { continue };
            let share = value / values.iter().flatten().sum::<f64>();
            line.pad_to(MARGIN + i * width);
            line.push(format!("{:>9} ", count(value as u64)), Paint::PLAIN);
            line.push(format!("{:>6} ", percent(share)), Paint::DIM);
            line.append(ink.bar(share, width.saturating_sub(19), Paint::new(Hue::Measured)));
        }
        page.line(line)?;
    }
    match bars.series.len() - shown.len() {
        0 => Ok(()),
        n => page.hanging(Line::plain(" "), 1, &ink.format(&message!("traced-fewer", n)), Paint::DIM),
    }
}
