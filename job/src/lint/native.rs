//! Plans of secchi itself against the same rules.

use super::section::RULES;
use super::{LintFacts, Saw, findings};
use messages::sentence;
use model::{Bytes, ForeignFinding, LimitAxis, Sentence, SourceLine};
use std::path::PathBuf;

/// What a plan of secchi asks, as far as the rules look at it.
#[derive(Debug, Clone, PartialEq)]
pub struct NativePlan {
    /// Where it stands: a run, a document, typed words.
    pub source: Sentence,
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
    let line = || SourceLine::new(&plan.source, 0, model::clip(&plan.words));
    if let Some((path, (rule, severity, what))) =
        plan.overwrites.as_ref().and_then(|path| Some((path, super::harm::judge(path, facts)?)))
    {
        let statement = sentence!("lint-overwrites", path = model::clip(&path.display().to_string()), what);
        saw.push(Saw { rule, severity: Some(severity), statement, line: line() });
    }
    let mut tell = |id: &str, statement: Sentence| {
        let rule = RULES.iter().find(|r| r.text.id == id);
        saw.extend(rule.map(|r| Saw { rule: &r.text, severity: None, statement, line: line() }));
    };
    if !plan.direct {
        tell("L01-page-cache", sentence!("lint-buffered"));
        if let (Some(size), Some(memory)) = (plan.size, facts.memory)
            && size.as_u64() < memory.as_u64().saturating_mul(2)
        {
            tell("L02-memory", sentence!("lint-fits-in-memory", size, memory));
        }
    }
    if let Some(depth) = plan.synchronous.filter(|d| *d > 1) {
        tell("L04-depth", sentence!("lint-depth-of-waiting-engine", depth));
    }
    for limit in facts.limits {
        for axis in [LimitAxis::Iops, LimitAxis::Bandwidth] {
            let (Some(cap), Some(burst)) = (limit.cap(axis), limit.burst(axis)) else { continue };
            let lasts = burst.seconds_at(burst.rate, cap);
            if lasts.is_finite() && lasts > plan.seconds && plan.seconds > 0.0 {
                let name = &limit.name;
                let (lasts, load) = (format!("{lasts:.0}"), format!("{:.0}", plan.seconds));
                tell("L03-burst", sentence!("lint-burst-outlasts-load", name, lasts, load));
            }
        }
    }
    findings(saw)
}
