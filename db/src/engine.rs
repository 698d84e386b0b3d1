//! What an engine must do, and what it registers: a new one is a folder here, a feature, and its line in [`crate::ENGINES`].

use crate::marker::OwnsEntry;
use crate::{DbError, Marker, Refusal};
use load::session::Sessions;
use model::{Bytes, EnginePhase, FileRole, GlobalSize, Nanos, NodeNames};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// What the binary tells of itself and of the machine.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// This program: engines that may not live in our process have it started again (`secchi db-session ENGINE`).
    pub program: PathBuf,
    /// Where the user says engines are installed, by their names ([`EngineEntry::variables`]); one that is not in it is looked
    /// for in `path` and the usual directories.
    pub installed: BTreeMap<&'static str, PathBuf>,
    /// Directories that programs are looked for in, in order (`$PATH`).
    pub path: Vec<PathBuf>,
    /// Directory for what must have a short name (UNIX sockets); empty = `/tmp`.
    pub temporary: PathBuf,
}

/// A new database.
#[derive(Debug, Clone)]
pub struct Creation {
    /// Its marker, final; its directories exist, are empty and ours.
    pub marker: Marker,
    /// The directory the marker lies in.
    pub directory: PathBuf,
    /// See there.
    pub environment: Environment,
}

/// How the engine is to work in the next run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineSettings {
    /// Updates are journaled.
    pub journal: bool,
    /// A commit returns when it is durable; otherwise as early as the engine can (IRIS's way, lost in a crash).
    pub durable: bool,
    /// Bytes the engine may keep in memory.
    pub cache: Bytes,
    /// How often it writes back what was journaled (checkpoint, epoch).
    pub write_back_every: Nanos,
}

/// Where the engine does its reads and writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IoLocation {
    /// In this process and those it starts, in the directories of the database.
    Ours,
    /// In a server on this machine that somebody else started.
    ExternalServer {
        /// Its first process; all others come from it.
        pid: u32,
        /// Directories of its data.
        data: Vec<PathBuf>,
        /// Directory of its journal.
        journal: PathBuf,
    },
    /// Where it cannot be looked for: one sentence says why.
    Unknown(String),
}

/// What is told of an engine at work.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineFacts {
    /// Its version, in its own words.
    pub version: String,
    /// Size of a page.
    pub page: Bytes,
    /// What it may keep in memory.
    pub cache: Bytes,
    /// When a commit returns, in its own words: `synchronous=FULL`, `TRANSACTIONID=ACID`.
    pub commit: String,
    /// Whether it opens its files past the page cache.
    pub direct: bool,
    /// Doubts and remarks worth a line: one sentence each.
    pub notes: Vec<String>,
}

/// A file of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataFile {
    /// What for.
    pub role: FileRole,
    /// Its path, absolute.
    pub path: PathBuf,
    /// First byte of the pages.
    pub offset: Bytes,
    /// Bytes from there that hold pages which were written; reads past them would not reach the device. A multiple of the
    /// page size.
    pub written: Bytes,
}

/// What an engine counted, and how it is now.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Counters {
    /// Counts since some beginning, under the engine's own names (`DRD`, `pg_stat_io.reads.relation`). Told as differences
    /// over a run, and as rates each second.
    pub counts: Vec<(String, f64)>,
    /// The same under mgstat's names, where there is a counterpart: `Glorefs`, `Gloupds`, `PhyRds`, `PhyWrs`, `Jrnwrts`.
    pub mgstat: Vec<(&'static str, f64)>,
    /// Pages updated in memory or journal that are not in the data files yet (mgstat's WDQsz).
    pub backlog: Option<f64>,
    /// What reached the files by role, where the engine tells: role, reads, read bytes, writes, written bytes, syncs.
    pub roles: Vec<model::RoleUse>,
}

/// A database of one engine. It is used from one thread, except for sessions and for [`Database::create_global`].
pub trait Database: Send + Sync {
    /// What it is; only after [`Database::start`].
    ///
    /// # Errors
    /// When the engine does not answer.
    fn facts(&self) -> Result<EngineFacts, DbError>;

    /// Makes it ready for sessions, whatever state a killed run left it in: recovers, starts servers and write daemons. `clock`
    /// is the run's, for the times of phases. May be called again with another `how`.
    ///
    /// # Errors
    /// When it cannot; then nothing of it runs.
    fn start(&mut self, how: &EngineSettings, clock: Arc<dyn Fn() -> u64 + Send + Sync>) -> Result<(), DbError>;

    /// Everything written back and durable, files closed, servers and shared memory gone. Safe to call when it is not
    /// started.
    ///
    /// # Errors
    /// When something is left running; the sentence says what.
    fn stop(&mut self) -> Result<(), DbError>;

    /// Sets parameters of the engine's own for the runs that follow, by its names for them: `full_page_writes`, `off`. In
    /// place of those set before.
    ///
    /// # Errors
    /// When it has none to be set, not of such a name, or does not take a value; nothing is started then.
    fn set_parameters(&mut self, parameters: &[(String, String)]) -> Result<(), DbError> {
        let Some((name, _)) = parameters.first() else { return Ok(()) };
        let what = format!("--set {}", model::clip(name));
        Err(DbError::refused(what, "this engine has no parameters to be set", "leave it out; postgres has some"))
    }

    /// Parameters of its write path as they are now, by its names for them; asked once it is started.
    ///
    /// # Errors
    /// When it does not answer.
    fn parameters(&self) -> Result<Vec<(String, String)>, DbError> {
        Ok(Vec::new())
    }

    /// Whether several runs may drive it at the same time; otherwise why not.
    ///
    /// # Errors
    /// One clause, with what to do instead.
    fn allows_parallel_runs(&self) -> Result<(), Refusal>;

    /// Makes a global, empty. One of this number that exists is emptied first. Called from several threads, each for a
    /// number of its own. `names`: its nodes have names in place of integer subscripts.
    ///
    /// # Errors
    /// When the engine refuses.
    fn create_global(&self, number: u32, names: Option<&NodeNames>) -> Result<(), DbError>;

    /// Whether it can have nodes of such names.
    ///
    /// # Errors
    /// What it can have instead.
    fn check_names(&self, names: &NodeNames) -> Result<(), DbError> {
        let _ = names;
        Ok(())
    }

    /// Whether nodes can be inserted into this global, behind the last in order or (`scattered`) anywhere.
    ///
    /// # Errors
    /// Why not, and what can be done.
    fn check_insert(&self, global: &GlobalSize, scattered: bool) -> Result<(), DbError> {
        let _ = (global, scattered);
        Ok(())
    }

    /// Sees to the tables of TPC-B at this scale (branches; ten tellers and 100,000 accounts each): makes them where they are not
    /// there, empties the history. Asked before sessions of [`model::SessionExtra::tpcb`].
    ///
    /// # Errors
    /// When the engine has no such tables, or refuses.
    fn prepare_tpcb(&self, scale: u32) -> Result<(), DbError> {
        let _ = scale;
        Err(DbError::refused("tpcb", "this engine has no tables of TPC-B", "set up a database with --engine postgres"))
    }

    /// Checks after a run of it that balances and history agree: one sentence with the rows of the history.
    ///
    /// # Errors
    /// What does not agree.
    fn check_tpcb(&self) -> Result<String, DbError> {
        Err(DbError::refused("tpcb", "this engine has no tables of TPC-B", "set up a database with --engine postgres"))
    }

    /// How many secondary indexes globals that are made from now on have.
    fn set_indexes(&self, indexes: u32) {
        let _ = indexes;
    }

    /// Makes the secondary indexes of a global that was just filled, where the engine makes them afterwards.
    ///
    /// # Errors
    /// When the engine refuses.
    fn build_indexes(&self, number: u32, indexes: u32) -> Result<(), DbError> {
        let _ = (number, indexes);
        Ok(())
    }

    /// Counts the nodes of a global, made with these `names`, by visiting each (not from metadata), its size record left out.
    ///
    /// # Errors
    /// When it is not there, or cannot be read.
    fn count(&self, number: u32, names: Option<&NodeNames>) -> Result<u64, DbError>;

    /// The size recorded with a global (PerfTools' `^RanWriteGlobal3("Size")`); `None` where it has none.
    ///
    /// # Errors
    /// When it cannot be read.
    fn size(&self, number: u32) -> Result<Option<u64>, DbError>;

    /// Records the size of a global.
    ///
    /// # Errors
    /// When it cannot be written.
    fn set_size(&self, number: u32, count: u64) -> Result<(), DbError>;

    /// Blocks of a global that the engine itself can read one by one ([`model::SessionRule::blocks`]); `None` where it has no such read.
    ///
    /// # Errors
    /// When it does not answer.
    fn blocks(&self, number: u32) -> Result<Option<u64>, DbError> {
        let _ = number;
        Ok(None)
    }

    /// Opens sessions.
    fn sessions(&self) -> Arc<dyn Sessions>;

    /// Writes back everything and forgets what can be forgotten, so that a run does not pay for the one before it.
    ///
    /// # Errors
    /// When the engine refuses.
    fn quiesce(&self) -> Result<(), DbError>;

    /// Its files now.
    ///
    /// # Errors
    /// When they cannot be looked at.
    fn files(&self) -> Result<Vec<DataFile>, DbError>;

    /// What it counted so far, for all sessions together.
    ///
    /// # Errors
    /// When it does not answer.
    fn counters(&self) -> Result<Counters, DbError>;

    /// Where its reads and writes are to be counted; asked once it is started.
    ///
    /// # Errors
    /// When the engine does not answer.
    fn io_location(&self) -> Result<IoLocation, DbError> {
        Ok(IoLocation::Ours)
    }

    /// Whether counts of a session are whole only when it is closed, and closing it writes nothing. Otherwise counters are
    /// read before sessions are closed.
    fn counts_when_closed(&self) -> bool {
        false
    }

    /// Returns why the engine no longer journals although the run asked for it, in one clause; `None` if it journals. Called at the
    /// end of a run, before [`Database::stop`]: engines may switch journaling off themselves, as GT.M does on a full disk.
    ///
    /// # Errors
    /// When the engine does not answer.
    fn journal_failure(&self) -> Result<Option<String>, DbError> {
        Ok(None)
    }

    /// Returns what the engine said about a full file system, in one clause; `None` if it said nothing of it.
    fn full_storage(&self) -> Option<String> {
        None
    }

    /// How far behind its counters may be while sessions are open, in words; what a warm-up did may be counted by so much.
    fn counters_delay(&self) -> Option<&'static str> {
        None
    }

    /// How often it writes back where nobody says; `None` = as any.
    fn usual_write_back(&self) -> Option<Nanos> {
        None
    }

    /// Records of one transaction where globals are made.
    fn load_batch(&self) -> u32 {
        500
    }

    /// Checkpoints, epochs and the like that ended since the last call, and the one that is under way (its end is now).
    fn phases(&self) -> Vec<EnginePhase>;

    /// Whether what it holds is sound, by the engine's own checker: one sentence each, such as `integrity_check: ok`.
    ///
    /// # Errors
    /// A sentence naming what is not sound.
    fn check(&self) -> Result<Vec<String>, DbError>;

    /// Removes what this database has outside its directories: a schema on somebody's server, shared memory. Asked before
    /// [`Marker::purge`], after [`Database::in_use`].
    ///
    /// # Errors
    /// When it cannot be removed, or is not ours any more; then nothing of it is removed.
    fn remove(&mut self) -> Result<(), DbError> {
        self.stop()
    }

    /// Who else works on it now, as one sentence: it must not be purged. Asked after [`Database::stop`].
    ///
    /// # Errors
    /// When that cannot be found out.
    fn in_use(&self) -> Result<Option<String>, DbError> {
        Ok(None)
    }
}

/// The hidden command by which our program serves a session of an engine in a process of its own.
pub const SERVE_COMMAND: &str = "db-session";

/// Serves a session on two pipes until the input ends. `None`: the words are none of this engine's.
pub type ServeSession = fn(&[OsString], &mut dyn Read, &mut dyn Write) -> Option<Result<(), DbError>>;

/// The row an engine registers.
pub struct EngineEntry {
    /// Its name, as in `--engine`.
    pub name: &'static str,
    /// One line for help.
    pub summary: &'static str,
    /// Page sizes it can have; the first is the usual one.
    pub pages: &'static [u64],
    /// Whether its journal can lie in a directory of its own, and its data in several.
    pub separate_directories: bool,
    /// Whether it works by a profile (`--profile`), and may have an image journal in a directory of its own.
    pub takes_profile: bool,
    /// Its version, or why it cannot be used here.
    pub probe: fn(&Environment) -> Result<String, DbError>,
    /// Makes a new database. What it makes, it makes inside the directories.
    pub create: fn(&Creation) -> Result<Box<dyn Database>, DbError>,
    /// Opens one that was made before; starts nothing. Where it was moved ([`Marker::moved_from`]), its absolute names are
    /// set right first.
    pub open: fn(&Creation) -> Result<Box<dyn Database>, DbError>,
    /// Whether this entry of a directory is one that the engine, or secchi for it, makes. What is not is never removed, and a link
    /// that is not is never followed.
    pub owns: OwnsEntry,
    /// Environment variables in which the user may say where it is installed, the first one that is set counts. Empty where it
    /// is built in.
    pub variables: &'static [&'static str],
    /// Whether a database can be a schema of a server that somebody else runs (`--url`).
    pub takes_url: bool,
    /// Serves a session in a process of its own, by the words behind the engine's name; `None` where its sessions live in
    /// this process.
    pub serve: Option<ServeSession>,
}
