//! A run in progress that is shown in a browser. Each request continues reading the run's journal where the previous
//! request stopped.

use model::RunState;
use report::formats::dashboard::{Cursor, LiveRun, News};
use serde::Serialize;
use session::language::chosen;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};
use store::{FollowState, Follower, RunStatus};

/// Minimum time between two reads of a journal, shared by all viewers of a run.
const SHARED: Duration = Duration::from_millis(200);
/// Maximum number of journal bytes read for one answer; reading them takes some tens of milliseconds.
const MOST: u64 = 2 << 20;

/// A journal and the state built from it so far.
pub struct Followed {
    follower: Follower,
    run: LiveRun,
    pace: FollowState,
    /// Error of an event that does not fit the run; no later event is applied.
    broken: Option<String>,
    looked: Option<Instant>,
    /// Time of the last request.
    pub asked: Instant,
}

/// Update on a run in progress.
#[derive(Serialize)]
struct LiveUpdate<'a> {
    #[serde(flatten)]
    news: News<'a>,
    /// True if there are more events, which can be requested immediately.
    behind: bool,
    /// Seconds since the journal was last written.
    quiet: f64,
    /// Reason why nothing more can be read; `None` if reading can continue.
    damage: Option<String>,
}

impl Followed {
    /// Opens a journal at its beginning. The error is a sentence.
    pub fn open(path: &Path) -> Result<Followed, String> {
        let (follower, begin) = Follower::open(path).map_err(|e| e.to_string())?;
        let run = LiveRun::begin(begin).map_err(|e| e.to_string())?;
        Ok(Followed { follower, run, pace: FollowState::Behind, broken: None, looked: None, asked: Instant::now() })
    }

    /// Returns the run as built so far, without its figures per second.
    pub fn run(&self) -> &LiveRun {
        &self.run
    }

    /// Returns the events since `from`, as JSON. The error is a sentence; it occurs if the run was removed or the disk
    /// failed.
    pub fn events_since(&mut self, from: Cursor) -> Result<Vec<u8>, String> {
        self.asked = Instant::now();
        if self.looked.is_none_or(|at| at.elapsed() >= SHARED) || self.pace == FollowState::Behind {
            self.refresh()?;
        }
        let written = self.follower.written().ok();
        let quiet = written.and_then(|at| SystemTime::now().duration_since(at).ok()).unwrap_or_default();
        let damage = match &self.pace {
            FollowState::Over(Some(damage)) => Some(damage.to_string()),
            _ => self.broken.clone(),
        };
        let update = LiveUpdate {
            news: self.run.news(self.state(), from, chosen()),
            behind: self.pace == FollowState::Behind,
            quiet: quiet.as_secs_f64(),
            damage,
        };
        serde_json::to_vec(&update).map_err(|e| e.to_string())
    }

    fn refresh(&mut self) -> Result<(), String> {
        let (run, broken) = (&mut self.run, &mut self.broken);
        self.pace = self
            .follower
            .read_new(MOST, |event| {
                if broken.is_none() {
                    *broken = run.apply(event).err().map(|e| e.to_string());
                }
            })
            .map_err(|e| e.to_string())?;
        if matches!(self.pace, FollowState::Over(_)) {
            self.run.finish();
        }
        self.looked = Some(Instant::now());
        Ok(())
    }

    /// Returns the state of the run. If the journal contains the end of the run, the run counts as ended even while the
    /// writer is still alive.
    fn state(&self) -> &'static str {
        match (self.run.record().state, &self.pace) {
            (RunState::Interrupted, FollowState::Over(_)) if self.follower.is_damaged() => RunStatus::Damaged,
            (RunState::Interrupted, FollowState::Over(_)) => RunStatus::Interrupted,
            (RunState::Interrupted | RunState::Running, _) => RunStatus::Running,
            (RunState::Complete, _) => RunStatus::Complete,
            (RunState::Stopped, _) => RunStatus::Stopped,
            (RunState::Hung, _) => RunStatus::Hung,
            (RunState::Failed, _) => RunStatus::Failed,
            (RunState::Damaged, _) => RunStatus::Damaged,
        }
        .name()
    }
}
