//! A measuring command in its process: signals, supervisor, display, store and, if there are any, other hosts.
//!
//! The order of steps: a session supervises the process and joins other hosts ([`Session::supervised`]). The command
//! inspects its targets, agrees on a plan ([`Session::agree`]), opens the store and its targets, and conducts the run
//! ([`Session::conduct`]). After it has cleaned up, it reports the run ([`Ended::report`]): the journal is closed, then
//! the results are printed, then the supervisor receives the exit code.
//!
//! # Example
//!
//! ```
//! use session::{Session, exit, launch::Reach};
//!
//! let directory = tempfile::tempdir()?;
//! let place = directory.path().join("runs");
//! let code = Session::unsupervised(Reach::OneHost("hydration"), |session| {
//!     session.open_store(Some(&place))?;
//!     assert!(session.reports() && session.store.is_some());
//!     Ok(exit::OK)
//! })?;
//! assert_eq!(code, exit::OK);
//! # Ok::<(), anyhow::Error>(())
//! ```

pub mod console;
pub mod directories;
mod ended;
pub mod environment;
pub mod exit;
pub mod hosts;
pub mod inputs;
pub mod job_files;
pub mod journal_sink;
pub mod language;
pub mod launch;
pub mod locked;
pub mod measure;
mod observer;
pub mod outputs;
pub mod recorder;
pub mod result_files;
pub mod rounds;
pub mod run_store;
pub mod sources;
pub mod supervisor;
pub mod targets;
pub mod test_files;

pub use ended::{Ended, JudgedRun};
pub use observer::{Observer, SharedJournal};

use crate::console::Live;
use crate::directories::MadeDirectories;
use crate::exit::Code;
use crate::hosts::{Members, SharedFile};
use crate::journal_sink::JournalSink;
use crate::launch::Reach;
use crate::measure::GRACE;
use crate::run_store::{journal_note, open_store};
use crate::supervisor::{Lifeline, supervise};
use anyhow::Result;
use model::{Nanos, Plan, Sentence, record::Preflight};
use monitor::samplers::Subjects;
use observer::Observed;
use run::{Ending, Identity, Interrupt, RunInputs, Targets, WatchControl};
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::Store;
use sys::clock::RunClock;

/// A measuring command in its process.
pub struct Session {
    members: Members,
    /// Clock of the run, the same on all hosts.
    pub clock: RunClock,
    /// ID of the run.
    pub run_id: String,
    /// Connection to the supervisor.
    pub lifeline: Lifeline,
    /// Number of the signal that ends the run, shared with the code that receives signals.
    pub interrupt: Interrupt,
    /// Live line, until the run begins; only lines are printed unless a command sets it.
    pub live: Live,
    /// Store, from [`Session::open_store`] until the run begins.
    pub store: Option<Store>,
    /// Reason why a process that does not report the run cannot store its part; `None` if it can.
    unstored: Option<String>,
    /// Journal of the run, which is empty until the run begins.
    pub journal: SharedJournal,
    /// Folders created for this process.
    folders: MadeDirectories,
    /// This process's part of a test file that all hosts share.
    shared: Option<SharedFile>,
}

impl Session {
    /// Executes `work` in a child process that this process supervises; both call this. `hang` is the time after which
    /// operations count as hung.
    ///
    /// # Errors
    /// Errors of `work`, and if the process cannot be supervised or its hosts cannot run together.
    pub fn supervised(reach: Reach, hang: Nanos, work: impl FnOnce(&mut Session) -> Result<Code>) -> Result<Code> {
        match Lifeline::from_environment()? {
            Some(lifeline) => Session::run(lifeline, work),
            None => supervise(reach, Duration::from_nanos(hang.as_nanos()) + GRACE),
        }
    }

    /// Executes `work` without a supervisor. If a launcher started several processes that cannot run together, `work`
    /// is not executed.
    ///
    /// # Errors
    /// Same as for [`Session::supervised`].
    pub fn unsupervised(reach: Reach, work: impl FnOnce(&mut Session) -> Result<Code>) -> Result<Code> {
        match launch::refusal(reach)? {
            Some(code) => Ok(code),
            None => Session::run(Lifeline::default(), work),
        }
    }

    /// Executes `work` in this process, together with other hosts if a launcher started several processes. If it fails
    /// before the run begins, all processes end and the first one prints the reason.
    ///
    /// # Errors
    /// Errors of `work`, and if the processes cannot run together.
    pub fn run(lifeline: Lifeline, work: impl FnOnce(&mut Session) -> Result<Code>) -> Result<Code> {
        let (members, clock) = Members::join(&lifeline)?;
        let mut session = Session {
            run_id: members.run_id(),
            members,
            clock,
            lifeline,
            interrupt: Interrupt::default(),
            live: Live::silent(),
            store: None,
            unstored: None,
            journal: SharedJournal::default(),
            folders: MadeDirectories::default(),
            shared: None,
        };
        let outcome = work(&mut session);
        let Session { members, folders, live, .. } = session;
        drop((folders, live));
        members.end(outcome)
    }

    /// Catches signals: the first one requests a stop, the second one ends the process immediately.
    ///
    /// # Errors
    /// If signals cannot be received.
    pub fn catch_signals(&mut self) -> Result<()> {
        self.interrupt = measure::catch_signals()?;
        Ok(())
    }

    /// Combines the plans of all hosts. This must happen before anything is opened. Does nothing in a run of one
    /// process.
    ///
    /// # Errors
    /// If one of them refuses; the first process prints the reason.
    pub fn agree(&mut self, plan: &Plan, facts: &Preflight) -> Result<()> {
        self.members.agree(&self.lifeline, plan, facts)
    }

    /// Opens the store in the requested place, or in the default place. A process that does not report the run opens a
    /// store for its part instead.
    ///
    /// # Errors
    /// Same as for [`open_store`], in the process that reports the run.
    pub fn open_store(&mut self, place: Option<&PathBuf>) -> Result<()> {
        match self.reports() {
            true => self.store = open_store(place, &mut self.live)?,
            false => self.open_store_of_parts(place),
        }
        Ok(())
    }

    /// Returns a note if the journal is on the file system of `path`, which is under test.
    pub fn journal_note(&self, path: &Path) -> Option<String> {
        journal_note(self.store.as_ref(), path)
    }

    /// Returns the identity of the run, with notes for its record.
    pub fn identity(&self, notes: impl IntoIterator<Item: Into<Sentence>>) -> Identity {
        let unstored = self.unstored.clone().map(Sentence::from);
        let notes = notes.into_iter().map(Into::into).chain(unstored).chain(self.bound_note());
        Identity { id: self.run_id.clone(), ..measure::identity(&self.clock, notes) }
    }

    /// Executes the plan until it ends: alone, or as this process's part of it. `observer` is used only in the process
    /// that reports the run.
    pub fn conduct(&mut self, inputs: &RunInputs<'_>, targets: Targets<'_, '_>, observer: &mut dyn Observer) -> Ended {
        let mut plain = ();
        let observer = if self.reports() { observer } else { &mut plain };
        let mut sink = Observed { journal: self.begin(), observer };
        let ending = self.members.conduct(self.clock, inputs, targets, &mut sink, &self.interrupt);
        self.ended(ending)
    }

    /// Executes a watch until it ends: alone, or as this process's part of it. `observer` is used only in the process
    /// that reports the run.
    pub fn watch(
        &mut self,
        inputs: &RunInputs<'_>,
        subjects: Subjects,
        control: WatchControl<'_>,
        observer: &mut dyn Observer,
    ) -> Ended {
        let mut plain = ();
        let observer = if self.reports() { observer } else { &mut plain };
        let mut sink = Observed { journal: self.begin(), observer };
        let ending = self.members.watch(self.clock, inputs, subjects, control, &mut sink);
        self.ended(ending)
    }

    /// Begins the journal, which receives the store and the live line.
    fn begin(&mut self) -> SharedJournal {
        let live = std::mem::replace(&mut self.live, Live::silent());
        self.journal.begin(JournalSink::new(self.store.take(), live, self.lifeline.clone()));
        self.journal.clone()
    }

    fn ended(&self, ending: Ending) -> Ended {
        let journal = self.journal.take().expect("the run has begun");
        Ended { ending, journal, reporter: self.members.reporter() }
    }
}
