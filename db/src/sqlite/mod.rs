//! SQLite, arranged like IRIS. Every global has its own file, so that workers can write at the same time. (SQLite
//! allows one writer per file, whereas IRIS keeps all globals in one database.) The write-ahead log serves as the
//! journal. secchi's write daemon performs the checkpoints, so that sessions do not have to.

mod counts;
mod daemon;
mod session;
mod share;

use crate::engine::{Clock, Counters, Creation, DataFile, Database, EngineEntry, EngineFacts, EngineSettings};
use crate::{DbError, DirectoryEntry, EntryKind, Marker, remove_if_exists};
use counts::Counts;
use daemon::Daemon;
use load::session::Sessions;
use model::measured::{EnginePhase, FileRole};
use model::{Bytes, Nanos, plan::NodeNames};
use rusqlite::Connection;
use session::SqliteSessions;
use share::SharedCache;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;
use sys::files::FileExt;

/// Signature in our files (`PRAGMA application_id`): "Secc".
const APPLICATION_ID: i32 = 0x5365_6363;
/// Offset of the signature in a file. The signature is stored in big-endian order.
const ID_AT: usize = 68;
/// First bytes of every SQLite file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// Maximum time to wait for one of SQLite's locks.
const PATIENCE: Duration = Duration::from_secs(60);

/// Name of the engine.
const NAME: &str = "sqlite";

/// SQLite's entry in the table of engines.
pub const ENTRY: EngineEntry = EngineEntry {
    name: NAME,
    summary: "SQLite, built in: one file per global, write-ahead log, checkpoints by a write daemon in secchi",
    pages: &[8192, 512, 1024, 2048, 4096, 16384, 32768, 65536],
    separate_directories: false,
    takes_profile: false,
    probe: |_| Ok(format!("SQLite {}", rusqlite::version())),
    create: |creation| Ok(Box::new(Sqlite::new(creation))),
    open: |creation| Ok(Box::new(Sqlite::new(creation))),
    owns,
    variables: &[],
    takes_url: false,
    serve: None,
};

struct Sqlite {
    marker: Marker,
    how: EngineSettings,
    counts: Arc<Counts>,
    daemon: Option<Daemon>,
    share: Arc<SharedCache>,
    /// True between start and stop.
    started: bool,
    /// Highest number among the globals whose creation was started.
    begun: AtomicU32,
}

/// Returns the number of the global whose file has this name.
fn number_of(name: &str) -> Option<u32> {
    let number = name.strip_prefix('g')?.strip_suffix(".db")?.parse().ok()?;
    (name == format!("g{number}.db")).then_some(number)
}

/// Returns `true` if a directory entry belongs to the database. This is true for a global's file that has secchi's
/// signature, if the creation of the global was started, and for files that SQLite keeps alongside such a file.
fn owns(marker: &Marker, item: &DirectoryEntry<'_>) -> bool {
    let parts = item.parts();
    let ([name], EntryKind::File) = (parts.as_slice(), item.kind) else { return false };
    let file = ["-wal", "-shm", "-journal"].iter().find_map(|suffix| name.strip_suffix(suffix));
    let begun = number_of(file.unwrap_or(name)).filter(|number| *number <= marker.begun);
    begun.is_some_and(|number| {
        file_of(marker, number).parent() == Some(item.directory) && (file.is_some() || is_own_file(&item.full_path()))
    })
}

/// Returns `true` if a file has secchi's signature, or is empty because its creation was interrupted.
fn is_own_file(path: &Path) -> bool {
    let mut head = [0; 100];
    let Ok(file) = File::open(path) else { return false };
    match file.metadata() {
        Ok(m) if m.len() == 0 => return true,
        _ => {}
    }
    file.read_exact_at(&mut head, 0).is_ok()
        && head.starts_with(MAGIC)
        && head[ID_AT..ID_AT + 4] == APPLICATION_ID.to_be_bytes()
}

/// Returns the path of a global's file.
fn file_of(marker: &Marker, number: u32) -> PathBuf {
    marker.directories.data_of_global(number).join(format!("g{number}.db"))
}

/// Returns the path of a file that SQLite keeps alongside a global's file, such as `g3.db-wal`.
fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.to_owned().into_os_string();
    name.push(suffix);
    name.into()
}

fn failed(what: &'static str) -> impl FnOnce(rusqlite::Error) -> DbError {
    move |e| DbError::engine(NAME, what, e.to_string())
}

/// Formats the subscripts of named nodes as columns, each followed by `after` and separated by `between`, such as
/// `s1 = ?1 AND s2 = ?2`.
fn subscripts(names: &NodeNames, after: impl Fn(usize) -> String, between: &str) -> String {
    (1..=names.levels().count()).map(|i| format!("s{i}{}", after(i))).collect::<Vec<_>>().join(between)
}

/// Cache size of connections that are not measured, in pages.
const FEW_PAGES: i64 = 64;

/// Opens an existing file with the settings common to all connections. The connection's cache is small until it
/// receives a share of the requested cache.
fn connect(path: &Path, how: &EngineSettings) -> rusqlite::Result<Connection> {
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE
        | rusqlite::OpenFlags::SQLITE_OPEN_NO_MUTEX
        | rusqlite::OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(path, flags)?;
    tracing::debug!(path = %path.display(), ?flags, "opened SQLite database");
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "cache_size", FEW_PAGES)?;
    connection.pragma_update(None, "mmap_size", 0)?;
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "synchronous", synchronous(how))?;
    if !how.journal {
        // Unlike the other modes, this mode is not stored in the file. It belongs to the connection, and another
        // connection would journal again.
        set_mode(&connection, how)?;
    }
    Ok(connection)
}

/// Sets the journal mode as requested and verifies it.
fn set_mode(connection: &Connection, how: &EngineSettings) -> rusqlite::Result<()> {
    let mode = mode(how);
    let set: String = connection.pragma_update_and_check(None, "journal_mode", mode, |row| row.get(0))?;
    if set.eq_ignore_ascii_case(mode) {
        return Ok(());
    }
    let reason = format!("journal_mode is still {set} instead of {mode}");
    Err(rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_ERROR), Some(reason)))
}

const fn mode(how: &EngineSettings) -> &'static str {
    if how.journal { "WAL" } else { "OFF" }
}

/// Returns the value for `synchronous`. With a log, commits under NORMAL do not wait. Without a log, no commit waits
/// for anything, as with the other engines.
const fn synchronous(how: &EngineSettings) -> &'static str {
    match (how.durable, how.journal) {
        (true, true) => "FULL",
        (false, true) => "NORMAL",
        (_, false) => "OFF",
    }
}

impl Sqlite {
    fn new(creation: &Creation) -> Self {
        let marker = creation.marker.clone();
        let how = EngineSettings {
            journal: marker.journal,
            durable: true,
            cache: Bytes::from_mib(16),
            write_back_every: Nanos::from_secs(30),
        };
        let begun = AtomicU32::new(marker.begun.max(marker.globals));
        Sqlite { marker, how, counts: Arc::default(), daemon: None, share: Arc::default(), started: false, begun }
    }

    /// Flushes all files, so that everything written so far is durable.
    fn flush(&self) -> Result<(), DbError> {
        for (_, path) in self.existing_files()? {
            let file = sys::files::open_for_sync(&path).map_err(DbError::io("open", &path))?;
            file.sync_data().map_err(DbError::io("flush", &path))?;
        }
        Ok(())
    }

    /// Returns the files of existing globals, including the filler.
    fn existing_files(&self) -> Result<Vec<(u32, PathBuf)>, DbError> {
        crate::global_files::existing(self.begun.load(Relaxed), |number| file_of(&self.marker, number), is_own_file)
    }

    fn open(&self, number: u32) -> Result<Connection, DbError> {
        let path = file_of(&self.marker, number);
        if !path.is_file() {
            let what = format!("open global {number}");
            return Err(DbError::refused(
                what,
                "there is no global with this number",
                "list them with `secchi db get-sizes`",
            ));
        }
        connect(&path, &self.how).map_err(failed("open a global"))
    }

    /// Runs a query that returns a single value.
    fn query_value<T: rusqlite::types::FromSql>(
        &self,
        number: u32,
        what: &'static str,
        sql: &str,
    ) -> Result<T, DbError> {
        self.open(number)?.query_row(sql, [], |row| row.get(0)).map_err(failed(what))
    }
}

/// Returns `true` if the built-in SQLite flushes data without file times (fdatasync). SQLite itself does not report
/// this, but its build uses the same flags as ours (`.cargo/config.toml`).
fn has_fdatasync() -> bool {
    option_env!("LIBSQLITE3_FLAGS").is_some_and(|flags| flags.contains("-DHAVE_FDATASYNC"))
}

impl Database for Sqlite {
    fn facts(&self) -> Result<EngineFacts, DbError> {
        let log = mode(&self.how);
        let mut commit = format!("journal_mode={log}, synchronous={}", synchronous(&self.how));
        let mut notes = vec![
            "every global has its own file, because SQLite allows one writer per file".to_owned(),
            "the cache is divided evenly among the connections of all sessions, on top of the page cache".to_owned(),
        ];
        if !self.how.journal {
            commit += "; a commit does not wait";
            notes.push(
                "without a journal a transaction cannot be rolled back: a killed run may leave a damaged file"
                    .to_owned(),
            );
        }
        if !has_fdatasync() {
            notes.push(
                "this SQLite was built without fdatasync: each flush is an fsync, which also writes the file's \
                 timestamps"
                    .into(),
            );
        }
        Ok(EngineFacts {
            version: format!("SQLite {}", rusqlite::version()),
            page: self.marker.page,
            cache: self.how.cache,
            commit,
            direct: false,
            notes,
        })
    }

    fn start(&mut self, how: &EngineSettings, clock: Clock) -> Result<(), DbError> {
        self.stop()?;
        self.how = *how;
        self.share = Arc::new(SharedCache::new(how.cache));
        let existing = self.existing_files()?;
        for (_, path) in &existing {
            // Opening recovers the updates that a killed run left in the log. A change of the mode empties the log.
            let connection = connect(path, how).map_err(failed("open a global"))?;
            set_mode(&connection, how).map_err(failed("set the journal mode"))?;
        }
        self.counts = Arc::default();
        self.started = true;
        if how.journal {
            let files = existing.into_iter().map(|(_, path)| path).collect();
            self.daemon = Some(Daemon::start(files, *how, clock, Arc::clone(&self.counts))?);
        }
        Ok(())
    }

    fn stop(&mut self) -> Result<(), DbError> {
        let ended = match self.daemon.take() {
            Some(daemon) => daemon.stop(),
            None => Ok(()),
        };
        if std::mem::replace(&mut self.started, false) && !self.how.journal {
            // Nothing has been flushed until now.
            self.flush()?;
        }
        ended
    }

    fn allows_parallel_runs(&self) -> Result<(), &'static str> {
        Err("SQLite allows one writer per file, and the write daemon belongs to that run; use more processes in one \
             run instead (-p)")
    }

    fn create_global(&self, number: u32, names: Option<&NodeNames>, indexes: u32) -> Result<(), DbError> {
        let path = file_of(&self.marker, number);
        if path.exists() && !is_own_file(&path) {
            return Err(DbError::refused(
                path.display().to_string(),
                "it is not the file that was created for this global",
                "it was not touched; move it away",
            ));
        }
        self.begun.fetch_max(number, Relaxed);
        // If a connection were closed after its file was removed, it would also remove the log of the new file.
        if let Some(daemon) = &self.daemon {
            daemon.close_file(&path)?;
        }
        for suffix in ["", "-wal", "-shm", "-journal"] {
            remove_if_exists(&with_suffix(&path, suffix))?;
        }
        let make = || -> rusqlite::Result<()> {
            let connection = Connection::open(&path)?;
            connection.pragma_update(None, "page_size", self.marker.page.as_u64() as i64)?;
            // The signature must be in the file itself, so it is set before there is a log.
            connection.pragma_update(None, "application_id", APPLICATION_ID)?;
            set_mode(&connection, &self.how)?;
            let keys: String = (1..=indexes).map(|i| format!("k{i} INTEGER NOT NULL, ")).collect();
            let columns = match names {
                None => format!("(id INTEGER PRIMARY KEY, {keys}v BLOB NOT NULL)"),
                // Without a row number, the records are stored in the order of the key, as in a global.
                Some(names) => {
                    let (columns, key) = (
                        subscripts(names, |_| " TEXT NOT NULL".into(), ", "),
                        subscripts(names, |_| String::new(), ", "),
                    );
                    format!("({columns}, v BLOB NOT NULL, PRIMARY KEY ({key})) WITHOUT ROWID")
                }
            };
            connection.execute_batch(&format!("CREATE TABLE g {columns}; CREATE TABLE size (n INTEGER NOT NULL);"))
        };
        make().map_err(failed("create a global"))?;
        match &self.daemon {
            Some(daemon) => daemon.open_file(&path),
            None => Ok(()),
        }
    }

    fn build_indexes(&self, number: u32, indexes: u32) -> Result<(), DbError> {
        let connection = self.open(number)?;
        (1..=indexes)
            .try_for_each(|i| connection.execute_batch(&format!("CREATE INDEX g_k{i} ON g (k{i})")))
            .map_err(failed("create a secondary index"))
    }

    fn count(&self, number: u32, names: Option<&NodeNames>) -> Result<u64, DbError> {
        let connection = self.open(number)?;
        let visit = || -> rusqlite::Result<u64> {
            // `count(*)` is not used, because every subscript must be visited in order, as by $ORDER.
            let key = names.map_or_else(|| "id".to_owned(), |names| subscripts(names, |_| String::new(), ", "));
            let mut statement = connection.prepare(&format!("SELECT {key} FROM g ORDER BY {key}"))?;
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
        let size: Option<i64> = self.query_value(number, "read a size", "SELECT max(n) FROM size")?;
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
        let writing_back = self.daemon.as_ref().map(Daemon::writing_back).unwrap_or_default();
        Arc::new(SqliteSessions {
            marker: self.marker.clone(),
            how: self.how,
            counts: Arc::clone(&self.counts),
            writing_back,
            share: Arc::clone(&self.share),
        })
    }

    fn quiesce(&self) -> Result<(), DbError> {
        for (_, path) in self.existing_files()? {
            let connection = connect(&path, &self.how).map_err(failed("open a global"))?;
            if self.how.journal {
                connection
                    .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
                    .map_err(failed("write back the log"))?;
            }
            drop(connection);
            let file = sys::files::open_for_sync(&path).map_err(DbError::io("open", &path))?;
            let length = file.metadata().map_err(DbError::io("look at", &path))?.len();
            file.sync_data().map_err(DbError::io("flush", &path))?;
            sys::storage::drop_cache(&file, 0..length).map_err(DbError::io("drop the cached pages of", &path))?;
        }
        Ok(())
    }

    fn files(&self) -> Result<Vec<DataFile>, DbError> {
        let mut files = Vec::new();
        for (_, path) in self.existing_files()? {
            let length = |path: &Path| std::fs::metadata(path).map_or(0, |m| m.len());
            let page = self.marker.page.as_u64();
            let log = with_suffix(&path, "-wal");
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
        Ok(self.counts.to_counters(self.how.journal))
    }

    fn phases(&self) -> Vec<EnginePhase> {
        self.daemon.as_ref().map(Daemon::phases).unwrap_or_default()
    }

    fn check(&self) -> Result<Vec<String>, DbError> {
        let mut checked = Vec::new();
        for (number, _) in self.existing_files()? {
            let answer: String = self.query_value(number, "check a global", "PRAGMA integrity_check(1)")?;
            if answer != "ok" {
                return Err(DbError::engine(NAME, format!("verify global {number}"), answer));
            }
            checked.push(number);
        }
        Ok(vec![format!("integrity_check: ok in all {} files", checked.len())])
    }
}
