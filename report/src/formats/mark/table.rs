//! A mark as a table in a terminal: a live table that fills during the run, and the final one.

use super::{Cell, Doubt, Mark};
use crate::Style;
use crate::widgets::figures::{latency, megabytes};
use crate::widgets::ink::Ink;
use crate::widgets::page::Page;
use crate::widgets::table::{Column, Row, Table};
use crate::widgets::text::{Hue, Line, Paint};
use messages::{Message, Sentence, message, sentence};
use model::{BytesPerSecond, Iops, MarkDirection, MarkTest, RunState, Severity, thousands};
use std::io::{self, Write};

/// Current state of a running mark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Running {
    /// Index of the current stage in the plan.
    pub stage: usize,
    /// Rate over the last windows; `None` during a pause.
    pub rate: Option<BytesPerSecond>,
    /// Operations per second over the last windows.
    pub iops: Option<Iops>,
}

/// Width of a bar, in columns.
const BAR: usize = 12;

pub(super) fn write(mark: &Mark, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(style, out);
    head(&mut page, mark)?;
    rows(&mut page, mark, None)?;
    page.blank()?;
    by_host(&mut page, mark)?;
    trust(&mut page, mark)?;
    closing(&mut page, mark)
}

/// Returns the table of a running mark. All lines fit `style.width`; the last one has no line end.
#[must_use]
pub fn live(mark: &Mark, running: Option<Running>, style: &Style) -> String {
    let mut out = Vec::new();
    let mut page = Page::new(style, &mut out);
    // Writing to a vector cannot fail.
    let _ = head(&mut page, mark).and_then(|()| rows(&mut page, mark, running));
    let mut text = String::from_utf8(out).unwrap_or_default();
    text.truncate(text.trim_end().len());
    text
}

fn head(page: &mut Page, mark: &Mark) -> io::Result<()> {
    let title = format!("secchi mark  {}", mark.place);
    page.heading(&title, &mark.storage)?;
    let asked = mark.asked(page.ink.glyphs().times);
    page.line(Line::new().with(format!(" {}", page.ink.translate(asked)), Paint::DIM))?;
    if let Some(sum) = mark.sum_of() {
        let sum = page.ink.translate(sum);
        page.hanging(Line::plain(" "), 1, &sum, Paint::DIM)?;
    }
    page.blank()
}

/// Writes the share of each of several hosts in each figure.
fn by_host(page: &mut Page, mark: &Mark) -> io::Result<()> {
    let by_host = mark.by_host();
    if by_host.is_empty() {
        return Ok(());
    }
    page.line(Line::plain(" ").with(page.ink.word("mark-by-host"), Paint::BOLD))?;
    let hang = by_host.iter().map(|(what, _)| what.len()).max().unwrap_or(0) + 3;
    for (what, shares) in by_host {
        let shares = page.ink.translate(shares);
        page.hanging(Line::plain(format!(" {what}")), hang, &shares, Paint::PLAIN)?;
    }
    page.blank()
}

fn rows(page: &mut Page, mark: &Mark, running: Option<Running>) -> io::Result<()> {
    let mut table = Table::new(
        vec![
            Column::left(page.ink.word("page-test")),
            Column::right("MB/s"),
            Column::right(page.ink.word("head-median")).droppable(2),
            Column::left("").extra(8),
            Column::right("IOPS"),
            Column::right(page.ink.word("page-mean")),
            Column::right("p99").droppable(1),
            Column::left(page.ink.word("mark-head-loops")).extra(9),
        ],
        1,
    );
    let now = running.and_then(|r| at(mark, r.stage).map(|(test, direction, turn)| (test, direction, turn, r)));
    let highest =
        mark.rows.iter().flat_map(|r| &r.cells).filter_map(Cell::best).map(|b| b.rate.mb()).fold(1.0, f64::max);
    for (i, direction) in mark.directions.iter().enumerate() {
        if i > 0 {
            table.rows.push(Row::Across(Line::new()));
        }
        table.rows.push(Row::Across(Line::plain(" ").with(page.ink.format(&heading(*direction)), Paint::BOLD)));
        for (test, cell) in mark.in_direction(*direction) {
            let here = now.filter(|(t, d, ..)| (*t, *d) == (test, *direction)).map(|(_, _, turn, r)| (turn, r));
            table.row(row(page.ink, test, cell, highest, here));
        }
    }
    page.lines(table.lay(page.ink).lines)
}

fn heading(direction: MarkDirection) -> Message {
    match direction {
        MarkDirection::Read => message!("mark-heading-read"),
        MarkDirection::Write => message!("mark-heading-write"),
        MarkDirection::Mix(reads) => message!("mark-heading-mix", reads, writes = 100 - reads),
    }
}

/// Returns test, direction and loop number of a stage.
fn at(mark: &Mark, stage: usize) -> Option<(MarkTest, MarkDirection, usize)> {
    let mut before = 0;
    for direction in &mark.directions {
        for (test, cell) in mark.in_direction(*direction) {
            if stage < before + cell.planned {
                return Some((test, *direction, stage - before + 1));
            }
            before += cell.planned;
        }
    }
    None
}

fn row(ink: Ink, test: MarkTest, cell: &Cell, highest: f64, here: Option<(usize, Running)>) -> Vec<Line> {
    let mut name = Line::plain(" ").with(format!("{:<8}", test.pattern()), Paint::BOLD);
    name.push(format!("Q{}T{}", test.queues, test.threads), Paint::PLAIN);
    // A single loop has no useful median.
    let (best, median) = (cell.best(), cell.median().filter(|_| cell.planned > 1));
    let Some(best) = best else {
        let live = here.map(|(_, r)| r);
        let figure = |text: Option<String>| Line::new().with(text.unwrap_or_default(), Paint::new(Hue::Measured));
        let rate = live.and_then(|r| r.rate).map(megabytes);
        let rate = if rate.is_none() { Line::new().with("-", Paint::DIM) } else { figure(rate) };
        let iops = figure(live.and_then(|r| r.iops).map(|i| thousands(i.per_second())));
        let empty = Line::new;
        return vec![name, rate, empty(), empty(), iops, empty(), empty(), loops(ink, cell, here)];
    };
    let paint = match (best.struck, here.is_some()) {
        (true, _) => Paint::STRUCK,
        (false, true) => Paint::new(Hue::Measured),
        (false, false) => Paint::BOLD,
    };
    // Plain text uses parentheses where colour output uses strikethrough.
    let struck = |text: String| if best.struck { format!("({text})") } else { text };
    let plain = if best.struck { Paint::STRUCK } else { Paint::PLAIN };
    let p99 = best.p99.value().map_or_else(|| Line::new().with("-", Paint::DIM), |p| latency(p, plain));
    vec![
        name,
        Line::new().with(struck(megabytes(best.rate)), paint),
        Line::new().with(median.map_or_else(String::new, |m| megabytes(m.rate)), Paint::DIM),
        ink.bar(log_share(best.rate.mb(), highest), BAR, Paint::new(Hue::Measured)),
        Line::new().with(thousands(best.iops.per_second()), plain),
        best.mean.map_or_else(Line::new, |m| latency(m, plain)),
        p99,
        loops(ink, cell, here),
    ]
}

/// Returns the position of a rate between 1 MB/s and the power of ten above the highest rate. The rates of the tests
/// differ by large factors: with linear bars, only that of the first test would be visible.
pub(super) fn log_share(mb: f64, highest: f64) -> f64 {
    let top = highest.max(10.0).log10().ceil();
    (mb.max(1.0).log10() / top).clamp(0.0, 1.0)
}

/// Draws a column for each loop, with its height relative to the best one, followed by the progress.
fn loops(ink: Ink, cell: &Cell, here: Option<(usize, Running)>) -> Line {
    const HEIGHTS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
    let best = cell.best().map_or(1.0, |b| b.rate.per_second().max(1e-9));
    let mut line = Line::new();
    for one in &cell.loops {
        let height = ((one.rate.per_second() / best) * 8.0).round().clamp(1.0, 8.0) as usize;
        let paint = if one.partial { Paint::DIM } else { Paint::new(Hue::Measured) };
        if ink.unicode {
            line.push(HEIGHTS[height - 1], paint);
        }
    }
    match here {
        Some((turn, _)) => {
            if !line.spans.is_empty() {
                line.push(" ", Paint::PLAIN);
            }
            let text = ink.format(&message!("mark-loop-of", turn, planned = cell.planned));
            line.push(text, Paint::new(Hue::Measured));
        }
        None if cell.loops.len() < cell.planned && !cell.loops.is_empty() => {
            let text = ink.format(&message!("mark-loops-of", done = cell.loops.len(), planned = cell.planned));
            line.push(format!(" {text}"), Paint::DIM);
        }
        None => {}
    }
    line
}

fn trust(page: &mut Page, mark: &Mark) -> io::Result<()> {
    if mark.state != RunState::Complete {
        let text = page.ink.translate(mark.verdict());
        page.hanging(Line::new().with(" ! ", Paint::new(Hue::Doubt).bold()), 3, &text, Paint::new(Hue::Doubt))?;
    }
    // Loops are short by design, so notes about single loops appear only in the JSON.
    let worth = |d: &&Doubt| d.severity > Severity::Note || d.places.is_empty();
    for doubt in mark.doubts.iter().filter(worth) {
        let (sign, paint) = match doubt.severity {
            Severity::Invalid => (page.ink.glyphs().no, Paint::new(Hue::Fail)),
            Severity::Doubt => ("!", Paint::new(Hue::Doubt)),
            Severity::Note => (page.ink.glyphs().dot, Paint::DIM),
        };
        page.hanging(Line::plain(" ").with(sign, paint.bold()), 3, &page.ink.translate(format_doubt(doubt)), paint)?;
    }
    if !mark.doubts.iter().any(|d| worth(&d)) && mark.state == RunState::Complete {
        let yes = page.ink.glyphs().yes;
        let text = format!(" {}", page.ink.word("trust-none"));
        page.line(Line::plain(" ").with(yes, Paint::new(Hue::Pass)).with(text, Paint::PLAIN))?;
    }
    Ok(())
}

/// Returns the doubt, with its recommended action unless it is a note.
fn format_doubt(doubt: &Doubt) -> Sentence {
    match doubt.severity {
        Severity::Note => doubt.line(),
        _ if doubt.remedy.is_empty() => doubt.line(),
        _ => sentence!("mark-try", doubt = doubt.line(), remedy = &doubt.remedy),
    }
}

fn closing(page: &mut Page, mark: &Mark) -> io::Result<()> {
    page.blank()?;
    let loops = match mark.loops {
        1 => message!("mark-one-loop"),
        n => message!("mark-best-of", n),
    };
    page.line(Line::new().with(format!(" {}", page.ink.format(&loops)), Paint::DIM))?;
    let short: String = mark.id.chars().take(8).collect();
    let line = Line::new().with(format!(" {}  ", page.ink.word("mark-again")), Paint::DIM);
    page.line(line.with(format!("secchi show {short} -o mark.png"), Paint::PLAIN))
}

#[cfg(test)]
mod tests {
    use super::super::testkit::{doubted, marked, record, written_in};
    use super::*;
    use crate::widgets::text::width;
    use model::RunState;

    const WIDE: Style = Style { color: false, unicode: true, width: 100, language: messages::Language::English };

    #[test]
    fn the_table_of_a_whole_mark() {
        insta::assert_snapshot!(written_in("table", &marked(), &WIDE));
    }

    #[test]
    fn the_table_in_ascii_and_eighty_columns_with_every_doubt() {
        let style = Style { color: false, unicode: false, width: 80, language: messages::Language::English };
        let text = written_in("table", &doubted(), &style);
        assert!(text.is_ascii(), "{text}");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn the_table_fills_while_it_runs() {
        let mut record = record();
        record.state = RunState::Interrupted;
        record.steps.truncate(7);
        let running = Running { stage: 7, rate: Some(BytesPerSecond(612e6)), iops: Some(Iops(583.6)) };
        let text = live(&Mark::from_record(&record, &[]), Some(running), &WIDE);
        insta::assert_snapshot!(text);
        record.steps.clear();
        let first = Running { stage: 0, ..running };
        insta::assert_snapshot!(live(&Mark::from_record(&record, &[]), Some(first), &WIDE));
        for columns in 40..130 {
            let text = live(&Mark::from_record(&record, &[]), Some(first), &Style { width: columns, ..WIDE });
            assert!(text.lines().all(|l| width(l) <= columns), "{text}");
        }
    }

    #[test]
    fn a_bar_tells_factors_of_ten_apart() {
        assert_eq!(log_share(0.0, 5000.0), 0.0);
        assert!((log_share(10.0, 5000.0) - 0.25).abs() < 1e-9);
        assert!((log_share(1000.0, 999.0) - 1.0).abs() < 1e-9);
        assert_eq!(log_share(f64::NAN, 5.0), 0.0);
    }
}
