//! Parser for words from a table of another crate.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Returns a parser that maps a word to its row. `word` returns the word of a row, with its aliases and help.
pub(super) fn table_parser<T: Sync>(
    rows: &'static [T],
    word: fn(&'static T) -> PossibleValue,
) -> impl TypedValueParser<Value = &'static T> {
    PossibleValuesParser::new(rows.iter().map(word)).map(move |typed| {
        rows.iter().find(|row| word(row).matches(&typed, false)).expect("clap accepts only words of the table")
    })
}
