//! The index's tables: what they are in every database, and how SQLite's are made, recognised, and refused.

use crate::index::IndexError;
use rusqlite::{Connection, TransactionBehavior};
use std::time::Duration;

/// Version of the tables. An older one is made anew from the journals; a reader of an older program refuses this one.
pub(crate) const VERSION: u32 = 3;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Integer,
    Real,
    /// May be unknown: NULL.
    MaybeInteger,
}

/// A table. All that is in its texts are words of this file.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) columns: &'static [(&'static str, Kind)],
    pub(crate) key: &'static str,
}

use Kind::{Integer, MaybeInteger, Real, Text};

/// One row per run. `crc` covers all other cells of the run, in all tables: a flipped byte would otherwise be shown as the
/// truth.
pub(crate) const RUN: Table = Table {
    name: "run",
    columns: &[
        ("id", Text),
        ("started", Text),
        ("began_ns", MaybeInteger),
        ("command", Text),
        ("target", Text),
        ("tool", Text),
        ("state", Text),
        ("duration_ns", Integer),
        ("verdict", Text),
        // What says it in other languages, in JSON; empty where nothing does.
        ("verdict_message", Text),
        ("exit_code", MaybeInteger),
        ("host", Text),
        ("size", Integer),
        ("plan", Text),
        ("note", Text),
        ("crc", Integer),
    ],
    key: "id",
};

/// One row per workload of a run, in order.
pub(crate) const WORKLOAD: Table = Table {
    name: "workload",
    columns: &[
        ("run", Text),
        ("n", Integer),
        ("name", Text),
        ("pattern", Text),
        ("bs", MaybeInteger),
        ("engine", Text),
        ("depth", Integer),
        ("iops", Real),
        ("bandwidth", Real),
        ("mean_ns", MaybeInteger),
        ("p99_ns", MaybeInteger),
    ],
    key: "run, n",
};

/// One row per tag of a run.
pub(crate) const TAG: Table = Table { name: "tag", columns: &[("run", Text), ("tag", Text)], key: "run, tag" };

pub(crate) const TABLES: [&Table; 3] = [&RUN, &WORKLOAD, &TAG];

impl Table {
    /// Its statement of creation, with a database's own words for the kinds.
    pub(crate) fn create(&self, word: fn(Kind) -> &'static str, end: &str) -> String {
        let columns: Vec<String> = self.columns.iter().map(|(name, kind)| format!("{name} {}", word(*kind))).collect();
        format!("CREATE TABLE {} ({}, PRIMARY KEY ({})){end}", self.name, columns.join(", "), self.key)
    }

    /// Its statement that reads all columns in order of the key; `one` of a run alone, its id bound.
    pub(crate) fn select(&self, one: &str) -> String {
        let columns: Vec<&str> = self.columns.iter().map(|c| c.0).collect();
        format!("SELECT {} FROM {}{one} ORDER BY {}", columns.join(", "), self.name, self.key)
    }

    /// Its statement that puts a row in, a parameter for each column.
    pub(crate) fn insert(&self, verb: &str, sign: char) -> String {
        let marks: Vec<String> = (1..=self.columns.len()).map(|n| format!("{sign}{n}")).collect();
        format!("{verb} INTO {} VALUES ({})", self.name, marks.join(", "))
    }
}

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

/// What an index file turns out to be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Ours, and whole as far as its pages show.
    Ours,
    /// No table is there.
    Blank,
    /// Of an older program: it is made anew.
    Older,
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
/// [`IndexError::Corrupt`] when it is not ours or damaged, [`IndexError::OtherVersion`] when it is of a newer version.
pub(crate) fn inspect(conn: &Connection) -> Result<Found, IndexError> {
    let version: u32 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let objects: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    match version {
        0 if objects == 0 => return Ok(Found::Blank),
        0 => return Err(IndexError::Corrupt("it has tables but no version".to_owned())),
        VERSION => {}
        older if older < VERSION => return Ok(Found::Older),
        other => return Err(IndexError::OtherVersion(other)),
    }
    let mut statement = conn.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table'")?;
    let mut found: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut ours = TABLES.map(sqlite_create);
    found.sort_unstable();
    ours.sort_unstable();
    if objects != TABLES.len() as i64 || found != ours {
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
    for table in TABLES {
        transaction.execute(&sqlite_create(table), [])?;
    }
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()?;
    Ok(())
}
