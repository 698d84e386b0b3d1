//! Results of following a script: the commands that do I/O, and the parts that were not followed.

use crate::environment::Variables;
use crate::wrappers::program_name;
use messages::sentence;
use model::{Sentence, clip};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Programs whose command lines are checked as plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// fio, or `secchi fio`.
    Fio,
    /// Another command of secchi.
    Secchi,
    /// Microsoft's diskspd.
    Diskspd,
}

/// A benchmark command in a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// Line, counted from 1.
    pub line: u32,
    /// Source text.
    pub text: String,
    /// Program that the command runs.
    pub program: Program,
    /// Arguments, as far as they are known.
    pub words: Vec<String>,
    /// File that receives the standard output, or the file given by `--output`.
    pub output: Option<String>,
    /// True if the script does not wait for the command.
    pub background: bool,
    /// Arguments that are known only when the script runs; they are not in `words`.
    pub unknown: Vec<Unknown>,
    /// Files that the script wrote earlier, by name; `-` is standard input.
    pub files: Rc<BTreeMap<String, Rc<str>>>,
    /// Variables at the time of the command.
    pub(crate) variables: Variables,
}

impl Planned {
    /// Returns the value of a variable at the time of the command, if it has exactly one possible value.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&String> {
        self.variables.known(name)
    }
}

/// An argument that is unknown without running the script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// Text of the word, as far as it is known.
    pub word: String,
    /// Reason why it is unknown.
    pub cause: Cause,
}

/// Reason why a word is unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// The script does not set this variable.
    Unset(String),
    /// The value is known only when the script runs.
    Run,
}

impl Unknown {
    /// Returns a sentence with the word and the reason why it is unknown.
    #[must_use]
    pub fn describe(&self) -> Sentence {
        let word = clip(&self.word);
        match &self.cause {
            Cause::Unset(name) => sentence!("lint-variable-not-set", word, name = clip(name)),
            Cause::Run => sentence!("lint-known-when-run", word),
        }
    }
}

/// Part of a script that was not followed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Doubt {
    /// Line, counted from 1; 0 = the whole script.
    pub line: u32,
    /// Source text, shortened.
    pub text: String,
    /// Reason why it was not followed.
    pub what: Sentence,
}

/// Result of following a script.
#[derive(Debug, Default)]
pub struct Followed {
    /// Benchmark commands, in the order in which they were found.
    pub plans: Vec<Planned>,
    /// Parts that were not followed.
    pub doubts: Vec<Doubt>,
}

/// Returns the program that a word names, by its file name.
pub fn program(word: &str) -> Option<Program> {
    match program_name(word).as_str() {
        "fio" => Some(Program::Fio),
        "secchi" => Some(Program::Secchi),
        "diskspd" | "diskspd64" => Some(Program::Diskspd),
        _ => None,
    }
}
