//! What was written: options with their places, by section.

use crate::error::{JobError, Note, SourceLocation};
use crate::options::OptionSpec;

/// An option as written.
#[derive(Clone)]
pub(crate) struct Entry {
    pub at: SourceLocation,
    pub spec: OptionSpec,
    /// `None` = bare.
    pub value: Option<String>,
}

/// What a section is.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Head {
    /// Defaults of what follows in the same source.
    Global,
    /// A job.
    Job(String),
}

/// A section as written.
pub(crate) struct RawSection {
    pub at: SourceLocation,
    pub head: Head,
    pub entries: Vec<Entry>,
    /// Number of the file, from 0; `None` = command line.
    pub file: Option<usize>,
}

/// Everything as written.
pub(crate) struct Raw {
    /// Options of the run.
    pub run: Vec<Entry>,
    pub sections: Vec<RawSection>,
    pub notes: Vec<Note>,
    /// A path has a variable in it that is not set: it may be read, but nothing is opened or made there.
    pub unset_in_path: Option<JobError>,
}
