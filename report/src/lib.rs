//! Writes a record and its judgement: terminal text and JSON.
//!
//! All functions are pure: data in, bytes out to a given writer. Nothing here reads the environment, a terminal or a
//! clock; the terminal's capabilities come in as a [`Style`]. All terminal text leaves through one `page`, which
//! removes control and bidirectional characters from untrusted text (docs/design/security.md, "Foreign text").
//!
//! # Example
//!
//! ```
//! use model::{Bytes, Nanos, Plan, RunKind, RunRecord, Target, record::Preflight};
//! use report::{Style, write_judged};
//!
//! // A run that was interrupted before its first step.
//! let target = Target::null("data", Bytes::from_gib(1));
//! let plan = Plan::new(RunKind::Blocks, target, Vec::new(), Nanos::from_secs(60));
//! let (id, started) = ("3f2a9c1b-77d1-4d21-9e01-8844aa105c7f", "2026-11-21T10:00:00Z");
//! let record = RunRecord::new("0.2.0", id, started, plan, Preflight::default());
//!
//! let mut screen = Vec::new();
//! write_judged(&record, &analysis::judge(&record), &Style::default(), &mut screen)?;
//! let screen = String::from_utf8(screen)?;
//! assert!(screen.contains("VERDICT") && screen.contains(id));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(not(feature = "html"), allow(dead_code, reason = "pages use it"))]

mod document;
pub mod formats;
mod grouping;
mod kinds;
mod marks;
mod overview;
mod render;
mod reported;
mod screens;
mod widgets;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod languages;

pub use formats::earlier::{HEAD as EARLIER_HEAD, is_earlier, is_fios};
pub use formats::fio::eta::{EtaView, eta_line};
pub use formats::{
    DocumentKind, FORMATS, Format, Subject, documents, format, format_for_ending, write_answer, write_document,
    write_error, write_json, write_judged, write_junit, write_terminal, write_traced,
};
pub use kinds::comparison::write_layouts;
pub use kinds::list::{RunRow, write_runs, write_runs_csv};
pub use kinds::plan::write_plan;
pub use kinds::sheet::{SheetColumn, SheetPart, SheetRow};
pub use render::terminal::labels as write_labels;
pub use reported::ReportedRun;
pub use screens::group::side_by_side;
pub use screens::history::{HistoryAnswer, write_history, write_history_answer};
pub use screens::progress::{Activity, ProgressView, progress_line};
pub use screens::rules::{write_findings, write_rule, write_rules};
pub use widgets::figures::{count, duration, money};
pub use widgets::ink::{clauses, listed, op_word};

/// Returns `text` on one line, without characters that could repaint a terminal; for messages that are not part of a
/// report.
#[must_use]
pub fn harmless(text: &str) -> String {
    widgets::sanitise::clean(text, true)
}

/// Capabilities of the terminal, file or pipe that receives the output. The binary detects them, and this crate
/// respects them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// True if ANSI colours and attributes may be used.
    pub color: bool,
    /// True if characters beyond ASCII may be used. Otherwise all output is ASCII.
    pub unicode: bool,
    /// Maximum width of a line, in columns; smaller values than [`Style::NARROWEST`] have the same effect as it.
    pub width: usize,
    /// The reader's language; used only if its characters may be used.
    pub language: messages::Language,
}

impl Style {
    /// Minimum width of any layout, in columns.
    pub const NARROWEST: usize = 40;

    /// Returns the width of the layout, in columns.
    pub(crate) fn columns(&self) -> usize {
        self.width.max(Style::NARROWEST)
    }
}

impl Default for Style {
    /// Returns plain text for a file or a pipe: no colour, Unicode, 100 columns.
    fn default() -> Self {
        Style { color: false, unicode: true, width: 100, language: messages::Language::English }
    }
}
