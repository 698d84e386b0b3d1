//! Why a database could not be set up, driven or removed.

use std::path::PathBuf;

/// One sentence each: what was attempted, on what, why it failed, what to try.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    /// The engine is not to be had on this machine.
    #[error("{engine} is not to be had here: {why}; {advice}")]
    Absent {
        /// Its name.
        engine: &'static str,
        /// What was looked for.
        why: String,
        /// What to install.
        advice: String,
    },
    /// The engine or the machine does not allow it; nothing was changed.
    #[error("refused: {what}: {why}; {advice}")]
    Refused {
        /// What was asked.
        what: String,
        /// Why not.
        why: String,
        /// What to do instead.
        advice: String,
    },
    /// The engine said no.
    #[error("{engine} cannot {what}: {why}")]
    Engine {
        /// Its name.
        engine: &'static str,
        /// What it was to do.
        what: String,
        /// What it said.
        why: String,
    },
    /// The file system said no.
    #[error("cannot {what} {}: {source}", .path.display())]
    Io {
        /// What was attempted: `make`, `read`, `remove`.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Why an engine does not allow something, in its own words: one clause, with what to do instead, that the caller puts
/// behind what was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(pub String);

impl DbError {
    /// The file system said no.
    pub fn io(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> DbError {
        let path = path.into();
        move |source| DbError::Io { what, path, source }
    }

    /// Something asked for that is not done, before anything was changed.
    pub fn refused(what: impl Into<String>, why: impl Into<String>, advice: impl Into<String>) -> DbError {
        DbError::Refused { what: what.into(), why: why.into(), advice: advice.into() }
    }
}
