//! Foreign text in documents with markup of their own.

/// Foreign text that neither ends a cell nor begins markup.
pub(crate) fn escaped(text: &str) -> String {
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
