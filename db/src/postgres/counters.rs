//! Counters of the server: every number in its statistics views, and their counterparts under mgstat's names.
//!
//! Backends report their counts about once a second and when they end. After the last session has closed, we therefore
//! wait until its backend has ended. `pg_prewarm(..., 'read')` appears in none of these views.

use super::failed_to;
use super::link::Link;
use crate::{Counters, DbError};
use model::measured::{FileRole, RoleUse};
use postgres::Client;
use serde_json::{Map, Value};
use std::time::{Duration, Instant};

/// Maximum time to wait for backends to end. Backends report their last counts when they end.
const SETTLE: Duration = Duration::from_secs(2);
/// Maximum number of buffers for which dirty buffers are counted on version 15, where the query visits each buffer.
const FEW_BUFFERS: i64 = 8192;

/// Queries for the counters of a server, prepared once.
pub struct CounterQueries {
    /// Major version of the server.
    pub major: u32,
    /// Query for all views as one JSON object.
    views: String,
    /// Query for the number of dirty pages in memory.
    dirty: Option<String>,
}

impl CounterQueries {
    /// Builds the queries for a server of this version. `buffercache` is the schema of pg_buffercache, if it is
    /// installed.
    pub fn new(major: u32, buffers: i64, buffercache: Option<&str>) -> CounterQueries {
        let mut views = vec![
            ("pg_stat_database", "SELECT row_to_json(x) FROM pg_stat_database x WHERE datname = current_database()"),
            ("pg_stat_wal", "SELECT row_to_json(x) FROM pg_stat_wal x"),
            ("pg_stat_bgwriter", "SELECT row_to_json(x) FROM pg_stat_bgwriter x"),
        ];
        if major >= 16 {
            views.push(("pg_stat_io", "SELECT json_agg(x) FROM pg_stat_io x"));
        }
        if major >= 17 {
            views.push(("pg_stat_checkpointer", "SELECT row_to_json(x) FROM pg_stat_checkpointer x"));
        }
        let parts: Vec<String> = views.iter().map(|(name, sql)| format!("'{name}', ({sql})")).collect();
        let dirty = buffercache.and_then(|schema| match major {
            16.. => Some(format!("SELECT buffers_dirty::bigint FROM {schema}.pg_buffercache_summary()")),
            _ => {
                (buffers <= FEW_BUFFERS).then(|| format!("SELECT count(*) FROM {schema}.pg_buffercache WHERE isdirty"))
            }
        });
        CounterQueries { major, views: format!("SELECT json_build_object({})::text", parts.join(", ")), dirty }
    }

    /// Returns the current counters. `settled` is true if all our sessions are closed. The function then waits for the
    /// last counts of these sessions.
    pub fn counters(&self, client: &mut Client, link: &Link, settled: bool) -> Result<Counters, DbError> {
        self.ask(client, link, settled).map_err(failed_to("read its counters"))
    }

    fn ask(&self, client: &mut Client, link: &Link, settled: bool) -> Result<Counters, postgres::Error> {
        if settled {
            wait_for_backends(client, link)?;
        }
        client.batch_execute("SELECT pg_stat_force_next_flush(), pg_stat_clear_snapshot()")?;
        let text: String = client.query_one(&self.views, &[])?.get(0);
        let mut counters = counters_from_views(&serde_json::from_str(&text).unwrap_or_default());
        if let Some(sql) = &self.dirty {
            counters.backlog = client.query_one(sql, &[])?.get::<_, Option<i64>>(0).map(|n| n as f64);
        }
        Ok(counters)
    }
}

/// Waits until the backends of closed sessions have ended.
fn wait_for_backends(client: &mut Client, link: &Link) -> Result<(), postgres::Error> {
    let deadline = Instant::now() + SETTLE;
    let workers = format!("{} worker", link.own_name());
    loop {
        let backends: i64 = client
            .query_one("SELECT count(*) FROM pg_stat_activity WHERE starts_with(application_name, $1)", &[&workers])?
            .get(0);
        if backends == 0 || Instant::now() > deadline {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Columns with numbers that are not counts.
const STATES: [&str; 5] = ["datid", "numbackends", "op_bytes", "checksum_last_failure", "sessions"];

/// Extracts the counters from the views.
fn counters_from_views(views: &Value) -> Counters {
    let mut counts = Vec::new();
    for (view, row) in views.as_object().into_iter().flatten() {
        let columns = row.as_object().into_iter().flat_map(numbers);
        counts.extend(columns.map(|(column, number)| (format!("{view}.{column}"), number)));
    }
    let io = Io::from_views(views);
    counts.extend(io.counts());
    let count = |name: &str| counts.iter().find(|(n, _)| n == name).map(|(_, v)| *v);
    let database = |column: &str| count(&format!("pg_stat_database.{column}")).unwrap_or(0.0);
    let updates = database("tup_inserted") + database("tup_updated") + database("tup_deleted");
    let data = data_role(&io, &count);
    let journal = journal_role(&io, &count);
    // Each update counts as one reference and fetches its record by key. The number of references is therefore the
    // number of fetched records plus the number of inserted records.
    let mut mgstat = vec![("Glorefs", database("tup_fetched") + database("tup_inserted")), ("Gloupds", updates)];
    for (name, value) in [("PhyRds", data.reads), ("PhyWrs", data.writes), ("Jrnwrts", journal.writes)] {
        mgstat.extend(value.map(|v| (name, v as f64)));
    }
    let temporary = RoleUse {
        role: FileRole::Temporary,
        source: "pg_stat_database".into(),
        reads: None,
        read_bytes: None,
        writes: None,
        write_bytes: count("pg_stat_database.temp_bytes").map(|v| v as u64),
        flushes: None,
    };
    Counters { mgstat, backlog: None, roles: vec![data, journal, temporary], counts }
}

fn numbers(row: &Map<String, Value>) -> impl Iterator<Item = (&String, f64)> {
    row.iter().filter(|(name, _)| !STATES.contains(&name.as_str())).filter_map(|(name, v)| Some((name, v.as_f64()?)))
}

/// Counts from `pg_stat_io`, summed over its rows. Empty before version 16.
struct Io {
    /// Cells, each with its object, backend type, operation and count, such as `relation`, `client_backend`, `writes`
    /// and 12.
    cells: Vec<(String, String, String, f64)>,
}

impl Io {
    fn from_views(views: &Value) -> Io {
        let mut cells: Vec<(String, String, String, f64)> = Vec::new();
        for row in views.get("pg_stat_io").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
        {
            let text = |column: &str| row.get(column).and_then(Value::as_str).unwrap_or_default();
            let object = text("object").replace("temp relation", "temporary");
            let who = match text("backend_type") {
                who @ ("client backend" | "checkpointer" | "background writer") => who.replace(' ', "_"),
                _ => "others".to_owned(),
            };
            let mut add = |what: &str, n: f64| match cells
                .iter_mut()
                .find(|(o, w, t, _)| (o.as_str(), w.as_str(), t.as_str()) == (&object, &who, what))
            {
                Some(cell) => cell.3 += n,
                None => cells.push((object.clone(), who.clone(), what.to_owned(), n)),
            };
            for (column, n) in numbers(row) {
                add(column, n);
            }
            // Up to version 17, a row contains the size of an operation. Since version 18, it contains the number of
            // bytes.
            if let Some(size) = row.get("op_bytes").and_then(Value::as_f64) {
                for (ops, bytes) in [("reads", "read_bytes"), ("writes", "write_bytes"), ("extends", "extend_bytes")] {
                    if let Some(n) = row.get(ops).and_then(Value::as_f64) {
                        add(bytes, n * size);
                    }
                }
            }
        }
        Io { cells }
    }

    /// Returns the counts by name: `pg_stat_io.writes.relation` and, by backend type,
    /// `pg_stat_io.writes.relation.checkpointer`.
    fn counts(&self) -> Vec<(String, f64)> {
        let mut sums: Vec<(String, f64)> = Vec::new();
        let mut add = |name: String, n: f64| match sums.iter_mut().find(|(known, _)| *known == name) {
            Some(sum) => sum.1 += n,
            None => sums.push((name, n)),
        };
        for (object, who, what, n) in &self.cells {
            add(format!("pg_stat_io.{what}.{object}"), *n);
            if matches!(what.as_str(), "reads" | "writes" | "extends" | "fsyncs") {
                add(format!("pg_stat_io.{what}.{object}.{who}"), *n);
            }
        }
        sums
    }

    /// Returns the sum over all backend types, or `None` if no row has this count.
    fn sum(&self, object: &str, what: &str) -> Option<u64> {
        let mut matching = self.cells.iter().filter(|(o, _, t, _)| o == object && t == what).map(|c| c.3).peekable();
        matching.peek().is_some().then(|| matching.sum::<f64>() as u64)
    }

    /// Returns the I/O of an object. Extensions of tables count as writes.
    fn role_use(&self, role: FileRole, object: &str) -> RoleUse {
        let both = |a, b| self.sum(object, a).map(|a| a + self.sum(object, b).unwrap_or(0));
        RoleUse {
            role,
            source: "pg_stat_io".into(),
            reads: self.sum(object, "reads"),
            read_bytes: self.sum(object, "read_bytes"),
            writes: both("writes", "extends"),
            write_bytes: both("write_bytes", "extend_bytes"),
            flushes: self.sum(object, "fsyncs"),
        }
    }
}

/// Returns the I/O of data files.
fn data_role(io: &Io, count: &dyn Fn(&str) -> Option<f64>) -> RoleUse {
    if !io.cells.is_empty() {
        return io.role_use(FileRole::Data, "relation");
    }
    let reads = count("pg_stat_database.blks_read").map(|v| v as u64);
    let writers = ["buffers_checkpoint", "buffers_clean", "buffers_backend"];
    let writes = Some(writers.iter().filter_map(|w| count(&format!("pg_stat_bgwriter.{w}"))).sum::<f64>() as u64);
    let bytes = |pages: Option<u64>| pages.map(|n| n * super::tables::PAGE);
    RoleUse {
        role: FileRole::Data,
        source: "pg_stat_database, pg_stat_bgwriter".into(),
        reads,
        read_bytes: bytes(reads),
        writes,
        write_bytes: bytes(writes),
        flushes: None,
    }
}

/// Returns the I/O of the WAL. Since version 18, the counts are in `pg_stat_io`. In earlier versions, they are in
/// `pg_stat_wal`, which counts the bytes of records instead of the bytes of the pages that contain them.
fn journal_role(io: &Io, count: &dyn Fn(&str) -> Option<f64>) -> RoleUse {
    let wal = |column: &str| count(&format!("pg_stat_wal.{column}")).map(|v| v as u64);
    if io.sum("wal", "writes").is_some() {
        return io.role_use(FileRole::Journal, "wal");
    }
    RoleUse {
        role: FileRole::Journal,
        source: "pg_stat_wal (bytes of records)".into(),
        reads: None,
        read_bytes: None,
        writes: wal("wal_write"),
        write_bytes: wal("wal_bytes"),
        flushes: wal("wal_sync"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn get(c: &Counters, name: &str) -> Option<f64> {
        c.counts.iter().find(|(n, _)| n == name).map(|(_, v)| *v)
    }

    #[test]
    fn version_15_is_counted_by_its_background_writer_and_wal_views() {
        let c = counters_from_views(&json!({
            "pg_stat_database": {"datid": 5, "datname": "postgres", "blks_read": 10, "tup_fetched": 100, "tup_inserted": 1,
                "tup_updated": 20, "tup_deleted": 0, "temp_bytes": 0},
            "pg_stat_wal": {"wal_bytes": 5000, "wal_write": 7, "wal_sync": 6, "stats_reset": "2026-11-21"},
            "pg_stat_bgwriter": {"buffers_checkpoint": 3, "buffers_clean": 2, "buffers_backend": 4, "checkpoints_req": 1},
        }));
        assert_eq!(
            c.mgstat,
            [("Glorefs", 101.0), ("Gloupds", 21.0), ("PhyRds", 10.0), ("PhyWrs", 9.0), ("Jrnwrts", 7.0)]
        );
        assert_eq!((c.roles[0].write_bytes, c.roles[0].flushes), (Some(9 * 8192), None));
        assert_eq!((c.roles[1].write_bytes, c.roles[1].flushes), (Some(5000), Some(6)));
        assert_eq!((get(&c, "pg_stat_bgwriter.checkpoints_req"), get(&c, "pg_stat_database.datid")), (Some(1.0), None));
    }

    #[test]
    fn pg_stat_io_tells_who_wrote_and_how_many_bytes_in_both_of_its_forms() {
        let c = counters_from_views(&json!({
            "pg_stat_database": {}, "pg_stat_wal": {"wal_write": 2, "wal_bytes": 100, "wal_sync": 1}, "pg_stat_io": [
            {"backend_type": "client backend", "object": "relation", "context": "normal", "reads": 5, "writes": 1,
             "extends": 1, "op_bytes": 8192, "fsyncs": null, "hits": 9},
            {"backend_type": "checkpointer", "object": "relation", "context": "normal", "writes": 8, "op_bytes": 8192, "fsyncs": 3},
            {"backend_type": "autovacuum worker", "object": "temp relation", "context": "normal", "reads": 1, "op_bytes": 8192},
        ]}));
        assert_eq!(get(&c, "pg_stat_io.writes.relation.checkpointer"), Some(8.0));
        assert_eq!(get(&c, "pg_stat_io.writes.relation"), Some(9.0));
        let data = &c.roles[0];
        assert_eq!((data.reads, data.read_bytes, data.writes), (Some(5), Some(5 * 8192), Some(10)));
        assert_eq!((data.write_bytes, data.flushes), (Some(10 * 8192), Some(3)));
        assert_eq!(c.roles[1].source, "pg_stat_wal (bytes of records)".into());
        let c = counters_from_views(&json!({"pg_stat_io": [
            {"backend_type": "client backend", "object": "wal", "context": "normal", "writes": 5, "write_bytes": 81920, "fsyncs": 4},
            {"backend_type": "client backend", "object": "relation", "context": "normal", "reads": 2, "read_bytes": 131072},
        ]}));
        assert_eq!((c.roles[1].writes, c.roles[1].write_bytes, c.roles[1].flushes), (Some(5), Some(81920), Some(4)));
        assert_eq!((c.roles[0].reads, c.roles[0].read_bytes), (Some(2), Some(131_072)));
    }
}
