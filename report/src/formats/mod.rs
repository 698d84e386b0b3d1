//! Output formats, one file or folder each. Formats of whole runs (`secchi report --format`, files of `-o`) are listed
//! in [`FORMATS`].

mod csv;
#[cfg(feature = "html")]
pub mod dashboard;
mod demand;
mod document;
mod document_kind;
pub mod documents;
pub(crate) mod earlier;
pub mod fio;
#[cfg(feature = "html")]
pub mod html;
pub mod ioping;
mod json;
pub mod mark;
pub mod metrics;
pub mod nagios;
pub mod perftools;
mod run;
pub mod runs_metrics;
#[cfg(feature = "schema")]
pub mod schema;
pub mod tables;
mod terminal;
pub mod watch;

use crate::document::View;
use crate::{Style, render};
use std::io::{self, Write};

pub use document::write_document;
pub(crate) use document::write_value;
pub use document_kind::DocumentKind;
pub use json::{write_error, write_json};
pub use run::{Format, Subject};
pub use terminal::{write_answer, write_judged, write_junit, write_terminal, write_traced};

/// All formats of a run, in the order of the help.
pub const FORMATS: &[Format] = &[
    Format {
        name: "html",
        aliases: &[],
        help: "Self-contained HTML page with charts and tables; works offline and in print",
        endings: &["html", "htm"],
        write: write_page,
    },
    Format {
        name: "terminal",
        aliases: &[],
        help: "Text, as on the screen",
        endings: &["txt"],
        write: terminal::write,
    },
    Format {
        name: "markdown",
        aliases: &["md"],
        help: "Markdown, for issues and wikis",
        endings: &["md", "markdown"],
        write: |subject, style, out| render::markdown::write(&subject.document(View::Markdown), style, out),
    },
    Format { name: "csv", aliases: &[], help: "CSV, one line per level", endings: &["csv"], write: csv::write },
    Format {
        name: "junit",
        aliases: &[],
        help: "JUnit, with the needs as test cases",
        endings: &["xml"],
        write: |subject, _, out| render::junit::write(&subject.document(View::Full), out),
    },
    Format {
        name: "json",
        aliases: &[],
        help: "Complete record and its judgement",
        endings: &["json"],
        write: json::write,
    },
];

#[cfg(feature = "html")]
fn write_page(subject: Subject<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    html::write_page(&html::Page { subject, language: style.language, home: None }, out)
}

#[cfg(not(feature = "html"))]
fn write_page(_: Subject<'_>, _: &Style, _: &mut dyn Write) -> io::Result<()> {
    Err(io::Error::other("this build does not support pages (it was built without the feature `html`)"))
}

/// Returns the format with this name or alias.
#[must_use]
pub fn format(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|f| f.name == name || f.aliases.contains(&name))
}

/// Returns the format selected by a file name's extension, given in lower case.
#[must_use]
pub fn format_for_ending(ending: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|f| f.endings.contains(&ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_found_by_its_names_and_endings_and_they_are_its_own() {
        for f in FORMATS {
            assert_eq!(format(f.name).map(|found| found.name), Some(f.name));
            let others = f.aliases.iter().map(|n| format(n)).chain(f.endings.iter().map(|e| format_for_ending(e)));
            assert!(others.flatten().all(|found| found.name == f.name), "{}", f.name);
        }
        assert!(format("xml").is_none() && format_for_ending("png").is_none());
    }
}
