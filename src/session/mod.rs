//! The end of a run, the same for every command that measures: its record is judged once, its journal is closed with what
//! lists say of it, what is not kept is said, the supervisor is told the exit code, and the process ends at once where threads
//! may be held in the kernel.

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
use crate::terminal::remark;
use anyhow::{Context, Result};
use model::{Digest, Judgement, RunRecord, Sentence};
use run::Ending;

/// A run that has ended.
pub struct RunSession {
    /// What was measured.
    pub record: RunRecord,
    /// What the judge says of it.
    pub judgement: Judgement,
    kept: Kept,
}

impl RunSession {
    /// Takes the record of a run that has ended, judges it, and clears the live line.
    ///
    /// # Errors
    /// When the run never began.
    pub fn ended(sink: &mut JournalSink) -> Result<Self> {
        sink.live().clear();
        let record = sink.take_record().context("the run did not begin")?;
        let judgement = analysis::judge(&record);
        Ok(RunSession { record, judgement, kept: Kept::default() })
    }

    /// Closes the journal, with what lists say of the run, and waits for its disk, but not for ever.
    pub fn close(&mut self, sink: &mut JournalSink, verdict: &Sentence) {
        self.kept = sink.finish(Digest {
            verdict: verdict.clone(),
            exit: Some(self.judgement.exit_code),
            workloads: analysis::workload_figures(&self.record),
        });
    }

    /// What became of the journal; nothing is known before it is closed.
    pub fn kept(&self) -> &Kept {
        &self.kept
    }

    /// Says what of the run is not kept, and what there is to know about its place in lists.
    pub fn print_kept(&self) {
        if let Some(lost) = &self.kept.lost {
            remark(&format!("this run is not kept whole: {lost}"));
        }
        if let Some(text) = &self.kept.remark {
            remark(text);
        }
    }

    /// The judge's exit code.
    pub fn judged(&self) -> Code {
        Code(i32::from(self.judgement.exit_code))
    }

    /// The exit code of a run that would end with `code`, in view of how it ended, of what could not be told of it, and of
    /// what is not kept.
    pub fn code(&self, ending: &Ending, outcome: &Result<()>, code: Code) -> Code {
        exit::of_run(ending, exit::ended(outcome, self.kept.code(code)))
    }
}

/// Tells the supervisor that the run ends with `code`, and ends with it.
///
/// # Errors
/// What could not be told of the run.
pub fn exit(sink: &mut JournalSink, ending: &Ending, outcome: Result<()>, code: Code) -> Result<Code> {
    if let Some(line) = sink.lifeline() {
        line.exit(code);
    }
    if ending.stuck {
        // Threads in the kernel cannot be waited for.
        sys::exit_now(code.0);
    }
    outcome.map(|()| code)
}
