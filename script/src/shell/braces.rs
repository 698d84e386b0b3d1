//! Brace expansion.

use crate::syntax::{Piece, Word};

/// Maximum number of words from a brace expansion.
const MOST_WORDS: usize = 256;

/// Expands `{a,b}` and `{1..4}` (bash, "Brace Expansion") in unquoted text.
pub(super) fn expand_braces(word: Word) -> Vec<Word> {
    let mut done = Vec::new();
    let mut open = vec![word];
    while let Some(word) = open.pop() {
        let group = word.pieces.iter().enumerate().find_map(|(i, piece)| match piece {
            Piece::Text { text, quoted: false } => brace_group(text).map(|group| (i, group)),
            _ => None,
        });
        match group {
            Some((i, (before, choices, after))) if open.len() + done.len() + choices.len() <= MOST_WORDS => {
                open.extend(choices.into_iter().rev().map(|choice| {
                    let mut pieces = word.pieces.clone();
                    pieces[i] = Piece::Text { text: format!("{before}{choice}{after}"), quoted: false };
                    Word { pieces, text: word.text.clone() }
                }));
            }
            // There are too many words to follow.
            Some((i, _)) => {
                let mut pieces = word.pieces;
                pieces[i] = Piece::Unfollowed(word.text.clone());
                done.push(Word { pieces, text: word.text });
            }
            None => done.push(word),
        }
    }
    done
}

/// Returns the first brace group that expands: the text before it, its choices, and the text after it.
fn brace_group(text: &str) -> Option<(&str, Vec<String>, &str)> {
    let open = text.find('{')?;
    let close = open + text[open..].find('}')?;
    // The innermost group expands first, because the order of the words does not matter here.
    let open = text[..close].rfind('{')?;
    let inner = &text[open + 1..close];
    let choices: Vec<String> = match inner.split_once("..") {
        Some((from, to)) => {
            let (to, step) = to.split_once("..").unwrap_or((to, "1"));
            let letter =
                |t: &str| t.parse::<char>().ok().filter(char::is_ascii_alphabetic).map(|c| i64::from(u32::from(c)));
            let step: i64 = step.parse().ok()?;
            let is_padded = [from, to].iter().any(|t| t.len() > 1 && t.trim_start_matches('-').starts_with('0'));
            let width = if is_padded { from.len().max(to.len()) } else { 0 };
            let letters = letter(from).zip(letter(to));
            let (from, to) = letters.or_else(|| from.parse().ok().zip(to.parse().ok()))?;
            let show = |n: i64| match letters {
                Some(_) => u8::try_from(n).map_or_else(|_| String::new(), |n| char::from(n).to_string()),
                None => format!("{n:0width$}"),
            };
            let count = from.abs_diff(to) / step.unsigned_abs().max(1);
            let step = step.abs().max(1) * if to < from { -1 } else { 1 };
            let count = i64::try_from(count.min(MOST_WORDS as u64)).ok()?;
            (0..=count).map(|n| show(from + n * step)).collect()
        }
        None if inner.contains(',') => inner.split(',').map(str::to_owned).collect(),
        None => return None,
    };
    Some((&text[..open], choices, &text[close + 1..]))
}
