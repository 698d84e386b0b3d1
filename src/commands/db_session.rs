//! `secchi db-session ...`, hidden: a process of ours in which a session of a database lives (an M engine owns the process it is
//! loaded into). Whoever starts it talks to it over its standard input and output.

use crate::args::DbSession;
use crate::exit::{self, Code, coded};
use anyhow::Result;

pub fn run(options: &DbSession) -> Result<Code> {
    // Unlocked and unbuffered by us: the protocol has frames of its own.
    let (mut input, mut output) = (std::io::stdin(), std::io::stdout());
    db::serve_session(&options.words, &mut input, &mut output).map_err(|e| match e {
        db::DbError::Refused { .. } => coded(exit::BAD_INPUT, e),
        _ => coded(exit::CANNOT, e),
    })?;
    Ok(exit::OK)
}
