//! Contents of a page.

use super::texts::Language;
use crate::formats::ReportedRun;
use model::Comparison;

impl ReportedRun<'_> {
    /// Returns the name of the run on the page.
    pub(super) fn name(&self) -> String {
        if self.label.is_empty() { self.record.id.chars().take(8).collect() } else { crate::harmless(self.label) }
    }
}

/// Contents of a page.
#[derive(Debug, Clone, Copy, Default)]
pub struct Page<'a> {
    /// Runs of the page. The first one is the main run; the charts of the others are drawn over those of the main run.
    /// Empty if only other tools' files are compared.
    pub runs: &'a [ReportedRun<'a>],
    /// Comparison of two sides, shown first.
    pub comparison: Option<&'a Comparison>,
    /// Language of the page's texts.
    pub language: Language,
    /// Address to which the header links back, if the page is served together with others.
    pub home: Option<&'a str>,
}

impl Page<'_> {
    /// Returns the tool that recorded the first run, or this program's version.
    pub(super) fn tool(&self) -> &str {
        self.runs.first().map_or(concat!("secchi ", env!("CARGO_PKG_VERSION")), |lead| lead.record.tool.as_str())
    }
}
