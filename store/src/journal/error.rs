//! Errors of journals. Each message fits in one line and names the attempted operation, the file, the cause and a
//! remedy.

use crate::journal::frame::{Damage, FORMAT_VERSION, MAX_FRAME, MAX_JOURNAL};
use messages::sentence;
use model::Sentence;
use model::record::{FoldError, RECORD_VERSION};
use std::io;
use std::path::PathBuf;

/// Error that prevents a journal from being created, written or made durable.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file could not be created or moved into place.
    #[error("could not create journal {}: {source}; use another store with --store", path.display())]
    Create {
        /// Path of the journal.
        path: PathBuf,
        /// Error that the system reported.
        source: io::Error,
    },
    /// A journal with this name already exists.
    #[error("journal {} already exists; the id of a run is never reused", path.display())]
    Exists {
        /// Path of the journal.
        path: PathBuf,
    },
    /// The file system does not support locks, so a live run could not be distinguished from a killed one.
    #[error("could not lock journal {}: {why}; use --store with a file system that supports locks", path.display())]
    Lock {
        /// Path of the journal.
        path: PathBuf,
        /// Reason, as a phrase that follows a colon.
        why: String,
    },
    /// There is no space to reserve for the run's journal before the run starts.
    #[error(
        "could not reserve {bytes} bytes for journal {}: {source}; free space there or use another store with --store",
        path.display()
    )]
    Reserve {
        /// Path of the journal.
        path: PathBuf,
        /// Number of bytes to reserve.
        bytes: u64,
        /// Error that the system reported.
        source: io::Error,
    },
    /// The event cannot be encoded in a form that can be read back. Nothing was written, and the journal is unchanged.
    #[error("an event cannot be written to journal {}: {why}", path.display())]
    Event {
        /// Path of the journal.
        path: PathBuf,
        /// Reason, as a phrase that follows a colon.
        why: String,
    },
    /// The event exceeds the maximum size of a frame. Nothing was written, and the journal is unchanged.
    #[error(
        "an event of {bytes} bytes is too large for journal {}: the maximum size of a frame is {MAX_FRAME}",
        path.display()
    )]
    TooLarge {
        /// Path of the journal.
        path: PathBuf,
        /// Size of the event, in bytes.
        bytes: u64,
    },
    /// The event does not fit the current state of the run. Nothing was written, and the journal is unchanged.
    #[error("an event does not fit in journal {}: {source}", path.display())]
    Order {
        /// Path of the journal.
        path: PathBuf,
        /// Reason why the event cannot be applied to the record.
        source: FoldError,
    },
    /// The journal has reached its maximum length.
    #[error(
        "journal {} is full: it has {frames} frames and {bytes} bytes, and the maximum is {MAX_JOURNAL}; all of them \
         are kept",
        path.display()
    )]
    Full {
        /// Path of the journal.
        path: PathBuf,
        /// Number of frames kept.
        frames: u64,
        /// Number of bytes kept.
        bytes: u64,
    },
    /// A frame could not be written. The frames before it are kept, and the same append may be retried.
    #[error(
        "could not write {bytes} bytes to journal {}: {source}; the {kept_frames} frames before ({kept_bytes} bytes) \
         are kept; free space there or use another store with --store",
        path.display()
    )]
    Write {
        /// Path of the journal.
        path: PathBuf,
        /// Size of the frame, in bytes.
        bytes: u64,
        /// Number of whole frames in the file.
        kept_frames: u64,
        /// Size of the whole frames, in bytes.
        kept_bytes: u64,
        /// Error that the system reported.
        source: io::Error,
    },
    /// fdatasync failed, so it is unknown what the file contains after the bytes that were synced earlier. The call is
    /// never retried: the kernel drops the failed pages, and a second call would report success (docs/design/safety.md,
    /// "Failed flushes").
    #[error(
        "fdatasync of journal {} failed: {why}; only its first {synced_bytes} bytes are known to be durable, and later \
         calls cannot be trusted; check the disk and the kernel log (dmesg)",
        path.display()
    )]
    Sync {
        /// Path of the journal.
        path: PathBuf,
        /// Reason, as a phrase that follows a colon.
        why: String,
        /// Number of bytes covered by the last successful fdatasync.
        synced_bytes: u64,
    },
}

/// Reason why a file cannot be read as a journal at all. (If only later parts of a journal are damaged, the other parts
/// *are* read.)
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// The file could not be opened or read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file exceeds the maximum size of a journal.
    #[error("it has {0} bytes, but a journal has at most {MAX_JOURNAL}")]
    TooLong(u64),
    /// The file is too short to contain the head of a journal.
    #[error("it ends after {0} bytes, before the end of its header")]
    NoHead(u64),
    /// The file does not begin with the magic number of a journal.
    #[error("it is not a secchi journal")]
    NotAJournal,
    /// The head's checksum is wrong.
    #[error("its header is damaged")]
    HeadDamaged,
    /// The journal has another format version.
    #[error("{}", self.sentence())]
    Format(u32),
    /// The first frame is damaged.
    #[error("the plan at its beginning is damaged, so the rest cannot be read: {0}")]
    NoPlan(Damage),
    /// Nothing follows the head.
    #[error("it ends before the plan")]
    Empty,
    /// The run has another record version.
    #[error("{}", self.sentence())]
    Version(u32),
    /// The first event does not begin a run.
    #[error(transparent)]
    Fold(FoldError),
}

impl From<FoldError> for Unreadable {
    fn from(error: FoldError) -> Unreadable {
        match error {
            FoldError::Version(version) => Unreadable::Version(version),
            other => Unreadable::Fold(other),
        }
    }
}

/// Returns the sentence that reports a run of another record version.
pub(crate) fn version_sentence(version: u32) -> Sentence {
    sentence!("store-record-version", version, read = RECORD_VERSION)
}

impl Unreadable {
    /// Returns the reason in one sentence.
    #[must_use]
    pub fn sentence(&self) -> Sentence {
        match self {
            Unreadable::Format(version) => sentence!("store-journal-format", version = *version, read = FORMAT_VERSION),
            Unreadable::Version(version) => version_sentence(*version),
            other => other.to_string().into(),
        }
    }

    /// Returns `true` if the file was a journal and is damaged at its beginning.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        matches!(self, Unreadable::HeadDamaged | Unreadable::NoPlan(_))
    }
}

/// Error from reading a journal.
#[derive(Debug, thiserror::Error)]
#[error("could not read journal {}: {cause}", path.display())]
pub struct RecoverError {
    /// Path of the journal.
    pub path: PathBuf,
    /// Reason why the journal cannot be read.
    #[source]
    pub cause: Unreadable,
}
