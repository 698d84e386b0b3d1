//! Why a team's store did not do what was asked.

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
