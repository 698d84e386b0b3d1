//! Parser of command lines of Microsoft's diskspd (github.com/microsoft/diskspd, wiki, "Command line and parameters").

use super::native::NativePlan;
use messages::sentence;
use model::{Bytes, Sentence};
use std::path::PathBuf;

/// Reads a diskspd command line; options that the rules do not need are ignored.
#[must_use]
pub fn diskspd_plan(source: &Sentence, line: u32, text: &str, words: &[String]) -> NativePlan {
    // An option is a letter with an attached value: `-w100`, `-b8K`, `-Sh`.
    let value = |letter: char| {
        let attached = words.iter().rev().find_map(|w| w.strip_prefix('-')?.strip_prefix(letter));
        attached.filter(|v| letter != 'o' || v.starts_with(|c: char| c.is_ascii_digit()))
    };
    let writes = value('w').is_some_and(|percent| percent != "0") || value('c').is_some();
    let uncached = words.iter().any(|w| w == "-h" || w.strip_prefix("-S").is_some_and(|s| s.contains(['h', 'u'])));
    let targets = words.iter().filter(|w| !w.starts_with('-'));
    NativePlan {
        source: source.clone(),
        line,
        words: text.to_owned(),
        cached: (!uncached).then(|| sentence!("lint-diskspd-cached")),
        size: value('c').and_then(|size| size.parse::<Bytes>().ok()),
        synchronous: None,
        overwrites: targets.filter(|_| writes).map(PathBuf::from).collect(),
        seconds: value('d').map_or(10.0, |s| s.parse().unwrap_or(0.0)),
    }
}

/// Returns `true` if a name is a whole drive of Windows: `#1`, `\\.\PhysicalDrive1`, `E:`.
#[must_use]
pub fn is_drive(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let letter = name.strip_suffix([':', '\\']).map(|n| n.trim_end_matches(':')).unwrap_or_default();
    name.strip_prefix('#').is_some_and(is_number)
        || name.starts_with("\\\\.\\")
        || name.len() <= 3 && letter.len() == 1 && letter.starts_with(|c: char| c.is_ascii_alphabetic())
}
