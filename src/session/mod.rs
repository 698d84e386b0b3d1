//! The end of a run, which is the same for every measuring command. The record is judged once, the journal is closed
//! with the digest for lists, anything that was not stored is reported, and the supervisor receives the exit code. If
//! threads may be stuck in the kernel, the process ends immediately.

pub mod directories;
pub mod journal_sink;
pub mod launch;
pub mod measure;
pub mod ranks;
pub mod recorder;
pub mod run_store;
pub mod shared_file;
pub mod supervisor;

use crate::exit::{self, Code};
use crate::session::journal_sink::{JournalSink, Kept};
use crate::terminal::{remark, remark_of};
use anyhow::{Context, Result};
use messages::sentence;
use model::{Digest, Judgement, RunRecord, Sentence};
use run::Ending;

/// A run that has ended.
pub struct RunSession {
    /// The measurements.
    pub record: RunRecord,
    /// The judgement of the record.
    pub judgement: Judgement,
    kept: Kept,
}

impl RunSession {
    /// Takes the record of a run that has ended, judges it, and clears the live line.
    ///
    /// # Errors
    /// If the run never began.
    pub fn ended(sink: &mut JournalSink) -> Result<Self> {
        sink.live().clear();
        let record = sink.take_record().context("the run did not start")?;
        let judgement = analysis::judge(&record);
        Ok(RunSession { record, judgement, kept: Kept::default() })
    }

    /// Closes the journal with the digest for lists. Waits until it is on disk, with a time limit.
    pub fn close(&mut self, sink: &mut JournalSink, verdict: &Sentence) {
        self.kept = sink.finish(Digest {
            verdict: verdict.clone(),
            exit: Some(self.judgement.exit_code),
            workloads: analysis::workload_figures(&self.record),
        });
    }

    /// Returns the outcome of writing the journal; empty before it is closed.
    pub fn kept(&self) -> &Kept {
        &self.kept
    }

    /// Prints which parts of the run were not stored, and remarks about the run's place in lists.
    pub fn print_kept(&self) {
        if let Some(lost) = &self.kept.lost {
            remark_of(&sentence!("remark-run-lost", why = lost));
        }
        if let Some(text) = &self.kept.remark {
            remark(text);
        }
    }

    /// Returns the exit code that the judgement determined.
    pub fn judged(&self) -> Code {
        Code(i32::from(self.judgement.exit_code))
    }

    /// Returns the exit code of a run that would end with `code`. It depends on how the run ended, whether its results
    /// could be printed, and whether it was stored.
    pub fn code(&self, ending: &Ending, outcome: &Result<()>, code: Code) -> Code {
        exit::of_run(ending, exit::ended(outcome, self.kept.code(code)))
    }
}

/// Reports the exit code to the supervisor and returns it. If threads may be stuck in the kernel, ends the process with
/// this code immediately.
///
/// # Errors
/// If the results of the run could not be printed.
pub fn exit(sink: &mut JournalSink, ending: &Ending, outcome: Result<()>, code: Code) -> Result<Code> {
    if let Some(line) = sink.lifeline() {
        line.exit(code);
    }
    if ending.stuck {
        // Threads stuck in the kernel cannot be waited for.
        sys::exit_now(code.0);
    }
    outcome.map(|()| code)
}
