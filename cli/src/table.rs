//! Parser for words from a table that another crate defines.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Returns a parser that maps a word to its row. `word` returns a row's word with its aliases and help text.
pub(crate) fn table_parser<T: Sync>(
    rows: &'static [T],
    word: fn(&'static T) -> PossibleValue,
) -> impl TypedValueParser<Value = &'static T> {
    PossibleValuesParser::new(rows.iter().map(word)).map(move |typed| {
        rows.iter().find(|row| word(row).matches(&typed, false)).expect("clap accepts only words of the table")
    })
}
