//! The SQL index, which can be rebuilt from the journals: its tables ([`schema`]; for SQLite also [`sqlite`]), runs as
//! rows ([`rows`]), its file ([`index_file`]), and SQL queries on tables in memory ([`query`]), with the escapes of ODBC
//! ([`escapes`]).

pub(crate) mod error;
mod escapes;
pub(crate) mod index_file;
pub(crate) mod query;
pub(crate) mod rows;
pub(crate) mod schema;
pub(crate) mod sqlite;
