//! `secchi show RUN`: a run again, judged anew.

use crate::args::{Show, StoreArg};
use crate::environment;
use crate::exit::{self, Code, coded};
use crate::measure::team_store;
use crate::terminal;
use anyhow::Result;
use model::{Digest, RunRecord};
use store::{Store, StoreError};

pub fn run(options: &Show) -> Result<Code> {
    let store = open_existing(&options.store)?.ok_or_else(|| {
        coded(exit::BAD_INPUT, format!("no run `{}`: there are no runs yet", model::clip(&options.run)))
    })?;
    let record = store.read(&options.run).map_err(unread)?;
    if !super::mark::made(&record) && (options.format.is_some() || !options.outputs.is_empty()) {
        let command = &record.plan.command;
        let why = format!("--format and -o are for marks, and this run is of `{command}`: use --json");
        return Err(coded(exit::BAD_INPUT, why));
    }
    let labels = store.labels(&record.id).map_err(|e| coded(exit::CANNOT, e))?;
    if !options.json && options.format.is_none() {
        terminal::print(|style, out| report::write_labels(&labels, style, out))?;
    }
    if record.plan.command == "fio" && !options.json {
        super::fio::show(&record)?;
        return Ok(exit::shown(&record));
    }
    if super::mark::made(&record) {
        super::mark::show(&record, &labels, options)?;
        return Ok(exit::shown(&record));
    }
    if record.plan.command == "ping" && !options.json {
        super::ping::show(&record)?;
        return Ok(exit::shown(&record));
    }
    let judgement = analysis::judge(&record);
    if options.json {
        terminal::print(|_, out| report::write_kept(&record, &judgement, &labels, out))?;
    } else {
        terminal::print_run(&record, &judgement, terminal::Shown::of(options.full, false))?;
    }
    Ok(exit::shown(&record))
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
    let verdict = match record.plan.command.as_str() {
        _ if super::mark::made(record) => super::mark::verdict(record),
        "qualify" => judgement.headline(),
        _ => judgement.verdict.clone(),
    };
    Digest { verdict, exit: Some(judgement.exit_code), workloads: analysis::workload_figures(record) }
}
