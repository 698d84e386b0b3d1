//! Growth of the database during a run of inserts: its files by role, and the total of all files, which is counted
//! separately.

use crate::widgets::figures::count;
use crate::widgets::page::Page;
use crate::widgets::table::{Column, Table};
use crate::widgets::text::{Line, Paint};
use messages::{Sentence, sentence};
use model::{Bytes, CountedBy, DatabaseUse, DbJudgement};
use std::io;

pub(super) fn write(page: &mut Page, used: &DatabaseUse, judged: &DbJudgement) -> io::Result<()> {
    let (Some(growth), Some(figures)) = (&used.growth, &judged.growth) else { return Ok(()) };
    page.blank()?;
    let ink = page.ink;
    let nodes = sentence!("dbview-new-nodes", n = count(growth.nodes()));
    page.heading(ink.word("dbview-growth"), &ink.translate(nodes))?;
    let grown = |before: Bytes, after: Bytes| -> String {
        match after.as_u64().checked_sub(before.as_u64()) {
            Some(more) => format!("+{}", Bytes(more)),
            None => format!("-{}", Bytes(before.as_u64() - after.as_u64())),
        }
    };
    if !growth.files.is_empty() {
        let head = ["dbview-before", "dbview-after-growth", "dbview-grown", "dbview-allocated"];
        let columns = std::iter::once(Column::left("")).chain(head.map(|word| Column::right(ink.word(word))));
        let mut table = Table::new(columns.collect(), 1);
        for of in &growth.files {
            table.row(vec![
                Line::new().with(of.role.name(), Paint::BOLD),
                Line::plain(of.length_before.to_string()),
                Line::plain(of.length_after.to_string()),
                Line::new().with(grown(of.length_before, of.length_after), Paint::BOLD),
                Line::plain(grown(of.allocated_before, of.allocated_after)),
            ]);
        }
        table.row(vec![
            Line::new().with(ink.word("dbview-all-files"), Paint::BOLD),
            Line::plain(growth.allocated_before.to_string()),
            Line::plain(growth.allocated_after.to_string()),
            Line::plain(""),
            Line::plain(grown(growth.allocated_before, growth.allocated_after)),
        ]);
        table.write(page)?;
    }
    let mut remark = |text: Sentence| page.hanging(Line::plain(" "), 1, &ink.translate(text), Paint::DIM);
    remark(match growth.scattered {
        true => sentence!("dbview-inserted-anywhere"),
        false => sentence!("dbview-inserted-in-order"),
    })?;
    if let (Some(written), Some(factor), Some(by)) = (figures.written, figures.factor, figures.by) {
        let (bytes, factor) = (figures.bytes, format!("{factor:.2}"));
        remark(match by {
            CountedBy::Device => sentence!("dbview-amplified-device", written, bytes, factor),
            CountedBy::Group | CountedBy::Processes => sentence!("dbview-amplified", written, bytes, factor),
        })?;
    }
    Ok(())
}
