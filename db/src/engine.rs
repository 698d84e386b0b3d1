//! The interface of a database engine and its registration. A new engine consists of a folder, a feature, and a line in
//! [`crate::ENGINES`].

use crate::marker::OwnsEntry;
use crate::{DbError, Marker};
use load::session::Sessions;
use model::measured::{EnginePhase, FileRole};
use model::plan::{GlobalSize, NodeNames};
use model::{Bytes, Nanos};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// Facts about this program and its environment, which the binary passes to the engines.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// Path of this program, which also serves engines that cannot run in the secchi process
    /// (`secchi db-session ENGINE`).
    pub program: PathBuf,
    /// Installation directories that the user set, by engine ([`EngineEntry::variables`]). Other engines are searched
    /// for in `path` and the usual directories.
    pub installed: BTreeMap<&'static str, PathBuf>,
    /// Directories to search for programs, in order (`$PATH`).
    pub path: Vec<PathBuf>,
    /// Directory for files that need a short path (UNIX sockets); if empty, `/tmp` is used.
    pub temporary: PathBuf,
}

/// Request to create or open a database.
#[derive(Debug, Clone)]
pub struct Creation {
    /// Complete marker of the database. The directories of a new database exist and are empty.
    pub marker: Marker,
    /// Directory of the marker.
    pub directory: PathBuf,
    /// Program, search path and installed engines.
    pub environment: Environment,
}

/// Settings for the engine in the next run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineSettings {
    /// True if updates are journaled.
    pub journal: bool,
    /// True if a commit returns once it is durable. If false, a commit returns as early as the engine allows, as in
    /// IRIS, and recent commits are lost in a crash.
    pub durable: bool,
    /// Maximum memory for the engine's cache.
    pub cache: Bytes,
    /// Interval between write-backs of journaled updates (checkpoints or epochs).
    pub write_back_every: Nanos,
}

/// Place where the engine's reads and writes can be counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IoLocation {
    /// In this process and its children, which use the files in the database's directories.
    Ours,
    /// In a server on this machine that secchi did not start.
    ExternalServer {
        /// Process ID of the server's first process, the ancestor of all others.
        pid: u32,
        /// Directories of the server's data.
        data: Vec<PathBuf>,
        /// Directory of the server's journal.
        journal: PathBuf,
    },
    /// Unknown. Holds a sentence with the reason.
    Unknown(String),
}

/// Facts about a running engine.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineFacts {
    /// Version, as the engine reports it.
    pub version: String,
    /// Size of a page.
    pub page: Bytes,
    /// Size of the engine's cache.
    pub cache: Bytes,
    /// Setting that decides when a commit returns, in the engine's terms, such as `synchronous=FULL` or
    /// `TRANSACTIONID=ACID`.
    pub commit: String,
    /// True if the engine opens its files with direct I/O.
    pub direct: bool,
    /// Caveats and remarks, one sentence each.
    pub notes: Vec<String>,
}

/// A file of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataFile {
    /// Role of the file.
    pub role: FileRole,
    /// Absolute path.
    pub path: PathBuf,
    /// Offset of the first page.
    pub offset: Bytes,
    /// Number of bytes from `offset` that hold written pages, a multiple of the page size. Reads past these bytes would
    /// not reach the device.
    pub written: Bytes,
}

/// Counters of an engine, and the engine's current backlog of updated pages.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Counters {
    /// Cumulative counts under the engine's own names, such as `DRD` or `pg_stat_io.reads.relation`. They are reported
    /// as differences over a run and as rates per second.
    pub counts: Vec<(String, f64)>,
    /// Counts that have a counterpart in mgstat, under mgstat's names: `Glorefs`, `Gloupds`, `PhyRds`, `PhyWrs`,
    /// `Jrnwrts`.
    pub mgstat: Vec<(&'static str, f64)>,
    /// Number of pages updated in memory or in the journal that are not in the data files yet (mgstat's WDQsz).
    pub backlog: Option<f64>,
    /// I/O that reached the files, by role: reads, read bytes, writes, written bytes, syncs. Empty if the engine does
    /// not report it.
    pub roles: Vec<model::measured::RoleUse>,
}

/// Clock of a run, in nanoseconds.
pub type Clock = Arc<dyn Fn() -> u64 + Send + Sync>;

/// A database in one engine. It is used from one thread, except for sessions and [`Database::create_global`].
pub trait Database: Send + Sync {
    /// Returns facts about the running engine. Call it only after [`Database::start`].
    ///
    /// # Errors
    /// Returns an error if the engine does not answer.
    fn facts(&self) -> Result<EngineFacts, DbError>;

    /// Waits until the processes of a killed run have ended: they may still write its changes back. Call it before
    /// [`Database::start`], and only if no other command uses the database.
    ///
    /// # Errors
    /// Returns an error if they have not ended within [`sys::locks::ENDING`].
    fn wait_for_killed_run(&self) -> Result<(), DbError> {
        Ok(())
    }

    /// Makes the database ready for sessions: recovers it from any state in which a killed run left it, and starts
    /// servers and write daemons. `clock` is the clock of the run, used to timestamp the phases. May be called again
    /// with another `how`.
    ///
    /// # Errors
    /// Returns an error if the engine cannot be started. In that case, none of its processes are left running.
    fn start(&mut self, how: &EngineSettings, clock: Clock) -> Result<(), DbError>;

    /// Writes everything back, makes it durable, closes the files, and removes servers and shared memory. Safe to call
    /// if the database is not started.
    ///
    /// # Errors
    /// Returns an error if something is left running; the error names it.
    fn stop(&mut self) -> Result<(), DbError>;

    /// Sets parameters of the engine for the following runs, such as `full_page_writes` to `off`. They replace
    /// parameters that were set before.
    ///
    /// # Errors
    /// Returns an error if the engine has no such parameter or rejects its value. In that case, nothing is started.
    fn set_parameters(&mut self, parameters: &[(String, String)]) -> Result<(), DbError> {
        let Some((name, _)) = parameters.first() else { return Ok(()) };
        let what = format!("--set {}", model::clip(name));
        Err(DbError::refused(
            what,
            "this engine has no parameters that can be set",
            "leave it out; --engine postgres has parameters",
        ))
    }

    /// Returns the current parameters of the engine's write path. Call it only after [`Database::start`].
    ///
    /// # Errors
    /// Returns an error if the engine does not answer.
    fn parameters(&self) -> Result<Vec<(String, String)>, DbError> {
        Ok(Vec::new())
    }

    /// Checks that several runs may use the database at the same time.
    ///
    /// # Errors
    /// Returns an error if parallel runs are not allowed. The error is a clause with the reason and the alternative.
    fn allows_parallel_runs(&self) -> Result<(), &'static str>;

    /// Creates an empty global. An existing global with this number is emptied first. Several threads call this, each
    /// with different numbers. With `names`, nodes have names instead of integer subscripts. The global has this number
    /// of secondary indexes.
    ///
    /// # Errors
    /// Returns an error if the engine rejects the global.
    fn create_global(&self, number: u32, names: Option<&NodeNames>, indexes: u32) -> Result<(), DbError>;

    /// Checks that the engine supports nodes with these names.
    ///
    /// # Errors
    /// Returns an error if the engine does not support these names. The error lists the supported names.
    fn check_names(&self, _names: &NodeNames) -> Result<(), DbError> {
        Ok(())
    }

    /// Checks that nodes can be inserted into this global. They are inserted in order after the last node or, with
    /// `scattered`, anywhere.
    ///
    /// # Errors
    /// Returns an error with the reason and the alternative if nodes cannot be inserted.
    fn check_insert(&self, _global: &GlobalSize, _scattered: bool) -> Result<(), DbError> {
        Ok(())
    }

    /// Prepares the tables of TPC-B: creates the tables if they are missing, and empties the history. `scale` is the
    /// number of branches, each with ten tellers and 100,000 accounts. Called before sessions with
    /// [`model::plan::SessionExtra::tpcb`] are opened.
    ///
    /// # Errors
    /// Returns an error if the engine does not support these tables, or rejects them.
    fn prepare_tpcb(&self, _scale: u32) -> Result<(), DbError> {
        Err(DbError::refused("tpcb", "this engine has no TPC-B tables", "set up a database with --engine postgres"))
    }

    /// Checks after a TPC-B run that the balances and the history agree. Returns one sentence with the number of rows
    /// in the history.
    ///
    /// # Errors
    /// Returns an error that lists the balances that disagree.
    fn check_tpcb(&self) -> Result<String, DbError> {
        Err(DbError::refused("tpcb", "this engine has no TPC-B tables", "set up a database with --engine postgres"))
    }

    /// Builds the secondary indexes of a global that was just filled, for engines that build them afterwards.
    ///
    /// # Errors
    /// Returns an error if the engine rejects an index.
    fn build_indexes(&self, _number: u32, _indexes: u32) -> Result<(), DbError> {
        Ok(())
    }

    /// Counts the nodes of a global that was created with these `names`. Visits each node and does not rely on
    /// metadata. The record that holds the global's size is not counted.
    ///
    /// # Errors
    /// Returns an error if the global does not exist or cannot be read.
    fn count(&self, number: u32, names: Option<&NodeNames>) -> Result<u64, DbError>;

    /// Returns the size recorded with a global (PerfTools' `^RanWriteGlobal3("Size")`), or `None` if none is recorded.
    ///
    /// # Errors
    /// Returns an error if the size cannot be read.
    fn size(&self, number: u32) -> Result<Option<u64>, DbError>;

    /// Records the size of a global.
    ///
    /// # Errors
    /// Returns an error if the size cannot be written.
    fn set_size(&self, number: u32, count: u64) -> Result<(), DbError>;

    /// Returns the number of a global's blocks that the engine itself can read individually
    /// ([`model::plan::SessionRule::blocks`]), or `None` if the engine cannot read individual blocks.
    ///
    /// # Errors
    /// Returns an error if the engine does not answer.
    fn blocks(&self, _number: u32) -> Result<Option<u64>, DbError> {
        Ok(None)
    }

    /// Returns the factory of this database's sessions.
    fn sessions(&self) -> Arc<dyn Sessions>;

    /// Writes everything back, and drops caches if the engine can, so that a run does not pay for the previous one.
    ///
    /// # Errors
    /// Returns an error if the engine rejects the request.
    fn quiesce(&self) -> Result<(), DbError>;

    /// Returns the current files of the database.
    ///
    /// # Errors
    /// Returns an error if the files cannot be inspected.
    fn files(&self) -> Result<Vec<DataFile>, DbError>;

    /// Returns the counters since the start of the engine, summed over all sessions.
    ///
    /// # Errors
    /// Returns an error if the engine does not answer.
    fn counters(&self) -> Result<Counters, DbError>;

    /// Returns the place where the engine's reads and writes can be counted. Call it only after [`Database::start`].
    ///
    /// # Errors
    /// Returns an error if the engine does not answer.
    fn io_location(&self) -> Result<IoLocation, DbError> {
        Ok(IoLocation::Ours)
    }

    /// Returns `true` if the counters are complete only once the sessions are closed, and closing them writes nothing.
    /// Otherwise, the counters are read before the sessions are closed.
    fn counts_when_closed(&self) -> bool {
        false
    }

    /// Returns the reason, in one clause, why the engine no longer journals although the run requested it. Returns
    /// `None` if the engine still journals. Called at the end of a run, before [`Database::stop`], because engines may
    /// switch journaling off themselves, as GT.M does on a full disk.
    ///
    /// # Errors
    /// Returns an error if the engine does not answer.
    fn journal_failure(&self) -> Result<Option<String>, DbError> {
        Ok(None)
    }

    /// Returns the engine's report that the file system is full, in one clause. Returns `None` if the engine reported
    /// nothing of the kind.
    fn full_storage(&self) -> Option<String> {
        None
    }

    /// Returns a clause that describes how late the counters may be while sessions are open, or `None` if they are
    /// current. If they are late, a run's counts may include the end of its warm-up.
    fn counters_delay(&self) -> Option<&'static str> {
        None
    }

    /// Returns the default interval between write-backs, or `None` if the engine has no preference.
    fn usual_write_back(&self) -> Option<Nanos> {
        None
    }

    /// Returns the number of records per transaction when globals are filled.
    fn load_batch(&self) -> u32 {
        500
    }

    /// Returns the checkpoints, epochs and similar phases that ended since the last call, and the current phase. The
    /// end of the current phase is the time of the call.
    fn phases(&self) -> Vec<EnginePhase>;

    /// Verifies the contents with the engine's own checker. Returns one sentence per result, such as
    /// `integrity_check: ok`.
    ///
    /// # Errors
    /// Returns an error that describes the damage, in one sentence.
    fn check(&self) -> Result<Vec<String>, DbError>;

    /// Removes the parts of this database that are outside its directories, such as a schema on another server or
    /// shared memory. Called before [`Marker::purge`] and after [`Database::in_use`].
    ///
    /// # Errors
    /// Returns an error if these parts cannot be removed or no longer belong to this database. In that case, none of
    /// them are removed.
    fn remove(&mut self) -> Result<(), DbError> {
        self.stop()
    }

    /// Returns a sentence that names another user of the database, if there is one. In that case, the database must not
    /// be purged. Called after [`Database::stop`].
    ///
    /// # Errors
    /// Returns an error if the users cannot be determined.
    fn in_use(&self) -> Result<Option<String>, DbError> {
        Ok(None)
    }
}

/// The hidden command with which secchi starts itself to serve an engine's session in a separate process.
pub const SERVE_COMMAND: &str = "db-session";

/// Function that serves a session on two pipes until the input ends. It returns `None` if the arguments do not belong
/// to this engine.
pub type ServeSession = fn(&[OsString], &mut dyn Read, &mut dyn Write) -> Option<Result<(), DbError>>;

/// An engine's entry in the table of engines.
pub struct EngineEntry {
    /// Name of the engine, as in `--engine`.
    pub name: &'static str,
    /// Summary for the help, in one line.
    pub summary: &'static str,
    /// Supported page sizes; the first is the default.
    pub pages: &'static [u64],
    /// True if the journal can have a separate directory, and the data can have several directories.
    pub separate_directories: bool,
    /// True if the engine follows a profile (`--profile`), and may have an image journal in a separate directory.
    pub takes_profile: bool,
    /// Function that returns the version of the engine, or the reason why it cannot be used here.
    pub probe: fn(&Environment) -> Result<String, DbError>,
    /// Function that creates a new database. Everything that it creates is inside the directories of the database.
    pub create: fn(&Creation) -> Result<Box<dyn Database>, DbError>,
    /// Function that opens an existing database without starting anything. If the database was moved
    /// ([`Marker::moved_from`]), the function first corrects the absolute paths in its files.
    pub open: fn(&Creation) -> Result<Box<dyn Database>, DbError>,
    /// Function that returns `true` if the engine, or secchi on its behalf, creates this directory entry. Other entries
    /// are never removed, and other links are never followed.
    pub owns: OwnsEntry,
    /// Environment variables that may hold the installation directory. The first one that is set is used. Empty for a
    /// built-in engine.
    pub variables: &'static [&'static str],
    /// True if a database can be a schema on a server that secchi does not run (`--url`).
    pub takes_url: bool,
    /// Function that serves a session in a separate process, with the arguments after the engine's name. `None` if the
    /// engine's sessions run in the secchi process.
    pub serve: Option<ServeSession>,
}
