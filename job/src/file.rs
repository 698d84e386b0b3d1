//! Result of parsing: options of the run, sections, and the location of every option.

use crate::error::{JobError, Note, SourceLocation};
use crate::options::{JobOptions, RunOptions};
use std::collections::BTreeMap;

/// Parsed command line or job file.
#[derive(Debug, Clone, PartialEq)]
pub struct JobFile {
    /// Options of the run, such as outputs.
    pub run: RunOptions,
    /// Options that the caller added to the option table, as typed.
    pub extra: Vec<TypedOption>,
    /// Jobs, in order.
    pub sections: Vec<Section>,
    /// Defaults from the command line and from the last `[global]` section, as typed. fio calls them "global options".
    pub globals: Vec<TypedOption>,
    /// Notes to the user.
    pub notes: Vec<Note>,
}

/// Option as typed, under its primary name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedOption {
    /// Primary name.
    pub name: &'static str,
    /// Value as typed; empty = no value.
    pub value: String,
}

/// One job, with its options and their locations.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Name of the job.
    pub name: String,
    /// Location of the beginning of the section.
    pub at: SourceLocation,
    /// Index of the job file, from 0; `None` = command line.
    pub file: Option<usize>,
    /// Options of the job, with defaults filled in.
    pub options: JobOptions,
    /// Options typed for this job. fio calls them "job options".
    pub own: Vec<TypedOption>,
    /// Inherited options, as typed.
    pub inherited: Vec<TypedOption>,
    /// Location of each option that was typed or inherited.
    pub places: BTreeMap<&'static str, SourceLocation>,
    /// Index of the reporting group, from 0.
    pub group: u32,
    /// True if the job waits for all earlier jobs, because it has `stonewall` or because it is the first job of a
    /// second or later file.
    pub barrier: bool,
}

impl JobFile {
    /// Returns `true` if any weight in a flow is negative. All weights of the flow then have their meaning from before
    /// fio 3.28.
    pub(crate) fn has_older_flow(&self, id: u32) -> bool {
        self.sections.iter().map(|s| &s.options.process).any(|p| p.flow_id == id && p.flow < 0)
    }
}

impl Section {
    /// Returns `true` if an option was given, for the job or as a default.
    #[must_use]
    pub fn is_set(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// Returns the location of an option, or of the section if the option was not given.
    #[must_use]
    pub fn place_of(&self, name: &str) -> &SourceLocation {
        self.places.get(name).unwrap_or(&self.at)
    }
}

/// Returns the error for an unsupported setting, located at its option.
pub(crate) fn not_done(section: &Section, option: &str, why: impl Into<String>) -> JobError {
    JobError::new(section.place_of(option), format!("{option}: {}", why.into()))
}
