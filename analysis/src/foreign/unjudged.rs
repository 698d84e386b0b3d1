//! Numbers of the collection of mistakes that have no rule of their own: judged by another one, or not from files at all.

use model::{RuleText, Severity};

/// Why each is not judged by a rule of its own, and where secchi keeps from it instead.
pub(super) const UNJUDGED: &[RuleText] = &[
    RuleText { id: "B02", severity: Severity::Invalid },
    RuleText { id: "B26", severity: Severity::Note },
    RuleText { id: "B39", severity: Severity::Invalid },
    RuleText { id: "B41", severity: Severity::Doubt },
    RuleText { id: "B44", severity: Severity::Note },
    RuleText { id: "B48", severity: Severity::Note },
];
