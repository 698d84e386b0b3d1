//! The result screen and the one-screen answer, and the needs of a single run as JUnit.

use super::run::Subject;
use crate::ReportedRun;
use crate::document::View;
use crate::{Style, kinds, render};
use model::{Judgement, RunRecord, record::Labels};
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
    write_view(record, judgement, View::Answer, style, out)
}

/// Writes every figure of a run.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_terminal(record: &RunRecord, judgement: &Judgement, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    write_view(record, judgement, View::Full, style, out)
}

fn write_view(
    record: &RunRecord,
    judgement: &Judgement,
    view: View,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let run = ReportedRun { label: "", record, judgement, labels: &Labels::default(), earlier: &[] };
    render::terminal::write(&kinds::document(&run, view), view, style, out)
}

/// Writes needs and doubts of a run, without its figures.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_judged(record: &RunRecord, judgement: &Judgement, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    write_view(record, judgement, View::Judged, style, out)
}

/// Writes the needs of a judgement as one test suite.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_junit(record: &RunRecord, judgement: &Judgement, out: &mut dyn Write) -> io::Result<()> {
    let run = ReportedRun { label: "", record, judgement, labels: &Labels::default(), earlier: &[] };
    render::junit::write(&kinds::document(&run, View::Full), out)
}

#[cfg(test)]
pub(crate) mod tests;
