//! Why a store could not do what was asked, each in one line: what was attempted, on what, why it failed, what to try.

use crate::journal::error::{JournalError, RecoverError};
use crate::team::error::TeamError;
use model::{FoldError, LabelError};
use std::io;
use std::path::PathBuf;

/// Why the store could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The directory cannot be made or used.
    #[error("could not {doing} store directory {}: {source}; name another with --store", dir.display())]
    Directory {
        /// `create`, `open`, `read`.
        doing: &'static str,
        /// The directory.
        dir: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
    /// The run's first event is not a `Begin` of this version.
    #[error("a run cannot be stored: {0}")]
    Begin(FoldError),
    /// Not a hyphenated lower-case UUID.
    #[error(
        "`{typed}` is not the id of a run: ids are UUIDs like 1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b, or their first digits{}; `secchi runs` lists them",
        suggestion(typed)
    )]
    BadId {
        /// What was given, clipped.
        typed: String,
    },
    /// No run begins so.
    #[error("no run begins with `{typed}`{}; `secchi runs` lists them", near_text(near))]
    Unknown {
        /// What was given.
        typed: String,
        /// Ids that come near.
        near: Vec<String>,
    },
    /// Several runs begin so.
    #[error("`{typed}` fits {count} runs: {}; give more digits", join_ids(matches, *count))]
    Ambiguous {
        /// What was given.
        typed: String,
        /// How many runs fit.
        count: usize,
        /// The first of them.
        matches: Vec<String>,
    },
    /// There are not so many runs.
    #[error("no run `{typed}`: {}", count_text(*count))]
    TooFew {
        /// What was given: `last`, `last-3`.
        typed: String,
        /// How many runs there are.
        count: usize,
    },
    /// Several runs have this tag.
    #[error("{count} runs have the tag `{tag}`, the newest is {newest}; name one by its id: `secchi runs` lists them")]
    SeveralTagged {
        /// The tag.
        tag: String,
        /// How many runs have it.
        count: usize,
        /// Id of the newest.
        newest: String,
    },
    /// The run is still running.
    #[error("run {id} is still running; end it first")]
    Live {
        /// The run.
        id: String,
    },
    /// A run could not be removed.
    #[error("could not remove journal {}: {source}", path.display())]
    Remove {
        /// The journal.
        path: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
    /// Tags and note of a run could not be read or written.
    #[error("could not use the labels in {}: {why}", path.display())]
    Labels {
        /// Their file.
        path: PathBuf,
        /// The reason, as a phrase that follows a colon.
        why: String,
    },
    /// A filter could not be asked.
    #[error("the filter could not be asked: {0}")]
    Filter(String),
    /// Tags or a note out of bounds.
    #[error(transparent)]
    Label(#[from] LabelError),
    /// A team's store.
    #[error(transparent)]
    Team(#[from] TeamError),
    /// The journal could not be made.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The journal could not be read.
    #[error(transparent)]
    Recover(#[from] RecoverError),
}

fn count_text(count: usize) -> String {
    match count {
        0 => "there are no runs yet".to_owned(),
        1 => "there is one run, `last`".to_owned(),
        n => format!("there are {n} runs, the oldest is `last-{}`", n - 1),
    }
}

/// A misspelt `last`.
fn suggestion(typed: &str) -> String {
    model::nearest(typed, ["last"]).map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

fn near_text(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; near it: {}", near.join(", ")) }
}

fn join_ids(matches: &[String], count: usize) -> String {
    let more = if count > matches.len() { ", ..." } else { "" };
    format!("{}{more}", matches.join(", "))
}
