//! Foreign text in documents with markup of their own.

/// `text` for Markdown: it neither ends a cell nor begins markup.
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

/// `text` as a field of comma-separated values, quoted where it has to be. A spreadsheet takes what begins with = + - @
/// for a formula (docs/design/security.md, "Foreign text").
pub(crate) fn csv_field(text: &str) -> String {
    let mut text = crate::harmless(text);
    if text.starts_with(['=', '+', '-', '@']) {
        text.insert(0, '\'');
    }
    quote_csv(&text)
}

/// `text` as it is, in quotes where it needs them: for figures and columns of our own, which may begin with a sign.
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
