//! The entry for JUnit in the table of formats: needs and durability promises as test cases.

use super::run::{Format, Subject};
use crate::ReportedRun;
use crate::document::View;
use crate::render;
use model::{Judgement, Labels, RunRecord};
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    name: "junit",
    aliases: &[],
    help: "JUnit, with the needs as test cases",
    endings: &["xml"],
    is_screen: false,
    write: |subject, _, out| write(subject, out),
};

fn write(subject: Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
    render::junit::write(&subject.document(View::Full), out)
}

/// Writes the needs of a judgement as one test suite.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_junit(record: &RunRecord, judgement: &Judgement, out: &mut dyn Write) -> io::Result<()> {
    let run = ReportedRun { label: "", record, judgement, labels: &Labels::default(), earlier: &[] };
    write(Subject::Runs(&[run]), out)
}
