//! `secchi rm RUN…`: removes runs from the store, without asking.

use super::runs::{chosen, remove};
use super::show::some_store;
use crate::args::{ChosenRuns, Rm};
use crate::exit::{self, Code};
use anyhow::Result;

pub fn run(options: &Rm) -> Result<Code> {
    let store = some_store(&options.store)?;
    let named = ChosenRuns { runs: options.runs.clone(), filter: None, store: options.store.clone() };
    remove(&store, &chosen(&store, &named)?)?;
    Ok(exit::OK)
}
