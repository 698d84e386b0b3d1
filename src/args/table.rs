//! Words that stand in a table of another crate.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Takes the rows of a table by their words; `word` is that of a row, with its other names and its line of help.
pub(super) fn table_parser<T: Sync>(
    rows: &'static [T],
    word: fn(&'static T) -> PossibleValue,
) -> impl TypedValueParser<Value = &'static T> {
    PossibleValuesParser::new(rows.iter().map(word)).map(move |typed| {
        rows.iter().find(|row| word(row).matches(&typed, false)).expect("one of the words of the table")
    })
}
