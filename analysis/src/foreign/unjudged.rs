//! Numbered mistakes of the collection that have no rule: another rule covers them, or files cannot show them.

use model::{Severity, judged::RuleText};

/// Reason why each mistake has no rule, and how secchi avoids it in its own runs.
pub(super) const UNJUDGED: &[RuleText] = &[
    RuleText { id: "B02", severity: Severity::Invalid },
    RuleText { id: "B26", severity: Severity::Note },
    RuleText { id: "B39", severity: Severity::Invalid },
    RuleText { id: "B41", severity: Severity::Doubt },
    RuleText { id: "B44", severity: Severity::Note },
    RuleText { id: "B48", severity: Severity::Note },
];
