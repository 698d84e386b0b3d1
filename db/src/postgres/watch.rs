//! What is known of checkpoints while sessions run, whoever observed it: the log of our own server, or questions to
//! somebody else's.

use model::{EnginePhase, Nanos};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{SystemTime, UNIX_EPOCH};

/// The clock of a run.
pub type RunClock = Arc<dyn Fn() -> u64 + Send + Sync>;

/// Checkpoints, as far as they were seen.
#[derive(Default)]
pub struct Watch {
    /// Set while one is under way.
    pub writing_back: Arc<AtomicBool>,
    seen: Mutex<WatchState>,
}

#[derive(Default)]
struct WatchState {
    clock: Option<RunClock>,
    /// Begin on the run's clock, and name.
    open: Option<(u64, String)>,
    done: Vec<EnginePhase>,
    recovering: bool,
    recovered: Option<String>,
    trouble: Option<String>,
    /// First line of the log after which the server cannot work.
    breakdown: Option<String>,
}

impl Watch {
    fn state(&self) -> MutexGuard<'_, WatchState> {
        // A panicked observer leaves nothing half done here.
        self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Forgets what was seen and takes another clock.
    pub fn reset(&self, clock: RunClock) {
        *self.state() = WatchState { clock: Some(clock), ..WatchState::default() };
        self.writing_back.store(false, Relaxed);
    }

    /// Takes another clock and keeps what is under way.
    pub fn set_clock(&self, clock: RunClock) {
        let mut seen = self.state();
        seen.done.clear();
        if let Some((at, _)) = &mut seen.open {
            *at = clock();
        }
        seen.clock = Some(clock);
    }

    /// A checkpoint began, at so many nanoseconds since 1970.
    pub fn checkpoint_began(&self, at: u64, name: String) {
        let mut seen = self.state();
        seen.open = Some((seen.on_run_clock(at), name));
        self.writing_back.store(true, Relaxed);
    }

    /// It ended.
    pub fn checkpoint_ended(&self, at: u64, pages: Option<u64>) {
        let mut seen = self.state();
        let end = seen.on_run_clock(at);
        if let Some((start, name)) = seen.open.take() {
            seen.done.push(EnginePhase { name, start: Nanos(start), end: Nanos(end.max(start)), pages });
        }
        self.writing_back.store(false, Relaxed);
    }

    /// The server found that it was killed.
    pub fn recovering(&self) {
        self.state().recovering = true;
    }

    /// It has recovered, in its own words.
    pub fn recovered(&self, how: String) {
        self.state().recovered = Some(how);
    }

    /// Whether the server had to recover when it started, and its own words on it.
    pub fn recovery(&self) -> Option<String> {
        let seen = self.state();
        seen.recovering.then(|| seen.recovered.clone().unwrap_or_default())
    }

    /// An observer or write daemon of ours failed.
    pub fn failed(&self, why: String) {
        self.state().trouble.get_or_insert(why);
    }

    /// Records that the server cannot work any more; the first reason stays.
    pub fn break_down(&self, why: &str) {
        self.state().breakdown.get_or_insert_with(|| why.to_owned());
    }

    /// Returns why the server cannot work any more, in the words of its log.
    pub fn breakdown(&self) -> Option<String> {
        self.state().breakdown.clone()
    }

    /// Why one failed.
    pub fn error(&self) -> Option<String> {
        self.state().trouble.clone()
    }

    /// What ended since the last call, and what is under way.
    pub fn take_phases(&self) -> Vec<EnginePhase> {
        let mut seen = self.state();
        let mut phases = std::mem::take(&mut seen.done);
        if let (Some((start, name)), Some(clock)) = (&seen.open, &seen.clock) {
            let end = clock().max(*start);
            phases.push(EnginePhase { name: name.clone(), start: Nanos(*start), end: Nanos(end), pages: None });
        }
        phases
    }
}

impl WatchState {
    /// A time since 1970 on the run's clock; what was before the run began is at its beginning.
    fn on_run_clock(&self, at: u64) -> u64 {
        let ago = since_1970().saturating_sub(at);
        self.clock.as_ref().map_or(0, |clock| clock().saturating_sub(ago))
    }
}

/// Nanoseconds since 1970.
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
