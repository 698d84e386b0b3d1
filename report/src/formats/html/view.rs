//! What stands on a page, and what its file carries.

use super::texts::Language;
use crate::formats::ReportedRun;
use flate2::bufread::ZlibDecoder;
use model::Comparison;
use std::io::Read;
use std::sync::LazyLock;

pub(in crate::formats) const STYLE: &str = include_str!("../../../assets/page.css");
/// The library that draws charts; the build compressed it.
pub(in crate::formats) static CHARTS: LazyLock<String> = LazyLock::new(|| {
    let mut text = String::new();
    ZlibDecoder::new(include_bytes!(concat!(env!("OUT_DIR"), "/echarts.min.js.z")).as_slice())
        .read_to_string(&mut text)
        .expect("the build compressed it");
    text
});
pub(super) const SCRIPT: &str =
    concat!(include_str!("../../../assets/look.js"), include_str!("../../../assets/page.js"));

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
