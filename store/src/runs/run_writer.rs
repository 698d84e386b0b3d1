//! A run being written: its journal, and its row in the index at begin and end.

use crate::journal::error::JournalError;
use crate::journal::writer::JournalWriter;
use crate::runs::error::StoreError;
use crate::runs::store::{Indexed, Store};
use crate::runs::summary::{Outline, RunSummary};
use model::{Digest, RunEvent};

/// Journal bytes expected of one second: histograms of two operations, ten windows, samples.
const BYTES_PER_SECOND: u64 = 32 << 10;
/// A plan of more seconds has no end of its own: thirty days.
const LONGEST_PLANNED: u64 = 30 * 24 * 3600;

/// Writes one run. Dropping it without [`RunWriter::finish`] leaves the journal to speak for itself: with an `End` event
/// the run is as that says, without it interrupted.
#[derive(Debug)]
pub struct RunWriter {
    store: Store,
    journal: JournalWriter,
    outline: Outline,
    indexed: Indexed,
}

/// What became of a finished run.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// As a listing will show it.
    pub summary: RunSummary,
    /// Whether the index knows.
    pub indexed: Indexed,
    /// Of a team's store: why the run is not there yet, and waits on this machine.
    pub waits: Option<String>,
    /// Frames in the journal.
    pub frames: u64,
    /// Bytes of the journal, all durable.
    pub bytes: u64,
}

impl RunWriter {
    pub(crate) fn begin(store: Store, journal: JournalWriter, outline: Outline) -> RunWriter {
        let mut writer = RunWriter { store, journal, outline, indexed: Indexed::Yes };
        writer.indexed = writer.index(&writer.outline.summary(true));
        writer
    }

    fn index(&self, summary: &RunSummary) -> Indexed {
        Indexed::from_result(self.store.open_index().and_then(|mut index| {
            index.put(summary)?;
            Ok(index.aside)
        }))
    }

    /// Writes what happened next; it outlives this process at once.
    ///
    /// # Errors
    /// When the event cannot be written whole, and when it does not fit here: nothing is written then.
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

    /// Makes everything appended outlive a power cut.
    ///
    /// # Errors
    /// When fdatasync fails, which is final: nothing is trusted after that ([`JournalError::Sync`]).
    pub fn sync(&mut self) -> Result<(), JournalError> {
        self.journal.sync()
    }

    /// Ends the writing: makes the journal durable, gives back reserved space, and updates the row with the state of
    /// the `End` event (without one: interrupted) and the digest, of whose verdict one line is kept.
    ///
    /// # Errors
    /// As [`RunWriter::sync`]. An index that cannot be used is no error, see [`Finished::indexed`].
    pub fn finish(mut self, digest: impl Into<Digest>) -> Result<Finished, JournalError> {
        self.journal.finish()?;
        let mut summary = self.outline.summary(false);
        summary.set_digest(digest.into());
        // Somebody may have said something of it meanwhile; what cannot be read is told by the next listing.
        summary.labels = self.store.labels(summary.id.as_str()).unwrap_or_default();
        let indexed = self.index(&summary);
        let RunWriter { store, journal, .. } = self;
        let (frames, bytes) = (journal.frames(), journal.bytes());
        // Its lock goes with it: a run that is being written is not taken to the team.
        drop(journal);
        let waits = store.team_name().and_then(|_| store.hand_over(&summary.id).err()).map(|why| why.to_string());
        Ok(Finished { summary, indexed, waits, frames, bytes })
    }

    /// Whether the run stands in the index since it began.
    #[cfg(any(test, feature = "test-support"))]
    #[must_use]
    pub fn indexed(&self) -> &Indexed {
        &self.indexed
    }

    /// Ends the writing of a run that is kept whole elsewhere, and removes it from here.
    ///
    /// # Errors
    /// As [`Store::remove`].
    pub fn discard(self) -> Result<(), StoreError> {
        let RunWriter { store, journal, outline, .. } = self;
        // Its lock goes with it.
        drop(journal);
        store.remove_here(outline.id()).map(drop)
    }

    /// The run's id.
    #[cfg(any(test, feature = "test-support"))]
    #[must_use]
    pub fn id(&self) -> &str {
        self.outline.id()
    }

    /// The journal's file.
    #[cfg(any(test, feature = "test-support"))]
    #[must_use]
    pub fn path(&self) -> &std::path::Path {
        self.journal.path()
    }

    #[cfg(test)]
    pub(crate) fn journal_mut(&mut self) -> &mut JournalWriter {
        &mut self.journal
    }

    /// Bytes of the journal so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.journal.bytes()
    }

    /// Bytes of it known to be durable.
    #[cfg(any(test, feature = "test-support"))]
    #[must_use]
    pub fn synced_bytes(&self) -> u64 {
        self.journal.synced_bytes()
    }
}

impl Store {
    /// Begins a run with its `Begin` event: makes its journal, with space reserved for the time the plan expects, and
    /// its row in the index.
    ///
    /// An index that cannot be used does not stop the run; [`Finished::indexed`] says so.
    ///
    /// # Errors
    /// When the event is not a `Begin` of this version with a UUID, or when the journal cannot be made.
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
            // The base and the ten-odd events around each step fit in what is added.
            let seconds = plan.expected_time().whole_secs();
            // What goes on until it is stopped, or until its bytes are done, reserves as it goes.
            let seconds = if seconds > LONGEST_PLANNED { 0 } else { seconds };
            seconds.saturating_mul(BYTES_PER_SECOND).saturating_add(1 << 20)
        }
        _ => 0,
    }
}
