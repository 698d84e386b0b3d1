//! Output during a run of job files and after it. The document goes to standard output or to its file, and everything
//! else to standard error.

use super::iologs::IologWriter;
use super::logs::LogWriter;
use super::{OutputFiles, code_of, verdict, within_ramp};
use anyhow::Result;
use job::{Eta, RunOptions};
use load::recorder::Entry;
use messages::sentence;
use model::{Caveat, Judgement, RunEvent, RunRecord};
use report::formats::fio::{self, Outputs};
use run::{Progress, Sink};
use session::console::{self, StandardStream, eta, remark, remark_of};
use session::exit::{self, Code, coded, ended};
use session::journal_sink::JournalSink;
use session::outputs::Stream;
use session::result_files::ResultFiles;
use session::{JudgedRun, Observer, Session};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Prints a run in fio's formats.
pub struct FioPrinter {
    outputs: Outputs,
    /// Stream for the document; `None` is standard output.
    document: Option<Stream>,
    /// Interval between complete reports during the run.
    every: Option<Duration>,
    last: Instant,
    /// Interval and last time of fio's progress line on standard output, if it is not shown on a terminal
    /// (`--eta=always`).
    eta: Option<(Duration, Instant)>,
    /// True if SIGUSR1 requested a report.
    asked: Arc<AtomicBool>,
    head: bool,
    logs: LogWriter,
    iologs: IologWriter,
    reports: ResultFiles,
    trouble: Option<std::io::Error>,
}

impl FioPrinter {
    /// Returns a printer. It writes an intermediate report when the session requests one.
    pub fn new(session: &Session, outputs: Outputs, written: OutputFiles, run: &RunOptions) -> Self {
        let every = (!run.status_interval.is_zero()).then(|| Duration::from_nanos(run.status_interval.as_nanos()));
        let asked_for_eta = run.eta == Eta::Always && !console::is_terminal(StandardStream::Error);
        let eta = asked_for_eta.then(|| (Duration::from_nanos(run.eta_interval.as_nanos()), Instant::now()));
        FioPrinter {
            outputs,
            document: written.document,
            every,
            eta,
            last: Instant::now(),
            asked: session.lifeline.report_wanted(),
            head: false,
            logs: LogWriter::new(written.logs),
            iologs: written.iologs,
            reports: written.reports,
            trouble: None,
        }
    }

    /// Writes a part of the document from the record so far. Writes nothing before the run has begun.
    fn write_so_far(
        &mut self,
        journal: &JournalSink,
        what: impl FnOnce(&RunRecord, Outputs, &mut dyn Write) -> std::io::Result<()>,
    ) {
        let Some(record) = journal.record() else { return };
        let mut text = Vec::new();
        let written = what(record, self.outputs, &mut text);
        self.write(|out| written.and_then(|()| out.write_all(&text)));
    }

    fn write(&mut self, what: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) {
        let mut text = Vec::new();
        let written = what(&mut text).and_then(|()| {
            let mut stdout;
            let out: &mut dyn Write = match &mut self.document {
                Some(file) => file,
                None => {
                    stdout = console::writer(StandardStream::Output);
                    &mut stdout
                }
            };
            out.write_all(&text)?;
            out.flush()
        });
        if let Err(error) = written {
            // A reader that closed the pipe has read all that it needs.
            if error.kind() != std::io::ErrorKind::BrokenPipe {
                self.trouble.get_or_insert(error);
            }
        }
    }

    /// Prints the document, writes the logs, closes the journal.
    pub fn finish(mut self, mut run: JudgedRun) -> Result<Code> {
        let (record, judgement) = (&run.record, &run.judgement);
        let outputs = self.outputs;
        self.write(|out| fio::write_result(&with_doubts(record, judgement), outputs, std::process::id(), out));
        if outputs.normal {
            self.write(|out| traced(record, judgement, out));
        }
        let mut code = code_of(record);
        if code == exit::INVALID && record.reason.is_empty() {
            match record.steps.iter().any(within_ramp) {
                true => remark_of(&sentence!("no-io-measured")),
                false => remark_of(&sentence!("no-io-done")),
            }
        } else if !record.reason.is_empty() {
            remark_of(&record.reason);
        }
        if let Err(error) = self.logs.close(record).and_then(|()| self.iologs.close(record)) {
            remark(&error);
            code = exit::CANNOT;
        }
        if let Err(error) = self.reports.write(record, judgement) {
            remark(&format!("{error:#}"));
            code = exit::CANNOT;
        }
        let finished = self.document.take().map_or(Ok(()), Stream::finish);
        let outcome = match self.trouble.take().map_or(finished, Err) {
            Ok(()) => Ok(()),
            Err(error) => Err(coded(exit::CANNOT, format!("cannot write the document: {error}"))),
        };
        // The supervisor exits with this code.
        let code = exit::of_run(&run.ending, ended(&outcome, code));
        let verdict = verdict(record, judgement);
        run.close(&verdict);
        match (&run.kept.lost, &run.kept.remark) {
            (Some(why), _) => remark_of(&sentence!("remark-run-not-kept", why)),
            (None, Some(text)) => remark(text),
            (None, None) => {}
        }
        if let Err(lost) = &outcome {
            remark(&format!("{lost:#}"));
        }
        let code = run.kept.code(code);
        run.exit(Ok(()), code)
    }
}

/// Prints the results of a block trace, which fio's output has no place for. Prints nothing without a trace.
pub fn traced(record: &RunRecord, judgement: &Judgement, out: &mut dyn Write) -> std::io::Result<()> {
    if record.blocks.is_empty() {
        return Ok(());
    }
    let style = report::Style { unicode: false, ..report::Style::default() };
    report::write_traced(record, &judgement.layers, &style, out)
}

/// Returns the record with the doubts of the judgement. They are the same as for `qualify`, plus the stalls, which have
/// no other place in fio's output.
pub fn with_doubts(record: &RunRecord, judgement: &Judgement) -> RunRecord {
    let stalls = judgement.findings.iter().filter(|f| f.id == "stalls");
    let as_caveat = |f: &model::judged::Finding| {
        Caveat::new(f.id.as_str(), f.severity, &f.statement, model::Sentence::join(f.evidence.clone(), "; "))
            .remedy(&f.remedy)
    };
    // The judgement counts loads, but the record counts steps.
    let loads = record.load_steps();
    let first_step = |step: usize| loads.get(step).and_then(|steps| steps.first().copied());
    let doubts = judgement.caveats.iter().cloned();
    let doubts = doubts.map(|caveat| Caveat { step: caveat.step.and_then(first_step), ..caveat });
    let caveats = doubts.chain(stalls.map(as_caveat)).collect();
    RunRecord { caveats, ..record.clone() }
}

impl Observer for FioPrinter {
    fn event(&mut self, event: RunEvent, journal: &mut JournalSink) {
        let begins = matches!(event, RunEvent::StepBegin { .. }) && !self.head;
        if let (RunEvent::Interval { step, interval }, Some(record)) = (&event, journal.record()) {
            self.logs.take(record, *step, interval);
        }
        journal.event(event);
        if begins {
            self.head = true;
            self.write_so_far(journal, fio::write_head);
        }
        let due = self.every.is_some_and(|every| self.last.elapsed() >= every);
        if self.head && (due || self.asked.swap(false, Relaxed)) {
            self.last = Instant::now();
            self.write_so_far(journal, |record, outputs, out| {
                let record = with_doubts(record, &analysis::judge(record));
                fio::write_result(&record, outputs, std::process::id(), out)
            });
        }
    }

    fn progress(&mut self, progress: &Progress, journal: &mut JournalSink) {
        journal.progress(progress);
        let Some((every, last)) = &mut self.eta else { return };
        let line = eta(progress);
        if line.is_empty() || last.elapsed() < *every {
            return;
        }
        *last = Instant::now();
        // The line ends as in fio, even if no terminal overwrites it. An error has no consequence.
        let mut out = console::writer(StandardStream::Output);
        let _ = write!(out, "{line}\r").and_then(|()| out.flush());
    }

    fn operations(&mut self, step: usize, entries: &[Entry], journal: &mut JournalSink) {
        if let Some(record) = journal.record() {
            self.logs.add(record, step, entries);
            self.iologs.add(record, step, entries);
        }
    }
}
