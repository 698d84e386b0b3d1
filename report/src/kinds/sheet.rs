//! A sheet: headings, labelled paragraphs and tables, for commands that show no run.

use crate::document::{Block, Cell, Column, Document, Field, Margin, Row, Table, Tone, Value, Word};
use messages::Language;
use model::Sentence;

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

/// Returns the document of a sheet: its first heading is the title, and further headings and empty lines begin parts.
pub(crate) fn document(name: &str, sheet: &[SheetPart]) -> Document {
    let mut d = Document::new("sheet", name);
    for item in sheet {
        match item {
            SheetPart::Heading(title, aside) if d.head.title.is_none() && d.parts.is_empty() => {
                d.head.title = Some((title.clone(), aside.clone()));
            }
            SheetPart::Heading(title, aside) => {
                let part = match d.parts.last_mut().filter(|part| part.blocks.is_empty()) {
                    Some(part) => part,
                    None => d.part("sheet", "", []),
                };
                part.title = title.clone().into();
                part.aside(aside.clone());
            }
            SheetPart::Blank => {
                d.part("sheet", "", []);
            }
            SheetPart::Labelled(label, text) => field(&mut d, Field::new(word(label), text.clone())),
            SheetPart::Doubt(label, text) => {
                field(&mut d, Field::new(word(label), text.clone()).tone(Tone::Doubt));
            }
            SheetPart::Table(columns, rows) => last(&mut d).push(Block::Table(table(columns, rows))),
        }
    }
    d
}

/// Returns the blocks of the last part.
fn last(d: &mut Document) -> &mut Vec<Block> {
    if d.parts.is_empty() {
        d.part("sheet", "", []);
    }
    &mut d.parts.last_mut().expect("one was added").blocks
}

fn field(d: &mut Document, field: Field) {
    match last(d).last_mut() {
        Some(Block::Fields(_, fields)) => fields.push(field),
        _ => last(d).push(Block::Fields(Margin::Page, vec![field])),
    }
}

/// Returns the message with this ID, or the text itself if it is a unit.
fn word(text: &'static str) -> Word {
    let is_message = text.is_empty() || !messages::fixed(Language::English, text).is_empty();
    if is_message { text.into() } else { Word::Term(text) }
}

fn table(columns: &[SheetColumn], rows: &[SheetRow]) -> Table {
    let column = |c: &SheetColumn| {
        let key = c.head.rsplit_once("head-").map_or(c.head, |(_, key)| key);
        let column =
            if c.figures { Column::figure(key, word(c.head)) } else { Column::text(key, word(c.head)).most(90) };
        column.rank(c.rank)
    };
    let mut table = Table { indent: 0, ..Table::new("sheet", columns.iter().map(column)) };
    for row in rows {
        match row {
            SheetRow::Cells(cells) => {
                let cell = |(i, text): (usize, &Sentence)| {
                    let cell = Cell::from(Value::Text(text.clone()));
                    if i == 0 { cell.strong() } else { cell }
                };
                table.row(cells.iter().enumerate().map(cell));
            }
            SheetRow::Across(text) => table.rows.push(Row::Note(text.clone())),
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::text;
    use crate::widgets::text::width;
    use crate::{Style, Subject};

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
        written(&parts, "terminal", &Style { color: false, unicode, width: columns, language: Language::English })
    }

    fn written(parts: &[SheetPart], format: &str, style: &Style) -> String {
        let document = &serde_json::Value::Null;
        let subject = Subject::Sheet { name: "limits", parts, kind: crate::DocumentKind::LimitsList, document };
        text(|out| crate::format(format).expect("it is registered").write(subject, style, out))
    }

    #[test]
    fn words_are_translated_and_units_are_not() {
        let style = Style { language: Language::Russian, ..Style::default() };
        let columns = vec![SheetColumn::words("limits-head-volume"), SheetColumn::figures("IOPS")];
        let rows = vec![SheetRow::Cells(vec!["gp3".into(), messages::sentence!("limits-by-table")])];
        let parts = [
            SheetPart::Labelled("limits-label-need", messages::sentence!("limits-solve-together")),
            SheetPart::Table(columns, rows),
        ];
        let text = written(&parts, "terminal", &style);
        assert!(text.starts_with("нужно    все требования одновременно\n"), "{text}");
        let csv = written(&parts, "csv", &style);
        assert_eq!(csv, "volume,IOPS\ngp3,depends on the size\n");
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
