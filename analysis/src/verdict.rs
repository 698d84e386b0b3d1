//! The first sentence, and the exit code (`measurement.md` section 6).

use crate::binding::Bound;
use crate::caveats::step_name;
use model::{
    BindingKind, Caveat, NeedResult, Outcome, PatternJudgement, RunRecord, RunState, Severity, StageRole, StepStop,
};

/// Groups spelled out; the rest is counted.
const MOST_GROUPS: usize = 2;
/// Labels named in a group.
const MOST_LABELS: usize = 3;

/// Outcome over needs and validity, and the exit code that goes with it.
pub(crate) fn outcome(record: &RunRecord, needs: &[NeedResult], caveats: &[Caveat]) -> (Outcome, u8) {
    let invalid = caveats.iter().any(|c| c.severity == Severity::Invalid);
    let any = |o: Outcome| needs.iter().any(|n| n.outcome == o);
    match record.state {
        RunState::Hung => return (Outcome::Undecided, 5),
        // Which signal it was, only the binary knows.
        RunState::Stopped => return (Outcome::Undecided, 130),
        RunState::Interrupted | RunState::Failed => return (Outcome::Undecided, 2),
        RunState::Complete => {}
    }
    if invalid {
        (Outcome::Undecided, 2)
    } else if any(Outcome::Fail) {
        (Outcome::Fail, 1)
    } else if any(Outcome::Undecided) {
        (Outcome::Undecided, 2)
    } else {
        (Outcome::Pass, 0)
    }
}

/// Patterns that share a cause.
struct Group<'a> {
    kind: BindingKind,
    names: &'a [String],
    members: Vec<(&'a PatternJudgement, &'a Bound)>,
}

impl Group<'_> {
    /// The pattern whose figures are quoted: a ramp, for its depth is its own.
    fn leader(&self) -> &Bound {
        let ramp = self.members.iter().find(|(p, _)| p.role == StageRole::Ramp);
        ramp.unwrap_or(&self.members[0]).1
    }

    fn has_ramp(&self) -> bool {
        self.members.iter().any(|(p, _)| p.role == StageRole::Ramp)
    }

    /// `4k, 8k randread`; `8k randread, 8k randwrite and 3 more`.
    fn subject(&self) -> String {
        let mut members: Vec<&PatternJudgement> = self.members.iter().map(|(p, _)| *p).collect();
        members.dedup_by(|a, b| a.label == b.label);
        let split: Vec<(&str, &str)> =
            members.iter().map(|p| p.label.split_once(' ').unwrap_or((&p.label, ""))).collect();
        if split.len() > 1 && split.iter().all(|s| s.1 == split[0].1) {
            members.sort_by_key(|p| p.mean_size);
            let sizes: Vec<&str> = members.iter().map(|p| p.label.split_once(' ').map_or("", |s| s.0)).collect();
            return format!("{} {}", sizes.join(", "), split[0].1);
        }
        let labels: Vec<&str> = members.iter().map(|p| p.label.as_str()).collect();
        if labels.len() > MOST_LABELS {
            return format!("{} and {} more", labels[..MOST_LABELS - 1].join(", "), labels.len() - MOST_LABELS + 1);
        }
        labels.join(", ")
    }

    fn clause(&self) -> String {
        let verb = if self.members.len() > 1 { "are" } else { "is" };
        let leader = self.leader();
        let mut text = format!("{} {verb} {}", self.subject(), leader.predicate);
        if !leader.detail.is_empty() {
            text.push_str(": ");
            text.push_str(&leader.detail);
        }
        text
    }
}

/// The first sentence: what is wrong with the run, if anything, then which limit binds which patterns.
pub(crate) fn sentence(
    record: &RunRecord,
    patterns: &[PatternJudgement],
    bounds: &[Bound],
    caveats: &[Caveat],
) -> String {
    let trouble = trouble(record, caveats);
    let mut parts: Vec<String> = Vec::new();
    let judged = || patterns.iter().zip(bounds).filter(|(p, _)| p.best.is_some());
    let mut groups: Vec<Group> = Vec::new();
    let probes_only = !judged().any(|(p, _)| p.role != StageRole::Probe);
    for (pattern, bound) in judged().filter(|(p, _)| probes_only || p.role != StageRole::Probe) {
        let binding = &bound.binding;
        match groups.iter_mut().find(|g| g.kind == binding.kind && g.names == binding.names) {
            Some(group) => group.members.push((pattern, bound)),
            None => groups.push(Group { kind: binding.kind, names: &binding.names, members: vec![(pattern, bound)] }),
        }
    }
    groups.sort_by_key(|g| !g.has_ramp());
    parts.extend(groups.iter().take(MOST_GROUPS).map(Group::clause));
    let rest: usize = groups.iter().skip(MOST_GROUPS).map(|g| g.members.len()).sum();
    if rest > 0 {
        parts.push(format!("{rest} more below"));
    }
    let said = if parts.is_empty() { "nothing was measured".to_owned() } else { parts.join("; ") };
    match trouble {
        None => said,
        // What was measured before the trouble stands apart from it.
        Some((trouble, before)) => format!("{trouble}; {before}{said}"),
    }
}

/// What stands before everything else, and how the rest is to be read.
fn trouble(record: &RunRecord, caveats: &[Caveat]) -> Option<(String, &'static str)> {
    let reason = if record.reason.is_empty() { String::new() } else { format!(" ({})", record.reason) };
    match record.state {
        RunState::Hung => Some((hang(record), "before that: ")),
        RunState::Failed => Some((format!("ended by errors{reason}"), "before that: ")),
        RunState::Stopped => Some((format!("stopped before its end{reason}"), "so far: ")),
        RunState::Interrupted => Some(("without an end, killed or still running".into(), "so far: ")),
        RunState::Complete => {
            let gravest = caveats.iter().find(|c| c.severity == Severity::Invalid)?;
            Some((format!("not valid: {} ({})", gravest.statement, gravest.evidence), ""))
        }
    }
}

fn hang(record: &RunRecord) -> String {
    let stuck = record
        .steps
        .iter()
        .enumerate()
        .rev()
        .find_map(|(i, s)| s.end.as_ref().filter(|e| e.stop == StepStop::Hung || e.pending > 0).map(|e| (i, e)));
    match stuck {
        Some((i, end)) => {
            let oldest = end.pending_ages.iter().max().copied().unwrap_or_default();
            format!(
                "hung: {} operations of {} did not come back, the oldest after {oldest}",
                end.pending,
                step_name(record, Some(i))
            )
        }
        None => "hung: operations did not come back".into(),
    }
}
