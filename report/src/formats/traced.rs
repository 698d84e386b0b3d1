//! Results of a trace of the block layer, after the results of other tools.

use crate::document::{Document, View};
use crate::kinds::traced;
use crate::widgets::page::Page;
use crate::{Style, render};
use model::{RunRecord, judged::LayersSeen};
use std::io::{self, Write};

/// Writes the tables of all step groups for which the block layer was traced; writes nothing without a trace.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_traced(record: &RunRecord, layers: &[LayersSeen], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut d = Document::new("workloads", "");
    traced::add(&mut d, record, layers, View::Full);
    let page = &mut Page::new(style, out);
    d.parts.iter().try_for_each(|part| render::terminal::write_part(page, part, &d.notes))
}
