//! Where something stands in what the user wrote, what is wrong with it, and what is worth telling though it is not.

use messages::{Message, Said, Sentence, message, sentence};
use std::fmt;
use std::sync::Arc;

/// A place in what was typed: an argument of the command line or a line of a job file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourceLocation {
    /// The n-th argument, counted from 1, the program's name not among them.
    Argument(usize),
    /// In a job file; line and column count from 1, the column in characters.
    Line {
        /// Name of the file as given.
        file: Arc<str>,
        /// Number of the line, from 1.
        line: usize,
        /// Number of the column, from 1.
        column: usize,
    },
    /// Nothing in particular: the whole of what was typed.
    Whole,
}

impl SourceLocation {
    /// As it reads in other languages.
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

/// Why what was typed cannot be run. One line: where, what, what is allowed, what is near.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {what}")]
pub struct JobError {
    /// The place in what was typed.
    pub at: SourceLocation,
    /// What is wrong, with what would be right; one line.
    pub what: String,
}

/// Why the caller of this crate cannot answer what the language asks of the world, as one would say after the name of what
/// was asked for: `no such file`.
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

/// How an error says that fio has what was asked, and secchi does not do it.
pub(crate) const NOT_DONE: &str = "known, but not done";

impl JobError {
    /// Whether fio has what was asked, and secchi does not do it.
    pub(crate) fn is_not_done(&self) -> bool {
        self.what.contains(NOT_DONE)
    }

    /// An error at a place. Control characters are shown as `?`, so that it stays one line.
    pub(crate) fn new(at: &SourceLocation, what: impl Into<String>) -> Self {
        JobError { at: at.clone(), what: one_line(what.into()) }
    }
}

/// Something understood, but perhaps not as meant: last-wins options, mended dashes, options with no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The place in what was typed.
    pub at: SourceLocation,
    /// One sentence.
    pub text: Sentence,
}

impl Note {
    /// Whether its sentence is this message.
    pub(crate) fn says(&self, id: &str) -> bool {
        matches!(self.text.message(), Some(Said::Message(message)) if message.id == id)
    }

    /// A note at a place. Control characters are shown as `?`, so that it stays one line.
    pub(crate) fn new(at: &SourceLocation, text: Sentence) -> Self {
        let odd = text.contains(char::is_control);
        Note { at: at.clone(), text: if odd { messages::sentence(without_control(&text.into())) } else { text } }
    }

    /// Where and what, as one sentence.
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
            let told = messages::translate(language, &note.to_sentence()).into_owned();
            assert!(told.contains("a??b") && !told.contains(char::is_control), "{told}");
        }
    }
}
