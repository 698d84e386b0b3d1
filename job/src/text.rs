//! Conversion between bytes and text, and repair of typographic characters.
//!
//! Text is UTF-8, with or without a byte order mark. Bytes that are not valid UTF-8 are legal only in paths. The parser
//! represents these bytes by the last 128 code points of Unicode, which the input must not contain. [`to_path`]
//! converts them back to bytes.

use std::path::PathBuf;

/// Base of the code points that represent bytes: a byte `b` of `0x80` or more becomes the code point `ESCAPE + b`.
const ESCAPE: u32 = 0x0010_FF00;

fn escaped(c: char) -> Option<u8> {
    (c as u32 >= ESCAPE + 0x80).then(|| (c as u32 - ESCAPE) as u8)
}

/// Returns the first byte in a text that was not valid UTF-8, for error messages.
#[must_use]
pub(crate) fn stray_byte(text: &str) -> Option<u8> {
    text.chars().find_map(escaped)
}

/// Reason why bytes are not text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotText {
    /// The input begins with a UTF-16 byte order mark.
    #[error("not text (byte 0xfe or 0xff at 0: UTF-16?); save it as UTF-8")]
    Utf16,
    /// The input contains a byte that is not allowed in text.
    #[error("not text (byte 0x{byte:02x} at {at})")]
    Byte {
        /// Value of the byte.
        byte: u8,
        /// Offset of the byte, from 0.
        at: usize,
    },
}

/// Decodes a file or an argument.
///
/// # Errors
/// Returns an error if the input is UTF-16, contains control characters other than tab, newline, carriage return and
/// form feed, or contains bytes that are neither valid UTF-8 nor allowed in a path on this system.
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

/// Returns the bytes from which a text was decoded.
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

/// Returns the path as it was typed.
#[must_use]
pub(crate) fn to_path(text: &str) -> PathBuf {
    model::path_of_bytes(to_bytes(text)).expect("decoding lets nothing else through")
}

/// Replaces bytes that are not valid UTF-8 by the replacement character, for printing.
#[must_use]
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if escaped(c).is_some() { '\u{fffd}' } else { c }).collect()
}

/// Returns `true` for dashes other than the ASCII hyphen: U+2010 to U+2015, U+2212, and the small and full-width forms.
pub(crate) const fn is_odd_dash(c: char) -> bool {
    matches!(c, '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}')
}

/// Returns `true` for spaces that a shell does not treat as separators: no-break, ideographic and typographic spaces.
pub(crate) const fn is_odd_space(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{2000}'..='\u{200b}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}')
}

/// Returns the ASCII quote that corresponds to a typographic quote.
pub(crate) const fn straight_quote(c: char) -> Option<char> {
    match c {
        '\u{201c}'..='\u{201f}' | '\u{ff02}' => Some('"'),
        '\u{2018}'..='\u{201b}' | '\u{ff07}' => Some('\''),
        _ => None,
    }
}

/// Replaces typographic dashes by hyphens. Returns `None` if the text contains none.
pub(crate) fn mend_dashes(text: &str) -> Option<String> {
    text.contains(is_odd_dash).then(|| text.chars().map(|c| if is_odd_dash(c) { '-' } else { c }).collect())
}

/// Replaces typographic spaces by plain spaces. Returns `None` if the text contains none.
pub(crate) fn mend_spaces(text: &str) -> Option<String> {
    text.contains(is_odd_space).then(|| text.chars().map(|c| if is_odd_space(c) { ' ' } else { c }).collect())
}

/// Removes typographic quotes around a value. With `keep`, replaces all typographic quotes by ASCII quotes instead.
/// Returns `None` if nothing changes.
pub(crate) fn mend_quotes(text: &str, keep: bool) -> Option<String> {
    if keep {
        return text
            .contains(|c| straight_quote(c).is_some())
            .then(|| text.chars().map(|c| straight_quote(c).unwrap_or(c)).collect());
    }
    let inner = text.strip_prefix(|c| straight_quote(c).is_some())?;
    inner.strip_suffix(|c| straight_quote(c).is_some() || c == '"' || c == '\'').map(str::to_owned)
}

/// Returns the number before the first `]`, `)`, `:`, `/` or `;`, where fio stops reading. The results for `8]` and
/// `4k:8k` are `8` and `4k`. A comma does not count, because it may be intended as a decimal point.
pub(crate) fn number_before_sign(text: &str) -> Option<&str> {
    let (head, _) = text.split_once([']', ')', ':', '/', ';'])?;
    let head = head.trim_end();
    head.starts_with(|c: char| c.is_ascii_digit()).then_some(head)
}

/// Returns `true` if a typographic quote is opened after the `=` and not closed.
pub(crate) fn opens_quote(text: &str) -> bool {
    text.split_once('=')
        .is_some_and(|(_, value)| value.starts_with(['\u{201c}', '\u{2018}', '\u{201e}']) && !closes_quote(value))
}

/// Returns `true` if a typographic quote ends the text.
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
