//! The SQL index: opened for each use, repaired when damaged, and never needed.
//!
//! `index.lock` keeps repair apart from use: whoever has the index open holds it shared, whoever replaces the file
//! holds it exclusively. (SQLite deletes its log by name; a replaced file would lose that of its successor.)

use crate::filter::{self, Dialect, Filter};
use crate::index::error::IndexError;
use crate::index::query::value;
use crate::index::rows::{self, Cells, IndexRow, Rows};
use crate::index::schema::{RUN, TAG, Table, WORKLOAD};
use crate::index::sqlite::{self, Found};
use crate::os;
use crate::runs::summary::RunSummary;
use model::Labels;
use rusqlite::{Connection, OpenFlags, Params, TransactionBehavior, params, params_from_iter};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

pub(crate) const FILE: &str = "index.sqlite";
pub(crate) const LOCK: &str = "index.lock";
/// How often a closed gate is tried again.
const LOCK_POLL: Duration = Duration::from_millis(5);
/// Damaged indexes kept aside at most.
const ASIDE_MAX: u32 = 1000;

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
    /// Held shared as long as the connection lives; none in memory.
    _gate: Option<File>,
    /// Where a damaged predecessor was put just now.
    pub(crate) aside: Option<PathBuf>,
}

impl Index {
    /// When the index of the store `dir` was last written; `None` where there is none.
    pub(crate) fn written(dir: &Path) -> Option<SystemTime> {
        let of = |name: String| dir.join(name).metadata().and_then(|m| m.modified()).ok();
        of(FILE.to_owned()).max(of(format!("{FILE}-wal")))
    }

    /// Opens the index of the store `dir`, made or made anew if it is missing or damaged.
    ///
    /// # Errors
    /// When it cannot be used now; a damaged one is no error unless it cannot be put aside.
    pub(crate) fn open(dir: &Path, patience: Duration) -> Result<Index, IndexError> {
        let deadline = Instant::now() + patience;
        let gate = lock_index(dir, false, deadline)?;
        match connect(dir, patience) {
            Ok((conn, Found::Ours)) => return Ok(Index { conn, _gate: Some(gate), aside: None }),
            Ok((_, Found::Blank | Found::Older)) | Err(IndexError::Corrupt(_)) => drop(gate),
            Err(other) => return Err(other),
        }
        Index::make(dir, patience, deadline)
    }

    /// Makes the tables, after putting a damaged file aside, with everybody else kept out.
    fn make(dir: &Path, patience: Duration, deadline: Instant) -> Result<Index, IndexError> {
        let alone = lock_index(dir, true, deadline)?;
        // Somebody may have been quicker.
        let mut aside = None;
        let found = match connect(dir, patience) {
            Err(IndexError::Corrupt(_)) => {
                aside = Some(set_aside(dir)?);
                connect(dir, patience)?
            }
            Ok((older, Found::Older)) => {
                drop(older);
                remove(dir)?;
                connect(dir, patience)?
            }
            other => other?,
        };
        let (mut conn, state) = found;
        if state == Found::Blank {
            sqlite::create(&mut conn)?;
        }
        // The file is in place now, so it does no harm that the lock is let go for a moment.
        os::lock_shared(&alone).map_err(unwritable)?;
        Ok(Index { conn, _gate: Some(alone), aside })
    }

    /// Puts a damaged index aside and opens a fresh one: for damage found only on reading rows.
    ///
    /// # Errors
    /// As [`Index::open`].
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

    /// Every row, without making, mending or changing anything.
    ///
    /// # Errors
    /// When there is none, or it is damaged or held for longer than `patience`.
    pub(crate) fn read_unchanged(dir: &Path, patience: Duration) -> Result<Vec<IndexRow>, IndexError> {
        let closed = os::open_existing(&dir.join(LOCK), false).map_err(unwritable)?;
        let gate = enter(closed, os::lock_shared, Instant::now() + patience)?;
        let flags =
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let conn = Connection::open_with_flags(dir.join(FILE), flags)?;
        sqlite::configure(&conn, patience)?;
        match sqlite::inspect(&conn)? {
            Found::Ours => Index { conn, _gate: Some(gate), aside: None }.rows(),
            Found::Blank | Found::Older => Ok(Vec::new()),
        }
    }

    /// An index in memory of these runs: for questions when there is none in a file.
    pub(crate) fn in_memory<'a>(runs: impl IntoIterator<Item = &'a RunSummary>) -> Result<Index, IndexError> {
        let mut conn = Connection::open_in_memory()?;
        sqlite::create(&mut conn)?;
        let mut index = Index { conn, _gate: None, aside: None };
        let changes: Vec<Change> = runs.into_iter().cloned().map(Change::Insert).collect();
        index.amend(&changes)?;
        Ok(index)
    }

    /// Every run, in no order.
    pub(crate) fn rows(&self) -> Result<Vec<IndexRow>, IndexError> {
        // One transaction: the tables are of one moment.
        let moment = self.conn.unchecked_transaction()?;
        let [runs, workloads, tags] = [&RUN, &WORKLOAD, &TAG].map(|table| read(&moment, &table.select(""), table, []));
        Ok(rows::assemble(runs?, workloads?, tags?))
    }

    /// The ids of the runs that a filter lists.
    pub(crate) fn select(&self, filter: &Filter) -> Result<Vec<String>, IndexError> {
        let (sql, bound) = filter::select(filter, Dialect::Sqlite);
        let mut statement = self.conn.prepare(&sql)?;
        let ids = statement.query_map(params_from_iter(bound), |row| row.get(0))?;
        Ok(ids.collect::<Result<_, _>>()?)
    }

    /// Puts the rows of a run, whatever was there.
    pub(crate) fn put(&mut self, summary: &RunSummary) -> Result<(), IndexError> {
        let transaction = self.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        remove_run(&transaction, &summary.id)?;
        insert(&transaction, summary)?;
        transaction.commit()?;
        Ok(())
    }

    /// Applies corrections, all or none.
    pub(crate) fn amend(&mut self, changes: &[Change]) -> Result<(), IndexError> {
        if changes.is_empty() {
            return Ok(());
        }
        let transaction = self.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let gone =
            |id: &str, was: &i64| transaction.execute("DELETE FROM run WHERE id = ?1 AND crc = ?2", params![id, was]);
        for change in changes {
            match change {
                Change::Insert(summary) => insert(&transaction, summary)?,
                Change::Delete { id, was } => {
                    if gone(id, was)? > 0 {
                        remove_run(&transaction, id)?;
                    }
                }
                Change::Replace { summary, was } => {
                    if gone(&summary.id, was)? > 0 {
                        insert(&transaction, summary)?;
                    }
                }
            }
        }
        transaction.commit()?;
        Ok(())
    }

    /// Puts other labels to a run. One that is not there, or whose rows are damaged, is left to the next listing.
    pub(crate) fn relabel(&mut self, id: &str, labels: &Labels) -> Result<(), IndexError> {
        let transaction = self.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let of = |table: &Table, one: &str| read(&transaction, &table.select(one), table, [id]);
        let runs = of(&RUN, " WHERE id = ?1")?;
        let (workloads, tags) = (of(&WORKLOAD, " WHERE run = ?1")?, of(&TAG, " WHERE run = ?1")?);
        if let Some(row) = rows::assemble(runs, workloads, tags).into_iter().find(|row| row.sound) {
            remove_run(&transaction, id)?;
            insert(&transaction, &RunSummary { labels: labels.clone(), ..row.summary })?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Removes the rows of a run, if there are any.
    pub(crate) fn delete(&mut self, id: &str) -> Result<(), IndexError> {
        let transaction = self.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        remove_run(&transaction, id)?;
        transaction.commit()?;
        Ok(())
    }
}

/// Reads rows of a table in order of its key.
fn read(conn: &Connection, sql: &str, table: &Table, bound: impl Params) -> Result<Vec<Cells>, IndexError> {
    let mut statement = conn.prepare(sql)?;
    let cells = |row: &rusqlite::Row<'_>| (0..table.columns.len()).map(|i| row.get_ref(i).map(value)).collect();
    Ok(statement.query_map(bound, cells)?.collect::<Result<_, _>>()?)
}

/// Puts the rows of a run that has none.
fn insert(conn: &Connection, summary: &RunSummary) -> Result<(), IndexError> {
    let rows = Rows::from_summary(summary);
    let put = |table: &Table, cells: &Cells| {
        conn.prepare_cached(&table.insert("INSERT OR IGNORE", '?'))?.execute(params_from_iter(cells))
    };
    if put(&RUN, &rows.run)? > 0 {
        // Those of a run that is gone, if its rows were damaged.
        for sql in ["DELETE FROM workload WHERE run = ?1", "DELETE FROM tag WHERE run = ?1"] {
            conn.execute(sql, [&summary.id])?;
        }
        for (table, all) in [(&WORKLOAD, &rows.workloads), (&TAG, &rows.tags)] {
            for cells in all {
                put(table, cells)?;
            }
        }
    }
    Ok(())
}

fn remove_run(conn: &Connection, id: &str) -> Result<(), IndexError> {
    for sql in
        ["DELETE FROM run WHERE id = ?1", "DELETE FROM workload WHERE run = ?1", "DELETE FROM tag WHERE run = ?1"]
    {
        conn.execute(sql, [id])?;
    }
    Ok(())
}

fn unwritable(error: io::Error) -> IndexError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => IndexError::Full,
        _ => IndexError::Unwritable(error.to_string()),
    }
}

/// Passes the gate, or waits before it until `deadline`.
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
    // Made here rather than by SQLite, for its mode: the owner's alone. SQLite's log takes over the same mode.
    drop(os::open_or_create(&path).map_err(unwritable)?);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let conn = Connection::open_with_flags(&path, flags)?;
    sqlite::configure(&conn, patience)?;
    let found = sqlite::inspect(&conn)?;
    if conn.is_readonly(rusqlite::MAIN_DB)? {
        // We just opened the file for writing, so it is its head that claims a form nobody may write.
        return Err(IndexError::Corrupt("its head claims a form that cannot be written".to_owned()));
    }
    Ok((conn, found))
}

/// Removes an index and its log: what it told stands in the journals. The caller is alone.
fn remove(dir: &Path) -> Result<(), IndexError> {
    for suffix in ["-wal", "-shm", ""] {
        match std::fs::remove_file(dir.join(format!("{FILE}{suffix}"))) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(unwritable(e)),
            _ => {}
        }
    }
    Ok(())
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
