//! The result screen and the one-screen answer, results of a trace of the block layer, and the needs of a single run as
//! JUnit.

use super::run::Subject;
use crate::document::{Document, View};
use crate::widgets::page::Page;
use crate::{ReportedRun, Style, kinds, render};
use model::{Judgement, RunRecord, judged::LayersSeen, record::Labels};
use std::io::{self, Write};

pub(super) fn write(subject: Subject<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let Subject::Runs([run]) = subject else {
        return render::terminal::write(&subject.document(View::Full), View::Full, style, out);
    };
    render::terminal::labels(run.labels, style, out)?;
    write_terminal(run.record, run.judgement, style, out)
}

/// Writes the answer of a run on one screen; for metadata, durability and watch runs, the whole report.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_answer(record: &RunRecord, judgement: &Judgement, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    render::terminal::write(&document(record, judgement, View::Answer), View::Answer, style, out)
}

/// Writes every figure of a run.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_terminal(record: &RunRecord, judgement: &Judgement, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    render::terminal::write(&document(record, judgement, View::Full), View::Full, style, out)
}

fn document(record: &RunRecord, judgement: &Judgement, view: View) -> Document {
    let labels = &Labels::default();
    kinds::document(&ReportedRun { label: "", record, judgement, labels, earlier: &[] }, view)
}

/// Writes needs and doubts of a run, without its figures.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_judged(record: &RunRecord, judgement: &Judgement, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    render::terminal::write(&document(record, judgement, View::Judged), View::Judged, style, out)
}

/// Writes the needs of a judgement as one test suite.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_junit(record: &RunRecord, judgement: &Judgement, out: &mut dyn Write) -> io::Result<()> {
    render::junit::write(&document(record, judgement, View::Full), out)
}

/// Writes the tables of all step groups for which the block layer was traced; writes nothing without a trace.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_traced(record: &RunRecord, layers: &[LayersSeen], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut d = Document::new("workloads", "");
    kinds::traced::add(&mut d, record, layers, View::Full);
    let page = &mut Page::new(style, out);
    d.parts.iter().try_for_each(|part| render::terminal::write_part(page, part, &d.notes))
}

#[cfg(test)]
pub(crate) mod tests;
