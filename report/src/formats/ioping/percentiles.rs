//! Percentiles and a histogram, which ioping does not have, on separate lines after its statistics.

use super::PERCENTILES;
use super::number::{count, time, time_or_dash};
use crate::Style;
use crate::harmless;
use crate::widgets::ink::Ink;
use crate::widgets::page::Page;
use crate::widgets::text::{Hue, Line, Paint};
use messages::message;
use model::{Caveat, Interval, LatencyHistogram, Op, Severity, measured::bucket_mid, record::Pinged};
use std::io::{self, Write};

/// Maximum number of rows in the histogram.
const ROWS: usize = 9;
/// Minimum number of requests for a histogram; fewer are easy to read on their own lines.
const FEWEST: u64 = 10;
/// IDs of the doubts according to which the times include delays outside the storage, or requests are missing.
const SAID: [&str; 3] = ["host-busy", "served-from-cache", "unsent"];
/// Width of a full bar, in columns.
const BAR: usize = 40;

/// Writes percentiles and the histogram. If times are measured from when requests were due, it also writes the times
/// without the wait before sending. `served` contains these times for all requests of the run, and the longest wait. If
/// one of the `doubts` makes all times invalid, it comes first; doubts about other influences follow the figures.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_percentiles(
    pinged: &Pinged,
    served: Option<(&Interval, model::Nanos)>,
    doubts: &[Caveat],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let times = &pinged.total.times;
    let mut page = Page::new(style, out);
    let write_caveat = |page: &mut Page, what: &str, c: &Caveat| {
        let what = page.ink.word(what).to_owned();
        let described = message!("told-with", told = &c.statement, aside = &c.evidence);
        let text = harmless(&page.ink.format(&message!("told-of", what, told = described)));
        page.line(Line::new().with(text, Paint::new(Hue::Doubt).bold()))
    };
    if let Some(invalid) = doubts.iter().find(|c| c.severity == Severity::Invalid) {
        write_caveat(&mut page, "ping-not-valid", invalid)?;
    }
    if times.percentile(PERCENTILES[0]).value().is_some() {
        page.line(percentiles(times))?;
    }
    if let Some((served, waited)) = served.filter(|_| pinged.from_due) {
        let mut alone = LatencyHistogram::default();
        [Op::Read, Op::Write].iter().for_each(|op| alone.merge(&served.op(*op).latency));
        let (avg, max) = (time_or_dash(alone.mean()), time_or_dash(alone.max()));
        let text = page.ink.format(&message!("ping-from-due", avg, max, wait = time(waited.as_nanos())));
        page.line(Line::new().with(text, Paint::DIM))?;
    }
    if times.count() >= FEWEST {
        let rows = histogram(times, page.ink);
        page.lines(rows)?;
    }
    let mut others = doubts.iter().filter(|c| c.severity == Severity::Doubt && SAID.contains(&c.id.as_str()));
    others.try_for_each(|c| write_caveat(&mut page, "ping-doubt", c))
}

/// Formats `p50/p90/p99/p99.9 = 138.2 us / 152.1 us / - / -`, and the reason why a value is missing.
pub(super) fn percentiles(times: &LatencyHistogram) -> Line {
    let known: Vec<Option<model::Nanos>> = PERCENTILES.iter().map(|p| times.percentile(*p).value()).collect();
    let names: Vec<String> = PERCENTILES.iter().map(|p| format!("p{p}")).collect();
    let values: Vec<String> = known.iter().map(|v| time_or_dash(*v)).collect();
    let mut line = Line::plain(format!("{} = {}", names.join("/"), values.join(" / ")));
    if let Some(first) = known.iter().position(Option::is_none) {
        let takes = (10.0 / (1.0 - PERCENTILES[first] / 100.0)).round() as u64;
        line.push(format!("  ({}: {} requests)", names[first], count(takes)), Paint::DIM);
    }
    line
}

/// Returns the upper bounds of the rows, in nanoseconds: 1, 2 and 5 of each decade for a wide range, equal steps for a
/// narrow one.
fn bounds(min: u64, max: u64) -> Vec<u64> {
    let round = |digits: &[u64]| -> Vec<u64> {
        let bounds = (0..14u32).flat_map(|d| digits.iter().map(move |f| f * 10u64.pow(d)));
        let bounds: Vec<u64> = bounds.collect();
        let from = bounds.partition_point(|b| *b <= min);
        let to = bounds.partition_point(|b| *b <= max);
        bounds[from..(to + 1).min(bounds.len())].to_vec()
    };
    let wide = round(&[1, 2, 5]);
    if wide.len() > ROWS {
        let decades = round(&[1]);
        let skip = decades.len().saturating_sub(ROWS);
        // The lowest row then covers several decades.
        return decades[skip..].to_vec();
    }
    if wide.len() >= 5 {
        return wide;
    }
    let span = (max - min).max(1);
    let power = 10u64.pow(span.ilog10());
    let steps = [power / 10, power / 5, power / 2, power, power * 2];
    let step = steps.into_iter().find(|s| *s > 0 && (max / s - min / s) < ROWS as u64).unwrap_or(power * 2);
    (min / step..=max / step).map(|i| (i + 1) * step).collect()
}

fn histogram(times: &LatencyHistogram, ink: Ink) -> Vec<Line> {
    let (Some(min), Some(max)) = (times.min(), times.max()) else { return Vec::new() };
    let bounds = bounds(min.as_nanos(), max.as_nanos());
    let mut rows = vec![0u64; bounds.len()];
    for (bucket, n) in times.buckets() {
        let value = bucket_mid(bucket).as_nanos().clamp(min.as_nanos(), max.as_nanos());
        let row = bounds.partition_point(|b| *b <= value).min(rows.len() - 1);
        rows[row] += n;
    }
    let most = rows.iter().copied().max().unwrap_or(1).max(1);
    let labels: Vec<String> = bounds.iter().map(|b| format!("< {}", time(*b))).collect();
    let wide = labels.iter().map(String::len).max().unwrap_or(0);
    let room = ink.width.saturating_sub(wide + 24).clamp(8, BAR);
    let mut lines = Vec::new();
    for (label, n) in labels.iter().zip(&rows) {
        let mut line = Line::new().with(format!("{label:>wide$}  "), Paint::DIM);
        line.append(ink.bar(*n as f64 / most as f64, room, Paint::new(Hue::Measured)));
        let share = *n as f64 * 100.0 / times.count() as f64;
        line.push(format!("  {n}"), Paint::PLAIN);
        line.push(format!("  {share:.1} %"), Paint::DIM);
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_hold_every_time_and_are_few() {
        for (min, max) in
            [(0, 0), (1, 1), (500, 510), (126_800, 163_700), (80_000, 2_000_000_000), (1, 3_600_000_000_000)]
        {
            let rows = bounds(min, max);
            assert!(!rows.is_empty() && rows.len() <= ROWS + 1, "{min}..{max}: {rows:?}");
            assert!(rows.windows(2).all(|w| w[0] < w[1]), "{rows:?}");
            assert!(*rows.last().unwrap() > max, "{min}..{max}: {rows:?}");
        }
    }
}
