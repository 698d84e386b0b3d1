//! `secchi db reset DIR`: forgets what was run on a database. Only runs that bear its identity go, never any other, nor
//! anything of the database itself.

use super::Past;
use crate::args::DbReset;
use crate::exit::{self, Code};
use crate::terminal::remark;
use anyhow::Result;

pub fn run(options: &DbReset) -> Result<Code> {
    let past = Past::open(&options.dir, &options.store)?;
    let runs = past.runs()?;
    let Some(store) = &past.store else {
        remark("there are no runs yet");
        return Ok(exit::OK);
    };
    let (mut removed, mut code) = (0, exit::OK);
    for (record, _) in &runs {
        match store.remove(&record.id) {
            Ok(indexed) => {
                removed += 1;
                indexed.remark().iter().for_each(|text| remark(text));
            }
            // One that still runs is not ended for this; the others go.
            Err(error) => {
                remark(&error.to_string());
                code = exit::REFUSED;
            }
        }
    }
    let runs = if removed == 1 { "1 run".to_owned() } else { format!("{removed} runs") };
    remark(&format!("{runs} of database {} removed", past.of.name));
    Ok(code)
}
