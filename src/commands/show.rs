//! `secchi show RUN`: a run again, judged anew.

use crate::args::{Show, StoreArg};
use crate::exit::{self, Code, coded};
use crate::places;
use crate::terminal;
use anyhow::Result;
use store::Store;

pub fn run(options: &Show) -> Result<Code> {
    let store = open_existing(&options.store)?.ok_or_else(|| {
        coded(exit::BAD_INPUT, format!("no run `{}`: there are no runs yet", model::clip(&options.run)))
    })?;
    let record = store.read(&options.run).map_err(|e| coded(exit::BAD_INPUT, e))?;
    if !super::mark::made(&record) && (options.format.is_some() || !options.outputs.is_empty()) {
        let command = &record.plan.command;
        let why = format!("--format and -o are for marks, and this run is of `{command}`: use --json");
        return Err(coded(exit::BAD_INPUT, why));
    }
    if record.plan.command == "fio" && !options.json {
        super::fio::show(&record)?;
        return Ok(exit::OK);
    }
    if super::mark::made(&record) {
        super::mark::show(&record, options)?;
        return Ok(exit::OK);
    }
    if record.plan.command == "ping" && !options.json {
        super::ping::show(&record)?;
        return Ok(exit::OK);
    }
    let judgement = analysis::judge(&record);
    terminal::print_run(&record, &judgement, options.json)?;
    Ok(exit::OK)
}

/// Opens the store if there is one: looking at runs makes no directory.
pub fn open_existing(arg: &StoreArg) -> Result<Option<Store>> {
    let dir = places::store_dir(arg.store.as_ref())
        .ok_or_else(|| coded(exit::CANNOT, "neither XDG_DATA_HOME nor HOME is set: name a directory with --store"))?;
    let store = Store::existing(&dir).map_err(|e| coded(exit::CANNOT, e))?;
    if store.is_none() && arg.store.is_some() {
        return Err(coded(exit::BAD_INPUT, format!("there is no run store at {}", dir.display())));
    }
    Ok(store.map(judging))
}

/// A store that can judge runs whose verdict it does not know, such as killed ones.
pub fn judging(store: Store) -> Store {
    store.with_verdict(|record| match super::mark::made(record) {
        true => super::mark::verdict(record),
        false => analysis::judge(record).verdict,
    })
}
