//! A run store for a team: a database on a server, beside the directory that every run is written to first.
//!
//! A run is journalled here, on this machine, so that a killed run or a server that went away costs nothing. When it has
//! ended, its journal (as bytes, in chunks) and its rows are put into the team's store in one transaction, and only then go
//! from here. What could not be put there waits, and goes with the next run that ends or with [`Store::push`].
//!
//! The tables are those of the index, in schema `secchi`, and `journal` and `chunk` with the bytes. There the rows of a run are
//! made once, when it is put; tags and notes live in them, for there is no file beside a journal.

#[cfg(feature = "postgres")]
mod link;
#[cfg(feature = "postgres")]
mod server;
#[cfg(feature = "postgres")]
mod tls;
#[cfg(feature = "postgres")]
mod url;
mod view;

pub use view::TeamView;

use crate::error::StoreError;
use crate::filter::Filter;
use crate::labels::{self, Relabel};
use crate::recover::{Recovered, recover_from};
use crate::rows::IndexRow;
use crate::store::Store;
use crate::summary::RunSummary;
use model::{Digest, Labels, RunRecord};
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

/// Why a team's store did not do what was asked. No text holds a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TeamError {
    /// The address is wrong.
    #[error(
        "--store: {why}; it reads postgres://user@host:5432/database?sslmode=verify-full, the password in PGPASSWORD or behind the user"
    )]
    Url {
        /// The reason, as a phrase that follows a colon.
        why: String,
    },
    /// Nobody answers.
    #[error("cannot reach the run store {store}: {why}")]
    Away {
        /// The store.
        store: String,
        /// The reason, as a phrase that follows a colon.
        why: String,
    },
    /// It cannot be spoken to as safely as was asked for.
    #[error("no secure connection to the run store {store}: {why}")]
    Insecure {
        /// The store.
        store: String,
        /// The reason, as a phrase that follows a colon.
        why: String,
    },
    /// Name or password is wrong, or there is no such database.
    #[error("the run store {store} lets nobody in so: {why}")]
    Login {
        /// The store.
        store: String,
        /// The reason, as a phrase that follows a colon.
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
        /// The version that this program writes.
        ours: i64,
    },
    /// The user may not.
    #[error("the run store {store} does not permit it: {why}; ask its owner for the right")]
    Denied {
        /// The store.
        store: String,
        /// The reason, as a phrase that follows a colon.
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
        /// The reason, as a phrase that follows a colon.
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
    /// Of all runs, or of those a filter lists.
    fn rows(&self, filter: Option<&Filter>) -> Result<Vec<IndexRow>, TeamError>;
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

/// A server that is only read from.
#[cfg(feature = "postgres")]
fn to_read(url: &str, access: &TeamAccess) -> Result<Arc<dyn Server>, TeamError> {
    let address = url::Address::read(url, access)?;
    Ok(Arc::new(server::Postgres::new(link::Link::new(address, true, TO_READ))))
}

#[cfg(not(feature = "postgres"))]
fn to_read(_: &str, _: &TeamAccess) -> Result<Arc<dyn Server>, TeamError> {
    Err(without())
}

#[cfg(not(feature = "postgres"))]
fn without() -> TeamError {
    TeamError::Url { why: "this build has no team stores (it was made without the feature `postgres`)".to_owned() }
}

/// The run of a whole id out of a team's store.
fn recovered(server: &dyn Server, id: &str) -> Result<Recovered, StoreError> {
    let unknown = || StoreError::Unknown { typed: id.to_owned(), near: Vec::new() };
    let journal = server.journal(id)?.ok_or_else(unknown)?;
    recover_from(&journal[..], journal.len() as u64)
        .map_err(|e| TeamError::Other { store: server.shown().to_owned(), why: format!("run {id}: {e}") }.into())
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
                let mut summary = RunSummary::of(&run);
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
        Ok(store.with_server(Arc::new(server::Postgres::new(link::Link::new(address, false, TO_WRITE)))))
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
