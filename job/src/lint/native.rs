//! Plans of secchi and diskspd against the same rules.

use super::section::RULES;
use super::{LintFacts, Saw, findings};
use messages::sentence;
use model::{Bytes, ForeignFinding, LimitAxis, Sentence, SourceLine};
use std::path::PathBuf;

/// A plan of secchi or diskspd, as far as the rules examine it.
#[derive(Debug, Clone, PartialEq)]
pub struct NativePlan {
    /// Where it stands: a run, a document, typed words.
    pub source: Sentence,
    /// Line in a script, counted from 1; 0 = the whole.
    pub line: u32,
    /// As it was typed.
    pub words: String,
    /// How it uses the page cache; `None` if it does not.
    pub cached: Option<Sentence>,
    /// Bytes of the test file, if they are fixed already.
    pub size: Option<Bytes>,
    /// Whether the engine waits for each operation, with the most in flight that are asked.
    pub synchronous: Option<u32>,
    /// Devices and files that it would overwrite.
    pub overwrites: Vec<PathBuf>,
    /// How long it would be under load, seconds; 0 = unknown.
    pub seconds: f64,
}

/// Judges a plan of secchi or diskspd.
#[must_use]
pub fn lint_native(plan: &NativePlan, facts: &LintFacts) -> Vec<ForeignFinding> {
    let mut saw = Vec::new();
    let line = || SourceLine::new(&plan.source, plan.line, model::clip(&plan.words));
    for path in &plan.overwrites {
        let Some((rule, severity, what)) = super::harm::judge(path, facts) else { continue };
        let statement = sentence!("lint-overwrites", path = model::clip(&path.display().to_string()), what);
        saw.push(Saw { rule, severity: Some(severity), statement, line: line() });
    }
    let mut tell = |id: &str, statement: Sentence| {
        let rule = RULES.iter().find(|r| r.text.id == id);
        saw.extend(rule.map(|r| Saw { rule: &r.text, severity: None, statement, line: line() }));
    };
    if let Some(cached) = &plan.cached {
        tell("L01-page-cache", cached.clone());
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
