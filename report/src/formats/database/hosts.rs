//! Figures of each host in a wave that ran on several hosts.

use super::kind;
use super::operations::{columns, row};
use crate::widgets::page::Page;
use crate::widgets::table::Table;
use crate::widgets::text::{Line, Paint};
use messages::message;
use model::WaveFigures;
use std::io;

/// Writes a row for each host and kind of operation; with `named`, also the name of the wave.
pub(super) fn write(page: &mut Page, wave: &WaveFigures, named: bool) -> io::Result<()> {
    if wave.hosts.is_empty() {
        return Ok(());
    }
    page.blank()?;
    let ink = page.ink;
    page.heading(ink.word("dbview-hosts"), "")?;
    if named {
        let class = message!("dbview-class-workers", class = &wave.class, n = wave.processes);
        let text = format!(" {}", ink.format(&class));
        page.line(Line::new().with(text, Paint::BOLD))?;
    }
    let mut table = Table::new(columns(ink), 1);
    for host in &wave.hosts {
        for (name, figures) in host.kinds() {
            table.row(row(&format!("{} {}", host.host, ink.word(kind(name))), figures));
        }
    }
    let laid = table.lay(page.ink);
    page.lines(laid.lines)
}
