//! Errors from setting up, driving and removing a database.

use std::path::PathBuf;

/// Error while working with a database. It is printed as one sentence with the attempt, its object, the reason and a
/// remedy.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    /// The engine is not available on this machine.
    #[error("{engine} is not available on this machine: {why}; {advice}")]
    Absent {
        /// Name of the engine.
        engine: &'static str,
        /// Reason, with the programs or libraries that were searched for.
        why: String,
        /// Package or setting that makes the engine available.
        advice: String,
    },
    /// The engine or the machine does not allow the request; nothing was changed.
    #[error("refused: {what}: {why}; {advice}")]
    Refused {
        /// Request that was rejected.
        what: String,
        /// Reason for the rejection.
        why: String,
        /// Alternative to the request.
        advice: String,
    },
    /// The engine reported an error.
    #[error("{engine} cannot {what}: {why}")]
    Engine {
        /// Name of the engine.
        engine: &'static str,
        /// Action that failed.
        what: String,
        /// Error that the engine reported.
        why: String,
    },
    /// The file system reported an error.
    #[error("cannot {what} {}: {source}", .path.display())]
    Io {
        /// Verb for the attempt, such as `make`, `read` or `remove`.
        what: &'static str,
        /// Path of the file or directory.
        path: PathBuf,
        /// Error that the system reported.
        source: std::io::Error,
    },
}

impl DbError {
    /// Returns a function that turns an I/O error into [`DbError::Io`].
    pub fn io(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> DbError {
        let path = path.into();
        move |source| DbError::Io { what, path, source }
    }

    /// Returns [`DbError::Refused`] for a request that was rejected before anything was changed.
    pub fn refused(what: impl Into<String>, why: impl Into<String>, advice: impl Into<String>) -> DbError {
        DbError::Refused { what: what.into(), why: why.into(), advice: advice.into() }
    }

    /// Returns [`DbError::Engine`] for an action that failed in an engine.
    pub(crate) fn engine(engine: &'static str, what: impl Into<String>, why: impl Into<String>) -> DbError {
        DbError::Engine { engine, what: what.into(), why: why.into() }
    }
}
