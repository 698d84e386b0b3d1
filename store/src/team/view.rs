//! A team's store to look at, again and again and by several at once: nothing is written there, no directory is used here,
//! and a server that does not answer keeps nobody waiting for long.

use super::error::TeamError;
use super::server::Server;
use super::{TeamAccess, recovered, runs_of};
use crate::journal::recover::Recovered;
use crate::runs::error::StoreError;
use crate::runs::listing::newest_first;
use crate::runs::summary::RunSummary;
use model::{Digest, Labels, RunRecord};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Those who ask for the list at about the same time share it.
const SHARED: Duration = Duration::from_millis(500);
/// A server that was away is not asked again so soon.
const AWAY: Duration = Duration::from_secs(2);

/// A team's store, reading only: its server is told so, and holds every connection to it.
pub struct TeamView {
    server: Arc<dyn Server>,
    digest_of: Arc<dyn Fn(&RunRecord) -> Digest + Send + Sync>,
    /// One looks, the others wait for what it sees.
    asking: Mutex<()>,
    seen: Mutex<Option<LastListing>>,
}

/// What was seen last, and when.
struct LastListing {
    at: Instant,
    runs: Result<Vec<RunSummary>, TeamError>,
}

impl std::fmt::Debug for TeamView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TeamView").field("store", &self.name()).finish_non_exhaustive()
    }
}

/// What a holder that panicked left can be read again.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TeamView {
    /// Of the store at `url`; nothing is connected yet. Runs whose rows were changed by hand are judged by `digest_of`.
    ///
    /// # Errors
    /// When the address is wrong or asks for what is not done.
    pub fn open(
        url: &str,
        access: &TeamAccess,
        digest_of: impl Fn(&RunRecord) -> Digest + Send + Sync + 'static,
    ) -> Result<TeamView, TeamError> {
        let server = super::to_read(url, access)?;
        Ok(TeamView { server, digest_of: Arc::new(digest_of), asking: Mutex::new(()), seen: Mutex::new(None) })
    }

    /// How it is shown: without its password.
    #[must_use]
    pub fn name(&self) -> &str {
        self.server.name()
    }

    /// Asks whether it answers, is ours, and may be read.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn reach(&self) -> Result<(), TeamError> {
        self.server.check()
    }

    /// All runs, newest first.
    ///
    /// # Errors
    /// When the store does not answer, or does not permit it; what is away is told at once for two seconds.
    pub fn list(&self) -> Result<Vec<RunSummary>, TeamError> {
        let _turn = locked(&self.asking);
        if let Some(runs) = self.known() {
            return runs;
        }
        let runs = runs_of(&*self.server, None, &*self.digest_of).map(|mut runs| {
            newest_first(&mut runs);
            runs
        });
        *locked(&self.seen) = Some(LastListing { at: Instant::now(), runs: runs.clone() });
        runs
    }

    /// The run of a whole id.
    ///
    /// # Errors
    /// When there is none, or as [`TeamView::list`].
    pub fn recover(&self, id: &str) -> Result<Recovered, StoreError> {
        if let Some(Err(away)) = self.known() {
            return Err(away.into());
        }
        let run = recovered(&*self.server, id);
        if let Err(StoreError::Team(error)) = &run
            && error.is_away()
        {
            *locked(&self.seen) = Some(LastListing { at: Instant::now(), runs: Err(error.clone()) });
        }
        run
    }

    /// Tags and note of the run of a whole id; none where there is no such run.
    ///
    /// # Errors
    /// As [`TeamView::list`].
    pub fn labels(&self, id: &str) -> Result<Labels, TeamError> {
        match self.known() {
            Some(Err(away)) => Err(away),
            _ => Ok(self.server.labels(id)?.unwrap_or_default()),
        }
    }

    /// What was seen a moment ago.
    fn known(&self) -> Option<Result<Vec<RunSummary>, TeamError>> {
        let seen = locked(&self.seen);
        let seen = seen.as_ref()?;
        let fresh = if seen.runs.is_ok() { SHARED } else { AWAY };
        (seen.at.elapsed() < fresh).then(|| seen.runs.clone())
    }
}
