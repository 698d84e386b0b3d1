//! The tables of a document as JSON, for the download of a page and for kinds that have no type in the model.
//! Runs are written with their record; see `formats::json`.

use crate::document::{Block, Document, Table};
use crate::widgets::ink::Ink;
use serde_json::{Map, Value as Json, json};

/// Returns the tables of a document by part: cells by the keys of their columns, figures in base units, words in the
/// language of `ink`.
pub(crate) fn tables(d: &Document, ink: Ink) -> Json {
    let tables = |blocks: &[Block]| -> Vec<Json> {
        let table = |block: &Block| match block {
            Block::Table(table) => Some(json!({ "table": table.id, "rows": rows(table, ink) })),
            _ => None,
        };
        blocks.iter().filter_map(table).collect()
    };
    let part = |part: &crate::document::Part| json!({ "part": part.id, "title": part.title.text(ink.language), "tables": tables(&part.blocks) });
    let filled = |part: &&crate::document::Part| part.blocks.iter().any(|b| matches!(b, Block::Table(_)));
    let parts: Vec<Json> = d.parts.iter().filter(filled).map(part).collect();
    json!({ "kind": d.kind, "run": d.head.run, "started": d.head.started, "parts": parts })
}

fn rows(table: &Table, ink: Ink) -> Vec<Json> {
    let row = |cells: &Vec<crate::document::Cell>| {
        let keyed = table.columns.iter().zip(cells).filter(|(column, _)| !column.key.is_empty());
        let value = |cell: &crate::document::Cell| match cell.value.raw() {
            Some(number) => json!(number),
            None => match cell.value.shown(ink) {
                text if text.is_empty() => Json::Null,
                text => json!(text),
            },
        };
        keyed.map(|(column, cell)| (column.key.to_owned(), value(cell))).collect::<Map<_, _>>().into()
    };
    table.cells().map(row).collect()
}
