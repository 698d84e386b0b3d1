//! The table of levels: one row of figures for each level of concurrency, and the notes on its rows.
//!
//! Every figure can be marked as doubtful in place (docs/design/results.md, "Doubted figures"): an invalid one is
//! struck through or in parentheses and gives the reason, a missing percentile is a dash, and a missing interval, an
//! unsteady series, an error or a caveat gets a letter after the row and a line below the table.

use crate::overview::{Entry, is_doubted};
use crate::widgets::figures::{count, cpu, duration, half_width, latency, megabytes};
use crate::widgets::ink::{Ink, listed};
use crate::widgets::page::Page;
use crate::widgets::table::{Column, Laid, Row, Table};
use crate::widgets::text::{Hue, Line, Paint};
use messages::{Message, Sentence, message, sentence};
use model::CompactSort;
use model::{
    Caveat, Knee, LevelFigures, Op, PatternJudgement, Percentile, Severity, StageRole, Steadiness, thousands,
    told_course,
};
use std::io;

/// Deviation of X*R/N (Little's law) from 1 above which a row gets a note about it.
const LITTLE_TOLERANCE: f64 = 0.05;

/// Caveats that the row of a standalone level already expresses by text or sign.
const SAID_IN_PLACE: [&str; 1] = ["too-short"];

/// Letters for the notes below one table; equal notes share one.
#[derive(Default)]
struct Notes {
    texts: Vec<(String, Hue)>,
    /// True if a percentile is missing.
    too_few: bool,
    /// True if a row contains the sign of a series that is too short.
    too_short: bool,
    /// Kinds of operation combined in the rows.
    mixed: Vec<Op>,
}

impl Notes {
    fn letter(&mut self, text: String, hue: Hue) -> String {
        let at = self.texts.iter().position(|(t, _)| *t == text).unwrap_or_else(|| {
            self.texts.push((text, hue));
            self.texts.len() - 1
        });
        letter(at)
    }
}

/// Returns the letter of note `n`: `a` to `z`, then `a2` to `z2`, ...
fn letter(n: usize) -> String {
    let c = char::from(b'a' + (n % 26) as u8);
    if n < 26 { c.to_string() } else { format!("{c}{}", n / 26 + 1) }
}

/// Returns `true` if the figures of a level count by themselves. Levels of a ramp only serve to find the level to hold:
/// they are short by design, and a row does not mention that they are imprecise.
fn alone((pattern, level): Entry) -> bool {
    level.hold || pattern.role != StageRole::Ramp
}

/// Writes the table of a ramp: its rows differ in concurrency. `caveats` are those of the run.
pub(super) fn ramp_table(page: &mut Page, pattern: &PatternJudgement, caveats: &[Caveat]) -> io::Result<()> {
    let entries: Vec<Entry> = pattern.levels.iter().map(|l| (pattern, l)).collect();
    let mut notes = Notes::default();
    let laid = table(page.ink, &entries, false, caveats, &mut notes).lay(page.ink);
    page.lines(laid.lines.iter().cloned())?;
    legend(page, pattern)?;
    footnotes(page, &notes, &laid)
}

/// Writes one table of single levels: its rows differ in workload.
pub(super) fn singles_table(page: &mut Page, patterns: &[&PatternJudgement], caveats: &[Caveat]) -> io::Result<()> {
    let entries: Vec<Entry> = patterns.iter().flat_map(|p| p.levels.iter().map(move |l| (*p, l))).collect();
    let mut notes = Notes::default();
    let mut laid = table(page.ink, &entries, true, caveats, &mut notes).lay(page.ink);
    if !laid.dropped.is_empty() {
        // The names get separate lines, so that no column of figures has to be dropped.
        notes = Notes::default();
        laid = stacked(table(page.ink, &entries, true, caveats, &mut notes)).lay(page.ink);
    }
    page.lines(laid.lines.iter().cloned())?;
    footnotes(page, &notes, &laid)
}

/// Writes the overview table: a row for each workload with its representative level and what binds it, and a row for
/// its flushes, if any. Doubtful figures are marked with a question mark.
pub(super) fn overview(page: &mut Page, entries: &[Entry], caveats: &[Caveat]) -> io::Result<()> {
    let table = overview_table(page.ink, entries, caveats, BINDS);
    // The binding limit is shortened rather than dropped.
    let table = match table.lacks(page.ink) {
        0 => table,
        lacks => {
            let widest = entries
                .iter()
                .map(|(pattern, _)| crate::widgets::text::width(&binds_in_short(pattern, page.ink)))
                .max();
            let binds = widest.unwrap_or(0).min(BINDS).saturating_sub(lacks).max(LEAST_BINDS);
            overview_table(page.ink, entries, caveats, binds)
        }
    };
    page.lines(table.lay(page.ink).lines)
}

/// Maximum width of the binding limit in cells, and the minimum useful width.
const BINDS: usize = 28;
const LEAST_BINDS: usize = 12;

fn overview_table(ink: Ink, entries: &[Entry], caveats: &[Caveat], binds: usize) -> Table {
    let columns = vec![
        Column::left(ink.word("page-workload")),
        Column::right("IOPS"),
        Column::right("MB/s"),
        Column::right(ink.word("page-mean")),
        Column::right("p99"),
        Column::left(""),
        Column::left(ink.word("head-binds")).droppable(1),
    ];
    let width = columns.len();
    let mut table = Table::new(columns, 1);
    let mut notes = Notes::default();
    for (pattern, level) in entries {
        let strike = level.struck.is_some();
        let paint = if strike { Paint::STRUCK } else { Paint::PLAIN };
        let row = Figures { ink, level, paint, strike, sum: true };
        let mut figures = row.cells(&mut notes).into_iter();
        // Rate, its interval, MB/s, mean, p50, p99.
        let [rate, _, bytes, mean, _, p99] = std::array::from_fn(|_| figures.next().unwrap_or_default());
        let mark = if is_doubted(level, caveats) { "?" } else { "" };
        let name = Line::new().with(ink.clipped(&pattern.label, 28), Paint::BOLD);
        let binds = Line::plain(ink.clipped(&binds_in_short(pattern, ink), binds));
        table.row(vec![name, rate, bytes, mean, p99, Line::new().with(mark, Paint::new(Hue::Doubt)), binds]);
        if let Some((mean, p99)) = level.flush {
            let mut cells = vec![Line::new(); width];
            cells[0] = Line::new().with(format!("  {}", ink.word("show-its-flushes")), Paint::DIM);
            cells[3] = row.time(Some(mean));
            cells[4] = row.percentile(p99, &mut notes);
            table.row(cells);
        }
    }
    table
}

/// Returns a short description of the binding limit: names unchanged, words in the reader's language.
pub(super) fn binds_in_short(pattern: &PatternJudgement, ink: Ink) -> String {
    messages::format_part(ink.language, &pattern.binding.in_short())
}

/// Returns the engine and shape (queue depth and threads) that all rows share; the heading shows them once.
pub(super) fn common(levels: &[&LevelFigures]) -> (Option<String>, Option<(u32, u32)>) {
    let same = |f: &dyn Fn(&LevelFigures) -> bool| levels.iter().all(|l| f(l));
    let Some(first) = levels.first() else { return (None, None) };
    let engine = same(&|l| l.engine == first.engine).then(|| first.engine.clone());
    let shape = (first.queue_depth, first.threads);
    (engine, same(&|l| (l.queue_depth, l.threads) == shape).then_some(shape))
}

fn columns(ink: Ink) -> Vec<Column> {
    vec![
        Column::left(""),
        Column::left(ink.word("page-workload")),
        Column::right("N"),
        Column::left("QxT").droppable(6),
        Column::left(ink.word("head-engine")).droppable(5),
        Column::right("IOPS"),
        Column::left("95% CI").droppable(4),
        Column::right("MB/s"),
        Column::right(ink.word("page-mean")),
        Column::right("p50").droppable(3),
        Column::right("p99"),
        Column::right("p99.9").droppable(1),
        Column::right(ink.word("page-maximum")).droppable(2),
        Column::right(ink.word("head-cpu-each")),
        Column::right("CPU usr+sys"),
        Column::right(ink.word("head-operations")).extra(9),
        Column::right(ink.word("head-time")).extra(8),
        Column::left(""),
    ]
}

// Indices into `columns`.
const WORKLOAD: usize = 1;
const IOPS: usize = 5;
const MEAN: usize = 8;
const P99: usize = 10;

fn table(ink: Ink, entries: &[Entry], by_workload: bool, caveats: &[Caveat], notes: &mut Notes) -> Table {
    let levels: Vec<&LevelFigures> = entries.iter().map(|(_, l)| *l).collect();
    let (engine, shape) = common(&levels);
    let mut table = Table::new(columns(ink), 1);
    // User and system time separately if there is room, otherwise their sum.
    let sum = ink.width < 108;
    let mut last = "";
    for (pattern, level) in entries {
        let mut cells = marks(ink, pattern, level);
        let name = if by_workload && last != pattern.label { pattern.label.as_str() } else { "" };
        last = &pattern.label;
        let struck = struck(level);
        let bold = !by_workload && is_best(pattern, level);
        let paint = match &struck {
            Some(_) => Paint::STRUCK,
            None if changed(level) => Paint { bold, ..Paint::new(Hue::Doubt) },
            None if bold => Paint::BOLD,
            None => Paint::PLAIN,
        };
        let depth_shown = !by_workload || shape.is_none();
        let concurrency = level.concurrency();
        cells.push(Line::new().with(ink.clipped(name, 28), Paint::BOLD));
        cells.push(
            Line::new().with(if depth_shown { concurrency.to_string() } else { String::new() }, paint_name(paint)),
        );
        let qxt = if depth_shown {
            format!("{}{}{}", level.queue_depth, ink.glyphs().times, level.threads)
        } else {
            String::new()
        };
        cells.push(Line::new().with(qxt, Paint::DIM));
        let engine_name = if engine.is_none() { ink.clipped(&level.engine, 12) } else { String::new() };
        cells.push(Line::new().with(engine_name, Paint::DIM));
        let row = Figures { ink, level, paint, strike: paint == Paint::STRUCK, sum };
        let further = further_rows((pattern, level), &row, notes);
        cells.extend(row.cells(notes));
        cells.push(row_notes((pattern, level), struck.as_ref(), ink, caveats, notes));
        table.row(cells);
        further.into_iter().for_each(|row| table.row(row));
    }
    table
}

/// Returns the style of a row's concurrency. It is a setting, not a figure, so it is never struck through.
fn paint_name(paint: Paint) -> Paint {
    if paint.bold { Paint::BOLD } else { Paint::PLAIN }
}

fn is_best(pattern: &PatternJudgement, level: &LevelFigures) -> bool {
    pattern.best.and_then(|i| pattern.levels.get(i)).is_some_and(|best| std::ptr::eq(best, level))
}

fn is_knee(pattern: &PatternJudgement, level: &LevelFigures) -> bool {
    let concurrency = level.concurrency();
    !level.hold && matches!(pattern.knee, Knee::Between { at, .. } if at == concurrency)
}

fn marks(ink: Ink, pattern: &PatternJudgement, level: &LevelFigures) -> Vec<Line> {
    let g = ink.glyphs();
    let mut line = Line::new();
    if pattern.role == StageRole::Ramp {
        line.push(if is_best(pattern, level) { g.best } else { " " }, Paint::new(Hue::Pass));
        line.push(
            if level.hold {
                g.hold
            } else if is_knee(pattern, level) {
                g.knee
            } else {
                " "
            },
            Paint::new(Hue::Measured),
        );
    }
    vec![line]
}

/// Returns the reason why the means of a level must not be used, if any.
fn struck(level: &LevelFigures) -> Option<Sentence> {
    level.struck.as_ref().map(|why| sentence!("level-struck", why))
}

/// Returns `true` if the rate changed level; the figures are then those after the change, and are marked.
pub(super) fn changed(level: &LevelFigures) -> bool {
    level.steadiness.changed()
}

/// Returns the mark before a figure that is valid only since a change of level; empty for others.
pub(super) fn change_mark(level: &LevelFigures, ink: Ink) -> Line {
    if changed(level) {
        Line::new().with(format!("{} ", ink.glyphs().steady[2]), Paint::new(Hue::Doubt))
    } else {
        Line::new()
    }
}

/// Settings for one row of figures.
struct Figures<'a> {
    ink: Ink,
    level: &'a LevelFigures,
    paint: Paint,
    strike: bool,
    sum: bool,
}

impl Figures<'_> {
    /// Returns the cells from `IOPS` to `time`.
    fn cells(&self, notes: &mut Notes) -> Vec<Line> {
        let l = self.level;
        let number = |text: String| self.bracket(Line::new().with(text, self.paint));
        let mut rate = change_mark(l, self.ink);
        rate.append(number(thousands(l.iops.value)));
        let ci = if self.strike { None } else { half_width(&l.iops, self.ink) };
        let cpu_cell = |sum: bool| {
            if sum != self.sum {
                return Line::new();
            }
            cpu(l.cpu_user, l.cpu_system, sum, self.paint).map_or_else(Line::new, |line| self.bracket(line))
        };
        vec![
            rate,
            Line::new().with(ci.unwrap_or_default(), Paint::DIM),
            number(megabytes(l.bandwidth)),
            self.time(l.mean),
            self.percentile(l.p50, notes),
            self.percentile(l.p99, notes),
            self.percentile(l.p999, notes),
            self.time(l.max),
            cpu_cell(true),
            cpu_cell(false),
            Line::new().with(count(l.ops), Paint::DIM),
            Line::new().with(duration(l.time), Paint::DIM),
        ]
    }

    /// Replaces strikethrough by parentheses if the terminal has no attributes.
    fn bracket(&self, line: Line) -> Line {
        if !self.strike || self.ink.color {
            return line;
        }
        // Omits the blank before the unit to make room for the parentheses.
        let text: String = line.spans.iter().flat_map(|s| s.text.chars()).filter(|c| *c != ' ').collect();
        Line::new().with(format!("({text})"), self.paint)
    }

    fn time(&self, value: Option<model::Nanos>) -> Line {
        value.map_or_else(|| Line::new().with("-", Paint::DIM), |v| self.bracket(latency(v, self.paint)))
    }

    /// Returns the row of a single kind of operation, struck through if its level is invalid.
    fn only(&self, op: Op, mean: model::Nanos, p99: Percentile, notes: &mut Notes) -> Vec<Line> {
        // Bold is reserved for rates.
        let paint = Paint { bold: false, ..self.paint };
        let row = Figures { paint, ..*self };
        let mut cells = vec![Line::new(); columns(self.ink).len()];
        cells[IOPS] = Line::new().with(self.ink.word(op_name(op)), Paint::DIM);
        cells[MEAN] = row.time(Some(mean));
        cells[P99] = row.percentile(p99, notes);
        cells
    }

    fn percentile(&self, value: Percentile, notes: &mut Notes) -> Line {
        notes.too_few |= value == Percentile::TooFew;
        match value.value() {
            Some(_) => self.time(value.value()),
            None => Line::new().with("-  ", Paint::DIM),
        }
    }
}

/// Returns the rows below a level: for a mix, one for each kind of operation, and one for flushes, if any. The levels
/// of a ramp are not split into kinds, except the held level, or the best level if none was held.
fn further_rows(entry: Entry, row: &Figures, notes: &mut Notes) -> Vec<Vec<Line>> {
    let (pattern, level) = entry;
    let mut rows = Vec::new();
    let shown = alone(entry) || (is_best(pattern, level) && !pattern.levels.iter().any(|l| l.hold));
    if shown && !level.apart.is_empty() {
        notes.mixed = level.apart.iter().map(|a| a.op).collect();
        rows.extend(level.apart.iter().map(|a| row.only(a.op, a.mean, a.p99, notes)));
    }
    if let Some((mean, p99)) = level.flush {
        rows.push(row.only(Op::Flush, mean, p99, notes));
    }
    rows
}

/// Returns the singular name of an operation, which is no wider than a rate.
pub(crate) fn op_name(op: Op) -> &'static str {
    match op {
        Op::Read => "op-read",
        Op::Write => "op-write",
        Op::Trim => "op-trim",
        Op::Flush => "op-flush",
    }
}

/// Returns the plural name of an operation.
fn plural(op: Op) -> Sentence {
    match op {
        Op::Read => sentence!("op-reads"),
        Op::Write => sentence!("op-writes"),
        Op::Trim => sentence!("op-trims"),
        Op::Flush => sentence!("op-flushes"),
    }
}

/// Returns the sign for the steadiness of a level, with its colour and note.
fn series(entry: Entry, ink: Ink, interval_missing: bool, notes: &mut Notes) -> (&'static str, Hue, Option<Message>) {
    let signs = ink.glyphs().steady;
    match &entry.1.steadiness {
        Steadiness::Steady => (signs[0], Hue::Pass, None),
        Steadiness::Settled { after } => {
            (signs[1], Hue::Pass, Some(message!("level-settled", after = duration(*after))))
        }
        Steadiness::TwoRegimes { .. } | Steadiness::Changed { .. } => {
            (signs[2], Hue::Doubt, Some(message!("level-changed", course = told_course(&entry.1.course))))
        }
        Steadiness::NotSettled { why } => (signs[3], Hue::Doubt, Some(message!("level-not-settled", why))),
        Steadiness::TooShort if !alone(entry) => (" ", Hue::Dim, None),
        Steadiness::TooShort if interval_missing => {
            notes.too_short = true;
            (signs[4], Hue::Dim, None)
        }
        Steadiness::TooShort => (signs[4], Hue::Dim, Some(message!("level-few-windows"))),
    }
}

/// Returns the sign of the series and the letters of its notes.
fn row_notes(entry: Entry, struck: Option<&Sentence>, ink: Ink, caveats: &[Caveat], notes: &mut Notes) -> Line {
    let level = entry.1;
    let mut letters = Vec::new();
    if let Some(reason) = struck {
        letters.push((notes.letter(ink.translate(reason), Hue::Fail), Hue::Fail));
    }
    let no_interval = alone(entry) && level.iops.ci.is_none() && !level.iops.ci_missing.is_empty();
    let (sign, hue, text) = series(entry, ink, no_interval, notes);
    if let Some(text) = text {
        letters.push((notes.letter(ink.format(&text), hue), hue));
    }
    let mut add = |present: bool, text: Message, hue: Hue| {
        if present {
            letters.push((notes.letter(ink.format(&text), hue), hue));
        }
    };
    add(no_interval, message!("level-no-interval", why = &level.iops.ci_missing), Hue::Dim);
    add(level.errors > 0, message!("level-failed", n = level.errors), Hue::Fail);
    let off = level.little.is_finite() && (level.little - 1.0).abs() > LITTLE_TOLERANCE;
    add(off, message!("level-little", share = format!("{:.2}", level.little)), Hue::Doubt);
    // An invalid row already names the caveat that made it invalid.
    let named = |id: &&String| struck.is_some_and(|reason| reason.contains(id.as_str()));
    let worth = |id: &&String| !SAID_IN_PLACE.contains(&id.as_str()) && (alone(entry) || !only_noted(id, caveats));
    let others: Vec<&str> = level.caveats.iter().filter(|id| !named(id) && worth(id)).map(String::as_str).collect();
    add(!others.is_empty(), message!("level-see", ids = others.join(", ")), Hue::Doubt);
    // A note that an earlier row also has keeps the letter of that row.
    letters.compact_sort_by(|(a, _), (b, _)| (a.len(), a).cmp(&(b.len(), b)));
    let mut line = Line::new().with(sign, Paint::new(hue));
    for (i, (text, hue)) in letters.into_iter().enumerate() {
        line.push(if i == 0 { " " } else { "," }, Paint::DIM);
        line.push(text, Paint::new(hue));
    }
    line
}

/// Returns `true` if the run has this caveat, and only with the severity of a note.
fn only_noted(id: &str, caveats: &[Caveat]) -> bool {
    let gravest = caveats.iter().filter(|c| c.id == id).map(|c| c.severity).max();
    gravest == Some(Severity::Note)
}

/// Moves the name of each workload to a line above its row.
fn stacked(mut table: Table) -> Table {
    let rows = std::mem::take(&mut table.rows);
    for row in rows {
        if let Row::Cells(mut cells) = row {
            let name = std::mem::take(&mut cells[WORKLOAD]);
            if name.width() > 0 {
                let mut line = Line::plain(" ");
                line.append(name);
                table.rows.push(Row::Across(line));
            }
            table.rows.push(Row::Cells(cells));
        }
    }
    table
}

/// Writes the meaning of the marks that occur before the rows.
fn legend(page: &mut Page, pattern: &PatternJudgement) -> io::Result<()> {
    let g = page.ink.glyphs();
    let mut line = Line::plain(" ");
    let ink = page.ink;
    let mut add = |present: bool, sign: &str, hue: Hue, text: &str| {
        if present {
            line.push(if line.spans.len() > 1 { "   " } else { "" }, Paint::PLAIN);
            line.push(sign, Paint::new(hue));
            line.push(if sign.is_empty() { text.to_owned() } else { format!(" {text}") }, Paint::DIM);
        }
    };
    add(pattern.levels.iter().any(|l| is_best(pattern, l)), g.best, Hue::Pass, ink.word("level-best"));
    add(pattern.levels.iter().any(|l| is_knee(pattern, l)), g.knee, Hue::Measured, ink.word("knee-label"));
    let held = pattern.levels.iter().find(|l| l.hold);
    if let Some(held) = held {
        let time = duration(held.time);
        let text = if changed(held) { message!("level-held-changed", time) } else { message!("level-held", time) };
        add(true, g.hold, Hue::Measured, &ink.format(&text));
    }
    let steady = pattern.levels.iter().any(|l| l.steadiness == Steadiness::Steady);
    add(steady, g.steady[0], Hue::Pass, ink.word("level-steady"));
    let short = pattern.levels.iter().any(|l| l.steadiness == Steadiness::TooShort && !alone((pattern, l)));
    add(short, "", Hue::Dim, ink.word("level-no-sign"));
    if line.spans.len() > 1 { page.line(line) } else { Ok(()) }
}

fn footnotes(page: &mut Page, notes: &Notes, laid: &Laid) -> io::Result<()> {
    let ink = page.ink;
    for (i, (text, hue)) in notes.texts.iter().enumerate() {
        page.hanging(Line::plain(" ").with(letter(i), Paint::new(*hue)), 4, text, Paint::DIM)?;
    }
    if let [.., last] = notes.mixed.as_slice() {
        let first = listed(notes.mixed[..notes.mixed.len() - 1].iter().map(|op| plural(*op)));
        let ops = message!("list-and", first, last = plural(*last));
        page.hanging(Line::plain(" "), 1, &ink.format(&message!("level-mix", ops)), Paint::DIM)?;
    }
    if notes.too_short {
        let lead = Line::new().with(format!(" {}", page.ink.glyphs().steady[4]), Paint::DIM);
        page.hanging(lead, 4, ink.word("level-too-short"), Paint::DIM)?;
    }
    if notes.too_few {
        page.hanging(Line::new().with(" -", Paint::DIM), 4, ink.word("level-too-few"), Paint::DIM)?;
    }
    if !laid.dropped.is_empty() {
        let text = ink.format(&message!("level-not-shown", heads = laid.dropped.join(", ")));
        page.hanging(Line::plain(" "), 4, &text, Paint::DIM)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_never_run_out_of_letters() {
        assert_eq!([letter(0), letter(25), letter(26), letter(53)], ["a", "z", "a2", "b3"]);
    }

    #[test]
    fn equal_notes_share_a_letter() {
        let mut notes = Notes::default();
        assert_eq!(notes.letter("x".into(), Hue::Dim), "a");
        assert_eq!(notes.letter("y".into(), Hue::Dim), "b");
        assert_eq!(notes.letter("x".into(), Hue::Dim), "a");
    }
}
