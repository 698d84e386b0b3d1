//! The team's store in PostgreSQL: queries on its tables, and changes to them.

use super::link::{Kind as Does, Link};
use crate::filter::{self, Dialect, Filter};
use crate::hex::hex;
use crate::index::rows::{self, Cells, IndexRow, Rows};
use crate::index::schema::{Kind, RUN, TABLES, TAG, Table, VERSION, WORKLOAD};
use crate::runs::labels_file::LabelChange;
use crate::runs::server::{Relabelled, Server};
use crate::runs::team_error::TeamError;
use crate::sql_value::SqlValue;
use crate::summary::RunSummary;
use model::record::Labels;
use sha2::{Digest, Sha256};
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Error, Row, Transaction};

/// Maximum size of the part of a journal that one row holds, in bytes.
const CHUNK: usize = 1 << 20;

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "text NOT NULL",
        Kind::Integer => "bigint NOT NULL",
        Kind::Real => "double precision",
        Kind::MaybeInteger => "bigint",
    }
}

impl ToSql for SqlValue {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut tokio_postgres::types::private::BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            SqlValue::Null => Ok(IsNull::Yes),
            SqlValue::Integer(i) => i.to_sql(ty, out),
            SqlValue::Real(r) => r.to_sql(ty, out),
            SqlValue::Text(t) => t.to_sql(ty, out),
        }
    }

    fn accepts(ty: &Type) -> bool {
        matches!(*ty, Type::TEXT | Type::INT8 | Type::FLOAT8)
    }

    to_sql_checked!();
}

/// Converts values to parameters.
fn bound(values: &[SqlValue]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|v| v as &(dyn ToSql + Sync)).collect()
}

fn cells(row: &Row, table: &Table) -> Result<Cells, Error> {
    let cell = |(i, (_, kind)): (usize, &(&str, Kind))| {
        Ok(match kind {
            Kind::Text => SqlValue::Text(row.try_get(i)?),
            Kind::Integer => SqlValue::Integer(row.try_get(i)?),
            Kind::MaybeInteger => row.try_get::<_, Option<i64>>(i)?.map_or(SqlValue::Null, SqlValue::Integer),
            Kind::Real => row.try_get::<_, Option<f64>>(i)?.map_or(SqlValue::Null, SqlValue::Real),
        })
    };
    table.columns.iter().enumerate().map(cell).collect()
}

/// Reads all runs, or the runs with the given ids.
async fn read(tx: &Transaction<'_>, ids: Option<&[String]>) -> Result<Vec<IndexRow>, Error> {
    let read_table = async |table: &Table, some: &str| -> Result<Vec<Cells>, Error> {
        let rows = match &ids {
            None => tx.query(&table.select(""), &[]).await?,
            Some(ids) => tx.query(&table.select(some), &[ids]).await?,
        };
        rows.iter().map(|row| cells(row, table)).collect()
    };
    let runs = read_table(&RUN, " WHERE id = ANY ($1)").await?;
    let workloads = read_table(&WORKLOAD, " WHERE run = ANY ($1)").await?;
    Ok(rows::assemble(runs, workloads, read_table(&TAG, " WHERE run = ANY ($1)").await?))
}

async fn read_one(tx: &Transaction<'_>, id: &str) -> Result<Option<IndexRow>, Error> {
    Ok(read(tx, Some(&[id.to_owned()])).await?.into_iter().next())
}

async fn insert(tx: &Transaction<'_>, table: &Table, rows: &[Cells]) -> Result<(), Error> {
    let statement = tx.prepare(&table.insert("INSERT", '$')).await?;
    for cells in rows {
        tx.execute(&statement, &bound(cells)).await?;
    }
    Ok(())
}

/// Returns the first column of each row.
fn first(rows: &[Row]) -> Result<Vec<String>, Error> {
    rows.iter().map(|row| row.try_get(0)).collect()
}

/// Creates the schema and the tables. Concurrent calls are serialized.
async fn make(tx: &Transaction<'_>) -> Result<(), Error> {
    // secchi's lock number, chosen arbitrarily. With this lock, two concurrent calls create the tables only once.
    tx.execute("SELECT pg_advisory_xact_lock(7310486103)", &[]).await?;
    let exists = tx.query_one("SELECT to_regclass('secchi.about') IS NOT NULL", &[]).await?;
    if exists.try_get(0)? {
        return Ok(());
    }
    tx.batch_execute("CREATE SCHEMA IF NOT EXISTS secchi").await?;
    for table in TABLES {
        tx.batch_execute(&table.create(word, "")).await?;
    }
    tx.batch_execute(
        "CREATE TABLE journal (run text PRIMARY KEY, bytes bigint NOT NULL, sha256 text NOT NULL);
         CREATE TABLE chunk (run text NOT NULL, n bigint NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (run, n));
         CREATE TABLE about (version bigint NOT NULL)",
    )
    .await?;
    tx.execute("INSERT INTO about VALUES ($1)", &[&i64::from(VERSION)]).await?;
    Ok(())
}

/// Inserts a run. Returns `false` if a different run with the same id exists.
async fn put(tx: &Transaction<'_>, summary: &RunSummary, journal: &[u8]) -> Result<bool, Error> {
    let rows = Rows::from_summary(summary);
    let sum = hex(&Sha256::digest(journal));
    // If another transaction is inserting the same id, this statement waits for it.
    let sql = RUN.insert("INSERT", '$') + " ON CONFLICT DO NOTHING";
    if tx.execute(&sql, &bound(&rows.run)).await? == 0 {
        let existing = tx.query_opt("SELECT sha256 FROM journal WHERE run = $1", &[&summary.id]).await?;
        return existing.map_or(Ok(false), |row| Ok(row.try_get::<_, String>(0)? == sum));
    }
    insert(tx, &WORKLOAD, &rows.workloads).await?;
    insert(tx, &TAG, &rows.tags).await?;
    let length = i64::try_from(journal.len()).unwrap_or(i64::MAX);
    tx.execute("INSERT INTO journal VALUES ($1, $2, $3)", &[&summary.id, &length, &sum]).await?;
    let statement = tx.prepare("INSERT INTO chunk VALUES ($1, $2, $3)").await?;
    for (n, bytes) in (0i64..).zip(journal.chunks(CHUNK)) {
        tx.execute(&statement, &[&summary.id, &n, &bytes]).await?;
    }
    Ok(true)
}

async fn relabel(tx: &Transaction<'_>, id: &str, change: &LabelChange) -> Result<Relabelled, Error> {
    // Lock the row until the end of the transaction, so that concurrent changes are serialized.
    tx.execute("SELECT 1 FROM run WHERE id = $1 FOR UPDATE", &[&id]).await?;
    let Some(row) = read_one(tx, id).await? else { return Ok(Relabelled::NoSuchRun) };
    let labels = match change.apply(&row.summary.labels) {
        Ok(labels) => labels,
        Err(why) => return Ok(Relabelled::OutOfBounds(why)),
    };
    let new = Rows::from_summary(&RunSummary { labels: labels.clone(), ..row.summary });
    tx.execute("DELETE FROM tag WHERE run = $1", &[&id]).await?;
    insert(tx, &TAG, &new.tags).await?;
    // If a row was changed by hand, its checksum stays incorrect.
    let crc = if row.sound { new.run.last().cloned().unwrap_or(SqlValue::Null) } else { SqlValue::Integer(-1) };
    tx.execute("UPDATE run SET note = $2, crc = $3 WHERE id = $1", &[&id, &labels.note, &crc]).await?;
    Ok(Relabelled::Changed(labels))
}

impl Server for Link {
    fn name(&self) -> &str {
        self.shown()
    }

    fn check(&self) -> Result<(), TeamError> {
        self.ask(Does::Read, async |_| Ok(()))
    }

    fn init(&self) -> Result<(), TeamError> {
        self.ask(Does::Found, make)?;
        self.check()
    }

    fn ids(&self) -> Result<Vec<String>, TeamError> {
        self.ask(Does::Read, async |tx| first(&tx.query("SELECT id FROM run", &[]).await?))
    }

    fn rows(&self, filter: Option<&Filter>) -> Result<Vec<IndexRow>, TeamError> {
        self.ask(Does::Read, async |tx| {
            let Some(filter) = filter else { return read(tx, None).await };
            let (sql, values) = filter::select(filter, Dialect::Postgres);
            let ids = first(&tx.query(&sql, &bound(&values)).await?)?;
            read(tx, Some(&ids)).await
        })
    }

    fn put(&self, summary: &RunSummary, journal: &[u8]) -> Result<(), TeamError> {
        match self.ask(Does::Change, async |tx| put(tx, summary, journal).await)? {
            true => Ok(()),
            false => Err(TeamError::Conflict { store: self.name().to_owned(), id: summary.id.clone() }),
        }
    }

    fn journal(&self, id: &str) -> Result<Option<Vec<u8>>, TeamError> {
        let stored = self.ask(Does::Read, async |tx| {
            let Some(head) = tx.query_opt("SELECT bytes, sha256 FROM journal WHERE run = $1", &[&id]).await? else {
                return Ok(None);
            };
            let (length, sum): (i64, String) = (head.try_get(0)?, head.try_get(1)?);
            let mut bytes = Vec::new();
            for row in tx.query("SELECT bytes FROM chunk WHERE run = $1 ORDER BY n", &[&id]).await? {
                bytes.extend_from_slice(row.try_get(0)?);
            }
            Ok(Some((length, sum, bytes)))
        })?;
        let Some((length, sum, bytes)) = stored else { return Ok(None) };
        if bytes.len() as i64 != length || hex(&Sha256::digest(&bytes)) != sum {
            let reason = format!("the journal of run {id} differs from what was stored: its SHA-256 does not match");
            return Err(TeamError::Other { store: self.name().to_owned(), why: reason });
        }
        Ok(Some(bytes))
    }

    fn labels(&self, id: &str) -> Result<Option<Labels>, TeamError> {
        let row = self.ask(Does::Read, async |tx| read_one(tx, id).await)?;
        Ok(row.map(|row| row.summary.labels))
    }

    fn relabel(&self, id: &str, change: &LabelChange) -> Result<Relabelled, TeamError> {
        self.ask(Does::Change, async |tx| relabel(tx, id, change).await)
    }

    fn remove(&self, id: &str) -> Result<bool, TeamError> {
        self.ask(Does::Change, async |tx| {
            let gone = tx.execute("DELETE FROM run WHERE id = $1", &[&id]).await?;
            for sql in [
                "DELETE FROM workload WHERE run = $1",
                "DELETE FROM tag WHERE run = $1",
                "DELETE FROM chunk WHERE run = $1",
                "DELETE FROM journal WHERE run = $1",
            ] {
                tx.execute(sql, &[&id]).await?;
            }
            Ok(gone > 0)
        })
    }
}
