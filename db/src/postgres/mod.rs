//! PostgreSQL, 15 to 18: a cluster in the directories of the database, or a schema on an external server.
//!
//! A global is a table, and a session is a connection. The journal is the write-ahead log (unlogged tables have none),
//! and the write daemon is the checkpointer. Since version 16, the server that secchi runs uses direct I/O
//! (`debug_io_direct`).

mod cluster;
mod counters;
mod daemon;
mod link;
mod location;
mod log;
mod owned;
mod parameters;
mod programs;
mod session;
mod tables;
mod tpcb;
mod watch;

use crate::engine::{
    Clock, Counters, Creation, DataFile, Database, EngineEntry, EngineFacts, EngineSettings, Environment, IoLocation,
};
use crate::{DbError, Marker, locked};
use cluster::{Cluster, ROLE};
use counters::CounterQueries;
use daemon::Daemon;
use link::{Link, error_text};
use load::session::Sessions;
use model::{Bytes, measured::EnginePhase, plan::NodeNames};
use parameters::Parameter;
use postgres::Client;
use programs::Programs;
use session::PostgresSessions;
use std::fs::File;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use watch::Watch;

/// Name of the engine.
const NAME: &str = "postgres";

/// PostgreSQL's entry in the table of engines.
pub const ENTRY: EngineEntry = EngineEntry {
    name: NAME,
    summary: "PostgreSQL 15 to 18: a server that each run starts and stops, or a schema on your own server (--url)",
    pages: &[tables::PAGE],
    separate_directories: true,
    takes_profile: false,
    probe,
    create,
    open,
    owns: owned::owns,
    variables: &["SECCHI_PG_BIN"],
    takes_url: true,
    serve: None,
};

/// Minimum interval between the server's own checkpoints, in seconds. For shorter intervals, secchi requests the
/// checkpoints.
const OWN_CHECKPOINTS_FROM: u64 = 30;
/// Interval between attempts to connect to a server that is starting or recovering.
const CONNECT_NAP: Duration = Duration::from_millis(10);
/// Maximum duration of a recovery.
const RECOVERY: Duration = Duration::from_secs(30 * 60);
/// Maximum time to wait for an answer from a running server.
const ANSWER: Duration = Duration::from_secs(10);
/// Maximum number of connections.
const CONNECTIONS: u32 = 600;

/// Returns the error for an action that failed in PostgreSQL.
fn failed(what: impl Into<String>, reason: impl Into<String>) -> DbError {
    DbError::engine(NAME, what, reason)
}

/// Returns a function that turns an error from the server into a [`DbError`].
fn failed_to(what: impl Into<String>) -> impl FnOnce(postgres::Error) -> DbError {
    move |e| failed(what, error_text(&e))
}

fn probe(surroundings: &Environment) -> Result<String, DbError> {
    Programs::find(surroundings, None).map(|p| p.version)
}

fn create(creation: &Creation) -> Result<Box<dyn Database>, DbError> {
    check_page(&creation.marker)?;
    match &creation.marker.url {
        None => Ok(Box::new(Postgres::new(ServerKind::Own(Box::new(Cluster::create(creation)?)), creation)?)),
        Some(url) => {
            let link = Link::from_url(url, &creation.marker.uuid)?;
            let mut client = link.control()?;
            check_external_version(&mut client)?;
            // The comment is the stamp: only a schema with this comment is ever dropped.
            let sql = format!(
                "BEGIN; CREATE SCHEMA {0}; COMMENT ON SCHEMA {0} IS '{1}'; COMMIT",
                link.schema,
                schema_comment(&creation.marker)
            );
            client.batch_execute(&sql).map_err(failed_to(format!("create the schema {}", link.schema)))?;
            Ok(Box::new(Postgres::new(ServerKind::External, creation)?))
        }
    }
}

fn open(creation: &Creation) -> Result<Box<dyn Database>, DbError> {
    let home = match &creation.marker.url {
        None => ServerKind::Own(Box::new(Cluster::open(creation)?)),
        Some(_) => ServerKind::External,
    };
    Ok(Box::new(Postgres::new(home, creation)?))
}

fn check_page(marker: &Marker) -> Result<(), DbError> {
    match marker.page.as_u64() {
        tables::PAGE => Ok(()),
        other => Err(DbError::refused(
            format!("--block {other}"),
            "PostgreSQL is compiled for one page size",
            format!("its pages have {} bytes", tables::PAGE),
        )),
    }
}

/// Returns the comment of a schema created by secchi.
fn schema_comment(marker: &Marker) -> String {
    format!("secchi database {}", marker.uuid)
}

/// Owner of the server: secchi or another user.
enum ServerKind {
    Own(Box<Cluster>),
    External,
}

/// State of a server that accepts connections.
struct RunningServer {
    how: EngineSettings,
    /// Parameters that were set for this start.
    parameters: Vec<Parameter>,
    facts: EngineFacts,
    asking: CounterQueries,
    link: Link,
    _daemon: Option<Daemon>,
}

struct Postgres {
    server: ServerKind,
    marker: Marker,
    link: Link,
    watch: Arc<Watch>,
    sessions: Arc<AtomicUsize>,
    control: Mutex<Option<Client>>,
    /// Sum of the balances of TPC-B's branches before the run.
    balance: AtomicI64,
    /// Parameters for the next start.
    parameters: Vec<Parameter>,
    answering: Option<RunningServer>,
}

impl Postgres {
    fn new(home: ServerKind, creation: &Creation) -> Result<Postgres, DbError> {
        let marker = creation.marker.clone();
        let link = match (&home, &marker.url) {
            (ServerKind::Own(cluster), _) => Link::to_own(&cluster.sockets, ROLE, &marker.uuid),
            (ServerKind::External, Some(url)) => Link::from_url(url, &marker.uuid)?,
            (ServerKind::External, None) => {
                return Err(failed("be reached", "the marker does not name a server"));
            }
        };
        Ok(Postgres {
            server: home,
            marker,
            link,
            watch: Arc::default(),
            sessions: Arc::default(),
            control: Mutex::new(None),
            balance: AtomicI64::new(0),
            parameters: Vec::new(),
            answering: None,
        })
    }

    /// Runs a task on the connection that is reserved for the engine's own tasks.
    fn control<T>(&self, task: impl FnOnce(&mut Client, &Link) -> Result<T, DbError>) -> Result<T, DbError> {
        let mut slot = locked(&self.control);
        match slot.as_mut() {
            Some(client) => task(client, &self.link),
            None => Err(failed("answer", "it is not running")),
        }
    }

    fn running(&self) -> Result<&RunningServer, DbError> {
        self.answering.as_ref().ok_or_else(|| failed("answer", "it is not running"))
    }

    /// Returns the tablespace of a global. An empty name is the default tablespace.
    fn tablespace(&self, number: u32) -> String {
        match self.marker.directories.data.iter().position(|dir| dir == self.marker.directories.data_of_global(number))
        {
            Some(which) if which > 0 && matches!(self.server, ServerKind::Own(_)) => tablespace_name(which),
            _ => String::new(),
        }
    }

    /// Returns the value of `synchronous_commit` for these settings.
    fn commit(&self, how: &EngineSettings) -> Result<String, DbError> {
        match self.parameters.iter().find(|(name, _)| *name == parameters::COMMIT) {
            Some((name, value)) if !how.durable => Err(DbError::refused(
                format!("--set {name}={}", model::clip(value)),
                "--commit lazy already defines when commits return",
                "use only one of the two",
            )),
            Some((_, value)) => Ok(value.clone()),
            None => Ok(if how.durable { "on" } else { "off" }.to_owned()),
        }
    }

    /// Starts our server and waits until it accepts connections.
    fn start_own(&mut self, how: &EngineSettings, link: &Link) -> Result<(Client, Vec<String>), DbError> {
        let ServerKind::Own(cluster) = &mut self.server else {
            return Err(failed("start", "secchi did not create this server"));
        };
        let direct = cluster.direct();
        let mut settings = settings(how, cluster, direct.is_ok(), &self.marker.name);
        parameters::put_into(&mut settings, &self.parameters);
        cluster.start(&settings, &self.watch)?;
        let deadline = Instant::now() + RECOVERY;
        let client = loop {
            match link.connect("control") {
                Ok(client) => break client,
                Err(e) => {
                    cluster.running()?;
                    if let Some(reason) = self.watch.breakdown() {
                        return Err(failed("start", reason));
                    }
                    if Instant::now() > deadline {
                        return Err(failed("answer", error_text(&e)));
                    }
                }
            }
            std::thread::sleep(CONNECT_NAP);
        };
        cluster.read_log(&self.watch);
        let mut notes = vec![match direct {
            Ok(()) => "debug_io_direct=data,wal: an option for developers, which is off in production".to_owned(),
            Err(reason) => {
                format!("{reason}: reads may come from the page cache, writes reach the device at checkpoints")
            }
        }];
        notes.push(
            "unlike PostgreSQL's defaults: wal_level=minimal, max_wal_senders=0, autovacuum=off, restart_after_crash=off; set \
             wal_level and autovacuum with --set"
                .into(),
        );
        notes.push("tables are filled to 50 % (fillfactor 50), so that an update stays in its page".into());
        Ok((client, notes))
    }

    /// Creates the schema, extensions and tablespaces that our cluster needs in addition to globals, if they are
    /// missing.
    fn create_relations(&self, client: &mut Client) -> Result<(), DbError> {
        let ServerKind::Own(cluster) = &self.server else { return Ok(()) };
        let sql = format!("CREATE SCHEMA IF NOT EXISTS {}", self.link.schema);
        client.batch_execute(&sql).map_err(failed_to("create its schema"))?;
        for extension in ["pg_buffercache", "pg_prewarm", "amcheck"] {
            tables::create_extension(client, &self.link, extension)?;
        }
        for (which, path) in cluster.tablespaces().iter().enumerate() {
            let (name, path) = (tablespace_name(which + 1), path.display().to_string());
            let what = || format!("create the tablespace {path}");
            let existing = client.query_opt("SELECT 1 FROM pg_tablespace WHERE spcname = $1", &[&name]);
            if existing.map_err(failed_to(what()))?.is_none() {
                let sql = format!("CREATE TABLESPACE {name} LOCATION '{}'", path.replace('\'', "''"));
                client.batch_execute(&sql).map_err(failed_to(what()))?;
            }
        }
        Ok(())
    }

    /// Reads the facts about the server, prepares its relations, and makes globals journaled or unjournaled as
    /// requested.
    fn read_facts(
        &self,
        client: &mut Client,
        how: &EngineSettings,
        mut notes: Vec<String>,
    ) -> Result<(EngineFacts, CounterQueries), DbError> {
        client.batch_execute("SET stats_fetch_consistency = none").map_err(failed_to("read its counters"))?;
        self.create_relations(client)?;
        tables::create_sizes(client, &self.link)?;
        if let Some(words) = self.watch.recovery() {
            notes.push(format!("the server had been killed and recovered: {words}"));
            let gone = tables::emptied(client, &self.link)?;
            if !gone.is_empty() {
                let gone = gone.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
                notes.push(format!(
                    "globals {gone} were not journaled when the server was killed, and recovery emptied them: create \
                     them again"
                ));
            }
        }
        tables::journal(client, &self.link, how.journal)?;
        let row = client
            .query_one(
                "SELECT current_setting('server_version'), current_setting('server_version_num')::int, setting::bigint, \
                 current_setting('block_size')::bigint, current_setting('synchronous_commit'), \
                 current_setting('fsync') FROM pg_settings WHERE name = 'shared_buffers'",
                &[],
            )
            .map_err(failed_to("read its settings"))?;
        let (version, number, buffers, page): (String, i32, i64, i64) =
            (row.get(0), row.get(1), row.get(2), row.get(3));
        let (commit, fsync): (&str, &str) = (row.get(4), row.get(5));
        let mut commit = format!("synchronous_commit={commit}, fsync={fsync}");
        if !how.journal {
            commit += "; unlogged tables: a commit does not wait";
        }
        let major = (number / 10_000).unsigned_abs();
        let buffercache = tables::extension(client, "pg_buffercache")?;
        let facts = EngineFacts {
            version,
            page: Bytes(page as u64),
            cache: Bytes((buffers * page) as u64),
            commit,
            direct: matches!(&self.server, ServerKind::Own(cluster) if cluster.direct().is_ok()),
            notes,
        };
        Ok((facts, CounterQueries::new(major, buffers, buffercache.as_deref())))
    }

    fn start_now(&mut self, how: &EngineSettings, clock: Clock) -> Result<(), DbError> {
        self.watch.reset(clock);
        let link = self.link.committing(&self.commit(how)?);
        let (mut client, notes) = match self.server {
            ServerKind::Own(_) => self.start_own(how, &link)?,
            ServerKind::External => {
                let mut client = link.control()?;
                check_external_version(&mut client)?;
                let notes = self.external_notes(&mut client, how)?;
                (client, notes)
            }
        };
        let (facts, asking) = self.read_facts(&mut client, how, notes)?;
        let every = Duration::from_nanos(how.write_back_every.as_nanos());
        let daemon = match self.server {
            ServerKind::Own(_) if every < Duration::from_secs(OWN_CHECKPOINTS_FROM) && !every.is_zero() => {
                Some(Daemon::checkpoints(&link, every, &self.watch))
            }
            ServerKind::Own(_) => None,
            ServerKind::External => Some(Daemon::watch_checkpointer(&link, &self.watch)),
        };
        let daemon = daemon.transpose().map_err(|reason| failed("be watched", reason))?;
        *locked(&self.control) = Some(client);
        let parameters = self.parameters.clone();
        self.answering = Some(RunningServer { how: *how, parameters, facts, asking, link, _daemon: daemon });
        Ok(())
    }

    /// Returns remarks on an external server, including settings that differ from the requested settings.
    fn external_notes(&self, client: &mut Client, how: &EngineSettings) -> Result<Vec<String>, DbError> {
        let row = client
            .query_one(
                "SELECT s.setting::bigint * current_setting('block_size')::bigint, \
                 (SELECT setting::bigint FROM pg_settings WHERE name = 'checkpoint_timeout'), \
                 (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) OR pg_has_role('pg_checkpoint', 'member'), \
                 (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) OR pg_has_role('pg_read_all_stats', 'member') \
                 FROM pg_settings s WHERE s.name = 'shared_buffers'",
                &[],
            )
            .map_err(failed_to("read its settings"))?;
        let (cache, timeout, may_checkpoint, may_see): (i64, i64, bool, bool) =
            (row.get(0), row.get(1), row.get(2), row.get(3));
        let mut notes = vec![
            "the server may have other users, whose work is included in pg_stat_io, pg_stat_wal and checkpoints"
                .to_owned(),
            "its files are not read block by block, because secchi did not create them".to_owned(),
        ];
        if cache as u64 != how.cache.as_u64() {
            notes.push(format!("its cache is {} MiB, not the requested {} MiB", cache >> 20, how.cache.as_u64() >> 20));
        }
        if timeout as u64 != how.write_back_every.whole_secs() {
            notes.push(format!("it makes a checkpoint every {timeout} s, regardless of the requested interval"));
        }
        if !may_checkpoint {
            notes.push(
                "this role may not request checkpoints (pg_checkpoint): a run includes the writes of the run before it"
                    .into(),
            );
        }
        if !may_see {
            notes.push("this role may not see the checkpointer (pg_read_all_stats): phases are not reported".into());
        }
        Ok(notes)
    }
}

fn tablespace_name(which: usize) -> String {
    format!("secchi_data{}", which + 1)
}

/// Rejects servers that are too old.
fn check_external_version(client: &mut Client) -> Result<(), DbError> {
    let row = client
        .query_one("SELECT current_setting('server_version_num')::int, current_setting('server_version')", &[])
        .map_err(failed_to("report its version"))?;
    let (number, version): (i32, &str) = (row.get(0), row.get(1));
    match number / 10_000 >= programs::OLDEST as i32 {
        true => Ok(()),
        false => Err(DbError::refused(
            "--url",
            format!("the server is PostgreSQL {version}"),
            format!("{} or newer is needed", programs::OLDEST),
        )),
    }
}

/// Returns the settings of our server.
fn settings(how: &EngineSettings, cluster: &Cluster, direct: bool, name: &str) -> Vec<(&'static str, String)> {
    let seconds = how.write_back_every.whole_secs();
    // If secchi requests checkpoints itself, the server's own timer must not interfere.
    let timeout = if seconds < OWN_CHECKPOINTS_FROM { 86_400 } else { seconds.min(86_400) };
    let (on, off) = (|| "on".to_owned(), || "off".to_owned());
    let mut settings = vec![
        ("cluster_name", format!("secchi {}", name.chars().filter(char::is_ascii_alphanumeric).collect::<String>())),
        ("listen_addresses", String::new()),
        ("unix_socket_permissions", "0700".into()),
        ("max_connections", CONNECTIONS.to_string()),
        ("shared_buffers", (how.cache.as_u64() / tables::PAGE).clamp(16, 1 << 29).to_string()),
        ("fsync", on()),
        ("full_page_writes", on()),
        ("synchronous_commit", if how.durable { on() } else { off() }),
        ("wal_level", "minimal".into()),
        ("max_wal_senders", "0".into()),
        ("max_wal_size", format!("{}MB", cluster.wal_room_bytes() >> 20)),
        ("checkpoint_timeout", format!("{timeout}s")),
        ("checkpoint_warning", "0".into()),
        ("autovacuum", off()),
        // A crash ends the run. If the server recovered under load, that would only delay the report of the cause.
        ("restart_after_crash", off()),
        ("track_io_timing", on()),
        ("track_wal_io_timing", on()),
        ("logging_collector", off()),
        ("log_destination", "stderr".into()),
        ("log_line_prefix", log::PREFIX.into()),
        ("log_checkpoints", on()),
        ("log_timezone", "UTC".into()),
        ("lc_messages", "C".into()),
    ];
    if direct {
        settings.push(("debug_io_direct", "data,wal".into()));
    }
    settings
}

impl Database for Postgres {
    fn facts(&self) -> Result<EngineFacts, DbError> {
        let mut facts = self.running()?.facts.clone();
        facts.notes.extend(self.watch.error());
        Ok(facts)
    }

    fn full_storage(&self) -> Option<String> {
        self.watch.breakdown().filter(|reason| reason.contains(log::FULL))
    }

    fn start(&mut self, how: &EngineSettings, clock: Clock) -> Result<(), DbError> {
        // The existence of the process proves nothing, because a process that was just killed remains for a moment.
        let answers = locked(&self.control).as_mut().is_some_and(|c| c.is_valid(ANSWER).is_ok());
        let same = |a: &RunningServer| a.how == *how && a.parameters == self.parameters;
        if answers && self.answering.as_ref().is_some_and(same) {
            self.watch.set_clock(clock);
            return Ok(());
        }
        self.stop()?;
        let started = self.start_now(how, clock);
        if started.is_err() {
            // The first error is more useful than an error from stopping a server that did not start.
            let _ = self.stop();
        }
        started
    }

    fn stop(&mut self) -> Result<(), DbError> {
        self.answering = None;
        *locked(&self.control) = None;
        match &mut self.server {
            ServerKind::Own(cluster) => cluster.stop(&self.watch),
            ServerKind::External => Ok(()),
        }
    }

    fn set_parameters(&mut self, parameters: &[(String, String)]) -> Result<(), DbError> {
        let allowed = parameters::allowed(parameters)?;
        match (&self.server, parameters.first()) {
            (ServerKind::External, Some((name, _))) => {
                return Err(DbError::refused(
                    format!("--set {}", model::clip(name)),
                    "secchi does not change the parameters of a --url server",
                    "change the parameter on the server; each run reports its value",
                ));
            }
            (ServerKind::External, None) => {}
            (ServerKind::Own(cluster), _) => parameters::check_values(cluster, &allowed)?,
        }
        self.parameters = allowed;
        Ok(())
    }

    fn parameters(&self) -> Result<Vec<(String, String)>, DbError> {
        let set = &self.running()?.parameters;
        self.control(|client, _| parameters::query_reported(client, set))
    }

    fn allows_parallel_runs(&self) -> Result<(), &'static str> {
        match self.server {
            ServerKind::Own(_) => {
                Err("its server belongs to that run and ends with it; use more processes in one run \
                     (-p), or set up with --url on your own server, which several runs can use")
            }
            ServerKind::External => Ok(()),
        }
    }

    fn check_names(&self, names: &NodeNames) -> Result<(), DbError> {
        tables::check_names(names)
    }

    fn create_global(&self, number: u32, names: Option<&NodeNames>, indexes: u32) -> Result<(), DbError> {
        let answering = self.running()?;
        let mut client = answering.link.control()?;
        let (journal, space) = (answering.how.journal, self.tablespace(number));
        tables::create_table(&mut client, &self.link, number, (names, indexes), journal, &space)
    }

    fn build_indexes(&self, number: u32, indexes: u32) -> Result<(), DbError> {
        let space = self.tablespace(number);
        self.control(|client, link| tables::build_indexes(client, link, number, indexes, &space))
    }

    fn prepare_tpcb(&self, scale: u32) -> Result<(), DbError> {
        if !self.running()?.how.journal {
            return Err(DbError::refused(
                "--journal-mode off",
                "the TPC-B tables are always journaled",
                "leave it out; --commit lazy does not wait for commits",
            ));
        }
        let before = self.control(|client, link| tpcb::prepare(client, link, scale))?;
        self.balance.store(before, Relaxed);
        Ok(())
    }

    fn check_tpcb(&self) -> Result<String, DbError> {
        let before = self.balance.load(Relaxed);
        self.control(|client, link| tpcb::check(client, link, before))
    }

    fn count(&self, number: u32, names: Option<&NodeNames>) -> Result<u64, DbError> {
        // Counts of several globals may be requested simultaneously.
        let mut client = self.running()?.link.control()?;
        tables::count(&mut client, &self.link, number, names)
    }

    fn size(&self, number: u32) -> Result<Option<u64>, DbError> {
        self.control(|client, link| tables::size(client, link, number))
    }

    fn set_size(&self, number: u32, count: u64) -> Result<(), DbError> {
        self.control(|client, link| tables::set_size(client, link, number, count))
    }

    fn blocks(&self, number: u32) -> Result<Option<u64>, DbError> {
        self.control(|client, link| {
            let prewarm = tables::extension(client, "pg_prewarm")?;
            prewarm.map(|_| tables::blocks(client, link, number)).transpose()
        })
    }

    fn sessions(&self) -> Arc<dyn Sessions> {
        let link = self.answering.as_ref().map_or(&self.link, |a| &a.link).clone();
        Arc::new(PostgresSessions { link, watch: Arc::clone(&self.watch), open: Arc::clone(&self.sessions) })
    }

    fn quiesce(&self) -> Result<(), DbError> {
        let major = self.running()?.asking.major;
        self.control(|client, link| {
            tables::vacuum(client, link, major)?;
            match client.batch_execute("CHECKPOINT") {
                // The notes mention this, because on an external server only a few roles may do it.
                Err(e)
                    if matches!(self.server, ServerKind::External) && e.code().is_some_and(|c| c.code() == "42501") =>
                {
                    Ok(())
                }
                other => other.map_err(failed_to("make a checkpoint")),
            }
        })?;
        // A server without direct I/O leaves its data in the page cache.
        for file in self.files()? {
            let dropped = File::open(&file.path)
                .and_then(|f| sys::storage::drop_cache(&f, 0..file.offset.as_u64() + file.written.as_u64()));
            dropped.map_err(DbError::io("drop from the page cache", file.path))?;
        }
        Ok(())
    }

    fn files(&self) -> Result<Vec<DataFile>, DbError> {
        let ServerKind::Own(cluster) = &self.server else { return Ok(Vec::new()) };
        let paths = match cluster.other_server() {
            // Another secchi run uses the cluster. Its server is only queried for the paths.
            Some(_) => tables::paths(&mut self.link.control()?, &self.link)?,
            None => self.control(tables::paths)?,
        };
        tables::files(&cluster.data(), &cluster.wal(), &paths)
    }

    fn counters(&self) -> Result<Counters, DbError> {
        let asking = &self.running()?.asking;
        let settled = self.sessions.load(Relaxed) == 0;
        self.control(|client, link| asking.counters(client, link, settled))
    }

    fn io_location(&self) -> Result<IoLocation, DbError> {
        match self.server {
            ServerKind::Own(_) => Ok(IoLocation::Ours),
            ServerKind::External => self.control(|client, link| Ok(location::locate_server(client, link))),
        }
    }

    fn counts_when_closed(&self) -> bool {
        // A backend reports its last counts when it ends, and writes nothing at that point.
        true
    }

    fn counters_delay(&self) -> Option<&'static str> {
        // PGSTAT_MIN_INTERVAL: a process cannot make another backend report its counts.
        Some("each of its processes reports its counts about once a second")
    }

    fn load_batch(&self) -> u32 {
        10_000
    }

    fn phases(&self) -> Vec<EnginePhase> {
        self.watch.take_phases()
    }

    fn check(&self) -> Result<Vec<String>, DbError> {
        let mut sentences: Vec<String> = Vec::new();
        sentences.extend(self.watch.recovery().map(|words| format!("recovered: {words}")));
        sentences.push(match (&self.server, &self.answering) {
            (ServerKind::Own(cluster), None) => cluster.check_stopped()?,
            _ => self
                .control(tables::check)?
                .unwrap_or_else(|| "not checked: the server has no extension amcheck (postgresql-contrib)".into()),
        });
        Ok(sentences)
    }

    fn remove(&mut self) -> Result<(), DbError> {
        self.stop()?;
        if matches!(self.server, ServerKind::Own(_)) {
            return Ok(());
        }
        let mut client = self.link.control()?;
        let schema = &self.link.schema;
        let what = || format!("drop the schema {schema}");
        let row = client
            .query_opt("SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = $1", &[schema])
            .map_err(failed_to(what()))?;
        match row.map(|row| row.get::<_, Option<String>>(0)) {
            None => Ok(()),
            Some(Some(comment)) if comment == schema_comment(&self.marker) => {
                client.batch_execute(&format!("DROP SCHEMA {schema} CASCADE")).map_err(failed_to(what()))
            }
            Some(_) => Err(failed(what(), "its comment belongs to another database, so it was not dropped")),
        }
    }

    fn in_use(&self) -> Result<Option<String>, DbError> {
        match &self.server {
            ServerKind::Own(cluster) => Ok(cluster
                .other_server()
                .map(|(pid, parent)| format!("process {parent} is using it (its server is process {pid})"))),
            ServerKind::External => {
                let mut client = self.link.control()?;
                let row = client
                    .query_one(
                        "SELECT count(*), min(application_name) FROM pg_stat_activity \
                         WHERE starts_with(application_name, $1) AND NOT starts_with(application_name, $2)",
                        &[&self.link.name, &self.link.own_name()],
                    )
                    .map_err(failed_to("list its connections"))?;
                let (others, first): (i64, Option<&str>) = (row.get(0), row.get(1));
                Ok((others > 0).then(|| {
                    format!("it has {others} other connections, the first of which is `{}`", first.unwrap_or_default())
                }))
            }
        }
    }
}
