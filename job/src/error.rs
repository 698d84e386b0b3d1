//! Locations in the user's input, errors with a location, and notes to the user.

use messages::{Message, Said, Sentence, message, sentence};
use std::fmt;
use std::sync::Arc;

/// Location in the user's input: an argument of the command line or a line of a job file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourceLocation {
    /// Number of the argument, counted from 1 without the program name.
    Argument(usize),
    /// Position in a job file.
    Line {
        /// Name of the file as given.
        file: Arc<str>,
        /// Line number, from 1.
        line: usize,
        /// Column number in characters, from 1.
        column: usize,
    },
    /// The whole input.
    Whole,
}

impl SourceLocation {
    /// Returns the location as a message that can be translated.
    fn to_message(&self) -> Said {
        match self {
            SourceLocation::Argument(n) => message!("job-argument", n = *n).into(),
            SourceLocation::Line { .. } => self.to_string().into(),
            SourceLocation::Whole => message!("lint-command-line").into(),
        }
    }
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceLocation::Argument(n) => write!(f, "argument {n}"),
            SourceLocation::Line { file, line, column } => write!(f, "{}:{line}:{column}", model::clip(file)),
            SourceLocation::Whole => f.write_str("command line"),
        }
    }
}

/// Reason why the input cannot be run. Printed as one line: location, error, allowed input, similar names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {what}")]
pub struct JobError {
    /// Location in the input.
    pub at: SourceLocation,
    /// Error and expected input, in one line.
    pub what: String,
}

/// Reason why the caller could not answer a query through [`crate::Lookup`] or [`crate::Facts`]. The message consists
/// of the requested name and this text, such as `no such file`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LookupError(pub String);

impl From<String> for LookupError {
    fn from(why: String) -> Self {
        LookupError(why)
    }
}

impl From<&str> for LookupError {
    fn from(why: &str) -> Self {
        LookupError(why.to_owned())
    }
}

/// Phrase in errors about fio features that secchi does not support.
pub(crate) const NOT_DONE: &str = "known, but not supported";

impl JobError {
    /// Returns `true` if the error is about a fio feature that secchi does not support.
    pub(crate) fn is_not_done(&self) -> bool {
        self.what.contains(NOT_DONE)
    }

    /// Returns an error at a location. Control characters are replaced by `?`, so the error stays on one line.
    pub(crate) fn new(at: &SourceLocation, what: impl Into<String>) -> Self {
        JobError { at: at.clone(), what: one_line(what.into()) }
    }
}

/// Note on input that was accepted but may not do what the user intended. Examples are repeated options, repaired
/// dashes, and options that have no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Location in the input.
    pub at: SourceLocation,
    /// One sentence.
    pub text: Sentence,
}

impl Note {
    /// Returns `true` if the note's sentence is the message with this ID.
    pub(crate) fn says(&self, id: &str) -> bool {
        matches!(self.text.message(), Some(Said::Message(message)) if message.id == id)
    }

    /// Returns a note at a location. Control characters are replaced by `?`, so the note stays on one line.
    pub(crate) fn new(at: &SourceLocation, text: Sentence) -> Self {
        let odd = text.contains(char::is_control);
        Note { at: at.clone(), text: if odd { messages::sentence(without_control(&text.into())) } else { text } }
    }

    /// Returns the location and the note as one sentence.
    #[must_use]
    pub fn to_sentence(&self) -> Sentence {
        sentence!("job-note-at", at = self.at.to_message(), what = &self.text)
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.text)
    }
}

fn without_control(said: &Said) -> Said {
    match said {
        Said::Text(text) => one_line(text.clone()).into(),
        Said::Message(message) => {
            let places = message.places.iter().map(|(name, said)| (name.clone(), without_control(said))).collect();
            Message { id: message.id.clone(), places }.into()
        }
        Said::All(parts) => Said::All(parts.iter().map(without_control).collect()),
    }
}

fn one_line(text: String) -> String {
    if text.contains(char::is_control) {
        return text.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use messages::Language;

    #[test]
    fn a_note_is_one_line_in_every_language() {
        let note =
            Note::new(&SourceLocation::Argument(2), sentence!("job-list-of-files", given = "a\n\u{1b}b", n = 2u32));
        assert_eq!(note.to_string(), "argument 2: `a??b` is a list of 2 files; write `\\:` for a colon in a name");
        assert_eq!(note.to_sentence(), note.to_string());
        for language in Language::ALL {
            let translated = messages::translate(language, &note.to_sentence()).into_owned();
            assert!(translated.contains("a??b") && !translated.contains(char::is_control), "{translated}");
        }
    }
}
