//! A mark as a picture for forums: the target, a card for each figure, and the doubts, which stay with the picture when
//! it is copied.
//!
//! Cards are arranged like the boxes of CrystalDiskMark: a row for each test, a column for each direction. Their bars
//! are logarithmic, as in the table.

mod canvas;
mod png;
mod svg;

use crate::marks::{Cell, Loop, Mark, log_share};
use crate::widgets::figures::megabytes;
use crate::{Style, harmless};
use canvas::{Anchor, Canvas, Color, Fill, TextStyle, Weight};
use model::plan::{MarkDirection, MarkTest};
use model::{Nanos, RunState, Severity, units::thousands};
use std::io::{self, Write};

const DEEP: Color = Color::solid(0x06_1a2b);
const SHALLOW: Color = Color::solid(0x0d_3b52);
const WHITE: Color = Color::solid(0xf4_fafc);
const PALE: Color = Color::solid(0xa9_c6d2);
const FAINT: Color = Color::solid(0x7d_9fae);
const READ: Color = Color::solid(0x2f_d6c3);
const WRITE: Color = Color::solid(0xff_a95e);
const MIX: Color = Color::solid(0xb3_9dff);
const DOUBT: Color = Color::solid(0xff_d166);
const WRONG: Color = Color::solid(0xff_7b7b);

const MARGIN: f32 = 36.0;
const LABEL: f32 = 132.0;
const CARD: f32 = 302.0;
const CARD_HEIGHT: f32 = 92.0;
const GAP: f32 = 14.0;
/// Maximum number of doubts shown with their full text, and of lines for each of them.
const DOUBTS: usize = 4;
const LINES: usize = 2;

pub(super) fn write_svg(mark: &Mark, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut text = Vec::new();
    super::text::write(mark, &Style::default(), &mut text)?;
    let title = format!("secchi mark of {}", harmless(&mark.place));
    svg::write(&draw(mark), &title, &String::from_utf8_lossy(&text), out)
}

pub(super) fn write_png(mark: &Mark, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    png::write(&draw(mark), out)
}

const fn text_style(size: f32, weight: Weight, color: Color) -> TextStyle {
    TextStyle { size, weight, color }
}

fn draw(mark: &Mark) -> Canvas {
    // At least two columns, because the header needs the room.
    let columns = mark.directions.len().max(2) as f32;
    let mut canvas = Canvas::new(MARGIN * 2.0 + LABEL + columns * CARD + (columns - 1.0) * GAP);
    // The background is added last, when the height of the picture is known.
    canvas.items.reserve(256);
    let mut y = head(&mut canvas, mark);
    y = titles(&mut canvas, mark, y);
    let highest =
        mark.rows.iter().flat_map(|r| &r.cells).filter_map(Cell::best).map(|b| b.rate.mb()).fold(1.0, f64::max);
    for row in &mark.rows {
        label(&mut canvas, row.test, y);
        for (i, direction) in mark.directions.iter().enumerate() {
            let x = MARGIN + LABEL + i as f32 * (CARD + GAP);
            let cell = row.cells.iter().find(|c| c.direction == *direction);
            card(&mut canvas, mark, (x, y), hue(*direction), cell, highest);
        }
        y += CARD_HEIGHT + GAP;
    }
    y = doubts(&mut canvas, mark, y + 6.0);
    y = foot(&mut canvas, mark, y);
    canvas.height = y.ceil();
    behind(&mut canvas);
    canvas
}

/// Adds the background below everything else: water that darkens with depth.
fn behind(canvas: &mut Canvas) {
    let (w, h) = (canvas.width, canvas.height);
    let above = std::mem::take(&mut canvas.items);
    canvas.rect((0.0, 0.0, w, h), 18.0, Fill::Down(SHALLOW, DEEP, 0.0, h));
    canvas.items.extend(above);
}

/// Draws the Secchi disk on its line, the name, and the target with the settings.
fn head(canvas: &mut Canvas, mark: &Mark) -> f32 {
    let (cx, cy, r) = (MARGIN + 25.0, 62.0, 25.0);
    canvas.rect((cx - 1.0, 0.0, 2.0, cy - r), 0.0, Fill::Solid(PALE.with_alpha(0.6)));
    for quarter in 0..4 {
        let color = if quarter % 2 == 0 { WHITE } else { Color::solid(0x03_0f1a) };
        canvas.quarter((cx, cy), r, quarter, color);
    }
    let x = MARGIN + 70.0;
    let name = canvas.text((x, 59.0), Anchor::Start, text_style(27.0, Weight::Semibold, WHITE), "secchi");
    canvas.text((x + name + 8.0, 59.0), Anchor::Start, text_style(27.0, Weight::Regular, READ), "mark");
    let right = canvas.width - MARGIN;
    let profile = format!("{} profile", harmless(&mark.profile));
    canvas.text((right, 57.0), Anchor::End, text_style(15.0, Weight::Semibold, WHITE), &profile);
    canvas.text((right, 81.0), Anchor::End, text_style(13.0, Weight::Regular, PALE), &mark.asked("×"));
    let mut place = vec![harmless(&mark.place), harmless(&mark.storage)];
    // A sum over several hosts must not be mistaken for one host's storage.
    place.splice(..0, mark.sum_of().map(|sum| harmless(&sum)));
    place.extend(mark.device.as_ref().map(|d| harmless(d)));
    let room = right - x - 40.0 - canvas.fonts.width(&mark.asked("×"), 13.0, Weight::Regular);
    let place = canvas.fonts.fitted(&place.join("  ·  "), 13.0, Weight::Regular, room);
    canvas.text((x, 81.0), Anchor::Start, text_style(13.0, Weight::Regular, PALE), &place);
    112.0
}

fn titles(canvas: &mut Canvas, mark: &Mark, y: f32) -> f32 {
    for (i, direction) in mark.directions.iter().enumerate() {
        let x = MARGIN + LABEL + i as f32 * (CARD + GAP);
        let name = match direction {
            MarkDirection::Read => "Read".to_owned(),
            MarkDirection::Write => "Write".to_owned(),
            MarkDirection::Mix(reads) => format!("Mix {reads}/{}", 100 - reads),
        };
        let width =
            canvas.text((x + 2.0, y + 20.0), Anchor::Start, text_style(16.0, Weight::Semibold, hue(*direction)), &name);
        canvas.text((x + width + 10.0, y + 20.0), Anchor::Start, text_style(13.0, Weight::Regular, FAINT), "MB/s");
    }
    y + 34.0
}

const fn hue(direction: MarkDirection) -> Color {
    match direction {
        MarkDirection::Read => READ,
        MarkDirection::Write => WRITE,
        MarkDirection::Mix(_) => MIX,
    }
}

fn label(canvas: &mut Canvas, test: MarkTest, y: f32) {
    let middle = y + CARD_HEIGHT / 2.0;
    canvas.text((MARGIN, middle - 3.0), Anchor::Start, text_style(21.0, Weight::Semibold, WHITE), &test.pattern());
    let depth = format!("Q{} T{}", test.queues, test.threads);
    canvas.text((MARGIN, middle + 19.0), Anchor::Start, text_style(14.0, Weight::Regular, PALE), &depth);
}

fn card(canvas: &mut Canvas, mark: &Mark, (x, y): (f32, f32), hue: Color, cell: Option<&Cell>, highest: f64) {
    canvas.rect((x, y, CARD, CARD_HEIGHT), 10.0, Fill::Solid(Color::solid(0x02_1320).with_alpha(0.55)));
    let Some((cell, best)) = cell.and_then(|c| Some((c, c.best()?))) else {
        let none = text_style(30.0, Weight::Semibold, FAINT.with_alpha(0.5));
        canvas.text((x + 18.0, y + 44.0), Anchor::Start, none, "–");
        return;
    };
    let (track, share) = (CARD - 36.0, log_share(best.rate.mb(), highest) as f32);
    canvas.rect((x + 18.0, y + 53.0, track, 5.0), 2.5, Fill::Solid(WHITE.with_alpha(0.09)));
    canvas.rect((x + 18.0, y + 53.0, track * share, 5.0), 2.5, Fill::Solid(hue));
    let color = if best.struck { WRONG } else { WHITE };
    let figure = megabytes(best.rate);
    let width = canvas.text((x + 18.0, y + 42.0), Anchor::Start, text_style(33.0, Weight::Semibold, color), &figure);
    if best.struck {
        // The figure is not valid.
        canvas.rect((x + 14.0, y + 29.0, width + 8.0, 2.5), 1.0, Fill::Solid(WRONG));
    }
    aside(canvas, mark, (x, y), hue, cell);
    canvas.text((x + 18.0, y + 79.0), Anchor::Start, text_style(13.0, Weight::Regular, PALE), &beneath(best));
}

/// Draws median and loops at the right of a card, if there are several loops.
fn aside(canvas: &mut Canvas, mark: &Mark, (x, y): (f32, f32), hue: Color, cell: &Cell) {
    let right = x + CARD - 18.0;
    if mark.loops < 2 {
        return;
    }
    if let Some(median) = cell.median() {
        let text = format!("median {}", megabytes(median.rate));
        canvas.text((right, y + 42.0), Anchor::End, text_style(12.0, Weight::Regular, FAINT), &text);
    }
    let best = cell.best().map_or(1.0, |b| b.rate.per_second().max(1e-9));
    // More than a dozen columns would be unreadable.
    let shown = &cell.loops[cell.loops.len().saturating_sub(12)..];
    for (i, one) in shown.iter().rev().enumerate() {
        let height = (13.0 * (one.rate.per_second() / best) as f32).max(1.5);
        let at = right - 5.0 - i as f32 * 7.5;
        let color = hue.with_alpha(if one.partial { 0.3 } else { 0.85 });
        canvas.rect((at, y + 29.0 - height, 5.0, height), 1.2, Fill::Solid(color));
    }
}

fn beneath(best: &Loop) -> String {
    let mut parts = vec![format!("{} IOPS", thousands(best.iops.per_second()))];
    let time = |t: Nanos| t.to_string().replace(" us", " µs");
    parts.extend(best.mean.map(time));
    parts.extend(best.p99.value().map(|p| format!("p99 {}", time(p))));
    parts.join("  ·  ")
}

fn doubts(canvas: &mut Canvas, mark: &Mark, mut y: f32) -> f32 {
    let mut notes: Vec<(Color, String)> = Vec::new();
    if mark.state != RunState::Complete {
        notes.push((DOUBT, format!("not complete: {}", mark.verdict())));
    }
    let grave = mark.doubts.iter().filter(|d| d.severity > Severity::Note);
    notes.extend(grave.map(|d| (if d.severity == Severity::Invalid { WRONG } else { DOUBT }, d.line().into())));
    let more = notes.len().saturating_sub(DOUBTS);
    notes.truncate(DOUBTS);
    if more > 0 {
        notes.push((DOUBT, format!("and {more} more doubts: secchi show")));
    }
    for (color, text) in notes {
        let room = canvas.width - 2.0 * MARGIN - 22.0;
        let lines = canvas.fonts.wrapped(&harmless(&text), 13.0, Weight::Regular, room, LINES);
        let height = lines.len() as f32 * 18.0;
        canvas.rect((MARGIN, y + 2.0, 3.0, height - 2.0), 1.5, Fill::Solid(color));
        for line in lines {
            canvas.text((MARGIN + 14.0, y + 14.0), Anchor::Start, text_style(13.0, Weight::Regular, color), &line);
            y += 18.0;
        }
        y += 6.0;
    }
    y
}

fn foot(canvas: &mut Canvas, mark: &Mark, y: f32) -> f32 {
    let y = y + 20.0;
    let which = match mark.loops {
        0 | 1 => "one loop each".to_owned(),
        n => format!("large figures: best of {n} loops"),
    };
    let (date, time) = mark.moment();
    let time = time.get(..5).unwrap_or(time);
    let parts = [
        harmless(&mark.kernel),
        harmless(&mark.engine),
        format!("secchi {}", harmless(&mark.tool)),
        harmless(date) + " " + time,
    ];
    let right = canvas.width - MARGIN;
    let small = text_style(11.5, Weight::Regular, FAINT);
    let parts: Vec<&str> = parts.iter().map(|p| p.trim()).filter(|p| !p.is_empty()).collect();
    let origin = parts.join("  ·  ");
    let width = canvas.text((right, y), Anchor::End, small, &origin);
    let room = right - width - MARGIN - 24.0;
    let notes = [
        format!("{which}  ·  MB/s = 1,000,000 bytes/s  ·  bars are logarithmic"),
        format!("{which}  ·  MB/s = 10^6 bytes/s  ·  bars: log"),
        which,
    ];
    let fits = |text: &&String| canvas.fonts.width(text, small.size, small.weight) <= room;
    let left = notes.iter().find(fits).cloned().unwrap_or_default();
    canvas.text((MARGIN, y), Anchor::Start, small, &left);
    y + 24.0
}

#[cfg(test)]
mod tests {
    use super::super::testkit::{doubted, marked, record, written};
    use super::*;
    use crate::formats::mark::mark_format;

    fn png_of(mark: &Mark) -> Vec<u8> {
        let mut out = Vec::new();
        mark_format("png").unwrap().write(mark, &Style::default(), &mut out).unwrap();
        out
    }

    #[test]
    fn the_svg_is_a_document_that_tells_its_figures_to_who_cannot_see_it() {
        for mark in [marked(), doubted()] {
            let text = written("svg", &mark);
            let document = roxmltree::Document::parse(&text).expect("well-formed XML");
            let text_of = |tag: &str| document.descendants().find(|n| n.has_tag_name(tag)).and_then(|n| n.text());
            assert_eq!(text_of("title"), Some("secchi mark of /mnt/data"));
            assert!(text_of("desc").unwrap().contains("SEQ    1MiB (Q=  8, T= 1):   556.374 MB/s"));
            let ids: Vec<&str> = document.descendants().filter_map(|n| n.attribute("id")).collect();
            let used = document.descendants().filter_map(|n| n.attribute("href"));
            for name in used {
                assert!(ids.contains(&name.trim_start_matches('#')), "{name} is not defined");
            }
            assert!(text.len() < 150_000, "{} bytes", text.len());
        }
    }

    #[test]
    fn hostile_names_are_text_in_a_picture() {
        let mut record = record();
        record.plan.target.path = "/mnt/\"/><script>&\u{1}\u{202e}磁盘".into();
        let text = written("svg", &Mark::from_record(&record, &[]));
        let document = roxmltree::Document::parse(&text).expect("well-formed XML");
        assert!(!document.descendants().any(|n| n.has_tag_name("script")));
    }

    #[test]
    fn the_png_is_one_and_has_the_size_of_the_picture() {
        let bytes = png_of(&marked());
        assert_eq!(bytes[..8], *b"\x89PNG\r\n\x1a\n");
        let width = u32::from_be_bytes(bytes[16..20].try_into().unwrap());
        assert_eq!(width, (draw(&marked()).width * 2.0) as u32);
        // Writes pictures for visual inspection: SECCHI_PICTURES=DIR cargo test -p report picture.
        if let Ok(dir) = std::env::var("SECCHI_PICTURES") {
            for (name, mark) in [("marked", marked()), ("doubted", doubted())] {
                let at = std::path::Path::new(&dir).join(name);
                std::fs::write(at.with_extension("png"), png_of(&mark)).unwrap();
                std::fs::write(at.with_extension("svg"), written("svg", &mark)).unwrap();
            }
        }
    }

    #[test]
    fn nothing_is_drawn_beyond_the_edge() {
        let mut record = record();
        record.plan.target.path = "/a/very/long/name/of/a/place".repeat(9).into();
        record.plan.stages.truncate(20);
        record.steps.truncate(20);
        let canvas = draw(&Mark::from_record(&record, &[]));
        for item in &canvas.items {
            if let canvas::Item::Text { x, y, scale, glyphs, .. } = item {
                let last = glyphs.last().map_or(0, |(_, at)| *at);
                assert!(*x >= 0.0 && x + last as f32 * scale < canvas.width && *y < canvas.height, "{item:?}");
            }
        }
    }
}
