//! Checks plans for secchi and diskspd by the same rules.

use super::section::RULES;
use super::{LintFacts, Saw, findings};
use messages::sentence;
use model::judged::{ForeignFinding, SourceLine};
use model::{Bytes, Plan, Sentence, Stage, bounds::LimitAxis, plan::TargetKind};
use std::path::PathBuf;

/// Plan for secchi or diskspd, reduced to what the rules examine.
#[derive(Debug, Clone, PartialEq)]
pub struct NativePlan {
    /// Source of the plan: a run, a document or a typed command.
    pub source: Sentence,
    /// Line in a script, from 1; 0 = the whole script.
    pub line: u32,
    /// Plan as typed.
    pub words: String,
    /// Description of how the plan uses the page cache. `None` if the plan bypasses the cache.
    pub cached: Option<Sentence>,
    /// Size of the test file, if it is already known.
    pub size: Option<Bytes>,
    /// Largest requested queue depth, if the engine is synchronous.
    pub synchronous: Option<u32>,
    /// Devices and files that the plan would overwrite.
    pub overwrites: Vec<PathBuf>,
    /// Duration under load in seconds; 0 = unknown.
    pub seconds: f64,
}

impl NativePlan {
    /// Returns the plan of a stored qualification.
    #[must_use]
    pub fn from_qualification(source: &str, plan: &Plan) -> Self {
        let depths = |s: &Stage| s.ramp.as_ref().map_or_else(|| vec![s.job.queue_depth], |r| r.depths.clone());
        let deepest = plan.stages.iter().flat_map(depths).max();
        let waits = plan.stages.iter().any(|s| is_synchronous(s.job.engine.as_str()));
        let overwrites = plan
            .stages
            .iter()
            .find(|s| s.job.target.kind == TargetKind::Device && s.job.workload.mix.write_percent > 0);
        NativePlan {
            source: source.into(),
            line: 0,
            words: format!("{} {}", plan.command, plan.args.join(" ")),
            cached: (!plan.target.direct).then(|| sentence!("lint-buffered")),
            size: Some(plan.target.size),
            synchronous: deepest.filter(|_| waits),
            overwrites: overwrites.map(|s| s.job.target.path.clone()).into_iter().collect(),
            seconds: plan.expected_time().secs(),
        }
    }
}

/// Returns `true` if an engine executes one operation at a time.
#[must_use]
pub fn is_synchronous(engine: &str) -> bool {
    ["psync", "sync", "mmap"].contains(&engine)
}

/// Checks a plan for secchi or diskspd.
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
