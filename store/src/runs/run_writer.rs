//! Writer of a run. It writes the run's journal, and its row in the index at the beginning and at the end.

use crate::journal::error::JournalError;
use crate::journal::writer::JournalWriter;
use crate::runs::error::StoreError;
use crate::runs::store::{Indexed, Store};
use crate::summary::{Digest, Outline, RunSummary};
use model::RunEvent;

/// Expected growth of the journal per second, in bytes: histograms of two operations, ten windows, and samples.
const BYTES_PER_SECOND: u64 = 32 << 10;
/// Maximum planned duration for which space is reserved in advance, in seconds: thirty days. Longer plans reserve space
/// while they run.
const LONGEST_PLANNED: u64 = 30 * 24 * 3600;

/// Writer of one run. If it is dropped without [`RunWriter::finish`], the state of the run is taken from its journal:
/// the state in the `End` event, or interrupted if there is none.
#[derive(Debug)]
pub struct RunWriter {
    store: Store,
    pub(crate) journal: JournalWriter,
    outline: Outline,
    indexed: Indexed,
}

/// Result of [`RunWriter::finish`].
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// Summary of the run, as listings will show it.
    pub summary: RunSummary,
    /// State of the index.
    pub indexed: Indexed,
    /// Reason why the run could not be pushed to the team's store and remains on this machine; otherwise `None`.
    pub waits: Option<String>,
    /// Number of frames in the journal.
    pub frames: u64,
    /// Size of the journal in bytes. All of it is durable.
    pub bytes: u64,
}

impl RunWriter {
    pub(crate) fn begin(store: Store, journal: JournalWriter, outline: Outline) -> RunWriter {
        let mut writer = RunWriter { store, journal, outline, indexed: Indexed::Yes };
        writer.indexed = writer.store.change_index(|index| index.put(&writer.outline.summary(true)));
        writer
    }

    /// Appends the next event. From then on, it survives the end of this process.
    ///
    /// # Errors
    /// Returns an error if the event cannot be written completely, or if it cannot follow the previous events. In the
    /// latter case, nothing is written.
    pub fn append(&mut self, event: &RunEvent) -> Result<(), JournalError> {
        let order = |source| JournalError::Order { path: self.journal.path().to_owned(), source };
        let outline = self.outline.with(event).map_err(order)?;
        self.journal.append(event)?;
        if let Some(outline) = outline {
            self.outline = outline;
        }
        self.journal.shorten();
        Ok(())
    }

    /// Makes every appended event durable, so that it survives a power cut.
    ///
    /// # Errors
    /// Returns an error if fdatasync fails. This is final: all later calls fail ([`JournalError::Sync`]).
    pub fn sync(&mut self) -> Result<(), JournalError> {
        self.journal.sync()
    }

    /// Finishes the run. Makes the journal durable, releases reserved space, and updates the row with the digest and
    /// the state of the `End` event (interrupted if there is none). The verdict of the digest is shortened to one line.
    ///
    /// # Errors
    /// Returns the same errors as [`RunWriter::sync`]. An unusable index is not an error, see [`Finished::indexed`].
    pub fn finish(mut self, digest: impl Into<Digest>) -> Result<Finished, JournalError> {
        self.journal.finish()?;
        let mut summary = self.outline.summary(false);
        summary.set_digest(digest.into());
        // The run may have been labelled in the meantime. Unreadable labels are reported by the next listing.
        summary.labels = self.store.labels(summary.id.as_str()).unwrap_or_default();
        let indexed = self.store.change_index(|index| index.put(&summary));
        let RunWriter { store, journal, .. } = self;
        let (frames, bytes) = (journal.frames(), journal.bytes());
        // This also releases the lock; a locked run would not be pushed to the team's store.
        drop(journal);
        let waits = store.hand_over(&summary.id).err().map(|why| why.to_string());
        Ok(Finished { summary, indexed, waits, frames, bytes })
    }

    /// Returns the state of the index after the run began.
    #[cfg(any(test, feature = "test-support"))]
    #[must_use]
    pub fn indexed(&self) -> &Indexed {
        &self.indexed
    }

    /// Stops writing a run that is completely stored elsewhere, and removes it from this store.
    ///
    /// # Errors
    /// Returns the same errors as [`Store::remove`].
    pub fn discard(self) -> Result<(), StoreError> {
        let RunWriter { store, journal, outline, .. } = self;
        // This also releases the lock.
        drop(journal);
        store.remove_here(outline.id()).map(drop)
    }

    /// Returns the run's id.
    #[cfg(any(test, feature = "test-support"))]
    #[must_use]
    pub fn id(&self) -> &str {
        self.outline.id()
    }

    /// Returns the path of the journal.
    #[cfg(any(test, feature = "test-support"))]
    #[must_use]
    pub fn path(&self) -> &std::path::Path {
        self.journal.path()
    }

    /// Returns the size of the journal so far, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.journal.bytes()
    }

    /// Returns the number of bytes known to be durable.
    #[cfg(any(test, feature = "test-support"))]
    #[must_use]
    pub fn synced_bytes(&self) -> u64 {
        self.journal.synced_bytes()
    }
}

impl Store {
    /// Begins a run with its `Begin` event. Creates its journal, with space reserved for the expected duration of the
    /// plan, and its row in the index.
    ///
    /// An unusable index does not stop the run; [`Finished::indexed`] reports it.
    ///
    /// # Errors
    /// Returns an error if the event is not a `Begin` of this version with a UUID, or if the journal cannot be created.
    pub fn create_run(&self, begin: &RunEvent) -> Result<RunWriter, StoreError> {
        let outline = Outline::begin(begin).map_err(StoreError::Begin)?;
        let path = self.journal_path(outline.id())?;
        let journal = JournalWriter::create(&path, begin, expected_bytes(begin))?;
        Ok(RunWriter::begin(self.clone(), journal, outline))
    }
}

fn expected_bytes(begin: &RunEvent) -> u64 {
    match begin {
        RunEvent::Begin { plan, .. } => {
            // The additional mebibyte has room for the first event and about ten events around each step.
            let seconds = plan.expected_time().whole_secs();
            // A run that continues until it is stopped, or until it has transferred its bytes, reserves space while it
            // runs.
            let seconds = if seconds > LONGEST_PLANNED { 0 } else { seconds };
            seconds.saturating_mul(BYTES_PER_SECOND).saturating_add(1 << 20)
        }
        _ => 0,
    }
}
