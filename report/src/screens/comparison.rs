//! Comparison of two sides of runs: a sentence, a table, and for each figure its runs and its interval on a common
//! axis.

use crate::Style;
use crate::formats::write_document;
use crate::widgets::escape::csv_field;
use crate::widgets::escape::escape_markdown;
use crate::widgets::ink::{Ink, clauses, listed};
use crate::widgets::page::Page;
use crate::widgets::table::{Column, Row, Table};
use crate::widgets::text::{Hue, Line, Paint, width};
use messages::{Sentence, message};
use model::{Answer, Compared, Comparison, Differing, Metric, RunSet};
use serde::Serialize;
use std::io::{self, Write};

/// Maximum number of figures named in the sentence; the others are only counted.
const MOST_NAMED: usize = 3;
/// Maximum number of runs named for a side.
const MOST_RUNS: usize = 6;
/// Maximum change that the axis covers; a wider axis would hide the details.
const FURTHEST: f64 = 0.6;

/// Beginnings that identify a file as a comparison, so that it may be replaced.
pub(crate) const MARKDOWN_HEAD: &str = "<!-- secchi compare -->";
pub(crate) const CSV_HEAD: &str = "workload,figure,a,b,ratio,ratio_low,ratio_high,p,answer";

/// Writes a comparison for a terminal.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_comparison(c: &Comparison, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(style, out);
    let ink = page.ink;
    page.labelled(ink.word("label-verdict"), Paint::BOLD, &ink.translate(sentence(c)), Paint::BOLD)?;
    page.blank()?;
    side(&mut page, "A", &c.a)?;
    side(&mut page, "B", &c.b)?;
    for d in &c.differing {
        page.labelled(ink.word("label-differs"), Paint::DIM, &ink.translate(differs(d)), Paint::new(Hue::Doubt))?;
    }
    page.blank()?;
    table(&mut page, c)?;
    page.blank()?;
    chart(&mut page, c)?;
    let open = c.figures.iter().filter(|f| !f.why.is_empty());
    let mut sentences: Vec<Sentence> =
        open.map(|f| messages::sentence!("told-of", what = name(f, c), told = &f.why)).collect();
    sentences.extend(c.remarks.iter().map(Sentence::from));
    if !sentences.is_empty() {
        page.blank()?;
        for text in sentences {
            let lead = Line::plain(" ").with(ink.glyphs().maybe, Paint::new(Hue::Doubt).bold());
            page.hanging(lead, 3, &ink.translate(text), Paint::PLAIN)?;
        }
    }
    page.blank()?;
    page.hanging(Line::new(), 0, &ink.translate(legend(c)), Paint::DIM)
}

/// Writes a comparison as a Markdown table, preceded by its sentence.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_comparison_markdown(c: &Comparison, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let ink = Ink::new(style);
    writeln!(out, "{MARKDOWN_HEAD}\n{}\n", escape_markdown(&ink.translate(sentence(c))))?;
    let [figure, change_head, interval, answer_head] =
        ["compare-head-figure", "page-change", "compare-head-interval", "compare-head-answer"].map(|id| ink.word(id));
    writeln!(
        out,
        "| {figure} | A | B | {change_head} | {interval} | p | {answer_head} |\n|---|--:|--:|--:|--:|--:|---|"
    )?;
    let dash = || "-".to_owned();
    for f in &c.figures {
        let interval = f.ci.map(|(low, high)| message!("range", low = change(low), high = change(high)));
        let interval = interval.map_or_else(dash, |told| ink.format(&told));
        let cells = [
            ink.translate(name(f, c)),
            median(f, &f.a).unwrap_or_else(dash),
            median(f, &f.b).unwrap_or_else(dash),
            f.ratio.map_or_else(dash, change),
            interval,
            f.p_adjusted.map_or_else(dash, |p| format!("{p:.4}")),
            ink.translate(answer(f, c)),
        ];
        writeln!(out, "| {} |", cells.map(|cell| escape_markdown(&cell)).join(" | "))?;
    }
    writeln!(out)?;
    for (label, side) in [("A", &c.a), ("B", &c.b)] {
        writeln!(out, "- {label}: {}", escape_markdown(&side.runs.join(", ")))?;
    }
    for d in &c.differing {
        writeln!(
            out,
            "- {}",
            ink.format(&message!("compare-differs-line", told = escape_markdown(&ink.translate(differs(d)))))
        )?;
    }
    for remark in &c.remarks {
        writeln!(out, "- {}", escape_markdown(&ink.translate(remark)))?;
    }
    writeln!(out, "\n{}", escape_markdown(&ink.translate(legend(c))))
}

/// Writes a comparison as one JSON document, `{"comparison": ...}`.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_comparison_json(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Document<'a> {
        comparison: &'a Comparison,
    }
    write_document(&Document { comparison }, out)
}

/// Writes a comparison as comma-separated values: a line for each figure, with unrounded rates and nanoseconds.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_comparison_csv(c: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{CSV_HEAD}")?;
    let number = |v: Option<f64>| v.map_or_else(String::new, |v| v.to_string());
    for f in &c.figures {
        let runs = |side: &[f64]| side.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
        let cells = [
            csv_field(&f.subject),
            csv_field(&f.metric.to_string()),
            runs(&f.a),
            runs(&f.b),
            number(f.ratio),
            number(f.ci.map(|ci| ci.0)),
            number(f.ci.map(|ci| ci.1)),
            number(f.p_adjusted),
            csv_field(&answer(f, c)),
        ];
        writeln!(out, "{}", cells.join(","))?;
    }
    Ok(())
}

pub(super) fn side(page: &mut Page, label: &str, side: &RunSet) -> io::Result<()> {
    let n = side.runs.len();
    let short = |run: &String| if run.len() == 36 && !run.contains('/') { run[..8].to_owned() } else { run.clone() };
    let mut runs: Vec<Sentence> = side.runs.iter().take(MOST_RUNS).map(|run| short(run).into()).collect();
    if n > MOST_RUNS {
        runs.push(messages::sentence!("list-and-more", n = n - MOST_RUNS));
    }
    let runs = listed(runs);
    let tools =
        side.tools.iter().map(Sentence::from).reduce(|first, last| messages::sentence!("list-and", first, last));
    let text = match tools {
        Some(tools) => message!("compare-runs-by", n, tools, runs),
        None => message!("compare-runs", n, runs),
    };
    page.labelled(label, Paint::BOLD, &page.ink.format(&text), Paint::PLAIN)
}

/// Describes a setting that differs between the sides.
fn differs(d: &Differing) -> Sentence {
    messages::sentence!("compare-differs", name = &d.name, a = &d.a, b = &d.b)
}

/// Returns a figure's name as in needs; words are in the reader's language.
pub(crate) fn metric(metric: Metric) -> Sentence {
    match metric {
        Metric::DeviceWrites => messages::sentence!("metric-device-writes"),
        named => named.to_string().into(),
    }
}

/// Returns a figure's name, with its workload if there are several.
pub(crate) fn name(f: &Compared, c: &Comparison) -> Sentence {
    let one = c.figures.iter().all(|o| o.subject == f.subject);
    let metric = metric(f.metric);
    if one { metric } else { Sentence::concat([format!("{} ", f.subject).into(), metric]) }
}

pub(crate) fn sentence(c: &Comparison) -> Sentence {
    let group = |wanted: &dyn Fn(&Compared) -> bool| c.figures.iter().filter(|f| wanted(f)).collect::<Vec<_>>();
    let worse = group(&|f| f.answer == Answer::Changed && f.better == Some(false));
    let better = group(&|f| f.answer == Answer::Changed && f.better == Some(true));
    let same = group(&|f| f.answer == Answer::Same);
    let open = group(&|f| f.answer == Answer::CannotTell);
    let with_change =
        |f: &&Compared| Sentence::concat([name(f, c), format!(" {}", f.ratio.map_or_else(String::new, change)).into()]);
    let plain = |f: &&Compared| name(f, c);
    let mut parts = Vec::new();
    if !worse.is_empty() {
        parts.push(messages::sentence!("compare-worse", figures = some(&worse, with_change)));
    }
    if !better.is_empty() {
        let figures = some(&better, with_change);
        parts.push(match parts.is_empty() {
            true => messages::sentence!("compare-better", figures),
            false => messages::sentence!("compare-also-better", figures),
        });
    }
    let within = percent_of(c.within);
    match same.len() {
        0 => {}
        n if n > 1 && n == c.figures.len() => parts.push(messages::sentence!("compare-all-same", within)),
        1 => parts.push(messages::sentence!("compare-one-same", figure = some(&same, plain), within)),
        _ => parts.push(messages::sentence!("compare-several-same", figures = some(&same, plain), within)),
    }
    if !open.is_empty() {
        let figures = some(&open, plain);
        parts.push(match open.iter().map(|f| f.more_runs).max().flatten() {
            Some(n) => messages::sentence!("compare-open-more", figures, n),
            None => messages::sentence!("compare-open", figures),
        });
    }
    clauses(parts)
}

fn some(figures: &[&Compared], show: impl Fn(&&Compared) -> Sentence) -> Sentence {
    let mut list: Vec<Sentence> = figures.iter().take(MOST_NAMED).map(show).collect();
    if figures.len() > MOST_NAMED {
        list.push(messages::sentence!("list-more", n = figures.len() - MOST_NAMED));
    }
    let last = list.pop().unwrap_or_default();
    match list.is_empty() {
        true => last,
        false => messages::sentence!("list-and", first = listed(list), last),
    }
}

/// Formats a change such as `-2.97 %`, with more digits for smaller changes.
pub(crate) fn change(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    match percent.abs() {
        p if p < 9.995 => format!("{percent:+.2} %"),
        p if p < 99.95 => format!("{percent:+.1} %"),
        _ => format!("x{ratio:.2}"),
    }
}

/// Formats a share without a sign and with as few digits as possible.
fn percent_of(share: f64) -> String {
    let text = format!("{:.2}", share * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

pub(super) fn table(page: &mut Page, c: &Comparison) -> io::Result<()> {
    let mut table = Table::new(
        vec![
            Column::left(""),
            Column::right("A"),
            Column::right("B"),
            Column::right(page.ink.word("page-change")),
            Column::right(page.ink.word("compare-head-interval")).droppable(1),
            Column::right("p").droppable(2),
            Column::right(page.ink.word("compare-head-scatter")).extra(3),
            Column::left(page.ink.word("compare-head-answer")),
        ],
        1,
    );
    let mut subject = "";
    for f in &c.figures {
        if f.subject != subject {
            subject = &f.subject;
            table.rows.push(Row::Across(Line::plain(" ").with(page.ink.text(subject), Paint::BOLD)));
        }
        table.row(row(f, c, page.ink));
    }
    let laid = table.lay(page.ink);
    page.lines(laid.lines)?;
    if !laid.dropped.is_empty() {
        let text = page.ink.format(&message!("no-room", heads = laid.dropped.join(", ")));
        page.line(Line::new().with(format!(" {text}"), Paint::DIM))?;
    }
    Ok(())
}

/// Returns the median of a side with its unit; `None` without runs.
pub(crate) fn median(f: &Compared, side: &[f64]) -> Option<String> {
    median_of(f.metric, side)
}

/// Returns the median of any metric's values.
pub(super) fn median_of(metric: Metric, side: &[f64]) -> Option<String> {
    let mut sorted = side.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len();
    (n > 0).then(|| metric.format((sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0))
}

fn row(f: &Compared, c: &Comparison, ink: Ink) -> Vec<Line> {
    let middle = |side: &[f64]| Line::plain(median(f, side).unwrap_or_else(|| "-".to_owned()));
    let paint = Paint::new(hue(f));
    let interval = f.ci.map_or_else(|| "-".to_owned(), |(low, high)| format!("[{}, {}]", change(low), change(high)));
    let p = f
        .p_adjusted
        .map_or_else(|| "-".to_owned(), |p| if p < 0.0001 { "<.0001".to_owned() } else { format!("{p:.4}") });
    let scatter = match f.scatter {
        [Some(a), Some(b)] => format!("{:.1}, {:.1} %", a * 100.0, b * 100.0),
        _ => String::new(),
    };
    vec![
        Line::plain(ink.translate(metric(f.metric))),
        middle(&f.a),
        middle(&f.b),
        Line::new().with(f.ratio.map_or_else(|| "-".to_owned(), change), paint.bold()),
        Line::new().with(interval, Paint::DIM),
        Line::new().with(p, Paint::DIM),
        Line::new().with(scatter, Paint::DIM),
        Line::new().with(format!("{} {}", sign(f, ink), ink.translate(answer(f, c))), paint),
    ]
}

fn hue(f: &Compared) -> Hue {
    match (f.answer, f.better) {
        (Answer::Changed, Some(true)) => Hue::Pass,
        (Answer::Changed, _) => Hue::Fail,
        (Answer::Same, _) => Hue::Plain,
        (Answer::CannotTell, _) => Hue::Doubt,
    }
}

fn sign(f: &Compared, ink: Ink) -> &'static str {
    let glyphs = ink.glyphs();
    match (f.answer, f.better) {
        (Answer::Changed, Some(true)) => glyphs.yes,
        (Answer::Changed, _) => glyphs.no,
        (Answer::Same, _) => glyphs.steady[0],
        (Answer::CannotTell, _) => glyphs.maybe,
    }
}

pub(crate) fn answer(f: &Compared, c: &Comparison) -> Sentence {
    match (f.answer, f.better, f.more_runs) {
        (Answer::Changed, Some(true), _) => messages::sentence!("compare-changed-better"),
        (Answer::Changed, _, _) => messages::sentence!("compare-changed-worse"),
        (Answer::Same, _, _) => messages::sentence!("compare-answer-same", within = percent_of(c.within)),
        (Answer::CannotTell, _, Some(n)) => messages::sentence!("compare-answer-more", n),
        (Answer::CannotTell, _, None) => messages::sentence!("compare-answer-open"),
    }
}

/// Common axis of all figures: changes relative to the median of A.
struct Axis {
    /// Absolute logarithm of the ratio at both ends.
    reach: f64,
    columns: usize,
}

impl Axis {
    fn column(&self, ratio: f64) -> Option<usize> {
        let share = ratio.ln() / self.reach;
        (share.abs() <= 1.0 + 1e-9).then(|| ((share + 1.0) / 2.0 * (self.columns - 1) as f64).round() as usize)
    }
}

pub(super) fn chart(page: &mut Page, c: &Comparison) -> io::Result<()> {
    let drawn: Vec<&Compared> = c.figures.iter().filter(|f| f.ratio.is_some()).collect();
    let names: Vec<String> = drawn.iter().map(|f| page.ink.translate(name(f, c))).collect();
    let room = (page.ink.width / 3).max(8);
    let gutter = names.iter().map(|n| width(n)).max().unwrap_or(0).min(room) + 4;
    let columns = page.ink.width.saturating_sub(gutter + 1).min(81) | 1;
    if drawn.is_empty() || columns < 31 {
        return Ok(());
    }
    let margin = (1.0 + c.within).ln();
    let ends = drawn.iter().filter_map(|f| f.ci).flat_map(|(low, high)| [low, high]);
    let far = ends.chain(drawn.iter().filter_map(|f| f.ratio)).map(|r| r.ln().abs()).fold(0.0, f64::max);
    let axis = Axis { reach: (1.25 * far).max(2.0 * margin).min((1.0f64 + FURTHEST).ln().max(2.0 * margin)), columns };
    page.line(scale(&axis, margin, gutter))?;
    for (f, name) in drawn.iter().zip(&names) {
        figure(page, f, name, &axis, margin, gutter)?;
    }
    Ok(())
}

/// Draws the axis with ticks at no change, at the margin and at the ends.
fn scale(axis: &Axis, margin: f64, gutter: usize) -> Line {
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
    for share in [0.0, margin, -margin, axis.reach, -axis.reach] {
        put(share.exp());
    }
    Line::plain(" ".repeat(gutter)).with(text.into_iter().collect::<String>().trim_end(), Paint::DIM)
}

/// Draws three lines: runs of A, runs of B, and the interval of the ratio.
fn figure(page: &mut Page, f: &Compared, name: &str, axis: &Axis, margin: f64, gutter: usize) -> io::Result<()> {
    let ink = page.ink;
    let mut sorted = f.a.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let base = match sorted.len() {
        0 => return Ok(()),
        n => (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0,
    };
    let empty = || -> Vec<(&'static str, Paint)> {
        let mut cells = vec![(" ", Paint::PLAIN); axis.columns];
        for (ratio, sign) in [
            (margin.exp(), if ink.unicode { "┆" } else { ":" }),
            ((-margin).exp(), if ink.unicode { "┆" } else { ":" }),
            (1.0, ink.glyphs().axis[0]),
        ] {
            if let Some(at) = axis.column(ratio) {
                cells[at] = (sign, Paint::DIM);
            }
        }
        cells
    };
    let lead = |text: &str, side: &str| {
        let mut line = Line::plain(" ").with(ink.clipped(text, gutter - 4), Paint::PLAIN);
        line.pad_to(gutter - 2);
        line.with(side.to_owned(), Paint::DIM).with(" ", Paint::PLAIN)
    };
    for (side, runs, text) in [("A", &f.a, name), ("B", &f.b, "")] {
        let mut cells = empty();
        for value in runs {
            let column = axis.column(value / base);
            let beyond = if *value < base { ("<", 0) } else { (">", axis.columns - 1) };
            match column {
                Some(at) => cells[at] = (dots(ink, &cells[at]), Paint::new(Hue::Measured)),
                None => cells[beyond.1] = (beyond.0, Paint::new(Hue::Measured)),
            }
        }
        page.line(set(lead(text, side), cells))?;
    }
    let mut cells = empty();
    let paint = Paint::new(hue(f));
    if let Some((low, high)) = f.ci {
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
fn dots(ink: Ink, there: &(&'static str, Paint)) -> &'static str {
    let taken = there.1 == Paint::new(Hue::Measured);
    match (ink.unicode, taken) {
        (true, false) => "∙",
        (true, true) => "●",
        (false, false) => ".",
        (false, true) => "o",
    }
}

fn set(mut line: Line, cells: Vec<(&'static str, Paint)>) -> Line {
    for (sign, paint) in cells {
        match line.spans.last_mut() {
            Some(last) if last.paint == paint => last.text.push_str(sign),
            _ => line.push(sign, paint),
        }
    }
    line
}

pub(crate) fn legend(c: &Comparison) -> Sentence {
    let (n, within) = (c.figures.iter().filter(|f| f.p.is_some()).count(), percent_of(c.within));
    let ratio = format!("{:.4}", 1.0 + c.within);
    let ratio = ratio.trim_end_matches('0');
    match n {
        0 | 1 => messages::sentence!("compare-legend", within, ratio),
        n => messages::sentence!("compare-legend-holm", n, within, ratio),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn figure(metric: Metric, a: &[f64], b: &[f64], ratio: f64, ci: (f64, f64), answer: Answer) -> Compared {
        Compared {
            subject: "8k randread".into(),
            metric,
            a: a.to_vec(),
            b: b.to_vec(),
            ratio: Some(ratio),
            ci: Some(ci),
            scatter: [Some(0.0012), Some(0.034)],
            p: Some(0.0079),
            p_adjusted: Some(0.0238),
            p_welch: Some(0.01),
            answer,
            better: (answer == Answer::Changed).then_some(false),
            more_runs: (answer == Answer::CannotTell).then_some(7),
            why: if answer == Answer::CannotTell {
                "1 of 10 runs left out: cached".into()
            } else {
                Sentence::default()
            },
        }
    }

    pub(crate) fn comparison() -> Comparison {
        let a = [6001.0, 5999.0, 6003.0, 5998.0, 6000.0];
        let b = [5820.0, 5822.0, 5818.0, 5821.0, 4100.0];
        let ms = |x: &[f64]| x.iter().map(|v| v * 1000.0).collect::<Vec<_>>();
        let side = |n: u8| RunSet {
            runs: (0..5).map(|i| format!("{n}f2a9c{i}b-77d1-4d21-9e01-8844aa105c7f")).collect(),
            tools: vec!["secchi 0.1.0".into()],
        };
        Comparison {
            a: side(1),
            b: side(2),
            within: 0.03,
            figures: vec![
                figure(Metric::Iops, &a, &b, 0.9701, (0.9697, 0.9705), Answer::Changed),
                figure(Metric::Mean, &ms(&a), &ms(&a), 1.001, (0.998, 1.004), Answer::Same),
                figure(Metric::Percentile(99.0), &ms(&a), &ms(&b), 0.985, (0.93, 1.04), Answer::CannotTell),
            ],
            differing: vec![Differing { name: "engine".into(), a: "libaio".into(), b: "io_uring".into() }],
            remarks: vec!["all runs of A were made before those of B".into()],
            exit_code: 1,
        }
    }

    fn screen(style: &Style) -> String {
        let mut out = Vec::new();
        write_comparison(&comparison(), style, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_comparison_at_100_columns() {
        insta::assert_snapshot!(screen(&Style::default()));
    }

    #[test]
    fn a_comparison_in_ascii_at_80_columns() {
        let text = screen(&Style { color: false, unicode: false, width: 80, language: messages::Language::English });
        assert!(text.is_ascii());
        insta::assert_snapshot!(text);
    }

    #[test]
    fn any_width_holds_it() {
        for width_of_page in [40, 61, 100, 140] {
            let text = screen(&Style {
                color: false,
                unicode: true,
                width: width_of_page,
                language: messages::Language::English,
            });
            assert!(text.lines().all(|l| width(l) <= width_of_page), "{text}");
            assert!(text.contains("cannot"));
        }
    }

    #[test]
    fn digits_are_as_many_as_the_change_deserves() {
        assert_eq!([0.9703, 1.5, 3.0].map(change), ["-2.97 %", "+50.0 %", "x3.00"]);
        assert_eq!([0.03, 0.005, 0.1].map(percent_of), ["3 %", "0.5 %", "10 %"]);
    }
}
