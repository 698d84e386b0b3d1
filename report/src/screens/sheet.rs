//! A sheet: headings, labelled paragraphs and tables, for commands that show no run.

use crate::Style;
use crate::widgets::ink::Ink;
use crate::widgets::page::Page;
use crate::widgets::table::{Align, Column, Row, Table};
use crate::widgets::text::{Hue, Line, Paint};
use messages::message;
use model::Sentence;
use std::io::{self, Write};

/// A column of a sheet's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SheetColumn {
    /// Header of the column: the ID of a message, or a unit, which is the same in all languages.
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
    Cells(Vec<Sentence>),
    /// A line across all columns.
    Across(Sentence),
}

/// A part of a sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SheetPart {
    /// A horizontal rule with a title and an aside.
    Heading(Sentence, Sentence),
    /// A paragraph with a label in the margin; labels are written like [`SheetColumn::head`].
    Labelled(&'static str, Sentence),
    /// A paragraph marked as a doubt.
    Doubt(&'static str, Sentence),
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
            SheetPart::Heading(title, aside) => {
                let (title, aside) = (page.ink.translate(title), page.ink.translate(aside));
                page.heading(&title, &aside)?;
            }
            SheetPart::Labelled(label, text) => paragraph(&mut page, label, text, Paint::PLAIN)?,
            SheetPart::Doubt(label, text) => paragraph(&mut page, label, text, Paint::new(Hue::Doubt))?,
            SheetPart::Blank => page.blank()?,
            SheetPart::Table(columns, rows) => table(&mut page, columns, rows)?,
        }
    }
    Ok(())
}

fn paragraph(page: &mut Page, label: &'static str, text: &Sentence, paint: Paint) -> io::Result<()> {
    let text = page.ink.translate(text);
    page.labelled(word(page.ink, label), Paint::DIM, &text, paint)
}

/// Returns the message with this ID, or the text itself if it is a unit.
fn word(ink: Ink, text: &'static str) -> &'static str {
    match ink.word(text) {
        "" => text,
        word => word,
    }
}

fn table(page: &mut Page, columns: &[SheetColumn], rows: &[SheetRow]) -> io::Result<()> {
    let ink = page.ink;
    let column = |c: &SheetColumn| Column {
        head: word(ink, c.head),
        align: if c.figures { Align::Right } else { Align::Left },
        drop: c.rank,
        is_reported: true,
    };
    let mut table = Table::new(columns.iter().map(column).collect(), 0);
    let widest = page.ink.width.saturating_sub(10).max(20);
    for row in rows {
        match row {
            SheetRow::Cells(cells) => {
                let cell = |(i, text): (usize, &Sentence)| {
                    let paint = if i == 0 { Paint::BOLD } else { Paint::PLAIN };
                    Line::new().with(ink.clipped(&ink.translate(text), widest), paint)
                };
                table.row(cells.iter().enumerate().map(cell).collect());
            }
            SheetRow::Across(text) => {
                table.rows.push(Row::Across(Line::new().with(ink.text(&ink.translate(text)), Paint::DIM)))
            }
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
                    SheetRow::Cells(["8k", "6,000", "49.2", "gp3 volume IOPS"].map(Sentence::from).to_vec()),
                    SheetRow::Across("they cross at 15.3 KiB".into()),
                    SheetRow::Cells(["16k", "5,722", "93.8", "m4.xlarge\x1b[2J"].map(Sentence::from).to_vec()),
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
    fn words_are_translated_and_units_are_not() {
        let style = Style { language: messages::Language::Russian, ..Style::default() };
        let columns = vec![SheetColumn::words("limits-head-volume"), SheetColumn::figures("IOPS")];
        let rows = vec![SheetRow::Cells(vec!["gp3".into(), messages::sentence!("limits-by-table")])];
        let parts = [
            SheetPart::Labelled("limits-label-need", messages::sentence!("limits-solve-together")),
            SheetPart::Table(columns, rows),
        ];
        let mut out = Vec::new();
        write_sheet(&parts, &style, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.starts_with("нужно    все требования одновременно\n"), "{text}");
        assert!(text.contains("том") && text.contains("IOPS") && text.contains("по таблице размеров"), "{text}");
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
