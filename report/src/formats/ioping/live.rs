//! A chart that grows during the requests: a column for each slice of requests, the newest at the right, on a log
//! scale.

use super::number::{time, time_or_dash};
use super::percentiles::percentiles;
use crate::Style;
use crate::document::Sign;
use crate::widgets::ink::Ink;
use crate::widgets::page::Page;
use crate::widgets::text::{Hue, Line, Paint};
use model::{Nanos, record::Pinged};

/// Number of rows in the chart.
const ROWS: usize = 8;
/// Width of the area before the plot, in columns: a time and the axis.
const GUTTER: usize = 11;

/// A slice of the requests: a single request, or all requests in a fraction of a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    /// Mean time.
    pub mean: Nanos,
    /// Longest time.
    pub longest: Nanos,
}

/// Fill levels of a cell, in eighths.
const EIGHTHS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// Returns the chart of the last slices below the figures so far, as wide as the style allows. A percentile is shown
/// only if at least ten requests are slower, as in the final statistics. The last line has no line end.
#[must_use]
pub fn live_chart(pinged: &Pinged, slices: &[Slice], style: &Style) -> String {
    let ink = Ink::new(style);
    let columns = ink.width.saturating_sub(GUTTER + 2).max(8);
    let shown = &slices[slices.len().saturating_sub(columns)..];
    let mut out = Vec::new();
    let mut page = Page::new(style, &mut out);
    // Writing to a vector cannot fail.
    let _ = page.line(so_far(pinged));
    let _ = page.line(percentiles(&pinged.total.times));
    let low = shown.iter().map(|s| s.mean.as_nanos()).min().unwrap_or(1).max(1) as f64;
    let high = shown.iter().map(|s| s.longest.as_nanos()).max().unwrap_or(1).max(1) as f64;
    // The scale leaves room above and below the values, and covers at least a factor of two.
    let (bottom, top) = ((low * 0.7).log10(), (high * 1.1).max(low * 2.0).log10());
    let eighths = |t: Nanos| {
        let share = ((t.as_nanos().max(1) as f64).log10() - bottom) / (top - bottom);
        (share.clamp(0.0, 1.0) * (ROWS * 8) as f64).round() as usize
    };
    for row in (0..ROWS).rev() {
        let at = 10f64.powf(bottom + (top - bottom) * (row as f64 + 0.5) / ROWS as f64);
        let label = if row % 2 == 1 || row == 0 { time(rounded(at)) } else { String::new() };
        let mut line = Line::new().with(format!("{label:>9} "), Paint::DIM);
        line.push(ink.glyphs().axis[0], Paint::DIM);
        line.push(" ".repeat(columns - shown.len()), Paint::PLAIN);
        for slice in shown {
            let (mean, longest) = (eighths(slice.mean), eighths(slice.longest).saturating_sub(1) / 8);
            let fill = mean.saturating_sub(row * 8).min(8);
            match fill {
                0 if longest == row => line.push(Sign::DOT.glyph(ink), Paint::new(Hue::Doubt)),
                0 => line.push(" ", Paint::PLAIN),
                _ if !ink.unicode => line.push(if fill >= 4 { "#" } else { "_" }, Paint::new(Hue::Measured)),
                _ => line.push(EIGHTHS[fill], Paint::new(Hue::Measured)),
            }
        }
        let _ = page.line(line);
    }
    String::from_utf8_lossy(&out).trim_end_matches('\n').to_owned()
}

/// Returns the target and the figures so far.
fn so_far(pinged: &Pinged) -> Line {
    let (place, times) = (&pinged.place, &pinged.total.times);
    let requests = if times.count() == 1 { "request" } else { "requests" };
    let (n, mean, max) = (times.count(), time_or_dash(times.mean()), time_or_dash(times.max()));
    let figures = format!("  {n} {requests}, avg {mean}, max {max}");
    Line::new().with(format!("{} ({} {})", place.path, place.fs, place.device), Paint::BOLD).with(figures, Paint::PLAIN)
}

/// Rounds to two significant digits, which are enough for an axis.
fn rounded(ns: f64) -> u64 {
    let power = 10f64.powf(ns.log10().floor() - 1.0);
    ((ns / power).round() * power) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Bytes;
    use model::record::{PingPlace, PingStats, Standing};

    fn pinged(requests: u64) -> Pinged {
        let mut total = PingStats::default();
        (0..requests).for_each(|i| total.add(Nanos(100_000 + i * 1000), Standing::Counts));
        let (path, fs, device) = ("/mnt".into(), "ext4".into(), "/dev/vda".into());
        let place = PingPlace { path, fs, device, size: Bytes::from_gib(1), ..PingPlace::default() };
        Pinged { place, block: Bytes(4096), total, ..Pinged::default() }
    }

    #[test]
    fn the_chart_is_as_wide_as_the_terminal_and_shows_the_last() {
        let slices: Vec<Slice> =
            (1..200).map(|i| Slice { mean: Nanos(100_000 + i * 1000), longest: Nanos(200_000 + i * 9000) }).collect();
        for unicode in [false, true] {
            let style = Style { color: false, unicode, width: 60, language: messages::Language::English };
            let chart = live_chart(&pinged(200), &slices, &style);
            assert_eq!(chart.lines().count(), ROWS + 2, "{chart}");
            assert!(chart.lines().all(|l| crate::widgets::text::width(l) <= 60), "{chart}");
            assert_eq!(chart.is_ascii(), !unicode);
        }
        let one = live_chart(&pinged(1), &slices[..1], &Style::default());
        assert!(one.contains("us"), "{one}");
        assert_eq!(live_chart(&pinged(0), &[], &Style::default()).lines().count(), ROWS + 2);
    }

    #[test]
    fn a_percentile_is_shown_only_once_ten_requests_are_beyond_it() {
        let head = |n| live_chart(&pinged(n), &[], &Style::default()).lines().nth(1).unwrap_or_default().to_owned();
        assert_eq!(head(19), "p50/p90/p99/p99.9 = - / - / - / -  (p50: 20 requests)");
        assert!(head(999).ends_with(" us / - / -  (p99: 1 k requests)"), "{}", head(999));
        assert!(head(1000).ends_with(" / -  (p99.9: 10 k requests)"), "{}", head(1000));
        assert!(!head(10_000).contains('('), "{}", head(10_000));
    }
}
