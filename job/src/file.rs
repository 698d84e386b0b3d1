//! What was typed, understood: the run, its sections, and where each option of theirs stands.

use crate::error::{JobError, Note, SourceLocation};
use crate::options::{JobOptions, RunOptions};
use std::collections::BTreeMap;

/// Everything that was typed, understood.
#[derive(Debug, Clone, PartialEq)]
pub struct JobFile {
    /// What is printed, where, and how.
    pub run: RunOptions,
    /// Options of the binary's own table, as typed.
    pub extra: Vec<TypedOption>,
    /// The jobs, in order.
    pub sections: Vec<Section>,
    /// Defaults of the command line and the last `[global]`, as typed: fio's "global options".
    pub globals: Vec<TypedOption>,
    /// Worth telling.
    pub notes: Vec<Note>,
}

/// An option as typed, under its first name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedOption {
    /// Its first name.
    pub name: &'static str,
    /// Value; empty = bare.
    pub value: String,
}

/// A job.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// Where it begins.
    pub at: SourceLocation,
    /// Number of its job file, from 0; `None` = command line.
    pub file: Option<usize>,
    /// What it asks, defaults filled in.
    pub options: JobOptions,
    /// What was typed for it: fio's "job options".
    pub own: Vec<TypedOption>,
    /// What it inherited, as typed.
    pub inherited: Vec<TypedOption>,
    /// Where each option that was typed stands, inherited ones too.
    pub places: BTreeMap<&'static str, SourceLocation>,
    /// Number of its reporting group, from 0.
    pub group: u32,
    /// Waits for all earlier jobs: `stonewall`, or the first of a later file.
    pub barrier: bool,
}

impl JobFile {
    /// Whether the weights of a flow are meant as before fio 3.28.
    pub(crate) fn has_older_flow(&self, id: u32) -> bool {
        self.sections.iter().map(|s| &s.options.process).any(|p| p.flow_id == id && p.flow < 0)
    }
}

impl Section {
    /// Whether an option was typed, for the job or as a default.
    #[must_use]
    pub fn is_set(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// Where an option stands; the section's own place if it was not typed.
    #[must_use]
    pub fn place_of(&self, name: &str) -> &SourceLocation {
        self.places.get(name).unwrap_or(&self.at)
    }
}

/// Why something is not done, at the option it stands under.
pub(crate) fn not_done(section: &Section, option: &str, why: impl Into<String>) -> JobError {
    JobError::new(section.place_of(option), format!("{option}: {}", why.into()))
}
