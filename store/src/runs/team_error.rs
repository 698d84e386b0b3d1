//! Errors of a team's store.

use messages::sentence;

/// Error from a team's store. Its message never contains a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TeamError {
    /// The address is invalid.
    #[error(
        "--store: {why}; use the form postgres://user@host:5432/database?sslmode=verify-full, with the password in \
         PGPASSWORD or after the user"
    )]
    Url {
        /// Reason, as a phrase that follows a colon.
        why: String,
    },
    /// The server does not respond.
    #[error("cannot reach the run store {store}: {why}")]
    Away {
        /// Name of the store.
        store: String,
        /// Reason, as a phrase that follows a colon.
        why: String,
    },
    /// No connection with the requested security is possible.
    #[error("cannot establish a secure connection to the run store {store}: {why}")]
    Insecure {
        /// Name of the store.
        store: String,
        /// Reason, as a phrase that follows a colon.
        why: String,
    },
    /// The user name or password is wrong, or the database does not exist.
    #[error("the run store {store} rejected the login: {why}")]
    Login {
        /// Name of the store.
        store: String,
        /// Reason, as a phrase that follows a colon.
        why: String,
    },
    /// The database does not contain secchi's tables.
    #[error("there is no run store in {store} yet: create one with `secchi runs init --store ...`")]
    Missing {
        /// Name of the store.
        store: String,
    },
    /// The tables have a version that this program does not use.
    #[error("{}", sentence!("store-team-version", store, version = *found, read = *ours))]
    OtherVersion {
        /// Name of the store.
        store: String,
        /// Version of the tables.
        found: i64,
        /// Version that this program uses.
        ours: i64,
    },
    /// The user lacks a privilege.
    #[error("the run store {store} does not permit it: {why}; ask its owner for permission")]
    Denied {
        /// Name of the store.
        store: String,
        /// Reason, as a phrase that follows a colon.
        why: String,
    },
    /// The store contains another run with the same id.
    #[error("{store} already has run {id} with different contents, which were not changed")]
    Conflict {
        /// Name of the store.
        store: String,
        /// Id of the run.
        id: String,
    },
    /// Any other error.
    #[error("the run store {store} failed: {why}")]
    Other {
        /// Name of the store.
        store: String,
        /// Reason, as a phrase that follows a colon.
        why: String,
    },
}

impl TeamError {
    /// Returns `true` if the server may respond again later, so that a run can continue without it.
    #[must_use]
    pub fn is_away(&self) -> bool {
        matches!(self, TeamError::Away { .. })
    }
}
