//! Plans of secchi itself against the same rules.

use super::section::RULES;
use super::{LintFacts, Saw, findings};
use model::{Bytes, ForeignFinding, LimitAxis, SourceLine};
use std::path::PathBuf;

/// What a plan of secchi asks, as far as the rules look at it.
#[derive(Debug, Clone, PartialEq)]
pub struct NativePlan {
    /// Where it stands: a run, a document, typed words.
    pub source: String,
    /// As it was typed.
    pub words: String,
    /// Whether the page cache is passed by.
    pub direct: bool,
    /// Bytes of the test file, if they are fixed already.
    pub size: Option<Bytes>,
    /// Whether the engine waits for each operation, with the most in flight that are asked.
    pub synchronous: Option<u32>,
    /// The device it would overwrite.
    pub overwrites: Option<PathBuf>,
    /// How long it would be under load, seconds.
    pub seconds: f64,
}

/// Judges a plan of secchi.
#[must_use]
pub fn lint_native(plan: &NativePlan, facts: &LintFacts) -> Vec<ForeignFinding> {
    let mut saw = Vec::new();
    if let Some((path, (rule, severity, what))) =
        plan.overwrites.as_ref().and_then(|path| Some((path, super::harm::judge(path, facts)?)))
    {
        let line = SourceLine { source: plan.source.clone(), line: 0, words: model::clip(&plan.words) };
        let statement = format!("it overwrites {}: {what}", model::clip(&path.display().to_string()));
        saw.push(Saw { rule, severity: Some(severity), statement, line });
    }
    let mut tell = |id: &str, statement: String| {
        let line = SourceLine { source: plan.source.clone(), line: 0, words: model::clip(&plan.words) };
        let rule = RULES.iter().find(|r| r.text.id == id);
        saw.extend(rule.map(|r| Saw { rule: &r.text, severity: None, statement, line }));
    };
    if !plan.direct {
        tell("L01-page-cache", "--buffered: the page cache answers, and not the storage".to_owned());
        if let (Some(size), Some(memory)) = (plan.size, facts.memory)
            && size.0 < memory.0.saturating_mul(2)
        {
            tell("L02-memory", format!("{size} are less than twice the memory of {memory}"));
        }
    }
    if let Some(depth) = plan.synchronous.filter(|d| *d > 1) {
        tell(
            "L04-depth",
            format!(
                "up to {depth} in flight are asked of an engine that waits for each operation: threads take their place"
            ),
        );
    }
    for limit in facts.limits {
        for axis in [LimitAxis::Iops, LimitAxis::Bandwidth] {
            let (Some(cap), Some(burst)) = (limit.cap(axis), limit.burst(axis)) else { continue };
            let lasts = burst.seconds_at(burst.rate, cap);
            if lasts.is_finite() && lasts > plan.seconds && plan.seconds > 0.0 {
                let name = &limit.name;
                tell(
                    "L03-burst",
                    format!(
                        "a full burst of {name} lasts for {lasts:.0} s, and the load for about {:.0} s",
                        plan.seconds
                    ),
                );
            }
        }
    }
    findings(saw)
}
