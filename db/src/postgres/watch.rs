//! State of checkpoints while sessions run, observed in the log of our own server or by queries to an external server.

use crate::{Clock, locked};
use model::{Nanos, measured::EnginePhase};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

/// Observed checkpoints.
#[derive(Default)]
pub struct Watch {
    /// Set while a checkpoint is active.
    pub writing_back: Arc<AtomicBool>,
    seen: Mutex<WatchState>,
}

#[derive(Default)]
struct WatchState {
    clock: Option<Clock>,
    /// Start of the active checkpoint on the run's clock, and its name.
    open: Option<(u64, String)>,
    done: Vec<EnginePhase>,
    recovering: bool,
    recovered: Option<String>,
    trouble: Option<String>,
    /// First line of the log after which the server cannot work.
    breakdown: Option<String>,
}

impl Watch {
    /// Clears all observations and sets a new clock.
    pub fn reset(&self, clock: Clock) {
        *locked(&self.seen) = WatchState { clock: Some(clock), ..WatchState::default() };
        self.writing_back.store(false, Relaxed);
    }

    /// Sets a new clock and keeps the active checkpoint.
    pub fn set_clock(&self, clock: Clock) {
        let mut seen = locked(&self.seen);
        seen.done.clear();
        if let Some((at, _)) = &mut seen.open {
            *at = clock();
        }
        seen.clock = Some(clock);
    }

    /// Records the start of a checkpoint, at a time in nanoseconds since 1970.
    pub fn checkpoint_began(&self, at: u64, name: String) {
        let mut seen = locked(&self.seen);
        seen.open = Some((seen.on_run_clock(at), name));
        self.writing_back.store(true, Relaxed);
    }

    /// Records the end of the active checkpoint.
    pub fn checkpoint_ended(&self, at: u64, pages: Option<u64>) {
        let mut seen = locked(&self.seen);
        let end = seen.on_run_clock(at);
        if let Some((start, name)) = seen.open.take() {
            seen.done.push(EnginePhase { name, start: Nanos(start), end: Nanos(end.max(start)), pages });
        }
        self.writing_back.store(false, Relaxed);
    }

    /// Records that the server is recovering from a kill.
    pub fn recovering(&self) {
        locked(&self.seen).recovering = true;
    }

    /// Records the end of the recovery, with the server's message.
    pub fn recovered(&self, how: String) {
        locked(&self.seen).recovered = Some(how);
    }

    /// Returns the server's message about its recovery, if it had to recover when it started.
    pub fn recovery(&self) -> Option<String> {
        let seen = locked(&self.seen);
        seen.recovering.then(|| seen.recovered.clone().unwrap_or_default())
    }

    /// Records that an observer or a write daemon of secchi failed.
    pub fn failed(&self, reason: String) {
        locked(&self.seen).trouble.get_or_insert(reason);
    }

    /// Records that the server can no longer work. The first recorded reason is kept.
    pub fn break_down(&self, reason: &str) {
        locked(&self.seen).breakdown.get_or_insert_with(|| reason.to_owned());
    }

    /// Returns the reason from the log why the server can no longer work.
    pub fn breakdown(&self) -> Option<String> {
        locked(&self.seen).breakdown.clone()
    }

    /// Returns the reason for the first failure of an observer or write daemon.
    pub fn error(&self) -> Option<String> {
        locked(&self.seen).trouble.clone()
    }

    /// Returns the checkpoints that ended since the last call, and the active one.
    pub fn take_phases(&self) -> Vec<EnginePhase> {
        let mut seen = locked(&self.seen);
        let mut phases = std::mem::take(&mut seen.done);
        if let (Some((start, name)), Some(clock)) = (&seen.open, &seen.clock) {
            let end = clock().max(*start);
            phases.push(EnginePhase { name: name.clone(), start: Nanos(*start), end: Nanos(end), pages: None });
        }
        phases
    }
}

impl WatchState {
    /// Converts a time since 1970 to the run's clock. Times before the run become the start of the run.
    fn on_run_clock(&self, at: u64) -> u64 {
        let ago = since_1970().saturating_sub(at);
        self.clock.as_ref().map_or(0, |clock| clock().saturating_sub(ago))
    }
}

/// Returns the time in nanoseconds since 1970.
pub fn since_1970() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| u64::try_from(d.as_nanos()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_is_told_while_it_runs_and_once_when_it_has_ended() {
        let watch = Watch::default();
        watch.reset(Arc::new(|| 5_000_000_000));
        let now = since_1970();
        watch.checkpoint_began(now - 2_000_000_000, "checkpoint (time)".into());
        assert!(watch.writing_back.load(Relaxed));
        let running = watch.take_phases();
        assert!(running.len() == 1 && running[0].end == Nanos::from_secs(5), "{running:?}");
        assert!((2_900_000_000..=3_000_000_000).contains(&running[0].start.as_nanos()), "{running:?}");
        watch.checkpoint_ended(since_1970(), Some(7));
        assert!(!watch.writing_back.load(Relaxed));
        assert_eq!(watch.take_phases().iter().map(|p| p.pages).collect::<Vec<_>>(), [Some(7)]);
        assert!(watch.take_phases().is_empty());
    }
}
