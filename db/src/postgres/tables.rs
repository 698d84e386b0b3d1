//! Globals as tables: creation, counting, journaling, vacuum, checks, and their files.
//!
//! Global 3 is `ran_write_global_3 (id bigint primary key, v text)`. Pages are filled only to one half, so that an
//! updated record stays in its page: the new version of a record needs space next to the old version. Values are never
//! compressed. Tables of named nodes have a column for each subscript, compared byte by byte: `(s1 text, s2 text, v
//! text, primary key (s1, s2))`.

use super::link::{GLOBAL, Link, SIZES, error_text};
use super::{failed, failed_to};
use crate::{DataFile, DbError};
use model::{Bytes, CompactSort, measured::FileRole, plan::NodeNames};
use postgres::Client;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// Default page size, in bytes. A server has another page size only if it was compiled with that size.
pub const PAGE: u64 = 8192;

/// A global in the server's catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    pub number: u32,
    pub journaled: bool,
}

/// Returns the existing globals, in order.
pub fn globals(client: &mut Client, link: &Link) -> Result<Vec<Found>, DbError> {
    let rows = client
        .query(
            "SELECT c.relname::text, c.relpersistence = 'p' FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
             WHERE n.nspname = $1 AND c.relkind = 'r'",
            &[&link.schema],
        )
        .map_err(failed_to("list its globals"))?;
    let mut parsed: Vec<Found> = rows
        .iter()
        .filter_map(|row| {
            let number = row.get::<_, &str>(0).strip_prefix(GLOBAL)?.parse().ok()?;
            Some(Found { number, journaled: row.get(1) })
        })
        .collect();
    parsed.compact_sort_by_key(|f| f.number);
    Ok(parsed)
}

/// Creates the table of sizes if it is missing.
pub fn create_sizes(client: &mut Client, link: &Link) -> Result<(), DbError> {
    let sizes = link.table(SIZES);
    client
        .batch_execute(&format!(
            "CREATE TABLE IF NOT EXISTS {sizes} (number bigint PRIMARY KEY, subscripts bigint NOT NULL)"
        ))
        .map_err(failed_to("create the table of sizes"))
}

/// Maximum size of an index key, in bytes: a third of a page, minus its overhead.
const LONGEST_KEY: usize = 2704;

/// Returns the columns of the key (`s1, s2`), each converted by `each`.
pub fn key(names: Option<&NodeNames>, each: impl Fn(&str, usize) -> String) -> Vec<String> {
    match names {
        None => vec![each("id", 1)],
        Some(names) => (1..=names.levels().count()).map(|i| each(&format!("s{i}"), i)).collect(),
    }
}

/// Checks that an index supports keys with these names.
pub fn check_names(names: &NodeNames) -> Result<(), DbError> {
    // A tuple has a header, and so does each text in it.
    let longest = 8 + names.levels().map(|n| n + if n > 126 { 7 } else { 1 }).sum::<usize>();
    // Keys have at most 32 columns, and there are never more levels.
    if longest <= LONGEST_KEY {
        return Ok(());
    }
    let reason = format!("the key of a node would have {longest} bytes");
    Err(DbError::refused(names.to_string(), reason, format!("the maximum is {LONGEST_KEY} bytes")))
}

/// Creates an empty global in a tablespace, with a column for the key of each secondary index. An empty name means the
/// default tablespace. An existing global with this number is dropped first.
pub fn create_table(
    client: &mut Client,
    link: &Link,
    number: u32,
    (names, indexes): (Option<&NodeNames>, u32),
    journaled: bool,
    space: &str,
) -> Result<(), DbError> {
    let (table, sizes) = (link.table(&Link::table_of_global(number)), link.table(SIZES));
    let unlogged = if journaled { "" } else { "UNLOGGED" };
    let (of_table, of_key) = match space {
        "" => (String::new(), String::new()),
        space => (format!("TABLESPACE {space}"), format!("USING INDEX TABLESPACE {space}")),
    };
    let column_type = if names.is_some() { "text COLLATE \"C\"" } else { "bigint" };
    let columns = key(names, |column, _| format!("{column} {column_type} NOT NULL")).join(", ");
    let keys: String = (1..=indexes).map(|i| format!("k{i} int NOT NULL, ")).collect();
    let primary = key(names, |column, _| column.to_owned()).join(", ");
    let sql = format!(
        "BEGIN; DROP TABLE IF EXISTS {table}; DELETE FROM {sizes} WHERE number = {number}; \
         CREATE {unlogged} TABLE {table} ({columns}, {keys}v text NOT NULL, PRIMARY KEY ({primary}) {of_key}) \
         WITH (fillfactor = 50) {of_table}; \
         ALTER TABLE {table} ALTER COLUMN v SET STORAGE EXTERNAL; COMMIT"
    );
    client.batch_execute(&sql).map_err(failed_to(format!("create global {number}")))
}

/// Creates the secondary indexes of a filled global, one on each key column.
pub fn build_indexes(client: &mut Client, link: &Link, number: u32, indexes: u32, space: &str) -> Result<(), DbError> {
    let (table, name) = (link.table(&Link::table_of_global(number)), Link::table_of_global(number));
    let space = if space.is_empty() { String::new() } else { format!(" TABLESPACE {space}") };
    for i in 1..=indexes {
        client
            .batch_execute(&format!("CREATE INDEX {name}_k{i} ON {table} (k{i}){space}"))
            .map_err(failed_to(format!("create a secondary index of global {number}")))?;
    }
    Ok(())
}

/// Makes globals journaled or unjournaled as requested. Globals that change are rewritten. The filler (0) is only read,
/// so it is left unchanged.
pub fn journal(client: &mut Client, link: &Link, journaled: bool) -> Result<(), DbError> {
    let to = if journaled { "LOGGED" } else { "UNLOGGED" };
    for global in globals(client, link)?.iter().filter(|f| f.number > 0 && f.journaled != journaled) {
        let table = link.table(&Link::table_of_global(global.number));
        client
            .batch_execute(&format!("ALTER TABLE {table} SET {to}"))
            .map_err(failed_to(format!("switch the journal of global {}", global.number)))?;
    }
    Ok(())
}

/// Returns the globals that a recovery emptied because they were not journaled, and deletes their sizes.
pub fn emptied(client: &mut Client, link: &Link) -> Result<Vec<u32>, DbError> {
    let mut gone = Vec::new();
    for global in globals(client, link)?.iter().filter(|f| !f.journaled) {
        if size(client, link, global.number)?.is_none_or(|n| n == 0) {
            continue;
        }
        let any = client
            .query_opt(&format!("SELECT 1 FROM {} LIMIT 1", link.table(&Link::table_of_global(global.number))), &[])
            .map_err(failed_to(format!("query global {}", global.number)))?;
        if any.is_none() {
            client
                .execute(&format!("DELETE FROM {} WHERE number = $1", link.table(SIZES)), &[&i64::from(global.number)])
                .map_err(failed_to(format!("delete the size of global {}", global.number)))?;
            gone.push(global.number);
        }
    }
    Ok(gone)
}

/// Counts the records of a global by visiting each record by its key.
pub fn count(client: &mut Client, link: &Link, number: u32, names: Option<&NodeNames>) -> Result<u64, DbError> {
    let table = link.table(&Link::table_of_global(number));
    let any = if names.is_some() { "s1 > ''" } else { "id > 0" };
    let row = client
        .query_one(&format!("SELECT count(*) FROM {table} WHERE {any}"), &[])
        .map_err(failed_to(format!("count global {number}")))?;
    Ok(row.get::<_, i64>(0) as u64)
}

/// Returns the current number of blocks of a global's table.
pub fn blocks(client: &mut Client, link: &Link, number: u32) -> Result<u64, DbError> {
    let table = link.table(&Link::table_of_global(number));
    let row = client
        .query_one(&format!("SELECT pg_relation_size('{table}') / current_setting('block_size')::bigint"), &[])
        .map_err(failed_to(format!("measure global {number}")))?;
    Ok(row.get::<_, i64>(0) as u64)
}

/// Returns the size recorded with a global.
pub fn size(client: &mut Client, link: &Link, number: u32) -> Result<Option<u64>, DbError> {
    let sql = format!("SELECT subscripts FROM {} WHERE number = $1", link.table(SIZES));
    let row = client
        .query_opt(&sql, &[&i64::from(number)])
        .map_err(failed_to(format!("read the size of global {number}")))?;
    Ok(row.map(|row| row.get::<_, i64>(0) as u64))
}

/// Records the size of a global.
pub fn set_size(client: &mut Client, link: &Link, number: u32, count: u64) -> Result<(), DbError> {
    let sql = format!(
        "INSERT INTO {} VALUES ($1, $2) ON CONFLICT (number) DO UPDATE SET subscripts = excluded.subscripts",
        link.table(SIZES)
    );
    client
        .execute(&sql, &[&i64::from(number), &(count as i64)])
        .map_err(failed_to(format!("record the size of global {number}")))?;
    Ok(())
}

/// Removes old versions of records from globals. Otherwise, readers would remove them and thereby cause writes. The
/// filler (0) is skipped, because only its blocks are read. Since version 16, VACUUM can be allowed to use the whole
/// cache. With its small default ring of buffers, VACUUM would wait for the WAL each time it reuses the ring.
pub fn vacuum(client: &mut Client, link: &Link, major: u32) -> Result<(), DbError> {
    let how = if major >= 16 { "(BUFFER_USAGE_LIMIT 0)" } else { "" };
    for global in globals(client, link)?.iter().filter(|f| f.number > 0) {
        let table = link.table(&Link::table_of_global(global.number));
        client
            .batch_execute(&format!("VACUUM {how} {table}"))
            .map_err(failed_to(format!("vacuum global {}", global.number)))?;
    }
    Ok(())
}

/// Returns the schema of an installed extension.
pub fn extension(client: &mut Client, name: &str) -> Result<Option<String>, DbError> {
    let row = client
        .query_opt(
            "SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = $1",
            &[&name],
        )
        .map_err(failed_to(format!("look for the extension {name}")))?;
    Ok(row.map(|row| row.get(0)))
}

/// Creates an extension in our schema if the server offers it.
pub fn create_extension(client: &mut Client, link: &Link, name: &str) -> Result<(), DbError> {
    let available = client
        .query_opt("SELECT 1 FROM pg_available_extensions WHERE name = $1", &[&name])
        .map_err(failed_to(format!("look for the extension {name}")))?;
    if available.is_some() {
        let sql = format!("CREATE EXTENSION IF NOT EXISTS {name} SCHEMA {}", link.schema);
        client.batch_execute(&sql).map_err(failed_to(format!("create the extension {name}")))?;
    }
    Ok(())
}

/// Verifies every index and table with amcheck. Every record of a table must be in the table's index, keys must be in
/// order, and pages and record headers must be sound. Returns `None` if amcheck is not installed.
pub fn check(client: &mut Client, link: &Link) -> Result<Option<String>, DbError> {
    let Some(schema) = extension(client, "amcheck")? else { return Ok(None) };
    let checked = globals(client, link)?;
    for number in checked.iter().map(|f| f.number) {
        let name = link.table(&Link::table_of_global(number));
        let unsound =
            |e: postgres::Error| failed(format!("verify global {number}"), format!("amcheck: {}", error_text(&e)));
        let every = format!(
            "SELECT {schema}.bt_index_check(indexrelid::regclass, true) FROM pg_index WHERE indrelid = '{name}'::regclass"
        );
        client.query(&every, &[]).map_err(unsound)?;
        let bad = client
            .query_opt(&format!("SELECT blkno, msg FROM {schema}.verify_heapam('{name}'::regclass) LIMIT 1"), &[])
            .map_err(unsound)?;
        if let Some(row) = bad {
            let (page, message): (i64, &str) = (row.get(0), row.get(1));
            return Err(failed(format!("verify global {number}"), format!("amcheck: page {page}: {message}")));
        }
    }
    let rows = client
        .query(
            "SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
             WHERE n.nspname = $1 AND c.relkind = 'i' AND c.relname LIKE 'tpcb\\_%'",
            &[&link.schema],
        )
        .map_err(failed_to("list the TPC-B indexes"))?;
    for index in rows.iter().map(|row| row.get::<_, String>(0)) {
        client
            .execute(&format!("SELECT {schema}.bt_index_check('{index}'::regclass, true)"), &[])
            .map_err(|e| failed(format!("verify {index}"), format!("amcheck: {}", error_text(&e))))?;
    }
    Ok(Some(format!("amcheck: {} tables and their indexes: ok", checked.len())))
}

/// Returns the paths of all globals' files, relative to the cluster: tables, keys, and out-of-line values. Each file
/// consists of segments of 1 GiB.
pub fn paths(client: &mut Client, link: &Link) -> Result<Vec<String>, DbError> {
    let rows = client
        .query(
            "SELECT pg_relation_filepath(r.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
             CROSS JOIN LATERAL (SELECT c.oid UNION SELECT i.indexrelid FROM pg_index i WHERE i.indrelid = c.oid \
               UNION SELECT c.reltoastrelid WHERE c.reltoastrelid <> 0 \
               UNION SELECT i.indexrelid FROM pg_index i WHERE i.indrelid = c.reltoastrelid) r(oid) \
             WHERE n.nspname = $1 AND c.relkind = 'r' AND (c.relname LIKE 'ran\\_write\\_global\\_%' OR c.relname LIKE 'tpcb\\_%') \
               AND c.relname <> 'ran_write_global_sizes' ORDER BY c.relname, 1",
            &[&link.schema],
        )
        .map_err(failed_to("list its files"))?;
    Ok(rows.iter().filter_map(|row| row.get::<_, Option<String>>(0)).collect())
}

/// Returns the segments of these data files, each with the extent of its written pages, and the segments of the WAL.
pub fn files(cluster: &Path, wal: &Path, paths: &[String]) -> Result<Vec<DataFile>, DbError> {
    let mut files = Vec::new();
    for relative in paths {
        for segment in 0.. {
            let name = if segment == 0 { relative.clone() } else { format!("{relative}.{segment}") };
            let path = cluster.join(name);
            let file = match File::open(&path) {
                Ok(file) => file,
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => break,
                Err(e) => return Err(DbError::io("open", path)(e)),
            };
            let written = written(&file).map_err(DbError::io("look at", &path))?;
            if written > 0 {
                files.push(DataFile { role: FileRole::Data, path, offset: Bytes(0), written: Bytes(written) });
            }
        }
    }
    for path in wal_segments(wal)? {
        let len = fs::metadata(&path).map_or(0, |m| m.len());
        files.push(DataFile { role: FileRole::Journal, path, offset: Bytes(0), written: Bytes(len / PAGE * PAGE) });
    }
    Ok(files)
}

/// Returns the length up to the end of the last written page, in bytes. The length is less than the file's size if a
/// table has grown by space that is only reserved.
fn written(file: &File) -> std::io::Result<u64> {
    let len = file.metadata()?.len() / PAGE * PAGE;
    let mut end = len;
    if let Some(extents) = sys::storage::extents(file, 0..len)? {
        end = extents.iter().filter(|e| !e.unwritten()).map(|e| e.range.end).max().unwrap_or(0).min(len);
    }
    Ok(end / PAGE * PAGE)
}

fn wal_segments(wal: &Path) -> Result<Vec<PathBuf>, DbError> {
    let entries = fs::read_dir(wal).map_err(DbError::io("look into", wal))?;
    let is_segment = |p: &PathBuf| {
        let name = p.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        name.len() == 24 && name.bytes().all(|b| b.is_ascii_hexdigit())
    };
    let mut segments: Vec<PathBuf> = entries.flatten().map(|e| e.path()).filter(is_segment).collect();
    segments.sort();
    Ok(segments)
}
