//! Read-only view of a team's store for pages that are refreshed regularly. It writes nothing, uses no local directory,
//! supports concurrent readers, and fails quickly if the server does not respond.

use super::{TeamAccess, recovered, runs_of};
use crate::journal::recover::Recovered;
use crate::runs::error::StoreError;
use crate::runs::listing::newest_first;
use crate::runs::server::Server;
use crate::runs::team_error::TeamError;
use crate::summary::{Digest, RunSummary};
use model::{RunRecord, record::Labels};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time during which several callers share one listing.
const SHARED: Duration = Duration::from_millis(500);
/// Minimum time between attempts to reach an unreachable server.
const AWAY: Duration = Duration::from_secs(2);

/// Team's store opened for reading. The server enforces read-only transactions.
pub struct TeamView {
    server: Arc<dyn Server>,
    digest_of: Arc<dyn Fn(&RunRecord) -> Digest + Send + Sync>,
    /// Lock with which one caller queries the server while the others wait for its result.
    asking: Mutex<()>,
    seen: Mutex<Option<LastListing>>,
}

/// Last listing, and the time at which it was made.
struct LastListing {
    at: Instant,
    runs: Result<Vec<RunSummary>, TeamError>,
}

impl std::fmt::Debug for TeamView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TeamView").field("store", &self.name()).finish_non_exhaustive()
    }
}

/// Locks a mutex. The data is valid even if a thread panicked while it held the lock.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TeamView {
    /// Creates a view of the store at `url` without connecting. `digest_of` judges runs whose rows were changed by
    /// hand.
    ///
    /// # Errors
    /// Returns an error if the address is invalid or requests something unsupported.
    pub fn open(
        url: &str,
        access: &TeamAccess,
        digest_of: impl Fn(&RunRecord) -> Digest + Send + Sync + 'static,
    ) -> Result<TeamView, TeamError> {
        let server = super::to_read(url, access)?;
        Ok(TeamView { server, digest_of: Arc::new(digest_of), asking: Mutex::new(()), seen: Mutex::new(None) })
    }

    /// Returns the name for display, without the password.
    #[must_use]
    pub fn name(&self) -> &str {
        self.server.name()
    }

    /// Checks that the store responds, has tables of this version, and may be read.
    ///
    /// # Errors
    /// Returns the reason why the store cannot be used.
    pub fn reach(&self) -> Result<(), TeamError> {
        self.server.check()
    }

    /// Returns all runs, newest first.
    ///
    /// # Errors
    /// Returns an error if the store does not respond or denies access. For two seconds, later calls return the same
    /// error.
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

    /// Recovers a run by its whole id.
    ///
    /// # Errors
    /// Returns an error if there is no such run. Also returns the same errors as [`TeamView::list`].
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

    /// Returns the tags and note of the run with this whole id; empty if there is no such run.
    ///
    /// # Errors
    /// Returns the same errors as [`TeamView::list`].
    pub fn labels(&self, id: &str) -> Result<Labels, TeamError> {
        match self.known() {
            Some(Err(away)) => Err(away),
            _ => Ok(self.server.labels(id)?.unwrap_or_default()),
        }
    }

    /// Returns the last listing if it is still fresh.
    fn known(&self) -> Option<Result<Vec<RunSummary>, TeamError>> {
        let seen = locked(&self.seen);
        let seen = seen.as_ref()?;
        let fresh = if seen.runs.is_ok() { SHARED } else { AWAY };
        (seen.at.elapsed() < fresh).then(|| seen.runs.clone())
    }
}
