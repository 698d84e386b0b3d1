//! `secchi runs init` and `secchi runs push`: a team's store.

use anyhow::Result;
use cli::StoreOnly;
use messages::sentence;
use session::console::remark_of;
use session::exit::{self, Code, coded};
use session::run_store::{push_all, team_store};
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
