//! Tables on the screen: columns that fit, letters of notes, footnotes and legends.
//!
//! Implemented here instead of using a table crate, because result tables have opposite requirements: cells must never
//! be wrapped (a figure split over two lines is misread); if room is short, whole columns are dropped, the least
//! important first, and the output says so; cells contain spans with different styles; rows without columns (headings,
//! rules) appear between the others.

use crate::document::table::Align;
use crate::document::{Cell, Column, Note, NoteId, Notes, Repeat, Row, Table, Tone, Value};
use crate::widgets::figures::latency;
use crate::widgets::ink::Ink;
use crate::widgets::page::Page;
use crate::widgets::text::{Line, Paint, Span, width};
use messages::{Sentence, message};
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// Width of the screen from which a single bar has its full length, in columns. Several bars share the room.
const WIDE: usize = 96;

/// Writes a table with the notes of its rows and its legend; nothing for a table without rows.
pub(super) fn write(page: &mut Page, table: &Table, notes: &Notes) -> io::Result<()> {
    if table.rows.is_empty() {
        return Ok(());
    }
    let ink = page.ink;
    let frame = Frame::new(table, notes, ink);
    let dropped = if frame.columns().last().is_some_and(|(_, c)| c.wraps) {
        frame.write_hanging(page)?;
        Vec::new()
    } else {
        let (lines, dropped) = frame.laid();
        page.lines(lines)?;
        dropped
    };
    super::more(page, table.more)?;
    frame.signs(page)?;
    let margin = " ".repeat(usize::from(table.indent.min(1)));
    for (i, note) in frame.letters.iter().map(|id| notes.note(*id)).enumerate() {
        let text = match note.is_local {
            true => ink.translate(&note.statement),
            false => ink.format(&message!("level-see", ids = &note.key)),
        };
        page.hanging(Line::plain(" ").with(letter(i), note.tone.paint()), 4, &text, Paint::DIM)?;
    }
    let is_shown = |c: &Column| !dropped.iter().any(|d| std::ptr::eq(*d, c)) && c.is_on_screen(ink.width);
    let meanings = ink.translate(table.meanings(is_shown));
    if !meanings.is_empty() {
        page.hanging(Line::plain(&*margin), margin.len(), &meanings, Paint::DIM)?;
    }
    for line in &table.legend {
        let lead = Line::plain(&*margin).with(line.sign.map_or("", |s| s.glyph(ink)), line.tone.paint());
        page.hanging(lead, if line.sign.is_some() { 4 } else { margin.len() }, &ink.translate(&line.text), Paint::DIM)?;
    }
    // Bars have no header.
    let heads: Vec<String> = dropped.iter().map(|c| head(c, ink)).filter(|head| !head.is_empty()).collect();
    if heads.is_empty() {
        return Ok(());
    }
    let text = ink.format(&message!("no-room", heads = heads.join(", ")));
    page.hanging(Line::plain(&*margin), margin.len(), &text, Paint::DIM)
}

/// Returns the lines of a table without notes and legend: its header, if it has one, and its rows.
pub(crate) fn lines(table: &Table, ink: Ink) -> Vec<Line> {
    Frame::new(table, &Notes::default(), ink).laid().0
}

/// Returns the header of a column on the screen.
fn head(column: &Column, ink: Ink) -> String {
    match column.short {
        _ if column.is_bare => String::new(),
        "" => column.head.text(ink.language),
        short => short.to_owned(),
    }
}

/// Returns the letter of note `n`: `a` to `z`, then `a2` to `z2`, ...
fn letter(n: usize) -> String {
    let c = char::from(b'a' + (n % 26) as u8);
    if n < 26 { c.to_string() } else { format!("{c}{}", n / 26 + 1) }
}

/// A table with what its cells need to be drawn.
struct Frame<'a> {
    table: &'a Table,
    notes: &'a Notes,
    ink: Ink,
    /// Notes in the order of their letters.
    letters: Vec<NoteId>,
    /// For each column, true if it has latencies: a dash is then below the digits.
    has_times: Vec<bool>,
    /// Length of a bar if there are several in a row; `None` for the length that its column gives.
    bar: Option<usize>,
    /// For each column that is shortened in the middle, its texts and their short forms.
    fitted: BTreeMap<usize, BTreeMap<String, String>>,
}

impl<'a> Frame<'a> {
    fn new(table: &'a Table, notes: &'a Notes, ink: Ink) -> Frame<'a> {
        let mut letters: Vec<NoteId> = Vec::new();
        for row in &table.rows {
            if let Row::Cells { notes, .. } = row {
                letters.extend(notes.iter().filter(|id| !letters.contains(id)).collect::<Vec<_>>());
            }
        }
        let has_times = |i: usize| table.cells().any(|cells| matches!(cells[i].value, Value::Time(_) | Value::TooFew));
        let has_times = (0..table.columns.len()).map(has_times).collect();
        let mut frame = Frame { table, notes, ink, letters, has_times, bar: None, fitted: BTreeMap::new() };
        let middle = (0..table.columns.len()).filter(|i| table.columns[*i].is_middle);
        frame.fitted = middle.map(|i| (i, fitted(table, i, ink))).collect();
        let is_bar = |i: &usize| table.cells().any(|cells| matches!(cells[*i].value, Value::Bar(_)));
        let bars: Vec<&Column> = (0..table.columns.len()).filter(is_bar).map(|i| &table.columns[i]).collect();
        if let [first, _, ..] = bars.as_slice() {
            // Two blanks between columns.
            let apart = Ink { width: ink.width.saturating_sub(table.columns.len() - 1), ..ink };
            let fits = |width: &usize| {
                frame.bar = Some(*width);
                frame.build(0, false).lacks(apart) == 0
            };
            let (least, most) = (usize::from(first.least), usize::from(first.most));
            frame.bar = (least..=most).rev().find(fits).or(Some(least));
        }
        frame
    }

    /// Returns the columns on the screen with their indices.
    fn columns(&self) -> impl DoubleEndedIterator<Item = (usize, &'a Column)> {
        self.table.columns.iter().enumerate().filter(|(_, c)| c.is_on_screen(self.ink.width))
    }

    /// Lays out the table: columns are first shortened, then one column is moved to separate lines, then columns are
    /// dropped. Returns the lines, and the dropped columns that are reported to the reader.
    fn laid(&self) -> (Vec<Line>, Vec<&'a Column>) {
        let mut grid = self.build(0, false);
        let lacks = grid.lacks(self.ink);
        if lacks > 0 && self.columns().any(|(_, c)| c.least > 0) {
            grid = self.build(lacks, false);
        }
        let laid = grid.lay(self.ink);
        if laid.1.is_empty() || self.table.stacked.is_none() {
            return laid;
        }
        self.build(lacks, true).lay(self.ink)
    }

    /// Returns the table with shortenable columns narrower by `lacks`.
    fn build(&self, lacks: usize, stacked: bool) -> Grid<'a> {
        let columns: Vec<&Column> = self.columns().map(|(_, c)| c).collect();
        let marks = columns.iter().rposition(|c| c.is_marks());
        let mut out = Grid { columns, rows: Vec::new(), indent: usize::from(self.table.indent) };
        let mut above: Option<&Vec<Cell>> = None;
        for row in &self.table.rows {
            match row {
                Row::Group(text) => out.rows.push(Drawn::Across(Line::plain(" ").with(self.said(text), Paint::BOLD))),
                Row::Note(text) => out.rows.push(Drawn::Across(Line::new().with(self.said(text), Paint::DIM))),
                Row::Blank => out.rows.push(Drawn::Across(Line::new())),
                Row::Cells { cells, notes, is_sub } => {
                    let mut equal = above;
                    let line = |(i, c): (usize, &Column)| {
                        let line = self.cell(&cells[i], c, i, equal, lacks);
                        equal = equal.filter(|above| c.repeat != Repeat::Blank || above[i].value == cells[i].value);
                        line
                    };
                    let mut lines: Vec<Line> = self.columns().map(line).collect();
                    if *is_sub && lines[0].width() > 0 {
                        lines[0].spans.insert(0, Span::new("  ", Paint::PLAIN));
                    }
                    if let Some(at) = marks {
                        self.letters_of(notes, &mut lines[at]);
                    }
                    if let Some(at) = self.table.stacked.filter(|_| stacked) {
                        let at = self.columns().position(|(i, _)| i == at).unwrap_or(0);
                        let name = std::mem::take(&mut lines[at]);
                        if name.width() > 0 {
                            let mut line = Line::plain(" ");
                            line.append(name);
                            out.rows.push(Drawn::Across(line));
                        }
                    }
                    out.rows.push(Drawn::Cells(lines));
                    above = Some(cells);
                }
            }
        }
        out
    }

    fn said(&self, text: &Sentence) -> String {
        self.ink.text(&self.ink.translate(text))
    }

    /// Adds the letters of a row's notes to its signs.
    fn letters_of(&self, notes: &[NoteId], line: &mut Line) {
        let mut at: Vec<usize> = notes.iter().filter_map(|id| self.letters.iter().position(|l| l == id)).collect();
        at.sort_unstable();
        for (i, n) in at.into_iter().enumerate() {
            line.push(if i == 0 { " " } else { "," }, Paint::DIM);
            let note: &Note = self.notes.note(self.letters[n]);
            line.push(letter(n), note.tone.paint());
        }
    }

    fn cell(&self, cell: &Cell, column: &Column, i: usize, above: Option<&Vec<Cell>>, lacks: usize) -> Line {
        let ink = self.ink;
        if column.repeat != Repeat::Shown && above.is_some_and(|cells| cells[i].value == cell.value) {
            return match column.repeat {
                Repeat::Word(id) if cell.value != Value::Blank => Line::new().with(ink.word(id), Paint::DIM),
                _ => Line::new(),
            };
        }
        let paint = match cell.struck {
            true => Paint::STRUCK,
            false => Paint { bold: cell.strong, ..cell.tone.paint() },
        };
        let mut line = match &cell.value {
            Value::Blank => return Line::new(),
            value if value.is_unknown() => Line::new().with(if self.has_times[i] { "-  " } else { "-" }, Paint::DIM),
            Value::Time(time) => latency(*time, paint),
            Value::Bar(share) => {
                let full = if ink.width >= WIDE { column.most } else { column.least };
                let tone = if cell.tone == Tone::Plain { Tone::Measured } else { cell.tone };
                return ink.bar(*share, self.bar.unwrap_or(full.into()), tone.paint());
            }
            Value::Signs(signs) => {
                let mut line = Line::new();
                for sign in signs {
                    match sign {
                        Some((sign, tone)) => line.push(sign.glyph(ink), tone.paint()),
                        None => line.push(" ", Paint::PLAIN),
                    }
                }
                return line;
            }
            value => {
                let text = ink.text(&value.shown(ink));
                let short = self.fitted.get(&i).and_then(|fitted| fitted.get(&text)).cloned();
                Line::new().with(short.unwrap_or(text), paint)
            }
        };
        if cell.struck && !ink.color && !cell.value.is_unknown() {
            // Omits the blank before the unit to make room for the parentheses.
            let text: String = line.spans.iter().flat_map(|s| s.text.chars()).filter(|c| *c != ' ').collect();
            line = Line::new().with(format!("({text})"), paint);
        }
        let mut whole = Line::new();
        if let Some(sign) = cell.sign {
            whole.push(format!("{} ", sign.glyph(ink)), Paint { bold: false, ..paint });
        }
        whole.append(line);
        whole.push(cell.suffix, Paint::DIM);
        if column.most > 0 && column.align == Align::Left && !column.is_middle {
            whole.clip(self.room(column, i, lacks), ink.glyphs().ellipsis);
        }
        whole
    }

    /// Returns the maximum width of a column of words if the table is too wide by `lacks`.
    fn room(&self, column: &Column, i: usize, lacks: usize) -> usize {
        // Leaves room for another column.
        let widest = self.ink.width.saturating_sub(10).max(20);
        let (most, least) = (usize::from(column.most).min(widest), usize::from(column.least));
        if lacks == 0 || least == 0 {
            return most;
        }
        let widest = self.table.cells().map(|cells| width(&cells[i].value.shown(self.ink))).max().unwrap_or(0);
        widest.min(most).saturating_sub(lacks).max(least)
    }

    /// Writes a table whose last column is wrapped.
    fn write_hanging(&self, page: &mut Page) -> io::Result<()> {
        let columns: Vec<(usize, &Column)> = self.columns().collect();
        let Some(((last, wrapped), first)) = columns.split_last() else { return Ok(()) };
        let heads: Vec<Cell> = self.table.columns.iter().map(head_cell).collect();
        let has_heads = columns.iter().any(|(_, c)| !c.is_bare && !c.head.text(self.ink.language).is_empty());
        let head = has_heads.then_some((&heads, true));
        let rows: Vec<(&Vec<Cell>, bool)> = head.into_iter().chain(self.table.cells().map(|c| (c, false))).collect();
        let text = |cells: &Vec<Cell>, i: usize, c: &Column| self.cell(&cells[i], c, i, None, 0);
        let widths: Vec<usize> =
            first.iter().map(|(i, c)| rows.iter().map(|(r, _)| text(r, *i, c).width()).max().unwrap_or(0)).collect();
        let indent = usize::from(self.table.indent);
        let mut above: Option<&Vec<Cell>> = None;
        for (cells, is_head) in rows {
            let mut lead = Line::plain(" ".repeat(indent));
            let mut edge = indent;
            for ((i, column), width) in first.iter().zip(&widths) {
                let cell = text(cells, *i, column);
                if column.align == Align::Right {
                    lead.pad_to(edge + width - cell.width());
                }
                lead.append(cell);
                edge += width + 2;
                lead.pad_to(edge);
            }
            let line = self.cell(&cells[*last], wrapped, *last, above, 0);
            let paint = line.spans.first().map_or(Paint::PLAIN, |span| span.paint);
            let plain: String = line.spans.into_iter().map(|span| span.text).collect();
            if plain.is_empty() || edge > page.ink.width / 2 {
                // The text would be a narrow column.
                page.line(std::mem::take(&mut lead))?;
                edge = indent + 2;
            }
            if !plain.is_empty() {
                page.hanging(lead, edge, &plain, paint)?;
            }
            above = (!is_head).then_some(cells);
        }
        Ok(())
    }

    /// Writes the meaning of the signs on one line.
    fn signs(&self, page: &mut Page) -> io::Result<()> {
        let mut line = Line::plain(" ");
        for legend in &self.table.signs {
            line.push(if line.spans.len() > 1 { "   " } else { "" }, Paint::PLAIN);
            let sign = legend.sign.map_or("", |sign| sign.glyph(self.ink));
            let text = self.ink.translate(&legend.text);
            line.push(sign, legend.tone.paint());
            line.push(if sign.is_empty() { text } else { format!(" {text}") }, Paint::DIM);
        }
        if line.spans.len() > 1 { page.line(line) } else { Ok(()) }
    }
}

/// A row of a [`Grid`]: cells, or a line across all columns.
enum Drawn {
    Cells(Vec<Line>),
    Across(Line),
}

/// A table whose cells are drawn; rows have as many cells as there are columns.
struct Grid<'a> {
    columns: Vec<&'a Column>,
    rows: Vec<Drawn>,
    /// Number of blanks before the first column.
    indent: usize,
}

impl<'a> Grid<'a> {
    /// Returns the width of each column; 0 for an empty column, which is omitted.
    fn widths(&self, ink: Ink) -> Vec<usize> {
        let body = |i: usize| {
            let width = |row: &Drawn| if let Drawn::Cells(cells) = row { cells[i].width() } else { 0 };
            self.rows.iter().map(width).max().unwrap_or(0)
        };
        let with_head = |(i, column): (usize, &&Column)| match body(i) {
            0 => 0,
            n => n.max(width(&head(column, ink))),
        };
        self.columns.iter().enumerate().map(with_head).collect()
    }

    /// Returns by how many cells the page is too narrow to show all columns with one blank between them.
    fn lacks(&self, ink: Ink) -> usize {
        let shown: Vec<usize> = self.widths(ink).into_iter().filter(|w| *w > 0).collect();
        (self.indent + shown.iter().sum::<usize>() + shown.len().saturating_sub(1)).saturating_sub(ink.width)
    }

    /// Lays out the table for the page. Optional columns are kept only if two blanks fit between columns. If the rest
    /// is too wide, columns are separated by one blank, then the least important ones are dropped. Returns the lines,
    /// and the dropped columns that are reported to the reader.
    fn lay(&self, ink: Ink) -> (Vec<Line>, Vec<&'a Column>) {
        let widths = self.widths(ink);
        let mut shown: Vec<usize> = (0..self.columns.len()).filter(|i| widths[*i] > 0).collect();
        let needs = |shown: &[usize], gap: usize| {
            self.indent + shown.iter().map(|i| widths[*i]).sum::<usize>() + gap * shown.len().saturating_sub(1)
        };
        let mut dropped = Vec::new();
        loop {
            let may_go = |i: &usize| {
                let column = self.columns[*i];
                column.rank > 0 && (needs(&shown, 1) > ink.width || column.is_extra && needs(&shown, 2) > ink.width)
            };
            let candidates = shown.iter().copied().filter(may_go);
            let order = |i: &usize| (self.columns[*i].is_extra, self.columns[*i].rank);
            let Some(victim) = candidates.max_by_key(order) else { break };
            dropped.extend(Some(self.columns[victim]).filter(|column| !column.is_extra));
            shown.retain(|i| *i != victim);
        }
        let gap = if needs(&shown, 2) <= ink.width { 2 } else { 1 };
        let heads: Vec<Line> = self.columns.iter().map(|c| Line::new().with(head(c, ink), Paint::DIM)).collect();
        let has_heads = heads.iter().any(|head| head.width() > 0);
        let rows = self.rows.iter().map(|row| match row {
            Drawn::Cells(cells) => {
                let cells: Vec<Line> = cells.iter().map(|cell| ink.grouped(cell)).collect();
                self.set(&cells, &shown, &widths, gap)
            }
            Drawn::Across(line) => line.clone(),
        });
        let heads = has_heads.then(|| self.set(&heads, &shown, &widths, gap));
        (heads.into_iter().chain(rows).collect(), dropped)
    }

    fn set(&self, cells: &[Line], shown: &[usize], widths: &[usize], gap: usize) -> Line {
        let mut line = Line::plain(" ".repeat(self.indent));
        let mut edge = self.indent;
        for (n, &i) in shown.iter().enumerate() {
            edge += if n > 0 { gap } else { 0 };
            let lead = if self.columns[i].align == Align::Left { 0 } else { widths[i] - cells[i].width() };
            line.pad_to(edge + lead);
            line.append(cells[i].clone());
            edge += widths[i];
        }
        line
    }
}

/// Returns the texts of a column with their forms that are shortened in the middle.
fn fitted(table: &Table, i: usize, ink: Ink) -> BTreeMap<String, String> {
    let (most, ellipsis) = (usize::from(table.columns[i].most), ink.glyphs().ellipsis);
    let texts: BTreeSet<String> = table.cells().map(|cells| ink.text(&cells[i].value.shown(ink))).collect();
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    texts.iter().for_each(|text| *uses.entry(shortened(text, most, ellipsis)).or_default() += 1);
    let form = |text: String| {
        let short = shortened(&text, most, ellipsis);
        let short = if uses[&short] > 1 { text.clone() } else { short };
        (text, short)
    };
    texts.into_iter().map(form).collect()
}

/// Shortens a text in the middle.
fn shortened(text: &str, most: usize, ellipsis: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() <= most {
        return text.to_owned();
    }
    let (front, back) = (most / 2, most - most / 2 - ellipsis.chars().count());
    let end: String = chars[chars.len() - back..].iter().collect();
    format!("{}{ellipsis}{end}", chars[..front].iter().collect::<String>())
}

fn head_cell(column: &Column) -> Cell {
    let value = if column.is_bare { Value::Blank } else { Value::Text(column.head.sentence()) };
    Cell::from(value).tone(Tone::Dim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Style;
    use crate::document::Word;
    use crate::widgets::page::render;
    use messages::sentence;
    use model::Nanos;

    #[test]
    fn notes_never_run_out_of_letters() {
        assert_eq!([letter(0), letter(25), letter(26), letter(53)], ["a", "z", "a2", "b3"]);
    }

    #[test]
    fn rows_share_the_letters_of_equal_notes_and_struck_figures_are_in_parentheses() {
        let mut notes = Notes::default();
        let hung = notes.footnote(sentence!("level-few-windows"), Tone::Fail);
        let times = [("a", Cell::from(Nanos::from_micros(5)).struck(true)), ("b", Value::Unknown.into())];
        let table = Table::builder("t", &times)
            .column(Column::text("name", ""), |(name, _)| Value::name(name))
            .column(Column::figure("mean_ns", "page-mean"), |(_, time)| time.clone())
            .column(Column::signs(), |_| Cell::default())
            .notes(|_| vec![hung])
            .build();
        let style = Style::default();
        let text = render(&style, |page| write(page, &table, &notes));
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[1].ends_with("(5.00us)   a") && lines[2].ends_with("-     a"), "{text}");
        assert_eq!(lines.iter().filter(|l| l.starts_with(" a  ") && !l.contains("us")).count(), 1, "{text}");
    }

    #[test]
    fn texts_that_would_become_equal_are_not_shortened_in_the_middle() {
        let names =
            ["LogicalDisk(C:) Disk sec/Transfer", "LogicalDisk(D:) Disk sec/Transfer", "a-long-name-of-a-file.txt"];
        let mut table = Table::new("t", [Column::text("name", "").middle(12)]);
        for name in names {
            table.row([Value::name(name).into()]);
        }
        let text = render(&Style::default(), |page| write(page, &table, &Notes::default()));
        assert!(text.contains(names[0]) && text.contains(names[1]) && text.contains("a-long…e.txt"), "{text}");
    }

    #[test]
    fn a_column_is_shortened_before_another_is_dropped() {
        let mut table = Table::new(
            "t",
            [
                Column::text("name", ""),
                Column::term("iops", "IOPS").rank(1),
                Column::text("binds", "").most(28).least(12),
            ],
        );
        let name = |n: &str| Cell::from(Value::name(n));
        table.row([name("8k randread"), Value::Number(5_998.0).into(), name("a limit with a long name")]);
        let style = Style { width: 40, ..Style::default() };
        let text = render(&style, |page| write(page, &table, &Notes::default()));
        assert!(text.contains("5,998") && text.contains('…'), "{text}");
    }

    fn laid_out(width: usize) -> (String, Vec<Column>) {
        let mut table = Table::new(
            "t",
            [
                Column::text("name", Word::Term("name")),
                Column::term("iops", "IOPS"),
                Column::term("p50", "p50").rank(2),
                Column::term("ops", "ops").extra(9),
                Column::term("never", "never"),
            ],
        );
        let cells = |texts: [&str; 5]| texts.map(|text| Cell::from(Value::name(text)));
        table.row(cells(["a", "6,000", "441 us", "1.23 M", ""]));
        table.rows.push(Row::Note(" held".into()));
        table.row(cells(["longer", "10", "1 ms", "12", ""]));
        let style = Style { width, ..Style::default() };
        let ink = Ink { width, ..Ink::new(&style) };
        let (notes, table) = (Notes::default(), table);
        let (lines, dropped) = Frame::new(&table, &notes, ink).laid();
        (render(&style, |p| p.lines(lines)), dropped.into_iter().cloned().collect())
    }

    #[test]
    fn digits_stand_under_digits_and_empty_columns_are_left_out() {
        let (text, dropped) = laid_out(60);
        assert_eq!(
            text,
            " name     IOPS     p50     ops\n a       6,000  441 us  1.23 M\n held\n longer     10    1 ms      12\n"
        );
        assert!(dropped.is_empty());
    }

    #[test]
    fn the_least_important_columns_go_first_and_only_the_real_ones_are_told() {
        let (text, dropped) = laid_out(22);
        assert!(!text.contains("ops") && text.contains("p50"), "{text}");
        assert!(dropped.is_empty());
        let (text, dropped) = laid_out(18);
        assert!(!text.contains("p50"), "{text}");
        assert_eq!(dropped.iter().map(|c| c.key).collect::<Vec<_>>(), ["p50"]);
    }
}
