//! Time that sessions of a database waited, by the roles of its files.

use super::Run;
use model::judged::RoleWait;
use model::measured::{FileRole, Waiter};

/// Minimum share of their time that sessions must wait for a role for the role to bind them.
const BINDS: f64 = 0.5;

/// Returns the share of each role in the time that sessions spent in calls; empty if the engine does not report it.
pub(super) fn of_roles(run: &Run) -> Vec<RoleWait> {
    let wait_of = |role: FileRole, waiter| {
        let name = role.wait_counter(waiter);
        run.used.counters.iter().find(|(n, _)| n == name).map(|(_, ms)| ms / 1e3)
    };
    let (mut called, mut measured) = (0.0, 0.0);
    for wave in &run.waves {
        called += (wave.working().as_nanos().saturating_sub(wave.pausing().as_nanos())) as f64 / 1e9;
        measured += wave.total().length.secs();
    }
    if called <= 0.0 || measured <= 0.0 {
        return Vec::new();
    }
    let roles = [FileRole::Data, FileRole::Journal, FileRole::Image];
    let waits_of = |role| {
        let (sessions, writers) = (wait_of(role, Waiter::Sessions)?, wait_of(role, Waiter::Writers)?);
        Some(RoleWait { role, sessions: (sessions / called).min(1.0), writers: writers / measured })
    };
    roles.into_iter().filter_map(waits_of).collect()
}

/// Returns the role whose files bind the sessions: they wait for it most, and for at least half of their time.
pub(crate) fn binding_role(waits: &[RoleWait]) -> Option<FileRole> {
    let most = waits.iter().max_by(|a, b| a.sessions.total_cmp(&b.sessions));
    most.filter(|w| w.sessions >= BINDS).map(|w| w.role)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_waited_for_less_than_half_of_the_time_does_not_bind() {
        let wait_of = |role, sessions| RoleWait { role, sessions, writers: 0.0 };
        let waits = [wait_of(FileRole::Data, 0.3), wait_of(FileRole::Journal, 0.6), wait_of(FileRole::Image, 0.0)];
        assert_eq!(binding_role(&waits), Some(FileRole::Journal));
        assert_eq!(binding_role(&waits[..1]), None);
        assert_eq!(binding_role(&[]), None);
    }
}
