//! A record and its judgement, written out: terminal text and JSON.
//!
//! Pure: data in, bytes out to a writer that is handed in. Nothing here looks at the environment, at a terminal or at a
//! clock; what the terminal can do comes in as a [`Style`]. Every byte of terminal text leaves through one `page`,
//! which is where control and bidirectional characters of foreign strings end (docs/design/security.md, "Foreign
//! text").

pub mod formats;
mod overview;
mod screens;
mod widgets;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod languages;

pub use formats::earlier::{HEAD as EARLIER_HEAD, is_earlier, is_fios};
pub use formats::fio::eta::{EtaView, eta_line};
pub use formats::junit::write_junit;
pub use formats::{
    FORMATS, Format, ReportedRun, format, format_for_ending, write_answer, write_demand, write_demand_json,
    write_demand_page, write_document, write_error, write_json, write_judged, write_purchases, write_purchases_json,
    write_replay, write_terminal, write_traced,
};
pub use screens::comparison::{write_comparison, write_comparison_json};
pub use screens::layouts::{write_layouts, write_layouts_json};
pub use screens::plan::write_plan;
pub use screens::progress::{Activity, ProgressView, progress_line};
pub use screens::runs::{RunRow, write_labels, write_runs, write_runs_csv};
pub use screens::sheet::{SheetColumn, SheetPart, SheetRow, write_sheet};
pub use screens::trend::write_trend;
pub use widgets::figures::{count, duration};

/// `text` on one line, without characters that could repaint a terminal: for remarks outside of a report.
#[must_use]
pub fn harmless(text: &str) -> String {
    widgets::sanitise::clean(text, true)
}

/// What the terminal, file or pipe at the other end can show. The binary finds out; this crate obeys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Whether ANSI colours and attributes may be used.
    pub color: bool,
    /// Whether characters beyond ASCII may be used. Without it every byte written is ASCII.
    pub unicode: bool,
    /// Columns. Lines are at most this wide; below [`Style::NARROWEST`] they are laid out for that.
    pub width: usize,
    /// The reader's language, as far as its characters may be used.
    pub language: messages::Language,
}

impl Style {
    /// Nothing is laid out for fewer columns than this.
    pub const NARROWEST: usize = 40;

    /// Columns to lay out for.
    pub(crate) fn columns(&self) -> usize {
        self.width.max(Style::NARROWEST)
    }
}

impl Default for Style {
    /// Plain text for a file or a pipe: no colour, Unicode, 100 columns.
    fn default() -> Self {
        Style { color: false, unicode: true, width: 100, language: messages::Language::English }
    }
}
