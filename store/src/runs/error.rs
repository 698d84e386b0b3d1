//! Errors of a store. Each message fits in one line and names the attempted operation, its object, the cause and a
//! remedy.

use crate::journal::error::{JournalError, RecoverError};
use crate::runs::team_error::TeamError;
use model::record::{FoldError, LabelError};
use std::io;
use std::path::PathBuf;

/// Error from an operation on a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The directory cannot be created or used.
    #[error("could not {doing} store directory {}: {source}; use another one with --store", dir.display())]
    Directory {
        /// Verb of the failed operation: `create`, `open`, `read`.
        doing: &'static str,
        /// Path of the directory.
        dir: PathBuf,
        /// Error that the system reported.
        source: io::Error,
    },
    /// The run's first event is not a `Begin` of this version.
    #[error("a run cannot be stored: {0}")]
    Begin(FoldError),
    /// The text is not a hyphenated lower-case UUID.
    #[error(
        "`{typed}` is not the id of a run: ids are UUIDs like 1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b, or their first digits{}; `secchi runs` lists them",
        suggestion(typed)
    )]
    BadId {
        /// Text as typed, shortened if it is long.
        typed: String,
    },
    /// No run has an id that begins with the typed text.
    #[error("no run begins with `{typed}`{}; `secchi runs` lists them", near_text(near))]
    Unknown {
        /// Text as typed, shortened if it is long.
        typed: String,
        /// Ids of runs that are similar to the typed text.
        near: Vec<String>,
    },
    /// Several runs have ids that begin with the typed text.
    #[error("`{typed}` matches {count} runs: {}; give more digits", join_ids(matches, *count))]
    Ambiguous {
        /// Text as typed, shortened if it is long.
        typed: String,
        /// Number of matching runs.
        count: usize,
        /// First of the matching ids.
        matches: Vec<String>,
    },
    /// The store has fewer runs than `last-N` requires.
    #[error("no run `{typed}`: {}", count_text(*count))]
    TooFew {
        /// Text as typed, such as `last-3`.
        typed: String,
        /// Number of runs in the store.
        count: usize,
    },
    /// Several runs have this tag.
    #[error("{count} runs have the tag `{tag}`, the newest is {newest}; give the id of one: `secchi runs` lists them")]
    SeveralTagged {
        /// Name of the tag.
        tag: String,
        /// Number of runs with the tag.
        count: usize,
        /// Id of the newest run with the tag.
        newest: String,
    },
    /// The run is still running.
    #[error("run {id} is still running; end it first")]
    Live {
        /// Id of the run.
        id: String,
    },
    /// The run could not be removed.
    #[error("could not remove journal {}: {source}", path.display())]
    Remove {
        /// Path of the journal.
        path: PathBuf,
        /// Error that the system reported.
        source: io::Error,
    },
    /// The tags and note of a run could not be read or written.
    #[error("could not use the labels in {}: {why}", path.display())]
    Labels {
        /// Path of the file with the tags and the note.
        path: PathBuf,
        /// Reason, as a phrase that follows a colon.
        why: String,
    },
    /// The database query for a filter failed.
    #[error("the filter query failed: {0}")]
    Filter(String),
    /// A tag or the note is invalid.
    #[error(transparent)]
    Label(#[from] LabelError),
    /// The team's store reported an error.
    #[error(transparent)]
    Team(#[from] TeamError),
    /// The journal could not be created or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The journal could not be read.
    #[error(transparent)]
    Recover(#[from] RecoverError),
}

impl StoreError {
    /// Returns the error for a whole id that no run has.
    pub(crate) fn unknown(id: &str) -> StoreError {
        StoreError::Unknown { typed: id.to_owned(), near: Vec::new() }
    }
}

fn count_text(count: usize) -> String {
    match count {
        0 => "there are no runs yet".to_owned(),
        1 => "there is one run, `last`".to_owned(),
        n => format!("there are {n} runs, the oldest is `last-{}`", n - 1),
    }
}

/// Suggests `last` if the typed text is similar to it.
fn suggestion(typed: &str) -> String {
    model::units::suggestion(typed, ["last"])
}

fn near_text(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; similar: {}", near.join(", ")) }
}

fn join_ids(matches: &[String], count: usize) -> String {
    let more = if count > matches.len() { ", ..." } else { "" };
    format!("{}{more}", matches.join(", "))
}
