//! State shared by sessions, the write daemon and the database while the model is started.

use super::counts::Counts;
use super::journal::Journal;
use super::pool::{OpenGlobal, Pool};
use super::profile::Profile;
use crate::engine::EngineSettings;
use model::measured::EnginePhase;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// State of a started model.
pub(super) struct Shared {
    pub profile: Arc<Profile>,
    pub how: EngineSettings,
    pub page: usize,
    pub pool: Pool,
    /// Common journal of all globals, if there is one.
    pub journal: Option<Arc<Journal>>,
    pub counts: Arc<Counts>,
    /// Number of the next write-back. It differs from all numbers used after earlier starts.
    pub epoch: AtomicU64,
    pub writing_back: Arc<AtomicBool>,
    pub sessions: AtomicU32,
    pub phases: Mutex<Vec<EnginePhase>>,
}

impl Shared {
    /// Returns the number of dirty pages.
    pub fn backlog(&self) -> u64 {
        let in_journals =
            self.pool.all_globals().iter().filter_map(|g| g.places().map(|p| p.len() as u64)).sum::<u64>();
        self.pool.dirty() + in_journals
    }

    /// Returns the number of bytes in journals that are not written back. In the common journal, everything before
    /// `since` counts as written back.
    pub fn journal_bytes(&self, since: u64) -> u64 {
        let separate = |opened: &Arc<OpenGlobal>| match (&opened.newest, &opened.journal) {
            (Some(newest), Some(journal)) => journal.end().saturating_sub(newest.begin.load(Relaxed)),
            _ => 0,
        };
        let common = self.journal.as_ref().map_or(0, |j| j.end().saturating_sub(since));
        common + self.pool.all_globals().iter().map(separate).sum::<u64>()
    }

    pub fn next_epoch(&self) -> u64 {
        self.epoch.fetch_add(1, Relaxed) + 1
    }
}
