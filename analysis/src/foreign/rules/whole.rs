//! What the file itself says against its figures: an error of the tool, an end that is missing (E01).

use crate::foreign::case::Case;
use crate::foreign::rule::{Rule, Seen};
use model::{ForeignFile, ForeignRemark, RuleText, Severity, SourceLine, file_name};

pub(super) const RULES: &[Rule] =
    &[Rule { text: RuleText { id: "E01-not-whole", severity: Severity::Invalid }, look: not_whole }];

fn not_whole(case: &Case) -> Vec<Seen> {
    case.files.iter().flat_map(|file| file.faults.iter().map(move |fault| seen(case, file, fault))).collect()
}

/// A fault strikes the test that begins on its line, or all of the document.
fn seen(case: &Case, file: &ForeignFile, fault: &ForeignRemark) -> Seen {
    let of_file = || case.tests.iter().filter(|t| std::ptr::eq(t.file, file));
    let own: Vec<usize> = of_file().filter(|t| t.test.line == fault.line).map(|t| t.index).collect();
    let rows = if own.is_empty() { of_file().map(|t| t.index).collect() } else { own };
    Seen::about(file_name(&file.source), &fault.text)
        .lines([SourceLine::new(&file.source, fault.line, &fault.text)])
        .rows(rows)
}
