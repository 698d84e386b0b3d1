//! The index's tables: how they are made, recognised, and refused.

use crate::index::IndexError;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use std::time::Duration;

/// Version of the tables, kept in `user_version`. A reader of another version refuses.
pub(crate) const VERSION: u32 = 1;

/// One row per run. `crc` covers the other columns: a flipped byte in a text would otherwise be shown as the truth.
const RUN_TABLE: &str = "CREATE TABLE run (
    id TEXT PRIMARY KEY NOT NULL,
    started TEXT NOT NULL,
    command TEXT NOT NULL,
    target TEXT NOT NULL,
    tool TEXT NOT NULL,
    state TEXT NOT NULL,
    duration_ns INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    crc INTEGER NOT NULL
) STRICT, WITHOUT ROWID";

/// What an index file turns out to be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Ours, and whole as far as its pages show.
    Ours,
    /// Empty.
    Blank,
}

/// Settings of every connection. The file may have been tampered with, so nothing in its schema is trusted to run.
pub(crate) fn configure(conn: &Connection, patience: Duration) -> Result<(), IndexError> {
    conn.busy_timeout(patience)?;
    conn.pragma_update(None, "trusted_schema", false)?;
    conn.pragma_update(None, "cell_size_check", true)?;
    conn.pragma_update(None, "synchronous", "FULL")?;
    Ok(())
}

/// Looks at what is in the file.
///
/// # Errors
/// [`IndexError::Corrupt`] when it is not ours or damaged, [`IndexError::OtherVersion`] when it is of another version.
pub(crate) fn inspect(conn: &Connection) -> Result<Found, IndexError> {
    let version: u32 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let objects: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    match version {
        0 if objects == 0 => return Ok(Found::Blank),
        0 => return Err(IndexError::Corrupt("it has tables but no version".to_owned())),
        VERSION => {}
        other => return Err(IndexError::OtherVersion(other)),
    }
    let sql: Option<String> = conn
        .query_row("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = 'run'", [], |row| row.get(0))
        .optional()?;
    if objects != 1 || sql.as_deref() != Some(RUN_TABLE) {
        return Err(IndexError::Corrupt("its tables are not those of its version".to_owned()));
    }
    let check: String = conn.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if check != "ok" {
        return Err(IndexError::Corrupt(check));
    }
    Ok(Found::Ours)
}

/// Makes the tables in an empty file.
pub(crate) fn create(conn: &mut Connection) -> Result<(), IndexError> {
    // A file system without shared memory answers with another mode, which does as well, only slower.
    let _mode: String = conn.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute(RUN_TABLE, [])?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()?;
    Ok(())
}
