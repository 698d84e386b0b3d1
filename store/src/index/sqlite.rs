//! The index's tables in SQLite: creation, recognition and checks.

use crate::index::error::IndexError;
use crate::index::schema::{Kind, TABLES, Table, VERSION};
use rusqlite::{Connection, TransactionBehavior};
use std::time::Duration;

fn sqlite_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "TEXT NOT NULL",
        Kind::Integer => "INTEGER NOT NULL",
        Kind::Real => "REAL",
        Kind::MaybeInteger => "INTEGER",
    }
}

fn sqlite_create(table: &Table) -> String {
    table.create(sqlite_word, " STRICT, WITHOUT ROWID")
}

/// State in which an index file was found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Index of this version. Its pages passed SQLite's quick check.
    Ours,
    /// File without tables.
    Blank,
    /// Index with another version, which must be rebuilt.
    Other,
}

/// Configures a connection. The file may have been tampered with, so code in its schema is not trusted and must not
/// run.
pub(crate) fn configure(conn: &Connection, patience: Duration) -> Result<(), IndexError> {
    conn.busy_timeout(patience)?;
    conn.pragma_update(None, "trusted_schema", false)?;
    conn.pragma_update(None, "cell_size_check", true)?;
    conn.pragma_update(None, "synchronous", "FULL")?;
    Ok(())
}

/// Checks the version, the tables and the pages of the file.
///
/// # Errors
/// Returns [`IndexError::Corrupt`] if the file is damaged or is not an index.
pub(crate) fn inspect(conn: &Connection) -> Result<Found, IndexError> {
    let version: u32 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let objects: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    match version {
        0 if objects == 0 => return Ok(Found::Blank),
        0 => return Err(IndexError::Corrupt("it has tables but no version".to_owned())),
        VERSION => {}
        _ => return Ok(Found::Other),
    }
    let mut statement = conn.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table'")?;
    let mut existing: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut ours = TABLES.map(sqlite_create);
    existing.sort_unstable();
    ours.sort_unstable();
    if objects != TABLES.len() as i64 || existing != ours {
        return Err(IndexError::Corrupt("its tables do not match its version".to_owned()));
    }
    let check: String = conn.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if check != "ok" {
        return Err(IndexError::Corrupt(check));
    }
    Ok(Found::Ours)
}

/// Creates the tables in an empty file.
pub(crate) fn create(conn: &mut Connection) -> Result<(), IndexError> {
    // On a file system without shared memory, SQLite uses another journal mode, which also works but is slower.
    let _mode: String = conn.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for table in TABLES {
        transaction.execute(&sqlite_create(table), [])?;
    }
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()?;
    Ok(())
}
