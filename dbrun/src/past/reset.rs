//! `secchi db reset DIR`: removes the past runs on a database. Only runs with its identity are removed; other runs and
//! the database itself are kept.

use super::Past;
use anyhow::Result;
use cli::DbReset;
use messages::sentence;
use session::console::{remark, remark_of};
use session::exit::{self, Code};

pub fn run(options: &DbReset) -> Result<Code> {
    let past = Past::open(&options.dir, &options.store)?;
    let runs = past.runs()?;
    let Some(store) = &past.store else {
        remark_of(&sentence!("remark-past-none"));
        return Ok(exit::OK);
    };
    let (mut removed, mut code) = (0usize, exit::OK);
    for (record, _) in &runs {
        match store.remove(&record.id) {
            Ok(indexed) => {
                removed += 1;
                indexed.remark().iter().for_each(|text| remark(text));
            }
            // An active run is kept; the others are removed.
            Err(error) => {
                remark(&error.to_string());
                code = exit::REFUSED;
            }
        }
    }
    remark_of(&sentence!("remark-past-removed", n = removed, name = past.of.name.to_string()));
    Ok(code)
}
