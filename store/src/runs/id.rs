//! Ids of runs. They are always UUIDs and never file names, so an id cannot refer to a file outside the store. This
//! module also looks up the short forms that a user may type.

use crate::runs::error::StoreError;
use model::{clip, units::nearest};
use std::collections::BTreeMap;

/// Maximum number of ids named in an error.
const MOST_LISTED: usize = 5;
/// Minimum number of characters that are shown of a suggested id.
const NEAR_DIGITS: usize = 8;

/// Returns `true` if `text` is a UUID in the form that secchi writes: hyphenated, lower case.
pub(crate) fn is_id(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(i, b)| match i {
            8 | 13 | 18 | 23 => b == b'-',
            _ => matches!(b, b'0'..=b'9' | b'a'..=b'f'),
        })
}

/// Checks that `text` is a whole id.
///
/// # Errors
/// Returns [`StoreError::BadId`] if `text` is not a whole id.
pub(crate) fn check(text: &str) -> Result<(), StoreError> {
    if is_id(text) { Ok(()) } else { Err(StoreError::BadId { typed: clip(text) }) }
}

/// Returns the position counted back from the newest run: 0 for `last`, 1 for `last-1` and so on. Returns `None` for
/// other words.
pub(crate) fn back_from_last(typed: &str) -> Option<usize> {
    match typed.trim().strip_prefix("last")? {
        "" => Some(0),
        rest => rest.strip_prefix('-')?.parse().ok(),
    }
}

/// Returns the id that begins with the typed digits. Case and hyphens are ignored.
///
/// # Errors
/// Returns an error if the text cannot begin an id, or if no id or several ids begin with it.
pub(crate) fn find(typed: &str, ids: &[String]) -> Result<String, StoreError> {
    let digits: String = typed.trim().chars().filter(|c| *c != '-').map(|c| c.to_ascii_lowercase()).collect();
    if digits.is_empty() || digits.len() > 32 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(StoreError::BadId { typed: clip(typed) });
    }
    let mut matches: Vec<&String> = ids.iter().filter(|id| digits_of(id).starts_with(&digits)).collect();
    matches.sort_unstable();
    match matches[..] {
        [one] => Ok(one.clone()),
        [] => Err(StoreError::Unknown { typed: clip(typed), near: near(&digits, ids) }),
        _ => Err(StoreError::Ambiguous {
            typed: clip(typed),
            count: matches.len(),
            matches: matches.into_iter().take(MOST_LISTED).cloned().collect(),
        }),
    }
}

fn digits_of(id: &str) -> String {
    id.chars().filter(|c| *c != '-').collect()
}

/// Returns the ids whose beginning is similar to `digits`, as after a typing error. The most similar id comes first.
fn near(digits: &str, ids: &[String]) -> Vec<String> {
    let mut heads: BTreeMap<String, &str> =
        ids.iter().map(|id| (digits_of(id).chars().take(digits.len()).collect(), id.as_str())).collect();
    let mut similar = Vec::new();
    while similar.len() < MOST_LISTED {
        let Some(head) = nearest(digits, heads.keys().map(String::as_str)).map(str::to_owned) else { break };
        if let Some(id) = heads.remove(&head) {
            let shown = id.get(..NEAR_DIGITS.max(digits.len() + 4).min(id.len())).unwrap_or(id);
            similar.push(shown.to_owned());
        }
    }
    similar
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ids() -> Vec<String> {
        [
            "1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b",
            "1b4e99ba-2fa1-4d3b-a3f5-ef19b5a7633b",
            "7c000000-0000-4000-8000-000000000000",
        ]
        .map(str::to_owned)
        .to_vec()
    }

    #[test]
    fn a_unique_beginning_names_a_run() {
        assert_eq!(find("7c", &ids()).expect("unique"), ids()[2]);
        assert_eq!(find("1B4E28ba2FA1", &ids()).expect("case and hyphens do not matter"), ids()[0]);
        assert_eq!(find(&ids()[1], &ids()).expect("whole"), ids()[1]);
    }

    #[test]
    fn an_ambiguous_beginning_names_the_runs_it_fits() {
        let text = find("1b4e", &ids()).expect_err("two").to_string();
        assert!(text.contains("matches 2 runs") && text.contains(&ids()[0]) && text.contains(&ids()[1]), "{text}");
    }

    #[test]
    fn an_unknown_beginning_names_the_near_ones() {
        let text = find("1b4e82", &ids()).expect_err("none").to_string();
        assert!(text.contains("no run begins with `1b4e82`") && text.contains("1b4e28ba"), "{text}");
        assert!(!find("ffffffff", &ids()).expect_err("none").to_string().contains("near"));
    }

    #[test]
    fn names_and_paths_are_never_ids() {
        for bad in ["", "-", "../../etc/passwd", "1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b/..", "latest", "1b4e 28", "\0"] {
            assert!(matches!(find(bad, &ids()), Err(StoreError::BadId { .. })), "{bad:?}");
            assert!(!is_id(bad));
        }
        assert!(!is_id("1B4E28BA-2FA1-4D3B-A3F5-EF19B5A7633B"));
        assert!(is_id(&ids()[0]));
    }

    proptest! {
        #[test]
        fn nothing_typed_panics(typed in any::<String>(), hexlike in "[0-9a-fA-F-]{0,40}") {
            let _ = (find(&typed, &ids()), find(&hexlike, &ids()), is_id(&typed));
        }
    }
}
