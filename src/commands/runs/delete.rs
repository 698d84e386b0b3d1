//! `secchi runs delete` and `secchi rm`: delete runs and their labels.

use super::chosen;
use anyhow::Result;
use cli::RunsDelete;
use messages::sentence;
use session::bail;
use session::console::{self, StandardStream, remark, remark_of};
use session::exit::{self, Code, coded};
use session::run_store::some_store;
use std::io::{BufRead, IsTerminal};

pub fn run(options: &RunsDelete) -> Result<Code> {
    let store = some_store(options.chosen.store.store.as_ref())?;
    let ids = chosen(&store, &options.chosen)?;
    // Runs selected by a filter require confirmation; a run named by its ID does not.
    if options.chosen.filter.is_some() && !options.yes && !asked(&ids)? {
        bail!(exit::REFUSED, "nothing was deleted");
    }
    // If one cannot be removed, those before it stay deleted.
    for id in &ids {
        let indexed = store.remove(id).map_err(|e| coded(exit::REFUSED, e))?;
        if let Some(text) = indexed.remark() {
            remark(&text);
        }
        remark_of(&sentence!("remark-run-removed", id));
    }
    Ok(exit::OK)
}

/// Asks for confirmation on the terminal; fails without one.
fn asked(ids: &[String]) -> Result<bool> {
    let what = match ids {
        [one] => format!("run {one}"),
        many => format!("{} runs ({} ...)", many.len(), many.first().map_or("", String::as_str)),
    };
    if !std::io::stdin().is_terminal() || !console::is_terminal(StandardStream::Error) {
        bail!(exit::REFUSED, "{what}: cannot ask for confirmation without a terminal: give --yes to delete");
    }
    let question = match ids {
        [one] => sentence!("remark-delete-run", run = one),
        many => sentence!("remark-delete-runs", n = many.len(), first = many.first().map_or("", String::as_str)),
    };
    console::print_aside(&format!("secchi: {} ", console::translate(&question)));
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
