//! Errors of the index.

use rusqlite::{ErrorCode, ffi};

/// Error that makes the index unusable. Its message follows "the index could not be used: ".
#[derive(Debug, thiserror::Error)]
pub(crate) enum IndexError {
    #[error("another process kept it locked for too long")]
    Locked,
    #[error("it is damaged: {0}")]
    Corrupt(String),
    #[error("there is no space left for it")]
    Full,
    #[error("it cannot be written: {0}")]
    Unwritable(String),
    #[error("{0}")]
    Other(String),
}

impl From<rusqlite::Error> for IndexError {
    fn from(error: rusqlite::Error) -> Self {
        let text = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => IndexError::Locked,
            Some(ErrorCode::DiskFull) => IndexError::Full,
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                IndexError::Unwritable(text)
            }
            Some(ErrorCode::SystemIoFailure) => match error.sqlite_error().map(|e| e.extended_code) {
                // SQLite's shared memory is also a file.
                Some(ffi::SQLITE_IOERR_SHMSIZE) => IndexError::Full,
                code => IndexError::Other(format!("{text} (SQLite code {})", code.unwrap_or(ffi::SQLITE_IOERR))),
            },
            Some(ErrorCode::OutOfMemory | ErrorCode::FileLockingProtocolFailed) => IndexError::Other(text),
            // Damaged pages, or any other error of SQLite. Our statements are correct, so the cause is in the file: its
            // schema does not parse, or a column differs from its declaration.
            _ => IndexError::Corrupt(text),
        }
    }
}
