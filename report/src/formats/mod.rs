//! Output formats, one file or folder each. Formats of whole runs (`secchi report --format`, files of `-o`) are listed
//! in [`FORMATS`].

mod csv;
#[cfg(feature = "html")]
pub mod dashboard;
pub mod database;
mod demand;
mod document;
mod durability;
pub(crate) mod earlier;
pub mod fio;
pub mod foreign;
#[cfg(feature = "html")]
pub mod html;
pub mod ioping;
mod json;
pub(crate) mod junit;
pub mod mark;
mod markdown;
mod metadata;
pub mod nagios;
pub mod perftools;
mod purchase;
mod replay;
mod report_page;
mod run;
mod terminal;
mod traced;
pub mod watch;

pub use demand::{write_demand, write_demand_json};
pub use document::write_document;
pub use json::{write_error, write_json};
pub use purchase::{write_purchases, write_purchases_json};
pub use replay::write_replay;
pub use report_page::write_demand_page;
pub use run::{Format, ReportedRun};
pub(crate) use terminal::{SCREEN, answer_lines, brief_closing, gravest_doubts, outcome_paint};
#[cfg(feature = "html")]
pub(crate) use terminal::{again, state, tool};
pub(crate) use terminal::{
    answer_label, cache, findings, head, host_line, latency_tick, latency_title, measured_on, op_name, pair, partial,
    rate_tick, typed,
};
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
