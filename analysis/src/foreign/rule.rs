//! What a rule is, and what it saw.

use super::case::{Case, Test};
use model::{ForeignValue, RuleText, Sentence, Severity, SourceLine};

/// One entry of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    pub text: RuleText,
    pub find: fn(&Case) -> Vec<RuleMatch>,
}

/// What a rule saw once.
#[derive(Debug, Clone, Default)]
pub(super) struct RuleMatch {
    /// What it is about: a file, or a result of it.
    pub subject: Sentence,
    /// What is the matter, without the subject.
    pub statement: Sentence,
    /// Figures it rests on, one each.
    pub evidence: Vec<Sentence>,
    /// Lines it rests on.
    pub lines: Vec<SourceLine>,
    /// Rows it is about.
    pub rows: Vec<usize>,
    /// Where it is less, or more, than the rule's own.
    pub severity: Option<Severity>,
}

impl RuleMatch {
    /// About one result.
    pub fn about_test(test: &Test, statement: impl Into<Sentence>) -> RuleMatch {
        // Rows of tables are known by their line; their names are of many words.
        let subject = if test.is_fio() { test.title() } else { test.place() };
        RuleMatch {
            subject: subject.into(),
            statement: statement.into(),
            rows: vec![test.index],
            ..RuleMatch::default()
        }
    }

    /// About several results, or about none.
    pub fn about(subject: impl Into<Sentence>, statement: impl Into<Sentence>) -> RuleMatch {
        RuleMatch { subject: subject.into(), statement: statement.into(), ..RuleMatch::default() }
    }

    #[must_use]
    pub fn with(mut self, evidence: impl Into<Sentence>) -> RuleMatch {
        self.evidence.push(evidence.into());
        self
    }

    /// A line it rests on.
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
