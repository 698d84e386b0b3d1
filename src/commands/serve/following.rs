//! A run in progress that somebody watches: its journal is read on from where the last look ended.

use crate::language::chosen;
use model::RunState;
use report::formats::dashboard::{Cursor, LiveRun, News};
use serde::Serialize;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};
use store::{FollowState, Follower, RunStatus};

/// Several who watch the same run share a look.
const SHARED: Duration = Duration::from_millis(200);
/// Bytes of journal read for one answer: so much takes some tens of milliseconds.
const MOST: u64 = 2 << 20;

/// A journal and what was made of it so far.
pub struct Followed {
    follower: Follower,
    run: LiveRun,
    pace: FollowState,
    /// An event that does not fit: nothing behind it is read.
    broken: Option<String>,
    looked: Option<Instant>,
    /// When somebody asked last.
    pub asked: Instant,
}

/// What is told of a run in progress.
#[derive(Serialize)]
struct LiveUpdate<'a> {
    #[serde(flatten)]
    news: News<'a>,
    /// There is more to be told at once.
    behind: bool,
    /// Seconds since the journal was last written.
    quiet: f64,
    /// Why nothing more can be read, if so.
    damage: Option<String>,
}

impl Followed {
    /// Begins at the beginning. The error is a sentence.
    pub fn open(path: &Path) -> Result<Followed, String> {
        let (follower, begin) = Follower::open(path).map_err(|e| e.to_string())?;
        let run = LiveRun::begin(begin).map_err(|e| e.to_string())?;
        Ok(Followed { follower, run, pace: FollowState::Behind, broken: None, looked: None, asked: Instant::now() })
    }

    /// The run, as far as it is known without its seconds.
    pub fn run(&self) -> &LiveRun {
        &self.run
    }

    /// What is new since `from`, as JSON. The error is a sentence: the run was removed, or the disk does not give it back.
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
        let told = LiveUpdate {
            news: self.run.news(self.state(), from, chosen()),
            behind: self.pace == FollowState::Behind,
            quiet: quiet.as_secs_f64(),
            damage,
        };
        serde_json::to_vec(&told).map_err(|e| e.to_string())
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

    /// Where it stands. An end in the journal counts before the writer is gone.
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
