//! Escape sequences of ODBC and JDBC in queries: `{fn ROUND(x, 2)}`, `{d '2026-11-30'}`. InterSystems' tools write
//! them, and SQLite does not know them.

/// Mistake in an escape sequence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EscapeError {
    /// The sequence is not one of those below.
    #[error("`{{{0}` is not supported: allowed are {{fn, {{d, {{t, {{ts, {{oj and {{escape")]
    Unknown(String),
    /// A brace has no counterpart.
    #[error("a `{0}` has no counterpart")]
    Unpaired(char),
}

/// Replaces each escape sequence by its content. Text in quotes and comments is not changed.
///
/// # Errors
/// Returns an error if a sequence is unknown, or if braces do not match.
pub(crate) fn without_escapes(sql: &str) -> Result<String, EscapeError> {
    let mut out = String::with_capacity(sql.len());
    let mut rest = sql;
    let mut depth = 0_usize;
    while let Some(first) = rest.chars().next() {
        let (text, length) = match first {
            '{' => {
                let inside = rest[1..].trim_start();
                let name = &inside[..inside.bytes().take_while(u8::is_ascii_alphabetic).count()];
                let keyword = match name.to_ascii_lowercase().as_str() {
                    "fn" | "d" | "t" | "ts" | "oj" => "",
                    "escape" => "ESCAPE",
                    _ => return Err(EscapeError::Unknown(model::clip(name))),
                };
                depth += 1;
                (keyword, rest.len() - inside.len() + name.len())
            }
            '}' => {
                depth = depth.checked_sub(1).ok_or(EscapeError::Unpaired('}'))?;
                ("", 1)
            }
            _ => {
                let length = verbatim(rest, first);
                (&rest[..length], length)
            }
        };
        out.push_str(text);
        rest = &rest[length..];
    }
    if depth == 0 { Ok(out) } else { Err(EscapeError::Unpaired('{')) }
}

/// Returns the number of bytes at the beginning of `rest` in which braces have no meaning: a quoted text, a comment, or
/// the character `first`.
fn verbatim(rest: &str, first: char) -> usize {
    let (open, close) = match first {
        '\'' => ("'", "'"),
        '"' => ("\"", "\""),
        '`' => ("`", "`"),
        '[' => ("[", "]"),
        '-' if rest.starts_with("--") => ("--", "\n"),
        '/' if rest.starts_with("/*") => ("/*", "*/"),
        _ => return first.len_utf8(),
    };
    let inside = &rest[open.len()..];
    inside.find(close).map_or(rest.len(), |end| open.len() + end + close.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn replaced(sql: &str) -> String {
        without_escapes(sql).expect("valid escapes")
    }

    #[test]
    fn escapes_are_replaced_by_their_content() {
        assert_eq!(replaced("SELECT {fn ROUND(AVG(IOPS),0)} As IOPS"), "SELECT  ROUND(AVG(IOPS),0) As IOPS");
        assert_eq!(replaced("{ FN abs({fn round(x)}) }"), " abs( round(x)) ");
        assert_eq!(replaced("a > {d '2026-11-30'} and {ts'x'}"), "a >  '2026-11-30' and 'x'");
        assert_eq!(replaced("a like '5|%' {escape '|'}"), "a like '5|%' ESCAPE '|'");
    }

    #[test]
    fn quoted_text_and_comments_stay() {
        for sql in ["'{fn it''s}'", "\"{d\"", "`}`", "[{]", "1 -- {fn\n+ 1", "/* } */ 1", "'unclosed {", "1 - 2 / 3"] {
            assert_eq!(replaced(sql), sql);
        }
    }

    #[test]
    fn mistakes_are_named() {
        let unknown = without_escapes("{call Reset()}").expect_err("unknown");
        assert_eq!(unknown.to_string(), "`{call` is not supported: allowed are {fn, {d, {t, {ts, {oj and {escape");
        assert_eq!(without_escapes("{fn round(1)"), Err(EscapeError::Unpaired('{')));
        assert_eq!(without_escapes("round(1)}"), Err(EscapeError::Unpaired('}')));
    }

    proptest! {
        #[test]
        fn any_text_is_read_and_text_without_braces_stays(sql in any::<String>()) {
            if let Ok(text) = without_escapes(&sql) {
                let escaped = sql.contains('{');
                prop_assert!(escaped || text == sql);
            }
        }
    }
}
