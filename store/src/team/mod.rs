//! A run store for a team: a database on a server, beside the directory that every run is written to first.
//!
//! A run is journalled here, on this machine, so that a killed run or a server that went away costs nothing. When it has
//! ended, its journal (as bytes, in chunks) and its rows are put into the team's store in one transaction, and only then go
//! from here. What could not be put there waits, and goes with the next run that ends or with [`Store::push`].
//!
//! The tables are those of the index, in schema `secchi`, and `journal` and `chunk` with the bytes. There the rows of a run are
//! made once, when it is put; tags and notes live in them, for there is no file beside a journal.

pub(crate) mod error;
#[cfg(feature = "postgres")]
mod link;
#[cfg(feature = "postgres")]
mod postgres;
pub(crate) mod server;
#[cfg(feature = "postgres")]
mod tls;
#[cfg(feature = "postgres")]
mod url;
mod view;

pub use error::TeamError;
pub use view::TeamView;

use crate::filter::Filter;
use crate::index::rows::IndexRow;
use crate::journal::recover::{Recovered, recover_from};
use crate::runs::error::StoreError;
use crate::runs::labels_file;
use crate::runs::store::Store;
use crate::runs::summary::RunSummary;
use model::{Digest, RunRecord};
use server::Server;
use std::path::{Path, PathBuf};
use std::sync::Arc;
#[cfg(feature = "postgres")]
use std::time::Duration;

/// What stands before the address of a team's store.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

/// What a machine knows beside the address of a team's store: variables and files of PostgreSQL's own programs.
#[derive(Clone, Default)]
pub struct TeamAccess {
    /// `PGPASSWORD`, for an address without one.
    pub password: Option<String>,
    /// `PGSSLMODE`, for an address without `sslmode`.
    pub sslmode: Option<String>,
    /// `PGSSLROOTCERT`, for an address without `sslrootcert`.
    pub sslrootcert: Option<String>,
    /// `~/.postgresql/root.crt`: the root certificates where none are named; need not be there.
    pub root_file: Option<PathBuf>,
}

/// How long a run that ended waits for a server, and whoever reads it.
#[cfg(feature = "postgres")]
const TO_WRITE: link::Limits =
    link::Limits { connect: Duration::from_secs(5), read: Duration::from_secs(60), change: Duration::from_secs(300) };
/// How long somebody before a browser waits.
#[cfg(feature = "postgres")]
const TO_READ: link::Limits =
    link::Limits { connect: Duration::from_secs(3), read: Duration::from_secs(15), change: Duration::ZERO };

/// What became of runs that waited.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pushed {
    /// Put into the team's store.
    pub put: Vec<String>,
    /// Still running.
    pub live: usize,
    /// Still waiting, and why.
    pub waiting: Vec<(String, String)>,
}

/// Whether `place` is the address of a team's store rather than a directory.
#[must_use]
pub fn is_team(place: &Path) -> bool {
    let text = place.to_string_lossy().to_ascii_lowercase();
    SCHEMES.iter().any(|s| text.starts_with(s))
}

/// A server that is only read from.
#[cfg(feature = "postgres")]
fn to_read(url: &str, access: &TeamAccess) -> Result<Arc<dyn Server>, TeamError> {
    let address = url::Address::read(url, access)?;
    Ok(Arc::new(postgres::Postgres::new(link::Link::new(address, true, TO_READ))))
}

#[cfg(not(feature = "postgres"))]
fn to_read(_: &str, _: &TeamAccess) -> Result<Arc<dyn Server>, TeamError> {
    Err(without())
}

#[cfg(not(feature = "postgres"))]
fn without() -> TeamError {
    TeamError::Url { why: "this build has no team stores (it was made without the feature `postgres`)".to_owned() }
}

/// Why a run that ended is not in the team's store yet, and waits on this machine.
#[derive(Debug, thiserror::Error)]
#[error("{0}; the run is kept on this machine, and goes there with `secchi runs push` or the next run")]
pub(crate) struct Waits(StoreError);

/// The run of a whole id out of a team's store.
fn recovered(server: &dyn Server, id: &str) -> Result<Recovered, StoreError> {
    let unknown = || StoreError::Unknown { typed: id.to_owned(), near: Vec::new() };
    let journal = server.journal(id)?.ok_or_else(unknown)?;
    recover_from(&journal[..], journal.len() as u64)
        .map_err(|e| TeamError::Other { store: server.name().to_owned(), why: format!("run {id}: {e}") }.into())
}

/// The runs of a team's store, or those a filter lists. Rows that were changed by hand are made again from the journal.
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
            Err(e) => RunSummary::unreadable(&id, &e.to_string(), None),
        }
    };
    Ok(server.rows(filter)?.into_iter().map(mended).collect())
}

impl Store {
    /// A team's store at `url`, with a directory of its own under `waiting` for what has not been put there yet. Nothing is
    /// connected yet.
    ///
    /// # Errors
    /// When the address is wrong or asks for what is not done, or the directory cannot be made.
    #[cfg(feature = "postgres")]
    pub fn team(url: &str, access: &TeamAccess, waiting: &Path) -> Result<Store, StoreError> {
        let address = url::Address::read(url, access)?;
        let store = Store::open(&waiting.join(address.key()))?;
        Ok(store.with_server(Arc::new(postgres::Postgres::new(link::Link::new(address, false, TO_WRITE)))))
    }

    /// Refused: this build was made without team stores.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(feature = "postgres"))]
    pub fn team(_: &str, _: &TeamAccess, _: &Path) -> Result<Store, StoreError> {
        Err(without().into())
    }

    /// How the team's store is shown; `None` of a directory.
    #[must_use]
    pub fn team_name(&self) -> Option<&str> {
        self.server().map(Server::name)
    }

    /// Asks the team's store whether it answers; a directory always does.
    ///
    /// # Errors
    /// Why it cannot be used; [`TeamError::is_away`] when it may be later.
    pub fn reach(&self) -> Result<(), TeamError> {
        self.server().map_or(Ok(()), Server::check)
    }

    /// Makes the tables of a team's store, where there are none yet.
    ///
    /// # Errors
    /// When it cannot be reached, is of another version, or does not permit it.
    pub fn init_team(&self) -> Result<(), TeamError> {
        self.server().map_or(Ok(()), Server::init)
    }

    /// Puts runs that ended and wait here into the team's store, the oldest first. Each is taken away here once it is there.
    ///
    /// # Errors
    /// When the directory cannot be read, or the team's store cannot be used at all.
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

    /// Puts a run that has just ended, and whatever waited before it; says why, when the run itself could not be put.
    pub(crate) fn hand_over(&self, id: &str) -> Result<(), Waits> {
        let Some(server) = self.server() else { return Ok(()) };
        match self.push_one(server, id) {
            // What waited before is not this run's to tell of; it is counted in the next listing.
            Ok(_) => drop(self.push()),
            Err(e) => return Err(Waits(e)),
        }
        Ok(())
    }

    /// Puts one run that ended; `false` while it is running.
    pub(crate) fn push_one(&self, server: &dyn Server, id: &str) -> Result<bool, StoreError> {
        let run = self.recover_id(id)?;
        if run.live {
            return Ok(false);
        }
        let mut summary = RunSummary::from_recovered(&run);
        summary.set_digest(self.digest_of(&run.record));
        summary.labels = labels_file::read(&self.labels_path(id)?)?;
        let path = self.journal_path(id)?;
        let unread = |e| crate::journal::error::RecoverError {
            path: path.clone(),
            cause: crate::journal::error::Unreadable::Io(e),
        };
        let journal = std::fs::read(&path).map_err(unread)?;
        let whole = usize::try_from(run.bytes_to_take()).unwrap_or(usize::MAX).min(journal.len());
        server.put(&summary, &journal[..whole])?;
        match self.remove_here(id) {
            // Another process put it there at the same time, and took it away.
            Ok(_) | Err(StoreError::Unknown { .. }) => Ok(true),
            Err(e) => Err(e),
        }
    }

    /// The run of a whole id out of the team's store.
    pub(crate) fn recover_team(&self, server: &dyn Server, id: &str) -> Result<Recovered, StoreError> {
        recovered(server, id)
    }

    /// The runs of the team's store, or those a filter lists.
    pub(crate) fn team_runs(
        &self,
        server: &dyn Server,
        filter: Option<&Filter>,
    ) -> Result<Vec<RunSummary>, StoreError> {
        Ok(runs_of(server, filter, &|record| self.digest_of(record))?)
    }
}
