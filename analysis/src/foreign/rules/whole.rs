//! Errors that the file itself reports: an error of the tool or a missing end (E01), failed operations (E02).

use crate::foreign::case::{Case, Test};
use crate::foreign::rule::{Rule, RuleMatch, rule};
use messages::sentence;
use model::foreign::{ForeignFile, ForeignRemark};
use model::judged::SourceLine;
use model::{Severity, units::thousands};

/// Rule whose finding leads the verdict.
pub(in crate::foreign) const NOT_WHOLE: &str = "E01-not-whole";

pub(super) const RULES: &[Rule] = &[
    rule(NOT_WHOLE, Severity::Invalid, not_whole),
    rule("E02-errors", Severity::Doubt, |case| case.of_fio().filter_map(errors).collect()),
];

fn not_whole(case: &Case) -> Vec<RuleMatch> {
    case.files.iter().flat_map(|file| file.faults.iter().map(move |fault| seen(case, file, fault))).collect()
}

/// Creates a match: a fault invalidates the test that begins on its line, otherwise all tests of the file.
fn seen(case: &Case, file: &ForeignFile, fault: &ForeignRemark) -> RuleMatch {
    let of_file = || case.of_file(file).iter();
    let begun_there: Vec<usize> = of_file().filter(|t| t.begins_on(fault.line)).map(|t| t.index).collect();
    let rows = if begun_there.is_empty() { of_file().map(|t| t.index).collect() } else { begun_there };
    RuleMatch::about(case.called(file), &fault.text)
        .lines([SourceLine::new(&file.source, fault.line, &fault.text)])
        .rows(rows)
}

/// Finds failed operations in fio jobs that continued (`continue_on_error`): `total_err` in JSON, `total=12` in text.
fn errors(test: &Test) -> Option<RuleMatch> {
    if test.file.faults.iter().any(|fault| test.begins_on(fault.line)) {
        return None;
    }
    let value = test.test.failed_operations()?;
    let n = value.value.unwrap_or_default();
    // A count has no decimals.
    let n = if n < 100.0 { format!("{n:.0}") } else { thousands(n) };
    Some(RuleMatch::about_test(test, sentence!("saw-errors", n)).on(test, Some(value)))
}
