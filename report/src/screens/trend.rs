//! The results of one plan over time: for each figure a small chart with its value in each run and the levels between
//! changes, then a table of the runs.

use crate::Style;
use crate::screens::runs::{ID_SHOWN, started, state};
use crate::widgets::ink::{Ink, clauses, listed};
use crate::widgets::page::Page;
use crate::widgets::table::{Column, Table};
use crate::widgets::text::{Hue, Line, Paint, width};
use messages::{Sentence, message, sentence};
use model::{BytesPerSecond, Iops, Metric, Nanos, Trend, TrendLevel, TrendLine, thousands};
use std::io::{self, Write};

/// Number of rows in a chart.
const ROWS: usize = 6;

/// Writes a trend.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_trend(trend: &Trend, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(style, out);
    let day =
        |i: usize| -> String { trend.runs.get(i).map_or_else(String::new, |r| r.started.chars().take(10).collect()) };
    let last = trend.runs.len().saturating_sub(1);
    page.heading(
        &format!("{} {}", trend.command, trend.target),
        &page.ink.format(&message!("trend-plan", plan = &trend.plan)),
    )?;
    let ink = page.ink;
    let runs = ink.format(&message!("trend-runs", n = last + 1, from = day(0), to = day(last)));
    page.labelled(ink.word("label-runs"), Paint::DIM, &runs, Paint::PLAIN)?;
    for remark in &trend.remarks {
        page.labelled(ink.word("label-doubt"), Paint::DIM, &ink.translate(remark), Paint::new(Hue::Doubt))?;
    }
    if trend.lines.is_empty() {
        page.labelled(ink.word("label-figures"), Paint::DIM, ink.word("trend-no-figures"), Paint::PLAIN)?;
    }
    for line in &trend.lines {
        page.blank()?;
        figure(&mut page, trend, line)?;
    }
    page.blank()?;
    table(&mut page, trend)
}

/// Formats a value in the unit of its metric.
fn format_value(metric: Metric, value: f64) -> String {
    match metric {
        Metric::Iops => format!("{} IOPS", Iops(value)),
        Metric::Bandwidth => BytesPerSecond(value).to_string(),
        _ => Nanos(value as u64).to_string(),
    }
}

/// Formats a value without its unit if the column's header names it.
fn cell(metric: Metric, value: f64) -> String {
    if metric == Metric::Iops { thousands(value) } else { format_value(metric, value) }
}

fn metric_name(metric: Metric, ink: Ink) -> String {
    if metric == Metric::Iops { "IOPS".to_owned() } else { ink.translate(crate::screens::comparison::metric(metric)) }
}

fn figure(page: &mut Page, trend: &Trend, line: &TrendLine) -> io::Result<()> {
    let changes = line.levels.len().saturating_sub(1);
    let ink = page.ink;
    let aside = if line.why.is_empty() { ink.format(&message!("trend-changes", n = changes)) } else { String::new() };
    page.heading(&format!("{}, {}", line.subject, metric_name(line.metric, ink)), &aside)?;
    page.lines(chart(page.ink, line))?;
    for (i, level) in line.levels.iter().enumerate() {
        let before = i.checked_sub(1).and_then(|i| line.levels.get(i));
        let (label, paint) = match before {
            None => (ink.word(if changes > 0 { "label-levels" } else { "label-level" }), Paint::PLAIN),
            Some(_) => ("", Paint::new(Hue::Doubt)),
        };
        page.labelled(label, Paint::DIM, &ink.translate(level_text(trend, line, level, before)), paint)?;
    }
    if !line.why.is_empty() {
        let text = ink.format(&message!("trend-no-change-told", why = &line.why));
        page.labelled(ink.word("label-change"), Paint::DIM, &text, Paint::PLAIN)?;
    }
    Ok(())
}

fn level_text(trend: &Trend, line: &TrendLine, level: &TrendLevel, before: Option<&TrendLevel>) -> Sentence {
    let date =
        |i: usize| -> String { trend.runs.get(i).map_or_else(String::new, |r| r.started.chars().take(10).collect()) };
    let range = match level.low < level.high {
        true => sentence!("range", low = cell(line.metric, level.low), high = format_value(line.metric, level.high)),
        false => format_value(line.metric, level.low).into(),
    };
    let figure = match level.mean {
        Some(mean) => sentence!("trend-mean", mean = format_value(line.metric, mean), range),
        None => range,
    };
    let step = before.and_then(|b| Some((level.mean?, b.mean?))).filter(|(_, b)| *b > 0.0);
    let step = step.map_or_else(String::new, |(now, then)| format!(", {:+.1} %", (now / then - 1.0) * 100.0));
    let figure = Sentence::concat([figure, step.into()]);
    let (n, from, to) = (level.count, level.from + 1, level.to + 1);
    sentence!("trend-level", figure, n, from, begin = date(level.from), to, end = date(level.to))
}

/// Draws a point for each run from left to right; a change is a vertical line before the first run of its level.
fn chart(ink: Ink, line: &TrendLine) -> Vec<Line> {
    let values: Vec<f64> = line.values.iter().flatten().copied().collect();
    let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(*v), b.max(*v)));
    if values.len() < 2 || high <= 0.0 {
        return Vec::new();
    }
    // The axis extends at least 10 % above and below the middle, so that noise of 1 % does not fill the chart.
    let (top, floor) = (high.max((high + low) * 0.55), low.min((high + low) * 0.45));
    let ticks = [top, (top + floor) / 2.0, floor].map(|v| ink.group(&cell(line.metric, v)).into_owned());
    let gutter = ticks.iter().map(|t| width(t)).max().unwrap_or(0);
    let plot = ink.width.saturating_sub(gutter + 3).max(8);
    let pace = if line.values.len() * 2 < plot { 2 } else { 1 };
    let skipped = line.values.len().saturating_sub(plot / pace);
    let column = |i: usize| (i - skipped) * pace + 1;
    let changes: Vec<usize> =
        line.levels.iter().skip(1).map(|l| l.from).filter(|i| *i >= skipped).map(|i| column(i) - 1).collect();
    let glyphs = ink.glyphs();
    let mut lines = Vec::new();
    for row in 0..ROWS {
        let label = match row {
            0 => ticks[0].as_str(),
            r if r == ROWS / 2 => ticks[1].as_str(),
            r if r == ROWS - 1 => ticks[2].as_str(),
            _ => "",
        };
        let lead = format!("{}{label} ", " ".repeat(gutter - width(label)));
        let mut drawn = Line::new().with(lead, Paint::DIM).with(glyphs.axis[0], Paint::DIM);
        let begin = drawn.width();
        for at in 0..plot {
            let on_change = changes.contains(&at);
            let run = (at + pace - 1)
                .checked_sub(1)
                .filter(|a| a % pace == pace - 1 || pace == 1)
                .map(|a| a / pace + skipped);
            let run = run.filter(|i| *i < line.values.len() && column(*i) == at);
            let value = run.and_then(|i| line.values[i]);
            let place = value.map(|v| ((top - v) / (top - floor) * (ROWS - 1) as f64).round() as usize);
            if place == Some(row) {
                drawn.pad_to(begin + at);
                drawn.push(glyphs.points[0], Paint::new(Hue::Pass));
            } else if on_change {
                drawn.pad_to(begin + at);
                drawn.push(glyphs.axis[0], Paint::new(Hue::Doubt));
            }
        }
        lines.push(drawn);
    }
    if skipped > 0 {
        lines.push(Line::new().with(ink.format(&message!("trend-not-drawn", n = skipped)), Paint::DIM));
    }
    lines
}

fn table(page: &mut Page, trend: &Trend) -> io::Result<()> {
    let ink = page.ink;
    page.heading(ink.word("trend-table"), "")?;
    let heads: Vec<String> =
        trend.lines.iter().map(|l| format!("{} {}", l.subject, metric_name(l.metric, ink))).collect();
    let shown = trend.lines.len().min(4);
    let mut columns = vec![
        Column::right("#"),
        Column::left(ink.word("label-run")),
        Column::left(ink.word("page-started")).droppable(2),
        Column::right(ink.word("trend-head-exit")),
    ];
    // A column for each figure; its name is in a legend, because workloads have long names.
    const LETTERS: [&str; 4] = ["a", "b", "c", "d"];
    columns.extend(LETTERS.iter().take(shown).map(|l| Column::right(l)));
    columns.push(Column::left(ink.word("page-state")).extra(3));
    columns.push(Column::left(ink.word("runs-head-tags")).extra(1));
    let mut table = Table::new(columns, 0);
    for (i, run) in trend.runs.iter().enumerate() {
        let changed = |line: &TrendLine| line.levels.iter().skip(1).any(|l| l.from == i);
        let mut cells = vec![
            Line::plain((i + 1).to_string()),
            Line::new().with(ink.text(&run.id).chars().take(ID_SHOWN).collect::<String>(), Paint::BOLD),
            Line::plain(ink.clipped(&started(&run.started), 19)),
            Line::plain(run.exit.map_or_else(|| "-".to_owned(), |e| e.to_string())),
        ];
        for line in &trend.lines[..shown] {
            let value = line.values.get(i).copied().flatten().map_or_else(|| "-".to_owned(), |v| cell(line.metric, v));
            let paint = if changed(line) { Paint::new(Hue::Doubt).bold() } else { Paint::PLAIN };
            cells.push(Line::new().with(value, paint));
        }
        cells.push(Line::plain(if run.state == "complete" {
            String::new()
        } else {
            ink.clipped(state(&run.state, ink), 12)
        }));
        cells.push(Line::plain(ink.clipped(&run.tags.join(" "), 24)));
        table.row(cells);
    }
    let laid = table.lay(ink);
    page.lines(laid.lines)?;
    if shown > 0 {
        let mut legend = vec![listed(LETTERS.iter().zip(&heads).map(|(l, h)| format!("{l} = {h}")))];
        let more = trend.lines.len() - shown;
        legend.extend((more > 0).then(|| sentence!("trend-further", n = more)));
        legend.push(sentence!("trend-dash"));
        page.labelled("", Paint::DIM, &ink.translate(clauses(legend)), Paint::DIM)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::TrendRun;

    fn trend(n: usize, levels: Vec<TrendLevel>, why: &str) -> Trend {
        let value =
            |i: usize| if i < n * 3 / 5 { 6000.0 + (i % 3) as f64 * 20.0 } else { 4500.0 - (i % 4) as f64 * 15.0 };
        let mut values: Vec<Option<f64>> = (0..n).map(|i| Some(value(i))).collect();
        values[1] = None;
        let run = |i: usize| TrendRun {
            id: format!("{i:08x}-77d1-4d21-9e01-8844aa105c7f"),
            started: format!("2026-11-{:02}T09:41:07+00:00", i + 1),
            host: "a".into(),
            tool: "0.1.0".into(),
            state: if i == 2 { "stopped" } else { "complete" }.into(),
            exit: Some((i % 2) as u8),
            verdict: String::new(),
            tags: if i == 4 { vec!["nightly".into(), "gp3".into()] } else { Vec::new() },
        };
        Trend {
            plan: "1f2e3d4c5b6a".into(),
            command: "qualify".into(),
            target: "/mnt/data".into(),
            runs: (0..n).map(run).collect(),
            lines: vec![TrendLine {
                subject: "8k randread".into(),
                metric: Metric::Iops,
                values,
                levels,
                why: why.into(),
            }],
            remarks: vec!["the runs are of 2 hosts: a, b; --where 'host=...' keeps them apart".into()],
        }
    }

    fn screen(trend: &Trend, width: usize, unicode: bool) -> String {
        let mut out = Vec::new();
        write_trend(trend, &Style { color: false, unicode, width, language: messages::Language::English }, &mut out)
            .unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn levels_are_drawn_with_the_change_between_them() {
        let level = |from, to, mean: f64| TrendLevel {
            from,
            to,
            count: to - from + 1,
            mean: Some(mean),
            low: mean - 30.0,
            high: mean + 30.0,
        };
        let t = trend(20, vec![level(0, 11, 6020.0), level(12, 19, 4480.0)], "");
        insta::assert_snapshot!(screen(&t, 80, true));
        assert!(screen(&t, 80, false).is_ascii());
        assert!(screen(&t, 40, true).lines().all(|l| width(l) <= 40));
    }

    #[test]
    fn too_few_runs_have_a_range_and_no_mean() {
        let level = TrendLevel { from: 0, to: 4, count: 4, mean: None, low: 4470.0, high: 6040.0 };
        let text =
            screen(&trend(5, vec![level], "16 runs are needed to detect a change, 4 have this figure"), 80, true);
        assert!(
            text.contains("4,470 to 6,040 IOPS") && text.contains("no mean reported: 16 runs are needed"),
            "{text}"
        );
        assert!(!text.contains("mean 5"), "{text}");
    }
}
