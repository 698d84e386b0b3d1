//! The report page, for a browser: [`write_page`], where the feature `html` is on.

#[cfg(feature = "html")]
mod body;
#[cfg(feature = "html")]
mod compared;
#[cfg(feature = "html")]
pub(super) mod data;
#[cfg(feature = "html")]
mod key_figures;
#[cfg(feature = "html")]
mod page;
#[cfg(feature = "html")]
mod parts;
#[cfg(all(test, feature = "html"))]
mod tests;
#[cfg(feature = "html")]
pub(super) mod texts;
#[cfg(feature = "html")]
mod view;
#[cfg(feature = "html")]
mod watched;

#[cfg(feature = "html")]
pub(super) use page::hash;
#[cfg(feature = "html")]
pub use page::write_page;
#[cfg(feature = "html")]
pub use texts::Language;
#[cfg(feature = "html")]
pub use view::Page;
#[cfg(feature = "html")]
pub(super) use view::{CHARTS, STYLE};

use super::run::{Format, ReportedRun, WriteComparison};
use crate::Style;
use model::Comparison;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    name: "html",
    aliases: &[],
    help: "A page of one file for a browser: charts, tables, print; opens offline",
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
    write_page(&Page { runs, comparison, language: style.language, home: None }, out)
}

#[cfg(not(feature = "html"))]
fn write(_: &[ReportedRun<'_>], _: Option<&Comparison>, _: &Style, _: &mut dyn Write) -> io::Result<()> {
    Err(io::Error::other("this build has no pages (it was made without the feature `html`)"))
}
