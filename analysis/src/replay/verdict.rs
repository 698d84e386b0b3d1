//! Verdict of a replay in one sentence: whether the storage kept up with the recording, and if not, what limited it.

use crate::verdict::sentences::trouble;
use messages::sentence;
use model::judged::{BindingKind, Outcome, RunAnswer};
use model::record::{Replayed, ReplayedRole};
use model::{Judgement, Nanos, RunRecord, RunState, Sentence, units::thousands};

/// Factor above the recorded length from which a load that waits for its answers did not keep up.
const LONGER: f64 = 1.05;
/// Roles described in the headline.
const HEADLINE_ROLES: usize = 2;
/// Minimum excess over the recorded length; a smaller one is an effect of the end of the run.
const LONGER_BY: Nanos = Nanos::from_secs(1);

/// Turns the judgement of the load into that of a replay: verdict and exit code state whether the storage kept up.
pub(crate) fn judge(record: &RunRecord, replayed: &Replayed, judgement: &mut Judgement) {
    if !matches!(record.state, RunState::Complete | RunState::Stopped) {
        return;
    }
    judgement.verdict = verdict(record, replayed, judgement);
    judgement.answer = RunAnswer::default();
    if judgement.exit_code == 0 && !kept_up(replayed) {
        (judgement.outcome, judgement.exit_code) = (Outcome::Fail, 1);
    }
}

fn verdict(record: &RunRecord, replayed: &Replayed, judgement: &Judgement) -> Sentence {
    if replayed.speed == 0.0 {
        let mut roles: Vec<&ReplayedRole> = replayed.roles.iter().collect();
        roles.sort_by_key(|role| std::cmp::Reverse(role.made()));
        return headline(&roles, unpaced);
    }
    let mut behind: Vec<(usize, &ReplayedRole)> =
        replayed.roles.iter().enumerate().filter(|(_, r)| is_behind(r)).collect();
    behind.sort_by_key(|(_, role)| std::cmp::Reverse((role.late_seconds(), role.made_length)));
    if behind.is_empty() {
        let operations: u64 = replayed.roles.iter().map(ReplayedRole::made).sum();
        let lag = replayed.roles.iter().map(ReplayedRole::longest_lag).max().unwrap_or(Nanos(0));
        // A replay that kept up but is not valid shows nothing about the storage.
        if let Some(trouble) = trouble(record, &judgement.caveats) {
            return trouble.what;
        }
        return sentence!("replay-kept-up", operations = thousands(operations as f64), lag);
    }
    let late: Vec<&ReplayedRole> = behind.iter().map(|(_, role)| *role).collect();
    let lags = headline(&late, lagged);
    // The binding limit, if there is one.
    let bound = behind.iter().find_map(|(i, role)| {
        // Each stage has the roles of its targets.
        let mut of_role = record.plan.stages.iter().flat_map(|stage| stage.job.targets().map(|_| &stage.name));
        let stage = of_role.nth(*i)?;
        let pattern = judgement.patterns.iter().find(|p| p.stage == *stage)?;
        // A generator whose load waits for answers is idle or busy depending on them.
        let named = match pattern.binding.kind {
            BindingKind::Latency | BindingKind::Unknown => false,
            BindingKind::Generator => role.late_seconds() > 0,
            _ => true,
        };
        named.then(|| pattern.binding.statement.clone())
    });
    match bound {
        Some(bound) => sentence!("replay-lagged-bound", lags, bound),
        None => lags,
    }
}

/// Describes the first roles in words and counts the others: a recording may have thousands.
fn headline(roles: &[&ReplayedRole], describe: fn(&ReplayedRole) -> Sentence) -> Sentence {
    let (shown, rest) = roles.split_at(roles.len().min(HEADLINE_ROLES));
    let first = Sentence::join(shown.iter().map(|role| describe(role)), "; ");
    match rest.len() {
        0 => first,
        n => sentence!("replay-more-roles", first, n = n as u64),
    }
}

/// Returns `true` if all roles were replayed in time; at maximum speed nothing is late.
#[must_use]
pub(super) fn kept_up(replayed: &Replayed) -> bool {
    replayed.speed == 0.0 || !replayed.roles.iter().any(is_behind)
}

/// Returns `true` if the storage of a role did not complete its operations in time.
fn is_behind(role: &ReplayedRole) -> bool {
    let longer = role.made_length.since(role.recorded_length);
    let factor = role.made_length.as_nanos() as f64 / role.recorded_length.as_nanos().max(1) as f64;
    role.late_seconds() > 0 || (factor > LONGER && longer > LONGER_BY)
}

fn lagged(role: &ReplayedRole) -> Sentence {
    let (late, seconds) = (role.late_seconds() as u64, role.seconds.len() as u64);
    if late == 0 {
        // Nothing scheduled by time was late: operations that wait for answers had to wait longer.
        return sentence!("replay-longer", role = &role.role, made = role.made_length, recorded = role.recorded_length);
    }
    let (lag, made, recorded) = (role.longest_lag(), role.made_length, role.recorded_length);
    sentence!("replay-lagged", role = &role.role, late, seconds, lag, made, recorded)
}

fn unpaced(role: &ReplayedRole) -> Sentence {
    let rate = role.made() as f64 / role.made_length.secs().max(1e-9);
    let as_recorded = role.made() as f64 / role.recorded_length.secs().max(1e-9);
    sentence!("replay-unpaced", role = &role.role, iops = model::Iops(rate), recorded = model::Iops(as_recorded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_of_a_thousand_roles_has_a_headline_of_the_two_latest() {
        let late = |role: String, seconds: usize| ReplayedRole {
            role,
            seconds: vec![model::record::ReplaySecond { late: 1, ..Default::default() }; seconds],
            ..Default::default()
        };
        let roles: Vec<ReplayedRole> = (1..=1000).map(|n| late(format!("file-{n}"), n)).collect();
        let mut shown: Vec<&ReplayedRole> = roles.iter().collect();
        shown.sort_by_key(|role| std::cmp::Reverse(role.late_seconds()));
        let text = headline(&shown, lagged).to_string();
        assert!(text.starts_with("file-1000 does not keep up") && text.contains("; file-999 does"), "{text}");
        assert!(text.ends_with("; 998 more roles are in the table") && text.len() < 400, "{text}");
    }
}
