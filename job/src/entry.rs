//! Parsed but unresolved input: options with their locations, grouped by section.

use crate::error::{JobError, Note, SourceLocation};
use crate::options::OptionSpec;

/// Option as written.
#[derive(Clone)]
pub(crate) struct Entry {
    pub at: SourceLocation,
    pub spec: OptionSpec,
    /// Text of the value; `None` = no value.
    pub value: Option<String>,
}

/// Kind of a section.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Head {
    /// Defaults of the jobs that follow in the same source.
    Global,
    /// Job with its name.
    Job(String),
}

/// Section as written.
pub(crate) struct RawSection {
    pub at: SourceLocation,
    pub head: Head,
    pub entries: Vec<Entry>,
    /// Index of the file, from 0; `None` = command line.
    pub file: Option<usize>,
}

/// The whole input as written.
#[derive(Default)]
pub(crate) struct Raw {
    /// Options of the run.
    pub run: Vec<Entry>,
    pub sections: Vec<RawSection>,
    pub notes: Vec<Note>,
    /// Error for the first unset variable in a path. The error is ignored if the input is only parsed and nothing is
    /// opened.
    pub unset_in_path: Option<JobError>,
}
