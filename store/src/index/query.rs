//! SQL queries on tables in memory. Queries can only read these tables.

use crate::hex::hex;
use crate::index::escapes::without_escapes;
use crate::sql_value::SqlValue;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, params_from_iter};
use std::time::{Duration, Instant};

/// Maximum duration of a query.
const PATIENCE: Duration = Duration::from_secs(30);
/// Number of SQLite virtual machine instructions between checks of the time limit.
const LOOK_EVERY: i32 = 10_000;

/// Table that queries can read.
#[derive(Debug, Clone, PartialEq)]
pub struct SqlTable {
    /// Name of the table. Queries may put `PerfTools.` before the name.
    pub name: String,
    /// Name and type of each column.
    pub columns: Vec<(&'static str, &'static str)>,
    /// Rows with one value for each column.
    pub rows: Vec<Vec<SqlValue>>,
}

/// Result of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct SqlAnswer {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows with one value for each column.
    pub rows: Vec<Vec<SqlValue>>,
}

/// Error from a query.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// The query contains a mistake, such as a syntax error or an unknown name.
    #[error("{0}")]
    Wrong(String),
    /// The statement is not a SELECT.
    #[error("only a single SELECT statement is allowed")]
    NotReading,
    /// The query took too long.
    #[error("the query was cancelled after {} s", PATIENCE.as_secs())]
    TooLong,
    /// The tables could not be created.
    #[error("the tables cannot be created: {0}")]
    Tables(String),
}

/// Runs the query `sql` on `tables`. As in InterSystems' SQL, tables can also be addressed as `PerfTools.NAME`, and
/// functions can be escaped: `{fn ROUND(x, 2)}`.
///
/// # Errors
/// Returns an error if `sql` is not exactly one SELECT, is incorrect, or takes too long.
pub fn query(tables: &[SqlTable], sql: &str) -> Result<SqlAnswer, QueryError> {
    let sql = &without_escapes(sql).map_err(|e| QueryError::Wrong(e.to_string()))?;
    let failed = |e: rusqlite::Error| QueryError::Tables(e.to_string());
    let connection = Connection::open_in_memory().map_err(failed)?;
    // The schema `PerfTools` is provided by a second in-memory database.
    connection.execute_batch("ATTACH ':memory:' AS PerfTools").map_err(failed)?;
    for table in tables {
        make(&connection, table).map_err(failed)?;
    }
    connection.authorizer(Some(only_reading));
    let begun = Instant::now();
    connection.progress_handler(LOOK_EVERY, Some(move || begun.elapsed() > PATIENCE));
    ask(&connection, sql).map_err(|e| to_query_error(tables, &e))
}

/// Allows reading tables and calling functions, and denies everything else: other statements, attached files, pragmas.
fn only_reading(context: AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Function { function_name } if function_name.eq_ignore_ascii_case("load_extension") => {
            Authorization::Deny
        }
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Function { .. } | AuthAction::Recursive => {
            Authorization::Allow
        }
        _ => Authorization::Deny,
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn make(connection: &Connection, table: &SqlTable) -> rusqlite::Result<()> {
    let name = format!("PerfTools.{}", quoted(&table.name));
    let columns: Vec<String> = table.columns.iter().map(|(n, t)| format!("{} {t}", quoted(n))).collect();
    connection.execute_batch(&format!("CREATE TABLE {name} ({})", columns.join(", ")))?;
    let marks = vec!["?"; table.columns.len()].join(", ");
    let mut insert = connection.prepare(&format!("INSERT INTO {name} VALUES ({marks})"))?;
    for row in &table.rows {
        insert.execute(params_from_iter(row))?;
    }
    Ok(())
}

fn ask(connection: &Connection, sql: &str) -> rusqlite::Result<SqlAnswer> {
    let mut statement = connection.prepare(sql)?;
    let columns: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
    let width = columns.len();
    let mut results = statement.query([])?;
    let mut rows = Vec::new();
    while let Some(row) = results.next()? {
        rows.push((0..width).map(|i| row.get_ref(i).map(value)).collect::<rusqlite::Result<Vec<_>>>()?);
    }
    Ok(SqlAnswer { columns, rows })
}

/// Converts a cell.
pub(crate) fn value(cell: ValueRef<'_>) -> SqlValue {
    match cell {
        ValueRef::Null => SqlValue::Null,
        ValueRef::Integer(n) => SqlValue::Integer(n),
        ValueRef::Real(r) => SqlValue::Real(r),
        ValueRef::Text(t) => SqlValue::Text(String::from_utf8_lossy(t).into_owned()),
        ValueRef::Blob(b) => SqlValue::Text(format!("x'{}'", hex(b))),
    }
}

/// Converts an error from SQLite. If a name does not exist, the message lists the existing ones.
fn to_query_error(tables: &[SqlTable], error: &rusqlite::Error) -> QueryError {
    use rusqlite::ErrorCode::{AuthorizationForStatementDenied, OperationInterrupted};
    match error.sqlite_error_code() {
        Some(AuthorizationForStatementDenied) => return QueryError::NotReading,
        Some(OperationInterrupted) => return QueryError::TooLong,
        _ if matches!(error, rusqlite::Error::MultipleStatement) => return QueryError::NotReading,
        _ => {}
    }
    let text = match error {
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        rusqlite::Error::SqliteFailure(_, Some(text)) => text.clone(),
        other => other.to_string(),
    };
    let names = |items: &mut dyn Iterator<Item = &str>| items.collect::<Vec<_>>().join(", ");
    // SQLite reports a denied function this way.
    if text.starts_with("not authorized") {
        return QueryError::NotReading;
    }
    QueryError::Wrong(if text.starts_with("no such table") {
        format!("{text}; there are {}", names(&mut tables.iter().map(|t| t.name.as_str())))
    } else if text.starts_with("no such column") {
        let columns = tables.iter().map(|t| format!("{} has {}", t.name, names(&mut t.columns.iter().map(|c| c.0))));
        format!("{text}; {}", columns.collect::<Vec<_>>().join("; "))
    } else {
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables() -> Vec<SqlTable> {
        let row = |batch: i64, job: i64, reads: i64, rate: f64| {
            vec![SqlValue::Integer(batch), SqlValue::Integer(job), SqlValue::Integer(reads), SqlValue::Real(rate)]
        };
        let columns = vec![("Batch", "INTEGER"), ("Job", "INTEGER"), ("Reads", "INTEGER"), ("ReadsPerSec", "REAL")];
        vec![
            SqlTable {
                name: "RanRead".into(),
                columns: columns.clone(),
                rows: vec![row(1, 1, 10, 1.5), row(1, 2, 20, 2.5), row(2, 1, 5, 0.5)],
            },
            SqlTable { name: "RanWrite".into(), columns, rows: Vec::new() },
        ]
    }

    #[test]
    fn the_query_of_perftools_is_answered() {
        let sql = "SELECT Batch, SUM(Reads) AS Reads, ROUND(SUM(ReadsPerSec), 0) AS ReadsPS \
                   FROM PerfTools.RanRead GROUP BY Batch";
        let answer = query(&tables(), sql).expect("an answer");
        assert_eq!(answer.columns, ["Batch", "Reads", "ReadsPS"]);
        assert_eq!(answer.rows[0], [SqlValue::Integer(1), SqlValue::Integer(30), SqlValue::Real(4.0)]);
        assert_eq!(
            query(&tables(), "select count(*) from ranread").expect("an answer").rows[0],
            [SqlValue::Integer(3)]
        );
        assert_eq!(
            query(&tables(), "with t as (select 1 as a) select a, null from t").expect("an answer").rows.len(),
            1
        );
    }

    #[test]
    fn the_query_of_an_article_is_answered_as_written() {
        let sql = "SELECT Batch,Job,
    {fn ROUND(AVG(ReadsPerSec),2)} As ReadsPerSec,
    {fn ROUND(AVG(Reads),0)} As Reads
FROM PerfTools.RanRead
GROUP BY Batch
";
        let answer = query(&tables(), sql).expect("an answer");
        assert_eq!(answer.columns, ["Batch", "Job", "ReadsPerSec", "Reads"]);
        assert_eq!(answer.rows[0][2..], [SqlValue::Real(2.0), SqlValue::Real(15.0)]);
    }

    #[test]
    fn nothing_but_reading_is_allowed() {
        let refused = [
            "delete from RanRead",
            "insert into RanRead values (1, 1, 1, 1)",
            "create table t (a)",
            "drop table RanRead",
            "update RanRead set Reads = 0",
            "attach '/etc/passwd' as x",
            "pragma writable_schema = 1",
            "vacuum into '/tmp/x'",
            "select 1; delete from RanRead",
            "select load_extension('x')",
            "begin",
        ];
        for sql in refused {
            let error = query(&tables(), sql).expect_err(sql);
            assert!(matches!(error, QueryError::NotReading), "{sql}: {error}");
        }
    }

    #[test]
    fn mistakes_name_what_there_is() {
        let text = |sql: &str| query(&tables(), sql).expect_err(sql).to_string();
        assert_eq!(text("select * from RanReed"), "no such table: RanReed; there are RanRead, RanWrite");
        assert!(text("select Writs from RanRead").contains("RanRead has Batch, Job, Reads, ReadsPerSec"));
        assert!(text("selec 1").contains("syntax error"), "{}", text("selec 1"));
        assert!(!text("").is_empty());
    }
}
