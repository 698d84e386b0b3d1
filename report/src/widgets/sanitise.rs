//! Cleaning of untrusted text for the terminal; the only place that defines which characters are removed.
//!
//! Host names, device models, paths, notes and imported data are text that others chose. An escape sequence in it could
//! repaint the screen, a bidirectional control could reverse a figure, a zero-width character could hide in a name
//! (docs/design/security.md, "Foreign text").

/// Returns `true` if `c` must not reach a terminal: C0, C1, DEL, bidirectional controls, invisible format characters
/// and line separators.
pub(crate) const fn is_harmful(c: char) -> bool {
    matches!(c,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        // Soft hyphen, Arabic letter mark, Mongolian vowel separator, Hangul fillers: invisible.
        | '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}'
        // Zero-width space and joiners, marks, line and paragraph separator, embeddings, overrides, isolates.
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        // Variation selectors: invisible, and they change a character's width.
        | '\u{fe00}'..='\u{fe0f}'
        // Byte-order mark, interlinear annotation, language tags.
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns `text` on one line and without harmful characters. Line ends and tabs become a space; any other removed
/// character leaves a mark, so that different names do not look the same. Without `unicode` the result is ASCII.
pub(crate) fn clean(text: &str, unicode: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            ' '..='~' => out.push(c),
            '\n' | '\r' | '\t' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push(' '),
            _ if is_harmful(c) => out.push(if unicode { '\u{fffd}' } else { '?' }),
            _ if unicode => out.push(c),
            _ => out.push_str(ascii(c)),
        }
    }
    out
}

/// Returns the nearest ASCII spelling of the signs in our own sentences; `?` for anything else.
fn ascii(c: char) -> &'static str {
    match c {
        '\u{a0}' | '\u{2007}' | '\u{2009}' | '\u{202f}' => " ",
        '±' => "+-",
        '×' => "x",
        '÷' => "/",
        'µ' | 'μ' => "u",
        '≥' => ">=",
        '≤' => "<=",
        '≠' => "!=",
        '≈' => "~",
        '→' => "->",
        '←' => "<-",
        '·' | '•' => "*",
        '…' => "...",
        '‐' | '‑' | '–' | '—' | '−' => "-",
        '‘' | '’' => "'",
        '“' | '”' => "\"",
        _ => "?",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_lose_their_escape_and_leave_a_mark() {
        assert_eq!(clean("a\x1b[31mb\u{9b}2J", true), "a\u{fffd}[31mb\u{fffd}2J");
        assert_eq!(clean("a\x1b[31mb", false), "a?[31mb");
    }

    #[test]
    fn direction_overrides_and_invisible_characters_are_marked() {
        assert_eq!(clean("usr\u{202e}gpj.exe\u{200b}", true), "usr\u{fffd}gpj.exe\u{fffd}");
        assert_eq!(clean("\u{2066}x\u{2069}", true), "\u{fffd}x\u{fffd}");
    }

    #[test]
    fn a_second_line_joins_the_first() {
        assert_eq!(clean("one\r\ntwo\tthree", true), "one  two three");
    }

    #[test]
    fn without_unicode_our_own_signs_stay_readable() {
        assert_eq!(clean("5,998 ± 12 µs ≥ 4×", false), "5,998 +- 12 us >= 4x");
        assert_eq!(clean("диск", false), "????");
    }

    #[test]
    fn cleaning_twice_changes_nothing_more() {
        for unicode in [false, true] {
            let once = clean("\x1b]0;x\x07\u{202e}±\u{1F600}é", unicode);
            assert_eq!(clean(&once, unicode), once);
        }
    }
}
