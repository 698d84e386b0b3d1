//! `secchi qualify --metadata`: files made, looked at, read and removed, in the shapes of mdtest.
//!
//! It is a run of its own, without a test file, ramps or needs: its figures are of names, and sums of a run of blocks would be spoiled by
//! them.

use crate::args::Qualify;
use crate::environment;
use crate::exit::{self, Code, coded};
use crate::outputs::Outputs;
use crate::result_files::ResultFiles;
use crate::session::journal_sink::JournalSink;
use crate::session::launch::Reach;
use crate::session::measure::{GRACE, catch_signals, check_hang, identity, provenance};
use crate::session::run_store::{journal_note, open_store};
use crate::session::supervisor::{Lifeline, supervise};
use crate::session::{self, RunSession};
use crate::terminal::{self, Live, Shown, remark};
use anyhow::Result;
use load::target::{DirectoryInspection, DirectoryRequest, OwnDirectory, TargetError};
use model::{Job, Layer, METADATA_SYNC, Nanos, RunEvent, Sample, Sentence};
use run::{Ending, Files, Interrupt, Progress, RunInputs, Sink, Targets, conduct, metadata, preflight};
use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant};
use sys::{Clock, RunClock};

pub fn run(options: &Qualify) -> Result<Code> {
    match environment::supervisor_fd() {
        Some((parent, fd)) => measure(options, Lifeline::attach(parent, fd)?),
        None => {
            check(options)?;
            supervise(Reach::OneHost("qualify --metadata"), Duration::from_nanos(options.hang.as_nanos()) + GRACE)
        }
    }
}

/// What can be wrong without looking at any file.
fn check(options: &Qualify) -> Result<()> {
    check_hang(options.hang)?;
    metadata::counts(&asked(options, 1)).map(drop).map_err(|e| coded(exit::BAD_INPUT, e))
}

fn asked(options: &Qualify, cpus: u32) -> metadata::Request {
    metadata::Request {
        args: std::env::args_os().skip(2).map(|a| a.to_string_lossy().into_owned()).collect(),
        files: options.metadata_files,
        threads: options.metadata_threads,
        cpus,
        hang: options.hang,
    }
}

fn measure(options: &Qualify, mut lifeline: Lifeline) -> Result<Code> {
    let clock = RunClock::start();
    let interrupt = catch_signals()?;
    let path = options.path.as_ref().or(options.dir.as_ref()).expect("the parser demands one of them");
    let facts = preflight::brief(clock, &[path]);
    let request = asked(options, facts.host.cpus);
    let (threads, files) = metadata::counts(&request).map_err(|e| coded(exit::BAD_INPUT, e))?;
    let directory = DirectoryRequest { path: path.clone(), threads, files, made: provenance() };
    let inspection = DirectoryInspection::inspect(directory)?;
    let plan = metadata::plan(&request, &inspection.path).map_err(|e| coded(exit::BAD_INPUT, e))?;
    let mut outputs = Outputs::new(options.results.force);
    outputs.spare(path);
    let mut reports = ResultFiles::claim(&options.results.outputs, &mut outputs)?;
    let mut live = Live::new(options.json);
    let store = open_store(options.store.store.as_ref(), &mut live)?;
    let notes = journal_note(store.as_ref(), path);
    lifeline.report_alive();
    lifeline.makes(&inspection.own_path());
    let directory = OwnDirectory::make(&inspection)?;
    let mut own = MetadataFiles { directory, clock, interrupt: interrupt.clone(), synced: None };
    let mut sink = MetadataSink(JournalSink::new(store, live, Some(lifeline)));
    let identity = identity(&clock, notes);
    let inputs = RunInputs { plan: &plan, preflight: &facts, identity: &identity, caveats: &[] };
    let ending = conduct(clock, &inputs, Targets::JobFiles(&mut own), &mut sink, &interrupt);
    let mut journal = sink.0;
    let left = remove(own, &ending, &mut journal);
    let mut session = RunSession::ended(&mut journal)?;
    let verdict = session.judgement.headline();
    session.close(&mut journal, &verdict);
    let outcome = reports.write(&session.record, &session.judgement);
    let shown = Shown::choose(options.full, options.json);
    let outcome = outcome.and(terminal::print_run(&session.record, &session.judgement, shown));
    session.print_kept();
    left.iter().for_each(|text| remark(text));
    let code = session.code(&ending, &outcome, session.judged());
    session::exit(&mut journal, &ending, outcome, code)
}

/// Removes what was made, however the run ended. Returns a sentence when something stays behind.
fn remove(own: MetadataFiles, ending: &Ending, journal: &mut JournalSink) -> Option<String> {
    let path = own.directory.path().display().to_string();
    if ending.stuck {
        return Some(format!("the directory of files could not be removed while an operation hangs: {path}"));
    }
    let mut lifeline = journal.lifeline().cloned();
    let mut told = Instant::now();
    let mut alive = || {
        if told.elapsed() > Duration::from_millis(500) {
            told = Instant::now();
            lifeline.iter_mut().for_each(Lifeline::moves);
        }
    };
    own.directory.remove(&mut alive).err().map(|error| format!("files stay behind: {error}"))
}

/// The run's own directory as the files of its jobs. After each phase the file system is synced, as by mdtest's `-Y`, so that nothing of
/// one phase is written while the next is measured; how long that took is told.
struct MetadataFiles {
    directory: OwnDirectory,
    clock: RunClock,
    interrupt: Interrupt,
    /// What there is to tell of the last sync.
    synced: Option<RunEvent>,
}

impl Files for MetadataFiles {
    fn open(&self, job: &Job) -> Result<Vec<Arc<File>>, Sentence> {
        let place = job.tuning.metadata.and_then(|rule| self.directory.place(rule.shape, rule.owner));
        Ok(vec![place.ok_or_else(|| Sentence::from(format!("{}: it has no directory", job.name)))?])
    }

    fn present(&self) -> Result<(), TargetError> {
        self.directory.present()
    }

    fn room(&self) -> Result<(), TargetError> {
        self.directory.room()
    }

    fn wave_ended(&mut self, _now: Nanos) {
        // Who wants it to end does not want to wait.
        if self.interrupt.asked() {
            return;
        }
        let before = self.clock.now();
        // What cannot be synced has no figure with sync; whoever wrote hears of a lost write elsewhere.
        if self.directory.sync().is_ok() {
            let now = Nanos(self.clock.now());
            let value = now.since(Nanos(before)).secs();
            let sample =
                Sample { name: METADATA_SYNC.to_owned(), unit: "s".to_owned(), layer: Layer::Application, value };
            self.synced = Some(RunEvent::Samples { at: now, samples: vec![sample] });
        }
    }

    fn events(&mut self, _now: Nanos) -> Vec<RunEvent> {
        self.synced.take().into_iter().collect()
    }
}

/// Keeps the run and shows the phase; how long it still takes nobody knows before it ends.
struct MetadataSink(JournalSink);

impl Sink for MetadataSink {
    fn event(&mut self, event: RunEvent) {
        self.0.event(event);
    }

    fn progress(&mut self, progress: &Progress) {
        self.0.progress(&Progress { left: Nanos(0), ..progress.clone() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Arguments, Command};
    use clap::Parser;

    fn parsed(words: &[&str]) -> std::result::Result<Qualify, clap::Error> {
        let words = ["secchi", "qualify", "--metadata"].iter().chain(words);
        Arguments::try_parse_from(words).map(|parsed| match parsed.command {
            Command::Qualify(options) => *options,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn what_is_about_blocks_does_not_go_with_names() {
        for words in [
            &["/tmp", "--patterns", "randread"][..],
            &["/tmp", "--bs", "8k"],
            &["/tmp", "--need", "8k randread: iops>=1"],
            &["/tmp", "--limit", "volume iops=1"],
            &["/tmp", "--engine", "psync"],
            &["/tmp", "--size", "1g"],
            &["/tmp", "--keep"],
            &["/tmp", "--plan"],
            &["/tmp", "--quiet"],
            &["--device", "/dev/null"],
            &["--target", "A=/tmp"],
            &["/tmp", "--metadata-threads", "65"],
            &["/tmp", "--metadata-files", "99999999"],
        ] {
            assert!(parsed(words).is_err(), "{words:?}");
        }
        assert!(
            parsed(&["/tmp", "--metadata-files", "10", "--metadata-threads", "2", "--json", "--hang", "9s"]).is_ok()
        );
        assert!(Arguments::try_parse_from(["secchi", "qualify", "/tmp", "--metadata-files", "10"]).is_err());
    }

    #[test]
    fn counts_that_make_no_sense_are_bad_input() {
        let failure = check(&parsed(&["/tmp", "--hang", "1ms"]).expect("it parses")).expect_err("refused");
        assert_eq!(exit::code_of(&failure), exit::BAD_INPUT, "{failure}");
        assert!(parsed(&["/tmp", "--metadata-files", "99999999"]).is_err());
    }
}
