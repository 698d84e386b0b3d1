//! The team's store in PostgreSQL. A connection for each question: they are few, and none is held while a run is measured.

use super::url::{Address, cause};
use super::{Server, TeamError};
use crate::bundle::hex;
use crate::filter::{self, Dialect, Filter};
use crate::labels::Relabel;
use crate::query::SqlValue;
use crate::rows::{self, Cells, IndexRow, Rows};
use crate::schema::{Kind, RUN, TABLES, TAG, Table, VERSION, WORKLOAD};
use crate::summary::RunSummary;
use model::Labels;
use postgres::error::SqlState;
use postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use postgres::{Client, Error, GenericClient, IsolationLevel, NoTls, Row, Transaction};
use sha2::{Digest, Sha256};

/// Bytes of a journal in one row.
const CHUNK: usize = 1 << 20;

pub(crate) struct Postgres {
    address: Address,
}

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
        out: &mut postgres::types::private::BytesMut,
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

/// Values as parameters.
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

/// All runs, or one.
fn read(client: &mut impl GenericClient, id: Option<&str>) -> Result<Vec<IndexRow>, Error> {
    let mut all = |table: &Table, one: &str| -> Result<Vec<Cells>, Error> {
        let rows = match id {
            None => client.query(&table.select(""), &[])?,
            Some(id) => client.query(&table.select(one), &[&id])?,
        };
        rows.iter().map(|row| cells(row, table)).collect()
    };
    let runs = all(&RUN, " WHERE id = $1")?;
    Ok(rows::assemble(runs, all(&WORKLOAD, " WHERE run = $1")?, all(&TAG, " WHERE run = $1")?))
}

fn insert(tx: &mut Transaction<'_>, table: &Table, all: &[Cells]) -> Result<(), Error> {
    let sql = table.insert("INSERT", '$');
    all.iter().try_for_each(|cells| tx.execute(&sql, &bound(cells)).map(drop))
}

impl Postgres {
    pub(crate) fn new(address: Address) -> Postgres {
        Postgres { address }
    }

    fn connect(&self) -> Result<Client, TeamError> {
        self.address.config.connect(NoTls).map_err(|e| self.told(&e))
    }

    /// A connection to tables of our version.
    fn client(&self) -> Result<Client, TeamError> {
        let mut client = self.connect()?;
        let version = client.query_one("SELECT version FROM secchi.about", &[]).map_err(|e| self.told(&e))?;
        let found: i64 = version.try_get(0).map_err(|e| self.told(&e))?;
        match found == i64::from(VERSION) {
            true => Ok(client),
            false => Err(TeamError::OtherVersion { store: self.shown().to_owned(), found, ours: VERSION.into() }),
        }
    }

    /// Asks something of one moment.
    fn at_once<T>(&self, ask: impl FnOnce(&mut Transaction<'_>) -> Result<T, Error>) -> Result<T, TeamError> {
        let mut client = self.client()?;
        let answer = client
            .build_transaction()
            .isolation_level(IsolationLevel::RepeatableRead)
            .read_only(true)
            .start()
            .and_then(|mut tx| ask(&mut tx));
        answer.map_err(|e| self.told(&e))
    }

    /// Changes something, all or nothing.
    fn change<T>(&self, change: impl FnOnce(&mut Transaction<'_>) -> Result<T, Error>) -> Result<T, TeamError> {
        let mut client = self.client()?;
        let done = client.transaction().and_then(|mut tx| {
            let value = change(&mut tx)?;
            tx.commit()?;
            Ok(value)
        });
        done.map_err(|e| self.told(&e))
    }

    /// An error of the driver in our words.
    fn told(&self, error: &Error) -> TeamError {
        let store = self.shown().to_owned();
        let Some(db) = error.as_db_error() else {
            // No answer, or none that the driver understood.
            return TeamError::Away { store, why: model::without_passwords(&cause(error)) };
        };
        let code = db.code();
        let why = model::without_passwords(db.message());
        let class = code.code().get(..2).unwrap_or_default();
        if [SqlState::UNDEFINED_TABLE, SqlState::INVALID_SCHEMA_NAME].contains(code) {
            TeamError::Missing { store }
        } else if *code == SqlState::INSUFFICIENT_PRIVILEGE || *code == SqlState::READ_ONLY_SQL_TRANSACTION {
            TeamError::Denied { store, why }
        } else if class == "28" || class == "3D" {
            TeamError::Login { store, why }
        } else if matches!(class, "08" | "57" | "53") {
            TeamError::Away { store, why }
        } else {
            TeamError::Other { store, why: format!("{why} (SQLSTATE {})", code.code()) }
        }
    }
}

/// Makes schema and tables in a transaction that waits for any other that does.
fn make(tx: &mut Transaction<'_>) -> Result<(), Error> {
    // A number of our own, so that two who begin at once make one.
    tx.execute("SELECT pg_advisory_xact_lock(7310486103)", &[])?;
    let there = tx.query_one("SELECT to_regclass('secchi.about') IS NOT NULL", &[])?;
    if there.try_get(0)? {
        return Ok(());
    }
    tx.batch_execute("CREATE SCHEMA IF NOT EXISTS secchi")?;
    for table in TABLES {
        tx.batch_execute(&table.create(word, ""))?;
    }
    tx.batch_execute(
        "CREATE TABLE journal (run text PRIMARY KEY, bytes bigint NOT NULL, sha256 text NOT NULL);
         CREATE TABLE chunk (run text NOT NULL, n bigint NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (run, n));
         CREATE TABLE about (version bigint NOT NULL)",
    )?;
    tx.execute("INSERT INTO about VALUES ($1)", &[&i64::from(VERSION)])?;
    Ok(())
}

/// Puts a run; `false` when one of its id is there with another content.
fn put(tx: &mut Transaction<'_>, summary: &RunSummary, journal: &[u8]) -> Result<bool, Error> {
    let rows = Rows::of(summary);
    let sum = hex(&Sha256::digest(journal));
    // Whoever puts the same id at the same time waits here until the other is through.
    let sql = RUN.insert("INSERT", '$') + " ON CONFLICT DO NOTHING";
    if tx.execute(&sql, &bound(&rows.run))? == 0 {
        let there = tx.query_opt("SELECT sha256 FROM journal WHERE run = $1", &[&summary.id])?;
        return there.map_or(Ok(false), |row| Ok(row.try_get::<_, String>(0)? == sum));
    }
    insert(tx, &WORKLOAD, &rows.workloads)?;
    insert(tx, &TAG, &rows.tags)?;
    let length = i64::try_from(journal.len()).unwrap_or(i64::MAX);
    tx.execute("INSERT INTO journal VALUES ($1, $2, $3)", &[&summary.id, &length, &sum])?;
    let statement = tx.prepare("INSERT INTO chunk VALUES ($1, $2, $3)")?;
    for (n, bytes) in (0i64..).zip(journal.chunks(CHUNK)) {
        tx.execute(&statement, &[&summary.id, &n, &bytes])?;
    }
    Ok(true)
}

fn relabel(tx: &mut Transaction<'_>, id: &str, change: &Relabel) -> Result<Option<Result<Labels, String>>, Error> {
    // Held until the end: two who tag at once take turns.
    tx.execute("SELECT 1 FROM run WHERE id = $1 FOR UPDATE", &[&id])?;
    let Some(row) = read(tx, Some(id))?.into_iter().next() else { return Ok(None) };
    let labels = match change.apply(&row.summary.labels) {
        Ok(labels) => labels,
        Err(why) => return Ok(Some(Err(why))),
    };
    let new = Rows::of(&RunSummary { labels: labels.clone(), ..row.summary });
    tx.execute("DELETE FROM tag WHERE run = $1", &[&id])?;
    insert(tx, &TAG, &new.tags)?;
    // A row that was changed by hand keeps a checksum that says so.
    let crc = if row.sound { new.run.last().cloned().unwrap_or(SqlValue::Null) } else { SqlValue::Integer(-1) };
    tx.execute("UPDATE run SET note = $2, crc = $3 WHERE id = $1", &[&id, &labels.note, &crc])?;
    Ok(Some(Ok(labels)))
}

impl Server for Postgres {
    fn shown(&self) -> &str {
        &self.address.shown
    }

    fn check(&self) -> Result<(), TeamError> {
        self.client().map(drop)
    }

    fn init(&self) -> Result<(), TeamError> {
        let mut client = self.connect()?;
        let made = client.transaction().and_then(|mut tx| {
            make(&mut tx)?;
            tx.commit()
        });
        made.map_err(|e| self.told(&e))?;
        self.check()
    }

    fn ids(&self) -> Result<Vec<String>, TeamError> {
        let rows = self.at_once(|tx| tx.query("SELECT id FROM run", &[]))?;
        rows.iter().map(|row| row.try_get(0).map_err(|e| self.told(&e))).collect()
    }

    fn rows(&self) -> Result<Vec<IndexRow>, TeamError> {
        self.at_once(|tx| read(tx, None))
    }

    fn select(&self, filter: &Filter) -> Result<Vec<String>, TeamError> {
        let (sql, values) = filter::select(filter, Dialect::Postgres);
        let rows = self.at_once(|tx| tx.query(&sql, &bound(&values)))?;
        rows.iter().map(|row| row.try_get(0).map_err(|e| self.told(&e))).collect()
    }

    fn put(&self, summary: &RunSummary, journal: &[u8]) -> Result<(), TeamError> {
        match self.change(|tx| put(tx, summary, journal))? {
            true => Ok(()),
            false => Err(TeamError::Conflict { store: self.shown().to_owned(), id: summary.id.clone() }),
        }
    }

    fn journal(&self, id: &str) -> Result<Option<Vec<u8>>, TeamError> {
        let found = self.at_once(|tx| {
            let Some(head) = tx.query_opt("SELECT bytes, sha256 FROM journal WHERE run = $1", &[&id])? else {
                return Ok(None);
            };
            let (length, sum): (i64, String) = (head.try_get(0)?, head.try_get(1)?);
            let mut bytes = Vec::new();
            for row in tx.query("SELECT bytes FROM chunk WHERE run = $1 ORDER BY n", &[&id])? {
                bytes.extend_from_slice(row.try_get(0)?);
            }
            Ok(Some((length, sum, bytes)))
        })?;
        let Some((length, sum, bytes)) = found else { return Ok(None) };
        if bytes.len() as i64 != length || hex(&Sha256::digest(&bytes)) != sum {
            let why = format!("the journal of run {id} is not what was put there: its SHA-256 differs");
            return Err(TeamError::Other { store: self.shown().to_owned(), why });
        }
        Ok(Some(bytes))
    }

    fn labels(&self, id: &str) -> Result<Option<Labels>, TeamError> {
        Ok(self.at_once(|tx| read(tx, Some(id)))?.into_iter().next().map(|row| row.summary.labels))
    }

    fn relabel(&self, id: &str, change: &Relabel) -> Result<Option<Result<Labels, String>>, TeamError> {
        self.change(|tx| relabel(tx, id, change))
    }

    fn remove(&self, id: &str) -> Result<bool, TeamError> {
        self.change(|tx| {
            let gone = tx.execute("DELETE FROM run WHERE id = $1", &[&id])?;
            for sql in [
                "DELETE FROM workload WHERE run = $1",
                "DELETE FROM tag WHERE run = $1",
                "DELETE FROM chunk WHERE run = $1",
                "DELETE FROM journal WHERE run = $1",
            ] {
                tx.execute(sql, &[&id])?;
            }
            Ok(gone > 0)
        })
    }
}
