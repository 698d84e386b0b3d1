//! The end of a run, which is the same for every measuring command. The record is judged once, the journal is closed
//! with the digest for lists, anything that was not stored is reported, and the supervisor receives the exit code. If
//! threads may be stuck in the kernel, the process ends immediately.

use crate::console::{remark, remark_of};
use crate::exit::{self, Code};
use crate::journal_sink::{JournalSink, Kept};
use crate::run_store::digest_of;
use crate::supervisor::Lifeline;
use anyhow::{Context, Result};
use messages::sentence;
use model::{Judgement, RunRecord, Sentence};
use run::Ending;
use store::Digest;

/// Process that reports a run, and the fate of the part that another process stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reporter {
    /// This process.
    Own,
    /// Another process. `has_whole` is true if it has stored the complete run.
    Other { has_whole: bool },
}

/// A run that has ended and was not judged yet.
pub struct Ended {
    /// Final state of the run, with its reason.
    pub ending: Ending,
    pub(super) journal: JournalSink,
    pub(super) reporter: Reporter,
}

impl Ended {
    /// Reports the run by `report`. If another process reports the run, closes this process's part of it instead.
    ///
    /// # Errors
    /// Errors of `report`, and an error if the run never began.
    pub fn report(mut self, report: impl FnOnce(JudgedRun) -> Result<Code>) -> Result<Code> {
        if self.reporter == Reporter::Own {
            return report(self.judge()?);
        }
        self.close_part();
        exit(&self.journal, &self.ending, Ok(()), exit::OK)
    }

    /// Judges the run and clears the live line. If another process reports the run, also closes this process's part.
    ///
    /// # Errors
    /// If the run never began.
    pub fn judge(mut self) -> Result<JudgedRun> {
        self.close_part();
        self.journal.live.clear();
        let record = self.journal.record.take().context("the run did not start")?;
        let judgement = analysis::judge(&record);
        let reports = self.reporter == Reporter::Own;
        let Ended { ending, journal, .. } = self;
        Ok(JudgedRun { record, judgement, ending, reports, journal, kept: Kept::default() })
    }

    /// Closes the part of the run that a process stores in case the process that reports the run is lost.
    fn close_part(&mut self) {
        let Reporter::Other { has_whole } = self.reporter else { return };
        if has_whole {
            // If the part cannot be removed, it is listed in the store of parts and does no harm.
            let _ = self.journal.discard();
        } else if let Some(digest) = self.journal.record().map(digest_of) {
            // An error cannot be printed here, because another process prints.
            let _ = self.journal.finish(digest);
        }
    }
}

/// A run that has ended, with its judgement.
pub struct JudgedRun {
    /// The measurements.
    pub record: RunRecord,
    /// The judgement of the record.
    pub judgement: Judgement,
    /// Final state of the run, with its reason.
    pub ending: Ending,
    /// True if this process reports the run.
    pub reports: bool,
    /// Outcome of writing the journal; empty before it is closed.
    pub kept: Kept,
    journal: JournalSink,
}

impl JudgedRun {
    /// Closes the journal with the digest for lists. Waits until it is on disk, with a time limit.
    pub fn close(&mut self, verdict: &Sentence) {
        self.kept = self.journal.finish(Digest {
            verdict: verdict.clone(),
            exit: Some(self.judgement.exit_code),
            workloads: analysis::workload_figures(&self.record),
        });
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
    pub fn code(&self, outcome: &Result<()>, code: Code) -> Code {
        exit::of_run(&self.ending, exit::ended(outcome, self.kept.code(code)))
    }

    /// Returns the connection to the supervisor.
    pub fn lifeline(&self) -> &Lifeline {
        &self.journal.lifeline
    }

    /// Closes the journal, prints the results by `print`, then what was not stored and the sentences about remaining
    /// files, and exits with the code that the judgement determined.
    ///
    /// # Errors
    /// Errors of `print`.
    pub fn finish(
        mut self,
        verdict: &Sentence,
        remains: &[String],
        print: impl FnOnce(&JudgedRun) -> Result<()>,
    ) -> Result<Code> {
        self.close(verdict);
        let outcome = print(&self);
        self.print_kept();
        remains.iter().for_each(|text| remark(text));
        let code = self.code(&outcome, self.judged());
        self.exit(outcome, code)
    }

    /// Reports the exit code to the supervisor and returns it. If threads may be stuck in the kernel, ends the process
    /// with this code immediately.
    ///
    /// # Errors
    /// If the results of the run could not be printed.
    pub fn exit(self, outcome: Result<()>, code: Code) -> Result<Code> {
        exit(&self.journal, &self.ending, outcome, code)
    }
}

fn exit(journal: &JournalSink, ending: &Ending, outcome: Result<()>, code: Code) -> Result<Code> {
    journal.lifeline.exit(code);
    if ending.stuck {
        // Threads stuck in the kernel cannot be waited for.
        crate::console::exit_now(code.0);
    }
    outcome.map(|()| code)
}
