//! `secchi db history DIR` and `secchi db sql DIR SELECT`: list and query the past runs on a database.

use super::Past;
use anyhow::Result;
use cli::{DbHistory, DbSql};
use model::{CompactSort, RunRecord};
use report::formats::perftools::{Cell, Table, tables, write_json};
use report::{HistoryAnswer, side_by_side, write_history, write_history_answer};
use session::console::print;
use session::exit::{self, Code, coded};
use session::reject;
use store::{SqlTable, SqlValue};

pub fn run(options: &DbHistory) -> Result<Code> {
    if let Some(file) = &options.import {
        super::import::import_file(&options.dir.dir, file, options.store.store.as_ref())?;
    }
    if let Some(name) = &options.group {
        return group(options, name);
    }
    let batches = Past::open(&options.dir, &options.store)?.batches()?;
    if options.json {
        print(|_, out| write_json(&batches.iter().collect::<Vec<_>>(), out))?;
    } else {
        print(|style, out| write_history(&batches, options.full, style, out))?;
    }
    Ok(exit::OK)
}

/// Prints the runs of a group on one time axis.
fn group(options: &DbHistory, name: &str) -> Result<Code> {
    let runs = Past::open(&options.dir, &options.store)?.runs()?.into_iter().map(|(record, _)| record);
    let of_group = |r: &RunRecord| r.database().is_some_and(|d| d.group == name);
    let mut runs: Vec<RunRecord> = runs.filter(of_group).collect();
    if runs.is_empty() {
        reject!("no run on this database has --group {}", model::clip(name));
    }
    runs.compact_sort_by(|a, b| a.started.cmp(&b.started));
    print(|style, out| write_history_answer(&side_by_side(&runs), "table", style, out))?;
    Ok(exit::OK)
}

pub fn sql(options: &DbSql) -> Result<Code> {
    let batches = Past::open(&options.dir, &options.store)?.batches()?;
    let tables: Vec<SqlTable> = tables(&batches).into_iter().map(table).collect();
    let answer = store::query(&tables, &options.question).map_err(|e| {
        let question = model::clip(&options.question);
        coded(exit::BAD_INPUT, format!("`{question}`: {e}"))
    })?;
    let rows = answer.rows.into_iter().map(|row| row.into_iter().map(cell).collect()).collect();
    let answer = HistoryAnswer { columns: answer.columns, rows };
    print(|style, out| write_history_answer(&answer, options.format, style, out))?;
    Ok(exit::OK)
}

fn table(table: Table) -> SqlTable {
    let value = |c: Cell| match c {
        Cell::Null => SqlValue::Null,
        Cell::Integer(i) => SqlValue::Integer(i),
        Cell::Real(r) => SqlValue::Real(r),
        Cell::Text(t) => SqlValue::Text(t),
    };
    let rows = table.rows.into_iter().map(|row| row.into_iter().map(value).collect()).collect();
    SqlTable { name: table.name, columns: table.columns, rows }
}

fn cell(value: SqlValue) -> Cell {
    match value {
        SqlValue::Null => Cell::Null,
        SqlValue::Integer(i) => Cell::Integer(i),
        SqlValue::Real(r) => Cell::Real(r),
        SqlValue::Text(t) => Cell::Text(t),
    }
}
