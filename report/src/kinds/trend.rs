//! The results of one plan over time: for each figure a chart with its value in each run and the levels between changes,
//! then a table of the runs.

use super::comparison::{metric, unit, value};
use super::list::{ID_SHOWN, started, state};
use crate::document::chart::{Axis, Band, Chart, Lines, Plot, Scale, Series};
use crate::document::{Block, Cell, Column, Document, Field, Head, Margin, Table, Tone, Unit, Value};
use crate::widgets::ink::{clauses, listed};
use messages::{Sentence, sentence};
use model::judged::{Trend, TrendLevel, TrendLine, TrendRun};
use model::{bounds::Metric, units::thousands};

/// Short names of the figures in the table on the screen, because workloads have long names.
const LETTERS: [&str; 4] = ["a", "b", "c", "d"];
/// Keys of the figures in the table.
const KEYS: [&str; 4] = ["figure_a", "figure_b", "figure_c", "figure_d"];

/// Returns the document of a trend.
pub(crate) fn document(trend: &Trend) -> Document {
    let mut d = Document::new("trend", format!("{} {}", trend.command, trend.target));
    let title = (d.name.as_str().into(), sentence!("trend-plan", plan = &trend.plan));
    d.head = Head { title: Some(title), path: trend.target.clone(), ..Head::default() };
    let last = trend.runs.len().saturating_sub(1);
    let runs = sentence!("trend-runs", n = last + 1, from = day(trend, 0), to = day(trend, last));
    let mut fields = vec![Field::new("label-runs", runs)];
    fields.extend(trend.remarks.iter().map(|text| Field::new("label-doubt", text.as_str()).tone(Tone::Doubt)));
    fields.extend(trend.lines.is_empty().then(|| Field::new("label-figures", sentence!("trend-no-figures"))));
    d.part("runs", "", [Block::Fields(Margin::Page, fields)]);
    for line in &trend.lines {
        let changes = line.levels.len().saturating_sub(1);
        let blocks = [Block::Chart(chart(line)), Block::Fields(Margin::Page, levels(trend, line))];
        let part = d.part("figure", name(line, ", "), blocks);
        if line.why.is_empty() {
            part.aside(sentence!("trend-changes", n = changes));
        }
    }
    let shown = trend.lines.len().min(LETTERS.len());
    let mut legend = vec![listed(
        LETTERS
            .iter()
            .zip(&trend.lines)
            .map(|(letter, line)| Sentence::concat([format!("{letter} = ").into(), name(line, " ")])),
    )];
    let more = trend.lines.len() - shown;
    legend.extend((more > 0).then(|| sentence!("trend-further", n = more)));
    legend.push(sentence!("trend-dash"));
    let legend = Block::Fields(Margin::Page, vec![Field::remark(clauses(legend))]);
    let blocks = [Block::Table(table(trend))].into_iter().chain((shown > 0).then_some(legend));
    d.part("table", "trend-table", blocks);
    d
}

/// Returns the day of a run.
fn day(trend: &Trend, i: usize) -> String {
    trend.runs.get(i).map_or_else(String::new, |r| r.started.chars().take(10).collect())
}

/// Returns the name of a figure.
fn name(line: &TrendLine, separator: &str) -> Sentence {
    let metric = if line.metric == Metric::Iops { "IOPS".into() } else { metric(line.metric) };
    Sentence::concat([line.subject.as_str().into(), separator.into(), metric])
}

/// Formats a value in the unit of its metric.
fn format_value(metric: Metric, value: f64) -> String {
    let text = metric.format(value);
    if metric == Metric::Iops { format!("{text} IOPS") } else { text }
}

/// Returns the levels of a figure, and why no change was looked for.
fn levels(trend: &Trend, line: &TrendLine) -> Vec<Field> {
    let label = if line.levels.len() > 1 { "label-levels" } else { "label-level" };
    let level = |(i, level): (usize, &TrendLevel)| match i.checked_sub(1) {
        None => Field::new(label, level_text(trend, line, level, None)),
        Some(before) => Field::new("", level_text(trend, line, level, line.levels.get(before))).tone(Tone::Doubt),
    };
    let mut fields: Vec<Field> = line.levels.iter().enumerate().map(level).collect();
    if !line.why.is_empty() {
        fields.push(Field::new("label-change", sentence!("trend-no-change-told", why = &line.why)));
    }
    fields
}

fn level_text(trend: &Trend, line: &TrendLine, level: &TrendLevel, before: Option<&TrendLevel>) -> Sentence {
    let low = if line.metric == Metric::Iops { thousands(level.low) } else { format_value(line.metric, level.low) };
    let range = match level.low < level.high {
        true => sentence!("range", low, high = format_value(line.metric, level.high)),
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
    sentence!("trend-level", figure, n, from, begin = day(trend, level.from), to, end = day(trend, level.to))
}

/// Returns the chart of a figure over the numbers of the runs; a level is a range between two runs.
fn chart(line: &TrendLine) -> Chart {
    let point = |(i, value): (usize, &Option<f64>)| [(i + 1) as f64, value.unwrap_or(f64::NAN)];
    let text = |value: f64| format_value(line.metric, value);
    let band = |level: &TrendLevel| Band {
        from: level.from as f64 + 0.5,
        until: level.to as f64 + 1.5,
        name: level.mean.map_or_else(|| format!("{} – {}", text(level.low), text(level.high)), text).into(),
    };
    let points = line.values.iter().enumerate().map(point).collect();
    let series = Series { name: name(line, " "), points, ..Series::default() };
    let x = Axis::new("label-runs", Unit::Count, Scale::Linear);
    let lines = Lines::new(x, [vec![Axis::new(name(line, " "), unit(line.metric), Scale::Zero)]], vec![series]);
    let lines = Lines { bands: line.levels.iter().map(band).collect(), ..lines };
    let plot = match line.values.iter().flatten().any(|v| *v > 0.0) {
        true => lines.checked(""),
        false => Plot::Nothing(Sentence::default()),
    };
    Chart { title: name(line, " ").into(), ..Chart::on_screen("trend", plot) }.full()
}

/// Returns the table of the runs, with a column for each of the first figures.
pub(crate) fn table(trend: &Trend) -> Table {
    let mut table = Table::builder("runs", trend.runs.iter().enumerate())
        .column(Column::term("number", "#"), |(i, _)| Value::Setting(i as u64 + 1))
        .column(Column::text("run", "label-run"), |(_, r)| Cell::name(r.id.chars().take(ID_SHOWN).collect::<String>()))
        .column(Column::text("started", "page-started").rank(2).most(19), |(_, r)| Value::Name(started(&r.started)))
        .column(Column::figure("exit", "trend-head-exit"), |(_, r)| r.exit.map(|exit| Value::Setting(exit.into())));
    for (line, (key, letter)) in trend.lines.iter().zip(KEYS.iter().zip(LETTERS)) {
        table = table.column(Column::figure(key, name(line, " ")).short(letter), |(i, _)| {
            let cell = Cell::from(line.values.get(i).copied().flatten().map(|v| value(line.metric, v)));
            let has_changed = line.levels.iter().skip(1).any(|l| l.from == i);
            if has_changed { cell.tone(Tone::Doubt).strong() } else { cell }
        });
    }
    let state = |r: &TrendRun| if r.state == "complete" { Value::Blank } else { Value::Text(state(&r.state)) };
    let tags = |r: &TrendRun| Some(r.tags.join(" ")).filter(|tags| !tags.is_empty());
    let table = table
        .column(Column::text("state", "page-state").extra(3).most(12), |(_, r)| state(r))
        .column(Column::text("tags", "runs-head-tags").extra(1).most(24), |(_, r)| {
            Cell::or_blank(tags(r).map(Value::Name))
        });
    Table { indent: 0, ..table.build() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::text;
    use crate::widgets::text::width;
    use crate::{Style, Subject};

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
        written(trend, "terminal", &Style { color: false, unicode, width, language: messages::Language::English })
    }

    fn written(trend: &Trend, format: &str, style: &Style) -> String {
        let format = crate::format(format).expect("it is registered");
        text(|out| format.write(Subject::Trend(trend), style, out))
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
        for format in ["markdown", "html", "csv"].iter().filter(|f| cfg!(feature = "html") || **f != "html") {
            let text = written(&t, format, &Style::default());
            assert!(text.contains("00000004") && text.contains("nightly"), "{format}: {text}");
        }
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
