//! Where something stands in what the user wrote, what is wrong with it, and what is worth telling though it is not.

use std::fmt;
use std::sync::Arc;

/// A place in what was typed: an argument of the command line or a line of a job file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The n-th argument, counted from 1, the program's name not among them.
    Argument(usize),
    /// In a job file; line and column count from 1, the column in characters.
    Line {
        /// Name of the file as given.
        file: Arc<str>,
        /// Line.
        line: usize,
        /// Column.
        column: usize,
    },
    /// Nothing in particular: the whole of what was typed.
    Whole,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Argument(n) => write!(f, "argument {n}"),
            Place::Line { file, line, column } => write!(f, "{}:{line}:{column}", model::clip(file)),
            Place::Whole => f.write_str("command line"),
        }
    }
}

/// Why what was typed cannot be run. One line: where, what, what is allowed, what is near.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {what}")]
pub struct JobError {
    /// Where.
    pub at: Place,
    /// What is wrong, with what would be right; one line.
    pub what: String,
}

impl JobError {
    /// An error at a place. Control characters are shown as `?`, so that it stays one line.
    pub(crate) fn new(at: &Place, what: impl Into<String>) -> Self {
        JobError { at: at.clone(), what: one_line(what.into()) }
    }
}

/// Something understood, but perhaps not as meant: last-wins options, mended dashes, options with no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Where.
    pub at: Place,
    /// One sentence.
    pub text: String,
}

impl Note {
    pub(crate) fn new(at: &Place, text: impl Into<String>) -> Self {
        Note { at: at.clone(), text: one_line(text.into()) }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.text)
    }
}

fn one_line(text: String) -> String {
    if text.contains(char::is_control) {
        return text.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    }
    text
}
