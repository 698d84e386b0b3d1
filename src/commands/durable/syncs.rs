//! `secchi durable PATH`: shows how each sync method reaches the layers below, and how long it takes.
//!
//! The test is a separate run in a directory that it creates and removes. It makes one commit at a time and tests one
//! method at a time. It also traces the block layer if it has permission.

use crate::args::DurableSyncs;
use crate::environment;
use crate::exit::{self, Code, coded};
use crate::outputs::Outputs;
use crate::result_files::ResultFiles;
use crate::session::hosts::launch::Reach;
use crate::session::journal_sink::JournalSink;
use crate::session::measure::{GRACE, catch_signals, check_hang, identity, provenance};
use crate::session::run_store::{journal_note, open_store};
use crate::session::supervisor::{Lifeline, supervise};
use crate::session::{self, RunSession};
use crate::terminal::{self, Live, Shown, remark};
use anyhow::Result;
use load::target::{DirectoryInspection, DirectoryRequest, OwnDirectory, TargetError};
use model::{Job, MetadataShape, Nanos, RunEvent, Sentence};
use run::{Ending, Files, Interrupt, RunInputs, Targets, conduct, durable, preflight};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use sys::RunClock;

pub fn run(options: &DurableSyncs) -> Result<Code> {
    check_hang(options.hang)?;
    planned(options, Path::new("."), "", true)?;
    match environment::supervisor_fd() {
        Some((parent, fd)) => measure(options, Lifeline::attach(parent, fd)?),
        None => supervise(Reach::OneHost("durable"), Duration::from_nanos(options.hang.as_nanos()) + GRACE),
    }
}

fn planned(options: &DurableSyncs, place: &Path, own: &str, direct: bool) -> Result<model::Plan> {
    let request = durable::Request {
        args: std::env::args_os().skip(2).map(|a| a.to_string_lossy().into_owned()).collect(),
        time: options.time,
        hang: options.hang,
    };
    durable::plan(&request, place, own, direct).map_err(|e| coded(exit::BAD_INPUT, e))
}

fn measure(options: &DurableSyncs, mut lifeline: Lifeline) -> Result<Code> {
    let clock = RunClock::start();
    let interrupt = catch_signals()?;
    let path = &options.path;
    let facts = preflight::brief(clock, &[path]);
    let directory =
        DirectoryRequest { path: path.clone(), tasks: 1, files: 16, room: durable::ROOM, made: provenance() };
    let inspection = DirectoryInspection::inspect(directory)?;
    let mut outputs = Outputs::new(options.results.force);
    outputs.spare(path);
    let mut reports = ResultFiles::claim(&options.results.outputs, &mut outputs)?;
    lifeline.report_alive();
    let direct = facts.storage.direct_refused.is_none();
    let plan = planned(options, &inspection.path, &inspection.own_name(), direct)?;
    lifeline.makes(&inspection.own_path());
    let held = Held(OwnDirectory::make(&inspection)?);
    let mut live = Live::new(options.json);
    let store = open_store(options.store.store.as_ref(), &mut live)?;
    let mut notes: Vec<Sentence> = journal_note(store.as_ref(), path).into_iter().map(Sentence::from).collect();
    if let Some(reason) = &facts.storage.direct_refused {
        notes.push(reason.clone());
    }
    let mut files = CommitFiles { held, interrupt: interrupt.clone() };
    let mut journal = JournalSink::new(store, live, lifeline);
    let identity = identity(&clock, notes);
    let inputs = RunInputs { plan: &plan, preflight: &facts, identity: &identity, caveats: &[] };
    let ending = conduct(clock, &inputs, Targets::JobFiles(&mut files), &mut journal, &interrupt);
    let left = remove(files.held, &ending);
    let mut session = RunSession::ended(&mut journal)?;
    let verdict = session.judgement.headline();
    session.close(&mut journal, &verdict);
    let outcome = reports.write(&session.record, &session.judgement);
    let shown = Shown::choose(true, options.json);
    let outcome = outcome.and(terminal::print_run(&session.record, &session.judgement, shown));
    session.print_kept();
    left.iter().for_each(|text| remark(text));
    let code = session.code(&ending, &outcome, session.judged());
    session::exit(&mut journal, &ending, outcome, code)
}

/// A directory created by secchi, removed when this value is dropped.
struct Held(OwnDirectory);

impl Drop for Held {
    fn drop(&mut self) {
        // The error is reported elsewhere. If the directory remains, it is recognised by its mark later.
        let _ = self.0.remove(&mut || ());
    }
}

/// Removes the directory after the run, even if it failed. Returns a sentence if something remains.
fn remove(mut held: Held, ending: &Ending) -> Option<String> {
    let path = held.0.path().display().to_string();
    if ending.stuck {
        // The hanging call keeps the directory in use.
        std::mem::forget(held);
        return Some(format!("the files could not be removed while an operation hangs: {path}"));
    }
    let error = held.0.remove(&mut || ()).err()?;
    std::mem::forget(held);
    Some(format!("the files could not be removed: {error}"))
}

/// The directory in the form that its jobs use.
struct CommitFiles {
    held: Held,
    interrupt: Interrupt,
}

impl Files for CommitFiles {
    fn open(&self, job: &Job) -> Result<Vec<Arc<File>>, Sentence> {
        let place = self.held.0.place(MetadataShape::Easy, 0);
        Ok(vec![place.ok_or_else(|| Sentence::from(format!("{}: no directory was created for this job", job.name)))?])
    }

    fn present(&self) -> Result<(), TargetError> {
        self.held.0.present()
    }

    fn room(&self) -> Result<(), TargetError> {
        self.held.0.room()
    }

    fn wave_ended(&mut self, _now: Nanos) {
        // Data that one method left in caches must not be written while the next method is measured. After an
        // interrupt, do not wait for this.
        if !self.interrupt.asked() {
            // If the sync fails, the next commit fails too and reports it.
            let _ = self.held.0.sync();
        }
    }

    fn events(&mut self, _now: Nanos) -> Vec<RunEvent> {
        Vec::new()
    }
}
