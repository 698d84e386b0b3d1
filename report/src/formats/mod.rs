//! Output formats: one file or folder each, and its line in [`FORMATS`].

mod csv;
#[cfg(feature = "html")]
pub mod dashboard;
pub mod database;
pub(crate) mod earlier;
pub mod fio;
pub mod foreign;
#[cfg(feature = "html")]
pub mod html;
pub mod ioping;
mod json;
pub(crate) mod junit;
pub mod mark;
mod markdown;
pub mod nagios;
pub mod perftools;
mod terminal;
mod traced;
pub mod watch;

pub use json::{write_document, write_error, write_kept};
pub use markdown::write_labels as write_markdown_labels;
pub use terminal::write_judged;
#[cfg(feature = "html")]
pub(crate) use terminal::{again, grouped, state, tool};
pub(crate) use terminal::{
    answer_label, cache, findings, head, host_line, latency_tick, latency_title, measured_on, pair, partial, rate_tick,
    typed,
};
pub use traced::write_traced;

use crate::Style;
use model::{Judgement, RunRecord};
use std::io::{self, Write};

/// One way to write a record and its judgement.
pub trait Format: Sync {
    /// The word that chooses it.
    fn name(&self) -> &'static str;

    /// Writes the whole of it.
    ///
    /// # Errors
    /// Those of `out`.
    fn write(&self, record: &RunRecord, judgement: &Judgement, style: &Style, out: &mut dyn Write) -> io::Result<()>;
}

/// Every format, the default first.
pub const FORMATS: &[&dyn Format] =
    &[&terminal::Terminal, &terminal::Brief, &json::Json, &markdown::Markdown, &csv::Csv];

/// The format called `name`.
#[must_use]
pub fn format(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|f| f.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_found_by_its_own_name_and_no_other() {
        for f in FORMATS {
            assert_eq!(format(f.name()).map(Format::name), Some(f.name()));
        }
        assert!(format("xml").is_none());
    }
}
