//! Names of jobs.

use crate::text;

pub(crate) const LEADS_AWAY: &str =
    "it becomes part of file names, so it may lead into directories below, and nowhere else; use directory=";

/// Whether a text may name a job, and so be part of file names.
pub(crate) fn check_name(name: &str) -> Result<(), &'static str> {
    if name.is_empty() {
        return Err("a job needs a name");
    }
    // One that begins at the root is only a name where files and logs have names of their own: checked when these are known.
    let below = name.strip_prefix('/').unwrap_or(name);
    if name.contains('\\') || below.split('/').any(|part| matches!(part, "" | "..")) {
        return Err(LEADS_AWAY);
    }
    if text::stray_byte(name).is_some() {
        return Err("not text");
    }
    if name.len() > 200 {
        return Err("a name has at most 200 bytes");
    }
    Ok(())
}
