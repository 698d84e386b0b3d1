//! Grouping of the digits in figures, according to the reader's language.

use crate::Language;
use std::borrow::Cow;

/// Narrow no-break space, which separates groups of digits in Russian. A comma would be read as the decimal point.
const NARROW_SPACE: char = '\u{202f}';

/// Characters that may precede the number within a word.
const BEFORE: [char; 10] = ['(', '[', '<', '>', '~', '≈', '±', '+', '-', '−'];
/// Characters that may follow the number within a word.
const AFTER: [char; 9] = [')', ']', ',', ';', ':', '.', '%', '…', '?'];

/// Denominators of units, in English and Russian, such as the `s` in `MB/s`.
const EACH: [&str; 4] = ["s", "с", "op", "оп"];

/// Replaces the commas between groups of digits with the language's separator. Only Russian has a separator other than
/// the comma.
///
/// Changes only words that consist of a figure. Text that contains an option, a path, a quotation or a secchi command
/// is left unchanged, because readers copy such text.
#[must_use]
pub fn group_digits(language: Language, text: &str) -> Cow<'_, str> {
    if language != Language::Russian || !has_group(text) || is_copied(text) {
        return text.into();
    }
    let group = |word| if is_figure(str::trim_end(word)) { grouped(word) } else { word.to_owned() };
    text.split_inclusive(' ').map(group).collect::<String>().into()
}

/// Returns `true` if the text contains a comma between digits.
fn has_group(text: &str) -> bool {
    text.as_bytes().windows(3).any(|w| w[0].is_ascii_digit() && w[1] == b',' && w[2].is_ascii_digit())
}

/// Returns `true` if the text contains something that readers copy, such as an option, an assignment, a path or a
/// command.
fn is_copied(text: &str) -> bool {
    let is_path = |word: &str| word.contains('/') && word != "/" && !is_unit(word) && !is_figure(word);
    let is_setting = |word: &str| word.contains('=') && !matches!(word, "=" | "<=" | ">=");
    text.contains(['`', '"', '\\'])
        || text.contains("secchi ")
        || text.split_whitespace().any(|word| word.starts_with("--") || is_setting(word) || is_path(word))
}

/// Returns `true` for units such as `MB/s` and `CPU/op`, and for `I/O`.
fn is_unit(word: &str) -> bool {
    let word = word.trim_matches(|c: char| BEFORE.contains(&c) || AFTER.contains(&c));
    let parts = word.split_once('/');
    word == "I/O" || parts.is_some_and(|(what, each)| what.chars().all(char::is_alphabetic) && EACH.contains(&each))
}

/// Returns `true` if a word is a figure or a range of figures. Punctuation around the figure and a final `/s` are
/// ignored.
fn is_figure(word: &str) -> bool {
    let word = word.trim_start_matches(BEFORE).trim_end_matches(AFTER);
    let word = word.strip_suffix("/s").or(word.strip_suffix("/с")).unwrap_or(word);
    let mut parts = word.split(['-', '–', '/']);
    parts.all(is_number)
}

/// Returns `true` if the text is an unsigned number, with or without digit groups and decimals.
fn is_number(text: &str) -> bool {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let mut others = groups.peekable();
    let leads = others.peek().is_none() || first.len() <= 3 && !first.starts_with('0');
    digits(first) && digits(decimals) && leads && others.all(|group| group.len() == 3 && digits(group))
}

fn grouped(word: &str) -> String {
    let digit = |at: Option<usize>| at.and_then(|at| word.as_bytes().get(at)).is_some_and(u8::is_ascii_digit);
    let is_between = |at: usize| digit(at.checked_sub(1)) && digit(Some(at + 1));
    let group = |(at, c)| if c == ',' && is_between(at) { NARROW_SPACE } else { c };
    word.char_indices().map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{format, message};

    fn russian(text: &str) -> String {
        group_digits(Language::Russian, text).replace(NARROW_SPACE, "_")
    }

    #[test]
    fn russian_groups_digits_with_a_narrow_space() {
        assert_eq!(russian("53,811"), "53_811");
        assert_eq!(russian("1,234,567 IOPS"), "1_234_567 IOPS");
        assert_eq!(russian("3,600 IOPS (burst 18,750 IOPS), 1,178 MB/s"), "3_600 IOPS (burst 18_750 IOPS), 1_178 MB/s");
        assert_eq!(russian("+1,579; 25,000 / 15,000; 4,000-6,000"), "+1_579; 25_000 / 15_000; 4_000-6_000");
        assert_eq!(russian("9,081/s, 1,234.5"), "9_081/s, 1_234.5");
        assert_eq!(russian("iops >= 6,000"), "iops >= 6_000");
    }

    #[test]
    fn lists_and_text_to_copy_stay_as_they_are() {
        for text in [
            "1,2,3",
            "0,512",
            "16,1024",
            "4k,8k",
            "randread,128",
            "gp3:size=2,000",
            "8k randread: iops>=1,000 or 2,000",
            "secchi qualify -p 1,128",
            "run with --depth 1,128",
            "`1,128`",
            "/data/run 1,024",
            "data/run 1,024",
            "run-1,024",
        ] {
            assert_eq!(russian(text), text);
        }
    }

    #[test]
    fn other_languages_keep_the_comma() {
        for language in [Language::English, Language::Japanese, Language::Chinese] {
            assert_eq!(group_digits(language, "53,811 IOPS"), "53,811 IOPS");
        }
    }

    #[test]
    fn figures_in_messages_are_grouped() {
        let needed = |rate: &str| message!("limits-solve-depth", depth = rate);
        assert!(format(Language::Russian, &needed("1,024")).contains("1\u{202f}024 "));
        assert!(format(Language::English, &needed("1,024")).contains("1,024 "));
    }
}
