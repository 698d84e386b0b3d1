//! Recognises scripts and follows them.

use crate::follow::follow;
use crate::plan::Followed;
use crate::syntax::{Broken, Node};
use crate::wrappers::{SHELLS, program_name};
use crate::{batch, shell};
use model::clip;
use std::path::Path;

/// Returns `true` if the name of a file is that of a Windows batch file.
#[must_use]
pub fn is_batch(path: &Path) -> bool {
    has_extension(path, &["bat", "cmd"])
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|e| extensions.iter().any(|x| e.eq_ignore_ascii_case(x)))
}

/// Replaces the typographic spaces and quotes used on web pages.
pub fn mend(text: &str) -> String {
    let text = text.replace(['\u{3000}', '\u{a0}'], " ");
    text.replace(['\u{201c}', '\u{201d}'], "\"").replace(['\u{2018}', '\u{2019}'], "'")
}

/// Follows a script; returns `None` for a job file. The kind is determined by a first line with `#!`, then by the name,
/// then by the content.
///
/// # Errors
/// A script in another language, or one that cannot be parsed.
pub fn read(path: &Path, text: &str) -> Result<Option<Followed>, Broken> {
    let text = &mend(text);
    if let Some(first) = text.strip_prefix("#!").and_then(|t| t.lines().next()) {
        let words = first.split_whitespace().map(program_name).filter(|w| w != "env" && !w.starts_with('-'));
        return match words.into_iter().next().as_deref() {
            Some("fio") => Ok(None),
            Some(name) if SHELLS.contains(&name) => Ok(Some(follow(&shell::parse(text, 1, false)?))),
            other => Err(Broken {
                line: 1,
                what: format!(
                    "a script for `{}`: lint reads shell scripts, batch files and fio job files",
                    clip(other.unwrap_or_default())
                ),
            }),
        };
    }
    if is_batch(path) {
        return Ok(Some(follow(&batch::parse(text)?)));
    }
    if has_extension(path, &["sh", "bash", "zsh", "ksh", "dash"]) {
        return Ok(Some(follow(&shell::parse(text, 1, false)?)));
    }
    if is_job_file(text) {
        return Ok(None);
    }
    // A text with command lines among notes is not a valid script as a whole, so each line is parsed separately.
    let nodes = shell::parse(text, 1, false).unwrap_or_else(|_| by_line(text));
    Ok(Some(follow(&nodes)).filter(|f| !f.plans.is_empty()))
}

/// Returns `true` if the first line that is neither empty nor a comment is `[name]`.
fn is_job_file(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with(['#', ';']));
    lines.next().is_some_and(|l| l.starts_with('[') && !l.starts_with("[ ") && !l.starts_with("[["))
}

/// Parses each line on its own, after joining continued lines, and skips lines that are not shell commands.
fn by_line(text: &str) -> Vec<Node> {
    let mut nodes = Vec::new();
    let mut begun: Option<(u32, String)> = None;
    for (n, line) in (1u32..).zip(text.lines()) {
        let (from, mut whole) = begun.take().unwrap_or((n, String::new()));
        if from < n {
            whole.push('\n');
        }
        whole.push_str(line);
        if whole.trim_end().ends_with('\\') {
            begun = Some((from, whole));
            continue;
        }
        nodes.extend(shell::parse(&whole, from, false).unwrap_or_default());
    }
    nodes
}
