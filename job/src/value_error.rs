//! Why the text of an option's value cannot be read.

use crate::error::NOT_DONE;
use model::clip;

/// Why the text of a value is none. Its sentence is one line and names what was typed, at most 80 characters of it; the
/// option's name is put before it by the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// The option stands bare, and needs a value.
    #[error("a value is needed: {allowed}")]
    Missing {
        /// What kind of value it takes.
        allowed: String,
    },
    /// Nothing follows the `=`.
    #[error("the value is empty: {allowed}")]
    Empty {
        /// What kind of value it takes.
        allowed: String,
    },
    /// No number, where a number, a size or a time is expected.
    #[error("`{given}` is not a {noun}")]
    NotANumber {
        /// What was typed.
        given: String,
        /// What is expected: `number`, `size` or `time`.
        noun: &'static str,
    },
    /// A number below zero that cannot be.
    #[error("negative {noun} `{given}`")]
    Negative {
        /// What was typed.
        given: String,
        /// What is expected: `number`, `size` or `time`.
        noun: &'static str,
    },
    /// More than the option takes, or than any number may be.
    #[error("`{given}` is too large{}", most.as_ref().map(|most| format!(" (max {most})")).unwrap_or_default())]
    TooLarge {
        /// What was typed.
        given: String,
        /// The largest value of the option, where it has one of its own.
        most: Option<String>,
    },
    /// Not a whole number of the smallest unit.
    #[error("`{given}` is not a whole number of {unit}")]
    NotWhole {
        /// What was typed.
        given: String,
        /// The smallest unit: `bytes`, `nanoseconds` or `ones`.
        unit: &'static str,
    },
    /// What follows the number is no unit.
    #[error(
        "unknown unit `{unit}` in `{given}`: {allowed}{}",
        if unit.starts_with(',') { "; one value is expected, decimals have a point" } else { "" }
    )]
    UnknownUnit {
        /// What was typed.
        given: String,
        /// What follows the number.
        unit: String,
        /// The units there are.
        allowed: &'static str,
    },
    /// A value of the right form, outside of what the option takes.
    #[error("`{given}` must be {allowed}")]
    OutOfRange {
        /// What was typed.
        given: String,
        /// What it takes: `0..100`, `at least 1 B`.
        allowed: String,
    },
    /// Not of the form that the option takes.
    #[error("`{given}` is {form}")]
    Form {
        /// What was typed.
        given: String,
        /// What it is not, with an example: `no range: 4k-64k`.
        form: &'static str,
    },
    /// Wrong at one place within it.
    #[error("`{given}`: {why}")]
    Within {
        /// What was typed.
        given: String,
        /// What is wrong there.
        why: String,
    },
    /// None of the words the option takes.
    #[error("`{given}` is not one of: {words}{}", nearest.as_ref().map(|n| format!("; did you mean `{n}`?")).unwrap_or_default())]
    UnknownWord {
        /// What was typed.
        given: String,
        /// The words, separated by blanks.
        words: String,
        /// The word that is nearest to it, if one is near.
        nearest: Option<String>,
    },
    /// A word of fio's for something that secchi does not do.
    #[error("`{word}` is {}{}: {why}", if *external { "an engine of its own, " } else { "" }, NOT_DONE)]
    NotDone {
        /// The word.
        word: String,
        /// Whether it names an engine in a file of its own.
        external: bool,
        /// Why it is not done, and what to do instead.
        why: &'static str,
    },
    /// Text behind a word that takes none.
    #[error("`{word}` takes no argument, `:{argument}` follows it")]
    Argument {
        /// The word.
        word: String,
        /// What follows the colon behind it.
        argument: String,
    },
    /// The option table is wrong: what it reads does not fit the option's field.
    #[error("{0}")]
    Mismatch(&'static str),
    /// What only one option has to say, as a sentence.
    #[error("{0}")]
    Option(String),
}

impl ValueError {
    /// Of a value that is outside of what the option takes.
    pub(crate) fn out_of_range(given: &str, allowed: impl Into<String>) -> Self {
        ValueError::OutOfRange { given: clip(given), allowed: allowed.into() }
    }

    /// Of a value that has not the form the option takes.
    pub(crate) fn form(given: &str, form: &'static str) -> Self {
        ValueError::Form { given: clip(given), form }
    }

    /// Of a value with one wrong place in it.
    pub(crate) fn within(given: &str, why: impl Into<String>) -> Self {
        ValueError::Within { given: clip(given), why: why.into() }
    }
}

impl From<String> for ValueError {
    fn from(sentence: String) -> Self {
        ValueError::Option(sentence)
    }
}

impl From<&str> for ValueError {
    fn from(sentence: &str) -> Self {
        ValueError::Option(sentence.to_owned())
    }
}
