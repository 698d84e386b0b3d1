//! Check of job names.

use crate::text;

pub(crate) const LEADS_AWAY: &str =
    "it becomes part of file names, so it may name subdirectories, but no other directories; use directory=";

/// Checks that a text is allowed as a job name, which becomes part of file names.
pub(crate) fn check_name(name: &str) -> Result<(), &'static str> {
    if name.is_empty() {
        return Err("a job needs a name");
    }
    // A name that begins with `/` is allowed if files and logs have other names. This is checked later, when those
    // names are known.
    let below = name.strip_prefix('/').unwrap_or(name);
    if name.contains('\\') || below.split('/').any(|part| matches!(part, "" | "..")) {
        return Err(LEADS_AWAY);
    }
    if text::stray_byte(name).is_some() {
        return Err("not text");
    }
    if name.len() > 200 {
        return Err("a name must not exceed 200 bytes");
    }
    Ok(())
}
