//! SQLite, in the shape of IRIS: a file of its own for every global, so that workers really write at the same time (SQLite has
//! one writer a file; IRIS one database for all globals), the write-ahead log for the journal, and a write daemon of ours
//! that checkpoints, so that no session does.

mod counts;
mod daemon;
mod session;

use crate::engine::{Counters, Creation, DataFile, Database, EngineEntry, EngineFacts, RunHow};
use crate::{DbError, Marker};
use counts::Counts;
use daemon::Daemon;
use load::session::Sessions;
use model::{Bytes, EnginePhase, FileRole, Nanos};
use rusqlite::Connection;
use session::Opener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How long anybody waits for a lock of SQLite's.
const PATIENCE: Duration = Duration::from_secs(60);

pub const ENTRY: EngineEntry = EngineEntry {
    name: "sqlite",
    summary: "SQLite, built in: one file per global, write-ahead log, checkpoints by a write daemon of ours",
    pages: &[8192, 512, 1024, 2048, 4096, 16384, 32768, 65536],
    splits: false,
    probe: |_| Ok(format!("SQLite {}", rusqlite::version())),
    create: |creation| Ok(Box::new(Sqlite::new(creation))),
    open: |creation| Ok(Box::new(Sqlite::new(creation))),
};

struct Sqlite {
    marker: Marker,
    how: RunHow,
    counts: Arc<Counts>,
    daemon: Option<Daemon>,
}

/// The name of a global's file.
fn file_of(marker: &Marker, number: u32) -> PathBuf {
    marker.rooms.of_global(number).join(format!("g{number}.db"))
}

fn failed(what: &'static str) -> impl FnOnce(rusqlite::Error) -> DbError {
    move |e| DbError::Engine { engine: "sqlite", what: what.to_owned(), why: e.to_string() }
}

/// Opens a file that is there, as every connection has it.
fn connect(path: &Path, how: &RunHow) -> rusqlite::Result<Connection> {
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE | rusqlite::OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    // Negative: KiB rather than pages.
    connection.pragma_update(None, "cache_size", -((how.cache.0 / 1024).max(1) as i64))?;
    connection.pragma_update(None, "mmap_size", 0)?;
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "synchronous", synchronous(how))?;
    Ok(connection)
}

/// With a log NORMAL commits without waiting; without one only OFF does.
const fn synchronous(how: &RunHow) -> &'static str {
    match (how.durable, how.journal) {
        (true, _) => "FULL",
        (false, true) => "NORMAL",
        (false, false) => "OFF",
    }
}

impl Sqlite {
    fn new(creation: &Creation) -> Self {
        let marker = creation.marker.clone();
        let how = RunHow {
            journal: marker.journal,
            durable: true,
            cache: Bytes(16 << 20),
            write_back_every: Nanos(30_000_000_000),
        };
        Sqlite { marker, how, counts: Arc::default(), daemon: None }
    }

    /// Files of the globals that are there, the filler's included.
    fn there(&self) -> Result<Vec<(u32, PathBuf)>, DbError> {
        let mut found = Vec::new();
        let mut rooms = self.marker.rooms.data.clone();
        rooms.dedup();
        for room in &rooms {
            for entry in std::fs::read_dir(room).map_err(DbError::io("look into", room))? {
                let path = entry.map_err(DbError::io("look into", room))?.path();
                let number =
                    path.file_name().and_then(|n| n.to_str()).and_then(|n| n.strip_prefix('g')?.strip_suffix(".db"));
                if let Some(number) = number.and_then(|n| n.parse().ok()) {
                    found.push((number, path));
                }
            }
        }
        found.sort();
        Ok(found)
    }

    fn open(&self, number: u32) -> Result<Connection, DbError> {
        let path = file_of(&self.marker, number);
        if !path.is_file() {
            let what = format!("open global {number}");
            return Err(DbError::refused(what, "there is none of this number", "see `secchi db get-sizes`"));
        }
        connect(&path, &self.how).map_err(failed("open a global"))
    }

    /// One row, one column.
    fn one<T: rusqlite::types::FromSql>(&self, number: u32, what: &'static str, sql: &str) -> Result<T, DbError> {
        self.open(number)?.query_row(sql, [], |row| row.get(0)).map_err(failed(what))
    }
}

impl Database for Sqlite {
    fn facts(&self) -> Result<EngineFacts, DbError> {
        let log = if self.how.journal { "WAL" } else { "OFF" };
        Ok(EngineFacts {
            version: format!("SQLite {}", rusqlite::version()),
            page: self.marker.page,
            cache: self.how.cache,
            commit: format!("journal_mode={log}, synchronous={}", synchronous(&self.how)),
            direct: false,
            notes: vec![
                "every global is a file of its own: SQLite has one writer a file".to_owned(),
                "the cache is each session's own, and the page cache lies under it".to_owned(),
            ],
        })
    }

    fn start(&mut self, how: &RunHow, clock: Arc<dyn Fn() -> u64 + Send + Sync>) -> Result<(), DbError> {
        self.stop()?;
        self.how = *how;
        let mode = if how.journal { "WAL" } else { "OFF" };
        let there = self.there()?;
        for (_, path) in &there {
            // Opening recovers what a killed run left in the log; a change of mode empties it.
            let connection = connect(path, how).map_err(failed("open a global"))?;
            let set: String = connection
                .pragma_update_and_check(None, "journal_mode", mode, |row| row.get(0))
                .map_err(failed("set the journal mode"))?;
            if !set.eq_ignore_ascii_case(mode) {
                let why = format!("journal_mode stays {set}");
                return Err(DbError::Engine { engine: "sqlite", what: format!("set journal_mode={mode}"), why });
            }
        }
        self.counts = Arc::default();
        if how.journal {
            let files = there.into_iter().map(|(_, path)| path).collect();
            self.daemon = Some(Daemon::start(files, *how, clock, Arc::clone(&self.counts))?);
        }
        Ok(())
    }

    fn stop(&mut self) -> Result<(), DbError> {
        match self.daemon.take() {
            Some(daemon) => daemon.stop(),
            None => Ok(()),
        }
    }

    fn make_global(&self, number: u32) -> Result<(), DbError> {
        let path = file_of(&self.marker, number);
        for suffix in ["", "-wal", "-shm", "-journal"] {
            let mut old = path.clone().into_os_string();
            old.push(suffix);
            match std::fs::remove_file(&old) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(DbError::io("remove", old)(e)),
                _ => {}
            }
        }
        let mode = if self.how.journal { "WAL" } else { "OFF" };
        let make = || -> rusqlite::Result<()> {
            let connection = Connection::open(&path)?;
            connection.pragma_update(None, "page_size", self.marker.page.0 as i64)?;
            connection.pragma_update_and_check(None, "journal_mode", mode, |_| Ok(()))?;
            connection.execute_batch(
                "CREATE TABLE g (id INTEGER PRIMARY KEY, v BLOB NOT NULL);
                 CREATE TABLE size (n INTEGER NOT NULL);",
            )
        };
        make().map_err(failed("make a global"))?;
        if let Some(daemon) = &self.daemon {
            daemon.also(path);
        }
        Ok(())
    }

    fn count(&self, number: u32) -> Result<u64, DbError> {
        let connection = self.open(number)?;
        let visit = || -> rusqlite::Result<u64> {
            // Not count(*): every subscript is visited in order, as $ORDER does.
            let mut statement = connection.prepare("SELECT id FROM g ORDER BY id")?;
            let mut rows = statement.query([])?;
            let mut n = 0;
            while rows.next()?.is_some() {
                n += 1;
            }
            Ok(n)
        };
        visit().map_err(failed("count a global"))
    }

    fn size(&self, number: u32) -> Result<Option<u64>, DbError> {
        let size: Option<i64> = self.one(number, "read a size", "SELECT max(n) FROM size")?;
        Ok(size.map(|n| n.max(0) as u64))
    }

    fn set_size(&self, number: u32, count: u64) -> Result<(), DbError> {
        let connection = self.open(number)?;
        let set = || {
            connection.execute_batch("DELETE FROM size")?;
            connection.execute("INSERT INTO size VALUES (?1)", [count as i64])
        };
        set().map(drop).map_err(failed("record a size"))
    }

    fn sessions(&self) -> Arc<dyn Sessions> {
        let writing_back = self.daemon.as_ref().map(Daemon::flag).unwrap_or_default();
        Arc::new(Opener { marker: self.marker.clone(), how: self.how, counts: Arc::clone(&self.counts), writing_back })
    }

    fn quiesce(&self) -> Result<(), DbError> {
        for (_, path) in self.there()? {
            let connection = connect(&path, &self.how).map_err(failed("open a global"))?;
            connection
                .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
                .map_err(failed("write back the log"))?;
            drop(connection);
            let file = std::fs::File::open(&path).map_err(DbError::io("open", &path))?;
            let length = file.metadata().map_err(DbError::io("look at", &path))?.len();
            file.sync_all().map_err(DbError::io("flush", &path))?;
            sys::drop_cache(&file, 0..length).map_err(DbError::io("drop the cached pages of", &path))?;
        }
        Ok(())
    }

    fn files(&self) -> Result<Vec<DataFile>, DbError> {
        let mut files = Vec::new();
        for (_, path) in self.there()? {
            let length = |path: &Path| std::fs::metadata(path).map_or(0, |m| m.len());
            let page = self.marker.page.0;
            let mut log = path.clone().into_os_string();
            log.push("-wal");
            let log = PathBuf::from(log);
            let written = Bytes(length(&path) / page * page);
            files.push(DataFile { role: FileRole::Data, path, offset: Bytes(0), written });
            if log.exists() {
                let written = Bytes(length(&log) / page * page);
                files.push(DataFile { role: FileRole::Journal, path: log, offset: Bytes(0), written });
            }
        }
        Ok(files)
    }

    fn counters(&self) -> Result<Counters, DbError> {
        Ok(self.counts.told(self.how.journal))
    }

    fn phases(&self) -> Vec<EnginePhase> {
        self.daemon.as_ref().map(Daemon::phases).unwrap_or_default()
    }

    fn check(&self) -> Result<Vec<String>, DbError> {
        let mut told = Vec::new();
        for (number, _) in self.there()? {
            let said: String = self.one(number, "check a global", "PRAGMA integrity_check(1)")?;
            if said != "ok" {
                let what = format!("vouch for global {number}");
                return Err(DbError::Engine { engine: "sqlite", what, why: said });
            }
            told.push(number);
        }
        Ok(vec![format!("integrity_check: ok in all {} files", told.len())])
    }
}
