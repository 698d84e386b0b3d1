//! A team's run store: a database on a server. Every run is first written to a local directory.
//!
//! A run is first journalled on this machine, so that nothing is lost if the run is killed or the server is
//! unreachable. After the run has ended, its journal (as bytes, in chunks) and its rows are inserted into the team's
//! store in one transaction. Only then are the local copies deleted. A run that cannot be pushed is kept locally. It is
//! pushed when the next run ends, or by [`Store::push`].
//!
//! The schema `secchi` contains the tables of the index, and the tables `journal` and `chunk` with the bytes of
//! journals. The rows of a run are created once, when it is pushed. Tags and notes are stored only in these rows,
//! because there is no labels file on the server.

#[cfg(feature = "postgres")]
mod link;
#[cfg(feature = "postgres")]
mod postgres;
mod redact;
#[cfg(feature = "postgres")]
mod tls;
#[cfg(feature = "postgres")]
mod url;
mod view;

pub use redact::without_passwords;
pub use view::TeamView;

use crate::filter::Filter;
use crate::index::rows::IndexRow;
use crate::journal::error::{RecoverError, Unreadable};
use crate::journal::recover::{Recovered, recover_from};
use crate::runs::error::StoreError;
use crate::runs::labels_file;
use crate::runs::server::Server;
use crate::runs::store::Store;
use crate::runs::team_error::TeamError;
use crate::summary::{Digest, RunSummary};
use model::RunRecord;
use std::path::{Path, PathBuf};
use std::sync::Arc;
#[cfg(feature = "postgres")]
use std::time::Duration;

/// URL schemes of a team's store.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

/// Settings for access to a team's store, in addition to its address. They come from the environment variables and
/// files that PostgreSQL's client programs use.
#[derive(Clone, Default)]
pub struct TeamAccess {
    /// Password for an address without a password, from `PGPASSWORD`.
    pub password: Option<String>,
    /// TLS mode for an address without `sslmode`, from `PGSSLMODE`.
    pub sslmode: Option<String>,
    /// Root certificate file for an address without `sslrootcert`, from `PGSSLROOTCERT`.
    pub sslrootcert: Option<String>,
    /// Root certificate file that is used if no other file is named: `~/.postgresql/root.crt`. The file need not exist.
    pub root_file: Option<PathBuf>,
}

/// Time limits for commands, including the push of a run that has ended.
#[cfg(feature = "postgres")]
const TO_WRITE: link::Limits =
    link::Limits { connect: Duration::from_secs(5), read: Duration::from_secs(60), change: Duration::from_secs(300) };
/// Time limits for pages in a browser.
#[cfg(feature = "postgres")]
const TO_READ: link::Limits =
    link::Limits { connect: Duration::from_secs(3), read: Duration::from_secs(15), change: Duration::ZERO };

/// Result of pushing the local runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pushed {
    /// Ids of pushed runs.
    pub put: Vec<String>,
    /// Number of runs still running.
    pub live: usize,
    /// Ids of runs that could not be pushed, with the reasons.
    pub waiting: Vec<(String, String)>,
}

/// Returns `true` if `place` is the address of a team's store rather than a directory.
#[must_use]
pub fn is_team(place: &Path) -> bool {
    let text = place.to_string_lossy().to_ascii_lowercase();
    SCHEMES.iter().any(|s| text.starts_with(s))
}

/// Returns a server that is used only for reading.
#[cfg(feature = "postgres")]
fn to_read(url: &str, access: &TeamAccess) -> Result<Arc<dyn Server>, TeamError> {
    let address = url::Address::read(url, access)?;
    Ok(Arc::new(link::Link::new(address, true, TO_READ)))
}

#[cfg(not(feature = "postgres"))]
fn to_read(_: &str, _: &TeamAccess) -> Result<Arc<dyn Server>, TeamError> {
    Err(without())
}

#[cfg(not(feature = "postgres"))]
fn without() -> TeamError {
    TeamError::Url {
        why: "this build does not support team stores (it was built without the feature `postgres`)".to_owned(),
    }
}

/// Reason why a run that has ended could not be pushed and is kept on this machine.
#[derive(Debug, thiserror::Error)]
#[error("{0}; the run is kept on this machine and is copied there by `secchi runs push` or the next run")]
pub(crate) struct Waits(StoreError);

/// Recovers a run from a team's store by its whole id.
fn recovered(server: &dyn Server, id: &str) -> Result<Recovered, StoreError> {
    let journal = server.journal(id)?.ok_or_else(|| StoreError::unknown(id))?;
    recover_from(&journal[..], journal.len() as u64)
        .map_err(|e| TeamError::Other { store: server.name().to_owned(), why: format!("run {id}: {e}") }.into())
}

/// Returns the runs of a team's store that match `filter`, or all runs. Rows that were changed by hand are replaced by
/// data from the journal.
fn runs_of(
    server: &dyn Server,
    filter: Option<&Filter>,
    digest_of: &dyn Fn(&RunRecord) -> Digest,
) -> Result<Vec<RunSummary>, TeamError> {
    let mended = |row: IndexRow| {
        if row.sound {
            return row.summary;
        }
        let id = row.summary.id.clone();
        match recovered(server, &id) {
            Ok(run) => {
                let mut summary = RunSummary::from_recovered(&run);
                summary.set_digest(digest_of(&run.record));
                summary.labels = row.summary.labels;
                summary
            }
            Err(e) => RunSummary::unreadable(&id, &e.to_string().into(), None),
        }
    };
    Ok(server.rows(filter)?.into_iter().map(mended).collect())
}

impl Store {
    /// Opens the team's store at `url` without connecting to the server. Runs that have not been pushed yet are stored
    /// in a separate directory under `waiting`.
    ///
    /// # Errors
    /// Returns an error if the address is invalid or requests something unsupported, or if the directory cannot be
    /// created.
    #[cfg(feature = "postgres")]
    pub fn team(url: &str, access: &TeamAccess, waiting: &Path) -> Result<Store, StoreError> {
        let address = url::Address::read(url, access)?;
        let store = Store::open(&waiting.join(address.key()))?;
        Ok(store.with_server(Arc::new(link::Link::new(address, false, TO_WRITE))))
    }

    /// Rejects the address, because this build does not support team stores.
    ///
    /// # Errors
    /// Always returns an error.
    #[cfg(not(feature = "postgres"))]
    pub fn team(_: &str, _: &TeamAccess, _: &Path) -> Result<Store, StoreError> {
        Err(without().into())
    }

    /// Returns the name of the team's store for display; `None` for a directory.
    #[must_use]
    pub fn team_name(&self) -> Option<&str> {
        self.server().map(Server::name)
    }

    /// Checks that the team's store responds. For a directory, this always succeeds.
    ///
    /// # Errors
    /// Returns the reason why the store cannot be used. [`TeamError::is_away`] is true if it may respond later.
    pub fn reach(&self) -> Result<(), TeamError> {
        self.server().map_or(Ok(()), Server::check)
    }

    /// Creates the tables of a team's store if there are none.
    ///
    /// # Errors
    /// Returns an error if the server cannot be reached, has tables of another version, or denies access.
    pub fn init_team(&self) -> Result<(), TeamError> {
        self.server().map_or(Ok(()), Server::init)
    }

    /// Pushes local runs that have ended to the team's store, the oldest first. Each run is deleted locally once it has
    /// been pushed.
    ///
    /// # Errors
    /// Returns an error if the directory cannot be read, or if the team's store cannot be used at all.
    pub fn push(&self) -> Result<Pushed, StoreError> {
        let Some(server) = self.server() else { return Ok(Pushed::default()) };
        server.check()?;
        let mut pushed = Pushed::default();
        for run in self.list_here()?.runs.into_iter().rev() {
            match self.push_one(server, &run.id) {
                Ok(true) => pushed.put.push(run.id),
                Ok(false) => pushed.live += 1,
                Err(e) => pushed.waiting.push((run.id, e.to_string())),
            }
        }
        Ok(pushed)
    }

    /// Pushes a run that has just ended, then all other local runs that have ended. Returns an error only if the first
    /// run could not be pushed.
    pub(crate) fn hand_over(&self, id: &str) -> Result<(), Waits> {
        let Some(server) = self.server() else { return Ok(()) };
        self.push_one(server, id).map_err(Waits)?;
        // Errors for the other runs are not reported here; the next listing counts those runs.
        drop(self.push());
        Ok(())
    }

    /// Pushes one run. Returns `false` if it is still running.
    pub(crate) fn push_one(&self, server: &dyn Server, id: &str) -> Result<bool, StoreError> {
        let run = self.recover_id(id)?;
        if run.live {
            return Ok(false);
        }
        let mut summary = RunSummary::from_recovered(&run);
        summary.set_digest(self.digest_of(&run.record));
        summary.labels = labels_file::read(&self.labels_path(id)?)?;
        let path = self.journal_path(id)?;
        let unread = |e| RecoverError { path: path.clone(), cause: Unreadable::Io(e) };
        let mut journal = std::fs::read(&path).map_err(unread)?;
        run.trim(&mut journal);
        server.put(&summary, &journal)?;
        match self.remove_here(id) {
            // Another process pushed the run and deleted it at the same time.
            Ok(_) | Err(StoreError::Unknown { .. }) => Ok(true),
            Err(e) => Err(e),
        }
    }

    /// Recovers a run from the team's store by its whole id.
    pub(crate) fn recover_team(&self, server: &dyn Server, id: &str) -> Result<Recovered, StoreError> {
        recovered(server, id)
    }

    /// Returns the runs of the team's store that match `filter`, or all runs.
    pub(crate) fn team_runs(
        &self,
        server: &dyn Server,
        filter: Option<&Filter>,
    ) -> Result<Vec<RunSummary>, StoreError> {
        Ok(runs_of(server, filter, &|record| self.digest_of(record))?)
    }
}
