//! Sessions: one connection for each worker thread, with prepared statements for each operation and global.
//!
//! An operation is a round trip through the socket, and its time includes the round trip: about 30 to 50 us over a
//! local socket. The records of a batch are sent in one message (COPY) only while a new global is filled.

use super::link::{Link, error_text, io_error};
use super::tables::key;
use super::tpcb::TpcbSession;
use super::watch::Watch;
use load::names::Namer;
use load::session::{Batch, BatchKind, BatchResult, Key, Session, Sessions, index_key};
use model::Job;
use model::plan::{KeyOrder, NodeNames, SessionRule};
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::ToSql;
use postgres::{Client, Statement};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Factory for the sessions of a database.
pub struct PostgresSessions {
    pub link: Link,
    pub watch: Arc<Watch>,
    /// Number of open sessions.
    pub open: Arc<AtomicUsize>,
}

impl Sessions for PostgresSessions {
    fn open(&self, job: &Job, worker: u32) -> Result<Box<dyn Session>, String> {
        let failed = |what: &str, e: &postgres::Error| format!("postgres cannot {what}: {}", error_text(e));
        let mut client =
            self.link.connect(&format!("worker {worker}")).map_err(|e| failed("accept a connection", &e))?;
        let open = Opened::count(&self.open);
        let rule = job.tuning.work.session().ok_or("this job has no session settings")?;
        if let Some(scale) = rule.extra.tpcb {
            let session = TpcbSession::open(client, &self.link, scale, job.seed, worker)?;
            return Ok(Box::new(Watched { session, watch: Arc::clone(&self.watch), _open: open }));
        }
        let blocks = if rule.blocks { Some(block_reader(&mut client)?) } else { None };
        let mut globals: Vec<Option<Statements>> = Vec::new();
        for number in rule.read.iter().chain([&rule.own]).map(|g| g.number) {
            let at = number as usize;
            if globals.len() <= at {
                globals.resize_with(at + 1, || None);
            }
            if globals[at].is_none() {
                let table = self.link.table(&Link::table_of_global(number));
                let prepared = Statements::prepare(&mut client, &table, blocks.as_deref(), rule);
                globals[at] = Some(prepared.map_err(|e| failed(&format!("use global {number}"), &e))?);
            }
        }
        let likely_exists = rule.order == KeyOrder::Random;
        let load = if rule.may_be_load() {
            let table = self.link.table(&Link::table_of_global(rule.own.number));
            CopyLoad::for_empty_table(&mut client, &table, rule.names.as_ref(), rule.extra.indexes)
                .map_err(|e| failed(&format!("use global {}", rule.own.number), &e))?
        } else {
            None
        };
        let namer = rule.names.as_ref().map(Namer::new);
        let (indexes, blocks) = (rule.extra.indexes, rule.blocks);
        let session = PostgresSession { client, globals, namer, indexes, there: likely_exists, blocks, load };
        Ok(Box::new(Watched { session, watch: Arc::clone(&self.watch), _open: open }))
    }

    fn writing_back(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.watch.writing_back)
    }
}

/// Maximum time to wait for the log after a connection has broken.
const LOG_WAIT: Duration = Duration::from_millis(500);

/// A session that is counted as open. Its errors include the breakdown from the server's log, if there is one. The
/// inner session is closed before the count decreases.
struct Watched<S> {
    session: S,
    watch: Arc<Watch>,
    _open: Opened,
}

impl<S: Session> Session for Watched<S> {
    fn perform(&mut self, batch: &Batch<'_>, result: &mut BatchResult) -> io::Result<()> {
        self.session.perform(batch, result).map_err(|error| with_breakdown(error, &self.watch))
    }
}

/// Returns the breakdown from the server's log, or `error` if the log has none. Waits for a moment, because the log is
/// read a moment after the connection breaks.
fn with_breakdown(error: io::Error, watch: &Watch) -> io::Error {
    let until = Instant::now() + LOG_WAIT;
    loop {
        if let Some(reason) = watch.breakdown() {
            return io::Error::new(error.kind(), format!("postgres ended: {reason}"));
        }
        if error.kind() != io::ErrorKind::ConnectionAborted || Instant::now() >= until {
            return error;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns the name of the server's function that reads blocks. With `debug_io_direct`, the server's function reads
/// from the device. Otherwise, it reads through the page cache.
fn block_reader(client: &mut Client) -> Result<String, String> {
    let schema = super::tables::extension(client, "pg_prewarm").map_err(|e| e.to_string())?;
    schema
        .map(|s| format!("{s}.pg_prewarm"))
        .ok_or_else(|| "this server does not have the extension pg_prewarm".to_owned())
}

/// Guard that counts a session as open until the guard is dropped.
struct Opened(Arc<AtomicUsize>);

impl Opened {
    fn count(open: &Arc<AtomicUsize>) -> Opened {
        open.fetch_add(1, Relaxed);
        Opened(Arc::clone(open))
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

/// Prepared statements for one global.
struct Statements {
    update: Statement,
    set: Statement,
    get: Statement,
    /// Scan in the order of integer subscripts; `None` for named nodes.
    scan: Option<Statement>,
    block: Option<Statement>,
}

impl Statements {
    /// Prepares the statements. `blocks` is the function that reads blocks, if the session reads blocks. Inserting an
    /// existing node fails.
    fn prepare(
        client: &mut Client,
        table: &str,
        blocks: Option<&str>,
        rule: &SessionRule,
    ) -> Result<Statements, postgres::Error> {
        let (names, indexes) = (rule.names.as_ref(), rule.extra.indexes as usize);
        let block = |f| client.prepare(&format!("SELECT {f}('{table}', 'read', 'main', $1, $1)"));
        let block = blocks.map(block).transpose()?;
        let columns = key(names, |column, _| column.to_owned());
        let places = key(names, |_, i| format!("${i}")).join(", ");
        let (condition, value) = (key(names, |column, i| format!("{column} = ${i}")).join(" AND "), columns.len() + 1);
        let columns = columns.join(", ");
        let each = |what: &dyn Fn(usize) -> String| (1..=indexes).map(what).collect::<String>();
        let keys = each(&|i| format!(", k{i}"));
        let key_places = each(&|i| format!(", ${}", value + i));
        let key_set = each(&|i| format!(", k{i} = ${}", value + i));
        let on_conflict = match rule.order {
            KeyOrder::Insert { .. } => String::new(),
            _ => {
                let moved = each(&|i| format!(", k{i} = excluded.k{i}"));
                format!("ON CONFLICT ({columns}) DO UPDATE SET v = excluded.v{moved}")
            }
        };
        let scan = format!("SELECT v FROM {table} WHERE id >= $1 ORDER BY id LIMIT $2");
        Ok(Statements {
            block,
            update: client.prepare(&format!("UPDATE {table} SET v = ${value}{key_set} WHERE {condition}"))?,
            set: client.prepare(&format!(
                "INSERT INTO {table} AS t ({columns}, v{keys}) VALUES ({places}, ${value}{key_places}) {on_conflict}"
            ))?,
            get: client.prepare(&format!("SELECT v FROM {table} WHERE {condition}"))?,
            scan: if names.is_none() { Some(client.prepare(&scan)?) } else { None },
        })
    }
}

/// Maximum number of restarts of a transaction after deadlocks.
const RESTARTS: u32 = 100;
/// Maximum number of parameters of a statement: the subscripts of a key, the value, and the keys of secondary indexes.
const MOST: usize = 41;

/// Calls `ask` with the parameters of a record: its key, followed by `values`.
fn with_key<T>(
    namer: Option<&mut Namer>,
    key: Key,
    values: &[&(dyn ToSql + Sync)],
    ask: impl FnOnce(&[&(dyn ToSql + Sync)]) -> T,
) -> T {
    let number = key.subscript as i64;
    let mut texts = [""; MOST];
    let named = namer.map(|namer| {
        let subscripts = namer.name(key.subscript);
        let n = subscripts.len();
        texts.iter_mut().zip(subscripts).for_each(|(text, subscript)| *text = subscript);
        n
    });
    let mut parameters: [&(dyn ToSql + Sync); MOST] = [&number; MOST];
    let mut n = named.unwrap_or(1);
    if named.is_some() {
        parameters.iter_mut().zip(&texts[..n]).for_each(|(parameter, text)| *parameter = text);
    }
    parameters[n..n + values.len()].copy_from_slice(values);
    n += values.len();
    ask(&parameters[..n])
}

/// Load of an empty global with COPY, which needs one message for a whole batch instead of a round trip per record.
struct CopyLoad {
    copy: Statement,
    /// Last subscript that was written. All lower subscripts exist.
    last: u64,
    namer: Option<Namer>,
    /// Number of secondary indexes, whose keys follow the value.
    indexes: u32,
    /// Number of columns in a row.
    columns: i16,
    /// Buffer of rows in COPY's binary form.
    rows: Vec<u8>,
}

/// Header of rows in binary form: a signature, no flags, no extension.
const COPY_HEAD: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// Trailer of rows in binary form, which takes the place of a row's number of columns.
const COPY_END: [u8; 2] = [0xff, 0xff];

impl CopyLoad {
    /// Prepares the load of a global. Returns `None` if its table has records, because COPY would fail on an existing
    /// record.
    fn for_empty_table(
        client: &mut Client,
        table: &str,
        names: Option<&NodeNames>,
        indexes: u32,
    ) -> Result<Option<CopyLoad>, postgres::Error> {
        if client.query_opt(&format!("SELECT 1 FROM {table} LIMIT 1"), &[])?.is_some() {
            return Ok(None);
        }
        let columns = key(names, |column, _| column.to_owned());
        let keys: String = (1..=indexes).map(|i| format!(", k{i}")).collect();
        let sql = format!("COPY {table} ({}, v{keys}) FROM STDIN (FORMAT binary)", columns.join(", "));
        let copy = client.prepare(&sql)?;
        let (namer, columns) = (names.map(Namer::new), columns.len() as i16 + 1 + indexes as i16);
        Ok(Some(CopyLoad { copy, last: 0, namer, indexes, columns, rows: Vec::new() }))
    }

    /// Returns `true` if all records of a batch are new, because their subscripts increase from the last one written.
    fn takes(&self, batch: &Batch<'_>) -> bool {
        batch.rises_from(self.last)
    }

    fn fill(&mut self, batch: &Batch<'_>) -> u64 {
        let mut bytes = 0;
        self.rows.clear();
        self.rows.extend_from_slice(COPY_HEAD);
        for (which, key) in batch.keys.iter().enumerate() {
            let value = batch.values.get(which);
            bytes += value.len() as u64;
            let rows = &mut self.rows;
            rows.extend_from_slice(&self.columns.to_be_bytes());
            let mut column = |bytes: &[u8]| {
                rows.extend_from_slice(&(bytes.len() as i32).to_be_bytes());
                rows.extend_from_slice(bytes);
            };
            match &mut self.namer {
                None => column(&(key.subscript as i64).to_be_bytes()),
                Some(namer) => namer.name(key.subscript).for_each(|subscript| column(subscript.as_bytes())),
            }
            column(value);
            (1..=self.indexes).for_each(|i| column(&index_key(value, i).to_be_bytes()));
        }
        self.rows.extend_from_slice(&COPY_END);
        bytes
    }
}

/// A session on one connection. The client is dropped, and thereby closed, before the session stops being counted.
struct PostgresSession {
    client: Client,
    globals: Vec<Option<Statements>>,
    /// Generator of node names; `None` for integer subscripts.
    namer: Option<Namer>,
    /// Number of secondary indexes, whose keys are set with the value.
    indexes: u32,
    /// True if the records to set most likely exist, because they are random records of a filled global. A plain update
    /// then avoids the journal record for the lock that INSERT ... ON CONFLICT writes first.
    there: bool,
    /// True if the session reads blocks.
    blocks: bool,
    /// Fast load of a new global that is filled in order, starting with its first record.
    load: Option<CopyLoad>,
}

impl Session for PostgresSession {
    fn perform(&mut self, batch: &Batch<'_>, result: &mut BatchResult) -> io::Result<()> {
        match batch.kind {
            BatchKind::Update if batch.transaction => {
                let mut done = self.transaction(batch, result);
                // If two runs update the same global, each locks records in its own random order. In a deadlock, the
                // server aborts one of the two transactions. We restart that transaction, as M engines do by
                // themselves. The wait is included in the latency of that transaction.
                for _ in 0..RESTARTS {
                    if !done.as_ref().is_err_and(|e| e.kind() == io::ErrorKind::Deadlock) {
                        break;
                    }
                    result.clear();
                    done = self.transaction(batch, result);
                }
                done
            }
            BatchKind::Update => self.updates(batch, result),
            BatchKind::Read if self.blocks => self.blocks(batch, result),
            BatchKind::Read => self.reads(batch, result),
            BatchKind::Scan => self.scans(batch.keys, result),
        }
    }
}

impl PostgresSession {
    fn transaction(&mut self, batch: &Batch<'_>, result: &mut BatchResult) -> io::Result<()> {
        self.client.batch_execute("BEGIN").map_err(|e| io_error("begin a transaction", &e))?;
        let made = match &mut self.load {
            Some(load) if load.takes(batch) => copy(&mut self.client, load, batch, result),
            _ => {
                // A record of this batch may exist, so the fast load ends here.
                self.load = None;
                self.updates(batch, result)
            }
        };
        if let Err(e) = made {
            // If this fails, too, the connection is closed, and the server rolls back by itself.
            let _ = self.client.batch_execute("ROLLBACK");
            return Err(e);
        }
        let before = Instant::now();
        self.client.batch_execute("COMMIT").map_err(|e| io_error("commit", &e))?;
        result.commits.push(since(before));
        Ok(())
    }

    fn updates(&mut self, batch: &Batch<'_>, result: &mut BatchResult) -> io::Result<()> {
        for (which, key) in batch.keys.iter().enumerate() {
            let value = batch.values.get(which);
            let text = std::str::from_utf8(value).map_err(io::Error::other)?;
            let statements = statements(&self.globals, *key)?;
            let (likely_exists, client) = (self.there, &mut self.client);
            let mut keys = [0i32; MOST];
            (1..=self.indexes).for_each(|i| keys[i as usize - 1] = index_key(value, i).cast_signed());
            let mut values: [&(dyn ToSql + Sync); MOST] = [&text; MOST];
            values[1..].iter_mut().zip(&keys).for_each(|(place, key)| *place = key);
            let values = &values[..1 + self.indexes as usize];
            let took = with_key(self.namer.as_mut(), *key, values, |parameters| {
                let before = Instant::now();
                let mut done = 0;
                if likely_exists {
                    done = client.execute(&statements.update, parameters)?;
                }
                if done == 0 {
                    client.execute(&statements.set, parameters)?;
                }
                Ok(since(before))
            });
            result.each.push(took.map_err(|e| failed_on("set", *key, &e))?);
            result.bytes += value.len() as u64;
        }
        Ok(())
    }

    fn reads(&mut self, batch: &Batch<'_>, result: &mut BatchResult) -> io::Result<()> {
        for key in batch.keys {
            let get = &statements(&self.globals, *key)?.get;
            let client = &mut self.client;
            let (row, took) = with_key(self.namer.as_mut(), *key, &[], |parameters| {
                let before = Instant::now();
                client.query_opt(get, parameters).map(|row| (row, since(before)))
            })
            .map_err(|e| failed_on("get", *key, &e))?;
            match row {
                Some(row) => {
                    result.each.push(took);
                    result.bytes += row.get::<_, &str>(0).len() as u64;
                }
                None => result.missing += 1,
            }
        }
        Ok(())
    }

    /// Reads blocks. Subscript 1 is block 0. The server reports the amount of data read in blocks, not in bytes.
    fn blocks(&mut self, batch: &Batch<'_>, result: &mut BatchResult) -> io::Result<()> {
        for key in batch.keys {
            let Some(block) = &statements(&self.globals, *key)?.block else {
                return Err(io::Error::other("this session reads records and cannot read blocks"));
            };
            let at = key.subscript as i64 - 1;
            let before = Instant::now();
            let row = self.client.query_one(block, &[&at]).map_err(|e| failed_on("read a block of", *key, &e))?;
            let took = since(before);
            match row.get::<_, i64>(0) {
                0 => result.missing += 1,
                blocks => {
                    result.each.push(took);
                    result.bytes += blocks as u64 * super::tables::PAGE;
                }
            }
        }
        Ok(())
    }

    /// Scans each stretch of consecutive keys. A stretch ends before the next global, or when the order wraps to the
    /// first record.
    fn scans(&mut self, keys: &[Key], result: &mut BatchResult) -> io::Result<()> {
        for stretch in keys.chunk_by(|a, b| a.global == b.global && a.subscript < b.subscript) {
            self.scan(stretch[0], stretch.len() as u64, result)?;
        }
        Ok(())
    }

    /// Scans a stretch of records, which the server sends in one response. The time of the first record includes the
    /// round trip; the time of each further record is measured from the previous one.
    fn scan(&mut self, from: Key, most: u64, result: &mut BatchResult) -> io::Result<()> {
        let Some(scan) = &statements(&self.globals, from)?.scan else {
            return Err(io::Error::other("named nodes cannot be scanned, because they have no defined order"));
        };
        let mut before = Instant::now();
        let (first, limit) = (from.subscript as i64, most as i64);
        let parameters: [&(dyn ToSql + Sync); 2] = [&first, &limit];
        let mut rows = self
            .client
            .query_raw(scan, parameters.iter().map(|p| *p as &dyn ToSql))
            .map_err(|e| failed_on("scan from", from, &e))?;
        let mut seen = 0;
        while let Some(row) = rows.next().map_err(|e| failed_on("scan from", from, &e))? {
            result.each.push(since(before));
            before = Instant::now();
            result.bytes += row.get::<_, &str>(0).len() as u64;
            seen += 1;
        }
        result.missing += most - seen;
        Ok(())
    }
}

/// Writes the records of a batch with COPY. The server does not report times of individual records, so each record is
/// assigned an equal part of the total.
fn copy(client: &mut Client, load: &mut CopyLoad, batch: &Batch<'_>, result: &mut BatchResult) -> io::Result<()> {
    let first = batch.keys[0];
    let bytes = load.fill(batch);
    let before = Instant::now();
    let mut writer = client.copy_in(&load.copy).map_err(|e| failed_on("load from", first, &e))?;
    writer.write_all(&load.rows)?;
    writer.finish().map_err(|e| failed_on("load from", first, &e))?;
    let each = since(before) / batch.keys.len() as u64;
    result.each.extend(batch.keys.iter().map(|_| each));
    result.bytes += bytes;
    load.last = batch.keys.last().map_or(load.last, |k| k.subscript);
    Ok(())
}

fn statements(globals: &[Option<Statements>], key: Key) -> io::Result<&Statements> {
    let prepared = globals.get(key.global as usize).and_then(Option::as_ref);
    prepared.ok_or_else(|| io::Error::other(format!("this session has not opened global {}", key.global)))
}

fn since(before: Instant) -> u64 {
    before.elapsed().as_nanos() as u64
}

#[cold]
fn failed_on(what: &str, key: Key, error: &postgres::Error) -> io::Error {
    io_error(&format!("{what} record {} of global {}", key.subscript, key.global), error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_that_lost_its_server_names_the_full_disk() {
        let watch = Watch::default();
        let lost = || io::Error::new(io::ErrorKind::ConnectionAborted, "postgres cannot commit: connection closed");
        assert_eq!(with_breakdown(lost(), &watch).to_string(), lost().to_string());
        watch.break_down("could not write to file \"pg_wal/xlogtemp.7\": No space left on device");
        let named = with_breakdown(lost(), &watch).to_string();
        assert_eq!(named, "postgres ended: could not write to file \"pg_wal/xlogtemp.7\": No space left on device");
    }
}
