//! The entry for browser pages in the table of formats; the page itself is in `html`, if that feature is enabled.

use super::run::{Format, ReportedRun, WriteComparison};
use crate::Style;
use messages::Language;
use model::{Comparison, Demand};
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    name: "html",
    aliases: &[],
    help: "Self-contained HTML page with charts and tables; works offline and in print",
    endings: &["html", "htm"],
    several: true,
    is_screen: false,
    write: |runs, style, out| write(runs, None, style, out),
    write_comparison: WriteComparison::WithRuns(|comparison, runs, style, out| {
        write(runs, Some(comparison), style, out)
    }),
};

#[cfg(feature = "html")]
fn write(
    runs: &[ReportedRun<'_>],
    comparison: Option<&Comparison>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    use super::html::{Page, write_page};
    write_page(&Page { runs, comparison, language: style.language, home: None }, out)
}

/// Writes the page about the demand of a recording or of samples; `name` is the name of the file.
///
/// # Errors
/// Returns an error if writing to `out` fails, or if this build has no pages.
#[cfg(feature = "html")]
pub fn write_demand_page(name: &str, demand: &Demand, language: Language, out: &mut dyn Write) -> io::Result<()> {
    super::html::write_demand_page(name, demand, language, out)
}

/// Fails, because this build has no pages.
///
/// # Errors
/// Always.
#[cfg(not(feature = "html"))]
pub fn write_demand_page(_: &str, _: &Demand, _: Language, _: &mut dyn Write) -> io::Result<()> {
    Err(without_pages())
}

#[cfg(not(feature = "html"))]
fn write(_: &[ReportedRun<'_>], _: Option<&Comparison>, _: &Style, _: &mut dyn Write) -> io::Result<()> {
    Err(without_pages())
}

#[cfg(not(feature = "html"))]
fn without_pages() -> io::Error {
    io::Error::other("this build does not support pages (it was built without the feature `html`)")
}
