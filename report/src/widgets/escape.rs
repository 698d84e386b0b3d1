//! Escaping of untrusted text for documents with their own markup.

use crate::widgets::sanitise::is_harmful;

/// Escapes `text` for Markdown, so that it neither ends a cell nor starts markup.
pub(crate) fn escape_markdown(text: &str) -> String {
    let mut out = String::new();
    for c in crate::harmless(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '~' | '\\' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

/// Escapes `text` for an element or an attribute of XML or HTML; line ends and tabs are kept. Characters that XML cannot
/// represent or that are invisible leave a mark.
pub(crate) fn escape_xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\n' | '\t' => out.push(c),
            c if is_harmful(c) || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Returns `text` as a field of comma-separated values, quoted if necessary. Spreadsheets treat text that begins with
/// `=`, `+`, `-` or `@` as a formula, so such text gets a leading quote (docs/design/security.md, "Foreign text").
pub(crate) fn csv_field(text: &str) -> String {
    let mut text = crate::harmless(text);
    if text.starts_with(['=', '+', '-', '@']) {
        text.insert(0, '\'');
    }
    quote_csv(&text)
}

/// Returns `text` unchanged except for quotes if necessary; for our own figures and columns, which may begin with a
/// sign.
pub(crate) fn quote_csv(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_with_a_comma_is_quoted_and_none_becomes_a_formula() {
        assert_eq!(csv_field("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(csv_field("=cmd|'/c calc'!A1"), "'=cmd|'/c calc'!A1");
        assert_eq!(csv_field("space.a,\"b\".free"), "\"space.a,\"\"b\"\".free\"");
    }
}
