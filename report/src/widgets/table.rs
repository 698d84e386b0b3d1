//! Tables: columns of figures that fit the page.
//!
//! Implemented here instead of using a table crate, because result tables have opposite requirements: cells must never
//! be wrapped (a figure split over two lines is misread); if room is short, whole columns are dropped, the least
//! important first, and the output says so; cells contain spans with different styles; rows without columns (headings,
//! rules) appear between the others.

use crate::widgets::ink::Ink;
use crate::widgets::page::Page;
use crate::widgets::text::{Line, Paint};
use messages::message;
use std::io;

/// Alignment of text in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Align {
    #[default]
    Left,
    Right,
}

/// One column.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub head: String,
    pub align: Align,
    /// Rank for dropping the column if room is short, the highest first; 0 keeps it.
    pub drop: u8,
    /// True if the reader is informed when the column is dropped.
    pub is_reported: bool,
}

impl Column {
    pub fn left(head: impl Into<String>) -> Column {
        Column { head: head.into(), align: Align::Left, drop: 0, is_reported: true }
    }

    pub fn right(head: impl Into<String>) -> Column {
        Column { head: head.into(), align: Align::Right, drop: 0, is_reported: true }
    }

    /// Allows the column to be dropped if room is short, before those with a lower `rank`.
    pub fn droppable(mut self, rank: u8) -> Column {
        self.drop = rank;
        self
    }

    /// Marks the column as optional: it is dropped without notice.
    pub fn extra(mut self, rank: u8) -> Column {
        self.drop = rank;
        self.is_reported = false;
        self
    }
}

/// A row: cells, or a line across all columns.
#[derive(Debug, Clone)]
pub(crate) enum Row {
    Cells(Vec<Line>),
    Across(Line),
}

/// A table; rows have as many cells as there are columns.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
    /// Number of blanks before the first column.
    pub indent: usize,
}

/// A table after layout.
#[derive(Debug)]
pub(crate) struct Laid {
    pub lines: Vec<Line>,
    /// Headers of the dropped columns that are reported to the reader.
    pub dropped: Vec<String>,
}

impl Table {
    pub fn new(columns: Vec<Column>, indent: usize) -> Table {
        Table { columns, rows: Vec::new(), indent }
    }

    pub fn row(&mut self, cells: Vec<Line>) {
        debug_assert_eq!(cells.len(), self.columns.len());
        self.rows.push(Row::Cells(cells));
    }

    fn cells(&self) -> impl Iterator<Item = &Vec<Line>> {
        self.rows.iter().filter_map(|row| match row {
            Row::Cells(cells) => Some(cells),
            Row::Across(_) => None,
        })
    }

    /// Returns the width of each column; 0 for an empty column, which is omitted.
    fn widths(&self) -> Vec<usize> {
        let body = |i: usize| self.cells().map(|cells| cells[i].width()).max().unwrap_or(0);
        (0..self.columns.len())
            .map(|i| match body(i) {
                0 => 0,
                w => w.max(crate::widgets::text::width(&self.columns[i].head)),
            })
            .collect()
    }

    /// Returns by how many cells the page is too narrow to show all columns with one blank between them.
    pub fn lacks(&self, ink: Ink) -> usize {
        let shown: Vec<usize> = self.widths().into_iter().filter(|w| *w > 0).collect();
        (self.indent + shown.iter().sum::<usize>() + shown.len().saturating_sub(1)).saturating_sub(ink.width)
    }

    /// Writes the table, and below it the headers of dropped columns.
    pub fn write(&self, page: &mut Page) -> io::Result<()> {
        let laid = self.lay(page.ink);
        page.lines(laid.lines)?;
        if laid.dropped.is_empty() {
            return Ok(());
        }
        let text = page.ink.format(&message!("no-room", heads = laid.dropped.join(", ")));
        page.hanging(Line::plain(" "), 1, &text, Paint::DIM)
    }

    /// Lays out the table for the page. Optional columns are kept only if two blanks fit between columns. If the rest
    /// is too wide, columns are separated by one blank, then the least important ones are dropped.
    pub fn lay(&self, ink: Ink) -> Laid {
        let widths = self.widths();
        let mut shown: Vec<usize> = (0..self.columns.len()).filter(|i| widths[*i] > 0).collect();
        let needs = |shown: &[usize], gap: usize| {
            self.indent + shown.iter().map(|i| widths[*i]).sum::<usize>() + gap * shown.len().saturating_sub(1)
        };
        let mut dropped = Vec::new();
        loop {
            let extra = |i: &usize| self.columns[*i].drop > 0 && !self.columns[*i].is_reported;
            let may_go = |i: &usize| {
                extra(i) && needs(&shown, 2) > ink.width || self.columns[*i].drop > 0 && needs(&shown, 1) > ink.width
            };
            let candidates = shown.iter().copied().filter(may_go);
            let Some(victim) = candidates.max_by_key(|i| (extra(i), self.columns[*i].drop)) else { break };
            if self.columns[victim].is_reported {
                dropped.push(self.columns[victim].head.clone());
            }
            shown.retain(|i| *i != victim);
        }
        let gap = if needs(&shown, 2) <= ink.width { 2 } else { 1 };
        let heads: Vec<Line> = self.columns.iter().map(|c| Line::new().with(c.head.clone(), Paint::DIM)).collect();
        let mut lines = Vec::with_capacity(self.rows.len() + 1);
        if heads.iter().any(|h| h.width() > 0) {
            lines.push(self.set(&heads, &shown, &widths, gap));
        }
        for row in &self.rows {
            lines.push(match row {
                Row::Cells(cells) => {
                    let cells: Vec<Line> = cells.iter().map(|cell| ink.grouped(cell)).collect();
                    self.set(&cells, &shown, &widths, gap)
                }
                Row::Across(line) => line.clone(),
            });
        }
        Laid { lines, dropped }
    }

    fn set(&self, cells: &[Line], shown: &[usize], widths: &[usize], gap: usize) -> Line {
        let mut line = Line::plain(" ".repeat(self.indent));
        let mut edge = self.indent;
        for (n, &i) in shown.iter().enumerate() {
            edge += if n > 0 { gap } else { 0 };
            let cell = &cells[i];
            let lead = match self.columns[i].align {
                Align::Left => 0,
                Align::Right => widths[i] - cell.width(),
            };
            line.pad_to(edge + lead);
            line.append(cell.clone());
            edge += widths[i];
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Style;
    use crate::widgets::page::render;

    fn table() -> Table {
        let mut t = Table::new(
            vec![
                Column::left("name"),
                Column::right("IOPS"),
                Column::right("p50").droppable(2),
                Column::right("ops").extra(9),
                Column::right("never"),
            ],
            1,
        );
        t.row(["a", "6,000", "441 us", "1.23 M", ""].map(Line::plain).to_vec());
        t.rows.push(Row::Across(Line::plain(" held")));
        t.row(["longer", "10", "1 ms", "12", ""].map(Line::plain).to_vec());
        t
    }

    fn laid_out(width: usize) -> (String, Vec<String>) {
        let style = Style { color: false, unicode: true, width, language: messages::Language::English };
        let laid = table().lay(Ink { width, ..Ink::new(&style) });
        let dropped = laid.dropped.clone();
        (render(&style, |p| p.lines(laid.lines)), dropped)
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
        assert_eq!(dropped, ["p50"]);
    }
}
