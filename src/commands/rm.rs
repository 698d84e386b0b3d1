//! `secchi rm RUN…`: removes runs from the store.

use crate::args::Rm;
use crate::exit::{self, Code, coded};
use crate::terminal::remark;
use anyhow::Result;

pub fn run(options: &Rm) -> Result<Code> {
    let store =
        super::show::open_existing(&options.store)?.ok_or_else(|| coded(exit::BAD_INPUT, "there are no runs yet"))?;
    // Every name is looked up before anything is removed: a mistake in the third must not cost the first two.
    let ids = options
        .runs
        .iter()
        .map(|name| store.find(name).map_err(|e| coded(exit::BAD_INPUT, e)))
        .collect::<Result<Vec<String>>>()?;
    for id in ids {
        let indexed = store.remove(&id).map_err(|e| coded(exit::REFUSED, e))?;
        if let Some(text) = indexed.remark() {
            remark(&text);
        }
        remark(&format!("removed {id}"));
    }
    Ok(exit::OK)
}
