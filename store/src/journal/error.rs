//! What can go wrong with a journal, each in one line: what was attempted, on what, why it failed, what to try.

use crate::journal::frame::{Damage, FORMAT_VERSION, MAX_FRAME, MAX_JOURNAL};
use model::FoldError;
use std::io;
use std::path::PathBuf;

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

#[cfg(test)]
impl JournalError {
    /// The error of the operating system underneath, if there is one.
    pub(crate) fn io(&self) -> Option<&io::Error> {
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
