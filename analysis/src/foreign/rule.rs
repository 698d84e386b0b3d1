//! Rules and their matches.

use super::case::{Case, DirectionResult, Test};
use model::judged::{RuleText, SourceLine};
use model::{Sentence, Severity, foreign::ForeignValue};

/// One entry of the table of rules.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    pub text: RuleText,
    pub find: fn(&Case) -> Vec<RuleMatch>,
}

/// Creates a rule.
pub(super) const fn rule(id: &'static str, severity: Severity, find: fn(&Case) -> Vec<RuleMatch>) -> Rule {
    Rule { text: RuleText { id, severity }, find }
}

/// Returns the matches of a rule about single directions of results.
pub(super) fn of_sides<'t, 'f: 't>(
    tests: impl Iterator<Item = &'t Test<'f>>,
    find: fn(&Test, &DirectionResult) -> Option<RuleMatch>,
) -> Vec<RuleMatch> {
    let of_test = |test: &Test| test.sides().iter().filter_map(|side| find(test, side)).collect::<Vec<_>>();
    tests.flat_map(of_test).collect()
}

/// One match of a rule.
#[derive(Debug, Clone, Default)]
pub(super) struct RuleMatch {
    /// Subject of the match: a file, or a result in it.
    pub subject: Sentence,
    /// Description of the problem, without the subject.
    pub statement: Sentence,
    /// Figures that support the statement, one per entry.
    pub evidence: Vec<Sentence>,
    /// Lines that support the statement.
    pub lines: Vec<SourceLine>,
    /// Rows that the match concerns.
    pub rows: Vec<usize>,
    /// Severity, if it differs from that of the rule.
    pub severity: Option<Severity>,
}

impl RuleMatch {
    /// Creates a match about one result.
    pub fn about_test(test: &Test, statement: impl Into<Sentence>) -> RuleMatch {
        // Rows of tables are identified by their line, because their names have many words.
        let subject = if test.is_fio() { test.title() } else { test.place() };
        RuleMatch {
            subject: subject.into(),
            statement: statement.into(),
            rows: vec![test.index],
            ..RuleMatch::default()
        }
    }

    /// Creates a match about several results, or about none.
    pub fn about(subject: impl Into<Sentence>, statement: impl Into<Sentence>) -> RuleMatch {
        RuleMatch { subject: subject.into(), statement: statement.into(), ..RuleMatch::default() }
    }

    #[must_use]
    pub fn with(mut self, evidence: impl Into<Sentence>) -> RuleMatch {
        self.evidence.push(evidence.into());
        self
    }

    /// Adds the line of a figure as evidence.
    #[must_use]
    pub fn on(mut self, test: &Test, value: Option<&ForeignValue>) -> RuleMatch {
        self.lines.extend(value.map(|v| test.line(v)));
        self
    }

    #[must_use]
    pub fn lines(mut self, lines: impl IntoIterator<Item = SourceLine>) -> RuleMatch {
        self.lines.extend(lines);
        self
    }

    #[must_use]
    pub fn rows(mut self, rows: impl IntoIterator<Item = usize>) -> RuleMatch {
        self.rows.extend(rows);
        self
    }

    #[must_use]
    pub fn weighing(mut self, severity: Severity) -> RuleMatch {
        self.severity = Some(severity);
        self
    }
}
