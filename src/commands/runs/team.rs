//! `secchi runs init` and `secchi runs push`: a team's store.

use anyhow::Result;
use cli::StoreOnly;
use messages::{Sentence, sentence};
use session::console::remark_of;
use session::exit::{self, Code, coded};
use session::run_store::team_store;
use store::Store;

fn team(options: &StoreOnly) -> Result<Store> {
    let url = options.store.store.as_deref().filter(|place| store::is_team(place)).ok_or_else(|| {
        coded(exit::BAD_INPUT, "this command needs a team's store: name it with --store postgres://user@host/database")
    })?;
    team_store(url)
}

pub fn init(options: &StoreOnly) -> Result<Code> {
    let store = team(options)?;
    store.init_team().map_err(|e| coded(exit::CANNOT, e))?;
    remark_of(&sentence!("remark-team-ready", name = store.team_name().unwrap_or_default()));
    Ok(exit::OK)
}

pub fn push(options: &StoreOnly) -> Result<Code> {
    push_all(&team(options)?)
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
            return Err(coded(exit::CANNOT, format!("{put} pushed to {name}, {waiting} still waiting{live}")));
        }
    }
    Ok(exit::OK)
}
