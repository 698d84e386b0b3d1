//! What stands on a page.

use super::texts::Language;
use crate::formats::ReportedRun;
use model::Comparison;

impl ReportedRun<'_> {
    /// What it is called on the page.
    pub(super) fn name(&self) -> String {
        if self.label.is_empty() { self.record.id.chars().take(8).collect() } else { crate::harmless(self.label) }
    }
}

/// What stands on a page.
#[derive(Debug, Clone, Copy, Default)]
pub struct Page<'a> {
    /// The first run leads; others are laid over its charts. None where only others' files are compared.
    pub runs: &'a [ReportedRun<'a>],
    /// Two sides compared, of which the page tells first.
    pub comparison: Option<&'a Comparison>,
    /// Language of its words.
    pub language: Language,
    /// Where it is served among others: the address that its head leads back to.
    pub home: Option<&'a str>,
}

impl Page<'_> {
    /// What made the first run; else what makes the page.
    pub(super) fn tool(&self) -> &str {
        self.runs.first().map_or(concat!("secchi ", env!("CARGO_PKG_VERSION")), |lead| lead.record.tool.as_str())
    }
}
