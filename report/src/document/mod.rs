//! A report as data: what every format writes.
//!
//! A function of [`crate::kinds`] builds a [`Document`] for each kind of run, and a function of [`crate::render`] writes
//! it in one format. A document contains no record and no layout: words are message identifiers or sentences, and
//! figures are numbers with their units, so the same document serves every language and every format.

/// Defines functions that set a field and return the changed value.
macro_rules! setters {
    ($($(#[$doc:meta])* $field:ident: $type:ty,)*) => {
        $($(#[$doc])*
        pub fn $field(self, $field: $type) -> Self {
            Self { $field, ..self }
        })*
    };
}

pub(crate) mod chart;
pub(crate) mod figure;
pub(crate) mod note;
pub(crate) mod table;
pub(crate) mod value;

pub(crate) use figure::FigureRow;
pub(crate) use note::{Evidence, Note, NoteId, Notes};
pub(crate) use table::{Cell, Column, Only, Repeat, Row, Table};
pub(crate) use value::{Qualifier, Sign, Tone, Unit, Value, Word};

use chart::Chart;
use messages::Sentence;
use model::judged::{NeedResult, Outcome, RunAnswer};
use model::{Severity, record::Labels};

/// One report.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Document {
    /// Kind of the report, as in JSON: `workloads`, `jobs`, `comparison`.
    pub kind: &'static str,
    /// Name of the run, the recording or the files; untrusted.
    pub name: String,
    /// Answer, verdict, place and time.
    pub head: Head,
    /// True if the one-screen answer is the whole report.
    pub is_whole: bool,
    /// Key figures, the most important first.
    pub tiles: Vec<Tile>,
    /// Parts in reading order. Needs and doubts are not parts: each renderer has a place for them.
    pub parts: Vec<Part>,
    /// Doubts and footnotes.
    pub notes: Notes,
    /// Needs and promises: test cases of JUnit; the needs are also shown as such.
    pub cases: Vec<Case>,
    /// Main figures, in the columns that all kinds share in CSV.
    pub figures: Vec<FigureRow>,
}

impl Document {
    /// Creates a report that is not about one run.
    pub fn new(kind: &'static str, name: impl Into<String>) -> Document {
        Document { kind, name: name.into(), ..Document::default() }
    }

    /// Adds a part that every view except `judge RUN` shows.
    pub fn part(
        &mut self,
        id: &'static str,
        title: impl Into<Word>,
        blocks: impl IntoIterator<Item = Block>,
    ) -> &mut Part {
        let (title, aside) = (title.into(), Word::None);
        self.parts.push(Part { id, title, aside, views: View::FIGURES, blocks: blocks.into_iter().collect() });
        self.parts.last_mut().expect("just added")
    }

    /// Returns the parts of a view.
    pub fn parts(&self, view: View) -> impl Iterator<Item = &Part> {
        self.parts.iter().filter(move |part| part.views.contains(&view))
    }

    /// Returns the charts in reading order.
    pub fn charts(&self) -> impl Iterator<Item = &Chart> {
        self.parts.iter().flat_map(|part| &part.blocks).filter_map(|block| match block {
            Block::Chart(chart) => Some(chart),
            _ => None,
        })
    }

    /// Returns the needs, without promises.
    pub fn needs(&self) -> impl Iterator<Item = &NeedResult> {
        self.cases.iter().filter(|case| case.is_need).map(|case| &case.result)
    }
}

/// Head of a report. Empty texts are not written.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Head {
    /// Heading before everything else on the screen, with its aside: `secchi mark /data`, the storage.
    pub title: Option<(Sentence, Sentence)>,
    /// Answer; its result decides the colour of a page's header.
    pub answer: RunAnswer,
    /// True if the full screen begins with the answer; pages and Markdown always do.
    pub answer_on_screen: bool,
    /// Verdict with its outcome.
    pub verdict: Option<(Sentence, Outcome)>,
    /// True if doubts were searched for: the report lists them, or that there are none.
    pub is_judged: bool,
    /// True if the one-screen answer has the beginning of the verdict.
    pub verdict_in_answer: bool,
    /// Sentence about the end of a run that is not complete.
    pub partial: Option<Sentence>,
    /// Target, for the header of a page.
    pub place: String,
    /// Path of the target, for the suite of JUnit.
    pub path: String,
    /// Name of the host.
    pub host: String,
    /// Description of the host on one line, for Markdown.
    pub machine: Sentence,
    /// Start time, as in RFC 3339.
    pub started: String,
    /// Duration of the run, in seconds.
    pub seconds: f64,
    /// Tags and note of a stored run.
    pub labels: Labels,
    /// Identifier of the run.
    pub run: String,
    /// Command as typed.
    pub typed: String,
    /// Command that shows the run again.
    pub again: String,
    /// Sentence about duration and bytes written, for the one-screen answer.
    pub took: Sentence,
    /// Purchased limits, for `judge RUN`; without them it shows no parts.
    pub limits: Vec<String>,
    /// Message for the number of rows that the one-screen answer leaves out; empty to leave it out, too.
    pub rows_left: &'static str,
}

/// A key figure.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tile {
    /// Subject of the figure: a workload, a device, a commit method.
    pub label: Sentence,
    /// The figure.
    pub value: Value,
    /// Unit or name of the figure, shown after it: `IOPS`, `p99`, `files/s`.
    pub unit: Word,
    /// Kind of figure; shown if it is not the plain one, so that a maximum is not taken for a mean.
    pub qualifier: Qualifier,
    /// Values of earlier runs of the same plan and of this run, oldest first; empty if there are none.
    pub earlier: Vec<f64>,
}

impl Tile {
    /// Creates the tile of a plain figure.
    pub fn new(label: impl Into<Sentence>, value: impl Into<Value>, unit: impl Into<Word>) -> Tile {
        let (label, value, unit) = (label.into(), value.into(), unit.into());
        Tile { label, value, unit, qualifier: Qualifier::Plain, earlier: Vec::new() }
    }
}

/// A view of a document: a screen, or another format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    /// The answer on one screen.
    Answer,
    /// The full screen.
    Full,
    /// The screen of `judge RUN`.
    Judged,
    /// The page, before needs and doubts.
    Page,
    /// The page, after the charts.
    PageEnd,
    /// Markdown and other text formats.
    Markdown,
}

impl View {
    /// Views of the figures of a kind.
    pub const FIGURES: &'static [View] = &[View::Full, View::Page, View::Markdown];
    /// Views of figures that only the one-screen answer and the beginning of a page and of Markdown show.
    pub const KEY: &'static [View] = &[View::Answer, View::Page, View::Markdown];
    /// Views of figures that a page shows at its end.
    pub const DETAIL: &'static [View] = &[View::Full, View::PageEnd, View::Markdown];
    /// Views of findings.
    pub const FINDINGS: &'static [View] = &[View::Full, View::Judged, View::PageEnd, View::Markdown];
    /// Views of the environment.
    pub const ENVIRONMENT: &'static [View] = &[View::Full, View::PageEnd];
    /// Only `judge RUN`.
    pub const JUDGED: &'static [View] = &[View::Judged];
    /// Only the end of a page.
    pub const PAGE_END: &'static [View] = &[View::PageEnd];
}

/// A part under a heading.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Part {
    /// Stable name, in JSON and as the anchor of a page.
    pub id: &'static str,
    /// Title; without one, the part continues the one before it.
    pub title: Word,
    /// Short text next to the title.
    pub aside: Word,
    /// Views that show the part: a constant of [`View`].
    pub views: &'static [View],
    /// Contents in reading order.
    pub blocks: Vec<Block>,
}

impl Part {
    /// Sets the text next to the title.
    pub fn aside(&mut self, aside: impl Into<Word>) -> &mut Part {
        self.aside = aside.into();
        self
    }

    /// Sets the views that show the part.
    pub fn views(&mut self, views: &'static [View]) -> &mut Part {
        self.views = views;
        self
    }
}

/// Contents of a part.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Block {
    /// A table; one without rows is not written.
    Table(Table),
    /// A chart. Two adjacent charts share a line of the screen if there is room.
    Chart(Chart),
    /// A paragraph.
    Text(Text),
    /// Labelled lines.
    Fields(Margin, Vec<Field>),
    /// A list with a limited number of items on the screen and in Markdown; the others are only counted.
    List { items: Vec<Text>, most: usize },
    /// A command to copy, on pages.
    Code { label: Word, text: String },
    /// Devices below a target, the topmost first.
    Tree { label: Word, branches: Vec<Branch> },
    /// Findings, each with its evidence and the recommended action.
    Findings(Vec<Finding>),
    /// A heading within a part, such as the name of one of several hosts.
    Subheading(Sentence),
    /// Doubts on a screen without a head; other formats have a place for them.
    Doubts,
    /// An empty line on the screen.
    Blank,
}

impl Block {
    /// Creates a plain paragraph that is indented by one column on the screen.
    pub fn text(text: impl Into<Sentence>) -> Block {
        Block::Text(Text::new(text))
    }

    /// Creates a paragraph of secondary importance: a legend or a remark.
    pub fn remark(text: impl Into<Sentence>) -> Block {
        Block::Text(Text::new(text).tone(Tone::Dim))
    }
}

/// A paragraph.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Text {
    /// Sign before the text.
    pub sign: Option<Sign>,
    /// Meaning of the text's colour.
    pub tone: Tone,
    /// True for a paragraph in bold.
    pub strong: bool,
    /// The text.
    pub text: Sentence,
}

impl Text {
    /// Creates a plain paragraph.
    pub fn new(text: impl Into<Sentence>) -> Text {
        Text { text: text.into(), ..Text::default() }
    }

    /// Makes the text bold.
    pub fn strong(self) -> Text {
        Text { strong: true, ..self }
    }

    /// Puts a sign before the text.
    pub fn sign(self, sign: impl Into<Option<Sign>>) -> Text {
        Text { sign: sign.into(), ..self }
    }

    setters! {
        /// Sets the meaning of the colour.
        tone: Tone,
    }
}

/// Margin of labelled lines on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Margin {
    /// Nine columns, as for `VERDICT`.
    Page,
    /// Eleven columns with one blank before the label, as below the table of a ramp.
    Part,
    /// As wide as the widest label.
    Fitted,
}

/// A labelled line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    /// Label; an empty one continues the line above.
    pub label: Word,
    /// The text with its sign and colour.
    pub text: Text,
}

impl Field {
    /// Creates a plain labelled line.
    pub fn new(label: impl Into<Word>, text: impl Into<Sentence>) -> Field {
        Field { label: label.into(), text: Text::new(text) }
    }

    /// Creates a line of secondary importance that continues the one above.
    pub fn remark(text: impl Into<Sentence>) -> Field {
        Field::new("", text).tone(Tone::Dim)
    }

    /// Creates plain lines under one label.
    pub fn group<T: Into<Sentence>>(label: &'static str, texts: impl IntoIterator<Item = T>) -> Vec<Field> {
        let labels = std::iter::once(label).chain(std::iter::repeat(""));
        labels.zip(texts).map(|(label, text)| Field::new(label, text)).collect()
    }

    /// Sets the meaning of the colour.
    pub fn tone(self, tone: Tone) -> Field {
        Field { text: self.text.tone(tone), ..self }
    }

    /// Makes the text bold.
    pub fn strong(self) -> Field {
        Field { text: self.text.strong(), ..self }
    }

    /// Puts a sign before the text.
    pub fn sign(self, sign: Sign) -> Field {
        Field { text: self.text.sign(sign), ..self }
    }
}

/// A device in a tree.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Branch {
    /// Level below the top, from 0.
    pub depth: u32,
    /// Name of the device.
    pub name: String,
    /// Description of the device.
    pub text: Sentence,
}

/// A finding. Findings are not doubts: they have no places in figures.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finding {
    /// Name of the rule, shown before the statement; may be empty.
    pub rule: String,
    /// Severity of the finding.
    pub severity: Severity,
    /// Statement in one sentence.
    pub statement: Sentence,
    /// Supporting figures, one per line.
    pub evidence: Vec<Sentence>,
    /// Lines of files that support the finding, with their places.
    pub lines: Vec<Sentence>,
    /// Suggested action; may be empty.
    pub remedy: Sentence,
}

/// A test case.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Case {
    /// Class of the case: the contract of the need, `need` without one, `promise`.
    pub class: String,
    /// True if the case is shown as a need.
    pub is_need: bool,
    /// Text, outcome and clauses.
    pub result: NeedResult,
}
