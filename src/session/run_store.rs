//! The store of runs, as the command line names it: opened, reached, and able to judge what it holds.

use crate::args::StoreArg;
use crate::environment;
use crate::exit::{self, coded};
use crate::terminal::Live;
use anyhow::{Context, Result};
use messages::sentence;
use model::{Digest, RunRecord, Sentence};
use report::formats::mark::Mark;
use std::path::{Path, PathBuf};
use store::{Store, StoreError};

/// A team's store by its address; nothing is connected yet.
pub fn team_store(url: &Path) -> Result<Store> {
    let waiting = environment::waiting_dir().ok_or_else(|| {
        coded(exit::CANNOT, "neither XDG_DATA_HOME nor HOME is set: runs cannot wait for a team's store")
    })?;
    let store = Store::team(&url.to_string_lossy(), &environment::team_access(), &waiting).map_err(|e| {
        let code = if matches!(e, StoreError::Team(_)) { exit::BAD_INPUT } else { exit::CANNOT };
        coded(code, e)
    })?;
    Ok(judging(store))
}

/// Opens the store where asked; where its usual place cannot be written, beside the current directory, and says so.
pub fn open_store(asked: Option<&PathBuf>, live: &mut Live) -> Result<Option<Store>> {
    if let Some(url) = asked.filter(|place| store::is_team(place)) {
        let store = team_store(url)?;
        match store.reach() {
            Ok(()) => {}
            Err(error) if error.is_away() => {
                live.line(&format!(
                    "{error}; the run is kept on this machine, and goes there with `secchi runs push` or the next run"
                ));
            }
            Err(error) => return Err(coded(exit::CANNOT, error)),
        }
        return Ok(Some(store));
    }
    let dir = environment::store_dir(asked)
        .ok_or_else(|| coded(exit::CANNOT, "neither XDG_DATA_HOME nor HOME is set: name a directory with --store"))?;
    crate::outputs::may_make_directory(&dir)?;
    match Store::open(&dir) {
        Ok(store) => Ok(Some(judging(store))),
        Err(error) if asked.is_some() => Err(coded(exit::CANNOT, error)),
        Err(error) => {
            let fallback = std::env::current_dir().context("no current directory")?.join("secchi-runs");
            let store = Store::open(&fallback).map_err(|second| {
                coded(exit::CANNOT, format!("{error}; and {second}: name a directory with --store"))
            })?;
            live.line(&format!("{error}; this run is kept in {} instead", fallback.display()));
            Ok(Some(judging(store)))
        }
    }
}

/// The journal's own writes are small (a few KiB each second, by a thread of its own), but they are not the load's.
pub fn journal_note(store: Option<&Store>, target: &Path) -> Option<String> {
    use sys::MetadataExt;
    let store = store?;
    let same = sys::metadata(store.dir()).ok()?.dev() == sys::metadata(target).ok()?.dev();
    same.then(|| {
        format!(
            "the run journal in {} lies on the file system under test and writes a few KiB a second",
            store.dir().display()
        )
    })
}

/// Opens the store if there is one: looking at runs makes no directory.
pub fn open_existing(arg: &StoreArg) -> Result<Option<Store>> {
    if let Some(url) = arg.store.as_deref().filter(|place| store::is_team(place)) {
        let store = team_store(url)?;
        store.reach().map_err(|e| coded(exit::CANNOT, e))?;
        return Ok(Some(store));
    }
    let dir = environment::store_dir(arg.store.as_ref())
        .ok_or_else(|| coded(exit::CANNOT, "neither XDG_DATA_HOME nor HOME is set: name a directory with --store"))?;
    let store = Store::existing(&dir).map_err(|e| coded(exit::CANNOT, e))?;
    if store.is_none() && arg.store.is_some() {
        return Err(coded(exit::BAD_INPUT, format!("there is no run store at {}", dir.display())));
    }
    Ok(store.map(judging))
}

/// A run that was asked for and is not to be had: mostly the name's fault, else the store's.
pub fn unread(error: StoreError) -> anyhow::Error {
    let code = match &error {
        StoreError::Team(_) => exit::CANNOT,
        StoreError::Recover(e) => exit::unread(e),
        _ => exit::BAD_INPUT,
    };
    coded(code, error)
}

/// The store, where runs must be there already.
pub fn some_store(arg: &StoreArg) -> Result<Store> {
    open_existing(arg)?.ok_or_else(|| coded(exit::BAD_INPUT, "there are no runs yet"))
}

/// A store that can judge runs whose verdict it does not know, such as killed ones.
pub fn judging(store: Store) -> Store {
    store.with_digest(digest_of)
}

/// What a list keeps of a run.
pub fn digest_of(record: &RunRecord) -> Digest {
    let judgement = analysis::judge(record);
    let verdict = match (&record.preflight.part, record.plan.command.as_str()) {
        (Some(part), _) => sentence!("ranks-part", rank = part.rank, ranks = part.ranks, run = &part.run),
        _ if is_mark(record) => verdict_of_mark(record),
        (None, "qualify") => judgement.headline(),
        _ => judgement.verdict.clone(),
    };
    Digest { verdict, exit: Some(judgement.exit_code), workloads: analysis::workload_figures(record) }
}

/// One line for lists of runs.
pub fn verdict_of_mark(record: &RunRecord) -> Sentence {
    Mark::from_record(record, &analysis::judge(record).caveats).verdict()
}

/// Whether a run is one of these.
pub fn is_mark(record: &RunRecord) -> bool {
    record.plan.command == "mark"
}
