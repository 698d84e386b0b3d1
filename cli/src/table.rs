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

/// Returns a parser for words that mean values. Each row contains a word, its value and its help text.
pub(crate) fn named_values<T: Clone + Send + Sync>(
    rows: &'static [(&'static str, T, &'static str)],
) -> impl TypedValueParser<Value = T> {
    table_parser(rows, |(word, _, help)| PossibleValue::new(*word).help(*help)).map(|(_, value, _)| value.clone())
}
