//! A format of whole runs: how it is chosen, what it takes, and what writes it.

use super::earlier::TEXT_MARK;
use crate::Style;
use messages::Language;
use model::{Comparison, Judgement, Labels, RunRecord};
use std::io::{self, Write};

/// A run as it is written out.
#[derive(Debug, Clone, Copy)]
pub struct ReportedRun<'a> {
    /// What its reader calls it among several; empty: the first digits of its id.
    pub label: &'a str,
    /// The run.
    pub record: &'a RunRecord,
    /// What was judged of it.
    pub judgement: &'a Judgement,
    /// Its tags and note in the store.
    pub labels: &'a Labels,
}

/// Writes runs.
pub(super) type WriteRuns = fn(&[ReportedRun<'_>], &Style, &mut dyn Write) -> io::Result<()>;

/// What a format makes of two sides compared.
#[derive(Debug, Clone, Copy)]
pub(super) enum WriteComparison {
    /// It has no form for a comparison.
    No,
    /// The figures compared.
    Figures(fn(&Comparison, &Style, &mut dyn Write) -> io::Result<()>),
    /// The runs beside the figures compared.
    WithRuns(fn(&Comparison, &[ReportedRun<'_>], &Style, &mut dyn Write) -> io::Result<()>),
}

/// One way to write runs.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// The word that chooses it.
    pub name: &'static str,
    /// Other words that do.
    pub aliases: &'static [&'static str],
    /// The line of help about it.
    pub help: &'static str,
    /// Endings of file names that choose it, without the point; messages name the first.
    pub endings: &'static [&'static str],
    /// Whether several runs go into one document.
    pub several: bool,
    /// Whether it is laid out for a terminal, in the reader's columns and colours.
    pub is_screen: bool,
    pub(super) write: WriteRuns,
    pub(super) write_comparison: WriteComparison,
}

impl Format {
    /// Writes the runs: one, or several where [`Format::several`].
    ///
    /// # Errors
    /// Those of `out`; a page where this build has none.
    pub fn write(&self, runs: &[ReportedRun<'_>], style: &Style, out: &mut dyn Write) -> io::Result<()> {
        (self.write)(runs, style, out)
    }

    /// Writes a file of the runs: a screen behind a line by which the file is known again.
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

    /// Whether it has a form for two sides compared.
    #[must_use]
    pub fn takes_comparison(&self) -> bool {
        !matches!(self.write_comparison, WriteComparison::No)
    }

    /// Whether a comparison shows its runs, too; else none need be read for it.
    #[must_use]
    pub fn compares_runs(&self) -> bool {
        matches!(self.write_comparison, WriteComparison::WithRuns(_))
    }

    /// Writes a file of a comparison and, where [`Format::compares_runs`], of its runs.
    ///
    /// # Errors
    /// Those of `out`; where it does not take a comparison.
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
            WriteComparison::No => Err(io::Error::other(format!("{} has no form for a comparison", self.name))),
            WriteComparison::Figures(write) => write(comparison, &style, out),
            WriteComparison::WithRuns(write) => write(comparison, runs, &style, out),
        }
    }
}
