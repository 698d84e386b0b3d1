//! What a command does with the events of its run in addition to storing them.

use crate::journal_sink::JournalSink;
use load::recorder::Entry;
use model::{Nanos, RunEvent, RunRecord};
use run::{Progress, Sink, StopRequest};
use std::cell::{RefCell, RefMut};
use std::rc::Rc;

/// A command's view of its run in progress. Each method decides which events and figures reach the journal. In a run on
/// many hosts, only the process that reports the run has an observer.
pub trait Observer {
    /// Receives an event, and passes it on to the journal.
    fn event(&mut self, event: RunEvent, journal: &mut JournalSink) {
        journal.event(event);
    }

    /// Receives the progress, and shows it.
    fn progress(&mut self, progress: &Progress, journal: &mut JournalSink) {
        journal.progress(progress);
    }

    /// Receives the operations of a step that records every one.
    fn operations(&mut self, _step: usize, _entries: &[Entry], _journal: &mut JournalSink) {}

    /// Returns `true` to end a watch.
    fn wants_stop(&mut self) -> bool {
        false
    }
}

/// Stores the run and shows its progress.
impl Observer for () {}

/// Journal of a run. It exists from the begin of the run to its end.
#[derive(Clone, Default)]
pub struct SharedJournal(Rc<RefCell<Option<JournalSink>>>);

impl SharedJournal {
    /// Calls `look` with the record so far; `None` if the run has not begun.
    pub fn with_record<T>(&self, look: impl FnOnce(Option<&RunRecord>) -> T) -> T {
        look(self.0.borrow().as_ref().and_then(JournalSink::record))
    }

    pub(super) fn begin(&self, journal: JournalSink) {
        self.0.replace(Some(journal));
    }

    pub(super) fn take(&self) -> Option<JournalSink> {
        self.0.take()
    }

    fn sink(&self) -> RefMut<'_, JournalSink> {
        RefMut::map(self.0.borrow_mut(), |journal| journal.as_mut().expect("the run has begun"))
    }
}

/// The sink of a run with an observer.
pub(super) struct Observed<'a, O: ?Sized> {
    pub journal: SharedJournal,
    pub observer: &'a mut O,
}

impl<O: Observer + ?Sized> Sink for Observed<'_, O> {
    fn event(&mut self, event: RunEvent) {
        self.observer.event(event, &mut self.journal.sink());
    }

    fn progress(&mut self, progress: &Progress) {
        self.observer.progress(progress, &mut self.journal.sink());
    }

    fn operations(&mut self, step: usize, entries: &[Entry]) {
        self.observer.operations(step, entries, &mut self.journal.sink());
    }
}

impl<O: Observer + ?Sized> StopRequest for Observed<'_, O> {
    fn wants_stop(&mut self, _now: Nanos) -> bool {
        self.journal.sink().report_alive();
        self.observer.wants_stop()
    }
}
