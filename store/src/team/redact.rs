//! Removal of passwords from URLs in text that is shown or stored.

use super::SCHEMES;

/// Replacement for a password.
const HIDDEN: &str = "***";

/// Returns `text` with the passwords of all database URLs hidden, both before an `@` and in query parameters.
///
/// A password may contain characters that should have been encoded, so everything up to the last `@` of the word is
/// hidden. This may hide too much, but never too little.
#[must_use]
pub fn without_passwords(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some((begin, scheme)) =
        SCHEMES.iter().filter_map(|s| lower[at..].find(s).map(|i| (at + i, *s))).min_by_key(|(i, _)| *i)
    {
        let from = begin + scheme.len();
        let ends = |c: char| c.is_whitespace() || c == '`' || c == '"';
        let to = text[from..].find(ends).map_or(text.len(), |i| from + i);
        out.push_str(&text[at..from]);
        out.push_str(&of_url(&text[from..to]));
        at = to;
    }
    out.push_str(&text[at..]);
    out
}

/// Hides the passwords in the part of a URL that follows the scheme.
fn of_url(rest: &str) -> String {
    let (user, place) = rest.rfind('@').map_or(("", rest), |at| rest.split_at(at));
    let user = user.split_once(':').map_or_else(|| user.to_owned(), |(name, _)| format!("{name}:{HIDDEN}"));
    let parameter = |part: &str| match part.split_once('=') {
        Some((name, _)) if name.to_ascii_lowercase().contains("password") => format!("{name}={HIDDEN}"),
        _ => part.to_owned(),
    };
    let place = match place.split_once('?') {
        None => place.to_owned(),
        Some((path, query)) => {
            format!("{path}?{}", query.split('&').map(parameter).collect::<Vec<_>>().join("&"))
        }
    };
    user + &place
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn passwords_are_hidden_wherever_a_url_may_hold_one() {
        for (text, shown) in [
            ("postgres://ann:s3cret@db:5432/runs", "postgres://ann:***@db:5432/runs"),
            ("--store=PostgreSQL://ann:a@b/c?d@db/runs x", "--store=PostgreSQL://ann:***@db/runs x"),
            ("see `postgres://ann:s@h/d` and postgres://b:t@h", "see `postgres://ann:***@h/d` and postgres://b:***@h"),
            (
                "postgres://h/d?user=ann&password=s3cret&sslmode=disable",
                "postgres://h/d?user=ann&password=***&sslmode=disable",
            ),
            ("postgres://ann@h/d", "postgres://ann@h/d"),
            ("http://ann:s@h", "http://ann:s@h"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(without_passwords(text), shown);
        }
    }

    proptest! {
        #[test]
        fn no_password_is_left_and_nothing_panics(password in "[a-z0-9@:/?%é]{6,20}", around in any::<String>()) {
            let text = format!("{around} postgres://ann:{password}@host/db tail");
            let shown = without_passwords(&text);
            let tail = &shown[shown.rfind("postgres://ann:").expect("the user is kept")..];
            let typed = [":", &password].concat();
            prop_assert!(!tail.contains(&typed), "{}", shown);
            prop_assert!(shown.ends_with(" tail"));
            let _ = without_passwords(&around);
        }
    }
}
