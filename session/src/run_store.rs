//! The store of runs, as named on the command line. This module opens it and enables it to judge the runs in it.

use crate::console::{Live, remark_of, translate};
use crate::exit::{self, Code, coded};
use crate::{bail, environment, reject};
use anyhow::{Context, Result};
use messages::sentence;
use model::{RunRecord, Sentence, plan::KindName};
use report::formats::mark::Mark;
use std::path::{Path, PathBuf};
use store::{Digest, Store, StoreError};

/// Returns a team's store by its URL, without connecting to it.
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

/// Opens the store in the requested place. If none was requested and the default place is not writable, opens a store
/// in the current directory and prints a remark.
pub fn open_store(asked: Option<&PathBuf>, live: &mut Live) -> Result<Option<Store>> {
    if let Some(url) = asked.filter(|place| store::is_team(place)) {
        let store = team_store(url)?;
        match store.reach() {
            Ok(()) => {}
            Err(error) if error.is_away() => {
                live.line(&translate(&sentence!("remark-store-away", why = error.to_string())));
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
            let fallback =
                std::env::current_dir().context("cannot determine the current directory")?.join("secchi-runs");
            let store = Store::open(&fallback).map_err(|second| {
                coded(exit::CANNOT, format!("{error}; and {second}: name a directory with --store"))
            })?;
            let (why, directory) = (error.to_string(), fallback.display().to_string());
            live.line(&translate(&sentence!("remark-store-fallback", why, directory)));
            Ok(Some(judging(store)))
        }
    }
}

/// Returns a note if the journal is on the file system under test. The journal's writes are small (a few KiB per
/// second, from a separate thread), but they are not part of the load.
pub fn journal_note(store: Option<&Store>, target: &Path) -> Option<String> {
    use sys::files::MetadataExt;
    let store = store?;
    let same = sys::files::metadata(store.dir()).ok()?.dev() == sys::files::metadata(target).ok()?.dev();
    same.then(|| {
        format!(
            "the run journal in {} is on the file system under test and writes a few KiB per second",
            store.dir().display()
        )
    })
}

/// Opens the store if it exists. Does not create a directory, because it is used for listing runs.
pub fn open_existing(asked: Option<&PathBuf>) -> Result<Option<Store>> {
    if let Some(url) = asked.filter(|place| store::is_team(place)) {
        let store = team_store(url)?;
        store.reach().map_err(|e| coded(exit::CANNOT, e))?;
        return Ok(Some(store));
    }
    let dir = environment::store_dir(asked)
        .ok_or_else(|| coded(exit::CANNOT, "neither XDG_DATA_HOME nor HOME is set: name a directory with --store"))?;
    let store = Store::existing(&dir).map_err(|e| coded(exit::CANNOT, e))?;
    if store.is_none() && asked.is_some() {
        reject!("there is no run store at {}", dir.display());
    }
    Ok(store.map(judging))
}

/// Returns the error for a requested run that cannot be read: usually the name is wrong, otherwise the store failed.
pub fn unread(error: StoreError) -> anyhow::Error {
    let code = match &error {
        StoreError::Team(_) => exit::CANNOT,
        StoreError::Recover(e) => exit::unread(e),
        _ => exit::BAD_INPUT,
    };
    coded(code, error)
}

/// Opens a store that must already exist.
pub fn some_store(asked: Option<&PathBuf>) -> Result<Store> {
    open_existing(asked)?.ok_or_else(|| coded(exit::BAD_INPUT, "there are no runs yet"))
}

/// Returns the store with the ability to judge runs that have no stored verdict, such as killed runs.
pub fn judging(store: Store) -> Store {
    store.with_digest(digest_of)
}

/// Returns the digest of a run for lists.
pub fn digest_of(record: &RunRecord) -> Digest {
    let judgement = analysis::judge(record);
    let verdict = match &record.preflight.part {
        Some(part) => sentence!("ranks-part", rank = part.rank, ranks = part.ranks, run = &part.run),
        None if is_mark(record) => Mark::from_record(record, &judgement.caveats).verdict(),
        None if record.plan.kind.is_qualification() => judgement.headline(),
        None => judgement.verdict.clone(),
    };
    Digest { verdict, exit: Some(judgement.exit_code), workloads: analysis::workload_figures(record) }
}

/// Returns `true` if this is a run of `mark`.
pub fn is_mark(record: &RunRecord) -> bool {
    record.plan.kind.name() == KindName::Mark
}

/// Pushes the waiting runs to the team's store and prints the result.
pub fn push_all(store: &Store) -> Result<Code> {
    let pushed = store.push().map_err(|e| coded(exit::CANNOT, e))?;
    let running = (pushed.live > 0).then(|| sentence!("remark-team-running", n = pushed.live));
    let with_running = |said: Sentence| report::listed([Some(said), running].into_iter().flatten());
    let name = store.team_name().unwrap_or_default();
    match (pushed.put.len(), pushed.waiting.len()) {
        (0, 0) => remark_of(&with_running(sentence!("remark-team-none-waits", name))),
        (put, 0) => remark_of(&with_running(sentence!("remark-team-put", n = put, name))),
        (put, waiting) => {
            for (id, why) in &pushed.waiting {
                remark_of(&sentence!("remark-team-waits", id, why = why.to_string()));
            }
            let live = if pushed.live > 0 { format!(", {} still running", pushed.live) } else { String::new() };
            bail!(exit::CANNOT, "{put} pushed to {name}, {waiting} still waiting{live}");
        }
    }
    Ok(exit::OK)
}
