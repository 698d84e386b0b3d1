//! Values of cells in SQL tables.

use rusqlite::ToSql;

/// Value of a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum SqlValue {
    /// No value.
    Null,
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Real(f64),
    /// Text.
    Text(String),
}

impl ToSql for SqlValue {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        match self {
            SqlValue::Null => Ok(rusqlite::types::Null.into()),
            SqlValue::Integer(i) => i.to_sql(),
            SqlValue::Real(r) => r.to_sql(),
            SqlValue::Text(t) => t.to_sql(),
        }
    }
}
