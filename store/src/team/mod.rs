//! A run store for a team: a database on a server, beside the directory that every run is written to first.
//!
//! A run is journalled here, on this machine, so that a killed run or a server that went away costs nothing. When it has
//! ended, its journal (as bytes, in chunks) and its rows are put into the team's store in one transaction, and only then go
//! from here. What could not be put there waits, and goes with the next run that ends or with [`Store::push`].
//!
//! The tables are those of the index, in schema `secchi`, and `journal` and `chunk` with the bytes. There the rows of a run are
//! made once, when it is put; tags and notes live in them, for there is no file beside a journal.

#[cfg(feature = "postgres")]
mod server;
#[cfg(feature = "postgres")]
mod url;

use crate::error::StoreError;
use crate::filter::Filter;
use crate::labels::{self, Relabel};
use crate::recover::{Recovered, recover_from};
use crate::rows::IndexRow;
use crate::store::Store;
use crate::summary::RunSummary;
use model::Labels;
use std::path::Path;

/// What stands before the address of a team's store.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

/// Why a team's store did not do what was asked. No text holds a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TeamError {
    /// The address is wrong.
    #[error(
        "--store: {why}; it reads postgres://user@host:5432/database?sslmode=disable, the password in PGPASSWORD or behind the user"
    )]
    Url {
        /// Why.
        why: String,
    },
    /// Nobody answers.
    #[error("cannot reach the run store {store}: {why}")]
    Away {
        /// The store.
        store: String,
        /// Why.
        why: String,
    },
    /// Name or password is wrong, or there is no such database.
    #[error("the run store {store} lets nobody in so: {why}")]
    Login {
        /// The store.
        store: String,
        /// Why.
        why: String,
    },
    /// There is nothing of ours.
    #[error("there is no run store in {store} yet: `secchi runs init --store ...` makes one")]
    Missing {
        /// The store.
        store: String,
    },
    /// It is of another version.
    #[error(
        "the run store {store} has version {found}, this secchi reads version {ours}: use the secchi that made it, or make another database"
    )]
    OtherVersion {
        /// The store.
        store: String,
        /// Its version.
        found: i64,
        /// Ours.
        ours: i64,
    },
    /// The user may not.
    #[error("the run store {store} does not permit it: {why}; ask its owner for the right")]
    Denied {
        /// The store.
        store: String,
        /// Why.
        why: String,
    },
    /// Another run of the same id.
    #[error("run {id} is in {store} already with another content, which is left as it is")]
    Conflict {
        /// The store.
        store: String,
        /// The run.
        id: String,
    },
    /// Anything else.
    #[error("the run store {store} failed: {why}")]
    Other {
        /// The store.
        store: String,
        /// Why.
        why: String,
    },
}

impl TeamError {
    /// Whether the server may answer later, so that a run can go on without it.
    #[must_use]
    pub fn is_away(&self) -> bool {
        matches!(self, TeamError::Away { .. })
    }
}

/// What a server does for us.
pub(crate) trait Server: Send + Sync {
    /// How it is shown: without its password.
    fn shown(&self) -> &str;
    /// Whether it answers, is ours, and of our version.
    fn check(&self) -> Result<(), TeamError>;
    /// Makes the tables; nothing where they are.
    fn init(&self) -> Result<(), TeamError>;
    fn ids(&self) -> Result<Vec<String>, TeamError>;
    fn rows(&self) -> Result<Vec<IndexRow>, TeamError>;
    fn select(&self, filter: &Filter) -> Result<Vec<String>, TeamError>;
    /// Puts a run whole; one that is there, the same to the byte, is kept once.
    fn put(&self, summary: &RunSummary, journal: &[u8]) -> Result<(), TeamError>;
    fn journal(&self, id: &str) -> Result<Option<Vec<u8>>, TeamError>;
    fn labels(&self, id: &str) -> Result<Option<Labels>, TeamError>;
    /// `None` when there is no such run; the text when the labels are out of bounds.
    fn relabel(&self, id: &str, change: &Relabel) -> Result<Option<Result<Labels, String>>, TeamError>;
    /// Whether there was one.
    fn remove(&self, id: &str) -> Result<bool, TeamError>;
}

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

impl Store {
    /// A team's store at `url`, with a directory of its own under `waiting` for what has not been put there yet. Nothing is
    /// connected yet.
    ///
    /// # Errors
    /// When the address is wrong or asks for what is not done, or the directory cannot be made.
    #[cfg(feature = "postgres")]
    pub fn team(url: &str, password: Option<&str>, waiting: &Path) -> Result<Store, StoreError> {
        let address = url::Address::read(url, password)?;
        let store = Store::open(&waiting.join(address.key()))?;
        Ok(store.with_server(std::sync::Arc::new(server::Postgres::new(address))))
    }

    /// Refused: this build was made without team stores.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(feature = "postgres"))]
    pub fn team(_: &str, _: Option<&str>, _: &Path) -> Result<Store, StoreError> {
        let why = "this build has no team stores (it was made without the feature `postgres`)".to_owned();
        Err(TeamError::Url { why }.into())
    }

    /// How the team's store is shown; `None` of a directory.
    #[must_use]
    pub fn team_name(&self) -> Option<&str> {
        self.server().map(Server::shown)
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
    pub(crate) fn hand_over(&self, id: &str) -> Result<(), String> {
        let Some(server) = self.server() else { return Ok(()) };
        match self.push_one(server, id) {
            // What waited before is not this run's to tell of; it is counted in the next listing.
            Ok(_) => drop(self.push()),
            Err(e) => {
                return Err(format!(
                    "{e}; the run is kept on this machine, and goes there with `secchi runs push` or the next run"
                ));
            }
        }
        Ok(())
    }

    /// Puts one run that ended; `false` while it is running.
    pub(crate) fn push_one(&self, server: &dyn Server, id: &str) -> Result<bool, StoreError> {
        let run = self.recover_id(id)?;
        if run.live {
            return Ok(false);
        }
        let mut summary = RunSummary::of(&run);
        summary.set_digest(self.digest_of(&run.record));
        summary.labels = labels::read(&self.labels_path(id)?)?;
        let path = self.journal_path(id)?;
        let unread = |e| crate::error::RecoverError { path: path.clone(), cause: crate::error::Unreadable::Io(e) };
        let journal = std::fs::read(&path).map_err(unread)?;
        let whole = usize::try_from(run.bytes).unwrap_or(usize::MAX).min(journal.len());
        server.put(&summary, &journal[..whole])?;
        match self.remove_here(id) {
            // Another process put it there at the same time, and took it away.
            Ok(_) | Err(StoreError::Unknown { .. }) => Ok(true),
            Err(e) => Err(e),
        }
    }

    /// The run of a whole id out of the team's store.
    pub(crate) fn recover_team(&self, server: &dyn Server, id: &str) -> Result<Recovered, StoreError> {
        let unknown = || StoreError::Unknown { typed: id.to_owned(), near: Vec::new() };
        let journal = server.journal(id)?.ok_or_else(unknown)?;
        recover_from(&journal[..], journal.len() as u64)
            .map_err(|e| TeamError::Other { store: server.shown().to_owned(), why: format!("run {id}: {e}") }.into())
    }

    /// The runs of the team's store, or those a filter lists. Rows that were changed by hand are made again from the journal.
    pub(crate) fn team_runs(
        &self,
        server: &dyn Server,
        filter: Option<&Filter>,
    ) -> Result<Vec<RunSummary>, StoreError> {
        let listed = filter.map(|f| server.select(f)).transpose()?;
        let rows = server.rows()?.into_iter().filter(|r| listed.as_ref().is_none_or(|l| l.contains(&r.summary.id)));
        rows.map(|row| {
            if row.sound {
                return Ok(row.summary);
            }
            let id = row.summary.id.clone();
            match self.recover_team(server, &id) {
                Ok(run) => {
                    let mut summary = RunSummary::of(&run);
                    summary.set_digest(self.digest_of(&run.record));
                    summary.labels = row.summary.labels;
                    Ok(summary)
                }
                Err(e) => Ok(RunSummary::unreadable(&id, &e.to_string(), None)),
            }
        })
        .collect()
    }
}
