//! From bytes to text, and what word processors do to text.
//!
//! Text is UTF-8, with or without a mark at its front. Bytes that are no UTF-8 are legal in paths, so they travel
//! through the parser as characters of their own (the last 128 of Unicode, which nobody may use) and become bytes
//! again in [`to_path`]; anywhere else they are an error.

use std::path::PathBuf;

/// Stands for byte `0x80 + n`, at `ESCAPE + 0x80 + n`.
const ESCAPE: u32 = 0x0010_FF00;

fn escaped(c: char) -> Option<u8> {
    (c as u32 >= ESCAPE + 0x80).then(|| (c as u32 - ESCAPE) as u8)
}

/// The byte a path holds that is no UTF-8, if any, for telling.
#[must_use]
pub(crate) fn stray_byte(text: &str) -> Option<u8> {
    text.chars().find_map(escaped)
}

/// Why bytes are no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotText {
    /// They begin with a mark of UTF-16.
    #[error("not text (byte 0xfe or 0xff at 0: UTF-16?); save it as UTF-8")]
    Utf16,
    /// One of them stands for no character of text.
    #[error("not text (byte 0x{byte:02x} at {at})")]
    Byte {
        /// The byte.
        byte: u8,
        /// Its place, from 0.
        at: usize,
    },
}

/// Decodes a file or an argument.
///
/// # Errors
/// When it holds control characters other than tab, newline, return and form feed, is UTF-16, or has bytes that are neither
/// UTF-8 nor may stand in a path of this system.
pub(crate) fn decode(bytes: &[u8]) -> Result<String, NotText> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(NotText::Utf16);
    }
    let skipped = if bytes.starts_with(&[0xef, 0xbb, 0xbf]) { 3 } else { 0 };
    let body = &bytes[skipped..];
    let not_text = |at: usize| Err(NotText::Byte { byte: body[at], at: at + skipped });
    let control = |b: &u8| *b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0c) || *b == 0x7f;
    if let Some(at) = body.iter().position(control) {
        return not_text(at);
    }
    let mut text = String::with_capacity(body.len());
    let mut at = 0;
    for chunk in body.utf8_chunks() {
        if let Some((offset, _)) = chunk.valid().char_indices().find(|(_, c)| escaped(*c).is_some()) {
            return not_text(at + offset);
        }
        text.push_str(chunk.valid());
        if model::path_of_bytes(chunk.invalid().to_vec()).is_none() {
            return not_text(at + chunk.valid().len());
        }
        for byte in chunk.invalid() {
            text.push(char::from_u32(ESCAPE + u32::from(*byte)).expect("an invalid byte is 0x80 or more"));
        }
        at += chunk.valid().len() + chunk.invalid().len();
    }
    Ok(text)
}

/// The bytes a text was decoded from.
#[must_use]
pub(crate) fn to_bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut buffer = [0; 4];
    for c in text.chars() {
        match escaped(c) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes()),
        }
    }
    bytes
}

/// A path as typed.
#[must_use]
pub(crate) fn to_path(text: &str) -> PathBuf {
    model::path_of_bytes(to_bytes(text)).expect("decoding lets nothing else through")
}

/// For printing: stray bytes as the replacement character.
#[must_use]
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if escaped(c).is_some() { '\u{fffd}' } else { c }).collect()
}

/// Dashes that are not the minus of the keyboard: U+2010 to U+2015, U+2212 and the wide ones.
pub(crate) const fn is_odd_dash(c: char) -> bool {
    matches!(c, '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}')
}

/// Spaces that separate nothing for a shell: no-break, ideographic and the typographic widths.
pub(crate) const fn is_odd_space(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{2000}'..='\u{200b}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}')
}

/// The quote of the keyboard for a typographic one.
pub(crate) const fn straight_quote(c: char) -> Option<char> {
    match c {
        '\u{201c}'..='\u{201f}' | '\u{ff02}' => Some('"'),
        '\u{2018}'..='\u{201b}' | '\u{ff07}' => Some('\''),
        _ => None,
    }
}

/// Replaces typographic dashes; `None` when there were none.
pub(crate) fn mend_dashes(text: &str) -> Option<String> {
    text.contains(is_odd_dash).then(|| text.chars().map(|c| if is_odd_dash(c) { '-' } else { c }).collect())
}

/// Replaces typographic spaces; `None` when there were none.
pub(crate) fn mend_spaces(text: &str) -> Option<String> {
    text.contains(is_odd_space).then(|| text.chars().map(|c| if is_odd_space(c) { ' ' } else { c }).collect())
}

/// Handles typographic quotes around a value: taken off, or with `keep` made straight. `None` when there were none.
pub(crate) fn mend_quotes(text: &str, keep: bool) -> Option<String> {
    if keep {
        return text
            .contains(|c| straight_quote(c).is_some())
            .then(|| text.chars().map(|c| straight_quote(c).unwrap_or(c)).collect());
    }
    let inner = text.strip_prefix(|c| straight_quote(c).is_some())?;
    inner.strip_suffix(|c| straight_quote(c).is_some() || c == '"' || c == '\'').map(str::to_owned)
}

/// The number in front of a sign that belongs to no number, where fio stops reading: `8` of `8]`, `4k` of `4k:8k`. A comma is
/// none of these: it may be meant as a point.
pub(crate) fn number_before_sign(text: &str) -> Option<&str> {
    let (head, _) = text.split_once([']', ')', ':', '/', ';'])?;
    let head = head.trim_end();
    head.starts_with(|c: char| c.is_ascii_digit()).then_some(head)
}

/// Whether a typographic quote is opened behind the `=` and not closed again.
pub(crate) fn opens_quote(text: &str) -> bool {
    text.split_once('=')
        .is_some_and(|(_, value)| value.starts_with(['\u{201c}', '\u{2018}', '\u{201e}']) && !closes_quote(value))
}

/// Whether a typographic quote ends the text.
pub(crate) fn closes_quote(text: &str) -> bool {
    text.ends_with(['\u{201d}', '\u{2019}', '\u{201f}']) || text.len() > 3 && text.ends_with('\u{201c}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn control_bytes_are_not_text_and_a_mark_at_the_front_is_skipped() {
        assert_eq!(decode(b"\xef\xbb\xbf[a]\r\n"), Ok("[a]\r\n".into()));
        assert_eq!(decode(b"[a]\x00").unwrap_err().to_string(), "not text (byte 0x00 at 3)");
        assert_eq!(decode(b"\xff\xfe[\x00"), Err(NotText::Utf16));
    }

    proptest! {
        #[test]
        fn a_path_of_any_bytes_comes_back(bytes in proptest::collection::vec(0x20u8..=0xff, 0..40)) {
            prop_assume!(!bytes.contains(&0x7f) && !bytes.starts_with(&[0xef, 0xbb, 0xbf]));
            if let Ok(text) = decode(&bytes) {
                let path = to_path(&text);
                prop_assert_eq!(path.as_os_str().as_encoded_bytes(), &bytes[..]);
            }
        }
    }
}
