//! Errors in the value of an option.

use crate::error::NOT_DONE;
use model::clip;

/// Error in the value of an option. The message is one line and quotes at most 80 characters of the input. The caller
/// prepends the option's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// The option needs a value, but has none.
    #[error("a value is needed: {allowed}")]
    Missing {
        /// Description of the values that the option takes.
        allowed: String,
    },
    /// There is no text after the `=`.
    #[error("the value is empty: {allowed}")]
    Empty {
        /// Description of the values that the option takes.
        allowed: String,
    },
    /// A number, a size or a time is expected, but the text is not a number.
    #[error("`{given}` is not a {noun}")]
    NotANumber {
        /// Text as typed.
        given: String,
        /// Expected kind: `number`, `size` or `time`.
        noun: &'static str,
    },
    /// The number is negative, which is not allowed.
    #[error("negative {noun} `{given}`")]
    Negative {
        /// Text as typed.
        given: String,
        /// Expected kind: `number`, `size` or `time`.
        noun: &'static str,
    },
    /// The number exceeds the option's limit, or the limit that applies to all numbers.
    #[error("`{given}` is too large{}", most.as_ref().map(|most| format!(" (max {most})")).unwrap_or_default())]
    TooLarge {
        /// Text as typed.
        given: String,
        /// Largest allowed value, if the option has its own limit.
        most: Option<String>,
    },
    /// The number is not a whole multiple of the smallest unit.
    #[error("`{given}` is not a whole number of {unit}")]
    NotWhole {
        /// Text as typed.
        given: String,
        /// Smallest unit: `bytes`, `nanoseconds` or `ones`.
        unit: &'static str,
    },
    /// The text after the number is not a unit.
    #[error(
        "unknown unit `{unit}` in `{given}`: {allowed}{}",
        if unit.starts_with(',') { "; one value is expected, and decimals need a point" } else { "" }
    )]
    UnknownUnit {
        /// Text as typed.
        given: String,
        /// Text after the number.
        unit: String,
        /// Available units.
        allowed: &'static str,
    },
    /// The value has the right form, but is outside of the allowed range.
    #[error("`{given}` must be {allowed}")]
    OutOfRange {
        /// Text as typed.
        given: String,
        /// Allowed range, such as `0..100` or `at least 1 B`.
        allowed: String,
    },
    /// The text does not have the form that the option takes.
    #[error("`{given}` is {form}")]
    Form {
        /// Text as typed.
        given: String,
        /// Description of the error with an example of the expected form, such as `not a range, such as 4k-64k`.
        form: &'static str,
    },
    /// Part of the value is wrong.
    #[error("`{given}`: {why}")]
    Within {
        /// Text as typed.
        given: String,
        /// Error in that part.
        why: String,
    },
    /// The option does not accept this word.
    #[error("`{given}` is not one of: {words}{}", nearest.as_ref().map(|n| format!("; did you mean `{n}`?")).unwrap_or_default())]
    UnknownWord {
        /// Text as typed.
        given: String,
        /// Accepted words, separated by spaces.
        words: String,
        /// Most similar accepted word, if any is similar.
        nearest: Option<String>,
    },
    /// The word is known to fio, but secchi does not support it.
    #[error("`{word}` is {}{}: {why}", if *external { "an external engine, " } else { "" }, NOT_DONE)]
    NotDone {
        /// Word that is not supported.
        word: String,
        /// True if the word names an engine in a shared object.
        external: bool,
        /// Reason, and what to use instead.
        why: &'static str,
    },
    /// An argument follows a word that takes none.
    #[error("`{word}` does not take an argument (`:{argument}`)")]
    Argument {
        /// Word that takes no argument.
        word: String,
        /// Text after the colon.
        argument: String,
    },
    /// The option table has a mistake: the kind of value does not fit the option's field.
    #[error("{0}")]
    Mismatch(&'static str),
    /// Error that is specific to one option. The text is a complete sentence.
    #[error("{0}")]
    Option(String),
}

impl ValueError {
    /// Returns the error for a value outside of the allowed range.
    pub(crate) fn out_of_range(given: &str, allowed: impl Into<String>) -> Self {
        ValueError::OutOfRange { given: clip(given), allowed: allowed.into() }
    }

    /// Returns the error for a value that does not have the form that the option takes.
    pub(crate) fn form(given: &str, form: &'static str) -> Self {
        ValueError::Form { given: clip(given), form }
    }

    /// Returns the error for a value with a wrong part.
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
