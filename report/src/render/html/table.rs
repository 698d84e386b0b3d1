//! Tables of pages: every figure has its value in base units, by which the script sorts.

use super::shell::text;
use super::{Sheet, class_of};
use crate::document::table::Align;
use crate::document::{Cell, Column, NoteId, Row, Table, Value};
use maud::{Markup, html};

/// Returns a table with its legend; nothing for a table without rows.
pub(super) fn table(table: &Table, sheet: &Sheet<'_>) -> Markup {
    let has_value = |i: usize| table.cells().any(|cells| !cells[i].value.is_blank());
    let columns: Vec<(usize, &Column)> =
        table.columns.iter().enumerate().filter(|(i, c)| c.is_in_files() && has_value(*i)).collect();
    html! { @if !table.rows.is_empty() {
        div .wide tabindex="0" { table .figures .sortable[table.rows.len() > 2] {
            thead { tr { @for (_, column) in &columns {
                th class=(if column.align == Align::Left { "words" } else { "number" }) scope="col" { (text(&column.head.text(sheet.ink.language))) }
            } } }
            tbody { @for row in &table.rows { @match row {
                Row::Cells { cells, notes, is_sub } => { (cells_row(&columns, cells, notes, *is_sub, sheet)) }
                Row::Group(title) => { tr { th .group scope="rowgroup" colspan=(columns.len()) { (sheet.said(title)) } } }
                Row::Note(text) => { tr { td .words colspan=(columns.len()) { (sheet.said(text)) } } }
                Row::Blank => {}
            } } }
        } }
        @if table.more > 0 { p .small { (table.more) " " (sheet.t.more) } }
        @let meanings = table.meanings(|c| columns.iter().any(|(_, shown)| shown.key == c.key));
        @if !meanings.is_empty() { p .small { (sheet.said(&meanings)) } }
        @for line in table.signs.iter().chain(&table.legend) { p .small {
            @if let Some(sign) = line.sign { (sign.glyph(sheet.ink)) " " }
            (sheet.said(&line.text))
        } }
    } }
}

fn cells_row(
    columns: &[(usize, &Column)],
    cells: &[Cell],
    notes: &[NoteId],
    is_sub: bool,
    sheet: &Sheet<'_>,
) -> Markup {
    let is_struck = columns.iter().any(|(i, _)| cells[*i].struck);
    // Signs before the name are no header.
    let header = columns.iter().position(|(_, column)| !column.key.is_empty()).unwrap_or(0);
    html! { tr .struck[is_struck] .sub[is_sub] { @for (at, (i, column)) in columns.iter().enumerate() {
        @let cell = &cells[*i];
        @if at == header {
            th class=[(column.align != Align::Left).then_some("number")] scope="row" data-v=[cell.value.raw()] {
                (content(cell, sheet))
                @for id in notes {
                    @let note = sheet.notes.note(*id);
                    " " abbr title=(sheet.said(&note.statement)) { (if note.is_local { "!" } else { "?" }) }
                }
            }
        } @else if column.align == Align::Left {
            td class=[class_of(cell.tone, "words")] { (content(cell, sheet)) }
        } @else {
            td class=[class_of(cell.tone, "")] data-v=[cell.value.raw()] { (content(cell, sheet)) }
        }
    } } }
}

fn content(cell: &Cell, sheet: &Sheet<'_>) -> Markup {
    let value = shown(&cell.value, sheet);
    html! {
        @if let Some(sign) = cell.sign { (sign.glyph(sheet.ink)) " " }
        @match (&cell.href, cell.struck, cell.strong) {
            (Some(href), _, _) => a href=(href) { (value) },
            (None, true, _) => s { (value) },
            (None, false, true) => b { (value) },
            (None, false, false) => (value),
        }
        @if !cell.suffix.is_empty() { span .unit { (cell.suffix) } }
    }
}

/// Returns a value, with the micro sign, which some terminals cannot show.
pub(super) fn shown(value: &Value, sheet: &Sheet<'_>) -> Markup {
    let bar = |share: f64| format!("{:.1}", 100.0 * share.clamp(0.0, 1.0));
    html! { @match value {
        Value::Blank => {},
        Value::TooFew => abbr title=(sheet.t.too_few) { "–" },
        Value::Bar(share) => svg .share viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" {
            rect width=(bar(*share)) height="8" {}
        },
        Value::Time(time) => (time.to_string().replace(" us", " µs")),
        value if value.is_unknown() => "–",
        value => (text(&value.shown(sheet.ink))),
    } }
}
