//! A session: one connection for the worker's own global, and one for each other global that it reads.

use super::counts::{Counts, Thread};
use super::share::{CachePart, SharedCache};
use super::{connect, file_of, subscripts};
use crate::Marker;
use crate::engine::EngineSettings;
use load::names::Namer;
use load::session::{Batch, BatchKind, BatchResult, Key, Session, Sessions, index_key};
use model::Job;
use model::plan::{KeyOrder, SessionRule};
use rusqlite::{Connection, Statement};
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

pub(super) struct SqliteSessions {
    pub marker: Marker,
    pub how: EngineSettings,
    pub counts: Arc<Counts>,
    pub writing_back: Arc<AtomicBool>,
    pub share: Arc<SharedCache>,
}

impl Sessions for SqliteSessions {
    fn open(&self, job: &Job, _worker: u32) -> Result<Box<dyn Session>, String> {
        let rule = job.tuning.work.session().ok_or("the job has no session settings")?;
        let open = |number: u32| -> Result<(u32, Connection), String> {
            let path = file_of(&self.marker, number);
            let connection = connect(&path, &self.how).map_err(|e| format!("cannot open {}: {e}", path.display()))?;
            connection.set_prepared_statement_cache_capacity(8);
            Ok((number, connection))
        };
        let connections = rule.globals().into_iter().map(open).collect::<Result<Vec<_>, _>>()?;
        let part = CachePart::reserve(&self.share, connections.len() as u64, self.marker.page.as_u64())?;
        let thread = self.counts.register_session();
        let nodes = NodeStatements::new(rule);
        Ok(Box::new(SqliteSession { connections, thread, part, shared_by: 0, nodes }))
    }

    fn writing_back(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.writing_back)
    }
}

/// Statements that read and write a record by its key.
struct NodeStatements {
    namer: Option<Namer>,
    /// Number of secondary-index keys after the value.
    indexes: u32,
    set: String,
    get: String,
}

impl NodeStatements {
    /// Prepares the statements for a rule. Inserting an existing node fails, so that only real inserts are counted.
    fn new(rule: &SessionRule) -> NodeStatements {
        let insert = matches!(rule.order, KeyOrder::Insert { .. });
        let into = if insert { "INSERT INTO" } else { "REPLACE INTO" };
        let indexes = rule.extra.indexes;
        let Some(names) = rule.names.as_ref() else {
            let get = "SELECT v FROM g WHERE id = ?1".to_owned();
            let keys: String = (1..=indexes).map(|i| format!(", k{i}")).collect();
            let places: String = (1..=indexes).map(|i| format!(", ?{}", i + 2)).collect();
            let set = format!("{into} g (id, v{keys}) VALUES (?1, ?2{places})");
            return NodeStatements { namer: None, indexes, set, get };
        };
        let columns = subscripts(names, |_| String::new(), ", ");
        let places = (1..=names.levels().count() + 1).map(|i| format!("?{i}")).collect::<Vec<_>>().join(", ");
        NodeStatements {
            namer: Some(Namer::new(names)),
            indexes: 0,
            set: format!("{into} g ({columns}, v) VALUES ({places})"),
            get: format!("SELECT v FROM g WHERE {}", subscripts(names, |i| format!(" = ?{i}"), " AND ")),
        }
    }

    /// Binds a key and returns the index of the next parameter.
    fn bind(namer: Option<&mut Namer>, statement: &mut Statement<'_>, key: Key) -> rusqlite::Result<usize> {
        let Some(namer) = namer else {
            statement.raw_bind_parameter(1, key.subscript as i64)?;
            return Ok(2);
        };
        let mut at = 1;
        for subscript in namer.name(key.subscript) {
            statement.raw_bind_parameter(at, subscript)?;
            at += 1;
        }
        Ok(at)
    }
}

struct SqliteSession {
    nodes: NodeStatements,
    /// Connections, sorted by the number of the global.
    connections: Vec<(u32, Connection)>,
    thread: Arc<Thread>,
    part: CachePart,
    /// Number of connections among which the cache was last divided.
    shared_by: u64,
}

fn ns(since: Instant) -> u64 {
    since.elapsed().as_nanos() as u64
}

impl SqliteSession {
    fn connection(connections: &[(u32, Connection)], number: u32) -> rusqlite::Result<&Connection> {
        let at = connections.binary_search_by_key(&number, |(n, _)| *n);
        at.map(|at| &connections[at].1).map_err(|_| rusqlite::Error::InvalidQuery)
    }

    fn update(&mut self, batch: &Batch<'_>, result: &mut BatchResult) -> rusqlite::Result<()> {
        // All keys of a batch belong to the worker's own global, because an SQLite transaction covers one file.
        let connection = SqliteSession::connection(&self.connections, batch.keys[0].global)?;
        let began = Instant::now();
        if batch.transaction {
            connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        }
        let mut set = connection.prepare_cached(&self.nodes.set)?;
        let mut last = Instant::now();
        for (which, key) in batch.keys.iter().enumerate() {
            let value = batch.values.get(which);
            let behind = NodeStatements::bind(self.nodes.namer.as_mut(), &mut set, *key)?;
            set.raw_bind_parameter(behind, value)?;
            for i in 1..=self.nodes.indexes {
                set.raw_bind_parameter(behind + i as usize, index_key(value, i))?;
            }
            set.raw_execute()?;
            let now = Instant::now();
            result.each.push((now - last).as_nanos() as u64);
            result.bytes += value.len() as u64;
            last = now;
        }
        if batch.transaction {
            connection.prepare_cached("COMMIT")?.execute([])?;
            result.commits.push(ns(last));
        }
        result.whole = ns(began);
        self.thread.updated(batch.keys.len() as u64, if batch.transaction { 1 } else { batch.keys.len() as u64 });
        Ok(())
    }

    fn read(&mut self, batch: &Batch<'_>, result: &mut BatchResult) -> rusqlite::Result<()> {
        for key in batch.keys {
            let connection = SqliteSession::connection(&self.connections, key.global)?;
            let began = Instant::now();
            let mut get = connection.prepare_cached(&self.nodes.get)?;
            NodeStatements::bind(self.nodes.namer.as_mut(), &mut get, *key)?;
            let mut rows = get.raw_query();
            match rows.next()? {
                Some(row) => {
                    result.bytes += row.get_ref(0)?.as_bytes().map_or(0, <[u8]>::len) as u64;
                    result.each.push(ns(began));
                }
                None => result.missing += 1,
            }
        }
        self.thread.read(batch.keys.len() as u64);
        Ok(())
    }

    /// Reads consecutive records in the order of the tree, starting at the first key.
    fn scan(&self, batch: &Batch<'_>, result: &mut BatchResult) -> rusqlite::Result<()> {
        for part in batch.keys.chunk_by(|a, b| a.global == b.global && b.subscript == a.subscript + 1) {
            let connection = SqliteSession::connection(&self.connections, part[0].global)?;
            let mut last = Instant::now();
            let mut get = connection.prepare_cached("SELECT v FROM g WHERE id >= ?1 ORDER BY id LIMIT ?2")?;
            let mut rows = get.query([part[0].subscript as i64, part.len() as i64])?;
            let mut read_count = 0;
            while let Some(row) = rows.next()? {
                result.bytes += row.get_ref(0)?.as_bytes().map_or(0, <[u8]>::len) as u64;
                let now = Instant::now();
                result.each.push((now - last).as_nanos() as u64);
                last = now;
                read_count += 1;
            }
            result.missing += part.len() as u64 - read_count;
        }
        self.thread.read(batch.keys.len() as u64);
        Ok(())
    }
}

impl SqliteSession {
    /// Applies this session's share of the cache, at the first batch and whenever the number of open connections has
    /// changed.
    #[cold]
    fn apply_cache_share(&mut self, open: u64) -> io::Result<()> {
        self.shared_by = open;
        let given = self.part.share.apply(open, &self.connections);
        given.map_err(|e| io::Error::other(format!("SQLite: {e}")))
    }
}

impl Drop for SqliteSession {
    fn drop(&mut self) {
        // The thread ends with the session, and the kernel's counters disappear with the thread.
        self.thread.refresh();
    }
}

impl Session for SqliteSession {
    fn perform(&mut self, batch: &Batch<'_>, result: &mut BatchResult) -> io::Result<()> {
        let open = self.part.share.open();
        if open != self.shared_by {
            self.apply_cache_share(open)?;
        }
        let done = match batch.kind {
            BatchKind::Update => self.update(batch, result),
            BatchKind::Read => self.read(batch, result),
            BatchKind::Scan => self.scan(batch, result),
        };
        done.map_err(|e| {
            // After an error, the connection is only closed, which rolls back the transaction.
            io::Error::other(format!("SQLite: {e}"))
        })
    }
}
