//! A sheet: headings, labelled paragraphs and tables, for commands that show no run.

use crate::Style;
use crate::widgets::page::Page;
use crate::widgets::table::{Align, Column, Row, Table};
use crate::widgets::text::{Hue, Line, Paint};
use messages::message;
use std::io::{self, Write};

/// A column of a sheet's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SheetColumn {
    /// Header of the column.
    pub head: &'static str,
    /// True for figures, which are right-aligned.
    pub figures: bool,
    /// Rank for dropping the column if room is short, the highest first; 0 keeps it.
    pub rank: u8,
}

impl SheetColumn {
    /// Creates a column of text.
    #[must_use]
    pub const fn words(head: &'static str) -> SheetColumn {
        SheetColumn { head, figures: false, rank: 0 }
    }

    /// Creates a column of figures.
    #[must_use]
    pub const fn figures(head: &'static str) -> SheetColumn {
        SheetColumn { head, figures: true, rank: 0 }
    }

    /// Allows the column to be dropped if room is short, before those with a lower rank.
    #[must_use]
    pub const fn droppable(mut self, rank: u8) -> SheetColumn {
        self.rank = rank;
        self
    }
}

/// A row of a sheet's table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SheetRow {
    /// One text for each column.
    Cells(Vec<String>),
    /// A line across all columns.
    Across(String),
}

/// A part of a sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SheetPart {
    /// A horizontal rule with a title and an aside.
    Heading(String, String),
    /// A paragraph with a label in the margin.
    Labelled(&'static str, String),
    /// A paragraph marked as a doubt.
    Doubt(&'static str, String),
    /// A table: its columns and rows.
    Table(Vec<SheetColumn>, Vec<SheetRow>),
    /// An empty line.
    Blank,
}

/// Writes a sheet.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_sheet(parts: &[SheetPart], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(style, out);
    for part in parts {
        match part {
            SheetPart::Heading(title, aside) => page.heading(title, aside)?,
            SheetPart::Labelled(label, text) => page.labelled(label, Paint::DIM, text, Paint::PLAIN)?,
            SheetPart::Doubt(label, text) => page.labelled(label, Paint::DIM, text, Paint::new(Hue::Doubt))?,
            SheetPart::Blank => page.blank()?,
            SheetPart::Table(columns, rows) => table(&mut page, columns, rows)?,
        }
    }
    Ok(())
}

fn table(page: &mut Page, columns: &[SheetColumn], rows: &[SheetRow]) -> io::Result<()> {
    let column = |c: &SheetColumn| Column {
        head: c.head,
        align: if c.figures { Align::Right } else { Align::Left },
        drop: c.rank,
        is_reported: true,
    };
    let mut table = Table::new(columns.iter().map(column).collect(), 0);
    let widest = page.ink.width.saturating_sub(10).max(20);
    for row in rows {
        match row {
            SheetRow::Cells(cells) => {
                let cell = |(i, text): (usize, &String)| {
                    let paint = if i == 0 { Paint::BOLD } else { Paint::PLAIN };
                    Line::new().with(page.ink.clipped(text, widest), paint)
                };
                table.row(cells.iter().enumerate().map(cell).collect());
            }
            SheetRow::Across(text) => table.rows.push(Row::Across(Line::new().with(page.ink.text(text), Paint::DIM))),
        }
    }
    let laid = table.lay(page.ink);
    page.lines(laid.lines)?;
    if !laid.dropped.is_empty() {
        let text = page.ink.format(&message!("no-room", heads = laid.dropped.join(", ")));
        page.line(Line::new().with(text, Paint::DIM))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::text::width;

    fn screen(columns: usize, unicode: bool) -> String {
        let parts = [
            SheetPart::Heading("gp3".into(), "2023-05-11".into()),
            SheetPart::Labelled("source", "a document of the vendor, that is long enough to be wrapped here".into()),
            SheetPart::Table(
                vec![
                    SheetColumn::words("bs"),
                    SheetColumn::figures("IOPS"),
                    SheetColumn::figures("MB/s").droppable(1),
                    SheetColumn::words("binds"),
                ],
                vec![
                    SheetRow::Cells(["8k", "6,000", "49.2", "gp3 volume IOPS"].map(String::from).to_vec()),
                    SheetRow::Across("they cross at 15.3 KiB".into()),
                    SheetRow::Cells(["16k", "5,722", "93.8", "m4.xlarge\x1b[2J"].map(String::from).to_vec()),
                ],
            ),
        ];
        let mut out = Vec::new();
        write_sheet(
            &parts,
            &Style { color: false, unicode, width: columns, language: messages::Language::English },
            &mut out,
        )
        .unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_sheet_has_headings_labels_and_columns() {
        insta::assert_snapshot!(screen(60, true));
    }

    #[test]
    fn a_sheet_fits_any_screen_and_any_alphabet() {
        for columns in 40..120 {
            for unicode in [false, true] {
                let text = screen(columns, unicode);
                assert!(text.lines().all(|l| width(l) <= columns) && !text.contains('\x1b'));
                assert!(unicode || text.is_ascii());
            }
        }
    }
}
