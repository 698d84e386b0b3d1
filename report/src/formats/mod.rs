//! Output formats, one file or folder each. Formats of whole runs (`secchi report --format`, files of `-o`) are listed
//! in [`FORMATS`].

mod csv;
#[cfg(feature = "html")]
pub mod dashboard;
mod demand;
mod document;
pub(crate) mod earlier;
pub mod fio;
#[cfg(feature = "html")]
pub mod html;
pub mod ioping;
mod json;
pub(crate) mod junit;
pub mod mark;
mod markdown;
pub mod nagios;
pub mod perftools;
mod report_page;
mod run;
mod terminal;
mod traced;
pub mod watch;

pub use document::write_document;
pub use json::{write_error, write_json};
pub use run::{Format, Subject};
pub use terminal::{write_answer, write_judged, write_terminal};
pub use traced::write_traced;

/// All formats of a run, in the order of the help.
pub const FORMATS: &[Format] =
    &[report_page::FORMAT, terminal::FORMAT, markdown::FORMAT, csv::FORMAT, junit::FORMAT, json::FORMAT];

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
