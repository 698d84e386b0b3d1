//! What can go wrong, each in one line: what was attempted, on what, why it failed, what to try.

use model::FoldError;
use std::io;
use std::path::PathBuf;

use crate::team::TeamError;

use crate::frame::{Damage, FORMAT_VERSION, MAX_FRAME, MAX_JOURNAL};

/// Why a journal could not be made, written, or made durable.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file could not be created or moved into place.
    #[error("could not create journal {}: {source}; name another store with --store", path.display())]
    Create {
        /// The journal.
        path: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
    /// A journal of this name is there already.
    #[error("journal {} exists already; a run's id is never used twice", path.display())]
    Exists {
        /// The journal.
        path: PathBuf,
    },
    /// The file system has no locks, so nobody could tell a running run from a killed one.
    #[error("could not lock journal {}: {why}; name a store on a file system with locks with --store", path.display())]
    Lock {
        /// The journal.
        path: PathBuf,
        /// The reason, as a phrase that follows a colon.
        why: String,
    },
    /// No room for the run's journal before it starts.
    #[error("could not reserve {bytes} bytes for journal {}: {source}; free space there or name another store with --store", path.display())]
    Reserve {
        /// The journal.
        path: PathBuf,
        /// Bytes wanted.
        bytes: u64,
        /// What the system answered.
        source: io::Error,
    },
    /// The event has no form that reads back; nothing was written and the journal is as before.
    #[error("an event cannot be kept in journal {}: {why}", path.display())]
    Event {
        /// The journal.
        path: PathBuf,
        /// The reason, as a phrase that follows a colon.
        why: String,
    },
    /// The event is larger than a frame may be; nothing was written and the journal is as before.
    #[error("an event of {bytes} bytes is too large for journal {}: a frame holds at most {MAX_FRAME}", path.display())]
    TooLarge {
        /// The journal.
        path: PathBuf,
        /// Size of the event.
        bytes: u64,
    },
    /// The event does not fit where the run is; nothing was written and the journal is as before.
    #[error("an event does not fit in journal {}: {source}", path.display())]
    Order {
        /// The journal.
        path: PathBuf,
        /// What the record cannot take in.
        source: FoldError,
    },
    /// The journal has its full length.
    #[error("journal {} is full: it holds {frames} frames in {bytes} bytes, {MAX_JOURNAL} is the most; all of them are kept", path.display())]
    Full {
        /// The journal.
        path: PathBuf,
        /// Frames kept.
        frames: u64,
        /// Bytes kept.
        bytes: u64,
    },
    /// A frame could not be written; the frames before it are kept, and the same append may be tried again.
    #[error("could not write {bytes} bytes to journal {}: {source}; the {kept_frames} frames before ({kept_bytes} bytes) are kept; free space there or name another store with --store", path.display())]
    Write {
        /// The journal.
        path: PathBuf,
        /// Bytes of the frame.
        bytes: u64,
        /// Whole frames in the file.
        kept_frames: u64,
        /// Their bytes.
        kept_bytes: u64,
        /// What the system answered.
        source: io::Error,
    },
    /// fdatasync failed: what the file holds past the synced bytes is unknown for good. Never retried, as the kernel
    /// drops the failed pages and a second call would claim success (docs/design/safety.md, "Failed flushes").
    #[error("fdatasync of journal {} failed: {why}; only its first {synced_bytes} bytes are known to be durable, and no further call is trusted; check the disk and the kernel log", path.display())]
    Sync {
        /// The journal.
        path: PathBuf,
        /// The reason, as a phrase that follows a colon.
        why: String,
        /// Bytes covered by the last good fdatasync.
        synced_bytes: u64,
    },
}

impl JournalError {
    /// The error of the operating system underneath, if there is one.
    #[must_use]
    pub fn io(&self) -> Option<&io::Error> {
        match self {
            JournalError::Create { source, .. }
            | JournalError::Reserve { source, .. }
            | JournalError::Write { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// Why a file cannot be read as a journal at all. (A journal that breaks off later *is* read, up to the break.)
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// The file could not be opened or read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Longer than any journal.
    #[error("it has {0} bytes, and a journal at most {MAX_JOURNAL}")]
    TooLong(u64),
    /// Too short for the head.
    #[error("it breaks off after {0} bytes, before the end of its head")]
    NoHead(u64),
    /// Other magic.
    #[error("it is not a journal of secchi")]
    NotAJournal,
    /// The head's checksum is wrong.
    #[error("its head is damaged")]
    HeadDamaged,
    /// Another format.
    #[error(
        "it has journal format {0}, this secchi reads format {FORMAT_VERSION}; read it with the secchi that wrote it"
    )]
    Format(u32),
    /// The first frame is not whole.
    #[error("its plan, with which it begins, is damaged, and without it nothing can be told: {0}")]
    NoPlan(Damage),
    /// Nothing after the head.
    #[error("it breaks off before the plan")]
    Empty,
    /// The first event is not the begin of a run of our version.
    #[error("{0}; read it with the secchi that wrote it")]
    Fold(FoldError),
}

impl Unreadable {
    /// Whether a journal was there once, and is damaged at its beginning.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        matches!(self, Unreadable::HeadDamaged | Unreadable::NoPlan(_))
    }
}

/// A journal that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("could not read journal {}: {cause}", path.display())]
pub struct RecoverError {
    /// The journal.
    pub path: PathBuf,
    /// Why it cannot be read.
    #[source]
    pub cause: Unreadable,
}

/// Why the store could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The directory cannot be made or used.
    #[error("could not {doing} store directory {}: {source}; name another with --store", dir.display())]
    Place {
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
        meant(typed)
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
    #[error("`{typed}` fits {count} runs: {}; give more digits", shown(matches, *count))]
    Ambiguous {
        /// What was given.
        typed: String,
        /// How many runs fit.
        count: usize,
        /// The first of them.
        matches: Vec<String>,
    },
    /// There are not so many runs.
    #[error("no run `{typed}`: {}", kept_text(*count))]
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
    Question(String),
    /// Tags or a note out of bounds.
    #[error("{0}")]
    Label(String),
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

impl StoreError {
    /// Whether the place is at fault (cannot be made, written, locked, is full), so that another directory may do.
    #[must_use]
    pub fn other_place_may_work(&self) -> bool {
        match self {
            StoreError::Place { .. } => true,
            StoreError::Journal(e) => matches!(
                e,
                JournalError::Create { .. }
                    | JournalError::Lock { .. }
                    | JournalError::Reserve { .. }
                    | JournalError::Write { .. }
                    | JournalError::Sync { .. }
            ),
            _ => false,
        }
    }
}

fn kept_text(count: usize) -> String {
    match count {
        0 => "there are no runs yet".to_owned(),
        1 => "there is one run, `last`".to_owned(),
        n => format!("there are {n} runs, the oldest is `last-{}`", n - 1),
    }
}

/// A misspelt `last`.
fn meant(typed: &str) -> String {
    model::nearest(typed, ["last"]).map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

fn near_text(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; near it: {}", near.join(", ")) }
}

fn shown(matches: &[String], count: usize) -> String {
    let more = if count > matches.len() { ", ..." } else { "" };
    format!("{}{more}", matches.join(", "))
}
