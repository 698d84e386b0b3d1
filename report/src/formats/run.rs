//! A format for reports: how it is selected, and the function that writes it.

use super::DocumentKind;
use super::earlier::TEXT_MARK;
use crate::ReportedRun;
use crate::document::{Document, View};
use crate::kinds::sheet::SheetPart;
use crate::{Style, kinds};
use messages::Language;
use model::judged::{Comparison, Demand, ForeignJudgement, LayoutComparison, Purchases, Trend};
use std::io::{self, Write};

/// Subject of a report.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    /// One run, or several.
    Runs(&'a [ReportedRun<'a>]),
    /// A comparison of two sides, with their runs of secchi.
    Comparison(&'a Comparison, [&'a [ReportedRun<'a>]; 2]),
    /// A comparison of two layouts of a database, with their runs.
    Layouts(&'a LayoutComparison, [&'a [ReportedRun<'a>]; 2]),
    /// Demand of a recording or of samples, with its name.
    Demand(&'a str, &'a Demand),
    /// A judgement of other tools' files.
    Foreign(&'a ForeignJudgement),
    /// Results of one plan over time.
    Trend(&'a Trend),
    /// Purchase options for a recorded demand.
    Purchases {
        /// Name of the recording.
        name: &'a str,
        /// The options.
        purchases: &'a Purchases,
        /// True if the screen lists every option, not only the first ones; files always do.
        is_whole: bool,
    },
    /// Headings, paragraphs and tables of a command that shows no run.
    Sheet {
        /// Name of the report.
        name: &'a str,
        /// The contents.
        parts: &'a [SheetPart],
        /// Kind of the JSON document.
        kind: DocumentKind,
        /// The JSON document.
        document: &'a serde_json::Value,
    },
}

impl Default for Subject<'_> {
    fn default() -> Self {
        Subject::Runs(&[])
    }
}

impl<'a, R: AsRef<[ReportedRun<'a>]> + ?Sized> From<&'a R> for Subject<'a> {
    fn from(runs: &'a R) -> Self {
        Subject::Runs(runs.as_ref())
    }
}

impl<'a> Subject<'a> {
    /// Returns the runs.
    pub(crate) fn runs(&self) -> Vec<ReportedRun<'a>> {
        match self {
            Subject::Runs(runs) => runs.to_vec(),
            Subject::Comparison(_, sides) | Subject::Layouts(_, sides) => sides.concat(),
            Subject::Demand(..)
            | Subject::Foreign(_)
            | Subject::Trend(_)
            | Subject::Purchases { .. }
            | Subject::Sheet { .. } => Vec::new(),
        }
    }

    /// Returns the document, with everything that a view shows.
    pub(crate) fn document(&self, view: View) -> Document {
        match self {
            Subject::Runs([run]) => kinds::document(run, view),
            Subject::Runs(runs) => kinds::runs::document(runs, view),
            Subject::Comparison(c, sides) => kinds::comparison::document(c, *sides, view),
            Subject::Layouts(layouts, sides) => kinds::comparison::layouts(layouts, *sides, view),
            Subject::Demand(name, demand) => kinds::demand::document(name, demand, view),
            Subject::Foreign(judgement) => kinds::foreign::document(judgement),
            Subject::Trend(trend) => kinds::trend::document(trend),
            Subject::Sheet { name, parts, .. } => kinds::sheet::document(name, parts),
            Subject::Purchases { name, purchases, is_whole } => {
                let most = if *is_whole || view != View::Full { usize::MAX } else { kinds::purchase::SHOWN };
                kinds::purchase::document(name, purchases, most)
            }
        }
    }
}

/// Function that writes a report.
pub(super) type WriteSubject = fn(Subject<'_>, &Style, &mut dyn Write) -> io::Result<()>;

/// One format in which runs can be written.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// Word that selects the format.
    pub name: &'static str,
    /// Alternative words.
    pub aliases: &'static [&'static str],
    /// Help line of the format.
    pub help: &'static str,
    /// File name extensions that select the format, without the point; messages name the first.
    pub endings: &'static [&'static str],
    pub(super) write: WriteSubject,
}

impl Format {
    /// Returns `true` if the format is laid out for a terminal, with the reader's width and colours.
    #[must_use]
    pub fn is_screen(&self) -> bool {
        self.name == "terminal"
    }

    /// Writes a report.
    ///
    /// # Errors
    /// Returns an error if writing to `out` fails, or for a page if this build has none.
    pub fn write<'a>(&self, subject: impl Into<Subject<'a>>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        (self.write)(subject.into(), style, out)
    }

    /// Writes a file; a screen is preceded by a line that identifies the file as ours.
    ///
    /// # Errors
    /// As [`Format::write`].
    pub fn write_file<'a>(
        &self,
        subject: impl Into<Subject<'a>>,
        language: Language,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let subject = subject.into();
        if self.is_screen() {
            let name = match subject {
                Subject::Runs(runs) => runs.iter().map(|r| r.record.id.as_str()).collect::<Vec<_>>().join(" "),
                Subject::Comparison(..) | Subject::Layouts(..) => "a comparison".to_owned(),
                Subject::Foreign(_) => "files".to_owned(),
                Subject::Trend(_) => "a trend".to_owned(),
                Subject::Demand(name, _) | Subject::Purchases { name, .. } | Subject::Sheet { name, .. } => {
                    crate::harmless(name)
                }
            };
            write!(out, "{TEXT_MARK}{name}\n\n")?;
        }
        self.write(subject, &Style { language, ..Style::default() }, out)
    }
}
