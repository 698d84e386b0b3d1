//! One line for a monitoring system, in the format of plugins for Nagios and Icinga: state, text, `|`, performance
//! data.
//!
//! <https://nagios-plugins.org/doc/guidelines.html>, "Plugin Output for Nagios".

use crate::overview::entries;
use crate::widgets::figures::trimmed;
use model::judged::{AnswerStanding, AnswerSubject};
use model::{Judgement, RunRecord, RunState};
use std::io::{self, Write};

/// State of a check; its number is the exit code of a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckState {
    /// Everything is within its limits.
    Ok = 0,
    /// A figure is above the first threshold, or the storage delivers less than purchased.
    Warning = 1,
    /// A figure is above the second threshold, or a need is not met.
    Critical = 2,
    /// The state is unknown.
    Unknown = 3,
}

impl CheckState {
    /// Returns the exit code of a plugin.
    #[must_use]
    pub const fn code(self) -> i32 {
        self as i32
    }

    const fn word(self) -> &'static str {
        match self {
            CheckState::Ok => "OK",
            CheckState::Warning => "WARNING",
            CheckState::Critical => "CRITICAL",
            CheckState::Unknown => "UNKNOWN",
        }
    }
}

/// A figure with its thresholds.
#[derive(Debug, Clone, PartialEq)]
pub struct Performance {
    /// Name of the figure; may contain blanks.
    pub label: String,
    /// Value in `unit`.
    pub value: f64,
    /// Unit: `s` or empty.
    pub unit: &'static str,
    /// First threshold, in `unit`.
    pub warning: Option<f64>,
    /// Second threshold, in `unit`.
    pub critical: Option<f64>,
}

/// Writes the line: `SECCHI OK - text | 'label'=value;warning;critical;0`.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_check(state: CheckState, text: &str, figures: &[Performance], out: &mut dyn Write) -> io::Result<()> {
    // A `|` ends the text.
    let text = crate::harmless(text).replace('|', "/");
    write!(out, "SECCHI {} - {text}", state.word())?;
    for (i, figure) in figures.iter().enumerate() {
        let label = crate::harmless(&figure.label).replace(['\'', '='], "");
        let bound = |bound: Option<f64>| bound.map_or_else(String::new, number);
        let (warning, critical) = (bound(figure.warning), bound(figure.critical));
        let (before, value) = (if i == 0 { " |" } else { "" }, number(figure.value));
        write!(out, "{before} '{label}'={value}{};{warning};{critical};0", figure.unit)?;
    }
    writeln!(out)
}

/// Writes the line of a run: its answer, and rate and p99 of each workload with a valid figure. The state is CRITICAL
/// if a need is not met, WARNING if the storage delivers less than purchased, and UNKNOWN if the result is undecided.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_run(record: &RunRecord, judgement: &Judgement, out: &mut dyn Write) -> io::Result<()> {
    let mut figures = Vec::new();
    for (pattern, level) in entries(judgement).into_iter().filter(|(_, l)| l.struck.is_none()) {
        let figure = |what: &str, value, unit| Performance {
            label: format!("{} {what}", pattern.label),
            value,
            unit,
            warning: None,
            critical: None,
        };
        figures.push(figure("IOPS", level.iops.value, ""));
        figures.extend(level.p99.value().map(|p99| figure("p99", p99.secs(), "s")));
    }
    write_check(state(record, judgement), &judgement.headline(), &figures, out)
}

/// Returns the state of a run for a monitoring system.
#[must_use]
pub fn state(record: &RunRecord, judgement: &Judgement) -> CheckState {
    let standing_of = |subject: AnswerSubject| judgement.answer.line(subject).map(|l| l.standing);
    if record.state == RunState::Hung || standing_of(AnswerSubject::Needs) == Some(AnswerStanding::NotMet) {
        CheckState::Critical
    } else if judgement.answer.standing == AnswerStanding::Undecided || judgement.exit_code == 2 {
        CheckState::Unknown
    } else if standing_of(AnswerSubject::Bought) == Some(AnswerStanding::NotMet) {
        CheckState::Warning
    } else {
        CheckState::Ok
    }
}

/// Formats a number with nine decimals below 1000 and three above, without trailing zeros.
fn number(value: f64) -> String {
    trimmed(value, if value.abs() < 1000.0 { 9 } else { 3 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn a_need_that_is_not_met_is_critical_and_what_cannot_be_told_unknown() {
        let line = |run: &(RunRecord, Judgement)| {
            let mut out = Vec::new();
            write_run(&run.0, &run.1, &mut out).expect("memory");
            (state(&run.0, &run.1), String::from_utf8(out).expect("text"))
        };
        let (state, text) = line(&fixture::capped());
        assert_eq!((state, text.lines().count()), (CheckState::Critical, 1));
        assert!(
            text.starts_with("SECCHI CRITICAL - BOUGHT delivered: ") && text.contains(" | '8k randread IOPS'="),
            "{text}"
        );
        assert_eq!(line(&fixture::troubled()).0, CheckState::Unknown);
        let (record, mut judgement) = fixture::capped();
        judgement.answer = model::judged::RunAnswer::default();
        judgement.exit_code = 0;
        assert_eq!(line(&(record, judgement)).0, CheckState::Ok);
    }

    #[test]
    fn a_line_is_state_text_and_figures_with_their_thresholds() {
        let figure = |label: &str, value, unit, warning, critical| Performance {
            label: label.into(),
            value,
            unit,
            warning,
            critical,
        };
        let figures =
            [figure("p99", 0.0012, "s", Some(0.005), Some(0.01)), figure("it's a=b", 150_829.25, "", None, None)];
        let mut out = Vec::new();
        write_check(CheckState::Warning, "p99 1.2 ms | more\nthan that", &figures, &mut out).expect("memory");
        let line = String::from_utf8(out).expect("text");
        assert_eq!(
            line,
            "SECCHI WARNING - p99 1.2 ms / more than that | 'p99'=0.0012s;0.005;0.01;0 'its ab'=150829.25;;;0\n"
        );
        assert_eq!([CheckState::Ok, CheckState::Unknown].map(CheckState::code), [0, 3]);
    }
}
