//! `secchi durable PATH`: shows how each sync method reaches the layers below, and how long it takes.
//!
//! The test is a separate run in a directory that it creates and removes. It makes one commit at a time and tests one
//! method at a time. It also traces the block layer if it has permission.

use anyhow::Result;
use cli::DurableSyncs;
use load::target::{DirectoryInspection, DirectoryRequest, TargetError};
use model::{Job, Nanos, Sentence, metadata::MetadataShape};
use run::{Files, Interrupt, RunInputs, Targets, durable, preflight};
use session::Session;
use session::console::{self, Live, Shown};
use session::environment;
use session::exit::{self, Code, coded};
use session::hosts::HeldDirectory;
use session::launch::Reach;
use session::measure::{check_hang, provenance};
use session::outputs::Outputs;
use session::result_files::ResultFiles;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

pub fn run(options: &DurableSyncs) -> Result<Code> {
    check_hang(options.hang)?;
    planned(options, Path::new("."), "", true)?;
    Session::supervised(Reach::OneHost("durable"), options.hang, |session| measure(options, session))
}

fn planned(options: &DurableSyncs, place: &Path, own: &str, direct: bool) -> Result<model::Plan> {
    let request = durable::Request { args: environment::arguments(), time: options.time, hang: options.hang };
    durable::plan(&request, place, own, direct).map_err(|e| coded(exit::BAD_INPUT, e))
}

fn measure(options: &DurableSyncs, session: &mut Session) -> Result<Code> {
    session.catch_signals()?;
    let path = &options.path;
    let facts = preflight::brief(session.clock, &[path]);
    let directory =
        DirectoryRequest { path: path.clone(), tasks: 1, files: 16, room: durable::ROOM, made: provenance() };
    let inspection = DirectoryInspection::inspect(directory)?;
    let mut outputs = Outputs::new(options.results.force);
    outputs.spare(path);
    let mut reports = ResultFiles::claim(&options.results.outputs, &mut outputs)?;
    session.lifeline.report_alive();
    let direct = facts.storage.direct_refused.is_none();
    let plan = planned(options, &inspection.path, &inspection.own_name(), direct)?;
    let held = HeldDirectory::make(&inspection, &session.lifeline)?;
    session.live = Live::new(options.json);
    session.open_store(options.store.store.as_ref())?;
    let mut notes: Vec<Sentence> = session.journal_note(path).into_iter().map(Sentence::from).collect();
    notes.extend(facts.storage.direct_refused.clone());
    let mut files = CommitFiles { held, interrupt: session.interrupt.clone() };
    let identity = session.identity(notes);
    let inputs = RunInputs { plan: &plan, preflight: &facts, identity: &identity, caveats: &[] };
    let ended = session.conduct(&inputs, Targets::JobFiles(&mut files), &mut ());
    let remains: Vec<String> = session.remove_directory(files.held, &ended.ending).into_iter().collect();
    ended.report(|run| {
        let verdict = run.judgement.headline();
        run.finish(&verdict, &remains, |run| {
            let outcome = reports.write(&run.record, &run.judgement);
            outcome.and(console::print_run(&run.record, &run.judgement, Shown::choose(true, options.json)))
        })
    })
}

/// The directory in the form that its jobs use.
struct CommitFiles {
    held: HeldDirectory,
    interrupt: Interrupt,
}

impl Files for CommitFiles {
    fn open(&self, job: &Job) -> Result<Vec<Arc<File>>, Sentence> {
        let place = self.held.place(MetadataShape::Easy, 0);
        Ok(vec![place.ok_or_else(|| Sentence::from(format!("{}: no directory was created for this job", job.name)))?])
    }

    fn present(&self) -> Result<(), TargetError> {
        self.held.present()
    }

    fn room(&self) -> Result<(), TargetError> {
        self.held.room()
    }

    fn wave_ended(&mut self, _now: Nanos) {
        // Data that one method left in caches must not be written while the next method is measured. After an
        // interrupt, do not wait for this.
        if !self.interrupt.asked() {
            // If the sync fails, the next commit fails too and reports it.
            let _ = self.held.sync();
        }
    }
}
