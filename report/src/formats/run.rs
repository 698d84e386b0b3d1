//! A format for whole runs: how it is selected, what it accepts, and the functions that write it.

use super::earlier::TEXT_MARK;
use crate::Style;
use messages::Language;
use model::{Comparison, Judgement, Labels, RunRecord};
use std::io::{self, Write};

/// A run to be written.
#[derive(Debug, Clone, Copy)]
pub struct ReportedRun<'a> {
    /// Name of the run among several; if empty, the first digits of its ID are used.
    pub label: &'a str,
    /// The record of the run.
    pub record: &'a RunRecord,
    /// The judgement of the run.
    pub judgement: &'a Judgement,
    /// Tags and note of the run in the store.
    pub labels: &'a Labels,
}

/// Function that writes runs.
pub(super) type WriteRuns = fn(&[ReportedRun<'_>], &Style, &mut dyn Write) -> io::Result<()>;

/// Support of a format for comparisons of two sides.
#[derive(Debug, Clone, Copy)]
pub(super) enum WriteComparison {
    /// Comparisons are not supported.
    No,
    /// The format writes the compared figures.
    Figures(fn(&Comparison, &Style, &mut dyn Write) -> io::Result<()>),
    /// The format writes the compared figures together with the runs.
    WithRuns(fn(&Comparison, &[ReportedRun<'_>], &Style, &mut dyn Write) -> io::Result<()>),
}

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
    /// True if one document can contain several runs.
    pub several: bool,
    /// True if the format is laid out for a terminal, with the reader's width and colours.
    pub is_screen: bool,
    pub(super) write: WriteRuns,
    pub(super) write_comparison: WriteComparison,
}

impl Format {
    /// Writes the runs: one, or several if [`Format::several`] is true.
    ///
    /// # Errors
    /// Returns an error if writing to `out` fails, or for a page if this build has none.
    pub fn write(&self, runs: &[ReportedRun<'_>], style: &Style, out: &mut dyn Write) -> io::Result<()> {
        (self.write)(runs, style, out)
    }

    /// Writes a file with the runs; a screen is preceded by a line that identifies the file as ours.
    ///
    /// # Errors
    /// As [`Format::write`].
    pub fn write_file(&self, runs: &[ReportedRun<'_>], language: Language, out: &mut dyn Write) -> io::Result<()> {
        if self.is_screen {
            let ids: Vec<&str> = runs.iter().map(|r| r.record.id.as_str()).collect();
            write!(out, "{TEXT_MARK}{}\n\n", ids.join(" "))?;
        }
        self.write(runs, &Style { language, ..Style::default() }, out)
    }

    /// Returns `true` if the format supports comparisons of two sides.
    #[must_use]
    pub fn takes_comparison(&self) -> bool {
        !matches!(self.write_comparison, WriteComparison::No)
    }

    /// Returns `true` if a comparison also shows its runs; otherwise the caller need not read them.
    #[must_use]
    pub fn compares_runs(&self) -> bool {
        matches!(self.write_comparison, WriteComparison::WithRuns(_))
    }

    /// Writes a file with a comparison and, if [`Format::compares_runs`] is true, with its runs.
    ///
    /// # Errors
    /// Returns an error if writing to `out` fails, or if the format does not support comparisons.
    pub fn write_comparison_file(
        &self,
        comparison: &Comparison,
        runs: &[ReportedRun<'_>],
        language: Language,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if self.is_screen {
            write!(out, "{TEXT_MARK}a comparison\n\n")?;
        }
        let style = Style { language, ..Style::default() };
        match self.write_comparison {
            WriteComparison::No => Err(io::Error::other(format!("{} does not support comparisons", self.name))),
            WriteComparison::Figures(write) => write(comparison, &style, out),
            WriteComparison::WithRuns(write) => write(comparison, runs, &style, out),
        }
    }
}
