//! Tables: columns with stable names and importance, rows of cells, and their legend.

use super::Text;
use super::note::NoteId;
use super::value::{Sign, Tone, Value, Word};
use messages::Sentence;

/// Width of a wide screen, in columns.
const WIDE: usize = 108;

/// Alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Align {
    #[default]
    Left,
    Right,
}

/// A table; each row of cells has as many cells as there are columns.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Table {
    /// Stable name, in JSON and as the anchor of a page.
    pub id: &'static str,
    /// Columns.
    pub columns: Vec<Column>,
    /// Rows.
    pub rows: Vec<Row>,
    /// Number of blanks before the table on the screen.
    pub indent: u8,
    /// Column whose texts are moved to separate lines on the screen if a column would otherwise be dropped.
    pub stacked: Option<usize>,
    /// Meaning of the signs in the rows, on one line below the table.
    pub signs: Vec<Text>,
    /// Remarks below the table and its footnotes.
    pub legend: Vec<Text>,
    /// Number of rows that were left out; the screen and Markdown mention it.
    pub more: usize,
}

impl Table {
    /// Creates a table without rows.
    pub fn new(id: &'static str, columns: impl IntoIterator<Item = Column>) -> Table {
        let columns = columns.into_iter().collect();
        Table { id, columns, indent: 1, ..Table::default() }
    }

    /// Begins a table with a row for each item.
    pub fn builder<T: Copy>(id: &'static str, items: impl IntoIterator<Item = T>) -> TableBuilder<T> {
        let items: Vec<T> = items.into_iter().collect();
        let (rows, notes) = (vec![Vec::new(); items.len()], vec![Vec::new(); items.len()]);
        TableBuilder { id, items, columns: Vec::new(), rows, notes }
    }

    /// Adds a row without notes.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let cells: Vec<Cell> = cells.into_iter().collect();
        debug_assert_eq!(cells.len(), self.columns.len(), "{}", self.id);
        self.rows.push(Row::Cells { cells, notes: Vec::new(), is_sub: false });
    }

    /// Adds a remark below the table.
    pub fn remark(&mut self, text: impl Into<Sentence>) {
        self.legend.push(Text::new(text).tone(Tone::Dim));
    }

    /// Returns the explanations of the columns for which `is_shown` is true.
    pub fn meanings(&self, is_shown: impl Fn(&Column) -> bool) -> Sentence {
        Sentence::join(self.columns.iter().filter(|c| is_shown(c)).filter_map(|c| c.meaning.clone()), "; ")
    }

    /// Returns the rows of cells.
    pub fn cells(&self) -> impl Iterator<Item = &Vec<Cell>> {
        self.rows.iter().filter_map(|row| match row {
            Row::Cells { cells, .. } => Some(cells),
            Row::Group(_) | Row::Note(_) | Row::Blank => None,
        })
    }
}

/// A table with a row for each item, to which columns are added together with their cells.
pub(crate) struct TableBuilder<T> {
    id: &'static str,
    items: Vec<T>,
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    notes: Vec<Vec<NoteId>>,
}

impl<T: Copy> TableBuilder<T> {
    /// Adds a column; `cell` returns the cell of an item.
    pub fn column<C: Into<Cell>>(self, column: Column, cell: impl Fn(T) -> C) -> TableBuilder<T> {
        self.columns([column], |item| [cell(item).into()])
    }

    /// Adds several columns; `cells` returns their cells of an item.
    pub fn columns<const N: usize>(mut self, columns: [Column; N], cells: impl Fn(T) -> [Cell; N]) -> TableBuilder<T> {
        self.columns.extend(columns);
        self.rows.iter_mut().zip(&self.items).for_each(|(row, item)| row.extend(cells(*item)));
        self
    }

    /// Sets the notes of each row.
    pub fn notes(self, notes: impl FnMut(T) -> Vec<NoteId>) -> TableBuilder<T> {
        TableBuilder { notes: self.items.iter().copied().map(notes).collect(), ..self }
    }

    /// Returns the table.
    pub fn build(self) -> Table {
        self.built(|_| false, |_| None)
    }

    /// Returns the table with a heading above the first row of each group; `group` returns the heading of an item.
    pub fn build_grouped(self, group: impl Fn(T) -> Sentence) -> Table {
        self.built(|_| false, |item| Some(group(item)))
    }

    /// Returns the table; `is_sub` is true for the row of an item that belongs to the one above.
    pub fn build_with_subs(self, is_sub: impl Fn(T) -> bool) -> Table {
        self.built(is_sub, |_| None)
    }

    fn built(self, is_sub: impl Fn(T) -> bool, group: impl Fn(T) -> Option<Sentence>) -> Table {
        let mut table = Table::new(self.id, self.columns);
        let mut above = None;
        for (item, (cells, notes)) in self.items.into_iter().zip(self.rows.into_iter().zip(self.notes)) {
            let heading = group(item);
            if heading != above {
                table.rows.extend(heading.clone().map(Row::Group));
                above = heading;
            }
            table.rows.push(Row::Cells { cells, notes, is_sub: is_sub(item) });
        }
        table
    }
}

/// A column. Create it with [`Column::text`], [`Column::figure`] or [`Column::term`].
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Column {
    /// Stable name in CSV and JSON, with the unit: `iops`, `mean_ns`; empty for a column that only readers need.
    pub key: &'static str,
    /// Header.
    pub head: Word,
    /// Shorter header for the screen, a term; empty to use the same.
    pub short: &'static str,
    /// Alignment: left for words, right for figures.
    pub align: Align,
    /// Rank for dropping the column if room is short, the highest first; 0 keeps it.
    pub rank: u8,
    /// True if the column is dropped without notice.
    pub is_extra: bool,
    /// Formats that show the column.
    pub only: Only,
    /// True if the header is shown only in files and pages.
    pub is_bare: bool,
    /// Treatment of a value that equals the one above it.
    pub repeat: Repeat,
    /// Maximum width on the screen; 0 for any width.
    pub most: u8,
    /// Minimum width on the screen: if room is short, the column is shortened to it before a column is dropped; 0 keeps
    /// the width.
    pub least: u8,
    /// True for the last column of a table whose long texts are wrapped on the screen.
    pub wraps: bool,
    /// True if texts wider than `most` are shortened in the middle, because they may differ at either end. Texts that
    /// would become equal keep their width.
    pub is_middle: bool,
    /// Explanation below the table, if the column is shown.
    pub meaning: Option<Sentence>,
}

impl Column {
    fn new(key: &'static str, head: Word, align: Align) -> Column {
        Column { key, head, align, ..Column::default() }
    }

    /// Creates a column of words.
    pub fn text(key: &'static str, head: impl Into<Word>) -> Column {
        Column::new(key, head.into(), Align::Left)
    }

    /// Creates a column of figures.
    pub fn figure(key: &'static str, head: impl Into<Word>) -> Column {
        Column::new(key, head.into(), Align::Right)
    }

    /// Creates a column of figures whose header is the same in every language.
    pub fn term(key: &'static str, head: &'static str) -> Column {
        Column::new(key, Word::Term(head), Align::Right)
    }

    /// Creates a column of signs that every format shows. On the screen, the last one also has the letters of notes.
    pub fn signs() -> Column {
        Column::new("", Word::None, Align::Left)
    }

    /// Marks the column as optional: it is dropped without notice.
    pub fn extra(self, rank: u8) -> Column {
        Column { rank, is_extra: true, ..self }
    }

    /// Hides the header on the screen.
    pub fn bare(self) -> Column {
        Column { is_bare: true, ..self }
    }

    setters! {
        /// Sets a shorter header for the screen.
        short: &'static str,
        /// Allows the column to be dropped if room is short, before those with a lower rank.
        rank: u8,
        /// Restricts the column to some formats.
        only: Only,
        /// Sets the treatment of a value that equals the one above it.
        repeat: Repeat,
        /// Sets the maximum width on the screen.
        most: u8,
        /// Sets the width to which the column may be shortened on the screen.
        least: u8,
    }

    /// Shortens long texts in the middle, to `most` columns.
    pub fn middle(self, most: u8) -> Column {
        Column { is_middle: true, most, ..self }
    }

    /// Sets the explanation of the column.
    pub fn meaning(self, text: impl Into<Option<Sentence>>) -> Column {
        Column { meaning: text.into(), ..self }
    }

    /// Wraps long texts of this column, which is the last one.
    pub fn wraps(self) -> Column {
        Column { wraps: true, ..self }
    }

    /// Returns `true` if the column contains signs and the letters of notes.
    pub fn is_marks(&self) -> bool {
        self.key.is_empty() && self.head == Word::None && self.most == 0
    }

    /// Returns `true` if a screen of this width shows the column.
    pub fn is_on_screen(&self, width: usize) -> bool {
        match self.only {
            Only::Everywhere | Only::Screen => true,
            Only::NarrowScreen => width < WIDE,
            Only::WideScreen => width >= WIDE,
            Only::Files => false,
        }
    }

    /// Returns `true` if pages and Markdown show the column.
    pub fn is_in_files(&self) -> bool {
        matches!(self.only, Only::Everywhere | Only::Files)
    }
}

/// Formats that show a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Only {
    /// Every format.
    #[default]
    Everywhere,
    /// The terminal.
    Screen,
    /// The terminal, if it is narrow.
    NarrowScreen,
    /// The terminal, if it is wide.
    WideScreen,
    /// Pages, Markdown, CSV and JSON.
    Files,
}

/// Treatment of a value that equals the one above it, on the screen.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Repeat {
    /// The value is repeated.
    #[default]
    Shown,
    /// The cell is blank if the columns of this kind before it are equal, too.
    Blank,
    /// This word replaces the value.
    Word(&'static str),
}

/// A row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Row {
    /// One cell for each column, and notes that apply to the row.
    Cells {
        /// Cells.
        cells: Vec<Cell>,
        /// Notes: on the screen, letters in the column of marks with footnotes below the table.
        notes: Vec<NoteId>,
        /// True if the row belongs to the one above.
        is_sub: bool,
    },
    /// A heading across all columns.
    Group(Sentence),
    /// A remark across all columns about the rows above.
    Note(Sentence),
    /// An empty line on the screen.
    Blank,
}

/// A cell.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Cell {
    /// Content.
    pub value: Value,
    /// Meaning of the colour.
    pub tone: Tone,
    /// True for bold text.
    pub strong: bool,
    /// True if the figure is invalid: struck through, or in parentheses where text has no attributes.
    pub struck: bool,
    /// Sign before the value, in the colour of the cell.
    pub sign: Option<Sign>,
    /// Mark after the value: ` L`; empty for none.
    pub suffix: &'static str,
    /// Address to which the cell of a page links.
    pub href: Option<String>,
}

impl Cell {
    /// Creates a cell with a name from the run, in bold: the first one of a row.
    pub fn name(name: impl ToString) -> Cell {
        Cell::from(Value::name(name)).strong()
    }

    /// Creates a cell that is blank without a value.
    pub fn or_blank<T: Into<Value>>(value: Option<T>) -> Cell {
        value.map_or_else(Cell::default, Cell::from)
    }

    /// Makes the text bold.
    pub fn strong(self) -> Cell {
        Cell { strong: true, ..self }
    }

    /// Puts a sign before the value.
    pub fn sign(self, sign: impl Into<Option<Sign>>) -> Cell {
        Cell { sign: sign.into(), ..self }
    }

    setters! {
        /// Sets the meaning of the colour.
        tone: Tone,
        /// Strikes the figure if the value is true: it is invalid.
        struck: bool,
        /// Puts a mark after the value.
        suffix: &'static str,
    }
}

impl<T: Into<Value>> From<T> for Cell {
    fn from(value: T) -> Cell {
        Cell { value: value.into(), ..Cell::default() }
    }
}
