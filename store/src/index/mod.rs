//! The SQL index, which can be made again from the journals: its tables ([`schema`]; in SQLite, [`sqlite`]), runs as their rows
//! ([`rows`]), its file ([`index_file`]), and questions in SQL to tables in memory ([`query`]).

pub(crate) mod error;
pub(crate) mod index_file;
pub(crate) mod query;
pub(crate) mod rows;
pub(crate) mod schema;
pub(crate) mod sqlite;
