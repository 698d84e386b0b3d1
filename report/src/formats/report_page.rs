//! The entry for browser pages in the table of formats; the page itself is in `html`, if that feature is enabled.

use super::run::{Format, Subject};
use crate::Style;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    name: "html",
    aliases: &[],
    help: "Self-contained HTML page with charts and tables; works offline and in print",
    endings: &["html", "htm"],
    is_screen: false,
    write,
};

#[cfg(feature = "html")]
fn write(subject: Subject<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    use super::html::{Page, write_page};
    write_page(&Page { subject, language: style.language, home: None }, out)
}

#[cfg(not(feature = "html"))]
fn write(_: Subject<'_>, _: &Style, _: &mut dyn Write) -> io::Result<()> {
    Err(io::Error::other("this build does not support pages (it was built without the feature `html`)"))
}
