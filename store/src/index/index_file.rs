//! The SQL index. It is opened for each use, repaired when damaged, and never required.
//!
//! `index.lock` prevents repair during use: a process that uses the index holds a shared lock on this file, and a
//! process that replaces the index holds an exclusive lock. (SQLite deletes its log by name, so a process that still
//! used the replaced index would delete the log of the new index.)

use crate::filter::{self, Dialect, Filter};
use crate::index::error::IndexError;
use crate::index::query::value;
use crate::index::rows::{self, Cells, IndexRow, Rows};
use crate::index::schema::{RUN, TAG, Table, WORKLOAD};
use crate::index::sqlite::{self, Found};
use crate::os;
use crate::summary::RunSummary;
use model::record::Labels;
use rusqlite::{Connection, OpenFlags, Params, TransactionBehavior, params, params_from_iter};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

pub(crate) const FILE: &str = "index.sqlite";
pub(crate) const LOCK: &str = "index.lock";
/// Interval between attempts to take the lock.
const LOCK_POLL: Duration = Duration::from_millis(5);
/// Maximum number of damaged indexes that are kept.
const ASIDE_MAX: u32 = 1000;

/// Correction to a row of the index. It is applied only if the row has not changed since it was read.
#[derive(Debug)]
pub(crate) enum Change {
    Insert(RunSummary),
    Replace { summary: RunSummary, was: i64 },
    Delete { id: String, was: i64 },
}

/// An open index.
pub(crate) struct Index {
    conn: Connection,
    /// Shared lock, held as long as the connection is open; `None` for an index in memory.
    _gate: Option<File>,
    /// New path of the damaged index that this call replaced, if any.
    pub(crate) aside: Option<PathBuf>,
}

impl Index {
    /// Returns the time of the last write to the index of the store `dir`; `None` if there is no index.
    pub(crate) fn written(dir: &Path) -> Option<SystemTime> {
        let modified = |name: String| dir.join(name).metadata().and_then(|m| m.modified()).ok();
        modified(FILE.to_owned()).max(modified(format!("{FILE}-wal")))
    }

    /// Opens the index of the store `dir`, and creates it if it is missing or damaged.
    ///
    /// # Errors
    /// Returns an error if the index cannot be used now. A damaged index is an error only if it cannot be moved aside.
    pub(crate) fn open(dir: &Path, patience: Duration) -> Result<Index, IndexError> {
        let deadline = Instant::now() + patience;
        let gate = lock_index(dir, false, deadline)?;
        match connect(dir, patience) {
            Ok((conn, Found::Ours)) => return Ok(Index { conn, _gate: Some(gate), aside: None }),
            Ok((_, Found::Blank | Found::Other)) | Err(IndexError::Corrupt(_)) => drop(gate),
            Err(other) => return Err(other),
        }
        Index::make(dir, patience, deadline)
    }

    /// Creates the tables under an exclusive lock, after moving a damaged file aside.
    fn make(dir: &Path, patience: Duration, deadline: Instant) -> Result<Index, IndexError> {
        let alone = lock_index(dir, true, deadline)?;
        // Another process may have created or repaired the index in the meantime.
        let mut aside = None;
        let connected = match connect(dir, patience) {
            Err(IndexError::Corrupt(_)) => {
                aside = Some(set_aside(dir)?);
                connect(dir, patience)?
            }
            Ok((other, Found::Other)) => {
                drop(other);
                remove(dir)?;
                connect(dir, patience)?
            }
            other => other?,
        };
        let (mut conn, state) = connected;
        if state == Found::Blank {
            sqlite::create(&mut conn)?;
        }
        // The file is complete, so it does no harm that there is no lock for a moment between the exclusive and the
        // shared lock.
        os::lock_shared(&alone).map_err(unwritable)?;
        Ok(Index { conn, _gate: Some(alone), aside })
    }

    /// Moves a damaged index aside and opens a new one. Use it for damage that is detected only when rows are read.
    ///
    /// # Errors
    /// Returns the same errors as [`Index::open`].
    pub(crate) fn replace(self, dir: &Path, patience: Duration) -> Result<Index, IndexError> {
        drop(self);
        let deadline = Instant::now() + patience;
        let alone = lock_index(dir, true, deadline)?;
        let aside = set_aside(dir)?;
        drop(alone);
        let mut index = Index::make(dir, patience, deadline)?;
        index.aside = Some(aside);
        Ok(index)
    }

    /// Returns every row, without creating, repairing or changing anything.
    ///
    /// # Errors
    /// Returns an error if there is no index, if it is damaged, or if it stays locked for longer than `patience`.
    pub(crate) fn read_unchanged(dir: &Path, patience: Duration) -> Result<Vec<IndexRow>, IndexError> {
        let closed = os::open_existing(&dir.join(LOCK), false).map_err(unwritable)?;
        let gate = enter(closed, os::lock_shared, Instant::now() + patience)?;
        let flags =
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let conn = Connection::open_with_flags(dir.join(FILE), flags)?;
        sqlite::configure(&conn, patience)?;
        match sqlite::inspect(&conn)? {
            Found::Ours => Index { conn, _gate: Some(gate), aside: None }.rows(),
            Found::Blank | Found::Other => Ok(Vec::new()),
        }
    }

    /// Creates an in-memory index of these runs, for queries when no index file is usable.
    pub(crate) fn in_memory<'a>(runs: impl IntoIterator<Item = &'a RunSummary>) -> Result<Index, IndexError> {
        let mut conn = Connection::open_in_memory()?;
        sqlite::create(&mut conn)?;
        let mut index = Index { conn, _gate: None, aside: None };
        let changes: Vec<Change> = runs.into_iter().cloned().map(Change::Insert).collect();
        index.amend(&changes)?;
        Ok(index)
    }

    /// Returns every run, in no particular order.
    pub(crate) fn rows(&self) -> Result<Vec<IndexRow>, IndexError> {
        // One transaction, so that the three tables are consistent.
        let moment = self.conn.unchecked_transaction()?;
        let [runs, workloads, tags] = [&RUN, &WORKLOAD, &TAG].map(|table| read(&moment, &table.select(""), table, []));
        Ok(rows::assemble(runs?, workloads?, tags?))
    }

    /// Returns the ids of the runs that match a filter.
    pub(crate) fn select(&self, filter: &Filter) -> Result<Vec<String>, IndexError> {
        let (sql, bound) = filter::select(filter, Dialect::Sqlite);
        let mut statement = self.conn.prepare(&sql)?;
        let ids = statement.query_map(params_from_iter(bound), |row| row.get(0))?;
        Ok(ids.collect::<Result<_, _>>()?)
    }

    /// Inserts the rows of a run, replacing any existing rows of the run.
    pub(crate) fn put(&mut self, summary: &RunSummary) -> Result<(), IndexError> {
        self.write(|transaction| {
            remove_run(transaction, &summary.id)?;
            insert(transaction, summary)
        })
    }

    /// Applies all corrections in one transaction.
    pub(crate) fn amend(&mut self, changes: &[Change]) -> Result<(), IndexError> {
        if changes.is_empty() {
            return Ok(());
        }
        self.write(|transaction| {
            let sql = "DELETE FROM run WHERE id = ?1 AND crc = ?2";
            let gone = |id: &str, was: &i64| Ok::<_, IndexError>(transaction.execute(sql, params![id, was])? > 0);
            for change in changes {
                match change {
                    Change::Insert(summary) => insert(transaction, summary)?,
                    Change::Delete { id, was } if gone(id, was)? => remove_parts(transaction, id)?,
                    Change::Replace { summary, was } if gone(&summary.id, was)? => insert(transaction, summary)?,
                    // The row has changed since it was read.
                    Change::Delete { .. } | Change::Replace { .. } => {}
                }
            }
            Ok(())
        })
    }

    /// Makes changes in one transaction.
    fn write(&mut self, change: impl FnOnce(&Connection) -> Result<(), IndexError>) -> Result<(), IndexError> {
        let transaction = self.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        change(&transaction)?;
        Ok(transaction.commit()?)
    }

    /// Replaces the labels of a run. If the run is missing or its rows are damaged, the next listing corrects the
    /// index.
    pub(crate) fn relabel(&mut self, id: &str, labels: &Labels) -> Result<(), IndexError> {
        self.write(|transaction| {
            let read_rows = |table: &Table, one: &str| read(transaction, &table.select(one), table, [id]);
            let runs = read_rows(&RUN, " WHERE id = ?1")?;
            let (workloads, tags) = (read_rows(&WORKLOAD, " WHERE run = ?1")?, read_rows(&TAG, " WHERE run = ?1")?);
            match rows::assemble(runs, workloads, tags).into_iter().find(|row| row.sound) {
                Some(row) => {
                    remove_run(transaction, id)?;
                    insert(transaction, &RunSummary { labels: labels.clone(), ..row.summary })
                }
                None => Ok(()),
            }
        })
    }

    /// Deletes the rows of a run, if there are any.
    pub(crate) fn delete(&mut self, id: &str) -> Result<(), IndexError> {
        self.write(|transaction| remove_run(transaction, id))
    }
}

/// Reads rows of a table, sorted by key.
fn read(conn: &Connection, sql: &str, table: &Table, bound: impl Params) -> Result<Vec<Cells>, IndexError> {
    let mut statement = conn.prepare(sql)?;
    let cells = |row: &rusqlite::Row<'_>| (0..table.columns.len()).map(|i| row.get_ref(i).map(value)).collect();
    Ok(statement.query_map(bound, cells)?.collect::<Result<_, _>>()?)
}

/// Inserts the rows of a run, unless the table `run` already has a row for it.
fn insert(conn: &Connection, summary: &RunSummary) -> Result<(), IndexError> {
    let rows = Rows::from_summary(summary);
    let put = |table: &Table, cells: &Cells| {
        conn.prepare_cached(&table.insert("INSERT OR IGNORE", '?'))?.execute(params_from_iter(cells))
    };
    if put(&RUN, &rows.run)? > 0 {
        // Rows of an earlier run with this id can remain if they were damaged.
        remove_parts(conn, &summary.id)?;
        for (table, table_rows) in [(&WORKLOAD, &rows.workloads), (&TAG, &rows.tags)] {
            for cells in table_rows {
                put(table, cells)?;
            }
        }
    }
    Ok(())
}

fn remove_run(conn: &Connection, id: &str) -> Result<(), IndexError> {
    conn.execute("DELETE FROM run WHERE id = ?1", [id])?;
    remove_parts(conn, id)
}

/// Deletes the workloads and tags of a run.
fn remove_parts(conn: &Connection, id: &str) -> Result<(), IndexError> {
    conn.execute("DELETE FROM workload WHERE run = ?1", [id])?;
    conn.execute("DELETE FROM tag WHERE run = ?1", [id])?;
    Ok(())
}

fn unwritable(error: io::Error) -> IndexError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => IndexError::Full,
        _ => IndexError::Unwritable(error.to_string()),
    }
}

/// Takes the index lock (exclusive if `alone` is set). Waits for it until `deadline`.
fn lock_index(dir: &Path, alone: bool, deadline: Instant) -> Result<File, IndexError> {
    let file = os::open_or_create(&dir.join(LOCK)).map_err(unwritable)?;
    enter(file, if alone { os::lock_exclusive } else { os::lock_shared }, deadline)
}

fn enter(file: File, lock: fn(&File) -> io::Result<bool>, deadline: Instant) -> Result<File, IndexError> {
    while !lock(&file).map_err(unwritable)? {
        if Instant::now() >= deadline {
            return Err(IndexError::Locked);
        }
        std::thread::sleep(LOCK_POLL);
    }
    Ok(file)
}

fn connect(dir: &Path, patience: Duration) -> Result<(Connection, Found), IndexError> {
    let path = dir.join(FILE);
    // The file is created here rather than by SQLite, so that only the owner can access it. SQLite gives its log the
    // same mode.
    drop(os::open_or_create(&path).map_err(unwritable)?);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let conn = Connection::open_with_flags(&path, flags)?;
    sqlite::configure(&conn, patience)?;
    let state = sqlite::inspect(&conn)?;
    if conn.is_readonly(rusqlite::MAIN_DB)? {
        // We just opened the file for writing. If SQLite cannot write it, its header must declare a format that cannot
        // be written.
        return Err(IndexError::Corrupt("its header declares a format that cannot be written".to_owned()));
    }
    Ok((conn, state))
}

/// Deletes an index and its log; the data is still in the journals. The caller must hold the exclusive lock.
fn remove(dir: &Path) -> Result<(), IndexError> {
    for suffix in ["-wal", "-shm", ""] {
        os::unless_missing(std::fs::remove_file(dir.join(format!("{FILE}{suffix}")))).map_err(unwritable)?;
    }
    Ok(())
}

/// Renames a damaged index and its log to an unused name. The caller must hold the exclusive lock.
fn set_aside(dir: &Path) -> Result<PathBuf, IndexError> {
    let free = |n: &u32| !dir.join(format!("{FILE}.corrupt-{n}")).exists();
    let n = (1..=ASIDE_MAX).find(free).ok_or_else(|| {
        IndexError::Other(format!(
            "it is damaged, and {ASIDE_MAX} damaged copies already exist: delete {FILE}.corrupt-*"
        ))
    })?;
    let aside = dir.join(format!("{FILE}.corrupt-{n}"));
    // The log is renamed first: an index without its log is only outdated, but a new index next to the old log would
    // be wrong.
    for suffix in ["-wal", "-shm", ""] {
        let from = dir.join(format!("{FILE}{suffix}"));
        let to = dir.join(format!("{FILE}.corrupt-{n}{suffix}"));
        os::unless_missing(std::fs::rename(from, to)).map_err(unwritable)?;
    }
    os::sync_dir(dir).map_err(unwritable)?;
    Ok(aside)
}
