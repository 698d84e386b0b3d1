//! The SQL index: opened for each use, repaired when damaged, and never needed.
//!
//! `index.lock` keeps repair apart from use: whoever has the index open holds it shared, whoever replaces the file
//! holds it exclusively. (SQLite deletes its log by name; a replaced file would lose that of its successor.)

use crate::os;
use crate::schema::{self, Found};
use crate::summary::{RunStatus, RunSummary};
use model::Nanos;
use rusqlite::{Connection, ErrorCode, OpenFlags, Row, TransactionBehavior, ffi, params};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const FILE: &str = "index.sqlite";
const GATE: &str = "index.lock";
/// How often a closed gate is tried again.
const GATE_POLL: Duration = Duration::from_millis(5);
/// Damaged indexes kept aside at most.
const ASIDE_MAX: u32 = 1000;

/// Why the index could not be used. Its text follows "the index could not be used: ".
#[derive(Debug, thiserror::Error)]
pub(crate) enum IndexError {
    #[error("another process held it locked for the whole time allowed")]
    Locked,
    #[error("it is damaged: {0}")]
    Corrupt(String),
    #[error("it has version {0}, this secchi reads version {ours}; use the secchi that made it, or delete index.sqlite, which is made again from the journals", ours = schema::VERSION)]
    OtherVersion(u32),
    #[error("no space left for it")]
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
                // Its shared memory is a file, too.
                Some(ffi::SQLITE_IOERR_SHMSIZE) => IndexError::Full,
                code => IndexError::Other(format!("{text} (SQLite code {})", code.unwrap_or(ffi::SQLITE_IOERR))),
            },
            Some(ErrorCode::OutOfMemory | ErrorCode::FileLockingProtocolFailed) => IndexError::Other(text),
            // Damaged pages; and, as our statements are right, whatever else SQLite objects to is the file's fault:
            // a schema that does not parse, a column that is not what it was declared.
            _ => IndexError::Corrupt(text),
        }
    }
}

/// A row of the index with what its checksum says.
#[derive(Debug, Clone)]
pub(crate) struct IndexRow {
    pub(crate) summary: RunSummary,
    /// The checksum as stored: identifies the row's content in [`Change`].
    pub(crate) crc: i64,
    /// Whether the checksum is right.
    pub(crate) sound: bool,
}

/// A correction; it applies only if nobody has changed the row since it was read.
#[derive(Debug)]
pub(crate) enum Change {
    Insert(RunSummary),
    Replace { summary: RunSummary, was: i64 },
    Delete { id: String, was: i64 },
}

/// An open index.
pub(crate) struct Index {
    conn: Connection,
    /// Held shared as long as the connection lives.
    _gate: File,
    /// Where a damaged predecessor was put just now.
    pub(crate) aside: Option<PathBuf>,
}

impl Index {
    /// Opens the index of the store `dir`, made or made anew if it is missing or damaged.
    ///
    /// # Errors
    /// When it cannot be used now; a damaged one is no error unless it cannot be put aside.
    pub(crate) fn open(dir: &Path, patience: Duration) -> Result<Index, IndexError> {
        let deadline = Instant::now() + patience;
        let gate = gate(dir, false, deadline)?;
        match connect(dir, patience) {
            Ok((conn, Found::Ours)) => return Ok(Index { conn, _gate: gate, aside: None }),
            Ok((_, Found::Blank)) | Err(IndexError::Corrupt(_)) => drop(gate),
            Err(other) => return Err(other),
        }
        Index::make(dir, patience, deadline)
    }

    /// Makes the tables, after putting a damaged file aside, with everybody else kept out.
    fn make(dir: &Path, patience: Duration, deadline: Instant) -> Result<Index, IndexError> {
        let alone = gate(dir, true, deadline)?;
        // Somebody may have been quicker.
        let mut aside = None;
        let found = match connect(dir, patience) {
            Err(IndexError::Corrupt(_)) => {
                aside = Some(set_aside(dir)?);
                connect(dir, patience)?
            }
            other => other?,
        };
        let (mut conn, state) = found;
        if state == Found::Blank {
            schema::create(&mut conn)?;
        }
        // The file is in place now, so it does no harm that the lock is let go for a moment.
        os::lock_shared(&alone).map_err(unwritable)?;
        Ok(Index { conn, _gate: alone, aside })
    }

    /// Puts a damaged index aside and opens a fresh one: for damage found only on reading rows.
    ///
    /// # Errors
    /// As [`Index::open`].
    pub(crate) fn replace(self, dir: &Path, patience: Duration) -> Result<Index, IndexError> {
        drop(self);
        let deadline = Instant::now() + patience;
        let alone = gate(dir, true, deadline)?;
        let aside = set_aside(dir)?;
        drop(alone);
        let mut index = Index::make(dir, patience, deadline)?;
        index.aside = Some(aside);
        Ok(index)
    }

    /// Every row, without making, mending or changing anything.
    ///
    /// # Errors
    /// When there is none, or it is damaged or held for longer than `patience`.
    pub(crate) fn glance(dir: &Path, patience: Duration) -> Result<Vec<IndexRow>, IndexError> {
        let closed = os::open_existing(&dir.join(GATE), false).map_err(unwritable)?;
        let _gate = enter(closed, os::lock_shared, Instant::now() + patience)?;
        let flags =
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let conn = Connection::open_with_flags(dir.join(FILE), flags)?;
        schema::configure(&conn, patience)?;
        match schema::inspect(&conn)? {
            Found::Ours => Index { conn, _gate, aside: None }.rows(),
            Found::Blank => Ok(Vec::new()),
        }
    }

    /// Every row, in no order.
    pub(crate) fn rows(&self) -> Result<Vec<IndexRow>, IndexError> {
        let mut statement = self
            .conn
            .prepare("SELECT id, started, command, target, tool, state, duration_ns, verdict, crc FROM run")?;
        let rows = statement.query_map([], read_row)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Puts the row of a run, whatever was there.
    pub(crate) fn put(&mut self, summary: &RunSummary) -> Result<(), IndexError> {
        execute(&self.conn, PUT, summary)?;
        Ok(())
    }

    /// Applies corrections, all or none.
    pub(crate) fn amend(&mut self, changes: &[Change]) -> Result<(), IndexError> {
        if changes.is_empty() {
            return Ok(());
        }
        let transaction = self.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for change in changes {
            match change {
                Change::Insert(summary) => execute(&transaction, INSERT, summary)?,
                Change::Delete { id, was } => transaction.execute(DELETE, params![id, was])?,
                Change::Replace { summary, was } => {
                    if transaction.execute(DELETE, params![summary.id, was])? > 0 {
                        execute(&transaction, INSERT, summary)?;
                    }
                    0
                }
            };
        }
        transaction.commit()?;
        Ok(())
    }

    /// Removes the row of a run, if there is one.
    pub(crate) fn delete(&mut self, id: &str) -> Result<(), IndexError> {
        self.conn.execute("DELETE FROM run WHERE id = ?1", [id])?;
        Ok(())
    }
}

const INSERT: &str = "INSERT OR IGNORE INTO run VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
const PUT: &str = "INSERT OR REPLACE INTO run VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
const DELETE: &str = "DELETE FROM run WHERE id = ?1 AND crc = ?2";

fn execute(conn: &Connection, sql: &str, s: &RunSummary) -> Result<usize, IndexError> {
    let (state, duration) = (s.state.name(), stored_duration(s));
    let values = params![s.id, s.started, s.command, s.target, s.tool, state, duration, s.verdict, crc(s)];
    Ok(conn.execute(sql, values)?)
}

/// SQLite's integers are signed; 292 years is enough.
fn stored_duration(summary: &RunSummary) -> i64 {
    i64::try_from(summary.duration.0).unwrap_or(i64::MAX)
}

fn crc(s: &RunSummary) -> i64 {
    let mut sum = crc32c::crc32c(&stored_duration(s).to_le_bytes());
    for text in [&s.id, &s.started, &s.command, &s.target, &s.tool, s.state.name(), &s.verdict] {
        sum = crc32c::crc32c_append(sum, &(text.len() as u64).to_le_bytes());
        sum = crc32c::crc32c_append(sum, text.as_bytes());
    }
    i64::from(sum)
}

fn read_row(row: &Row<'_>) -> rusqlite::Result<IndexRow> {
    let state: String = row.get(5)?;
    let duration: i64 = row.get(6)?;
    let known = RunStatus::from_name(&state);
    let summary = RunSummary {
        id: row.get(0)?,
        started: row.get(1)?,
        command: row.get(2)?,
        target: row.get(3)?,
        tool: row.get(4)?,
        state: known.unwrap_or(RunStatus::Unreadable),
        duration: Nanos(u64::try_from(duration).unwrap_or(0)),
        verdict: row.get(7)?,
    };
    let stored = row.get(8)?;
    let sound = known.is_some() && duration >= 0 && crc(&summary) == stored;
    Ok(IndexRow { summary, crc: stored, sound })
}

fn unwritable(error: io::Error) -> IndexError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => IndexError::Full,
        _ => IndexError::Unwritable(error.to_string()),
    }
}

/// Passes the gate, or waits before it until `deadline`.
fn gate(dir: &Path, alone: bool, deadline: Instant) -> Result<File, IndexError> {
    let file = os::open_or_create(&dir.join(GATE)).map_err(unwritable)?;
    enter(file, if alone { os::lock_exclusive } else { os::lock_shared }, deadline)
}

fn enter(file: File, lock: fn(&File) -> io::Result<bool>, deadline: Instant) -> Result<File, IndexError> {
    while !lock(&file).map_err(unwritable)? {
        if Instant::now() >= deadline {
            return Err(IndexError::Locked);
        }
        std::thread::sleep(GATE_POLL);
    }
    Ok(file)
}

fn connect(dir: &Path, patience: Duration) -> Result<(Connection, Found), IndexError> {
    let path = dir.join(FILE);
    // Made here rather than by SQLite, for its mode: the owner's alone. SQLite's log takes over the same mode.
    drop(os::open_or_create(&path).map_err(unwritable)?);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let conn = Connection::open_with_flags(&path, flags)?;
    schema::configure(&conn, patience)?;
    let found = schema::inspect(&conn)?;
    if conn.is_readonly(rusqlite::MAIN_DB)? {
        // We just opened the file for writing, so it is its head that claims a form nobody may write.
        return Err(IndexError::Corrupt("its head claims a form that cannot be written".to_owned()));
    }
    Ok((conn, found))
}

/// Renames a damaged index and its log to a free name; the caller is alone.
fn set_aside(dir: &Path) -> Result<PathBuf, IndexError> {
    let free = |n: &u32| !dir.join(format!("{FILE}.corrupt-{n}")).exists();
    let n = (1..=ASIDE_MAX).find(free).ok_or_else(|| {
        IndexError::Other(format!("it is damaged, and {ASIDE_MAX} damaged ones lie beside it: delete {FILE}.corrupt-*"))
    })?;
    let aside = dir.join(format!("{FILE}.corrupt-{n}"));
    // The log first: an index without it is old, a new index with a foreign log is wrong.
    for suffix in ["-wal", "-shm", ""] {
        let from = dir.join(format!("{FILE}{suffix}"));
        match std::fs::rename(&from, dir.join(format!("{FILE}.corrupt-{n}{suffix}"))) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(unwritable(e)),
            _ => {}
        }
    }
    os::sync_dir(dir).map_err(unwritable)?;
    Ok(aside)
}
