//! `secchi qualify --metadata`: creates, stats, reads and removes files, in the same layouts as mdtest.
//!
//! This is a separate run without a test file or ramps. Its figures are about file names, and they would distort the
//! totals of a run that measures blocks.
//!
//! On many hosts, all of them work in one directory if they see the same file system, otherwise each in its own.

use crate::commands::judge::write_junit;
use anyhow::Result;
use cli::Qualify;
use load::target::{DirectoryInspection, DirectoryRequest, TargetError};
use model::measured::{Layer, Sample};
use model::{Bytes, Caveat, Job, Nanos, RunEvent, Sentence, bounds::NeedSubject, metadata::METADATA_SYNC};
use run::metadata::Sharing;
use run::{Files, Interrupt, Progress, RunInputs, Sink, Targets, metadata, preflight};
use session::console::{self, Live, Shown};
use session::exit::{self, Code, coded};
use session::hosts::HeldDirectory;
use session::journal_sink::JournalSink;
use session::launch::Reach;
use session::measure::{check_hang, provenance};
use session::outputs::{Outputs, Replaces};
use session::result_files::ResultFiles;
use session::supervisor::Lifeline;
use session::{Observer, Session};
use session::{environment, reject};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use sys::clock::{Clock, RunClock};

pub fn run(options: &Qualify) -> Result<Code> {
    check(options)?;
    match options.plan {
        true => Session::run(Lifeline::default(), |session| show_plan(options, session)),
        false => Session::supervised(Reach::ManyHosts, options.hang, |session| measure(options, session)),
    }
}

/// Checks the options that can be checked without access to files.
fn check(options: &Qualify) -> Result<()> {
    check_hang(options.hang)?;
    if let Some(need) =
        options.needs.iter().flat_map(|n| &n.0).find(|n| !matches!(n.subject, NeedSubject::Metadata(..)))
    {
        reject!(
            "need `{}` is not for file operations: --metadata judges only needs on phases of mdtest",
            model::clip(&need.text)
        );
    }
    metadata::counts(&asked(options, 1)).map(drop).map_err(|e| coded(exit::BAD_INPUT, e))
}

fn asked(options: &Qualify, cpus: u32) -> metadata::Request {
    metadata::Request {
        args: environment::arguments(),
        files: options.metadata_files,
        threads: options.metadata_threads,
        cpus,
        hang: options.hang,
        needs: options.needs.iter().flat_map(|n| n.0.clone()).collect(),
    }
}

/// Prints the plan and its directory; creates nothing.
fn show_plan(options: &Qualify, session: &mut Session) -> Result<Code> {
    let path = path(options);
    let facts = preflight::brief(session.clock, &[path]);
    let request = fewest_threads(asked(options, facts.host.cpus), session)?;
    let inspection = inspect(path, &request)?;
    // Whether all hosts see the directory is known only after it has been created, so the plan is for separate
    // directories.
    let plan = metadata::plan(&request, &inspection.path, Sharing::NONE).map_err(|e| coded(exit::BAD_INPUT, e))?;
    session.agree(&plan, &facts)?;
    let plan = session.common_plan(&plan);
    let opens = [format!("{}  a new directory that contains all files", inspection.own_path().display())];
    console::print(|style, out| report::write_plan(plan, &facts, &[], &opens, style, out))?;
    Ok(exit::OK)
}

fn measure(options: &Qualify, session: &mut Session) -> Result<Code> {
    session.catch_signals()?;
    let path = path(options);
    let facts = preflight::brief(session.clock, &[path]);
    let request = fewest_threads(asked(options, facts.host.cpus), session)?;
    let inspection = inspect(path, &request)?;
    let mut outputs = Outputs::new(options.results.force);
    outputs.spare(path);
    let mut reports = ResultFiles::claim(session.outputs(&options.results.outputs), &mut outputs)?;
    let junit_path = options.junit.as_deref().filter(|_| session.reports());
    let mut junit = junit_path.map(|path| outputs.claim(path, Replaces::Ours)).transpose()?;
    session.lifeline.report_alive();
    let root = inspection.path.clone();
    let mut directory = session.directory(inspection)?;
    let plan = metadata::plan(&request, &root, directory.sharing).map_err(|e| coded(exit::BAD_INPUT, e))?;
    let mut notes: Vec<String> = directory.note.take().into_iter().collect();
    let caveats: Vec<Caveat> = directory.doubt.take().into_iter().collect();
    let held = session.agree_in(directory, &plan, &facts)?;
    session.live = Live::new(options.json);
    session.open_store(options.store.store.as_ref())?;
    notes.extend(session.journal_note(path));
    let (clock, interrupt) = (session.clock, session.interrupt.clone());
    let mut files = MetadataFiles { held, clock, interrupt, synced: None };
    let identity = session.identity(notes);
    let inputs = RunInputs { plan: &plan, preflight: &facts, identity: &identity, caveats: &caveats };
    let ended = session.conduct(&inputs, Targets::JobFiles(&mut files), &mut WithoutRemainingTime);
    let remains: Vec<String> = session.remove_directory(files.held, &ended.ending).into_iter().collect();
    ended.report(|run| {
        let verdict = run.judgement.headline();
        run.finish(&verdict, &remains, |run| {
            let outcome = junit.as_mut().map_or(Ok(()), |file| write_junit(file, &run.record, &run.judgement));
            let outcome = outcome.and(reports.write(&run.record, &run.judgement));
            let shown = Shown::choose(options.full, options.json);
            outcome.and(console::print_run(&run.record, &run.judgement, shown))
        })
    })
}

fn path(options: &Qualify) -> &PathBuf {
    options.path.as_ref().or(options.dir.as_ref()).expect("the parser requires one of them")
}

fn inspect(path: &Path, request: &metadata::Request) -> Result<DirectoryInspection> {
    let (threads, files) = metadata::counts(request).map_err(|e| coded(exit::BAD_INPUT, e))?;
    let path = path.to_owned();
    let request = DirectoryRequest { path, tasks: threads, files, room: Bytes(0), made: provenance() };
    Ok(DirectoryInspection::inspect(request)?)
}

/// Returns the request that all hosts use. They may differ in their number of CPUs, but each must have the same number
/// of threads.
fn fewest_threads(request: metadata::Request, session: &mut Session) -> Result<metadata::Request> {
    let (threads_here, _) = metadata::counts(&request).map_err(|e| coded(exit::BAD_INPUT, e))?;
    let fewest = session.least(threads_here)?;
    Ok(metadata::Request { threads: Some(fewest), ..request })
}

/// The directory in the form that its jobs use. After each phase the file system is synced, like mdtest's `-Y`, so that
/// data of one phase is not written while the next is measured. The duration of the sync is recorded. As in mdtest,
/// each rank syncs as soon as it has finished the phase itself.
struct MetadataFiles {
    held: HeldDirectory,
    clock: RunClock,
    interrupt: Interrupt,
    /// Event with the duration of the last sync.
    synced: Option<RunEvent>,
}

impl Files for MetadataFiles {
    fn open(&self, job: &Job) -> Result<Vec<Arc<File>>, Sentence> {
        let place = job.tuning.work.metadata().and_then(|rule| self.held.place(rule.shape, rule.owner));
        Ok(vec![place.ok_or_else(|| Sentence::from(format!("{}: no directory was created for this job", job.name)))?])
    }

    fn present(&self) -> Result<(), TargetError> {
        self.held.present()
    }

    fn room(&self) -> Result<(), TargetError> {
        self.held.room()
    }

    fn wave_ended(&mut self, _now: Nanos) {
        // After an interrupt, do not wait for a sync.
        if self.interrupt.asked() {
            return;
        }
        let before = self.clock.now();
        // A failed sync has no duration to record. If a write was lost, the writer gets the error elsewhere.
        if self.held.sync().is_ok() {
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

/// Shows the phase of the run without the remaining time, which is unknown.
struct WithoutRemainingTime;

impl Observer for WithoutRemainingTime {
    fn progress(&mut self, progress: &Progress, journal: &mut JournalSink) {
        journal.progress(&Progress { left: Nanos(0), ..progress.clone() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use cli::{Arguments, Command};

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
            &["/tmp", "--limit", "volume iops=1"],
            &["/tmp", "--engine", "psync"],
            &["/tmp", "--size", "1g"],
            &["/tmp", "--keep"],
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
        let blocks = parsed(&["/tmp", "--need", "8k randread: iops>=1"]).expect("it parses");
        assert!(check(&blocks).is_err_and(|e| e.to_string().contains("is not for file operations")));
        let files = ["/tmp", "--plan", "--need", "mdtest-easy-write: iops>=1", "--need", "mdtest-hard stat: p99<=1ms"];
        check(&parsed(&files).expect("it parses")).expect("that is what it decides");
    }
}
